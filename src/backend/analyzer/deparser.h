#pragma once
// The state of turning a tree into text: output, indentation, and the names of the queries around.

#include <string>
#include <vector>

#include "hathi/analyzer/deparse.h"
#include "state.h"

namespace hathi::analyzer {

class Deparser {
 public:
  explicit Deparser(const DeparseOptions& options) : options_(options) {}

  // Names of one query's range table: entries and their columns, unique where that is needed.
  struct Level {
    const Query* query = nullptr;
    std::vector<std::string> entries;
    std::vector<std::vector<std::string>> columns;
    std::vector<bool> print_columns;       // the alias's column list is printed
    bool prefix = true;                    // table.column
  };

  void push_scope(const ExpressionScope& scope, bool prefix);
  void set_plan_names(const PlanNames& names, bool show_implicit) { plan_names_ = names; plan_show_implicit_ = show_implicit; }
  std::string take() { return std::move(out_); }

  // Expressions (deparse_expression.cpp). show_implicit: implicit casts are printed too.
  void expression(const Expr* e, bool show_implicit);
  void expression_in_parentheses(const Expr* e, bool show_implicit, const Expr* parent);
  void top_level(const Expr* e, bool show_implicit) { expression(e, show_implicit); }
  void expression_list(const List<Expr*>& list, bool show_implicit);
  void constant(const Constant* c, int show_type);
  // The variable's column name, or empty for a whole row; printed as it is to be referred to.
  std::string variable(const Variable* v, bool top_level);
  void coercion(const Expr* arg, Oid type, std::int32_t typmod, const Expr* parent);

  // Calls and operators (deparse_call.cpp).
  void function(const FunctionExpr* f, bool show_implicit);
  bool sql_syntax(const FunctionExpr* f);
  void op(const OpExpr* o);
  void aggregate(const Aggregate* a);
  void window_function(const WindowFunction* w);
  void sub_link(const SubLink* link);
  static std::string function_name(Oid function, std::span<const Oid> types, bool variadic, bool& print_variadic);
  static std::string operator_name(Oid op, Oid left, Oid right);
  static std::string collation_name(Oid collation);
  std::string relation_name(Oid relation) const;

  // Queries (deparse_query.cpp, deparse_from.cpp).
  void query(const Query* q, bool top);
  void window_specification(const WindowClause* w, const List<TargetEntry*>& targets);
  void order_by(const List<SortClause*>& clauses, const List<TargetEntry*>& targets, bool force_column_numbers);
  void sort_expression(const SortClause* clause, const List<TargetEntry*>& targets, bool force_number);

 private:
  friend struct NameSets;
  void keyword(std::string_view text, int before, int after, int plus);
  void push_level(const Query* q);
  void with_clause(const Query* q);
  void select(const Query* q, bool top);
  void basic_select(const Query* q, bool top);
  void set_operation(const Query* q, const SetOperation* node, bool top);
  void targets(const List<TargetEntry*>& list, const Query* q);
  void target_column(const TargetEntry* t);
  void from_clause(const Query* q, std::string_view prefix);
  void from_item(const Query* q, const JoinNode* node);
  void from_entry(const Query* q, int number);
  void entry_alias(const Query* q, int number, bool force);
  void column_aliases(int number);
  void column_definitions(const FunctionRte* function);
  void join(const Query* q, const JoinExpr* j);
  void values_lists(const RangeTableEntry* rte);
  void group_by(const Query* q);
  void grouping_set(const Query* q, const GroupingSet* set, bool omit_parentheses);
  void window_clause(const Query* q);
  void locking(const Query* q);
  void insert(const Query* q);
  void update(const Query* q);
  void remove(const Query* q);
  void set_list(const List<TargetEntry*>& list, const RangeTableEntry* target);
  void returning(const Query* q);
  const Expr* assignment_source(const Expr* e, std::string& suffix);
  std::string unique_entry_name(std::string_view wanted) const;
  bool is_cte_name(std::string_view name) const;
  void trim_spaces() { while (!out_.empty() && out_.back() == ' ') out_.pop_back(); }

  DeparseOptions options_;
  PlanNames plan_names_;
  bool plan_show_implicit_ = false;
  std::string out_;
  std::vector<Level> levels_;      // outermost first
  int indent_ = 0;
  const Query* window_query_ = nullptr;
  const List<TargetEntry*>* window_targets_ = nullptr;
};

// Would the expression keep its meaning without parentheses inside the parent?
bool is_simple_node(const Expr* e, const Expr* parent, bool pretty);

inline constexpr int kIndentStandard = 8, kIndentJoin = 4, kIndentVariable = 4, kIndentLimit = 40;

}  // namespace hathi::analyzer
