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
#include "statement_log.h"

namespace hathi::session {

namespace {

// A time of day in log_timezone, with the zone's abbreviation.
std::string time_text(std::chrono::system_clock::time_point when, bool with_milliseconds) {
  std::string zone_name = "UTC";
  auto local = when;
  const std::string& zone = config::values::log_timezone;
  if (zone == "GMT") {
    zone_name = zone;
  } else if (!zone.empty() && zone != "UTC" && zone != "Etc/UTC") {
    try {
      date::sys_info info = date::locate_zone(zone)->get_info(std::chrono::floor<std::chrono::seconds>(when));
      local += info.offset;
      zone_name = info.abbrev;
    } catch (const std::exception&) {   // a zone that is no name of the system's: UTC it is
    }
  }
  auto seconds = std::chrono::system_clock::to_time_t(local);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  if (!with_milliseconds) return fmt::format("{} {}", text, zone_name);
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count() % 1000;
  return fmt::format("{}.{:03} {}", text, ms, zone_name);
}

std::chrono::system_clock::time_point began_at() { return std::chrono::system_clock::time_point(std::chrono::microseconds(session_began())); }

// What a session is doing, as its process title has it: a command's tag, or that it waits.
std::string command_words(const Session& session) {
  if (!session.command_tag.empty()) {
    const shmem::WaitEvent* event = shmem::has_slot() ? shmem::my_slot().wait_event.load() : nullptr;
    return fmt::format("{}{}", session.command_tag, event != nullptr && std::string_view(event->type) == "Lock" ? " waiting" : "");
  }
  switch (transaction_status()) {
    case 'T': return "idle in transaction";
    case 'E': return "idle in transaction (aborted)";
    default: return "idle";
  }
}

std::string or_unknown(const std::string& name) { return name.empty() ? "[unknown]" : name; }

std::string escape_value(char code, const Session* session, const ErrorReport& report) {
  static std::uint64_t line_number = 0;
  switch (code) {
    case 'a': return session == nullptr ? "" : or_unknown(config::values::application_name);
    case 'u': return session == nullptr ? "" : or_unknown(connection_names().user);
    case 'd': return session == nullptr ? "" : or_unknown(connection_names().database);
    case 'h': return session == nullptr ? "" : connection_names().host;
    case 'r': {
      if (session == nullptr) return "";
      const ConnectionNames& names = connection_names();
      return names.port.empty() ? names.host : fmt::format("{}({})", names.host, names.port);
    }
    case 'p': return std::to_string(getpid());
    case 't': return time_text(std::chrono::system_clock::now(), false);
    case 'm': return time_text(std::chrono::system_clock::now(), true);
    case 'n': {
      auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
      return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
    }
    case 's': return session_began() == 0 ? "" : time_text(began_at(), false);
    case 'c': return fmt::format("{:x}.{:x}", session_began() / 1000000, getpid());
    case 'i': return session == nullptr ? "" : command_words(*session);
    case 'e': return std::string(report.code.view());
    case 'Q': return "0";
    case 'l': return std::to_string(++line_number);
    case 'b': return shmem::has_slot() ? shmem::process_kind_name(shmem::my_slot().kind) : "postmaster";
    case 'x': return std::to_string(transaction::is_running() ? transaction::top_xid_if_any().value() : 0);
    case 'v':
      return shmem::has_slot() ? fmt::format("{}/{}", shmem::my_slot().number, shmem::my_slot().local_transaction_number) : std::string();
    default: return "";
  }
}

std::string line_prefix(const Session* session, const ErrorReport& report) {
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
    std::string value = i < format.size() ? escape_value(format[i], session, report) : "";
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
  std::string prefix = line_prefix(session, r);
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
  if (with_statement && session != nullptr && session->in_command && !r.hide_statement) add("STATEMENT", session->statement_text);
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

void log_sink(const ErrorReport& r) {
  write_log(current_session(), r, logged_at(r.severity, config::values::log_min_error_statement));
}

void client_sink(const ErrorReport& r) {
  Session* session = current_session();
  if (session != nullptr && !session->connection.is_lost()) send_error(*session, r);
}

}  // namespace

void log_report(const Session& session, const ErrorReport& report) {
  if (!logged_at(report.severity, config::values::log_min_messages)) return;
  write_log(&session, report, logged_at(report.severity, config::values::log_min_error_statement));
}

void install_report_sinks() {
  set_log_sink(log_sink);
  set_client_sink(client_sink);
}

}  // namespace hathi::session
