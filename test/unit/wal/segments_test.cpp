// Names in pg_wal: segments that are used again, segments that others make meanwhile.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../test_cluster.h"
#include "hathi/storage/durability.h"
#include "src/backend/wal/log_state.h"

namespace hathi::wal {
namespace {

using test::Cluster;

bool is_segment(const std::string& path) { return path.size() == 31 && path.starts_with("pg_wal/0"); }

std::string foreign;   // the segment that another process made in the last moment

void appear(const char* from, const char* to) {
  if (!foreign.empty() || !is_segment(from) || !is_segment(to)) return;
  foreign = to;
  std::ofstream(foreign) << "written by somebody else";
}

void fill_segments(int count) {
  std::vector<std::byte> block(100000, std::byte{5});
  std::uint64_t end = (insert_position().value() / kWalSegmentSize + static_cast<std::uint64_t>(count)) * kWalSegmentSize;
  while (insert_position().value() < end) flush(insert(ResourceManager::generic, 0, block));
}

TEST(Segments, AReusedSegmentNeverTakesTheNameOfOneThatIsThere) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    fill_segments(3);
    storage::FileSystem fs = storage::file_system();
    static const storage::FileSystem real = fs;
    static const storage::NameOperations real_names = storage::name_operations();
    fs.rename = [](const char* from, const char* to) {
      appear(from, to);
      return real.rename(from, to);
    };
    storage::NameOperations names = real_names;
    names.link = [](const char* from, const char* to) {
      appear(from, to);
      return real_names.link(from, to);
    };
    storage::set_file_system(fs);
    storage::set_name_operations(names);
    perform_checkpoint({.immediate = true});
    storage::set_file_system(real);
    storage::set_name_operations(real_names);
    ASSERT_FALSE(foreign.empty());
    std::string text;
    std::getline(std::ifstream(foreign) >> std::ws, text);
    EXPECT_EQ(text, "written by somebody else");
    std::filesystem::remove(foreign);
    // No two names of one file: both would be written.
    for (auto& entry : std::filesystem::directory_iterator("pg_wal"))
      if (entry.is_regular_file()) { EXPECT_EQ(entry.hard_link_count(), 1u) << entry.path(); }
  }), 0);
}

TEST(Segments, ASegmentWithTwoNamesIsNotReused) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    fill_segments(3);
    // As a crash between the new name and the end of the old one leaves it.
    std::string oldest = segment_path(insert_position().value() / kWalSegmentSize - 2), newer = segment_path(insert_position().value() / kWalSegmentSize + 40);
    std::filesystem::create_hard_link(oldest, newer);
    perform_checkpoint({.immediate = true});
    EXPECT_FALSE(std::filesystem::exists(oldest));
    EXPECT_EQ(std::filesystem::hard_link_count(newer), 1u);
  }), 0);
}

int syncs_of_names = 0;

TEST(Segments, WhoWritesIntoASegmentWhoseNameIsNotOnDiskSyncsTheDirectory) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    config::values::fsync = true;
    fill_segments(3);
    storage::FileSystem fs = storage::file_system();
    static const storage::FileSystem real = fs;
    fs.sync_directory = [](const char* path) {
      if (std::string(path) == "pg_wal" && ++syncs_of_names == 1) {
        // Somebody else opens a segment that was given its name a moment ago.
        int fd = open_wal_segment(insert_position().value() / kWalSegmentSize + 1, 0);
        EXPECT_GE(fd, 0);
        storage::file_system().close(fd);
        EXPECT_EQ(syncs_of_names, 2);
      }
      return real.sync_directory(path);
    };
    storage::set_file_system(fs);
    perform_checkpoint({.immediate = true});
    EXPECT_GE(syncs_of_names, 2);
    int known = syncs_of_names;
    int fd = open_wal_segment(insert_position().value() / kWalSegmentSize + 1, 0);
    storage::file_system().close(fd);
    EXPECT_EQ(syncs_of_names, known);
    storage::set_file_system(real);
    config::values::fsync = false;
  }), 0);
}

}  // namespace
}  // namespace hathi::wal
