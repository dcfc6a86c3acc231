#pragma once
// Inheritance and partitioning as DDL sees them. Bounds, routing and constraints themselves are partition/'s.

#include <string_view>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/parser/ast_ddl.h"
#include "hathi/partition/partition.h"
#include "index_store.h"
#include "table_definition.h"

namespace hathi::ddl {

// Columns that come from the parent(s) before the statement's own. Errors 42804, 42701 with PostgreSQL's texts; NOTICEs of merges.
void inherit_columns_of_parent(const catalog::Relation& parent, const parser::CreateTableStatement& s, std::string_view text, Arena& arena,
                               TableDefinition& definition);
void inherit_columns(const parser::CreateTableStatement& s, Arena& arena, TableDefinition& definition);
void record_inheritance(Oid table, const parser::CreateTableStatement& s);
// Only the row of pg_inherits; with the dependency on the parent.
void insert_inheritance_row(Oid child, Oid parent, int sequence);
void insert_inheritance(Oid child, Oid parent, int sequence, bool is_partition);
// LIKE source INCLUDING …: columns now, indexes and comments when the table exists.
void copy_like(const parser::TableLikeClause& like, std::string_view text, Arena& arena, TableDefinition& definition);
void finish_like(Oid table, const parser::CreateTableStatement& s, std::string_view text);
// PARTITION BY: pg_partitioned_table. check: what can be said before the table exists.
void check_partition_spec(const parser::PartitionSpec& spec);
void store_partition_key(Oid table, const parser::PartitionSpec& spec, std::string_view text);
// A new partition (its row in pg_class has the bound): pg_inherits, the default partition's rows and mark.
void attach_new_partition(Oid table, const catalog::Relation& parent, const partition::Bound& bound);
// pg_inherits and the dependency of a partition; what the parent's row says of its children.
void insert_partition(const catalog::Relation& child, const catalog::Relation& parent, const partition::Bound& bound);
// pg_partitioned_table.partdefid; 0 = none.
void store_default_partition(Oid parent, Oid partition);
// 0 = none.
Oid default_partition_of(Oid parent);
// The partition goes (dropped, detached): its row of pg_inherits, the parent's default mark, what caches know.
void remove_partition(Oid child, Oid parent);
// Locks the parent's default partition, if any, access_exclusive and checks that none of its rows belong to the bound: 23514.
void check_default_partition(const catalog::Relation& parent, const partition::Bound& bound);
// An expression over the parent's columns as one over the child's. Error 0A000 for whole rows.
nodes::Expr* map_columns(const nodes::Expr* e, std::span<const AttrNumber> map, Arena& arena);
// Every index, key and foreign key of the parent gets its counterpart.
void copy_parent_indexes_and_keys(Oid table, const catalog::Relation& parent, bool has_rows);
// An index on a partitioned table and, unless only, on its partitions.
Oid create_partitioned_index(NewIndex index, const catalog::Relation& table, std::string_view text, bool recurse);

// Columns an expression uses, ascending.
std::vector<AttrNumber> used_columns(const nodes::Expr* e);

}  // namespace hathi::ddl
