// The settings of the groups below: names, ranges, contexts and boot values are PostgreSQL 15's.
#include "table.h"

namespace hathi::config {

namespace {

constexpr const char* kWhatToLog = "Reporting and Logging / What to Log";
constexpr const char* kWhenToLog = "Reporting and Logging / When to Log";
constexpr const char* kWhereToLog = "Reporting and Logging / Where to Log";
constexpr const char* kCumulativeQueryAndIndexStatistics = "Statistics / Cumulative Query and Index Statistics";
constexpr const char* kMonitoring = "Statistics / Monitoring";

constexpr Option kLogErrorVerbosityOptions[] = {{"terse", 0}, {"default", 1}, {"verbose", 2}};
constexpr Option kLogStatementOptions[] = {{"none", 0}, {"ddl", 1}, {"mod", 2}, {"all", 3}};
constexpr Option kLogMinErrorStatementOptions[] = {{"debug5", 0}, {"debug4", 1}, {"debug3", 2},  {"debug2", 3}, {"debug1", 4},
                                                   {"info", 6},   {"notice", 7}, {"warning", 8}, {"error", 9},  {"log", 5},
                                                   {"fatal", 10}, {"panic", 11}, {nullptr, 0},   {"debug", 3}};
constexpr Option kSyslogFacilityOptions[] = {{"local0", 0}, {"local1", 1}, {"local2", 2}, {"local3", 3},
                                             {"local4", 4}, {"local5", 5}, {"local6", 6}, {"local7", 7}};
constexpr Option kStatsFetchConsistencyOptions[] = {{"none", 0}, {"cache", 1}, {"snapshot", 2}};
constexpr Option kTrackFunctionsOptions[] = {{"none", 0}, {"pl", 1}, {"all", 2}};
constexpr Option kComputeQueryIdOptions[] = {{"auto", 0},  {"regress", 1}, {"on", 2}, {"off", 3}, {nullptr, 0}, {"true", 2},
                                             {"false", 3}, {"yes", 2},     {"no", 3}, {"1", 2},   {"0", 3}};

}  // namespace

void define_logging_settings() {
  static const Definition table[] = {
      // Reporting and Logging / What to Log
      text("application_name", kWhatToLog, "Name of the client program, for statistics and logs.", Context::user, "",
           &values::application_name) |
          kReport | kNotInSample | Hooks{check_printable_name, nullptr},
      boolean("debug_pretty_print", kWhatToLog, "Indents parse trees and plans in the log.", Context::user, "on",
              &values::debug_pretty_print),
      boolean("debug_print_parse", kWhatToLog, "Logs parse trees.", Context::user, "off", &values::debug_print_parse),
      boolean("debug_print_plan", kWhatToLog, "Logs plans.", Context::user, "off", &values::debug_print_plan),
      boolean("debug_print_rewritten", kWhatToLog, "Logs rewritten parse trees.", Context::user, "off", &values::debug_print_rewritten),
      integer("log_autovacuum_min_duration", kWhatToLog, "Logs automatic vacuums and analyzes that took at least this long (-1: none).",
              Context::sighup, Unit::milliseconds, "600000", -1, kMaxInt, &values::log_autovacuum_min_duration),
      boolean("log_checkpoints", kWhatToLog, "Logs checkpoints.", Context::sighup, "on", &values::log_checkpoints),
      boolean("log_connections", kWhatToLog, "Logs successful connections.", Context::superuser_backend, "off", &values::log_connections),
      boolean("log_disconnections", kWhatToLog, "Logs the end of sessions.", Context::superuser_backend, "off",
              &values::log_disconnections),
      boolean("log_duration", kWhatToLog, "Logs how long each statement took.", Context::superuser, "off", &values::log_duration),
      choice("log_error_verbosity", kWhatToLog, "Amount of detail in the log.", Context::superuser, "default", kLogErrorVerbosityOptions,
             &values::log_error_verbosity),
      boolean("log_hostname", kWhatToLog, "Logs host names of clients.", Context::sighup, "off", &values::log_hostname),
      text("log_line_prefix", kWhatToLog, "What each line of the log begins with.", Context::sighup, "%m [%p] ", &values::log_line_prefix),
      boolean("log_lock_waits", kWhatToLog, "Logs waits for locks that last longer than deadlock_timeout.", Context::superuser, "off",
              &values::log_lock_waits),
      integer("log_parameter_max_length", kWhatToLog, "Bytes of each parameter that are logged with a statement (-1: all).",
              Context::superuser, Unit::bytes, "-1", -1, 1073741823, &values::log_parameter_max_length),
      integer("log_parameter_max_length_on_error", kWhatToLog, "Bytes of each parameter that are logged with an error (-1: all).",
              Context::user, Unit::bytes, "0", -1, 1073741823, &values::log_parameter_max_length_on_error),
      boolean("log_recovery_conflict_waits", kWhatToLog, "Logs waits of a standby's recovery.", Context::sighup, "off", nullptr),
      boolean("log_replication_commands", kWhatToLog, "Logs replication commands.", Context::superuser, "off", nullptr),
      choice("log_statement", kWhatToLog, "Which statements are logged.", Context::superuser, "none", kLogStatementOptions,
             &values::log_statement),
      integer("log_temp_files", kWhatToLog, "Logs temporary files of at least this size (-1: none).", Context::superuser, Unit::kilobytes,
              "-1", -1, kMaxInt, &values::log_temp_files),
      text("log_timezone", kWhatToLog, "Time zone of the log's time stamps.", Context::sighup, "GMT", &values::log_timezone) |
          Hooks{check_time_zone, nullptr},
      // Reporting and Logging / When to Log
      integer("log_min_duration_sample", kWhenToLog, "Least duration of statements of which a sample is logged (-1: none).",
              Context::superuser, Unit::milliseconds, "-1", -1, kMaxInt, &values::log_min_duration_sample),
      integer("log_min_duration_statement", kWhenToLog, "Least duration of statements that are logged (-1: none).", Context::superuser,
              Unit::milliseconds, "-1", -1, kMaxInt, &values::log_min_duration_statement),
      choice("log_min_error_statement", kWhenToLog, "Least severity of errors whose statement is logged.", Context::superuser, "error",
             kLogMinErrorStatementOptions, &values::log_min_error_statement),
      choice("log_min_messages", kWhenToLog, "Least severity of messages that are logged.", Context::superuser, "warning",
             kLogMinErrorStatementOptions, &values::log_min_messages) |
          Hooks{nullptr, assign_report_levels},
      integer("log_startup_progress_interval", kWhenToLog, "Time between reports of a long start-up.", Context::sighup, Unit::milliseconds,
              "10000", 0, kMaxInt, &values::log_startup_progress_interval),
      real("log_statement_sample_rate", kWhenToLog, "Share of statements above log_min_duration_sample that are logged.",
           Context::superuser, Unit::none, "1", 0, 1, &values::log_statement_sample_rate),
      real("log_transaction_sample_rate", kWhenToLog, "Share of transactions whose statements are all logged.", Context::superuser,
           Unit::none, "0", 0, 1, &values::log_transaction_sample_rate),
      // Reporting and Logging / Where to Log
      text("event_source", kWhereToLog, "Name in the event log.", Context::postmaster, "PostgreSQL", nullptr),
      text("log_destination", kWhereToLog, "Where the log goes.", Context::sighup, "stderr", nullptr) | kListInput | kOnlyDefault,
      text("log_directory", kWhereToLog, "Directory of log files.", Context::sighup, "log", nullptr) | kSuperuserOnly,
      integer("log_file_mode", kWhereToLog, "Access permissions of log files.", Context::sighup, Unit::none, "384", 0, 511, nullptr) |
          kOctal,
      text("log_filename", kWhereToLog, "Pattern of log file names.", Context::sighup, "postgresql-%Y-%m-%d_%H%M%S.log", nullptr) |
          kSuperuserOnly,
      integer("log_rotation_age", kWhereToLog, "Age at which a new log file is begun.", Context::sighup, Unit::minutes, "1440", 0, 35791394,
              nullptr),
      integer("log_rotation_size", kWhereToLog, "Size at which a new log file is begun.", Context::sighup, Unit::kilobytes, "10240", 0,
              2097151, nullptr),
      boolean("log_truncate_on_rotation", kWhereToLog, "Empties an existing file of the same name at rotation.", Context::sighup, "off",
              nullptr),
      boolean("logging_collector", kWhereToLog, "Collects the log in files.", Context::postmaster, "off", nullptr) | kOnlyDefault,
      choice("syslog_facility", kWhereToLog, "Facility for syslog.", Context::sighup, "local0", kSyslogFacilityOptions, nullptr),
      text("syslog_ident", kWhereToLog, "Program name for syslog.", Context::sighup, "postgres", nullptr),
      boolean("syslog_sequence_numbers", kWhereToLog, "Adds sequence numbers for syslog.", Context::sighup, "on", nullptr),
      boolean("syslog_split_messages", kWhereToLog, "Splits long messages for syslog.", Context::sighup, "on", nullptr),
      // Statistics / Cumulative Query and Index Statistics
      choice("stats_fetch_consistency", kCumulativeQueryAndIndexStatistics, "How statistics read in one transaction fit together.",
             Context::user, "cache", kStatsFetchConsistencyOptions, &values::stats_fetch_consistency),
      boolean("track_activities", kCumulativeQueryAndIndexStatistics, "Collects what sessions are doing.", Context::superuser, "on",
              &values::track_activities),
      integer("track_activity_query_size", kCumulativeQueryAndIndexStatistics, "Bytes kept of each session's statement.",
              Context::postmaster, Unit::bytes, "1024", 100, 1048576, &values::track_activity_query_size),
      boolean("track_counts", kCumulativeQueryAndIndexStatistics, "Collects statistics of tables and databases.", Context::superuser, "on",
              &values::track_counts),
      choice("track_functions", kCumulativeQueryAndIndexStatistics, "Collects statistics of functions.", Context::superuser, "none",
             kTrackFunctionsOptions, nullptr),
      boolean("track_io_timing", kCumulativeQueryAndIndexStatistics, "Measures the time of reads and writes.", Context::superuser, "off",
              &values::track_io_timing),
      boolean("track_wal_io_timing", kCumulativeQueryAndIndexStatistics, "Measures the time of WAL writes.", Context::superuser, "off",
              nullptr),
      // Statistics / Monitoring
      choice("compute_query_id", kMonitoring, "Computes identifiers of queries.", Context::superuser, "auto", kComputeQueryIdOptions,
             &values::compute_query_id),
      boolean("log_executor_stats", kMonitoring, "Logs resource use of the executor.", Context::superuser, "off",
              &values::log_executor_stats),
      boolean("log_parser_stats", kMonitoring, "Logs resource use of the parser.", Context::superuser, "off", &values::log_parser_stats),
      boolean("log_planner_stats", kMonitoring, "Logs resource use of the planner.", Context::superuser, "off", &values::log_planner_stats),
      boolean("log_statement_stats", kMonitoring, "Logs resource use of whole statements.", Context::superuser, "off",
              &values::log_statement_stats),
  };
  define(table);
}

}  // namespace hathi::config
