// Types oid, xid, xid8, cid, tid, pg_lsn, uuid.

#include <limits>

#include <fmt/format.h>
#include <openssl/rand.h>

#include "hathi/types/binary.h"
#include "hathi/types/hash.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"

namespace hathi::types {

// A tid's value is six bytes: block number, line pointer.
namespace adapter {
template <> struct Codec<TupleId> {
  static TupleId get(FunctionCall& call, int i) {
    std::uint32_t block;
    std::uint16_t offset;
    std::memcpy(&block, call.arg(i).as_pointer(), 4);
    std::memcpy(&offset, call.arg(i).as_pointer() + 4, 2);
    return {BlockNumber{block}, OffsetNumber{offset}};
  }
  static Datum put(FunctionCall& call, TupleId tid) {
    auto* p = static_cast<std::byte*>(call.arena().allocate(8, 8));
    std::uint32_t block = tid.block.value();
    std::uint16_t offset = tid.offset.value();
    std::memcpy(p, &block, 4);
    std::memcpy(p + 4, &offset, 2);
    return Datum::of(static_cast<const void*>(p));
  }
};
}  // namespace adapter

namespace {

BinaryReader& reader(FunctionCall& call) { return *const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>()); }
template <class T> Datum send_integer(FunctionCall& call, T v) {
  NewText result(call, sizeof(T));
  put_big_endian(result.data, v);
  return result.datum();
}
template <class T> T larger(T a, T b) { return a > b ? a : b; }
template <class T> T smaller(T a, T b) { return a < b ? a : b; }
template <class T> bool equal(T a, T b) { return a == b; }
template <class T> bool not_equal(T a, T b) { return a != b; }
template <class T> bool less(T a, T b) { return a < b; }
template <class T> bool less_equal(T a, T b) { return a <= b; }
template <class T> bool greater(T a, T b) { return a > b; }
template <class T> bool greater_equal(T a, T b) { return a >= b; }
template <class T> std::int32_t order(T a, T b) { return (a > b) - (a < b); }

// --- oid ------------------------------------------------------------------------------------------------------------------
std::uint32_t parse_oid(std::string_view text) {
  UnsignedScan scan = scan_unsigned(text, 10);
  if (scan.used == 0 || !trim_space(text.substr(scan.used)).empty()) throw_invalid_syntax("oid", text);
  // Negative numbers of 32 bits are taken as well.
  std::uint64_t v = scan.value;
  if (scan.overflow || (v > 0xFFFFFFFFu && v != static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v))))) {
    throw_value_out_of_range("oid", text);
  }
  return static_cast<std::uint32_t>(v);
}
Oid oidin(CString text) { return Oid{parse_oid(text.view())}; }
CString oidout(FunctionCall& call, Oid v) { return make_cstring(call, fmt::format_int(raw(v)).c_str()); }
Oid oidrecv(FunctionCall& call, Datum) { return Oid{reader(call).integer<std::uint32_t>()}; }
Datum oidsend(FunctionCall& call, Oid v) { return send_integer(call, raw(v)); }

// --- xid, cid, xid8 -------------------------------------------------------------------------------------------------------
std::uint32_t xidin(CString text) { return static_cast<std::uint32_t>(scan_unsigned(text.view(), 0).value); }
CString xidout(FunctionCall& call, std::uint32_t v) { return make_cstring(call, fmt::format_int(v).c_str()); }
std::uint32_t xidrecv(FunctionCall& call, Datum) { return reader(call).integer<std::uint32_t>(); }
std::uint64_t xid8in(CString text) { return scan_unsigned(text.view(), 0).value; }
CString xid8out(FunctionCall& call, std::uint64_t v) { return make_cstring(call, fmt::format_int(v).c_str()); }
std::uint64_t xid8recv(FunctionCall& call, Datum) { return reader(call).integer<std::uint64_t>(); }
std::uint32_t xid8toxid(std::uint64_t v) { return static_cast<std::uint32_t>(v); }

// --- tid ------------------------------------------------------------------------------------------------------------------
TupleId tidin(CString input) {
  std::string_view text = input.view();
  std::size_t open = text.find('(');
  if (open == std::string_view::npos || open != 0) throw_invalid_syntax("tid", text);
  std::string_view rest = text.substr(1);
  UnsignedScan block = scan_unsigned(rest, 10);
  if (block.used == 0 || block.used >= rest.size() || rest[block.used] != ',') throw_invalid_syntax("tid", text);
  std::uint64_t b = block.value;
  if (b > 0xFFFFFFFFu && b != static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(b)))) throw_invalid_syntax("tid", text);
  rest.remove_prefix(block.used + 1);
  UnsignedScan offset = scan_unsigned(rest, 10);
  if (offset.used == 0 || offset.used >= rest.size() || rest[offset.used] != ')' || offset.value > 0xFFFF) throw_invalid_syntax("tid", text);
  return {BlockNumber{static_cast<std::uint32_t>(b)}, OffsetNumber{static_cast<std::uint16_t>(offset.value)}};
}
CString tidout(FunctionCall& call, TupleId v) { return make_cstring(call, fmt::format("({},{})", v.block.value(), v.offset.value())); }
TupleId tidrecv(FunctionCall& call, Datum) {
  auto block = reader(call).integer<std::uint32_t>();
  return {BlockNumber{block}, OffsetNumber{reader(call).integer<std::uint16_t>()}};
}
Datum tidsend(FunctionCall& call, TupleId v) {
  NewText result(call, 6);
  put_big_endian(result.data, v.block.value());
  put_big_endian(result.data + 4, v.offset.value());
  return result.datum();
}
// The six bytes as PostgreSQL stores them: high half of the block number first.
struct TidImage {
  std::uint16_t parts[3];
  explicit TidImage(TupleId v)
      : parts{static_cast<std::uint16_t>(v.block.value() >> 16), static_cast<std::uint16_t>(v.block.value()), v.offset.value()} {}
  std::string_view view() const { return {reinterpret_cast<const char*>(parts), sizeof parts}; }
};
std::int32_t hashtid(TupleId v) { return static_cast<std::int32_t>(hash_bytes(TidImage(v).view())); }
std::int64_t hashtidextended(TupleId v, std::int64_t seed) {
  return static_cast<std::int64_t>(hash_bytes_extended(TidImage(v).view(), static_cast<std::uint64_t>(seed)));
}

// --- pg_lsn ---------------------------------------------------------------------------------------------------------------
std::uint64_t pg_lsn_in(CString input) {
  std::string_view text = input.view();
  std::uint64_t parts[2] = {};
  std::size_t i = 0;
  for (int k = 0; k < 2; ++k) {
    std::size_t start = i;
    for (; i < text.size(); ++i) {
      char c = to_lower_ascii(text[i]);
      if (!is_digit(c) && (c < 'a' || c > 'f')) break;
      parts[k] = parts[k] * 16 + static_cast<std::uint64_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    if (i == start || i - start > 8) throw_invalid_syntax("pg_lsn", text);
    if (k == 0 && (i >= text.size() || text[i++] != '/')) throw_invalid_syntax("pg_lsn", text);
  }
  if (i != text.size()) throw_invalid_syntax("pg_lsn", text);
  return parts[0] << 32 | parts[1];
}
CString pg_lsn_out(FunctionCall& call, std::uint64_t v) { return make_cstring(call, fmt::format("{:X}/{:X}", v >> 32, v & 0xFFFFFFFFu)); }
std::uint64_t pg_lsn_recv(FunctionCall& call, Datum) { return reader(call).integer<std::uint64_t>(); }
std::int32_t pg_lsn_hash(std::uint64_t v) {
  auto low = static_cast<std::uint32_t>(v);
  auto high = static_cast<std::uint32_t>(v >> 32);
  return static_cast<std::int32_t>(hash_uint32(static_cast<std::int64_t>(v) >= 0 ? low ^ high : low ^ ~high));
}
std::int64_t pg_lsn_hash_extended(std::uint64_t v, std::int64_t seed) {
  auto low = static_cast<std::uint32_t>(v);
  auto high = static_cast<std::uint32_t>(v >> 32);
  return static_cast<std::int64_t>(hash_uint32_extended(static_cast<std::int64_t>(v) >= 0 ? low ^ high : low ^ ~high, static_cast<std::uint64_t>(seed)));
}

// --- uuid -----------------------------------------------------------------------------------------------------------------
struct Uuid {
  unsigned char bytes[16];
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes), 16}; }
  bool operator==(const Uuid&) const = default;
  auto operator<=>(const Uuid& other) const { return std::memcmp(bytes, other.bytes, 16) <=> 0; }
};
int hex_digit(char c) {
  c = to_lower_ascii(c);
  return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
// 32 hexadecimal digits, a hyphen allowed after every fourth, braces round it all allowed.
Uuid uuid_in(CString input) {
  std::string_view text = input.view();
  std::string_view s = text;
  bool braces = s.starts_with('{');
  if (braces) s.remove_prefix(1);
  Uuid v{};
  std::size_t at = 0;
  for (int i = 0; i < 16; ++i) {
    if (at + 1 >= s.size() || hex_digit(s[at]) < 0 || hex_digit(s[at + 1]) < 0) throw_invalid_syntax("uuid", text);
    v.bytes[i] = static_cast<unsigned char>(hex_digit(s[at]) << 4 | hex_digit(s[at + 1]));
    at += 2;
    if (i % 2 == 1 && i < 15 && at < s.size() && s[at] == '-') ++at;
  }
  if (s.substr(at) != (braces ? "}" : "")) throw_invalid_syntax("uuid", text);
  return v;
}
CString uuid_out(FunctionCall& call, const Uuid& v) {
  char buffer[37];
  char* p = buffer;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *p++ = '-';
    *p++ = "0123456789abcdef"[v.bytes[i] >> 4];
    *p++ = "0123456789abcdef"[v.bytes[i] & 15];
  }
  return make_cstring(call, {buffer, 36});
}
Uuid uuid_recv(FunctionCall& call, Datum) {
  Uuid v;
  std::memcpy(v.bytes, reader(call).bytes(16).data(), 16);
  return v;
}
std::string_view uuid_send(const Uuid& v) { return v.view(); }
bool uuid_eq(const Uuid& a, const Uuid& b) { return a == b; }
bool uuid_ne(const Uuid& a, const Uuid& b) { return !(a == b); }
bool uuid_lt(const Uuid& a, const Uuid& b) { return a < b; }
bool uuid_le(const Uuid& a, const Uuid& b) { return a <= b; }
bool uuid_gt(const Uuid& a, const Uuid& b) { return a > b; }
bool uuid_ge(const Uuid& a, const Uuid& b) { return a >= b; }
std::int32_t uuid_cmp(const Uuid& a, const Uuid& b) { return std::memcmp(a.bytes, b.bytes, 16); }
std::int32_t uuid_hash(const Uuid& v) { return static_cast<std::int32_t>(hash_bytes(v.view())); }
std::int64_t uuid_hash_extended(const Uuid& v, std::int64_t seed) {
  return static_cast<std::int64_t>(hash_bytes_extended(v.view(), static_cast<std::uint64_t>(seed)));
}
// Version 4: 122 random bits.
Uuid gen_random_uuid() {
  Uuid v;
  if (RAND_bytes(v.bytes, 16) != 1) throw SqlError(sqlstate::internal_error, "could not generate random values");
  v.bytes[6] = static_cast<unsigned char>((v.bytes[6] & 0x0F) | 0x40);
  v.bytes[8] = static_cast<unsigned char>((v.bytes[8] & 0x3F) | 0x80);
  return v;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1798}, fn<oidin>},
    {Oid{1799}, fn<oidout>},
    {Oid{2418}, fn<oidrecv>},
    {Oid{2419}, fn<oidsend>},
    {Oid{184}, fn<equal<Oid>>},
    {Oid{185}, fn<not_equal<Oid>>},
    {Oid{716}, fn<less<Oid>>},
    {Oid{717}, fn<less_equal<Oid>>},
    {Oid{1638}, fn<greater<Oid>>},
    {Oid{1639}, fn<greater_equal<Oid>>},
    {Oid{356}, fn<order<Oid>>},
    {Oid{1965}, fn<larger<Oid>>},
    {Oid{1966}, fn<smaller<Oid>>},
    {Oid{50}, fn<xidin>},
    {Oid{51}, fn<xidout>},
    {Oid{2440}, fn<xidrecv>},
    {Oid{2441}, fn<send_integer<std::uint32_t>>},
    {Oid{68}, fn<equal<std::uint32_t>>},
    {Oid{1319}, fn<equal<std::uint32_t>>},
    {Oid{3308}, fn<not_equal<std::uint32_t>>},
    {Oid{3309}, fn<not_equal<std::uint32_t>>},
    {Oid{52}, fn<xidin>},
    {Oid{53}, fn<xidout>},
    {Oid{2442}, fn<xidrecv>},
    {Oid{2443}, fn<send_integer<std::uint32_t>>},
    {Oid{69}, fn<equal<std::uint32_t>>},
    {Oid{5070}, fn<xid8in>},
    {Oid{5081}, fn<xid8out>},
    {Oid{5082}, fn<xid8recv>},
    {Oid{5083}, fn<send_integer<std::uint64_t>>},
    {Oid{5084}, fn<equal<std::uint64_t>>},
    {Oid{5085}, fn<not_equal<std::uint64_t>>},
    {Oid{5034}, fn<less<std::uint64_t>>},
    {Oid{5036}, fn<less_equal<std::uint64_t>>},
    {Oid{5035}, fn<greater<std::uint64_t>>},
    {Oid{5037}, fn<greater_equal<std::uint64_t>>},
    {Oid{5096}, fn<order<std::uint64_t>>},
    {Oid{5097}, fn<larger<std::uint64_t>>},
    {Oid{5098}, fn<smaller<std::uint64_t>>},
    {Oid{5071}, fn<xid8toxid>},
    {Oid{48}, fn<tidin>},
    {Oid{49}, fn<tidout>},
    {Oid{2438}, fn<tidrecv>},
    {Oid{2439}, fn<tidsend>},
    {Oid{1292}, fn<equal<TupleId>>},
    {Oid{1265}, fn<not_equal<TupleId>>},
    {Oid{2791}, fn<less<TupleId>>},
    {Oid{2793}, fn<less_equal<TupleId>>},
    {Oid{2790}, fn<greater<TupleId>>},
    {Oid{2792}, fn<greater_equal<TupleId>>},
    {Oid{2794}, fn<order<TupleId>>},
    {Oid{2795}, fn<larger<TupleId>>},
    {Oid{2796}, fn<smaller<TupleId>>},
    {Oid{2233}, fn<hashtid>},
    {Oid{2234}, fn<hashtidextended>},
    {Oid{3229}, fn<pg_lsn_in>},
    {Oid{3230}, fn<pg_lsn_out>},
    {Oid{3238}, fn<pg_lsn_recv>},
    {Oid{3239}, fn<send_integer<std::uint64_t>>},
    {Oid{3233}, fn<equal<std::uint64_t>>},
    {Oid{3236}, fn<not_equal<std::uint64_t>>},
    {Oid{3231}, fn<less<std::uint64_t>>},
    {Oid{3232}, fn<less_equal<std::uint64_t>>},
    {Oid{3235}, fn<greater<std::uint64_t>>},
    {Oid{3234}, fn<greater_equal<std::uint64_t>>},
    {Oid{3251}, fn<order<std::uint64_t>>},
    {Oid{4187}, fn<larger<std::uint64_t>>},
    {Oid{4188}, fn<smaller<std::uint64_t>>},
    {Oid{3252}, fn<pg_lsn_hash>},
    {Oid{3413}, fn<pg_lsn_hash_extended>},
    {Oid{2952}, fn<uuid_in>},
    {Oid{2953}, fn<uuid_out>},
    {Oid{2961}, fn<uuid_recv>},
    {Oid{2962}, fn<uuid_send>},
    {Oid{2956}, fn<uuid_eq>},
    {Oid{2959}, fn<uuid_ne>},
    {Oid{2954}, fn<uuid_lt>},
    {Oid{2955}, fn<uuid_le>},
    {Oid{2958}, fn<uuid_gt>},
    {Oid{2957}, fn<uuid_ge>},
    {Oid{2960}, fn<uuid_cmp>},
    {Oid{2963}, fn<uuid_hash>},
    {Oid{3412}, fn<uuid_hash_extended>},
    {Oid{3432}, fn<gen_random_uuid>},
};

}  // namespace

std::span<const BuiltinFunction> id_functions() { return kTable; }

}  // namespace hathi::types
