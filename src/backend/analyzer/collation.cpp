// Collations: each expression's own from its inputs, by the standard's rules of explicit and implicit derivation.

#include "fields_access.h"
#include "state.h"

namespace hathi::analyzer {
namespace {

enum class Strength : std::uint8_t { none, implicit, conflict, explicit_ };

// The collation derived so far for an expression's inputs; in a conflict `other` is the one that differs.
struct Derived {
  Oid collation = kInvalidOid;
  Strength strength = Strength::none;
  int location = -1;
  Oid other = kInvalidOid;
  int other_location = -1;
};

std::string_view collation_name(Oid collation) {
  const catalog::CollationInfo* info = catalog::find_collation(collation);
  return info == nullptr ? std::string_view("?") : info->name;
}

[[noreturn]] void throw_explicit_mismatch(Oid a, Oid b, int location) {
  throw SqlError(sqlstate::collation_mismatch, "collation mismatch between explicit collations \"{}\" and \"{}\"", collation_name(a), collation_name(b))
      .at(location);
}
[[noreturn]] void throw_implicit_mismatch(const Derived& d) {
  throw SqlError(sqlstate::collation_mismatch, "collation mismatch between implicit collations \"{}\" and \"{}\"", collation_name(d.collation),
                 collation_name(d.other))
      .hint("You can choose the collation by applying the COLLATE clause to one or both expressions.")
      .at(d.other_location);
}

void merge(Derived& into, const Derived& from) {
  if (from.strength > into.strength) {
    into = from;
    return;
  }
  if (from.strength < into.strength) return;
  if (from.strength == Strength::implicit) {
    if (from.collation == into.collation) return;
    // The database's default gives way to any other collation.
    if (into.collation == kDefaultCollation) {
      into = from;
    } else if (from.collation != kDefaultCollation) {
      into.strength = Strength::conflict;
      into.other = from.collation;
      into.other_location = from.location;
    }
  } else if (from.strength == Strength::explicit_ && from.collation != into.collation) {
    throw_explicit_mismatch(into.collation, from.collation, from.location);
  }
}

Derived derive(Expr* e);

void derive_apart(Expr* e) { if (e != nullptr) derive(e); }

Derived of_children(Expr* e) {
  Derived inputs;
  for_each_child(e, [&](Expr* child) { merge(inputs, derive(child)); return false; });
  return inputs;
}

Derived implicit_of(Oid collation, int location) {
  Derived d;
  if (is_valid(collation)) d = {collation, Strength::implicit, location};
  return d;
}

void derive_targets(const List<TargetEntry*>& targets, bool merge_into, Derived& inputs) {
  for (TargetEntry* t : targets) {
    Derived d = derive(t->expr);
    if (d.strength == Strength::conflict && t->sort_group_ref != 0) throw_implicit_mismatch(d);
    if (merge_into && !t->junk) merge(inputs, d);
  }
}

Derived of_aggregate(Aggregate* a) {
  Derived inputs;
  if (a->aggregate_kind == 'n') {
    derive_targets(a->args, true, inputs);
  } else if (a->aggregate_kind == 'o') {
    // One aggregated argument joins its direct ones unless the aggregate is variadic.
    const FunctionInfo& f = catalog::function_info(a->function);
    bool together = a->args.size() == 1 && !is_valid(f.variadic);
    for (Expr* d : a->direct_args) merge(inputs, derive(d));
    derive_targets(a->args, together, inputs);
  } else {
    // Hypothetical arguments are compared with their columns pair by pair.
    std::uint32_t extra = a->direct_args.size() - a->args.size();
    for (std::uint32_t i = 0; i < extra; ++i) merge(inputs, derive(a->direct_args[i]));
    for (std::uint32_t i = 0; i < a->args.size(); ++i) {
      Derived pair = derive(a->direct_args[extra + i]);
      merge(pair, derive(a->args[i]->expr));
      if (pair.strength == Strength::conflict) throw_implicit_mismatch(pair);
      if (is_valid(pair.collation) && pair.collation != collation_of(a->args[i]->expr)) {
        // Sorting must use the collation the comparison uses.
        Expr* old = a->args[i]->expr;
        if (is<Relabel>(old)) as<Relabel>(old)->collation = pair.collation;
      }
    }
  }
  derive_apart(a->filter);
  return inputs;
}

Derived inputs_of(Expr* e) {
  switch (e->kind) {
    case ExprKind::aggregate: return of_aggregate(as<Aggregate>(e));
    case ExprKind::window_function: {
      Derived inputs;
      for (Expr* arg : as<WindowFunction>(e)->args) merge(inputs, derive(arg));
      derive_apart(as<WindowFunction>(e)->filter);
      return inputs;
    }
    case ExprKind::case_when: {
      auto* node = as<Case>(e);
      Derived inputs;
      derive_apart(node->arg);
      for (CaseBranch* branch : node->branches) {
        derive_apart(branch->condition);
        merge(inputs, derive(branch->result));
      }
      merge(inputs, derive(node->otherwise));
      return inputs;
    }
    case ExprKind::subscript: {
      auto* node = as<Subscript>(e);
      for (Expr* bound : node->upper) derive_apart(bound);
      for (Expr* bound : node->lower) derive_apart(bound);
      Derived inputs = derive(node->container);
      if (node->assigned != nullptr) merge(inputs, derive(node->assigned));
      return inputs;
    }
    default: return of_children(e);
  }
}

// Common end of nodes with inputs: the result takes the inputs' collation where its type has one.
Derived finish(Expr* e, const Derived& inputs) {
  Derived result;
  Oid own = type_collation(type_of(e));
  if (is_valid(own)) result = inputs.strength > Strength::none ? inputs : Derived{own, Strength::implicit, location_of(e)};
  set_collation(e, result.strength == Strength::conflict ? kInvalidOid : result.collation);
  set_input_collation(e, inputs.strength == Strength::conflict ? kInvalidOid : inputs.collation);
  return result;
}

Derived of_row_compare(RowCompare* node) {
  for (std::uint32_t i = 0; i < node->left.size(); ++i) {
    Derived pair = derive(node->left[i]);
    merge(pair, derive(node->right[i]));
    node->collations[i] = pair.strength == Strength::conflict ? kInvalidOid : pair.collation;
  }
  return {};
}

Derived of_domain(CoerceDomain* node) {
  Derived inputs = derive(node->arg);
  Oid own = type_collation(node->type);
  if (!is_valid(own)) {
    node->collation = kInvalidOid;
    return {};
  }
  Derived result = inputs.strength == Strength::explicit_ ? inputs : Derived{own, Strength::implicit, location_of(node)};
  node->collation = result.collation;
  return result;
}

Derived derive(Expr* e) {
  if (e == nullptr) return {};
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::constant: case ExprKind::variable: case ExprKind::parameter: case ExprKind::case_test: case ExprKind::domain_value:
    case ExprKind::set_default: case ExprKind::sql_value: case ExprKind::current_of: case ExprKind::next_value:
      return implicit_of(collation_of(e), e->location);
    case ExprKind::collate: {
      auto* node = as<Collate>(e);
      derive_apart(node->arg);
      return {node->collation, Strength::explicit_, node->location};
    }
    case ExprKind::field_select:
      derive_apart(as<FieldSelect>(e)->arg);
      return implicit_of(as<FieldSelect>(e)->collation, location_of(e));
    case ExprKind::row:
      for (Expr* arg : as<RowExpr>(e)->args) derive_apart(arg);
      return {};
    case ExprKind::row_compare: return of_row_compare(as<RowCompare>(e));
    case ExprKind::coerce_domain: return of_domain(as<CoerceDomain>(e));
    case ExprKind::sub_link: {
      auto* node = as<SubLink>(e);
      derive_apart(node->test);
      return implicit_of(collation_of(e), location_of(e));
    }
    case ExprKind::array_coerce: {
      auto* node = as<ArrayCoerce>(e);
      Derived inputs = derive(node->arg);
      derive_apart(node->element);
      return finish(e, inputs);
    }
    default: return finish(e, inputs_of(e));
  }
}

}  // namespace

void assign_collations(ParseState&, Expr* e) { derive(e); }
void assign_collations(Expr* e) { derive(e); }
void assign_list_collations(ParseState&, const List<Expr*>& list) { for (Expr* e : list) derive(e); }

Oid common_collation(ParseState&, const List<Expr*>& list, bool none_ok) {
  Derived common;
  for (Expr* e : list) merge(common, derive(e));
  if (common.strength == Strength::conflict) {
    if (none_ok) return kInvalidOid;
    throw_implicit_mismatch(common);
  }
  return common.collation;
}

void assign_query_collations(ParseState& ps, Query* query) {
  for (TargetEntry* t : query->targets) derive(t->expr);
  for (TargetEntry* t : query->returning) derive(t->expr);
  struct Walk {
    static void join(JoinNode* node) {
      if (node == nullptr) return;
      check_stack_depth();
      if (node->kind == JoinNodeKind::from) {
        for (JoinNode* item : static_cast<FromExpr*>(node)->items) join(item);
        derive(static_cast<FromExpr*>(node)->where);
      } else if (node->kind == JoinNodeKind::join) {
        auto* j = static_cast<JoinExpr*>(node);
        join(j->left);
        join(j->right);
        derive(j->condition);
      }
    }
  };
  Walk::join(query->from);
  derive(query->having);
  derive(query->limit);
  derive(query->offset);
  for (WindowClause* w : query->windows) {
    derive(w->start_offset);
    derive(w->end_offset);
  }
  if (query->on_conflict != nullptr) {
    for (TargetEntry* t : query->on_conflict->set) derive(t->expr);
    derive(query->on_conflict->where);
  }
  (void)ps;
}

}  // namespace hathi::analyzer
