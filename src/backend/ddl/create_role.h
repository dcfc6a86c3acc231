#pragma once
// Changes of roles that the statements for all kinds of object reach.

#include <string_view>

namespace hathi::ddl {

// ALTER ROLE … RENAME TO.
void rename_role(std::string_view old_name, std::string_view new_name);

}  // namespace hathi::ddl
