// The files in pg_wal.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <vector>

#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/storage/file.h"
#include "hathi/storage/durability.h"
#include "hathi/storage/directory.h"
#include "log_state.h"

namespace hathi::wal {

namespace {

constexpr std::uint64_t kSegmentsPerName = 0x100000000u / kWalSegmentSize;

std::string name_of(std::uint64_t segment) {
  return fmt::format("{:08X}{:08X}{:08X}", state == nullptr ? 1 : state->timeline, segment / kSegmentsPerName, segment % kSegmentsPerName);
}

// False for other files.
bool parse_name(const std::string& name, std::uint64_t& segment) {
  if (name.size() != 24 || name.find_first_not_of("0123456789ABCDEF") != std::string::npos) return false;
  segment = std::stoull(name.substr(8, 8), nullptr, 16) * kSegmentsPerName + std::stoull(name.substr(16, 8), nullptr, 16);
  return true;
}

// Fills a new file, so that later syncs need not write its metadata. -1 with errno.
int fill(int fd) {
  storage::FileSystem& fs = storage::file_system();
  if (!config::values::wal_init_zero) return fs.allocate(fd, 0, kWalSegmentSize);
  std::vector<std::byte> zeroes(1 << 20);
  for (std::uint64_t at = 0; at < kWalSegmentSize;) {
    std::int64_t n = fs.write(fd, zeroes.data(), std::min<std::uint64_t>(zeroes.size(), kWalSegmentSize - at), static_cast<std::int64_t>(at));
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return -1;
    at += static_cast<std::uint64_t>(n);
  }
  return config::values::fsync ? fs.sync(fd) : 0;
}

void sync_names() {
  if (config::values::fsync && storage::file_system().sync_directory("pg_wal") < 0)
    panic(fmt::format("could not fsync file \"pg_wal\": {}", std::strerror(errno)));
}

// While it lives, names may appear in pg_wal that are not on disk yet. Whoever opens such a file to write to it syncs the directory himself: what is
// synced in a file whose name is lost is lost with it.
class NewNames {
 public:
  NewNames() { if (state != nullptr) state->unsynced_names.fetch_add(1); }
  ~NewNames() { if (state != nullptr) state->unsynced_names.fetch_sub(1); }
  NewNames(const NewNames&) = delete;
  NewNames& operator=(const NewNames&) = delete;
};

int create_segment(std::uint64_t segment, const std::string& path, int flags) {
  storage::FileSystem& fs = storage::file_system();
  std::string temporary = fmt::format("pg_wal/xlogtemp.{}", ::getpid());
  fs.unlink(temporary.c_str());
  int fd = fs.open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return -1;
  int result = fill(fd);
  int error = errno;
  fs.close(fd);
  NewNames names;
  // Another process may have made it meanwhile: then that one stays.
  if (result == 0 && storage::name_operations().link(temporary.c_str(), path.c_str()) < 0 && errno != EEXIST) {
    result = -1;
    error = errno;
  }
  fs.unlink(temporary.c_str());
  if (result < 0) {
    errno = error;
    return -1;
  }
  sync_names();
  return fs.open(path.c_str(), O_RDWR | flags, 0600);
}

// Smoothed bytes between checkpoints: how many old files are worth keeping.
double distance_estimate = 0;
std::uint64_t previous_redo = 0;

void note_distance(std::uint64_t redo) {
  double distance = previous_redo == 0 || redo < previous_redo ? 0 : static_cast<double>(redo - previous_redo);
  previous_redo = redo;
  distance_estimate = distance > distance_estimate ? distance : 0.9 * distance_estimate + 0.1 * distance;
}

std::uint64_t recycle_up_to(std::uint64_t redo) {
  auto segments = [](int megabytes) { return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(megabytes) * 1048576 / kWalSegmentSize); };
  std::uint64_t least = redo / kWalSegmentSize + segments(config::values::min_wal_size);
  std::uint64_t most = redo / kWalSegmentSize + segments(config::values::max_wal_size);
  double expected = (1.0 + config::values::checkpoint_completion_target) * distance_estimate * 1.1;
  auto by_estimate = static_cast<std::uint64_t>(std::ceil((static_cast<double>(redo) + expected) / static_cast<double>(kWalSegmentSize)));
  return std::clamp(by_estimate, least, most);
}

// A crash came between the new name of a segment and the end of its old one.
bool has_two_names(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && st.st_nlink > 1;
}

}  // namespace

std::string segment_name(Lsn position) { return name_of(position.value() / kWalSegmentSize); }
std::string segment_path(std::uint64_t segment) { return "pg_wal/" + name_of(segment); }

int open_wal_segment(std::uint64_t segment, int extra_flags) {
  std::string path = segment_path(segment);
  int fd = storage::file_system().open(path.c_str(), O_RDWR | extra_flags, 0600);
  if (fd >= 0 && state != nullptr && state->unsynced_names.load() != 0) sync_names();
  if (fd >= 0 || errno != ENOENT) return fd;
  return create_segment(segment, path, extra_flags);
}

void remove_unfinished_segments() {
  for (const std::string& name : storage::list_directory("pg_wal"))
    if (name.starts_with("xlogtemp.")) storage::file_system().unlink(("pg_wal/" + name).c_str());
}

void preallocate_segment(std::uint64_t segment) {
  int fd = open_wal_segment(segment, 0);
  if (fd >= 0) storage::file_system().close(fd);
}

std::uint64_t segments_per_checkpoint() {
  double segments = static_cast<double>(config::values::max_wal_size) * 1048576 / static_cast<double>(kWalSegmentSize) /
                    (1.0 + config::values::checkpoint_completion_target);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(segments));
}

void recycle_segments(std::uint64_t redo, std::uint64_t end) {
  note_distance(redo);
  std::uint64_t keep = redo / kWalSegmentSize;
  std::uint64_t extra = static_cast<std::uint64_t>(config::values::wal_keep_size) * 1048576 / kWalSegmentSize;
  keep = keep > extra ? keep - extra : 0;
  std::uint64_t last = recycle_up_to(redo);
  std::uint64_t next = end / kWalSegmentSize + 1;
  storage::FileSystem& fs = storage::file_system();
  NewNames names;
  for (const std::string& name : storage::list_directory("pg_wal")) {
    std::uint64_t segment = 0;
    if (!parse_name(name, segment) || segment >= keep) continue;
    std::string path = "pg_wal/" + name;
    // A second name and not a rename: the new name may have appeared meanwhile, and somebody may be writing there.
    bool wanted = config::values::wal_recycle && !has_two_names(path);
    while (wanted && next <= last) wanted = storage::name_operations().link(path.c_str(), segment_path(next++).c_str()) < 0 && errno == EEXIST;
    if (fs.unlink(path.c_str()) < 0 && errno != ENOENT)
      report_warning(sqlstate::io_error, "could not remove file \"{}\": {}", path, std::strerror(errno));
  }
  sync_names();
}

}  // namespace hathi::wal
