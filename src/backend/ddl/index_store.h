#pragma once
// Creating an index relation: catalog rows, storage, contents.

#include <string>
#include <string_view>
#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/relation.h"

namespace hathi::ddl {

struct NewIndexColumn {
  AttrNumber column = 0;              // 0: the expression
  nodes::Expr* expression = nullptr;
  std::string name;                   // of the index's column
  Oid operator_class = kInvalidOid, collation = kInvalidOid;   // keys only
  std::int16_t options = 0;           // 1 DESC, 2 NULLS FIRST
};

struct NewIndex {
  Oid table = kInvalidOid;
  std::string name;
  Oid access_method = kBTreeAccessMethod, tablespace = kInvalidOid;
  std::vector<NewIndexColumn> columns;
  int key_count = 0;
  List<nodes::Expr*> predicate;
  bool unique = false, primary = false, nulls_not_distinct = false, immediate = true;
  bool deferrable = false, initially_deferred = false;
  char constraint = '\0';             // p or u: makes a pg_constraint row of the same name too
  std::vector<std::string_view> options;
  bool concurrently = false;          // rows only, not ready, not valid: the caller does the phases
  bool skip_build = false;            // contents come later
  Oid parent_index = kInvalidOid, parent_constraint = kInvalidOid;
  bool is_partitioned = false;        // index of a partitioned table: no storage
  bool is_valid = true;               // partitioned indexes made with ONLY are not valid until all partitions have theirs
};

// Makes the index and visible to this transaction; builds its contents unless told otherwise. The table is locked SHARE or stronger.
Oid create_index(const NewIndex& index);
// The contents of an index as if just created (TRUNCATE): metapages for main and, for unlogged ones, init fork.
void make_index_empty(Oid index);
// Sets reltuples and relpages of a table or index.
void store_relation_size(Oid relation, double rows);
// A pg_constraint row; columns are those of the table. Returns its oid.
struct NewConstraint {
  std::string name;
  Oid schema = kInvalidOid, table = kInvalidOid, domain = kInvalidOid, index = kInvalidOid, parent = kInvalidOid, referenced = kInvalidOid;
  char type = 'c';
  bool deferrable = false, initially_deferred = false, validated = true, is_local = true, no_inherit = false;
  int inherit_count = 0;
  std::vector<AttrNumber> columns, referenced_columns, set_null_columns;
  std::vector<Oid> equal_pk_fk, equal_pk_pk, equal_fk_fk;
  char on_update = ' ', on_delete = ' ', match = ' ';
  const nodes::Expr* check = nullptr;
};
Oid insert_constraint(const NewConstraint& constraint);
// Is the name used by a constraint of the table (or domain)?
bool constraint_name_is_used(Oid table, Oid domain, std::string_view name);
// A name for a constraint without one: table_columns_label, unused in the schema and not among `taken`.
std::string choose_constraint_name(std::string_view name1, std::string_view name2, std::string_view label, Oid schema, const std::vector<std::string>& taken);

}  // namespace hathi::ddl
