#pragma once
// Steps of ALTER TABLE and its like, apart from those that rewrite rows. The relation is locked; each step is visible to the next one
// after advance_command() by the caller.

#include <string_view>

#include "hathi/catalog/relation.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::ddl {

// 42809 ALTER action … cannot be performed on relation "x", with the kind in DETAIL; or "x" is not a view, when the statement says so.
void require_statement_kind(const catalog::Relation& relation, const parser::AlterTableStatement& statement);
void require_action_allowed(const catalog::Relation& relation, const parser::AlterTableCommand& command);

// Storage, statistics, compression, options, identity and generation of a column; clustering and replica identity; logged or not and
// tablespace where nothing moves. False: not one of these.
bool run_column_step(Oid relation, const parser::AlterTableCommand& command, std::string_view text);
bool run_table_step(Oid relation, const parser::AlterTableCommand& command);

}  // namespace hathi::ddl
