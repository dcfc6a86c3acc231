// Operators ~ ~* !~ !~*, substring(text from pattern), regexp_*().

#include "hathi/base/builtin_oids.h"
#include "hathi/types/array.h"
#include "hathi/types/utf8.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "regex.h"
#include "tables.h"

namespace hathi::types {

namespace {

constexpr TypeLayout kText{-1, false, 'i'};

template <bool IgnoreCase, bool Not> bool text_matches(FunctionCall& call, std::string_view text, std::string_view pattern) {
  RegexFlags flags;
  flags.ignore_case = IgnoreCase;
  return compiled_regex(pattern, flags, call.collation()).matches(text) != Not;
}
template <bool IgnoreCase, bool Not> bool name_matches(FunctionCall& call, Name text, std::string_view pattern) {
  return text_matches<IgnoreCase, Not>(call, text.text, pattern);
}

std::size_t next_position(std::string_view text, std::size_t at) { return at < text.size() ? at + utf8::width(text[at], text.size() - at) : at + 1; }

// Successive matches from a character offset.
class Matches {
 public:
  Matches(const Regex& regex, std::string_view text, std::size_t from, int groups) : regex_(regex), text_(text), at_(from) {
    spans_.resize(static_cast<std::size_t>(groups) + 1);
  }
  bool next() {
    if (at_ > text_.size() || !regex_.search(text_, at_, spans_)) return false;
    at_ = spans_[0].end > spans_[0].begin ? spans_[0].end : next_position(text_, spans_[0].end);
    return true;
  }
  const std::vector<RegexSpan>& spans() const { return spans_; }
  std::string_view piece(std::size_t i) const { return text_.substr(spans_[i].begin, spans_[i].end - spans_[i].begin); }

 private:
  const Regex& regex_;
  std::string_view text_;
  std::size_t at_;
  std::vector<RegexSpan> spans_;
};

RegexFlags flags_argument(FunctionCall& call, int i, std::string_view function, std::string_view hint = {}) {
  RegexFlags flags;
  if (call.site->argument_count > i) flags = parse_regex_flags(call.text(i));
  if (flags.global && !function.empty()) {
    SqlError error(sqlstate::invalid_parameter_value, "{}() does not support the \"global\" option", function);
    if (!hint.empty()) error.hint(std::string(hint));
    throw error;
  }
  return flags;
}

int integer_argument(FunctionCall& call, int i, int absent, int least, std::string_view name) {
  if (call.site->argument_count <= i) return absent;
  int v = call.arg(i).as_int32();
  if (v < least) throw SqlError(sqlstate::invalid_parameter_value, "invalid value for parameter \"{}\": {}", name, v);
  return v;
}

// Byte offset of the 1-based character `start`; beyond the end: npos.
std::size_t start_offset(std::string_view text, int start) {
  std::size_t at = utf8::offset_of(text, static_cast<std::size_t>(start - 1));
  return at == text.size() && utf8::length(text) < static_cast<std::size_t>(start - 1) ? text.size() + 1 : at;
}

// --- substring(text from pattern) -------------------------------------------------------------------------------------------
Datum textregexsubstr(FunctionCall& call) {
  std::string_view text = call.text(0);
  const Regex& regex = compiled_regex(call.text(1), {}, call.collation());
  std::vector<RegexSpan> spans(regex.groups() > 0 ? 2 : 1);
  if (!regex.search(text, 0, spans)) return call.null();
  RegexSpan span = spans.back();
  return span.matched() ? varlena::make(call.arena(), text.substr(span.begin, span.end - span.begin)) : call.null();
}

// --- regexp_replace ---------------------------------------------------------------------------------------------------------
bool has_escapes(std::string_view replacement) { return replacement.find('\\') != std::string_view::npos; }

void append_replacement(std::string& result, std::string_view replacement, std::string_view text, const std::vector<RegexSpan>& spans) {
  for (std::size_t i = 0; i < replacement.size(); ++i) {
    if (replacement[i] != '\\' || i + 1 == replacement.size()) {
      result += replacement[i];
      continue;
    }
    char c = replacement[++i];
    std::size_t group = c == '&' ? 0 : static_cast<std::size_t>(c - '0');
    if ((c >= '1' && c <= '9') || c == '&') {
      if (group < spans.size() && spans[group].matched()) result += text.substr(spans[group].begin, spans[group].end - spans[group].begin);
    } else if (c == '\\') {
      result += '\\';
    } else {
      result += '\\';
      result += c;
    }
  }
}

// Replaces match number n (0 = every one) from byte offset `from`.
std::string replace(const Regex& regex, std::string_view text, std::string_view replacement, std::size_t from, int n) {
  std::string result;
  std::size_t copied = 0;
  int groups = has_escapes(replacement) ? std::min(regex.groups(), 9) : 0;
  Matches matches(regex, text, from, groups);
  for (int count = 1; matches.next(); ++count) {
    if (n != 0 && count != n) continue;
    result.append(text, copied, matches.spans()[0].begin - copied);
    append_replacement(result, replacement, text, matches.spans());
    copied = matches.spans()[0].end;
    if (n != 0) break;
  }
  return result.append(text, copied);
}

Datum textregexreplace_noopt(FunctionCall& call) {
  const Regex& regex = compiled_regex(call.text(1), {}, call.collation());
  return varlena::make(call.arena(), replace(regex, call.text(0), call.text(2), 0, 1));
}
Datum textregexreplace(FunctionCall& call) {
  std::string_view letters = call.text(3);
  if (!letters.empty() && is_digit(letters[0])) {
    throw SqlError(sqlstate::invalid_parameter_value, "invalid regular expression option: \"{}\"", letters.substr(0, 1))
        .hint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.");
  }
  RegexFlags flags = parse_regex_flags(letters);
  const Regex& regex = compiled_regex(call.text(1), flags, call.collation());
  return varlena::make(call.arena(), replace(regex, call.text(0), call.text(2), 0, flags.global ? 0 : 1));
}
Datum textregexreplace_extended(FunctionCall& call) {
  int start = integer_argument(call, 3, 1, 1, "start");
  int n = integer_argument(call, 4, 1, 0, "n");
  RegexFlags flags = flags_argument(call, 5, {});
  if (call.site->argument_count <= 4 && flags.global) n = 0;
  std::string_view text = call.text(0);
  const Regex& regex = compiled_regex(call.text(1), flags, call.collation());
  return varlena::make(call.arena(), replace(regex, text, call.text(2), start_offset(text, start), n));
}

// --- regexp_match, regexp_matches -------------------------------------------------------------------------------------------
Datum groups_array(Arena& arena, const Matches& matches, int groups) {
  if (groups == 0) {
    Datum whole = varlena::make(arena, matches.piece(0));
    return make_array(arena, type_oid::text, kText, {&whole, 1});
  }
  auto n = static_cast<std::size_t>(groups);
  auto* values = arena.make_array<Datum>(n);
  auto* nulls = arena.make_array<bool>(n);
  for (std::size_t i = 0; i < n; ++i) {
    nulls[i] = !matches.spans()[i + 1].matched();
    if (!nulls[i]) values[i] = varlena::make(arena, matches.piece(i + 1));
  }
  return make_array(arena, type_oid::text, kText, {values, n}, nulls);
}

Datum regexp_match(FunctionCall& call) {
  RegexFlags flags = flags_argument(call, 2, "regexp_match", "Use the regexp_matches function instead.");
  const Regex& regex = compiled_regex(call.text(1), flags, call.collation());
  Matches matches(regex, call.text(0), 0, regex.groups());
  return matches.next() ? groups_array(call.arena(), matches, regex.groups()) : call.null();
}

// Rows made on the first call, handed out one a call.
struct Rows {
  List<Datum> values;
  std::uint32_t next = 0;
};
Datum next_row(FunctionCall& call, Rows* rows) {
  if (rows->next < rows->values.size()) return rows->values[rows->next++];
  *call.state = nullptr;
  call.done = true;
  return call.null();
}

Datum regexp_matches(FunctionCall& call) {
  auto* rows = static_cast<Rows*>(*call.state);
  if (rows == nullptr) {
    rows = call.state_arena->make<Rows>();
    *call.state = rows;
    RegexFlags flags = flags_argument(call, 2, {});
    const Regex& regex = compiled_regex(call.text(1), flags, call.collation());
    Matches matches(regex, call.text(0), 0, regex.groups());
    while (matches.next()) {
      rows->values.push_back(*call.state_arena, groups_array(*call.state_arena, matches, regex.groups()));
      if (!flags.global) break;
    }
  }
  return next_row(call, rows);
}

// --- regexp_split_to_array, regexp_split_to_table ----------------------------------------------------------------------------
List<Datum> split(FunctionCall& call, Arena& arena, std::string_view function) {
  RegexFlags flags = flags_argument(call, 2, function);
  std::string_view text = call.text(0);
  const Regex& regex = compiled_regex(call.text(1), flags, call.collation());
  List<Datum> pieces;
  std::size_t start = 0;
  Matches matches(regex, text, 0, 0);
  while (matches.next()) {
    RegexSpan span = matches.spans()[0];
    // Empty matches at the ends or just after the previous match separate nothing.
    if (span.begin >= text.size() || span.end <= start) continue;
    pieces.push_back(arena, varlena::make(arena, text.substr(start, span.begin - start)));
    start = span.end;
  }
  pieces.push_back(arena, varlena::make(arena, text.substr(start)));
  return pieces;
}
Datum regexp_split_to_array(FunctionCall& call) {
  List<Datum> pieces = split(call, call.arena(), "regexp_split_to_array");
  return make_array(call.arena(), type_oid::text, kText, {pieces.begin(), pieces.size()});
}
Datum regexp_split_to_table(FunctionCall& call) {
  auto* rows = static_cast<Rows*>(*call.state);
  if (rows == nullptr) {
    rows = call.state_arena->make<Rows>();
    *call.state = rows;
    rows->values = split(call, *call.state_arena, "regexp_split_to_table");
  }
  return next_row(call, rows);
}

// --- regexp_count, regexp_instr, regexp_like, regexp_substr ------------------------------------------------------------------
Datum regexp_count(FunctionCall& call) {
  int start = integer_argument(call, 2, 1, 1, "start");
  RegexFlags flags = flags_argument(call, 3, "regexp_count");
  std::string_view text = call.text(0);
  Matches matches(compiled_regex(call.text(1), flags, call.collation()), text, start_offset(text, start), 0);
  std::int32_t n = 0;
  while (matches.next()) ++n;
  return Datum::of(n);
}

// Match number n; subexpr 0 = the whole match. false when there is none.
bool nth_span(FunctionCall& call, RegexFlags flags, int start, int n, int subexpr, RegexSpan& span) {
  std::string_view text = call.text(0);
  const Regex& regex = compiled_regex(call.text(1), flags, call.collation());
  if (subexpr > regex.groups()) return false;
  Matches matches(regex, text, start_offset(text, start), subexpr);
  for (int i = 1; matches.next(); ++i) {
    if (i < n) continue;
    span = matches.spans()[static_cast<std::size_t>(subexpr)];
    return span.matched();
  }
  return false;
}
Datum regexp_instr(FunctionCall& call) {
  int start = integer_argument(call, 2, 1, 1, "start");
  int n = integer_argument(call, 3, 1, 1, "n");
  int end_option = integer_argument(call, 4, 0, 0, "endoption");
  if (end_option > 1) throw SqlError(sqlstate::invalid_parameter_value, "invalid value for parameter \"{}\": {}", "endoption", end_option);
  RegexFlags flags = flags_argument(call, 5, "regexp_instr");
  int subexpr = integer_argument(call, 6, 0, 0, "subexpr");
  RegexSpan span;
  if (!nth_span(call, flags, start, n, subexpr, span)) return Datum::of(std::int32_t{0});
  std::size_t at = end_option == 1 ? span.end : span.begin;
  return Datum::of(static_cast<std::int32_t>(utf8::length(call.text(0).substr(0, at))) + 1);
}
Datum regexp_like(FunctionCall& call) {
  RegexFlags flags = flags_argument(call, 2, "regexp_like");
  return Datum::of(compiled_regex(call.text(1), flags, call.collation()).matches(call.text(0)));
}
Datum regexp_substr(FunctionCall& call) {
  int start = integer_argument(call, 2, 1, 1, "start");
  int n = integer_argument(call, 3, 1, 1, "n");
  RegexFlags flags = flags_argument(call, 4, "regexp_substr");
  int subexpr = integer_argument(call, 5, 0, 0, "subexpr");
  RegexSpan span;
  if (!nth_span(call, flags, start, n, subexpr, span)) return call.null();
  return varlena::make(call.arena(), call.text(0).substr(span.begin, span.end - span.begin));
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1254}, fn<text_matches<false, false>>},
    {Oid{1658}, fn<text_matches<false, false>>},
    {Oid{1256}, fn<text_matches<false, true>>},
    {Oid{1659}, fn<text_matches<false, true>>},
    {Oid{1238}, fn<text_matches<true, false>>},
    {Oid{1656}, fn<text_matches<true, false>>},
    {Oid{1239}, fn<text_matches<true, true>>},
    {Oid{1657}, fn<text_matches<true, true>>},
    {Oid{79}, fn<name_matches<false, false>>},
    {Oid{1252}, fn<name_matches<false, true>>},
    {Oid{1240}, fn<name_matches<true, false>>},
    {Oid{1241}, fn<name_matches<true, true>>},
    {Oid{2073}, fn<textregexsubstr>},
    {Oid{2284}, fn<textregexreplace_noopt>},
    {Oid{2285}, fn<textregexreplace>},
    {Oid{6251}, fn<textregexreplace_extended>},
    {Oid{6252}, fn<textregexreplace_extended>},
    {Oid{6253}, fn<textregexreplace_extended>},
    {Oid{3397}, fn<regexp_match>},
    {Oid{3396}, fn<regexp_match>},
    {Oid{2764}, fn<regexp_matches>, FunctionKind::set_per_call},
    {Oid{2763}, fn<regexp_matches>, FunctionKind::set_per_call},
    {Oid{2768}, fn<regexp_split_to_array>},
    {Oid{2767}, fn<regexp_split_to_array>},
    {Oid{2766}, fn<regexp_split_to_table>, FunctionKind::set_per_call},
    {Oid{2765}, fn<regexp_split_to_table>, FunctionKind::set_per_call},
    {Oid{6256}, fn<regexp_count>},
    {Oid{6254}, fn<regexp_count>},
    {Oid{6255}, fn<regexp_count>},
    {Oid{6262}, fn<regexp_instr>},
    {Oid{6257}, fn<regexp_instr>},
    {Oid{6258}, fn<regexp_instr>},
    {Oid{6259}, fn<regexp_instr>},
    {Oid{6260}, fn<regexp_instr>},
    {Oid{6261}, fn<regexp_instr>},
    {Oid{6264}, fn<regexp_like>},
    {Oid{6263}, fn<regexp_like>},
    {Oid{6269}, fn<regexp_substr>},
    {Oid{6265}, fn<regexp_substr>},
    {Oid{6266}, fn<regexp_substr>},
    {Oid{6267}, fn<regexp_substr>},
    {Oid{6268}, fn<regexp_substr>},
};

}  // namespace

std::span<const BuiltinFunction> regex_functions() { return kTable; }

}  // namespace hathi::types
