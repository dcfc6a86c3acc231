// The settings of the groups below: names, ranges, contexts and boot values are PostgreSQL 15's.
#include "hathi/config/server_settings.h"
#include "table.h"

namespace hathi::config {

namespace {

constexpr const char* kAutovacuum = "Autovacuum";
constexpr const char* kAsynchronousBehavior = "Resource Usage / Asynchronous Behavior";
constexpr const char* kBackgroundWriter = "Resource Usage / Background Writer";
constexpr const char* kCostBasedVacuumDelay = "Resource Usage / Cost-Based Vacuum Delay";
constexpr const char* kDisk = "Resource Usage / Disk";
constexpr const char* kKernelResources = "Resource Usage / Kernel Resources";
constexpr const char* kMemory = "Resource Usage / Memory";
constexpr const char* kArchiveRecovery = "Write-Ahead Log / Archive Recovery";
constexpr const char* kArchiving = "Write-Ahead Log / Archiving";
constexpr const char* kCheckpoints = "Write-Ahead Log / Checkpoints";
constexpr const char* kRecovery = "Write-Ahead Log / Recovery";
constexpr const char* kRecoveryTarget = "Write-Ahead Log / Recovery Target";
constexpr const char* kSettings = "Write-Ahead Log / Settings";

constexpr Option kDynamicSharedMemoryTypeOptions[] = {{"posix", 0}, {"sysv", 1}, {"mmap", 2}};
constexpr Option kHugePagesOptions[] = {{"off", 0},   {"on", 1},  {"try", 2}, {nullptr, 0}, {"true", 1},
                                        {"false", 0}, {"yes", 1}, {"no", 0},  {"1", 1},     {"0", 0}};
constexpr Option kSharedMemoryTypeOptions[] = {{"sysv", 0}, {"mmap", 1}};
constexpr Option kArchiveModeOptions[] = {{"always", 0}, {"on", 1},  {"off", 2}, {nullptr, 0}, {"true", 1},
                                          {"false", 2},  {"yes", 1}, {"no", 2},  {"1", 1},     {"0", 2}};
constexpr Option kRecoveryTargetActionOptions[] = {{"pause", 0}, {"promote", 1}, {"shutdown", 2}};
constexpr Option kSynchronousCommitOptions[] = {{"local", 1}, {"remote_write", 2}, {"remote_apply", 4}, {"on", 3}, {"off", 0}, {nullptr, 0},
                                                {"true", 3},  {"false", 0},        {"yes", 3},          {"no", 0}, {"1", 3},   {"0", 0}};
constexpr Option kWalCompressionOptions[] = {{"pglz", 1},  {"lz4", 2}, {"zstd", 3}, {"off", 0}, {nullptr, 0}, {"true", 1},
                                             {"false", 0}, {"yes", 1}, {"no", 0},   {"on", 1},  {"1", 1},     {"0", 0}};
constexpr Option kWalLevelOptions[] = {{"minimal", 0}, {"replica", 1}, {"logical", 2}, {nullptr, 0}, {"archive", 1}, {"hot_standby", 1}};
constexpr Option kWalSyncMethodOptions[] = {{"fsync", 0}, {"fdatasync", 1}, {"open_sync", 2}, {"open_datasync", 3}};

}  // namespace

void define_storage_settings() {
  static const Definition table[] = {
      // Autovacuum
      boolean("autovacuum", kAutovacuum, "Runs vacuum and analyze in the background.", Context::sighup, "on", &values::autovacuum),
      real("autovacuum_analyze_scale_factor", kAutovacuum, "Share of a table's rows that must change before an automatic analyze.",
           Context::sighup, Unit::none, "0.1", 0, 100, &values::autovacuum_analyze_scale_factor),
      integer("autovacuum_analyze_threshold", kAutovacuum, "Least number of changed rows before an automatic analyze.", Context::sighup,
              Unit::none, "50", 0, kMaxInt, &values::autovacuum_analyze_threshold),
      integer("autovacuum_freeze_max_age", kAutovacuum,
              "Age in transactions at which a table is vacuumed so that the commit log can be cut.", Context::postmaster, Unit::none,
              "200000000", 100000, 2000000000, &values::autovacuum_freeze_max_age),
      integer("autovacuum_max_workers", kAutovacuum, "Number of autovacuum workers that may run at once.", Context::postmaster, Unit::none,
              "3", 1, 262143, &values::autovacuum_max_workers),
      integer("autovacuum_multixact_freeze_max_age", kAutovacuum,
              "Age in row-lock groups at which a table is vacuumed so that their log can be cut.", Context::postmaster, Unit::none,
              "400000000", 10000, 2000000000, &values::autovacuum_multixact_freeze_max_age),
      integer("autovacuum_naptime", kAutovacuum, "Pause between two rounds of autovacuum in one database.", Context::sighup, Unit::seconds,
              "60", 1, 2147483, &values::autovacuum_naptime),
      real("autovacuum_vacuum_cost_delay", kAutovacuum,
           "Pause of an autovacuum worker each time its cost limit is reached (-1: vacuum_cost_delay).", Context::sighup,
           Unit::milliseconds, "2", -1, 100, &values::autovacuum_vacuum_cost_delay),
      integer("autovacuum_vacuum_cost_limit", kAutovacuum, "Cost at which an autovacuum worker pauses (-1: vacuum_cost_limit).",
              Context::sighup, Unit::none, "-1", -1, 10000, &values::autovacuum_vacuum_cost_limit),
      real("autovacuum_vacuum_insert_scale_factor", kAutovacuum,
           "Share of a table's rows that must be inserted before an automatic vacuum.", Context::sighup, Unit::none, "0.2", 0, 100,
           &values::autovacuum_vacuum_insert_scale_factor),
      integer("autovacuum_vacuum_insert_threshold", kAutovacuum,
              "Least number of inserted rows before an automatic vacuum (-1: never for inserts alone).", Context::sighup, Unit::none,
              "1000", -1, kMaxInt, &values::autovacuum_vacuum_insert_threshold),
      real("autovacuum_vacuum_scale_factor", kAutovacuum, "Share of a table's rows that must be dead before an automatic vacuum.",
           Context::sighup, Unit::none, "0.2", 0, 100, &values::autovacuum_vacuum_scale_factor),
      integer("autovacuum_vacuum_threshold", kAutovacuum, "Least number of dead rows before an automatic vacuum.", Context::sighup,
              Unit::none, "50", 0, kMaxInt, &values::autovacuum_vacuum_threshold),
      // Resource Usage / Asynchronous Behavior
      integer("backend_flush_after", kAsynchronousBehavior,
              "Blocks written by a backend after which the system is asked to write them out.", Context::user, Unit::blocks, "0", 0, 256,
              &values::backend_flush_after),
      integer("effective_io_concurrency", kAsynchronousBehavior, "Number of reads the disk does well at once.", Context::user, Unit::none,
              "1", 0, 1000, &values::effective_io_concurrency) |
          kExplain,
      integer("maintenance_io_concurrency", kAsynchronousBehavior, "The same for maintenance work.", Context::user, Unit::none, "10", 0,
              1000, &values::maintenance_io_concurrency) |
          kExplain,
      integer("max_parallel_maintenance_workers", kAsynchronousBehavior, "Most parallel workers of a maintenance command.", Context::user,
              Unit::none, "2", 0, 1024, &values::max_parallel_maintenance_workers),
      integer("max_parallel_workers", kAsynchronousBehavior, "Most parallel workers at once.", Context::user, Unit::none, "8", 0, 1024,
              &values::max_parallel_workers) |
          kExplain,
      integer("max_parallel_workers_per_gather", kAsynchronousBehavior, "Most parallel workers of a plan node.", Context::user, Unit::none,
              "2", 0, 1024, &values::max_parallel_workers_per_gather) |
          kExplain,
      integer("max_worker_processes", kAsynchronousBehavior, "Most background workers.", Context::postmaster, Unit::none, "8", 0, 262143,
              &values::max_worker_processes),
      integer("old_snapshot_threshold", kAsynchronousBehavior, "Age at which a snapshot becomes too old to be used (-1: never).",
              Context::postmaster, Unit::minutes, "-1", -1, 86400, nullptr) |
          kOnlyDefault,
      boolean("parallel_leader_participation", kAsynchronousBehavior, "The leader runs the plan too.", Context::user, "on",
              &values::parallel_leader_participation) |
          kExplain,
      // Resource Usage / Background Writer
      integer("bgwriter_delay", kBackgroundWriter, "Pause between rounds of the background writer.", Context::sighup, Unit::milliseconds,
              "200", 10, 10000, &values::bgwriter_delay),
      integer("bgwriter_flush_after", kBackgroundWriter,
              "Blocks written by the background writer after which the system is asked to write them out.", Context::sighup, Unit::blocks,
              "64", 0, 256, &values::bgwriter_flush_after),
      integer("bgwriter_lru_maxpages", kBackgroundWriter, "Most blocks the background writer writes in a round.", Context::sighup,
              Unit::none, "100", 0, 1073741823, &values::bgwriter_lru_maxpages),
      real("bgwriter_lru_multiplier", kBackgroundWriter, "Multiple of the recent use that the background writer keeps clean.",
           Context::sighup, Unit::none, "2", 0, 10, &values::bgwriter_lru_multiplier),
      // Resource Usage / Cost-Based Vacuum Delay
      real("vacuum_cost_delay", kCostBasedVacuumDelay, "Pause of vacuum each time its cost limit is reached.", Context::user,
           Unit::milliseconds, "0", 0, 100, &values::vacuum_cost_delay),
      integer("vacuum_cost_limit", kCostBasedVacuumDelay, "Cost at which vacuum pauses.", Context::user, Unit::none, "200", 1, 10000,
              &values::vacuum_cost_limit),
      integer("vacuum_cost_page_dirty", kCostBasedVacuumDelay, "Cost of a page that vacuum makes dirty.", Context::user, Unit::none, "20",
              0, 10000, &values::vacuum_cost_page_dirty),
      integer("vacuum_cost_page_hit", kCostBasedVacuumDelay, "Cost of a page found in the buffers.", Context::user, Unit::none, "1", 0,
              10000, &values::vacuum_cost_page_hit),
      integer("vacuum_cost_page_miss", kCostBasedVacuumDelay, "Cost of a page read from disk.", Context::user, Unit::none, "2", 0, 10000,
              &values::vacuum_cost_page_miss),
      // Resource Usage / Disk
      integer("temp_file_limit", kDisk, "Most space for temporary files of a process (-1: no limit).", Context::superuser, Unit::kilobytes,
              "-1", -1, kMaxInt, &values::temp_file_limit),
      // Resource Usage / Kernel Resources
      integer("max_files_per_process", kKernelResources, "Most files that a process has open.", Context::postmaster, Unit::none, "1000", 64,
              kMaxInt, &values::max_files_per_process),
      // Resource Usage / Memory
      integer("autovacuum_work_mem", kMemory, "Memory of an autovacuum worker (-1: maintenance_work_mem).", Context::sighup,
              Unit::kilobytes, "-1", -1, kMaxInt, &values::autovacuum_work_mem),
      choice("dynamic_shared_memory_type", kMemory, "How dynamic shared memory is made.", Context::postmaster, "posix",
             kDynamicSharedMemoryTypeOptions, nullptr),
      real("hash_mem_multiplier", kMemory, "Multiple of work_mem for hash tables.", Context::user, Unit::none, "2", 1, 1000,
           &values::hash_mem_multiplier) |
          kExplain,
      integer("huge_page_size", kMemory, "Size of huge pages (0: the system's default).", Context::postmaster, Unit::kilobytes, "0", 0,
              kMaxInt, nullptr) |
          kOnlyDefault,
      choice("huge_pages", kMemory, "Whether shared memory uses huge pages.", Context::postmaster, "try", kHugePagesOptions,
             &values::huge_pages),
      integer("logical_decoding_work_mem", kMemory, "Memory of logical decoding.", Context::user, Unit::kilobytes, "65536", 64, kMaxInt,
              nullptr),
      integer("maintenance_work_mem", kMemory, "Memory of a maintenance command.", Context::user, Unit::kilobytes, "65536", 1024, kMaxInt,
              &values::maintenance_work_mem),
      integer("max_prepared_transactions", kMemory, "Most transactions prepared at once.", Context::postmaster, Unit::none, "0", 0, 262143,
              nullptr) |
          kOnlyDefault,
      integer("max_stack_depth", kMemory, "Depth of the stack that a session may use.", Context::superuser, Unit::kilobytes, "100", 100,
              kMaxInt, &values::max_stack_depth) |
          Hooks{check_max_stack_depth, assign_max_stack_depth},
      integer("min_dynamic_shared_memory", kMemory, "Dynamic shared memory reserved at the start.", Context::postmaster, Unit::megabytes,
              "0", 0, kMaxInt, nullptr) |
          kOnlyDefault,
      integer("shared_buffers", kMemory, "Size of the buffer pool.", Context::postmaster, Unit::blocks, "16384", 16, 1073741823,
              &values::shared_buffers),
      choice("shared_memory_type", kMemory, "How the main shared memory is made.", Context::postmaster, "mmap", kSharedMemoryTypeOptions,
             &values::shared_memory_type),
      integer("temp_buffers", kMemory, "Most buffers for a session's temporary tables.", Context::user, Unit::blocks, "1024", 100,
              1073741823, &values::temp_buffers) |
          kExplain,
      integer("work_mem", kMemory, "Memory of one sort or hash table.", Context::user, Unit::kilobytes, "4096", 64, kMaxInt,
              &values::work_mem) |
          kExplain,
      // Write-Ahead Log / Archive Recovery
      text("archive_cleanup_command", kArchiveRecovery, "Command run at each restart point.", Context::sighup, "", nullptr),
      text("recovery_end_command", kArchiveRecovery, "Command run at the end of recovery.", Context::sighup, "", nullptr),
      text("restore_command", kArchiveRecovery, "Command that fetches an archived WAL file.", Context::sighup, "", nullptr),
      // Write-Ahead Log / Archiving
      text("archive_command", kArchiving, "Command that archives a WAL file.", Context::sighup, "", nullptr),
      text("archive_library", kArchiving, "Library that archives WAL files.", Context::sighup, "", nullptr) | kOnlyDefault,
      choice("archive_mode", kArchiving, "Whether WAL files are archived.", Context::postmaster, "off", kArchiveModeOptions, nullptr) |
          kOnlyDefault,
      integer("archive_timeout", kArchiving, "Time after which a new WAL file is begun for the archive.", Context::sighup, Unit::seconds,
              "0", 0, 1073741823, nullptr),
      // Write-Ahead Log / Checkpoints
      real("checkpoint_completion_target", kCheckpoints, "Share of the time between checkpoints over which one is spread.", Context::sighup,
           Unit::none, "0.9", 0, 1, &values::checkpoint_completion_target),
      integer("checkpoint_flush_after", kCheckpoints, "Blocks written by a checkpoint after which the system is asked to write them out.",
              Context::sighup, Unit::blocks, "32", 0, 256, &values::checkpoint_flush_after),
      integer("checkpoint_timeout", kCheckpoints, "Longest time between checkpoints.", Context::sighup, Unit::seconds, "300", 30, 86400,
              &values::checkpoint_timeout),
      integer("checkpoint_warning", kCheckpoints, "Warns when WAL volume causes checkpoints more often than this.", Context::sighup,
              Unit::seconds, "30", 0, kMaxInt, &values::checkpoint_warning),
      integer("max_wal_size", kCheckpoints, "WAL volume that causes a checkpoint.", Context::sighup, Unit::megabytes, "1024", 2, kMaxInt,
              &values::max_wal_size),
      integer("min_wal_size", kCheckpoints, "WAL volume below which files are kept for reuse.", Context::sighup, Unit::megabytes, "80", 2,
              kMaxInt, &values::min_wal_size),
      // Write-Ahead Log / Recovery
      choice("recovery_prefetch", kRecovery, "Reads blocks ahead during recovery.", Context::sighup, "try", kHugePagesOptions, nullptr),
      integer("wal_decode_buffer_size", kRecovery, "Buffer for reading ahead in WAL during recovery.", Context::postmaster, Unit::bytes,
              "524288", 65536, 1073741823, nullptr),
      // Write-Ahead Log / Recovery Target
      text("recovery_target", kRecoveryTarget, "Set to \"immediate\": recovery ends as soon as the data is consistent.",
           Context::postmaster, "", nullptr) |
          kOnlyDefault,
      choice("recovery_target_action", kRecoveryTarget, "What happens at the recovery target.", Context::postmaster, "pause",
             kRecoveryTargetActionOptions, nullptr),
      boolean("recovery_target_inclusive", kRecoveryTarget, "Whether the transaction at the target is included.", Context::postmaster, "on",
              nullptr),
      text("recovery_target_lsn", kRecoveryTarget, "WAL position at which recovery ends.", Context::postmaster, "", nullptr) | kOnlyDefault,
      text("recovery_target_name", kRecoveryTarget, "Named restore point at which recovery ends.", Context::postmaster, "", nullptr) |
          kOnlyDefault,
      text("recovery_target_time", kRecoveryTarget, "Time at which recovery ends.", Context::postmaster, "", nullptr) | kOnlyDefault,
      text("recovery_target_timeline", kRecoveryTarget, "Timeline to recover along.", Context::postmaster, "latest", nullptr),
      text("recovery_target_xid", kRecoveryTarget, "Transaction at which recovery ends.", Context::postmaster, "", nullptr) | kOnlyDefault,
      // Write-Ahead Log / Settings
      integer("commit_delay", kSettings, "Microseconds to wait for other commits before a flush.", Context::superuser, Unit::none, "0", 0,
              100000, &values::commit_delay),
      integer("commit_siblings", kSettings, "Least number of open transactions for commit_delay.", Context::user, Unit::none, "5", 0, 1000,
              &values::commit_siblings),
      boolean("fsync", kSettings, "Makes sure that written data is on stable storage.", Context::sighup, "on", &values::fsync),
      boolean("full_page_writes", kSettings, "Logs a whole page at its first change after a checkpoint.", Context::sighup, "on",
              &values::full_page_writes),
      choice("synchronous_commit", kSettings, "What a commit waits for.", Context::user, "on", kSynchronousCommitOptions,
             &values::synchronous_commit),
      integer("wal_buffers", kSettings, "Buffers for WAL in shared memory (-1: by shared_buffers).", Context::postmaster, Unit::blocks,
              "-1", -1, 262143, &values::wal_buffers),
      choice("wal_compression", kSettings, "Compression of page images in WAL.", Context::superuser, "off", kWalCompressionOptions,
             &values::wal_compression),
      boolean("wal_init_zero", kSettings, "Fills new WAL files with zeroes.", Context::superuser, "on", &values::wal_init_zero),
      choice("wal_level", kSettings, "How much is written to WAL.", Context::postmaster, "replica", kWalLevelOptions, &values::wal_level) |
          Hooks{check_wal_level, nullptr},
      boolean("wal_log_hints", kSettings, "Logs a page image at the first change of hint bits too.", Context::postmaster, "off",
              &values::wal_log_hints),
      boolean("wal_recycle", kSettings, "Reuses WAL files.", Context::superuser, "on", &values::wal_recycle),
      integer("wal_skip_threshold", kSettings, "Size from which a new file is synchronised instead of logged (wal_level = minimal).",
              Context::user, Unit::kilobytes, "2048", 0, kMaxInt, &values::wal_skip_threshold),
      choice("wal_sync_method", kSettings, "How WAL is forced out.", Context::sighup, "fdatasync", kWalSyncMethodOptions,
             &values::wal_sync_method),
      integer("wal_writer_delay", kSettings, "Pause between rounds of the WAL writer.", Context::sighup, Unit::milliseconds, "200", 1,
              10000, &values::wal_writer_delay),
      integer("wal_writer_flush_after", kSettings, "WAL volume at which the WAL writer flushes.", Context::sighup, Unit::blocks, "128", 0,
              kMaxInt, &values::wal_writer_flush_after),
  };
  define(table);
}

}  // namespace hathi::config
