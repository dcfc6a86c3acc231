// CREATE VIEW.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "relation_store.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace w = catalog::pg_rewrite;

// The SELECT rule of a view: dropping a column it uses asks for CASCADE because of its dependencies.
void store_rule(Oid view, const nodes::Query& query) {
  Arena arena(8192);
  Oid oid = kInvalidOid;
  {
    catalog::CatalogTable table(catalog_oid::pg_rewrite, locking::LockMode::row_exclusive);
    auto row = table.find({{w::ev_class, Datum::of(view)}, {w::rulename, name_value(arena, "_RETURN")}}, arena);
    Datum action = text_value(arena, nodes::to_text(&query));
    if (row) {
      oid = row->get(w::oid).as_oid();
      row->set(w::ev_action, action);
      table.update(*row);
    } else {
      oid = catalog::new_oid(catalog_oid::pg_rewrite);
      catalog::CatalogRow fresh = table.new_row();
      fresh.set(w::oid, Datum::of(oid));
      fresh.set(w::rulename, name_value(arena, "_RETURN"));
      fresh.set(w::ev_class, Datum::of(view));
      fresh.set(w::ev_type, Datum::of('1'));
      fresh.set(w::ev_enabled, Datum::of('O'));
      fresh.set(w::is_instead, Datum::of(true));
      fresh.set(w::ev_qual, text_value(arena, "<>"));
      fresh.set(w::ev_action, action);
      table.insert(fresh);
    }
  }
  catalog::ObjectAddress rule{catalog_oid::pg_rewrite, oid, 0};
  catalog::remove_dependencies_of(rule);
  catalog::record_dependency(rule, {catalog_oid::pg_class, view, 0}, catalog::DependencyKind::internal);
  catalog::record_dependencies_on(rule, &query, catalog::DependencyKind::normal);
  update_class_row(view, [](catalog::CatalogRow& row, Arena&) { row.set(catalog::pg_class::relhasrules, Datum::of(true)); });
  transaction::advance_command();
}

std::vector<NewColumn> view_columns(const nodes::Query& query, const parser::CreateViewStatement& s) {
  std::vector<NewColumn> out;
  for (const analyzer::OutputColumn& c : analyzer::output_columns(&query)) {
    NewColumn n;
    n.name = c.name;
    n.type = c.type;
    n.typmod = c.typmod;
    n.collation = c.collation;
    if (is_valid(catalog::type_info(c.type).collation) && !is_valid(c.collation)) {
      throw SqlError(sqlstate::indeterminate_collation, "could not determine which collation to use for view column \"{}\"", c.name)
          .hint("Use the COLLATE clause to set the collation explicitly.");
    }
    out.push_back(n);
  }
  if (s.columns.size() > out.size()) throw SqlError(sqlstate::syntax_error, "CREATE VIEW specifies more column names than columns");
  for (std::size_t i = 0; i < s.columns.size(); ++i) out[i].name = s.columns[i];
  return out;
}

// CREATE OR REPLACE may add columns at the end and change nothing else.
void check_replacement(const catalog::Relation& old, const std::vector<NewColumn>& columns) {
  if (old.kind != kind::view) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a view", old.name);
  if (!catalog::is_owner(catalog_oid::pg_class, old.oid, catalog::current_role())) catalog::throw_not_owner("view", old.name);
  const TupleDescriptor& row = *old.descriptor;
  if (static_cast<int>(columns.size()) < row.count()) throw SqlError(sqlstate::invalid_table_definition, "cannot drop columns from view");
  for (int i = 0; i < row.count(); ++i) {
    const NewColumn& n = columns[static_cast<std::size_t>(i)];
    if (n.name != row[i].name) {
      throw SqlError(sqlstate::invalid_table_definition, "cannot change name of view column \"{}\" to \"{}\"", row[i].name, n.name)
          .hint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.");
    }
    if (n.type != row[i].type || n.typmod != row[i].typmod) {
      throw SqlError(sqlstate::invalid_table_definition, "cannot change data type of view column \"{}\" from {} to {}", row[i].name,
                     catalog::format_type(row[i].type, row[i].typmod), catalog::format_type(n.type, n.typmod));
    }
  }
}

void add_columns(const catalog::Relation& old, const std::vector<NewColumn>& columns) {
  auto first = static_cast<std::size_t>(old.descriptor->count());
  if (columns.size() == first) return;
  Arena arena(2048);
  {
    catalog::CatalogTable table(catalog_oid::pg_attribute, locking::LockMode::row_exclusive);
    for (std::size_t i = first; i < columns.size(); ++i) insert_column(table, old.oid, columns[i], static_cast<AttrNumber>(i + 1), arena);
  }
  update_class_row(
      old.oid, [&](catalog::CatalogRow& row, Arena&) { row.set(catalog::pg_class::relnatts, Datum::of(static_cast<std::int16_t>(columns.size()))); });
  transaction::advance_command();
}

void uses_temporary(const nodes::Query& q, bool& found) {
  for (const nodes::RangeTableEntry* e : q.range_table) {
    if (is_valid(e->relation)) found = found || catalog::open_relation(e->relation, locking::LockMode::none)->persistence == 't';
    if (e->subquery != nullptr) uses_temporary(*e->subquery, found);
  }
  for (const nodes::CommonTableExpr* c : q.ctes) uses_temporary(*c->query, found);
}

}  // namespace

void create_view(const UtilityCall& call, const parser::CreateViewStatement& s) {
  Arena arena;
  analyzer::ParameterTypes types;
  nodes::Query* query = analyzer::analyze_node(s.query, call.text, arena, types, false);
  if (query->command != nodes::CommandKind::select) throw SqlError(sqlstate::syntax_error, "views cannot be unlogged because they do not have storage");
  if (query->has_modifying_cte) throw SqlError(sqlstate::feature_not_supported, "views must not contain data-modifying statements in WITH");
  char persistence = relation_persistence(*s.view);
  if (persistence == 'u') throw SqlError(sqlstate::syntax_error, "views cannot be unlogged because they do not have storage");
  bool temporary = false;
  uses_temporary(*query, temporary);
  if (temporary && persistence == 'p') {
    report_notice(sqlstate::successful_completion, "view \"{}\" will be a temporary view", s.view->name);
    persistence = 't';
  }
  NewRelation r;
  r.schema = schema_for_new(*s.view, persistence);
  r.name = s.view->name;
  r.kind = kind::view;
  r.persistence = persistence;
  r.owner = catalog::current_role();
  r.columns = view_columns(*query, s);
  std::vector<std::string_view> toast;
  r.options = relation_options(s.options, kind::view, toast, arena);
  if (s.check != parser::CheckOption::none) {
    r.options.push_back(s.check == parser::CheckOption::local ? "check_option=local" : "check_option=cascaded");
    std::string reason = analyzer::why_not_updatable(query, true);
    if (!reason.empty()) {
      throw SqlError(sqlstate::feature_not_supported, "WITH CHECK OPTION is supported only on automatically updatable views").hint(reason);
    }
  }
  Oid existing = s.replace ? catalog::find_relation(r.name, r.schema) : kInvalidOid;
  if (!is_valid(existing)) {
    store_rule(create_relation(r), *query);
    return;
  }
  catalog::RelationRef old = catalog::open_relation(existing, locking::LockMode::access_exclusive);
  check_replacement(*old, r.columns);
  add_columns(*old, r.columns);
  store_rule(existing, *query);
  update_class_row(existing, [&](catalog::CatalogRow& row, Arena& values) {
    if (r.options.empty()) row.set_null(catalog::pg_class::reloptions);
    else row.set(catalog::pg_class::reloptions, text_array(values, r.options));
  });
}

}  // namespace hathi::ddl
