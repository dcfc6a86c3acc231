#pragma once
// Inheritance and partitioning as DDL sees them. Bounds, routing and constraints themselves are partition/'s.

#include <string_view>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/parser/ast_ddl.h"
#include "index_store.h"
#include "table_definition.h"

namespace hathi::ddl {

// The lock CREATE TABLE … PARTITION OF takes on the parent: share_update_exclusive, or stronger with a default partition.
locking::LockMode partition_parent_lock(const parser::CreateTableStatement& s);
// Columns that come from the parent(s) before the statement's own. Errors 42804, 42701 with PostgreSQL's texts; NOTICEs of merges.
void inherit_columns_of_parent(const catalog::Relation& parent, const parser::CreateTableStatement& s, std::string_view text, Arena& arena,
                               TableDefinition& definition);
void inherit_columns(const parser::CreateTableStatement& s, Arena& arena, TableDefinition& definition);
void record_inheritance(Oid table, const parser::CreateTableStatement& s);
void insert_inheritance(Oid child, Oid parent, int sequence, bool is_partition);
// LIKE source INCLUDING …: columns now, indexes and comments when the table exists.
void copy_like(const parser::TableLikeClause& like, std::string_view text, Arena& arena, TableDefinition& definition);
void finish_like(Oid table, const parser::CreateTableStatement& s, std::string_view text);
// PARTITION BY: pg_partitioned_table.
void store_partition_key(Oid table, const parser::PartitionSpec& spec, std::string_view text);
// Bound of a new partition: checks overlap, stores relpartbound, pg_inherits, the default partition's rows.
void attach_new_partition(Oid table, const catalog::Relation& parent, const parser::PartitionBound& bound, std::string_view text);
// Every index, key and foreign key of the parent gets its counterpart.
void copy_parent_indexes_and_keys(Oid table, const catalog::Relation& parent);
// An index on a partitioned table and, unless only, on its partitions.
Oid create_partitioned_index(NewIndex index, const catalog::Relation& table, std::string_view text, bool recurse);

// Columns an expression uses, ascending.
std::vector<AttrNumber> used_columns(const nodes::Expr* e);

}  // namespace hathi::ddl
