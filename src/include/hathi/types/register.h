#pragma once

#include <cstdint>
#include <span>

#include "hathi/datum/function.h"

namespace hathi::types {

// Registers every built-in function of types/ (register_functions). Once per process image, before the first fork.
void register_all();

// The tables themselves, for tests and for the check that the catalog lists what exists.
std::span<const std::span<const BuiltinFunction>> function_tables();

}  // namespace hathi::types
