// The settings of the groups below: names, ranges, contexts and boot values are PostgreSQL 15's.
#include "table.h"

namespace hathi::config {

namespace {

constexpr const char* kLocaleAndFormatting = "Client Connection Defaults / Locale and Formatting";
constexpr const char* kOtherDefaults = "Client Connection Defaults / Other Defaults";
constexpr const char* kSharedLibraryPreloading = "Client Connection Defaults / Shared Library Preloading";
constexpr const char* kStatementBehavior = "Client Connection Defaults / Statement Behavior";
constexpr const char* kLockManagement = "Lock Management";
constexpr const char* kOtherPlatformsAndClients = "Version and Platform Compatibility / Other Platforms and Clients";
constexpr const char* kPreviousPostgresqlVersions = "Version and Platform Compatibility / Previous PostgreSQL Versions";

constexpr Option kIntervalstyleOptions[] = {{"postgres", 0}, {"postgres_verbose", 1}, {"sql_standard", 2}, {"iso_8601", 3}};
constexpr Option kByteaOutputOptions[] = {{"escape", 0}, {"hex", 1}};
constexpr Option kClientMinMessagesOptions[] = {{"debug5", 0}, {"debug4", 1},  {"debug3", 2}, {"debug2", 3}, {"debug1", 4}, {"log", 5},
                                                {"notice", 7}, {"warning", 8}, {"error", 9},  {nullptr, 0},  {"debug", 3},  {"info", 6}};
constexpr Option kDefaultToastCompressionOptions[] = {{"pglz", 0}, {"lz4", 1}};
constexpr Option kDefaultTransactionIsolationOptions[] = {
    {"serializable", 3}, {"repeatable read", 2}, {"read committed", 1}, {"read uncommitted", 0}};
constexpr Option kSessionReplicationRoleOptions[] = {{"origin", 0}, {"replica", 1}, {"local", 2}};
constexpr Option kXmlbinaryOptions[] = {{"base64", 0}, {"hex", 1}};
constexpr Option kXmloptionOptions[] = {{"content", 0}, {"document", 1}};
constexpr Option kBackslashQuoteOptions[] = {{"safe_encoding", 2}, {"on", 1},  {"off", 0}, {nullptr, 0}, {"true", 1},
                                             {"false", 0},         {"yes", 1}, {"no", 0},  {"1", 1},     {"0", 0}};

}  // namespace

void define_client_settings() {
  static const Definition table[] = {
      // Client Connection Defaults / Locale and Formatting
      text("client_encoding", kLocaleAndFormatting, "Character set of the client.", Context::user, "UTF8", &values::client_encoding_name) |
          kReport | Hooks{check_client_encoding, assign_client_encoding},
      text("DateStyle", kLocaleAndFormatting, "How dates and times are shown, and the order of day, month and year in ambiguous input.",
           Context::user, "ISO, MDY", &values::date_style_text) |
          kReport | kListInput | Hooks{check_date_style, assign_date_style},
      text("default_text_search_config", kLocaleAndFormatting, "Text search configuration used when none is named.", Context::user,
           "pg_catalog.simple", &values::default_text_search_config) |
          Hooks{check_text_search_config, nullptr},
      integer("extra_float_digits", kLocaleAndFormatting,
              "Digits added to (or taken from) the text of floating-point numbers; above 0: shortest exact text.", Context::user,
              Unit::none, "1", -15, 3, &values::extra_float_digits),
      choice("IntervalStyle", kLocaleAndFormatting, "How intervals are shown.", Context::user, "postgres", kIntervalstyleOptions,
             &values::interval_style) |
          kReport,
      text("lc_messages", kLocaleAndFormatting, "Language of messages.", Context::superuser, "C", &values::lc_messages) |
          Hooks{check_locale, nullptr},
      text("lc_monetary", kLocaleAndFormatting, "Locale of monetary amounts.", Context::user, "C", &values::lc_monetary) |
          Hooks{check_locale, nullptr},
      text("lc_numeric", kLocaleAndFormatting, "Locale of formatted numbers.", Context::user, "C", &values::lc_numeric) |
          Hooks{check_locale, nullptr},
      text("lc_time", kLocaleAndFormatting, "Locale of formatted dates and times.", Context::user, "C", &values::lc_time) |
          Hooks{check_locale, nullptr},
      text("TimeZone", kLocaleAndFormatting, "Time zone in which time stamps are shown and read.", Context::user, "GMT",
           &values::time_zone) |
          kReport | Hooks{check_time_zone, assign_time_zone},
      text("timezone_abbreviations", kLocaleAndFormatting, "File of time zone abbreviations.", Context::user, "Default",
           &values::timezone_abbreviations) |
          Hooks{check_time_zone_abbreviations, nullptr},
      // Client Connection Defaults / Other Defaults
      text("dynamic_library_path", kOtherDefaults, "Where loadable modules are looked for.", Context::superuser, "$libdir", nullptr) |
          kSuperuserOnly,
      integer("gin_fuzzy_search_limit", kOtherDefaults, "Most rows that a search by GIN returns (0: all).", Context::user, Unit::none, "0",
              0, kMaxInt, &values::gin_fuzzy_search_limit),
      // Client Connection Defaults / Shared Library Preloading
      text("jit_provider", kSharedLibraryPreloading, "Name of the just-in-time compiler's library.", Context::postmaster, "llvmjit",
           nullptr) |
          kSuperuserOnly,
      text("local_preload_libraries", kSharedLibraryPreloading, "Libraries loaded into each session that any user may name.", Context::user,
           "", nullptr) |
          kListQuote | kListInput | kOnlyDefault,
      text("session_preload_libraries", kSharedLibraryPreloading, "Libraries loaded into each session.", Context::superuser, "", nullptr) |
          kSuperuserOnly | kListQuote | kListInput | kOnlyDefault,
      text("shared_preload_libraries", kSharedLibraryPreloading, "Libraries loaded when the server starts.", Context::postmaster, "",
           nullptr) |
          kSuperuserOnly | kListQuote | kListInput | kOnlyDefault,
      // Client Connection Defaults / Statement Behavior
      choice("bytea_output", kStatementBehavior, "Text form of bytea values.", Context::user, "hex", kByteaOutputOptions,
             &values::bytea_output),
      boolean("check_function_bodies", kStatementBehavior, "Checks the text of functions when they are created.", Context::user, "on",
              &values::check_function_bodies),
      choice("client_min_messages", kStatementBehavior, "Least severity of messages that are sent to the client.", Context::user, "notice",
             kClientMinMessagesOptions, &values::client_min_messages) |
          Hooks{nullptr, assign_report_levels},
      text("default_table_access_method", kStatementBehavior, "Access method of new tables.", Context::user, "heap",
           &values::default_table_access_method) |
          Hooks{check_table_access_method, nullptr},
      text("default_tablespace", kStatementBehavior, "Tablespace of new tables and indexes (empty: the database's).", Context::user, "",
           &values::default_tablespace),
      choice("default_toast_compression", kStatementBehavior, "Compression of large values in new columns.", Context::user, "lz4",
             kDefaultToastCompressionOptions, &values::default_toast_compression),
      boolean("default_transaction_deferrable", kStatementBehavior, "Whether new transactions are deferrable.", Context::user, "off",
              &values::default_transaction_deferrable),
      choice("default_transaction_isolation", kStatementBehavior, "Isolation level of new transactions.", Context::user, "read committed",
             kDefaultTransactionIsolationOptions, &values::default_transaction_isolation),
      boolean("default_transaction_read_only", kStatementBehavior, "Whether new transactions are read-only.", Context::user, "off",
              &values::default_transaction_read_only) |
          kReport,
      integer("gin_pending_list_limit", kStatementBehavior, "Size of a GIN index's list of pending entries.", Context::user,
              Unit::kilobytes, "4096", 64, kMaxInt, nullptr),
      integer("idle_in_transaction_session_timeout", kStatementBehavior,
              "Longest time a session may be idle inside a transaction (0: no limit).", Context::user, Unit::milliseconds, "0", 0, kMaxInt,
              &values::idle_in_transaction_session_timeout),
      integer("idle_session_timeout", kStatementBehavior, "Longest time a session may be idle outside a transaction (0: no limit).",
              Context::user, Unit::milliseconds, "0", 0, kMaxInt, &values::idle_session_timeout),
      integer("lock_timeout", kStatementBehavior, "Longest time a statement waits for one lock (0: no limit).", Context::user,
              Unit::milliseconds, "0", 0, kMaxInt, &values::lock_timeout),
      text("restrict_nonsystem_relation_kind", kStatementBehavior, "Kinds of user relations that may not be read.", Context::user, "",
           &values::restrict_nonsystem_relation_kind) |
          kNotInSample | kListInput | Hooks{check_restricted_kinds, assign_restricted_kinds},
      boolean("row_security", kStatementBehavior, "Applies row security policies; off: an error where they would filter rows.",
              Context::user, "on", &values::row_security),
      text("search_path", kStatementBehavior, "Schemas in which names without a schema are looked for.", Context::user, "\"$user\", public",
           &values::search_path) |
          kExplain | kListQuote | kListInput | Hooks{check_name_list, assign_search_path},
      choice("session_replication_role", kStatementBehavior, "Which triggers and rules fire in this session.", Context::superuser, "origin",
             kSessionReplicationRoleOptions, &values::session_replication_role),
      integer("statement_timeout", kStatementBehavior, "Longest time a statement may run (0: no limit).", Context::user, Unit::milliseconds,
              "0", 0, kMaxInt, &values::statement_timeout),
      text("temp_tablespaces", kStatementBehavior, "Tablespaces of temporary tables and spill files.", Context::user, "",
           &values::temp_tablespaces) |
          kListQuote | kListInput | Hooks{check_name_list, nullptr},
      boolean("transaction_deferrable", kStatementBehavior, "Whether the running transaction is deferrable.", Context::user, "off",
              &values::transaction_deferrable) |
          kNotInSample | kNoResetAll,
      choice("transaction_isolation", kStatementBehavior, "Isolation level of the running transaction.", Context::user, "read committed",
             kDefaultTransactionIsolationOptions, &values::transaction_isolation) |
          kNotInSample | kNoResetAll,
      boolean("transaction_read_only", kStatementBehavior, "Whether the running transaction is read-only.", Context::user, "off",
              &values::transaction_read_only) |
          kNotInSample | kNoResetAll,
      integer("vacuum_failsafe_age", kStatementBehavior, "Age in transactions at which vacuum skips all optional work.", Context::user,
              Unit::none, "1600000000", 0, 2100000000, &values::vacuum_failsafe_age),
      integer("vacuum_freeze_min_age", kStatementBehavior, "Age in transactions from which vacuum freezes a row.", Context::user,
              Unit::none, "50000000", 0, 1000000000, &values::vacuum_freeze_min_age),
      integer("vacuum_freeze_table_age", kStatementBehavior, "Age in transactions from which vacuum scans the whole table.", Context::user,
              Unit::none, "150000000", 0, 2000000000, &values::vacuum_freeze_table_age),
      integer("vacuum_multixact_failsafe_age", kStatementBehavior, "Age in row-lock groups at which vacuum skips all optional work.",
              Context::user, Unit::none, "1600000000", 0, 2100000000, &values::vacuum_multixact_failsafe_age),
      integer("vacuum_multixact_freeze_min_age", kStatementBehavior, "Age in row-lock groups from which vacuum replaces one.",
              Context::user, Unit::none, "5000000", 0, 1000000000, &values::vacuum_multixact_freeze_min_age),
      integer("vacuum_multixact_freeze_table_age", kStatementBehavior, "Age in row-lock groups from which vacuum scans the whole table.",
              Context::user, Unit::none, "150000000", 0, 2000000000, &values::vacuum_multixact_freeze_table_age),
      choice("xmlbinary", kStatementBehavior, "How binary values are written in XML.", Context::user, "base64", kXmlbinaryOptions,
             &values::xmlbinary),
      choice("xmloption", kStatementBehavior, "Whether XML text is read as a document or as content.", Context::user, "content",
             kXmloptionOptions, &values::xmloption),
      // Lock Management
      integer("deadlock_timeout", kLockManagement, "Time to wait for a lock before looking for a deadlock.", Context::superuser,
              Unit::milliseconds, "1000", 1, kMaxInt, &values::deadlock_timeout),
      integer("max_locks_per_transaction", kLockManagement,
              "Average number of locks a transaction is expected to hold; sizes the fast path, not a limit.", Context::postmaster,
              Unit::none, "64", 10, kMaxInt, &values::max_locks_per_transaction),
      integer("max_pred_locks_per_page", kLockManagement, "Most predicate-locked rows of a page before the page is locked.",
              Context::sighup, Unit::none, "2", 0, kMaxInt, nullptr),
      integer("max_pred_locks_per_relation", kLockManagement,
              "Most predicate-locked pages and rows of a relation before the relation is locked.", Context::sighup, Unit::none, "-2",
              kMinInt, kMaxInt, nullptr),
      integer("max_pred_locks_per_transaction", kLockManagement, "Most predicate locks per transaction on average.", Context::postmaster,
              Unit::none, "64", 10, kMaxInt, nullptr),
      integer("relation_extension_lock_slots", kLockManagement, "Number of slots that relations share while they are extended.",
              Context::postmaster, Unit::none, "1024", 1, 65536, &values::relation_extension_lock_slots),
      integer("subtree_lock_threshold", kLockManagement,
              "Number of partitions of one table from which a statement locks all with one lock.", Context::user, Unit::none, "64", 1,
              kMaxInt, &values::subtree_lock_threshold),
      // Version and Platform Compatibility / Other Platforms and Clients
      boolean("transform_null_equals", kOtherPlatformsAndClients, "Reads \"expr = NULL\" as \"expr IS NULL\".", Context::user, "off",
              &values::transform_null_equals),
      // Version and Platform Compatibility / Previous PostgreSQL Versions
      boolean("array_nulls", kPreviousPostgresqlVersions, "Reads NULL in arrays as a null.", Context::user, "on", &values::array_nulls),
      choice("backslash_quote", kPreviousPostgresqlVersions, "Whether \\' is allowed in string constants.", Context::user, "safe_encoding",
             kBackslashQuoteOptions, &values::backslash_quote),
      boolean("escape_string_warning", kPreviousPostgresqlVersions, "Warns about backslashes in ordinary string constants.", Context::user,
              "on", &values::escape_string_warning),
      boolean("lo_compat_privileges", kPreviousPostgresqlVersions, "Does not check privileges on large objects.", Context::superuser, "off",
              &values::lo_compat_privileges),
      boolean("quote_all_identifiers", kPreviousPostgresqlVersions, "Quotes all identifiers when SQL text is made.", Context::user, "off",
              &values::quote_all_identifiers),
      boolean("standard_conforming_strings", kPreviousPostgresqlVersions,
              "Backslashes in ordinary string constants are ordinary characters.", Context::user, "on",
              &values::standard_conforming_strings) |
          kReport,
      boolean("synchronize_seqscans", kPreviousPostgresqlVersions, "Lets concurrent scans of a large table run together.", Context::user,
              "on", &values::synchronize_seqscans),
  };
  define(table);
}

}  // namespace hathi::config
