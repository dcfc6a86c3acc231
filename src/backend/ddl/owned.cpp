// REASSIGN OWNED and DROP OWNED.

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/object_classes.h"
#include "hathi/transaction/transaction.h"
#include "grant.h"
#include "owners.h"
#include "roles.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

using catalog::ObjectAddress;
using catalog::SharedDependent;

std::vector<Oid> roles_of(const List<parser::RoleSpec*>& specs, std::string_view denied) {
  std::vector<Oid> out;
  for (const parser::RoleSpec* spec : specs) {
    Oid role = resolve_role(*spec);
    if (!catalog::is_member_of(catalog::current_role(), role)) throw SqlError(sqlstate::insufficient_privilege, "permission denied to {} objects", denied);
    out.push_back(role);
  }
  return out;
}

void require_not_pinned(Oid role, std::string_view what) {
  if (!catalog::is_pinned(catalog_oid::pg_authid, role)) return;
  throw SqlError(sqlstate::dependent_objects_still_exist, "cannot {} owned by {} because they are required by the database system", what,
                 catalog::describe_object({catalog_oid::pg_authid, role, 0}));
}

bool is_here(const SharedDependent& d) { return d.database == catalog::current_database() || !is_valid(d.database); }

}  // namespace

void reassign_owned(const parser::ReassignOwnedStatement& s) {
  std::vector<Oid> roles = roles_of(s.roles, "reassign");
  Oid new_owner = resolve_role(*s.new_role);
  if (!catalog::is_member_of(catalog::current_role(), new_owner)) throw SqlError(sqlstate::insufficient_privilege, "permission denied to reassign objects");
  for (Oid role : roles) {
    require_not_pinned(role, "reassign ownership of objects");
    for (const SharedDependent& d : catalog::shared_dependents_of(catalog_oid::pg_authid, role)) {
      // Default privileges belong to their role for good.
      if (d.kind != 'o' || !is_here(d) || d.object.class_id == catalog_oid::pg_default_acl) continue;
      if (catalog::object_owner(d.object.class_id, d.object.object) != role) continue;   // went along with another one
      give_object_to(d.object, new_owner);
      transaction::advance_command();
    }
  }
}

void drop_owned(const parser::DropOwnedStatement& s) {
  std::vector<Oid> roles = roles_of(s.roles, "drop");
  std::vector<ObjectAddress> gone;
  for (Oid role : roles) {
    require_not_pinned(role, "drop objects");
    for (const SharedDependent& d : catalog::shared_dependents_of(catalog_oid::pg_authid, role)) {
      if (!is_here(d)) continue;
      if (d.kind == 'a') {
        revoke_everything(d.object, role);
        transaction::advance_command();
      } else if (d.kind == 'o' && is_valid(d.database)) {
        gone.push_back(d.object);
      }
    }
  }
  if (!gone.empty()) catalog::perform_deletion(gone, s.behavior == parser::DropBehavior::cascade);
}

void revoke_everything(const ObjectAddress& object, Oid role) {
  GrantChange change;
  change.is_grant = false;
  change.cascade = true;
  change.all = true;
  change.grantees = {role};
  if (object.class_id == catalog_oid::pg_default_acl) {
    namespace d = catalog::pg_default_acl;
    Arena arena(2048);
    catalog::CatalogTable table(catalog_oid::pg_default_acl, locking::LockMode::row_exclusive);
    auto row = table.find({{d::oid, Datum::of(object.object)}}, arena);
    if (!row) return;
    std::vector<catalog::AclItem> items = catalog::read_acl(row->get(d::defaclacl), arena);
    std::vector<Oid> before = members_of(items);
    std::erase_if(items, [&](const catalog::AclItem& item) { return item.grantee == role; });
    if (items.empty()) {
      catalog::perform_deletion({&object, 1}, false, true);
      return;
    }
    row->set(d::defaclacl, catalog::make_acl(items, arena));
    table.update(*row);
    catalog::update_acl_dependencies(object, row->get(d::defaclrole).as_oid(), before, members_of(items));
    return;
  }
  GrantObject target;
  target.address = {object.class_id, object.object, 0};
  target.name = catalog::describe_object(target.address);
  target.noun = "object";
  const catalog::ObjectClass* c = catalog::object_class(object.class_id);
  if (c == nullptr || c->acl == 0) return;
  target.kind = c->acl_kind;
  if (object.class_id != catalog_oid::pg_class) return change_object_acl(target, change);
  catalog::RelationRef r = catalog::try_open_relation(object.object, locking::LockMode::none);
  if (!r) return;
  if (r->kind == catalog::relation_kind::sequence) target.kind = 's';
  target.name = r->name;
  r.reset();
  change_relation_acl(target, change, nullptr);
}

}  // namespace hathi::ddl
