// EXPLAIN: conditions, keys and counters of each kind of node.

#include "explainer.h"

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"

namespace hathi::planner {

using executor::NodeTimes;

void Explainer::output(const PlanFrame& frame) {
  const Plan* p = frame.plan;
  switch (p->kind) {
    case PlanKind::append: case PlanKind::merge_append: case PlanKind::recursive_union: case PlanKind::partitioned_scan: case PlanKind::bitmap_index_scan:
    case PlanKind::bitmap_and: case PlanKind::bitmap_or: return;
    default: break;
  }
  if (p->targets.empty()) return;
  std::vector<std::string> items;
  for (const TargetEntry* t : p->targets) items.push_back(names_.expression(t->expr, frame, names_.many_entries()));
  w_.list("Output", items);
}

// any: the conditions are alternatives.
void Explainer::qualifiers(const List<Expr*>& list, std::string_view label, const PlanFrame& frame, bool prefix, bool any) {
  if (list.empty()) return;
  const Expr* e = list[0];
  if (list.size() > 1) {
    auto* all = nodes::make<nodes::BooleanExpr>(arena_);
    all->op = any ? nodes::BooleanExpr::Op::or_op : nodes::BooleanExpr::Op::and_op;
    for (Expr* one : list) {
      // Conditions that are ANDs themselves are one list with the others.
      bool same = one->kind == nodes::ExprKind::boolean && nodes::as<nodes::BooleanExpr>(one)->op == all->op;
      if (same) all->args.append(arena_, nodes::as<nodes::BooleanExpr>(one)->args);
      else all->args.push_back(arena_, one);
    }
    e = all;
  }
  w_.property(label, names_.expression(e, frame, prefix));
}

void Explainer::scan_qualifiers(const List<Expr*>& list, std::string_view label, const PlanFrame& frame) {
  qualifiers(list, label, frame, options_.verbose || frame.plan->kind == PlanKind::subquery_scan);
}

void Explainer::upper_qualifiers(const List<Expr*>& list, std::string_view label, const PlanFrame& frame) {
  qualifiers(list, label, frame, options_.verbose || names_.many_entries());
}

void Explainer::removed(std::string_view label, std::uint64_t count, const NodeTimes* times) {
  if (!options_.analyze) return;
  double loops = times == nullptr ? 0 : static_cast<double>(times->loops);
  if (w_.is_text() && (count == 0 || loops == 0)) return;
  w_.number(label, loops == 0 ? 0 : static_cast<double>(count) / loops, 0);
}

void Explainer::filter(const PlanFrame& frame, const NodeTimes* times, bool scan) {
  if (frame.plan->filter.empty()) return;
  if (scan) scan_qualifiers(frame.plan->filter, "Filter", frame);
  else upper_qualifiers(frame.plan->filter, "Filter", frame);
  removed("Rows Removed by Filter", times == nullptr ? 0 : times->filtered, times);
}

void Explainer::index_conditions(const List<IndexCondition*>& conditions, const PlanFrame& frame) {
  List<Expr*> list;
  for (const IndexCondition* c : conditions) list.push_back(arena_, c->original);
  scan_qualifiers(list, "Index Cond", frame);
}

// The node's counters: "label: value" pairs, two spaces between them, as the executor leaves them.
void Explainer::extra(const Plan* p, const NodeTimes* times) {
  if (times == nullptr || times->extra.empty()) return;
  std::string_view text = times->extra;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (w_.is_text()) {
      w_.line(line);
      continue;
    }
    std::string_view rest = line;
    while (!rest.empty()) {
      std::size_t gap = rest.find("  ");
      std::string_view pair = rest.substr(0, gap);
      rest = gap == std::string_view::npos ? std::string_view() : rest.substr(gap + 2);
      std::size_t colon = pair.find(": ");
      if (colon == std::string_view::npos) continue;
      std::string_view label = pair.substr(0, colon), value = pair.substr(colon + 2);
      if (p->kind == PlanKind::sort && label != "Sort Method") {   // Memory or Disk
        w_.number("Sort Space Used", value.substr(0, value.size() - 2));
        w_.property("Sort Space Type", label);
        continue;
      }
      bool kilobytes = value.ends_with("kB");
      if (kilobytes) value.remove_suffix(2);
      std::string name(label);
      if (label == "Memory Usage") name = "Peak Memory Usage";
      if (p->kind == PlanKind::hash && label == "Buckets") name = "Hash Buckets";
      if (p->kind == PlanKind::hash && label == "Batches") name = "Hash Batches";
      if (p->kind == PlanKind::aggregate && label == "Batches") name = "HashAgg Batches";
      if (p->kind == PlanKind::memoize) name = label.starts_with("Memory") ? "Peak Memory Usage" : "Cache " + name;
      bool digits = value.find_first_not_of("0123456789") == std::string_view::npos;
      if (digits) w_.number(name, value);
      else w_.property(name, value);
    }
  }
}

void Explainer::scan_details(const PlanFrame& frame, const NodeTimes* times) {
  const Plan* p = frame.plan;
  switch (p->kind) {
    case PlanKind::index_scan: case PlanKind::index_only_scan:
      index_conditions(static_cast<const IndexScan*>(p)->conditions, frame);
      break;
    case PlanKind::bitmap_index_scan: index_conditions(static_cast<const BitmapIndexScan*>(p)->conditions, frame); return;
    case PlanKind::bitmap_heap_scan: scan_qualifiers(static_cast<const BitmapHeapScan*>(p)->recheck, "Recheck Cond", frame); break;
    case PlanKind::tid_scan: {
      const auto* t = static_cast<const TidScan*>(p);
      bool prefix = options_.verbose;
      if (!t->tids.empty()) qualifiers(t->tids, "TID Cond", frame, prefix, true);
      else qualifiers(t->range, "TID Cond", frame, prefix);
      break;
    }
    case PlanKind::sample_scan: {
      const nodes::TableSample* s = static_cast<const SampleScan*>(p)->sample;
      std::vector<std::string> arguments;
      std::string text;
      for (const Expr* e : s->args) {
        arguments.push_back(names_.expression(e, frame, names_.many_entries()));
        text += (text.empty() ? "" : ", ") + arguments.back();
      }
      std::string repeatable = s->repeatable == nullptr ? "" : names_.expression(s->repeatable, frame, names_.many_entries());
      if (w_.is_text()) {
        w_.line(fmt::format("Sampling: {} ({}){}", s->method, text, repeatable.empty() ? "" : " REPEATABLE (" + repeatable + ")"));
      } else {
        w_.property("Sampling Method", s->method);
        w_.list("Sampling Parameters", arguments);
        if (!repeatable.empty()) w_.property("Repeatable Seed", repeatable);
      }
      break;
    }
    case PlanKind::function_scan:
      if (options_.verbose) {
        std::string text;
        for (const nodes::FunctionRte* f : static_cast<const FunctionScan*>(p)->functions)
          text += (text.empty() ? "" : ", ") + names_.expression(f->call, frame, true);
        w_.property("Function Call", text);
      }
      break;
    default: break;
  }
  filter(frame, times, true);
  bool never_read = options_.analyze && (times == nullptr || times->loops == 0);
  if (never_read && p->kind == PlanKind::index_only_scan) w_.number("Heap Fetches", "0");
  else extra(p, times);
}

void Explainer::join_details(const PlanFrame& frame, const NodeTimes* times) {
  const Plan* p = frame.plan;
  if (p->kind == PlanKind::merge_join) upper_qualifiers(static_cast<const MergeJoin*>(p)->originals, "Merge Cond", frame);
  if (p->kind == PlanKind::hash_join) upper_qualifiers(static_cast<const HashJoin*>(p)->clauses, "Hash Cond", frame);
  const auto& conditions = static_cast<const Join*>(p)->conditions;
  if (!conditions.empty()) {
    upper_qualifiers(conditions, "Join Filter", frame);
    removed("Rows Removed by Join Filter", times == nullptr ? 0 : times->join_filtered, times);
  }
  filter(frame, times, false);
  extra(p, times);
}

namespace {

// " COLLATE x DESC NULLS LAST": what differs from the plain order of the type.
std::string order_options(const Expr* e, Oid op, Oid collation, bool nulls_first) {
  std::string out;
  Oid type = nodes::type_of(e);
  const catalog::TypeInfo& info = catalog::type_info(type);
  if (is_valid(collation) && collation != info.collation && collation != nodes::collation_of(e)) {
    const catalog::CollationInfo* c = catalog::find_collation(collation);
    if (c != nullptr) out += " COLLATE " + catalog::quote_identifier(c->name);
  } else if (is_valid(collation) && collation != info.collation) {
    const catalog::CollationInfo* c = catalog::find_collation(collation);
    if (c != nullptr) out += " COLLATE " + catalog::quote_identifier(c->name);
  }
  bool reverse = false, known = false;
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.strategy == 1 || m.strategy == 5) {
      reverse = m.strategy == 5;
      known = true;
      break;
    }
  }
  if (reverse) out += " DESC";
  else if (!known) {
    const catalog::OperatorInfo* o = catalog::find_operator(op);
    if (o != nullptr) out += fmt::format(" USING {}", o->name);
  }
  if (nulls_first && !reverse) out += " NULLS FIRST";
  if (!nulls_first && reverse) out += " NULLS LAST";
  return out;
}

}  // namespace

void Explainer::sort_keys(const PlanFrame& frame, std::string_view label, std::span<const AttrNumber> columns, std::span<const Oid> operators,
                          std::span<const Oid> collations, std::span<const bool> nulls_first, int count) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < columns.size() && static_cast<int>(i) < count; ++i) {
    auto column = static_cast<std::size_t>(columns[i] - 1);
    if (column >= frame.plan->targets.size()) continue;
    const Expr* e = frame.plan->targets[column]->expr;
    items.push_back(names_.expression(e, frame, options_.verbose || names_.many_entries(), true));
    if (!operators.empty()) items.back() += order_options(e, operators[i], i < collations.size() ? collations[i] : kInvalidOid, nulls_first[i]);
  }
  if (!items.empty()) w_.list(label, items);
}

// The keys are columns of the input, printed as the input makes them.
void Explainer::group_keys(const PlanFrame& frame) {
  const Plan* p = frame.plan;
  std::span<const AttrNumber> columns = p->kind == PlanKind::group ? std::span<const AttrNumber>(static_cast<const Group*>(p)->columns)
                                                                   : std::span<const AttrNumber>(static_cast<const Aggregate*>(p)->columns);
  if (p->left == nullptr) return;
  PlanFrame below{p->left, &frame, nullptr};
  if (p->kind == PlanKind::aggregate && !static_cast<const Aggregate*>(p)->grouping_sets.empty()) {
    const auto* a = static_cast<const Aggregate*>(p);
    w_.open_group("Grouping Sets", false);
    grouping_set_keys(below, *a, a->strategy == Aggregate::Strategy::hashed || a->strategy == Aggregate::Strategy::mixed ? "Hash Key" : "Group Key");
    for (const Aggregate* phase : a->chain) {
      grouping_set_keys(below, *phase, phase->strategy == Aggregate::Strategy::hashed ? "Hash Key" : "Group Key");
    }
    w_.close_group("Grouping Sets", false);
    return;
  }
  sort_keys(below, "Group Key", columns, {}, {}, {}, static_cast<int>(columns.size()));
}

void Explainer::grouping_set_keys(const PlanFrame& below, const Aggregate& a, std::string_view label) {
  std::string_view plural = label == "Hash Key" ? "Hash Keys" : "Group Keys";
  w_.open_group(options_.format == ExplainFormat::xml ? "Grouping Set" : "", true);
  if (!w_.is_text()) w_.open_group(plural, false);
  for (const List<int>& set : a.grouping_sets) {
    std::vector<std::string> items;
    for (int i : set) {
      auto column = static_cast<std::size_t>(a.columns[static_cast<std::size_t>(i)] - 1);
      items.push_back(names_.expression(below.plan->targets[column]->expr, below, options_.verbose || names_.many_entries(), true));
    }
    if (!items.empty()) w_.is_text() ? w_.list(label, items) : w_.nested_list(label, items);
    else if (w_.is_text()) w_.line("Group Key: ()");
    else w_.nested_list(plural, items);
  }
  if (!w_.is_text()) w_.close_group(plural, false);
  w_.close_group(options_.format == ExplainFormat::xml ? "Grouping Set" : "", true);
}

void Explainer::modify_details(const PlanFrame& frame, const NodeTimes* times) {
  const auto* m = static_cast<const ModifyTable*>(frame.plan);
  if (m->target_is_partitioned) written_partitions(*m);
  if (m->on_conflict == nullptr) return;
  w_.property("Conflict Resolution", m->on_conflict->do_update ? "UPDATE" : "NOTHING");
  std::vector<std::string> indexes;
  for (Oid oid : m->arbiter_indexes) indexes.emplace_back(catalog::open_relation(oid, locking::LockMode::none)->name);
  if (!indexes.empty()) w_.list("Conflict Arbiter Indexes", indexes);
  if (m->on_conflict->where != nullptr) {
    List<Expr*> where;
    where.push_back(arena_, m->on_conflict->where);
    upper_qualifiers(where, "Conflict Filter", frame);
    removed("Rows Removed by Conflict Filter", times == nullptr ? 0 : times->filtered, times);
  }
  extra(m, times);
}

void Explainer::details(const PlanFrame& frame, const NodeTimes* times) {
  const Plan* p = frame.plan;
  switch (p->kind) {
    case PlanKind::seq_scan: case PlanKind::sample_scan: case PlanKind::index_scan: case PlanKind::index_only_scan: case PlanKind::bitmap_index_scan:
    case PlanKind::bitmap_heap_scan: case PlanKind::tid_scan: case PlanKind::subquery_scan: case PlanKind::function_scan: case PlanKind::values_scan:
    case PlanKind::cte_scan: case PlanKind::work_table_scan: scan_details(frame, times); break;
    case PlanKind::nest_loop: case PlanKind::merge_join: case PlanKind::hash_join: join_details(frame, times); break;
    case PlanKind::modify_table: modify_details(frame, times); break;
    case PlanKind::sort: case PlanKind::incremental_sort: {
      const auto* s = static_cast<const Sort*>(p);
      sort_keys(frame, "Sort Key", s->keys.columns, s->keys.operators, s->keys.collations, s->keys.nulls_first, static_cast<int>(s->keys.columns.size()));
      if (p->kind == PlanKind::incremental_sort)
        sort_keys(frame, "Presorted Key", s->keys.columns, {}, {}, {}, static_cast<const IncrementalSort*>(p)->presorted);
      extra(p, times);
      break;
    }
    case PlanKind::partitioned_scan: {
      const auto* s = static_cast<const PartitionedScan*>(p);
      if (frame.part == PlanFrame::Part::merge_append) {
        sort_keys(frame, "Sort Key", s->order.columns, s->order.operators, s->order.collations, s->order.nulls_first,
                  static_cast<int>(s->order.columns.size()));
      }
      break;
    }
    case PlanKind::merge_append: {
      const auto* m = static_cast<const MergeAppend*>(p);
      sort_keys(frame, "Sort Key", m->columns, m->operators, m->collations, m->nulls_first, static_cast<int>(m->columns.size()));
      break;
    }
    case PlanKind::group: case PlanKind::aggregate:
      group_keys(frame);
      filter(frame, times, false);
      extra(p, times);
      break;
    case PlanKind::result: {
      const auto* r = static_cast<const Result*>(p);
      if (r->constant_filter != nullptr) {
        List<Expr*> once;
        once.push_back(arena_, r->constant_filter);
        upper_qualifiers(once, "One-Time Filter", frame);
      }
      filter(frame, times, false);
      break;
    }
    case PlanKind::memoize: {
      const auto* m = static_cast<const Memoize*>(p);
      std::string text;
      for (const Expr* e : m->keys) text += (text.empty() ? "" : ", ") + names_.expression(e, frame, true);
      w_.property("Cache Key", text);
      w_.property("Cache Mode", m->binary_mode ? "binary" : "logical");
      extra(p, times);
      break;
    }
    default:
      filter(frame, times, false);
      extra(p, times);
  }
}

}  // namespace hathi::planner
