// pg_shdepend: what objects owe to roles and tablespaces.

#include <algorithm>
#include <map>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/definitions.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share, kWrite = locking::LockMode::row_exclusive;

using namespace pg_shdepend;

Oid database_of(Oid class_id) {
  const CatalogDefinition* catalog = catalog_definition(class_id);
  return catalog != nullptr && catalog->shared ? kInvalidOid : current_database();
}

std::vector<CatalogKey> keys_of(const ObjectAddress& object) {
  std::vector<CatalogKey> keys{{dbid, Datum::of(database_of(object.class_id))}, {classid, Datum::of(object.class_id)},
                               {objid, Datum::of(object.object)}};
  if (object.sub != 0) keys.push_back({objsubid, Datum::of(object.sub)});
  return keys;
}

void record(const ObjectAddress& object, Oid referenced_class, Oid referenced, char kind) {
  if (is_pinned(referenced_class, referenced)) return;
  if (referenced_class == catalog_oid::pg_authid) keep_role(referenced);
  CatalogTable table(catalog_oid::pg_shdepend, kWrite);
  CatalogRow row = table.new_row();
  row.set(dbid, Datum::of(database_of(object.class_id)));
  row.set(classid, Datum::of(object.class_id));
  row.set(objid, Datum::of(object.object));
  row.set(objsubid, Datum::of(object.sub));
  row.set(refclassid, Datum::of(referenced_class));
  row.set(refobjid, Datum::of(referenced));
  row.set(deptype, Datum::of(kind));
  table.insert(row);
}

template <class Test>
void remove_matching(std::span<const CatalogKey> keys, Test&& test) {
  Arena scratch(1024);
  CatalogTable table(catalog_oid::pg_shdepend, kWrite);
  std::vector<TupleId> rows;
  table.scan(keys, scratch, [&](CatalogRow& row) {
    if (test(row)) rows.push_back(row.tid);
    return true;
  });
  for (TupleId tid : rows) table.remove(tid);
}

const char* kind_text(char kind) {
  switch (kind) {
    case 'o': return "owner of ";
    case 'a': return "privileges for ";
    case 'r': return "target of ";
    case 't': return "tablespace for ";
    default: return "";
  }
}

}  // namespace

void keep_role(Oid role) {
  locking::acquire(transaction::owner(), locking::LockTag::object_tag(kInvalidOid, catalog_oid::pg_authid, role, 0), kRead);
  Arena scratch(1024);
  if (!CatalogTable(catalog_oid::pg_authid, kRead).find({{pg_authid::oid, Datum::of(role)}}, scratch)) {
    throw SqlError(sqlstate::undefined_object, "role {} was concurrently dropped", raw(role));
  }
}

void record_owner(const ObjectAddress& object, Oid owner) { record(object, catalog_oid::pg_authid, owner, 'o'); }
void record_tablespace(const ObjectAddress& object, Oid tablespace) { record(object, catalog_oid::pg_tablespace, tablespace, 't'); }

void change_owner_dependency(const ObjectAddress& object, Oid new_owner) {
  // A grantee that becomes the owner is no longer recorded as grantee.
  remove_matching(keys_of(object), [&](const CatalogRow& row) {
    char kind = row.get(deptype).as_char();
    return kind == 'o' || (kind == 'a' && row.get(refobjid).as_oid() == new_owner);
  });
  record_owner(object, new_owner);
}

void update_acl_dependencies(const ObjectAddress& object, Oid owner, std::span<const Oid> old_roles, std::span<const Oid> new_roles) {
  auto has = [](std::span<const Oid> roles, Oid role) { return std::find(roles.begin(), roles.end(), role) != roles.end(); };
  std::vector<Oid> done;
  for (Oid role : new_roles) {
    if (role == owner || !is_valid(role) || has(old_roles, role) || has(done, role)) continue;
    done.push_back(role);
    record(object, catalog_oid::pg_authid, role, 'a');
  }
  bool any_gone = std::any_of(old_roles.begin(), old_roles.end(), [&](Oid role) { return !has(new_roles, role); });
  if (!any_gone) return;
  remove_matching(keys_of(object), [&](const CatalogRow& row) {
    return row.get(objsubid).as_int32() == object.sub && row.get(deptype).as_char() == 'a' && has(old_roles, row.get(refobjid).as_oid()) &&
           !has(new_roles, row.get(refobjid).as_oid());
  });
}

void remove_shared_dependencies_of(const ObjectAddress& object) {
  remove_matching(keys_of(object), [](const CatalogRow&) { return true; });
}

void remove_shared_dependencies_of_database(Oid database) {
  remove_matching(std::vector<CatalogKey>{{dbid, Datum::of(database)}}, [](const CatalogRow&) { return true; });
  remove_matching(std::vector<CatalogKey>{{dbid, Datum::of(kInvalidOid)}, {classid, Datum::of(catalog_oid::pg_database)}, {objid, Datum::of(database)}},
                  [](const CatalogRow&) { return true; });
}

void copy_shared_dependencies_of_database(Oid from, Oid to) {
  Arena scratch(8192);
  CatalogTable table(catalog_oid::pg_shdepend, kWrite);
  std::vector<CatalogRow> rows;
  table.scan(std::vector<CatalogKey>{{dbid, Datum::of(from)}}, scratch, [&](CatalogRow& row) {
    rows.push_back(row);
    return true;
  });
  for (CatalogRow& row : rows) {
    row.set(dbid, Datum::of(to));
    table.insert(row);
  }
}

std::vector<SharedDependent> shared_dependents_of(Oid class_id, Oid object) {
  Arena scratch(4096);
  std::vector<SharedDependent> found;
  CatalogTable(catalog_oid::pg_shdepend, kRead)
      .scan(std::vector<CatalogKey>{{refclassid, Datum::of(class_id)}, {refobjid, Datum::of(object)}}, scratch, [&](CatalogRow& row) {
        found.push_back({{row.get(classid).as_oid(), row.get(objid).as_oid(), row.get(objsubid).as_int32()}, row.get(dbid).as_oid(),
                         row.get(deptype).as_char()});
        return true;
      });
  return found;
}

std::string shared_dependents_text(Oid class_id, Oid object) {
  constexpr int kMostReported = 100;
  std::vector<std::pair<ObjectAddress, char>> here;
  std::map<std::uint32_t, int> elsewhere;  // database -> objects
  for (const SharedDependent& d : shared_dependents_of(class_id, object)) {
    if (d.database == kInvalidOid || d.database == current_database()) here.push_back({d.object, d.kind});
    else ++elsewhere[raw(d.database)];
  }
  std::sort(here.begin(), here.end(), [](const auto& a, const auto& b) {
    if (a.first.object != b.first.object) return raw(a.first.object) < raw(b.first.object);
    if (a.first.class_id != b.first.class_id) return raw(a.first.class_id) < raw(b.first.class_id);
    if (a.first.sub != b.first.sub) return a.first.sub < b.first.sub;
    return a.second < b.second;
  });
  std::string text;
  int reported = 0, more_objects = 0, more_databases = 0;
  auto add = [&](const std::string& line) {
    if (!text.empty()) text += '\n';
    text += line;
    ++reported;
  };
  for (const auto& [address, kind] : here) {
    if (reported >= kMostReported) ++more_objects;
    else add(kind_text(kind) + describe_object(address));
  }
  for (const auto& [database, count] : elsewhere) {
    auto info = find_database(Oid{database});
    if (reported >= kMostReported) ++more_databases;
    else add(fmt::format("{} {} in database {}", count, count == 1 ? "object" : "objects", info ? info->name : std::string()));
  }
  if (more_objects > 0) {
    text += fmt::format("\nand {} other {} (see server log for list)", more_objects, more_objects == 1 ? "object" : "objects");
  }
  if (more_databases > 0) {
    text += fmt::format("\nand objects in {} other {} (see server log for list)", more_databases, more_databases == 1 ? "database" : "databases");
  }
  return text;
}

}  // namespace hathi::catalog
