// MergeJoin: both inputs are sorted by the merge keys. The inner rows of one key are kept in a store, so the inner input is read
// once. Rows with a NULL key match nothing.

#include "comparison.h"
#include "node.h"
#include "row_store.h"

namespace hathi::executor {

using nodes::JoinType;

namespace {

enum class MergePhase : std::uint8_t { next_outer, seek, in_group, unmatched_group, rest_of_inner, done };

struct MergeKey {
  Program* outer = nullptr;
  Program* inner = nullptr;
  ComparisonFunction comparison;         // outer with inner
  ComparisonFunction inner_comparison;   // inner with inner
  bool descending = false;
  TypeLayout inner_layout;
};

struct MergeJoinState : NodeState {
  std::span<MergeKey> keys;
  Program* condition = nullptr;
  JoinType type = JoinType::inner;
  bool fill_outer = false, fill_inner = false, one_match = false, single = false;
  MergePhase phase = MergePhase::next_outer, after_group = MergePhase::next_outer;
  const TupleDescriptor* inner_descriptor = nullptr;

  NullableDatum* outer_values = nullptr;
  Row* outer = nullptr;                // the current outer row; has keys in outer_values
  bool outer_matched = false;

  Row* inner = nullptr;                // read ahead: the first inner row beyond the group
  bool inner_started = false, inner_done = false, inner_has_null = false;
  NullableDatum* inner_values = nullptr;   // its keys

  // The rows of the current key.
  bool has_group = false;
  NullableDatum* group_values = nullptr;
  Arena group_arena{512};
  Arena outer_arena{512}, inner_arena{512};   // keys that had to be computed
  std::optional<RowStore> group;
  RowStore::Reader reader;
  Row* live = nullptr;                 // single: the group is this row, not stored
  std::vector<bool> matched;           // of the group's rows, for right and full joins
  std::uint64_t position = 0;
  Row group_row, outer_nulls, inner_nulls;
};

// Evaluates the keys of the row in the context; false when one is NULL. Computed values go to the arena.
bool evaluate_keys(MergeJoinState& s, bool outer, NullableDatum* out, Arena& arena) {
  arena.reset();
  Arena* saved = s.eval.function.arena;
  s.eval.function.arena = &arena;
  bool complete = true;
  for (std::size_t i = 0; i < s.keys.size() && complete; ++i) {
    out[i] = evaluate(outer ? *s.keys[i].outer : *s.keys[i].inner);
    complete = !out[i].is_null;
  }
  s.eval.function.arena = saved;
  return complete;
}

int compare_keys(MergeJoinState& s, const NullableDatum* outer, const NullableDatum* inner) {
  for (std::size_t i = 0; i < s.keys.size(); ++i) {
    int r = compare(s.keys[i].comparison, outer[i].value, inner[i].value, s.row_arena);
    if (r != 0) return s.keys[i].descending ? -r : r;
  }
  return 0;
}

// Does the inner row read ahead belong to the group?
bool same_inner_keys(MergeJoinState& s) {
  for (std::size_t i = 0; i < s.keys.size(); ++i) {
    if (compare(s.keys[i].inner_comparison, s.group_values[i].value, s.inner_values[i].value, s.row_arena) != 0) return false;
  }
  return true;
}

Row* null_extended_inner(MergeJoinState& s, Row* outer) {
  s.eval.outer = outer;
  s.eval.inner = &s.inner_nulls;
  return passes_filter(s) ? output_row(s, outer) : nullptr;
}

Row* null_extended_outer(MergeJoinState& s, Row* inner) {
  s.eval.outer = &s.outer_nulls;
  s.eval.inner = inner;
  return passes_filter(s) ? output_row(s, &s.outer_nulls) : nullptr;
}

// Reads the next inner row and its keys. Those with a NULL key are passed over, unless they are wanted as rows without a match.
void read_inner(MergeJoinState& s) {
  s.inner_started = true;
  do {
    s.inner = s.inner_done ? nullptr : fetch(*s.right);
    if (s.inner == nullptr) {
      s.inner_done = true;
      return;
    }
    s.eval.inner = s.inner;
    s.inner_has_null = !evaluate_keys(s, false, s.inner_values, s.inner_arena);
  } while (s.inner_has_null && !s.fill_inner);
}

// The inner row read ahead has the outer row's key: it and its equals become the group.
void begin_group(MergeJoinState& s) {
  s.has_group = true;
  s.matched.clear();
  s.group_arena.reset();
  for (std::size_t i = 0; i < s.keys.size(); ++i) {
    s.group_values[i] = {copy_datum(s.inner_values[i].value, s.keys[i].inner_layout, s.group_arena), false};
  }
  if (s.single) {
    s.live = s.inner;
    s.inner_started = false;     // the next one is read when the group is left
    s.matched.push_back(false);
    return;
  }
  if (!s.group) s.group.emplace(*s.inner_descriptor, s.statement->work_memory());
  s.group->restart();
  s.reader.reset();
  do {
    check_interrupts();
    s.group->put(*s.inner);
    if (s.fill_inner) s.matched.push_back(false);
    read_inner(s);
  } while (s.inner != nullptr && !s.inner_has_null && same_inner_keys(s));
}

Row* group_row(MergeJoinState& s, std::uint64_t i) {
  if (s.single) return i == 0 ? s.live : nullptr;
  return s.reader.read(*s.group, i, s.group_row) ? &s.group_row : nullptr;
}

// Leaves the group: right and full joins first put out its rows without a match.
void leave_group(MergeJoinState& s, MergePhase next) {
  if (s.has_group && s.fill_inner) {
    s.phase = MergePhase::unmatched_group;
    s.after_group = next;
    s.position = 0;
    return;
  }
  s.has_group = false;
  s.phase = next;
}

void enter_group(MergeJoinState& s) {
  s.position = 0;
  s.outer_matched = false;
  s.eval.outer = s.outer;
  s.phase = MergePhase::in_group;
}

// Each step_ function moves on and returns a row when it made one.
Row* step_next_outer(MergeJoinState& s) {
  s.outer = fetch(*s.left);
  if (s.outer == nullptr) {
    leave_group(s, s.fill_inner ? MergePhase::rest_of_inner : MergePhase::done);
    return nullptr;
  }
  s.eval.outer = s.outer;
  if (!evaluate_keys(s, true, s.outer_values, s.outer_arena)) return s.fill_outer ? null_extended_inner(s, s.outer) : nullptr;
  if (s.has_group && compare_keys(s, s.outer_values, s.group_values) == 0) {
    enter_group(s);
  } else {
    leave_group(s, MergePhase::seek);
  }
  return nullptr;
}

Row* step_seek(MergeJoinState& s) {
  if (!s.inner_started) read_inner(s);
  if (s.inner == nullptr) {
    s.phase = s.fill_outer ? MergePhase::next_outer : MergePhase::done;
    return s.fill_outer ? null_extended_inner(s, s.outer) : nullptr;
  }
  int r = s.inner_has_null ? 1 : compare_keys(s, s.outer_values, s.inner_values);
  if (r > 0) {
    s.inner_started = false;
    return s.fill_inner ? null_extended_outer(s, s.inner) : nullptr;
  }
  if (r < 0) {
    s.phase = MergePhase::next_outer;
    return s.fill_outer ? null_extended_inner(s, s.outer) : nullptr;
  }
  begin_group(s);
  enter_group(s);
  return nullptr;
}

Row* step_in_group(MergeJoinState& s) {
  Row* row = group_row(s, s.position);
  if (row == nullptr) {
    s.phase = MergePhase::next_outer;
    return !s.outer_matched && s.fill_outer ? null_extended_inner(s, s.outer) : nullptr;
  }
  ++s.position;
  s.eval.inner = row;
  if (!passes(s.condition)) {
    if (s.times != nullptr) ++s.times->join_filtered;
    return nullptr;
  }
  s.outer_matched = true;
  if (s.fill_inner) s.matched[s.position - 1] = true;
  if (s.type == JoinType::anti) {
    s.phase = MergePhase::next_outer;
    return nullptr;
  }
  if (s.one_match) s.phase = MergePhase::next_outer;
  return passes_filter(s) ? output_row(s, s.outer) : nullptr;
}

Row* step_unmatched_group(MergeJoinState& s) {
  Row* row = group_row(s, s.position);
  if (row == nullptr) {
    s.has_group = false;
    s.phase = s.after_group;
    return nullptr;
  }
  return s.matched[s.position++] ? nullptr : null_extended_outer(s, row);
}

Row* step_rest_of_inner(MergeJoinState& s) {
  if (!s.inner_started) read_inner(s);
  if (s.inner == nullptr) {
    s.phase = MergePhase::done;
    return nullptr;
  }
  s.inner_started = false;
  return null_extended_outer(s, s.inner);
}

Row* run_merge_join(NodeState& node) {
  auto& s = self<MergeJoinState>(node);
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    Row* row = nullptr;
    switch (s.phase) {
      case MergePhase::next_outer: row = step_next_outer(s); break;
      case MergePhase::seek: row = step_seek(s); break;
      case MergePhase::in_group: row = step_in_group(s); break;
      case MergePhase::unmatched_group: row = step_unmatched_group(s); break;
      case MergePhase::rest_of_inner: row = step_rest_of_inner(s); break;
      case MergePhase::done: return nullptr;
    }
    if (row != nullptr) return row;
  }
}

void init_merge_join(NodeState& node) {
  auto& s = self<MergeJoinState>(node);
  auto& plan = plan_of<planner::MergeJoin>(s);
  Arena& arena = s.statement->arena;
  s.left = make_child(s, plan.left);
  s.right = make_child(s, plan.right);
  s.type = plan.type;
  s.fill_outer = plan.type == JoinType::left || plan.type == JoinType::full || plan.type == JoinType::anti;
  s.fill_inner = plan.type == JoinType::right || plan.type == JoinType::full;
  s.one_match = plan.type == JoinType::semi || plan.inner_unique;
  s.single = plan.inner_unique || plan.skip_mark_restore;
  std::size_t n = plan.clauses.size();
  auto* keys = static_cast<MergeKey*>(arena.allocate(sizeof(MergeKey) * std::max<std::size_t>(n, 1), alignof(MergeKey)));
  for (std::size_t i = 0; i < n; ++i) {
    const planner::MergeClause& c = *plan.clauses[i];
    auto* k = new (keys + i) MergeKey();
    k->outer = compile_expression(c.outer, s.eval, arena);
    k->inner = compile_expression(c.inner, s.eval, arena);
    k->comparison = prepare_comparison(c.comparison, c.collation);
    k->descending = c.descending;
    k->inner_layout = layout_of(nodes::type_of(c.inner));
    k->inner_comparison = default_comparison(nodes::type_of(c.inner), c.collation);
  }
  s.keys = {keys, n};
  s.outer_values = arena.make_array<NullableDatum>(n);
  s.inner_values = arena.make_array<NullableDatum>(n);
  s.group_values = arena.make_array<NullableDatum>(n);
  s.condition = compile_filter(plan.conditions, s.eval, arena);
  s.inner_descriptor = output_descriptor(*s.right);
  make_row(s.group_row, s.inner_descriptor->count(), s.inner_descriptor, arena);
  make_row(s.inner_nulls, s.inner_descriptor->count(), nullptr, arena);
  make_row(s.outer_nulls, static_cast<int>(plan.left->targets.size()), nullptr, arena);
  s.inner_nulls.set_all_null();
  s.outer_nulls.set_all_null();
  prepare_filter(s);
  prepare_projection(s, nodes::kOuterVar);
}

void close_merge_join(NodeState& node) {
  auto& s = self<MergeJoinState>(node);
  s.phase = MergePhase::next_outer;
  s.has_group = s.inner_started = s.inner_done = false;
  s.group.reset();
  s.reader.reset();
  s.outer_arena.reset();
  s.inner_arena.reset();
  s.group_arena.reset();
}

void rescan_merge_join(NodeState& node) {
  close_merge_join(node);
  rescan(*node.left);
  rescan(*node.right);
}

}  // namespace

NodeState* make_merge_join(StatementState& st, const planner::Plan* p) {
  return make_state<MergeJoinState>(st, p, init_merge_join, run_merge_join, rescan_merge_join, close_merge_join);
}

}  // namespace hathi::executor
