// Texts of inet and cidr.

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

#include "network_value.h"
#include "parse.h"

namespace hathi::types {

namespace {

// Digits up to a limit; nullopt when there are none or the number is too large.
std::optional<int> read_number(std::string_view& text, int limit) {
  std::size_t used = 0;
  int value = 0;
  while (used < text.size() && is_digit(text[used])) {
    value = value * 10 + (text[used++] - '0');
    if (value > limit) return std::nullopt;
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return value;
}

// The mask of a cidr that does not name one goes by the old classes of networks.
int class_bits(std::uint8_t first, int octets) {
  int bits = first >= 240 ? 32 : first >= 224 ? 4 : first >= 192 ? 24 : first >= 128 ? 16 : 8;
  return std::max(bits, octets * 8);
}

std::optional<NetworkAddress> parse_v4(std::string_view text, bool is_cidr) {
  NetworkAddress a;
  int octets = 0;
  for (;;) {
    std::optional<int> octet = read_number(text, 255);
    if (!octet || octets == 4) return std::nullopt;
    a.bytes[octets++] = static_cast<std::uint8_t>(*octet);
    if (text.empty() || text[0] != '.') break;
    text.remove_prefix(1);
  }
  if (octets < 4 && !is_cidr) return std::nullopt;
  if (!text.empty()) {
    if (text[0] != '/') return std::nullopt;
    text.remove_prefix(1);
    std::optional<int> bits = read_number(text, 32);
    if (!bits || !text.empty()) return std::nullopt;
    a.bits = static_cast<std::uint8_t>(*bits);
  } else if (octets < 4 || is_cidr) {
    a.bits = static_cast<std::uint8_t>(octets == 4 ? 32 : class_bits(a.bytes[0], octets));
  }
  return a;
}

std::optional<NetworkAddress> parse_v6(std::string_view text) {
  NetworkAddress a;
  a.family = 3;
  a.bits = 128;
  std::size_t slash = text.find('/');
  std::string address(text.substr(0, slash));
  in6_addr parsed{};
  if (inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return std::nullopt;
  std::memcpy(a.bytes, &parsed, 16);
  if (slash == std::string_view::npos) return a;
  std::string_view rest = text.substr(slash + 1);
  std::optional<int> bits = read_number(rest, 128);
  if (!bits || !rest.empty()) return std::nullopt;
  a.bits = static_cast<std::uint8_t>(*bits);
  return a;
}

}  // namespace

std::optional<NetworkAddress> parse_network(std::string_view text, bool is_cidr) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  return text.find(':') == std::string_view::npos ? parse_v4(text, is_cidr) : parse_v6(text);
}

std::string address_text(const NetworkAddress& a) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(a.family == 2 ? AF_INET : AF_INET6, a.bytes, text, sizeof text);
  return text;
}

}  // namespace hathi::types
