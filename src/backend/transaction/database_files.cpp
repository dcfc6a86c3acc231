#include "hathi/transaction/database_files.h"

#include <fcntl.h>
#include <lz4.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "hathi/wal/encoding.h"
#include "hathi/wal/log.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/durability.h"
#include "hathi/storage/file.h"
#include "relation_storage.h"

namespace hathi::transaction {

using storage::file_system;
using storage::throw_file_error;

namespace {

// Records of ResourceManager::database.
//   create: tablespace, database (varints)
//   chunk:  tablespace, database, name length (varints), name, offset, raw size (varints), LZ4 bytes (raw bytes when that is not smaller)
enum class DatabaseInfo : std::uint8_t { create = 0, chunk = 1 };
constexpr std::size_t kChunk = 1 << 17;

struct Chunk {
  Oid tablespace, database;
  std::string_view name;
  std::int64_t offset;
  std::size_t raw_size;
  std::span<const std::byte> stored;
};

void log_chunk(const Chunk& c, Xid xid) {
  std::vector<std::byte> record;
  wal::put_varint(record, raw(c.tablespace));
  wal::put_varint(record, raw(c.database));
  wal::put_varint(record, c.name.size());
  wal::put_bytes(record, std::as_bytes(std::span(c.name)));
  wal::put_varint(record, static_cast<std::uint64_t>(c.offset));
  wal::put_varint(record, c.raw_size);
  std::vector<char> packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(c.raw_size))));
  int n = LZ4_compress_default(reinterpret_cast<const char*>(c.stored.data()), packed.data(), static_cast<int>(c.raw_size), static_cast<int>(packed.size()));
  if (n > 0 && static_cast<std::size_t>(n) < c.raw_size) wal::put_bytes(record, std::as_bytes(std::span(packed.data(), static_cast<std::size_t>(n))));
  else wal::put_bytes(record, c.stored);
  wal::insert(wal::ResourceManager::database, static_cast<std::uint8_t>(DatabaseInfo::chunk), record, xid);
}

void write_chunk(int fd, const std::string& path, const std::byte* bytes, std::size_t size, std::int64_t offset) {
  while (size > 0) {
    std::int64_t n = file_system().write(fd, bytes, size, offset);
    if (n <= 0) throw_file_error("write", path, n < 0 ? errno : ENOSPC);
    bytes += n;
    size -= static_cast<std::size_t>(n);
    offset += n;
  }
}

// Relation files are synced by the next checkpoint, others here. Before the chunk's record: a checkpoint whose redo point lies behind the
// record then knows of the file.
void sync_later(Oid tablespace, Oid database, const std::string& name, int fd, const std::string& path) {
  auto parsed = storage::parse_relation_name(name);
  if (parsed && parsed->temp_owner < 0) storage::remember_written({tablespace, database, parsed->relation}, parsed->fork, parsed->segment);
  else storage::sync_now(fd, path);
}

class FileHandle {
 public:
  FileHandle(const std::string& path, int flags) : fd_(file_system().open(path.c_str(), flags, 0600)) {
    if (fd_ < 0) throw_file_error((flags & O_CREAT) != 0 ? "create" : "open", path, errno);
  }
  ~FileHandle() { file_system().close(fd_); }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  int fd() const { return fd_; }
 private:
  int fd_;
};

void copy_logged(const std::string& source_path, const std::string& path, Oid tablespace, Oid database, const std::string& name, Xid xid) {
  FileHandle in(source_path, O_RDONLY);
  FileHandle out(path, O_RDWR | O_CREAT | O_TRUNC);
  std::vector<std::byte> buffer(kChunk);
  std::int64_t offset = 0;
  for (;;) {
    std::int64_t n = file_system().read(in.fd(), buffer.data(), buffer.size(), offset);
    if (n < 0) throw_file_error("read", source_path, errno);
    if (n == 0 && offset > 0) break;
    auto size = static_cast<std::size_t>(n);
    write_chunk(out.fd(), path, buffer.data(), size, offset);
    sync_later(tablespace, database, name, out.fd(), path);
    log_chunk({tablespace, database, name, offset, size, std::span(buffer.data(), size)}, xid);
    if (n == 0) break;
    offset += n;
  }
}

void redo_chunk(wal::ByteReader in, Oid tablespace, Oid database) {
  std::size_t name_size = in.varint();
  auto name_bytes = in.bytes(name_size);
  std::string name(reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size());
  auto offset = static_cast<std::int64_t>(in.varint());
  std::size_t raw_size = in.varint();
  if (!in.ok() || raw_size > kChunk || name.find('/') != std::string::npos)
    throw SqlError(sqlstate::data_corrupted, "invalid database record in the write-ahead log");
  auto stored = in.rest();
  std::vector<std::byte> buffer(raw_size);
  if (stored.size() == raw_size) std::copy(stored.begin(), stored.end(), buffer.begin());
  else if (LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(buffer.data()), static_cast<int>(stored.size()),
                               static_cast<int>(raw_size)) != static_cast<int>(raw_size))
    throw SqlError(sqlstate::data_corrupted, "invalid compressed database record in the write-ahead log");
  // A database that was dropped before the crash is made again until its drop comes by.
  file_system().mkdir(storage::database_directory(tablespace, database).c_str(), 0700);
  std::string path = storage::database_directory(tablespace, database) + "/" + name;
  FileHandle out(path, O_RDWR | O_CREAT | (offset == 0 ? O_TRUNC : 0));
  if (offset == 0) storage::remember_directory({tablespace, database, Oid{1}});
  write_chunk(out.fd(), path, buffer.data(), raw_size, offset);
  sync_later(tablespace, database, name, out.fd(), path);
}

// The names in the directory, and its own.
void sync_directories(const std::string& path) {
  if (!config::values::fsync) return;
  for (const std::string& directory : {path, path.substr(0, path.rfind('/'))})
    if (file_system().sync_directory(directory.c_str()) < 0) panic(fmt::format("could not fsync file \"{}\": {}", directory, std::strerror(errno)));
}

void make_empty_directory(const std::string& path) {
  // A directory that no catalog row names is a leftover of a crash.
  if (file_system().mkdir(path.c_str(), 0700) == 0) return;
  if (errno != EEXIST) throw SqlError(sqlstate::io_error, "could not create directory \"{}\": {}", path, std::strerror(errno));
  storage::remove_tree(path);
  if (file_system().mkdir(path.c_str(), 0700) < 0) throw SqlError(sqlstate::io_error, "could not create directory \"{}\": {}", path, std::strerror(errno));
}

}  // namespace

void copy_database_directory(Oid source_tablespace, Oid source_database, Oid tablespace, Oid database, Xid xid) {
  buffer::flush_database(source_database);
  std::vector<std::byte> record;
  wal::put_varint(record, raw(tablespace));
  wal::put_varint(record, raw(database));
  // Flushed, not just written: a directory whose record a loss of power takes away would stay for good.
  wal::flush(wal::insert(wal::ResourceManager::database, static_cast<std::uint8_t>(DatabaseInfo::create), record, xid));
  std::string from = storage::database_directory(source_tablespace, source_database);
  std::string to = storage::database_directory(tablespace, database);
  make_empty_directory(to);
  sync_directories(to);
  for (const std::string& name : storage::list_directory(from)) {
    auto parsed = storage::parse_relation_name(name);
    if (parsed && (parsed->temp_owner >= 0 || storage::unlink_is_pending({source_tablespace, source_database, parsed->relation}))) continue;
    check_interrupts();
    copy_logged(from + "/" + name, to + "/" + name, tablespace, database, name, xid);
  }
  sync_directories(to);
}

void remove_database_directory(Oid tablespace, Oid database) {
  try {
    buffer::drop_database(database);
    storage::forget_pending_database(database);
    storage::close_all();
    std::string path = storage::database_directory(tablespace, database);
    storage::remove_tree(path);
    if (config::values::fsync) file_system().sync_directory(path.substr(0, path.rfind('/')).c_str());
  } catch (const std::exception& e) {
    report_warning(sqlstate::io_error, "some useless files may be left behind in old database directory \"{}\"",
                   storage::database_directory(tablespace, database));
  }
}

void create_database_files(Oid source_tablespace, Oid source_database, Oid tablespace, Oid database) {
  Xid xid = current_xid();
  RelationFile directory{tablespace, database, kInvalidOid};
  track_creation(directory, xid);
  note_created_database(tablespace, database);
  copy_database_directory(source_tablespace, source_database, tablespace, database, xid);
}

void drop_database_files_at_commit(Oid tablespace, Oid database) { note_dropped_database(tablespace, database); }

void redo_database(const wal::RedoRecord& record) {
  wal::ByteReader in(record.data);
  Oid tablespace{static_cast<std::uint32_t>(in.varint())};
  Oid database{static_cast<std::uint32_t>(in.varint())};
  if (!in.ok()) throw SqlError(sqlstate::data_corrupted, "invalid database record in the write-ahead log");
  if (static_cast<DatabaseInfo>(record.info) == DatabaseInfo::create) {
    std::string path = storage::database_directory(tablespace, database);
    make_empty_directory(path);
    sync_directories(path);
    redo_creation({tablespace, database, kInvalidOid}, record.xid);
  } else {
    redo_chunk(in, tablespace, database);
  }
}

}  // namespace hathi::transaction
