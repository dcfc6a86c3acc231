#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "../test_cluster.h"
#include "hathi/transaction/database_files.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"
#include "hathi/wal/page_edit.h"

namespace hathi::transaction {
namespace {

using std::filesystem::exists;
using test::Cluster;

constexpr RelationFile file(std::uint32_t n, std::uint32_t database = 5) { return {storage::kDefaultTablespace, Oid{database}, Oid{n}}; }

void add_page(const RelationFile& f, std::uint32_t number) {
  buffer::PinnedBuffer b = buffer::extend(f, Fork::main, 1);
  wal::Change c(wal::ResourceManager::generic, 0, true);
  wal::PageEdit& p = c.page(b);
  p.init(64);
  p.write_value(kPageSize - 64, number);
  c.apply();
}
std::uint32_t number_on(const RelationFile& f, std::uint32_t block) {
  buffer::PinnedBuffer b = buffer::read({f, Fork::main, BlockNumber{block}});
  std::uint32_t v;
  std::memcpy(&v, b.page().bytes() + kPageSize - 64, 4);
  return v;
}
bool has_content(const char* path) { return exists(path) && std::filesystem::file_size(path) > 0; }

TEST(RelationStorage, FollowsTheTransaction) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    std::filesystem::create_directories("base/5");
    start();
    storage::create_storage(file(20000), storage::Persistence::permanent);
    EXPECT_TRUE(storage::created_in_this_transaction(file(20000)));
    add_page(file(20000), 1);
    buffer::flush_relation(file(20000));
    abort();
    EXPECT_FALSE(has_content("base/5/20000"));
    start();
    storage::create_storage(file(20001), storage::Persistence::permanent);
    add_page(file(20001), 2);
    define_savepoint("a");
    storage::create_storage(file(20002), storage::Persistence::permanent);
    storage::drop_storage_at_commit(file(20001));
    rollback_to_savepoint("a");
    EXPECT_FALSE(has_content("base/5/20002"));
    commit();
    EXPECT_TRUE(has_content("base/5/20001"));
    EXPECT_EQ(number_on(file(20001), 0), 2u);
    start();
    storage::drop_storage_at_commit(file(20001));
    EXPECT_TRUE(has_content("base/5/20001"));
    commit();
    EXPECT_FALSE(has_content("base/5/20001"));
    wal::perform_checkpoint({.immediate = true});
    EXPECT_FALSE(exists("base/5/20001"));
    EXPECT_FALSE(exists("base/5/20000"));
  }), 0);
}

TEST(RelationStorage, OrphansOfACrashGo) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    std::filesystem::create_directories("base/5");
    start();
    storage::create_storage(file(20000), storage::Persistence::permanent);
    commit();
    start();
    storage::create_storage(file(20001), storage::Persistence::permanent);
    add_page(file(20001), 1);
    // The creation lies before the checkpoint's redo point, the crash after it.
    wal::perform_checkpoint({.immediate = true});
    define_savepoint("a");
    storage::create_storage(file(20002), storage::Persistence::permanent);
    release_savepoint("a");
    add_page(file(20002), 1);
    wal::flush(wal::insert_position());
    EXPECT_TRUE(exists("base/5/20002"));
  }), 0);
  ASSERT_EQ(cluster.live([] {
    EXPECT_TRUE(exists("base/5/20000"));
    EXPECT_FALSE(exists("base/5/20001"));
    EXPECT_FALSE(exists("base/5/20002"));
  }), 0);
}

TEST(RelationStorage, ADropIsRedone) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    std::filesystem::create_directories("base/5");
    start();
    storage::create_storage(file(20000), storage::Persistence::permanent);
    commit();
    wal::perform_checkpoint({.immediate = true});
    add_page(file(20000), 1);
    std::filesystem::copy_file("base/5/20000", "saved");
    start();
    storage::drop_storage_at_commit(file(20000));
    commit();
    std::filesystem::copy_file("saved", "base/5/20000", std::filesystem::copy_options::overwrite_existing);
  }), 0);
  ASSERT_EQ(cluster.live([] { EXPECT_FALSE(exists("base/5/20000")); }), 0);
}

TEST(RelationStorage, TruncationIsRedone) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    std::filesystem::create_directories("base/5");
    start();
    storage::create_storage(file(20000), storage::Persistence::permanent);
    for (std::uint32_t i = 0; i < 10; ++i) add_page(file(20000), i);
    commit();
    storage::truncate_storage_now(file(20000), BlockNumber{4});
    EXPECT_EQ(buffer::block_count(file(20000), Fork::main), BlockNumber{4});
    add_page(file(20000), 44);
    wal::flush(wal::insert_position());
  }), 0);
  ASSERT_EQ(cluster.live([] {
    EXPECT_EQ(buffer::block_count(file(20000), Fork::main), BlockNumber{5});
    EXPECT_EQ(number_on(file(20000), 3), 3u);
    EXPECT_EQ(number_on(file(20000), 4), 44u);
  }), 0);
}

TEST(RelationStorage, TemporaryRelationsNeedNoXid) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    std::filesystem::create_directories("base/5");
    start();
    storage::create_storage(file(30000), storage::Persistence::temporary);
    EXPECT_EQ(current_xid_if_any(), kInvalidXid);
    std::string path = storage::relation_path(file(30000), Fork::main);
    EXPECT_TRUE(exists(path));
    commit();
    EXPECT_TRUE(exists(path));
    start();
    storage::drop_storage_at_commit(file(30000));
    commit();
    EXPECT_FALSE(exists(path));
    EXPECT_FALSE(storage::is_temporary(file(30000)));
  }), 0);
}

void make_template() {
  std::filesystem::create_directories("base/5");
  std::ofstream("base/5/PG_VERSION") << "15\n";
  start();
  storage::create_storage(file(20000), storage::Persistence::permanent);
  for (std::uint32_t i = 0; i < 40; ++i) add_page(file(20000), i);
  commit();
}

TEST(DatabaseFiles, ACopyIsCrashSafe) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_template();
    wal::perform_checkpoint({.immediate = true});
    start();
    create_database_files(storage::kDefaultTablespace, Oid{5}, storage::kDefaultTablespace, Oid{16500});
    commit();
    EXPECT_EQ(number_on(file(20000, 16500), 17), 17u);
    add_page(file(20000, 16500), 99);
    // The template moves on: the copy must not.
    add_page(file(20000), 5);
    wal::flush(wal::insert_position());
    // Nothing of the copy reached the disk.
    std::filesystem::remove_all("base/16500");
  }), 0);
  ASSERT_EQ(cluster.live([] {
    EXPECT_EQ(number_on(file(20000, 16500), 17), 17u);
    EXPECT_EQ(number_on(file(20000, 16500), 40), 99u);
    EXPECT_EQ(buffer::block_count(file(20000, 16500), Fork::main), BlockNumber{41});
    EXPECT_TRUE(exists("base/16500/PG_VERSION"));
  }), 0);
}

TEST(DatabaseFiles, UnfinishedCopiesGoAndDropsAreFinal) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_template();
    start();
    create_database_files(storage::kDefaultTablespace, Oid{5}, storage::kDefaultTablespace, Oid{16500});
    abort();
    EXPECT_FALSE(exists("base/16500"));
    start();
    create_database_files(storage::kDefaultTablespace, Oid{5}, storage::kDefaultTablespace, Oid{16501});
    commit();
    start();
    drop_database_files_at_commit(storage::kDefaultTablespace, Oid{16501});
    commit();
    EXPECT_FALSE(exists("base/16501"));
    start();
    create_database_files(storage::kDefaultTablespace, Oid{5}, storage::kDefaultTablespace, Oid{16502});
    wal::flush(wal::insert_position());
    EXPECT_TRUE(exists("base/16502"));
  }), 0);
  ASSERT_EQ(cluster.live([] {
    for (const char* path : {"base/16500", "base/16501", "base/16502"}) EXPECT_FALSE(exists(path)) << path;
    EXPECT_EQ(number_on(file(20000), 39), 39u);
  }), 0);
}

}  // namespace
}  // namespace hathi::transaction
