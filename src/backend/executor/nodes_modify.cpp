// ModifyTable: INSERT, UPDATE, DELETE.

#include "hathi/catalog/lookup.h"
#include "modify.h"
#include "row_values.h"

namespace hathi::executor {

using nodes::CommandKind;

ConstraintEvents& ModifyState::events() {
  if (statement->constraint_events == nullptr) statement->constraint_events = std::make_unique<ConstraintEvents>();
  return *statement->constraint_events;
}

namespace {

std::unique_ptr<ModifyTarget> make_target(ModifyState& s, Oid table) {
  bool is_named = table == s.named->oid;
  auto t = std::make_unique<ModifyTarget>();
  t->run = s.statement->run_number;
  catalog::RelationRef ref = catalog::open_relation(table, is_named ? locking::LockMode::none : locking::LockMode::row_exclusive);
  t->table = std::make_unique<TargetTable>(std::move(ref), s.statement, t->memory);
  t->table->make_new_row(t->new_row);
  t->table->make_new_row(t->old_row);
  if (is_named) return t;
  t->from_parent = map_columns(*s.named->descriptor, t->table->descriptor(), t->memory);
  t->to_parent = map_columns(t->table->descriptor(), *s.named->descriptor, t->memory);
  if (!t->to_parent.empty()) make_row(t->parent_row, s.named->descriptor->count(), s.named->descriptor, t->memory);
  return t;
}

void drop_oldest_target(ModifyState& s) {
  auto oldest = s.targets.end();
  for (auto i = s.targets.begin(); i != s.targets.end(); ++i) {
    if (i->get() == s.named_target || i->get() == s.last_target) continue;
    if (oldest == s.targets.end() || (*i)->last_used < (*oldest)->last_used) oldest = i;
  }
  if (oldest != s.targets.end()) s.targets.erase(oldest);
}

}  // namespace

ModifyTarget& target_of(ModifyState& s, Oid table) {
  if (table == s.named->oid && s.named_target != nullptr) return *s.named_target;
  if (s.last_target != nullptr && s.last_target->table->relation().oid == table && s.last_target->run == s.statement->run_number) return *s.last_target;
  for (auto& t : s.targets) {
    if (t->table->relation().oid != table) continue;
    if (t->run != s.statement->run_number) {
      catalog::lock_relation(table, locking::LockMode::row_exclusive);
      t->run = s.statement->run_number;
      if (!catalog::is_current_version(table, t->table->relation().version)) {
        if (s.last_target == t.get()) s.last_target = nullptr;
        t = make_target(s, table);
      }
    }
    t->last_used = ++s.clock;
    s.last_target = t.get();
    return *t;
  }
  if (s.targets.size() >= kMostTargets) drop_oldest_target(s);
  s.targets.push_back(make_target(s, table));
  ModifyTarget& t = *s.targets.back();
  t.last_used = ++s.clock;
  if (table == s.named->oid) s.named_target = &t;
  s.last_target = &t;
  return t;
}

ModifyTarget& route_to_target(ModifyState& s, Row& row) {
  if (s.router == nullptr) s.router = std::make_unique<PartitionRouter>(*s.named);
  return target_of(s, s.router->route(row.values, row.nulls));
}

Row* as_parent_row(ModifyState& s, ModifyTarget& t, Row& row) {
  if (t.to_parent.empty()) return &row;
  map_row(t.to_parent, row, t.parent_row);
  return &t.parent_row;
}

Row* returning_row(ModifyState& s, ModifyTarget& t, Row& row) {
  row.need_all();
  s.eval.scan = as_parent_row(s, t, row);
  s.eval.outer = s.input;
  return project(*s.projection);
}

void check_options(ModifyState& s, ModifyTarget& t, Row& row) {
  if (s.checks.empty()) return;
  s.eval.scan = as_parent_row(s, t, row);
  s.eval.outer = s.input;
  for (const ModifyState::Check& c : s.checks) {
    if (passes(c.condition)) continue;
    SqlError error(sqlstate::with_check_option_violation, "new row violates check option for view \"{}\"", c.check->relation);
    std::string text = t.table->describe_row(row);
    if (!text.empty()) error.detail(fmt::format("Failing row contains {}.", text));
    throw error;
  }
}

void tell_inserted(ModifyState& s, ModifyTarget& t, Row& row, TupleId tid) {
  const catalog::Relation& relation = t.table->relation();
  if (!relation.foreign_keys.empty()) s.events().row_inserted(relation, row.values, row.nulls, tid);
}

void tell_updated(ModifyState& s, ModifyTarget& old_target, Row& old_row, ModifyTarget& t, Row& row, TupleId old_tid, TupleId tid) {
  const catalog::Relation& relation = t.table->relation();
  if (&old_target != &t) {   // moved to another partition
    const catalog::Relation& old_relation = old_target.table->relation();
    if (!old_relation.referenced_by.empty()) s.events().row_moved(*s.named, old_relation, old_row.values, old_row.nulls, old_tid, relation, tid);
    return tell_inserted(s, t, row, tid);
  }
  if (has_foreign_keys(relation)) s.events().row_updated(relation, old_row.values, old_row.nulls, row.values, row.nulls, old_tid, tid);
}

void tell_deleted(ModifyState& s, ModifyTarget& t, Row& row, TupleId tid) {
  const catalog::Relation& relation = t.table->relation();
  if (!relation.referenced_by.empty()) s.events().row_deleted(relation, row.values, row.nulls, tid);
}

namespace {

Row* run_modify(NodeState& node) {
  auto& s = self<ModifyState>(node);
  if (s.done) return nullptr;
  bool is_root = node.plan == s.statement->statement.plan;
  for (;;) {
    check_interrupts();
    Row* input = fetch(*s.left);
    if (input == nullptr) break;
    s.row_arena.reset();
    s.row_memory.reset();
    s.input = input;
    std::uint64_t before = s.inserted_rows;
    ++s.input_rows;
    Row* row = nullptr;
    switch (s.modify->operation) {
      case CommandKind::insert: row = insert_row(s, *input); break;
      case CommandKind::update: row = update_row(s, *input); break;
      case CommandKind::remove: row = delete_row(s, *input); break;
      default: throw_not_supported("MERGE");
    }
    if (is_root) s.statement->processed += s.inserted_rows - before;
    if (row != nullptr) return row;
  }
  s.done = true;
  if (s.times != nullptr && s.modify->on_conflict != nullptr) {
    s.times->extra = fmt::format("Tuples Inserted: {}\nConflicting Tuples: {}", s.input_rows - s.conflicting_rows, s.conflicting_rows);
  }
  return nullptr;
}

// The values of the input row that are assigned: its columns that are not junk.
void find_input_columns(ModifyState& s) {
  Arena& arena = s.statement->arena;
  List<AttrNumber> columns;
  AttrNumber at = 0;
  for (const nodes::TargetEntry* t : s.plan->left->targets) {
    if (!t->junk) columns.push_back(arena, at);
    ++at;
  }
  s.input_columns = {columns.begin(), columns.size()};
}

void prepare_conflict(ModifyState& s) {
  const nodes::OnConflict* c = s.modify->on_conflict;
  if (c == nullptr || !c->do_update) return;
  Arena& arena = s.statement->arena;
  CompileOptions options;
  options.sources.inner_rte = c->excluded_rte;
  options.scan_descriptor = s.named->descriptor;
  List<nodes::Expr*> where;
  if (c->where != nullptr) where.push_back(arena, c->where);
  s.conflict_where = compile_filter(where, s.eval, arena, options);
  make_row(s.conflict_values, static_cast<int>(c->set.size()), nullptr, arena);
  s.conflict_set = compile_projection(c->set, s.conflict_values, s.eval, arena, options);
  auto* columns = arena.make_array<AttrNumber>(c->set.size());
  for (std::size_t i = 0; i < c->set.size(); ++i) {
    columns[i] = c->set[i]->number;
    for (AttrNumber key : s.named->heap.key_columns) {
      if (key == columns[i]) s.conflict_lock = heap::RowLockMode::update;
    }
  }
  s.conflict_columns = {columns, c->set.size()};
}

void init_modify(NodeState& node) {
  auto& s = self<ModifyState>(node);
  Arena& arena = s.statement->arena;
  s.modify = &plan_of<planner::ModifyTable>(s);
  s.named = &s.statement->relation(s.modify->rte);
  s.left = make_child(s, s.plan->left);
  s.has_returning = !s.modify->returning.empty();
  find_input_columns(s);
  make_row(s.routed, s.named->descriptor->count(), s.named->descriptor, arena);
  CompileOptions options;
  options.scan_descriptor = s.named->descriptor;
  if (s.has_returning) {
    make_row(s.output, static_cast<int>(s.modify->returning.size()), nullptr, arena);
    s.projection = compile_projection(s.modify->returning, s.output, s.eval, arena, options);
  }
  List<ModifyState::Check> checks;
  for (const nodes::WithCheck* c : s.modify->with_checks) {
    List<nodes::Expr*> condition;
    if (c->condition != nullptr) condition.push_back(arena, c->condition);
    checks.push_back(arena, {c, compile_filter(condition, s.eval, arena, options)});
  }
  s.checks = {checks.begin(), checks.size()};
  prepare_conflict(s);
}

void rescan_modify(NodeState&) { throw SqlError(sqlstate::internal_error, "ExecReScanModifyTable is not implemented"); }

void close_modify(NodeState& node) {
  auto& s = self<ModifyState>(node);
  s.done = false;
  s.inserted_rows = s.conflicting_rows = s.input_rows = 0;
  s.recheck.reset();
  s.row_memory.reset();
  for (auto& target : s.targets) {
    target->pin.release();
    target->table->end_row();
  }
  constexpr std::size_t kKeptTargets = 8;
  s.last_target = nullptr;
  while (s.targets.size() > kKeptTargets) drop_oldest_target(s);
  if (s.router != nullptr) s.router->begin_run();
}

}  // namespace

NodeState* make_modify_table(StatementState& st, const planner::Plan* p) {
  return make_state<ModifyState>(st, p, init_modify, run_modify, rescan_modify, close_modify);
}

}  // namespace hathi::executor
