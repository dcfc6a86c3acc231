#include <algorithm>
#include <cstring>

#include "copy.h"
#include "hathi/catalog/lookup.h"
#include "hathi/parser/parser.h"

namespace hathi::session {

namespace {

using parser::Option;

// A value as one text; words in parentheses count as a name of several parts.
std::string value_text(const Option& option) {
  const auto* list = parser::node_try<parser::NodeList>(option.value);
  if (list == nullptr) return parser::option_text(option);
  std::string text;
  for (parser::Node* item : list->items) {
    Option one = option;
    one.value = item;
    text.append(text.empty() ? "" : ".").append(parser::option_text(one));
  }
  return text;
}

bool boolean_value(const Option& option) {
  std::string v = value_text(option);
  std::transform(v.begin(), v.end(), v.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (v.empty() || v == "true" || v == "on" || v == "1") return true;
  if (v == "false" || v == "off" || v == "0") return false;
  throw SqlError(sqlstate::syntax_error, "{} requires a Boolean value", option.name);
}

void read_header(const Option& option, bool is_from, CopyOptions& out) {
  std::string v = value_text(option);
  std::transform(v.begin(), v.end(), v.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (v == "match") {
    if (!is_from) throw SqlError(sqlstate::feature_not_supported, "cannot use \"match\" with HEADER in COPY TO");
    out.header = out.header_must_match = true;
    return;
  }
  if (!v.empty() && v != "true" && v != "on" && v != "1" && v != "false" && v != "off" && v != "0") {
    throw SqlError(sqlstate::syntax_error, "{} requires a Boolean value or \"match\"", option.name);
  }
  out.header = boolean_value(option);
}

std::vector<std::string_view> name_list(const Option& option) {
  std::vector<std::string_view> names;
  if (const auto* list = parser::node_try<parser::NodeList>(option.value)) {
    for (const parser::Node* item : list->items) {
      if (const auto* word = parser::node_try<parser::Constant>(item)) names.push_back(word->text);  // of the list in parentheses
      else names.push_back(parser::node_cast<parser::NameList>(item)->names.back());                 // of FORCE … without
    }
  } else {
    throw SqlError(sqlstate::invalid_parameter_value, "argument to option \"{}\" must be a list of column names", option.name).at(option.location);
  }
  return names;
}

std::string required_text(const Option& option) {
  if (option.value == nullptr) throw SqlError(sqlstate::syntax_error, "{} requires a parameter", option.name);
  return value_text(option);
}

void read_format(const Option& option, CopyOptions& out) {
  std::string v = required_text(option);
  if (v == "text") out.format = CopyFormat::text;
  else if (v == "csv") out.format = CopyFormat::csv;
  else if (v == "binary") out.format = CopyFormat::binary;
  else throw SqlError(sqlstate::invalid_parameter_value, "COPY format \"{}\" not recognized", v).at(option.location);
}

[[noreturn]] void only_csv(std::string_view what) { throw SqlError(sqlstate::feature_not_supported, "COPY {} available only in CSV mode", what); }

struct Given {
  std::string delimiter, null_text, quote, escape;
  bool has_delimiter = false, has_null = false, has_quote = false, has_escape = false;
};

void check_delimiter(const CopyOptions& o, const Given& given) {
  if (given.delimiter.size() != 1) throw SqlError(sqlstate::feature_not_supported, "COPY delimiter must be a single one-byte character");
  if (o.delimiter == '\r' || o.delimiter == '\n') throw SqlError(sqlstate::invalid_parameter_value, "COPY delimiter cannot be newline or carriage return");
  if (o.format != CopyFormat::csv && std::strchr("\\.abcdefghijklmnopqrstuvwxyz0123456789", o.delimiter) != nullptr) {
    throw SqlError(sqlstate::invalid_parameter_value, "COPY delimiter cannot be \"{}\"", o.delimiter);
  }
}

void check_consistency(const CopyOptions& o, const Given& given, bool is_from) {
  if (o.null_text.find_first_of("\r\n") != std::string::npos) {
    throw SqlError(sqlstate::invalid_parameter_value, "COPY null representation cannot use newline or carriage return");
  }
  if (o.format == CopyFormat::binary && o.header) throw SqlError(sqlstate::feature_not_supported, "cannot specify HEADER in BINARY mode");
  if (o.format != CopyFormat::csv) {
    if (given.has_quote) only_csv("quote");
    if (given.has_escape) only_csv("escape");
    if (o.force_quote_all || !o.force_quote.empty()) only_csv("force quote");
    if (!o.force_not_null.empty()) only_csv("force not null");
    if (!o.force_null.empty()) only_csv("force null");
  } else {
    if (given.has_quote && given.quote.size() != 1) throw SqlError(sqlstate::feature_not_supported, "COPY quote must be a single one-byte character");
    if (o.delimiter == o.quote) throw SqlError(sqlstate::invalid_parameter_value, "COPY delimiter and quote must be different");
    if (given.has_escape && given.escape.size() != 1) throw SqlError(sqlstate::feature_not_supported, "COPY escape must be a single one-byte character");
    if (o.null_text.find(o.quote) != std::string::npos) {
      throw SqlError(sqlstate::feature_not_supported, "CSV quote character must not appear in the NULL specification");
    }
  }
  if ((o.force_quote_all || !o.force_quote.empty()) && is_from)
    throw SqlError(sqlstate::feature_not_supported, "COPY force quote only available using COPY TO");
  if (!o.force_not_null.empty() && !is_from) throw SqlError(sqlstate::feature_not_supported, "COPY force not null only available using COPY FROM");
  if (!o.force_null.empty() && !is_from) throw SqlError(sqlstate::feature_not_supported, "COPY force null only available using COPY FROM");
  if (o.null_text.find(o.delimiter) != std::string::npos) {
    throw SqlError(sqlstate::feature_not_supported, "COPY delimiter must not appear in the NULL specification");
  }
}

void read_one(const Option& option, bool is_from, CopyOptions& out, Given& given) {
  if (option.name == "format") read_format(option, out);
  else if (option.name == "freeze") out.freeze = boolean_value(option);
  else if (option.name == "header") read_header(option, is_from, out);
  else if (option.name == "delimiter") { given.delimiter = required_text(option); given.has_delimiter = true; }
  else if (option.name == "null") { given.null_text = required_text(option); given.has_null = true; }
  else if (option.name == "quote") { given.quote = required_text(option); given.has_quote = true; }
  else if (option.name == "escape") { given.escape = required_text(option); given.has_escape = true; }
  else if (option.name == "force_not_null") out.force_not_null = name_list(option);
  else if (option.name == "force_null") out.force_null = name_list(option);
  else if (option.name == "force_quote") {
    const auto* star = parser::node_try<parser::NameList>(option.value);
    if (star != nullptr && star->names.size() == 1 && star->names[0] == "*") out.force_quote_all = true;
    else out.force_quote = name_list(option);
  } else if (option.name == "encoding") {
    std::string name = required_text(option);
    std::string folded;
    for (char c : name) if (std::isalnum(static_cast<unsigned char>(c))) folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (folded != "utf8" && folded != "unicode" && folded != "sqlascii") {
      throw SqlError(sqlstate::invalid_parameter_value, "argument to option \"{}\" must be a valid encoding name", option.name).at(option.location);
    }
  } else {
    throw SqlError(sqlstate::syntax_error, "option \"{}\" not recognized", option.name).at(option.location);
  }
}

}  // namespace

CopyOptions read_copy_options(const parser::CopyStatement& statement) {
  CopyOptions out;
  Given given;
  std::vector<std::string_view> seen;
  for (const Option* option : statement.options) {
    if (std::find(seen.begin(), seen.end(), option->name) != seen.end()) {
      throw SqlError(sqlstate::syntax_error, "conflicting or redundant options").at(option->location);
    }
    seen.push_back(option->name);
    read_one(*option, statement.is_from, out, given);
  }
  bool csv = out.format == CopyFormat::csv;
  if (out.format == CopyFormat::binary && given.has_delimiter) throw SqlError(sqlstate::syntax_error, "cannot specify DELIMITER in BINARY mode");
  if (out.format == CopyFormat::binary && given.has_null) throw SqlError(sqlstate::syntax_error, "cannot specify NULL in BINARY mode");
  if (!given.has_delimiter) given.delimiter = csv ? "," : "\t";
  out.delimiter = given.delimiter.empty() ? '\0' : given.delimiter[0];
  out.null_text = given.has_null ? given.null_text : (csv ? "" : "\\N");
  if (given.has_quote && !given.quote.empty()) out.quote = given.quote[0];
  out.escape = given.has_escape && !given.escape.empty() ? given.escape[0] : out.quote;
  check_delimiter(out, given);
  check_consistency(out, given, statement.is_from);
  return out;
}

void check_named_columns(const std::vector<std::string_view>& names, std::string_view option, std::string_view relation,
                         const TupleDescriptor& row, const std::vector<AttrNumber>& columns) {
  for (std::string_view name : names) {
    AttrNumber number = 0;
    for (int i = 0; i < row.count() && number == 0; ++i) {
      if (!row[i].dropped && row[i].name == name) number = static_cast<AttrNumber>(i + 1);
    }
    if (number == 0 && relation.empty()) throw SqlError(sqlstate::undefined_column, "column \"{}\" does not exist", name);
    if (number == 0) throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, relation);
    if (std::find(columns.begin(), columns.end(), number) == columns.end()) {
      throw SqlError(sqlstate::invalid_column_reference, "{} column \"{}\" not referenced by COPY", option, name);
    }
  }
}

void check_can_be_copied(const catalog::Relation& relation) {
  namespace kind = catalog::relation_kind;
  if (relation.index != nullptr) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is an index", relation.name);
  if (relation.kind == kind::composite) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is a composite type", relation.name);
}

std::vector<AttrNumber> copy_columns(const catalog::Relation& relation, const parser::CopyStatement& statement, bool is_from) {
  std::vector<AttrNumber> out;
  const TupleDescriptor& row = *relation.descriptor;
  if (statement.columns.empty()) {
    for (int i = 0; i < row.count(); ++i) {
      if (!row[i].dropped && row[i].generated == '\0') out.push_back(static_cast<AttrNumber>(i + 1));
    }
    return out;
  }
  for (std::string_view name : statement.columns) {
    AttrNumber number = 0;
    for (int i = 0; i < row.count() && number == 0; ++i) {
      if (!row[i].dropped && row[i].name == name) number = static_cast<AttrNumber>(i + 1);
    }
    if (number == 0) {
      throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, relation.name);
    }
    if (row[number - 1].generated != '\0') {
      throw SqlError(sqlstate::invalid_column_reference, "column \"{}\" is a generated column", name).detail("Generated columns cannot be used in COPY.");
    }
    if (std::find(out.begin(), out.end(), number) != out.end()) {
      throw SqlError(sqlstate::duplicate_column, "column \"{}\" specified more than once", name);
    }
    out.push_back(number);
  }
  (void)is_from;
  return out;
}

std::uint64_t run_copy(Session& session, const parser::CopyStatement& statement, const parser::Statement&, std::string_view text,
                       const planner::BoundParameters& parameters) {
  Oid role = catalog::current_role();
  if (!statement.filename.empty() && !catalog::is_superuser(role)) {
    constexpr Oid kReadServerFiles{4569}, kWriteServerFiles{4570}, kExecuteServerProgram{4571};
    Oid needed = statement.is_program ? kExecuteServerProgram : (statement.is_from ? kReadServerFiles : kWriteServerFiles);
    if (!catalog::is_member_of(role, needed)) {
      std::string_view what = statement.is_program ? "to or from an external program" : (statement.is_from ? "from a file" : "to a file");
      std::string_view group = statement.is_program ? "pg_execute_server_program" : (statement.is_from ? "pg_read_server_files" : "pg_write_server_files");
      throw SqlError(sqlstate::insufficient_privilege, "must be superuser or have privileges of the {} role to COPY {}", group, what)
          .hint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.");
    }
  }
  return statement.is_from ? copy_from(session, statement, text) : copy_to(session, statement, text, parameters);
}

}  // namespace hathi::session
