// Character sets by number and name.

#include <array>
#include <string>

#include "hathi/catalog/lookup.h"
#include "hathi/config/session_settings.h"
#include "src/backend/catalog/functions.h"

namespace hathi::catalog {

namespace {

struct Encoding { std::string_view name; int max_length; };
// [PostgreSQL's number]
constexpr std::array<Encoding, 42> kEncodings{{
    {"SQL_ASCII", 1}, {"EUC_JP", 3}, {"EUC_CN", 3}, {"EUC_KR", 3}, {"EUC_TW", 4}, {"EUC_JIS_2004", 3}, {"UTF8", 4}, {"MULE_INTERNAL", 4},
    {"LATIN1", 1}, {"LATIN2", 1}, {"LATIN3", 1}, {"LATIN4", 1}, {"LATIN5", 1}, {"LATIN6", 1}, {"LATIN7", 1}, {"LATIN8", 1}, {"LATIN9", 1},
    {"LATIN10", 1}, {"WIN1256", 1}, {"WIN1258", 1}, {"WIN866", 1}, {"WIN874", 1}, {"KOI8R", 1}, {"WIN1251", 1}, {"WIN1252", 1},
    {"ISO_8859_5", 1}, {"ISO_8859_6", 1}, {"ISO_8859_7", 1}, {"ISO_8859_8", 1}, {"WIN1250", 1}, {"WIN1253", 1}, {"WIN1254", 1}, {"WIN1255", 1},
    {"WIN1257", 1}, {"KOI8U", 1}, {"SJIS", 2}, {"BIG5", 2}, {"GBK", 2}, {"UHC", 2}, {"GB18030", 4}, {"JOHAB", 3}, {"SHIFT_JIS_2004", 2}}};

// Other spellings, cleaned as clean_name() does.
struct Alias { std::string_view name; int encoding; };
constexpr Alias kAliases[] = {{"unicode", 6}, {"alt", 20}, {"abc", 19}, {"koi8", 22}, {"mskanji", 35}, {"shiftjis", 35}, {"tcvn", 19}, {"tcvn5712", 19},
                              {"vscii", 19}, {"win", 23}, {"win932", 35}, {"win936", 37}, {"win949", 38}, {"win950", 36}, {"windows1250", 29},
                              {"windows1251", 23}, {"windows1252", 24}, {"windows1253", 30}, {"windows1254", 31}, {"windows1255", 32},
                              {"windows1256", 18}, {"windows1257", 33}, {"windows1258", 19}, {"windows866", 20}, {"windows874", 21},
                              {"windows932", 35}, {"windows936", 37}, {"windows949", 38}, {"windows950", 36}, {"iso88591", 8}, {"iso88592", 9},
                              {"iso88593", 10}, {"iso88594", 11}, {"iso88599", 12}, {"iso885910", 13}, {"iso885913", 14}, {"iso885914", 15},
                              {"iso885915", 16}, {"iso885916", 17}, {"eucjis2004", 5}};

int current_encoding = 6;

// Letters and digits only, in lower case.
std::string clean_name(std::string_view name) {
  std::string clean;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') clean += static_cast<char>(c + 32);
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) clean += c;
  }
  return clean;
}

Datum char_to_encoding(FunctionCall& call) { return Datum::of(static_cast<std::int32_t>(encoding_by_name(name_text(call.arg(0))))); }
Datum encoding_to_char(FunctionCall& call) { return name_result(call, encoding_name(call.arg(0).as_int32())); }
Datum database_encoding_name(FunctionCall& call) { return name_result(call, encoding_name(database_encoding())); }
Datum client_encoding_name(FunctionCall& call) { return name_result(call, encoding_name(config::values::client_encoding)); }
Datum max_length(FunctionCall& call) {
  int encoding = call.arg(0).as_int32();
  if (encoding < 0 || encoding >= static_cast<int>(kEncodings.size())) return call.null();
  return Datum::of(static_cast<std::int32_t>(kEncodings[static_cast<std::size_t>(encoding)].max_length));
}

constexpr BuiltinFunction kFunctions[] = {{Oid{1264}, char_to_encoding}, {Oid{1597}, encoding_to_char}, {Oid{1039}, database_encoding_name},
                                          {Oid{810}, client_encoding_name}, {Oid{2319}, max_length}};

}  // namespace

int database_encoding() { return current_encoding; }
void set_database_encoding(int encoding) { current_encoding = encoding; }

int encoding_by_name(std::string_view name) {
  std::string clean = clean_name(name);
  for (std::size_t i = 0; i < kEncodings.size(); ++i) {
    if (clean_name(kEncodings[i].name) == clean) return static_cast<int>(i);
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == clean) return alias.encoding;
  }
  return -1;
}

std::string_view encoding_name(int encoding) {
  return encoding < 0 || encoding >= static_cast<int>(kEncodings.size()) ? std::string_view() : kEncodings[static_cast<std::size_t>(encoding)].name;
}

std::span<const BuiltinFunction> encoding_functions() { return kFunctions; }

}  // namespace hathi::catalog
