#pragma once
// Changes of access lists.

#include <cstdint>
#include <string_view>
#include <vector>

#include "hathi/catalog/acl.h"
#include "hathi/catalog/catalog_table.h"
#include "grant_target.h"

namespace hathi::ddl {

// One GRANT or REVOKE, without its objects.
struct GrantChange {
  bool is_grant = true, grant_option = false, cascade = false, all = false;
  std::uint32_t privileges = 0;
  std::vector<Oid> grantees;         // 0 = PUBLIC
};

// The list after the change, made by `grantor`. 0LP01 for grant options to PUBLIC, 2BP01 for dependent privileges.
void merge_grant(std::vector<catalog::AclItem>& items, const GrantChange& change, Oid grantor, Oid owner);
// Everybody whom a list mentions, as pg_shdepend records it.
std::vector<Oid> members_of(const std::vector<catalog::AclItem>& items);

// GRANT and REVOKE on one object that is no relation or column; checks who may.
void change_object_acl(const GrantObject& object, const GrantChange& change);
void change_relation_acl(const GrantObject& object, const GrantChange& change, const List<parser::Privilege>* column_privileges);
// A role loses everything it was granted on an object (DROP OWNED).
void revoke_everything(const catalog::ObjectAddress& object, Oid role);

// A new object: what ALTER DEFAULT PRIVILEGES says about it. kind: letter of pg_default_acl (r S f T n).
void apply_default_privileges(const catalog::ObjectAddress& object, char kind, Oid owner, Oid schema);

}  // namespace hathi::ddl
