#pragma once
// What the files of ALTER TABLE share. A command runs on the named table and, on its own, on the partitions below it.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/expression.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::ddl {

struct UtilityCall;

struct AlterContext {
  std::string_view text;
  bool recurse = true;       // not ONLY
  bool recursing = false;    // on a partition, on behalf of its parent
  AlterContext below() const { return {text, recurse, true}; }
};

// Runs f; errors out of it carry no position: what ALTER TABLE looks at long after the statement was read has none in PostgreSQL either.
template <class F>
auto without_position(F f) -> decltype(f()) {
  try {
    return f();
  } catch (SqlError& error) {
    error.at(-1);
    throw;
  }
}

// Columns (alter_columns.cpp).
void add_column(Oid table, const parser::AlterTableCommand& c, const AlterContext& context);
void drop_column(Oid table, const parser::AlterTableCommand& c, const AlterContext& context);
void change_default(Oid table, const parser::AlterTableCommand& c, const AlterContext& context);
void change_not_null(Oid table, const parser::AlterTableCommand& c, bool not_null, const AlterContext& context);
// alter_column_type.cpp: all such commands of a statement at once, their expressions see the rows as they were.
void change_types(Oid table, std::span<const parser::AlterTableCommand* const> commands, const AlterContext& context);
// Constraints (alter_constraints.cpp).
void add_constraint(Oid table, const parser::AlterTableCommand& c, const AlterContext& context);
void drop_constraint(Oid table, const parser::AlterTableCommand& c, const AlterContext& context);
// Partitions (alter_partitions.cpp).
void attach_partition(Oid parent, const parser::AlterTableCommand& c, const AlterContext& context);
void detach_partition(Oid parent, const parser::AlterTableCommand& c);
void finalize_detach(Oid parent, const parser::AlterTableCommand& c);

AttrNumber column_number(const catalog::Relation& r, std::string_view name);   // 42703
bool has_column(const catalog::Relation& r, std::string_view name);
// Direct partitions, each locked; empty for anything but a partitioned table.
std::vector<Oid> partitions_of(const catalog::Relation& r, locking::LockMode mode);
// The same for those that the statement changes: 55006 when this session is using one.
std::vector<Oid> partitions_to_alter(const catalog::Relation& r, locking::LockMode mode);
bool has_partitions(const catalog::Relation& r);
// 42P16 when a partition lacks NOT NULL on the column: ALTER TABLE ONLY.
void require_not_null_in_partitions(const catalog::Relation& r, std::string_view column);
// Is the column part of the partition key, alone or in an expression?
bool is_in_partition_key(const catalog::Relation& r, AttrNumber column);

// A column computed anew by an expression over the old row.
struct ColumnValue { AttrNumber column = 0; const nodes::Expr* value = nullptr; };
// Every row goes into new storage with the descriptor of now; other values carry over. NOT NULL is looked at (23502), other constraints are
// not. The indexes are built anew; after rewrite_rows() that is left to fill_indexes().
void rewrite_table(Oid table, const TupleDescriptor& old_row, const heap::HeapTable& old_heap, std::span<const ColumnValue> columns, char persistence);
void rewrite_rows(Oid table, const TupleDescriptor& old_row, const heap::HeapTable& old_heap, std::span<const ColumnValue> columns, char persistence);
void fill_indexes(Oid table);

}  // namespace hathi::ddl
