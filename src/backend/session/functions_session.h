#pragma once
// Tables of the SQL functions of session/.

#include <span>

#include "hathi/datum/function.h"

namespace hathi::session {

std::span<const BuiltinFunction> settings_functions();
std::span<const BuiltinFunction> lock_functions();
std::span<const BuiltinFunction> activity_functions();

// assign hook of application_name (activity.cpp).
void note_application_name();

}  // namespace hathi::session
