// GRANT and REVOKE on objects.

#include "grant.h"

#include <algorithm>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/object_classes.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/report.h"
#include "hathi/nodes/query.h"
#include "hathi/transaction/transaction.h"
#include "relation_store.h"
#include "roles.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace a = catalog::pg_attribute;
using catalog::AclItem;
using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::ObjectAddress;
using locking::LockMode;
using Items = std::vector<AclItem>;

std::uint32_t with_options(std::uint32_t rights) { return rights | rights << 16; }

// What of the wanted privileges the grantor can pass on, with a warning when that is not all. 42501 when the role has nothing to do with
// the object.
std::uint32_t restrict_to_grantable(const GrantChange& change, std::uint32_t wanted, const catalog::Grantor& grantor, bool has_some, const GrantObject& object,
                                    std::string_view column) {
  if (grantor.grantable == 0 && !has_some) {
    if (column.empty()) catalog::throw_permission_denied(object.noun, object.name);
    throw SqlError(sqlstate::insufficient_privilege, "permission denied for column \"{}\" of relation \"{}\"", column, object.name);
  }
  std::uint32_t possible = wanted & grantor.grantable;
  std::string what = column.empty() ? fmt::format("\"{}\"", object.name) : fmt::format("column \"{}\" of relation \"{}\"", column, object.name);
  SqlState code = change.is_grant ? sqlstate::warning_privilege_not_granted : sqlstate::warning_privilege_not_revoked;
  std::string_view verb = change.is_grant ? "were granted" : "could be revoked";
  if (possible == 0) report_warning(code, "no privileges {} for {}", verb, what);
  else if (!change.all && possible != wanted) report_warning(code, "not all privileges {} for {}", verb, what);
  return possible;
}

void store_acl_of_row(CatalogTable& table, CatalogRow& row, AttrNumber column, const Items& items, Arena& arena) {
  row.set(column, catalog::make_acl(items, arena));
  table.update(row);
}

// A column's list. The table's options count too.
void change_column_acl(const GrantObject& object, Oid owner, const Items& table_items, AttrNumber column, std::uint32_t privileges, const GrantChange& change) {
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_attribute, LockMode::row_exclusive);
  auto row = table.find({{a::attrelid, Datum::of(object.address.object)}, {a::attnum, Datum::of(column)}}, arena);
  if (!row || row->get(a::attisdropped).as_bool()) return;
  std::string name(name_text(row->get(a::attname)));
  Items items;
  if (!row->is_null(a::attacl)) items = catalog::read_acl(row->get(a::attacl), arena);
  Items merged = table_items;
  merged.insert(merged.end(), items.begin(), items.end());
  Oid role = catalog::current_role();
  catalog::Grantor grantor = catalog::select_grantor(role, privileges, merged, owner);
  bool has_some = catalog::acl_mask(merged, grantor.role, owner, with_options(catalog::all_privileges('c'))) != 0;
  GrantChange one = change;
  one.all = privileges == catalog::all_privileges('c');
  one.privileges = restrict_to_grantable(one, privileges, grantor, has_some, object, name);
  std::vector<Oid> before = members_of(items);
  bool was_empty = items.empty();
  merge_grant(items, one, grantor.role, owner);
  if (items.empty() && was_empty) return;
  if (items.empty()) row->set_null(a::attacl);
  else row->set(a::attacl, catalog::make_acl(items, arena));
  table.update(*row);
  catalog::update_acl_dependencies({catalog_oid::pg_class, object.address.object, column}, owner, before, members_of(items));
}

AttrNumber column_by_name(Oid relation, std::string_view name, std::string_view relation_name) {
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_attribute, LockMode::access_share);
  auto row = table.find({{a::attrelid, Datum::of(relation)}, {a::attname, make_name(arena, name)}}, arena);
  if (!row || row->get(a::attisdropped).as_bool()) {
    throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, relation_name);
  }
  return row->get(a::attnum).as_int16();
}

struct ColumnRights { AttrNumber column; std::uint32_t privileges; };

void add_rights(std::vector<ColumnRights>& list, AttrNumber column, std::uint32_t privileges) {
  for (ColumnRights& c : list) {
    if (c.column == column) {
      c.privileges |= privileges;
      return;
    }
  }
  list.push_back({column, privileges});
}

// Columns that the statement names, and for REVOKE on a table all of them: what was granted on columns goes too.
std::vector<ColumnRights> column_rights(const GrantObject& object, const GrantChange& change, const List<parser::Privilege>* named) {
  std::vector<ColumnRights> out;
  Oid relation = object.address.object;
  std::uint32_t of_columns = change.privileges & catalog::all_privileges('c');
  if (!change.is_grant && of_columns != 0) {
    catalog::RelationRef r = catalog::open_relation(relation, LockMode::none);
    if (r->kind == catalog::relation_kind::table || r->kind == catalog::relation_kind::partitioned_table || r->kind == catalog::relation_kind::sequence ||
        r->kind == catalog::relation_kind::materialized_view || r->kind == catalog::relation_kind::foreign_table) {
      for (AttrNumber n = -6; n < 0; ++n) out.push_back({n, of_columns});
    }
    for (int i = 0; i < r->descriptor->count(); ++i) {
      if (!(*r->descriptor)[i].dropped) out.push_back({static_cast<AttrNumber>(i + 1), of_columns});
    }
  }
  if (named == nullptr) return out;
  for (const parser::Privilege& p : *named) {
    if (p.columns.empty()) continue;
    std::uint32_t bits = p.name.empty() ? catalog::all_privileges('c') : privilege_bit(p);
    if ((bits & ~catalog::all_privileges('c')) != 0) {
      throw SqlError(sqlstate::invalid_grant_operation, "invalid privilege type {} for column", catalog::privilege_name(bits));
    }
    for (std::string_view name : p.columns) add_rights(out, column_by_name(relation, name, object.name), bits);
  }
  std::sort(out.begin(), out.end(), [](const ColumnRights& x, const ColumnRights& y) { return x.column < y.column; });
  return out;
}

// Of the privileges of a table statement those that this kind of relation has.
std::uint32_t fit_to_kind(const GrantObject& object, std::uint32_t privileges) {
  std::uint32_t allowed = catalog::all_privileges(object.kind);
  if ((privileges & ~allowed) == 0) return privileges;
  if (object.kind == 's') {
    report_warning(sqlstate::invalid_grant_operation, "sequence \"{}\" only supports USAGE, SELECT, and UPDATE privileges", object.name);
    return privileges & allowed;
  }
  std::uint32_t first = 1;
  while ((first & privileges & ~allowed) == 0) first <<= 1;
  throw SqlError(sqlstate::invalid_grant_operation, "invalid privilege type {} for table", catalog::privilege_name(first));
}

}  // namespace

void merge_grant(Items& items, const GrantChange& change, Oid grantor, Oid owner) {
  for (Oid grantee : change.grantees) {
    if (change.is_grant && change.grant_option && !is_valid(grantee)) {
      throw SqlError(sqlstate::invalid_grant_operation, "grant options can only be granted to roles");
    }
    if (change.is_grant) {
      if (change.privileges != 0) catalog::acl_grant(items, grantee, grantor, change.privileges, change.grant_option);
    } else {
      catalog::acl_revoke(items, grantee, grantor, change.privileges, change.grant_option, change.cascade, owner);
    }
  }
}

std::vector<Oid> members_of(const Items& items) {
  std::vector<Oid> out;
  auto add = [&](Oid role) {
    if (is_valid(role) && std::find(out.begin(), out.end(), role) == out.end()) out.push_back(role);
  };
  for (const AclItem& item : items) {
    add(item.grantee);
    add(item.grantor);
  }
  return out;
}

void change_object_acl(const GrantObject& object, const GrantChange& change) {
  const catalog::ObjectClass* c = catalog::object_class(object.address.class_id);
  Arena arena(4096);
  CatalogTable table(object.address.class_id, LockMode::row_exclusive);
  auto row = table.find({{1, Datum::of(object.address.object)}}, arena);
  if (!row) throw_not_supported(fmt::format("GRANT on {} {}", object.noun, object.name));
  Oid owner = c->owner == 0 ? kBootstrapSuperuser : row->get(c->owner).as_oid();
  bool had_list = !row->is_null(c->acl);
  Items items = had_list ? catalog::read_acl(row->get(c->acl), arena) : catalog::default_acl(object.kind, owner);
  std::vector<Oid> before;
  if (had_list) before = members_of(items);
  std::uint32_t wanted = change.all ? catalog::all_privileges(object.kind) : change.privileges;
  Oid role = catalog::current_role();
  catalog::Grantor grantor = catalog::select_grantor(role, wanted, items, owner);
  bool has_some = catalog::acl_mask(items, grantor.role, owner, with_options(catalog::all_privileges(object.kind))) != 0;
  GrantChange one = change;
  one.privileges = restrict_to_grantable(change, wanted, grantor, has_some, object, {});
  merge_grant(items, one, grantor.role, owner);
  store_acl_of_row(table, *row, c->acl, items, arena);
  catalog::update_acl_dependencies(object.address, owner, before, members_of(items));
}

void change_relation_acl(const GrantObject& object, const GrantChange& change, const List<parser::Privilege>* named) {
  namespace c = catalog::pg_class;
  GrantChange whole = change;
  whole.privileges = change.all ? catalog::all_privileges(object.kind) : fit_to_kind(object, change.privileges);
  Items table_items;
  Oid owner;
  {
    Arena arena(4096);
    auto row = CatalogTable(catalog_oid::pg_class, LockMode::access_share).find({{c::oid, Datum::of(object.address.object)}}, arena);
    if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for relation {}", raw(object.address.object));
    owner = row->get(c::relowner).as_oid();
    table_items = row->is_null(c::relacl) ? catalog::default_acl(object.kind, owner) : catalog::read_acl(row->get(c::relacl), arena);
  }
  std::vector<ColumnRights> columns = column_rights(object, whole, named);
  if (whole.privileges != 0) {
    change_object_acl(object, whole);
    transaction::advance_command();
  }
  for (const ColumnRights& column : columns) change_column_acl(object, owner, table_items, column.column, column.privileges, whole);
}

void grant(const parser::GrantStatement& s, std::string_view text, std::string&) {
  if (s.grantor != nullptr && resolve_role(*s.grantor) != catalog::current_role()) {
    throw SqlError(sqlstate::feature_not_supported, "grantor must be current user");
  }
  std::vector<GrantObject> objects = grant_objects(s, text);
  GrantChange change{s.is_grant, s.grant_option, s.behavior == parser::DropBehavior::cascade, s.privileges.empty(), 0, grantees_of(s)};
  bool relations = s.type_of_object == parser::ObjectType::table || s.type_of_object == parser::ObjectType::sequence;
  std::uint32_t allowed = catalog::all_privileges(grant_kind(s.type_of_object));
  // A sequence may be called a table.
  if (s.type_of_object == parser::ObjectType::table) allowed |= catalog::all_privileges('s');
  change.privileges = whole_privileges(s, allowed);
  for (const GrantObject& object : objects) {
    if (relations) change_relation_acl(object, change, &s.privileges);
    else change_object_acl(object, change);
    transaction::advance_command();
  }
}

}  // namespace hathi::ddl
