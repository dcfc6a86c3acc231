// Lines of the server log, and where reports go in a backend.

#include <date/tz.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "hathi/catalog/lookup.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/session_settings.h"
#include "hathi/error/report.h"
#include "hathi/session/session.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/transaction.h"

namespace hathi::session {

namespace {

std::string time_text(bool with_milliseconds) {
  auto now = std::chrono::system_clock::now();
  auto seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  if (!with_milliseconds) return fmt::format("{} UTC", text);
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{}.{:03} UTC", text, ms);
}

std::string escape_value(char code, const Session* session) {
  static std::uint64_t line_number = 0;
  switch (code) {
    case 'a': return session == nullptr ? "" : config::values::application_name;
    case 'u': {
      const catalog::RoleInfo* role = session == nullptr || !is_valid(catalog::session_role()) ? nullptr : catalog::find_role(catalog::session_role());
      return role == nullptr ? "" : std::string(role->name);
    }
    case 'd': return session == nullptr ? "" : std::string(catalog::current_database_name());
    case 'p': return std::to_string(getpid());
    case 't': return time_text(false);
    case 'm': return time_text(true);
    case 'l': return std::to_string(++line_number);
    case 'b': return shmem::has_slot() ? shmem::process_kind_name(shmem::my_slot().kind) : "postmaster";
    case 'x': return std::to_string(transaction::is_running() ? transaction::top_xid_if_any().value() : 0);
    case 'v':
      return shmem::has_slot() ? fmt::format("{}/{}", shmem::my_slot().number, shmem::my_slot().local_transaction_number) : std::string();
    default: return "";
  }
}

std::string line_prefix(const Session* session) {
  const std::string& format = config::values::log_line_prefix;
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 >= format.size()) {
      out += format[i];
      continue;
    }
    ++i;
    if (format[i] == '%') {
      out += '%';
      continue;
    }
    if (format[i] == 'q') {
      if (session == nullptr) break;
      continue;
    }
    int width = 0;
    bool left = format[i] == '-';
    if (left) ++i;
    while (i < format.size() && std::isdigit(static_cast<unsigned char>(format[i]))) width = width * 10 + (format[i++] - '0');
    std::string value = i < format.size() ? escape_value(format[i], session) : "";
    out += left ? fmt::format("{:<{}}", value, width) : fmt::format("{:>{}}", value, width);
  }
  return out;
}

// Later lines of a text are indented so that one message stays recognisable.
std::string indented(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out += '\t';
  }
  return out;
}

void write_log(const Session* session, const ErrorReport& r, bool with_statement) {
  std::string prefix = line_prefix(session);
  bool verbose = config::values::log_error_verbosity == 2, terse = config::values::log_error_verbosity == 0;
  std::string text = fmt::format("{}{}:  ", prefix, severity_name(r.severity));
  if (verbose) text += fmt::format("{}: ", r.code.view());
  text += indented(r.message);
  if (r.position > 0) text += fmt::format(" at character {}", r.position);
  text += '\n';
  auto add = [&](std::string_view label, std::string_view value) {
    if (!value.empty()) text += fmt::format("{}{}:  {}\n", prefix, label, indented(value));
  };
  if (!terse) {
    add("DETAIL", r.detail_log.empty() ? r.detail : r.detail_log);
    add("HINT", r.hint);
    add("QUERY", r.internal_query);
    add("CONTEXT", r.context);
  }
  if (with_statement && session != nullptr && !r.hide_statement) add("STATEMENT", session->statement_text);
  // One write keeps lines of several processes apart.
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

// The ranks of log_min_messages: LOG stands just below FATAL.
bool logged_at(Severity severity, int minimum) {
  auto level = static_cast<int>(severity);
  if (severity == Severity::log) return minimum <= static_cast<int>(Severity::error) || minimum == static_cast<int>(Severity::log);
  if (severity == Severity::info) return false;
  return minimum == static_cast<int>(Severity::log) ? severity >= Severity::fatal : level >= minimum;
}

void log_sink(const ErrorReport& r) { write_log(current_session(), r, false); }

void client_sink(const ErrorReport& r) {
  Session* session = current_session();
  if (session != nullptr && !session->connection.is_lost()) send_error(*session, r);
}

}  // namespace

void log_report(const Session& session, const ErrorReport& report) {
  if (!logged_at(report.severity, config::values::log_min_messages)) return;
  write_log(&session, report, static_cast<int>(report.severity) >= config::values::log_min_error_statement);
}

void install_report_sinks() {
  set_log_sink(log_sink);
  set_client_sink(client_sink);
}

}  // namespace hathi::session
