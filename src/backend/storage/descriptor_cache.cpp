#include "descriptor_cache.h"

#include <fcntl.h>

#include <cerrno>
#include <list>
#include <unordered_map>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"

namespace hathi::storage {

namespace {

// Kept free of the limit for sockets, the log, WAL segments, spill files.
constexpr int kReservedDescriptors = 40;

struct KeyHash {
  std::size_t operator()(const SegmentKey& k) const noexcept {
    std::uint64_t a = static_cast<std::uint64_t>(raw(k.file.relation)) << 32 | raw(k.file.database);
    std::uint64_t b =
        static_cast<std::uint64_t>(k.segment) << 8 | static_cast<std::uint64_t>(k.fork) | static_cast<std::uint64_t>(raw(k.file.tablespace)) << 34;
    a = (a ^ b) * 0x9E3779B97F4A7C15u;
    return a ^ (a >> 29);
  }
};

struct OpenFile {
  SegmentKey key;
  int fd;
};

// Front = most recently used.
struct Cache {
  std::list<OpenFile> order;
  std::unordered_map<SegmentKey, std::list<OpenFile>::iterator, KeyHash> index;
};
Cache& cache() {
  static Cache instance;
  return instance;
}

bool close_oldest() {
  Cache& c = cache();
  if (c.order.empty()) return false;
  file_system().close(c.order.back().fd);
  c.index.erase(c.order.back().key);
  c.order.pop_back();
  return true;
}

}  // namespace

std::string segment_path(const SegmentKey& key) {
  std::string path = relation_path(key.file, key.fork);
  if (key.segment != 0) path += fmt::format(".{}", key.segment);
  return path;
}

int open_segment(const SegmentKey& key, int create_flags) {
  Cache& c = cache();
  if (auto found = c.index.find(key); found != c.index.end()) {
    if ((create_flags & O_EXCL) == 0) {
      if (found->second != c.order.begin()) c.order.splice(c.order.begin(), c.order, found->second);
      return found->second->fd;
    }
    close_segment(key);
  }
  while (static_cast<int>(c.order.size()) >= config::values::max_files_per_process - kReservedDescriptors && close_oldest()) {}
  std::string path = segment_path(key);
  int fd = file_system().open(path.c_str(), O_RDWR | create_flags, 0600);
  while (fd < 0 && (errno == EMFILE || errno == ENFILE) && close_oldest()) fd = file_system().open(path.c_str(), O_RDWR | create_flags, 0600);
  if (fd < 0) return -1;
  c.order.push_front({key, fd});
  c.index.emplace(key, c.order.begin());
  return fd;
}

void close_segment(const SegmentKey& key) {
  Cache& c = cache();
  auto found = c.index.find(key);
  if (found == c.index.end()) return;
  file_system().close(found->second->fd);
  c.order.erase(found->second);
  c.index.erase(found);
}

void close_relation(const RelationFile& file) {
  Cache& c = cache();
  for (auto it = c.order.begin(); it != c.order.end();) {
    if (it->key.file == file) {
      file_system().close(it->fd);
      c.index.erase(it->key);
      it = c.order.erase(it);
    } else {
      ++it;
    }
  }
}

void close_all() {
  Cache& c = cache();
  for (const OpenFile& f : c.order) file_system().close(f.fd);
  c.order.clear();
  c.index.clear();
}

}  // namespace hathi::storage
