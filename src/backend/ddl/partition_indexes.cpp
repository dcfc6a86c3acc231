#include "partition_indexes.h"

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "inheritance.h"
#include "object_names.h"
#include "partitions.h"
#include "relation_store.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::DependencyKind;
using catalog::IndexDescriptor;
using catalog::ObjectAddress;
using locking::LockMode;

AttrNumber mapped(std::span<const AttrNumber> map, AttrNumber n) { return n <= 0 || map.empty() ? n : map[static_cast<std::size_t>(n - 1)]; }

// The name an index column got when it was made.
std::string column_name(const catalog::Relation& index_relation, const catalog::Relation& table, std::size_t i) {
  namespace a = catalog::pg_attribute;
  if (AttrNumber column = index_relation.index->columns[i]; column != 0) return std::string((*table.descriptor)[column - 1].name);
  Arena arena(1024);
  CatalogTable attributes(catalog_oid::pg_attribute, LockMode::access_share);
  auto row = attributes.find({{a::attrelid, Datum::of(index_relation.oid)}, {a::attnum, Datum::of(static_cast<AttrNumber>(i + 1))}}, arena);
  return row ? std::string(name_text(row->get(a::attname))) : "expr";
}

// What the child's counterpart of an index looks like. parent: the index's own relation.
NewIndex counterpart(const catalog::Relation& index_relation, const catalog::Relation& parent, const catalog::Relation& child, Arena& arena) {
  const IndexDescriptor& from = *index_relation.index;
  NewIndex n = same_definition(index_relation, parent, child, arena);
  n.primary = from.primary;
  n.immediate = from.immediate;
  n.deferrable = from.deferrable;
  n.initially_deferred = from.initially_deferred;
  n.parent_index = from.oid;
  n.parent_constraint = from.constraint;
  if (is_valid(from.constraint)) n.constraint = from.primary ? 'p' : 'u';
  std::string joined = joined_names(n.columns, std::mem_fn(&NewIndexColumn::name));
  if (n.primary) n.name = choose_relation_name(child.name, {}, "pkey", child.schema);
  else n.name = choose_relation_name(child.name, joined, n.constraint != '\0' ? "key" : "idx", child.schema);
  return n;
}

// Would the index do as the counterpart? Names, order and options do not matter.
bool matches(const IndexDescriptor& index, const NewIndex& wanted) {
  if (index.access_method != wanted.access_method || index.unique != wanted.unique || index.nulls_not_distinct != wanted.nulls_not_distinct) return false;
  if (index.key_count != wanted.key_count || index.columns.size() != wanted.columns.size() || index.exclusion) return false;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < index.columns.size(); ++i) {
    const NewIndexColumn& w = wanted.columns[i];
    if (index.columns[i] != w.column) return false;
    if (w.column == 0 && !nodes::equal(index.expressions[next++], w.expression)) return false;
    if (static_cast<int>(i) >= index.key_count) continue;
    const catalog::OperatorClassInfo* info = catalog::find_operator_class(w.operator_class);
    if (info == nullptr || info->family != index.operator_families[i] || index.collations[i] != w.collation) return false;
  }
  if (index.predicate.size() != wanted.predicate.size()) return false;
  for (std::uint32_t i = 0; i < index.predicate.size(); ++i) {
    if (!nodes::equal(index.predicate[i], wanted.predicate[i])) return false;
  }
  return true;
}

void set_index_valid(Oid index, bool valid) {
  namespace x = catalog::pg_index;
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_index, LockMode::row_exclusive);
  auto row = table.find({{x::indexrelid, Datum::of(index)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for index {}", raw(index));
  row->set(x::indisvalid, Datum::of(valid));
  table.update(*row);
}

void mark_has_children(Oid index) {
  catalog::RelationRef r = catalog::open_relation(index, LockMode::none);
  if (r->has_subclass) return;
  update_class_row(index, [](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relhassubclass, Datum::of(true)); });
}

// An index that exists becomes part of a partitioned one.
void attach_index(const IndexDescriptor& index, const NewIndex& wanted) {
  insert_inheritance_row(index.oid, wanted.parent_index, 1);
  ObjectAddress self{catalog_oid::pg_class, index.oid, 0};
  catalog::record_dependency(self, {catalog_oid::pg_class, wanted.parent_index, 0}, DependencyKind::partition_primary);
  catalog::record_dependency(self, {catalog_oid::pg_class, index.table, 0}, DependencyKind::partition_secondary);
  update_class_row(index.oid, [](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relispartition, Datum::of(true)); });
  mark_has_children(wanted.parent_index);
  if (is_valid(wanted.parent_constraint)) set_parent_constraint(constraint_of_index(index.oid, index.table), wanted.parent_constraint, index.table);
  catalog::note_change(catalog_oid::pg_class, index.table);
  transaction::advance_command();
}

bool is_part(Oid index) {
  catalog::RelationRef r = catalog::open_relation(index, LockMode::none);
  return r->is_partition;
}

// Returns whether the child's index is valid.
bool ensure_counterpart(const catalog::Relation& index_relation, const catalog::Relation& parent, Oid child_oid, bool skip_build = false) {
  Arena arena(4096);
  catalog::RelationRef child = catalog::open_relation(child_oid, LockMode::none);
  NewIndex wanted = counterpart(index_relation, parent, *child, arena);
  wanted.skip_build = skip_build;
  for (const IndexDescriptor* i : child->indexes) {
    if (!matches(*i, wanted) || is_part(i->oid)) continue;
    if (wanted.constraint != '\0' && !is_valid(i->constraint)) continue;
    bool valid = i->valid;
    attach_index(*i, wanted);
    return valid;
  }
  if (wanted.primary) {
    for (const IndexDescriptor* i : child->indexes) {
      if (i->primary) throw SqlError(sqlstate::invalid_table_definition, "multiple primary keys for table \"{}\" are not allowed", child->name);
    }
  }
  if (child->kind == kind::partitioned_table) create_partitioned_index(std::move(wanted), *child, {}, true);
  else create_index(wanted);
  return true;
}

std::vector<Oid> members_of(const catalog::Relation& table) {
  std::vector<Oid> members;
  for (const partition::Member& m : partition::full_descriptor_of(table).members) members.push_back(m.oid);
  return members;
}

// The index of the child that is part of the parent's index.
bool has_counterpart(Oid child, Oid parent_index) {
  catalog::RelationRef r = catalog::open_relation(child, LockMode::none);
  return std::any_of(r->indexes.begin(), r->indexes.end(), [&](const IndexDescriptor* i) {
    catalog::RelationRef index = catalog::open_relation(i->oid, LockMode::none);
    return index->parent == parent_index;
  });
}

// A partitioned index is valid once every partition has a valid part of it; then its own parent may be, too.
void validate_partitioned_index(Oid index_oid) {
  catalog::RelationRef index = catalog::open_relation(index_oid, LockMode::none);
  catalog::RelationRef table = catalog::open_relation(index->index->table, LockMode::none);
  std::size_t valid = 0;
  for (Oid child : children_of(index_oid, LockMode::none)) {
    catalog::RelationRef part = catalog::open_relation(child, LockMode::none);
    if (part->index->valid) ++valid;
  }
  if (valid != partition::full_descriptor_of(*table).members.size()) return;
  if (!index->index->valid) {
    set_index_valid(index_oid, true);
    transaction::advance_command();
  }
  if (index->is_partition && is_valid(index->parent)) {
    catalog::RelationRef parent = catalog::open_relation(index->parent, LockMode::none);
    if (!parent->index->valid) validate_partitioned_index(index->parent);
  }
}

}  // namespace

NewIndex same_definition(const catalog::Relation& index_relation, const catalog::Relation& table, const catalog::Relation& other, Arena& arena) {
  const IndexDescriptor& from = *index_relation.index;
  std::span<const AttrNumber> map = partition::column_map(table, other, arena);
  // (The same table's own expressions may name whole rows.)
  auto translated = [&](const nodes::Expr* e) { return table.oid == other.oid ? nodes::copy(e, arena) : map_columns(e, map, arena); };
  NewIndex n;
  n.table = other.oid;
  n.access_method = from.access_method;
  n.unique = from.unique;
  n.nulls_not_distinct = from.nulls_not_distinct;
  n.key_count = from.key_count;
  n.tablespace = index_relation.tablespace;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    NewIndexColumn c;
    c.column = mapped(map, from.columns[i]);
    if (c.column == 0) c.expression = translated(from.expressions[next++]);
    c.name = column_name(index_relation, table, i);
    if (static_cast<int>(i) < from.key_count) {
      c.operator_class = from.operator_classes[i];
      c.collation = from.collations[i];
      c.options = from.options[i];
    }
    n.columns.push_back(c);
  }
  for (const nodes::Expr* e : from.predicate) n.predicate.push_back(arena, translated(e));
  for (std::string_view option : index_relation.options) n.options.push_back(arena.copy(option));
  return n;
}

Oid constraint_of_index(Oid index, Oid table) {
  namespace c = catalog::pg_constraint;
  Arena arena(2048);
  Oid found = kInvalidOid;
  CatalogTable constraints(catalog_oid::pg_constraint, LockMode::access_share);
  const catalog::CatalogKey keys[] = {{c::conrelid, Datum::of(table)}};
  constraints.scan(keys, arena, [&](CatalogRow& row) {
    char type = row.get(c::contype).as_char();
    if (row.get(c::conindid).as_oid() == index && (type == 'p' || type == 'u' || type == 'x')) found = row.get(c::oid).as_oid();
    return !is_valid(found);
  });
  return found;
}

void set_parent_constraint(Oid constraint, Oid parent_constraint, Oid table) {
  namespace c = catalog::pg_constraint;
  {
    Arena arena(1024);
    CatalogTable constraints(catalog_oid::pg_constraint, LockMode::row_exclusive);
    auto row = constraints.find({{c::oid, Datum::of(constraint)}}, arena);
    if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for constraint {}", raw(constraint));
    bool is_child = is_valid(parent_constraint);
    row->set(c::conislocal, Datum::of(!is_child));
    row->set(c::coninhcount, Datum::of(std::int32_t{row->get(c::coninhcount).as_int32() + (is_child ? 1 : -1)}));
    row->set(c::conparentid, Datum::of(parent_constraint));
    constraints.update(*row);
  }
  ObjectAddress self{catalog_oid::pg_constraint, constraint, 0};
  if (is_valid(parent_constraint)) {
    catalog::record_dependency(self, {catalog_oid::pg_constraint, parent_constraint, 0}, DependencyKind::partition_primary);
    catalog::record_dependency(self, {catalog_oid::pg_class, table, 0}, DependencyKind::partition_secondary);
  } else {
    remove_partition_dependencies(self);
  }
}

void remove_partition_dependencies(const ObjectAddress& object) {
  namespace d = catalog::pg_depend;
  Arena arena(2048);
  std::vector<TupleId> found;
  CatalogTable table(catalog_oid::pg_depend, LockMode::row_exclusive);
  const catalog::CatalogKey keys[] = {{d::classid, Datum::of(object.class_id)}, {d::objid, Datum::of(object.object)}};
  table.scan(keys, arena, [&](CatalogRow& row) {
    char type = row.get(d::deptype).as_char();
    if (type == 'P' || type == 'S') found.push_back(row.tid);
    return true;
  });
  for (TupleId tid : found) table.remove(tid);
}

void check_key_covers_partitioning(const NewIndex& index, const catalog::Relation& table, std::string_view what) {
  for (const partition::KeyColumn& c : partition::key_of(table).columns) {
    if (c.column == 0) {
      throw SqlError(sqlstate::feature_not_supported, "unsupported {} constraint with partition key definition", what)
          .detail(fmt::format("{} constraints cannot be used when partition keys include expressions.", what));
    }
    auto end = index.columns.begin() + index.key_count;
    if (std::any_of(index.columns.begin(), end, [&](const NewIndexColumn& i) { return i.column == c.column; })) continue;
    throw SqlError(sqlstate::feature_not_supported, "unique constraint on partitioned table must include all partitioning columns")
        .detail(fmt::format("{} constraint on table \"{}\" lacks column \"{}\" which is part of the partition key.", what, table.name,
                            (*table.descriptor)[c.column - 1].name));
  }
}

Oid create_partitioned_index(NewIndex n, const catalog::Relation& table, std::string_view, bool recurse) {
  if (n.unique) check_key_covers_partitioning(n, table, n.primary ? "PRIMARY KEY" : "UNIQUE");
  std::vector<Oid> members = members_of(table);
  n.is_partitioned = true;
  n.is_valid = recurse || members.empty();
  Oid oid = create_index(n);
  if (!recurse) return oid;
  bool all_valid = true;
  LockMode mode = n.constraint != '\0' ? LockMode::access_exclusive : LockMode::share;
  for (Oid member : members) {
    catalog::lock_relation(member, mode);
    require_not_in_use(*catalog::open_relation(member, LockMode::none), "CREATE INDEX");
    catalog::RelationRef parent = catalog::open_relation(table.oid, LockMode::none);
    catalog::RelationRef index = catalog::open_relation(oid, LockMode::none);
    all_valid = ensure_counterpart(*index, *parent, member, n.skip_build) && all_valid;
  }
  if (!all_valid) {
    set_index_valid(oid, false);
    transaction::advance_command();
  }
  return oid;
}

void ensure_partition_indexes(const catalog::Relation& parent, Oid child) {
  for (const IndexDescriptor* i : parent.indexes) {
    catalog::RelationRef index = catalog::open_relation(i->oid, LockMode::access_share);
    bool valid = ensure_counterpart(*index, parent, child);
    if (!valid && i->valid) {
      set_index_valid(i->oid, false);
      transaction::advance_command();
    }
  }
}

void release_partition_indexes(const catalog::Relation& child) {
  for (const IndexDescriptor* i : child.indexes) {
    catalog::RelationRef index = catalog::open_relation(i->oid, LockMode::none);
    if (!index->is_partition) continue;
    {
      namespace h = catalog::pg_inherits;
      Arena arena(1024);
      CatalogTable table(catalog_oid::pg_inherits, LockMode::row_exclusive);
      auto row = table.find({{h::inhrelid, Datum::of(i->oid)}}, arena);
      if (row) table.remove(row->tid);
    }
    remove_partition_dependencies({catalog_oid::pg_class, i->oid, 0});
    update_class_row(i->oid, [](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relispartition, Datum::of(false)); });
    if (is_valid(i->constraint)) set_parent_constraint(i->constraint, kInvalidOid, child.oid);
    catalog::note_change(catalog_oid::pg_class, child.oid);
  }
}

void attach_index_statement(const catalog::Relation& parent_index, const parser::RangeVar& name) {
  Oid found = analyzer::find_by_name(&name);
  catalog::RelationRef peek = catalog::open_relation(found, LockMode::none);
  if (peek->index == nullptr) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not an index", peek->name);
  catalog::lock_relation(peek->index->table, LockMode::access_share);
  catalog::RelationRef index = catalog::open_relation(found, LockMode::access_exclusive);
  catalog::RelationRef table = catalog::open_relation(index->index->table, LockMode::none);
  catalog::RelationRef parent = catalog::open_relation(parent_index.index->table, LockMode::access_share);
  if (index->is_partition && index->parent == parent_index.oid) return;
  auto refuse = [&](std::string why) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "cannot attach index \"{}\" as a partition of index \"{}\"", index->name,
                   parent_index.name)
        .detail(std::move(why));
  };
  if (has_counterpart(table->oid, parent_index.oid)) refuse(fmt::format("Another index is already attached for partition \"{}\".", table->name));
  if (is_part(index->oid)) refuse(fmt::format("Index \"{}\" is already attached to another index.", index->name));
  std::vector<Oid> members = members_of(*parent);
  if (std::find(members.begin(), members.end(), table->oid) == members.end()) {
    refuse(fmt::format("Index \"{}\" is not an index on any partition of table \"{}\".", index->name, parent->name));
  }
  Arena arena(4096);
  NewIndex wanted = counterpart(parent_index, *parent, *table, arena);
  if (!matches(*index->index, wanted)) refuse("The index definitions do not match.");
  if (wanted.constraint != '\0' && !is_valid(index->index->constraint)) {
    refuse(fmt::format("The index \"{}\" belongs to a constraint in table \"{}\" but no constraint exists for index \"{}\".", parent_index.name,
                       parent->name, index->name));
  }
  Oid parent_oid = parent_index.oid;
  attach_index(*index->index, wanted);
  validate_partitioned_index(parent_oid);
}

}  // namespace hathi::ddl
