#pragma once
// Utility statements that change or maintain objects: one door, one file a statement behind it.

#include <string>
#include <string_view>

#include "hathi/parser/ast.h"
#include "hathi/planner/plan.h"

namespace hathi::ddl {

struct UtilityCall {
  const parser::Statement* statement = nullptr;
  std::string_view text;                        // the whole query string the statement's locations refer to
  const planner::BoundParameters* parameters = nullptr;
  bool top_level = true;                        // sent by the client itself, not from a function
  bool may_manage_transactions = false;         // VACUUM and friends: outside a block, alone in its query string
};

// Runs the statement; tag is the command tag, preset to parser::command_tag(). The caller has started the transaction, checked
// the block state and advances the command counter afterwards. Throws 0A000 for statements that are not supported.
void execute(const UtilityCall& call, std::string& tag);

// May the statement run in a read-only transaction? (25006 is raised by the caller with the tag.)
bool is_read_only(const parser::Node* statement);
// Does it need a snapshot while it runs?
bool needs_snapshot(const parser::Node* statement);
// Must it run outside a transaction block (VACUUM, CREATE DATABASE, CREATE INDEX CONCURRENTLY, …)? The tag-like words of the error.
bool refuses_block(const parser::Node* statement, std::string_view& words);

}  // namespace hathi::ddl
