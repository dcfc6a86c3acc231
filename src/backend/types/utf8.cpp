#include "hathi/types/utf8.h"

#include <algorithm>
#include <cstring>

#include "hathi/error/sql_error.h"

namespace hathi::utf8 {

std::size_t length(std::string_view text) {
  std::size_t continuations = 0;
  for (char c : text) continuations += is_continuation(c) ? 1 : 0;
  return text.size() - continuations;
}

std::size_t offset_of(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  for (; n > 0 && i < text.size(); --n) i += width(text[i], text.size() - i);
  return i;
}

std::uint32_t decode(const char* p) {
  auto byte = [p](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])); };
  switch (width(p[0])) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

std::size_t encode(std::uint32_t c, char* p) {
  if (c < 0x80) {
    p[0] = static_cast<char>(c);
    return 1;
  }
  std::size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (std::size_t i = n - 1; i > 0; --i, c >>= 6) p[i] = static_cast<char>(0x80 | (c & 0x3F));
  p[0] = static_cast<char>((0xF00 >> n & 0xFF) | c);
  return n;
}

void append(std::string& to, std::uint32_t c) {
  char buffer[4];
  to.append(buffer, encode(c, buffer));
}

std::size_t clip(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text.size();
  while (limit > 0 && is_continuation(text[limit])) --limit;
  return limit;
}

namespace {

// Bytes of a valid character at the start of text (not empty), 0 if there is none.
std::size_t valid_width(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t n = width(text[0]);
  if (n == 1) return byte(0) != 0 && byte(0) < 0x80 ? 1 : 0;
  if (text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  std::uint32_t c = decode(text.data());
  bool shortest = n == 2 ? c >= 0x80 : n == 3 ? c >= 0x800 : c >= 0x10000;
  return shortest && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF) ? n : 0;
}

}  // namespace

std::size_t find_invalid(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Eight ASCII bytes other than NUL at a time.
    while (i + 8 <= text.size()) {
      std::uint64_t w;
      std::memcpy(&w, text.data() + i, 8);
      if (((w | (w - 0x0101010101010101ull)) & 0x8080808080808080ull) != 0) break;
      i += 8;
    }
    if (i >= text.size()) break;
    std::size_t n = valid_width(text.substr(i));
    if (n == 0) return i;
    i += n;
  }
  return std::string_view::npos;
}

void throw_invalid(std::string_view text, std::size_t offset) {
  std::size_t n = std::min(width(text[offset]), text.size() - offset);
  std::string bytes;
  for (std::size_t i = 0; i < n; ++i) {
    fmt::format_to(std::back_inserter(bytes), "{}0x{:02x}", i == 0 ? "" : " ", static_cast<unsigned>(static_cast<unsigned char>(text[offset + i])));
  }
  throw SqlError(sqlstate::character_not_in_repertoire, "invalid byte sequence for encoding \"UTF8\": {}", bytes);
}

void verify(std::string_view text) {
  std::size_t at = find_invalid(text);
  if (at != std::string_view::npos) throw_invalid(text, at);
}

}  // namespace hathi::utf8
