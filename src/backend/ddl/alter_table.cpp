// ALTER TABLE.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "alter_steps.h"
#include "alter_table.h"
#include "inheritance.h"
#include "object_names.h"
#include "owners.h"
#include "partitions.h"
#include "hathi/parser/ast_expression.h"
#include "roles.h"
#include "row_types.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace a = catalog::pg_attribute;
using catalog::CatalogRow;
using parser::AlterTableAction;
using parser::AlterTableCommand;

locking::LockMode lock_for(const parser::AlterTableStatement& s) {
  auto needed = locking::LockMode::share_update_exclusive;
  for (const AlterTableCommand* c : s.commands) {
    auto mode = locking::LockMode::access_exclusive;
    switch (c->action) {
      case AlterTableAction::set_statistics:
      case AlterTableAction::cluster_on:
      case AlterTableAction::set_without_cluster:
      case AlterTableAction::set_options:
      case AlterTableAction::reset_options:
      case AlterTableAction::validate_constraint:
      case AlterTableAction::attach_partition:
      case AlterTableAction::detach_finalize: mode = locking::LockMode::share_update_exclusive; break;
      case AlterTableAction::detach_partition:
        if (c->concurrently) mode = locking::LockMode::share_update_exclusive;
        break;
      case AlterTableAction::add_constraint:
        if (c->constraint->type == parser::ConstraintKind::foreign_key) mode = locking::LockMode::share_row_exclusive;
        break;
      default: break;
    }
    needed = std::max(needed, mode);
  }
  return needed;
}

void change_persistence(Oid table, char persistence) {
  Arena arena;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  if (r->persistence == 't') throw SqlError(sqlstate::invalid_table_definition, "cannot change logged status of table \"{}\" because it is temporary", r->name);
  if (r->persistence == persistence || r->kind == kind::partitioned_table) return;
  for (const catalog::ForeignKey& key : persistence == 'p' ? r->foreign_keys : r->referenced_by) {
    Oid other = persistence == 'p' ? key.referenced : key.referencing;
    if (other == table) continue;
    catalog::RelationRef o = catalog::open_relation(other, locking::LockMode::access_share);
    if (persistence == 'p' && o->persistence != 'p') {
      throw SqlError(sqlstate::invalid_table_definition, "could not change table \"{}\" to logged because it references unlogged table \"{}\"",
                     r->name, o->name);
    }
    if (persistence == 'u' && o->persistence == 'p') {
      throw SqlError(sqlstate::invalid_table_definition, "could not change table \"{}\" to unlogged because it references logged table \"{}\"",
                     o->name, r->name);
    }
  }
  TupleDescriptor* row = copy_descriptor(*r->descriptor, arena);
  heap::HeapTable heap = r->heap;
  r.reset();
  rewrite_table(table, *row, heap, {}, persistence);
  for (Oid sequence : owned_sequences(table)) update_class_row(sequence, [&](CatalogRow&, Arena&) {});
}

void change_options(Oid table, const AlterTableCommand& c, bool reset) {
  Arena arena(2048);
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  std::vector<std::string_view> toast, options;
  if (!reset) options = relation_options(c.options, r->kind, toast, arena);
  for (std::string_view old : r->options) {
    std::string_view name = old.substr(0, old.find('='));
    bool replaced = std::any_of(c.options.begin(), c.options.end(), [&](const parser::Option* o) { return o->name == name; });
    if (!replaced) options.push_back(arena.copy(old));
  }
  update_class_row(table, [&](CatalogRow& row, Arena& values) {
    if (options.empty()) row.set_null(catalog::pg_class::reloptions);
    else row.set(catalog::pg_class::reloptions, text_array(values, options));
  });
}

void check_inheritance(const catalog::Relation& r, const AlterTableCommand& c) {
  if (c.action != AlterTableAction::add_inherit && c.action != AlterTableAction::drop_inherit) return;
  if (r.is_partition) throw SqlError(sqlstate::wrong_object_type, "cannot change inheritance of a partition");
  if (r.kind == kind::partitioned_table) throw SqlError(sqlstate::wrong_object_type, "cannot change inheritance of partitioned table");
}

// Steps that change no row; partitions take part in those of columns.
void run_step(Oid table, const AlterTableCommand& c, const AlterContext& context) {
  if (!run_column_step(table, c, context.text) && !run_table_step(table, c)) throw_not_supported("this form of ALTER TABLE");
  bool recurses = c.action == AlterTableAction::set_statistics || c.action == AlterTableAction::set_storage;
  if (!recurses || !context.recurse || c.name.empty()) return;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  for (Oid child : partitions_to_alter(*r, locking::LockMode::share_update_exclusive)) run_step(child, c, context.below());
}

void run_command(Oid table, const AlterTableCommand& c, const AlterContext& context) {
  switch (c.action) {
    case AlterTableAction::add_column: add_column(table, c, context); return;
    case AlterTableAction::drop_column: drop_column(table, c, context); return;
    case AlterTableAction::add_constraint: add_constraint(table, c, context); return;
    case AlterTableAction::attach_partition: attach_partition(table, c, context); return;
    case AlterTableAction::detach_partition: detach_partition(table, c); return;
    case AlterTableAction::detach_finalize: finalize_detach(table, c); return;
    case AlterTableAction::drop_constraint: drop_constraint(table, c, context); return;
    case AlterTableAction::column_default: change_default(table, c, context); return;
    case AlterTableAction::set_not_null: change_not_null(table, c, true, context); return;
    case AlterTableAction::drop_not_null: change_not_null(table, c, false, context); return;
    case AlterTableAction::set_logged: change_persistence(table, 'p'); return;
    case AlterTableAction::set_unlogged: change_persistence(table, 'u'); return;
    case AlterTableAction::set_options: change_options(table, c, false); return;
    case AlterTableAction::reset_options: change_options(table, c, true); return;
    case AlterTableAction::change_owner: change_relation_owner(table, resolve_role(*c.role)); return;
    default: run_step(table, c, context); return;
  }
}

// Commands run in passes: what goes goes before types change, columns and constraints come after them.
enum class Pass : std::uint8_t { drop, type, add_column, column, add_index, add_constraint, other };

Pass pass_of(const AlterTableCommand& c) {
  switch (c.action) {
    case AlterTableAction::drop_column:
    case AlterTableAction::drop_constraint:
    case AlterTableAction::drop_not_null:
    case AlterTableAction::drop_identity:
    case AlterTableAction::drop_expression: return Pass::drop;
    case AlterTableAction::column_type: return Pass::type;
    case AlterTableAction::add_column: return Pass::add_column;
    case AlterTableAction::set_not_null: return Pass::column;
    case AlterTableAction::column_default: return c.expr == nullptr ? Pass::drop : Pass::add_constraint;
    case AlterTableAction::add_identity: return Pass::add_constraint;
    case AlterTableAction::add_constraint:
      return c.constraint->type == parser::ConstraintKind::primary_key || c.constraint->type == parser::ConstraintKind::unique ? Pass::add_index
                                                                                                                             : Pass::add_constraint;
    default: return Pass::other;
  }
}

void run_commands(Oid table, const parser::AlterTableStatement& s, const AlterContext& context) {
  std::vector<const AlterTableCommand*> commands(s.commands.begin(), s.commands.end());
  std::stable_sort(commands.begin(), commands.end(), [](const AlterTableCommand* a, const AlterTableCommand* b) { return pass_of(*a) < pass_of(*b); });
  auto is_type = [](const AlterTableCommand* c) { return pass_of(*c) == Pass::type; };
  auto types = std::find_if(commands.begin(), commands.end(), is_type), types_end = std::find_if_not(types, commands.end(), is_type);
  for (auto i = commands.begin(); i != commands.end(); i = i == types ? types_end : i + 1) {
    if (i == types) change_types(table, {&*types, static_cast<std::size_t>(types_end - types)}, context);
    else run_command(table, **i, context);
    transaction::advance_command();
  }
}

}  // namespace

void check_no_nulls(Oid table, AttrNumber column) {
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  heap::Scan scan(r->heap, *snapshot);
  HeapTuple row;
  while (scan.next(row)) {
    bool is_null = false;
    get_attribute(row, *r->descriptor, column, is_null);
    if (!is_null) continue;
    std::string_view name = (*r->descriptor)[column - 1].name;
    throw SqlError(sqlstate::not_null_violation, "column \"{}\" of relation \"{}\" contains null values", name, r->name)
        .schema(r->schema_name).table(r->name).column(name);
  }
}

void alter_table(const UtilityCall& call, const parser::AlterTableStatement& s) {
  if (!s.all_in_tablespace.empty()) throw_not_supported("ALTER … ALL IN TABLESPACE");
  catalog::RelationRef r = analyzer::open_by_name(s.relation, lock_for(s), s.missing_ok);
  if (!r) {
    report_notice(sqlstate::successful_completion, "relation \"{}\" does not exist, skipping", s.relation->name);
    return;
  }
  require_statement_kind(*r, s);
  for (const AlterTableCommand* c : s.commands) {
    require_action_allowed(*r, *c);
    check_inheritance(*r, *c);
  }
  std::string_view noun = r->kind == kind::view ? "view" : r->kind == kind::index ? "index" : r->kind == kind::sequence ? "sequence" : "table";
  if (!catalog::is_owner(catalog_oid::pg_class, r->oid, catalog::current_role())) catalog::throw_not_owner(noun, r->name);
  if (r->schema == kPgCatalogNamespace) throw SqlError(sqlstate::insufficient_privilege, "permission denied: \"{}\" is a system catalog", r->name);
  require_not_in_use(*r, "ALTER TABLE");
  Oid table = r->oid;
  r.reset();
  AlterContext context{call.text, s.relation->inherit, false};
  run_commands(table, s, context);
}

}  // namespace hathi::ddl
