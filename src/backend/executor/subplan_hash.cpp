#include "subplan_hash.h"

#include "hathi/catalog/lookup.h"

namespace hathi::executor {

using nodes::BooleanExpr;
using nodes::Expr;
using nodes::OpExpr;

// Rows are kept in two tables: those without NULLs, found by hashing; those with some, which can only make the answer unknown.
struct SubPlanHash {
  KeyColumns stored;                 // columns of the subquery, equality of their own type
  KeyColumns probe;                  // the left side against stored columns
  Row left;                          // left side values
  Program* left_values = nullptr;
  GroupTable* full = nullptr;
  GroupTable* partial = nullptr;
  std::uint64_t filled_at = 0;
};

namespace {

// left op Parameter, ANDed.
void collect_clauses(const Expr* test, List<const OpExpr*>& out, Arena& arena) {
  if (nodes::is<BooleanExpr>(test)) {
    for (const Expr* e : nodes::as<BooleanExpr>(test)->args) collect_clauses(e, out, arena);
    return;
  }
  if (!nodes::is<OpExpr>(test)) throw SqlError(sqlstate::internal_error, "unexpected clause in a hashed subplan");
  out.push_back(arena, nodes::as<OpExpr>(test));
}

// The equality operator of the right input's own type, from the hash family of the cross-type one.
Oid right_type_equality(Oid op) {
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (raw(m.method) != 405) continue;
    Oid same = catalog::family_operator(m.family, m.right, m.right, 1);
    if (is_valid(same)) return same;
  }
  throw SqlError(sqlstate::internal_error, "could not find compatible hash operator for operator {}", raw(op));
}

void fill(SubPlanState& s, EvalContext& context) {
  SubPlanHash& h = *s.hash;
  h.full->clear();
  h.partial->clear();
  NodeState& root = *s.statement->subplan_root(s.link->plan);
  rescan(root);
  Arena scratch;
  while (Row* row = fetch(root)) {
    check_interrupts();
    scratch.reset();
    row->need(h.stored.highest);
    bool has_null = false;
    for (int i = 0; i < h.stored.highest; ++i) has_null = has_null || row->nulls[i];
    bool is_new;
    (has_null ? h.partial : h.full)->find_or_add(*row, hash_keys(h.stored, *row, scratch), scratch, is_new);
  }
  h.filled_at = s.statement->clock;
}

// Could the stored row equal the left side if its NULLs (and ours) were known?
bool might_equal(SubPlanHash& h, GroupTable& table, GroupTable::Entry* e, Arena& scratch) {
  const Datum* values = table.values(e);
  const bool* nulls = table.nulls(e);
  for (std::size_t i = 0; i < h.probe.columns.size(); ++i) {
    if (h.left.nulls[i] || nulls[i]) continue;
    if (!are_equal(h.probe.columns[i].equal, h.left.values[i], values[i], scratch)) return false;
  }
  return true;
}

bool any_might_equal(SubPlanHash& h, GroupTable& table, Arena& scratch) {
  for (GroupTable::Entry* e = table.first(); e != nullptr; e = e->next) {
    if (might_equal(h, table, e, scratch)) return true;
  }
  return false;
}

// A key is found by the hash of its own type, compared across types.
GroupTable::Entry* find_equal(SubPlanHash& h, Arena& scratch) { return h.full->find(h.probe, h.left, hash_keys(h.probe, h.left, scratch), scratch); }

}  // namespace

SubPlanHash* make_sub_plan_hash(SubPlanState& s, Arena& arena, const CompileOptions& options) {
  auto* h = static_cast<SubPlanHash*>(arena.allocate(sizeof(SubPlanHash), alignof(SubPlanHash)));
  new (h) SubPlanHash();
  List<const OpExpr*> clauses;
  collect_clauses(s.link->test, clauses, arena);
  std::size_t n = clauses.size();
  auto* columns = arena.make_array<AttrNumber>(n);
  auto* own_equal = arena.make_array<Oid>(n);
  auto* collations = arena.make_array<Oid>(n);
  auto* layouts = arena.make_array<TypeLayout>(n);
  List<Expr*> left;
  for (std::size_t i = 0; i < n; ++i) {
    const OpExpr& op = *clauses[i];
    columns[i] = static_cast<AttrNumber>(i + 1);
    own_equal[i] = right_type_equality(op.op);
    collations[i] = op.input_collation;
    layouts[i] = layout_of(nodes::type_of(op.args[1]));
    left.push_back(arena, op.args[0]);
  }
  h->stored = prepare_keys({columns, n}, {own_equal, n}, {collations, n}, {layouts, n}, true, arena);
  h->probe = prepare_keys({columns, n}, {own_equal, n}, {collations, n}, {layouts, n}, true, arena);
  for (std::size_t i = 0; i < n; ++i) {
    const OpExpr& op = *clauses[i];
    Oid left_hash, right_hash;
    hash_functions_of(op.op, left_hash, right_hash);
    h->probe.columns[i].equal = prepare_equal(op.function, op.input_collation);
    h->probe.columns[i].hash = prepare_hash(left_hash, op.input_collation);
  }
  make_row(h->left, static_cast<int>(n), nullptr, arena);
  h->left_values = compile_list(left, h->left, *s.context, arena, options);
  return h;
}

namespace {

void release(SubPlanHash& h) {
  h.full->clear();
  h.partial->clear();
  h.filled_at = 0;
}

void destroy(SubPlanHash& h) {
  delete h.full;
  delete h.partial;
}

void ensure_filled(SubPlanState& s, EvalContext& context) {
  SubPlanHash& h = *s.hash;
  const planner::Plan* plan = s.statement->statement.subplans[static_cast<std::size_t>(s.link->plan - 1)];
  if (h.full == nullptr) {
    h.full = new GroupTable(h.stored, 0);
    h.partial = new GroupTable(h.stored, 0);
    s.statement->keep(&h, [](void* p) { release(*static_cast<SubPlanHash*>(p)); }, [](void* p) { destroy(*static_cast<SubPlanHash*>(p)); });
    fill(s, context);
  } else if (s.statement->changed_since(plan->parameters, h.filled_at)) {
    fill(s, context);
  }
}

}  // namespace

NullableDatum probe_sub_plan_hash(SubPlanState& s, EvalContext& context) {
  SubPlanHash& h = *s.hash;
  ensure_filled(s, context);
  project(*h.left_values);
  Arena& scratch = *context.function.arena;
  if (h.full->size() == 0 && h.partial->size() == 0) return {Datum::of(false), false};
  bool left_null = false;
  for (int i = 0; i < h.left.count; ++i) left_null = left_null || h.left.nulls[i];
  if (!left_null) {
    if (find_equal(h, scratch) != nullptr) return {Datum::of(true), false};
    if (s.link->unknown_equals_false || !any_might_equal(h, *h.partial, scratch)) return {Datum::of(false), false};
    return {};
  }
  if (s.link->unknown_equals_false) return {Datum::of(false), false};
  if (any_might_equal(h, *h.full, scratch) || any_might_equal(h, *h.partial, scratch)) return {};
  return {Datum::of(false), false};
}

}  // namespace hathi::executor
