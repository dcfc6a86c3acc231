// Which kind of relation may be altered how.

#include "hathi/error/sql_error.h"
#include "alter_steps.h"
#include "object_names.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using parser::AlterTableAction;

enum : unsigned { kTable = 1, kView = 2, kMaterializedView = 4, kIndex = 8, kSequence = 16, kForeign = 32, kComposite = 64, kAny = ~0u };

struct Rule {
  AlterTableAction action;
  unsigned kinds;
  std::string_view words;
};

constexpr Rule kRules[] = {
    {AlterTableAction::add_column, kTable | kComposite | kForeign, "ADD COLUMN"},
    {AlterTableAction::column_default, kTable | kView | kForeign, "ALTER COLUMN ... SET DEFAULT"},
    {AlterTableAction::drop_not_null, kTable | kForeign, "ALTER COLUMN ... DROP NOT NULL"},
    {AlterTableAction::set_not_null, kTable | kForeign, "ALTER COLUMN ... SET NOT NULL"},
    {AlterTableAction::drop_expression, kTable | kForeign, "ALTER COLUMN ... DROP EXPRESSION"},
    {AlterTableAction::set_statistics, kTable | kMaterializedView | kIndex | kForeign, "ALTER COLUMN ... SET STATISTICS"},
    {AlterTableAction::set_column_options, kTable | kMaterializedView | kForeign, "ALTER COLUMN ... SET ( ... )"},
    {AlterTableAction::reset_column_options, kTable | kMaterializedView | kForeign, "ALTER COLUMN ... RESET ( ... )"},
    {AlterTableAction::set_storage, kTable | kMaterializedView | kForeign, "ALTER COLUMN ... SET STORAGE"},
    {AlterTableAction::set_compression, kTable | kMaterializedView, "ALTER COLUMN ... SET COMPRESSION"},
    {AlterTableAction::add_identity, kTable | kView | kForeign, "ALTER COLUMN ... ADD IDENTITY"},
    {AlterTableAction::set_identity, kTable | kView | kForeign, "ALTER COLUMN ... SET"},
    {AlterTableAction::drop_identity, kTable | kView | kForeign, "ALTER COLUMN ... DROP IDENTITY"},
    {AlterTableAction::drop_column, kTable | kComposite | kForeign, "DROP COLUMN"},
    {AlterTableAction::column_type, kTable | kComposite | kForeign, "ALTER COLUMN ... SET DATA TYPE"},
    {AlterTableAction::add_constraint, kTable | kForeign, "ADD CONSTRAINT"},
    {AlterTableAction::alter_constraint, kTable, "ALTER CONSTRAINT"},
    {AlterTableAction::validate_constraint, kTable | kForeign, "VALIDATE CONSTRAINT"},
    {AlterTableAction::drop_constraint, kTable | kForeign, "DROP CONSTRAINT"},
    {AlterTableAction::set_without_oids, kTable | kForeign, "SET WITHOUT OIDS"},
    {AlterTableAction::cluster_on, kTable | kMaterializedView, "CLUSTER ON"},
    {AlterTableAction::set_without_cluster, kTable | kMaterializedView, "SET WITHOUT CLUSTER"},
    {AlterTableAction::set_logged, kTable | kSequence, "SET LOGGED"},
    {AlterTableAction::set_unlogged, kTable | kSequence, "SET UNLOGGED"},
    {AlterTableAction::set_access_method, kTable | kMaterializedView, "SET ACCESS METHOD"},
    {AlterTableAction::set_tablespace, kTable | kMaterializedView | kIndex, "SET TABLESPACE"},
    {AlterTableAction::set_options, kTable | kView | kMaterializedView | kIndex, "SET ( ... )"},
    {AlterTableAction::reset_options, kTable | kView | kMaterializedView | kIndex, "RESET ( ... )"},
    {AlterTableAction::enable_trigger, kTable | kForeign, "ENABLE TRIGGER"},
    {AlterTableAction::enable_always_trigger, kTable | kForeign, "ENABLE ALWAYS TRIGGER"},
    {AlterTableAction::enable_replica_trigger, kTable | kForeign, "ENABLE REPLICA TRIGGER"},
    {AlterTableAction::disable_trigger, kTable | kForeign, "DISABLE TRIGGER"},
    {AlterTableAction::enable_trigger_all, kTable | kForeign, "ENABLE TRIGGER ALL"},
    {AlterTableAction::disable_trigger_all, kTable | kForeign, "DISABLE TRIGGER ALL"},
    {AlterTableAction::enable_trigger_user, kTable | kForeign, "ENABLE TRIGGER USER"},
    {AlterTableAction::disable_trigger_user, kTable | kForeign, "DISABLE TRIGGER USER"},
    {AlterTableAction::enable_rule, kTable, "ENABLE RULE"},
    {AlterTableAction::enable_always_rule, kTable, "ENABLE ALWAYS RULE"},
    {AlterTableAction::enable_replica_rule, kTable, "ENABLE REPLICA RULE"},
    {AlterTableAction::disable_rule, kTable, "DISABLE RULE"},
    {AlterTableAction::add_inherit, kTable | kForeign, "INHERIT"},
    {AlterTableAction::drop_inherit, kTable | kForeign, "NO INHERIT"},
    {AlterTableAction::add_of, kTable, "OF"},
    {AlterTableAction::drop_of, kTable, "NOT OF"},
    {AlterTableAction::replica_identity, kTable | kMaterializedView, "REPLICA IDENTITY"},
    {AlterTableAction::enable_row_security, kTable, "ENABLE ROW SECURITY"},
    {AlterTableAction::disable_row_security, kTable, "DISABLE ROW SECURITY"},
    {AlterTableAction::force_row_security, kTable, "FORCE ROW SECURITY"},
    {AlterTableAction::no_force_row_security, kTable, "NO FORCE ROW SECURITY"},
    {AlterTableAction::attach_partition, kTable | kIndex, "ATTACH PARTITION"},
    {AlterTableAction::detach_partition, kTable, "DETACH PARTITION"},
    {AlterTableAction::detach_finalize, kTable, "DETACH PARTITION ... FINALIZE"},
};

unsigned bit_of(char relation_kind) {
  switch (relation_kind) {
    case kind::table:
    case kind::partitioned_table: return kTable;
    case kind::view: return kView;
    case kind::materialized_view: return kMaterializedView;
    case kind::index:
    case kind::partitioned_index: return kIndex;
    case kind::sequence: return kSequence;
    case kind::foreign_table: return kForeign;
    case kind::composite: return kComposite;
    default: return 0;
  }
}

}  // namespace

void require_statement_kind(const catalog::Relation& r, const parser::AlterTableStatement& s) {
  if (s.type_of_object == parser::ObjectType::table) {
    if (r.kind == kind::composite) {
      throw SqlError(sqlstate::wrong_object_type, "\"{}\" is a composite type", r.name).hint("Use ALTER TYPE instead.");
    }
    return;
  }
  if (s.type_of_object == parser::ObjectType::type) {
    if (r.kind != kind::composite) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a composite type", r.name);
    return;
  }
  require_kind(r, s.type_of_object);
}

void require_action_allowed(const catalog::Relation& r, const parser::AlterTableCommand& c) {
  for (const Rule& rule : kRules) {
    bool plain_index = rule.action == parser::AlterTableAction::attach_partition && r.kind == kind::index;
    if (rule.action != c.action || ((rule.kinds & bit_of(r.kind)) != 0 && !plain_index)) continue;
    throw SqlError(sqlstate::wrong_object_type, "ALTER action {} cannot be performed on relation \"{}\"", rule.words, r.name)
        .detail(fmt::format("This operation is not supported for {}.",
                            r.kind == kind::partitioned_index ? "partitioned indexes" : relation_words(r.kind).plural));
  }
}

}  // namespace hathi::ddl
