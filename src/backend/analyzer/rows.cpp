// What the columns of a row value are.

#include "state.h"

namespace hathi::analyzer {
namespace {

struct Columns {
  std::vector<std::string_view> names;
  std::vector<Oid> types;
  std::vector<std::int32_t> typmods;
  std::vector<Oid> collations;
  void add(std::string_view name, Oid type, std::int32_t typmod, Oid collation) {
    names.push_back(name);
    types.push_back(type);
    typmods.push_back(typmod);
    collations.push_back(collation);
  }
};

const TupleDescriptor* make_row(Arena& arena, const Columns& columns) {
  TupleDescriptor* row = make_descriptor(arena, static_cast<int>(columns.names.size()));
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    Attribute& a = row->attributes[i];
    a.name = arena.copy(columns.names[i]);
    a.type = columns.types[i];
    a.typmod = columns.typmods[i];
    a.collation = columns.collations[i];
    a.layout = type_info(a.type).layout;
  }
  row->row_type = type_oid::record;
  finish_descriptor(*row);
  return row;
}

// The OUT parameters of a function that returns record.
const TupleDescriptor* out_parameters(ParseState& ps, Oid function, const List<Expr*>& args) {
  const FunctionInfo& info = catalog::function_info(function);
  if (info.result != type_oid::record || info.modes.empty()) return nullptr;
  std::vector<Oid> actual, declared(info.arguments.begin(), info.arguments.end());
  for (const Expr* arg : args) actual.push_back(type_of(arg));
  actual.resize(declared.size(), type_oid::unknown);
  Columns columns;
  for (std::size_t i = 0; i < info.modes.size(); ++i) {
    char mode = info.modes[i];
    if (mode != 'o' && mode != 'b' && mode != 't') continue;
    Oid type = info.all_arguments[i];
    if (is_polymorphic(type)) {
      std::vector<Oid> parameters = declared;
      type = enforce_generic_types(actual, parameters, type, false);
    }
    std::string_view name = i < info.names.size() ? info.names[i] : std::string_view();
    std::string numbered;
    if (name.empty()) {
      numbered = "column" + std::to_string(columns.names.size() + 1);
      name = ps.arena.copy(numbered);
    }
    columns.add(name, type, -1, type_collation(type));
  }
  return columns.names.empty() ? nullptr : make_row(ps.arena, columns);
}

// A record-valued column of a subquery or WITH query: what expression it stands for.
const TupleDescriptor* row_of_target(ParseState& ps, const Query* query, AttrNumber column);

const TupleDescriptor* row_of_query_expression(ParseState& ps, const Query* query, Expr* e) {
  check_stack_depth();
  if (is<Variable>(e) && type_of(e) == type_oid::record) {
    const auto* v = as<Variable>(e);
    if (v->levels_up != 0) return nullptr;
    const RangeTableEntry* rte = query->range_table[static_cast<std::size_t>(v->rte - 1)];
    if (v->column == 0) {
      Columns columns;
      for (std::uint32_t i = 0; i < rte->types.size(); ++i) columns.add(rte->column_names[i], rte->types[i], rte->typmods[i], rte->collations[i]);
      return columns.names.empty() ? nullptr : make_row(ps.arena, columns);
    }
    if (rte->subquery != nullptr) return row_of_target(ps, rte->subquery, v->column);
    if (rte->kind == RteKind::cte && rte->cte_levels_up == 0) {
      for (const CommonTableExpr* cte : query->ctes)
        if (cte->name == rte->cte_name && cte->query != nullptr) return row_of_target(ps, cte->query, v->column);
    }
    if (rte->kind == RteKind::join) return row_of_query_expression(ps, query, rte->join_columns[static_cast<std::size_t>(v->column - 1)]);
    return nullptr;
  }
  return row_descriptor_of(ps, e);
}

const TupleDescriptor* row_of_target(ParseState& ps, const Query* query, AttrNumber column) {
  const List<TargetEntry*>& targets = query->command == CommandKind::select ? query->targets : query->returning;
  int n = 0;
  for (const TargetEntry* t : targets) {
    if (t->junk || ++n != column) continue;
    if (query->set_operations != nullptr) {
      // The first branch stands for all.
      const SetOperation* leaf = query->set_operations;
      while (leaf->op != SetOperation::Op::leaf) leaf = leaf->left;
      return row_of_target(ps, query->range_table[static_cast<std::size_t>(leaf->rte - 1)]->subquery, column);
    }
    return row_of_query_expression(ps, query, t->expr);
  }
  return nullptr;
}

const TupleDescriptor* row_of_variable(ParseState& ps, const Variable* v) {
  NamespaceItem* item = item_of(ps, v->rte, v->levels_up);
  if (item == nullptr) return nullptr;
  const RangeTableEntry* rte = item->rte;
  if (v->column == 0) {
    Columns columns;
    for (int i = 0; i < item->count; ++i)
      columns.add(item->columns[i].name, item->columns[i].type, item->columns[i].typmod, item->columns[i].collation);
    return make_row(ps.arena, columns);
  }
  if (v->column < 0) return nullptr;
  if (rte->subquery != nullptr) return row_of_target(ps, rte->subquery, v->column);
  if (rte->kind == RteKind::values) {
    const List<Expr*>& first = rte->values[0];
    return v->column <= static_cast<int>(first.size()) ? row_descriptor_of(ps, first[static_cast<std::size_t>(v->column - 1)]) : nullptr;
  }
  if (rte->kind == RteKind::cte) {
    ParseState* owner = &ps;
    for (int n = v->levels_up + rte->cte_levels_up; n > 0 && owner != nullptr; --n) owner = owner->parent;
    if (owner == nullptr) return nullptr;
    for (CommonTableExpr* cte : owner->ctes)
      if (cte->name == rte->cte_name && cte->query != nullptr) return row_of_target(ps, cte->query, v->column);
    return nullptr;
  }
  if (rte->kind == RteKind::function) {
    int column = v->column;
    for (const FunctionRte* function : rte->functions) {
      if (column <= function->column_count) return function->returns_composite ? nullptr : row_descriptor_of(ps, function->call);
      column -= function->column_count;
    }
  }
  return nullptr;
}

}  // namespace

const TupleDescriptor* row_descriptor_of_type(Root& root, Oid type) {
  Oid relation = row_relation_of(type);
  if (!is_valid(relation)) return nullptr;
  catalog::RelationRef opened = catalog::open_relation(relation, locking::LockMode::none);
  const TupleDescriptor* row = opened->descriptor;
  root.relations.push_back(std::move(opened));
  return row;
}

const TupleDescriptor* row_descriptor_of(ParseState& ps, Expr* e) {
  Oid type = type_of(e);
  if (type != type_oid::record) return row_descriptor_of_type(ps.root, type);
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::variable: return row_of_variable(ps, as<Variable>(e));
    case ExprKind::function: return out_parameters(ps, as<FunctionExpr>(e)->function, as<FunctionExpr>(e)->args);
    case ExprKind::op: return out_parameters(ps, as<OpExpr>(e)->function, as<OpExpr>(e)->args);
    case ExprKind::row: {
      const auto* row = as<RowExpr>(e);
      Columns columns;
      for (std::uint32_t i = 0; i < row->args.size(); ++i) {
        std::string_view name = i < row->names.size() ? row->names[i] : std::string_view("?column?");
        Oid column = type_of(row->args[i]) == type_oid::unknown ? type_oid::text : type_of(row->args[i]);
        columns.add(name, column, typmod_of(row->args[i]), collation_of(row->args[i]));
      }
      return make_row(ps.arena, columns);
    }
    case ExprKind::sub_link: {
      const auto* link = as<SubLink>(e);
      if (link->type == SubLink::Type::scalar) return row_of_target(ps, link->query, 1);
      return nullptr;
    }
    default: return nullptr;
  }
}

}  // namespace hathi::analyzer
