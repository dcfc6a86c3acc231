// The keyword table: a hash of a word's first characters and length finds its token.

#include <cstring>

#include "hathi/parser/parser.h"
#include "token.h"

namespace hathi::parser {

namespace {

constexpr Keyword kKeywords[] = {
#define HATHI_KEYWORD(word, category, bare) {#word, category, bare},
#include "keyword_list.h"
#undef HATHI_KEYWORD
};
constexpr std::size_t kKeywordCount = std::size(kKeywords);
constexpr int kFirst = index_of(Tok::first_keyword);
static_assert(index_of(Tok::kw_abort) == kFirst);
static_assert(kFirst + static_cast<int>(kKeywordCount) == kTokenCount);

constexpr std::size_t kSlots = 2048;
constexpr std::size_t kMaxLength = 17;  // current_timestamp

constexpr std::uint32_t hash_word(const char* w, std::size_t n) {
  std::uint32_t h = static_cast<std::uint32_t>(n) * 0x9E3779B1u;
  h = (h ^ static_cast<unsigned char>(w[0])) * 0x85EBCA6Bu;
  h = (h ^ static_cast<unsigned char>(w[n / 2])) * 0xC2B2AE35u;
  h = (h ^ static_cast<unsigned char>(w[n - 1])) * 0x27D4EB2Fu;
  h = (h ^ static_cast<unsigned char>(w[1])) * 0x165667B1u;
  h = (h ^ static_cast<unsigned char>(w[n > 2 ? n - 2 : 0])) * 0x9E3779B1u;
  return (h ^ (h >> 15)) % kSlots;
}

constexpr std::array<std::uint16_t, kSlots> build_table() {
  std::array<std::uint16_t, kSlots> table{};
  for (std::size_t i = 0; i < kKeywordCount; ++i) {
    std::size_t slot = hash_word(kKeywords[i].word.data(), kKeywords[i].word.size());
    while (table[slot] != 0) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<std::uint16_t>(i + 1);
  }
  return table;
}
constexpr std::array<std::uint16_t, kSlots> kTable = build_table();

constexpr std::array<std::uint8_t, kTokenCount> build_flags() {
  std::array<std::uint8_t, kTokenCount> flags{};
  flags[static_cast<std::size_t>(Tok::identifier)] = kMayBeColumn | kMayBeFunction | kMayBeLabel | kMayBeBareLabel | kMayBeWord;
  for (std::size_t i = 0; i < kKeywordCount; ++i) {
    std::uint8_t f = kMayBeLabel;
    switch (kKeywords[i].category) {
      case 'U': f |= kMayBeColumn | kMayBeFunction | kMayBeWord; break;
      case 'C': f |= kMayBeColumn | kMayBeWord; break;
      case 'T': f |= kMayBeFunction | kMayBeWord; break;
      default: f |= kReserved; break;
    }
    if (kKeywords[i].bare_label) f |= kMayBeBareLabel;
    flags[static_cast<std::size_t>(kFirst) + i] = f;
  }
  return flags;
}

}  // namespace

const std::array<std::uint8_t, kTokenCount> kTokenFlags = build_flags();

Tok find_keyword(const char* word, std::size_t length) {
  if (length < 2 || length > kMaxLength) return Tok::identifier;
  for (std::size_t slot = hash_word(word, length); kTable[slot] != 0; slot = (slot + 1) % kSlots) {
    const Keyword& k = kKeywords[kTable[slot] - 1u];
    if (k.word.size() == length && std::memcmp(k.word.data(), word, length) == 0) { return static_cast<Tok>(kFirst + kTable[slot] - 1); }
  }
  return Tok::identifier;
}

std::string_view keyword_text(Tok t) {
  return index_of(t) >= kFirst && t < Tok::token_count ? kKeywords[index_of(t) - kFirst].word : std::string_view();
}

std::span<const Keyword> keywords() { return kKeywords; }

}  // namespace hathi::parser
