#pragma once
// Foreign keys: one row of pg_constraint for the key as written, one for each partition of the referencing table (it checks that
// partition's rows) and one for each partition of the referenced table (it watches that partition's rows).

#include <string>
#include <vector>

#include "hathi/catalog/relation.h"
#include "index_store.h"

namespace hathi::ddl {

// Which of the two tables gets its internal triggers for a row of pg_constraint.
enum class KeySide : std::uint8_t { both, referencing, referenced };

// The row, its triggers, relhastriggers; visible afterwards. parent_is_same_table: the parent constraint is the key whose referenced table's
// partition this row stands for.
Oid insert_foreign_key(const NewConstraint& n, KeySide side);

// Rows for the partitions of the referenced table, below the constraint `parent` = n's own.
void watch_referenced_partitions(Oid parent, const NewConstraint& n);
// Rows for the partitions of the referencing table; matching keys that stand alone are taken. validate: rows are looked at.
void add_to_referencing_partitions(Oid parent, const NewConstraint& n, bool validate);
// A table became a partition: it takes part in its parent's keys, and in the keys of others to its parent.
void clone_foreign_keys(const catalog::Relation& parent, Oid child, bool validate);
// 23503 when others refer to rows of the partition that is to be detached.
void check_no_references(const catalog::Relation& child);
// A table is no partition any more: inherited keys become its own, keys to it go.
void release_foreign_keys(const catalog::Relation& parent, Oid child);

}  // namespace hathi::ddl
