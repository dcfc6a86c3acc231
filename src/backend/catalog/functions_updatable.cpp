// Which relations and columns INSERT, UPDATE and DELETE can change (information_schema asks), and which can be published (psql asks).

#include "hathi/base/stack.h"
#include "hathi/catalog/relation.h"
#include "src/backend/catalog/functions.h"

namespace hathi::catalog {

namespace {

using namespace nodes;

// 1 << CommandKind numbers of PostgreSQL: update 2, insert 3, delete 4.
constexpr std::int32_t kUpdate = 1 << 2, kInsert = 1 << 3, kDelete = 1 << 4, kAll = kUpdate | kInsert | kDelete;

// The one relation below a view through which changes pass, null when the view is not that simple.
const RangeTableEntry* simple_base(const Query& q) {
  bool plain = q.command == CommandKind::select && q.set_operations == nullptr && q.ctes.empty() && q.distinct.empty() && q.group_by.empty() &&
               q.grouping_sets.empty() && q.having == nullptr && q.limit == nullptr && q.offset == nullptr && !q.has_aggregates && !q.has_windows &&
               !q.has_target_srfs;
  if (!plain || q.from == nullptr || q.from->items.size() != 1 || q.from->items[0]->kind != JoinNodeKind::reference) return nullptr;
  int rte = static_cast<const RangeReference*>(q.from->items[0])->rte;
  const RangeTableEntry& base = *q.range_table[static_cast<std::size_t>(rte - 1)];
  bool usable = base.kind == RteKind::relation && base.sample == nullptr &&
                (base.relation_kind == 'r' || base.relation_kind == 'p' || base.relation_kind == 'v' || base.relation_kind == 'f');
  return usable ? &base : nullptr;
}

// The base column that an output column of a simple view stands for, 0 = none.
AttrNumber base_column(const Query& q, AttrNumber column) {
  for (const TargetEntry* t : q.targets) {
    if (t->junk || t->number != column || !is<Variable>(t->expr)) continue;
    const auto* v = as<Variable>(t->expr);
    return v->levels_up == 0 && v->column > 0 ? v->column : 0;
  }
  return 0;
}

// Events that change the relation; column 0: any, else UPDATE only counts when that column can be changed.
std::int32_t events(Oid relation, AttrNumber column) {
  check_stack_depth();
  RelationRef r = try_open_relation(relation, locking::LockMode::access_share);
  if (!r) return 0;
  if (r->kind == relation_kind::table || r->kind == relation_kind::partitioned_table) return kAll;
  if (r->kind != relation_kind::view || r->view_query == nullptr) return 0;
  const RangeTableEntry* base = simple_base(*r->view_query);
  if (base == nullptr) return 0;
  if (column != 0) {
    AttrNumber inner = base_column(*r->view_query, column);
    return inner == 0 ? 0 : events(base->relation, inner);
  }
  bool any_column = false;
  for (const TargetEntry* t : r->view_query->targets) any_column = any_column || (!t->junk && base_column(*r->view_query, t->number) != 0);
  std::int32_t below = events(base->relation, 0);
  return any_column ? below : below & kDelete;
}

Datum relation_is_updatable(FunctionCall& call) { return Datum::of(events(call.arg(0).as_oid(), 0)); }

Datum column_is_updatable(FunctionCall& call) {
  AttrNumber column = call.arg(1).as_int16();
  if (column <= 0) return Datum::of(false);
  // Both UPDATE and DELETE, as the standard has it.
  return Datum::of((events(call.arg(0).as_oid(), column) & (kUpdate | kDelete)) == (kUpdate | kDelete));
}

// Could a publication contain it? Durable tables of users can.
Datum relation_is_publishable(FunctionCall& call) {
  RelationRef r = try_open_relation(call.arg(0).as_oid(), locking::LockMode::none);
  if (!r) return call.null();
  bool is_table = r->kind == relation_kind::table || r->kind == relation_kind::partitioned_table;
  return Datum::of(is_table && r->persistence == 'p' && r->oid >= kFirstNormalOid);
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{3842}, relation_is_updatable}, {Oid{3843}, column_is_updatable}, {Oid{6121}, relation_is_publishable}};

}  // namespace

std::span<const BuiltinFunction> updatable_functions() { return kFunctions; }

}  // namespace hathi::catalog
