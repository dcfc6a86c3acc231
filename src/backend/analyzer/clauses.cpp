// ORDER BY, DISTINCT, LIMIT: expressions that refer to output columns.

#include "state.h"

namespace hathi::analyzer {
namespace {

// Without the conversions nobody wrote: ORDER BY x means the column x even when the target converts it.
Expr* strip_implicit(Expr* e) {
  while (e != nullptr) {
    switch (e->kind) {
      case ExprKind::function: if (as<FunctionExpr>(e)->form != CallForm::implicit_cast) return e; e = as<FunctionExpr>(e)->args[0]; break;
      case ExprKind::relabel: if (as<Relabel>(e)->form != CallForm::implicit_cast) return e; e = as<Relabel>(e)->arg; break;
      case ExprKind::coerce_io: if (as<CoerceIo>(e)->form != CallForm::implicit_cast) return e; e = as<CoerceIo>(e)->arg; break;
      case ExprKind::array_coerce: if (as<ArrayCoerce>(e)->form != CallForm::implicit_cast) return e; e = as<ArrayCoerce>(e)->arg; break;
      case ExprKind::row_coerce: if (as<RowCoerce>(e)->form != CallForm::implicit_cast) return e; e = as<RowCoerce>(e)->arg; break;
      case ExprKind::coerce_domain: if (as<CoerceDomain>(e)->form != CallForm::implicit_cast) return e; e = as<CoerceDomain>(e)->arg; break;
      default: return e;
    }
  }
  return e;
}

void check_sql92_target(ParseState& ps, const TargetEntry* target, Clause clause) {
  if (clause != Clause::group_by) return;
  if (ps.has_aggregates) {
    int at = contain_aggregates_of_level(target->expr, 0);
    if (at > 0) throw SqlError(sqlstate::grouping_error, "aggregate functions are not allowed in {}", clause_name(clause)).at(at - 1);
  }
  int at = -1;
  if (ps.has_windows && contains_window_functions(target->expr, &at))
    throw SqlError(sqlstate::windowing_error, "window functions are not allowed in {}", clause_name(clause)).at(at);
}

TargetEntry* target_by_name(ParseState& ps, const ast::ColumnRef* ref, const List<TargetEntry*>& targets, Clause clause) {
  std::string_view name = ref->names[0];
  // GROUP BY prefers the input column of that name, as the standard says.
  if (clause == Clause::group_by && find_unqualified_column(ps, name, true, ref->location) != nullptr) return nullptr;
  TargetEntry* found = nullptr;
  for (TargetEntry* t : targets) {
    if (t->junk || t->name != name) continue;
    if (found == nullptr) found = t;
    else if (!equal(found->expr, t->expr))
      throw SqlError(sqlstate::ambiguous_column, "{} \"{}\" is ambiguous", clause_name(clause), name).at(ref->location);
  }
  if (found != nullptr) check_sql92_target(ps, found, clause);
  return found;
}

TargetEntry* target_by_position(ParseState& ps, const ast::Constant* constant, const List<TargetEntry*>& targets, Clause clause) {
  if (constant->type != ast::ConstantKind::integer)
    throw SqlError(sqlstate::syntax_error, "non-integer constant in {}", clause_name(clause)).at(constant->location);
  int position = 0;
  for (TargetEntry* t : targets) {
    if (t->junk || ++position != constant->integer) continue;
    check_sql92_target(ps, t, clause);
    return t;
  }
  throw SqlError(sqlstate::invalid_column_reference, "{} position {} is not in select list", clause_name(clause), constant->integer).at(constant->location);
}

SortClause* make_sort_clause(ParseState& ps, TargetEntry* target, const List<TargetEntry*>& targets, Oid equal_op, Oid order_op, bool nulls_first,
                             bool hashable) {
  auto* clause = ps.arena.make<SortClause>();
  clause->ref = assign_sort_ref(target, targets);
  clause->equal_operator = equal_op;
  clause->order_operator = order_op;
  clause->nulls_first = nulls_first;
  clause->hashable = hashable;
  return clause;
}

// A literal that is sorted or grouped by becomes text.
Oid known_type(ParseState& ps, TargetEntry* target) {
  Oid type = type_of(target->expr);
  if (type != type_oid::unknown) return type;
  target->expr = coerce_type(ps.root, target->expr, type, type_oid::text, -1, CoercionContext::implicit, CallForm::implicit_cast, -1);
  return type_oid::text;
}

// The equality of the btree family in which op is < or >.
Oid equality_of_ordering(Oid op, bool* descending) {
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.method != kBTreeAccessMethod || (m.strategy != 1 && m.strategy != 5)) continue;
    *descending = m.strategy == 5;
    Oid equal_op = catalog::family_operator(m.family, m.left, m.right, 3);
    if (is_valid(equal_op)) return equal_op;
  }
  return kInvalidOid;
}

}  // namespace

int assign_sort_ref(TargetEntry* target, const List<TargetEntry*>& targets) {
  if (target->sort_group_ref != 0) return target->sort_group_ref;
  int highest = 0;
  for (const TargetEntry* t : targets) highest = std::max(highest, t->sort_group_ref);
  return target->sort_group_ref = highest + 1;
}

TargetEntry* target_by_ref(int ref, const List<TargetEntry*>& targets) {
  for (TargetEntry* t : targets) if (t->sort_group_ref == ref) return t;
  throw SqlError(sqlstate::internal_error, "ORDER/GROUP BY expression not found in targetlist");
}

bool target_in_sort_list(const TargetEntry* target, Oid sort_operator, const List<SortClause*>& list) {
  if (target->sort_group_ref == 0) return false;
  for (const SortClause* clause : list) {
    if (clause->ref != target->sort_group_ref) continue;
    if (!is_valid(sort_operator) || sort_operator == clause->order_operator) return true;
    if (is_valid(clause->order_operator) && catalog::operator_info(clause->order_operator).commutator == sort_operator) return true;
  }
  return false;
}

TargetEntry* find_target_sql99(ParseState& ps, const ast::Node* node, List<TargetEntry*>& targets, Clause clause) {
  Expr* e = transform(ps, node, clause);
  for (TargetEntry* t : targets) if (equal(e, strip_implicit(t->expr))) return t;
  TargetEntry* added = transform_target(ps, node, e, clause, {}, true);
  targets.push_back(ps.arena, added);
  return added;
}

static TargetEntry* find_target_sql92(ParseState& ps, const ast::Node* node, List<TargetEntry*>& targets, Clause clause) {
  if (const auto* ref = ast::node_try<ast::ColumnRef>(node); ref != nullptr && ref->names.size() == 1 && !ref->star) {
    if (TargetEntry* t = target_by_name(ps, ref, targets, clause)) return t;
  }
  if (const auto* constant = ast::node_try<ast::Constant>(node); constant != nullptr && constant->type != ast::ConstantKind::boolean)
    return target_by_position(ps, constant, targets, clause);
  return find_target_sql99(ps, node, targets, clause);
}

TargetEntry* find_group_target(ParseState& ps, const ast::Node* node, List<TargetEntry*>& targets, Clause clause, bool sql99) {
  return sql99 ? find_target_sql99(ps, node, targets, clause) : find_target_sql92(ps, node, targets, clause);
}

List<SortClause*> add_to_sort_list(ParseState& ps, TargetEntry* target, List<SortClause*> list, List<TargetEntry*>& targets, const ast::SortBy* sort) {
  Oid type = known_type(ps, target);
  int location = sort->direction == ast::SortDirection::using_operator && sort->location >= 0 ? sort->location : location_of(sort->expr);
  Oid order_op = kInvalidOid, equal_op = kInvalidOid;
  bool hashable = false, descending = false;
  try {
    if (sort->direction == ast::SortDirection::using_operator) {
      const OperatorInfo* op;
      if (sort->op_qualifier.empty()) op = compatible_operator(ps.root, sort->op, type, type, location);
      else op = choose_operator(ps.root, sort->op, sort->op_qualifier, type, type, false, location);
      order_op = op->oid;
      equal_op = equality_of_ordering(order_op, &descending);
      if (!is_valid(equal_op))
        throw SqlError(sqlstate::wrong_object_type, "operator {} is not a valid ordering operator", sort->op)
            .hint("Ordering operators must be \"<\" or \">\" members of btree operator families.")
            .at(location);
      hashable = catalog::operator_info(equal_op).can_hash && sort_operators(type, false, false, false).hashable;
    } else {
      descending = sort->direction == ast::SortDirection::descending;
      SortOperators ops = sort_operators(type, !descending, true, descending);
      order_op = descending ? ops.greater : ops.less;
      equal_op = ops.equal;
      hashable = ops.hashable;
    }
  } catch (SqlError& error) {
    rethrow_at(error, location);
  }
  if (target_in_sort_list(target, order_op, list)) return list;
  bool nulls_first = sort->nulls == ast::NullsOrder::unspecified ? descending : sort->nulls == ast::NullsOrder::first;
  list.push_back(ps.arena, make_sort_clause(ps, target, targets, equal_op, order_op, nulls_first, hashable));
  return list;
}

List<SortClause*> transform_order_by(ParseState& ps, const List<ast::SortBy*>& sorts, List<TargetEntry*>& targets, Clause clause, bool sql99) {
  List<SortClause*> list;
  for (const ast::SortBy* sort : sorts) {
    TargetEntry* target = sql99 ? find_target_sql99(ps, sort->expr, targets, clause) : find_target_sql92(ps, sort->expr, targets, clause);
    list = add_to_sort_list(ps, target, list, targets, sort);
  }
  return list;
}

SortClause* group_clause_for(ParseState& ps, TargetEntry* target, List<TargetEntry*>& targets, bool must_sort, int location) {
  Oid type = known_type(ps, target);
  try {
    SortOperators ops = sort_operators(type, must_sort, true, false);
    return make_sort_clause(ps, target, targets, ops.equal, ops.less, false, ops.hashable);
  } catch (SqlError& error) {
    rethrow_at(error, location);
  }
}

List<SortClause*> transform_distinct(ParseState& ps, List<TargetEntry*>& targets, const List<SortClause*>& order_by, bool is_aggregate) {
  List<SortClause*> result;
  for (SortClause* clause : order_by) {
    const TargetEntry* target = target_by_ref(clause->ref, targets);
    if (target->junk)
      throw SqlError(sqlstate::invalid_column_reference, "{}",
                     is_aggregate ? "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list"
                                  : "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
          .at(location_of(target->expr));
    result.push_back(ps.arena, ps.arena.make<SortClause>(*clause));
  }
  for (TargetEntry* target : targets) {
    if (target->junk || target_in_sort_list(target, kInvalidOid, result)) continue;
    result.push_back(ps.arena, group_clause_for(ps, target, targets, false, location_of(target->expr)));
  }
  if (result.empty())
    throw SqlError(sqlstate::syntax_error, "{}",
                   is_aggregate ? "an aggregate with DISTINCT must have at least one argument" : "SELECT DISTINCT must have at least one column");
  return result;
}

List<SortClause*> transform_distinct_on(ParseState& ps, const List<ast::Expr*>& on, List<TargetEntry*>& targets, const List<SortClause*>& order_by) {
  std::vector<int> refs;
  for (const ast::Node* node : on) refs.push_back(assign_sort_ref(find_target_sql92(ps, node, targets, Clause::distinct_on), targets));
  auto mismatch = [](int location) {
    return SqlError(sqlstate::invalid_column_reference, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions").at(location);
  };
  List<SortClause*> result;
  bool skipped = false;
  for (SortClause* clause : order_by) {
    std::size_t i = 0;
    while (i < refs.size() && refs[i] != clause->ref) ++i;
    if (i == refs.size()) { skipped = true; continue; }
    if (skipped) throw mismatch(location_of(on[i]));
    result.push_back(ps.arena, ps.arena.make<SortClause>(*clause));
  }
  for (std::size_t i = 0; i < refs.size(); ++i) {
    TargetEntry* target = target_by_ref(refs[i], targets);
    if (target_in_sort_list(target, kInvalidOid, result)) continue;
    if (skipped) throw mismatch(location_of(on[i]));
    result.push_back(ps.arena, group_clause_for(ps, target, targets, false, location_of(on[i])));
  }
  return result;
}

void check_variable_free(ParseState& ps, Expr* e, std::string_view construct) {
  (void)ps;
  int location = -1;
  if (contains_variables_of_level(e, 0, &location))
    throw SqlError(sqlstate::invalid_column_reference, "argument of {} must not contain variables", construct).at(location);
}

Expr* transform_limit(ParseState& ps, const ast::Node* node, Clause clause, std::string_view name, bool with_ties) {
  if (node == nullptr) return nullptr;
  Expr* e = coerce_to_specific(ps, transform(ps, node, clause), type_oid::int8, name);
  check_variable_free(ps, e, name);
  if (clause == Clause::limit && with_ties && is<Constant>(e) && as<Constant>(e)->is_null)
    throw SqlError(sqlstate::invalid_row_count_in_limit_clause, "row count cannot be null in FETCH FIRST ... WITH TIES clause");
  return e;
}

}  // namespace hathi::analyzer
