// Which relations an open run holds: DDL of the same session asks before it changes them.

#include "relations_in_use.h"

#include "scan_partitions.h"

namespace hathi::executor {

namespace {

namespace kind = catalog::relation_kind;
using planner::Plan;
using planner::PlanKind;

bool reads_by(const Plan* p, Oid index) {
  if (p == nullptr) return false;
  auto any = [&](const List<Plan*>& list) {
    for (const Plan* c : list) if (reads_by(c, index)) return true;
    return false;
  };
  switch (p->kind) {
    case PlanKind::partitioned_scan: return false;   // its partitions are looked at one by one
    case PlanKind::index_scan:
    case PlanKind::index_only_scan: return static_cast<const planner::IndexScan*>(p)->index == index;
    case PlanKind::bitmap_index_scan: return static_cast<const planner::BitmapIndexScan*>(p)->index == index;
    case PlanKind::append: return any(static_cast<const planner::Append*>(p)->inputs);
    case PlanKind::merge_append: return any(static_cast<const planner::MergeAppend*>(p)->inputs);
    case PlanKind::bitmap_and: return any(static_cast<const planner::BitmapAnd*>(p)->inputs);
    case PlanKind::bitmap_or: return any(static_cast<const planner::BitmapOr*>(p)->inputs);
    case PlanKind::subquery_scan: return reads_by(static_cast<const planner::SubqueryScan*>(p)->subplan, index);
    default: return reads_by(p->left, index) || reads_by(p->right, index);
  }
}

bool is_below(const catalog::Relation& relation, Oid ancestor) {
  if (relation.oid == ancestor) return true;
  if (!relation.is_partition || !is_valid(relation.parent)) return false;
  catalog::RelationRef parent = catalog::try_open_relation(relation.parent, locking::LockMode::none);
  return parent && is_below(*parent, ancestor);
}

// table: the relation itself or the index's table; index: 0 for a table.
bool scan_holds(StatementState& s, const planner::PartitionedScan& scan, const catalog::Relation& table, Oid index) {
  ScanPartitions& partitions = s.scan_partitions(scan);
  if (table.kind == kind::partitioned_table) {
    return !is_valid(index) && partitions.prunes_after_planning() &&
           is_below(table, s.statement.range_table[static_cast<std::size_t>(scan.rte - 1)].relation);
  }
  if (!partitions.covers(table.oid)) return false;
  if (!is_valid(index)) return true;
  Arena arena(4096);
  return reads_by(planner::plan_partition(scan, s.statement, table.oid, arena), index);
}

}  // namespace

bool holds_relation(StatementState& s, Oid relation) {
  catalog::RelationRef r = catalog::try_open_relation(relation, locking::LockMode::none), table;
  if (!r) return false;
  Oid index = r->index != nullptr ? relation : kInvalidOid;
  if (is_valid(index)) {
    table = catalog::try_open_relation(r->index->table, locking::LockMode::none);
    if (!table) return false;
    if (reads_by(s.statement.plan, index)) return true;
    for (const Plan* p : s.statement.subplans) if (reads_by(p, index)) return true;
  }
  const catalog::Relation& looked_for = table ? *table : *r;
  for (const planner::PartitionedScan* scan : s.statement.partitioned_scans) if (scan_holds(s, *scan, looked_for, index)) return true;
  if (is_valid(index) || r->kind == kind::partitioned_table || r->kind == kind::view) return false;
  for (const planner::RangeEntry& entry : s.statement.range_table) if (entry.relation == relation) return true;
  return false;
}

}  // namespace hathi::executor
