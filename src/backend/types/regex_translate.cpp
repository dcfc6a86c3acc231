// Reads PostgreSQL's advanced regular expressions and writes RE2's.

#include <fmt/format.h>

#include "hathi/base/stack.h"
#include "hathi/error/sql_error.h"
#include "hathi/types/utf8.h"
#include "parse.h"
#include "regex.h"

namespace hathi::types {

namespace {

[[noreturn]] void bad(std::string_view what) {
  throw SqlError(sqlstate::invalid_regular_expression, "invalid regular expression: {}", what);
}
constexpr std::string_view kBadEscape = "invalid escape \\ sequence";

bool is_word(char c) { return is_alpha(c) || is_digit(c) || c == '_'; }

// What a part of an expression would rather match.
enum class Preference { none, longest, shortest };

class Translator {
 public:
  Translator(std::string_view pattern, RegexFlags flags, bool ascii, bool greedy_only)
      : text_(pattern), flags_(flags), ascii_(ascii), greedy_only_(greedy_only) {}

  TranslatedRegex run() {
    prefix();
    if (flags_.basic) throw_not_supported("basic regular expression syntax");
    out_ = flags_.ignore_case ? "(?i)" : "";
    if (flags_.literal) {
      while (!at_end()) literal(next_character());
      return {out_, 0, false, false};
    }
    Preference preference = alternatives();
    if (!at_end()) bad("parentheses () not balanced");
    return {out_, groups_, preference == Preference::shortest, has_lazy_};
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool looking_at(std::string_view s) const { return text_.substr(at_).starts_with(s); }
  std::uint32_t next_character() {
    std::uint32_t c = utf8::decode(text_.data() + at_);
    at_ += utf8::width(text_[at_], text_.size() - at_);
    return c;
  }

  // "***:", "***=", then "(?letters)".
  void prefix() {
    if (flags_.literal) return;
    if (looking_at("***=")) {
      at_ += 4;
      flags_.literal = true;
      return;
    }
    if (looking_at("***:")) at_ += 4;
    else if (looking_at("***")) bad("quantifier operand invalid");
    if (!looking_at("(?") || !is_alpha(peek(2))) return;
    at_ += 2;
    for (; is_alpha(peek()); ++at_) {
      switch (peek()) {
        case 'b': flags_.basic = true; break;
        case 'c': flags_.ignore_case = false; break;
        case 'e': break;
        case 'i': flags_.ignore_case = true; break;
        case 'm': case 'n': flags_.dot_excludes_newline = flags_.anchors_at_newlines = true; break;
        case 'p': flags_.dot_excludes_newline = true; flags_.anchors_at_newlines = false; break;
        case 'q': flags_.literal = true; break;
        case 's': flags_.dot_excludes_newline = flags_.anchors_at_newlines = false; break;
        case 't': flags_.expanded = false; break;
        case 'w': flags_.dot_excludes_newline = false; flags_.anchors_at_newlines = true; break;
        case 'x': flags_.expanded = true; break;
        default: bad("invalid embedded option");
      }
    }
    if (peek() != ')') bad("invalid embedded option");
    ++at_;
  }

  void skip_ignored() {
    for (;;) {
      if (looking_at("(?#")) {
        std::size_t close = text_.find(')', at_);
        at_ = close == std::string_view::npos ? text_.size() : close + 1;
      } else if (flags_.expanded && !at_end() && is_space(peek())) {
        ++at_;
      } else if (flags_.expanded && peek() == '#') {
        while (!at_end() && peek() != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  Preference alternatives() {
    check_stack_depth();
    Preference preference = branch();
    bool several = false;
    while (!at_end() && peek() == '|') {
      ++at_;
      out_ += '|';
      branch();
      several = true;
    }
    return several ? Preference::longest : preference;
  }

  Preference branch() {
    Preference preference = Preference::none;
    for (;;) {
      skip_ignored();
      if (at_end() || peek() == '|' || peek() == ')') return preference;
      bool is_constraint = false;
      std::size_t start = out_.size();
      Preference own = atom(is_constraint);
      skip_ignored();
      own = quantifier(start, own, is_constraint);
      if (preference == Preference::none) preference = own;
    }
  }

  bool at_quantifier() const { return peek() == '*' || peek() == '+' || peek() == '?' || (peek() == '{' && is_digit(peek(1))); }

  int bound() {
    int n = 0;
    while (is_digit(peek())) {
      n = n * 10 + (text_[at_++] - '0');
      if (n > 255) bad("invalid repetition count(s)");
    }
    return n;
  }

  Preference quantifier(std::size_t atom_start, Preference preference, bool is_constraint) {
    if (at_end() || !at_quantifier()) return preference;
    if (is_constraint) bad("quantifier operand invalid");
    std::string mark;
    bool fixed = false;
    if (peek() == '{') {
      ++at_;
      int low = bound();
      int high = low;
      mark = fmt::format("{{{}", low);
      fixed = true;
      if (peek() == ',') {
        ++at_;
        fixed = false;
        mark += ',';
        if (is_digit(peek())) {
          high = bound();
          mark += std::to_string(high);
          if (high < low) bad("invalid repetition count(s)");
        }
      }
      if (peek() != '}') bad(at_end() ? "braces {} not balanced" : "invalid repetition count(s)");
      ++at_;
      mark += '}';
    } else {
      mark = text_[at_++];
    }
    bool lazy = peek() == '?' && !at_end();
    if (lazy) ++at_;
    skip_ignored();
    if (!at_end() && at_quantifier()) bad("quantifier operand invalid");
    out_.insert(atom_start, "(?:");
    out_ += ')';
    out_ += mark;
    if (lazy && !greedy_only_) out_ += '?';
    has_lazy_ = has_lazy_ || lazy;
    // {m} has its atom's preference.
    if (fixed) return preference;
    return lazy ? Preference::shortest : Preference::longest;
  }

  // A single element. Appends it to out_.
  Preference atom(bool& is_constraint) {
    char c = peek();
    switch (c) {
      case '(': return group(is_constraint);
      case '[': return bracket(is_constraint);
      case '.':
        ++at_;
        out_ += flags_.dot_excludes_newline ? "[^\\n]" : "(?s:.)";
        return Preference::none;
      case '^':
        ++at_;
        is_constraint = true;
        out_ += flags_.anchors_at_newlines ? "(?m:^)" : "\\A";
        return Preference::none;
      case '$':
        ++at_;
        is_constraint = true;
        out_ += flags_.anchors_at_newlines ? "(?m:$)" : "\\z";
        return Preference::none;
      case '*': case '+': case '?': bad("quantifier operand invalid");
      case '{':
        if (is_digit(peek(1))) bad("quantifier operand invalid");
        break;
      case '\\': return escape(is_constraint);
      default: break;
    }
    literal(next_character());
    return Preference::none;
  }

  Preference group(bool& is_constraint) {
    ++at_;
    if (looking_at("?=") || looking_at("?!") || looking_at("?<=") || looking_at("?<!")) {
      throw_not_supported("a lookaround constraint in a regular expression");
    }
    if (looking_at("?:")) {
      at_ += 2;
      out_ += "(?:";
    } else if (peek() == '?') {
      bad("quantifier operand invalid");
    } else {
      ++groups_;
      out_ += '(';
    }
    Preference preference = alternatives();
    if (at_end()) bad("parentheses () not balanced");
    ++at_;
    out_ += ')';
    return preference;
  }

  void literal(std::uint32_t c) { append_character(out_, c); }
  static void append_character(std::string& to, std::uint32_t c) {
    if (c < 0x80 && !is_word(static_cast<char>(c))) to += fmt::format("\\x{{{:x}}}", c);
    else utf8::append(to, c);
  }

  // The inside of a character class, for use between brackets.
  std::string class_members(std::string_view name) const {
    if (flags_.ignore_case && (name == "upper" || name == "lower")) name = "alpha";
    if (!ascii_) {
      if (name == "alpha") return "\\p{L}";
      if (name == "digit") return "\\p{Nd}";
      if (name == "alnum") return "\\p{L}\\p{Nd}";
      if (name == "upper") return "\\p{Lu}";
      if (name == "lower") return "\\p{Ll}";
      if (name == "space") return "\\s\\x0b\\p{Z}";
      if (name == "word") return "\\p{L}\\p{Nd}_";
    }
    for (std::string_view known : {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit", "word"}) {
      if (name == known) return fmt::format("[:{}:]", name);
    }
    bad("invalid character class");
  }

  std::uint32_t hexadecimal(int least, int most) {
    std::uint32_t value = 0;
    int n = 0;
    for (; n < most && !at_end(); ++n, ++at_) {
      char c = to_lower_ascii(peek());
      if (is_digit(c)) value = value * 16 + static_cast<std::uint32_t>(c - '0');
      else if (c >= 'a' && c <= 'f') value = value * 16 + static_cast<std::uint32_t>(c - 'a' + 10);
      else break;
    }
    if (n < least || value > 0x10FFFF) bad(kBadEscape);
    return value;
  }

  // A character-entry escape after the backslash; false when it is something else (at_ not moved).
  bool character_escape(std::uint32_t& c) {
    char letter = peek();
    if (at_end()) bad(kBadEscape);
    if (!is_alpha(letter) && !is_digit(letter)) {
      c = next_character();
      return true;
    }
    ++at_;
    switch (letter) {
      case 'a': c = 7; return true;
      case 'b': c = 8; return true;
      case 'B': c = '\\'; return true;
      case 'c':
        if (at_end()) bad(kBadEscape);
        c = next_character() & 31;
        return true;
      case 'e': c = 27; return true;
      case 'f': c = 12; return true;
      case 'n': c = '\n'; return true;
      case 'r': c = '\r'; return true;
      case 't': c = '\t'; return true;
      case 'v': c = 11; return true;
      case 'u': c = hexadecimal(4, 4); return true;
      case 'U': c = hexadecimal(8, 8); return true;
      case 'x': c = hexadecimal(1, 255); return true;
      case '0':
        c = 0;
        for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) c = c * 8 + static_cast<std::uint32_t>(text_[at_++] - '0');
        return true;
      default: --at_; return false;
    }
  }

  Preference escape(bool& is_constraint) {
    ++at_;
    std::uint32_t c;
    if (character_escape(c)) {
      literal(c);
      return Preference::none;
    }
    char letter = text_[at_++];
    switch (letter) {
      case 'd': out_ += "[" + class_members("digit") + "]"; return Preference::none;
      case 's': out_ += "[" + class_members("space") + "]"; return Preference::none;
      case 'w': out_ += "[" + class_members("word") + "]"; return Preference::none;
      case 'D': out_ += "[^" + class_members("digit") + newline_if_excluded() + "]"; return Preference::none;
      case 'S': out_ += "[^" + class_members("space") + "]"; return Preference::none;
      case 'W': out_ += "[^" + class_members("word") + newline_if_excluded() + "]"; return Preference::none;
      default: break;
    }
    is_constraint = true;
    switch (letter) {
      case 'A': out_ += "\\A"; return Preference::none;
      case 'Z': out_ += "\\z"; return Preference::none;
      case 'y': out_ += "\\b"; return Preference::none;
      case 'Y': out_ += "\\B"; return Preference::none;
      case 'm': word_start(); return Preference::none;
      case 'M': word_end(at_ - 2); return Preference::none;
      default: break;
    }
    is_constraint = false;
    if (is_digit(letter)) return back_reference(letter);
    bad(kBadEscape);
  }
  std::string newline_if_excluded() const { return flags_.dot_excludes_newline ? "\\n" : ""; }

  // RE2 knows word boundaries only; a side of it is known when a word character is certain to stand there.
  void word_start() {
    if (!is_word(peek()) && !looking_at("\\w") && !looking_at("[[:alnum:]") && !looking_at("[[:alpha:]")) {
      throw_not_supported("\\m before anything but a word character in a regular expression");
    }
    out_ += "\\b";
  }
  void word_end(std::size_t before) {
    std::string_view done = text_.substr(0, before);
    if (done.ends_with('+')) done.remove_suffix(1);
    if (done.empty() || !is_word(done.back()) || (done.size() > 1 && done[done.size() - 2] == '\\' && done.back() != 'w')) {
      throw_not_supported("\\M after anything but a word character in a regular expression");
    }
    out_ += "\\b";
  }

  Preference back_reference(char first) {
    int n = first - '0';
    while (is_digit(peek()) && n * 10 + (peek() - '0') <= groups_) n = n * 10 + (text_[at_++] - '0');
    if (n > groups_) bad("invalid backreference number");
    throw_not_supported("a back reference in a regular expression");
  }

  // [.x.] and [=x=] after their opening: a single character.
  std::uint32_t collating_element(char kind) {
    const char closing[] = {kind, ']', '\0'};
    std::size_t end = text_.find(closing, at_);
    if (end == std::string_view::npos) bad("brackets [] not balanced");
    std::string_view name = text_.substr(at_, end - at_);
    if (name.empty() || utf8::length(name) != 1) bad("invalid collating element");
    at_ = end + 2;
    return utf8::decode(name.data());
  }

  // A member that may be the end of a range; is_class when it was a class, whose members went to `members`.
  std::uint32_t bracket_character(std::string& members, bool& is_class) {
    is_class = false;
    if (at_end()) bad("brackets [] not balanced");
    if (looking_at("[.") || looking_at("[=")) {
      char kind = peek(1);
      at_ += 2;
      return collating_element(kind);
    }
    if (looking_at("[:")) {
      std::size_t end = text_.find(":]", at_ + 2);
      if (end == std::string_view::npos) bad("brackets [] not balanced");
      members += class_members(text_.substr(at_ + 2, end - at_ - 2));
      at_ = end + 2;
      is_class = true;
      return 0;
    }
    if (peek() != '\\') return next_character();
    ++at_;
    std::uint32_t c;
    if (character_escape(c)) return c;
    char letter = text_[at_++];
    is_class = true;
    switch (letter) {
      case 'd': members += class_members("digit"); return 0;
      case 's': members += class_members("space"); return 0;
      case 'w': members += class_members("word"); return 0;
      case 'D': members += "\\P{Nd}"; return 0;
      case 'S': members += "\\S"; return 0;
      case 'W': members += "\\W"; return 0;
      default: bad(kBadEscape);
    }
  }

  Preference bracket(bool& is_constraint) {
    if (looking_at("[[:<:]]")) {
      at_ += 7;
      is_constraint = true;
      word_start();
      return Preference::none;
    }
    if (looking_at("[[:>:]]")) {
      at_ += 7;
      is_constraint = true;
      word_end(at_ - 7);
      return Preference::none;
    }
    ++at_;
    bool negated = peek() == '^';
    if (negated) ++at_;
    std::string members;
    bool first = true;
    for (;; first = false) {
      if (at_end()) bad("brackets [] not balanced");
      if (peek() == ']' && !first) {
        ++at_;
        break;
      }
      bool is_class;
      std::uint32_t low = bracket_character(members, is_class);
      bool is_range = peek() == '-' && peek(1) != ']' && at_ + 1 < text_.size();
      if (is_class) {
        if (is_range) bad("invalid character range");
        continue;
      }
      append_character(members, low);
      if (!is_range) continue;
      ++at_;
      std::uint32_t high = bracket_character(members, is_class);
      if (is_class || high < low) bad("invalid character range");
      members += '-';
      append_character(members, high);
    }
    out_ += negated ? "[^" + members + newline_if_excluded() + "]" : "[" + members + "]";
    return Preference::none;
  }

  std::string_view text_;
  RegexFlags flags_;
  bool ascii_;
  bool greedy_only_;
  bool has_lazy_ = false;
  std::size_t at_ = 0;
  int groups_ = 0;
  std::string out_;
};

}  // namespace

RegexFlags parse_regex_flags(std::string_view letters) {
  RegexFlags f;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    switch (letters[i]) {
      case 'g': f.global = true; break;
      case 'b': f.basic = true; break;
      case 'c': f.ignore_case = false; break;
      case 'e': case 't': f.expanded = false; break;
      case 'i': f.ignore_case = true; break;
      case 'm': case 'n': f.dot_excludes_newline = f.anchors_at_newlines = true; break;
      case 'p': f.dot_excludes_newline = true; f.anchors_at_newlines = false; break;
      case 'q': f.literal = true; break;
      case 's': f.dot_excludes_newline = f.anchors_at_newlines = false; break;
      case 'w': f.dot_excludes_newline = false; f.anchors_at_newlines = true; break;
      case 'x': f.expanded = true; break;
      default:
        throw SqlError(sqlstate::invalid_parameter_value, "invalid regular expression option: \"{}\"",
                       letters.substr(i, utf8::width(letters[i], letters.size() - i)));
    }
  }
  return f;
}

TranslatedRegex translate_regex(std::string_view pattern, RegexFlags flags, bool ascii_classes, bool greedy_only) {
  return Translator(pattern, flags, ascii_classes, greedy_only).run();
}

}  // namespace hathi::types
