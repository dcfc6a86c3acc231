// CREATE TABLE.

#include <algorithm>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "partition_bound.h"
#include "object_names.h"
#include "partitions.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;

// "relation "x" already exists, skipping"; also 42P07 when it may not be skipped.
bool exists_already(const parser::CreateTableStatement& s, Oid schema) {
  if (!is_valid(catalog::find_relation(s.relation->name, schema))) return false;
  if (!s.if_not_exists) throw SqlError(sqlstate::duplicate_table, "relation \"{}\" already exists", s.relation->name);
  report_notice(sqlstate::duplicate_table, "relation \"{}\" already exists, skipping", s.relation->name);
  return true;
}

void collect_elements(const parser::CreateTableStatement& s, std::string_view text, Arena& arena, TableDefinition& definition) {
  for (const parser::Node* element : s.elements) {
    if (const auto* column = parser::node_try<parser::ColumnDef>(element)) {
      if (s.partition_of != nullptr) add_column_options(definition, *column, s.relation->name);
      else add_column_definition(definition, *column, s.relation->name, text, arena);
    } else if (const auto* constraint = parser::node_try<parser::Constraint>(element)) {
      PendingConstraint pending{constraint, {}, false};
      for (std::string_view name : constraint->columns) pending.columns.push_back(name);
      definition.constraints.push_back(pending);
    } else if (const auto* like = parser::node_try<parser::TableLikeClause>(element)) {
      copy_like(*like, text, arena, definition);
    }
  }
}

// Primary-key columns named in a table constraint are NOT NULL from the start.
void mark_key_columns(TableDefinition& definition, std::string_view table) {
  bool seen_primary = false;
  for (const PendingConstraint& pending : definition.constraints) {
    if (pending.syntax->type != parser::ConstraintKind::primary_key) continue;
    if (seen_primary) {
      throw SqlError(sqlstate::invalid_table_definition, "multiple primary keys for table \"{}\" are not allowed", table).at(pending.syntax->location);
    }
    seen_primary = true;
    for (std::string_view name : pending.columns) {
      auto it = std::find_if(definition.columns.begin(), definition.columns.end(), [&](const NewColumn& c) { return c.name == name; });
      if (it != definition.columns.end()) it->not_null = true;
    }
  }
}

void create_sequences(TableDefinition& definition, const NewRelation& relation, std::vector<Oid>& made) {
  for (const PendingSequence& pending : definition.sequences) {
    const NewColumn& column = definition.columns[pending.column];
    made.push_back(create_owned_sequence(relation.name, relation.schema, relation.persistence, relation.owner, column.name, column.type, pending));
  }
}

// DEFAULT and GENERATED expressions may name the table's columns (generated ones), so they follow the table.
void store_defaults(Oid table, const TableDefinition& definition, const std::vector<Oid>& sequences, std::string_view text, Arena& arena) {
  catalog::RelationRef relation = catalog::open_relation(table, locking::LockMode::none);
  analyzer::ExpressionScope scope = analyzer::scope_of(*relation);
  for (std::size_t i = 0; i < definition.columns.size(); ++i) {
    const NewColumn& column = definition.columns[i];
    auto number = static_cast<AttrNumber>(i + 1);
    if (const parser::Constraint* c = definition.defaults[i]) {
      nodes::Expr* e = analyzer::analyze_default(c->expr, text, arena, &scope, column.name, column.type, column.typmod, column.generated);
      if (e != nullptr) store_default(table, number, e, column.generated);
    }
  }
  for (const auto& [number, e] : definition.inherited_defaults)
    store_default(table, number, e, definition.columns[static_cast<std::size_t>(number - 1)].generated);
  for (std::size_t i = 0; i < definition.sequences.size(); ++i) {
    const PendingSequence& pending = definition.sequences[i];
    auto number = static_cast<AttrNumber>(pending.column + 1);
    if (pending.identity == '\0') store_default(table, number, nextval_expression(sequences[i], definition.columns[pending.column].type, arena), '\0');
    own_sequence(sequences[i], table, number, pending.identity != '\0');
  }
}

void check_partition_statement(const parser::CreateTableStatement& s, char persistence, const catalog::Relation& parent) {
  if (parent.kind != kind::partitioned_table) throw SqlError(sqlstate::invalid_object_definition, "\"{}\" is not partitioned", parent.name);
  if (!catalog::is_owner(catalog_oid::pg_class, parent.oid, catalog::current_role())) catalog::throw_not_owner("table", parent.name);
  if (parent.persistence != 't' && persistence == 't') {
    throw SqlError(sqlstate::wrong_object_type, "cannot create a temporary relation as partition of permanent relation \"{}\"", parent.name);
  }
  if (parent.persistence == 't' && persistence != 't') {
    throw SqlError(sqlstate::wrong_object_type, "cannot create a permanent relation as partition of temporary relation \"{}\"", parent.name);
  }
  if (parent.persistence == 't' && parent.is_temporary_of_other) {
    throw SqlError(sqlstate::wrong_object_type, "cannot create as partition of temporary relation of another session");
  }
  require_not_in_use(parent, "CREATE TABLE .. PARTITION OF");
}

}  // namespace

void create_table(const parser::CreateTableStatement& s, std::string_view text) {
  if (!s.server.empty()) throw_not_supported("CREATE FOREIGN TABLE");
  if (s.of_type != nullptr) throw_not_supported("typed tables");
  Arena arena;
  char persistence = relation_persistence(*s.relation);
  if (s.on_commit != parser::OnCommit::none && persistence != 't') {
    throw SqlError(sqlstate::invalid_table_definition, "ON COMMIT can only be used on temporary tables");
  }
  NewRelation relation;
  try {
    relation.schema = schema_for_new(*s.relation, persistence);
  } catch (SqlError& e) {
    if (e.byte_offset() < 0) e.at(s.relation->location);
    throw;
  }
  if (exists_already(s, relation.schema)) return;
  relation.name = s.relation->name;
  relation.persistence = persistence;
  relation.owner = catalog::current_role();
  relation.kind = s.partition_by != nullptr ? kind::partitioned_table : kind::table;
  relation.access_method = relation.kind == kind::table ? kHeapAccessMethod : kInvalidOid;
  if (!s.access_method.empty() && s.access_method != "heap") {
    throw SqlError(sqlstate::undefined_object, "access method \"{}\" does not exist", s.access_method);
  }
  relation.tablespace = resolve_tablespace(s.tablespace, persistence);
  std::vector<std::string_view> toast_options;
  relation.options = relation_options(s.options, relation.kind, toast_options, arena);

  if (s.partition_by != nullptr) {
    if (!s.inherits.empty()) throw SqlError(sqlstate::invalid_object_definition, "cannot create partitioned table as inheritance child");
    check_partition_spec(*s.partition_by);
  }
  TableDefinition definition;
  catalog::RelationRef parent;
  if (s.partition_of != nullptr) {
    parent = analyzer::open_by_name(s.partition_of, locking::LockMode::share_update_exclusive);
    check_partition_statement(s, persistence, *parent);
    inherit_columns_of_parent(*parent, s, text, arena, definition);
  } else {
    inherit_columns(s, arena, definition);
  }
  collect_elements(s, text, arena, definition);
  mark_key_columns(definition, relation.name);
  std::vector<Oid> sequences;
  create_sequences(definition, relation, sequences);
  relation.columns = definition.columns;
  partition::Bound bound;
  std::string bound_text;
  if (parent) {
    bound = read_bound(*parent, *s.bound, text, arena);
    check_bound(*parent, relation.name, *s.bound, bound);
    check_default_partition(*parent, bound);
    bound_text = partition::bound_to_text(bound, partition::key_of(*parent));
    relation.partition_bound = bound_text;
  }
  Oid table = create_relation(relation);
  if (s.partition_by != nullptr) store_partition_key(table, *s.partition_by, text);
  store_defaults(table, definition, sequences, text, arena);
  transaction::advance_command();
  if (parent) attach_new_partition(table, *parent, bound);
  record_inheritance(table, s);
  create_toast_table_if_needed(table);
  if (parent) copy_parent_indexes_and_keys(table, *parent, false);
  create_inherited_checks(table, definition.inherited_checks);
  create_constraints(table, definition.constraints, text, false);
  finish_like(table, s, text);
  if (s.on_commit != parser::OnCommit::none) remember_on_commit(table, s.on_commit);
}

}  // namespace hathi::ddl
