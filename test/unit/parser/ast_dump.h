#pragma once
// A syntax tree as text: (kind field=value …), without locations and without fields that have their initial value.

#include <string>

#include "hathi/parser/ast.h"

namespace hathi::parser {

std::string dump(const Node* node);

}  // namespace hathi::parser
