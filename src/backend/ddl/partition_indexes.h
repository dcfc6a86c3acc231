#pragma once
// Indexes of partitioned tables and of their partitions.

#include "hathi/partition/partition.h"
#include "hathi/parser/ast_statement.h"
#include "index_store.h"

namespace hathi::ddl {

// An index of `other` (which may be the table itself) like one of the table: keys, expressions, predicate, options; no name, constraint or parent.
// index_relation: the index's own relation.
NewIndex same_definition(const catalog::Relation& index_relation, const catalog::Relation& table, const catalog::Relation& other, Arena& arena);
// 0A000 when a unique index or key lacks a column of the partition key. what: "PRIMARY KEY", "UNIQUE".
void check_key_covers_partitioning(const NewIndex& index, const catalog::Relation& table, std::string_view what);
// Each index of the parent gets its counterpart in the child: a matching one that stands alone is taken, else one is made.
void ensure_partition_indexes(const catalog::Relation& parent, Oid child);
// The child's indexes stand alone from now on.
void release_partition_indexes(const catalog::Relation& child);
// ALTER INDEX … ATTACH PARTITION. Error 55000 with its details.
void attach_index_statement(const catalog::Relation& parent_index, const parser::RangeVar& name);
// The key constraint an index implements; 0 = none.
Oid constraint_of_index(Oid index, Oid table);
// The constraint (not) inherited from a parent's: conparentid, conislocal, coninhcount, dependencies.
void set_parent_constraint(Oid constraint, Oid parent_constraint, Oid table);
// Of kinds P and S.
void remove_partition_dependencies(const catalog::ObjectAddress& object);

}  // namespace hathi::ddl
