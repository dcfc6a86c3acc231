// ALTER DEFAULT PRIVILEGES, and what new objects get by it.

#include <algorithm>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/object_classes.h"
#include "hathi/transaction/transaction.h"
#include "grant.h"
#include "roles.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace d = catalog::pg_default_acl;
using catalog::AclItem;
using catalog::CatalogTable;
using locking::LockMode;
using parser::ObjectType;
using Items = std::vector<AclItem>;

// pg_default_acl's letter, and acl.h's.
struct Letters { char stored, acl; };
Letters letters_of(ObjectType type) {
  switch (type) {
    case ObjectType::table: return {'r', 'r'};
    case ObjectType::sequence: return {'S', 's'};
    case ObjectType::type: return {'T', 'T'};
    case ObjectType::schema: return {'n', 'n'};
    default: return {'f', 'f'};
  }
}

bool same_items(Items x, Items y) {
  auto order = [](const AclItem& l, const AclItem& r) { return std::pair(raw(l.grantee), raw(l.grantor)) < std::pair(raw(r.grantee), raw(r.grantor)); };
  std::sort(x.begin(), x.end(), order);
  std::sort(y.begin(), y.end(), order);
  return x == y;
}

// One row of pg_default_acl; it goes when it says no more than silence does. Within a schema a list only adds.
void change_defaults(Oid role, Oid schema, Letters kind, const GrantChange& change) {
  Arena arena(4096);
  Items plain = is_valid(schema) ? Items() : catalog::default_acl(kind.acl, role);
  CatalogTable table(catalog_oid::pg_default_acl, LockMode::row_exclusive);
  auto row = table.find({{d::defaclrole, Datum::of(role)}, {d::defaclnamespace, Datum::of(schema)}, {d::defaclobjtype, Datum::of(kind.stored)}}, arena);
  Items items = row ? catalog::read_acl(row->get(d::defaclacl), arena) : plain;
  std::vector<Oid> before;
  if (row) before = members_of(items);
  merge_grant(items, change, role, role);
  if (same_items(items, plain)) {
    if (!row) return;
    catalog::ObjectAddress object{catalog_oid::pg_default_acl, row->get(d::oid).as_oid(), 0};
    catalog::perform_deletion({&object, 1}, false, true);
    return;
  }
  catalog::CatalogRow fresh = row ? *row : table.new_row();
  fresh.set(d::defaclacl, catalog::make_acl(items, arena));
  if (row) {
    table.update(fresh);
  } else {
    fresh.set(d::oid, Datum::of(catalog::new_oid(catalog_oid::pg_default_acl)));
    fresh.set(d::defaclrole, Datum::of(role));
    fresh.set(d::defaclnamespace, Datum::of(schema));
    fresh.set(d::defaclobjtype, Datum::of(kind.stored));
    table.insert(fresh);
  }
  catalog::ObjectAddress self{catalog_oid::pg_default_acl, fresh.get(d::oid).as_oid(), 0};
  if (!row) {
    catalog::record_owner(self, role);
    if (is_valid(schema)) catalog::record_dependency(self, {catalog_oid::pg_namespace, schema, 0}, catalog::DependencyKind::automatic);
  }
  catalog::update_acl_dependencies(self, role, before, members_of(items));
}

}  // namespace

void alter_default_privileges(const parser::AlterDefaultPrivilegesStatement& s, std::string_view) {
  const parser::GrantStatement& g = *s.action;
  Letters kind = letters_of(g.type_of_object);
  std::uint32_t allowed = catalog::all_privileges(kind.acl);
  GrantChange change{g.is_grant, g.grant_option, g.behavior == parser::DropBehavior::cascade, g.privileges.empty(), 0, grantees_of(g)};
  for (const parser::Privilege& p : g.privileges) {
    if (!p.columns.empty()) throw SqlError(sqlstate::invalid_grant_operation, "default privileges cannot be set for columns");
  }
  change.privileges = change.all ? allowed : whole_privileges(g, allowed);
  std::vector<Oid> roles;
  for (const parser::RoleSpec* role : s.roles) roles.push_back(resolve_role(*role));
  for (Oid role : roles) require_may_become(role);
  if (roles.empty()) roles.push_back(catalog::current_role());
  std::vector<Oid> schemas;
  if (!s.schemas.empty() && g.type_of_object == ObjectType::schema) {
    throw SqlError(sqlstate::invalid_grant_operation, "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS");
  }
  for (std::string_view name : s.schemas) {
    Oid schema = catalog::find_schema(name);
    if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name);
    schemas.push_back(schema);
  }
  if (schemas.empty()) schemas.push_back(kInvalidOid);
  for (Oid role : roles) {
    for (Oid schema : schemas) {
      change_defaults(role, schema, kind, change);
      transaction::advance_command();
    }
  }
}

void apply_default_privileges(const catalog::ObjectAddress& object, char kind, Oid owner, Oid schema) {
  if (catalog::is_empty(catalog_oid::pg_default_acl)) return;
  bool found = false;
  Items items = catalog::default_privileges_for(kind, owner, schema, found);
  if (!found) return;
  const catalog::ObjectClass* c = catalog::object_class(object.class_id);
  Arena arena(2048);
  CatalogTable table(object.class_id, LockMode::row_exclusive);
  transaction::advance_command();
  auto row = table.find({{1, Datum::of(object.object)}}, arena);
  if (!row) return;
  row->set(c->acl, catalog::make_acl(items, arena));
  table.update(*row);
  catalog::update_acl_dependencies(object, owner, {}, members_of(items));
}

}  // namespace hathi::ddl
