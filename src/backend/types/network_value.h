#pragma once
// Values of types inet and cidr.

#include <cstdint>
#include <string>
#include <string_view>

#include "adapter.h"

namespace hathi::types {

// On disk: family (2 = IPv4, 3 = IPv6), length of the mask, then 4 or 16 bytes of address.
struct NetworkAddress {
  std::uint8_t family = 2;
  std::uint8_t bits = 32;
  std::uint8_t bytes[16] = {};

  int size() const { return family == 2 ? 4 : 16; }
  int max_bits() const { return size() * 8; }
  std::string_view image() const { return {reinterpret_cast<const char*>(this), static_cast<std::size_t>(size()) + 2}; }
};

// nullopt when the text is none; is_cidr: cidr's rules (fewer octets, mask by class), without its check of the host bits.
std::optional<NetworkAddress> parse_network(std::string_view text, bool is_cidr);
// "192.168.1.5", without the mask.
std::string address_text(const NetworkAddress& a);

namespace adapter {
template <> struct Codec<NetworkAddress> {
  static NetworkAddress get(FunctionCall& call, int i) {
    std::string_view image = call.text(i);
    NetworkAddress a;
    if (image.size() < 6 || image.size() > sizeof a) throw SqlError(sqlstate::data_corrupted, "invalid value of type inet");
    std::memcpy(static_cast<void*>(&a), image.data(), image.size());
    return a;
  }
  static Datum put(FunctionCall& call, const NetworkAddress& a) { return varlena::make(call.arena(), a.image()); }
};
}  // namespace adapter

}  // namespace hathi::types
