#pragma once
// Who belongs to which role (pg_auth_members).

#include <string_view>

#include "hathi/base/ids.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::ddl {

// GRANT role TO members. 42501, 0LP01 for circles; NOTICE for those who are members already.
void add_members(Oid role, const List<parser::RoleSpec*>& members, Oid grantor, bool admin_option);
// REVOKE [ADMIN OPTION FOR]; WARNING for those who are no members.
void remove_members(Oid role, const List<parser::RoleSpec*>& members, bool admin_option_only);
// A role is gone: all memberships in it and of it.
void remove_memberships_of(Oid role);

}  // namespace hathi::ddl
