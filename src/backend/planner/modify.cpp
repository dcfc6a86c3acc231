// INSERT, UPDATE, DELETE: what the input delivers, and the node that writes.

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::CommandKind;

TargetEntry* target_for_column(const List<TargetEntry*>& targets, AttrNumber column) {
  for (TargetEntry* t : targets) if (!t->junk && t->number == column) return t;
  return nullptr;
}

}  // namespace

// A whole row in the table's column order; columns not given are NULL (defaults were filled in by the analyzer).
void QueryPlanner::complete_insert_targets() {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(q_->result_rte - 1)];
  List<TargetEntry*> full;
  for (int i = 0; i < r.descriptor->count(); ++i) {
    const Attribute& a = (*r.descriptor)[i];
    auto number = static_cast<AttrNumber>(i + 1);
    TargetEntry* given = a.dropped ? nullptr : target_for_column(q_->targets, number);
    if (given != nullptr) {
      full.push_back(s_.arena, given);
      continue;
    }
    Expr* null = a.dropped ? make_null(s_.arena, type_oid::int4, -1, kInvalidOid) : make_null(s_.arena, a.type, a.typmod, a.collation);
    if (!a.dropped && catalog::type_info(a.type).kind == 'd') {
      auto* d = nodes::make<nodes::CoerceDomain>(s_.arena);
      d->arg = null;
      d->type = a.type;
      d->typmod = a.typmod;
      d->collation = a.collation;
      null = d;
    }
    full.push_back(s_.arena, make_target(s_.arena, null, number, a.name));
  }
  for (TargetEntry* t : q_->targets) {
    if (!t->junk) continue;
    t->number = static_cast<AttrNumber>(full.size() + 1);
    full.push_back(s_.arena, t);
  }
  q_->targets = full;
}

// New values first, in the order of update_columns_; then junk.
void QueryPlanner::complete_update_targets() {
  List<TargetEntry*> out;
  for (TargetEntry* t : q_->targets) {
    if (t->junk) continue;
    update_columns_.push_back(t->number);
    t->number = static_cast<AttrNumber>(out.size() + 1);
    out.push_back(s_.arena, t);
  }
  for (TargetEntry* t : q_->targets) {
    if (!t->junk) continue;
    t->number = static_cast<AttrNumber>(out.size() + 1);
    out.push_back(s_.arena, t);
  }
  q_->targets = out;
}

AttrNumber QueryPlanner::add_junk(Expr* e, std::string_view name) {
  auto number = static_cast<AttrNumber>(q_->targets.size() + 1);
  q_->targets.push_back(s_.arena, make_target(s_.arena, e, number, name, true));
  return number;
}

void QueryPlanner::prepare_modify_targets() {
  if (q_->command == CommandKind::insert) complete_insert_targets();
  if (q_->command == CommandKind::update) complete_update_targets();
  if (q_->command == CommandKind::remove) {
    List<TargetEntry*> junk;
    for (TargetEntry* t : q_->targets) if (t->junk) junk.push_back(s_.arena, t);
    q_->targets = junk;
    for (std::size_t i = 0; i < junk.size(); ++i) junk[i]->number = static_cast<AttrNumber>(i + 1);
  }
  if (q_->command == CommandKind::merge) throw_not_supported("MERGE");
  if (q_->command == CommandKind::update || q_->command == CommandKind::remove) {
    ctid_column_ = add_junk(make_variable(q_->result_rte, -1), "ctid");
    const catalog::Relation& r = *relations_[static_cast<std::size_t>(q_->result_rte - 1)];
    if (r.kind == catalog::relation_kind::partitioned_table) tableoid_column_ = add_junk(make_variable(q_->result_rte, -6), "tableoid");
    // RETURNING may read the other tables too.
    for (TargetEntry* t : q_->returning) add_returning_columns(t->expr);
  }
  add_row_mark_columns();
}

void QueryPlanner::add_returning_columns(Expr* e) {
  if (e == nullptr) return;
  if (e->kind == nodes::ExprKind::variable) {
    auto* v = nodes::as<nodes::Variable>(e);
    if (v->levels_up != 0 || v->rte == q_->result_rte) return;
    Expr* expanded = expand_join_variable(v);
    if (expanded != v) {
      add_returning_columns(expanded);
      return;
    }
    for (const TargetEntry* t : q_->targets) if (t->junk && nodes::equal(t->expr, v)) return;
    add_junk(s_.arena.make<nodes::Variable>(*v), "returning");
    return;
  }
  nodes::for_each_child(e, [this](Expr* c) { add_returning_columns(c); return false; });
}

// Rows to be locked bring their place along; in a data-modifying statement the other tables' rows are found again for re-checks.
void QueryPlanner::add_row_mark_columns() {
  auto add = [&](int rte, heap::RowLockMode mode, heap::WaitPolicy policy, bool lock) {
    const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
    auto* m = s_.arena.make<RowMarkPlan>();
    m->rte = rte + offset_;
    m->mode = mode;
    m->policy = policy;
    m->lock = lock && entry.kind == nodes::RteKind::relation;
    if (entry.kind == nodes::RteKind::relation) {
      m->ctid_column = add_junk(make_variable(rte, -1), s_.arena.copy(fmt::format("ctid{}", rte)));
      if (entry.relation_kind == catalog::relation_kind::partitioned_table) {
        m->tableoid_column = add_junk(make_variable(rte, -6), s_.arena.copy(fmt::format("tableoid{}", rte)));
      }
      marks_.push_back(m);
    }
  };
  for (const nodes::RowMark* mark : q_->row_marks) {
    if (mark->rte <= 0 || q_->range_table[static_cast<std::size_t>(mark->rte - 1)]->kind != nodes::RteKind::relation) continue;
    add(mark->rte, static_cast<heap::RowLockMode>(mark->strength), static_cast<heap::WaitPolicy>(mark->wait_policy), true);
  }
  bool rechecks = q_->command == CommandKind::update || q_->command == CommandKind::remove || !marks_.empty();
  if (!rechecks) return;
  for (int rte = 1; rte <= static_cast<int>(q_->range_table.size()); ++rte) {
    const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
    if (rte == q_->result_rte || entry.kind != nodes::RteKind::relation || !entry.in_from) continue;
    if (std::any_of(marks_.begin(), marks_.end(), [&](const RowMarkPlan* m) { return m->rte == rte + offset_; })) continue;
    add(rte, heap::RowLockMode::key_share, heap::WaitPolicy::block, false);
  }
}

namespace {

// The unique indexes that ON CONFLICT (columns) WHERE … means.
List<Oid> infer_arbiters(const nodes::OnConflict& on, const catalog::Relation& r, Arena& arena) {
  List<Oid> out;
  if (is_valid(on.constraint)) {
    for (const catalog::IndexDescriptor* i : r.indexes) if (i->constraint == on.constraint) out.push_back(arena, i->oid);
    return out;
  }
  if (on.arbiter_elements.empty()) return out;
  for (const catalog::IndexDescriptor* i : r.indexes) {
    if (!i->unique || !i->valid || i->key_count != static_cast<int>(on.arbiter_elements.size())) continue;
    if (!i->predicate.empty() && on.arbiter_where == nullptr) continue;
    bool all = true;
    for (const Expr* e : on.arbiter_elements) {
      bool found = false;
      std::size_t nth = 0;
      for (int k = 0; k < i->key_count; ++k) {
        AttrNumber column = i->columns[static_cast<std::size_t>(k)];
        if (column != 0) {
          found = found || (e->kind == nodes::ExprKind::variable && nodes::as<nodes::Variable>(e)->column == column);
        } else {
          Expr* stored = nodes::copy(i->expressions[nth++], arena);
          found = found || nodes::to_text(stored) == nodes::to_text(e) || nodes::equal(stored, e);
        }
      }
      all = all && found;
    }
    if (all) out.push_back(arena, i->oid);
  }
  if (out.empty()) {
    throw SqlError(sqlstate::invalid_column_reference, "there is no unique or exclusion constraint matching the ON CONFLICT specification");
  }
  return out;
}

}  // namespace

Plan* QueryPlanner::plan_modify(Plan* input) {
  auto* m = make_plan<ModifyTable>(s_.arena, PlanKind::modify_table);
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(q_->result_rte - 1)];
  m->left = input;
  m->operation = q_->command;
  m->rte = q_->result_rte;
  m->target_is_partitioned = r.kind == catalog::relation_kind::partitioned_table;
  m->ctid_column = ctid_column_;
  m->tableoid_column = tableoid_column_;
  for (AttrNumber c : update_columns_) m->update_columns.push_back(s_.arena, c);
  for (TargetEntry* t : q_->returning) m->returning.push_back(s_.arena, t);
  m->on_conflict = q_->on_conflict;
  if (m->on_conflict != nullptr) {
    m->arbiter_indexes = infer_arbiters(*m->on_conflict, r, s_.arena);
    if (m->on_conflict->do_update && m->arbiter_indexes.empty() && !is_valid(m->on_conflict->constraint)) {
      throw SqlError(sqlstate::syntax_error, "ON CONFLICT DO UPDATE requires inference specification or constraint name");
    }
  }
  m->with_checks = q_->with_checks;
  for (RowMarkPlan* mark : marks_) m->marks.push_back(s_.arena, mark);
  m->rows = q_->returning.empty() ? 0 : input->rows;
  m->width = width_of(m->returning);
  m->startup_cost = input->startup_cost;
  m->total_cost = input->total_cost;
  s_.result_rtes.push_back(offset_ + q_->result_rte);
  return m;
}

}  // namespace hathi::planner
