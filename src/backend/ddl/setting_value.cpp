#include "hathi/ddl/setting_value.h"

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/parser/ast_expression.h"
#include "hathi/parser/parser.h"

namespace hathi::ddl {

namespace {

std::string constant_text(const parser::Expr* e) {
  // SET TIME ZONE INTERVAL '…': the setting reads the same words.
  if (const auto* cast = parser::node_try<parser::TypeCast>(e)) return fmt::format("interval '{}'", constant_text(cast->arg));
  const auto* c = parser::node_cast<parser::Constant>(e);
  return c->type == parser::ConstantKind::integer ? std::to_string(c->integer) : std::string(c->text);
}

}  // namespace

std::string setting_value_text(const parser::VariableSetStatement& statement) {
  const config::Definition* definition = config::find(statement.name);
  bool is_list = definition != nullptr && definition->list_input;
  if (statement.args.size() > 1 && !is_list) throw SqlError(sqlstate::invalid_parameter_value, "SET {} takes only one argument", statement.name);
  std::string out;
  for (const parser::Expr* e : statement.args) {
    if (!out.empty()) out += ", ";
    std::string text = constant_text(e);
    out += is_list && definition->list_quote ? parser::quote_identifier(text) : text;
  }
  return out;
}

}  // namespace hathi::ddl
