#pragma once
// Messages that do not end the statement: notices and warnings to the client, lines to the server log.

#include "hathi/error/sql_error.h"

namespace hathi {

// Sends a report of severity warning or less to wherever client_min_messages and log_min_messages say. Never throws.
void report(ErrorReport report);

template <class... Args>
void report_notice(SqlState code, fmt::format_string<Args...> format, Args&&... args) {
  ErrorReport r;
  r.severity = Severity::notice; r.code = code; r.message = fmt::format(format, std::forward<Args>(args)...);
  report(std::move(r));
}
template <class... Args>
void report_warning(SqlState code, fmt::format_string<Args...> format, Args&&... args) {
  ErrorReport r;
  r.severity = Severity::warning; r.code = code; r.message = fmt::format(format, std::forward<Args>(args)...);
  report(std::move(r));
}
template <class... Args>
void log_message(fmt::format_string<Args...> format, Args&&... args) {
  ErrorReport r;
  r.severity = Severity::log; r.code = sqlstate::successful_completion; r.message = fmt::format(format, std::forward<Args>(args)...);
  report(std::move(r));
}

// The places a report goes to. Each process has one of each; the defaults are "no client" and stderr.
using ReportSink = void (*)(const ErrorReport&);
void set_client_sink(ReportSink sink);   // nullptr = no client
void set_log_sink(ReportSink sink);
// Severities from which a report reaches the client and the log (settings client_min_messages, log_min_messages).
void set_report_levels(Severity client, Severity log);
// "ERROR", "WARNING", …
std::string_view severity_name(Severity severity);

}  // namespace hathi
