#pragma once
// Tables of the SQL functions of session/.

#include <span>

#include "hathi/datum/function.h"

namespace hathi::session {

std::span<const BuiltinFunction> settings_functions();
std::span<const BuiltinFunction> lock_functions();
std::span<const BuiltinFunction> log_functions();   // pg_current_wal_lsn, pg_control_…
std::span<const BuiltinFunction> activity_functions();
std::span<const BuiltinFunction> statistics_functions();
std::span<const BuiltinFunction> statement_functions();   // pg_prepared_statements, pg_cursors

// WHERE CURRENT OF, and 55006 for tables that a cursor reads (functions_statements.cpp).
void install_cursor_hooks();
// assign hook of application_name (activity.cpp).
void note_application_name();

}  // namespace hathi::session
