#include "explain_names.h"

#include <set>

#include "hathi/analyzer/deparse.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/quote.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"

namespace hathi::planner {

using nodes::ExprKind;

std::vector<const Plan*> plan_children(const Plan* p) {
  std::vector<const Plan*> out;
  if (p->kind == PlanKind::partitioned_scan) return out;   // the template stands for partitions
  if (p->left != nullptr) out.push_back(p->left);
  if (p->right != nullptr) out.push_back(p->right);
  auto add = [&](const List<Plan*>& list) { for (const Plan* c : list) out.push_back(c); };
  switch (p->kind) {
    case PlanKind::append: add(static_cast<const Append*>(p)->inputs); break;
    case PlanKind::merge_append: add(static_cast<const MergeAppend*>(p)->inputs); break;
    case PlanKind::bitmap_and: add(static_cast<const BitmapAnd*>(p)->inputs); break;
    case PlanKind::bitmap_or: add(static_cast<const BitmapOr*>(p)->inputs); break;
    case PlanKind::subquery_scan: out.push_back(static_cast<const SubqueryScan*>(p)->subplan); break;
    default: break;
  }
  return out;
}

void ExplainNames::note(const Plan* p, std::vector<bool>& used) const {
  check_stack_depth();
  auto mark = [&](int rte) { if (rte > 0 && rte <= static_cast<int>(used.size())) used[static_cast<std::size_t>(rte - 1)] = true; };
  switch (p->kind) {
    case PlanKind::partitioned_scan: case PlanKind::seq_scan: case PlanKind::sample_scan: case PlanKind::index_scan: case PlanKind::index_only_scan:
    case PlanKind::bitmap_heap_scan: case PlanKind::tid_scan: case PlanKind::subquery_scan: case PlanKind::function_scan:
    case PlanKind::values_scan: case PlanKind::cte_scan: case PlanKind::work_table_scan: mark(static_cast<const Scan*>(p)->rte); break;
    case PlanKind::modify_table: {
      const auto* m = static_cast<const ModifyTable*>(p);
      mark(m->rte);
      if (m->on_conflict != nullptr) mark(m->on_conflict->excluded_rte);
      break;
    }
    case PlanKind::append:
      for (const TargetEntry* t : p->targets) if (t->expr->kind == ExprKind::variable) mark(nodes::as<nodes::Variable>(t->expr)->rte);
      break;
    default: break;
  }
  for (const Plan* c : plan_children(p)) note(c, used);
}

ExplainNames::ExplainNames(const PlannedStatement& statement) : statement_(statement), names_(statement.range_table.size()) {
  std::vector<bool> used(names_.size());
  if (statement.plan != nullptr) note(statement.plan, used);
  for (const Plan* p : statement.subplans) if (p != nullptr) note(p, used);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!used[i]) continue;
    std::string wanted(statement.range_table[i].name);
    if (wanted.empty()) wanted = statement.range_table[i].kind == nodes::RteKind::values ? "*VALUES*" : "unnamed_subquery";
    names_[i] = new_name(wanted);
  }
}

std::string ExplainNames::new_name(const std::string& wanted) {
  std::string name = wanted;
  int& n = numbers_[wanted];
  while (!taken_.insert(name).second) name = fmt::format("{}_{}", wanted, ++n);
  return name;
}

ExplainNames::Partition::Partition(ExplainNames& names, int rte, Oid table, std::string alias)
    : names_(names), before_(names.partition_), rte_(rte), alias_(std::move(alias)), table_(catalog::open_relation(table, locking::LockMode::none)) {
  names.partition_ = this;
}
ExplainNames::Partition::~Partition() { names_.partition_ = before_; }

Oid ExplainNames::entry_relation(int rte) const {
  if (partition_ != nullptr && partition_->rte_ == rte) return partition_->table_->oid;
  return statement_.range_table[static_cast<std::size_t>(rte - 1)].relation;
}

const std::string& ExplainNames::entry_name(int rte) const {
  static const std::string none;
  if (partition_ != nullptr && partition_->rte_ == rte) return partition_->alias_;
  return rte >= 1 && rte <= static_cast<int>(names_.size()) ? names_[static_cast<std::size_t>(rte - 1)] : none;
}

std::string ExplainNames::expression(const Expr* e, const PlanFrame& frame, bool prefix, bool show_implicit) const {
  check_stack_depth();
  Context context{this, &frame, prefix};
  return analyzer::deparse_plan_expression(e, analyzer::PlanNames{name, &context}, show_implicit);
}

bool ExplainNames::name(const Expr* e, std::string& out, void* context) {
  auto& c = *static_cast<Context*>(context);
  switch (e->kind) {
    case ExprKind::variable: c.names->variable(nodes::as<nodes::Variable>(e), c, out); return true;
    case ExprKind::parameter: c.names->parameter(nodes::as<nodes::Parameter>(e), c, out); return true;
    case ExprKind::sub_plan: {
      const auto* s = nodes::as<nodes::SubPlan>(e);
      out += fmt::format("({}{})", s->use_hash ? "hashed " : "", s->name);
      return true;
    }
    default: return false;
  }
}

void ExplainNames::column(int rte, AttrNumber column, const Context& c, std::string& out) const {
  const std::string& alias = entry_name(rte);
  const RangeEntry* entry =
      rte >= 1 && rte <= static_cast<int>(statement_.range_table.size()) ? &statement_.range_table[static_cast<std::size_t>(rte - 1)] : nullptr;
  std::string text;
  if (column < 0) {
    static constexpr std::string_view kSystem[] = {"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"};
    if (column >= -6) text = kSystem[-column - 1];
  } else if (column > 0 && partition_ != nullptr && partition_->rte_ == rte) {
    const TupleDescriptor& d = *partition_->table_->descriptor;
    text = column <= d.count() ? std::string(d[column - 1].name) : "?column?";
  } else if (column > 0) {
    const nodes::RangeTableEntry* source = entry != nullptr ? entry->source : nullptr;
    auto i = static_cast<std::size_t>(column - 1);
    text = source != nullptr && i < source->column_names.size() && !source->column_names[i].empty() ? std::string(source->column_names[i]) : "?column?";
  }
  if ((c.prefix || text.empty()) && !alias.empty()) out += catalog::quote_identifier(alias) + ".";
  out += text.empty() ? "*" : catalog::quote_identifier(text);
}

namespace {

const Plan* outer_input(const Plan* p) {
  if (p->left != nullptr) return p->left;
  std::vector<const Plan*> below = plan_children(p);
  return below.empty() ? nullptr : below[0];
}

}  // namespace

void ExplainNames::variable(const nodes::Variable* v, const Context& c, std::string& out) const {
  if (v->rte > 0) return column(v->rte, v->column, c, out);
  if (v->rte != nodes::kOuterVar && v->rte != nodes::kInnerVar) return column(v->source_rte, v->source_column, c, out);
  const Plan* input = v->rte == nodes::kInnerVar ? c.frame->plan->right : outer_input(c.frame->plan);
  if (input == nullptr || v->column < 1 || v->column > static_cast<int>(input->targets.size())) return column(v->source_rte, v->source_column, c, out);
  const Expr* below = input->targets[static_cast<std::size_t>(v->column - 1)]->expr;
  PlanFrame frame{input, c.frame, nullptr};
  bool plain = below->kind == ExprKind::variable;
  std::string text = expression(below, frame, c.prefix);
  out += plain ? text : "(" + text + ")";
}

// A parameter stands for what a nested loop's outer row or a subplan's caller puts in; else it is the result of an init plan.
void ExplainNames::parameter(const nodes::Parameter* p, const Context& c, std::string& out) const {
  if (p->source == nodes::Parameter::Source::exec) {
    for (const PlanFrame* f = c.frame; f != nullptr && f->above != nullptr; f = f->above) {
      const Expr* value = nullptr;
      bool in_place = false;   // printed as where it was written
      if (f->link != nullptr) {
        for (std::size_t i = 0; i < f->link->param_slots.size(); ++i) if (f->link->param_slots[i] == p->number) value = f->link->args[i];
      } else if (f->above->plan->kind == PlanKind::nest_loop && f->plan == f->above->plan->right) {
        for (const NestLoopParam* n : static_cast<const NestLoop*>(f->above->plan)->params) if (n->slot == p->number) value = n->value;
        in_place = value != nullptr;
      }
      if (value == nullptr) continue;
      std::string text = expression(value, *f->above, true);
      // What an input made is in parentheses of its own, which the expression has as well.
      if (in_place && value->kind == ExprKind::variable && text.starts_with("((") && text.ends_with("))")) text = text.substr(1, text.size() - 2);
      bool plain = value->kind == ExprKind::variable || value->kind == ExprKind::aggregate || value->kind == ExprKind::parameter || in_place;
      out += plain ? text : "(" + text + ")";
      return;
    }
  }
  out += fmt::format("${}", p->number);
}

}  // namespace hathi::planner
