// The FunctionCall message: one function called by its OID, as a query that calls it would.

#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/datum/function.h"
#include "hathi/session/session.h"
#include "hathi/transaction/transaction.h"
#include "parameter_value.h"
#include "portal.h"

namespace hathi::session {

namespace {

bool is_binary(std::int16_t code) {
  if (code != 0 && code != 1) throw SqlError(sqlstate::invalid_parameter_value, "unsupported format code: {}", code);
  return code == 1;
}

const catalog::FunctionInfo& callable_function(Oid oid) {
  const catalog::FunctionInfo* function = catalog::find_function(oid);
  if (function == nullptr) throw SqlError(sqlstate::undefined_function, "function with OID {} does not exist", raw(oid));
  if (function->kind != 'f' || function->returns_set) {
    throw SqlError(sqlstate::feature_not_supported, "cannot call function \"{}\" via fastpath interface", function->name);
  }
  return *function;
}

std::vector<planner::ParameterValue> read_arguments(protocol::BodyReader& body, const catalog::FunctionInfo& function, Arena& arena) {
  std::vector<std::int16_t> codes(static_cast<std::uint16_t>(body.int16()));
  for (std::int16_t& code : codes) code = body.int16();
  auto count = static_cast<std::size_t>(static_cast<std::uint16_t>(body.int16()));
  if (count != function.arguments.size()) {
    throw SqlError(sqlstate::protocol_violation, "function call message contains {} arguments but function requires {}", count, function.arguments.size());
  }
  if (codes.size() > 1 && codes.size() != count) {
    throw SqlError(sqlstate::protocol_violation, "function call message contains {} argument formats but {} arguments", codes.size(), count);
  }
  std::vector<planner::ParameterValue> values;
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t size = body.int32();
    if (size < -1) throw SqlError(sqlstate::protocol_violation, "invalid argument size {} in function call message", size);
    std::span<const char> bytes = size > 0 ? body.bytes(static_cast<std::size_t>(size)) : std::span<const char>{};
    bool binary = is_binary(codes.empty() ? std::int16_t{0} : codes.size() == 1 ? codes[0] : codes[i]);
    if (size >= 0 && !binary) require_parameter_text({bytes.data(), bytes.size()});
    values.push_back(read_parameter(bytes, size < 0, binary, function.arguments[i], fmt::format("function argument {}", i + 1), arena));
  }
  return values;
}

// Sends the one value as FunctionCallResponse.
class ResultSender : public executor::RowReceiver {
 public:
  ResultSender(protocol::Connection& connection, Oid type, bool binary) : connection_(connection), type_(type), binary_(binary) {}

  bool receive(const Datum* values, const bool* nulls) override {
    std::string_view bytes;
    if (!nulls[0]) {
      const catalog::TypeInfo& info = catalog::type_info(type_);
      if (binary_ && !is_valid(info.send)) {
        throw SqlError(sqlstate::undefined_function, "no binary output function available for type {}", catalog::format_type(type_));
      }
      Datum out = call_function(binary_ ? info.send : info.output, arena_, {values[0]});
      bytes = binary_ ? varlena::payload(varlena::readable(out.as_pointer(), arena_)) : std::string_view(out.as_pointer<char>());
    }
    connection_.begin('V');
    connection_.put_int32(nulls[0] ? -1 : static_cast<std::int32_t>(bytes.size()));
    connection_.put_bytes(bytes.data(), bytes.size());
    connection_.end();
    return true;
  }

 private:
  protocol::Connection& connection_;
  Oid type_;
  bool binary_;
  Arena arena_{1024};
};

std::string query_text(const catalog::FunctionInfo& function) {
  std::string text = "select " + catalog::quote_qualified(catalog::schema_name(function.schema), function.name) + "(";
  for (std::size_t i = 0; i < function.arguments.size(); ++i) text += fmt::format("{}${}", i == 0 ? "" : ", ", i + 1);
  return text + ")";
}

}  // namespace

void handle_function_call(Session& session, protocol::BodyReader body) {
  session.statement_text = "<FASTPATH> function call";
  session.command_tag = "FASTPATH";
  start_command(session);
  if (transaction_status() == 'E') {
    throw SqlError(sqlstate::in_failed_sql_transaction, "current transaction is aborted, commands ignored until end of transaction block");
  }
  const catalog::FunctionInfo& function = callable_function(Oid{static_cast<std::uint32_t>(body.int32())});
  Oid result = function.result;
  auto statement = std::make_shared<CachedStatement>(query_text(function), std::vector<Oid>(function.arguments.begin(), function.arguments.end()), false);
  statement->ensure_analyzed();   // privileges come before the arguments
  Arena arena(1024);
  std::vector<planner::ParameterValue> values = read_arguments(body, function, arena);
  bool binary = is_binary(body.int16());
  body.expect_end();
  ResultSender sender(session.connection, result, binary);
  Portal portal("");
  portal.define(std::move(statement), values, 0);
  portal.start();
  std::string tag;
  portal.run(session, 0, sender, tag);
  finish_command(session);
}

}  // namespace hathi::session
