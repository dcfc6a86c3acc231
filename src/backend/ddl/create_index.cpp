// CREATE INDEX.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation_locks.h"
#include "hathi/error/report.h"
#include "hathi/nodes/visit.h"
#include "hathi/parser/ast_expression.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "concurrent_index.h"
#include "index_store.h"
#include "object_names.h"
#include "partitions.h"
#include "statements.h"
#include "table_definition.h"
#include "unfilled_indexes.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
constexpr std::size_t kMaxIndexColumns = 32;
// pg_index.indoption bits.
constexpr std::int16_t kDescending = 1, kNullsFirst = 2;

Oid access_method(std::string_view name) {
  if (name.empty() || name == "btree") return kBTreeAccessMethod;
  for (std::string_view other : {"hash", "gist", "gin", "spgist", "brin"}) {
    if (name == other) throw_not_supported(fmt::format("access method \"{}\"", name));
  }
  throw SqlError(sqlstate::undefined_object, "access method \"{}\" does not exist", name);
}

std::int16_t order_options(const parser::IndexElement& e) {
  bool descending = e.direction == parser::SortDirection::descending;
  bool nulls_first = e.nulls == parser::NullsOrder::first || (e.nulls == parser::NullsOrder::unspecified && descending);
  return static_cast<std::int16_t>((descending ? kDescending : 0) | (nulls_first ? kNullsFirst : 0));
}

AttrNumber require_column(const catalog::Relation& r, std::string_view name) {
  if (AttrNumber column = find_column(r, name)) return column;
  throw SqlError(sqlstate::undefined_column, "column \"{}\" does not exist", name);
}

NewIndexColumn key_column(const catalog::Relation& r, const parser::IndexElement& e, std::string_view text, Arena& arena) {
  NewIndexColumn c;
  Oid type = kInvalidOid, collation = kInvalidOid;
  if (e.expr == nullptr) {
    c.column = require_column(r, e.name);
    const Attribute& a = (*r.descriptor)[c.column - 1];
    type = a.type;
    collation = a.collation;
  } else {
    analyzer::ExpressionScope scope = analyzer::scope_of(r);
    nodes::Expr* expression = analyzer::analyze_expression(e.expr, text, arena, &scope, analyzer::Clause::index_expression);
    if (analyzer::volatility_of(expression) != 'i') {
      throw SqlError(sqlstate::invalid_object_definition, "functions in index expression must be marked IMMUTABLE");
    }
    type = nodes::type_of(expression);
    collation = nodes::collation_of(expression);
    if (nodes::is<nodes::Variable>(expression) && nodes::as<nodes::Variable>(expression)->column > 0) {
      c.column = nodes::as<nodes::Variable>(expression)->column;   // "(a)" is just a
    } else {
      c.expression = expression;
    }
  }
  if (!e.collation.empty()) collation = analyzer::resolve_collation(e.collation, e.location);
  bool collatable = is_valid(catalog::type_info(type).collation);
  if (!collatable && !e.collation.empty()) {
    throw SqlError(sqlstate::datatype_mismatch, "collations are not supported by type {}", catalog::format_type(type));
  }
  if (collatable && !is_valid(collation)) {
    throw SqlError(sqlstate::indeterminate_collation, "could not determine which collation to use for index expression")
        .hint("Use the COLLATE clause to set the collation explicitly.");
  }
  c.collation = collation;
  c.operator_class = analyzer::resolve_operator_class(e.operator_class, type, "btree", kBTreeAccessMethod);
  c.options = order_options(e);
  return c;
}

// "lower" for lower(a), "expr" where the expression has no name of its own.
std::string expression_column_name(const parser::Expr* e) {
  if (const auto* call = parser::node_try<parser::FunctionCall>(e)) return std::string(call->name.back());
  if (parser::is<parser::CoalesceExpr>(e)) return "coalesce";
  if (const auto* m = parser::node_try<parser::MinMaxExpr>(e)) return m->greatest ? "greatest" : "least";
  return "expr";
}

// Names of the index's columns: the table's, or from the expression, each once.
void name_columns(NewIndex& n, const catalog::Relation& r, const List<parser::IndexElement*>& elements) {
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < n.columns.size(); ++i) {
    std::string base;
    if (n.columns[i].column != 0) base = std::string((*r.descriptor)[n.columns[i].column - 1].name);
    else base = expression_column_name(elements[i]->expr);
    std::string name = base;
    for (int pass = 1; std::find(taken.begin(), taken.end(), name) != taken.end(); ++pass) {
      std::string number = std::to_string(pass);
      name = base.substr(0, kNameLength - 1 - number.size()) + number;
    }
    taken.push_back(name);
    n.columns[i].name = name;
  }
}

std::string default_index_name(const NewIndex& n, const catalog::Relation& r) {
  std::string columns = joined_names(n.columns, std::mem_fn(&NewIndexColumn::name));
  return choose_relation_name(r.name, columns, "idx", r.schema);
}

void check_table(const catalog::Relation& r) {
  if (r.index != nullptr) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is an index", r.name);
  if (r.kind == kind::composite) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is a composite type", r.name);
  if (r.kind != kind::table && r.kind != kind::materialized_view && r.kind != kind::partitioned_table) {
    std::string_view what = r.kind == kind::view            ? "views"
                            : r.kind == kind::foreign_table ? "foreign tables"
                            : r.kind == kind::sequence      ? "sequences"
                            : r.kind == kind::toast         ? "TOAST tables"
                            : r.kind == kind::composite     ? "composite types"
                                                            : "indexes";
    throw SqlError(sqlstate::wrong_object_type, "cannot create index on relation \"{}\"", r.name)
        .detail(fmt::format("This operation is not supported for {}.", what));
  }
  if (!catalog::is_owner(catalog_oid::pg_class, r.oid, catalog::current_role())) catalog::throw_not_owner("table", r.name);
}

// The phases of CREATE INDEX CONCURRENTLY, each in a transaction of its own.
void build_concurrently(Oid table, Oid index) {
  SessionLocks locks;
  locks.add(table);
  next_transaction();
  // All who do not know of the index yet must be gone; then those who do not write into it.
  catalog::wait_for_relation_lockers(table, locking::LockMode::share);
  build_unready_index(table, index);
  catalog::wait_for_relation_lockers(table, locking::LockMode::share);
  complete_ready_index(table, index);
  store_index_state(index, {.ready = true, .valid = true});
}

}  // namespace

NewIndex define_index(const parser::CreateIndexStatement& s, const catalog::Relation& r, std::string_view text, Arena& arena) {
  NewIndex n;
  n.table = r.oid;
  n.access_method = access_method(s.access_method);
  n.unique = s.unique;
  n.nulls_not_distinct = s.nulls_not_distinct;
  n.concurrently = s.concurrently;
  if (s.elements.size() + s.including.size() > kMaxIndexColumns) {
    throw SqlError(sqlstate::too_many_columns, "cannot use more than {} columns in an index", kMaxIndexColumns);
  }
  for (const parser::IndexElement* e : s.elements) n.columns.push_back(key_column(r, *e, text, arena));
  n.key_count = static_cast<int>(n.columns.size());
  List<parser::IndexElement*> elements;
  elements.append(arena, s.elements);
  for (parser::IndexElement* e : s.including) {
    if (e->expr != nullptr) throw SqlError(sqlstate::feature_not_supported, "expressions are not supported in included columns");
    NewIndexColumn c;
    c.column = require_column(r, e->name);
    n.columns.push_back(c);
    elements.push_back(arena, e);
  }
  name_columns(n, r, elements);
  if (s.where != nullptr) {
    analyzer::ExpressionScope scope = analyzer::scope_of(r);
    nodes::Expr* e = analyzer::analyze_condition(s.where, text, arena, &scope, analyzer::Clause::index_predicate, "WHERE");
    if (analyzer::volatility_of(e) != 'i') throw SqlError(sqlstate::invalid_object_definition, "functions in index predicate must be marked IMMUTABLE");
    if (nodes::is<nodes::BooleanExpr>(e) && nodes::as<nodes::BooleanExpr>(e)->op == nodes::BooleanExpr::Op::and_op)
      n.predicate = nodes::as<nodes::BooleanExpr>(e)->args;
    else n.predicate.push_back(arena, e);
  }
  std::vector<std::string_view> toast;
  n.options = relation_options(s.options, kind::index, toast, arena);
  n.tablespace = resolve_tablespace(s.tablespace, r.persistence);
  n.name = s.name.empty() ? default_index_name(n, r) : std::string(s.name);
  return n;
}

void create_index_statement(const UtilityCall& call, const parser::CreateIndexStatement& s) {
  Arena arena(4096);
  auto mode = s.concurrently ? locking::LockMode::share_update_exclusive : locking::LockMode::share;
  catalog::RelationRef r = analyzer::open_by_name(s.relation, mode);
  require_not_in_use(*r, "CREATE INDEX");
  check_table(*r);
  if (s.concurrently && r->kind == kind::partitioned_table) {
    throw SqlError(sqlstate::feature_not_supported, "cannot create index on partitioned table \"{}\" concurrently", r->name);
  }
  if (s.if_not_exists && !s.name.empty() && is_valid(catalog::find_relation(s.name, r->schema))) {
    report_notice(sqlstate::duplicate_table, "relation \"{}\" already exists, skipping", s.name);
    return;
  }
  NewIndex n = define_index(s, *r, call.text, arena);
  if (r->kind == kind::partitioned_table) {
    create_partitioned_index(std::move(n), *r, call.text, s.relation->inherit);
    return;
  }
  bool concurrently = n.concurrently && r->persistence != 't';
  n.concurrently = concurrently;
  Oid table = r->oid;
  r.reset();
  Oid index = create_index(n);
  if (concurrently) build_concurrently(table, index);
}

}  // namespace hathi::ddl
