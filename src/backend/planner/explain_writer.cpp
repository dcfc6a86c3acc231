#include "explain_writer.h"

#include "hathi/error/sql_error.h"

namespace hathi::planner {

namespace {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else out += c;
    }
  }
  return out + "\"";
}

std::string xml_string(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '\r': out += "&#x0d;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

void ExplainWriter::begin() {
  switch (format_) {
    case ExplainFormat::text: break;
    case ExplainFormat::xml:
      out_ += "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n";
      indent = 1;
      break;
    case ExplainFormat::json:
      out_ += "[";
      indent = 1;
      levels_.push_back({});
      break;
    case ExplainFormat::yaml: levels_.push_back({}); break;
  }
}

void ExplainWriter::end() {
  switch (format_) {
    case ExplainFormat::text: break;
    case ExplainFormat::xml: out_ += "</explain>"; break;
    case ExplainFormat::json: out_ += "\n]"; break;
    case ExplainFormat::yaml: break;
  }
}

// What stands between the members of a group: JSON a comma and a new line, YAML a new line except after a list's dash.
void ExplainWriter::separate() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (format_ == ExplainFormat::json) {
    if (level.any) out_ += ',';
    out_ += '\n';
    indent_text();
  } else if (format_ == ExplainFormat::yaml) {
    if (level.first_on_line) {
      level.first_on_line = false;
    } else {
      if (!out_.empty()) out_ += '\n';
      indent_text();
    }
  }
  level.any = true;
}

void ExplainWriter::xml_tag(std::string_view label, bool closing) {
  out_ += closing ? "</" : "<";
  for (char c : label) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    out_ += plain ? c : '-';
  }
  out_ += '>';
}

void ExplainWriter::open_group(std::string_view label, bool labeled) {
  switch (format_) {
    case ExplainFormat::text: break;
    case ExplainFormat::xml:
      indent_text();
      xml_tag(label.empty() ? "Item" : label, false);
      out_ += '\n';
      ++indent;
      break;
    case ExplainFormat::json:
      separate();
      if (!label.empty()) out_ += json_string(label) + ": ";
      out_ += labeled ? '{' : '[';
      levels_.push_back({});
      ++indent;
      break;
    case ExplainFormat::yaml:
      separate();
      if (!label.empty()) {
        out_ += label;
        out_ += ": ";
        levels_.push_back({});
      } else {
        out_ += "- ";
        levels_.push_back({false, true});
      }
      ++indent;
      break;
  }
}

void ExplainWriter::close_group(std::string_view label, bool labeled) {
  switch (format_) {
    case ExplainFormat::text: break;
    case ExplainFormat::xml:
      --indent;
      indent_text();
      xml_tag(label.empty() ? "Item" : label, true);
      out_ += '\n';
      break;
    case ExplainFormat::json:
      --indent;
      out_ += '\n';
      indent_text();
      out_ += labeled ? '}' : ']';
      levels_.pop_back();
      break;
    case ExplainFormat::yaml:
      --indent;
      levels_.pop_back();
      break;
  }
}

void ExplainWriter::scalar(std::string_view label, std::string_view value, bool quoted) {
  switch (format_) {
    case ExplainFormat::text:
      indent_text();
      out_ += fmt::format("{}: {}\n", label, value);
      break;
    case ExplainFormat::xml:
      indent_text();
      xml_tag(label, false);
      out_ += xml_string(value);
      xml_tag(label, true);
      out_ += '\n';
      break;
    case ExplainFormat::json:
      separate();
      out_ += json_string(label) + ": " + (quoted ? json_string(value) : std::string(value));
      break;
    case ExplainFormat::yaml:
      separate();
      out_ += std::string(label) + ": " + (quoted ? json_string(value) : std::string(value));
      break;
  }
}

void ExplainWriter::property(std::string_view label, std::string_view value) { scalar(label, value, true); }
void ExplainWriter::boolean(std::string_view label, bool value) { scalar(label, value ? "true" : "false", false); }

void ExplainWriter::number(std::string_view label, std::string_view value, std::string_view unit) {
  if (is_text() && !unit.empty()) scalar(label, fmt::format("{} {}", value, unit), false);
  else scalar(label, value, false);
}

void ExplainWriter::number(std::string_view label, double value, int digits, std::string_view unit) {
  number(label, fmt::format("{:.{}f}", value, digits), unit);
}

void ExplainWriter::list(std::string_view label, const std::vector<std::string>& items) {
  switch (format_) {
    case ExplainFormat::text: {
      indent_text();
      out_ += fmt::format("{}: ", label);
      bool first = true;
      for (const std::string& item : items) {
        if (!first) out_ += ", ";
        first = false;
        out_ += item;
      }
      out_ += '\n';
      break;
    }
    case ExplainFormat::xml:
      indent_text();
      xml_tag(label, false);
      out_ += '\n';
      for (const std::string& item : items) {
        out_.append(static_cast<std::size_t>(indent) * 2 + 2, ' ');
        out_ += "<Item>" + xml_string(item) + "</Item>\n";
      }
      indent_text();
      xml_tag(label, true);
      out_ += '\n';
      break;
    case ExplainFormat::json: {
      separate();
      out_ += json_string(label) + ": [";
      bool first = true;
      for (const std::string& item : items) {
        if (!first) out_ += ", ";
        first = false;
        out_ += json_string(item);
      }
      out_ += ']';
      break;
    }
    case ExplainFormat::yaml:
      separate();
      out_ += std::string(label) + ": ";
      for (const std::string& item : items) {
        out_ += '\n';
        out_.append(static_cast<std::size_t>(indent) * 2 + 2, ' ');
        out_ += "- " + json_string(item);
      }
      break;
  }
}

void ExplainWriter::nested_list(std::string_view label, const std::vector<std::string>& items) {
  if (format_ == ExplainFormat::text || format_ == ExplainFormat::xml) {
    list(label, items);
    return;
  }
  separate();
  out_ += format_ == ExplainFormat::json ? "[" : "- [";
  bool first = true;
  for (const std::string& item : items) {
    if (!first) out_ += ", ";
    first = false;
    out_ += json_string(item);
  }
  out_ += ']';
}

std::vector<std::string> ExplainWriter::lines() const {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < out_.size()) {
    std::size_t end = out_.find('\n', at);
    if (end == std::string::npos) end = out_.size();
    out.push_back(out_.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace hathi::planner
