#pragma once
// Settings (GUCs): typed values with PostgreSQL's names, units, ranges, contexts and SHOW texts.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hathi/error/sqlstate.h"

namespace hathi::config {

enum class Type : std::uint8_t { boolean, integer, real, string, enumeration };
// Who may change it, as pg_settings.context.
enum class Context : std::uint8_t { internal, postmaster, sighup, superuser_backend, backend, superuser, user };
// Where the value came from, weakest first (a stronger one is not overridden by a weaker one). `computed`: a default that the server worked out.
enum class Source : std::uint8_t {
  default_value, computed, environment, file, argv, global, database, user, database_user, client, override_value, session
};
enum class Unit : std::uint8_t { none, bytes, kilobytes, blocks, megabytes, milliseconds, seconds, minutes };

// What a check hook found. Not ok: the error is `invalid value for parameter "x": "value"` unless `message` says otherwise.
struct CheckResult {
  bool ok = true;
  std::string detail, hint, message;
  SqlState code = sqlstate::invalid_parameter_value;
};
using CheckHook = CheckResult (*)(std::string& value);   // normalises (strings) or rejects the text; may throw SqlError itself
using AssignHook = void (*)();                           // runs after the variable changed, also by rollback; must not throw
using ShowHook = std::string (*)();

// One definition a setting. The machinery writes the variable that code reads directly; without one it keeps the value itself.

struct Definition {
  const char* name;
  const char* group;         // pg_settings.category
  const char* description;   // own words
  Type type;
  Context context;
  Unit unit = Unit::none;
  bool report = false;              // ParameterStatus on change
  bool no_show_all = false;         // in SHOW and current_setting only, not in pg_settings
  bool superuser_only = false;      // shown to superusers and pg_read_all_settings only
  bool list_input = false;          // SET x = a, b, c is joined by ", "
  bool list_quote = false;          // … each quoted as an identifier
  bool no_reset_all = false;
  bool not_in_sample = false, explain = false, runtime_computed = false;   // as pg_settings_get_flags
  bool octal = false;               // SHOW writes 0777
  bool only_default = false;        // any other value is 0A000: what it would switch on does not exist
  // At most one of these, by type:
  bool* boolean = nullptr;
  int* integer = nullptr;           // also of an enumeration
  double* real = nullptr;
  std::string* string = nullptr;
  const char* boot_value = "";      // as text, in the base unit
  double min = 0, max = 0;
  std::span<const std::pair<const char*, int>> options = {};   // of an enumeration; hidden aliases follow an entry {nullptr, 0}
  CheckHook check = nullptr;
  AssignHook assign = nullptr;
  ShowHook show = nullptr;          // overrides the text of SHOW
};

// Registered before the first fork. The table must outlive the process. A placeholder of the same name gives its value to the new setting.
void define(std::span<const Definition> table);
// All of PostgreSQL 15's settings and ours; once, first thing in every program. Repeated calls do nothing.
void define_builtin_settings();
// Upper layers add what they know (roles, tablespaces, the running transaction): nullptr leaves a hook as it is.
void install_hooks(std::string_view name, CheckHook check, AssignHook assign, ShowHook show);

// SET / set_config / start-up packets / files. is_local: until the end of the transaction. Errors: 42704 unrecognized configuration
// parameter, 22023 invalid value (with the list of options or the range), 55P02 cannot be changed now/without restart, 42501.
// The source says how much may be changed: up to argv and override everything, global … database_user what a superuser may SET,
// client also what is fixed at connection start, session what is_superuser allows. A weaker source than the present one only moves
// the value RESET goes back to. Outside a transaction (no level) nothing is undone later.
void set(std::string_view name, std::string_view value, Source source, bool is_local, bool is_superuser);
void reset(std::string_view name, bool is_superuser);
void reset_all();
// A function's SET clause: undone when the level ends (see new_level).
void set_for_function(std::string_view name, std::string_view value, bool is_superuser);
// Checks without setting (ALTER ROLE/DATABASE/SYSTEM … SET). Errors as set().
void validate(std::string_view name, std::string_view value, Source source, bool is_superuser);
// SHOW's text; nullopt when there is no such setting (custom "a.b" names exist once set).
std::optional<std::string> show(std::string_view name);
bool exists(std::string_view name);
// The setting's definition, nullptr when there is none. Old names (sort_mem, vacuum_mem) are understood.
const Definition* find(std::string_view name);
// The elements of a list of names as search_path has it (case folded unless quoted); nullopt when the list is malformed.
std::optional<std::vector<std::string>> split_name_list(std::string_view text);
// Is it shown only to superusers and members of pg_read_all_settings?
bool is_superuser_only(std::string_view name);
const char* context_name(Context context);   // "superuser-backend"
const char* source_name(Source source);      // "configuration file"
struct Row {  // of pg_settings
  std::string name, setting, unit, category, short_desc, context, vartype, source, min_val, max_val, boot_val, reset_val, source_file;
  std::vector<std::string> enum_values;
  int source_line; bool pending_restart; bool has_min_max; bool report; bool superuser_only; std::string show_text;
  bool has_boot_val, has_reset_val;   // false: null (strings without a value)
  bool explain, no_reset_all, not_in_sample, runtime_computed, no_show_all;
};
std::vector<Row> rows();   // by name; all that pg_settings shows
// Those changed from their boot value with the explain flag, for EXPLAIN (SETTINGS): name and SHOW text.
std::vector<std::pair<std::string, std::string>> changed_for_explain();

// Transactions: SET is undone by rollback, SET LOCAL ends with the (sub)transaction, function-local values by level.
void at_start_of_level(int nesting_level);
// Ends this level and those inside it. Committing one inside another hands SET and SET LOCAL on to the outer one. O(settings changed in it).
void at_end_of_level(int nesting_level, bool commit);
// A level of its own for one function call with SET clauses (independent of the transaction's numbers).
int new_level();
void end_level(int level, bool commit);

// Reported settings whose value changed since the last call (net change), for ParameterStatus.
std::vector<std::pair<std::string, std::string>> take_reported_changes();
std::vector<std::pair<std::string, std::string>> all_reported();

// postgresql.conf (or config_file) + postgresql.auto.conf of the data directory, include directives followed. At start-up errors are logged
// and F0000 thrown ("configuration file … contains errors"), at reload they are logged and the good lines applied. A missing main file
// throws at start-up. quiet: a child that reloads leaves logging to the postmaster. Returns false when something was wrong.
bool load_files(const std::string& data_directory, bool at_start, bool quiet = false);
// When this process last loaded them, in microseconds since 2000-01-01.
std::int64_t load_time();
// Defaults from the environment and the system: PGPORT, PGDATESTYLE, the stack's limit.
void load_environment();
// One name, value list and position of every line of the files, for tools: (name, value, file, line).
struct FileEntry { std::string name, value, file; int line; };
// Parses a file and what it includes; problems go to `errors` as PostgreSQL words them.
bool parse_file(const std::string& path, std::vector<FileEntry>& entries, std::vector<std::string>& errors);

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
extern bool fsync, full_page_writes, zero_damaged_pages, ignore_checksum_failure;
extern int wal_compression;           // 0 off, 1 pglz, 2 lz4, 3 zstd
extern int synchronous_commit;        // 0 off, 1 local, 2 remote_write, 3 on, 4 remote_apply
extern int checkpoint_timeout;        // s
extern int max_wal_size, min_wal_size;// MB
extern double checkpoint_completion_target;
extern int wal_buffers, wal_writer_delay, wal_writer_flush_after, bgwriter_delay, bgwriter_lru_maxpages;
extern double bgwriter_lru_multiplier;
extern int commit_delay, commit_siblings;
extern int temp_file_limit;           // kB, -1 = none
extern int huge_pages;                // 0 off, 1 on, 2 try
extern bool log_lock_waits;
extern int autovacuum_max_workers;
extern double vacuum_cost_delay;      // ms
extern int vacuum_cost_limit, vacuum_cost_page_hit, vacuum_cost_page_miss, vacuum_cost_page_dirty;
extern int wal_level;                 // 0 minimal, 1 replica
extern bool wal_log_hints, wal_init_zero, wal_recycle;
extern int wal_sync_method;           // 0 fsync, 1 fdatasync, 2 open_sync, 3 open_datasync
extern int wal_skip_threshold;        // kB
extern int wal_keep_size;             // MB
extern int checkpoint_warning;        // s
extern int checkpoint_flush_after, bgwriter_flush_after, backend_flush_after;   // 8 kB blocks, 0 = never
extern int max_files_per_process;
extern double hash_mem_multiplier;
extern bool data_sync_retry, data_checksums, restart_after_crash;
extern int recovery_init_sync_method;           // 0 fsync, 1 syncfs
extern int default_toast_compression;           // 0 pglz, 1 lz4
extern int effective_io_concurrency, maintenance_io_concurrency;
extern bool track_activities, track_counts, track_io_timing, synchronize_seqscans;
extern int track_activity_query_size; // bytes
extern int max_stack_depth;           // kB
}  // namespace values

}  // namespace hathi::config
