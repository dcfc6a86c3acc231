#pragma once
// Relation files: forks cut into 1 GiB segments under base/<database>/<relfilenode>[_fsm|_vm|_init][.n], shared ones under
// global/, other tablespaces under pg_tblspc/<oid>/. All file access of storage/ and wal/ goes through FileSystem.

#include <cstddef>
#include <cstdint>
#include <string>

#include "hathi/base/ids.h"

namespace hathi::storage {

inline constexpr Oid kDefaultTablespace{1663};
inline constexpr Oid kGlobalTablespace{1664};
// Pages that are not relations but live in the buffer pool all the same: the commit log and its kin. Database 0; the relation
// number says which. Files: pg_xact/0, pg_subtrans/0, pg_multixact/offsets/0, pg_multixact/members/0.
inline constexpr Oid kInternalTablespace{1};
enum class InternalFile : std::uint32_t { commit_log = 1, subtransactions = 2, multixact_offsets = 3, multixact_members = 4 };
constexpr RelationFile internal_file(InternalFile which) { return {kInternalTablespace, kInvalidOid, Oid{static_cast<std::uint32_t>(which)}}; }
// Pages without a checksum: those whose bits are set under a shared lock and need no torn-page protection.
constexpr bool has_page_checksum(const RelationFile& file) {
  return !(file.tablespace == kInternalTablespace && raw(file.relation) <= static_cast<std::uint32_t>(InternalFile::subtransactions));
}

// The number of 8 KiB blocks in one file of a fork (1 GiB).
inline constexpr std::uint32_t kSegmentBlocks = 131072;


// The narrow door to the disk; a test build replaces it (faults, power loss). All return -1 with errno like the calls they wrap.
struct FileSystem {
  int (*open)(const char* path, int flags, int mode);
  int (*close)(int fd);
  std::int64_t (*read)(int fd, void* buffer, std::size_t size, std::int64_t offset);
  std::int64_t (*write)(int fd, const void* buffer, std::size_t size, std::int64_t offset);
  int (*sync)(int fd);          // fsync
  int (*data_sync)(int fd);     // fdatasync
  int (*truncate)(int fd, std::int64_t size);
  int (*allocate)(int fd, std::int64_t offset, std::int64_t size);  // posix_fallocate
  int (*unlink)(const char* path);
  int (*rename)(const char* from, const char* to);
  int (*mkdir)(const char* path, int mode);
  int (*rmdir)(const char* path);
  int (*sync_directory)(const char* path);
  std::int64_t (*size)(int fd);
};
FileSystem& file_system();
void set_file_system(const FileSystem& replacement);

// The data directory (the process's working directory after start); absolute path.
const std::string& data_directory();
void set_data_directory(std::string path);

// Path of a fork's first segment relative to the data directory. temp_owner: slot of the owning backend, -1 for permanent files
// (temporary relations are named t<slot>_<relfilenode>).
std::string relation_path(const RelationFile& file, Fork fork, int temp_owner = -1);

// Temporary relations of this process: files that register_temporary() named get temporary paths (t<slot>_…), local buffers,
// no WAL and no sync. create_storage() registers; forgetting is unlink_relation()'s work.
void register_temporary(const RelationFile& file);
void forget_temporary(const RelationFile& file);
namespace detail {
extern int temporary_count;
bool lookup_temporary(const RelationFile& file);
}  // namespace detail
inline bool is_temporary(const RelationFile& file) { return detail::temporary_count != 0 && detail::lookup_temporary(file); }

// SqlError for a failed call on `path`, with PostgreSQL's SQLSTATE for errno; text has one {} for the path: "could not open file \"{}\": …".
[[noreturn]] void throw_file_error(const char* action, const std::string& path, int error);

// Creates a fork's file (error if it exists unless is_redo). All throw SqlError with PostgreSQL's texts ("could not open file …").
void create_fork(const RelationFile& file, Fork fork, bool is_redo);
bool fork_exists(const RelationFile& file, Fork fork);
// False (page zeroed) when the block is past the end, true when it was read whole; throws on errors and on a partial block.
bool read_block_or_zero(const BlockTag& tag, std::byte* page);
// Throws XX001 when the block is past the end.
void read_block(const BlockTag& tag, std::byte* page);
// Does not sync: the file is remembered for the next checkpoint's sync. May write past the end (the gap reads as zeroes).
void write_block(const BlockTag& tag, const std::byte* page);
void extend_fork(const RelationFile& file, Fork fork, BlockNumber first, int count);
BlockNumber block_count(const RelationFile& file, Fork fork);
void truncate_fork(const RelationFile& file, Fork fork, BlockNumber blocks);
// Removes all forks, buffers included. The first segment of the main fork is truncated and goes after the next checkpoint (no reuse of
// its number before). Never throws: what can't be removed is logged as a warning.
void unlink_relation(const RelationFile& file, bool is_redo);
void sync_fork(const RelationFile& file, Fork fork);
// Starts writing dirty pages of the range back to disk (hint).
void write_back(const BlockTag& first, int blocks);
void prefetch(const BlockTag& tag);
// Closes this process's descriptors of the relation / all.
void close_relation(const RelationFile& file);
void close_all();

// Shared memory of this folder: the set of files written since the last checkpoint, and the lengths of forks.
std::size_t pending_sync_size();
void pending_sync_init(void* memory);
// The checkpointer: syncs everything remembered up to now. A failed fsync is a PANIC.
void sync_pending();
// Files whose unlink waits for a checkpoint: begin() before the redo point is chosen, finish() once pg_control is on disk removes
// those that were waiting at begin().
void delayed_unlinks_begin();
void delayed_unlinks_finish();
// Forgets remembered syncs of a relation or database that is gone.
void forget_pending(const RelationFile& file);
void forget_pending_database(Oid database);

// A segment file was written without write_block(): sync it at the next checkpoint.
void remember_written(const RelationFile& file, Fork fork, std::uint32_t segment);
// fsync of any file; a failure is a PANIC. Nothing when the setting fsync is off.
void sync_now(int fd, const std::string& path);

// How unlink_relation() throws pages away; buffer/ registers it.
void set_drop_buffers_hook(void (*hook)(const RelationFile& file));

// Start-up: removes temporary relations and spill files of dead backends.
void remove_temporary_files();
// Start-up after a crash: unlogged relations become their init forks again.
void reset_unlogged_relations();
// fsync (syncfs) of everything below the data directory: what an earlier life wrote and did not sync.
void sync_data_directory();

// Relation storage tied to the running transaction: created files vanish at abort, dropped ones at commit (WAL-logged).
enum class Persistence : char { permanent = 'p', unlogged = 'u', temporary = 't' };
void create_storage(const RelationFile& file, Persistence persistence);        // main fork and, of unlogged relations, an empty init fork
void drop_storage_at_commit(const RelationFile& file);
// Is the relation new in this transaction (not yet visible to anyone else)?
bool created_in_this_transaction(const RelationFile& file);
void truncate_storage_now(const RelationFile& file, BlockNumber blocks);       // VACUUM: logged, immediate, buffers dropped; FSM and VM by the caller

// Spill files of sorts and hashes (base/pgsql_tmp); removed on close. temp_file_limit is enforced (53400).
class TempFile {
 public:
  TempFile();
  ~TempFile();
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  void append(const void* bytes, std::size_t size);   // buffered
  void rewind();                                       // flushes; reading starts at 0
  std::size_t read(void* bytes, std::size_t size);     // short at the end
  void seek(std::int64_t offset);                      // read position
  std::int64_t tell() const;
  std::int64_t size() const;
  // Bytes of all spill files of this process now, and the counters' totals (pg_stat_database.temp_files, temp_bytes).
  static std::int64_t bytes_in_use();
  struct Totals { std::uint64_t files, bytes; };
  static Totals totals();
  // Blocks read and written by this process (EXPLAIN's temp read/written).
  struct Blocks { std::uint64_t read, written; };
  static const Blocks& blocks();
 private:
  struct State;
  State* state_;
};

}  // namespace hathi::storage
