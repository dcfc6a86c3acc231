#pragma once
// Prepared statements and their plans: analysed once, planned generically or for the parameters at hand, checked under locks
// before each use.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/executor/executor.h"
#include "hathi/memory/arena.h"
#include "hathi/nodes/query.h"
#include "hathi/parser/ast_statement.h"
#include "hathi/parser/parser.h"
#include "hathi/planner/plan.h"

namespace hathi::session {

// A plan with the memory it lives in. Kept alive by the statement that owns it and by the portals that run it.
struct PlanMemory {
  Arena arena{8192};
  const planner::PlannedStatement* plan = nullptr;
  // A finished run of this plan, kept for the next one.
  std::unique_ptr<executor::Execution> idle;
};

class CachedStatement {
 public:
  // Parse message: keeps the text and parses it; one statement at most (42601). parameter_types: 0 = to be inferred. Call
  // ensure_analyzed() next, inside a transaction.
  CachedStatement(std::string_view text, std::vector<Oid> parameter_types, bool from_sql);
  // One statement of a simple Query: used once, so text and tree are borrowed. Analyses at once.
  CachedStatement(std::string_view text, const parser::Statement& statement);
  // PREPARE: the statement inside a larger text. Analyses at once.
  CachedStatement(std::string_view whole_text, const parser::PrepareStatement& statement, std::vector<Oid> parameter_types);

  // DECLARE CURSOR: the query inside it. Analyses at once.
  CachedStatement(std::string_view whole_text, const parser::Statement& whole, const parser::DeclareCursorStatement& statement);

  void ensure_analyzed();
  const std::string& name() const { return name_; }
  void set_name(std::string_view name) { name_ = name; }
  bool is_empty() const { return raw_.node == nullptr; }
  bool is_utility() const { return query_ != nullptr && query_->command == nodes::CommandKind::utility; }
  const parser::Statement& raw() const { return raw_; }
  std::string_view text() const { return borrowed_text_.data() != nullptr ? borrowed_text_ : std::string_view(text_); }
  std::string_view display_text() const { return display_text_.empty() ? text() : std::string_view(display_text_); }
  const std::vector<Oid>& parameter_types() const { return parameter_types_; }
  std::string_view tag() const { return tag_; }
  bool from_sql() const { return from_sql_; }
  std::int64_t prepared_at() const { return prepared_at_; }
  std::uint64_t generic_plans() const { return generic_uses_; }
  std::uint64_t custom_plans() const { return custom_uses_; }
  const nodes::Query* query() const { return query_; }
  int cursor_options = 0;

  // The result columns, nullptr when there are none. Revalidates: 0A000 "cached plan must not change result type".
  const TupleDescriptor* result_row();
  // A plan for these parameters, its relations locked and its versions checked. Chooses generic or custom by plan_cache_mode and
  // PostgreSQL's rule (five custom plans, then generic if not dearer).
  std::shared_ptr<PlanMemory> plan_for(const planner::BoundParameters& parameters);

 private:
  bool is_one_shot() const { return borrowed_text_.data() != nullptr; }
  void analyze();
  // Locks what the query names; false when a descriptor or the search path is no longer what it was analysed with.
  bool lock_relations() const;
  void revalidate();
  bool choose_custom(const planner::BoundParameters& parameters) const;
  std::shared_ptr<PlanMemory> make_plan(const planner::BoundParameters& parameters, bool custom);

  std::string name_, text_, display_text_;
  std::string_view borrowed_text_;
  std::string_view tag_;
  std::vector<Oid> parameter_types_;
  bool infer_parameters_ = false;
  bool from_sql_ = false;
  std::int64_t prepared_at_ = 0;
  Arena raw_arena_{2048}, query_arena_{8192}, result_arena_{512};
  parser::Statement raw_;
  nodes::Query* query_ = nullptr;            // the planner gets copies, except of a one-shot statement
  const TupleDescriptor* result_row_ = nullptr;
  bool promised_ = false;                    // promised_row_ is set: a change made it necessary to analyse again
  const TupleDescriptor* promised_row_ = nullptr;
  struct UsedRelation { Oid relation; locking::LockMode lock; std::uint64_t version; };
  std::vector<UsedRelation> relations_;      // all that the query names, in subqueries too
  std::uint64_t search_path_generation_ = 0;
  std::shared_ptr<PlanMemory> generic_;
  double generic_cost_ = -1, total_custom_cost_ = 0;
  std::uint64_t custom_plans_made_ = 0, generic_uses_ = 0, custom_uses_ = 0;
};

// The row type of a query's non-junk output columns.
TupleDescriptor* describe_targets(const List<nodes::TargetEntry*>& targets, Arena& arena);
// The targets that a query returns: its SELECT list or RETURNING; nullptr when it returns no rows.
const List<nodes::TargetEntry*>* returned_targets(const nodes::Query& query);

}  // namespace hathi::session
