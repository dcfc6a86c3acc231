// Foreign keys of and to partitioned tables: the rows for their partitions.

#include <algorithm>

#include "alter_table.h"
#include "foreign_keys.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/array.h"
#include "partition_indexes.h"
#include "partitions.h"
#include "relation_store.h"
#include "row_scan.h"
#include "row_values.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace k = catalog::pg_constraint;
using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::DependencyKind;
using catalog::ObjectAddress;
using catalog::RelationRef;
using locking::LockMode;

struct StoredKey {
  Oid oid = kInvalidOid;
  NewConstraint key;
};

std::vector<AttrNumber> columns_in(const CatalogRow& row, AttrNumber at, Arena& arena) {
  std::vector<AttrNumber> out;
  if (row.is_null(at)) return out;
  types::ArrayElements e = types::array_elements(types::ArrayView(row.get(at), arena), {2, true, 's'}, arena);
  for (int i = 0; i < e.count; ++i) out.push_back(e.values[i].as_int16());
  return out;
}
std::vector<Oid> oids_in(const CatalogRow& row, AttrNumber at, Arena& arena) {
  std::vector<Oid> out;
  if (row.is_null(at)) return out;
  types::ArrayElements e = types::array_elements(types::ArrayView(row.get(at), arena), {4, true, 'i'}, arena);
  for (int i = 0; i < e.count; ++i) out.push_back(e.values[i].as_oid());
  return out;
}

StoredKey stored_key(const CatalogRow& row, Arena& arena) {
  StoredKey s;
  s.oid = row.get(k::oid).as_oid();
  NewConstraint& n = s.key;
  n.name = name_text(row.get(k::conname));
  n.schema = row.get(k::connamespace).as_oid();
  n.type = 'f';
  n.table = row.get(k::conrelid).as_oid();
  n.referenced = row.get(k::confrelid).as_oid();
  n.index = row.get(k::conindid).as_oid();
  n.parent = row.get(k::conparentid).as_oid();
  n.deferrable = row.get(k::condeferrable).as_bool();
  n.initially_deferred = row.get(k::condeferred).as_bool();
  n.validated = row.get(k::convalidated).as_bool();
  n.on_update = row.get(k::confupdtype).as_char();
  n.on_delete = row.get(k::confdeltype).as_char();
  n.match = row.get(k::confmatchtype).as_char();
  n.columns = columns_in(row, k::conkey, arena);
  n.referenced_columns = columns_in(row, k::confkey, arena);
  n.set_null_columns = columns_in(row, k::confdelsetcols, arena);
  n.equal_pk_fk = oids_in(row, k::conpfeqop, arena);
  n.equal_pk_pk = oids_in(row, k::conppeqop, arena);
  n.equal_fk_fk = oids_in(row, k::conffeqop, arena);
  return s;
}

// The keys that the table has, those that only watch partitions of a referenced table included.
std::vector<StoredKey> all_keys_of(Oid table) {
  Arena arena(4096);
  std::vector<StoredKey> out;
  CatalogTable constraints(catalog_oid::pg_constraint, LockMode::access_share);
  const catalog::CatalogKey keys[] = {{k::conrelid, Datum::of(table)}};
  constraints.scan(keys, arena, [&](CatalogRow& row) {
    if (row.get(k::contype).as_char() == 'f') out.push_back(stored_key(row, arena));
    return true;
  });
  std::sort(out.begin(), out.end(), [](const StoredKey& a, const StoredKey& b) { return raw(a.oid) < raw(b.oid); });
  return out;
}

bool watches_a_partition(const StoredKey& key, const std::vector<StoredKey>& all) {
  return is_valid(key.key.parent) && std::any_of(all.begin(), all.end(), [&](const StoredKey& other) { return other.oid == key.key.parent; });
}

std::vector<StoredKey> own_keys_of(Oid table) {
  std::vector<StoredKey> all = all_keys_of(table), out;
  for (const StoredKey& key : all) if (!watches_a_partition(key, all)) out.push_back(key);
  return out;
}

std::vector<StoredKey> keys_to(const catalog::Relation& table) {
  Arena arena(4096);
  std::vector<StoredKey> out;
  CatalogTable constraints(catalog_oid::pg_constraint, LockMode::access_share);
  for (const catalog::ForeignKey& key : table.referenced_by) {
    auto row = constraints.find({{k::oid, Datum::of(key.oid)}}, arena);
    if (row) out.push_back(stored_key(*row, arena));
  }
  return out;
}

// --- triggers ---------------------------------------------------------------------------------------------------------------------
Oid find_trigger(Oid constraint, Oid function) {
  namespace t = catalog::pg_trigger;
  if (!is_valid(constraint)) return kInvalidOid;
  Arena arena(2048);
  Oid found = kInvalidOid;
  CatalogTable triggers(catalog_oid::pg_trigger, LockMode::access_share);
  const catalog::CatalogKey keys[] = {{t::tgconstraint, Datum::of(constraint)}};
  triggers.scan(keys, arena, [&](CatalogRow& row) {
    if (row.get(t::tgfoid).as_oid() == function) found = row.get(t::oid).as_oid();
    return true;
  });
  return found;
}

// The rows by which a table's descriptor finds the keys that point to it, named and typed as PostgreSQL's constraint triggers; the
// checks themselves are the executor's.
void insert_trigger(Oid table, Oid other, Oid constraint, const NewConstraint& n, char side, Oid function, std::int16_t type, Oid parent) {
  namespace t = catalog::pg_trigger;
  Arena arena(512);
  Oid oid = catalog::new_oid(catalog_oid::pg_trigger);
  {
    catalog::CatalogTable triggers(catalog_oid::pg_trigger, locking::LockMode::row_exclusive);
    catalog::CatalogRow row = triggers.new_row();
    row.set(t::oid, Datum::of(oid));
    row.set(t::tgrelid, Datum::of(table));
    row.set(t::tgparentid, Datum::of(parent));
    row.set(t::tgname, make_name(arena, fmt::format("RI_ConstraintTrigger_{}_{}", side, raw(oid))));
    row.set(t::tgfoid, Datum::of(function));
    row.set(t::tgtype, Datum::of(type));
    row.set(t::tgenabled, Datum::of('O'));
    row.set(t::tgisinternal, Datum::of(true));
    row.set(t::tgconstrrelid, Datum::of(other));
    row.set(t::tgconstrindid, Datum::of(n.index));
    row.set(t::tgconstraint, Datum::of(constraint));
    row.set(t::tgdeferrable, Datum::of(n.deferrable));
    row.set(t::tginitdeferred, Datum::of(n.initially_deferred));
    row.set(t::tgnargs, Datum::of(std::int16_t{0}));
    row.set(t::tgattr, int2_vector(arena, {}));
    row.set(t::tgargs, varlena::make(arena, ""));
    triggers.insert(row);
  }
  catalog::record_dependency({catalog_oid::pg_trigger, oid, 0}, {catalog_oid::pg_constraint, constraint, 0}, catalog::DependencyKind::internal);
}
void insert_triggers(Oid constraint, const NewConstraint& n, KeySide side) {
  constexpr std::int16_t kAfterInsert = 5, kAfterDelete = 9, kAfterUpdate = 17;
  // RI_FKey_cascade_del is 1646; each action has a pair, delete then update.
  auto function = [](char action, bool update) {
    std::uint32_t base = action == 'c' ? 1646 : action == 'r' ? 1648 : action == 'n' ? 1650 : action == 'd' ? 1652 : 1654;
    return Oid{base + (update ? 1u : 0u)};
  };
  auto insert = [&](Oid table, Oid other, char letter, Oid code, std::int16_t type) {
    insert_trigger(table, other, constraint, n, letter, code, type, find_trigger(n.parent, code));
  };
  if (side != KeySide::referencing) {
    insert(n.referenced, n.table, 'a', function(n.on_delete, false), kAfterDelete);
    insert(n.referenced, n.table, 'a', function(n.on_update, true), kAfterUpdate);
  }
  if (side != KeySide::referenced) {
    insert(n.table, n.referenced, 'c', Oid{1644}, kAfterInsert);
    insert(n.table, n.referenced, 'c', Oid{1645}, kAfterUpdate);
  }
  auto has_triggers = [](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relhastriggers, Datum::of(true)); };
  if (side != KeySide::referenced) update_class_row(n.table, has_triggers);
  if (side != KeySide::referencing && (n.referenced != n.table || side == KeySide::referenced)) update_class_row(n.referenced, has_triggers);
}

// The triggers on the referenced table: those of the parent constraint do for its partitions.
void remove_action_triggers(const StoredKey& key) {
  namespace t = catalog::pg_trigger;
  Arena arena(2048);
  std::vector<ObjectAddress> found;
  {
    CatalogTable triggers(catalog_oid::pg_trigger, LockMode::access_share);
    const catalog::CatalogKey keys[] = {{t::tgconstraint, Datum::of(key.oid)}};
    triggers.scan(keys, arena, [&](CatalogRow& row) {
      Oid code = row.get(t::tgfoid).as_oid();
      if (row.get(t::tgrelid).as_oid() == key.key.referenced && code != Oid{1644} && code != Oid{1645})
        found.push_back({catalog_oid::pg_trigger, row.get(t::oid).as_oid(), 0});
      return true;
    });
  }
  if (found.empty()) return;
  for (const ObjectAddress& trigger : found) catalog::remove_dependencies_of(trigger);   // the constraint does not hold them any more
  transaction::advance_command();
  catalog::perform_deletion(found, false, true);
}

// A row that watches a partition of the referenced table goes, with those below it.
void remove_watch(Oid constraint) {
  ObjectAddress self{catalog_oid::pg_constraint, constraint, 0};
  catalog::remove_dependencies_of(self, catalog_oid::pg_constraint);
  transaction::advance_command();
  catalog::perform_deletion({&self, 1}, true, true);
  transaction::advance_command();
}

std::vector<AttrNumber> mapped(const std::vector<AttrNumber>& columns, std::span<const AttrNumber> map) {
  std::vector<AttrNumber> out = columns;
  if (!map.empty()) for (AttrNumber& n : out) n = map[static_cast<std::size_t>(n - 1)];
  return out;
}

std::string fresh_name(const catalog::Relation& table, const std::vector<AttrNumber>& columns) {
  std::string names;
  for (AttrNumber n : columns) {
    if (!names.empty()) names += '_';
    names += (*table.descriptor)[n - 1].name;
  }
  return choose_constraint_name(table.name, names, "fkey", table.schema, {});
}

// The partition's part of an index of its parent.
Oid partition_index(const catalog::Relation& child, Oid parent_index) {
  for (const catalog::IndexDescriptor* i : child.indexes) {
    RelationRef index = catalog::open_relation(i->oid, LockMode::none);
    if (index->parent == parent_index) return i->oid;
  }
  throw SqlError(sqlstate::internal_error, "index for {} not found in partition {}", raw(parent_index), child.name);
}

void watch_one(Oid parent_constraint, const NewConstraint& n, Oid child_oid) {
  Arena arena(1024);
  RelationRef pk = catalog::open_relation(n.referenced, LockMode::none), fk = catalog::open_relation(n.table, LockMode::none);
  RelationRef child = catalog::open_relation(child_oid, LockMode::none);
  NewConstraint m = n;
  m.referenced = child_oid;
  m.referenced_columns = mapped(n.referenced_columns, partition::column_map(*pk, *child, arena));
  m.index = partition_index(*child, n.index);
  m.parent = parent_constraint;
  m.is_local = m.no_inherit = false;
  m.inherit_count = 1;
  m.name = constraint_name_is_used(n.table, kInvalidOid, n.name) ? fresh_name(*fk, n.columns) : n.name;
  watch_referenced_partitions(insert_foreign_key(m, KeySide::referenced), m);
}

bool same_key(const NewConstraint& own, const NewConstraint& wanted) {
  return !is_valid(own.parent) && own.referenced == wanted.referenced && own.columns == wanted.columns && own.referenced_columns == wanted.referenced_columns &&
         own.equal_pk_fk == wanted.equal_pk_fk && own.on_update == wanted.on_update && own.on_delete == wanted.on_delete && own.match == wanted.match &&
         own.deferrable == wanted.deferrable && own.initially_deferred == wanted.initially_deferred && own.validated;
}

void adopt(const StoredKey& own, Oid parent_constraint, Oid child) {
  for (const StoredKey& other : all_keys_of(child)) if (other.key.parent == own.oid && other.key.table == child) remove_watch(other.oid);
  remove_action_triggers(own);
  set_parent_constraint(own.oid, parent_constraint, child);
  catalog::note_change(catalog_oid::pg_class, own.key.referenced);
  catalog::note_change(catalog_oid::pg_class, child);
  transaction::advance_command();
}

void add_to_one(Oid parent_constraint, const NewConstraint& n, Oid child_oid, bool validate) {
  Arena arena(1024);
  RelationRef parent = catalog::open_relation(n.table, LockMode::none), child = catalog::open_relation(child_oid, LockMode::none);
  std::span<const AttrNumber> map = partition::column_map(*parent, *child, arena);
  NewConstraint m = n;
  m.table = child_oid;
  m.schema = child->schema;
  m.columns = mapped(n.columns, map);
  m.set_null_columns = mapped(n.set_null_columns, map);
  m.parent = parent_constraint;
  m.is_local = m.no_inherit = false;
  m.inherit_count = 1;
  for (const StoredKey& own : own_keys_of(child_oid)) {
    if (same_key(own.key, m)) return adopt(own, parent_constraint, child_oid);
  }
  if (constraint_name_is_used(child_oid, kInvalidOid, m.name)) m.name = fresh_name(*child, m.columns);
  Oid oid = insert_foreign_key(m, KeySide::referencing);
  if (child->kind == kind::partitioned_table) add_to_referencing_partitions(oid, m, validate);
  else if (validate) executor::validate_foreign_key(oid);
}

}  // namespace

Oid insert_foreign_key(const NewConstraint& n, KeySide side) {
  Oid oid = insert_constraint(n);
  ObjectAddress self{catalog_oid::pg_constraint, oid, 0}, parent{catalog_oid::pg_constraint, n.parent, 0};
  if (is_valid(n.parent) && side == KeySide::referenced) {
    catalog::record_dependency(self, parent, DependencyKind::internal);
  } else if (is_valid(n.parent)) {
    catalog::record_dependency(self, parent, DependencyKind::partition_primary);
    catalog::record_dependency(self, {catalog_oid::pg_class, n.table, 0}, DependencyKind::partition_secondary);
  }
  insert_triggers(oid, n, side);
  transaction::advance_command();
  return oid;
}

void watch_referenced_partitions(Oid parent, const NewConstraint& n) {
  RelationRef pk = catalog::open_relation(n.referenced, LockMode::none);
  for (Oid child : partitions_to_alter(*pk, LockMode::share_row_exclusive)) watch_one(parent, n, child);
}

void add_to_referencing_partitions(Oid parent, const NewConstraint& n, bool validate) {
  RelationRef fk = catalog::open_relation(n.table, LockMode::none);
  for (Oid child : partitions_to_alter(*fk, LockMode::share_row_exclusive)) add_to_one(parent, n, child, validate);
}

void clone_foreign_keys(const catalog::Relation& parent, Oid child, bool validate) {
  if (!parent.foreign_keys.empty()) {
    for (const StoredKey& key : own_keys_of(parent.oid)) add_to_one(key.oid, key.key, child, validate);
  }
  for (const StoredKey& key : keys_to(parent)) watch_one(key.oid, key.key, child);
}

namespace {

// The parent's partition that takes the key a referencing row has; the key columns of the parent are all among those referenced.
int member_of_row(const partition::PartitionDescriptor& d, const catalog::ForeignKey& key, std::span<const AttrNumber> map, const catalog::Relation& leaf,
                  const Datum* values, const bool* nulls) {
  Arena arena(512);
  Datum wanted[partition::kMaxKeyColumns];
  bool is_null[partition::kMaxKeyColumns] = {};
  for (std::size_t i = 0; i < key.columns.size(); ++i) if (nulls[key.columns[i] - 1]) return -1;
  for (std::size_t i = 0; i < d.key->columns.size(); ++i) {
    AttrNumber column = map.empty() ? d.key->columns[i].column : map[static_cast<std::size_t>(d.key->columns[i].column - 1)];
    auto at = static_cast<std::size_t>(std::find(key.referenced_columns.begin(), key.referenced_columns.end(), column) - key.referenced_columns.begin());
    wanted[i] = values[key.columns[at] - 1];
    // The referencing column may have a type of its own.
    const catalog::CastInfo* cast = catalog::find_cast(catalog::base_type((*leaf.descriptor)[key.columns[at] - 1].type), d.key->columns[i].type);
    if (cast != nullptr && is_valid(cast->function)) wanted[i] = call_function(cast->function, arena, {wanted[i]});
  }
  return partition::member_for_key(d, wanted, is_null);
}

void check_leaf(const catalog::Relation& leaf, const catalog::ForeignKey& key, const catalog::Relation& child, const catalog::Relation& parent) {
  const partition::PartitionDescriptor& d = partition::full_descriptor_of(parent);
  Arena arena(1024);
  std::span<const AttrNumber> map = partition::column_map(parent, child, arena);
  for_each_row(leaf, [&](const Datum* values, const bool* nulls, const HeapTuple&) {
    int member = member_of_row(d, key, map, leaf, values, nulls);
    if (member < 0 || d.members[static_cast<std::size_t>(member)].oid != child.oid) return;
    std::string names, texts;
    for (std::size_t i = 0; i < key.columns.size(); ++i) {
      const Attribute& a = (*leaf.descriptor)[key.columns[i] - 1];
      if (i > 0) names += ", ", texts += ", ";
      names += a.name;
      texts += call_function(catalog::type_info(a.type).output, arena, {values[static_cast<std::size_t>(key.columns[i] - 1)]}).as_pointer<char>();
    }
    RelationRef referencing = catalog::open_relation(key.referencing, LockMode::none);
    throw SqlError(sqlstate::foreign_key_violation, "removing partition \"{}\" violates foreign key constraint \"{}\"", child.name, key.name)
        .detail(fmt::format("Key ({})=({}) is still referenced from table \"{}\".", names, texts, referencing->name))
        .schema(referencing->schema_name).table(referencing->name).constraint(key.name);
  });
}

void check_referencing(Oid table, const catalog::ForeignKey& key, const catalog::Relation& child, const catalog::Relation& parent) {
  RelationRef r = catalog::open_relation(table, LockMode::share_row_exclusive);
  if (r->kind == kind::table) {
    Arena arena(512);
    RelationRef top = catalog::open_relation(key.referencing, LockMode::none);
    catalog::ForeignKey own = key;
    std::vector<AttrNumber> columns = mapped({key.columns.begin(), key.columns.end()}, partition::column_map(*top, *r, arena));
    own.columns = columns;
    check_leaf(*r, own, child, parent);
  }
  for (Oid below : partitions_of(*r, LockMode::share_row_exclusive)) check_referencing(below, key, child, parent);
}

}  // namespace

void check_no_references(const catalog::Relation& child) {
  if (child.referenced_by.empty()) return;
  RelationRef parent = catalog::open_relation(child.parent, LockMode::none);
  for (const catalog::ForeignKey& key : child.referenced_by) check_referencing(key.referencing, key, child, *parent);
}

void release_foreign_keys(const catalog::Relation& parent, Oid child_oid) {
  RelationRef child = catalog::open_relation(child_oid, LockMode::none);
  for (const StoredKey& key : keys_to(*child)) if (is_valid(key.key.parent)) remove_watch(key.oid);
  if (parent.foreign_keys.empty()) return;
  for (StoredKey& key : own_keys_of(child_oid)) {
    if (!is_valid(key.key.parent)) continue;
    set_parent_constraint(key.oid, kInvalidOid, child_oid);
    transaction::advance_command();
    key.key.parent = kInvalidOid;
    insert_triggers(key.oid, key.key, KeySide::referenced);
    transaction::advance_command();
    watch_referenced_partitions(key.oid, key.key);
  }
}

}  // namespace hathi::ddl
