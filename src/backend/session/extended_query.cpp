// The extended protocol: a statement's path split over messages, pipelined up to Sync.

#include "hathi/session/session.h"
#include "hathi/transaction/transaction.h"
#include "parameter_value.h"
#include "portal.h"
#include "row_sender.h"
#include "statement_log.h"

namespace hathi::session {

namespace {

void send_empty(protocol::Connection& connection, char type) {
  connection.begin(type);
  connection.end();
}

// The name of a statement or portal that comes next. Names are as long as identifiers can be.
std::string_view read_name(protocol::BodyReader& body) {
  std::string_view name = body.string();
  require_valid_utf8(name);
  return name.substr(0, 63);
}

std::string_view shown_name(std::string_view name) { return name.empty() ? "<unnamed>" : name; }
std::string execution_name(std::string_view statement, std::string_view portal) {
  return fmt::format("{}{}{}", shown_name(statement), portal.empty() ? "" : "/", portal);
}

void log_execution_time(Session& session, const Portal& portal, std::string_view name, bool continues) {
  if (!logs_durations()) return;
  const CachedStatement& statement = portal.statement();
  log_duration(session, fmt::format("{} {}", continues ? "execute fetch from" : "execute", execution_name(statement.name(), name)), statement.text(),
               portal.parameters());
}

CachedStatement& find_statement(Session& session, std::string_view name) {
  auto it = session.statements.find(name);
  if (it != session.statements.end()) return *it->second;
  if (name.empty()) throw SqlError(sqlstate::undefined_pstatement, "unnamed prepared statement does not exist");
  throw SqlError(sqlstate::undefined_pstatement, "prepared statement \"{}\" does not exist", name);
}

struct Formats {
  std::vector<std::int16_t> codes;
  bool binary(std::size_t i) const {
    std::int16_t code = codes.empty() ? 0 : (codes.size() == 1 ? codes[0] : codes[i]);
    if (code != 0 && code != 1) throw SqlError(sqlstate::invalid_parameter_value, "unsupported format code: {}", code);
    return code == 1;
  }
};

std::vector<std::int16_t> read_codes(protocol::BodyReader& body) {
  std::vector<std::int16_t> codes(static_cast<std::uint16_t>(body.int16()));
  for (auto& code : codes) code = body.int16();
  return codes;
}

std::vector<planner::ParameterValue> read_parameters(protocol::BodyReader& body, const Formats& formats, const CachedStatement& statement,
                                                     std::string_view portal, Arena& arena) {
  auto count = static_cast<std::size_t>(static_cast<std::uint16_t>(body.int16()));
  if (formats.codes.size() > 1 && formats.codes.size() != count) {
    throw SqlError(sqlstate::protocol_violation, "bind message has {} parameter formats but {} parameters", formats.codes.size(), count);
  }
  if (count != statement.parameter_types().size()) {
    throw SqlError(sqlstate::protocol_violation, "bind message supplies {} parameters, but prepared statement \"{}\" requires {}", count, statement.name(),
                   statement.parameter_types().size());
  }
  std::vector<planner::ParameterValue> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    bool converts = false;   // its text is being converted: the context says so, but shows no value that could be a secret
    try {
      std::int32_t length = body.int32();
      if (length < -1) throw SqlError(sqlstate::protocol_violation, "insufficient data left in message");
      std::span<const char> bytes = length > 0 ? body.bytes(static_cast<std::size_t>(length)) : std::span<const char>{};
      bool binary = formats.binary(i);
      if (length >= 0 && !binary) require_parameter_text({bytes.data(), bytes.size()});
      converts = length >= 0 && !binary;
      values.push_back(read_parameter(bytes, length < 0, binary, statement.parameter_types()[i], fmt::format("bind parameter {}", i + 1), arena));
    } catch (SqlError& e) {
      std::string place = portal.empty() ? fmt::format("unnamed portal parameter ${}", i + 1) : fmt::format("portal \"{}\" parameter ${}", portal, i + 1);
      e.context(converts ? place + " = '...'" : place);
      throw;
    }
  }
  return values;
}

}  // namespace

void handle_parse(Session& session, protocol::BodyReader body) {
  std::string name(read_name(body));
  std::string_view text = body.string();
  std::vector<Oid> types(static_cast<std::uint16_t>(body.int16()));
  for (Oid& type : types) type = Oid{static_cast<std::uint32_t>(body.int32())};
  body.expect_end();
  session.statement_text = text;
  session.command_tag = "PARSE";
  require_valid_utf8(text);
  start_command(session);
  // The unnamed statement goes even if the new one fails.
  if (name.empty()) session.statements.erase("");
  auto statement = std::make_shared<CachedStatement>(text, std::move(types), false);
  if (!statement->is_empty()) {
    require_live_transaction(statement->raw().node);
    statement->ensure_analyzed();
  }
  if (!name.empty() && session.statements.contains(name)) {
    throw SqlError(sqlstate::duplicate_pstatement, "prepared statement \"{}\" already exists", name);
  }
  statement->set_name(name);
  if (logs_durations()) log_duration(session, fmt::format("parse {}", shown_name(name)), text);
  session.statements.insert_or_assign(std::move(name), std::move(statement));
  send_empty(session.connection, '1');
}

void handle_bind(Session& session, protocol::BodyReader body) {
  std::string_view portal_name = read_name(body);
  std::string_view statement_name = read_name(body);
  CachedStatement& statement = find_statement(session, statement_name);
  session.statement_text = statement.text();
  session.command_tag = "BIND";
  start_command(session);
  Formats formats{read_codes(body)};
  if (!statement.is_empty()) {
    require_live_transaction(statement.raw().node);
    if (transaction_status() == 'E' && !statement.parameter_types().empty()) {
      throw SqlError(sqlstate::in_failed_sql_transaction, "current transaction is aborted, commands ignored until end of transaction block");
    }
  }
  Arena arena(1024);
  std::vector<planner::ParameterValue> values = read_parameters(body, formats, statement, portal_name, arena);
  std::vector<std::int16_t> result_formats = read_codes(body);
  body.expect_end();
  Portal& portal = create_portal(session, portal_name);
  portal.define(session.statements.find(statement_name)->second, values, statement.cursor_options);
  try {
    portal.start();
    portal.set_formats(std::move(result_formats));
  } catch (...) {
    session.portals.erase(std::string(portal_name));
    throw;
  }
  if (logs_durations()) log_duration(session, fmt::format("bind {}", execution_name(statement_name, portal_name)), statement.text(), values);
  send_empty(session.connection, '2');
}

void handle_describe(Session& session, protocol::BodyReader body) {
  std::uint8_t kind = body.byte();
  std::string_view name = read_name(body);
  body.expect_end();
  start_command(session);
  protocol::Connection& c = session.connection;
  if (kind == 'S') {
    CachedStatement& statement = find_statement(session, name);
    session.statement_text = statement.text();
    if (!statement.is_empty() && transaction_status() == 'E' && statement.query() != nullptr && returned_targets(*statement.query()) != nullptr) {
      throw SqlError(sqlstate::in_failed_sql_transaction, "current transaction is aborted, commands ignored until end of transaction block");
    }
    c.begin('t');
    c.put_int16(static_cast<std::int16_t>(statement.parameter_types().size()));
    for (Oid type : statement.parameter_types()) c.put_int32(static_cast<std::int32_t>(raw(type)));
    c.end();
    Arena arena(512);
    const TupleDescriptor* row = statement.is_utility() ? utility_row(session, statement.raw().node, arena) : statement.result_row();
    if (row == nullptr) send_empty(c, 'n');
    else send_row_description(c, *row, statement.is_utility() ? nullptr : returned_targets(*statement.query()), {});
  } else if (kind == 'P') {
    Portal& portal = find_portal(session, name, false);
    if (transaction_status() == 'E' && portal.row() != nullptr) {
      throw SqlError(sqlstate::in_failed_sql_transaction, "current transaction is aborted, commands ignored until end of transaction block");
    }
    if (portal.row() == nullptr) send_empty(c, 'n');
    else send_row_description(c, *portal.row(), portal.targets(), portal.formats());
  } else {
    throw SqlError(sqlstate::protocol_violation, "invalid DESCRIBE message subtype {}", kind);
  }
}

void handle_execute(Session& session, protocol::BodyReader body) {
  std::string_view name = read_name(body);
  std::int32_t limit = body.int32();
  body.expect_end();
  Portal& portal = find_portal(session, name, false);
  if (portal.statement().is_empty()) {
    send_empty(session.connection, 'I');
    return;
  }
  std::shared_ptr<Portal> keep = session.portals.find(name)->second;   // COMMIT drops it from the table
  session.statement_text = portal.statement().text();
  start_command(session);
  require_live_transaction(portal.statement().raw().node);
  session.multi_statement = false;
  session.is_last_statement = false;   // the transaction ends at Sync
  const CachedStatement& executed = portal.statement();
  session.command_tag = executed.tag();
  bool continues = portal.has_run();
  log_execute(session, executed.name(), name, continues, executed.raw().node, executed.text(), portal.parameters());
  RowSender sender(session.connection, portal.formats());
  std::string tag;
  bool completed = portal.run(session, limit <= 0 ? 0 : static_cast<std::uint64_t>(limit), sender, tag);
  if (!completed) {
    log_execution_time(session, *keep, name, continues);
    send_empty(session.connection, 's');
    return;
  }
  if (ends_transaction_now(portal.statement().raw().node)) finish_command(session);
  else if (transaction_status() != 'E' && transaction::block_state() != transaction::BlockState::none) transaction::advance_command();
  log_execution_time(session, *keep, name, continues);
  send_command_complete(session, tag);
}

void handle_close(Session& session, protocol::BodyReader body) {
  std::uint8_t kind = body.byte();
  std::string_view name = read_name(body);
  body.expect_end();
  if (kind == 'S') {
    auto it = session.statements.find(name);
    if (it != session.statements.end()) session.statements.erase(it);
  } else if (kind == 'P') {
    drop_portal(session, name);
  } else {
    throw SqlError(sqlstate::protocol_violation, "invalid CLOSE message subtype {}", kind);
  }
  send_empty(session.connection, '3');
}

}  // namespace hathi::session
