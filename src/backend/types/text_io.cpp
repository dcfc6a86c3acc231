// Types text, varchar, bpchar, name, "char", unknown, cstring: input and output, lengths, casts among them.

#include <limits>

#include "hathi/base/builtin_oids.h"
#include "hathi/types/array.h"
#include "hathi/types/binary.h"
#include "hathi/types/utf8.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

namespace {

BinaryReader& reader(FunctionCall& call) { return *const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>()); }
std::string_view receive_text(FunctionCall& call) {
  std::string_view text = reader(call).rest();
  utf8::verify(text);
  return text;
}

// --- text, unknown, cstring -------------------------------------------------------------------------------------------
std::string_view textin(CString input) { return input.view(); }
CString textout(FunctionCall& call, std::string_view text) { return make_cstring(call, text); }
Datum textrecv(FunctionCall& call) { return varlena::make(call.arena(), receive_text(call)); }
Datum textsend(FunctionCall& call) { return Datum::of(static_cast<const void*>(varlena::readable(call.arg(0), call.arena()))); }

CString cstring_in(FunctionCall& call, CString text) { return make_cstring(call, text.view()); }
CString cstring_recv(FunctionCall& call, Datum) { return make_cstring(call, receive_text(call)); }
std::string_view cstring_send(CString text) { return text.view(); }

// --- varchar(n), character(n) ------------------------------------------------------------------------------------------
constexpr std::int32_t kHeader = 4;  // a length modifier is the length + 4

// The text cut to typmod's length. Only blanks may be cut, unless truncate_silently: 22001.
std::string_view limit_varchar(std::string_view text, std::int32_t typmod, bool truncate_silently) {
  if (typmod < kHeader) return text;
  auto limit = static_cast<std::size_t>(typmod - kHeader);
  if (text.size() <= limit) return text;
  std::size_t cut = utf8::offset_of(text, limit);
  if (!truncate_silently && text.find_first_not_of(' ', cut) != std::string_view::npos) {
    throw SqlError(sqlstate::string_data_right_truncation, "value too long for type character varying({})", limit);
  }
  return text.substr(0, cut);
}

Datum varcharin(FunctionCall& call) {
  std::string_view text = call.arg(0).as_pointer<char>();
  return varlena::make(call.arena(), limit_varchar(text, call.site->argument_count > 2 ? call.arg(2).as_int32() : -1, false));
}
Datum varcharrecv(FunctionCall& call) {
  return varlena::make(call.arena(), limit_varchar(receive_text(call), call.site->argument_count > 2 ? call.arg(2).as_int32() : -1, false));
}
Datum varchar(FunctionCall& call) {
  std::string_view text = call.text(0);
  std::string_view limited = limit_varchar(text, call.arg(1).as_int32(), call.arg(2).as_bool());
  return limited.size() == text.size() ? call.arg(0) : varlena::make(call.arena(), limited);
}

Datum pad_bpchar(FunctionCall& call, std::string_view text, std::int32_t typmod, bool truncate_silently) {
  if (typmod < kHeader) return varlena::make(call.arena(), text);
  auto limit = static_cast<std::size_t>(typmod - kHeader);
  std::size_t characters = utf8::length(text);
  if (characters > limit) {
    std::size_t cut = utf8::offset_of(text, limit);
    if (!truncate_silently && text.find_first_not_of(' ', cut) != std::string_view::npos) {
      throw SqlError(sqlstate::string_data_right_truncation, "value too long for type character({})", limit);
    }
    return varlena::make(call.arena(), text.substr(0, cut));
  }
  std::size_t blanks = limit - characters;
  NewText result(call, text.size() + blanks);
  std::memcpy(result.data, text.data(), text.size());
  std::memset(result.data + text.size(), ' ', blanks);
  return result.datum();
}

Datum bpcharin(FunctionCall& call) {
  return pad_bpchar(call, call.arg(0).as_pointer<char>(), call.site->argument_count > 2 ? call.arg(2).as_int32() : -1, false);
}
Datum bpcharrecv(FunctionCall& call) {
  return pad_bpchar(call, receive_text(call), call.site->argument_count > 2 ? call.arg(2).as_int32() : -1, false);
}
Datum bpchar(FunctionCall& call) {
  std::int32_t typmod = call.arg(1).as_int32();
  if (typmod < kHeader) return call.arg(0);
  return pad_bpchar(call, call.text(0), typmod, call.arg(2).as_bool());
}

std::string_view without_blanks(std::string_view text) {
  std::size_t last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

Datum length_modifier(FunctionCall& call, std::string_view type) {
  std::span<const std::int32_t> modifiers = type_modifiers(call);
  if (modifiers.size() != 1) throw_invalid_parameter("invalid type modifier");
  std::int32_t n = modifiers[0];
  if (n < 1) throw SqlError(sqlstate::invalid_parameter_value, "length for type {} must be at least 1", type);
  constexpr std::int32_t kMaxLength = 10 * 1024 * 1024;
  if (n > kMaxLength) throw SqlError(sqlstate::invalid_parameter_value, "length for type {} cannot exceed {}", type, kMaxLength);
  return Datum::of(n + kHeader);
}
Datum varchartypmodin(FunctionCall& call) { return length_modifier(call, "varchar"); }
Datum bpchartypmodin(FunctionCall& call) { return length_modifier(call, "char"); }
CString length_modifier_out(FunctionCall& call, std::int32_t typmod) {
  return make_cstring(call, typmod > kHeader ? fmt::format("({})", typmod - kHeader) : std::string());
}

// --- name ---------------------------------------------------------------------------------------------------------------
Name namein(CString input) { return {input.view()}; }
CString nameout(FunctionCall& call, Name name) { return make_cstring(call, name.text); }
Datum namerecv(FunctionCall& call) {
  std::string_view text = receive_text(call);
  if (text.size() >= kNameLength) {
    throw SqlError(sqlstate::name_too_long, "identifier too long").detail(fmt::format("Identifier must be less than {} characters.", kNameLength));
  }
  return make_name(call.arena(), text);
}
std::string_view namesend(Name name) { return name.text; }

std::string_view name_to_text(Name name) { return name.text; }
Name text_to_name(std::string_view text) { return {text}; }
Name bpchar_to_name(std::string_view text) { return {without_blanks(text.substr(0, utf8::clip(text, kNameLength - 1)))}; }
std::string nameconcatoid(Name name, Oid oid) {
  std::string suffix = fmt::format("_{}", raw(oid));
  return std::string(name.text.substr(0, utf8::clip(name.text, kNameLength - 1 - suffix.size()))) + suffix;
}
Datum nameconcatoid_name(FunctionCall& call) { return make_name(call.arena(), nameconcatoid({name_text(call.arg(0))}, call.arg(1).as_oid())); }

// --- "char" -------------------------------------------------------------------------------------------------------------
constexpr bool is_octal(char c) { return c >= '0' && c <= '7'; }
char parse_char(std::string_view s) {
  if (s.size() == 4 && s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && is_octal(s[2]) && is_octal(s[3])) {
    return static_cast<char>((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
  }
  return s.empty() ? '\0' : s[0];
}
std::string print_char(char c) {
  auto b = static_cast<unsigned char>(c);
  if (b >= 0x80) return fmt::format("\\{:03o}", b);
  return b == 0 ? std::string() : std::string(1, c);
}
char charin(CString input) { return parse_char(input.view()); }
CString charout(FunctionCall& call, char c) { return make_cstring(call, print_char(c)); }
char charrecv(FunctionCall& call, Datum) { return static_cast<char>(reader(call).integer<std::uint8_t>()); }
std::string charsend(char c) { return std::string(1, c); }
char text_char(std::string_view text) { return parse_char(text); }
std::string char_text(char c) { return print_char(c); }
std::int32_t chartoi4(char c) { return static_cast<signed char>(c); }
char i4tochar(std::int32_t v) {
  if (v < -128 || v > 127) throw SqlError(sqlstate::numeric_value_out_of_range, "\"char\" out of range");
  return static_cast<char>(v);
}
bool chareq(char a, char b) { return a == b; }
bool charne(char a, char b) { return a != b; }
bool charlt(char a, char b) { return static_cast<unsigned char>(a) < static_cast<unsigned char>(b); }
bool charle(char a, char b) { return !charlt(b, a); }
bool chargt(char a, char b) { return charlt(b, a); }
bool charge(char a, char b) { return !charlt(a, b); }
std::int32_t btcharcmp(char a, char b) { return static_cast<unsigned char>(a) - static_cast<unsigned char>(b); }

constexpr BuiltinFunction kTable[] = {
    {Oid{46}, fn<textin>},
    // Output only: what EXPLAIN gives.
    {Oid{322}, fn<textout>},
    {Oid{324}, fn<textsend>},
    {Oid{2894}, fn<textout>},
    {Oid{2899}, fn<textsend>},
    // Output only: pg_node_tree, and the kinds of extended statistics, of which there are none.
    {Oid{196}, fn<textout>}, {Oid{198}, fn<textsend>},
    {Oid{3356}, fn<textout>}, {Oid{3358}, fn<textsend>},
    {Oid{3405}, fn<textout>}, {Oid{3407}, fn<textsend>},
    {Oid{5019}, fn<textout>}, {Oid{5021}, fn<textsend>},
    {Oid{47}, fn<textout>},
    {Oid{2414}, fn<textrecv>},
    {Oid{2415}, fn<textsend>},
    {Oid{109}, fn<cstring_in>},
    {Oid{110}, fn<cstring_in>},
    {Oid{2416}, fn<cstring_recv>},
    {Oid{2417}, fn<cstring_send>},
    {Oid{2292}, fn<cstring_in>},
    {Oid{2293}, fn<cstring_in>},
    {Oid{2500}, fn<cstring_recv>},
    {Oid{2501}, fn<cstring_send>},
    {Oid{1046}, fn<varcharin>},
    {Oid{1047}, fn<textout>},
    {Oid{2432}, fn<varcharrecv>},
    {Oid{2433}, fn<textsend>},
    {Oid{669}, fn<varchar>},
    {Oid{2915}, fn<varchartypmodin>},
    {Oid{2916}, fn<length_modifier_out>},
    {Oid{1044}, fn<bpcharin>},
    {Oid{1045}, fn<textout>},
    {Oid{2430}, fn<bpcharrecv>},
    {Oid{2431}, fn<textsend>},
    {Oid{668}, fn<bpchar>},
    {Oid{2913}, fn<bpchartypmodin>},
    {Oid{2914}, fn<length_modifier_out>},
    {Oid{401}, fn<without_blanks>},
    {Oid{882}, fn<without_blanks>},
    {Oid{34}, fn<namein>},
    {Oid{35}, fn<nameout>},
    {Oid{2422}, fn<namerecv>},
    {Oid{2423}, fn<namesend>},
    {Oid{406}, fn<name_to_text>},
    {Oid{1401}, fn<name_to_text>},
    {Oid{408}, fn<name_to_text>},
    {Oid{407}, fn<text_to_name>},
    {Oid{1400}, fn<text_to_name>},
    {Oid{409}, fn<bpchar_to_name>},
    {Oid{266}, fn<nameconcatoid_name>},
    {Oid{1245}, fn<charin>},
    {Oid{33}, fn<charout>},
    {Oid{2434}, fn<charrecv>},
    {Oid{2435}, fn<charsend>},
    {Oid{944}, fn<text_char>},
    {Oid{946}, fn<char_text>},
    {Oid{860}, fn<char_text>},
    {Oid{77}, fn<chartoi4>},
    {Oid{78}, fn<i4tochar>},
    {Oid{61}, fn<chareq>},
    {Oid{70}, fn<charne>},
    {Oid{1246}, fn<charlt>},
    {Oid{72}, fn<charle>},
    {Oid{73}, fn<chargt>},
    {Oid{74}, fn<charge>},
    {Oid{358}, fn<btcharcmp>},
};

}  // namespace

std::span<const BuiltinFunction> text_io_functions() { return kTable; }

}  // namespace hathi::types
