// WindowAggregate.

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "window.h"

namespace hathi::executor {

using namespace nodes;
using planner::WindowAggregate;

bool WindowState::have_row(std::uint64_t n) {
  while (rows->size() <= n) {
    if (partition_complete) return false;
    check_interrupts();
    Row* row = fetch(*left);
    if (row == nullptr) {
      partition_complete = input_done = true;
      return false;
    }
    if (!partition_keys.columns.empty() && !same_keys(partition_keys, first_row, *row, compare_arena)) {
      next_arena.reset();
      copy_row(next_row, *row, *input, next_arena);
      has_next = true;
      partition_complete = true;
      return false;
    }
    rows->put(*row);
  }
  return true;
}

std::uint64_t WindowState::row_count() {
  while (!partition_complete) have_row(rows->size());
  return rows->size();
}

Row& WindowState::row_at(std::uint64_t n) {
  other_reader.read(*rows, n, other);
  return other;
}

namespace {

bool begin_partition(WindowState& s) {
  if (!s.has_next) {
    if (s.input_done) return false;
    Row* row = fetch(*s.left);
    if (row == nullptr) {
      s.input_done = true;
      return false;
    }
    s.next_arena.reset();
    copy_row(s.next_row, *row, *s.input, s.next_arena);
  }
  s.has_next = false;
  std::swap(s.first_row.values, s.next_row.values);
  std::swap(s.first_row.nulls, s.next_row.nulls);
  s.first_arena.swap(s.next_arena);
  s.first_row.set_virtual();
  if (!s.rows) s.rows.emplace(*s.input, s.statement->work_memory());
  s.rows->restart();
  for (RowStore::Reader* r : {&s.current_reader, &s.other_reader, &s.compare_reader}) r->reset();
  s.rows->put(s.first_row);
  s.partition_complete = s.input_done;
  s.position = 0;
  s.groups.assign(1, 0);
  s.group_of_current = 0;
  s.range_head = s.range_tail = 0;
  for (WindowState::Function& f : s.functions) {
    f.running = false;
    f.reader.reset();
  }
  s.in_partition = true;
  return true;
}

Row* run_window(NodeState& node) {
  auto& s = self<WindowState>(node);
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    s.compare_arena.reset();
    if (!s.in_partition && !begin_partition(s)) return nullptr;
    if (!s.have_row(s.position)) {
      s.in_partition = false;
      continue;
    }
    s.current_reader.read(*s.rows, s.position, s.current);
    s.current.need_all();
    if (s.position > 0 && !s.order_keys.columns.empty() && s.position >= s.group_end(s.group_of_current)) ++s.group_of_current;
    s.eval.outer = &s.current;
    for (std::size_t i = 0; i < s.functions.size(); ++i) s.results[i] = window_value(s, s.functions[i]);
    s.eval.outer = &s.current;
    ++s.position;
    if (passes_filter(s)) return output_row(s, &s.current);
  }
}

bool uses_moving_mode(const WindowState& s, const catalog::AggregateInfo& info) {
  constexpr int kExclude = kFrameExcludeCurrentRow | kFrameExcludeGroup | kFrameExcludeTies;
  if ((s.options & kFrameStartUnboundedPreceding) != 0 || (s.options & kExclude) != 0) return false;
  if (!is_valid(info.moving_transition) || !is_valid(info.moving_inverse)) return false;
  for (Oid f : {info.moving_transition, info.moving_inverse, info.moving_final}) {
    if (is_valid(f) && find_builtin_function(f) == nullptr) return false;
  }
  return true;
}

void prepare_window_aggregate(WindowState& s, WindowState::Function& f) {
  Arena& arena = s.statement->arena;
  const WindowFunction& node = *f.node;
  const catalog::AggregateInfo* info = catalog::find_aggregate(node.function);
  if (info == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for aggregate {}", raw(node.function));
  AggregateSpec spec;
  spec.function = node.function;
  spec.result_type = node.type;
  spec.input_collation = node.input_collation;
  for (Expr* e : node.args) spec.args.push_back(arena, e);
  spec.filter = node.filter;
  spec.star = node.star;
  spec.moving = uses_moving_mode(s, *info);
  prepare_aggregate(f.aggregate, spec, s);
  f.arena = std::make_unique<Arena>(1024);
  if (!spec.moving) return;
  f.aggregate.kind = AggregateFunction::Kind::call;
  f.inverse = make_call(info->moving_inverse, 1 + f.aggregate.argument_count, node.input_collation, info->moving_type, nullptr, false, s.eval, arena);
}

void init_window(NodeState& node) {
  auto& s = self<WindowState>(node);
  auto& plan = plan_of<WindowAggregate>(s);
  Arena& arena = s.statement->arena;
  const WindowClause& window = *plan.window;
  s.left = make_child(s, plan.left);
  s.input = output_descriptor(*s.left);
  for (Row* r : {&s.next_row, &s.first_row, &s.current, &s.other, &s.compared}) make_row(*r, s.input->count(), s.input, arena);
  s.options = window.frame_options;
  s.partition_keys = prepare_keys(plan.partition_columns, plan.partition_operators, plan.partition_collations,
                                  column_layouts(plan.partition_columns, *s.input, arena), false, arena);
  s.order_keys = prepare_keys(plan.order_columns, plan.order_operators, plan.order_collations, column_layouts(plan.order_columns, *s.input, arena),
                              false, arena);
  s.start_offset_program = compile_expression(window.start_offset, s.eval, arena);
  s.end_offset_program = compile_expression(window.end_offset, s.eval, arena);
  if (window.start_offset != nullptr) s.start_layout = layout_of(type_of(window.start_offset));
  if (window.end_offset != nullptr) s.end_layout = layout_of(type_of(window.end_offset));
  s.ascending = window.in_range_ascending;
  s.nulls_first = window.in_range_nulls_first;
  if (!plan.order_columns.empty()) s.range_column = plan.order_columns[0];
  if (is_valid(window.start_in_range))
    s.start_in_range = make_call(window.start_in_range, 5, window.in_range_collation, type_oid::bool_, nullptr, false, s.eval, arena);
  if (is_valid(window.end_in_range))
    s.end_in_range = make_call(window.end_in_range, 5, window.in_range_collation, type_oid::bool_, nullptr, false, s.eval, arena);
  for (const WindowFunction* w : plan.functions) {
    WindowState::Function f;
    f.node = w;
    f.is_aggregate = w->is_aggregate;
    f.layout = layout_of(w->type);
    if (!f.is_aggregate) {
      auto* programs = arena.make_array<Program*>(w->args.size());
      for (std::size_t i = 0; i < w->args.size(); ++i) programs[i] = compile_expression(w->args[i], s.eval, arena);
      f.args = {programs, w->args.size()};
    }
    s.functions.push_back(std::move(f));
  }
  for (WindowState::Function& f : s.functions) {
    if (f.is_aggregate) prepare_window_aggregate(s, f);
  }
  s.results = arena.make_array<NullableDatum>(s.functions.size());
  s.eval.windows = s.results;
  CompileOptions options;
  options.windows = &plan.functions;
  prepare_filter(s, options);
  prepare_projection(s, 0, options);
}

void close_window(NodeState& node) {
  auto& s = self<WindowState>(node);
  s.rows.reset();
  s.in_partition = s.input_done = s.has_next = s.partition_complete = s.offsets_known = false;
  for (RowStore::Reader* r : {&s.current_reader, &s.other_reader, &s.compare_reader}) r->reset();
  for (WindowState::Function& f : s.functions) {
    f.running = false;
    f.reader.reset();
    if (f.arena != nullptr) f.arena->reset();
  }
  for (Arena* a : {&s.next_arena, &s.first_arena, &s.offset_arena}) a->reset();
}

void rescan_window(NodeState& node) {
  close_window(node);
  rescan(*node.left);
}

}  // namespace

NodeState* make_window_aggregate(StatementState& st, const planner::Plan* p) {
  return make_state<WindowState>(st, p, init_window, run_window, rescan_window, close_window);
}

}  // namespace hathi::executor
