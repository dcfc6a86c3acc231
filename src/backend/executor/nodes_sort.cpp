// Sort, IncrementalSort.

#include "node.h"
#include "sorter.h"

namespace hathi::executor {

namespace {

struct SortState : NodeState {
  std::span<SortColumn> columns;
  const TupleDescriptor* descriptor = nullptr;
  std::optional<Sorter> sorter;
  bool sorted = false;
  std::uint64_t bound = 0, sorted_bound = 0;
  std::uint64_t filled_at = 0;
  Row row;
};

void describe_sort(SortState& s) {
  if (s.times == nullptr) return;
  s.times->extra = fmt::format("Sort Method: {}  {}: {}kB", s.sorter->method(), s.sorter->on_disk() ? "Disk" : "Memory", s.sorter->kilobytes());
}

void fill_sort(SortState& s) {
  if (!s.sorter) s.sorter.emplace(*s.descriptor, s.columns, s.statement->work_memory());
  s.sorter->clear();
  s.sorter->set_bound(s.bound);
  while (Row* row = fetch(*s.left)) {
    check_interrupts();
    s.sorter->put(*row);
  }
  s.sorter->finish();
  s.sorted = true;
  s.sorted_bound = s.bound;
  s.filled_at = s.statement->clock;
  describe_sort(s);
}

Row* run_sort(NodeState& node) {
  auto& s = self<SortState>(node);
  if (!s.sorted) fill_sort(s);
  return s.sorter->next(s.row) ? &s.row : nullptr;
}

void init_sort(NodeState& node) {
  auto& s = self<SortState>(node);
  auto& plan = plan_of<planner::Sort>(s);
  s.left = make_child(s, plan.left);
  s.descriptor = output_descriptor(*s.left);
  s.columns = prepare_sort(plan.keys.columns, plan.keys.operators, plan.keys.collations, plan.keys.nulls_first, s.statement->arena);
  make_row(s.row, s.descriptor->count(), s.descriptor, s.statement->arena);
}

void rescan_sort(NodeState& node) {
  auto& s = self<SortState>(node);
  if (!s.sorted) return rescan(*s.left);
  // A narrower bound than now wanted means that rows were thrown away.
  bool enough = s.sorted_bound == 0 || (s.bound != 0 && s.bound <= s.sorted_bound);
  if (enough && !s.statement->changed_since(s.left->plan->parameters, s.filled_at)) {
    s.sorter->rewind();
    return;
  }
  s.sorted = false;
  s.sorter->clear();
  rescan(*s.left);
}

void close_sort(NodeState& node) {
  auto& s = self<SortState>(node);
  s.sorted = false;
  s.sorter.reset();
}

// --- IncrementalSort ------------------------------------------------------------------------------------------------------------
// The input is sorted by the first columns already: each group of rows that are equal in them is sorted on its own.

struct IncrementalSortState : NodeState {
  std::span<SortColumn> columns;
  int presorted = 0;
  const TupleDescriptor* descriptor = nullptr;
  std::optional<Sorter> sorter;
  bool emitting = false, input_done = false, has_held = false;
  std::uint64_t bound = 0;
  std::uint64_t groups = 0;
  Row held;                 // the first row of the next group
  Row first;                // of the group being read
  Arena held_arena{1024}, first_arena{1024};
  Row row;
};

bool same_prefix(IncrementalSortState& s, Row& a, Row& b) {
  for (int k = 0; k < s.presorted; ++k) {
    const SortColumn& c = s.columns[static_cast<std::size_t>(k)];
    int i = c.column - 1;
    a.need(c.column);
    b.need(c.column);
    if (compare_in_order(c, a.values[i], a.nulls[i], b.values[i], b.nulls[i], s.row_arena) != 0) return false;
  }
  return true;
}

void begin_group(IncrementalSortState& s, Row& row) {
  s.first_arena.reset();
  copy_row(s.first, row, *s.descriptor, s.first_arena);
  s.sorter->put(s.first);
  ++s.groups;
}

// Reads one group into the sorter; false when there is none left.
bool read_group(IncrementalSortState& s) {
  if (!s.sorter) s.sorter.emplace(*s.descriptor, s.columns, s.statement->work_memory());
  s.sorter->clear();
  if (s.has_held) {
    s.has_held = false;
    begin_group(s, s.held);
  } else if (s.input_done) {
    return false;
  }
  while (!s.input_done) {
    check_interrupts();
    s.row_arena.reset();
    Row* row = fetch(*s.left);
    if (row == nullptr) {
      s.input_done = true;
      break;
    }
    if (s.sorter->size() == 0) {
      begin_group(s, *row);
    } else if (same_prefix(s, s.first, *row)) {
      s.sorter->put(*row);
    } else {
      s.held_arena.reset();
      copy_row(s.held, *row, *s.descriptor, s.held_arena);
      s.has_held = true;
      break;
    }
  }
  if (s.sorter->size() == 0) return false;
  s.sorter->finish();
  return true;
}

Row* run_incremental_sort(NodeState& node) {
  auto& s = self<IncrementalSortState>(node);
  for (;;) {
    if (s.emitting) {
      if (s.sorter->next(s.row)) return &s.row;
      s.emitting = false;
    }
    if (!read_group(s)) {
      if (s.times != nullptr) {
        s.times->extra = fmt::format("Full-sort Groups: {}  Sort Method: {}  Average Memory: {}kB  Peak Memory: {}kB", s.groups, "quicksort",
                                     s.sorter->kilobytes(), s.sorter->kilobytes());
      }
      return nullptr;
    }
    s.emitting = true;
  }
}

void init_incremental_sort(NodeState& node) {
  auto& s = self<IncrementalSortState>(node);
  auto& plan = plan_of<planner::IncrementalSort>(s);
  s.left = make_child(s, plan.left);
  s.descriptor = output_descriptor(*s.left);
  s.presorted = plan.presorted;
  s.columns = prepare_sort(plan.keys.columns, plan.keys.operators, plan.keys.collations, plan.keys.nulls_first, s.statement->arena);
  for (Row* r : {&s.held, &s.first, &s.row}) make_row(*r, s.descriptor->count(), s.descriptor, s.statement->arena);
}

void close_incremental_sort(NodeState& node) {
  auto& s = self<IncrementalSortState>(node);
  s.sorter.reset();
  s.emitting = s.input_done = s.has_held = false;
  s.held_arena.reset();
  s.first_arena.reset();
}

void rescan_incremental_sort(NodeState& node) {
  close_incremental_sort(node);
  rescan(*node.left);
}

}  // namespace

NodeState* make_sort(StatementState& st, const planner::Plan* p) { return make_state<SortState>(st, p, init_sort, run_sort, rescan_sort, close_sort); }
NodeState* make_incremental_sort(StatementState& st, const planner::Plan* p) {
  return make_state<IncrementalSortState>(st, p, init_incremental_sort, run_incremental_sort, rescan_incremental_sort, close_incremental_sort);
}

void pass_bound(NodeState& node, std::uint64_t bound) {
  using planner::PlanKind;
  switch (node.plan->kind) {
    case PlanKind::sort: self<SortState>(node).bound = bound; return;
    case PlanKind::result: case PlanKind::subquery_scan:
      // One row in, one row out.
      if (node.plan->filter.empty() && node.initialised && node.left != nullptr) pass_bound(*node.left, bound);
      return;
    default: return;
  }
}

}  // namespace hathi::executor
