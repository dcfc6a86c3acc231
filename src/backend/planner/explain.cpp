// EXPLAIN: the nodes of a plan, from the top.

#include "hathi/planner/explain.h"

#include "explainer.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/catalog/relation.h"
#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"

namespace hathi::planner {

namespace {

struct NodeName { std::string text, type, strategy, operation; };

std::string_view command_name(nodes::CommandKind k) {
  switch (k) {
    case nodes::CommandKind::insert: return "Insert";
    case nodes::CommandKind::update: return "Update";
    case nodes::CommandKind::remove: return "Delete";
    case nodes::CommandKind::merge: return "Merge";
    default: return "???";
  }
}

NodeName aggregate_name(const Aggregate& a) {
  switch (a.strategy) {
    case Aggregate::Strategy::plain: return {"Aggregate", "Aggregate", "Plain", {}};
    case Aggregate::Strategy::sorted: return {"GroupAggregate", "Aggregate", "Sorted", {}};
    case Aggregate::Strategy::hashed: return {"HashAggregate", "Aggregate", "Hashed", {}};
    case Aggregate::Strategy::mixed: return {"MixedAggregate", "Aggregate", "Mixed", {}};
  }
  return {};
}

NodeName node_name(const Plan* p) {
  auto plain = [](std::string_view s) { return NodeName{std::string(s), std::string(s), {}, {}}; };
  switch (p->kind) {
    case PlanKind::result: return plain("Result");
    case PlanKind::project_set: return plain("ProjectSet");
    case PlanKind::modify_table: {
      std::string name(command_name(static_cast<const ModifyTable*>(p)->operation));
      return {name, "ModifyTable", {}, name};
    }
    case PlanKind::append: return plain("Append");
    case PlanKind::partitioned_scan: return plain("Append");
    case PlanKind::merge_append: return plain("Merge Append");
    case PlanKind::recursive_union: return plain("Recursive Union");
    case PlanKind::bitmap_and: return plain("BitmapAnd");
    case PlanKind::bitmap_or: return plain("BitmapOr");
    case PlanKind::seq_scan: return plain("Seq Scan");
    case PlanKind::sample_scan: return plain("Sample Scan");
    case PlanKind::index_scan: return plain("Index Scan");
    case PlanKind::index_only_scan: return plain("Index Only Scan");
    case PlanKind::bitmap_index_scan: return plain("Bitmap Index Scan");
    case PlanKind::bitmap_heap_scan: return plain("Bitmap Heap Scan");
    case PlanKind::tid_scan: return plain(static_cast<const TidScan*>(p)->tids.empty() ? "Tid Range Scan" : "Tid Scan");
    case PlanKind::subquery_scan: return plain("Subquery Scan");
    case PlanKind::function_scan: return plain("Function Scan");
    case PlanKind::values_scan: return plain("Values Scan");
    case PlanKind::cte_scan: return plain("CTE Scan");
    case PlanKind::work_table_scan: return plain("WorkTable Scan");
    case PlanKind::nest_loop: return plain("Nested Loop");
    case PlanKind::merge_join: return {"Merge", "Merge Join", {}, {}};
    case PlanKind::hash_join: return {"Hash", "Hash Join", {}, {}};
    case PlanKind::hash: return plain("Hash");
    case PlanKind::materialize: return plain("Materialize");
    case PlanKind::memoize: return plain("Memoize");
    case PlanKind::sort: return plain("Sort");
    case PlanKind::incremental_sort: return plain("Incremental Sort");
    case PlanKind::group: return plain("Group");
    case PlanKind::aggregate: return aggregate_name(*static_cast<const Aggregate*>(p));
    case PlanKind::window_aggregate: return plain("WindowAgg");
    case PlanKind::unique: return plain("Unique");
    case PlanKind::set_op: {
      bool hashed = static_cast<const SetOp*>(p)->hashed;
      return {hashed ? "HashSetOp" : "SetOp", "SetOp", hashed ? "Hashed" : "Sorted", {}};
    }
    case PlanKind::lock_rows: return plain("LockRows");
    case PlanKind::limit: return plain("Limit");
  }
  return plain("???");
}

std::string_view join_type_name(nodes::JoinType t) {
  switch (t) {
    case nodes::JoinType::inner: return "Inner";
    case nodes::JoinType::left: return "Left";
    case nodes::JoinType::right: return "Right";
    case nodes::JoinType::full: return "Full";
    case nodes::JoinType::semi: return "Semi";
    case nodes::JoinType::anti: return "Anti";
  }
  return "???";
}

std::string_view set_command_name(SetOp::Command c) {
  switch (c) {
    case SetOp::Command::intersect: return "Intersect";
    case SetOp::Command::intersect_all: return "Intersect All";
    case SetOp::Command::except: return "Except";
    case SetOp::Command::except_all: return "Except All";
  }
  return "???";
}

bool is_join(PlanKind k) { return k == PlanKind::nest_loop || k == PlanKind::merge_join || k == PlanKind::hash_join; }

std::string relation_name(Oid oid) { return std::string(catalog::open_relation(oid, locking::LockMode::none)->name); }

}  // namespace

void Explainer::target_entry(const Plan* p, int rte) {
  const RangeEntry& entry = statement_.range_table[static_cast<std::size_t>(rte - 1)];
  std::string object, schema, tag;
  switch (p->kind) {
    case PlanKind::function_scan: {
      const auto& functions = static_cast<const FunctionScan*>(p)->functions;
      if (functions.size() == 1 && functions[0]->call != nullptr && functions[0]->call->kind == nodes::ExprKind::function) {
        const catalog::FunctionInfo& f = catalog::function_info(nodes::as<nodes::FunctionExpr>(functions[0]->call)->function);
        object = f.name;
        if (options_.verbose) schema = catalog::schema_name(f.schema);
      }
      tag = "Function Name";
      break;
    }
    case PlanKind::values_scan: case PlanKind::subquery_scan: break;
    case PlanKind::cte_scan: case PlanKind::work_table_scan:
      if (entry.source != nullptr) object = entry.source->cte_name;
      tag = "CTE Name";
      break;
    default:
      if (is_valid(entry.relation)) {
        catalog::RelationRef relation = catalog::open_relation(names_.entry_relation(rte), locking::LockMode::none);
        object = relation->name;
        if (options_.verbose) schema = catalog::schema_name(relation->schema);
      }
      tag = "Relation Name";
  }
  const std::string& alias = names_.entry_name(rte);
  if (w_.is_text()) {
    w_.append(" on");
    if (!schema.empty()) w_.append(" " + catalog::quote_identifier(schema) + "." + catalog::quote_identifier(object));
    else if (!object.empty()) w_.append(" " + catalog::quote_identifier(object));
    if (alias.empty() || alias != object) w_.append(" " + catalog::quote_identifier(alias));
    return;
  }
  if (!tag.empty() && !object.empty()) w_.property(tag, object);
  if (!schema.empty()) w_.property("Schema", schema);
  if (!alias.empty()) w_.property("Alias", alias);
}

// Behind the node's name: what it reads or joins.
void Explainer::target(const Plan* p) {
  bool text = w_.is_text();
  switch (p->kind) {
    case PlanKind::index_scan: case PlanKind::index_only_scan: {
      const auto* s = static_cast<const IndexScan*>(p);
      std::string index = relation_name(s->index);
      if (text) {
        if (s->backward) w_.append(" Backward");
        w_.append(" using " + catalog::quote_identifier(index));
      } else {
        w_.property("Scan Direction", s->backward ? "Backward" : "Forward");
        w_.property("Index Name", index);
      }
      target_entry(p, s->rte);
      break;
    }
    case PlanKind::bitmap_index_scan: {
      std::string index = relation_name(static_cast<const BitmapIndexScan*>(p)->index);
      if (text) w_.append(" on " + catalog::quote_identifier(index));
      else w_.property("Index Name", index);
      break;
    }
    case PlanKind::seq_scan: case PlanKind::sample_scan: case PlanKind::bitmap_heap_scan: case PlanKind::tid_scan: case PlanKind::subquery_scan:
    case PlanKind::function_scan: case PlanKind::values_scan: case PlanKind::cte_scan: case PlanKind::work_table_scan:
      target_entry(p, static_cast<const Scan*>(p)->rte);
      break;
    case PlanKind::modify_table: target_entry(p, static_cast<const ModifyTable*>(p)->rte); break;
    case PlanKind::nest_loop: case PlanKind::merge_join: case PlanKind::hash_join: {
      nodes::JoinType type = static_cast<const Join*>(p)->type;
      if (!text) w_.property("Join Type", join_type_name(type));
      else if (type != nodes::JoinType::inner) w_.append(fmt::format(" {} Join", join_type_name(type)));
      else if (p->kind != PlanKind::nest_loop) w_.append(" Join");
      break;
    }
    case PlanKind::set_op: {
      std::string_view command = set_command_name(static_cast<const SetOp*>(p)->command);
      if (text) w_.append(fmt::format(" {}", command));
      else w_.property("Command", command);
      break;
    }
    default: break;
  }
}

void Explainer::header(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name) {
  const Plan* p = frame.plan;
  NodeName name = node_name(p);
  if (frame.part == PlanFrame::Part::merge_append) name.text = name.type = "Merge Append";
  if (w_.is_text()) {
    if (!subplan_name.empty()) {
      w_.line(subplan_name);
      ++w_.indent;
    }
    if (w_.indent > 0) {
      w_.indent_text();
      w_.append("->  ");
      w_.indent += 2;
    }
    w_.append(name.text);
    ++w_.indent;
  } else {
    w_.property("Node Type", name.type);
    if (!name.strategy.empty()) w_.property("Strategy", name.strategy);
    if (p->kind == PlanKind::aggregate) w_.property("Partial Mode", "Simple");
    if (!name.operation.empty()) w_.property("Operation", name.operation);
    if (!relationship.empty()) w_.property("Parent Relationship", relationship);
    if (!subplan_name.empty()) w_.property("Subplan Name", subplan_name);
    w_.boolean("Parallel Aware", false);
    w_.boolean("Async Capable", false);
  }
  target(p);
}

void Explainer::costs_and_times(const Plan* p, const executor::NodeTimes* t) {
  if (options_.costs) {
    if (w_.is_text()) {
      w_.append(fmt::format("  (cost={:.2f}..{:.2f} rows={:.0f} width={})", p->startup_cost, p->total_cost, p->rows, p->width));
    } else {
      w_.number("Startup Cost", p->startup_cost, 2);
      w_.number("Total Cost", p->total_cost, 2);
      w_.number("Plan Rows", p->rows, 0);
      w_.number("Plan Width", p->width, 0);
    }
  }
  if (!options_.analyze) return;
  double loops = t == nullptr ? 0 : static_cast<double>(t->loops);
  if (w_.is_text()) {
    if (loops == 0) {
      w_.append(" (never executed)");
      return;
    }
    w_.append(" (actual");
    if (options_.timing) w_.append(fmt::format(" time={:.3f}..{:.3f}", t->startup_ms / loops, t->total_ms / loops));
    w_.append(fmt::format(" rows={:.0f} loops={:.0f})", static_cast<double>(t->rows) / loops, loops));
    return;
  }
  if (options_.timing) {
    w_.number("Actual Startup Time", loops == 0 ? 0 : t->startup_ms / loops, 3);
    w_.number("Actual Total Time", loops == 0 ? 0 : t->total_ms / loops, 3);
  }
  w_.number("Actual Rows", loops == 0 ? 0 : static_cast<double>(t->rows) / loops, 0);
  w_.number("Actual Loops", loops, 0);
}

void Explainer::buffers(const executor::NodeTimes& t) {
  struct Count { std::string_view label; std::uint64_t value; };
  const Count shared[] = {{"hit", t.buffers_hit}, {"read", t.buffers_read}, {"dirtied", t.buffers_dirtied}, {"written", t.buffers_written}};
  const Count temp[] = {{"read", t.temp_read}, {"written", t.temp_written}};
  if (w_.is_text()) {
    std::string text;
    auto add = [&](std::string_view kind, std::span<const Count> counts) {
      std::string part;
      for (const Count& c : counts) if (c.value != 0) part += fmt::format(" {}={}", c.label, c.value);
      if (!part.empty()) text += (text.empty() ? "" : ", ") + std::string(kind) + part;
    };
    add("shared", shared);
    add("temp", temp);
    if (!text.empty()) w_.line("Buffers: " + text);
    return;
  }
  w_.number("Shared Hit Blocks", std::to_string(t.buffers_hit));
  w_.number("Shared Read Blocks", std::to_string(t.buffers_read));
  w_.number("Shared Dirtied Blocks", std::to_string(t.buffers_dirtied));
  w_.number("Shared Written Blocks", std::to_string(t.buffers_written));
  for (std::string_view what : {"Hit", "Read", "Dirtied", "Written"}) w_.number(fmt::format("Local {} Blocks", what), "0");
  w_.number("Temp Read Blocks", std::to_string(t.temp_read));
  w_.number("Temp Written Blocks", std::to_string(t.temp_written));
}

namespace {

// The subplans in a node's own expressions, in the order of its parts.
void find_subplans(const Expr* e, std::vector<const nodes::SubPlan*>& out) {
  if (e == nullptr) return;
  check_stack_depth();
  if (e->kind == nodes::ExprKind::sub_plan) out.push_back(nodes::as<nodes::SubPlan>(e));
  nodes::for_each_child(const_cast<Expr*>(e), [&](Expr* c) { find_subplans(c, out); return false; });
}

std::vector<const nodes::SubPlan*> subplans_of(const Plan* p) {
  std::vector<const nodes::SubPlan*> out;
  auto each = [&](const List<Expr*>& list) { for (const Expr* e : list) find_subplans(e, out); };
  if (p->kind == PlanKind::partitioned_scan) return out;   // below its partitions
  for (const TargetEntry* t : p->targets) find_subplans(t->expr, out);
  if (is_join(p->kind)) each(static_cast<const Join*>(p)->conditions);
  each(p->filter);
  switch (p->kind) {
    case PlanKind::result: find_subplans(static_cast<const Result*>(p)->constant_filter, out); break;
    case PlanKind::index_scan: case PlanKind::index_only_scan:
      for (const IndexCondition* c : static_cast<const IndexScan*>(p)->conditions) find_subplans(c->argument, out);
      break;
    case PlanKind::bitmap_index_scan:
      for (const IndexCondition* c : static_cast<const BitmapIndexScan*>(p)->conditions) find_subplans(c->argument, out);
      break;
    case PlanKind::hash_join: each(static_cast<const HashJoin*>(p)->clauses); break;
    case PlanKind::aggregate: for (const nodes::Aggregate* a : static_cast<const Aggregate*>(p)->aggregates) find_subplans(a, out); break;
    case PlanKind::function_scan: for (const nodes::FunctionRte* f : static_cast<const FunctionScan*>(p)->functions) find_subplans(f->call, out); break;
    case PlanKind::values_scan: for (const List<Expr*>& row : static_cast<const ValuesScan*>(p)->rows_of_values) each(row); break;
    case PlanKind::limit:
      find_subplans(static_cast<const Limit*>(p)->offset, out);
      find_subplans(static_cast<const Limit*>(p)->count, out);
      break;
    case PlanKind::modify_table: {
      const auto* m = static_cast<const ModifyTable*>(p);
      for (const TargetEntry* t : m->returning) find_subplans(t->expr, out);
      for (const nodes::WithCheck* c : m->with_checks) find_subplans(c->condition, out);
      if (m->on_conflict == nullptr) break;
      for (const TargetEntry* t : m->on_conflict->set) find_subplans(t->expr, out);
      find_subplans(m->on_conflict->where, out);
      break;
    }
    default: break;
  }
  return out;
}

}  // namespace

void Explainer::subplan(const PlanFrame& frame, const nodes::SubPlan* link, std::string_view relationship) {
  if (!printed_.insert(link->plan).second) return;
  const Plan* top = statement_.subplans[static_cast<std::size_t>(link->plan - 1)];
  node(PlanFrame{top, &frame, link}, relationship, link->name);
}

void Explainer::children(const PlanFrame& frame) {
  const Plan* p = frame.plan;
  std::vector<const nodes::SubPlan*> links = subplans_of(p);
  std::vector<const Plan*> below = plan_children(p);
  bool any = !below.empty() || !links.empty() || !p->init_plans.empty() || p->kind == PlanKind::partitioned_scan;
  if (!any) return;
  w_.open_group("Plans", false);
  for (int n : p->init_plans) subplan(frame, statement_.subplan_links[static_cast<std::size_t>(n - 1)], "InitPlan");
  for (const Plan* c : below) {
    std::string_view relationship = c == p->left ? "Outer" : c == p->right ? "Inner" : p->kind == PlanKind::subquery_scan ? "Subquery" : "Member";
    node(PlanFrame{c, &frame, nullptr}, relationship, {});
  }
  if (p->kind == PlanKind::partitioned_scan) {
    std::size_t n = scans_[static_cast<std::size_t>(static_cast<const PartitionedScan*>(p)->number)].shown.partitions.size();
    removed_partitions(*static_cast<const PartitionedScan*>(p));
    for (std::size_t i = 0; i < n; ++i) partition(frame, i, "Member", {});
  }
  for (const nodes::SubPlan* link : links) if (!link->is_init_plan) subplan(frame, link, "SubPlan");
  w_.close_group("Plans", false);
}

void Explainer::node(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name) {
  check_stack_depth();
  const Plan* p = frame.plan;
  if (p->kind == PlanKind::partitioned_scan && frame.part == PlanFrame::Part::whole) return partitioned_scan(frame, relationship, subplan_name);
  int indent = w_.indent;
  const executor::NodeTimes* times = options_.analyze && execution_ != nullptr ? execution_->times(*p) : nullptr;
  w_.open_group(relationship.empty() || options_.format == ExplainFormat::xml ? "Plan" : "", true);
  header(frame, relationship, subplan_name);
  costs_and_times(p, times);
  if (w_.is_text()) w_.append("\n");
  if (options_.verbose) output(frame);
  if (is_join(p->kind) && (!w_.is_text() || (options_.verbose && static_cast<const Join*>(p)->inner_unique)))
    w_.boolean("Inner Unique", static_cast<const Join*>(p)->inner_unique);
  details(frame, times);
  if (options_.buffers) buffers(times != nullptr ? *times : executor::NodeTimes{});
  children(frame);
  w_.close_group(relationship.empty() || options_.format == ExplainFormat::xml ? "Plan" : "", true);
  if (w_.is_text()) w_.indent = indent;
}

void Explainer::summary() {
  if (options_.settings) {
    auto changed = config::changed_for_explain();
    if (w_.is_text()) {
      std::string text;
      for (auto& [name, value] : changed) text += (text.empty() ? "" : ", ") + name + " = '" + value + "'";
      if (!text.empty()) w_.line("Settings: " + text);
    } else {
      w_.open_group("Settings", true);
      for (auto& [name, value] : changed) w_.property(name, value);
      w_.close_group("Settings", true);
    }
  }
  if (options_.buffers && !w_.is_text()) {
    w_.open_group("Planning", true);
    buffers({});
    w_.close_group("Planning", true);
  }
  if (options_.summary) w_.number("Planning Time", options_.planning_ms, 3, "ms");
  if (options_.analyze && !w_.is_text()) {
    w_.open_group("Triggers", false);
    w_.close_group("Triggers", false);
  }
  if (options_.summary && options_.analyze) w_.number("Execution Time", options_.execution_ms, 3, "ms");
}

std::vector<std::string> Explainer::run() {
  w_.begin();
  w_.open_group(options_.format == ExplainFormat::xml ? "Query" : "", true);
  node(PlanFrame{statement_.plan, nullptr, nullptr}, {}, {});
  if (w_.is_text()) w_.indent = 0;
  summary();
  w_.close_group(options_.format == ExplainFormat::xml ? "Query" : "", true);
  w_.end();
  return w_.lines();
}

std::vector<std::string> explain(const PlannedStatement& statement, executor::Execution* execution, const ExplainOptions& options) {
  return Explainer(statement, execution, options).run();
}

}  // namespace hathi::planner
