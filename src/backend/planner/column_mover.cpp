#include "column_mover.h"

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/partition/partition.h"

namespace hathi::planner {

using nodes::ExprKind;

ColumnMover::ColumnMover(const catalog::Relation& table, const catalog::Relation& partition, int from_rte, int to_rte, Arena& arena)
    : table_(table), map_(partition::column_map(table, partition, arena)), from_(from_rte), to_(to_rte), arena_(arena) {}

Expr* ColumnMover::move(Expr* e) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->rte == from_) return variable(nodes::as<nodes::Variable>(e));
  return nodes::map_each_child(e, [&](Expr* c) { return move(c); }, arena_);
}

Expr* ColumnMover::variable(const nodes::Variable* v) {
  auto* out = arena_.make<nodes::Variable>(*v);
  out->rte = to_;
  if (v->column > 0 && !map_.empty()) out->column = map_[static_cast<std::size_t>(v->column - 1)];
  if (v->column != 0 || map_.empty()) return out;
  // The whole row, in the table's layout.
  auto* row = nodes::make<nodes::RowExpr>(arena_);
  row->type = table_.row_type;
  for (int i = 0; i < table_.descriptor->count(); ++i) {
    const Attribute& a = (*table_.descriptor)[i];
    if (a.dropped) {
      row->args.push_back(arena_, make_null(arena_, type_oid::int4, -1, kInvalidOid));
      row->names.push_back(arena_, "");
      continue;
    }
    auto* column = arena_.make<nodes::Variable>(*v);
    column->rte = to_;
    column->column = map_[static_cast<std::size_t>(i)];
    column->type = a.type;
    column->typmod = a.typmod;
    column->collation = a.collation;
    row->args.push_back(arena_, column);
    row->names.push_back(arena_, a.name);
  }
  return row;
}

}  // namespace hathi::planner
