#pragma once
// CREATE TABLE and ADD COLUMN / ADD CONSTRAINT share these steps: from syntax to columns and constraints.

#include <string>
#include <string_view>
#include <vector>

#include "hathi/analyzer/analyze.h"
#include "hathi/parser/ast_ddl.h"
#include "index_store.h"
#include "relation_store.h"

namespace hathi::ddl {

// A constraint as found, columns by name, not yet made.
struct PendingConstraint {
  const parser::Constraint* syntax = nullptr;
  std::vector<std::string_view> columns;       // keys and foreign keys; the column of a column constraint
  bool of_column = false;
};

// A column that owns a sequence: serial, identity.
struct PendingSequence {
  std::size_t column = 0;
  char identity = '\0';                        // '\0' = serial
  const parser::OptionList* options = nullptr;
  int location = -1;
};

// A CHECK of a parent, with the new table's column numbers.
struct InheritedCheck {
  std::string name;
  const nodes::Expr* expr = nullptr;
};

// What a list of table elements says.
struct TableDefinition {
  std::vector<NewColumn> columns;
  std::vector<const parser::Constraint*> defaults;        // by column: DEFAULT or GENERATED, null = none
  std::vector<PendingConstraint> constraints;
  std::vector<PendingSequence> sequences;
  std::vector<std::pair<AttrNumber, const nodes::Expr*>> inherited_defaults;
  std::vector<InheritedCheck> inherited_checks;
  std::vector<std::size_t> with_options;                  // inherited columns that got options
};

// Adds one column with its constraints. Errors: 42601 conflicting NULL/NOT NULL, multiple defaults …, with positions.
void add_column_definition(TableDefinition& definition, const parser::ColumnDef& column, std::string_view table, std::string_view text, Arena& arena);

// The options of a column that is there already (partitions: a column without type). Errors 42703, 42701, 0A000.
void add_column_options(TableDefinition& definition, const parser::ColumnDef& column, std::string_view table);

// Makes the constraints of a table that exists: primary key and unique ones with their indexes, checks, foreign keys last.
// validate: rows may exist (ALTER TABLE): they are checked. recurse: partitions get theirs, too (else 42P16 when there are some).
void create_constraints(Oid table, const std::vector<PendingConstraint>& constraints, std::string_view text, bool validate, bool recurse = true);
// One foreign key: resolves columns and operators, inserts the constraint, checks the rows. Errors 42830, 42804 with details.
Oid create_foreign_key(Oid table, const PendingConstraint& constraint, bool validate, bool recurse);
// One check constraint; returns its oid, 0 when an inherited one was merged.
Oid create_check(Oid table, const PendingConstraint& constraint, std::string_view text, bool validate, bool recurse, std::vector<std::string>& taken);
// A check becomes inherited from the parent, or local.
void set_check_inherited(Oid constraint, bool inherited);
// A check from an expression over the table, with a name of its own, on its partitions too; rows are not looked at.
void add_check(Oid table, const nodes::Expr* e);
// The checks that come from parents.
void create_inherited_checks(Oid table, const std::vector<InheritedCheck>& checks);
// Primary key or unique: the index with its constraint.
Oid create_key(Oid table, const PendingConstraint& constraint, std::string_view text, bool recurse);

// The sequence of a serial or identity column: made before the table (serial's default names it), owned by the column afterwards.
Oid create_owned_sequence(std::string_view table, Oid schema, char persistence, Oid owner, std::string_view column, Oid type, const PendingSequence& pending);
void own_sequence(Oid sequence, Oid table, AttrNumber column, bool identity);

// WITH (fillfactor = …): "name=value" texts, checked. Errors 22023 unrecognized parameter, out of bounds. toast.* go to toast_options.
std::vector<std::string_view> relation_options(const parser::OptionList& options, char relation_kind, std::vector<std::string_view>& toast_options,
                                               Arena& arena);
Oid resolve_tablespace(std::string_view name, char persistence);

}  // namespace hathi::ddl
