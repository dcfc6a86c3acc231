// The door: which function runs which statement, and what each may not do.

#include "hathi/ddl/utility.h"

#include "hathi/executor/executor.h"
#include "hathi/parser/parser.h"
#include "hathi/wal/log.h"
#include "hathi/catalog/lookup.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

using parser::NodeKind;
using parser::node_cast;

void checkpoint() {
  Oid role = catalog::current_role();
  constexpr Oid kPgCheckpoint{4544};
  if (!catalog::is_superuser(role) && !catalog::is_member_of(role, kPgCheckpoint)) {
    throw SqlError(sqlstate::insufficient_privilege, "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT");
  }
  wal::request_checkpoint({.immediate = true, .wait = true});
}

// Tables, indexes, views, sequences and what hangs on them. False: not one of these.
bool run_relation_statement(const UtilityCall& call, const parser::Node* node, std::string& tag) {
  switch (node->kind) {
    case NodeKind::create_table_statement: create_table(*node_cast<parser::CreateTableStatement>(node), call.text); return true;
    case NodeKind::create_table_as_statement: create_table_as(call, *node_cast<parser::CreateTableAsStatement>(node), tag); return true;
    case NodeKind::alter_table_statement: alter_table(call, *node_cast<parser::AlterTableStatement>(node)); return true;
    case NodeKind::create_index_statement: create_index_statement(call, *node_cast<parser::CreateIndexStatement>(node)); return true;
    case NodeKind::reindex_statement: reindex(call, *node_cast<parser::ReindexStatement>(node)); return true;
    case NodeKind::create_sequence_statement: create_sequence(*node_cast<parser::CreateSequenceStatement>(node), call.text); return true;
    case NodeKind::alter_sequence_statement: alter_sequence(*node_cast<parser::AlterSequenceStatement>(node), call.text); return true;
    case NodeKind::create_view_statement: create_view(call, *node_cast<parser::CreateViewStatement>(node)); return true;
    case NodeKind::refresh_statement: refresh_materialized_view(call, *node_cast<parser::RefreshStatement>(node), tag); return true;
    case NodeKind::create_schema_statement: create_schema(call, *node_cast<parser::CreateSchemaStatement>(node)); return true;
    case NodeKind::drop_statement: drop_objects(*node_cast<parser::DropStatement>(node), call.text); return true;
    case NodeKind::rename_statement: rename_object(*node_cast<parser::RenameStatement>(node), call.text); return true;
    case NodeKind::alter_owner_statement: alter_owner(*node_cast<parser::AlterOwnerStatement>(node), call.text); return true;
    case NodeKind::alter_schema_statement: alter_object_schema(*node_cast<parser::AlterSchemaStatement>(node), call.text); return true;
    case NodeKind::comment_statement: comment_on(*node_cast<parser::CommentStatement>(node), call.text); return true;
    case NodeKind::truncate_statement: truncate(*node_cast<parser::TruncateStatement>(node)); return true;
    case NodeKind::lock_statement: lock_tables(*node_cast<parser::LockStatement>(node)); return true;
    case NodeKind::vacuum_statement: vacuum(call, *node_cast<parser::VacuumStatement>(node), tag); return true;
    case NodeKind::constraints_set_statement: set_constraints_statement(*node_cast<parser::ConstraintsSetStatement>(node)); return true;
    case NodeKind::checkpoint_statement: checkpoint(); return true;
    default: return false;
  }
}

// Roles, privileges, databases, types. False: not one of these.
bool run_other_statement(const UtilityCall& call, const parser::Node* node, std::string& tag) {
  switch (node->kind) {
    case NodeKind::create_role_statement: create_role(*node_cast<parser::CreateRoleStatement>(node)); return true;
    case NodeKind::alter_role_statement: alter_role(*node_cast<parser::AlterRoleStatement>(node)); return true;
    case NodeKind::drop_role_statement: drop_role(*node_cast<parser::DropRoleStatement>(node)); return true;
    case NodeKind::setting_of_statement: store_setting(*node_cast<parser::SettingOfStatement>(node)); return true;
    case NodeKind::alter_system_statement: alter_system(*node_cast<parser::AlterSystemStatement>(node)); return true;
    case NodeKind::grant_statement: grant(*node_cast<parser::GrantStatement>(node), call.text, tag); return true;
    case NodeKind::grant_role_statement: grant_role(*node_cast<parser::GrantRoleStatement>(node)); return true;
    case NodeKind::alter_default_privileges_statement:
      alter_default_privileges(*node_cast<parser::AlterDefaultPrivilegesStatement>(node), call.text);
      return true;
    case NodeKind::reassign_owned_statement: reassign_owned(*node_cast<parser::ReassignOwnedStatement>(node)); return true;
    case NodeKind::drop_owned_statement: drop_owned(*node_cast<parser::DropOwnedStatement>(node)); return true;
    case NodeKind::create_database_statement: create_database(*node_cast<parser::CreateDatabaseStatement>(node), call.text); return true;
    case NodeKind::alter_database_statement: alter_database(*node_cast<parser::AlterDatabaseStatement>(node)); return true;
    case NodeKind::drop_database_statement: drop_database(*node_cast<parser::DropDatabaseStatement>(node)); return true;
    case NodeKind::create_domain_statement: create_domain(*node_cast<parser::CreateDomainStatement>(node), call.text); return true;
    case NodeKind::alter_domain_statement: alter_domain(*node_cast<parser::AlterDomainStatement>(node), call.text); return true;
    case NodeKind::create_enum_statement: create_enum(*node_cast<parser::CreateEnumStatement>(node)); return true;
    case NodeKind::alter_enum_statement: alter_enum(*node_cast<parser::AlterEnumStatement>(node)); return true;
    case NodeKind::create_composite_type_statement: create_composite_type(*node_cast<parser::CreateCompositeTypeStatement>(node), call.text); return true;
    default: return false;
  }
}

}  // namespace

void execute(const UtilityCall& call, std::string& tag) {
  const parser::Node* node = call.statement->node;
  if (run_relation_statement(call, node, tag) || run_other_statement(call, node, tag)) return;
  throw_not_supported(parser::command_tag(node));
}

bool is_read_only(const parser::Node* node) {
  switch (node->kind) {
    case NodeKind::constraints_set_statement:
    case NodeKind::checkpoint_statement:
    case NodeKind::listen_statement:
    case NodeKind::unlisten_statement:
    case NodeKind::notify_statement:
    case NodeKind::load_statement:
    case NodeKind::do_statement:
    case NodeKind::call_statement:
    case NodeKind::vacuum_statement:
    case NodeKind::reindex_statement:
    case NodeKind::cluster_statement:
    case NodeKind::alter_system_statement: return true;
    // Locks up to ROW EXCLUSIVE change nothing; stronger ones are for those who write.
    case NodeKind::lock_statement: return node_cast<parser::LockStatement>(node)->mode <= static_cast<int>(locking::LockMode::row_exclusive);
    default: return false;
  }
}

bool needs_snapshot(const parser::Node* node) {
  switch (node->kind) {
    case NodeKind::lock_statement:
    case NodeKind::constraints_set_statement:
    case NodeKind::checkpoint_statement:
    case NodeKind::listen_statement:
    case NodeKind::notify_statement:
    case NodeKind::unlisten_statement:
    case NodeKind::vacuum_statement: return false;
    default: return true;
  }
}

bool refuses_block(const parser::Node* node, std::string_view& words) {
  switch (node->kind) {
    case NodeKind::vacuum_statement:
      words = "VACUUM";
      return node_cast<parser::VacuumStatement>(node)->is_vacuum;
    case NodeKind::create_database_statement: words = "CREATE DATABASE"; return true;
    case NodeKind::drop_database_statement: words = "DROP DATABASE"; return true;
    case NodeKind::create_tablespace_statement: words = "CREATE TABLESPACE"; return true;
    case NodeKind::drop_tablespace_statement: words = "DROP TABLESPACE"; return true;
    case NodeKind::alter_system_statement: words = "ALTER SYSTEM"; return true;
    case NodeKind::reindex_statement: {
      parser::ReindexKind type = node_cast<parser::ReindexStatement>(node)->type;
      if (is_concurrent(*node_cast<parser::ReindexStatement>(node))) {
        words = "REINDEX CONCURRENTLY";
        return true;
      }
      words = type == parser::ReindexKind::schema ? "REINDEX SCHEMA" : type == parser::ReindexKind::system ? "REINDEX SYSTEM" : "REINDEX DATABASE";
      return type != parser::ReindexKind::index && type != parser::ReindexKind::table;
    }
    case NodeKind::create_index_statement:
      words = "CREATE INDEX CONCURRENTLY";
      return node_cast<parser::CreateIndexStatement>(node)->concurrently;
    case NodeKind::alter_table_statement:
      words = "ALTER TABLE ... DETACH CONCURRENTLY";
      for (const parser::AlterTableCommand* c : node_cast<parser::AlterTableStatement>(node)->commands) {
        if (c->action == parser::AlterTableAction::detach_partition && c->concurrently) return true;
      }
      return false;
    case NodeKind::drop_statement:
      words = "DROP INDEX CONCURRENTLY";
      return node_cast<parser::DropStatement>(node)->concurrently;
    default: return false;
  }
}

}  // namespace hathi::ddl
