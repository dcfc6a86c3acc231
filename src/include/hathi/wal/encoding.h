#pragma once
// How numbers and byte strings stand inside WAL records.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
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

// A growing run of bytes that hot paths write to by pointer: at = room(n); … at most n bytes …; written(at).
class ByteBuffer {
 public:
  ByteBuffer() = default;
  ~ByteBuffer() { std::free(start_); }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  std::byte* room(std::size_t n) {
    if (static_cast<std::size_t>(limit_ - end_) < n) grow(n);
    return end_;
  }
  void written(std::byte* at) { end_ = at; }
  void append(std::span<const std::byte> bytes) {
    std::byte* at = room(bytes.size());
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    end_ = at + bytes.size();
  }
  void varint(std::uint64_t value) { end_ = write_varint(room(kMaxVarint), value); }
  void byte(std::byte b) { *room(1) = b; ++end_; }
  // Leaves n unused bytes at the start and forgets the rest.
  void reset(std::size_t n = 0) { room(0); end_ = start_; end_ = room(n) + n; }
  std::byte* data() { return start_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - start_); }
  bool empty() const { return end_ == start_; }
  std::span<const std::byte> bytes() const { return {start_, size()}; }
  // Gives memory back when more than `keep` bytes are allocated. Contents are lost.
  void trim(std::size_t keep) {
    if (static_cast<std::size_t>(limit_ - start_) <= keep) return;
    std::free(start_);
    start_ = end_ = limit_ = nullptr;
  }

 private:
  void grow(std::size_t n) {
    std::size_t used = size(), wanted = std::max<std::size_t>({256, used + n, 2 * static_cast<std::size_t>(limit_ - start_)});
    auto p = static_cast<std::byte*>(std::realloc(start_, wanted));
    if (p == nullptr) throw std::bad_alloc();
    start_ = p;
    end_ = p + used;
    limit_ = p + wanted;
  }
  std::byte* start_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* limit_ = nullptr;
};

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
