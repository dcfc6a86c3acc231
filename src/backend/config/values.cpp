// The variables behind the settings; registration fills in the boot values.
#include "hathi/config/planner_settings.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"

namespace hathi::config::values {

bool fsync = true, full_page_writes = true, zero_damaged_pages = false, ignore_checksum_failure = false, log_lock_waits = false;
bool wal_log_hints = false, wal_init_zero = true, wal_recycle = true, data_sync_retry = false, data_checksums = false;
bool restart_after_crash = true, track_activities = true, track_counts = true, track_io_timing = false, synchronize_seqscans = true;
int shared_buffers = 16384, max_connections = 100, superuser_reserved_connections = 3, work_mem = 4096, maintenance_work_mem = 65536;
int temp_buffers = 1024, relation_extension_lock_slots = 1024, subtree_lock_threshold = 64, max_locks_per_transaction = 64, deadlock_timeout = 1000;
int lock_timeout = 0, statement_timeout = 0, idle_in_transaction_session_timeout = 0, idle_session_timeout = 0, wal_compression = 0;
int synchronous_commit = 3, checkpoint_timeout = 300, max_wal_size = 1024, min_wal_size = 80, wal_buffers = -1;
int wal_writer_delay = 200, wal_writer_flush_after = 128, bgwriter_delay = 200, bgwriter_lru_maxpages = 100, commit_delay = 0;
int commit_siblings = 5, temp_file_limit = -1, huge_pages = 2, autovacuum_max_workers = 3, vacuum_cost_limit = 200, wal_level = 1;
int wal_sync_method = 1, wal_skip_threshold = 2048, checkpoint_warning = 30, checkpoint_flush_after = 32, bgwriter_flush_after = 64;
int backend_flush_after = 0, max_files_per_process = 1000, vacuum_cost_page_hit = 1, vacuum_cost_page_miss = 2;
int vacuum_cost_page_dirty = 20, default_toast_compression = 1, wal_keep_size = 0, recovery_init_sync_method = 1;
int effective_io_concurrency = 1, maintenance_io_concurrency = 10, track_activity_query_size = 1024, max_stack_depth = 100;
double checkpoint_completion_target = 0.9, bgwriter_lru_multiplier = 2, vacuum_cost_delay = 0, hash_mem_multiplier = 2;

bool default_transaction_read_only = false, default_transaction_deferrable = false, transaction_read_only = false;
bool transaction_deferrable = false, row_security = true, check_function_bodies = true, standard_conforming_strings = true;
bool escape_string_warning = true, array_nulls = true, quote_all_identifiers = false, transform_null_equals = false;
bool allow_system_table_mods = false, exit_on_error = false, lo_compat_privileges = false, update_process_title = true;
int interval_style = 0, extra_float_digits = 1, bytea_output = 1, default_transaction_isolation = 1, transaction_isolation = 1;
int client_min_messages = 7, backslash_quote = 2, xmlbinary = 0, xmloption = 0, session_replication_role = 0;
int password_encryption = 2, client_connection_check_interval = 0, tcp_keepalives_count = 0, tcp_keepalives_idle = 0;
int tcp_keepalives_interval = 0, tcp_user_timeout = 0, vacuum_freeze_min_age = 50000000, vacuum_freeze_table_age = 150000000;
int vacuum_failsafe_age = 1600000000, vacuum_multixact_freeze_min_age = 5000000, vacuum_multixact_freeze_table_age = 150000000;
int vacuum_multixact_failsafe_age = 1600000000, stats_fetch_consistency = 1, compute_query_id = 0, gin_fuzzy_search_limit = 0;
std::string date_style_text, time_zone, client_encoding_name, search_path, default_tablespace, temp_tablespaces,
    default_table_access_method;
std::string application_name, default_text_search_config, lc_messages, lc_monetary, lc_numeric, lc_time, timezone_abbreviations;

bool geqo = true, enable_async_append = true, enable_bitmapscan = true, enable_gathermerge = true, enable_hashagg = true;
bool enable_hashjoin = true, enable_incremental_sort = true, enable_indexonlyscan = true, enable_indexscan = true;
bool enable_material = true, enable_memoize = true, enable_mergejoin = true, enable_nestloop = true, enable_parallel_append = true;
bool enable_parallel_hash = true, enable_partition_pruning = true, enable_partitionwise_aggregate = false;
bool enable_partitionwise_join = false, enable_seqscan = true, enable_sort = true, enable_tidscan = true, jit = false;
bool parallel_leader_participation = true, debug_print_parse = false, debug_print_rewritten = false, debug_print_plan = false;
bool debug_pretty_print = true;
int geqo_effort = 5, geqo_generations = 0, geqo_pool_size = 0, geqo_threshold = 12, constraint_exclusion = 2;
int default_statistics_target = 100, from_collapse_limit = 8, join_collapse_limit = 8, plan_cache_mode = 0;
int effective_cache_size = 524288, min_parallel_index_scan_size = 64, min_parallel_table_scan_size = 1024, force_parallel_mode = 0;
int max_parallel_workers_per_gather = 2, max_parallel_workers = 8, max_parallel_maintenance_workers = 2;
double geqo_seed = 0, geqo_selection_bias = 2, cursor_tuple_fraction = 0.1, recursive_worktable_factor = 10;
double cpu_index_tuple_cost = 0.005, cpu_operator_cost = 0.0025, cpu_tuple_cost = 0.01, parallel_setup_cost = 1000;
double parallel_tuple_cost = 0.1, random_page_cost = 4, seq_page_cost = 1;

bool ssl = false, ssl_prefer_server_ciphers = true, remove_temp_files_after_crash = true, log_connections = false;
bool log_disconnections = false, log_duration = false, log_hostname = false, log_checkpoints = true, log_parser_stats = false;
bool log_planner_stats = false, log_executor_stats = false, log_statement_stats = false, trace_sort = false, autovacuum = true;
bool krb_caseins_users = false;
int port = 5432, unix_socket_permissions = 511, authentication_timeout = 60, ssl_min_protocol_version = 2;
int ssl_max_protocol_version = 0, data_directory_mode = 448, pre_auth_delay = 0, post_auth_delay = 0, log_error_verbosity = 1;
int log_statement = 0, log_temp_files = -1, log_min_duration_statement = -1, log_min_duration_sample = -1;
int log_min_error_statement = 9, log_min_messages = 8, log_autovacuum_min_duration = 600000, log_parameter_max_length = -1;
int log_parameter_max_length_on_error = 0, log_startup_progress_interval = 10000, autovacuum_naptime = 60;
int autovacuum_vacuum_threshold = 50, autovacuum_vacuum_insert_threshold = 1000, autovacuum_analyze_threshold = 50;
int autovacuum_freeze_max_age = 200000000, autovacuum_multixact_freeze_max_age = 400000000, autovacuum_vacuum_cost_limit = -1;
int autovacuum_work_mem = -1, shared_memory_size = 0, shared_memory_size_in_huge_pages = -1, shared_memory_type = 1, max_worker_processes = 8;
double log_statement_sample_rate = 1, log_transaction_sample_rate = 0, autovacuum_vacuum_scale_factor = 0.2;
double autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 2;
std::string listen_addresses, unix_socket_directories, unix_socket_group, config_file, data_directory, hba_file, ident_file;
std::string external_pid_file, cluster_name, ssl_cert_file, ssl_key_file, ssl_ca_file, ssl_crl_file, ssl_crl_dir, ssl_ciphers;
std::string ssl_ecdh_curve, log_line_prefix, log_timezone, krb_server_keyfile;

}  // namespace hathi::config::values
