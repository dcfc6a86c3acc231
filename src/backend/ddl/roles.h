#pragma once
// Roles as statements name them.

#include "hathi/base/ids.h"
#include "hathi/parser/ast.h"

namespace hathi::ddl {

// The role's oid; 42704 role "x" does not exist. PUBLIC: 0 where allowed, else 42704 as PostgreSQL.
Oid resolve_role(const parser::RoleSpec& spec, bool allow_public = false);
// 42501 must be member of role "x" unless the current role may give objects to it.
void require_may_become(Oid role);

}  // namespace hathi::ddl
