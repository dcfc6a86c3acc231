#pragma once
// Settings (GUCs): typed values with PostgreSQL's names, units, ranges, contexts and SHOW texts.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hathi::config {

enum class Type : std::uint8_t { boolean, integer, real, string, enumeration };
// Who may change it, as pg_settings.context.
enum class Context : std::uint8_t { internal, postmaster, sighup, superuser_backend, backend, superuser, user };
// Where the value came from, weakest first (a stronger one is not overridden by a weaker one).
enum class Source : std::uint8_t { default_value, environment, file, argv, global, database, user, database_user, client, override_value, session };
enum class Unit : std::uint8_t { none, bytes, kilobytes, blocks, megabytes, milliseconds, seconds, minutes };

// A value that code reads directly; the settings machinery writes it. One definition a setting, registered with define_*().
// check: normalises or rejects (returns false with a reason / hint set); assign: runs after the value changed.
struct CheckResult { bool ok = true; std::string detail, hint; };

struct Definition {
  const char* name;
  const char* group;         // pg_settings.category
  const char* description;   // own words
  Type type;
  Context context;
  Unit unit = Unit::none;
  bool report = false;       // ParameterStatus on change
  bool no_show_all = false, superuser_only = false, list_quote = false;
  // One of these, by type:
  bool* boolean = nullptr; int* integer = nullptr; double* real = nullptr; std::string* string = nullptr; int* enumeration = nullptr;
  const char* boot_value = "";               // as text
  double min = 0, max = 0;
  std::span<const std::pair<const char*, int>> options;   // of an enumeration; hidden aliases follow an entry {nullptr, 0}
  CheckResult (*check)(std::string& value) = nullptr;
  void (*assign)() = nullptr;
  std::string (*show)() = nullptr;           // overrides the text of SHOW
};

// Registered before the first fork.
void define(std::span<const Definition> table);

// SET / set_config / start-up packets / files. is_local: until the end of the transaction. Errors: 42704 unrecognized configuration
// parameter, 22023 invalid value (with the list of options or the range), 55P02 cannot be changed now/without restart, 42501.
void set(std::string_view name, std::string_view value, Source source, bool is_local, bool is_superuser);
void reset(std::string_view name, bool is_superuser);
void reset_all();
// SHOW's text; nullopt when there is no such setting (custom "a.b" names exist once set).
std::optional<std::string> show(std::string_view name);
bool exists(std::string_view name);
// The value as text without unit conversion (current_setting in pg_dump style: same as show).
struct Row {  // of pg_settings
  std::string name, setting, unit, category, short_desc, context, vartype, source, min_val, max_val, boot_val, reset_val, source_file; std::vector<std::string> enum_values;
  int source_line; bool pending_restart; bool has_min_max; bool report; bool superuser_only; std::string show_text;
};
std::vector<Row> rows();

// Transactions: SET is undone by rollback, SET LOCAL ends with the (sub)transaction, function-local values by level.
void at_start_of_level(int nesting_level);
void at_end_of_level(int nesting_level, bool commit);

// Reported settings whose value changed since the last call (net change), for ParameterStatus.
std::vector<std::pair<std::string, std::string>> take_reported_changes();
std::vector<std::pair<std::string, std::string>> all_reported();

// postgresql.conf + postgresql.auto.conf (include directives) of the data directory; at start-up errors are fatal, at reload logged.
void load_files(const std::string& data_directory, bool at_start);

// Common settings that lower layers read. Defaults are PostgreSQL 15's.
namespace values {
extern int shared_buffers;            // 8 kB blocks
extern int max_connections;
extern int superuser_reserved_connections;
extern int work_mem;                  // kB
extern int maintenance_work_mem;      // kB
extern int temp_buffers;              // blocks
extern int relation_extension_lock_slots;
extern int max_locks_per_transaction;
extern int deadlock_timeout;          // ms
extern int lock_timeout;              // ms
extern int statement_timeout;         // ms
extern int idle_in_transaction_session_timeout, idle_session_timeout;   // ms
extern bool fsync, full_page_writes, zero_damaged_pages, ignore_checksum_failure, wal_compression;
extern int synchronous_commit;        // 0 off, 1 local, 2 remote_write, 3 on, 4 remote_apply
extern int checkpoint_timeout;        // s
extern int max_wal_size, min_wal_size;// MB
extern double checkpoint_completion_target;
extern int wal_buffers, wal_writer_delay, wal_writer_flush_after, bgwriter_delay, bgwriter_lru_maxpages;
extern double bgwriter_lru_multiplier;
extern int commit_delay, commit_siblings;
extern int temp_file_limit;           // kB, -1 = none
extern std::string huge_pages;
extern bool log_lock_waits;
extern int autovacuum_max_workers;
extern int vacuum_cost_delay, vacuum_cost_limit;
}  // namespace values

}  // namespace hathi::config
