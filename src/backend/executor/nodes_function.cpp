// FunctionScan, ProjectSet.

#include "set_function.h"

namespace hathi::executor {

namespace {

// --- FunctionScan -----------------------------------------------------------------------------------------------------------------
// One set-returning function that gives a row a call is streamed; else each function's rows are stored and read side by side.

struct OneFunction {
  std::unique_ptr<SetFunction> function;
  const TupleDescriptor* descriptor = nullptr;
  std::unique_ptr<RowStore> store;
  RowStore::Reader reader;
  Row row;
};

struct FunctionScanState : NodeState {
  std::vector<OneFunction> functions;
  bool streaming = false, started_functions = false;
  std::uint64_t position = 0;
  std::uint64_t filled_at = 0;
  Row row;
};

void start_functions(FunctionScanState& s) {
  s.started_functions = true;
  s.position = 0;
  for (OneFunction& f : s.functions) {
    f.function->start();
    if (s.streaming) continue;
    f.store = std::make_unique<RowStore>(*f.descriptor, s.statement->work_memory());
    f.reader.reset();
    while (f.function->next_row(f.row)) {
      check_interrupts();
      f.store->put(f.row);
      s.row_arena.reset();
    }
    f.function->close();
  }
  s.filled_at = s.statement->clock;
}

// Puts the functions' columns beside each other; shorter ones are filled with NULLs.
bool next_function_row(FunctionScanState& s) {
  if (s.streaming) {
    if (!s.functions[0].function->next_row(s.row)) return false;
    ++s.position;
    return true;
  }
  bool any = false;
  int at = 0;
  for (OneFunction& f : s.functions) {
    int n = f.descriptor->count();
    bool present = f.reader.read(*f.store, s.position, f.row);
    if (present) f.row.need_all();
    any = any || present;
    for (int i = 0; i < n; ++i, ++at) {
      s.row.nulls[at] = !present || f.row.nulls[i];
      s.row.values[at] = present ? f.row.values[i] : Datum();
    }
  }
  if (!any) return false;
  ++s.position;
  if (plan_of<planner::FunctionScan>(s).ordinality) {
    s.row.values[at] = Datum::of(static_cast<std::int64_t>(s.position));
    s.row.nulls[at] = false;
  }
  s.row.set_virtual();
  return true;
}

Row* run_function_scan(NodeState& node) {
  auto& s = self<FunctionScanState>(node);
  if (!s.started_functions) start_functions(s);
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    if (!next_function_row(s)) return nullptr;
    s.eval.scan = &s.row;
    if (passes_filter(s)) return output_row(s, &s.row);
  }
}

void init_function_scan(NodeState& node) {
  auto& s = self<FunctionScanState>(node);
  auto& plan = plan_of<planner::FunctionScan>(s);
  Arena& arena = s.statement->arena;
  int columns = plan.ordinality ? 1 : 0;
  List<Oid> types;
  List<std::int32_t> typmods;
  for (const nodes::FunctionRte* rte : plan.functions) {
    OneFunction f;
    bool composite;
    f.descriptor = function_row(rte->call, rte, composite, arena);
    f.function = std::make_unique<SetFunction>(rte->call, f.descriptor, composite, s);
    make_row(f.row, f.descriptor->count(), f.descriptor, arena);
    columns += f.descriptor->count();
    for (const Attribute& a : f.descriptor->attributes) {
      types.push_back(arena, a.type);
      typmods.push_back(arena, a.typmod);
    }
    s.functions.push_back(std::move(f));
  }
  if (plan.ordinality) types.push_back(arena, type_oid::int8);
  const TupleDescriptor* d = s.functions.size() == 1 && !plan.ordinality ? s.functions[0].descriptor : describe_types(types, typmods, {}, arena);
  make_row(s.row, columns, d, arena);
  SetFunction& first = *s.functions[0].function;
  s.streaming = s.functions.size() == 1 && !plan.ordinality && !first.materializes() && first.is_set() && !first.is_volatile();
  CompileOptions options;
  options.scan_descriptor = d;
  prepare_filter(s, options);
  prepare_projection(s, plan.rte, options);
}

void rescan_function_scan(NodeState& node) {
  auto& s = self<FunctionScanState>(node);
  s.position = 0;
  if (s.started_functions && !s.streaming && !s.statement->changed_since(s.plan->parameters, s.filled_at)) return;
  s.started_functions = false;
}

void close_function_scan(NodeState& node) {
  auto& s = self<FunctionScanState>(node);
  s.started_functions = false;
  s.position = 0;
  for (OneFunction& f : s.functions) {
    f.function->close();
    f.store.reset();
    f.reader.reset();
  }
}

// --- ProjectSet -------------------------------------------------------------------------------------------------------------------

struct SetTarget {
  std::unique_ptr<SetFunction> function;   // null: an ordinary expression
  Program* program = nullptr;
  bool done = false;
};

struct ProjectSetState : NodeState {
  std::vector<SetTarget> targets;
  bool in_row = false, input_done = false;
  Arena input_arena{1024};
};

bool is_set_call(const nodes::Expr* e) {
  if (nodes::is<nodes::FunctionExpr>(e)) return nodes::as<nodes::FunctionExpr>(e)->returns_set;
  return e->kind == nodes::ExprKind::op && nodes::as<nodes::OpExpr>(e)->returns_set;
}

// One output row; false when all functions are exhausted.
bool fill_set_row(ProjectSetState& s) {
  bool any = false;
  for (std::size_t i = 0; i < s.targets.size(); ++i) {
    SetTarget& t = s.targets[i];
    if (t.function == nullptr) continue;
    NullableDatum v;
    if (!t.done && t.function->next_value(v)) {
      any = true;
    } else {
      t.done = true;
      v = {};
    }
    s.output.values[i] = v.value;
    s.output.nulls[i] = v.is_null;
  }
  if (!any) return false;
  for (std::size_t i = 0; i < s.targets.size(); ++i) {
    if (s.targets[i].function != nullptr) continue;
    NullableDatum v = evaluate(*s.targets[i].program);
    s.output.values[i] = v.value;
    s.output.nulls[i] = v.is_null;
  }
  s.output.set_virtual();
  return true;
}

Row* run_project_set(NodeState& node) {
  auto& s = self<ProjectSetState>(node);
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    if (s.in_row) {
      if (fill_set_row(s)) return &s.output;
      s.in_row = false;
    }
    if (s.input_done) return nullptr;
    if (s.left != nullptr) {
      s.eval.outer = fetch(*s.left);
      if (s.eval.outer == nullptr) {
        s.input_done = true;
        return nullptr;
      }
    } else {
      s.input_done = true;
    }
    for (SetTarget& t : s.targets) {
      t.done = false;
      if (t.function != nullptr) t.function->start();
    }
    s.in_row = true;
  }
}

void init_project_set(NodeState& node) {
  auto& s = self<ProjectSetState>(node);
  Arena& arena = s.statement->arena;
  s.left = make_child(s, s.plan->left);
  for (const nodes::TargetEntry* t : s.plan->targets) {
    SetTarget target;
    if (is_set_call(t->expr)) {
      bool composite;
      const TupleDescriptor* row = function_row(t->expr, nullptr, composite, arena);
      target.function = std::make_unique<SetFunction>(t->expr, row, composite, s);
    } else {
      target.program = compile_expression(t->expr, s.eval, arena);
    }
    s.targets.push_back(std::move(target));
  }
  make_row(s.output, static_cast<int>(s.targets.size()), nullptr, arena);
}

void close_project_set(NodeState& node) {
  auto& s = self<ProjectSetState>(node);
  s.in_row = s.input_done = false;
  for (SetTarget& t : s.targets) {
    if (t.function != nullptr) t.function->close();
  }
}

void rescan_project_set(NodeState& node) {
  close_project_set(node);
  if (node.left != nullptr) rescan(*node.left);
}

}  // namespace

NodeState* make_function_scan(StatementState& st, const planner::Plan* p) {
  return make_state<FunctionScanState>(st, p, init_function_scan, run_function_scan, rescan_function_scan, close_function_scan);
}
NodeState* make_project_set(StatementState& st, const planner::Plan* p) {
  return make_state<ProjectSetState>(st, p, init_project_set, run_project_set, rescan_project_set, close_project_set);
}

}  // namespace hathi::executor
