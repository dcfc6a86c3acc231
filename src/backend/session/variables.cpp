// SET, RESET, SHOW.

#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/ddl/setting_value.h"
#include "hathi/error/report.h"
#include "hathi/parser/ast_expression.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/snapshot_export.h"
#include "hathi/transaction/transaction.h"
#include "session_statements.h"

namespace hathi::session {

namespace {

bool am_superuser() { return catalog::is_superuser(catalog::session_role()); }

void set_transaction_modes(const parser::VariableSetStatement& statement, bool session_default) {
  for (const parser::Option* mode : statement.modes) {
    std::string value = parser::option_text(*mode);
    if (mode->name != "transaction_isolation") value = value == "0" ? "off" : "on";
    std::string name(mode->name);
    if (session_default) name = "default_" + name;
    config::set(name, value, config::Source::session, !session_default, am_superuser());
  }
}

// SET … TO DEFAULT; LOCAL: the reset value for this transaction only.
void reset(const parser::VariableSetStatement& statement) {
  if (!statement.is_local) {
    config::reset(statement.name, am_superuser());
    return;
  }
  const config::Definition* definition = config::find(statement.name);
  if (definition == nullptr) throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", statement.name);
  for (const config::Row& row : config::rows()) {
    if (row.name == definition->name) config::set(statement.name, row.reset_val, config::Source::session, true, am_superuser());
  }
}

void warn_outside_block(std::string_view words) {
  if (transaction::block_state() == transaction::BlockState::implicit && !current_session()->multi_statement) {
    report_warning(sqlstate::no_active_sql_transaction, "{} can only be used in transaction blocks", words);
  }
}

// Whoever becomes another user acts as that one: SET ROLE is over, for as long.
void take_role_back(const parser::VariableSetStatement& statement) {
  if (statement.name == "session_authorization") config::set("role", "none", config::Source::session, statement.is_local, true);
}

}  // namespace

void run_set(const parser::VariableSetStatement& statement, std::string& tag) {
  using parser::VariableSetKind;
  switch (statement.type) {
    case VariableSetKind::value:
      if (statement.is_local) warn_outside_block("SET LOCAL");
      config::set(statement.name, ddl::setting_value_text(statement), config::Source::session, statement.is_local, am_superuser());
      take_role_back(statement);
      return;
    case VariableSetKind::default_value:
      if (statement.is_local) warn_outside_block("SET LOCAL");
      reset(statement);
      take_role_back(statement);
      return;
    case VariableSetKind::current: throw SqlError(sqlstate::syntax_error, "SET FROM CURRENT is not allowed here");
    case VariableSetKind::transaction:
      warn_outside_block("SET TRANSACTION");
      set_transaction_modes(statement, false);
      return;
    case VariableSetKind::session_transaction: set_transaction_modes(statement, true); return;
    case VariableSetKind::snapshot:
      warn_outside_block("SET TRANSACTION");
      transaction::import_snapshot(ddl::setting_value_text(statement));
      return;
    case VariableSetKind::reset:
      if (statement.name == "transaction_isolation" || statement.name == "transaction_read_only" || statement.name == "transaction_deferrable") {
        throw SqlError(sqlstate::invalid_parameter_value, "parameter \"{}\" cannot be reset", statement.name);
      }
      config::reset(statement.name, am_superuser());
      take_role_back(statement);
      tag = "RESET";
      return;
    case VariableSetKind::reset_all:
      config::reset_all();
      tag = "RESET";
      return;
  }
}

const TupleDescriptor* show_row(const parser::VariableShowStatement& statement, Arena& arena) {
  if (statement.name == "all") return text_row({"name", "setting", "description"}, arena, type_oid::text);
  // The canonical spelling names the column.
  const config::Definition* definition = config::find(statement.name);
  return text_row({definition == nullptr ? statement.name : std::string_view(definition->name)}, arena, type_oid::text);
}

void run_show(const parser::VariableShowStatement& statement, executor::RowReceiver& receiver) {
  Arena arena(512);
  if (statement.name != "all") {
    std::optional<std::string> value = config::show(statement.name);
    if (!value) throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", statement.name);
    Datum d = varlena::make(arena, *value);
    bool is_null = false;
    receiver.receive(&d, &is_null);
    return;
  }
  for (const config::Row& row : config::rows()) {
    if (row.no_show_all || (row.superuser_only && !am_superuser())) continue;
    Datum values[] = {varlena::make(arena, row.name), varlena::make(arena, row.show_text), varlena::make(arena, row.short_desc)};
    bool nulls[] = {false, false, false};
    receiver.receive(values, nulls);
  }
}

}  // namespace hathi::session
