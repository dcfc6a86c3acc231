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

// Creates a fork's file (error if it exists unless is_redo). All throw SqlError with PostgreSQL's texts ("could not open file …").
void create_fork(const RelationFile& file, Fork fork, bool is_redo);
bool fork_exists(const RelationFile& file, Fork fork);
void read_block(const BlockTag& tag, std::byte* page);
// Does not sync: the file is remembered for the next checkpoint's sync.
void write_block(const BlockTag& tag, const std::byte* page);
void extend_fork(const RelationFile& file, Fork fork, BlockNumber first, int count);
BlockNumber block_count(const RelationFile& file, Fork fork);
void truncate_fork(const RelationFile& file, Fork fork, BlockNumber blocks);
// Removes all forks. The first segment of the main fork is truncated and goes at the next checkpoint (no reuse of its number before).
void unlink_relation(const RelationFile& file, bool is_redo);
void sync_fork(const RelationFile& file, Fork fork);
// Starts writing dirty pages of the range back to disk (hint).
void write_back(const BlockTag& first, int blocks);
void prefetch(const BlockTag& tag);
// Closes this process's descriptors of the relation / all.
void close_relation(const RelationFile& file);
void close_all();

// The set of files written since the last checkpoint (shared memory).
std::size_t pending_sync_size();
void pending_sync_init(void* memory);
// The checkpointer: syncs everything remembered up to now, then removes files whose unlink was delayed. A failed fsync is a PANIC.
void sync_pending();

// Relation storage tied to the running transaction: created files vanish at abort, dropped ones at commit (WAL-logged).
enum class Persistence : char { permanent = 'p', unlogged = 'u', temporary = 't' };
void create_storage(const RelationFile& file, Persistence persistence);        // main fork (and init fork by the caller for unlogged)
void drop_storage_at_commit(const RelationFile& file);
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
 private:
  struct State;
  State* state_;
};

}  // namespace hathi::storage
