// EXPLAIN of partitioned tables: an Append (or Merge Append) over what is read, one partition alone, or nothing.

#include "explainer.h"

#include <algorithm>

#include "hathi/catalog/quote.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"

namespace hathi::planner {

void Explainer::name_partitions() {
  if (execution_ == nullptr) return;
  for (const PartitionedScan* scan : statement_.partitioned_scans) {
    ScanShown s;
    s.shown = execution_->partitions(*scan);
    std::string table = std::string(statement_.range_table[static_cast<std::size_t>(scan->rte - 1)].name);
    // One partition alone stands in the table's place, unless the table is shown as what is written to.
    if (!s.shown.planned.empty()) names_.note_partitions();
    bool alone = s.shown.planned.size() == 1 && !scan->for_modify;
    // (Those that are gone when execution starts get no name; what is written to has its names before.)
    auto is_left = [&](Oid leaf) {
      return std::any_of(s.shown.partitions.begin(), s.shown.partitions.end(), [&](const auto& p) { return p.table == leaf; });
    };
    for (Oid leaf : s.shown.planned) {
      if (!scan->for_modify && !is_left(leaf)) continue;
      s.aliases[raw(leaf)] = alone ? names_.entry_name(scan->rte) : names_.new_name(table);
    }
    scans_.push_back(std::move(s));
  }
}

void Explainer::partitioned_scan(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name) {
  const auto& scan = *static_cast<const PartitionedScan*>(frame.plan);
  if (execution_ == nullptr) return;
  const ScanShown& s = scans_[static_cast<std::size_t>(scan.number)];
  if (s.shown.planned.empty()) return nothing(frame, relationship, subplan_name);
  if (s.shown.planned.size() == 1) return partition(frame, 0, relationship, subplan_name);
  PlanFrame above = frame;
  above.part = s.shown.merged ? PlanFrame::Part::merge_append : PlanFrame::Part::append;
  node(above, relationship, subplan_name);
}

void Explainer::partition(const PlanFrame& frame, std::size_t nth, std::string_view relationship, std::string_view subplan_name) {
  const auto& scan = *static_cast<const PartitionedScan*>(frame.plan);
  const ScanShown& s = scans_[static_cast<std::size_t>(scan.number)];
  const executor::PartitionsShown::Partition& p = s.shown.partitions[nth];
  ExplainNames::Partition as(names_, scan.rte, p.table, s.aliases.at(raw(p.table)));
  node(PlanFrame{p.plan, &frame, nullptr}, relationship, subplan_name);
}

void Explainer::removed_partitions(const PartitionedScan& scan) {
  const executor::PartitionsShown& shown = scans_[static_cast<std::size_t>(scan.number)].shown;
  std::size_t removed = shown.planned.size() - shown.partitions.size();
  if (removed > 0) w_.number("Subplans Removed", std::to_string(removed));
}

// All partitions are pruned.
void Explainer::nothing(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name) {
  Result result{};
  result.kind = PlanKind::result;
  result.id = -1;
  result.width = frame.plan->width;
  result.targets = frame.plan->targets;
  auto* no = nodes::make<nodes::Constant>(arena_);
  no->type = type_oid::bool_;
  no->layout = {1, true, 'c'};
  no->value = Datum::of(false);
  result.constant_filter = no;
  node(PlanFrame{&result, frame.above, frame.link}, relationship, subplan_name);
}

// "Update on p1 p_1": the partitions that may be changed.
void Explainer::written_partitions(const ModifyTable& m) {
  const PartitionedScan* found = nullptr;
  for (const PartitionedScan* scan : statement_.partitioned_scans) if (scan->for_modify && scan->rte == m.rte) found = scan;
  if (found == nullptr || execution_ == nullptr) return;
  const ScanShown& s = scans_[static_cast<std::size_t>(found->number)];
  if (s.shown.planned.empty()) return;
  if (!w_.is_text()) w_.open_group("Target Tables", false);
  for (Oid leaf : s.shown.planned) {
    ExplainNames::Partition as(names_, found->rte, leaf, s.aliases.at(raw(leaf)));
    if (w_.is_text()) {
      w_.indent_text();
      w_.append(m.operation == nodes::CommandKind::update ? "Update" : "Delete");
      target_entry(&m, m.rte);
      w_.append("\n");
    } else {
      w_.open_group("", true);
      target_entry(&m, m.rte);
      w_.close_group("", true);
    }
  }
  if (!w_.is_text()) w_.close_group("Target Tables", false);
}

}  // namespace hathi::planner
