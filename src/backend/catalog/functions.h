#pragma once
// The SQL functions of this folder, one registration table a file, and what they share.

#include <optional>
#include <span>
#include <string_view>

#include "hathi/datum/function.h"

namespace hathi::catalog {

std::span<const BuiltinFunction> acl_functions();
std::span<const BuiltinFunction> description_functions();
std::span<const BuiltinFunction> encoding_functions();
std::span<const BuiltinFunction> identity_functions();
std::span<const BuiltinFunction> privilege_functions();
std::span<const BuiltinFunction> size_functions();
std::span<const BuiltinFunction> updatable_functions();

inline Datum text_result(FunctionCall& call, std::string_view text) { return varlena::make(call.arena(), text); }
inline Datum name_result(FunctionCall& call, std::string_view text) { return make_name(call.arena(), text); }

// A role by name: error 42704; "public" is 0 where allowed.
Oid require_role(std::string_view name, bool allow_public = false);
// A relation by its name as text ('t', 's."T"'): errors 42602, 42P01, 0A000 for other databases.
Oid require_relation(std::string_view name);

}  // namespace hathi::catalog
