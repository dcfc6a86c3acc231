// Input of COPY FROM in the text formats cut into lines and fields.

#include <cstring>

#include "copy.h"

namespace hathi::session {

namespace {

// Gathers input until a line end; knows the kind of line end from the first line.
class LineReader : public CopyReader {
 public:
  using CopyReader::CopyReader;

 protected:
  enum class LineEnd : std::uint8_t { unknown, newline, carriage_return, both };

  // The next line without its end; false at the end of the data or at an end mark "\." with nothing before it.
  bool next_line() {
    if (ended_) return false;
    buffer_.erase(0, consumed_);
    consumed_ = 0;
    std::size_t end = 0, length = 0;
    scan_from_ = 0;
    in_quote_ = false;
    ++line_number_;
    line_ = {};
    at_mark_ = false;
    while (!find_line_end(end, length)) {
      if (!no_more_input_) {
        no_more_input_ = !source_.read(buffer_);
        continue;   // the end of the input decides what a carriage return or an end mark at the end is
      }
      ended_ = true;
      if (buffer_.empty()) return false;
      if (in_quote_) {
        line_ = buffer_;
        throw SqlError(sqlstate::bad_copy_file_format, "unterminated CSV quoted field");
      }
      end = buffer_.size();
      length = 0;
      break;
    }
    require_text(std::string_view(buffer_).substr(0, end));
    line_ = std::string_view(buffer_).substr(0, end);
    consumed_ = end + length;
    if (!at_mark_) return true;
    // Behind a mark that ends a line with data a file or program is read on, as PostgreSQL does.
    ended_ = source_.skip_rest() || line_.empty();
    return !line_.empty();
  }

  // Before the line counts as one: what it holds cannot be shown.
  static void require_text(std::string_view line) {
    if (line.find('\0') != std::string_view::npos) throw SqlError(sqlstate::character_not_in_repertoire, "invalid byte sequence for encoding \"UTF8\": 0x00");
    require_valid_utf8(line);
  }

  virtual bool find_line_end(std::size_t& end, std::size_t& length) = 0;

  // Decides at a '\n' or '\r' whether it ends the line; sets length to that of the line end. False: more input is needed.
  bool take_line_end(std::size_t at, std::size_t& length, bool& is_end, std::string_view kind) {
    char c = buffer_[at];
    bool pair = false;
    if (c == '\r' && (end_kind_ == LineEnd::unknown || end_kind_ == LineEnd::both)) {
      if (at + 1 >= buffer_.size() && !no_more_input_) return false;
      pair = at + 1 < buffer_.size() && buffer_[at + 1] == '\n';
    }
    if (end_kind_ == LineEnd::unknown) end_kind_ = c == '\n' ? LineEnd::newline : (pair ? LineEnd::both : LineEnd::carriage_return);
    is_end = (c == '\n' && end_kind_ == LineEnd::newline) || (c == '\r' && end_kind_ == LineEnd::carriage_return) || (pair && end_kind_ == LineEnd::both);
    if (!is_end) {
      bool csv = options_.format == CopyFormat::csv;
      throw SqlError(sqlstate::bad_copy_file_format, "{} {} found in data", csv ? "unquoted" : "literal", c == '\n' ? "newline" : "carriage return")
          .hint(csv ? fmt::format("Use quoted CSV field to represent {}.", c == '\n' ? "newline" : "carriage return")
                    : fmt::format("Use \"{}\" to represent {}.", c == '\n' ? "\\n" : "\\r", c == '\n' ? "newline" : "carriage return"));
    }
    length = pair ? 2 : 1;
    (void)kind;
    return true;
  }

  enum class Mark : std::uint8_t { none, undecided, found };

  // Whether the backslash at `at` begins an end mark, "\." and a line end of the kind seen so far; sets length to that of the mark.
  Mark end_mark(std::size_t at, std::size_t& length) {
    std::size_t next = at + 1;
    if (next >= buffer_.size()) return no_more_input_ ? Mark::none : Mark::undecided;
    if (buffer_[next++] != '.') return Mark::none;
    bool both = end_kind_ == LineEnd::both, csv = options_.format == CopyFormat::csv;
    for (bool first_of_pair : {true, false}) {
      if (first_of_pair && !both) continue;
      if (next >= buffer_.size() && !no_more_input_) return Mark::undecided;
      char c = next < buffer_.size() ? buffer_[next] : '\0';
      bool mismatch = first_of_pair ? c == '\n' : c != (end_kind_ == LineEnd::carriage_return ? '\r' : '\n') && end_kind_ != LineEnd::unknown;
      bool corrupt = c != '\r' && c != '\n';
      if (csv && (corrupt || (first_of_pair && mismatch))) return Mark::none;   // data that looks like one
      if (corrupt) throw SqlError(sqlstate::bad_copy_file_format, "end-of-copy marker corrupt");
      if (mismatch) throw SqlError(sqlstate::bad_copy_file_format, "end-of-copy marker does not match previous newline style");
      ++next;
    }
    length = next - at;
    at_mark_ = true;
    return Mark::found;
  }

  std::string buffer_;
  std::size_t consumed_ = 0, scan_from_ = 0;
  bool in_quote_ = false;
  LineEnd end_kind_ = LineEnd::unknown;

 private:
  bool at_mark_ = false, no_more_input_ = false, ended_ = false;
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class TextReader : public LineReader {
 public:
  using LineReader::LineReader;

  bool next(std::vector<Field>& fields) override {
    if (!next_line()) return false;
    fields.clear();
    store_.clear();
    store_.reserve(line_.size());   // unescaped texts never grow: views into it stay valid
    const char* p = line_.data();
    const char* end = p + line_.size();
    for (;;) {
      const char* stop = p;
      bool escaped = false;
      while (stop < end && *stop != options_.delimiter) {
        if (*stop == '\\') {
          if (stop + 1 >= end) break;   // the last of the input's bytes: nothing follows that it could stand for, so it does not count
          escaped = true;
          ++stop;
        }
        ++stop;
      }
      std::string_view raw(p, static_cast<std::size_t>(stop - p));
      Field field;
      field.is_null = raw == options_.null_text;
      field.text = field.is_null || !escaped ? raw : unescape(raw);
      fields.push_back(field);
      if (stop >= end || *stop != options_.delimiter) break;
      p = stop + 1;
    }
    return true;
  }

 protected:
  bool find_line_end(std::size_t& end, std::size_t& length) override {
    while (scan_from_ < buffer_.size()) {
      const char* base = buffer_.data();
      const char* p = base + scan_from_;
      const char* stop = base + buffer_.size();
      while (p < stop && *p != '\n' && *p != '\r' && *p != '\\') ++p;
      scan_from_ = static_cast<std::size_t>(p - base);
      if (p == stop) return false;
      if (*p == '\\') {
        Mark mark = end_mark(scan_from_, length);
        if (mark == Mark::undecided || p + 1 >= stop) return false;
        end = scan_from_;
        if (mark == Mark::found) return true;
        scan_from_ += 2;   // whatever follows, a line end too, is data
        continue;
      }
      bool is_end = false;
      if (!take_line_end(scan_from_, length, is_end, "literal")) return false;
      end = scan_from_;
      return true;
    }
    return false;
  }

 private:
  std::string_view unescape(std::string_view raw) {
    std::size_t start = store_.size();
    bool made_high_byte = false;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '\\') {
        store_ += raw[i];
        continue;
      }
      char c = raw[++i];
      switch (c) {
        case 'b': store_ += '\b'; break;
        case 'f': store_ += '\f'; break;
        case 'n': store_ += '\n'; break;
        case 'r': store_ += '\r'; break;
        case 't': store_ += '\t'; break;
        case 'v': store_ += '\v'; break;
        case 'x': {
          int value = 0, digits = 0;
          while (digits < 2 && i + 1 < raw.size() && hex_digit(raw[i + 1]) >= 0) {
            value = value * 16 + hex_digit(raw[++i]);
            ++digits;
          }
          if (digits == 0) store_ += 'x';
          else store_ += static_cast<char>(value);
          made_high_byte = made_high_byte || value >= 0x80 || (digits > 0 && value == 0);
          break;
        }
        case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': {
          int value = c - '0';
          for (int digits = 1; digits < 3 && i + 1 < raw.size() && raw[i + 1] >= '0' && raw[i + 1] <= '7'; ++digits) value = value * 8 + (raw[++i] - '0');
          value &= 0xFF;
          store_ += static_cast<char>(value);
          made_high_byte = made_high_byte || value >= 0x80 || value == 0;
          break;
        }
        default: store_ += c;
      }
    }
    std::string_view out = std::string_view(store_).substr(start);
    if (made_high_byte) {
      if (out.find('\0') != std::string_view::npos) throw SqlError(sqlstate::character_not_in_repertoire, "invalid byte sequence for encoding \"UTF8\": 0x00");
      require_valid_utf8(out);
    }
    return out;
  }

  std::string store_;
};

class CsvReader : public LineReader {
 public:
  using LineReader::LineReader;

  bool next(std::vector<Field>& fields) override {
    if (!next_line()) return false;
    fields.clear();
    store_.clear();
    store_.reserve(line_.size());
    std::size_t i = 0;
    for (;;) {
      std::size_t start = store_.size();
      bool quoted = read_field(i);
      Field field;
      field.text = std::string_view(store_).substr(start);
      field.is_null = !quoted && field.text == options_.null_text;
      fields.push_back(field);
      quoted_.resize(fields.size());
      quoted_[fields.size() - 1] = quoted;
      if (i >= line_.size()) break;
      ++i;   // the delimiter
    }
    return true;
  }

 protected:
  bool find_line_end(std::size_t& end, std::size_t& length) override {
    for (; scan_from_ < buffer_.size(); ++scan_from_) {
      char c = buffer_[scan_from_];
      if (c == '\\' && scan_from_ == 0) {   // elsewhere in a line it is data
        Mark mark = end_mark(0, length);
        end = 0;
        if (mark != Mark::none) return mark == Mark::found;
      }
      if (in_quote_ && options_.escape != options_.quote && c == options_.escape) {
        if (scan_from_ + 1 >= buffer_.size()) return false;
        if (buffer_[scan_from_ + 1] == options_.quote || buffer_[scan_from_ + 1] == options_.escape) ++scan_from_;
        continue;
      }
      if (c == options_.quote) in_quote_ = !in_quote_;
      if (in_quote_) {
        // Lines in a field count once one knows what a line end is; until then each carriage return does.
        if (c == (end_kind_ == LineEnd::newline ? '\n' : '\r')) ++line_number_;
        continue;
      }
      if (c != '\n' && c != '\r') continue;
      bool is_end = false;
      if (!take_line_end(scan_from_, length, is_end, "unquoted")) return false;
      end = scan_from_;
      return true;
    }
    return false;
  }

 private:
  // Appends the field at i to the store; leaves i at the delimiter or the end.
  bool read_field(std::size_t& i) {
    bool saw_quote = false, inside = false;
    for (; i < line_.size(); ++i) {
      char c = line_[i];
      if (!inside) {
        if (c == options_.delimiter) return saw_quote;
        if (c == options_.quote) {
          saw_quote = inside = true;
          continue;
        }
        store_ += c;
        continue;
      }
      bool escapes = c == options_.escape && i + 1 < line_.size() && (line_[i + 1] == options_.escape || line_[i + 1] == options_.quote);
      if (escapes) {
        store_ += line_[++i];
      } else if (c == options_.quote) {
        inside = false;
      } else {
        store_ += c;
      }
    }
    return saw_quote;
  }

  std::string store_;
  std::vector<char> quoted_;
};

}  // namespace

std::unique_ptr<CopyReader> make_copy_reader(CopySource& source, const CopyOptions& options, std::size_t columns) {
  switch (options.format) {
    case CopyFormat::text: return std::make_unique<TextReader>(source, options);
    case CopyFormat::csv: return std::make_unique<CsvReader>(source, options);
    case CopyFormat::binary: return make_binary_reader(source, options, columns);
  }
  return nullptr;
}

}  // namespace hathi::session
