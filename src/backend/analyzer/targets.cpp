// Output columns: select lists, RETURNING, rows of VALUES.

#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr int kMaxTargets = 1664;

bool ends_in_star(const ast::Node* node) {
  if (const auto* ref = ast::node_try<ast::ColumnRef>(node)) return ref->star;
  if (const auto* step = ast::node_try<ast::Indirection>(node)) return !step->steps.empty() && step->steps.back().kind == ast::IndirectionKind::star;
  return false;
}

struct Expanded { List<Expr*> values; List<std::string_view> names; };

void expand_all(ParseState& ps, int location, Expanded& out) {
  bool found = false;
  for (NamespaceItem* item : ps.name_space) {
    if (!item->columns_visible) continue;
    found = true;
    expand_item(ps, item, 0, location, true, out.values, &out.names);
    // Also when the table has no columns, it is read.
    if (item->rte->kind == RteKind::relation) item->rte->required |= kAclSelect;
  }
  if (!found) throw SqlError(sqlstate::syntax_error, "SELECT * with no tables specified is not valid").at(location);
}

void expand_table(ParseState& ps, const ast::ColumnRef* ref, Expanded& out) {
  const ast::QualifiedName& n = ref->names;
  std::string_view schema, table = n.back();
  if (n.size() == 3 && n[0] != catalog::current_database_name()) {
    std::string text = name_text(n) + ".*";
    throw SqlError(sqlstate::feature_not_supported, "cross-database references are not implemented: {}", text).at(ref->location);
  }
  if (n.size() > 3) throw SqlError(sqlstate::syntax_error, "improper qualified name (too many dotted names): {}.*", name_text(n)).at(ref->location);
  if (n.size() >= 2) schema = n[n.size() - 2];
  int levels_up = 0;
  NamespaceItem* item = find_item_for_name(ps, schema, table, ref->location, &levels_up);
  if (item == nullptr) throw_missing_entry(ps, schema, table, ref->location);
  expand_item(ps, item, levels_up, ref->location, true, out.values, &out.names);
}

// The columns of a row value.
void expand_row(ParseState& ps, Expr* row, int location, Expanded& out) {
  if (is<Variable>(row) && as<Variable>(row)->column == 0) {
    const auto* whole = as<Variable>(row);
    if (NamespaceItem* item = item_of(ps, whole->rte, whole->levels_up)) {
      expand_item(ps, item, whole->levels_up, whole->location, true, out.values, &out.names);
      return;
    }
  }
  const TupleDescriptor* descriptor = row_descriptor_of(ps, row);
  if (descriptor == nullptr) {
    Oid type = type_of(row);
    if (type == type_oid::record)
      throw SqlError(sqlstate::syntax_error, "record type has not been registered").at(location);
    throw SqlError(sqlstate::wrong_object_type, "type {} is not composite", catalog::format_type(type)).at(location);
  }
  for (int i = 0; i < descriptor->count(); ++i) {
    const Attribute& attribute = (*descriptor)[i];
    if (attribute.dropped) continue;
    out.names.push_back(ps.arena, ps.arena.copy(attribute.name));
    auto* select = make<FieldSelect>(ps.arena);
    select->arg = copy(row, ps.arena);
    select->field = static_cast<AttrNumber>(i + 1);
    select->type = attribute.type;
    select->typmod = attribute.typmod;
    select->collation = attribute.collation;
    out.values.push_back(ps.arena, select);
  }
}

void expand_star(ParseState& ps, const ast::Node* node, Clause clause, Expanded& out) {
  if (const auto* ref = ast::node_try<ast::ColumnRef>(node)) {
    if (ref->names.empty()) expand_all(ps, ref->location, out);
    else expand_table(ps, ref, out);
    return;
  }
  // (expression).*: the expression without the star.
  const auto* indirection = ast::node_cast<ast::Indirection>(node);
  ast::Indirection rest = *indirection;
  rest.steps.pop_back();
  Expr* row = rest.steps.empty() ? transform(ps, rest.arg, clause) : transform(ps, &rest, clause);
  expand_row(ps, row, location_of(row), out);
}

}  // namespace

TargetEntry* make_target(Arena& arena, Expr* e, AttrNumber number, std::string_view name, bool junk) {
  auto* target = arena.make<TargetEntry>();
  target->expr = e;
  target->number = number;
  target->name = name;
  target->junk = junk;
  return target;
}

TargetEntry* transform_target(ParseState& ps, const ast::Node* node, Expr* done, Clause clause, std::string_view name, bool junk) {
  Expr* e = done;
  if (e == nullptr) {
    if (clause == Clause::update_source && ast::is<ast::DefaultExpr>(node)) e = make<SetToDefault>(ps.arena, node->location);
    else e = transform(ps, node, clause);
  }
  if (name.empty() && !junk) name = figure_name(node, &ps.root);
  return make_target(ps.arena, e, static_cast<AttrNumber>(ps.next_target++), ps.arena.copy(name), junk);
}

List<TargetEntry*> transform_targets(ParseState& ps, const List<ast::Target*>& list, Clause clause) {
  List<TargetEntry*> targets;
  targets.reserve(ps.arena, list.size());
  for (const ast::Target* target : list) {
    if (clause != Clause::update_source && ends_in_star(target->value)) {
      Expanded columns;
      expand_star(ps, target->value, clause, columns);
      for (std::uint32_t i = 0; i < columns.values.size(); ++i)
        targets.push_back(ps.arena, make_target(ps.arena, columns.values[i], static_cast<AttrNumber>(ps.next_target++), columns.names[i], false));
    } else {
      targets.push_back(ps.arena, transform_target(ps, target->value, nullptr, clause, target->name, false));
    }
    if (ps.next_target > kMaxTargets + 1) throw SqlError(sqlstate::too_many_columns, "target lists can have at most {} entries", kMaxTargets);
  }
  return targets;
}

List<Expr*> transform_list(ParseState& ps, const List<ast::Expr*>& list, Clause clause, bool allow_default) {
  List<Expr*> result;
  result.reserve(ps.arena, list.size());
  for (const ast::Node* node : list) {
    if (ends_in_star(node)) {
      Expanded columns;
      expand_star(ps, node, clause, columns);
      result.append(ps.arena, columns.values);
    } else if (allow_default && ast::is<ast::DefaultExpr>(node)) {
      result.push_back(ps.arena, make<SetToDefault>(ps.arena, node->location));
    } else {
      result.push_back(ps.arena, transform(ps, node, clause));
    }
  }
  return result;
}

void resolve_unknown_targets(ParseState& ps, List<TargetEntry*>& targets) {
  for (TargetEntry* t : targets) {
    if (type_of(t->expr) == type_oid::unknown)
      t->expr = coerce_type(ps.root, t->expr, type_oid::unknown, type_oid::text, -1, CoercionContext::implicit, CallForm::implicit_cast, -1);
  }
}

namespace {

void mark_origin(ParseState& ps, TargetEntry* target, const Variable* v, int levels_up) {
  NamespaceItem* item = item_of(ps, v->rte, levels_up);
  if (item == nullptr) return;
  const RangeTableEntry* rte = item->rte;
  auto copy_from = [&](const List<TargetEntry*>& inner) {
    int n = 0;
    for (const TargetEntry* t : inner) {
      if (t->junk || ++n != v->column) continue;
      target->origin_table = t->origin_table;
      target->origin_column = t->origin_column;
    }
  };
  if (rte->kind == RteKind::relation) {
    target->origin_table = rte->relation;
    target->origin_column = v->column;
  } else if (rte->kind == RteKind::subquery && v->column > 0) {
    copy_from(rte->subquery->targets);
  } else if (rte->kind == RteKind::cte && v->column > 0 && !rte->self_reference) {
    ParseState* owner = &ps;
    for (int n = levels_up + rte->cte_levels_up; n > 0 && owner != nullptr; --n) owner = owner->parent;
    if (owner == nullptr) return;
    for (const CommonTableExpr* cte : owner->ctes)
      if (cte->name == rte->cte_name && cte->query != nullptr)
        copy_from(cte->query->command == CommandKind::select ? cte->query->targets : cte->query->returning);
  }
}

}  // namespace

void mark_target_origins(ParseState& ps, List<TargetEntry*>& targets) {
  for (TargetEntry* t : targets)
    if (is<Variable>(t->expr)) mark_origin(ps, t, as<Variable>(t->expr), as<Variable>(t->expr)->levels_up);
}

List<TargetEntry*> transform_returning(ParseState& ps, const List<ast::Target*>& returning) {
  if (returning.empty()) return {};
  Restore<int> number(ps.next_target, 1);
  List<TargetEntry*> targets = transform_targets(ps, returning, Clause::returning);
  if (targets.empty()) throw SqlError(sqlstate::syntax_error, "RETURNING must have at least one column").at(returning[0]->location);
  mark_target_origins(ps, targets);
  if (ps.resolve_unknowns) resolve_unknown_targets(ps, targets);
  return targets;
}

}  // namespace hathi::analyzer
