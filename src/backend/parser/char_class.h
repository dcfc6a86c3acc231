#pragma once
// Character classes of the lexer, one byte a character.

#include <array>
#include <cstdint>

namespace hathi::parser {

inline constexpr std::uint8_t kSpace = 1, kIdentStart = 2, kDigit = 4, kOperatorChar = 8, kIdentPart = 16, kSelf = 32, kUpper = 64;

constexpr std::array<std::uint8_t, 256> build_char_classes() {
  std::array<std::uint8_t, 256> table{};
  for (char c : {' ', '\t', '\n', '\r', '\f'}) table[static_cast<unsigned char>(c)] |= kSpace;
  for (int c = 'a'; c <= 'z'; ++c) table[c] |= kIdentStart | kIdentPart;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] |= kIdentStart | kIdentPart | kUpper;
  for (int c = 128; c < 256; ++c) table[c] |= kIdentStart | kIdentPart;
  table['_'] |= kIdentStart | kIdentPart;
  for (int c = '0'; c <= '9'; ++c) table[c] |= kDigit | kIdentPart;
  table['$'] |= kIdentPart;
  for (char c : {'~', '!', '@', '#', '^', '&', '|', '`', '?', '+', '-', '*', '/', '%', '<', '>', '='})
    table[static_cast<unsigned char>(c)] |= kOperatorChar;
  for (char c : {',', '(', ')', '[', ']', '.', ';', ':', '+', '-', '*', '/', '%', '^', '<', '>', '='})
    table[static_cast<unsigned char>(c)] |= kSelf;
  return table;
}
inline constexpr std::array<std::uint8_t, 256> kCharClass = build_char_classes();
inline bool is_class(char c, std::uint8_t mask) { return (kCharClass[static_cast<unsigned char>(c)] & mask) != 0; }

}  // namespace hathi::parser
