#pragma once
// The options of CREATE ROLE and ALTER ROLE.

#include <optional>
#include <string>

#include "hathi/catalog/catalog_table.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::ddl {

// nullptr: not given.
struct RoleOptions {
  const parser::Option *password = nullptr, *superuser = nullptr, *inherit = nullptr, *create_role = nullptr, *create_db = nullptr, *can_login = nullptr,
                       *replication = nullptr, *bypass_rls = nullptr, *connection_limit = nullptr, *valid_until = nullptr, *members = nullptr,
                       *admins = nullptr, *member_of = nullptr;
};
// 42601 for repetitions, 22023 for connection limits below -1; NOTICE for SYSID.
RoleOptions read_role_options(const parser::OptionList& options);
// The roles of a members option, in order; empty when it is not given.
List<parser::RoleSpec*> role_list_of(const parser::Option* option, Arena& arena);

// Writes what is given into a row of pg_authid; the password as it is stored, NOTICE when it is empty. 22007 for bad dates.
void store_role_options(catalog::CatalogRow& row, const RoleOptions& options, std::string_view role, Arena& arena);
// 42939 role name "pg_x" is reserved.
void require_free_prefix(std::string_view name);
bool may_create_roles();

}  // namespace hathi::ddl
