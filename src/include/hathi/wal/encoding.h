#pragma once
// How numbers and byte strings stand inside WAL records.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace hathi::wal {

// Seven bits a byte, least significant first; the top bit says that more follow.
inline std::byte* write_varint(std::byte* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::byte>(value);
  return to;
}
inline constexpr std::size_t kMaxVarint = 10;
constexpr std::size_t varint_size(std::uint64_t value) {
  std::size_t n = 1;
  while (value >= 0x80) { value >>= 7; ++n; }
  return n;
}

inline void put_varint(std::vector<std::byte>& to, std::uint64_t value) {
  std::byte buffer[kMaxVarint];
  to.insert(to.end(), buffer, write_varint(buffer, value));
}
inline void put_bytes(std::vector<std::byte>& to, std::span<const std::byte> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }
template <class T>
void put_value(std::vector<std::byte>& to, const T& value) { put_bytes(to, std::as_bytes(std::span<const T, 1>(&value, 1))); }

// Reads what the functions above wrote. Running past the end gives zeroes and makes ok() false: check it before using the values.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint8_t byte() {
    if (at_ == end_) { ok_ = false; return 0; }
    return static_cast<std::uint8_t>(*at_++);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      std::uint8_t b = byte();
      value |= static_cast<std::uint64_t>(b & 0x7F) << shift;
      if ((b & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  std::span<const std::byte> bytes(std::size_t n) {
    if (n > remaining()) { ok_ = false; return {}; }
    std::span<const std::byte> result(at_, n);
    at_ += n;
    return result;
  }
  template <class T>
  T value() {
    T v{};
    auto b = bytes(sizeof(T));
    if (b.size() == sizeof(T)) std::memcpy(&v, b.data(), sizeof(T));
    return v;
  }
  std::span<const std::byte> rest() { return bytes(remaining()); }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool ok_ = true;
};

}  // namespace hathi::wal
