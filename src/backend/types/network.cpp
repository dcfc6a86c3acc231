// Types inet and cidr.

#include <algorithm>

#include "errors.h"
#include "hathi/types/binary.h"
#include "hathi/types/hash.h"
#include "network_value.h"
#include "tables.h"

namespace hathi::types {

namespace {

using N = NetworkAddress;

bool bit(const N& a, int i) { return (a.bytes[i / 8] >> (7 - i % 8) & 1) != 0; }

// Everything right of the first `bits` becomes 0 or 1.
void fill_host(N& a, int bits, bool ones) {
  for (int i = 0; i < a.size(); ++i) {
    int kept = std::clamp(bits - i * 8, 0, 8);
    auto mask = static_cast<std::uint8_t>(0xFF00u >> kept);
    a.bytes[i] = static_cast<std::uint8_t>(ones ? a.bytes[i] | static_cast<std::uint8_t>(~mask) : a.bytes[i] & mask);
  }
}

bool has_host_bits(const N& a) {
  N network = a;
  fill_host(network, a.bits, false);
  return std::memcmp(network.bytes, a.bytes, 16) != 0;
}

// The first `bits` of both.
int compare_bits(const N& a, const N& b, int bits) {
  int whole = bits / 8;
  if (int order = std::memcmp(a.bytes, b.bytes, static_cast<std::size_t>(whole)); order != 0) return order < 0 ? -1 : 1;
  for (int i = whole * 8; i < bits; ++i) {
    if (bit(a, i) != bit(b, i)) return bit(a, i) ? 1 : -1;
  }
  return 0;
}

// --- text and binary ----------------------------------------------------------------------------------------------------------
N inet_in(CString text) {
  std::optional<N> a = parse_network(text.view(), false);
  if (!a) throw_invalid_syntax("inet", text.view());
  return *a;
}

N cidr_in(CString text) {
  std::optional<N> a = parse_network(text.view(), true);
  if (!a) throw_invalid_syntax("cidr", text.view());
  if (has_host_bits(*a)) {
    throw SqlError(sqlstate::invalid_text_representation, "invalid cidr value: \"{}\"", text.view()).detail("Value has bits set to right of mask.");
  }
  return *a;
}

std::string with_mask(const N& a) { return fmt::format("{}/{}", address_text(a), a.bits); }
std::string short_text(const N& a) { return a.bits == a.max_bits() ? address_text(a) : with_mask(a); }
CString inet_out(FunctionCall& call, const N& a) { return make_cstring(call, short_text(a)); }
CString cidr_out(FunctionCall& call, const N& a) { return make_cstring(call, with_mask(a)); }

N receive(FunctionCall& call, std::string_view type) {
  auto& reader = *const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>());
  N a;
  a.family = reader.integer<std::uint8_t>();
  if (a.family != 2 && a.family != 3) throw SqlError(sqlstate::invalid_binary_representation, "invalid address family in external \"{}\" value", type);
  a.bits = reader.integer<std::uint8_t>();
  if (a.bits > a.max_bits()) throw SqlError(sqlstate::invalid_binary_representation, "invalid bits in external \"{}\" value", type);
  reader.integer<std::uint8_t>();   // says whether it is a cidr; not looked at
  if (reader.integer<std::uint8_t>() != a.size()) throw SqlError(sqlstate::invalid_binary_representation, "invalid length in external \"{}\" value", type);
  std::string_view bytes = reader.bytes(static_cast<std::size_t>(a.size()));
  std::memcpy(a.bytes, bytes.data(), bytes.size());
  return a;
}
N inet_recv(FunctionCall& call, Datum) { return receive(call, "inet"); }
N cidr_recv(FunctionCall& call, Datum) {
  N a = receive(call, "cidr");
  if (has_host_bits(a)) {
    throw SqlError(sqlstate::invalid_binary_representation, "invalid external \"cidr\" value").detail("Value has bits set to right of mask.");
  }
  return a;
}

template <bool IsCidr>
std::string send(const N& a) {
  std::string out{static_cast<char>(a.family), static_cast<char>(a.bits), IsCidr ? '\1' : '\0', static_cast<char>(a.size())};
  return out.append(reinterpret_cast<const char*>(a.bytes), static_cast<std::size_t>(a.size()));
}

// --- order and equality --------------------------------------------------------------------------------------------------------
std::int32_t compare(const N& a, const N& b) {
  if (a.family != b.family) return a.family < b.family ? -1 : 1;
  if (int order = compare_bits(a, b, std::min(a.bits, b.bits)); order != 0) return order;
  if (a.bits != b.bits) return a.bits < b.bits ? -1 : 1;
  return compare_bits(a, b, a.max_bits());
}
bool equal(const N& a, const N& b) { return compare(a, b) == 0; }
bool not_equal(const N& a, const N& b) { return compare(a, b) != 0; }
bool less(const N& a, const N& b) { return compare(a, b) < 0; }
bool less_equal(const N& a, const N& b) { return compare(a, b) <= 0; }
bool greater(const N& a, const N& b) { return compare(a, b) > 0; }
bool greater_equal(const N& a, const N& b) { return compare(a, b) >= 0; }
N larger(const N& a, const N& b) { return compare(a, b) > 0 ? a : b; }
N smaller(const N& a, const N& b) { return compare(a, b) < 0 ? a : b; }
std::int32_t hash(const N& a) { return static_cast<std::int32_t>(hash_bytes(a.image())); }
std::int64_t hash_extended(const N& a, std::int64_t seed) {
  return static_cast<std::int64_t>(hash_bytes_extended(a.image(), static_cast<std::uint64_t>(seed)));
}

// --- containment ----------------------------------------------------------------------------------------------------------------
bool within(const N& a, const N& b, bool strict) {
  return a.family == b.family && (strict ? a.bits > b.bits : a.bits >= b.bits) && compare_bits(a, b, b.bits) == 0;
}
bool sub(const N& a, const N& b) { return within(a, b, true); }
bool sub_or_equal(const N& a, const N& b) { return within(a, b, false); }
bool super(const N& a, const N& b) { return within(b, a, true); }
bool super_or_equal(const N& a, const N& b) { return within(b, a, false); }
bool overlap(const N& a, const N& b) { return a.family == b.family && compare_bits(a, b, std::min(a.bits, b.bits)) == 0; }
bool same_family(const N& a, const N& b) { return a.family == b.family; }

// --- parts ------------------------------------------------------------------------------------------------------------------------
std::string host(const N& a) { return address_text(a); }
std::int32_t mask_length(const N& a) { return a.bits; }
std::int32_t family(const N& a) { return a.family == 2 ? 4 : 6; }
N network(N a) {
  fill_host(a, a.bits, false);
  return a;
}
N broadcast(N a) {
  fill_host(a, a.bits, true);
  return a;
}
N net_mask(N a) {
  std::fill(std::begin(a.bytes), std::begin(a.bytes) + a.size(), std::uint8_t{0xFF});
  fill_host(a, a.bits, false);
  a.bits = static_cast<std::uint8_t>(a.max_bits());
  return a;
}
N host_mask(N a) {
  a = net_mask(a);
  for (int i = 0; i < a.size(); ++i) a.bytes[i] = static_cast<std::uint8_t>(~a.bytes[i]);
  return a;
}
N set_mask_length(N a, std::int32_t bits) {
  if (bits == -1) bits = a.max_bits();
  if (bits < 0 || bits > a.max_bits()) throw_invalid_parameter(fmt::format("invalid mask length: {}", bits));
  a.bits = static_cast<std::uint8_t>(bits);
  return a;
}
N set_cidr_length(N a, std::int32_t bits) { return network(set_mask_length(a, bits)); }
N merge(const N& a, const N& b) {
  if (a.family != b.family) throw_invalid_parameter("cannot merge addresses from different families");
  int bits = 0;
  while (bits < std::min(a.bits, b.bits) && bit(a, bits) == bit(b, bits)) ++bits;
  N out = a;
  out.bits = static_cast<std::uint8_t>(bits);
  return network(out);
}

// --- arithmetic ---------------------------------------------------------------------------------------------------------------------
N invert(N a) {
  for (int i = 0; i < a.size(); ++i) a.bytes[i] = static_cast<std::uint8_t>(~a.bytes[i]);
  return a;
}
void require_same_size(const N& a, const N& b, std::string_view word) {
  if (a.family != b.family) throw_invalid_parameter(fmt::format("cannot {} inet values of different sizes", word));
}
N both(N a, const N& b) {
  require_same_size(a, b, "AND");
  for (int i = 0; i < a.size(); ++i) a.bytes[i] &= b.bytes[i];
  a.bits = std::max(a.bits, b.bits);
  return a;
}
N either(N a, const N& b) {
  require_same_size(a, b, "OR");
  for (int i = 0; i < a.size(); ++i) a.bytes[i] |= b.bytes[i];
  a.bits = std::max(a.bits, b.bits);
  return a;
}
N add(N a, std::int64_t amount) {
  int carry = 0;
  for (int i = a.size() - 1; i >= 0; --i) {
    carry += a.bytes[i] + static_cast<int>(amount & 0xFF);
    a.bytes[i] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
    amount >>= 8;   // keeps the sign
  }
  // What is left must be all sign, and agree with the carry.
  bool fits = (amount == 0 && carry == 0) || (amount == -1 && carry == 1);
  if (!fits) throw SqlError(sqlstate::numeric_value_out_of_range, "result is out of range");
  return a;
}
N subtract(const N& a, std::int64_t amount) {
  if (amount == INT64_MIN) throw SqlError(sqlstate::numeric_value_out_of_range, "result is out of range");
  return add(a, -amount);
}
std::int64_t distance(const N& a, const N& b) {
  if (a.family != b.family) throw_invalid_parameter("cannot subtract inet values of different sizes");
  std::uint64_t result = 0;
  int borrow = 0;
  bool fits = true;
  std::uint8_t digits[16];
  for (int i = a.size() - 1; i >= 0; --i) {
    int d = a.bytes[i] - b.bytes[i] - borrow;
    borrow = d < 0 ? 1 : 0;
    digits[i] = static_cast<std::uint8_t>(d);
  }
  auto sign = static_cast<std::uint8_t>(borrow != 0 ? 0xFF : 0);
  for (int i = 0; i < a.size(); ++i) {
    if (i < a.size() - 8) fits = fits && digits[i] == sign;
    else result = (result << 8) | digits[i];
  }
  if (a.size() == 4 && borrow != 0) result |= 0xFFFFFFFF00000000u;
  if (a.size() > 8) fits = fits && (result >> 63 != 0) == (borrow != 0);
  if (!fits) throw SqlError(sqlstate::numeric_value_out_of_range, "result is out of range");
  return static_cast<std::int64_t>(result);
}

constexpr BuiltinFunction kTable[] = {
    {Oid{910}, fn<inet_in>},
    {Oid{911}, fn<inet_out>},
    {Oid{1267}, fn<cidr_in>},
    {Oid{1427}, fn<cidr_out>},
    {Oid{2496}, fn<inet_recv>},
    {Oid{2497}, fn<send<false>>},
    {Oid{2498}, fn<cidr_recv>},
    {Oid{2499}, fn<send<true>>},
    {Oid{920}, fn<equal>},
    {Oid{921}, fn<less>},
    {Oid{922}, fn<less_equal>},
    {Oid{923}, fn<greater>},
    {Oid{924}, fn<greater_equal>},
    {Oid{925}, fn<not_equal>},
    {Oid{926}, fn<compare>},
    {Oid{3562}, fn<larger>},
    {Oid{3563}, fn<smaller>},
    {Oid{422}, fn<hash>},
    {Oid{779}, fn<hash_extended>},
    {Oid{927}, fn<sub>},
    {Oid{928}, fn<sub_or_equal>},
    {Oid{929}, fn<super>},
    {Oid{930}, fn<super_or_equal>},
    {Oid{3551}, fn<overlap>},
    {Oid{4071}, fn<same_family>},
    {Oid{4063}, fn<merge>},
    {Oid{699}, fn<host>},
    {Oid{730}, fn<with_mask>},
    {Oid{598}, fn<short_text>},
    {Oid{697}, fn<mask_length>},
    {Oid{711}, fn<family>},
    {Oid{683}, fn<network>},
    {Oid{1715}, fn<network>},
    {Oid{698}, fn<broadcast>},
    {Oid{696}, fn<net_mask>},
    {Oid{1362}, fn<host_mask>},
    {Oid{605}, fn<set_mask_length>},
    {Oid{635}, fn<set_cidr_length>},
    {Oid{2627}, fn<invert>},
    {Oid{2628}, fn<both>},
    {Oid{2629}, fn<either>},
    {Oid{2630}, fn<add>},
    {Oid{2632}, fn<subtract>},
    {Oid{2633}, fn<distance>},
};

}  // namespace

std::span<const BuiltinFunction> network_functions() { return kTable; }

}  // namespace hathi::types
