// What a statement is called, and how much log_statement cares.

#include "hathi/parser/ast_ddl.h"
#include "hathi/parser/parser.h"

namespace hathi::parser {

namespace {

enum class Verb { create, alter, drop };

struct ObjectTags {
  ObjectType type;
  const char* alter;
  const char* drop;
};
constexpr ObjectTags kObjectTags[] = {
    {ObjectType::access_method, "ALTER ACCESS METHOD", "DROP ACCESS METHOD"},
    {ObjectType::aggregate, "ALTER AGGREGATE", "DROP AGGREGATE"},
    {ObjectType::attribute, "ALTER TYPE", "DROP TYPE"},
    {ObjectType::cast, "ALTER CAST", "DROP CAST"},
    {ObjectType::collation, "ALTER COLLATION", "DROP COLLATION"},
    {ObjectType::column, "ALTER TABLE", "DROP TABLE"},
    {ObjectType::constraint_on_domain, "ALTER DOMAIN", "DROP DOMAIN"},
    {ObjectType::constraint_on_table, "ALTER TABLE", "DROP TABLE"},
    {ObjectType::conversion, "ALTER CONVERSION", "DROP CONVERSION"},
    {ObjectType::database, "ALTER DATABASE", "DROP DATABASE"},
    {ObjectType::domain, "ALTER DOMAIN", "DROP DOMAIN"},
    {ObjectType::event_trigger, "ALTER EVENT TRIGGER", "DROP EVENT TRIGGER"},
    {ObjectType::extension, "ALTER EXTENSION", "DROP EXTENSION"},
    {ObjectType::foreign_data_wrapper, "ALTER FOREIGN DATA WRAPPER", "DROP FOREIGN DATA WRAPPER"},
    {ObjectType::foreign_server, "ALTER SERVER", "DROP SERVER"},
    {ObjectType::foreign_table, "ALTER FOREIGN TABLE", "DROP FOREIGN TABLE"},
    {ObjectType::function, "ALTER FUNCTION", "DROP FUNCTION"},
    {ObjectType::index, "ALTER INDEX", "DROP INDEX"},
    {ObjectType::language, "ALTER LANGUAGE", "DROP LANGUAGE"},
    {ObjectType::large_object, "ALTER LARGE OBJECT", "DROP LARGE OBJECT"},
    {ObjectType::materialized_view, "ALTER MATERIALIZED VIEW", "DROP MATERIALIZED VIEW"},
    {ObjectType::operator_, "ALTER OPERATOR", "DROP OPERATOR"},
    {ObjectType::operator_class, "ALTER OPERATOR CLASS", "DROP OPERATOR CLASS"},
    {ObjectType::operator_family, "ALTER OPERATOR FAMILY", "DROP OPERATOR FAMILY"},
    {ObjectType::policy, "ALTER POLICY", "DROP POLICY"},
    {ObjectType::procedure, "ALTER PROCEDURE", "DROP PROCEDURE"},
    {ObjectType::publication, "ALTER PUBLICATION", "DROP PUBLICATION"},
    {ObjectType::role, "ALTER ROLE", "DROP ROLE"},
    {ObjectType::routine, "ALTER ROUTINE", "DROP ROUTINE"},
    {ObjectType::rule, "ALTER RULE", "DROP RULE"},
    {ObjectType::schema, "ALTER SCHEMA", "DROP SCHEMA"},
    {ObjectType::sequence, "ALTER SEQUENCE", "DROP SEQUENCE"},
    {ObjectType::statistics, "ALTER STATISTICS", "DROP STATISTICS"},
    {ObjectType::subscription, "ALTER SUBSCRIPTION", "DROP SUBSCRIPTION"},
    {ObjectType::table, "ALTER TABLE", "DROP TABLE"},
    {ObjectType::tablespace, "ALTER TABLESPACE", "DROP TABLESPACE"},
    {ObjectType::transform, "ALTER TRANSFORM", "DROP TRANSFORM"},
    {ObjectType::trigger, "ALTER TRIGGER", "DROP TRIGGER"},
    {ObjectType::text_search_configuration, "ALTER TEXT SEARCH CONFIGURATION", "DROP TEXT SEARCH CONFIGURATION"},
    {ObjectType::text_search_dictionary, "ALTER TEXT SEARCH DICTIONARY", "DROP TEXT SEARCH DICTIONARY"},
    {ObjectType::text_search_parser, "ALTER TEXT SEARCH PARSER", "DROP TEXT SEARCH PARSER"},
    {ObjectType::text_search_template, "ALTER TEXT SEARCH TEMPLATE", "DROP TEXT SEARCH TEMPLATE"},
    {ObjectType::type, "ALTER TYPE", "DROP TYPE"},
    {ObjectType::user_mapping, "ALTER USER MAPPING", "DROP USER MAPPING"},
    {ObjectType::view, "ALTER VIEW", "DROP VIEW"},
};

std::string_view object_tag(ObjectType type, Verb verb) {
  for (const ObjectTags& t : kObjectTags) {
    if (t.type == type) return verb == Verb::drop ? t.drop : t.alter;
  }
  return "???";
}

std::string_view transaction_tag(TransactionKind kind) {
  switch (kind) {
    case TransactionKind::begin: return "BEGIN";
    case TransactionKind::start: return "START TRANSACTION";
    case TransactionKind::commit: return "COMMIT";
    case TransactionKind::rollback:
    case TransactionKind::rollback_to: return "ROLLBACK";
    case TransactionKind::savepoint: return "SAVEPOINT";
    case TransactionKind::release: return "RELEASE";
    case TransactionKind::prepare: return "PREPARE TRANSACTION";
    case TransactionKind::commit_prepared: return "COMMIT PREPARED";
    case TransactionKind::rollback_prepared: return "ROLLBACK PREPARED";
  }
  return "???";
}

std::string_view define_tag(ObjectType type) {
  switch (type) {
    case ObjectType::aggregate: return "CREATE AGGREGATE";
    case ObjectType::operator_: return "CREATE OPERATOR";
    case ObjectType::collation: return "CREATE COLLATION";
    case ObjectType::text_search_parser: return "CREATE TEXT SEARCH PARSER";
    case ObjectType::text_search_dictionary: return "CREATE TEXT SEARCH DICTIONARY";
    case ObjectType::text_search_template: return "CREATE TEXT SEARCH TEMPLATE";
    case ObjectType::text_search_configuration: return "CREATE TEXT SEARCH CONFIGURATION";
    default: return "CREATE TYPE";
  }
}

std::string_view select_tag(const SelectStatement* query) {
  if (query->into != nullptr) return "SELECT INTO";
  if (query->locking.empty()) return "SELECT";
  switch (query->locking[0]->strength) {
    case LockStrength::key_share: return "SELECT FOR KEY SHARE";
    case LockStrength::share: return "SELECT FOR SHARE";
    case LockStrength::no_key_update: return "SELECT FOR NO KEY UPDATE";
    case LockStrength::update: return "SELECT FOR UPDATE";
  }
  return "SELECT";
}

std::string_view foreign_tag(const CreateForeignObjectStatement* s) {
  switch (s->type_of_object) {
    case ObjectType::foreign_data_wrapper: return s->alter ? "ALTER FOREIGN DATA WRAPPER" : "CREATE FOREIGN DATA WRAPPER";
    case ObjectType::user_mapping: return s->alter ? "ALTER USER MAPPING" : "CREATE USER MAPPING";
    default: return s->alter ? "ALTER SERVER" : "CREATE SERVER";
  }
}

std::string_view discard_tag(DiscardKind kind) {
  switch (kind) {
    case DiscardKind::all: return "DISCARD ALL";
    case DiscardKind::plans: return "DISCARD PLANS";
    case DiscardKind::sequences: return "DISCARD SEQUENCES";
    case DiscardKind::temp: return "DISCARD TEMP";
  }
  return "???";
}

// Statements of queries, sessions and maintenance; empty for definitions.
std::string_view plain_tag(const StatementNode* node) {
  switch (node->kind) {
    case NodeKind::select_statement: return select_tag(node_cast<SelectStatement>(node));
    case NodeKind::insert_statement: return "INSERT";
    case NodeKind::update_statement: return "UPDATE";
    case NodeKind::delete_statement: return "DELETE";
    case NodeKind::merge_statement: return "MERGE";
    case NodeKind::transaction_statement: return transaction_tag(node_cast<TransactionStatement>(node)->type);
    case NodeKind::variable_set_statement: {
      const VariableSetKind kind = node_cast<VariableSetStatement>(node)->type;
      return kind == VariableSetKind::reset || kind == VariableSetKind::reset_all ? "RESET" : "SET";
    }
    case NodeKind::variable_show_statement: return "SHOW";
    case NodeKind::constraints_set_statement: return "SET CONSTRAINTS";
    case NodeKind::alter_system_statement: return "ALTER SYSTEM";
    case NodeKind::prepare_statement: return "PREPARE";
    case NodeKind::execute_statement: return "EXECUTE";
    case NodeKind::deallocate_statement: return node_cast<DeallocateStatement>(node)->name.empty() ? "DEALLOCATE ALL" : "DEALLOCATE";
    case NodeKind::declare_cursor_statement: return "DECLARE CURSOR";
    case NodeKind::fetch_statement: return node_cast<FetchStatement>(node)->move ? "MOVE" : "FETCH";
    case NodeKind::close_statement: return node_cast<CloseStatement>(node)->name.empty() ? "CLOSE CURSOR ALL" : "CLOSE CURSOR";
    case NodeKind::explain_statement: return "EXPLAIN";
    case NodeKind::copy_statement: return "COPY";
    case NodeKind::vacuum_statement: return node_cast<VacuumStatement>(node)->is_vacuum ? "VACUUM" : "ANALYZE";
    case NodeKind::cluster_statement: return "CLUSTER";
    case NodeKind::reindex_statement: return "REINDEX";
    case NodeKind::checkpoint_statement: return "CHECKPOINT";
    case NodeKind::lock_statement: return "LOCK TABLE";
    case NodeKind::truncate_statement: return "TRUNCATE TABLE";
    case NodeKind::listen_statement: return "LISTEN";
    case NodeKind::unlisten_statement: return "UNLISTEN";
    case NodeKind::notify_statement: return "NOTIFY";
    case NodeKind::discard_statement: return discard_tag(node_cast<DiscardStatement>(node)->target);
    case NodeKind::do_statement: return "DO";
    case NodeKind::call_statement: return "CALL";
    case NodeKind::load_statement: return "LOAD";
    case NodeKind::refresh_statement: return "REFRESH MATERIALIZED VIEW";
    default: return {};
  }
}

std::string_view create_tag(const StatementNode* node) {
  switch (node->kind) {
    case NodeKind::create_table_statement:
      return node_cast<CreateTableStatement>(node)->server.empty() ? "CREATE TABLE" : "CREATE FOREIGN TABLE";
    case NodeKind::create_table_as_statement:
      return node_cast<CreateTableAsStatement>(node)->materialized_view ? "CREATE MATERIALIZED VIEW" : "CREATE TABLE AS";
    case NodeKind::create_index_statement: return "CREATE INDEX";
    case NodeKind::create_sequence_statement: return "CREATE SEQUENCE";
    case NodeKind::create_view_statement: return "CREATE VIEW";
    case NodeKind::create_schema_statement: return "CREATE SCHEMA";
    case NodeKind::create_database_statement: return "CREATE DATABASE";
    case NodeKind::create_tablespace_statement: return "CREATE TABLESPACE";
    case NodeKind::create_role_statement: return "CREATE ROLE";
    case NodeKind::create_function_statement:
      return node_cast<CreateFunctionStatement>(node)->is_procedure ? "CREATE PROCEDURE" : "CREATE FUNCTION";
    case NodeKind::define_statement: return define_tag(node_cast<DefineStatement>(node)->type_of_object);
    case NodeKind::create_composite_type_statement:
    case NodeKind::create_enum_statement:
    case NodeKind::create_range_statement: return "CREATE TYPE";
    case NodeKind::create_domain_statement: return "CREATE DOMAIN";
    case NodeKind::create_cast_statement: return "CREATE CAST";
    case NodeKind::create_transform_statement: return "CREATE TRANSFORM";
    case NodeKind::create_trigger_statement: return "CREATE TRIGGER";
    case NodeKind::create_rule_statement: return "CREATE RULE";
    case NodeKind::create_policy_statement: return "CREATE POLICY";
    case NodeKind::create_event_trigger_statement: return "CREATE EVENT TRIGGER";
    case NodeKind::create_operator_class_statement: return "CREATE OPERATOR CLASS";
    case NodeKind::create_operator_family_statement: return "CREATE OPERATOR FAMILY";
    case NodeKind::create_extension_statement: return "CREATE EXTENSION";
    case NodeKind::create_publication_statement: return "CREATE PUBLICATION";
    case NodeKind::create_subscription_statement: return "CREATE SUBSCRIPTION";
    case NodeKind::create_statistics_statement: return "CREATE STATISTICS";
    case NodeKind::create_foreign_object_statement: return foreign_tag(node_cast<CreateForeignObjectStatement>(node));
    case NodeKind::import_foreign_schema_statement: return "IMPORT FOREIGN SCHEMA";
    case NodeKind::create_access_method_statement: return "CREATE ACCESS METHOD";
    case NodeKind::create_conversion_statement: return "CREATE CONVERSION";
    case NodeKind::create_language_statement: return "CREATE LANGUAGE";
    default: return {};
  }
}

std::string_view alter_tag(const StatementNode* node) {
  switch (node->kind) {
    case NodeKind::alter_table_statement: return object_tag(node_cast<AlterTableStatement>(node)->type_of_object, Verb::alter);
    case NodeKind::alter_sequence_statement: return "ALTER SEQUENCE";
    case NodeKind::alter_database_statement: return "ALTER DATABASE";
    case NodeKind::alter_tablespace_statement: return "ALTER TABLESPACE";
    case NodeKind::alter_role_statement: return "ALTER ROLE";
    case NodeKind::setting_of_statement: return node_cast<SettingOfStatement>(node)->of_database ? "ALTER DATABASE" : "ALTER ROLE";
    case NodeKind::alter_default_privileges_statement: return "ALTER DEFAULT PRIVILEGES";
    case NodeKind::alter_function_statement:
      return object_tag(node_cast<AlterFunctionStatement>(node)->function->type_of_object, Verb::alter);
    case NodeKind::alter_enum_statement: return "ALTER TYPE";
    case NodeKind::alter_domain_statement: return "ALTER DOMAIN";
    case NodeKind::alter_policy_statement: return "ALTER POLICY";
    case NodeKind::alter_event_trigger_statement: return "ALTER EVENT TRIGGER";
    case NodeKind::alter_operator_family_statement: return "ALTER OPERATOR FAMILY";
    case NodeKind::alter_extension_statement: return "ALTER EXTENSION";
    case NodeKind::alter_publication_statement: return "ALTER PUBLICATION";
    case NodeKind::alter_subscription_statement: return "ALTER SUBSCRIPTION";
    case NodeKind::alter_statistics_statement: return "ALTER STATISTICS";
    case NodeKind::alter_text_search_statement:
      return node_cast<AlterTextSearchStatement>(node)->action == TextSearchAction::dictionary_options ? "ALTER TEXT SEARCH DICTIONARY"
                                                                                                       : "ALTER TEXT SEARCH CONFIGURATION";
    case NodeKind::alter_object_statement: return object_tag(node_cast<AlterObjectStatement>(node)->object->type_of_object, Verb::alter);
    case NodeKind::rename_statement: {
      const auto* r = node_cast<RenameStatement>(node);
      return object_tag(r->type_of_object == ObjectType::column ? r->type_of_relation : r->type_of_object, Verb::alter);
    }
    case NodeKind::alter_owner_statement: return object_tag(node_cast<AlterOwnerStatement>(node)->object->type_of_object, Verb::alter);
    case NodeKind::alter_schema_statement: return object_tag(node_cast<AlterSchemaStatement>(node)->type_of_object, Verb::alter);
    case NodeKind::alter_depends_statement: return object_tag(node_cast<AlterDependsStatement>(node)->type_of_object, Verb::alter);
    default: return {};
  }
}

std::string_view other_tag(const StatementNode* node) {
  switch (node->kind) {
    case NodeKind::drop_statement: return object_tag(node_cast<DropStatement>(node)->type_of_object, Verb::drop);
    case NodeKind::drop_database_statement: return "DROP DATABASE";
    case NodeKind::drop_tablespace_statement: return "DROP TABLESPACE";
    case NodeKind::drop_role_statement: return "DROP ROLE";
    case NodeKind::drop_subscription_statement: return "DROP SUBSCRIPTION";
    case NodeKind::drop_owned_statement: return "DROP OWNED";
    case NodeKind::reassign_owned_statement: return "REASSIGN OWNED";
    case NodeKind::grant_statement: return node_cast<GrantStatement>(node)->is_grant ? "GRANT" : "REVOKE";
    case NodeKind::grant_role_statement: return node_cast<GrantRoleStatement>(node)->is_grant ? "GRANT ROLE" : "REVOKE ROLE";
    case NodeKind::comment_statement: return "COMMENT";
    case NodeKind::security_label_statement: return "SECURITY LABEL";
    default: return "???";
  }
}

}  // namespace

std::string_view command_tag(const StatementNode* node) {
  if (node == nullptr) return "";
  for (auto* tag : {plain_tag, create_tag, alter_tag, other_tag}) {
    const std::string_view text = tag(node);
    if (!text.empty()) return text;
  }
  return "???";
}

int log_level_of(const StatementNode* node) {
  constexpr int kDdl = 1, kMod = 2, kAll = 3;
  switch (node->kind) {
    case NodeKind::select_statement: return node_cast<SelectStatement>(node)->into != nullptr ? kDdl : kAll;
    case NodeKind::insert_statement:
    case NodeKind::update_statement:
    case NodeKind::delete_statement:
    case NodeKind::merge_statement:
    case NodeKind::truncate_statement: return kMod;
    case NodeKind::copy_statement: return node_cast<CopyStatement>(node)->is_from ? kMod : kAll;
    case NodeKind::prepare_statement: return log_level_of(node_cast<PrepareStatement>(node)->query);
    case NodeKind::explain_statement: {
      const auto* e = node_cast<ExplainStatement>(node);
      for (const Option* o : e->options) {
        if (o->name == "analyze" &&
            (o->value == nullptr || (option_text(*o) != "false" && option_text(*o) != "off" && option_text(*o) != "0")))
          return log_level_of(e->query);
      }
      return kAll;
    }
    case NodeKind::refresh_statement:
    case NodeKind::alter_system_statement: return kDdl;
    case NodeKind::reindex_statement:
    case NodeKind::cluster_statement: return kAll;
    default: break;
  }
  return plain_tag(node).empty() ? kDdl : kAll;
}

}  // namespace hathi::parser
