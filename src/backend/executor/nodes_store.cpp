// Nodes that keep rows: Materialize, CteScan, WorkTableScan, RecursiveUnion, SetOp.

#include "group_table.h"
#include "node.h"
#include "row_store.h"
#include "shared_rows.h"
#include "sorter.h"

namespace hathi::executor {

namespace {

// --- Materialize ----------------------------------------------------------------------------------------------------------------

struct MaterializeState : NodeState {
  const TupleDescriptor* descriptor = nullptr;
  std::optional<RowStore> store;
  RowStore::Reader reader;
  std::uint64_t position = 0;
  bool input_done = false;
  std::uint64_t filled_at = 0;
  Row row;
};

Row* run_materialize(NodeState& node) {
  auto& s = self<MaterializeState>(node);
  if (!s.store) s.store.emplace(*s.descriptor, s.statement->work_memory());
  if (s.reader.read(*s.store, s.position, s.row)) {
    ++s.position;
    return &s.row;
  }
  if (s.input_done) return nullptr;
  Row* row = fetch(*s.left);
  if (s.position == 0) s.filled_at = s.statement->clock;
  if (row == nullptr) {
    s.input_done = true;
    return nullptr;
  }
  s.store->put(*row);
  ++s.position;
  return row;
}

void init_materialize(NodeState& node) {
  auto& s = self<MaterializeState>(node);
  s.left = make_child(s, s.plan->left);
  s.descriptor = output_descriptor(*s.left);
  make_row(s.row, s.descriptor->count(), s.descriptor, s.statement->arena);
}

void rescan_materialize(NodeState& node) {
  auto& s = self<MaterializeState>(node);
  s.position = 0;
  if (s.store && !s.statement->changed_since(s.left->plan->parameters, s.filled_at)) return;
  s.store.reset();
  s.reader.reset();
  s.input_done = false;
  rescan(*s.left);
}

void close_materialize(NodeState& node) {
  auto& s = self<MaterializeState>(node);
  s.store.reset();
  s.reader.reset();
  s.position = 0;
  s.input_done = false;
}

// --- CteScan --------------------------------------------------------------------------------------------------------------------

struct CteScanState : NodeState {
  CteState* cte = nullptr;
  RowStore::Reader reader;
  std::uint64_t position = 0, generation = 0;
  Row row;
};

Row* next_cte_row(CteScanState& s) {
  CteState& cte = *s.cte;
  if (s.generation != cte.generation) {
    s.generation = cte.generation;
    s.position = 0;
    s.reader.reset();
  }
  if (!s.reader.read(*cte.store, s.position, s.row)) {
    if (cte.done) return nullptr;
    Row* row = fetch(*cte.root);
    if (row == nullptr) {
      cte.done = true;
      return nullptr;
    }
    cte.store->put(*row);
    s.reader.read(*cte.store, s.position, s.row);
  }
  ++s.position;
  return &s.row;
}

Row* run_cte_scan(NodeState& node) {
  auto& s = self<CteScanState>(node);
  s.cte->prepare(*s.cte->owner);
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    Row* row = next_cte_row(s);
    if (row == nullptr) return nullptr;
    s.eval.scan = row;
    if (passes_filter(s)) return output_row(s, row);
  }
}

void init_cte_scan(NodeState& node) {
  auto& s = self<CteScanState>(node);
  auto& plan = plan_of<planner::CteScan>(s);
  s.cte = shared_cte(*s.statement, plan.plan);
  s.generation = s.cte->generation;
  make_row(s.row, s.cte->descriptor->count(), s.cte->descriptor, s.statement->arena);
  CompileOptions options;
  options.scan_descriptor = s.cte->descriptor;
  prepare_filter(s, options);
  prepare_projection(s, plan.rte, options);
}

void rescan_cte_scan(NodeState& node) {
  auto& s = self<CteScanState>(node);
  s.position = 0;
  if (s.cte->owner == s.statement) s.cte->restart_if_stale(*s.statement);
}

void close_cte_scan(NodeState& node) {
  auto& s = self<CteScanState>(node);
  s.position = 0;
  s.reader.reset();
  if (s.cte->owner != s.statement) return;
  s.cte->close();
  s.generation = s.cte->generation;
}

// --- WorkTableScan, RecursiveUnion ------------------------------------------------------------------------------------------------

struct WorkTableScanState : NodeState {
  WorkTable* table = nullptr;
  RowStore::Reader reader;
  std::uint64_t position = 0, generation = 0;
  Row row;
};

Row* run_work_table_scan(NodeState& node) {
  auto& s = self<WorkTableScanState>(node);
  if (s.generation != s.table->generation) {
    s.generation = s.table->generation;
    s.position = 0;
    s.reader.reset();
  }
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    if (!s.reader.read(*s.table->work, s.position, s.row)) return nullptr;
    ++s.position;
    s.eval.scan = &s.row;
    if (passes_filter(s)) return output_row(s, &s.row);
  }
}

void init_work_table_scan(NodeState& node) {
  auto& s = self<WorkTableScanState>(node);
  auto& plan = plan_of<planner::WorkTableScan>(s);
  s.table = s.statement->work_tables[static_cast<std::size_t>(plan.work_param)];
  if (s.table == nullptr) throw SqlError(sqlstate::internal_error, "work table of a recursive query is missing");
  make_row(s.row, s.table->descriptor->count(), s.table->descriptor, s.statement->arena);
  CompileOptions options;
  options.scan_descriptor = s.table->descriptor;
  prepare_filter(s, options);
  prepare_projection(s, plan.rte, options);
}

void rescan_work_table_scan(NodeState& node) { self<WorkTableScanState>(node).position = 0; }

void close_work_table_scan(NodeState& node) {
  auto& s = self<WorkTableScanState>(node);
  s.position = 0;
  s.reader.reset();
}

struct RecursiveUnionState : NodeState {
  WorkTable table;
  KeyColumns keys;
  std::optional<GroupTable> seen;
  bool in_recursion = false, done = false;
};

bool is_repeated(RecursiveUnionState& s, Row& row) {
  if (!s.seen) return false;
  row.need(s.keys.highest);
  bool is_new;
  s.seen->find_or_add(row, hash_keys(s.keys, row, s.row_arena), s.row_arena, is_new);
  return !is_new;
}

// The rows found in the last round become the work table.
bool next_round(RecursiveUnionState& s) {
  if (s.table.next->size() == 0) return false;
  std::swap(s.table.work, s.table.next);
  s.table.next->clear();
  ++s.table.generation;
  s.statement->set_param(plan_of<planner::RecursiveUnion>(s).work_param, {});
  rescan(*s.right);
  return true;
}

Row* run_recursive_union(NodeState& node) {
  auto& s = self<RecursiveUnionState>(node);
  if (s.done) return nullptr;
  if (s.table.next == nullptr) {
    s.table.work = std::make_unique<RowStore>(*s.table.descriptor, s.statement->work_memory());
    s.table.next = std::make_unique<RowStore>(*s.table.descriptor, s.statement->work_memory());
    if (plan_of<planner::RecursiveUnion>(s).distinct) s.seen.emplace(s.keys, 0);
  }
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    Row* row = fetch(s.in_recursion ? *s.right : *s.left);
    if (row == nullptr) {
      s.in_recursion = true;
      if (!next_round(s)) {
        s.done = true;
        return nullptr;
      }
      continue;
    }
    if (is_repeated(s, *row)) continue;
    s.table.next->put(*row);
    return row;
  }
}

void init_recursive_union(NodeState& node) {
  auto& s = self<RecursiveUnionState>(node);
  auto& plan = plan_of<planner::RecursiveUnion>(s);
  s.left = make_child(s, plan.left);
  s.right = make_child(s, plan.right);
  s.table.descriptor = output_descriptor(*s.left);
  s.statement->work_tables[static_cast<std::size_t>(plan.work_param)] = &s.table;
  if (plan.distinct) {
    s.keys = prepare_keys(plan.columns, plan.equal_operators, plan.collations, column_layouts(plan.columns, *s.table.descriptor, s.statement->arena), true,
                          s.statement->arena);
  }
}

void close_recursive_union(NodeState& node) {
  auto& s = self<RecursiveUnionState>(node);
  s.table.work.reset();
  s.table.next.reset();
  ++s.table.generation;
  s.seen.reset();
  s.in_recursion = s.done = false;
}

void rescan_recursive_union(NodeState& node) {
  close_recursive_union(node);
  node.statement->set_param(plan_of<planner::RecursiveUnion>(node).work_param, {});
  rescan(*node.left);
  rescan(*node.right);
}

// --- SetOp ------------------------------------------------------------------------------------------------------------------------

struct SetOpCounts { std::int64_t left, right; };

struct SetOpState : NodeState {
  KeyColumns keys;
  const TupleDescriptor* descriptor = nullptr;
  std::optional<GroupTable> table;
  bool filled = false;
  GroupTable::Entry* current = nullptr;
  // The group that is put out, or (sorted) read.
  std::int64_t left_to_emit = 0;
  Row group, next;
  bool has_next = false, input_done = false;
  Arena group_arena{1024}, next_arena{1024};
};

std::int64_t copies(planner::SetOp::Command command, const SetOpCounts& n) {
  using Command = planner::SetOp::Command;
  switch (command) {
    case Command::intersect: return n.left > 0 && n.right > 0 ? 1 : 0;
    case Command::intersect_all: return std::min(n.left, n.right);
    case Command::except: return n.left > 0 && n.right == 0 ? 1 : 0;
    case Command::except_all: return std::max<std::int64_t>(n.left - n.right, 0);
  }
  return 0;
}

void count_row(const planner::SetOp& plan, Row& row, SetOpCounts& n) {
  row.need(plan.flag_column);
  (row.values[plan.flag_column - 1].as_int32() == 0 ? n.left : n.right) += 1;
}

Row* run_hashed_set_op(NodeState& node) {
  auto& s = self<SetOpState>(node);
  auto& plan = plan_of<planner::SetOp>(s);
  using Command = planner::SetOp::Command;
  if (!s.filled) {
    s.table.emplace(s.keys, sizeof(SetOpCounts));
    while (Row* row = fetch(*s.left)) {
      check_interrupts();
      s.row_arena.reset();
      std::uint32_t hash = hash_keys(s.keys, *row, s.row_arena);
      GroupTable::Entry* e = s.table->find(*row, hash, s.row_arena);
      SetOpCounts one{0, 0};
      count_row(plan, *row, one);
      // EXCEPT and INTERSECT never yield rows that only the right side has.
      if (e == nullptr && one.left == 0) continue;
      if (e == nullptr) e = s.table->add(*row, hash);
      auto* n = GroupTable::payload<SetOpCounts>(e);
      n->left += one.left;
      n->right += one.right;
    }
    s.filled = true;
    s.current = nullptr;
    s.left_to_emit = 0;
  }
  (void)Command::intersect;
  while (s.left_to_emit == 0) {
    s.current = s.current == nullptr ? s.table->first() : s.current->next;
    if (s.current == nullptr) {
      s.left_to_emit = -1;
      break;
    }
    s.left_to_emit = copies(plan.command, *GroupTable::payload<SetOpCounts>(s.current));
  }
  if (s.left_to_emit < 0) return nullptr;
  --s.left_to_emit;
  Datum* values = s.table->values(s.current);
  bool* nulls = s.table->nulls(s.current);
  for (std::size_t k = 0; k < s.keys.columns.size(); ++k) {
    int i = s.keys.columns[k].column - 1;
    s.group.values[i] = values[k];
    s.group.nulls[i] = nulls[k];
  }
  s.group.set_virtual();
  return &s.group;
}

Row* run_sorted_set_op(NodeState& node) {
  auto& s = self<SetOpState>(node);
  auto& plan = plan_of<planner::SetOp>(s);
  while (s.left_to_emit == 0) {
    check_interrupts();
    if (!s.has_next) {
      if (s.input_done) return nullptr;
      Row* row = fetch(*s.left);
      if (row == nullptr) return nullptr;
      s.next_arena.reset();
      copy_row(s.next, *row, *s.descriptor, s.next_arena);
    }
    s.has_next = false;
    std::swap(s.group.values, s.next.values);
    std::swap(s.group.nulls, s.next.nulls);
    s.group_arena.swap(s.next_arena);
    s.group.set_virtual();
    SetOpCounts n{0, 0};
    count_row(plan, s.group, n);
    while (Row* row = fetch(*s.left)) {
      s.row_arena.reset();
      if (!same_keys(s.keys, s.group, *row, s.row_arena)) {
        s.next_arena.reset();
        copy_row(s.next, *row, *s.descriptor, s.next_arena);
        s.has_next = true;
        break;
      }
      count_row(plan, *row, n);
    }
    if (!s.has_next) s.input_done = true;
    s.left_to_emit = copies(plan.command, n);
  }
  --s.left_to_emit;
  return &s.group;
}

void init_set_op(NodeState& node) {
  auto& s = self<SetOpState>(node);
  auto& plan = plan_of<planner::SetOp>(s);
  s.left = make_child(s, plan.left);
  s.descriptor = output_descriptor(*s.left);
  s.keys = prepare_keys(plan.columns, plan.equal_operators, plan.collations, column_layouts(plan.columns, *s.descriptor, s.statement->arena), plan.hashed,
                        s.statement->arena);
  make_row(s.group, s.descriptor->count(), s.descriptor, s.statement->arena);
  make_row(s.next, s.descriptor->count(), s.descriptor, s.statement->arena);
  s.run = plan.hashed ? run_hashed_set_op : run_sorted_set_op;
}

void close_set_op(NodeState& node) {
  auto& s = self<SetOpState>(node);
  s.table.reset();
  s.filled = s.has_next = s.input_done = false;
  s.left_to_emit = 0;
  s.current = nullptr;
  s.group_arena.reset();
  s.next_arena.reset();
}

void rescan_set_op(NodeState& node) {
  close_set_op(node);
  rescan(*node.left);
}

}  // namespace

// --- shared stores ----------------------------------------------------------------------------------------------------------------

CteState* shared_cte(StatementState& statement, int number) {
  // An EvalPlanQual run must not change rows again: it reads what the statement's own run of the CTE gave.
  bool changes = statement.statement.subplans[static_cast<std::size_t>(number - 1)]->kind == planner::PlanKind::modify_table;
  if (changes && statement.parent != nullptr) return shared_cte(*statement.parent, number);
  CteState*& cte = statement.ctes[static_cast<std::size_t>(number - 1)];
  if (cte == nullptr) {
    cte = new CteState();
    statement.keep(cte, [](void* p) { static_cast<CteState*>(p)->close(); }, [](void* p) { delete static_cast<CteState*>(p); });
    cte->owner = &statement;
    cte->root = statement.subplan_root(number);
    cte->descriptor = output_descriptor(*cte->root);
  }
  return cte;
}

void CteState::prepare(StatementState& statement) {
  if (store != nullptr) return;
  store = std::make_unique<RowStore>(*descriptor, statement.work_memory());
  filled_at = statement.clock;
  done = false;
}

void CteState::restart_if_stale(StatementState& statement) {
  if (store == nullptr || !statement.changed_since(root->plan->parameters, filled_at)) return;
  close();
  rescan(*root);
}

void CteState::close() {
  if (store == nullptr) return;
  store.reset();
  done = false;
  ++generation;
}

NodeState* make_materialize(StatementState& st, const planner::Plan* p) {
  return make_state<MaterializeState>(st, p, init_materialize, run_materialize, rescan_materialize, close_materialize);
}
NodeState* make_cte_scan(StatementState& st, const planner::Plan* p) {
  return make_state<CteScanState>(st, p, init_cte_scan, run_cte_scan, rescan_cte_scan, close_cte_scan);
}
NodeState* make_work_table_scan(StatementState& st, const planner::Plan* p) {
  return make_state<WorkTableScanState>(st, p, init_work_table_scan, run_work_table_scan, rescan_work_table_scan, close_work_table_scan);
}
NodeState* make_recursive_union(StatementState& st, const planner::Plan* p) {
  return make_state<RecursiveUnionState>(st, p, init_recursive_union, run_recursive_union, rescan_recursive_union, close_recursive_union);
}
NodeState* make_set_op(StatementState& st, const planner::Plan* p) {
  return make_state<SetOpState>(st, p, init_set_op, run_sorted_set_op, rescan_set_op, close_set_op);
}

}  // namespace hathi::executor
