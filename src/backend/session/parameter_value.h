#pragma once
// Values that a client sends with a message: of Bind's parameters, of a function call's arguments.

#include <span>
#include <string_view>

#include "hathi/planner/plan.h"
#include "hathi/session/session.h"

namespace hathi::session {

// 22021 unless it is valid UTF-8 without NUL.
void require_parameter_text(std::string_view text);
// Bytes to a value of the type, through its input or receive function. `place` ("bind parameter 2") is for the message of 22P03.
planner::ParameterValue read_parameter(std::span<const char> bytes, bool is_null, bool binary, Oid type, std::string_view place, Arena& arena);

}  // namespace hathi::session
