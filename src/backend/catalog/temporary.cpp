// Temporary schemas: pg_temp_<slot> and pg_toast_temp_<slot>, made when first needed and kept for the next session in the slot.

#include "src/backend/catalog/temporary.h"

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/startup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/oid_counter.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/search_path.h"

namespace hathi::catalog {

namespace {

// The (sub)transaction level that made them; 0 = committed or none.
int made_at_level = 0;

Oid make_schema(const std::string& name) {
  CatalogTable table(catalog_oid::pg_namespace, locking::LockMode::row_exclusive);
  Arena arena(256);
  CatalogRow row = table.new_row();
  Oid oid = new_oid(catalog_oid::pg_namespace);
  row.set(pg_namespace::oid, Datum::of(oid));
  row.set(pg_namespace::nspname, make_name(arena, name));
  row.set(pg_namespace::nspowner, Datum::of(kBootstrapSuperuser));
  table.insert(row);
  return oid;
}

void drop_objects_in(Oid schema) {
  ObjectAddress address{catalog_oid::pg_namespace, schema, 0};
  perform_deletion({&address, 1}, DeletionOptions{true, true, true});
}

void forget() {
  set_temporary_schemas(kInvalidOid, kInvalidOid);
  made_at_level = 0;
}

}  // namespace

Oid temporary_schema() {
  if (Oid schema = temporary_schema_if_any(); is_valid(schema)) return schema;
  if (object_privileges(catalog_oid::pg_database, current_database(), current_role(), nodes::kAclCreateTemp) == 0) {
    throw SqlError(sqlstate::insufficient_privilege, "permission denied to create temporary tables in database \"{}\"", current_database_name());
  }
  int slot = shmem::my_slot().number;
  std::string name = fmt::format("pg_temp_{}", slot), toast_name = fmt::format("pg_toast_temp_{}", slot);
  Oid schema = find_schema(name), toast = find_schema(toast_name);
  if (is_valid(schema)) drop_objects_in(schema);  // left behind by a session that died
  else schema = make_schema(name);
  if (!is_valid(toast)) toast = make_schema(toast_name);
  transaction::advance_command();
  set_temporary_schemas(schema, toast);
  made_at_level = transaction::nesting_level();
  return schema;
}

Oid creation_schema() {
  if (temporary_schema_is_first()) return temporary_schema();
  Oid schema = creation_schema_if_any();
  if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "no schema has been selected to create in");
  return schema;
}

void drop_temporary_objects() {
  if (Oid schema = temporary_schema_if_any(); is_valid(schema)) drop_objects_in(schema);
}

void install_temporary_hooks() {
  transaction::register_hook([](transaction::Event event) {
    if (made_at_level == 0) return;
    if (event == transaction::Event::commit) made_at_level = 0;
    if (event == transaction::Event::abort) forget();
  });
  transaction::register_subtransaction_hook([](transaction::Event event, int level) {
    if (made_at_level != level) return;
    if (event == transaction::Event::commit) made_at_level = level - 1;
    if (event == transaction::Event::abort) forget();
  });
}

namespace {

// 0 = not in bootstrap. Built-in objects end below 13000.
std::uint32_t next_system_oid = 0;

Oid next_number() {
  if (next_system_oid == 0) return transaction::next_oid();
  HATHI_ASSERT(next_system_oid < raw(kFirstNormalOid));
  return Oid{next_system_oid++};
}

}  // namespace

void use_system_oids(bool on) { next_system_oid = on ? 13200 : 0; }

Oid new_oid(Oid catalog) {
  CatalogTable table(catalog, locking::LockMode::access_share);
  HATHI_ASSERT((*table.relation().descriptor)[0].name == "oid");
  while (true) {
    Oid oid = next_number();
    Arena scratch(512);
    if (!table.find({{1, Datum::of(oid)}}, scratch)) return oid;
  }
}

Oid new_relfilenode(Oid tablespace, Oid database) {
  while (true) {
    Oid number = next_number();
    if (!storage::fork_exists({tablespace, database, number}, Fork::main)) return number;
  }
}

}  // namespace hathi::catalog
