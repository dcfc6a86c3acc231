#pragma once
// Settings kept for databases and roles (pg_db_role_setting).

#include "hathi/base/ids.h"

namespace hathi::ddl {

// A database or a role is gone (the other is 0): so are its settings.
void remove_settings_of(Oid database, Oid role);

}  // namespace hathi::ddl
