// UNION, INTERSECT, EXCEPT: a tree of operations over subqueries, with common column types.

#include "state.h"

namespace hathi::analyzer {
namespace {

// A branch as transformed: the operation node and the output columns of the branch (its subquery's targets for a leaf).
struct Branch {
  SetOperation* node = nullptr;
  List<TargetEntry*> targets;
};

// The branches that WITH, ORDER BY, LIMIT or FOR UPDATE of their own keep apart are subqueries.
bool is_leaf(const ast::SelectStatement* select) {
  return select->operation == ast::SetOperation::none || !select->order_by.empty() || select->limit != nullptr || select->offset != nullptr ||
         !select->locking.empty() || select->with != nullptr;
}

std::string_view operation_word(ast::SetOperation op) {
  return op == ast::SetOperation::union_ ? "UNION" : op == ast::SetOperation::intersect ? "INTERSECT" : "EXCEPT";
}

Branch transform_leaf(ParseState& ps, const ast::SelectStatement* select) {
  if (select->into != nullptr)
    throw SqlError(sqlstate::syntax_error, "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT")
        .at(select->into->relation != nullptr ? select->into->relation->location : -1);
  Query* query = transform_sub_statement(ps, select, nullptr, false, false);
  int location = -1;
  struct Context { int* location; } context{&location};
  bool outer = !ps.name_space.empty() && walk_deep(query, 0, [](Expr* e, int depth, void* p) {
    if (!is<Variable>(e) || as<Variable>(e)->levels_up != depth + 1) return false;
    *static_cast<Context*>(p)->location = e->location;
    return true;
  }, &context);
  if (outer)
    throw SqlError(sqlstate::invalid_column_reference,
                   "UNION/INTERSECT/EXCEPT member statement cannot refer to other relations of same query level")
        .at(location);
  ast::Alias alias;
  std::string name = "*SELECT* " + std::to_string(ps.range_table.size() + 1);
  alias.name = ps.arena.copy(name);
  NamespaceItem* item = add_subquery_entry(ps, query, alias, false, false, -1);
  item->rte->has_alias = true;
  Branch branch;
  branch.node = ps.arena.make<SetOperation>();
  branch.node->op = SetOperation::Op::leaf;
  branch.node->rte = item->index;
  for (TargetEntry* t : query->targets) if (!t->junk) branch.targets.push_back(ps.arena, t);
  return branch;
}

Branch transform_tree(ParseState& ps, const ast::SelectStatement* select, bool top, List<TargetEntry*>* leftmost);

// Literals of unknown type in a branch get the common type where they stand.
void coerce_branch_column(ParseState& ps, Expr** column, Oid common, std::string_view context) {
  if (type_of(*column) == type_oid::unknown) {
    if (is<Constant>(*column) || is<Parameter>(*column)) *column = coerce_to_common(ps, *column, common, context);
    return;
  }
  coerce_to_common(ps, *column, common, context);   // checks that it can be converted
}

void combine_columns(ParseState& ps, const ast::SelectStatement* select, SetOperation* node, const Branch& left, const Branch& right,
                     List<TargetEntry*>& targets) {
  std::string_view word = operation_word(select->operation);
  for (std::uint32_t i = 0; i < left.targets.size(); ++i) {
    TargetEntry* l = left.targets[i];
    TargetEntry* r = right.targets[i];
    List<Expr*> pair;
    pair.push_back(ps.arena, l->expr);
    pair.push_back(ps.arena, r->expr);
    Expr* best = nullptr;
    Oid type = select_common_type(pair, word, &best);
    int location = location_of(best);
    coerce_branch_column(ps, &l->expr, type, word);
    coerce_branch_column(ps, &r->expr, type, word);
    pair[0] = l->expr;
    pair[1] = r->expr;
    std::int32_t typmod = select_common_typmod(pair, type);
    bool plain_union_all = select->operation == ast::SetOperation::union_ && select->all;
    Oid collation = common_collation(ps, pair, plain_union_all);
    node->types.push_back(ps.arena, type);
    node->typmods.push_back(ps.arena, typmod);
    node->collations.push_back(ps.arena, collation);
    if (!plain_union_all) {
      auto* clause = ps.arena.make<SortClause>();
      try {
        SortOperators ops = sort_operators(type, false, true, false);
        clause->equal_operator = ops.equal;
        clause->order_operator = ops.less;
        clause->hashable = ops.hashable;
      } catch (SqlError& error) {
        rethrow_at(error, location);
      }
      node->group.push_back(ps.arena, clause);
    }
    // What the enclosing level sees of this column: a typed placeholder.
    auto* column = make<SetToDefault>(ps.arena, location);
    column->type = type;
    column->typmod = typmod;
    column->collation = collation;
    targets.push_back(ps.arena, make_target(ps.arena, column, static_cast<AttrNumber>(targets.size() + 1), l->name, false));
  }
}

// A recursive WITH query gets its column types from the first branch before the second one is read.
void note_recursive_columns(ParseState& ps, const List<TargetEntry*>& left) {
  List<TargetEntry*> targets;
  for (TargetEntry* t : left) {
    Expr* e = t->expr;
    if (type_of(e) == type_oid::unknown) {
      e = coerce_type(ps.root, e, type_oid::unknown, type_oid::text, -1, CoercionContext::implicit, CallForm::implicit_cast, -1);
      t->expr = e;
    }
    targets.push_back(ps.arena, make_target(ps.arena, e, t->number, t->name, false));
  }
  analyze_cte_columns(ps, ps.parent_cte, targets);
}

Branch transform_tree(ParseState& ps, const ast::SelectStatement* select, bool top, List<TargetEntry*>* leftmost) {
  check_stack_depth();
  if (!top && is_leaf(select)) {
    Branch leaf = transform_leaf(ps, select);
    if (leftmost != nullptr) *leftmost = leaf.targets;
    return leaf;
  }
  Branch result;
  result.node = ps.arena.make<SetOperation>();
  result.node->op = select->operation == ast::SetOperation::union_      ? SetOperation::Op::union_op
                    : select->operation == ast::SetOperation::intersect ? SetOperation::Op::intersect_op
                                                                        : SetOperation::Op::except_op;
  result.node->all = select->all;
  Branch left = transform_tree(ps, select->left, false, leftmost);
  if (top && ps.parent_cte != nullptr && ps.parent_cte->recursive && ps.parent_cte->query == nullptr)
    note_recursive_columns(ps, left.targets);
  Branch right = transform_tree(ps, select->right, false, nullptr);
  if (left.targets.size() != right.targets.size())
    throw SqlError(sqlstate::syntax_error, "each {} query must have the same number of columns", operation_word(select->operation))
        .at(right.targets.empty() ? -1 : location_of(right.targets[0]->expr));
  result.node->left = left.node;
  result.node->right = right.node;
  combine_columns(ps, select, result.node, left, right, result.targets);
  return result;
}

// The types of a leaf's entry may have changed when its literals got a type.
void refresh_leaves(ParseState& ps) {
  for (RangeTableEntry* rte : ps.range_table) {
    if (rte->kind != RteKind::subquery || rte->subquery == nullptr) continue;
    std::uint32_t i = 0;
    for (const TargetEntry* t : rte->subquery->targets) {
      if (t->junk) continue;
      rte->types[i] = type_of(t->expr);
      rte->typmods[i] = typmod_of(t->expr);
      rte->collations[i] = collation_of(t->expr);
      ++i;
    }
  }
}

}  // namespace

Query* transform_set_operation(ParseState& ps, const ast::SelectStatement* select) {
  Arena& arena = ps.arena;
  auto* query = arena.make<Query>();
  query->command = CommandKind::select;
  if (!select->locking.empty())
    throw SqlError(sqlstate::feature_not_supported, "{} is not allowed with UNION/INTERSECT/EXCEPT", locking_name(select->locking[0]->strength));
  if (select->with != nullptr) transform_with(ps, query, select->with);
  List<TargetEntry*> leftmost;
  Branch tree = transform_tree(ps, select, true, &leftmost);
  query->set_operations = tree.node;
  refresh_leaves(ps);

  // Output columns: those of the leftmost branch by name, of the common types.
  const SetOperation* leaf = tree.node;
  while (leaf->op != SetOperation::Op::leaf) leaf = leaf->left;
  auto* sort_rte = arena.make<RangeTableEntry>();
  sort_rte->kind = RteKind::join;
  auto* sort_item = arena.make<NamespaceItem>();
  sort_item->name = "*RESULT*";
  sort_item->rte = sort_rte;
  sort_item->count = static_cast<int>(tree.targets.size());
  sort_item->columns = arena.make_array<NamespaceColumn>(tree.targets.size());
  for (std::uint32_t i = 0; i < tree.targets.size(); ++i) {
    auto* v = make<Variable>(arena, location_of(leftmost[i]->expr));
    v->rte = v->source_rte = leaf->rte;
    v->column = v->source_column = leftmost[i]->number;
    v->type = tree.node->types[i];
    v->typmod = tree.node->typmods[i];
    v->collation = tree.node->collations[i];
    std::string_view name = leftmost[i]->name;
    query->targets.push_back(arena, make_target(arena, v, static_cast<AttrNumber>(ps.next_target++), name, false));
    sort_item->columns[i] = {name, v->type, v->typmod, v->collation, v->rte, v->column, v->rte, v->column};
  }

  // ORDER BY sees the output columns and nothing else.
  List<NamespaceItem*> outer = ps.name_space;
  ps.name_space = {};
  sort_item->relation_visible = false;
  ps.name_space.push_back(arena, sort_item);
  std::uint32_t count = query->targets.size();
  query->order_by = transform_order_by(ps, select->order_by, query->targets, Clause::order_by, false);
  ps.name_space = outer;
  if (query->targets.size() > count)
    throw SqlError(sqlstate::feature_not_supported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
        .detail("Only result column names can be used, not expressions or functions.")
        .hint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.")
        .at(location_of(query->targets[count]->expr));
  query->offset = transform_limit(ps, select->offset, Clause::offset, "OFFSET", select->with_ties);
  query->limit = transform_limit(ps, select->limit, Clause::limit, "LIMIT", select->with_ties);
  query->limit_with_ties = select->with_ties;
  finish_query(ps, query, nullptr);
  assign_query_collations(ps, query);
  if (query->has_aggregates || !query->group_by.empty() || query->having != nullptr) check_aggregates(ps, query);
  return query;
}

}  // namespace hathi::analyzer
