// Damaged pages are seen as they are read; a full disk makes the log wait; replayed pages are compared.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "../test_cluster.h"
#include "hathi/config/developer_settings.h"
#include "hathi/wal/page_edit.h"
#include "src/backend/wal/control_file.h"
#include "src/backend/wal/reader.h"

namespace hathi::wal {
namespace {

using buffer::PinnedBuffer;
using test::Cluster;
using test::kTestRelation;

constexpr BlockTag tag(std::uint32_t block, Fork fork = Fork::main) { return {kTestRelation, fork, BlockNumber{block}}; }

void make_relation_with_page() {
  std::filesystem::create_directories("base/5");
  storage::create_fork(kTestRelation, Fork::main, true);
  PinnedBuffer b = buffer::extend(kTestRelation, Fork::main, 1);
  Change c(ResourceManager::generic, 0, true);
  PageEdit& p = c.page(b);
  p.init(64);
  p.write_value(kPageSize - 64, std::uint64_t{1});
  c.apply();
}

void expect_damaged() {
  try {
    buffer::read(tag(0));
    ADD_FAILURE() << "the damaged page was read";
  } catch (const SqlError& e) {
    EXPECT_EQ(e.code(), sqlstate::data_corrupted);
    EXPECT_EQ(e.report().message, "invalid page in block 0 of relation base/5/20000");
  }
}

// Runs `damage` on the page's bytes in its file; it must then be refused.
void expect_seen(void (*damage)(std::byte* page)) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation_with_page();
    perform_checkpoint({.immediate = true, .shutdown = true});
  }), 0);
  {
    std::fstream f("base/5/20000", std::ios::in | std::ios::out | std::ios::binary);
    alignas(8) std::byte page[kPageSize];
    f.read(reinterpret_cast<char*>(page), kPageSize);
    damage(page);
    f.seekp(0);
    f.write(reinterpret_cast<const char*>(page), kPageSize);
  }
  ASSERT_EQ(cluster.live(expect_damaged), 0);
}

TEST(Damage, AMissingChecksumIsSeen) {
  expect_seen([](std::byte* page) { PageView(page).header().checksum = 0; });
}

TEST(Damage, AZeroedHeaderIsSeen) {
  expect_seen([](std::byte* page) { std::memset(page, 0, kPageHeaderSize); });
}

TEST(Damage, AHeaderThatMakesNoSenseIsSeenBehindARightChecksum) {
  expect_seen([](std::byte* page) {
    PageView(page).header().lower = 9000;
    PageView(page).header().checksum = page_checksum(tag(0), page);
  });
}

TEST(Damage, APageOfAnotherPlaceIsSeen) {
  alignas(8) std::byte page[kPageSize];
  PageView(page).init(64);
  std::uint32_t here = page_checksum(tag(0), page);
  EXPECT_NE(here, page_checksum(tag(1), page));
  EXPECT_NE(here, page_checksum(tag(0, Fork::free_space), page));
  EXPECT_NE(here, page_checksum(tag(0, Fork::visibility), page));
  // An unlogged relation becomes its init fork, copied as it stands.
  EXPECT_EQ(here, page_checksum(tag(0, Fork::init), page));
  RelationFile other = kTestRelation;
  other.relation = Oid{20001};
  EXPECT_NE(here, page_checksum({other, Fork::main, BlockNumber{0}}, page));
}

int full_calls = 0;

TEST(Damage, AFullDiskMakesTheLogWait) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation_with_page();
    storage::FileSystem fs = storage::file_system();
    static const storage::FileSystem real = fs;
    fs.write = [](int fd, const void* bytes, std::size_t size, std::int64_t offset) -> std::int64_t {
      if (++full_calls <= 4) return errno = ENOSPC, -1;
      return real.write(fd, bytes, size, offset);
    };
    storage::set_file_system(fs);
    Lsn end = insert(ResourceManager::generic, 0, {});
    flush(end);
    EXPECT_GE(flushed_position(), end);
    EXPECT_GT(full_calls, 4);
    // A checkpoint's record and pg_control, too (its pages have been written before: for those a full disk is an error).
    perform_checkpoint({.immediate = true});
    full_calls = 0;
    perform_checkpoint({.immediate = true});
    EXPECT_GT(full_calls, 4);
  }), 0);
  ASSERT_EQ(cluster.live([] {}), 0);
}

TEST(Damage, ReplayedPagesAreCompared) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation_with_page();
    perform_checkpoint({.immediate = true});
    config::values::wal_consistency_checking = "generic";
    PinnedBuffer b = buffer::read(tag(0));
    b.lock(locking::LwMode::exclusive);
    {
      Change c(ResourceManager::generic, 0, true);
      c.page(b).write_value(kPageSize - 56, std::uint64_t{2});
      c.apply();
    }
    // A change that the log does not know of: redo cannot make it, the next change's image has it.
    b.page().bytes()[kPageSize - 40] = std::byte{1};
    Change c(ResourceManager::generic, 0, true);
    c.page(b).write_value(kPageSize - 48, std::uint64_t{3});
    c.apply();
    flush(insert_position());
  }), 0);
  EXPECT_EQ(cluster.live([] {}), 1000 + SIGABRT);
}

// A read that fails is not the end of the log: recovery gives up, and the next start, which can read, has all.
TEST(Damage, AnUnreadableLogDoesNotEndWhereItCannotBeRead) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation_with_page();
    perform_checkpoint({.immediate = true});
    PinnedBuffer b = buffer::read(tag(0));
    b.lock(locking::LwMode::exclusive);
    Change c(ResourceManager::generic, 0, true);
    c.page(b).write_value(kPageSize - 56, std::uint64_t{77});
    c.apply();
    flush(insert_position());
  }), 0);
  static const storage::FileSystem real = storage::file_system();
  static int log_fd, log_reads;
  for (int failing : {1, 2}) {   // the first is of the checkpoint's record, the second of redo
    log_reads = failing;
    storage::FileSystem fs = real;
    fs.open = [](const char* path, int flags, int mode) {
      int fd = real.open(path, flags, mode);
      if (std::string_view(path).starts_with("pg_wal/")) log_fd = fd;
      return fd;
    };
    fs.read = [](int fd, void* bytes, std::size_t size, std::int64_t offset) -> std::int64_t {
      if (fd == log_fd && --log_reads == 0) return errno = EIO, -1;
      return real.read(fd, bytes, size, offset);
    };
    storage::set_file_system(fs);
    EXPECT_NE(cluster.live([] {}), 0) << failing;
    storage::set_file_system(real);
  }
  EXPECT_EQ(cluster.live([] {
    PinnedBuffer b = buffer::read(tag(0));
    std::uint64_t value = 0;
    std::memcpy(&value, b.page().bytes() + kPageSize - 56, sizeof value);
    EXPECT_EQ(value, 77u);
  }), 0);
}

// Where a reader comes to, and how many records it passes.
std::pair<std::uint64_t, int> read_log(std::uint64_t from, std::uint32_t incarnation, std::uint64_t& last) {
  LogReader reader(from, incarnation);
  DecodedRecord record;
  int n = 0;
  for (; reader.next(record); ++n) last = record.start.value();
  return {reader.position(), n};
}

TEST(Damage, TheLogEndsBeforeARecordThatIsCutOrHasOneWrongBit) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation_with_page();
    perform_checkpoint({.immediate = true});
    for (std::uint64_t i = 0; i < 3; ++i) {
      PinnedBuffer b = buffer::read(tag(0));
      b.lock(locking::LwMode::exclusive);
      Change c(ResourceManager::generic, 0, true);
      c.page(b).write_value(kPageSize - 56, 0x1234567890ABCDEFu + i);
      c.apply();
    }
    flush(insert_position());
    ControlFile control = read_control();
    std::uint64_t start = 0, ignored = 0;
    auto [end, count] = read_log(control.redo, control.incarnation, start);
    ASSERT_EQ(end, insert_position().value());
    ASSERT_GT(count, 3);
    std::fstream f("pg_wal/" + segment_name(Lsn{start}), std::ios::in | std::ios::out | std::ios::binary);
    std::string whole(end - start, '\0');
    auto at = static_cast<std::streamoff>(start % kWalSegmentSize);
    f.seekg(at);
    f.read(whole.data(), static_cast<std::streamsize>(whole.size()));
    auto expect_end_before = [&](const std::string& bytes, std::size_t byte, const char* what) {
      f.seekp(at);
      f.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      f.flush();
      EXPECT_EQ(read_log(control.redo, control.incarnation, ignored), std::pair(start, count - 1)) << what << " at byte " << byte;
    };
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped = whole;
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
        expect_end_before(flipped, i, "a wrong bit");
      }
      std::string cut = whole.substr(0, i) + std::string(whole.size() - i, '\0');
      if (cut != whole) expect_end_before(cut, i, "nothing");
    }
    // The file itself ends in the middle of the record.
    std::filesystem::resize_file("pg_wal/" + segment_name(Lsn{start}), start % kWalSegmentSize + whole.size() / 2);
    EXPECT_EQ(read_log(control.redo, control.incarnation, ignored), std::pair(start, count - 1));
  }), 0);
}

}  // namespace
}  // namespace hathi::wal
