#pragma once
// What types/, catalog/, transaction/ and session/ read of the settings. Written by the settings machinery only
// (transaction_*: also by transaction/).

#include <cstdint>
#include <string>

namespace hathi::config {

enum class DateStyle : std::uint8_t { iso, postgres, sql, german };
enum class DateOrder : std::uint8_t { mdy, dmy, ymd };
enum class IntervalStyle : std::uint8_t { postgres, postgres_verbose, sql_standard, iso_8601 };
// PostgreSQL's encoding numbers of the two that clients may use.
inline constexpr int kSqlAscii = 0, kUtf8 = 6;

namespace values {

extern DateStyle date_style;      // from date_style_text
extern DateOrder date_order;
extern int client_encoding;       // kUtf8 or kSqlAscii
extern std::string role, session_authorization;   // "none" or a name; session/ checks them
extern bool is_superuser;
extern std::uint64_t search_path_generation;   // grows whenever search_path was assigned
extern std::uint64_t time_zone_generation;     // grows whenever TimeZone was assigned

extern std::string date_style_text;            // How dates and times are shown, and the order of day, month and year in ambiguous input
extern int interval_style;                     // How intervals are shown: 0 postgres, 1 postgres_verbose, 2 sql_standard, 3 iso_8601
extern std::string time_zone;                  // Time zone in which time stamps are shown and read
extern std::string client_encoding_name;       // Character set of the client
// Digits added to (or taken from) the text of floating-point numbers; above 0:
//   shortest exact text
extern int extra_float_digits;
extern int bytea_output;                       // Text form of bytea values: 0 escape, 1 hex
extern std::string search_path;                // Schemas in which names without a schema are looked for
// Isolation level of new transactions:
//   0 read uncommitted, 1 read committed, 2 repeatable read, 3 serializable
extern int default_transaction_isolation;
extern bool default_transaction_read_only;     // Whether new transactions are read-only
extern bool default_transaction_deferrable;    // Whether new transactions are deferrable
// Isolation level of the running transaction:
//   0 read uncommitted, 1 read committed, 2 repeatable read, 3 serializable
extern int transaction_isolation;
extern bool transaction_read_only;             // Whether the running transaction is read-only
extern bool transaction_deferrable;            // Whether the running transaction is deferrable
extern std::string default_tablespace;         // Tablespace of new tables and indexes (empty: the database's)
extern std::string temp_tablespaces;           // Tablespaces of temporary tables and spill files
extern std::string default_table_access_method; // Access method of new tables
// Least severity of messages that are sent to the client:
//   0 debug5, 1 debug4, 2 debug3, 3 debug2, 4 debug1, 5 log, 7 notice, 8 warning, 9 error
extern int client_min_messages;
extern std::string application_name;           // Name of the client program, for statistics and logs
extern bool row_security;                      // Applies row security policies; off: an error where they would filter rows
extern bool check_function_bodies;             // Checks the text of functions when they are created
extern bool standard_conforming_strings;       // Backslashes in ordinary string constants are ordinary characters
extern int backslash_quote;                    // Whether \\' is allowed in string constants: 0 off, 1 on, 2 safe_encoding
extern bool escape_string_warning;             // Warns about backslashes in ordinary string constants
extern bool array_nulls;                       // Reads NULL in arrays as a null
extern bool quote_all_identifiers;             // Quotes all identifiers when SQL text is made
extern bool transform_null_equals;             // Reads "expr = NULL" as "expr IS NULL"
extern int xmlbinary;                          // How binary values are written in XML: 0 base64, 1 hex
extern int xmloption;                          // Whether XML text is read as a document or as content: 0 content, 1 document
extern std::string default_text_search_config; // Text search configuration used when none is named
extern std::string lc_messages;                // Language of messages
extern std::string lc_monetary;                // Locale of monetary amounts
extern std::string lc_numeric;                 // Locale of formatted numbers
extern std::string lc_time;                    // Locale of formatted dates and times
extern std::string timezone_abbreviations;     // File of time zone abbreviations
extern int session_replication_role;           // Which triggers and rules fire in this session: 0 origin, 1 replica, 2 local
extern int password_encryption;                // How new passwords are stored: 1 md5, 2 scram-sha-256
extern bool allow_system_table_mods;           // Allows changes to the structure of system tables
extern bool exit_on_error;                     // Ends the session on any error
extern int client_connection_check_interval;   // Time between checks that the client is still there while a statement runs (0: none) (ms)
// TCP keepalives that may be lost before the connection is given up (0:
//   the system's default)
extern int tcp_keepalives_count;
extern int tcp_keepalives_idle;                // Idle time before the first TCP keepalive (0: the system's default) (s)
extern int tcp_keepalives_interval;            // Time between TCP keepalives (0: the system's default) (s)
extern int tcp_user_timeout;                   // Time that sent data may stay unacknowledged (0: the system's default) (ms)
extern int vacuum_freeze_min_age;              // Age in transactions from which vacuum freezes a row
extern int vacuum_freeze_table_age;            // Age in transactions from which vacuum scans the whole table
extern int vacuum_failsafe_age;                // Age in transactions at which vacuum skips all optional work
extern int vacuum_multixact_freeze_min_age;    // Age in row-lock groups from which vacuum replaces one
extern int vacuum_multixact_freeze_table_age;  // Age in row-lock groups from which vacuum scans the whole table
extern int vacuum_multixact_failsafe_age;      // Age in row-lock groups at which vacuum skips all optional work
extern int stats_fetch_consistency;            // How statistics read in one transaction fit together: 0 none, 1 cache, 2 snapshot
extern int compute_query_id;                   // Computes identifiers of queries: 0 auto, 1 regress, 2 on, 3 off
extern int gin_fuzzy_search_limit;             // Most rows that a search by GIN returns (0: all)
extern bool lo_compat_privileges;              // Does not check privileges on large objects
extern bool update_process_title;              // Shows the running command in the process title

}  // namespace values

}  // namespace hathi::config
