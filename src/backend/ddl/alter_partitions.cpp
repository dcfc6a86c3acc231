// ALTER TABLE … ATTACH PARTITION, DETACH PARTITION.

#include <algorithm>
#include <functional>
#include <optional>

#include "alter_table.h"
#include "foreign_keys.h"
#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation_locks.h"
#include "hathi/executor/executor.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "inheritance.h"
#include "object_names.h"
#include "partition_bound.h"
#include "partition_indexes.h"
#include "partitions.h"
#include "row_values.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace a = catalog::pg_attribute;
using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::Relation;
using catalog::RelationRef;
using locking::LockMode;

[[noreturn]] void wrong(SqlState code, std::string message) { throw SqlError(code, "{}", message); }

void check_temporary(const Relation& parent, const Relation& child) {
  if (parent.persistence != 't' && child.persistence == 't') {
    wrong(sqlstate::wrong_object_type, fmt::format("cannot attach a temporary relation as partition of permanent relation \"{}\"", parent.name));
  }
  if (parent.persistence == 't' && child.persistence != 't') {
    wrong(sqlstate::wrong_object_type, fmt::format("cannot attach a permanent relation as partition of temporary relation \"{}\"", parent.name));
  }
  if (parent.is_temporary_of_other) wrong(sqlstate::wrong_object_type, "cannot attach as partition of temporary relation of another session");
  if (child.is_temporary_of_other) wrong(sqlstate::wrong_object_type, "cannot attach temporary relation of another session as partition");
}

// What may never be a partition of the parent.
void check_may_attach(const Relation& parent, const Relation& child) {
  if (child.kind != kind::table && child.kind != kind::partitioned_table) {
    throw SqlError(sqlstate::wrong_object_type, "ALTER action ATTACH PARTITION cannot be performed on relation \"{}\"", child.name)
        .detail(fmt::format("This operation is not supported for {}.", relation_words(child.kind).plural));
  }
  if (!catalog::is_owner(catalog_oid::pg_class, child.oid, catalog::current_role())) catalog::throw_not_owner("table", child.name);
  if (child.is_partition) wrong(sqlstate::wrong_object_type, fmt::format("\"{}\" is already a partition", child.name));
  if (is_valid(child.of_type)) wrong(sqlstate::wrong_object_type, "cannot attach a typed table as partition");
  if (!parents_of(child.oid).empty()) wrong(sqlstate::wrong_object_type, "cannot attach inheritance child as partition");
  if (child.kind == kind::table && child.has_subclass && !children_of(child.oid, LockMode::none).empty()) {
    wrong(sqlstate::wrong_object_type, "cannot attach inheritance parent as partition");
  }
  std::vector<Oid> below = child.kind == kind::partitioned_table ? all_descendants(child.oid, LockMode::access_exclusive) : std::vector<Oid>();
  if (child.oid == parent.oid || std::find(below.begin(), below.end(), parent.oid) != below.end()) {
    throw SqlError(sqlstate::duplicate_table, "circular inheritance not allowed")
        .detail(fmt::format("\"{}\" is already a child of \"{}\".", parent.name, child.name));
  }
  check_temporary(parent, child);
  for (int i = 0; i < child.descriptor->count(); ++i) {
    const Attribute& column = (*child.descriptor)[i];
    if (column.dropped || has_column(parent, column.name)) continue;
    throw SqlError(sqlstate::datatype_mismatch, "table \"{}\" contains column \"{}\" not found in parent \"{}\"", child.name, column.name, parent.name)
        .detail("The new partition may contain only the columns present in parent.");
  }
}

// The child's columns count as inherited from now on.
void merge_columns(const Relation& parent, const Relation& child) {
  for (int i = 0; i < parent.descriptor->count(); ++i) {
    const Attribute& from = (*parent.descriptor)[i];
    if (from.dropped) continue;
    if (!has_column(child, from.name)) wrong(sqlstate::datatype_mismatch, fmt::format("child table is missing column \"{}\"", from.name));
    AttrNumber number = column_number(child, from.name);
    const Attribute& to = (*child.descriptor)[number - 1];
    if (from.type != to.type || from.typmod != to.typmod) {
      wrong(sqlstate::datatype_mismatch, fmt::format("child table \"{}\" has different type for column \"{}\"", child.name, from.name));
    }
    if (from.collation != to.collation) {
      wrong(sqlstate::collation_mismatch, fmt::format("child table \"{}\" has different collation for column \"{}\"", child.name, from.name));
    }
    if (from.not_null && !to.not_null) {
      wrong(sqlstate::datatype_mismatch, fmt::format("column \"{}\" in child table must be marked NOT NULL", from.name));
    }
    if (from.generated != '\0' && to.generated == '\0') {
      wrong(sqlstate::datatype_mismatch, fmt::format("column \"{}\" in child table must be a generated column", from.name));
    }
    if (from.generated == '\0' && to.generated != '\0') {
      wrong(sqlstate::datatype_mismatch, fmt::format("column \"{}\" in child table must not be a generated column", from.name));
    }
    update_attribute_row(child.oid, number, [&](CatalogRow& row, Arena&) {
      row.set(a::attinhcount, Datum::of(std::int32_t{to.inherit_count + 1}));
      row.set(a::attislocal, Datum::of(false));
    });
  }
}

void merge_checks(const Relation& parent, const Relation& child) {
  Arena arena(2048);
  std::span<const AttrNumber> map = partition::column_map(parent, child, arena);
  for (const catalog::CheckConstraint& check : parent.checks) {
    const catalog::CheckConstraint* own = nullptr;
    for (const catalog::CheckConstraint& other : child.checks) if (other.name == check.name) own = &other;
    if (own == nullptr) wrong(sqlstate::datatype_mismatch, fmt::format("child table is missing constraint \"{}\"", check.name));
    if (!nodes::equal(own->expr, map_columns(check.expr, map, arena))) {
      wrong(sqlstate::datatype_mismatch, fmt::format("child table \"{}\" has different definition for check constraint \"{}\"", child.name, check.name));
    }
    if (own->no_inherit) {
      wrong(sqlstate::invalid_object_definition,
            fmt::format("constraint \"{}\" conflicts with non-inherited constraint on child table \"{}\"", check.name, child.name));
    }
    if (check.validated && !own->validated) {
      wrong(sqlstate::invalid_object_definition,
            fmt::format("constraint \"{}\" conflicts with NOT VALID constraint on child table \"{}\"", check.name, child.name));
    }
    set_check_inherited(own->oid, true);
  }
}

void for_each_leaf(Oid table, const std::function<void(const Relation&)>& visit) {
  RelationRef r = catalog::open_relation(table, LockMode::none);
  if (r->kind == kind::table) visit(*r);
  for (Oid child : partitions_of(*r, LockMode::access_exclusive)) for_each_leaf(child, visit);
}

// Its implicit constraint and those of all below are others now.
void note_tree(const Relation& r) {
  catalog::note_change(catalog_oid::pg_class, r.oid);
  if (r.kind != kind::partitioned_table) return;
  for (Oid below : all_descendants(r.oid, LockMode::none)) catalog::note_change(catalog_oid::pg_class, below);
}

// 23514 when a row of the new partition does not fit its bounds; tables whose constraints say that all do are not read.
void validate_rows(const Relation& parent, const partition::Bound& bound, Oid child) {
  for_each_leaf(child, [&](const Relation& leaf) {
    Arena arena(4096);
    const nodes::Expr* constraint = partition::partition_constraint_for(parent, bound, leaf, arena);
    if (constraint == nullptr || partition::is_implied(constraint, leaf)) return;
    executor::validate_check(leaf.oid, constraint, {});
  });
}

RelationRef open_partition_to_detach(const Relation& parent, const parser::RangeVar& name, LockMode mode) {
  RelationRef child = analyzer::open_by_name(&name, mode);
  if (!child->is_partition || child->parent != parent.oid) {
    throw SqlError(sqlstate::undefined_table, "relation \"{}\" is not a partition of relation \"{}\"", child->name, parent.name);
  }
  return child;
}

void require_partitioned(const Relation& r) {
  if (r.kind == kind::partitioned_table) return;
  throw SqlError(sqlstate::invalid_object_definition, "table \"{}\" is not partitioned", r.name);
}

void release_columns(const Relation& parent, const Relation& child) {
  for (int i = 0; i < child.descriptor->count(); ++i) {
    const Attribute& column = (*child.descriptor)[i];
    if (column.dropped || !has_column(parent, column.name)) continue;
    update_attribute_row(child.oid, static_cast<AttrNumber>(i + 1), [&](CatalogRow& row, Arena&) {
      std::int32_t count = std::max(0, column.inherit_count - 1);
      row.set(a::attinhcount, Datum::of(count));
      if (count == 0) row.set(a::attislocal, Datum::of(true));
    });
  }
}

void release_checks(const Relation& parent, const Relation& child) {
  for (const catalog::CheckConstraint& check : child.checks) {
    bool inherited = std::any_of(parent.checks.begin(), parent.checks.end(), [&](const catalog::CheckConstraint& c) { return c.name == check.name; });
    if (inherited) set_check_inherited(check.oid, false);
  }
}

void remove_dependency_on_parent(Oid child, Oid parent) {
  namespace d = catalog::pg_depend;
  Arena arena(2048);
  std::vector<TupleId> found;
  CatalogTable table(catalog_oid::pg_depend, LockMode::row_exclusive);
  const catalog::CatalogKey keys[] = {{d::classid, Datum::of(catalog_oid::pg_class)}, {d::objid, Datum::of(child)}};
  table.scan(keys, arena, [&](CatalogRow& row) {
    bool on_parent =
        row.get(d::objsubid).as_int32() == 0 && row.get(d::refclassid).as_oid() == catalog_oid::pg_class && row.get(d::refobjid).as_oid() == parent;
    if (on_parent && row.get(d::deptype).as_char() == 'a') found.push_back(row.tid);
    return true;
  });
  for (TupleId tid : found) table.remove(tid);
}

// The partition becomes a table of its own.
void release(const Relation& parent, const Relation& child) {
  check_no_references(child);
  remove_partition(child.oid, parent.oid);
  remove_dependency_on_parent(child.oid, parent.oid);
  release_columns(parent, child);
  release_checks(parent, child);
  release_partition_indexes(child);
  update_class_row(child.oid, [](CatalogRow& row, Arena&) {
    row.set(catalog::pg_class::relispartition, Datum::of(false));
    row.set_null(catalog::pg_class::relpartbound);
  });
  note_tree(child);
  transaction::advance_command();
  release_foreign_keys(parent, child.oid);
}

std::optional<CatalogRow> find_inheritance(const CatalogTable& table, Oid child, Oid parent, Arena& arena) {
  return table.find({{catalog::pg_inherits::inhrelid, Datum::of(child)}, {catalog::pg_inherits::inhparent, Datum::of(parent)}}, arena);
}

bool is_detach_pending(Oid child, Oid parent) {
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_inherits, LockMode::access_share);
  auto row = find_inheritance(table, child, parent, arena);
  return row && row->get(catalog::pg_inherits::inhdetachpending).as_bool();
}

void check_none_pending(const Relation& parent) {
  for (const partition::Member& m : partition::full_descriptor_of(parent).members) {
    if (!m.detach_pending) continue;
    RelationRef other = catalog::open_relation(m.oid, LockMode::none);
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "partition \"{}\" already pending detach in partitioned table \"{}.{}\"", other->name,
                   parent.schema_name, parent.name)
        .hint("Use ALTER TABLE ... DETACH PARTITION ... FINALIZE to complete the pending detach operation.");
  }
}

void mark_detach_pending(Oid child, Oid parent) {
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_inherits, LockMode::row_exclusive);
  auto row = find_inheritance(table, child, parent, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "partition {} of {} is gone", raw(child), raw(parent));
  row->set(catalog::pg_inherits::inhdetachpending, Datum::of(true));
  table.update(*row);
  partition::forget_descriptor(parent);
  // Subtree locks no longer cover it: its own descriptor says so.
  catalog::note_change(catalog_oid::pg_class, child);
}

// Phase 1: nobody new reads it; its constraint is kept as a CHECK, so that attaching it again needs no scan. Phase 2: when all who may
// still read it are gone, it is released.
void detach_concurrently(RelationRef parent, RelationRef child) {
  check_none_pending(*parent);
  check_no_references(*child);
  Arena arena(4096);
  const nodes::Expr* constraint = partition::partition_constraint(*child, arena);
  if (constraint != nullptr && !partition::is_implied(constraint, *child)) add_check(child->oid, constraint);
  mark_detach_pending(child->oid, parent->oid);
  Oid parent_oid = parent->oid, child_oid = child->oid;
  std::string parent_name(parent->name);
  parent.reset();
  child.reset();
  transaction::commit();
  transaction::start();
  catalog::wait_for_relation_lockers(parent_oid, LockMode::access_exclusive);
  parent = catalog::try_open_relation(parent_oid, LockMode::share_update_exclusive);
  // Nobody's subtree lock covers it any more: only those who lock it itself are waited for.
  catalog::lock_detached_partition(child_oid, LockMode::access_exclusive);
  child = catalog::try_open_relation(child_oid, LockMode::none);
  if (!parent) throw SqlError(sqlstate::object_not_in_prerequisite_state, "partitioned table \"{}\" was removed concurrently", parent_name);
  if (!child || child->parent != parent_oid) return;   // dropped, or detached by somebody else
  release(*parent, *child);
}

}  // namespace

std::vector<Oid> partitions_of(const Relation& r, LockMode mode) {
  std::vector<Oid> out;
  if (r.kind != kind::partitioned_table) return out;
  for (const partition::Member& m : partition::full_descriptor_of(r).members) out.push_back(m.oid);
  std::sort(out.begin(), out.end());   // one order for everybody
  for (Oid oid : out) catalog::lock_relation(oid, mode);
  return out;
}

std::vector<Oid> partitions_to_alter(const Relation& r, LockMode mode) {
  std::vector<Oid> out = partitions_of(r, mode);
  for (Oid oid : out) require_not_in_use(*catalog::open_relation(oid, LockMode::none), "ALTER TABLE");
  return out;
}

bool has_partitions(const Relation& r) { return r.kind == kind::partitioned_table && !partition::full_descriptor_of(r).members.empty(); }

bool is_in_partition_key(const Relation& r, AttrNumber column) {
  if (r.kind != kind::partitioned_table) return false;
  for (const partition::KeyColumn& c : partition::key_of(r).columns) {
    if (c.column == column) return true;
    if (c.expr == nullptr) continue;
    std::vector<AttrNumber> used = used_columns(c.expr);
    if (std::find(used.begin(), used.end(), column) != used.end() || std::find(used.begin(), used.end(), 0) != used.end()) return true;
  }
  return false;
}

void attach_partition(Oid parent_oid, const parser::AlterTableCommand& c, const AlterContext& context) {
  RelationRef parent = catalog::open_relation(parent_oid, LockMode::none);
  if (parent->index != nullptr) {
    if (parent->kind != kind::partitioned_index) throw SqlError(sqlstate::invalid_object_definition, "index \"{}\" is not partitioned", parent->name);
    attach_index_statement(*parent, *c.relation);
    return;
  }
  require_partitioned(*parent);
  Arena arena(4096);
  partition::Bound bound = read_bound(*parent, *c.bound, context.text, arena);
  RelationRef child = analyzer::open_by_name(c.relation, LockMode::access_exclusive);
  check_may_attach(*parent, *child);
  check_bound(*parent, child->name, *c.bound, bound);
  merge_columns(*parent, *child);
  merge_checks(*parent, *child);
  std::string text = partition::bound_to_text(bound, partition::key_of(*parent));
  update_class_row(child->oid, [&](CatalogRow& row, Arena& values) {
    row.set(catalog::pg_class::relispartition, Datum::of(true));
    row.set(catalog::pg_class::relpartbound, text_value(values, text));
  });
  transaction::advance_command();
  validate_rows(*parent, bound, child->oid);
  check_default_partition(*parent, bound);
  insert_partition(*child, *parent, bound);
  note_tree(*child);
  transaction::advance_command();
  copy_parent_indexes_and_keys(child->oid, *parent, true);
}

void detach_partition(Oid parent_oid, const parser::AlterTableCommand& c) {
  RelationRef parent = catalog::open_relation(parent_oid, LockMode::none);
  require_partitioned(*parent);
  Oid default_oid = default_partition_of(parent_oid);
  if (is_valid(default_oid)) {
    if (c.concurrently) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state, "cannot detach partitions concurrently when a default partition exists");
    }
    catalog::lock_relation(default_oid, LockMode::access_exclusive);
  }
  RelationRef child = open_partition_to_detach(*parent, *c.relation, c.concurrently ? LockMode::share_update_exclusive : LockMode::access_exclusive);
  if (c.concurrently) {
    detach_concurrently(std::move(parent), std::move(child));
    return;
  }
  if (is_detach_pending(child->oid, parent_oid)) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "cannot detach partition \"{}\"", child->name)
        .detail("The partition is being detached concurrently or has an unfinished detach.")
        .hint("Use ALTER TABLE ... DETACH PARTITION ... FINALIZE to complete the pending detach operation.");
  }
  release(*parent, *child);
}

void finalize_detach(Oid parent_oid, const parser::AlterTableCommand& c) {
  RelationRef parent = catalog::open_relation(parent_oid, LockMode::none);
  require_partitioned(*parent);
  RelationRef child = open_partition_to_detach(*parent, *c.relation, LockMode::access_exclusive);
  if (!is_detach_pending(child->oid, parent_oid)) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "cannot complete detaching partition \"{}\"", child->name)
        .detail("There's no pending concurrent detach.");
  }
  release(*parent, *child);
}

}  // namespace hathi::ddl
