#pragma once
// The value that SET gives a setting, as text.

#include <string>

#include "hathi/parser/ast_statement.h"

namespace hathi::ddl {

// The arguments of SET name = … as one text: lists are quoted and joined when the setting takes a list, else 22023.
std::string setting_value_text(const parser::VariableSetStatement& statement);

}  // namespace hathi::ddl
