// INSERT and ON CONFLICT.

#include "state.h"

namespace hathi::analyzer {
namespace {

bool is_general_select(const ast::SelectStatement* source) {
  return source != nullptr && (source->values.empty() || !source->order_by.empty() || source->offset != nullptr || source->limit != nullptr ||
                               !source->locking.empty() || source->with != nullptr);
}

// The value inside an assignment to a field or array element: multi-row VALUES assign to the column later.
Expr* strip_assignment(Expr* e) {
  while (e != nullptr) {
    if (is<FieldStore>(e)) e = as<FieldStore>(e)->new_values[0];
    else if (is<Subscript>(e) && as<Subscript>(e)->assigned != nullptr) e = as<Subscript>(e)->assigned;
    else if (is<CoerceDomain>(e) && as<CoerceDomain>(e)->form == CallForm::implicit_cast &&
             (is<FieldStore>(as<CoerceDomain>(e)->arg) || is<Subscript>(as<CoerceDomain>(e)->arg)))
      e = as<CoerceDomain>(e)->arg;
    else break;
  }
  return e;
}

List<Expr*> transform_row(ParseState& ps, const List<Expr*>& values, const List<ast::Target*>& given, const List<InsertColumn>& columns, bool strip) {
  if (values.size() > columns.size())
    throw SqlError(sqlstate::syntax_error, "INSERT has more expressions than target columns").at(location_of(values[columns.size()]));
  if (!given.empty() && values.size() < columns.size()) {
    SqlError error(sqlstate::syntax_error, "INSERT has more target columns than expressions");
    if (values.size() == 1 && is<RowExpr>(values[0]) && as<RowExpr>(values[0])->args.size() == columns.size())
      error.hint("The insertion source is a row expression containing the same number of columns expected by the INSERT. Did you accidentally use extra "
                 "parentheses?");
    throw error.at(columns[values.size()].target->location);
  }
  List<Expr*> result;
  result.reserve(ps.arena, values.size());
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const InsertColumn& column = columns[i];
    Expr* e = assign_to_column(ps, values[i], Clause::insert_target, column.target->name, column.number, column.target->steps, column.target->location);
    result.push_back(ps.arena, strip ? strip_assignment(e) : e);
  }
  return result;
}

List<Expr*> values_of_select(ParseState& ps, const ast::SelectStatement* source) {
  Query* query = transform_sub_statement(ps, source, nullptr, false, false);
  ast::Alias alias;
  alias.name = "*SELECT*";
  NamespaceItem* item = add_subquery_entry(ps, query, alias, false, false, -1);
  add_to_namespace(ps, item, true, false, false);
  List<Expr*> values;
  int column = 0;
  for (TargetEntry* t : query->targets) {
    if (t->junk) continue;
    ++column;
    if (type_of(t->expr) == type_oid::unknown && (is<Constant>(t->expr) || is<Parameter>(t->expr))) {
      values.push_back(ps.arena, t->expr);   // a literal gets its type from the target column
      continue;
    }
    Expr* v = make_column_variable(ps, item, column - 1, 0, location_of(t->expr));
    values.push_back(ps.arena, v);
  }
  return values;
}

// VALUES with several rows becomes a range-table entry of its own.
List<Expr*> values_of_rows(ParseState& ps, const ast::InsertStatement* insert, const List<InsertColumn>& columns) {
  Arena& arena = ps.arena;
  List<List<Expr*>> rows;
  std::uint32_t width = 0;
  for (const List<ast::Expr*>& row : insert->source->values) {
    List<Expr*> values = transform_list(ps, row, Clause::values, true);
    if (rows.empty()) width = values.size();
    else if (values.size() != width) throw SqlError(sqlstate::syntax_error, "VALUES lists must all be the same length").at(location_of(values));
    values = transform_row(ps, values, insert->columns, columns, true);
    assign_list_collations(ps, values);
    rows.push_back(arena, values);
  }
  List<Oid> types, collations;
  List<std::int32_t> typmods;
  for (std::uint32_t c = 0; c < width; ++c) {
    types.push_back(arena, type_of(rows[0][c]));
    typmods.push_back(arena, typmod_of(rows[0][c]));
    collations.push_back(arena, kInvalidOid);
  }
  bool lateral = false;
  for (const List<Expr*>& row : rows)
    for (const Expr* e : row) lateral = lateral || (ps.range_table.size() > 1 && contains_variables_of_level(e, 0));
  NamespaceItem* item = add_values_entry(ps, rows, types, typmods, collations, {}, lateral, true);
  add_to_namespace(ps, item, true, false, false);
  List<Expr*> values;
  expand_item(ps, item, 0, -1, false, values, nullptr);
  return values;
}

void arbiter_of_columns(ParseState& ps, const ast::OnConflictClause* node, OnConflict* made) {
  ps.name_space = {};
  add_to_namespace(ps, ps.target, false, false, true);
  for (const ast::IndexElement* element : node->index_elements) {
    if (element->direction != ast::SortDirection::unspecified)
      throw SqlError(sqlstate::invalid_column_reference, "ASC/DESC is not allowed in ON CONFLICT clause").at(node->target_location);
    if (element->nulls != ast::NullsOrder::unspecified)
      throw SqlError(sqlstate::invalid_column_reference, "NULLS FIRST/LAST is not allowed in ON CONFLICT clause").at(node->target_location);
    const ast::Node* syntax = element->expr;
    if (syntax == nullptr) {
      auto* ref = ast::make_node<ast::ColumnRef>(ps.arena, node->target_location);
      ref->names.push_back(ps.arena, element->name);
      syntax = ref;
    }
    Expr* e = transform(ps, syntax, Clause::index_expression);
    assign_collations(ps, e);
    made->arbiter_elements.push_back(ps.arena, e);
    made->arbiter_collations.push_back(ps.arena, element->collation.empty() ? kInvalidOid : resolve_collation(element->collation, location_of(e)));
    Oid opclass = kInvalidOid;
    if (!element->operator_class.empty()) opclass = resolve_operator_class(element->operator_class, kInvalidOid, "btree", kBTreeAccessMethod);
    made->arbiter_classes.push_back(ps.arena, opclass);
  }
  if (node->index_where != nullptr) {
    made->arbiter_where = transform(ps, node->index_where, Clause::index_predicate);
    assign_collations(ps, made->arbiter_where);
  }
  // The item itself was narrowed for the index columns: it is seen whole again.
  ps.name_space = {};
  add_to_namespace(ps, ps.target, false, true, true);
}

void arbiter_of_constraint(ParseState& ps, std::string_view name, OnConflict* made) {
  const catalog::Relation* relation = ps.target->relation;
  for (const catalog::IndexDescriptor* index : relation->indexes) {
    if (!is_valid(index->constraint) || index->name != name) continue;
    made->constraint = index->constraint;
    for (int i = 0; i < index->key_count; ++i)
      if (index->columns[static_cast<std::size_t>(i)] != 0) mark_selected(ps, ps.target->index, index->columns[static_cast<std::size_t>(i)], 0);
    return;
  }
  for (const catalog::CheckConstraint& check : relation->checks)
    if (check.name == name) throw SqlError(sqlstate::wrong_object_type, "constraint in ON CONFLICT clause has no associated index");
  throw SqlError(sqlstate::undefined_object, "constraint \"{}\" for table \"{}\" does not exist", name, relation->name);
}

OnConflict* transform_on_conflict(ParseState& ps, const ast::OnConflictClause* node) {
  auto* made = ps.arena.make<OnConflict>();
  made->do_update = node->do_update;
  if (node->do_update && !node->has_target && node->constraint.empty())
    throw SqlError(sqlstate::syntax_error, "ON CONFLICT DO UPDATE requires inference specification or constraint name")
        .hint("For example, ON CONFLICT (column_name).")
        .at(node->location);
  if (raw(ps.target->relation->oid) < 12000 && ps.target->relation->schema == kPgCatalogNamespace)
    throw SqlError(sqlstate::feature_not_supported, "ON CONFLICT is not supported with system catalog tables").at(node->location);
  if (!node->constraint.empty()) arbiter_of_constraint(ps, node->constraint, made);
  else if (node->has_target) arbiter_of_columns(ps, node, made);
  if (!node->do_update) return made;

  // excluded: the row proposed for insertion.
  ps.is_insert = false;
  NamespaceItem* target = ps.target;
  ast::Alias alias;
  alias.name = "excluded";
  NamespaceItem* excluded = add_relation_entry(ps, catalog::open_relation(target->relation->oid, locking::LockMode::none), alias, false,
                                               locking::LockMode::row_exclusive, -1, false);
  excluded->rte->relation_kind = catalog::relation_kind::composite;
  excluded->rte->required = 0;
  made->excluded_rte = excluded->index;
  List<NamespaceItem*> outer = ps.name_space;
  add_to_namespace(ps, excluded, false, true, true);
  made->set = transform_update_targets(ps, node->set);
  made->where = transform_where(ps, node->where, Clause::where, "WHERE");
  ps.name_space = outer;
  // Reading excluded needs no privilege.
  excluded->rte->required = 0;
  excluded->rte->selected = {};
  return made;
}

}  // namespace

Query* transform_insert(ParseState& ps, const ast::InsertStatement* insert) {
  Arena& arena = ps.arena;
  auto* query = arena.make<Query>();
  query->command = CommandKind::insert;
  ps.is_insert = true;
  if (insert->with != nullptr) transform_with(ps, query, insert->with);
  query->overriding = insert->overriding == ast::Overriding::user_value ? 'u' : insert->overriding == ast::Overriding::system_value ? 's' : '\0';
  bool updates = insert->on_conflict != nullptr && insert->on_conflict->do_update;
  set_target_table(ps, insert->relation, false, false, kAclInsert | (updates ? kAclUpdate : 0));
  query->result_rte = ps.target->index;
  List<InsertColumn> columns = insert_columns(ps, insert->columns);
  List<Expr*> values;
  if (insert->source == nullptr) {
    columns = {};
  } else if (is_general_select(insert->source)) {
    values = transform_row(ps, values_of_select(ps, insert->source), insert->columns, columns, false);
  } else if (insert->source->values.size() > 1) {
    values = transform_row(ps, values_of_rows(ps, insert, columns), insert->columns, columns, false);
  } else {
    values = transform_row(ps, transform_list(ps, insert->source->values[0], Clause::values_single, true), insert->columns, columns, false);
  }
  RangeTableEntry* target = ps.target->rte;
  query->targets.reserve(arena, values.size());
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    query->targets.push_back(arena, make_target(arena, values[i], columns[i].number, arena.copy(columns[i].target->name), false));
    if (!target->inserted.empty() && target->inserted.back() == columns[i].number) continue;
    target->inserted.push_back(arena, columns[i].number);
  }
  if (insert->on_conflict != nullptr || !insert->returning.empty()) {
    ps.name_space = {};
    add_to_namespace(ps, ps.target, false, true, true);
  }
  if (insert->on_conflict != nullptr) query->on_conflict = transform_on_conflict(ps, insert->on_conflict);
  query->returning = transform_returning(ps, insert->returning);
  finish_query(ps, query, nullptr);
  assign_query_collations(ps, query);
  return query;
}

}  // namespace hathi::analyzer
