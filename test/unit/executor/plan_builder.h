#pragma once
// Plans built by hand, run over VALUES, and their rows as text.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/executor/executor.h"
#include "hathi/types/register.h"

namespace hathi::test {

using namespace nodes;
using namespace planner;

using Cell = std::optional<std::int64_t>;
using Cells = std::vector<Cell>;

// Built-in objects and a directory for spill files, once a process.
inline void prepare_process() {
  static bool done = [] {
    types::register_all();
    catalog::load_builtin_objects();
    static char name[] = "/tmp/hathi_executor_XXXXXX";
    std::filesystem::current_path(::mkdtemp(name));
    std::filesystem::create_directories("base/pgsql_tmp");
    std::atexit([] {
      std::filesystem::current_path("/");
      std::filesystem::remove_all(name);
    });
    return true;
  }();
  (void)done;
}

class RowCollector : public executor::RowReceiver {
 public:
  explicit RowCollector(const TupleDescriptor& d) : descriptor_(d) {}
  bool receive(const Datum* values, const bool* nulls) override {
    std::string line;
    for (int i = 0; i < descriptor_.count(); ++i) {
      if (i != 0) line += ",";
      if (nulls[i]) {
        line += "-";
        continue;
      }
      Arena arena(512);
      line += call_function(catalog::type_info(descriptor_[i].type).output, arena, {values[i]}).as_pointer<char>();
    }
    rows.push_back(std::move(line));
    return true;
  }
  std::vector<std::string> rows;

 private:
  const TupleDescriptor& descriptor_;
};

class PlanBuilder {
 public:
  PlanBuilder() { prepare_process(); }

  Arena arena;

  Constant* constant(Oid type, Datum v, bool is_null = false) {
    auto* c = make<Constant>(arena);
    c->type = type;
    c->layout = catalog::type_info(type).layout;
    c->collation = catalog::type_info(type).collation;
    c->value = v;
    c->is_null = is_null;
    return c;
  }
  Expr* int4(Cell v) { return constant(type_oid::int4, Datum::of(static_cast<std::int32_t>(v.value_or(0))), !v); }
  Expr* int8(Cell v) { return constant(type_oid::int8, Datum::of(v.value_or(0)), !v); }
  Expr* boolean(std::optional<bool> v) { return constant(type_oid::bool_, Datum::of(v.value_or(false)), !v); }
  Expr* text(std::string_view v) { return constant(type_oid::text, varlena::make(arena, v)); }
  // A value of any type from its text.
  Expr* value(Oid type, std::string_view v) {
    const catalog::TypeInfo& info = catalog::type_info(type);
    Datum cstring = Datum::of(static_cast<const void*>(arena.copy(v).data()));
    Oid parameter = is_valid(info.element) && info.layout.length == -1 ? info.element : type;
    return constant(type, call_function(info.input, arena, {cstring, Datum::of(parameter), Datum::of(std::int32_t{-1})}));
  }
  Variable* variable(int rte, int column, Oid type) {
    auto* v = make<Variable>(arena);
    v->rte = rte;
    v->column = static_cast<AttrNumber>(column);
    v->type = type;
    v->collation = catalog::type_info(type).collation;
    return v;
  }
  Expr* op(std::string_view name, Expr* left, Expr* right) {
    const catalog::OperatorInfo* info = catalog::find_operator(name, left == nullptr ? kInvalidOid : type_of(left), type_of(right), kInvalidOid);
    if (info == nullptr) throw std::runtime_error("no operator " + std::string(name));
    auto* e = make<OpExpr>(arena);
    e->op = info->oid;
    e->function = info->function;
    e->type = info->result;
    e->input_collation = collation_of(right);
    if (left != nullptr) e->args.push_back(arena, left);
    e->args.push_back(arena, right);
    return e;
  }
  Expr* logic(BooleanExpr::Op kind, std::initializer_list<Expr*> args) {
    auto* e = make<BooleanExpr>(arena);
    e->op = kind;
    for (Expr* a : args) e->args.push_back(arena, a);
    return e;
  }
  Expr* call(Oid function, std::initializer_list<Expr*> args, bool returns_set = false) {
    auto* e = make<FunctionExpr>(arena);
    e->function = function;
    e->type = catalog::function_info(function).result;
    e->returns_set = returns_set;
    e->collation = e->input_collation = catalog::type_info(e->type).collation;
    for (Expr* a : args) {
      if (is_valid(collation_of(a))) e->input_collation = collation_of(a);
      e->args.push_back(arena, a);
    }
    return e;
  }
  template <class P>
  P* plan(PlanKind kind) {
    P* p = new (arena.allocate(sizeof(P), alignof(P))) P();
    p->kind = kind;
    p->id = plan_count_++;
    return p;
  }
  void target(Plan* p, Expr* e, bool junk = false, int ref = 0) {
    auto* t = arena.make<TargetEntry>();
    t->expr = e;
    t->number = static_cast<AttrNumber>(p->targets.size() + 1);
    t->junk = junk;
    t->sort_group_ref = ref;
    p->targets.push_back(arena, t);
  }
  // VALUES of int4 columns.
  ValuesScan* values(const std::vector<Cells>& rows, int columns) {
    auto* p = plan<ValuesScan>(PlanKind::values_scan);
    p->rte = ++rte_count_;
    for (const Cells& row : rows) {
      List<Expr*> list;
      for (const Cell& c : row) list.push_back(arena, int4(c));
      p->rows_of_values.push_back(arena, list);
    }
    for (int i = 1; i <= columns; ++i) target(p, variable(p->rte, i, type_oid::int4));
    return p;
  }
  // Passes the columns of the left input on.
  void same_targets(Plan* p) {
    int i = 0;
    for (const TargetEntry* t : p->left->targets) target(p, variable(kOuterVar, ++i, type_of(t->expr)));
  }
  Oid operator_oid(std::string_view name, Oid type) { return catalog::find_operator(name, type, type, kInvalidOid)->oid; }

  void exec_params(std::initializer_list<Oid> types) {
    for (Oid t : types) param_types_.push_back(arena, t);
  }
  Parameter* exec_param(int slot, Oid type) {
    auto* p = make<Parameter>(arena);
    p->source = Parameter::Source::exec;
    p->number = slot;
    p->type = type;
    return p;
  }
  std::vector<Plan*> subplans;
  std::vector<const SubPlan*> links;

  PlannedStatement& statement(Plan* root) {
    statement_ = PlannedStatement();
    statement_.plan = root;
    statement_.plan_count = plan_count_;
    statement_.exec_param_count = static_cast<int>(param_types_.size());
    statement_.subplans = subplans;
    statement_.subplan_links = links;
    return statement_;
  }
  std::vector<std::string> run(Plan* root) {
    executor::Execution execution(statement(root), {});
    return run(execution);
  }
  static std::vector<std::string> run(executor::Execution& execution) {
    execution.lock_partitions();
    execution.start({});
    RowCollector collector(execution.row());
    execution.run(collector, executor::Direction::forward, 0);
    execution.finish();
    return collector.rows;
  }
  std::string evaluate(Expr* e) {
    auto* p = plan<Result>(PlanKind::result);
    target(p, e);
    std::vector<std::string> rows = run(p);
    return rows.size() == 1 ? rows[0] : "?";
  }

 private:
  int plan_count_ = 0, rte_count_ = 0;
  List<Oid> param_types_;
  PlannedStatement statement_;
};

}  // namespace hathi::test
