#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "../test_cluster.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"
#include "hathi/wal/page_edit.h"

// A disk that forgets what was not synced: when the power goes, each 4 KiB piece written since its file's last sync is either there or not.
namespace hathi::transaction {
namespace {

using test::Cluster;
using test::kTestRelation;

constexpr std::int64_t kPiece = 4096;
constexpr int kPages = 40;
constexpr std::uint16_t kCell = kPageSize - 64;

struct Disk {
  std::map<int, std::string> names;
  std::map<std::string, std::map<std::int64_t, std::string>> unsynced;   // old contents
  storage::FileSystem real;
  int syncs = 0;
};
Disk disk;

void remember(int fd, std::int64_t offset, std::size_t size) {
  auto& pieces = disk.unsynced[disk.names[fd]];
  for (std::int64_t p = offset / kPiece; p * kPiece < offset + static_cast<std::int64_t>(size); ++p) {
    if (pieces.contains(p)) continue;
    std::string old(static_cast<std::size_t>(kPiece), '\0');
    std::int64_t n = disk.real.read(fd, old.data(), old.size(), p * kPiece);
    old.resize(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)));
    pieces[p] = old;
  }
}

void install_disk() {
  disk.real = storage::file_system();
  storage::FileSystem fs = disk.real;
  fs.open = [](const char* path, int flags, int mode) {
    int fd = disk.real.open(path, flags, mode);
    if (fd >= 0) disk.names[fd] = path;
    return fd;
  };
  fs.write = [](int fd, const void* bytes, std::size_t size, std::int64_t offset) {
    remember(fd, offset, size);
    return disk.real.write(fd, bytes, size, offset);
  };
  fs.sync = fs.data_sync = [](int fd) {
    ++disk.syncs;
    disk.unsynced.erase(disk.names[fd]);
    return 0;
  };
  fs.rename = [](const char* from, const char* to) {
    disk.unsynced.erase(to);
    if (auto node = disk.unsynced.extract(from)) {
      node.key() = to;
      disk.unsynced.insert(std::move(node));
    }
    return disk.real.rename(from, to);
  };
  storage::set_file_system(fs);
}

void lose_power(std::mt19937& random) {
  for (auto& [name, pieces] : disk.unsynced) {
    std::fstream f(name, std::ios::in | std::ios::out | std::ios::binary);
    if (!f) continue;
    for (auto& [piece, old] : pieces) {
      if (random() % 2 == 0) continue;
      // What was not in the file before reads as zeroes now.
      old.resize(static_cast<std::size_t>(kPiece), '\0');
      f.seekp(piece * kPiece);
      f.write(old.data(), static_cast<std::streamsize>(old.size()));
    }
  }
}

constexpr BlockTag tag(std::uint32_t block) { return {kTestRelation, Fork::main, BlockNumber{block}}; }
std::int64_t cell(const buffer::PinnedBuffer& b) {
  std::int64_t v;
  std::memcpy(&v, b.page().bytes() + kCell, 8);
  return v;
}

void transfer(std::uint32_t from, std::uint32_t to) {
  if (from == to) return;
  start();
  {
    buffer::PinnedBuffer a = buffer::read(tag(std::min(from, to))), b = buffer::read(tag(std::max(from, to)));
    a.lock(locking::LwMode::exclusive);
    b.lock(locking::LwMode::exclusive);
    wal::Change c(wal::ResourceManager::generic, 0, true);
    c.xid(current_xid());
    c.page(a).write_value(kCell, cell(a) - 1);
    c.page(b).write_value(kCell, cell(b) + 1);
    c.apply();
  }
  commit();
}

void hint(std::uint32_t block) {
  buffer::PinnedBuffer b = buffer::read(tag(block));
  b.lock(locking::LwMode::shared);
  b.page().bytes()[kCell + 16] ^= std::byte{1};
  b.mark_dirty_hint();
}

TEST(PowerLoss, CommittedWorkIsThereAndPagesAreWhole) {
  Cluster cluster(16);
  config::values::fsync = true;
  ASSERT_EQ(cluster.create([] {
    std::filesystem::create_directories("base/5");
    storage::create_fork(kTestRelation, Fork::main, true);
    for (std::uint32_t i = 0; i < kPages; ++i) {
      buffer::PinnedBuffer b = buffer::extend(kTestRelation, Fork::main, 1);
      wal::Change c(wal::ResourceManager::generic, 0, true);
      c.page(b).init(64);
      c.apply();
    }
    wal::flush(wal::insert_position());
  }), 0);
  install_disk();   // inherited by each life
  for (unsigned life = 0; life < 25; ++life) {
    ASSERT_EQ(cluster.live([&] {
      std::int64_t sum = 0;
      for (std::uint32_t i = 0; i < kPages; ++i) sum += cell(buffer::read(tag(i)));
      EXPECT_EQ(sum, 0);
      std::uint64_t expected = 0;
      std::ifstream("next_xid") >> expected;
      EXPECT_GE(next_xid().value(), expected);
      for (std::uint64_t x = 3; x < expected; ++x) EXPECT_TRUE(did_commit(Xid{x}));
      std::mt19937 random(life);
      for (unsigned i = random() % 400; i > 0; --i) {
        transfer(random() % kPages, random() % kPages);
        if (random() % 4 == 0) hint(random() % kPages);
        if (random() % 60 == 0) wal::perform_checkpoint({.immediate = true});
      }
      std::ofstream("next_xid") << next_xid().value();
      lose_power(random);
    }), 0) << life;
  }
  storage::set_file_system(disk.real);
}

}  // namespace
}  // namespace hathi::transaction
