// Range-table entries: the relations, subqueries, functions, … that a query reads, with the columns they offer.

#include "state.h"

namespace hathi::analyzer {
namespace {

RangeTableEntry* new_entry(ParseState& ps, RteKind kind) {
  auto* rte = ps.arena.make<RangeTableEntry>();
  rte->kind = kind;
  return rte;
}

void set_types(RangeTableEntry* rte, NamespaceColumn* columns, int count) {
  for (int i = 0; i < count; ++i) {
    columns[i].type = rte->types[static_cast<std::size_t>(i)];
    columns[i].typmod = rte->typmods[static_cast<std::size_t>(i)];
    columns[i].collation = rte->collations[static_cast<std::size_t>(i)];
  }
}

void add_column(ParseState& ps, RangeTableEntry* rte, std::string_view name, Oid type, std::int32_t typmod, Oid collation) {
  rte->column_names.push_back(ps.arena, name);
  rte->types.push_back(ps.arena, type);
  rte->typmods.push_back(ps.arena, typmod);
  rte->collations.push_back(ps.arena, collation);
}

std::string_view relation_kind_problem(char kind) {
  using namespace catalog::relation_kind;   // NOLINT
  if (kind == index || kind == partitioned_index) return "an index";
  if (kind == composite) return "a composite type";
  return {};
}

// The names of a relation's columns, one copy in the arena for all.
void copy_column_names(ParseState& ps, RangeTableEntry* rte, const TupleDescriptor& row) {
  std::size_t size = 0;
  for (const Attribute& column : row.attributes) size += column.name.size();
  char* text = static_cast<char*>(ps.arena.allocate(size + 1, 1));
  rte->column_names.reserve(ps.arena, static_cast<std::uint32_t>(row.count()));
  for (const Attribute& column : row.attributes) {
    if (column.dropped) { rte->column_names.push_back(ps.arena, {}); continue; }
    std::memcpy(text, column.name.data(), column.name.size());
    rte->column_names.push_back(ps.arena, {text, column.name.size()});
    text += column.name.size();
  }
}

}  // namespace

void apply_alias(ParseState& ps, RangeTableEntry* rte, const ast::Alias& alias, std::string_view kind) {
  if (!alias) return;
  rte->has_alias = true;
  rte->name = ps.arena.copy(alias.name);
  std::uint32_t visible = 0;
  for (std::string_view& name : rte->column_names) {
    if (name.empty() && rte->kind == RteKind::relation) continue;   // dropped
    if (visible < alias.columns.size()) name = ps.arena.copy(alias.columns[visible]);
    ++visible;
  }
  for (std::string_view name : alias.columns) rte->alias_columns.push_back(ps.arena, ps.arena.copy(name));
  if (alias.columns.size() > visible)
    throw SqlError(sqlstate::invalid_column_reference, "{} \"{}\" has {} columns available but {} columns specified", kind, alias.name, visible,
                   alias.columns.size());
}

NamespaceItem* add_item(ParseState& ps, RangeTableEntry* rte, const catalog::Relation* relation) {
  ps.range_table.push_back(ps.arena, rte);
  auto* item = ps.arena.make<NamespaceItem>();
  item->name = rte->name;
  item->rte = rte;
  item->index = static_cast<int>(ps.range_table.size());
  item->relation = relation;
  item->count = static_cast<int>(rte->column_names.size());
  item->columns = ps.arena.make_array<NamespaceColumn>(rte->column_names.size());
  for (int i = 0; i < item->count; ++i) {
    NamespaceColumn& column = item->columns[i];
    column.name = rte->column_names[static_cast<std::size_t>(i)];
    column.rte = column.source_rte = item->index;
    column.column = column.source_column = static_cast<AttrNumber>(i + 1);
  }
  if (rte->kind == RteKind::relation) {
    for (int i = 0; i < item->count; ++i) {
      const Attribute& attribute = (*relation->descriptor)[i];
      item->columns[i].type = attribute.type;
      item->columns[i].typmod = attribute.typmod;
      item->columns[i].collation = attribute.collation;
    }
  } else if (rte->kind != RteKind::join) {
    set_types(rte, item->columns, item->count);
  }
  ps.items.push_back(ps.arena, item);
  return item;
}

catalog::RelationRef open_for_query(ParseState& ps, const ast::RangeVar* name, locking::LockMode mode) {
  catalog::RelationRef relation;
  try {
    relation = open_by_name(name, mode, true);
  } catch (SqlError& error) {
    rethrow_at(error, name->location);
  }
  if (!relation) {
    if (!name->schema.empty())
      throw SqlError(sqlstate::undefined_table, "relation \"{}.{}\" does not exist", name->schema, name->name).at(name->location);
    SqlError error(sqlstate::undefined_table, "relation \"{}\" does not exist", name->name);
    error.at(name->location);
    if (is_future_cte(ps, name->name))
      error.detail(fmt::format("There is a WITH item named \"{}\", but it cannot be referenced from this part of the query.", name->name))
          .hint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.");
    throw error;
  }
  std::string_view problem = relation_kind_problem(relation->kind);
  if (!problem.empty()) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is {}", relation->name, problem).at(name->location);
  return relation;
}

NamespaceItem* add_relation_entry(ParseState& ps, catalog::RelationRef relation, const ast::Alias& alias, bool inherit, locking::LockMode lock,
                                  int location, bool in_from, std::string_view implicit_alias) {
  const catalog::Relation* r = relation.get();
  ps.root.relations.push_back(std::move(relation));
  RangeTableEntry* rte = new_entry(ps, RteKind::relation);
  rte->name = ps.arena.copy(implicit_alias.empty() ? r->name : implicit_alias);
  rte->has_alias = !implicit_alias.empty();
  rte->relation = r->oid;
  rte->relation_kind = r->kind;
  rte->lock_mode = static_cast<std::uint8_t>(lock);
  rte->inherit = inherit;
  rte->in_from = in_from;
  rte->required = kAclSelect;
  copy_column_names(ps, rte, *r->descriptor);
  try {
    apply_alias(ps, rte, alias, "table");
  } catch (SqlError& error) {
    rethrow_at(error, -1);
  }
  (void)location;
  return add_item(ps, rte, r);
}

NamespaceItem* add_subquery_entry(ParseState& ps, Query* query, const ast::Alias& alias, bool lateral, bool in_from, int location) {
  (void)location;
  RangeTableEntry* rte = new_entry(ps, RteKind::subquery);
  rte->subquery = query;
  rte->lateral = lateral;
  rte->in_from = in_from;
  rte->name = alias ? std::string_view() : "unnamed_subquery";
  for (const TargetEntry* t : query->targets) {
    if (!t->junk) add_column(ps, rte, t->name, type_of(t->expr), typmod_of(t->expr), collation_of(t->expr));
  }
  apply_alias(ps, rte, alias, "table");
  return add_item(ps, rte, nullptr);
}

NamespaceItem* add_values_entry(ParseState& ps, const List<List<Expr*>>& values, const List<Oid>& types, const List<std::int32_t>& typmods,
                                const List<Oid>& collations, const ast::Alias& alias, bool lateral, bool in_from) {
  RangeTableEntry* rte = new_entry(ps, RteKind::values);
  rte->values = values;
  rte->lateral = lateral;
  rte->in_from = in_from;
  rte->name = "*VALUES*";
  for (std::uint32_t i = 0; i < types.size(); ++i)
    add_column(ps, rte, ps.arena.copy("column" + std::to_string(i + 1)), types[i], typmods[i], collations[i]);
  apply_alias(ps, rte, alias, "VALUES lists");
  return add_item(ps, rte, nullptr);
}

NamespaceItem* add_cte_entry(ParseState& ps, CommonTableExpr* cte, int levels_up, const ast::RangeVar* name) {
  RangeTableEntry* rte = new_entry(ps, RteKind::cte);
  rte->cte_name = cte->name;
  rte->cte_levels_up = levels_up;
  rte->name = cte->name;
  // Not analysed yet: a reference from inside itself.
  rte->self_reference = cte->query == nullptr;
  if (!rte->self_reference) ++cte->reference_count;
  if (cte->query != nullptr && cte->query->command != CommandKind::select && cte->query->returning.empty())
    throw SqlError(sqlstate::feature_not_supported, "WITH query \"{}\" does not have a RETURNING clause", cte->name).at(name->location);
  for (std::uint32_t i = 0; i < cte->column_names.size(); ++i)
    add_column(ps, rte, cte->column_names[i], cte->types[i], cte->typmods[i], cte->collations[i]);
  apply_alias(ps, rte, name->alias, "table");
  return add_item(ps, rte, nullptr);
}

namespace {

// The one column of a function that returns a simple value.
std::string_view scalar_column_name(ParseState& ps, const FunctionRte* function, std::string_view function_name, const ast::Alias& alias, bool only) {
  if (is<FunctionExpr>(function->call)) {
    const FunctionInfo& info = catalog::function_info(as<FunctionExpr>(function->call)->function);
    // A single OUT parameter with a name gives the column its name.
    std::string_view out;
    int count = 0;
    for (std::size_t i = 0; i < info.modes.size(); ++i) {
      if (info.modes[i] != 'o' && info.modes[i] != 'b' && info.modes[i] != 't') continue;
      ++count;
      if (i < info.names.size()) out = info.names[i];
    }
    if (count == 1 && !out.empty()) return ps.arena.copy(out);
  }
  if (only && alias) return ps.arena.copy(alias.name);
  return function_name;
}

void define_columns(ParseState& ps, FunctionRte* function, const List<ast::ColumnDef*>& columns) {
  for (const ast::ColumnDef* def : columns) {
    if (def->type->set_of)
      throw SqlError(sqlstate::invalid_table_definition, "column \"{}\" cannot be declared SETOF", def->name).at(def->location);
    ResolvedType type = resolve_type_name(ps.root, def->type, false);
    for (std::string_view earlier : function->names)
      if (earlier == def->name) throw SqlError(sqlstate::duplicate_column, "column name \"{}\" specified more than once", def->name);
    if (type_info(type.type).kind == 'p' && type.type != type_oid::record)
      throw SqlError(sqlstate::invalid_table_definition, "column \"{}\" has pseudo-type {}", def->name, catalog::format_type(type.type));
    function->names.push_back(ps.arena, ps.arena.copy(def->name));
    function->types.push_back(ps.arena, type.type);
    function->typmods.push_back(ps.arena, type.typmod);
    function->collations.push_back(ps.arena, resolve_column_collation(def->collation, def->collation_location, type.type));
  }
  function->has_definition = true;
  function->returns_composite = true;
}

int location_of_columns(const List<ast::ColumnDef*>& columns) { return columns.empty() ? -1 : columns[0]->location; }

}  // namespace

// What the columns of one function in FROM are.
static void describe_function(ParseState& ps, FunctionRte* function, std::string_view function_name, const List<ast::ColumnDef*>& definition,
                              const ast::Alias& alias, bool only) {
  Expr* call = function->call;
  Oid type = type_of(call);
  bool named = is_complex(type);
  const TupleDescriptor* row = named || type == type_oid::record ? row_descriptor_of(ps, call) : nullptr;
  if (!definition.empty()) {
    int at = location_of_columns(definition);
    if (named) throw SqlError(sqlstate::syntax_error, "a column definition list is redundant for a function returning a named composite type").at(at);
    if (type != type_oid::record)
      throw SqlError(sqlstate::syntax_error, "a column definition list is only allowed for functions returning \"record\"").at(at);
    if (row != nullptr) throw SqlError(sqlstate::syntax_error, "a column definition list is redundant for a function with OUT parameters").at(at);
    define_columns(ps, function, definition);
  } else if (row != nullptr) {
    function->returns_composite = true;
    for (const Attribute& column : row->attributes) {
      function->names.push_back(ps.arena, column.dropped ? std::string_view() : ps.arena.copy(column.name));
      function->types.push_back(ps.arena, column.dropped ? type_oid::int4 : column.type);
      function->typmods.push_back(ps.arena, column.typmod);
      function->collations.push_back(ps.arena, column.collation);
    }
  } else if (type == type_oid::record) {
    throw SqlError(sqlstate::syntax_error, "a column definition list is required for functions returning \"record\"").at(location_of(call));
  } else {
    const TypeInfo& info = type_info(type);
    if (info.kind == 'p' && type != type_oid::void_ && type != type_oid::cstring)
      throw SqlError(sqlstate::datatype_mismatch, "function \"{}\" in FROM has unsupported return type {}", function_name, catalog::format_type(type))
          .at(location_of(call));
    function->names.push_back(ps.arena, scalar_column_name(ps, function, function_name, alias, only));
    function->types.push_back(ps.arena, type);
    function->typmods.push_back(ps.arena, typmod_of(call));
    function->collations.push_back(ps.arena, collation_of(call));
  }
  function->column_count = static_cast<int>(function->names.size());
}

NamespaceItem* add_function_entry(ParseState& ps, const ast::RangeFunction* node, const List<FunctionRte*>& functions,
                                  const List<std::string_view>& function_names, bool lateral) {
  RangeTableEntry* rte = new_entry(ps, RteKind::function);
  rte->functions = functions;
  rte->lateral = lateral;
  rte->ordinality = node->ordinality;
  rte->name = ps.arena.copy(function_names[0]);
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    FunctionRte* function = functions[i];
    const List<ast::ColumnDef*>& definition = node->functions[i].columns.empty() ? (functions.size() == 1 ? node->columns : node->functions[i].columns)
                                                                                 : node->functions[i].columns;
    describe_function(ps, function, ps.arena.copy(function_names[i]), definition, node->alias, functions.size() == 1);
    for (int c = 0; c < function->column_count; ++c) {
      auto n = static_cast<std::size_t>(c);
      add_column(ps, rte, function->names[n], function->types[n], function->typmods[n], function->collations[n]);
    }
  }
  if (rte->ordinality) add_column(ps, rte, "ordinality", type_oid::int8, -1, kInvalidOid);
  apply_alias(ps, rte, node->alias, "table");
  return add_item(ps, rte, nullptr);
}

void check_namespace_conflicts(ParseState& ps, const List<NamespaceItem*>& left, const List<NamespaceItem*>& right) {
  (void)ps;
  for (const NamespaceItem* a : left) {
    if (!a->relation_visible) continue;
    for (const NamespaceItem* b : right) {
      if (!b->relation_visible || a->name != b->name) continue;
      // The same name is fine for two plain tables of different schemas.
      if (a->rte->kind == RteKind::relation && !a->rte->has_alias && b->rte->kind == RteKind::relation && !b->rte->has_alias &&
          a->rte->relation != b->rte->relation)
        continue;
      throw SqlError(sqlstate::duplicate_alias, "table name \"{}\" specified more than once", a->name);
    }
  }
}

void add_to_namespace(ParseState& ps, NamespaceItem* item, bool to_join_list, bool relation_visible, bool columns_visible) {
  if (to_join_list) {
    auto* reference = ps.arena.make<RangeReference>();
    reference->kind = JoinNodeKind::reference;
    reference->rte = item->index;
    ps.join_list.push_back(ps.arena, reference);
  }
  if (relation_visible || columns_visible) {
    item->relation_visible = relation_visible;
    item->columns_visible = columns_visible;
    item->lateral_only = false;
    item->lateral_ok = true;
    ps.name_space.push_back(ps.arena, item);
  }
}

CommonTableExpr* find_cte(ParseState& start, std::string_view name, int* levels_up) {
  *levels_up = 0;
  for (ParseState* ps = &start; ps != nullptr; ps = ps->parent, ++*levels_up)
    for (CommonTableExpr* cte : ps->ctes) if (cte->name == name) return cte;
  return nullptr;
}

bool is_future_cte(ParseState& start, std::string_view name) {
  for (ParseState* ps = &start; ps != nullptr; ps = ps->parent)
    for (const ast::CommonTableExpr* cte : ps->future_ctes) if (cte->name == name) return true;
  return false;
}

bool is_locked_name(ParseState& ps, std::string_view name) {
  if (ps.locked_from_parent) return true;
  for (const ast::LockingClause* clause : ps.locking) {
    if (clause->relations.empty()) return true;
    for (const ast::RangeVar* relation : clause->relations) if (relation->name == name) return true;
  }
  return false;
}

}  // namespace hathi::analyzer
