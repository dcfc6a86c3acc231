// FROM: tables, subqueries, functions and joins; which names are visible where.

#include "state.h"

namespace hathi::analyzer {
namespace {

// A FROM item as transformed: its place in the join tree, its own entry, and the entries by which its columns can be named.
struct Item {
  JoinNode* node = nullptr;
  NamespaceItem* own = nullptr;
  List<NamespaceItem*> visible;
};

Item transform_item(ParseState& ps, const ast::Node* node);

JoinNode* reference_to(ParseState& ps, const NamespaceItem* item) {
  auto* reference = ps.arena.make<RangeReference>();
  reference->kind = JoinNodeKind::reference;
  reference->rte = item->index;
  return reference;
}
Item single(ParseState& ps, NamespaceItem* item) {
  Item result;
  result.node = reference_to(ps, item);
  result.own = item;
  result.visible.push_back(ps.arena, item);
  return result;
}

void set_lateral(const List<NamespaceItem*>& items, bool only, bool ok) {
  for (NamespaceItem* item : items) {
    item->lateral_only = only;
    item->lateral_ok = ok;
  }
}

NamespaceItem* transform_table(ParseState& ps, const ast::RangeVar* node) {
  if (node->schema.empty()) {
    int levels_up = 0;
    if (CommonTableExpr* cte = find_cte(ps, node->name, &levels_up)) return add_cte_entry(ps, cte, levels_up, node);
  }
  std::string_view name = node->alias ? node->alias.name : node->name;
  locking::LockMode lock = is_locked_name(ps, name) ? locking::LockMode::row_share : locking::LockMode::access_share;
  return add_relation_entry(ps, open_for_query(ps, node, lock), node->alias, node->inherit, lock, node->location);
}

NamespaceItem* transform_subquery(ParseState& ps, const ast::RangeSubquery* node) {
  Query* query;
  {
    Restore<Clause> clause(ps.clause, Clause::from_subselect);
    Restore<bool> lateral(ps.lateral_active, node->lateral);
    bool locked = ps.locked_from_parent;
    for (const ast::LockingClause* locking : ps.locking) {
      if (locking->relations.empty()) locked = true;
      for (const ast::RangeVar* relation : locking->relations) locked = locked || (node->alias && relation->name == node->alias.name);
    }
    query = transform_sub_statement(ps, node->query, nullptr, locked, true);
  }
  return add_subquery_entry(ps, query, node->alias, node->lateral, true, node->location);
}

// unnest(a, b, …) in FROM means one unnest per argument, side by side.
const ast::FunctionCall* as_multiple_unnest(const ast::Node* node) {
  const auto* call = ast::node_try<ast::FunctionCall>(node);
  if (call == nullptr || call->args.size() < 2 || call->name.size() != 1 || call->name[0] != "unnest") return nullptr;
  if (!call->order_by.empty() || call->filter != nullptr || call->over != nullptr || call->star || call->distinct || call->variadic) return nullptr;
  return call;
}

Expr* transform_from_function(ParseState& ps, const ast::Node* node) {
  Expr* last_srf = ps.last_srf;
  Expr* e = transform(ps, node, Clause::from_function);
  if (ps.last_srf != last_srf && ps.last_srf != e)
    throw SqlError(sqlstate::feature_not_supported, "set-returning functions must appear at top level of FROM").at(location_of(ps.last_srf));
  return e;
}

NamespaceItem* transform_function(ParseState& ps, const ast::RangeFunction* node) {
  List<FunctionRte*> functions;
  List<std::string_view> names;
  List<Expr*> calls;
  auto add = [&](const ast::Node* call) {
    auto* function = ps.arena.make<FunctionRte>();
    function->call = transform_from_function(ps, call);
    functions.push_back(ps.arena, function);
    calls.push_back(ps.arena, function->call);
    names.push_back(ps.arena, figure_name(call));
  };
  auto* spread = ps.arena.make<ast::RangeFunction>(*node);   // one item per function that is really called
  spread->functions = {};
  {
    Restore<bool> lateral(ps.lateral_active, true);
    for (const ast::RangeFunctionItem& item : node->functions) {
      if (const ast::FunctionCall* unnest = as_multiple_unnest(item.call); unnest != nullptr && item.columns.empty()) {
        for (ast::Node* arg : unnest->args) {
          auto* call = ast::make_node<ast::FunctionCall>(ps.arena, unnest->location);
          call->name = unnest->name;
          call->args.push_back(ps.arena, arg);
          add(call);
          spread->functions.push_back(ps.arena, {call, {}});
        }
        continue;
      }
      add(item.call);
      spread->functions.push_back(ps.arena, item);
    }
  }
  if (!node->columns.empty()) {
    int at = node->columns[0]->location;
    if (functions.size() != 1) {
      if (node->rows_from)
        throw SqlError(sqlstate::syntax_error, "ROWS FROM() with multiple functions cannot have a column definition list")
            .hint("Put a separate column definition list for each function inside ROWS FROM().")
            .at(at);
      throw SqlError(sqlstate::syntax_error, "UNNEST() with multiple arguments cannot have a column definition list")
          .hint("Use separate UNNEST() calls inside ROWS FROM(), and attach a column definition list to each one.")
          .at(at);
    }
    if (node->ordinality)
      throw SqlError(sqlstate::syntax_error, "WITH ORDINALITY cannot be used with a column definition list")
          .hint("Put the column definition list inside ROWS FROM().")
          .at(at);
  }
  assign_list_collations(ps, calls);
  bool lateral = node->lateral;
  for (const Expr* call : calls) lateral = lateral || contains_variables_of_level(call, 0);
  return add_function_entry(ps, spread, functions, names, lateral);
}

NamespaceItem* transform_sample(ParseState& ps, const ast::TableSample* node, Item& item) {
  item = transform_item(ps, node->relation);
  RangeTableEntry* rte = item.own->rte;
  char kind = rte->relation_kind;
  if (rte->kind != RteKind::relation || (kind != 'r' && kind != 'm' && kind != 'p'))
    throw SqlError(sqlstate::feature_not_supported, "TABLESAMPLE clause can only be applied to tables and materialized views").at(location_of(node->relation));
  std::string_view method = node->method.back();
  bool in_catalog = node->method.size() == 1 || (node->method.size() == 2 && node->method[0] == "pg_catalog");
  if (!in_catalog || (method != "bernoulli" && method != "system"))
    throw SqlError(sqlstate::undefined_object, "tablesample method {} does not exist", name_text(node->method)).at(node->location);
  if (node->args.size() != 1)
    throw SqlError(sqlstate::invalid_tablesample_argument, "tablesample method {} requires 1 argument, not {}", name_text(node->method), node->args.size())
        .at(node->location);
  auto* sample = ps.arena.make<TableSample>();
  sample->method = ps.arena.copy(method);
  for (const ast::Node* arg : node->args) {
    Expr* e = coerce_to_specific(ps, transform(ps, arg, Clause::from_function), type_oid::float4, "TABLESAMPLE");
    assign_collations(ps, e);
    sample->args.push_back(ps.arena, e);
  }
  if (node->repeatable != nullptr) {
    sample->repeatable = coerce_to_specific(ps, transform(ps, node->repeatable, Clause::from_function), type_oid::float8, "REPEATABLE");
    assign_collations(ps, sample->repeatable);
  }
  rte->sample = sample;
  return item.own;
}

// --- joins ---------------------------------------------------------------------------------------------------------------------

struct Join {
  const ast::JoinExpr* node = nullptr;
  JoinExpr* made = nullptr;
  RangeTableEntry* rte = nullptr;
  Item left, right;
  List<NamespaceItem*> visible;
  List<NamespaceColumn> columns;     // of the join
};

int find_common_column(const NamespaceItem* item, std::string_view name, std::string_view side) {
  int found = -1;
  for (int i = 0; i < item->count; ++i) {
    if (item->columns[i].name != name) continue;
    if (found >= 0) throw SqlError(sqlstate::ambiguous_column, "common column name \"{}\" appears more than once in {} table", name, side);
    found = i;
  }
  if (found < 0) throw SqlError(sqlstate::undefined_column, "column \"{}\" specified in USING clause does not exist in {} table", name, side);
  return found;
}

// The one value of two merged columns.
Expr* merged_column(ParseState& ps, JoinType type, Expr* left, Expr* right) {
  List<Expr*> both;
  both.push_back(ps.arena, left);
  both.push_back(ps.arena, right);
  Oid common = select_common_type(both, "JOIN/USING");
  std::int32_t typmod = select_common_typmod(both, common);
  auto convert = [&](Expr* e) {
    if (type_of(e) != common) return coerce_type(ps.root, e, type_of(e), common, typmod, CoercionContext::implicit, CallForm::implicit_cast, -1);
    if (typmod_of(e) != typmod) return relabel_to(ps.arena, e, common, typmod, CallForm::implicit_cast, -1);
    return e;
  };
  Expr* l = convert(left);
  Expr* r = convert(right);
  Expr* result;
  switch (type) {
    case JoinType::inner: result = is<Variable>(l) ? l : is<Variable>(r) ? r : l; break;
    case JoinType::left: result = l; break;
    case JoinType::right: result = r; break;
    default: {
      auto* either = make<Coalesce>(ps.arena);
      either->type = common;
      either->args.push_back(ps.arena, l);
      either->args.push_back(ps.arena, r);
      result = either;
    }
  }
  assign_collations(ps, result);
  return result;
}

void add_join_column(ParseState& ps, Join& join, const NamespaceColumn& column, Expr* value, int left, int right) {
  join.columns.push_back(ps.arena, column);
  join.rte->column_names.push_back(ps.arena, column.name);
  join.rte->join_columns.push_back(ps.arena, value);
  join.rte->left_columns.push_back(ps.arena, left);
  join.rte->right_columns.push_back(ps.arena, right);
}

void merge_using_columns(ParseState& ps, Join& join, const List<std::string_view>& names, std::vector<bool>& left_used, std::vector<bool>& right_used) {
  std::vector<std::pair<Expr*, Expr*>> inputs;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    for (std::uint32_t k = 0; k < i; ++k)
      if (names[k] == names[i]) throw SqlError(sqlstate::duplicate_column, "column name \"{}\" appears more than once in USING clause", names[i]);
    int l = find_common_column(join.left.own, names[i], "left");
    int r = find_common_column(join.right.own, names[i], "right");
    left_used[static_cast<std::size_t>(l)] = right_used[static_cast<std::size_t>(r)] = true;
    Expr* left = make_column_variable(ps, join.left.own, l, 0, -1);
    Expr* right = make_column_variable(ps, join.right.own, r, 0, -1);
    for (Expr* e : {left, right}) mark_selected(ps, as<Variable>(e)->rte, as<Variable>(e)->column, 0);
    inputs.push_back({left, right});
    Expr* value = merged_column(ps, join.made->type, left, right);
    // When the merged value is one side's column as it is, references go straight there.
    NamespaceColumn column;
    if (value == left) column = join.left.own->columns[l];
    else if (value == right) column = join.right.own->columns[r];
    else column.rte = 0;
    column.name = ps.arena.copy(names[i]);
    column.type = type_of(value);
    column.typmod = typmod_of(value);
    column.collation = collation_of(value);
    add_join_column(ps, join, column, value, l + 1, r + 1);
  }
  join.rte->merged_columns = static_cast<int>(names.size());
  List<Expr*> conditions;
  for (auto [left, right] : inputs)
    conditions.push_back(ps.arena, make_op(ps, "=", {}, copy(left, ps.arena), copy(right, ps.arena), ps.last_srf, -1));
  Expr* condition = conditions.size() == 1 ? conditions[0] : make_boolean(ps.arena, BooleanExpr::Op::and_op, conditions, -1);
  join.made->condition = coerce_to_boolean(ps, condition, "JOIN/USING");
}

void add_remaining_columns(ParseState& ps, Join& join, const NamespaceItem* side, const std::vector<bool>& used, bool is_left) {
  for (int i = 0; i < side->count; ++i) {
    if (used[static_cast<std::size_t>(i)] || side->columns[i].name.empty()) continue;
    Expr* value = make_column_variable(ps, const_cast<NamespaceItem*>(side), i, 0, -1);
    add_join_column(ps, join, side->columns[i], value, is_left ? i + 1 : 0, is_left ? 0 : i + 1);
  }
}

List<std::string_view> natural_columns(ParseState& ps, const Join& join) {
  List<std::string_view> names;
  for (int l = 0; l < join.left.own->count; ++l) {
    std::string_view name = join.left.own->columns[l].name;
    if (name.empty()) continue;
    for (int r = 0; r < join.right.own->count; ++r)
      if (join.right.own->columns[r].name == name) { names.push_back(ps.arena, name); break; }
  }
  return names;
}

Expr* transform_on(ParseState& ps, Join& join) {
  set_lateral(join.visible, false, true);
  List<NamespaceItem*> outer = ps.name_space;
  ps.name_space = join.visible;
  Expr* condition = transform_where(ps, join.node->condition, Clause::join_on, "JOIN/ON");
  ps.name_space = outer;
  return condition;
}

void transform_sides(ParseState& ps, Join& join) {
  const ast::JoinExpr* node = join.node;
  join.left = transform_item(ps, node->left);
  // The left side is visible to LATERAL items of the right one.
  bool lateral_ok = node->type == ast::JoinType::inner || node->type == ast::JoinType::left;
  set_lateral(join.left.visible, true, lateral_ok);
  std::uint32_t before = ps.name_space.size();
  List<NamespaceItem*> outer = ps.name_space;
  List<NamespaceItem*> extended;
  extended.append(ps.arena, outer);
  extended.append(ps.arena, join.left.visible);
  ps.name_space = extended;
  join.right = transform_item(ps, node->right);
  ps.name_space = outer;
  ps.name_space.truncate(before);
  check_namespace_conflicts(ps, join.left.visible, join.right.visible);
  join.visible.append(ps.arena, join.left.visible);
  join.visible.append(ps.arena, join.right.visible);
}

// The join's own entry, by which its alias and its columns are found.
NamespaceItem* add_join_entry(ParseState& ps, Join& join) {
  const ast::JoinExpr* node = join.node;
  join.rte->name = node->alias ? std::string_view() : "unnamed_join";
  apply_alias(ps, join.rte, node->alias, "join expression");
  NamespaceItem* item = add_item(ps, join.rte, nullptr);
  join.made->rte = item->index;
  for (int i = 0; i < item->count; ++i) {
    NamespaceColumn column = join.columns[static_cast<std::size_t>(i)];
    auto number = static_cast<AttrNumber>(i + 1);
    if (node->alias || column.rte == 0) {
      column.source_rte = item->index;
      column.source_column = number;
    }
    if (column.rte == 0) {
      column.rte = item->index;
      column.column = number;
    }
    column.name = join.rte->column_names[static_cast<std::size_t>(i)];
    item->columns[i] = column;
  }
  return item;
}

Item transform_join(ParseState& ps, const ast::JoinExpr* node) {
  Join join;
  join.node = node;
  join.made = ps.arena.make<JoinExpr>();
  join.made->kind = JoinNodeKind::join;
  join.made->type = static_cast<JoinType>(node->type == ast::JoinType::inner  ? JoinType::inner
                                          : node->type == ast::JoinType::left ? JoinType::left
                                          : node->type == ast::JoinType::full ? JoinType::full
                                                                              : JoinType::right);
  join.made->natural = node->natural;
  join.rte = ps.arena.make<RangeTableEntry>();
  join.rte->kind = RteKind::join;
  join.rte->join_type = join.made->type;
  transform_sides(ps, join);
  join.made->left = join.left.node;
  join.made->right = join.right.node;
  List<std::string_view> using_columns = node->natural ? natural_columns(ps, join) : node->using_columns;
  std::vector<bool> left_used(static_cast<std::size_t>(join.left.own->count)), right_used(static_cast<std::size_t>(join.right.own->count));
  if (!using_columns.empty()) merge_using_columns(ps, join, using_columns, left_used, right_used);
  else if (node->condition != nullptr) join.made->condition = transform_on(ps, join);
  for (std::string_view name : using_columns) join.made->using_columns.push_back(ps.arena, ps.arena.copy(name));
  add_remaining_columns(ps, join, join.left.own, left_used, true);
  add_remaining_columns(ps, join, join.right.own, right_used, false);
  NamespaceItem* own = add_join_entry(ps, join);

  Item result;
  result.node = join.made;
  result.own = own;
  if (!node->alias) result.visible = join.visible;
  if (node->using_alias) {
    // USING (…) AS x: x names the merged columns only.
    join.rte->using_alias = ps.arena.copy(node->using_alias.name);
    auto* merged = ps.arena.make<NamespaceItem>(*own);
    merged->name = join.rte->using_alias;
    merged->count = join.rte->merged_columns;
    merged->relation_visible = true;
    merged->columns_visible = false;
    List<NamespaceItem*> one;
    one.push_back(ps.arena, merged);
    check_namespace_conflicts(ps, one, result.visible);
    result.visible.push_back(ps.arena, merged);
  }
  for (NamespaceItem* item : result.visible) item->columns_visible = false;
  own->relation_visible = static_cast<bool>(node->alias);
  own->columns_visible = true;
  result.visible.push_back(ps.arena, own);
  return result;
}

Item transform_item(ParseState& ps, const ast::Node* node) {
  check_stack_depth();
  switch (node->kind) {
    case ast::NodeKind::range_var: return single(ps, transform_table(ps, ast::node_cast<ast::RangeVar>(node)));
    case ast::NodeKind::range_subquery: return single(ps, transform_subquery(ps, ast::node_cast<ast::RangeSubquery>(node)));
    case ast::NodeKind::range_function: return single(ps, transform_function(ps, ast::node_cast<ast::RangeFunction>(node)));
    case ast::NodeKind::join_expr: return transform_join(ps, ast::node_cast<ast::JoinExpr>(node));
    case ast::NodeKind::table_sample: {
      Item item;
      transform_sample(ps, ast::node_cast<ast::TableSample>(node), item);
      return item;
    }
    case ast::NodeKind::range_xml_table: throw_not_supported("XMLTABLE", node->location);
    default: throw SqlError(sqlstate::internal_error, "unrecognized node type: {}", static_cast<int>(node->kind));
  }
}

}  // namespace

void transform_from(ParseState& ps, const List<ast::FromItem*>& from) {
  for (const ast::Node* node : from) {
    Item item = transform_item(ps, node);
    check_namespace_conflicts(ps, ps.name_space, item.visible);
    set_lateral(item.visible, true, true);
    ps.join_list.push_back(ps.arena, item.node);
    ps.name_space.append(ps.arena, item.visible);
  }
  set_lateral(ps.name_space, false, true);
}

void set_target_table(ParseState& ps, const ast::RangeVar* relation, bool inherit, bool also_source, std::uint32_t required) {
  catalog::RelationRef opened = open_for_query(ps, relation, locking::LockMode::row_exclusive);
  NamespaceItem* item = add_relation_entry(ps, std::move(opened), relation->alias, inherit, locking::LockMode::row_exclusive, relation->location, false);
  item->rte->required = required;
  ps.target = item;
  if (also_source) add_to_namespace(ps, item, true, true, true);
}

}  // namespace hathi::analyzer
