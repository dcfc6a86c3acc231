#include "hathi/error/report.h"

#include <cstdio>
#include <cstdlib>

namespace hathi {

namespace {

void stderr_sink(const ErrorReport& r) {
  std::string line = fmt::format("{}:  {}\n", severity_name(r.severity), r.message);
  if (!r.detail.empty()) line += fmt::format("DETAIL:  {}\n", r.detail);
  if (!r.hint.empty()) line += fmt::format("HINT:  {}\n", r.hint);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

ReportSink client_sink = nullptr;
ReportSink log_sink = stderr_sink;
Severity client_level = Severity::notice;
Severity log_level = Severity::warning;

// PostgreSQL ranks "log" above errors for the server log, and below notices for clients.
bool reaches_log(Severity severity) {
  if (severity == Severity::log) return log_level <= Severity::log || log_level <= Severity::fatal;
  if (severity == Severity::info) return false;
  return severity >= log_level;
}

bool reaches_client(Severity severity) { return severity == Severity::info || severity >= client_level; }

}  // namespace

void set_client_sink(ReportSink sink) { client_sink = sink; }
void set_log_sink(ReportSink sink) { log_sink = sink == nullptr ? stderr_sink : sink; }
void set_report_levels(Severity client, Severity log) {
  client_level = client;
  log_level = log;
}

void report(ErrorReport r) {
  if (reaches_log(r.severity)) log_sink(r);
  if (client_sink != nullptr && reaches_client(r.severity)) client_sink(r);
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::debug5: case Severity::debug4: case Severity::debug3: case Severity::debug2: case Severity::debug1:
      return "DEBUG";
    case Severity::log: return "LOG";
    case Severity::info: return "INFO";
    case Severity::notice: return "NOTICE";
    case Severity::warning: return "WARNING";
    case Severity::error: return "ERROR";
    case Severity::fatal: return "FATAL";
    case Severity::panic: return "PANIC";
  }
  return "ERROR";
}

void throw_not_supported(std::string_view what, int byte_offset) {
  throw SqlError(sqlstate::feature_not_supported, "{} is not supported", what).at(byte_offset);
}

void panic(std::string_view message) {
  ErrorReport r;
  r.severity = Severity::panic;
  r.message = message;
  log_sink(r);
  std::abort();
}

namespace detail {
void assertion_failed(const char* expression, const char* file, int line) {
  panic(fmt::format("assertion failed: {}, {}:{}", expression, file, line));
}
}  // namespace detail

}  // namespace hathi
