// Type bytea.

#include <algorithm>
#include <bit>
#include <limits>

#include "hathi/config/session_settings.h"
#include "hathi/types/binary.h"
#include "adapter.h"
#include "encoding.h"
#include "errors.h"
#include "tables.h"

namespace hathi::types {

namespace {

std::string byteain(CString input) {
  std::string_view text = input.view();
  return text.starts_with("\\x") ? from_hex_text(text.substr(2)) : from_escape_text(text);
}
CString byteaout(FunctionCall& call, std::string_view bytes) {
  if (config::values::bytea_output == 0) return make_cstring(call, to_escape_text(bytes));
  char* text = static_cast<char*>(call.arena().allocate(bytes.size() * 2 + 3, 1));
  char* p = text;
  *p++ = '\\';
  *p++ = 'x';
  for (char c : bytes) {
    auto b = static_cast<unsigned char>(c);
    *p++ = "0123456789abcdef"[b >> 4];
    *p++ = "0123456789abcdef"[b & 15];
  }
  *p = '\0';
  return {text};
}
Datum bytearecv(FunctionCall& call) {
  return varlena::make(call.arena(), const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>())->rest());
}
Datum byteasend(FunctionCall& call) { return Datum::of(static_cast<const void*>(varlena::readable(call.arg(0), call.arena()))); }

int order(std::string_view a, std::string_view b) {
  int r = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  return r != 0 ? r : (a.size() > b.size()) - (a.size() < b.size());
}
bool byteaeq(std::string_view a, std::string_view b) { return a == b; }
bool byteane(std::string_view a, std::string_view b) { return a != b; }
bool bytealt(std::string_view a, std::string_view b) { return order(a, b) < 0; }
bool byteale(std::string_view a, std::string_view b) { return order(a, b) <= 0; }
bool byteagt(std::string_view a, std::string_view b) { return order(a, b) > 0; }
bool byteage(std::string_view a, std::string_view b) { return order(a, b) >= 0; }
std::int32_t byteacmp(std::string_view a, std::string_view b) { return order(a, b); }

std::int32_t byteaoctetlen(std::string_view v) { return static_cast<std::int32_t>(v.size()); }
std::int32_t bytea_bit_length(std::string_view v) {
  std::size_t bits = v.size() * 8;
  if (bits > std::numeric_limits<std::int32_t>::max()) throw_out_of_range<std::int32_t>();
  return static_cast<std::int32_t>(bits);
}
std::int64_t bytea_bit_count(std::string_view v) {
  std::int64_t n = 0;
  for (char c : v) n += std::popcount(static_cast<unsigned char>(c));
  return n;
}
Datum byteacat(FunctionCall& call) {
  std::string_view a = call.text(0);
  std::string_view b = call.text(1);
  NewText result(call, a.size() + b.size());
  std::memcpy(result.data, a.data(), a.size());
  std::memcpy(result.data + a.size(), b.data(), b.size());
  return result.datum();
}

std::string_view substring(std::string_view v, std::int32_t start, std::int64_t length) {
  std::int64_t end = std::min<std::int64_t>(start + length, static_cast<std::int64_t>(v.size()) + 1);
  std::int64_t first = std::max<std::int64_t>(start, 1);
  return end <= first ? std::string_view() : v.substr(static_cast<std::size_t>(first - 1), static_cast<std::size_t>(end - first));
}
[[noreturn]] void throw_negative_length() { throw SqlError(sqlstate::substring_error, "negative substring length not allowed"); }
std::string_view bytea_substr(std::string_view v, std::int32_t start, std::int32_t length) {
  if (length < 0) throw_negative_length();
  return substring(v, start, length);
}
std::string_view bytea_substr_no_len(std::string_view v, std::int32_t start) {
  return substring(v, start, std::int64_t{std::numeric_limits<std::int32_t>::max()} * 2);
}
std::string byteaoverlay(std::string_view v, std::string_view with, std::int32_t start, std::int32_t length) {
  if (start <= 0) throw_negative_length();
  std::int32_t after;
  if (__builtin_add_overflow(start, length, &after)) throw_out_of_range<std::int32_t>();
  return std::string(substring(v, 1, start - 1)).append(with).append(bytea_substr_no_len(v, after));
}
std::string byteaoverlay_no_len(std::string_view v, std::string_view with, std::int32_t start) {
  return byteaoverlay(v, with, start, static_cast<std::int32_t>(with.size()));
}
std::int32_t byteapos(std::string_view v, std::string_view part) {
  std::size_t at = v.find(part);
  return at == std::string_view::npos ? 0 : static_cast<std::int32_t>(at) + 1;
}

std::string_view trim(std::string_view v, std::string_view set, bool left, bool right) {
  while (left && !v.empty() && set.find(v.front()) != std::string_view::npos) v.remove_prefix(1);
  while (right && !v.empty() && set.find(v.back()) != std::string_view::npos) v.remove_suffix(1);
  return v;
}
std::string_view byteatrim(std::string_view v, std::string_view set) { return trim(v, set, true, true); }
std::string_view bytealtrim(std::string_view v, std::string_view set) { return trim(v, set, true, false); }
std::string_view byteartrim(std::string_view v, std::string_view set) { return trim(v, set, false, true); }

std::size_t check_index(std::int64_t index, std::int64_t count) {
  if (index < 0 || index >= count) {
    throw SqlError(sqlstate::array_subscript_error, "index {} out of valid range, 0..{}", index, count - 1);
  }
  return static_cast<std::size_t>(index);
}
std::int64_t bits_of(std::string_view v) { return static_cast<std::int64_t>(v.size()) * 8; }
std::int32_t get_byte(std::string_view v, std::int32_t index) {
  return static_cast<unsigned char>(v[check_index(index, static_cast<std::int64_t>(v.size()))]);
}
std::int32_t get_bit(std::string_view v, std::int64_t index) {
  std::size_t i = check_index(index, bits_of(v));
  return static_cast<unsigned char>(v[i / 8]) >> (i % 8) & 1;
}
std::string set_byte(std::string_view v, std::int32_t index, std::int32_t value) {
  std::size_t i = check_index(index, static_cast<std::int64_t>(v.size()));
  std::string result(v);
  result[i] = static_cast<char>(value);
  return result;
}
std::string set_bit(std::string_view v, std::int64_t index, std::int32_t value) {
  std::size_t i = check_index(index, bits_of(v));
  if (value != 0 && value != 1) throw_invalid_parameter("new bit must be 0 or 1");
  std::string result(v);
  auto mask = static_cast<char>(1 << (i % 8));
  result[i / 8] = static_cast<char>(value == 1 ? result[i / 8] | mask : result[i / 8] & ~mask);
  return result;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1244}, fn<byteain>},
    {Oid{31}, fn<byteaout>},
    {Oid{2412}, fn<bytearecv>},
    {Oid{2413}, fn<byteasend>},
    {Oid{1948}, fn<byteaeq>},
    {Oid{1953}, fn<byteane>},
    {Oid{1949}, fn<bytealt>},
    {Oid{1950}, fn<byteale>},
    {Oid{1951}, fn<byteagt>},
    {Oid{1952}, fn<byteage>},
    {Oid{1954}, fn<byteacmp>},
    {Oid{720}, fn<byteaoctetlen>},
    {Oid{2010}, fn<byteaoctetlen>},
    {Oid{1810}, fn<bytea_bit_length>},
    {Oid{6163}, fn<bytea_bit_count>},
    {Oid{2011}, fn<byteacat>},
    {Oid{2012}, fn<bytea_substr>},
    {Oid{2085}, fn<bytea_substr>},
    {Oid{2013}, fn<bytea_substr_no_len>},
    {Oid{2086}, fn<bytea_substr_no_len>},
    {Oid{749}, fn<byteaoverlay>},
    {Oid{752}, fn<byteaoverlay_no_len>},
    {Oid{2014}, fn<byteapos>},
    {Oid{2015}, fn<byteatrim>},
    {Oid{6195}, fn<bytealtrim>},
    {Oid{6196}, fn<byteartrim>},
    {Oid{721}, fn<get_byte>},
    {Oid{723}, fn<get_bit>},
    {Oid{722}, fn<set_byte>},
    {Oid{724}, fn<set_bit>},
};

}  // namespace

std::span<const BuiltinFunction> bytea_functions() { return kTable; }

}  // namespace hathi::types
