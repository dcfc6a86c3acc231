// CREATE SCHEMA.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "grant.h"
#include "roles.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace n = catalog::pg_namespace;

Oid insert_schema(std::string_view name, Oid owner) {
  Arena arena(512);
  Oid oid = catalog::new_oid(catalog_oid::pg_namespace);
  {
    catalog::CatalogTable table(catalog_oid::pg_namespace, locking::LockMode::row_exclusive);
    catalog::CatalogRow row = table.new_row();
    row.set(n::oid, Datum::of(oid));
    row.set(n::nspname, name_value(arena, name));
    row.set(n::nspowner, Datum::of(owner));
    table.insert(row);
  }
  catalog::record_owner({catalog_oid::pg_namespace, oid, 0}, owner);
  apply_default_privileges({catalog_oid::pg_namespace, oid, 0}, 'n', owner, kInvalidOid);
  catalog::note_change(catalog_oid::pg_namespace, oid);
  transaction::advance_command();
  return oid;
}

}  // namespace

void create_schema(const UtilityCall& call, const parser::CreateSchemaStatement& s) {
  Oid owner = s.owner == nullptr ? catalog::current_role() : resolve_role(*s.owner);
  std::string name = s.name.empty() ? std::string(catalog::find_role(owner)->name) : std::string(s.name);
  Oid role = catalog::current_role();
  if ((catalog::object_privileges(catalog_oid::pg_database, catalog::current_database(), role, nodes::kAclCreate) & nodes::kAclCreate) == 0) {
    catalog::throw_permission_denied("database", catalog::current_database_name());
  }
  require_may_become(owner);
  if (name.starts_with("pg_")) {
    throw SqlError(sqlstate::reserved_name, "unacceptable schema name \"{}\"", name).detail("The prefix \"pg_\" is reserved for system schemas.");
  }
  if (is_valid(catalog::find_schema(name))) {
    if (!s.if_not_exists) throw SqlError(sqlstate::duplicate_schema, "schema \"{}\" already exists", name);
    report_notice(sqlstate::duplicate_schema, "schema \"{}\" already exists, skipping", name);
    return;
  }
  insert_schema(name, owner);
  if (!s.elements.empty()) throw_not_supported("CREATE SCHEMA with schema elements");
  (void)call;
}

}  // namespace hathi::ddl
