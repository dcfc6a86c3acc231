// Functions on text: lengths, pieces, padding, searching, case.

#include <algorithm>
#include <limits>

#include "hathi/memory/arena.h"
#include "hathi/types/collation.h"
#include "hathi/types/utf8.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"

namespace hathi::types {

namespace {

constexpr std::size_t kMaxTextSize = 0x3FFFFFFF - 4;

[[noreturn]] void throw_too_long() { throw SqlError(sqlstate::program_limit_exceeded, "requested length too large"); }

std::int32_t textlen(std::string_view text) { return static_cast<std::int32_t>(utf8::length(text)); }
// The size is known without fetching the value when it is not compressed or external.
std::int32_t textoctetlen(std::string_view text) { return static_cast<std::int32_t>(text.size()); }
std::int32_t bpcharlen(std::string_view text) {
  std::size_t last = text.find_last_not_of(' ');
  return textlen(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}
std::int32_t bit_length(std::string_view text) {
  std::size_t bits = text.size() * 8;
  if (bits > std::numeric_limits<std::int32_t>::max()) throw_out_of_range<std::int32_t>();
  return static_cast<std::int32_t>(bits);
}

Datum textcat(FunctionCall& call) {
  std::string_view a = call.text(0);
  std::string_view b = call.text(1);
  NewText result(call, a.size() + b.size());
  std::memcpy(result.data, a.data(), a.size());
  std::memcpy(result.data + a.size(), b.data(), b.size());
  return result.datum();
}

// Characters [start, start + length) counting from 1; positions before 1 do not exist but count.
std::string_view substring(std::string_view text, std::int32_t start, std::int64_t length) {
  std::int64_t end = static_cast<std::int64_t>(start) + length;
  if (end <= 1) return {};
  std::int64_t first = std::max<std::int64_t>(start, 1);
  std::size_t begin = utf8::offset_of(text, static_cast<std::size_t>(first - 1));
  text.remove_prefix(begin);
  return text.substr(0, utf8::offset_of(text, static_cast<std::size_t>(end - first)));
}
[[noreturn]] void throw_negative_length() { throw SqlError(sqlstate::substring_error, "negative substring length not allowed"); }
std::string_view text_substr(std::string_view text, std::int32_t start, std::int32_t length) {
  if (length < 0) throw_negative_length();
  return substring(text, start, length);
}
std::string_view text_substr_no_len(std::string_view text, std::int32_t start) {
  return substring(text, start, std::int64_t{std::numeric_limits<std::int32_t>::max()} * 2);
}
std::string textoverlay(std::string_view text, std::string_view with, std::int32_t start, std::int32_t length) {
  if (start <= 0) throw_negative_length();
  std::int32_t after;
  if (__builtin_add_overflow(start, length, &after)) throw_out_of_range<std::int32_t>();
  std::string result(substring(text, 1, start - 1));
  result += with;
  result += text_substr_no_len(text, after);
  return result;
}
std::string textoverlay_no_len(std::string_view text, std::string_view with, std::int32_t start) {
  return textoverlay(text, with, start, textlen(with));
}

std::int32_t textpos(std::string_view text, std::string_view part) {
  std::size_t at = text.find(part);
  return at == std::string_view::npos ? 0 : textlen(text.substr(0, at)) + 1;
}
bool text_starts_with(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }

std::string_view text_left(std::string_view text, std::int32_t n) {
  if (n >= 0) return text.substr(0, utf8::offset_of(text, static_cast<std::size_t>(n)));
  std::int64_t keep = static_cast<std::int64_t>(utf8::length(text)) + n;
  return text.substr(0, keep <= 0 ? 0 : utf8::offset_of(text, static_cast<std::size_t>(keep)));
}
std::string_view text_right(std::string_view text, std::int32_t n) {
  std::int64_t skip = n >= 0 ? std::max<std::int64_t>(0, static_cast<std::int64_t>(utf8::length(text)) - n) : -static_cast<std::int64_t>(n);
  return text.substr(utf8::offset_of(text, static_cast<std::size_t>(skip)));
}
Datum text_reverse(FunctionCall& call, std::string_view text) {
  NewText result(call, text.size());
  char* end = result.data + text.size();
  for (std::size_t i = 0; i < text.size();) {
    std::size_t w = utf8::width(text[i], text.size() - i);
    end -= w;
    std::memcpy(end, text.data() + i, w);
    i += w;
  }
  return result.datum();
}

Datum repeat(FunctionCall& call, std::string_view text, std::int32_t n) {
  std::size_t count = n < 0 ? 0 : static_cast<std::size_t>(n);
  std::size_t size;
  if (__builtin_mul_overflow(text.size(), count, &size) || size > kMaxTextSize) throw_too_long();
  NewText result(call, size);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(result.data + i * text.size(), text.data(), text.size());
  return result.datum();
}

// n characters of fill, repeated from its start.
std::string filling(std::string_view fill, std::size_t n) {
  if (n > kMaxTextSize / 4) throw_too_long();
  std::string result;
  std::size_t fill_length = utf8::length(fill);
  for (; n >= fill_length; n -= fill_length) result += fill;
  result += fill.substr(0, utf8::offset_of(fill, n));
  return result;
}
std::string pad(std::string_view text, std::int32_t length, std::string_view fill, bool left) {
  std::size_t wanted = length < 0 ? 0 : static_cast<std::size_t>(length);
  std::size_t have = utf8::length(text);
  if (have >= wanted) return std::string(text.substr(0, utf8::offset_of(text, wanted)));
  if (fill.empty()) return std::string(text);
  std::string filled = filling(fill, wanted - have);
  return left ? filled.append(text) : std::string(text) + filled;
}
std::string lpad(std::string_view text, std::int32_t length, std::string_view fill) { return pad(text, length, fill, true); }
std::string rpad(std::string_view text, std::int32_t length, std::string_view fill) { return pad(text, length, fill, false); }
std::string lpad_blank(std::string_view text, std::int32_t length) { return pad(text, length, " ", true); }
std::string rpad_blank(std::string_view text, std::int32_t length) { return pad(text, length, " ", false); }

bool is_one_of(std::string_view character, std::string_view set) {
  if (character.size() == 1) return set.find(character[0]) != std::string_view::npos;
  return set.find(character) != std::string_view::npos;
}
std::string_view trim(std::string_view text, std::string_view set, bool left, bool right) {
  while (left && !text.empty()) {
    std::size_t w = utf8::width(text[0], text.size());
    if (!is_one_of(text.substr(0, w), set)) break;
    text.remove_prefix(w);
  }
  while (right && !text.empty()) {
    std::size_t at = text.size() - 1;
    while (at > 0 && utf8::is_continuation(text[at])) --at;
    if (!is_one_of(text.substr(at), set)) break;
    text = text.substr(0, at);
  }
  return text;
}
std::string_view btrim(std::string_view text, std::string_view set) { return trim(text, set, true, true); }
std::string_view ltrim(std::string_view text, std::string_view set) { return trim(text, set, true, false); }
std::string_view rtrim(std::string_view text, std::string_view set) { return trim(text, set, false, true); }
std::string_view btrim1(std::string_view text) { return trim(text, " ", true, true); }
std::string_view ltrim1(std::string_view text) { return trim(text, " ", true, false); }

Datum replace_text(FunctionCall& call) {
  std::string_view text = call.text(0);
  std::string_view from = call.text(1);
  std::string_view to = call.text(2);
  std::size_t at = from.empty() ? std::string_view::npos : text.find(from);
  if (at == std::string_view::npos) return call.arg(0);
  std::string result;
  std::size_t done = 0;
  for (; at != std::string_view::npos; at = text.find(from, done)) {
    result.append(text, done, at - done).append(to);
    done = at + from.size();
    if (result.size() > kMaxTextSize) throw_too_long();
  }
  result.append(text, done);
  return varlena::make(call.arena(), result);
}

std::string_view split_part(std::string_view text, std::string_view separator, std::int32_t n) {
  if (n == 0) throw_invalid_parameter("field position must not be zero");
  if (text.empty()) return {};
  if (separator.empty()) return n == 1 || n == -1 ? text : std::string_view();
  if (n < 0) {
    std::size_t end = text.size();
    for (;;) {
      std::size_t at = end < separator.size() ? std::string_view::npos : text.rfind(separator, end - separator.size());
      std::size_t start = at == std::string_view::npos ? 0 : at + separator.size();
      if (++n == 0) return text.substr(start, end - start);
      if (at == std::string_view::npos) return {};
      end = at;
    }
  }
  std::size_t start = 0;
  for (;;) {
    std::size_t at = text.find(separator, start);
    if (--n == 0) return text.substr(start, at == std::string_view::npos ? at : at - start);
    if (at == std::string_view::npos) return {};
    start = at + separator.size();
  }
}

std::string translate(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t w = utf8::width(text[i], text.size() - i);
    std::string_view c = text.substr(i, w);
    i += w;
    std::size_t index = 0;
    std::size_t at = 0;
    for (; at < from.size(); at += utf8::width(from[at], from.size() - at), ++index) {
      if (from.substr(at, utf8::width(from[at], from.size() - at)) == c) break;
    }
    if (at >= from.size()) {
      result += c;
      continue;
    }
    std::size_t target = utf8::offset_of(to, index);
    if (target < to.size()) result += to.substr(target, utf8::width(to[target], to.size() - target));
  }
  return result;
}

std::int32_t ascii(std::string_view text) { return text.empty() ? 0 : static_cast<std::int32_t>(utf8::decode(text.data())); }
std::string chr(std::int32_t code) {
  if (code < 0) throw SqlError(sqlstate::invalid_parameter_value, "character number must be positive");
  if (code == 0) throw SqlError(sqlstate::program_limit_exceeded, "null character not permitted");
  auto c = static_cast<std::uint32_t>(code);
  if (c > 0x10FFFF) throw SqlError(sqlstate::program_limit_exceeded, "requested character too large for encoding: {}", c);
  if (c >= 0xD800 && c <= 0xDFFF) throw SqlError(sqlstate::program_limit_exceeded, "requested character not valid for encoding: {}", c);
  std::string result;
  utf8::append(result, c);
  return result;
}

std::string upper(FunctionCall& call, std::string_view text) { return to_upper(text, call.collation()); }
std::string lower(FunctionCall& call, std::string_view text) { return to_lower(text, call.collation()); }
std::string initcap(FunctionCall& call, std::string_view text) { return to_title(text, call.collation()); }

// Escapes \XXXX, \+XXXXXX, \uXXXX, \UXXXXXXXX of code points; \\ is a backslash.
std::string unistr(std::string_view text) {
  std::string result;
  std::uint32_t high = 0;
  auto bad = [] [[noreturn]] (const char* message) { throw SqlError(sqlstate::syntax_error, "{}", message); };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      if (high != 0) bad("invalid Unicode surrogate pair");
      result += text[i++];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '\\') {
      if (high != 0) bad("invalid Unicode surrogate pair");
      result += '\\';
      i += 2;
      continue;
    }
    char kind = i + 1 < text.size() ? text[i + 1] : '\0';
    std::size_t prefix = kind == 'u' || kind == 'U' || kind == '+' ? 2 : 1;
    std::size_t digits = kind == 'U' ? 8 : kind == '+' ? 6 : 4;
    std::uint32_t c = 0;
    if (i + prefix + digits > text.size()) digits = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      char d = to_lower_ascii(text[i + prefix + k]);
      if (!is_digit(d) && (d < 'a' || d > 'f')) {
        digits = 0;
        break;
      }
      c = c * 16 + static_cast<std::uint32_t>(is_digit(d) ? d - '0' : d - 'a' + 10);
    }
    if (digits == 0) {
      throw SqlError(sqlstate::syntax_error, "invalid Unicode escape").hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.");
    }
    i += prefix + digits;
    if (c == 0 || c > 0x10FFFF) throw SqlError(sqlstate::syntax_error, "invalid Unicode escape value");
    bool is_low = c >= 0xDC00 && c <= 0xDFFF;
    if ((high != 0) != is_low) bad("invalid Unicode surrogate pair");
    if (is_low) {
      utf8::append(result, 0x10000 + ((high - 0xD800) << 10) + (c - 0xDC00));
      high = 0;
    } else if (c >= 0xD800 && c <= 0xDBFF) {
      high = c;
    } else {
      utf8::append(result, c);
    }
  }
  if (high != 0) bad("invalid Unicode surrogate pair");
  return result;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1257}, fn<textlen>},
    {Oid{1317}, fn<textlen>},
    {Oid{1369}, fn<textlen>},
    {Oid{1381}, fn<textlen>},
    {Oid{1374}, fn<textoctetlen>},
    {Oid{1318}, fn<bpcharlen>},
    {Oid{1367}, fn<bpcharlen>},
    {Oid{1372}, fn<bpcharlen>},
    {Oid{1375}, fn<textoctetlen>},
    {Oid{1811}, fn<bit_length>},
    {Oid{1258}, fn<textcat>},
    {Oid{877}, fn<text_substr>},
    {Oid{936}, fn<text_substr>},
    {Oid{883}, fn<text_substr_no_len>},
    {Oid{937}, fn<text_substr_no_len>},
    {Oid{1404}, fn<textoverlay>},
    {Oid{1405}, fn<textoverlay_no_len>},
    {Oid{849}, fn<textpos>},
    {Oid{868}, fn<textpos>},
    {Oid{3696}, fn<text_starts_with>},
    {Oid{3060}, fn<text_left>},
    {Oid{3061}, fn<text_right>},
    {Oid{3062}, fn<text_reverse>},
    {Oid{1622}, fn<repeat>},
    {Oid{873}, fn<lpad>},
    {Oid{874}, fn<rpad>},
    {Oid{879}, fn<lpad_blank>},
    {Oid{880}, fn<rpad_blank>},
    {Oid{884}, fn<btrim>},
    {Oid{875}, fn<ltrim>},
    {Oid{876}, fn<rtrim>},
    {Oid{885}, fn<btrim1>},
    {Oid{881}, fn<ltrim1>},
    {Oid{2087}, fn<replace_text>},
    {Oid{2088}, fn<split_part>},
    {Oid{878}, fn<translate>},
    {Oid{1620}, fn<ascii>},
    {Oid{1621}, fn<chr>},
    {Oid{871}, fn<upper>},
    {Oid{870}, fn<lower>},
    {Oid{872}, fn<initcap>},
    {Oid{6198}, fn<unistr>},
};

}  // namespace

std::span<const BuiltinFunction> text_functions() { return kTable; }

}  // namespace hathi::types
