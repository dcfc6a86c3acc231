#include "target_table.h"

#include <algorithm>

#include "constraint_events.h"
#include "hathi/analyzer/deparse.h"
#include "hathi/catalog/lookup.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "partitions.h"

namespace hathi::executor {

std::string value_text(Datum value, Oid type, Arena& arena) {
  const catalog::TypeInfo& info = catalog::type_info(type);
  return call_function(info.output, arena, {value}).as_pointer<char>();
}

TargetTable::TargetTable(catalog::RelationRef relation, StatementState* statement, Arena& arena)
    : relation_(std::move(relation)), statement_(statement), arena_(arena) {
  eval_.statement = statement;
  eval_.function.arena = &row_arena_;
  for (const Attribute& a : descriptor().attributes) has_generated_ = has_generated_ || (a.generated == 's' && !a.dropped);
}

TargetTable::~TargetTable() = default;

void TargetTable::prepare_constraints() {
  if (constraints_ready_) return;
  constraints_ready_ = true;
  CompileOptions options;
  options.scan_descriptor = relation_->descriptor;
  List<AttrNumber> not_null;
  List<Generated> generated;
  int n = descriptor().count();
  for (int i = 0; i < n; ++i) {
    const Attribute& a = descriptor()[i];
    if (a.dropped) continue;
    if (a.not_null) not_null.push_back(arena_, static_cast<AttrNumber>(i + 1));
    if (a.generated == 's') {
      generated.push_back(
          arena_, {static_cast<AttrNumber>(i + 1), compile_expression(relation_->defaults[static_cast<std::size_t>(i)], eval_, arena_, options)});
    }
  }
  not_null_ = {not_null.begin(), not_null.size()};
  generated_ = {generated.begin(), generated.size()};
  List<Check> checks;
  for (const catalog::CheckConstraint& c : relation_->checks) {
    checks.push_back(arena_, {&c, compile_expression(c.expr, eval_, arena_, options)});
  }
  // Constraints are checked in the order of their names.
  std::sort(checks.begin(), checks.end(), [](const Check& a, const Check& b) { return a.constraint->name < b.constraint->name; });
  checks_ = {checks.begin(), checks.size()};
}

TargetIndex TargetTable::prepare_index(const catalog::IndexDescriptor& index) {
  CompileOptions options;
  options.scan_descriptor = relation_->descriptor;
  TargetIndex t;
  t.index = &index;
  std::size_t n = index.columns.size();
  t.values = arena_.make_array<Datum>(n);
  t.nulls = arena_.make_array<bool>(n);
  auto* programs = arena_.make_array<Program*>(index.expressions.size());
  for (std::size_t i = 0; i < index.expressions.size(); ++i) programs[i] = compile_expression(index.expressions[i], eval_, arena_, options);
  t.expressions = {programs, index.expressions.size()};
  t.predicate = compile_filter(index.predicate, eval_, arena_, options);
  return t;
}

void TargetTable::prepare_indexes() {
  if (indexes_ready_) return;
  indexes_ready_ = true;
  List<TargetIndex> all;
  for (const catalog::IndexDescriptor* index : relation_->indexes) {
    if (index->ready) all.push_back(arena_, prepare_index(*index));
  }
  indexes_ = {all.begin(), all.size()};
}

void TargetTable::compute_generated(Row& row) {
  if (!has_generated_) return;
  prepare_constraints();
  eval_.scan = &row;
  for (const Generated& g : generated_) {
    int i = g.column - 1;
    NullableDatum v = evaluate(*g.program);
    row.values[i] = v.is_null ? Datum() : copy_datum(v.value, descriptor()[i].layout, row_arena_);
    row.nulls[i] = v.is_null;
  }
}

std::string TargetTable::describe_row(Row& row) {
  constexpr std::size_t kLongest = 64;
  Oid role = catalog::current_role();
  if ((catalog::relation_privileges(relation_->oid, role, nodes::kAclSelect) & nodes::kAclSelect) == 0) return {};
  row.need_all();
  std::string text = "(";
  bool first = true;
  for (int i = 0; i < row.count; ++i) {
    const Attribute& a = descriptor()[i];
    if (a.dropped) continue;
    if (!first) text += ", ";
    first = false;
    std::string value = row.nulls[i] ? "null" : value_text(row.values[i], a.type, row_arena_);
    if (value.size() > kLongest) {
      std::size_t cut = kLongest;
      while (cut > 0 && (static_cast<unsigned char>(value[cut]) & 0xC0) == 0x80) --cut;
      value.resize(cut);
      value += "...";
    }
    text += value;
  }
  return text + ")";
}

namespace {
SqlError& add_row(SqlError& error, const std::string& row) {
  if (!row.empty()) error.detail(fmt::format("Failing row contains {}.", row));
  return error;
}
}  // namespace

void TargetTable::throw_not_null(Row& row, int column) {
  SqlError error(sqlstate::not_null_violation, "null value in column \"{}\" of relation \"{}\" violates not-null constraint", descriptor()[column].name,
                 relation_->name);
  add_row(error, describe_row(row)).schema(relation_->schema_name).table(relation_->name).column(descriptor()[column].name);
  throw error;
}

void TargetTable::check_row(Row& row) {
  prepare_constraints();
  if (not_null_.empty() && checks_.empty()) return;
  row.need_all();
  for (AttrNumber c : not_null_) {
    if (row.nulls[c - 1]) throw_not_null(row, c - 1);
  }
  if (checks_.empty()) return;
  eval_.scan = &row;
  for (const Check& c : checks_) {
    NullableDatum v = evaluate(*c.program);
    if (v.is_null || v.value.as_bool()) continue;
    SqlError error(sqlstate::check_violation, "new row for relation \"{}\" violates check constraint \"{}\"", relation_->name, c.constraint->name);
    add_row(error, describe_row(row)).schema(relation_->schema_name).table(relation_->name).constraint(c.constraint->name);
    throw error;
  }
}

bool TargetTable::fits_partition(Row& row) {
  if (!relation_->is_partition) return true;
  if (bounds_ == nullptr) bounds_ = std::make_unique<PartitionBounds>(*relation_);
  row.need_all();
  return bounds_->fit(row.values, row.nulls);
}

void TargetTable::check_partition(Row& row) {
  if (fits_partition(row)) return;
  SqlError error(sqlstate::check_violation, "new row for relation \"{}\" violates partition constraint", relation_->name);
  add_row(error, describe_row(row)).schema(relation_->schema_name).table(relation_->name);
  throw error;
}

HeapTuple TargetTable::form(Row& row, Arena& arena) const {
  row.need_all();
  HeapTuple tuple = form_tuple(descriptor(), row.values, row.nulls, arena);
  tuple.table = relation_->oid;
  return tuple;
}

bool TargetTable::index_values(TargetIndex& t, Row& row) {
  eval_.scan = &row;
  if (t.predicate != nullptr && !passes(t.predicate)) return false;
  std::size_t next = 0;
  for (std::size_t i = 0; i < t.index->columns.size(); ++i) {
    AttrNumber c = t.index->columns[i];
    if (c > 0) {
      row.need(c);
      t.values[i] = row.values[c - 1];
      t.nulls[i] = row.nulls[c - 1];
    } else {
      NullableDatum v = evaluate(*t.expressions[next++]);
      t.values[i] = v.value;
      t.nulls[i] = v.is_null;
    }
  }
  return true;
}

namespace {

bool contains(std::span<const Oid> list, Oid oid) { return std::find(list.begin(), list.end(), oid) != list.end(); }

// Is some version of the row chain at tid alive, or may it yet be? `own`: a row that does not count.
btree::UniqueProbe probe_row(const heap::HeapTable& table, TupleId tid, TupleId own) {
  transaction::Snapshot dirty = transaction::dirty_snapshot();
  buffer::PinnedBuffer pin;
  HeapTuple tuple;
  btree::UniqueProbe probe;
  if (!heap::fetch_by_index(table, tid, dirty, pin, tuple, &probe.all_dead)) return probe;
  if (own.is_valid() && tuple.tid == own) return probe;
  probe.conflicting = tuple.tid;
  if (dirty.dirty_xmin != kInvalidXid) probe.wait_for = dirty.dirty_xmin;
  else if (dirty.dirty_xmax != kInvalidXid) probe.wait_for = dirty.dirty_xmax;
  else probe.conflict = true;
  return probe;
}

}  // namespace

void TargetTable::throw_duplicate(const TargetIndex& t) {
  const catalog::IndexDescriptor& index = *t.index;
  SqlError error(sqlstate::unique_violation, "duplicate key value violates unique constraint \"{}\"", index.name);
  Oid role = catalog::current_role();
  if ((catalog::relation_privileges(relation_->oid, role, nodes::kAclSelect) & nodes::kAclSelect) != 0) {
    std::string names, texts;
    for (int i = 0; i < index.key_count; ++i) {
      if (i != 0) { names += ", "; texts += ", "; }
      names += analyzer::index_definition(index.oid, i + 1, false);
      texts += t.nulls[i] ? "null" : value_text(t.values[i], (*index.btree.descriptor)[i].type, row_arena_);
    }
    error.detail(fmt::format("Key ({})=({}) already exists.", names, texts));
  }
  error.schema(relation_->schema_name).table(relation_->name).constraint(index.name);
  throw error;
}

bool TargetTable::insert_index_entries(Row& row, TupleId tid, ConstraintEvents* events, std::span<const Oid> arbiters, bool any_arbiter) {
  prepare_indexes();
  bool clean = true;
  for (TargetIndex& t : indexes_) {
    if (!index_values(t, row)) continue;
    const catalog::IndexDescriptor& index = *t.index;
    bool arbiter = index.unique && (any_arbiter || contains(arbiters, index.oid));
    btree::UniqueCheck check = btree::UniqueCheck::none;
    if (index.unique) check = arbiter || !index.immediate ? btree::UniqueCheck::deferred : btree::UniqueCheck::immediate;
    bool fine = btree::insert(
        index.btree, t.values, t.nulls, tid, check, [this, tid](TupleId other) { return probe_row(relation_->heap, other, tid); },
        [this, &t](TupleId) { throw_duplicate(t); });
    if (fine) continue;
    if (arbiter) {
      clean = false;
    } else if (events != nullptr) {
      events->add_unique(*relation_, index, tid);
    } else {
      throw_duplicate(t);
    }
  }
  return clean;
}

void TargetTable::insert_one(TargetIndex& t, Row& row, TupleId tid) {
  if (!index_values(t, row)) return;
  btree::insert(
      t.index->btree, t.values, t.nulls, tid, t.index->unique ? btree::UniqueCheck::immediate : btree::UniqueCheck::none,
      [this, tid](TupleId other) { return probe_row(relation_->heap, other, tid); }, [this, &t](TupleId) { throw_duplicate(t); });
}

bool TargetTable::scan_for_conflict(TargetIndex& t, TupleId ignore, TupleId& conflict) {
  const catalog::IndexDescriptor& index = *t.index;
  auto n = static_cast<std::size_t>(index.key_count);
  std::vector<btree::ScanKey> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    btree::ScanKey& key = keys[i];
    key.column = static_cast<AttrNumber>(i + 1);
    if (t.nulls[i]) {
      if (!index.nulls_not_distinct) return false;   // NULLs conflict with nothing
      key.is_null_test = key.null_wanted = true;
      continue;
    }
    key.argument = t.values[i];
    key.comparison = index.btree.keys[i].comparison;
  }
  for (;;) {
    check_interrupts();
    Xid wait_for = kInvalidXid;
    btree::Scan scan(index.btree, false);
    scan.start(keys);
    TupleId tid;
    while (wait_for == kInvalidXid && scan.next(tid)) {
      btree::UniqueProbe probe = probe_row(relation_->heap, tid, ignore);
      if (probe.wait_for != kInvalidXid) {
        wait_for = probe.wait_for;
      } else if (probe.conflict) {
        conflict = probe.conflicting;
        return true;
      }
    }
    if (wait_for == kInvalidXid) return false;
    locking::wait_for_transaction(transaction::owner(), wait_for);
  }
}

bool TargetTable::find_conflict(Row& row, std::span<const Oid> arbiters, bool any_arbiter, TupleId& conflict) {
  prepare_indexes();
  for (TargetIndex& t : indexes_) {
    if (!t.index->unique || !(any_arbiter || contains(arbiters, t.index->oid))) continue;
    if (!t.index->immediate) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state,
                     "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters")
          .schema(relation_->schema_name)
          .table(relation_->name)
          .constraint(t.index->name);
    }
    if (index_values(t, row) && scan_for_conflict(t, TupleId{}, conflict)) return true;
  }
  return false;
}

void TargetTable::recheck_unique(Oid index_oid, TupleId tid) {
  prepare_indexes();
  Row row;
  make_row(row, descriptor().count(), &descriptor(), row_arena_);
  buffer::PinnedBuffer pin;
  HeapTuple tuple;
  // A row that is gone again violates nothing; a HOT update may have put a newer version into the same chain.
  if (!heap::fetch_by_index(relation_->heap, tid, transaction::self_snapshot(), pin, tuple)) return;
  tuple.table = relation_->oid;
  row.set_heap(tuple);
  for (TargetIndex& t : indexes_) {
    if (t.index->oid != index_oid || !index_values(t, row)) continue;
    TupleId conflict;
    if (scan_for_conflict(t, tuple.tid, conflict)) throw_duplicate(t);
  }
}

}  // namespace hathi::executor
