#include "hathi/executor/executor.h"

#include "hathi/transaction/transaction.h"
#include "lock_rows.h"
#include "node.h"
#include "partition_scan.h"
#include "relations_in_use.h"
#include "scan_partitions.h"
#include "privileges.h"
#include "row_store.h"
#include "table_scan.h"

namespace hathi::executor {

using planner::Plan;
using planner::PlanKind;

namespace {

// Rows that were fetched, for cursors that go backward.
struct FetchedRows {
  RowStore store;
  RowStore::Reader reader;
  Row row;
  std::vector<TupleId> tids;        // of the scanned table's rows
  std::vector<Oid> tables;
  FetchedRows(const TupleDescriptor& d, std::size_t memory, Arena& arena) : store(d, memory) { make_row(row, d.count(), &d, arena); }
};

// The table scan whose current row is the cursor's row: only through nodes that pass its rows on.
NodeState* simple_scan(NodeState* node) {
  while (node != nullptr && node->initialised) {
    switch (node->plan->kind) {
      case PlanKind::seq_scan: case PlanKind::index_scan: case PlanKind::bitmap_heap_scan: case PlanKind::tid_scan: case PlanKind::partitioned_scan:
      case PlanKind::index_only_scan:
        return node;
      case PlanKind::limit: case PlanKind::lock_rows: case PlanKind::result: case PlanKind::subquery_scan: node = node->left; break;
      default: return nullptr;
    }
  }
  return nullptr;
}

bool has_row_locks(const Plan* plan) {
  for (; plan != nullptr; plan = plan->left) {
    if (plan->kind == PlanKind::lock_rows) return true;
    if (plan->kind == PlanKind::subquery_scan) return has_row_locks(static_cast<const planner::SubqueryScan*>(plan)->subplan);
  }
  return false;
}

}  // namespace

struct Execution::State : StatementState {
  using StatementState::StatementState;

  NodeState* root = nullptr;
  TupleDescriptor* row = nullptr;
  int row_columns = 0;                // columns of the root's rows to be read
  // Output positions when junk columns stand between others; else the leading columns are sent as they are.
  AttrNumber* positions = nullptr;
  Datum* values = nullptr;
  bool* nulls = nullptr;
  bool partitions_locked = false, started = false, ended = false, completed = false, sends_rows = true;
  std::uint64_t sent = 0;
  std::optional<FetchedRows> fetched;
  std::uint64_t cursor = 0;           // of rewindable runs: 0 before the first row, n on row n
  Arena output_arena{1024};

  void describe_output();
  bool send(RowReceiver& receiver, Row& r);
  Row* next_row();
  std::uint64_t run_forward(RowReceiver& receiver, std::uint64_t count);
  std::uint64_t run_stored(RowReceiver& receiver, bool backward, std::uint64_t count);
};

Execution::Execution(const planner::PlannedStatement& statement, const planner::BoundParameters& parameters, const ExecutionOptions& options)
    : state_(std::make_unique<State>(statement, options)) {
  state_->external = parameters.values;
}

Execution::~Execution() = default;

void Execution::State::describe_output() {
  const List<nodes::TargetEntry*>* targets = &statement.plan->targets;
  sends_rows = true;
  if (statement.plan->kind == PlanKind::modify_table) {
    targets = &static_cast<const planner::ModifyTable*>(statement.plan)->returning;
    sends_rows = !targets->empty();
  }
  row = describe_targets(*targets, arena, false);
  int n = 0, at = 0;
  bool leading = true;
  for (const nodes::TargetEntry* t : *targets) {
    ++at;
    if (t->junk) continue;
    ++n;
    leading = leading && at == n;
    row_columns = at;
  }
  if (leading) return;
  positions = arena.make_array<AttrNumber>(static_cast<std::size_t>(n));
  values = arena.make_array<Datum>(static_cast<std::size_t>(n));
  nulls = arena.make_array<bool>(static_cast<std::size_t>(n));
  n = at = 0;
  for (const nodes::TargetEntry* t : *targets) {
    if (!t->junk) positions[n++] = static_cast<AttrNumber>(at);
    ++at;
  }
}

void Execution::lock_partitions() {
  State& s = *state_;
  HATHI_ASSERT(!s.started);
  for (const planner::PartitionedScan* scan : s.statement.partitioned_scans) s.scan_partitions(*scan).lock();
  s.partitions_locked = true;
}

void Execution::start(transaction::SnapshotRef snapshot) {
  State& s = *state_;
  HATHI_ASSERT(!s.started && s.partitions_locked);
  s.snapshot = snapshot.get();
  s.snapshot_ref = std::move(snapshot);
  check_privileges(s.statement);
  check_read_only(s.statement);
  bool changes = s.statement.command != nodes::CommandKind::select || s.statement.has_modifying_cte || has_row_locks(s.statement.plan);
  s.command = transaction::current_command(changes);
  if (s.root == nullptr) {
    s.describe_output();
    s.root = make_node(s, s.statement.plan);
  }
  s.started = true;
  ++s.run_number;
  if (!s.options.instrument && !s.options.explain_only) return;
  for (const planner::PartitionedScan* scan : s.statement.partitioned_scans) s.scan_partitions(*scan).remember();
}

void Execution::reset(const planner::BoundParameters& parameters) {
  State& s = *state_;
  HATHI_ASSERT(s.completed);
  s.external = parameters.values;
  s.everything_changed = ++s.clock;
  s.started = s.ended = s.completed = s.finished = s.partitions_locked = false;
  s.sent = s.processed = s.cursor = 0;
}

const TupleDescriptor& Execution::row() const { return *state_->row; }

bool Execution::State::send(RowReceiver& receiver, Row& r) {
  r.need(row_columns);
  if (positions == nullptr) return receiver.receive(r.values, r.nulls);
  for (int i = 0; i < row->count(); ++i) {
    values[i] = r.values[positions[i]];
    nulls[i] = r.nulls[positions[i]];
  }
  return receiver.receive(values, nulls);
}

Row* Execution::State::next_row() {
  if (ended) return nullptr;
  Row* r = fetch(*root);
  if (r == nullptr) ended = true;
  return r;
}

std::uint64_t Execution::State::run_forward(RowReceiver& receiver, std::uint64_t count) {
  std::uint64_t n = 0;
  while (Row* r = next_row()) {
    ++n;
    ++sent;
    if (!send(receiver, *r) || n == count) break;
  }
  return n;
}

std::uint64_t Execution::State::run_stored(RowReceiver& receiver, bool backward, std::uint64_t count) {
  if (!fetched) fetched.emplace(*row, work_memory(), arena);
  std::uint64_t n = 0;
  while (count == 0 || n < count) {
    if (backward) {
      if (cursor <= 1) {
        cursor = 0;
        break;
      }
      --cursor;
    } else {
      if (cursor > fetched->store.size()) break;   // after the end
      if (cursor == fetched->store.size()) {
        Row* r = next_row();
        if (r == nullptr) {
          cursor = fetched->store.size() + 1;
          break;
        }
        r->need(row_columns);
        if (positions == nullptr) {
          fetched->store.put(r->values, r->nulls);
        } else {
          for (int i = 0; i < row->count(); ++i) {
            values[i] = r->values[positions[i]];
            nulls[i] = r->nulls[positions[i]];
          }
          fetched->store.put(values, nulls);
        }
        TupleId tid;
        Oid table = kInvalidOid;
        if (NodeState* scan = simple_scan(root)) current_scan_row(*scan, tid, table);
        fetched->tids.push_back(tid);
        fetched->tables.push_back(table);
      }
      ++cursor;
    }
    fetched->reader.read(fetched->store, cursor - 1, fetched->row);
    fetched->row.need_all();
    ++n;
    ++sent;
    if (!receiver.receive(fetched->row.values, fetched->row.nulls)) break;
  }
  return n;
}

std::uint64_t Execution::run(RowReceiver& receiver, Direction direction, std::uint64_t count) {
  State& s = *state_;
  HATHI_ASSERT(s.started && !s.completed);
  if (direction == Direction::none) return 0;
  s.sent = 0;
  if (!s.sends_rows) {
    while (s.next_row() != nullptr) {}
    return 0;
  }
  if (s.options.rewindable) return s.run_stored(receiver, direction == Direction::backward, count);
  if (direction == Direction::backward) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "cursor can only scan forward").hint("Declare it with SCROLL option to enable backward scan.");
  }
  return s.run_forward(receiver, count);
}

bool Execution::at_end() const {
  const State& s = *state_;
  if (!s.fetched) return s.ended;
  return s.ended && s.cursor > s.fetched->store.size();
}

std::uint64_t Execution::processed() const {
  const State& s = *state_;
  return s.statement.plan->kind == PlanKind::modify_table ? s.processed : s.sent;
}

void Execution::finish() {
  State& s = *state_;
  if (s.completed) return;
  s.complete_modifying_ctes();
  s.finish_constraints();
  park();
}

void Execution::park() {
  State& s = *state_;
  if (s.completed) return;
  s.completed = true;
  s.close_all();
  s.fetched.reset();
  s.snapshot_ref = transaction::SnapshotRef();
  s.snapshot = nullptr;
  s.external = {};
}

void Execution::rewind() {
  State& s = *state_;
  s.cursor = 0;
  if (s.options.rewindable) return;
  s.close_all();
  s.ended = false;
}

const transaction::SnapshotRef& Execution::snapshot() const { return state_->snapshot_ref; }

const NodeTimes* Execution::times(const Plan& plan) const {
  State& s = *state_;
  if (auto found = s.partition_times.find(&plan); found != s.partition_times.end()) return found->second.loops == 0 ? nullptr : &found->second;
  auto id = static_cast<std::size_t>(plan.id);
  bool is_numbered = id < s.times.size() && s.nodes[id] != nullptr && s.nodes[id]->plan == &plan;
  if (!is_numbered) return nullptr;
  end_loop(*s.nodes[id]);
  return s.times[id].loops == 0 ? nullptr : &s.times[id];
}

PartitionsShown Execution::partitions(const planner::PartitionedScan& scan) const { return shown_partitions(*state_, scan); }

bool Execution::current_row(Oid table, TupleId& tid, Oid& actual_table) const {
  State& s = *state_;
  if (s.fetched) {
    if (s.cursor == 0 || s.cursor > s.fetched->store.size()) return false;
    tid = s.fetched->tids[s.cursor - 1];
    actual_table = s.fetched->tables[s.cursor - 1];
    return tid.is_valid();
  }
  if (s.ended || s.sent == 0) return false;
  bool locks = false;
  for (const NodeState* node = s.all_nodes; node != nullptr; node = node->next_made) {
    if (node->plan->kind != PlanKind::lock_rows || !node->initialised) continue;
    locks = true;
    if (const LockedRow* locked = find_locked_row(*node, table)) {
      tid = locked->tid;
      actual_table = table;
      return true;
    }
  }
  if (locks) {
    actual_table = kInvalidOid;   // the row is another table's or another partition's
    return true;
  }
  NodeState* scan = s.root == nullptr ? nullptr : simple_scan(s.root);
  return scan != nullptr && current_scan_row(*scan, tid, actual_table);
}

bool Execution::holds(Oid relation) const { return !state_->completed && holds_relation(*state_, relation); }

}  // namespace hathi::executor
