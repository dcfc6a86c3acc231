// Foreign keys: the checks and actions that constraint events stand for.
//
// Referencing side: the referenced row must exist in the newest committed state and is locked FOR KEY SHARE, so it can't go before
// this transaction ends. Referenced side: rows that still refer to the old key forbid the change, or are changed with it.

#include "comparison.h"
#include "constraint_events.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "key_scan.h"
#include "partitions.h"
#include "target_table.h"

namespace hathi::executor {

using catalog::ForeignKey;
using catalog::Relation;
using heap::ChangeResult;

namespace {

struct KeyValues {
  std::vector<Datum> values;
  std::vector<Oid> types;
  bool any_null = false, all_null = true;
};

KeyValues read_key(const Relation& table, std::span<const AttrNumber> columns, const HeapTuple& tuple) {
  KeyValues key;
  for (AttrNumber c : columns) {
    bool is_null;
    Datum v = get_attribute(tuple, *table.descriptor, c, is_null);
    key.values.push_back(v);
    key.types.push_back((*table.descriptor)[c - 1].type);
    key.any_null = key.any_null || is_null;
    key.all_null = key.all_null && is_null;
  }
  return key;
}

// "Key (a, b)=(1, 2)"; empty when the role may not see the columns.
std::string describe_key(const Relation& table, std::span<const AttrNumber> columns, const KeyValues& key) {
  Oid role = catalog::current_role();
  bool visible = (catalog::relation_privileges(table.oid, role, nodes::kAclSelect) & nodes::kAclSelect) != 0;
  for (std::size_t i = 0; i < columns.size() && !visible; ++i) {
    if ((catalog::column_privileges(table.oid, columns[i], role, nodes::kAclSelect) & nodes::kAclSelect) == 0) return {};
    visible = i + 1 == columns.size();
  }
  Arena arena(512);
  std::string names, texts;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != 0) { names += ", "; texts += ", "; }
    names += (*table.descriptor)[columns[i] - 1].name;
    texts += value_text(key.values[i], key.types[i], arena);
  }
  return fmt::format("Key ({})=({})", names, texts);
}

[[noreturn]] void throw_not_present(const ForeignKey& fk, const Relation& referencing, const Relation& referenced, const KeyValues& key) {
  SqlError error(sqlstate::foreign_key_violation, "insert or update on table \"{}\" violates foreign key constraint \"{}\"", referencing.name, fk.name);
  std::string text = describe_key(referencing, fk.columns, key);
  error.detail(text.empty() ? fmt::format("Key is not present in table \"{}\".", referenced.name)
                            : fmt::format("{} is not present in table \"{}\".", text, referenced.name));
  error.schema(referencing.schema_name).table(referencing.name).constraint(fk.name);
  throw error;
}

[[noreturn]] void throw_mixed_nulls(const ForeignKey& fk, const Relation& table) {
  throw SqlError(sqlstate::foreign_key_violation, "insert or update on table \"{}\" violates foreign key constraint \"{}\"", table.name, fk.name)
      .detail("MATCH FULL does not allow mixing of null and nonnull key values.")
      .schema(table.schema_name)
      .table(table.name)
      .constraint(fk.name);
}

[[noreturn]] void throw_still_referenced(const ForeignKey& fk, const Relation& referencing, const Relation& referenced, const KeyValues& key) {
  SqlError error(sqlstate::foreign_key_violation, "update or delete on table \"{}\" violates foreign key constraint \"{}\" on table \"{}\"", referenced.name,
                 fk.name, referencing.name);
  std::string text = describe_key(referenced, fk.referenced_columns, key);
  error.detail(text.empty() ? fmt::format("Key is still referenced from table \"{}\".", referencing.name)
                            : fmt::format("{} is still referenced from table \"{}\".", text, referencing.name));
  error.schema(referencing.schema_name).table(referencing.name).constraint(fk.name);
  throw error;
}

bool fixed_snapshot() { return transaction::isolation() >= transaction::Isolation::repeatable_read; }

[[noreturn]] void throw_serialization() {
  throw SqlError(sqlstate::t_r_serialization_failure, "could not serialize access due to concurrent update");
}

// Locks the row; false when it no longer is there (or no longer has the key).
bool lock_matching(KeyScan& scan, const Relation& table, TupleId tid, heap::RowLockMode mode, HeapTuple& out, buffer::PinnedBuffer& pin) {
  heap::ChangeFailure failure;
  ChangeResult r = heap::lock_row(table.heap, tid, transaction::current_command(true), mode, heap::WaitPolicy::block, !fixed_snapshot(), pin, out, failure);
  switch (r) {
    case ChangeResult::ok:
      out.table = table.oid;
      return !failure.traversed || scan.matches(out);
    case ChangeResult::updated:
      if (fixed_snapshot()) throw_serialization();
      return false;
    case ChangeResult::deleted:
      if (fixed_snapshot()) throw_serialization();
      return false;
    case ChangeResult::self_modified: return false;
    default: return false;
  }
}

// A key's value as one of the other side's type.
Datum convert_key(Datum v, Oid from, Oid to, Arena& arena) {
  from = catalog::base_type(from);
  std::int32_t typmod = -1;
  Oid base = catalog::base_type(to, &typmod);
  if (from == base || catalog::is_binary_coercible(from, base)) return v;
  if (const catalog::CastInfo* cast = catalog::find_cast(from, base); cast != nullptr && is_valid(cast->function))
    return call_function(cast->function, arena, {v});
  Datum text = call_function(catalog::type_info(from).output, arena, {v});
  const catalog::TypeInfo& info = catalog::type_info(base);
  return call_function(info.input, arena, {text, Datum::of(base), Datum::of(typmod)});
}

// The leaf of the (perhaps partitioned) referenced table that holds the key; an empty reference when there is none.
catalog::RelationRef open_referenced_leaf(const Relation& referenced, const ForeignKey& fk, const KeyValues& key) {
  Arena arena(512);
  auto n = static_cast<std::size_t>(referenced.descriptor->count());
  std::vector<Datum> values(n);
  std::unique_ptr<bool[]> nulls(new bool[n]);
  std::fill_n(nulls.get(), n, true);
  for (std::size_t i = 0; i < fk.referenced_columns.size(); ++i) {
    auto at = static_cast<std::size_t>(fk.referenced_columns[i] - 1);
    values[at] = convert_key(key.values[i], key.types[i], (*referenced.descriptor)[fk.referenced_columns[i] - 1].type, arena);
    nulls[at] = false;
  }
  Oid leaf = find_partition_of_row(referenced, values.data(), nulls.get());
  return is_valid(leaf) ? catalog::open_relation(leaf, locking::LockMode::row_share) : catalog::RelationRef();
}

// The columns of a partition that stand for the parent's.
std::vector<AttrNumber> translate_columns(const Relation& parent, const Relation& leaf, std::span<const AttrNumber> columns) {
  std::vector<AttrNumber> out;
  for (AttrNumber c : columns) {
    if (parent.oid == leaf.oid) {
      out.push_back(c);
      continue;
    }
    std::string_view name = (*parent.descriptor)[c - 1].name;
    for (int i = 0; i < leaf.descriptor->count(); ++i) {
      if (!(*leaf.descriptor)[i].dropped && (*leaf.descriptor)[i].name == name) out.push_back(static_cast<AttrNumber>(i + 1));
    }
  }
  return out;
}

// A key found a moment ago need not be looked up again by the next row of the same statement.
struct RecentKey {
  Oid constraint = kInvalidOid;
  Xid transaction{0};
  CommandId command{0};
  int level = 0;
  Datum value;
};

bool is_recent(const RecentKey& recent, const ForeignKey& fk, const KeyValues& key, const Relation& referencing) {
  return recent.constraint == fk.oid && key.values.size() == 1 && (*referencing.descriptor)[fk.columns[0] - 1].layout.by_value &&
         recent.value == key.values[0] && recent.transaction == transaction::top_xid_if_any() && recent.level == transaction::nesting_level() &&
         recent.command == transaction::current_command(false);
}

RecentKey recent_key;

void check_referenced_exists(const ForeignKey& fk, const Relation& referencing, const KeyValues& key) {
  catalog::RelationRef referenced = catalog::open_relation(fk.referenced, locking::LockMode::row_share);
  catalog::RelationRef leaf_ref;
  const Relation* leaf = referenced.get();
  if (referenced->kind == catalog::relation_kind::partitioned_table) {
    leaf_ref = open_referenced_leaf(*referenced, fk, key);
    if (!leaf_ref) throw_not_present(fk, referencing, *referenced, key);
    leaf = leaf_ref.get();
  }
  std::vector<AttrNumber> columns = translate_columns(*referenced, *leaf, fk.referenced_columns);
  KeyScan scan(*leaf, columns, fk.equal_pk_fk, true, key.types, leaf == referenced.get() ? fk.index : kInvalidOid);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  scan.start(key.values, *snapshot);
  HeapTuple tuple;
  while (scan.next(tuple)) {
    TupleId tid = tuple.tid;
    buffer::PinnedBuffer pin;
    if (lock_matching(scan, *leaf, tid, heap::RowLockMode::key_share, tuple, pin)) {
      recent_key = {fk.oid, transaction::top_xid_if_any(), transaction::current_command(false), transaction::nesting_level(), key.values[0]};
      return;
    }
  }
  throw_not_present(fk, referencing, *referenced, key);
}

// The row must still be the newest version of itself: otherwise the change that made a newer one has its own event.
void check_referencing_row(const ForeignKey& fk, const Relation& table, TupleId tid) {
  buffer::PinnedBuffer pin;
  HeapTuple tuple;
  if (!heap::fetch_version(table.heap, tid, transaction::self_snapshot(), pin, tuple)) return;
  KeyValues key = read_key(table, fk.columns, tuple);
  if (key.any_null) {
    if (fk.match == 's' || key.all_null) return;
    throw_mixed_nulls(fk, table);
  }
  if (is_recent(recent_key, fk, key, table)) return;
  check_referenced_exists(fk, table, key);
}

// --- referenced side ----------------------------------------------------------------------------------------------------------------

// One change of the referenced table.
struct ReferencedChange {
  const ForeignKey& fk;
  const Relation& referenced;
  const KeyValues& old_key;
  const HeapTuple* new_row = nullptr;          // update
  const HeapTuple* old_row = nullptr;
  ConstraintEvents& queue;
  // Of new_row: the referenced table and its columns, or those of the partition that it moved to.
  const Relation& new_table;
  std::span<const AttrNumber> new_columns;
};

// Does another row have the old key by now (NO ACTION looks at the final state)?
bool key_exists_again(const ReferencedChange& change) {
  catalog::RelationRef leaf_ref;
  bool is_tree = change.referenced.kind == catalog::relation_kind::partitioned_table;
  if (is_tree) leaf_ref = open_referenced_leaf(change.referenced, change.fk, change.old_key);
  if (is_tree && !leaf_ref) return false;
  const Relation& table = is_tree ? *leaf_ref : change.referenced;
  std::vector<AttrNumber> columns = translate_columns(change.referenced, table, change.fk.referenced_columns);
  KeyScan scan(table, columns, change.fk.equal_pk_pk, true, change.old_key.types, is_tree ? kInvalidOid : change.fk.index);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  scan.start(change.old_key.values, *snapshot);
  HeapTuple tuple;
  while (scan.next(tuple)) {
    TupleId tid = tuple.tid;
    buffer::PinnedBuffer pin;
    if (lock_matching(scan, table, tid, heap::RowLockMode::key_share, tuple, pin)) return true;
  }
  return false;
}

void delete_referencing(const ReferencedChange& change, TargetTable& target, const HeapTuple& row) {
  heap::ChangeFailure failure;
  ChangeResult r = heap::remove(target.heap(), row.tid, transaction::current_command(true), true, failure);
  if (r == ChangeResult::self_modified) return;
  if (r != ChangeResult::ok) throw_serialization();
  auto n = static_cast<std::size_t>(target.descriptor().count());
  std::vector<Datum> values(n);
  std::unique_ptr<bool[]> nulls(new bool[n]);
  deform_tuple(row, target.descriptor(), static_cast<int>(n), values.data(), nulls.get());
  change.queue.row_deleted(target.relation(), values.data(), nulls.get(), row.tid);
}

// The new value of a referencing column: the new key, NULL, or the default.
NullableDatum replaced_value(const ReferencedChange& change, char action, TargetTable& target, std::size_t i, AttrNumber column, Arena& arena) {
  switch (action) {
    case 'c': {
      bool is_null;
      Datum v = get_attribute(*change.new_row, *change.new_table.descriptor, change.new_columns[i], is_null);
      Oid from = (*change.new_table.descriptor)[change.new_columns[i] - 1].type;
      Oid to = target.descriptor()[column - 1].type;
      if (is_null || from == to) return {v, is_null};
      return {convert_key(v, from, to, arena), false};
    }
    case 'n': return {};
    default: {
      const nodes::Expr* e = target.relation().defaults[static_cast<std::size_t>(column - 1)];
      return e == nullptr ? NullableDatum{} : evaluate(e, {}, arena);
    }
  }
}

bool is_set_column(const ForeignKey& fk, char action, bool is_delete, AttrNumber column) {
  if (!is_delete || fk.set_null_columns.empty() || action == 'c') return true;
  for (AttrNumber c : fk.set_null_columns) {
    if (c == column) return true;
  }
  return false;
}

void update_referencing(const ReferencedChange& change, char action, bool is_delete, TargetTable& target, std::span<const AttrNumber> columns,
                        const HeapTuple& old) {
  Arena arena(1024);
  int n = target.descriptor().count();
  Row row, old_row;
  make_row(row, n, &target.descriptor(), arena);
  make_row(old_row, n, &target.descriptor(), arena);
  deform_tuple(old, target.descriptor(), n, old_row.values, old_row.nulls);
  deform_tuple(old, target.descriptor(), n, row.values, row.nulls);
  row.set_virtual();
  old_row.set_virtual();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!is_set_column(change.fk, action, is_delete, change.fk.columns[i])) continue;
    NullableDatum v = replaced_value(change, action, target, i, columns[i], arena);
    row.values[columns[i] - 1] = v.value;
    row.nulls[columns[i] - 1] = v.is_null;
  }
  target.compute_generated(row);
  target.check_row(row);
  bool by_parent = target.relation().oid != change.fk.referencing;
  if (by_parent && !target.fits_partition(row)) throw_not_supported("a foreign key's action that moves a row to another partition");
  target.check_partition(row);
  heap::ChangeFailure failure;
  heap::UpdateOutcome outcome;
  ChangeResult r = heap::update(target.heap(), old.tid, target.form(row, arena), transaction::current_command(true), true, failure, outcome);
  if (r == ChangeResult::self_modified) return;
  if (r != ChangeResult::ok) throw_serialization();
  if (outcome.needs_index_entries) target.insert_index_entries(row, outcome.tid, &change.queue);
  change.queue.row_updated(target.relation(), old_row.values, old_row.nulls, row.values, row.nulls, old.tid, outcome.tid);
  target.end_row();
}

// What is done to the rows of one referencing table (or partition).
void act_on_table(const ReferencedChange& change, char action, bool is_delete, const Relation& declared, catalog::RelationRef leaf_ref) {
  Arena arena(2048);
  bool changes = action == 'c' || action == 'n' || action == 'd';
  const Relation& leaf = *leaf_ref;
  std::vector<AttrNumber> columns = translate_columns(declared, leaf, change.fk.columns);
  KeyScan scan(leaf, columns, change.fk.equal_pk_fk, false, change.old_key.types);
  TargetTable target(std::move(leaf_ref), nullptr, arena);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  scan.start(change.old_key.values, *snapshot);
  HeapTuple tuple;
  std::vector<TupleId> rows;
  while (scan.next(tuple)) {
    if (!changes) {
      buffer::PinnedBuffer pin;
      if (lock_matching(scan, leaf, tuple.tid, heap::RowLockMode::key_share, tuple, pin))
        throw_still_referenced(change.fk, declared, change.referenced, change.old_key);
      continue;
    }
    rows.push_back(tuple.tid);   // changed after the scan: it must not meet the new versions
  }
  scan.release_pins();
  for (TupleId tid : rows) {
    check_interrupts();
    buffer::PinnedBuffer pin;
    heap::RowLockMode mode = action == 'c' && is_delete ? heap::RowLockMode::update : heap::RowLockMode::no_key_update;
    if (!lock_matching(scan, leaf, tid, mode, tuple, pin)) continue;
    if (action == 'c' && is_delete) {
      delete_referencing(change, target, tuple);
    } else {
      update_referencing(change, action, is_delete, target, columns, tuple);
    }
  }
  if (!rows.empty()) transaction::advance_command();
}

void check_referenced_change(const ConstraintEvent& event, const ForeignKey& fk, const Relation& table, ConstraintEvents& queue) {
  bool is_delete = event.kind == ConstraintEventKind::referenced_deleted;
  buffer::PinnedBuffer old_pin, new_pin;
  HeapTuple old_row, new_row;
  catalog::RelationRef from_ref, to_ref;
  if (event.kind == ConstraintEventKind::referenced_moved) {
    from_ref = catalog::try_open_relation(event.old_table, locking::LockMode::none);
    to_ref = catalog::try_open_relation(event.new_table, locking::LockMode::none);
    if (!from_ref || !to_ref) return;
  }
  const Relation& from = from_ref ? *from_ref : table;
  const Relation& to = to_ref ? *to_ref : table;
  std::vector<AttrNumber> old_columns = translate_columns(table, from, fk.referenced_columns);
  std::vector<AttrNumber> new_columns = translate_columns(table, to, fk.referenced_columns);
  if (!heap::fetch_version(from.heap, event.old_tid, transaction::any_snapshot(), old_pin, old_row)) return;
  if (!is_delete && !heap::fetch_version(to.heap, event.new_tid, transaction::any_snapshot(), new_pin, new_row)) return;
  KeyValues key = read_key(from, old_columns, old_row);
  if (key.any_null) return;
  ReferencedChange change{fk, table, key, is_delete ? nullptr : &new_row, &old_row, queue, to, new_columns};
  char action = is_delete ? fk.on_delete : fk.on_update;
  if (action == 'a' && key_exists_again(change)) return;
  bool changes = action == 'c' || action == 'n' || action == 'd';
  locking::LockMode mode = changes ? locking::LockMode::row_exclusive : locking::LockMode::row_share;
  catalog::RelationRef referencing = catalog::open_relation(fk.referencing, mode);
  auto act = [&](char how) {
    if (referencing->kind != catalog::relation_kind::partitioned_table) return act_on_table(change, how, is_delete, *referencing, referencing.share());
    for (Oid leaf : leaf_partitions(*referencing, mode)) act_on_table(change, how, is_delete, *referencing, catalog::open_relation(leaf, mode));
  };
  act(action);
  // The default may be the very key that went: then those rows were not changed, and nothing else would look at them.
  if (action == 'd' && !key_exists_again(change)) act('a');
}

const ForeignKey* find_key(std::span<const ForeignKey> keys, Oid constraint) {
  for (const ForeignKey& k : keys) {
    if (k.oid == constraint) return &k;
  }
  return nullptr;
}

}  // namespace

struct ForeignKeyLookup::State {
  const ForeignKey& fk;
  const Relation& referencing;
  catalog::RelationRef referenced;
  std::unique_ptr<KeyScan> scan;        // of a table that is not partitioned
  KeyValues last;                        // by-value key found last
};

ForeignKeyLookup::ForeignKeyLookup(const ForeignKey& fk, const Relation& referencing)
    : state_(new State{fk, referencing, catalog::open_relation(fk.referenced, locking::LockMode::row_share), nullptr, {}}) {}
ForeignKeyLookup::~ForeignKeyLookup() = default;

void ForeignKeyLookup::require(const HeapTuple& row, const transaction::Snapshot& snapshot) {
  State& s = *state_;
  KeyValues key = read_key(s.referencing, s.fk.columns, row);
  if (key.any_null) {
    if (s.fk.match == 's' || key.all_null) return;
    throw_mixed_nulls(s.fk, s.referencing);
  }
  bool by_value = key.values.size() == 1 && (*s.referencing.descriptor)[s.fk.columns[0] - 1].layout.by_value;
  if (by_value && !s.last.values.empty() && s.last.values[0] == key.values[0]) return;
  HeapTuple found;
  if (s.referenced->kind == catalog::relation_kind::partitioned_table) {
    catalog::RelationRef leaf = open_referenced_leaf(*s.referenced, s.fk, key);
    if (!leaf) throw_not_present(s.fk, s.referencing, *s.referenced, key);
    std::vector<AttrNumber> columns = translate_columns(*s.referenced, *leaf, s.fk.referenced_columns);
    KeyScan scan(*leaf, columns, s.fk.equal_pk_fk, true, key.types);
    scan.start(key.values, snapshot);
    if (!scan.next(found)) throw_not_present(s.fk, s.referencing, *s.referenced, key);
  } else {
    if (s.scan == nullptr) s.scan = std::make_unique<KeyScan>(*s.referenced, s.fk.referenced_columns, s.fk.equal_pk_fk, true, key.types, s.fk.index);
    s.scan->start(key.values, snapshot);
    if (!s.scan->next(found)) throw_not_present(s.fk, s.referencing, *s.referenced, key);
  }
  if (by_value) s.last = key;
}

void run_constraint_event(const ConstraintEvent& event, ConstraintEvents& queue) {
  check_interrupts();
  catalog::RelationRef table = catalog::try_open_relation(event.table, locking::LockMode::none);
  if (!table) return;   // dropped meanwhile
  if (event.kind == ConstraintEventKind::unique) {
    Arena arena(1024);
    TargetTable target(std::move(table), nullptr, arena);
    target.recheck_unique(event.index, event.new_tid);
    return;
  }
  bool referencing = event.kind == ConstraintEventKind::referencing_row;
  const ForeignKey* fk = find_key(referencing ? table->foreign_keys : table->referenced_by, event.constraint);
  if (fk == nullptr) return;
  if (referencing) {
    check_referencing_row(*fk, *table, event.new_tid);
  } else {
    check_referenced_change(event, *fk, *table, queue);
  }
}

}  // namespace hathi::executor
