#pragma once
// UTF-8, the server's encoding. Texts inside the server are valid UTF-8 without NUL: input is checked where it comes in.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hathi::utf8 {

constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// Bytes of the character that starts with c (1 for bytes that start none).
constexpr std::size_t width(char c) {
  auto b = static_cast<unsigned char>(c);
  return b < 0x80 ? 1 : (b & 0xE0) == 0xC0 ? 2 : (b & 0xF0) == 0xE0 ? 3 : (b & 0xF8) == 0xF0 ? 4 : 1;
}
// As width(), but never beyond the end of a text of which `left` bytes remain.
constexpr std::size_t width(char c, std::size_t left) {
  std::size_t w = width(c);
  return w < left ? w : left;
}
// Number of characters.
std::size_t length(std::string_view text);
// Byte offset of character n (0-based), or text.size() when there are fewer.
std::size_t offset_of(std::string_view text, std::size_t n);
// The code point that starts at p; the text must be valid.
std::uint32_t decode(const char* p);
// Writes code point c; returns the number of bytes (1..4).
std::size_t encode(std::uint32_t c, char* p);
void append(std::string& to, std::uint32_t c);
// Bytes of the longest prefix of at most `limit` bytes that ends on a character border.
std::size_t clip(std::string_view text, std::size_t limit);

// The offset of the first byte that is not valid UTF-8 (or is NUL), or npos.
std::size_t find_invalid(std::string_view text);
// Throws 22021 `invalid byte sequence for encoding "UTF8": 0x…` when the text is not valid.
void verify(std::string_view text);
[[noreturn]] void throw_invalid(std::string_view text, std::size_t offset);

}  // namespace hathi::utf8
