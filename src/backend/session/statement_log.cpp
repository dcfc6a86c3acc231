#include "statement_log.h"

#include <chrono>
#include <random>

#include "hathi/catalog/lookup.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"
#include "hathi/datum/function.h"
#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"

namespace hathi::session {

namespace {

constexpr std::int64_t kUnixToPostgres = 946684800LL * 1000000;

std::int64_t began = 0;   // microseconds since 1970
bool already_logged = false;   // the running statement's text

std::int64_t now_microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_logged(const parser::StatementNode* node) {
  int setting = config::values::log_statement;
  return setting != 0 && parser::log_level_of(node) <= setting;
}

// The statement itself is in the message; its repetition as STATEMENT would say nothing.
void write(Session& session, std::string message, std::string detail = {}) {
  ErrorReport r;
  r.severity = Severity::log;
  r.code = sqlstate::successful_completion;
  r.message = std::move(message);
  r.detail = std::move(detail);
  r.hide_statement = true;
  log_report(session, r);
}

std::string quoted_value(std::string_view text) {
  std::string out = "'";
  int limit = config::values::log_parameter_max_length;
  bool cut = limit >= 0 && text.size() > static_cast<std::size_t>(limit);
  if (cut) {
    auto end = static_cast<std::size_t>(limit);
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  for (char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + (cut ? "...'" : "'");
}

// "parameters: $1 = '5', $2 = NULL". A value that cannot be shown must not hurt the statement.
std::string parameters_text(std::span<const planner::ParameterValue> parameters) {
  if (parameters.empty() || config::values::log_parameter_max_length == 0) return {};
  std::string out = "parameters: ";
  Arena arena(512);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out += fmt::format("${} = ", i + 1);
    if (parameters[i].value.is_null) {
      out += "NULL";
      continue;
    }
    try {
      Datum text = call_function(catalog::type_info(parameters[i].type).output, arena, {parameters[i].value.value});
      out += quoted_value(text.as_pointer<char>());
    } catch (const SqlError&) {
      out += "?";
    }
  }
  return out;
}

bool takes_sample() {
  static std::minstd_rand random(static_cast<unsigned>(now_microseconds()));
  double rate = config::values::log_statement_sample_rate;
  return rate >= 1 || (rate > 0 && std::uniform_real_distribution<double>()(random) < rate);
}

std::string session_text(const ConnectionNames& names) {
  std::string out = fmt::format("user={} database={} host={}", names.user, names.database, names.host);
  if (!names.port.empty()) out += fmt::format(" port={}", names.port);
  return out;
}

}  // namespace

bool logs_durations() {
  using namespace config::values;
  return config::values::log_duration || log_min_duration_statement >= 0 || log_min_duration_sample >= 0;
}

void log_query(Session& session, std::string_view text, const List<parser::Statement>& statements) {
  already_logged = false;
  if (config::values::log_statement == 0) return;
  bool wanted = false;
  for (const parser::Statement& s : statements) wanted = wanted || is_logged(s.node);
  if (!wanted) return;
  already_logged = true;
  write(session, fmt::format("statement: {}", text));
}

void log_execute(Session& session, std::string_view statement, std::string_view portal, bool continues, const parser::StatementNode* node,
                 std::string_view text, std::span<const planner::ParameterValue> parameters) {
  already_logged = false;
  if (config::values::log_statement == 0 || !is_logged(node)) return;
  already_logged = true;
  write(session,
        fmt::format("{} {}{}{}: {}", continues ? "execute fetch from" : "execute", statement.empty() ? "<unnamed>" : statement,
                    portal.empty() ? "" : "/", portal, text),
        parameters_text(parameters));
}

void log_duration(Session& session, std::string_view words, std::string_view text, std::span<const planner::ParameterValue> parameters) {
  if (!logs_durations()) return;
  std::int64_t took = now_microseconds() - kUnixToPostgres - transaction::statement_timestamp();
  int least = config::values::log_min_duration_statement, sample = config::values::log_min_duration_sample;
  bool exceeds = least >= 0 && took >= std::int64_t{least} * 1000;
  bool sampled = !exceeds && sample >= 0 && took >= std::int64_t{sample} * 1000 && takes_sample();
  if (!exceeds && !sampled && !config::values::log_duration) return;
  std::string duration = fmt::format("duration: {}.{:03} ms", took / 1000, took % 1000);
  if ((exceeds || sampled) && !already_logged) write(session, fmt::format("{}  {}: {}", duration, words, text), parameters_text(parameters));
  else write(session, std::move(duration));
}

ConnectionNames& connection_names() {
  static ConnectionNames names;
  return names;
}

std::int64_t session_began() { return began; }
void note_session_began() { began = now_microseconds(); }

void log_connection_received(Session& session) {
  if (!config::values::log_connections) return;
  const ConnectionNames& names = connection_names();
  write(session, names.port.empty() ? fmt::format("connection received: host={}", names.host)
                                    : fmt::format("connection received: host={} port={}", names.host, names.port));
}

void log_connection_authorized(Session& session, std::string_view application_name) {
  if (!config::values::log_connections) return;
  const ConnectionNames& names = connection_names();
  std::string text = fmt::format("connection authorized: user={} database={}", names.user, names.database);
  if (!application_name.empty()) text += fmt::format(" application_name={}", application_name);
  write(session, std::move(text));
}

void log_disconnection(Session& session) {
  if (!config::values::log_disconnections) return;
  std::int64_t ms = (now_microseconds() - began) / 1000;
  write(session, fmt::format("disconnection: session time: {}:{:02}:{:02}.{:03} {}", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000,
                             session_text(connection_names())));
}

}  // namespace hathi::session
