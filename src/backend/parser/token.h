#pragma once
// The lexer's tokens.

#include <array>
#include <cstdint>
#include <string_view>

namespace hathi::parser {

// Punctuation is its own character; keywords follow in the order of keyword_list.h as kw_<word>.
enum class Tok : std::uint16_t {
  end = 0,
  percent = '%',
  left_paren = '(',
  right_paren = ')',
  star = '*',
  plus = '+',
  comma = ',',
  minus = '-',
  dot = '.',
  slash = '/',
  colon = ':',
  semicolon = ';',
  less = '<',
  equal = '=',
  greater = '>',
  left_bracket = '[',
  right_bracket = ']',
  caret = '^',
  identifier = 128,
  integer,  // fits int32
  number,
  string,
  bit_string,       // text begins with b or x
  national_string,  // never seen by the parser: N'…' is kw_nchar, then a string
  parameter,
  op,         // an operator without a token of its own
  type_cast,  // ::
  dot_dot,
  colon_equals,
  equals_greater,
  less_equals,
  greater_equals,
  not_equals,  // <> and !=
  unicode_identifier,
  unicode_string,  // U&"…" and U&'…' before their escapes are resolved; never seen by the parser
  not_la,          // NOT before BETWEEN, IN, LIKE, ILIKE, SIMILAR
  nulls_la,        // NULLS before FIRST, LAST
  with_la,         // WITH before TIME, ORDINALITY
  lexical_error,   // no token; its error is thrown when the parser finds that it cannot go on here
  invalid,         // a byte no token begins with
  first_keyword = 160,
  before_keywords = 159,
#define HATHI_KEYWORD(word, category, bare) kw_##word,
#include "keyword_list.h"
#undef HATHI_KEYWORD
  token_count,
};

inline constexpr int kTokenCount = static_cast<int>(Tok::token_count);
constexpr int index_of(Tok t) { return static_cast<int>(t); }
constexpr Tok token_of(char c) { return static_cast<Tok>(static_cast<unsigned char>(c)); }

struct Token {
  Tok kind = Tok::end;
  int start = 0;  // bytes [start, end) of the text
  int end = 0;
  std::int32_t integer = 0;  // of integer and parameter
  std::string_view text;     // the value: folded identifier, keyword, resolved string, digits, operator
};

// What a token may serve as.
inline constexpr std::uint8_t kMayBeColumn = 1;     // ColId: identifier, unreserved, column-name keyword
inline constexpr std::uint8_t kMayBeFunction = 2;   // type_function_name: identifier, unreserved, type/function keyword
inline constexpr std::uint8_t kMayBeLabel = 4;      // ColLabel: identifier, any keyword
inline constexpr std::uint8_t kMayBeBareLabel = 8;  // a column label without AS
inline constexpr std::uint8_t kMayBeWord = 16;      // NonReservedWord: anything but a reserved keyword
inline constexpr std::uint8_t kReserved = 32;

extern const std::array<std::uint8_t, kTokenCount> kTokenFlags;
inline bool has_flag(Tok t, std::uint8_t flag) { return (kTokenFlags[static_cast<std::size_t>(t)] & flag) != 0; }

// The keyword token of a word in lower case, Tok::identifier if it is none.
Tok find_keyword(const char* word, std::size_t length);
// The word of a keyword token.
std::string_view keyword_text(Tok t);

}  // namespace hathi::parser
