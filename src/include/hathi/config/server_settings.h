#pragma once
// What postmaster/, session/ and the log read of the settings.

#include <cstdint>
#include <string>

namespace hathi::config {

namespace values {

extern std::string listen_addresses;           // Host names or addresses to listen on
extern int port;                               // TCP port to listen on
extern std::string unix_socket_directories;    // Directories of the Unix-domain sockets
extern std::string unix_socket_group;          // Group that owns the Unix-domain sockets
extern int unix_socket_permissions;            // Access permissions of the Unix-domain sockets
extern int authentication_timeout;             // Longest time a client may take to log in (s)
extern std::string config_file;                // The main configuration file
extern std::string data_directory;             // The data directory
extern std::string hba_file;                   // The file of client authentication rules
extern std::string ident_file;                 // The file of user name maps
extern std::string external_pid_file;          // An additional file that gets the server's process id
extern std::string cluster_name;               // Name of the cluster, shown in process titles
extern bool ssl;                               // Offers encrypted connections
extern std::string ssl_cert_file;              // Certificate of the server
extern std::string ssl_key_file;               // Private key of the server
extern std::string ssl_ca_file;                // Certificates of the authorities that clients are checked against
extern std::string ssl_crl_file;               // Certificate revocation list
extern std::string ssl_crl_dir;                // Directory of certificate revocation lists
extern std::string ssl_ciphers;                // Allowed TLS ciphers
extern std::string ssl_ecdh_curve;             // Curve for ECDH
extern bool ssl_prefer_server_ciphers;         // The server's order of ciphers counts
extern int ssl_min_protocol_version;           // Oldest TLS version allowed: 0 TLSv1, 1 TLSv1.1, 2 TLSv1.2, 3 TLSv1.3
extern int ssl_max_protocol_version;           // Newest TLS version allowed: 0 , 1 TLSv1, 2 TLSv1.1, 3 TLSv1.2, 4 TLSv1.3
extern int data_directory_mode;                // Access permissions of the data directory
extern bool remove_temp_files_after_crash;     // Removes temporary files after a crash of a backend
extern int pre_auth_delay;                     // Seconds to wait before a login, for debuggers (s)
extern int post_auth_delay;                    // Seconds to wait after a login, for debuggers (s)
extern bool log_connections;                   // Logs successful connections
extern bool log_disconnections;                // Logs the end of sessions
extern bool log_duration;                      // Logs how long each statement took
extern int log_error_verbosity;                // Amount of detail in the log: 0 terse, 1 default, 2 verbose
extern bool log_hostname;                      // Logs host names of clients
extern std::string log_line_prefix;            // What each line of the log begins with
extern int log_statement;                      // Which statements are logged: 0 none, 1 ddl, 2 mod, 3 all
extern int log_temp_files;                     // Logs temporary files of at least this size (-1: none) (kB)
extern std::string log_timezone;               // Time zone of the log's time stamps
extern int log_min_duration_statement;         // Least duration of statements that are logged (-1: none) (ms)
extern int log_min_duration_sample;            // Least duration of statements of which a sample is logged (-1: none) (ms)
// Least severity of errors whose statement is logged:
//   0 debug5, 1 debug4, 2 debug3, 3 debug2, 4 debug1, 5 log, 6 info, 7 notice, 8 warning, 9 error, 10 fatal, 11 panic
extern int log_min_error_statement;
// Least severity of messages that are logged:
//   0 debug5, 1 debug4, 2 debug3, 3 debug2, 4 debug1, 5 log, 6 info, 7 notice, 8 warning, 9 error, 10 fatal, 11 panic
extern int log_min_messages;
extern double log_statement_sample_rate;       // Share of statements above log_min_duration_sample that are logged
extern double log_transaction_sample_rate;     // Share of transactions whose statements are all logged
extern bool log_checkpoints;                   // Logs checkpoints
extern int log_autovacuum_min_duration;        // Logs automatic vacuums and analyzes that took at least this long (-1: none) (ms)
extern int log_parameter_max_length;           // Bytes of each parameter that are logged with a statement (-1: all) (B)
extern int log_parameter_max_length_on_error;  // Bytes of each parameter that are logged with an error (-1: all) (B)
extern bool log_parser_stats;                  // Logs resource use of the parser
extern bool log_planner_stats;                 // Logs resource use of the planner
extern bool log_executor_stats;                // Logs resource use of the executor
extern bool log_statement_stats;               // Logs resource use of whole statements
extern int log_startup_progress_interval;      // Time between reports of a long start-up (ms)
extern bool trace_sort;                        // Logs how sorts use their resources
extern bool autovacuum;                        // Runs vacuum and analyze in the background
extern int autovacuum_naptime;                 // Pause between two rounds of autovacuum in one database (s)
extern int autovacuum_vacuum_threshold;        // Least number of dead rows before an automatic vacuum
extern double autovacuum_vacuum_scale_factor;  // Share of a table's rows that must be dead before an automatic vacuum
extern int autovacuum_vacuum_insert_threshold; // Least number of inserted rows before an automatic vacuum (-1: never for inserts alone)
extern double autovacuum_vacuum_insert_scale_factor; // Share of a table's rows that must be inserted before an automatic vacuum
extern int autovacuum_analyze_threshold;       // Least number of changed rows before an automatic analyze
extern double autovacuum_analyze_scale_factor; // Share of a table's rows that must change before an automatic analyze
extern int autovacuum_freeze_max_age;          // Age in transactions at which a table is vacuumed so that the commit log can be cut
extern int autovacuum_multixact_freeze_max_age; // Age in row-lock groups at which a table is vacuumed so that their log can be cut
// Pause of an autovacuum worker each time its cost limit is reached (-1:
//   vacuum_cost_delay) (ms)
extern double autovacuum_vacuum_cost_delay;
extern int autovacuum_vacuum_cost_limit;       // Cost at which an autovacuum worker pauses (-1: vacuum_cost_limit)
extern int autovacuum_work_mem;                // Memory of an autovacuum worker (-1: maintenance_work_mem) (kB)
extern int shared_memory_size;                 // Size of the shared-memory segment (MB)
extern int shared_memory_size_in_huge_pages;   // Huge pages needed for the shared-memory segment (-1: unknown)
extern int shared_memory_type;                  // How the main shared memory is made: 0 sysv, 1 mmap
extern std::string krb_server_keyfile;         // Kerberos key file of the server
extern bool krb_caseins_users;                 // Compares Kerberos and GSSAPI user names without regard to case
extern int max_worker_processes;               // Most background workers
extern int subtree_lock_threshold;             // Partitions of one table from which a statement locks all with one lock

}  // namespace values

}  // namespace hathi::config
