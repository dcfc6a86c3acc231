#include "privileges.h"

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/transaction/transaction.h"

namespace hathi::executor {

using namespace nodes;

namespace {

bool may_use_columns(Oid relation, Oid role, std::uint32_t mask, const List<AttrNumber>& columns, int column_count) {
  if (columns.empty()) {   // no column is named (count(*)): any column will do
    for (int i = 1; i <= column_count; ++i) {
      if ((catalog::column_privileges(relation, static_cast<AttrNumber>(i), role, mask) & mask) != 0) return true;
    }
    return false;
  }
  for (AttrNumber c : columns) {
    if (c != 0) {
      if ((catalog::column_privileges(relation, c, role, mask) & mask) == 0) return false;
      continue;
    }
    for (int i = 1; i <= column_count; ++i) {   // the whole row
      if ((catalog::column_privileges(relation, static_cast<AttrNumber>(i), role, mask) & mask) == 0) return false;
    }
  }
  return true;
}

bool is_permitted(const planner::RangeEntry& entry, Oid role) {
  const RangeTableEntry& rte = *entry.source;
  std::uint32_t missing = rte.required & ~catalog::relation_privileges(entry.relation, role, rte.required);
  if (missing == 0) return true;
  if ((missing & ~(kAclSelect | kAclInsert | kAclUpdate)) != 0) return false;
  catalog::RelationRef relation = catalog::open_relation(entry.relation, locking::LockMode::none);
  int n = relation->descriptor == nullptr ? 0 : relation->descriptor->count();
  if ((missing & kAclSelect) != 0 && !may_use_columns(entry.relation, role, kAclSelect, rte.selected, n)) return false;
  if ((missing & kAclInsert) != 0 && !may_use_columns(entry.relation, role, kAclInsert, rte.inserted, n)) return false;
  if ((missing & kAclUpdate) != 0 && !may_use_columns(entry.relation, role, kAclUpdate, rte.updated, n)) return false;
  return true;
}

std::string_view kind_word(char kind) {
  switch (kind) {
    case catalog::relation_kind::view: return "view";
    case catalog::relation_kind::materialized_view: return "materialized view";
    case catalog::relation_kind::sequence: return "sequence";
    case catalog::relation_kind::foreign_table: return "foreign table";
    default: return "table";
  }
}

// The strongest row lock of the plan, as the command tag names it.
std::string_view locking_command(const planner::Plan* plan) {
  if (plan == nullptr) return "SELECT";
  if (plan->kind == planner::PlanKind::lock_rows) {
    auto& lock = *static_cast<const planner::LockRows*>(plan);
    for (const planner::RowMarkPlan* m : lock.marks) {
      if (!m->lock) continue;
      switch (m->mode) {
        case heap::RowLockMode::key_share: return "SELECT FOR KEY SHARE";
        case heap::RowLockMode::share: return "SELECT FOR SHARE";
        case heap::RowLockMode::no_key_update: return "SELECT FOR NO KEY UPDATE";
        case heap::RowLockMode::update: return "SELECT FOR UPDATE";
      }
    }
  }
  return locking_command(plan->left);
}

std::string_view command_name(const planner::PlannedStatement& statement) {
  switch (statement.command) {
    case CommandKind::insert: return "INSERT";
    case CommandKind::update: return "UPDATE";
    case CommandKind::remove: return "DELETE";
    case CommandKind::merge: return "MERGE";
    default: return locking_command(statement.plan);
  }
}

}  // namespace

void check_privileges(const planner::PlannedStatement& statement) {
  Oid current = catalog::current_role();
  for (const planner::RangeEntry& entry : statement.range_table) {
    if (entry.source == nullptr || entry.source->required == 0 || !is_valid(entry.relation)) continue;
    Oid role = is_valid(entry.source->check_as) ? entry.source->check_as : current;
    if (is_permitted(entry, role)) continue;
    catalog::RelationRef relation = catalog::open_relation(entry.relation, locking::LockMode::none);
    catalog::throw_permission_denied(kind_word(relation->kind), relation->name);
  }
}

void check_read_only(const planner::PlannedStatement& statement) {
  if (!transaction::is_read_only()) return;
  for (const planner::RangeEntry& entry : statement.range_table) {
    if (entry.source == nullptr || (entry.source->required & (kAclInsert | kAclUpdate | kAclDelete)) == 0) continue;
    catalog::RelationRef relation = catalog::open_relation(entry.relation, locking::LockMode::none);
    if (relation->persistence == 't') continue;
    transaction::require_writable(command_name(statement));
  }
}

}  // namespace hathi::executor
