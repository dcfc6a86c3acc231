// The settings of the groups below: names, ranges, contexts and boot values are PostgreSQL 15's.
#include "hathi/config/developer_settings.h"
#include "table.h"

namespace hathi::config {

std::string values::wal_consistency_checking;

namespace {

constexpr const char* kDeveloperOptions = "Developer Options";
constexpr const char* kPresetOptions = "Preset Options";
constexpr const char* kPrimaryServer = "Replication / Primary Server";
constexpr const char* kSendingServers = "Replication / Sending Servers";
constexpr const char* kStandbyServers = "Replication / Standby Servers";
constexpr const char* kSubscribers = "Replication / Subscribers";

constexpr Option kCompositeTypeMismatchOptions[] = {{"error", 0}, {"warn", 1}, {"disabled", 2}};
constexpr Option kForceParallelModeOptions[] = {{"off", 0},   {"on", 1},  {"regress", 2}, {nullptr, 0}, {"true", 1},
                                                {"false", 0}, {"yes", 1}, {"no", 0},      {"1", 1},     {"0", 0}};
constexpr Option kTraceRecoveryMessagesOptions[] = {{"debug5", 0}, {"debug4", 1}, {"debug3", 2},  {"debug2", 3}, {"debug1", 4},
                                                    {"log", 5},    {"notice", 7}, {"warning", 8}, {"error", 9},  {nullptr, 0},
                                                    {"debug", 3},  {"info", 6},   {"fatal", 10},  {"panic", 11}};

}  // namespace

void define_other_settings() {
  static const Definition table[] = {
      // Developer Options
      boolean("allow_in_place_tablespaces", kDeveloperOptions, "Allows tablespaces directly in pg_tblspc, for tests.", Context::superuser,
              "off", nullptr) |
          kNotInSample,
      boolean("allow_system_table_mods", kDeveloperOptions, "Allows changes to the structure of system tables.", Context::superuser, "off",
              &values::allow_system_table_mods) |
          kNotInSample,
      text("backtrace_functions", kDeveloperOptions, "Logs a backtrace for errors in these functions.", Context::superuser, "", nullptr) |
          kNotInSample,
      choice("composite_type_mismatch", kDeveloperOptions, "What happens when a stored row does not fit its type.", Context::superuser,
             "error", kCompositeTypeMismatchOptions, nullptr) |
          kNotInSample | kOnlyDefault,
      integer("debug_discard_caches", kDeveloperOptions, "Throws caches away at every opportunity, for tests.", Context::superuser,
              Unit::none, "0", 0, 0, nullptr) |
          kNotInSample,
      choice("force_parallel_mode", kDeveloperOptions, "Forces parallel plans, for tests.", Context::user, "off", kForceParallelModeOptions,
             &values::force_parallel_mode) |
          kExplain | kNotInSample,
      boolean("ignore_checksum_failure", kDeveloperOptions, "Goes on after a page's checksum was found wrong.", Context::superuser, "off",
              &values::ignore_checksum_failure) |
          kNotInSample,
      boolean("ignore_invalid_pages", kDeveloperOptions, "Lets recovery go on after references to missing pages.", Context::postmaster,
              "off", nullptr) |
          kNotInSample | kOnlyDefault,
      boolean("ignore_system_indexes", kDeveloperOptions, "Reads system tables without their indexes.", Context::backend, "off", nullptr) |
          kNotInSample,
      boolean("jit_debugging_support", kDeveloperOptions, "Registers compiled functions with a debugger.", Context::superuser_backend,
              "off", nullptr) |
          kNotInSample,
      boolean("jit_dump_bitcode", kDeveloperOptions, "Writes out the compiler's bitcode.", Context::superuser, "off", nullptr) |
          kNotInSample,
      boolean("jit_expressions", kDeveloperOptions, "Compiles expressions.", Context::user, "on", nullptr) | kNotInSample,
      boolean("jit_profiling_support", kDeveloperOptions, "Registers compiled functions with perf.", Context::superuser_backend, "off",
              nullptr) |
          kNotInSample,
      boolean("jit_tuple_deforming", kDeveloperOptions, "Compiles the taking apart of rows.", Context::user, "on", nullptr) | kNotInSample,
      integer("post_auth_delay", kDeveloperOptions, "Seconds to wait after a login, for debuggers.", Context::backend, Unit::seconds, "0",
              0, 2147, &values::post_auth_delay) |
          kNotInSample,
      integer("pre_auth_delay", kDeveloperOptions, "Seconds to wait before a login, for debuggers.", Context::sighup, Unit::seconds, "0", 0,
              60, &values::pre_auth_delay) |
          kNotInSample,
      boolean("remove_temp_files_after_crash", kDeveloperOptions, "Removes temporary files after a crash of a backend.", Context::sighup,
              "on", &values::remove_temp_files_after_crash) |
          kNotInSample,
      boolean("trace_notify", kDeveloperOptions, "Writes debugging output for LISTEN and NOTIFY.", Context::user, "off", nullptr) |
          kNotInSample,
      choice("trace_recovery_messages", kDeveloperOptions, "Severity of debugging output about recovery.", Context::sighup, "log",
             kTraceRecoveryMessagesOptions, nullptr) |
          kNotInSample,
      boolean("trace_sort", kDeveloperOptions, "Logs how sorts use their resources.", Context::user, "off", &values::trace_sort) |
          kNotInSample,
      text("wal_consistency_checking", kDeveloperOptions, "Resource managers whose redo is checked against a stored page image.",
           Context::superuser, "", &values::wal_consistency_checking) |
          kNotInSample | kListInput,
      boolean("zero_damaged_pages", kDeveloperOptions, "Reads a damaged page as empty, with a warning.", Context::superuser, "off",
              &values::zero_damaged_pages) |
          kNotInSample,
      // Preset Options
      integer("block_size", kPresetOptions, "Size of a disk block.", Context::internal, Unit::none, "8192", 8192, 8192, nullptr) |
          kNotInSample,
      boolean("data_checksums", kPresetOptions, "Whether data pages carry checksums.", Context::internal, "off", &values::data_checksums) |
          kNotInSample | kRuntimeComputed,
      integer("data_directory_mode", kPresetOptions, "Access permissions of the data directory.", Context::internal, Unit::none, "448", 0,
              511, &values::data_directory_mode) |
          kNotInSample | kRuntimeComputed | kOctal,
      boolean("debug_assertions", kPresetOptions, "Whether this build checks its invariants.", Context::internal, "off", nullptr) |
          kNotInSample,
      boolean("in_hot_standby", kPresetOptions, "Whether the server is a standby that answers queries.", Context::internal, "off",
              nullptr) |
          kReport | kNotInSample,
      boolean("integer_datetimes", kPresetOptions, "Dates and times are integers.", Context::internal, "on", nullptr) | kReport |
          kNotInSample,
      text("lc_collate", kPresetOptions, "Collation order of the database.", Context::internal, "C", nullptr) | kNotInSample,
      text("lc_ctype", kPresetOptions, "Character classes of the database.", Context::internal, "C", nullptr) | kNotInSample,
      integer("max_function_args", kPresetOptions, "Most arguments of a function.", Context::internal, Unit::none, "100", 100, 100,
              nullptr) |
          kNotInSample,
      integer("max_identifier_length", kPresetOptions, "Longest identifier, in bytes.", Context::internal, Unit::none, "63", 63, 63,
              nullptr) |
          kNotInSample,
      integer("max_index_keys", kPresetOptions, "Most key columns of an index.", Context::internal, Unit::none, "32", 32, 32, nullptr) |
          kNotInSample,
      integer("segment_size", kPresetOptions, "Blocks per file of a relation.", Context::internal, Unit::blocks, "131072", 131072, 131072,
              nullptr) |
          kNotInSample,
      text("server_encoding", kPresetOptions, "Character set of the database.", Context::internal, "UTF8", nullptr) | kReport |
          kNotInSample,
      text("server_version", kPresetOptions, "Version of the server.", Context::internal,
           HATHI_POSTGRESQL_VERSION " (Hathi " HATHI_VERSION ")", nullptr) |
          kReport | kNotInSample,
      integer("server_version_num", kPresetOptions, "Version of the server as a number.", Context::internal, Unit::none, kVersionNumber, 0,
              kMaxInt, nullptr) |
          kNotInSample,
      integer("shared_memory_size", kPresetOptions, "Size of the shared-memory segment.", Context::internal, Unit::megabytes, "0", 0,
              kMaxInt, &values::shared_memory_size) |
          kNotInSample | kRuntimeComputed,
      integer("shared_memory_size_in_huge_pages", kPresetOptions, "Huge pages needed for the shared-memory segment (-1: unknown).",
              Context::internal, Unit::none, "-1", -1, kMaxInt, &values::shared_memory_size_in_huge_pages) |
          kNotInSample | kRuntimeComputed,
      text("ssl_library", kPresetOptions, "Library that provides TLS.", Context::internal, "OpenSSL", nullptr) | kNotInSample,
      integer("wal_block_size", kPresetOptions, "Size of a block of the write-ahead log.", Context::internal, Unit::none, "8192", 8192,
              8192, nullptr) |
          kNotInSample,
      integer("wal_segment_size", kPresetOptions, "Size of a file of the write-ahead log.", Context::internal, Unit::bytes, "16777216",
              1048576, 1073741824, nullptr) |
          kNotInSample | kRuntimeComputed,
      // Replication / Primary Server
      text("synchronous_standby_names", kPrimaryServer, "Standbys whose answer a commit waits for.", Context::sighup, "", nullptr) |
          kListInput | kOnlyDefault,
      integer("vacuum_defer_cleanup_age", kPrimaryServer, "Transactions by which removal of dead rows is put off.", Context::sighup,
              Unit::none, "0", 0, 1000000, nullptr),
      // Replication / Sending Servers
      integer("max_replication_slots", kSendingServers, "Most replication slots.", Context::postmaster, Unit::none, "0", 0, 262143,
              nullptr) |
          kOnlyDefault,
      integer("max_slot_wal_keep_size", kSendingServers, "Most WAL kept for replication slots (-1: no limit).", Context::sighup,
              Unit::megabytes, "-1", -1, kMaxInt, nullptr),
      integer("max_wal_senders", kSendingServers, "Most processes that send WAL.", Context::postmaster, Unit::none, "0", 0, 262143,
              nullptr) |
          kOnlyDefault,
      text("output_plugin_libraries", kSendingServers, "Libraries allowed as output plugins of logical decoding.", Context::superuser,
           "pgoutput, test_decoding", nullptr) |
          kSuperuserOnly | kListInput,
      boolean("track_commit_timestamp", kSendingServers, "Records the time of each commit.", Context::postmaster, "off", nullptr) |
          kOnlyDefault,
      integer("wal_keep_size", kSendingServers, "WAL kept for standbys.", Context::sighup, Unit::megabytes, "0", 0, kMaxInt,
              &values::wal_keep_size),
      integer("wal_sender_timeout", kSendingServers, "Longest time to wait for an answer of a standby.", Context::user, Unit::milliseconds,
              "60000", 0, kMaxInt, nullptr),
      // Replication / Standby Servers
      boolean("hot_standby", kStandbyServers, "Lets a standby answer queries.", Context::postmaster, "on", nullptr),
      boolean("hot_standby_feedback", kStandbyServers, "Lets a standby hold back cleanup on its primary.", Context::sighup, "off", nullptr),
      integer("max_standby_archive_delay", kStandbyServers, "Longest time to put off archived WAL for queries on a standby.",
              Context::sighup, Unit::milliseconds, "30000", -1, kMaxInt, nullptr),
      integer("max_standby_streaming_delay", kStandbyServers, "Longest time to put off streamed WAL for queries on a standby.",
              Context::sighup, Unit::milliseconds, "30000", -1, kMaxInt, nullptr),
      text("primary_conninfo", kStandbyServers, "Connection string of the primary.", Context::sighup, "", nullptr) | kSuperuserOnly |
          kOnlyDefault,
      text("primary_slot_name", kStandbyServers, "Replication slot on the primary.", Context::sighup, "", nullptr) | kOnlyDefault,
      text("promote_trigger_file", kStandbyServers, "File whose presence promotes a standby.", Context::sighup, "", nullptr) | kOnlyDefault,
      integer("recovery_min_apply_delay", kStandbyServers, "Delay of changes on a standby.", Context::sighup, Unit::milliseconds, "0", 0,
              kMaxInt, nullptr),
      boolean("wal_receiver_create_temp_slot", kStandbyServers, "Makes a temporary slot when none is named.", Context::sighup, "off",
              nullptr),
      integer("wal_receiver_status_interval", kStandbyServers, "Longest time between reports to the primary.", Context::sighup,
              Unit::seconds, "10", 0, 2147483, nullptr),
      integer("wal_receiver_timeout", kStandbyServers, "Longest time to wait for data from the primary.", Context::sighup,
              Unit::milliseconds, "60000", 0, kMaxInt, nullptr),
      integer("wal_retrieve_retry_interval", kStandbyServers, "Pause before WAL is fetched again after a failure.", Context::sighup,
              Unit::milliseconds, "5000", 1, kMaxInt, nullptr),
      // Replication / Subscribers
      integer("max_logical_replication_workers", kSubscribers, "Most processes of logical replication.", Context::postmaster, Unit::none,
              "0", 0, 262143, nullptr),
      integer("max_sync_workers_per_subscription", kSubscribers, "Most table synchronisation workers of a subscription.", Context::sighup,
              Unit::none, "2", 0, 262143, nullptr),
  };
  define(table);
}

}  // namespace hathi::config
