#include "option_values.h"

#include "hathi/error/sql_error.h"
#include "hathi/parser/ast_expression.h"
#include "hathi/parser/parser.h"

namespace hathi::ddl {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

}  // namespace

bool option_boolean(const parser::Option& option) {
  if (option.value == nullptr) return true;
  std::string v = lower(parser::option_text(option));
  if (v == "true" || v == "on" || v == "1") return true;
  if (v == "false" || v == "off" || v == "0") return false;
  throw SqlError(sqlstate::syntax_error, "{} requires a Boolean value", option.name);
}

int option_integer(const parser::Option& option) {
  const auto* c = option.value == nullptr ? nullptr : parser::node_try<parser::Constant>(option.value);
  if (c != nullptr && c->type == parser::ConstantKind::integer) return c->integer;
  throw SqlError(sqlstate::syntax_error, "{} requires an integer value", option.name);
}

void throw_conflicting(const parser::Option& option) {
  throw SqlError(sqlstate::syntax_error, "conflicting or redundant options").at(option.location);
}

void take_option(const parser::Option*& place, const parser::Option& option) {
  if (place != nullptr) throw_conflicting(option);
  place = &option;
}

int character_position(std::string_view text, int byte_offset) {
  int position = 1;
  for (int i = 0; i < byte_offset && i < static_cast<int>(text.size()); ++i)
    position += (static_cast<unsigned char>(text[static_cast<std::size_t>(i)]) & 0xC0) != 0x80;
  return position;
}

}  // namespace hathi::ddl
