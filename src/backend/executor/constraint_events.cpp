#include "constraint_events.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "comparison.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"

namespace hathi::executor {

namespace {

// What SET CONSTRAINTS said in this transaction, with the level it was said at.
struct DeferralState {
  bool all_set = false, all_deferred = false;
  std::unordered_map<Oid, bool> single;
};

struct TransactionQueue {
  std::deque<ConstraintEvent> deferred;
  DeferralState state;
  std::vector<std::pair<int, DeferralState>> saved;   // as it was when a subtransaction first changed it
};
TransactionQueue& transaction_queue() {
  static TransactionQueue q;
  return q;
}

bool is_deferred(Oid constraint, bool deferrable, bool initially_deferred) {
  if (!deferrable) return false;
  const DeferralState& state = transaction_queue().state;
  auto found = state.single.find(constraint);
  if (found != state.single.end()) return found->second;
  return state.all_set ? state.all_deferred : initially_deferred;
}

const catalog::ForeignKey* find_key(std::span<const catalog::ForeignKey> keys, Oid constraint) {
  for (const catalog::ForeignKey& k : keys) {
    if (k.oid == constraint) return &k;
  }
  return nullptr;
}

bool event_is_deferred(const ConstraintEvent& e) {
  catalog::RelationRef table = catalog::try_open_relation(e.table, locking::LockMode::none);
  if (!table) return false;
  if (e.kind == ConstraintEventKind::unique) {
    for (const catalog::IndexDescriptor* index : table->indexes) {
      if (index->oid == e.index) return is_deferred(e.constraint, index->deferrable, index->initially_deferred);
    }
    return false;
  }
  bool referencing = e.kind == ConstraintEventKind::referencing_row;
  const catalog::ForeignKey* key = find_key(referencing ? table->foreign_keys : table->referenced_by, e.constraint);
  if (key == nullptr) return false;
  // RESTRICT, CASCADE and the like act at once whatever the constraint says.
  if (!referencing) {
    char action = e.kind == ConstraintEventKind::referenced_deleted ? key->on_delete : key->on_update;
    if (action != 'a') return false;
  }
  return is_deferred(key->oid, key->deferrable, key->initially_deferred);
}

bool has_null(std::span<const AttrNumber> columns, const bool* nulls) {
  return std::any_of(columns.begin(), columns.end(), [nulls](AttrNumber c) { return nulls[c - 1]; });
}

bool all_null(std::span<const AttrNumber> columns, const bool* nulls) {
  return std::all_of(columns.begin(), columns.end(), [nulls](AttrNumber c) { return nulls[c - 1]; });
}

// Are the key columns the same by the operators given?
bool same_key(std::span<const AttrNumber> columns, std::span<const Oid> operators, const TupleDescriptor& d, const Datum* a, const bool* a_nulls,
              const Datum* b, const bool* b_nulls) {
  Arena scratch(512);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    int c = columns[i] - 1;
    if (a_nulls[c] != b_nulls[c]) return false;
    if (a_nulls[c]) continue;
    if (datum_image_equal(a[c], b[c], d[c].layout)) continue;
    // (The key's operator may be for values that the column is converted to.)
    const catalog::OperatorInfo& op = catalog::operator_info(operators[i]);
    Oid type = catalog::base_type(d[c].type);
    bool fits = type == op.left || catalog::is_binary_coercible(type, op.left);
    EqualFunction f = prepare_equal(fits ? op.function : catalog::operator_info(catalog::type_info(type).equal_operator).function, d[c].collation);
    if (!are_equal(f, a[c], b[c], scratch)) return false;
  }
  return true;
}

}  // namespace

void ConstraintEvents::add_unique(const catalog::Relation& table, const catalog::IndexDescriptor& index, TupleId tid) {
  ConstraintEvent e;
  e.kind = ConstraintEventKind::unique;
  e.constraint = is_valid(index.constraint) ? index.constraint : index.oid;
  e.table = table.oid;
  e.index = index.oid;
  e.new_tid = tid;
  push(e);
}

void ConstraintEvents::row_inserted(const catalog::Relation& table, const Datum* values, const bool* nulls, TupleId tid) {
  for (const catalog::ForeignKey& k : table.foreign_keys) {
    // A key with a NULL refers to nothing (MATCH SIMPLE); MATCH FULL wants all or none.
    if (k.match == 's' ? has_null(k.columns, nulls) : all_null(k.columns, nulls)) continue;
    ConstraintEvent e;
    e.kind = ConstraintEventKind::referencing_row;
    e.constraint = k.oid;
    e.table = table.oid;
    e.new_tid = tid;
    push(e);
  }
}

void ConstraintEvents::row_updated(const catalog::Relation& table, const Datum* old_values, const bool* old_nulls, const Datum* values, const bool* nulls,
                                   TupleId old_tid, TupleId tid) {
  for (const catalog::ForeignKey& k : table.foreign_keys) {
    if (k.match == 's' ? has_null(k.columns, nulls) : all_null(k.columns, nulls)) continue;
    // An unchanged key needs no check, except that the old one may still be waiting for its own deferred check.
    if (!k.deferrable && same_key(k.columns, k.equal_fk_fk, *table.descriptor, old_values, old_nulls, values, nulls)) continue;
    ConstraintEvent e;
    e.kind = ConstraintEventKind::referencing_row;
    e.constraint = k.oid;
    e.table = table.oid;
    e.new_tid = tid;
    push(e);
  }
  for (const catalog::ForeignKey& k : table.referenced_by) {
    if (has_null(k.referenced_columns, old_nulls)) continue;   // nothing can refer to it
    if (same_key(k.referenced_columns, k.equal_pk_pk, *table.descriptor, old_values, old_nulls, values, nulls)) continue;
    ConstraintEvent e;
    e.kind = ConstraintEventKind::referenced_updated;
    e.constraint = k.oid;
    e.table = table.oid;
    e.old_tid = old_tid;
    e.new_tid = tid;
    push(e);
  }
}

void ConstraintEvents::row_deleted(const catalog::Relation& table, const Datum* old_values, const bool* old_nulls, TupleId old_tid) {
  for (const catalog::ForeignKey& k : table.referenced_by) {
    if (has_null(k.referenced_columns, old_nulls)) continue;
    ConstraintEvent e;
    e.kind = ConstraintEventKind::referenced_deleted;
    e.constraint = k.oid;
    e.table = table.oid;
    e.old_tid = old_tid;
    push(e);
  }
}

namespace {

// The key of a partition as the named table has it; nullptr: only the partition (or one above it) is referred to.
const catalog::ForeignKey* same_key_of(const catalog::Relation& named, const catalog::ForeignKey& key) {
  for (const catalog::ForeignKey& n : named.referenced_by) {
    if (n.referencing == key.referencing && n.on_update == key.on_update && n.on_delete == key.on_delete &&
        std::equal(n.columns.begin(), n.columns.end(), key.columns.begin(), key.columns.end())) return &n;
  }
  return nullptr;
}

// 0A000 when a table between the two is referred to by itself: for it the row neither stays nor goes.
void check_tables_between(const catalog::Relation& named, const catalog::Relation& leaf) {
  for (Oid oid = leaf.parent; is_valid(oid) && oid != named.oid;) {
    catalog::RelationRef r = catalog::open_relation(oid, locking::LockMode::none);
    for (const catalog::ForeignKey& k : r->referenced_by) {
      if (same_key_of(named, k) != nullptr) continue;
      throw SqlError(sqlstate::feature_not_supported,
                     "cannot move tuple across partitions when a non-root ancestor of the source partition is directly referenced in a foreign key")
          .detail(fmt::format("A foreign key points to ancestor \"{}\" but not the root ancestor \"{}\".", r->name, named.name))
          .hint(fmt::format("Consider defining the foreign key on table \"{}\".", named.name));
    }
    oid = r->parent;
  }
}

}  // namespace

void ConstraintEvents::row_moved(const catalog::Relation& named, const catalog::Relation& from, const Datum* old_values, const bool* old_nulls,
                                 TupleId old_tid, const catalog::Relation& to, TupleId tid) {
  check_tables_between(named, from);
  for (const catalog::ForeignKey& k : from.referenced_by) {
    if (has_null(k.referenced_columns, old_nulls)) continue;
    const catalog::ForeignKey* whole = same_key_of(named, k);
    ConstraintEvent e;
    e.old_tid = old_tid;
    if (whole == nullptr) {
      e.kind = ConstraintEventKind::referenced_deleted;
      e.constraint = k.oid;
      e.table = from.oid;
    } else {
      e.kind = ConstraintEventKind::referenced_moved;
      e.constraint = whole->oid;
      e.table = named.oid;
      e.new_tid = tid;
      e.old_table = from.oid;
      e.new_table = to.oid;
    }
    push(e);
  }
}

void ConstraintEvents::run_immediate() {
  if (queue_.empty()) return;
  transaction::advance_command();   // the checks see what the statement did
  while (!queue_.empty()) {
    ConstraintEvent e = queue_.front();
    queue_.pop_front();
    if (event_is_deferred(e)) {
      e.level = transaction::nesting_level();
      transaction_queue().deferred.push_back(e);
    } else {
      run_constraint_event(e, *this);
    }
  }
}

namespace {

// Runs deferred events; all (commit) or those that are no longer deferred (SET CONSTRAINTS … IMMEDIATE).
void run_deferred(bool all) {
  TransactionQueue& q = transaction_queue();
  if (q.deferred.empty()) return;
  transaction::advance_command();
  std::deque<ConstraintEvent> kept;
  while (!q.deferred.empty()) {
    ConstraintEvent e = q.deferred.front();
    q.deferred.pop_front();
    if (!all && event_is_deferred(e)) {
      kept.push_back(e);
      continue;
    }
    ConstraintEvents caused;
    run_constraint_event(e, caused);
    caused.run_immediate();   // events that are deferred again join the queue's end
  }
  for (const ConstraintEvent& e : kept) q.deferred.push_back(e);
}

void forget_transaction() {
  TransactionQueue& q = transaction_queue();
  q.deferred.clear();
  q.state = DeferralState();
  q.saved.clear();
}

void on_transaction_end(transaction::Event event) {
  if (event == transaction::Event::pre_commit) {
    run_deferred(true);
  } else {
    forget_transaction();
  }
}

void on_subtransaction_end(transaction::Event event, int level) {
  TransactionQueue& q = transaction_queue();
  if (event == transaction::Event::abort) {
    std::erase_if(q.deferred, [level](const ConstraintEvent& e) { return e.level >= level; });
    while (!q.saved.empty() && q.saved.back().first >= level) {
      q.state = std::move(q.saved.back().second);
      q.saved.pop_back();
    }
    return;
  }
  for (ConstraintEvent& e : q.deferred) e.level = std::min(e.level, level - 1);
  if (!q.saved.empty() && q.saved.back().first >= level) {
    // The parent level goes back to where this level began, unless it has a saved state itself.
    if (q.saved.size() > 1 && q.saved[q.saved.size() - 2].first == level - 1) q.saved.pop_back();
    else q.saved.back().first = level - 1;
    if (!q.saved.empty() && q.saved.back().first <= 1) q.saved.clear();
  }
}

}  // namespace

void register_domain_input();   // domain_input.cpp

void install_constraint_hooks() {
  register_domain_input();
  transaction::register_hook(on_transaction_end);
  transaction::register_subtransaction_hook(on_subtransaction_end);
}

void set_constraints(std::span<const Oid> constraints, bool all, bool deferred) {
  TransactionQueue& q = transaction_queue();
  int level = transaction::nesting_level();
  if (level > 1 && (q.saved.empty() || q.saved.back().first < level)) q.saved.emplace_back(level, q.state);
  if (all) {
    q.state.single.clear();
    q.state.all_set = true;
    q.state.all_deferred = deferred;
  } else {
    for (Oid c : constraints) q.state.single[c] = deferred;
  }
  if (!deferred) run_deferred(false);
}

bool has_pending_checks(Oid table) {
  const std::deque<ConstraintEvent>& deferred = transaction_queue().deferred;
  return std::any_of(deferred.begin(), deferred.end(), [table](const ConstraintEvent& e) { return e.concerns(table); });
}

}  // namespace hathi::executor
