#pragma once
// The compiler's working state; split over compile*.cpp.

#include "program.h"

namespace hathi::executor {

class Compiler {
 public:
  Compiler(EvalContext& context, Arena& arena, const CompileOptions& options) : context_(context), arena_(arena), options_(options) {
    steps_.reserve(arena, 8);
  }

  // Notes which columns of the input rows e reads; begin() then emits the steps that make them readable.
  void note_columns(const nodes::Expr* e);
  void begin();
  // Appends the steps that leave e's value in *result.
  void emit(const nodes::Expr* e, NullableDatum* result);
  void emit_filter(const List<nodes::Expr*>& conditions, NullableDatum* result);
  void emit_target(const nodes::Expr* e, int target);
  Program* finish(NullableDatum* result, Row* target = nullptr);

  NullableDatum* new_slot() { return arena_.make_array<NullableDatum>(1); }
  // The value CaseTest / DomainValue stand for.
  void set_case_slot(NullableDatum* slot) { case_slot_ = slot; }
  void set_domain_slot(NullableDatum* slot) { domain_slot_ = slot; }

 private:
  friend class SubPlanCompiler;
  Step& add(StepOp op, NullableDatum* result);
  int here() const { return static_cast<int>(steps_.size()); }
  void patch(int step) { steps_[static_cast<std::size_t>(step)].target = here(); }
  int add_jump(StepOp op, NullableDatum* test) { add(op, test); return here() - 1; }
  void add_slow(SlowStep run, void* data, NullableDatum* result);
  // Value into a slot nothing else writes: constants are put there now and need no step.
  void emit_argument(const nodes::Expr* e, NullableDatum* slot);
  NullableDatum* emit_arguments(const List<nodes::Expr*>& list);

  void emit_variable(const nodes::Variable& v, NullableDatum* result);
  void emit_parameter(const nodes::Parameter& p, NullableDatum* result);
  void emit_function(Oid function, const List<nodes::Expr*>& args, Oid collation, Oid type, bool variadic, NullableDatum* result);
  void emit_call(FunctionCall* call, NullableDatum* result);
  bool emit_inline(Oid function, const List<nodes::Expr*>& args, Oid collation, NullableDatum* result);
  void emit_distinct(const nodes::OpExpr& e, NullableDatum* result);
  void emit_null_if(const nodes::OpExpr& e, NullableDatum* result);
  void emit_boolean(const nodes::BooleanExpr& e, NullableDatum* result);
  void emit_case(const nodes::Case& e, NullableDatum* result);
  void emit_coalesce(const nodes::Coalesce& e, NullableDatum* result);
  void emit_min_max(const nodes::MinMax& e, NullableDatum* result);
  void emit_null_test(const nodes::NullTest& e, NullableDatum* result);
  void emit_boolean_test(const nodes::BooleanTest& e, NullableDatum* result);
  void emit_window(const nodes::WindowFunction& e, NullableDatum* result);
  void emit_grouping(const nodes::Grouping& e, NullableDatum* result);
  void emit_row_compare(const nodes::RowCompare& e, NullableDatum* result);
  // compile_values.cpp
  void emit_array(const nodes::ArrayExpr& e, NullableDatum* result);
  void emit_array_op(const nodes::ArrayOp& e, NullableDatum* result);
  void emit_array_coerce(const nodes::ArrayCoerce& e, NullableDatum* result);
  void emit_subscript(const nodes::Subscript& e, NullableDatum* result);
  void emit_row(const nodes::RowExpr& e, NullableDatum* result);
  void emit_field_select(const nodes::FieldSelect& e, NullableDatum* result);
  void emit_field_store(const nodes::FieldStore& e, NullableDatum* result);
  void emit_row_coerce(const nodes::RowCoerce& e, NullableDatum* result);
  void emit_coerce_io(const nodes::CoerceIo& e, NullableDatum* result);
  void emit_domain(const nodes::CoerceDomain& e, NullableDatum* result);
  void emit_sql_value(const nodes::SqlValue& e, NullableDatum* result);
  void emit_next_value(const nodes::NextValue& e, NullableDatum* result);
  void emit_whole_row(const nodes::Variable& v, NullableDatum* result);
  // subplan.cpp
  void emit_sub_plan(const nodes::SubPlan& e, NullableDatum* result);

  EvalContext& context_;
  Arena& arena_;
  const CompileOptions& options_;
  List<Step> steps_;
  int outer_columns_ = 0, inner_columns_ = 0, scan_columns_ = 0;
  NullableDatum* case_slot_ = nullptr;
  NullableDatum* domain_slot_ = nullptr;
};

}  // namespace hathi::executor
