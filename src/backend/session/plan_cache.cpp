#include "plan_cache.h"

#include "hathi/analyzer/analyze.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/config/planner_settings.h"
#include "hathi/config/session_settings.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "parse_options.h"

namespace hathi::session {

namespace {

// Values of plan_cache_mode; 0 = auto.
constexpr int kForceGenericPlan = 1, kForceCustomPlan = 2;

// Custom plans made before the generic one is considered.
constexpr std::uint64_t kCustomPlansFirst = 5;

// Planning is charged like PostgreSQL does: so much per relation, in units of cpu_operator_cost.
double planning_cost(const planner::PlannedStatement& plan) {
  constexpr double kOperatorCost = 0.0025;
  return 1000.0 * kOperatorCost * (static_cast<double>(plan.range_table.size()) + 1);
}

// Every relation that the query names, in its subqueries, CTEs and expressions too.
template <class F>
void for_each_relation(nodes::Query& query, F&& visit);

template <class F>
bool visit_sub_links(nodes::Expr* e, F& visit) {
  if (e == nullptr) return false;
  if (auto* link = nodes::is<nodes::SubLink>(e) ? nodes::as<nodes::SubLink>(e) : nullptr) for_each_relation(*link->query, visit);
  nodes::for_each_child(e, [&](nodes::Expr* child) { return visit_sub_links(child, visit); });
  return false;
}

template <class F>
void for_each_relation(nodes::Query& query, F&& visit) {
  check_stack_depth();
  for (const nodes::RangeTableEntry* entry : query.range_table) {
    if (is_valid(entry->relation)) visit(*entry);
    if (entry->kind == nodes::RteKind::subquery && entry->subquery != nullptr) for_each_relation(*entry->subquery, visit);
  }
  for (const nodes::CommonTableExpr* cte : query.ctes) for_each_relation(*cte->query, visit);
  if (!query.has_sub_links) return;
  nodes::walk_query_expressions(&query, [](nodes::Expr* e, void* f) { return visit_sub_links(e, *static_cast<std::remove_reference_t<F>*>(f)); }, &visit);
}

bool is_utility_without_plan(const nodes::Query& query) { return query.command == nodes::CommandKind::utility; }

}  // namespace

const List<nodes::TargetEntry*>* returned_targets(const nodes::Query& query) {
  if (query.command == nodes::CommandKind::select) return &query.targets;
  if (query.command == nodes::CommandKind::utility || query.returning.empty()) return nullptr;
  return &query.returning;
}

TupleDescriptor* describe_targets(const List<nodes::TargetEntry*>& targets, Arena& arena) {
  int count = 0;
  for (const nodes::TargetEntry* t : targets) count += t->junk ? 0 : 1;
  TupleDescriptor* row = make_descriptor(arena, count);
  int i = 0;
  for (const nodes::TargetEntry* t : targets) {
    if (t->junk) continue;
    Attribute& a = row->attributes[static_cast<std::size_t>(i++)];
    a.name = arena.copy(t->name);
    a.type = nodes::type_of(t->expr);
    a.typmod = nodes::typmod_of(t->expr);
    a.collation = nodes::collation_of(t->expr);
    const catalog::TypeInfo& type = catalog::type_info(a.type);
    a.layout = type.layout;
    a.storage = type.storage;
  }
  row->row_type = type_oid::record;
  finish_descriptor(*row);
  return row;
}

CachedStatement::CachedStatement(std::string_view text, std::vector<Oid> parameter_types, bool from_sql)
    : text_(text), parameter_types_(std::move(parameter_types)), from_sql_(from_sql), prepared_at_(transaction::statement_timestamp()) {
  List<parser::Statement> statements = parser::parse(text_, raw_arena_, parse_options());
  if (statements.size() > 1) throw SqlError(sqlstate::syntax_error, "cannot insert multiple commands into a prepared statement");
  if (statements.empty()) return;
  raw_ = statements[0];
  infer_parameters_ = true;
  tag_ = parser::command_tag(raw_.node);
}

CachedStatement::CachedStatement(std::string_view text, const parser::Statement& statement) : borrowed_text_(text), raw_(statement) {
  tag_ = parser::command_tag(raw_.node);
  analyze();
}

CachedStatement::CachedStatement(std::string_view whole_text, const parser::PrepareStatement& statement, std::vector<Oid> parameter_types)
    : text_(whole_text), parameter_types_(std::move(parameter_types)), from_sql_(true), prepared_at_(transaction::statement_timestamp()) {
  // The tree must outlive the message it came in: parse the text again and take the same statement.
  for (const parser::Statement& s : parser::parse(text_, raw_arena_, parse_options())) {
    const auto* prepare = parser::node_try<parser::PrepareStatement>(s.node);
    if (prepare == nullptr || prepare->location != statement.location || prepare->name != statement.name) continue;
    raw_ = s;
    raw_.node = prepare->query;
    std::size_t length = s.length == 0 ? std::string::npos : static_cast<std::size_t>(s.length);
    display_text_ = text_.substr(static_cast<std::size_t>(s.start), length);
  }
  if (raw_.node == nullptr) throw SqlError(sqlstate::internal_error, "prepared statement was not found in its text");
  infer_parameters_ = true;
  tag_ = parser::command_tag(raw_.node);
  analyze();
}

CachedStatement::CachedStatement(std::string_view whole_text, const parser::Statement& whole, const parser::DeclareCursorStatement& statement)
    : text_(whole_text), from_sql_(true), prepared_at_(transaction::statement_timestamp()) {
  for (const parser::Statement& s : parser::parse(text_, raw_arena_, parse_options())) {
    const auto* declare = parser::node_try<parser::DeclareCursorStatement>(s.node);
    if (declare == nullptr || s.start != whole.start) continue;
    raw_ = s;
    raw_.node = declare->query;
  }
  if (raw_.node == nullptr) throw SqlError(sqlstate::internal_error, "cursor {} was not found in its text", statement.name);
  std::size_t length = whole.length == 0 ? std::string::npos : static_cast<std::size_t>(whole.length);
  display_text_ = text_.substr(static_cast<std::size_t>(whole.start), length);
  tag_ = "SELECT";
  analyze();
}

void CachedStatement::analyze() {
  query_arena_.reset();
  query_ = nullptr;
  result_row_ = nullptr;
  analyzer::ParameterTypes types;
  types.types = parameter_types_;
  types.infer = infer_parameters_;
  nodes::Query* query = analyzer::analyze(raw_, text(), query_arena_, types);
  parameter_types_ = types.types;
  // SELECT INTO has become CREATE TABLE AS. A utility statement is analysed once only, so the node stays.
  if (query->command == nodes::CommandKind::utility) raw_.node = const_cast<parser::StatementNode*>(query->utility);
  if (const auto* targets = returned_targets(*query)) result_row_ = describe_targets(*targets, query_arena_);
  relations_.clear();
  for_each_relation(*query, [this](const nodes::RangeTableEntry& entry) {
    relations_.push_back({entry.relation, static_cast<locking::LockMode>(entry.lock_mode), 0});
  });
  for (UsedRelation& used : relations_) used.version = catalog::open_relation(used.relation, locking::LockMode::none)->version;
  search_path_generation_ = config::values::search_path_generation;
  query_ = query;
}

void CachedStatement::ensure_analyzed() {
  if (query_ == nullptr && raw_.node != nullptr) analyze();
}

bool CachedStatement::lock_relations() const {
  bool current = search_path_generation_ == config::values::search_path_generation;
  for (const UsedRelation& used : relations_) {
    catalog::RelationRef relation = catalog::try_open_relation(used.relation, used.lock);
    current = current && relation && relation->version == used.version;
  }
  return current;
}

// Analyses again when a relation, a function or the search path changed since. Locks are held on return.
void CachedStatement::revalidate() {
  if (query_ != nullptr && (is_utility_without_plan(*query_) || lock_relations())) return;
  bool had_query = query_ != nullptr;
  // The row that was promised when the statement was prepared counts, whatever it would have been in between.
  if (had_query && !promised_) {
    promised_row_ = result_row_ == nullptr ? nullptr : copy_descriptor(*result_row_, result_arena_);
    promised_ = true;
  }
  generic_.reset();
  generic_cost_ = -1;
  analyze();
  if (!promised_) return;
  bool same = (promised_row_ == nullptr) == (result_row_ == nullptr) && (promised_row_ == nullptr || same_row_shape(*promised_row_, *result_row_));
  if (same) return;
  query_ = nullptr;   // analysed again at the next use: the change may have been taken back
  throw SqlError(sqlstate::feature_not_supported, "cached plan must not change result type");
}

const TupleDescriptor* CachedStatement::result_row() {
  if (is_empty()) return nullptr;
  revalidate();
  return result_row_;
}

bool CachedStatement::choose_custom(const planner::BoundParameters& parameters) const {
  if (cursor_options & planner::kCursorGenericPlan) return false;
  if (cursor_options & planner::kCursorCustomPlan) return true;
  if (parameters.values.empty()) return false;
  if (config::values::plan_cache_mode == kForceGenericPlan) return false;
  if (config::values::plan_cache_mode == kForceCustomPlan) return true;
  if (custom_plans_made_ < kCustomPlansFirst) return true;
  return generic_cost_ >= 0 && generic_cost_ >= total_custom_cost_ / static_cast<double>(custom_plans_made_);
}

std::shared_ptr<PlanMemory> CachedStatement::make_plan(const planner::BoundParameters& parameters, bool custom) {
  auto memory = std::make_shared<PlanMemory>();
  nodes::Query* query = is_one_shot() ? query_ : nodes::copy(query_, memory->arena);
  planner::BoundParameters bound = custom ? parameters : planner::BoundParameters{};
  bound.plan_as_constants = custom;
  memory->plan = planner::plan(query, bound, cursor_options, memory->arena);
  return memory;
}

std::shared_ptr<PlanMemory> CachedStatement::plan_for(const planner::BoundParameters& parameters) {
  if (is_one_shot()) return make_plan(parameters, !parameters.values.empty());
  revalidate();
  bool custom = choose_custom(parameters);
  if (!custom) {
    if (generic_ == nullptr || generic_->plan->is_transient) {
      generic_ = make_plan(parameters, false);
      generic_cost_ = generic_->plan->plan->total_cost;
      // The generic plan's cost is known only now: it may be worse than the custom ones were.
      custom = choose_custom(parameters);
    }
    if (!custom) {
      ++generic_uses_;
      return generic_;
    }
  }
  auto memory = make_plan(parameters, true);
  total_custom_cost_ += memory->plan->plan->total_cost + planning_cost(*memory->plan);
  ++custom_plans_made_;
  ++custom_uses_;
  return memory;
}

}  // namespace hathi::session
