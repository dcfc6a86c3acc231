#pragma once
// Changes of databases that the statements for all kinds of object reach (ALTER … RENAME, ALTER … OWNER).

#include <string_view>

#include "hathi/base/ids.h"

namespace hathi::ddl {

// Nobody may be in the database (55006), and it may not be the current one.
void rename_database(std::string_view old_name, std::string_view new_name);
void change_database_owner(std::string_view name, Oid new_owner);

}  // namespace hathi::ddl
