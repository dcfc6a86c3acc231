#pragma once
// What a user did wrong, or what the world refused: thrown as SqlError, answered with a SQLSTATE.
// A broken invariant of ours is HATHI_ASSERT (debug builds abort) or panic() (shared state can no longer be trusted).

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "hathi/error/sqlstate.h"

namespace hathi {

// PostgreSQL's levels of message, least severe first.
enum class Severity : std::uint8_t { debug5, debug4, debug3, debug2, debug1, log, info, notice, warning, error, fatal, panic };

// Everything a message to the client or the log may carry. Empty strings and zero positions are "not given".
struct ErrorReport {
  Severity severity = Severity::error;
  SqlState code = sqlstate::internal_error;
  std::string message;
  std::string detail;
  std::string detail_log;         // replaces detail in the server log
  std::string hint;
  std::string context;            // lines, innermost first
  std::string schema_name, table_name, column_name, datatype_name, constraint_name;
  int position = 0;               // character (not byte) of the statement, from 1
  int internal_position = 0;      // likewise inside internal_query
  std::string internal_query;
  const char* source_file = "";
  int source_line = 0;
  const char* source_function = "";
  bool hide_statement = false;    // do not log the statement with it
};

// An error that ends the statement (error), the session (fatal) or, after panic(), the server. Build it with the setters:
//   throw SqlError(sqlstate::undefined_table, "relation \"{}\" does not exist", name).at(location);
class SqlError : public std::exception {
 public:
  template <class... Args>
  SqlError(SqlState code, fmt::format_string<Args...> format, Args&&... args) {
    report_.code = code;
    report_.message = fmt::format(format, std::forward<Args>(args)...);
  }
  explicit SqlError(ErrorReport report) : report_(std::move(report)) {}

  SqlError& detail(std::string text) { report_.detail = std::move(text); return *this; }
  SqlError& hint(std::string text) { report_.hint = std::move(text); return *this; }
  // Adds a line of context, outermost last.
  SqlError& context(std::string_view line) {
    if (!report_.context.empty()) report_.context += '\n';
    report_.context += line;
    return *this;
  }
  // Byte offset into the statement text, from 0, or -1 for none; session/ turns it into a character position when it sends.
  SqlError& at(int byte_offset) { byte_offset_ = byte_offset; return *this; }
  SqlError& fatal() { report_.severity = Severity::fatal; return *this; }
  SqlError& schema(std::string_view v) { report_.schema_name = v; return *this; }
  SqlError& table(std::string_view v) { report_.table_name = v; return *this; }
  SqlError& column(std::string_view v) { report_.column_name = v; return *this; }
  SqlError& datatype(std::string_view v) { report_.datatype_name = v; return *this; }
  SqlError& constraint(std::string_view v) { report_.constraint_name = v; return *this; }

  const ErrorReport& report() const { return report_; }
  ErrorReport& report() { return report_; }
  int byte_offset() const { return byte_offset_; }
  SqlState code() const { return report_.code; }
  const char* what() const noexcept override { return report_.message.c_str(); }

 private:
  ErrorReport report_;
  int byte_offset_ = -1;
};

// SqlError(feature_not_supported): "<what> is not supported".
[[noreturn]] void throw_not_supported(std::string_view what, int byte_offset = -1);

// Writes the message to the server log, flushes it and aborts the process: the postmaster then restarts everything and recovers.
[[noreturn]] void panic(std::string_view message);

namespace detail {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}

#ifdef HATHI_ASSERTIONS
#define HATHI_ASSERT(expression) \
  (static_cast<bool>(expression) ? static_cast<void>(0) : ::hathi::detail::assertion_failed(#expression, __FILE__, __LINE__))
#else
#define HATHI_ASSERT(expression) static_cast<void>(sizeof(!(expression)))
#endif

}  // namespace hathi
