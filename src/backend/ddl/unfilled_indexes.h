#pragma once
// Indexes whose contents come after their rows in the catalogs: the table is written anew in between, or expressions are looked at first.
// NewIndex::skip_build makes them, of partitions too.

#include <string_view>

#include "hathi/parser/ast_statement.h"
#include "index_store.h"

namespace hathi::ddl {

struct PendingConstraint;

// What CREATE INDEX says, resolved; nothing is made.
NewIndex define_index(const parser::CreateIndexStatement& s, const catalog::Relation& r, std::string_view text, Arena& arena);
// As create_key(), for the table and its partitions.
Oid create_unfilled_key(Oid table, const PendingConstraint& constraint, std::string_view text);
// As replace_storage(), but indexes are left without a page.
void replace_storage_unfilled(Oid relation, char persistence);
// The contents of an index that has none, from the rows of its table; sizes of both. 23505.
void fill_index(Oid index);

}  // namespace hathi::ddl
