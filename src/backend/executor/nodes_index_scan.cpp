// IndexScan, IndexOnlyScan.

#include "hathi/catalog/lookup.h"
#include "hathi/statistics/counters.h"
#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "table_scan.h"

namespace hathi::executor {

namespace {

// Is the index `above`, or attached below it at any depth? Indexes of leaves mostly hang on the one that is asked for.
bool is_below(Oid index, Oid above) {
  while (is_valid(index) && index != above) {
    catalog::RelationRef r = catalog::try_open_relation(index, locking::LockMode::none);
    index = r && r->is_partition ? r->parent : kInvalidOid;
  }
  return is_valid(index);
}

const catalog::IndexDescriptor* look_for_attached(const catalog::Relation& table, Oid index) {
  for (const catalog::IndexDescriptor* candidate : table.indexes) {
    if (candidate->oid == index || is_below(candidate->parent, index)) return candidate;
  }
  return nullptr;
}

// The last answer: a scan asks whether the partition has the index, then for the index.
struct LastAnswer {
  const catalog::Relation* table = nullptr;
  Oid oid = kInvalidOid, index = kInvalidOid;
  std::uint64_t version = 0;
  const catalog::IndexDescriptor* found = nullptr;
};

}  // namespace

const catalog::IndexDescriptor* attached_index(const catalog::Relation& table, Oid index) {
  static LastAnswer last;
  if (last.table == &table && last.oid == table.oid && last.version == table.version && last.index == index) return last.found;
  const catalog::IndexDescriptor* found = look_for_attached(table, index);
  last = {&table, table.oid, index, table.version, found};
  return found;
}

const catalog::IndexDescriptor& find_index(const catalog::Relation& table, Oid index) {
  if (const catalog::IndexDescriptor* found = attached_index(table, index)) return *found;
  throw SqlError(sqlstate::internal_error, "index {} of table \"{}\" is missing", raw(index), table.name);
}

void IndexConditions::prepare(const List<planner::IndexCondition*>& conditions, NodeState& node) {
  Arena& arena = node.statement->arena;
  node_ = &node;
  count_ = conditions.size();
  conditions_ = arena.make_array<Condition>(count_);
  keys_ = static_cast<btree::ScanKey*>(arena.allocate(sizeof(btree::ScanKey) * std::max<std::size_t>(count_, 1), alignof(btree::ScanKey)));
  for (std::size_t i = 0; i < count_; ++i) {
    const planner::IndexCondition& c = *conditions[i];
    auto* key = new (keys_ + i) btree::ScanKey();
    key->column = c.column;
    if (c.strategy == 0 || c.strategy == 6) {
      key->is_null_test = true;
      key->null_wanted = c.strategy == 0;
      continue;
    }
    key->strategy = static_cast<btree::Strategy>(c.strategy);
    key->comparison = prepare_comparison(c.comparison, c.collation);
    conditions_[i].argument = compile_expression(c.argument, node.eval, arena);
    conditions_[i].is_array = c.is_array;
    if (c.is_array) conditions_[i].element = catalog::type_info(catalog::type_info(catalog::base_type(nodes::type_of(c.argument))).element).layout;
  }
}

bool IndexConditions::evaluate() {
  arena_.reset();
  Arena* saved = node_->eval.function.arena;
  node_->eval.function.arena = &arena_;
  bool possible = true;
  for (std::size_t i = 0; i < count_ && possible; ++i) {
    Condition& c = conditions_[i];
    if (c.argument == nullptr) continue;
    NullableDatum v = executor::evaluate(*c.argument);
    if (v.is_null) {
      possible = false;
    } else if (!c.is_array) {
      keys_[i].argument = v.value;
    } else {
      types::ArrayElements elements = types::array_elements(types::whole_array(v.value, arena_), c.element, arena_);
      std::size_t n = 0;
      for (int k = 0; k < elements.count; ++k) {
        if (!elements.nulls[k]) elements.values[n++] = elements.values[k];
      }
      keys_[i].any_of = {elements.values, n};
      possible = n > 0;
    }
  }
  node_->eval.function.arena = saved;
  return possible;
}

namespace {

struct IndexScanState : TableScanState {
  const catalog::IndexDescriptor* index = nullptr;
  std::optional<btree::Scan> scan;
  IndexConditions conditions;
  bool begun = false, exhausted = false;
  bool backward = false, known_unique = false;
  buffer::PinnedBuffer pin;
  // Index-only scans.
  buffer::PinnedBuffer map_pin;
  std::uint64_t heap_fetches = 0;
};

void begin_index_scan(IndexScanState& s, bool want_values) {
  if (!s.scan) s.scan.emplace(s.index->btree, want_values);
  bool possible = s.conditions.evaluate();
  s.scan->start(s.conditions.keys(), !possible);
  s.begun = true;
  s.exhausted = !possible;
}

Row* run_index_scan(NodeState& node) {
  auto& s = self<IndexScanState>(node);
  s.row_arena.reset();
  if (!s.begun) begin_index_scan(s, false);
  if (s.exhausted) return nullptr;
  TupleId tid;
  HeapTuple tuple;
  while (s.scan->next(tid, s.backward)) {
    check_interrupts();
    bool all_dead = false;
    if (!heap::fetch_by_index(s.relation->heap, tid, *s.statement->snapshot, s.pin, tuple, &all_dead)) {
      if (all_dead) s.scan->kill_current();
      continue;
    }
    ++statistics::relation(s.index->oid, s.index->btree.file.database).counts.rows_fetched;
    if (s.known_unique) s.exhausted = true;
    set_scan_row(s, tuple);
    if (passes_filter(s)) return output_row(s, &s.row);
    if (s.exhausted) return nullptr;
    s.row_arena.reset();
  }
  s.exhausted = true;
  return nullptr;
}

void init_index_scan(NodeState& node) {
  auto& s = self<IndexScanState>(node);
  auto& plan = plan_of<planner::IndexScan>(s);
  prepare_table_scan(s);
  s.index = &find_index(*s.relation, plan.index);
  s.conditions.prepare(plan.conditions, s);
  s.backward = plan.backward;
  s.known_unique = plan.known_unique;
}

Row* run_index_only_scan(NodeState& node) {
  auto& s = self<IndexScanState>(node);
  s.row_arena.reset();
  if (!s.begun) begin_index_scan(s, true);
  if (s.exhausted) return nullptr;
  TupleId tid;
  while (s.scan->next(tid, s.backward)) {
    check_interrupts();
    if (!heap::is_all_visible(s.relation->heap, tid.block, s.map_pin)) {
      ++s.heap_fetches;
      HeapTuple tuple;
      bool all_dead = false;
      if (!heap::fetch_by_index(s.relation->heap, tid, *s.statement->snapshot, s.pin, tuple, &all_dead)) {
        if (all_dead) s.scan->kill_current();
        continue;
      }
      ++statistics::relation(s.index->oid, s.index->btree.file.database).counts.rows_fetched;
    }
    if (s.known_unique) s.exhausted = true;
    s.row.values = const_cast<Datum*>(s.scan->values());
    s.row.nulls = const_cast<bool*>(s.scan->nulls());
    s.row.set_virtual();
    s.row.tuple.tid = tid;
    s.eval.scan = &s.row;
    if (s.times != nullptr) s.times->extra = fmt::format("Heap Fetches: {}", s.heap_fetches);
    if (passes_filter(s)) return output_row(s, &s.row);
    if (s.exhausted) return nullptr;
    s.row_arena.reset();
  }
  s.exhausted = true;
  if (s.times != nullptr) s.times->extra = fmt::format("Heap Fetches: {}", s.heap_fetches);
  return nullptr;
}

void init_index_only_scan(NodeState& node) {
  auto& s = self<IndexScanState>(node);
  auto& plan = plan_of<planner::IndexScan>(s);
  s.relation = s.partition != nullptr ? s.partition : &s.statement->relation(plan.rte);
  s.index = &find_index(*s.relation, plan.index);
  const TupleDescriptor* d = s.index->btree.descriptor;
  make_row(s.row, d->count(), d, s.statement->arena);
  s.row.tuple.table = s.relation->oid;
  CompileOptions options;
  options.scan_descriptor = d;
  prepare_filter(s, options);
  prepare_projection(s, nodes::kIndexVar, options, d);
  s.conditions.prepare(plan.conditions, s);
  s.backward = plan.backward;
  s.known_unique = plan.known_unique;
}

void rebind_index_scan(NodeState& node) {
  auto& s = self<IndexScanState>(node);
  s.index = &find_index(*s.partition, plan_of<planner::IndexScan>(s).index);
  if (node.plan->kind == planner::PlanKind::index_scan) return rebind_table(s);
  s.relation = s.partition;
  s.row.descriptor = s.index->btree.descriptor;
  s.row.tuple.table = s.relation->oid;
}

void rescan_index_scan(NodeState& node) {
  auto& s = self<IndexScanState>(node);
  s.begun = s.exhausted = false;
}

void close_index_scan(NodeState& node) {
  auto& s = self<IndexScanState>(node);
  s.begun = s.exhausted = false;
  s.scan.reset();
  s.pin.release();
  s.map_pin.release();
  s.heap_fetches = 0;
}

}  // namespace

NodeState* make_index_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<IndexScanState>(st, p, init_index_scan, run_index_scan, rescan_index_scan, close_index_scan);
  node->rebind = rebind_index_scan;
  return node;
}
NodeState* make_index_only_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<IndexScanState>(st, p, init_index_only_scan, run_index_only_scan, rescan_index_scan, close_index_scan);
  node->rebind = rebind_index_scan;
  return node;
}

}  // namespace hathi::executor
