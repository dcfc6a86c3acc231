#pragma once
// What the session's settings mean to the lexer.

#include "hathi/parser/parser.h"

namespace hathi::session {

parser::ParseOptions parse_options();

}  // namespace hathi::session
