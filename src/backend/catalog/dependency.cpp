// pg_depend: recording, reading, dropping.

#include <algorithm>
#include <unordered_map>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/concurrent_deletion.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/deletion_plan.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share, kWrite = locking::LockMode::row_exclusive;
constexpr std::uint32_t kFirstUnpinned = 12000;

using namespace pg_depend;

std::vector<CatalogKey> keys_of(const ObjectAddress& object, AttrNumber class_column, AttrNumber object_column, AttrNumber sub_column) {
  std::vector<CatalogKey> keys{{class_column, Datum::of(object.class_id)}, {object_column, Datum::of(object.object)}};
  if (object.sub != 0) keys.push_back({sub_column, Datum::of(object.sub)});
  return keys;
}

std::unordered_map<std::uint32_t, DropFunction>& drop_functions() {
  static auto* map = new std::unordered_map<std::uint32_t, DropFunction>;
  return *map;
}

bool is_shared_object(Oid class_id) {
  const CatalogDefinition* catalog = catalog_definition(class_id);
  return catalog != nullptr && catalog->shared;
}

// Keeps others from changing the object while it goes. False when it has gone meanwhile.
bool lock_object(const ObjectAddress& object, bool concurrently) {
  if (object.class_id == catalog_oid::pg_class) {
    lock_relation(object.object, concurrently ? locking::LockMode::share_update_exclusive : locking::LockMode::access_exclusive);
  } else {
    Oid database = is_shared_object(object.class_id) ? kInvalidOid : current_database();
    locking::acquire(transaction::owner(), locking::LockTag::object_tag(database, object.class_id, object.object, 0),
                     locking::LockMode::access_exclusive);
  }
  return true;
}

DependencySource catalog_source(bool concurrently) {
  DependencySource source;
  source.references = [](const ObjectAddress& object) {
    std::vector<DependencyEdge> edges;
    for (const Dependency& d : dependencies_of(object)) edges.push_back({d.object, static_cast<char>(d.kind)});
    return edges;
  };
  source.dependents = [](const ObjectAddress& object) {
    std::vector<DependencyEdge> edges;
    for (const Dependency& d : dependents_of(object)) edges.push_back({d.object, static_cast<char>(d.kind)});
    return edges;
  };
  source.describe = [](const ObjectAddress& object) { return describe_object(object); };
  source.lock = [concurrently](const ObjectAddress& object) { return lock_object(object, concurrently); };
  return source;
}

void remove_rows(Oid catalog, std::span<const CatalogKey> keys) {
  Arena scratch(1024);
  CatalogTable table(catalog, kWrite);
  std::vector<TupleId> rows;
  table.scan(keys, scratch, [&](CatalogRow& row) {
    rows.push_back(row.tid);
    return true;
  });
  for (TupleId tid : rows) table.remove(tid);
}

void remove_comments(const ObjectAddress& object) {
  if (is_shared_object(object.class_id)) {
    remove_rows(catalog_oid::pg_shdescription, std::vector<CatalogKey>{{pg_shdescription::objoid, Datum::of(object.object)},
                                                                       {pg_shdescription::classoid, Datum::of(object.class_id)}});
    return;
  }
  remove_rows(catalog_oid::pg_description, keys_of(object, pg_description::classoid, pg_description::objoid, pg_description::objsubid));
}

void delete_one(const ObjectAddress& object) {
  auto drop = drop_functions().find(raw(object.class_id));
  if (drop == drop_functions().end()) {
    throw SqlError(sqlstate::feature_not_supported, "dropping {} is not supported", describe_object(object));
  }
  drop->second(object);
  remove_dependencies_of(object);
  remove_shared_dependencies_of(object);
  remove_comments(object);
  remove_rows(catalog_oid::pg_init_privs, keys_of(object, pg_init_privs::classoid, pg_init_privs::objoid, pg_init_privs::objsubid));
  transaction::advance_command();
}

}  // namespace

bool is_pinned(Oid class_id, Oid object) {
  if (raw(object) >= kFirstUnpinned) return false;
  if (class_id == catalog_oid::pg_largeobject) return false;
  if (class_id == catalog_oid::pg_namespace && object == kPublicNamespace) return false;
  return class_id != catalog_oid::pg_database;
}

void record_dependency(const ObjectAddress& dependent, const ObjectAddress& referenced, DependencyKind kind) {
  if (is_pinned(referenced.class_id, referenced.object)) return;
  CatalogTable table(catalog_oid::pg_depend, kWrite);
  CatalogRow row = table.new_row();
  row.set(classid, Datum::of(dependent.class_id));
  row.set(objid, Datum::of(dependent.object));
  row.set(objsubid, Datum::of(dependent.sub));
  row.set(refclassid, Datum::of(referenced.class_id));
  row.set(refobjid, Datum::of(referenced.object));
  row.set(refobjsubid, Datum::of(referenced.sub));
  row.set(deptype, Datum::of(static_cast<char>(kind)));
  table.insert(row);
}

void remove_dependencies_of(const ObjectAddress& dependent) {
  remove_rows(catalog_oid::pg_depend, keys_of(dependent, classid, objid, objsubid));
}

int remove_dependencies_of(const ObjectAddress& dependent, Oid referenced_class) {
  Arena scratch(1024);
  CatalogTable table(catalog_oid::pg_depend, kWrite);
  std::vector<TupleId> rows;
  table.scan(keys_of(dependent, classid, objid, objsubid), scratch, [&](CatalogRow& row) {
    if (row.get(refclassid).as_oid() == referenced_class) rows.push_back(row.tid);
    return true;
  });
  for (TupleId tid : rows) table.remove(tid);
  return static_cast<int>(rows.size());
}

bool change_dependency(const ObjectAddress& dependent, const ObjectAddress& old_referenced, const ObjectAddress& new_referenced) {
  if (is_pinned(old_referenced.class_id, old_referenced.object)) {
    // There is no entry to change.
    record_dependency(dependent, new_referenced, DependencyKind::normal);
    return true;
  }
  Arena scratch(1024);
  CatalogTable table(catalog_oid::pg_depend, kWrite);
  std::vector<CatalogRow> rows;
  table.scan(keys_of(dependent, classid, objid, objsubid), scratch, [&](CatalogRow& row) {
    if (row.get(refclassid).as_oid() == old_referenced.class_id && row.get(refobjid).as_oid() == old_referenced.object) rows.push_back(row);
    return true;
  });
  for (CatalogRow& row : rows) {
    if (is_pinned(new_referenced.class_id, new_referenced.object)) {
      table.remove(row.tid);
      continue;
    }
    row.set(refobjid, Datum::of(new_referenced.object));
    table.update(row);
  }
  return !rows.empty();
}

std::vector<Dependency> dependencies_of(const ObjectAddress& dependent) {
  Arena scratch(2048);
  std::vector<Dependency> found;
  CatalogTable(catalog_oid::pg_depend, kRead).scan(keys_of(dependent, classid, objid, objsubid), scratch, [&](CatalogRow& row) {
    found.push_back({{row.get(refclassid).as_oid(), row.get(refobjid).as_oid(), row.get(refobjsubid).as_int32()},
                     static_cast<DependencyKind>(row.get(deptype).as_char())});
    return true;
  });
  return found;
}

std::vector<Dependency> dependents_of(const ObjectAddress& referenced) {
  Arena scratch(2048);
  std::vector<Dependency> found;
  CatalogTable(catalog_oid::pg_depend, kRead).scan(keys_of(referenced, refclassid, refobjid, refobjsubid), scratch, [&](CatalogRow& row) {
    found.push_back({{row.get(classid).as_oid(), row.get(objid).as_oid(), row.get(objsubid).as_int32()},
                     static_cast<DependencyKind>(row.get(deptype).as_char())});
    return true;
  });
  return found;
}

void register_drop(Oid class_id, DropFunction function) { drop_functions()[raw(class_id)] = function; }

namespace {

std::vector<Deletion> checked_plan(std::span<const ObjectAddress> span, const DeletionOptions& options, bool concurrently) {
  std::vector<ObjectAddress> objects(span.begin(), span.end());
  for (const ObjectAddress& object : objects) {
    if (is_pinned(object.class_id, object.object)) {
      throw SqlError(sqlstate::dependent_objects_still_exist, "cannot drop {} because it is required by the database system",
                     describe_object(object));
    }
  }
  DependencySource source = catalog_source(concurrently);
  std::vector<Deletion> plan = plan_deletion(objects, source);
  report_deletion(plan, objects, options.cascade, options.quiet, source);
  return plan;
}

}  // namespace

void perform_deletion(std::span<const ObjectAddress> objects, const DeletionOptions& options) {
  if (objects.empty()) return;
  for (const Deletion& d : checked_plan(objects, options, false)) {
    if (options.skip_original && (d.flags & kDeleteOriginal) != 0) continue;
    delete_one(d.object);
  }
}

void check_deletion(std::span<const ObjectAddress> objects) { checked_plan(objects, {}, true); }

void delete_unused(std::span<const ObjectAddress> objects) {
  for (const Deletion& d : checked_plan(objects, DeletionOptions{.quiet = true}, true)) delete_one(d.object);
}

}  // namespace hathi::catalog
