// Result, Limit, SubqueryScan, ValuesScan, Unique, Group.

#include <algorithm>

#include "comparison.h"
#include "node.h"

namespace hathi::executor {

namespace {

void no_close(NodeState&) {}

// --- Result -------------------------------------------------------------------------------------------------------------------

struct ResultState : NodeState {
  Program* constant_filter = nullptr;
  bool checked = false, done = false;
};

Row* run_result(NodeState& node) {
  auto& s = self<ResultState>(node);
  if (s.done) return nullptr;
  if (!s.checked) {
    s.checked = true;
    if (!passes(s.constant_filter)) {
      s.done = true;
      return nullptr;
    }
  }
  for (;;) {
    s.row_arena.reset();
    if (s.left != nullptr) {
      s.eval.outer = fetch(*s.left);
      if (s.eval.outer == nullptr) {
        s.done = true;
        return nullptr;
      }
      if (!passes_filter(s)) continue;
    } else {
      s.done = true;
      if (!passes_filter(s)) return nullptr;
    }
    return output_row(s, s.eval.outer);
  }
}

void init_result(NodeState& node) {
  auto& s = self<ResultState>(node);
  s.left = make_child(s, s.plan->left);
  List<nodes::Expr*> constant;
  if (nodes::Expr* e = plan_of<planner::Result>(s).constant_filter) constant.push_back(s.statement->arena, e);
  s.constant_filter = compile_filter(constant, s.eval, s.statement->arena);
  prepare_filter(s);
  prepare_projection(s, s.left != nullptr ? nodes::kOuterVar : 0);
}

void rescan_result(NodeState& node) {
  auto& s = self<ResultState>(node);
  s.checked = s.done = false;
  if (s.left != nullptr) rescan(*s.left);
}

void close_result(NodeState& node) { self<ResultState>(node).checked = self<ResultState>(node).done = false; }

// --- Limit ----------------------------------------------------------------------------------------------------------------------

struct LimitState : NodeState {
  Program* offset_program = nullptr;
  Program* count_program = nullptr;
  bool computed = false, done = false, unlimited = false, in_ties = false;
  std::int64_t offset = 0, count = 0, position = 0;
  KeyColumns ties;
  Row last;                           // WITH TIES: keys of the last row within the count
  Arena last_arena{512};
};

void compute_limits(LimitState& s) {
  s.offset = 0;
  s.unlimited = true;
  if (s.offset_program != nullptr) {
    NullableDatum v = evaluate(*s.offset_program);
    s.offset = v.is_null ? 0 : v.value.as_int64();
    if (s.offset < 0) throw SqlError(sqlstate::invalid_row_count_in_result_offset_clause, "OFFSET must not be negative");
  }
  if (s.count_program != nullptr) {
    NullableDatum v = evaluate(*s.count_program);
    s.unlimited = v.is_null;
    s.count = v.is_null ? 0 : v.value.as_int64();
    if (s.count < 0) throw SqlError(sqlstate::invalid_row_count_in_limit_clause, "LIMIT must not be negative");
  }
  s.position = 0;
  s.done = s.in_ties = false;
  s.computed = true;
  std::int64_t bound = 0;
  if (!s.unlimited && s.ties.columns.empty() && !__builtin_add_overflow(s.offset, s.count, &bound)) pass_bound(*s.left, static_cast<std::uint64_t>(bound));
  else pass_bound(*s.left, 0);
}

void remember_ties(LimitState& s, Row& row) {
  row.need(s.ties.highest);
  s.last_arena.reset();
  for (const KeyColumn& c : s.ties.columns) {
    int i = c.column - 1;
    s.last.nulls[i] = row.nulls[i];
    s.last.values[i] = row.nulls[i] ? Datum() : copy_datum(row.values[i], c.layout, s.last_arena);
  }
  s.last.set_virtual();
}

Row* run_limit(NodeState& node) {
  auto& s = self<LimitState>(node);
  s.row_arena.reset();
  if (!s.computed) compute_limits(s);
  if (!s.unlimited && s.count == 0) s.done = true;
  if (s.done) return nullptr;
  while (s.position < s.offset) {
    if (fetch(*s.left) == nullptr) {
      s.done = true;
      return nullptr;
    }
    ++s.position;
  }
  if (!s.unlimited && s.position - s.offset >= s.count && !s.in_ties) {
    s.done = true;
    return nullptr;
  }
  Row* row = fetch(*s.left);
  if (row == nullptr) {
    s.done = true;
    return nullptr;
  }
  if (s.in_ties) {
    if (same_keys(s.ties, s.last, *row, s.row_arena)) return row;
    s.done = true;
    return nullptr;
  }
  ++s.position;
  if (!s.ties.columns.empty() && !s.unlimited && s.position - s.offset == s.count) {
    remember_ties(s, *row);
    s.in_ties = true;
  }
  return row;
}

void init_limit(NodeState& node) {
  auto& s = self<LimitState>(node);
  auto& plan = plan_of<planner::Limit>(s);
  s.left = make_child(s, plan.left);
  s.offset_program = compile_expression(plan.offset, s.eval, s.statement->arena);
  s.count_program = compile_expression(plan.count, s.eval, s.statement->arena);
  if (plan.with_ties) {
    const TupleDescriptor* d = output_descriptor(*s.left);
    s.ties = prepare_keys(plan.tie_columns, plan.tie_operators, plan.tie_collations, column_layouts(plan.tie_columns, *d, s.statement->arena), false,
                          s.statement->arena);
    make_row(s.last, d->count(), d, s.statement->arena);
  }
}

void rescan_limit(NodeState& node) {
  auto& s = self<LimitState>(node);
  s.computed = false;
  rescan(*s.left);
}

void close_limit(NodeState& node) {
  auto& s = self<LimitState>(node);
  s.computed = false;
  s.last_arena.reset();
}

// --- SubqueryScan -----------------------------------------------------------------------------------------------------------------

struct SubqueryScanState : NodeState {};

Row* run_subquery_scan(NodeState& node) {
  for (;;) {
    node.row_arena.reset();
    Row* row = fetch(*node.left);
    if (row == nullptr) return nullptr;
    node.eval.scan = row;
    if (passes_filter(node)) return output_row(node, row);
  }
}

void init_subquery_scan(NodeState& node) {
  auto& plan = plan_of<planner::SubqueryScan>(node);
  node.left = make_child(node, plan.subplan != nullptr ? plan.subplan : plan.left);
  CompileOptions options;
  options.scan_descriptor = output_descriptor(*node.left);
  prepare_filter(node, options);
  prepare_projection(node, plan.rte, options);
}

void rescan_left(NodeState& node) { rescan(*node.left); }

// --- ValuesScan -------------------------------------------------------------------------------------------------------------------

struct ValuesScanState : NodeState {
  Row row;
  std::uint32_t position = 0;
  Program** programs = nullptr;       // of rows that are not all constants, made when first read
};

void fill_values_row(ValuesScanState& s, std::uint32_t number, const List<nodes::Expr*>& list) {
  bool constant = true;
  for (const nodes::Expr* e : list) constant = constant && nodes::is<nodes::Constant>(e);
  if (constant) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto& c = *nodes::as<nodes::Constant>(list[i]);
      s.row.values[i] = c.value;
      s.row.nulls[i] = c.is_null;
    }
    s.row.set_virtual();
    return;
  }
  Program*& program = s.programs[number];
  if (program == nullptr) program = compile_list(list, s.row, s.eval, s.statement->arena);
  project(*program);
}

Row* run_values_scan(NodeState& node) {
  auto& s = self<ValuesScanState>(node);
  auto& rows = plan_of<planner::ValuesScan>(s).rows_of_values;
  while (s.position < rows.size()) {
    check_interrupts();
    s.row_arena.reset();
    fill_values_row(s, s.position, rows[s.position]);
    ++s.position;
    s.eval.scan = &s.row;
    if (passes_filter(s)) return output_row(s, &s.row);
  }
  return nullptr;
}

void init_values_scan(NodeState& node) {
  auto& s = self<ValuesScanState>(node);
  auto& plan = plan_of<planner::ValuesScan>(s);
  std::size_t n = plan.rows_of_values.empty() ? 0 : plan.rows_of_values[0].size();
  List<Oid> types;
  for (std::size_t i = 0; i < n; ++i) types.push_back(s.statement->arena, nodes::type_of(plan.rows_of_values[0][i]));
  TupleDescriptor* d = describe_types(types, {}, {}, s.statement->arena);
  make_row(s.row, static_cast<int>(n), d, s.statement->arena);
  s.programs = s.statement->arena.make_array<Program*>(plan.rows_of_values.size());
  CompileOptions options;
  options.scan_descriptor = d;
  prepare_filter(s, options);
  prepare_projection(s, plan.rte, options);
}

void rescan_values_scan(NodeState& node) { self<ValuesScanState>(node).position = 0; }

// --- Unique, Group ----------------------------------------------------------------------------------------------------------------

struct UniqueState : NodeState {
  KeyColumns keys;
  Row last;
  Arena last_arena{512};
  bool has_last = false;
};

bool starts_new_group(UniqueState& s, Row& row) {
  if (s.has_last && same_keys(s.keys, s.last, row, s.row_arena)) return false;
  row.need(s.keys.highest);
  s.last_arena.reset();
  for (const KeyColumn& c : s.keys.columns) {
    int i = c.column - 1;
    s.last.nulls[i] = row.nulls[i];
    s.last.values[i] = row.nulls[i] ? Datum() : copy_datum(row.values[i], c.layout, s.last_arena);
  }
  s.last.set_virtual();
  s.has_last = true;
  return true;
}

Row* run_unique(NodeState& node) {
  auto& s = self<UniqueState>(node);
  for (;;) {
    s.row_arena.reset();
    Row* row = fetch(*s.left);
    if (row == nullptr || starts_new_group(s, *row)) return row;
  }
}

Row* run_group(NodeState& node) {
  auto& s = self<UniqueState>(node);
  for (;;) {
    s.row_arena.reset();
    Row* row = fetch(*s.left);
    if (row == nullptr) return nullptr;
    if (!starts_new_group(s, *row)) continue;
    s.eval.outer = row;
    if (passes_filter(s)) return output_row(s, row);
  }
}

void prepare_unique(UniqueState& s, const List<AttrNumber>& columns, const List<Oid>& operators, const List<Oid>& collations) {
  s.left = make_child(s, s.plan->left);
  const TupleDescriptor* d = output_descriptor(*s.left);
  s.keys = prepare_keys(columns, operators, collations, column_layouts(columns, *d, s.statement->arena), false, s.statement->arena);
  make_row(s.last, d->count(), d, s.statement->arena);
}

void init_unique(NodeState& node) {
  auto& plan = plan_of<planner::Unique>(node);
  prepare_unique(self<UniqueState>(node), plan.columns, plan.equal_operators, plan.collations);
}

void init_group(NodeState& node) {
  auto& plan = plan_of<planner::Group>(node);
  prepare_unique(self<UniqueState>(node), plan.columns, plan.equal_operators, plan.collations);
  prepare_filter(node);
  prepare_projection(node, nodes::kOuterVar);
}

void rescan_unique(NodeState& node) {
  self<UniqueState>(node).has_last = false;
  rescan(*node.left);
}

void close_unique(NodeState& node) {
  auto& s = self<UniqueState>(node);
  s.has_last = false;
  s.last_arena.reset();
}

}  // namespace

std::span<TypeLayout> column_layouts(std::span<const AttrNumber> columns, const TupleDescriptor& d, Arena& arena) {
  auto* out = arena.make_array<TypeLayout>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) out[i] = d[columns[i] - 1].layout;
  return {out, columns.size()};
}

NodeState* make_result(StatementState& st, const planner::Plan* p) {
  return make_state<ResultState>(st, p, init_result, run_result, rescan_result, close_result);
}
NodeState* make_limit(StatementState& st, const planner::Plan* p) { return make_state<LimitState>(st, p, init_limit, run_limit, rescan_limit, close_limit); }
NodeState* make_subquery_scan(StatementState& st, const planner::Plan* p) {
  return make_state<SubqueryScanState>(st, p, init_subquery_scan, run_subquery_scan, rescan_left, no_close);
}
NodeState* make_values_scan(StatementState& st, const planner::Plan* p) {
  return make_state<ValuesScanState>(st, p, init_values_scan, run_values_scan, rescan_values_scan, rescan_values_scan);
}
NodeState* make_unique(StatementState& st, const planner::Plan* p) {
  return make_state<UniqueState>(st, p, init_unique, run_unique, rescan_unique, close_unique);
}
NodeState* make_group(StatementState& st, const planner::Plan* p) { return make_state<UniqueState>(st, p, init_group, run_group, rescan_unique, close_unique); }

}  // namespace hathi::executor
