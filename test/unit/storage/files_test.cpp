#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "../test_cluster.h"
#include "hathi/storage/directory.h"

namespace hathi::storage {
namespace {

using test::Cluster;
using test::kTestRelation;

struct Files : ::testing::Test {
  Cluster cluster;
  void SetUp() override {
    std::filesystem::create_directories("base/5");
    std::filesystem::create_directories("global");
    std::filesystem::create_directories("pg_xact");
  }
  void TearDown() override {
    close_all();
    set_file_system(saved);
  }
  FileSystem saved = file_system();
};

TEST_F(Files, PathsAreAsDocumented) {
  EXPECT_EQ(relation_path(kTestRelation, Fork::main), "base/5/20000");
  EXPECT_EQ(relation_path(kTestRelation, Fork::visibility), "base/5/20000_vm");
  EXPECT_EQ(relation_path(kTestRelation, Fork::main, 3), "base/5/t3_20000");
  EXPECT_EQ(relation_path({kGlobalTablespace, kInvalidOid, Oid{1260}}, Fork::free_space), "global/1260_fsm");
  EXPECT_EQ(relation_path(internal_file(InternalFile::commit_log), Fork::main), "pg_xact/0");
}

TEST_F(Files, NamesAreParsed) {
  auto r = parse_relation_name("16384_vm.2");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->fork, Fork::visibility);
  EXPECT_EQ(r->segment, 2u);
  r = parse_relation_name("t7_16385");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->temp_owner, 7);
  EXPECT_FALSE(parse_relation_name("PG_VERSION"));
  EXPECT_FALSE(parse_relation_name("16384_x"));
  EXPECT_FALSE(parse_relation_name("pg_filenode.map"));
}

TEST_F(Files, BlocksComeBack) {
  create_fork(kTestRelation, Fork::main, false);
  EXPECT_THROW(create_fork(kTestRelation, Fork::main, false), SqlError);
  EXPECT_EQ(block_count(kTestRelation, Fork::main), BlockNumber{0});
  extend_fork(kTestRelation, Fork::main, BlockNumber{0}, 20);
  EXPECT_EQ(block_count(kTestRelation, Fork::main), BlockNumber{20});
  std::byte page[kPageSize], back[kPageSize];
  std::memset(page, 7, sizeof page);
  write_block({kTestRelation, Fork::main, BlockNumber{11}}, page);
  read_block({kTestRelation, Fork::main, BlockNumber{11}}, back);
  EXPECT_EQ(std::memcmp(page, back, sizeof page), 0);
  EXPECT_THROW(read_block({kTestRelation, Fork::main, BlockNumber{20}}, back), SqlError);
  EXPECT_FALSE(read_block_or_zero({kTestRelation, Fork::main, BlockNumber{20}}, back));
  truncate_fork(kTestRelation, Fork::main, BlockNumber{5});
  EXPECT_EQ(block_count(kTestRelation, Fork::main), BlockNumber{5});
}

TEST_F(Files, AFullDiskIsReportedAndLeavesNoPartialBlock) {
  create_fork(kTestRelation, Fork::main, false);
  extend_fork(kTestRelation, Fork::main, BlockNumber{0}, 2);
  file_system().write = [](int, const void*, std::size_t, std::int64_t) -> std::int64_t { errno = ENOSPC; return -1; };
  try {
    extend_fork(kTestRelation, Fork::main, BlockNumber{2}, 1);
    FAIL();
  } catch (const SqlError& e) {
    EXPECT_EQ(e.code(), sqlstate::disk_full);
    EXPECT_EQ(e.report().message, "could not extend file \"base/5/20000\": No space left on device");
    EXPECT_EQ(e.report().hint, "Check free disk space.");
  }
  EXPECT_EQ(block_count(kTestRelation, Fork::main), BlockNumber{2});
}

int syncs;
TEST_F(Files, WrittenFilesAreSyncedOnce) {
  config::values::fsync = true;
  create_fork(kTestRelation, Fork::main, false);
  extend_fork(kTestRelation, Fork::main, BlockNumber{0}, 3);
  std::byte page[kPageSize] = {};
  for (std::uint32_t b = 0; b < 3; ++b) write_block({kTestRelation, Fork::main, BlockNumber{b}}, page);
  syncs = 0;
  file_system().sync = [](int) { ++syncs; return 0; };
  sync_pending();
  EXPECT_EQ(syncs, 1);
  sync_pending();
  EXPECT_EQ(syncs, 1);
}

TEST_F(Files, AFailedSyncIsAPanic) {
  config::values::fsync = true;
  create_fork(kTestRelation, Fork::main, false);
  int status = test::in_child([] {
    set_log_sink([](const ErrorReport&) {});
    file_system().sync = [](int) { errno = EIO; return -1; };
    sync_pending();
    return 0;
  });
  EXPECT_EQ(status, 1000 + SIGABRT);
}

// What an earlier life wrote may still be on its way to the disk: redo must not build on it before it has arrived.
TEST_F(Files, BeforeRedoEveryFileAndDirectoryIsSynced) {
  config::values::fsync = true;
  config::values::recovery_init_sync_method = 0;   // file by file
  std::filesystem::create_directories("pg_wal");
  const std::vector<const char*> files{"base/5/20000", "base/5/20000_fsm", "global/1262", "pg_xact/0000", "pg_wal/000000010000000000000001", "PG_VERSION"};
  for (const char* path : files) std::ofstream(path) << "x";
  std::filesystem::create_symlink("/nowhere", "base/5/link");
  static std::map<int, std::string> open;
  static std::multiset<std::string> synced;
  static FileSystem real;
  real = saved;
  open.clear();
  synced.clear();
  file_system().open = [](const char* path, int flags, int mode) {
    int fd = real.open(path, flags, mode);
    open[fd] = path;
    return fd;
  };
  file_system().sync = [](int fd) { return synced.insert(open[fd]), 0; };
  file_system().sync_directory = [](const char* path) { return synced.insert(path), 0; };
  sync_data_directory();
  for (const char* path : files) EXPECT_TRUE(synced.contains(path)) << path;
  for (const char* path : {".", "base", "base/5", "global", "pg_xact", "pg_wal"}) EXPECT_TRUE(synced.contains(path)) << path;
  EXPECT_FALSE(synced.contains("base/5/link"));
  int status = test::in_child([] {
    set_log_sink([](const ErrorReport&) {});
    file_system().sync = [](int fd) { return open[fd] == "global/1262" ? (errno = EIO, -1) : 0; };
    sync_data_directory();
    return 0;
  });
  EXPECT_EQ(status, 1000 + SIGABRT);
  config::values::fsync = false;
}

TEST_F(Files, UnlinkKeepsTheFirstSegmentUntilTheCheckpoint) {
  shmem::acquire_slot(shmem::ProcessKind::backend);
  create_fork(kTestRelation, Fork::main, false);
  create_fork(kTestRelation, Fork::visibility, false);
  extend_fork(kTestRelation, Fork::main, BlockNumber{0}, 4);
  unlink_relation(kTestRelation, false);
  EXPECT_TRUE(std::filesystem::exists("base/5/20000"));
  EXPECT_EQ(std::filesystem::file_size("base/5/20000"), 0u);
  EXPECT_FALSE(std::filesystem::exists("base/5/20000_vm"));
  delayed_unlinks_begin();
  delayed_unlinks_finish();
  EXPECT_FALSE(std::filesystem::exists("base/5/20000"));
  shmem::release_slot();
}

TEST_F(Files, TemporaryFilesOfDeadBackendsGo) {
  std::filesystem::create_directories("base/pgsql_tmp");
  for (const char* name : {"base/5/t3_17000", "base/5/t3_17000_vm", "base/pgsql_tmp/pgsql_tmp12.3", "base/5/18000"}) fclose(fopen(name, "w"));
  remove_temporary_files();
  EXPECT_FALSE(std::filesystem::exists("base/5/t3_17000"));
  EXPECT_FALSE(std::filesystem::exists("base/5/t3_17000_vm"));
  EXPECT_FALSE(std::filesystem::exists("base/pgsql_tmp/pgsql_tmp12.3"));
  EXPECT_TRUE(std::filesystem::exists("base/5/18000"));
}

TEST_F(Files, UnloggedRelationsBecomeTheirInitForks) {
  auto put = [](const char* name, const char* text) { FILE* f = fopen(name, "w"); fputs(text, f); fclose(f); };
  put("base/5/17000", "rows");
  put("base/5/17000_vm", "map");
  put("base/5/17000_init", "init");
  put("base/5/17001", "kept");
  reset_unlogged_relations();
  EXPECT_EQ(std::filesystem::file_size("base/5/17000"), 4u);
  char text[8] = {};
  FILE* f = fopen("base/5/17000", "r");
  ASSERT_EQ(fread(text, 1, 4, f), 4u);
  fclose(f);
  EXPECT_STREQ(text, "init");
  EXPECT_FALSE(std::filesystem::exists("base/5/17000_vm"));
  EXPECT_TRUE(std::filesystem::exists("base/5/17001"));
}

TEST_F(Files, SpillFilesReadBackAndVanish) {
  {
    TempFile file;
    for (int i = 0; i < 10000; ++i) file.append(&i, sizeof i);
    EXPECT_EQ(file.size(), 40000);
    EXPECT_EQ(TempFile::bytes_in_use(), 40000);
    file.rewind();
    for (int i = 0; i < 10000; ++i) {
      int back = -1;
      ASSERT_EQ(file.read(&back, sizeof back), sizeof back);
      ASSERT_EQ(back, i);
    }
    int none;
    EXPECT_EQ(file.read(&none, sizeof none), 0u);
    file.seek(4 * 1234);
    int back = -1;
    file.read(&back, sizeof back);
    EXPECT_EQ(back, 1234);
    config::values::temp_file_limit = 40;
    EXPECT_THROW(file.append(&back, 3000), SqlError);
    config::values::temp_file_limit = -1;
  }
  EXPECT_EQ(TempFile::bytes_in_use(), 0);
  EXPECT_TRUE(std::filesystem::is_empty("base/pgsql_tmp"));
}

}  // namespace
}  // namespace hathi::storage
