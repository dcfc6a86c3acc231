#include "hathi/catalog/shared_store.h"

#include <gtest/gtest.h>

#include <random>

#include "../test_cluster.h"
#include "hathi/catalog/versions.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/versions_state.h"

namespace hathi::catalog {
namespace {

using shared_store::Key;
using shared_store::Kind;

struct Segment {
  test::Cluster cluster{64, {{"shared store", shared_store::size, shared_store::init}, {"versions", versions::size, versions::init}}};
  ~Segment() {
    shared_store::init(nullptr);
    versions::init(nullptr);
  }
};

constexpr std::size_t kWords = 100;
std::uint64_t word(const Key& key, std::uint64_t version, std::size_t i) { return key.object * 1000003 + version * 7919 + i; }

bool publish(const Key& key, std::uint64_t version) {
  shared_store::Building building = shared_store::begin(kWords * 8);
  if (building.payload == nullptr) return false;
  auto* words = static_cast<std::uint64_t*>(building.payload);
  for (std::size_t i = 0; i < kWords; ++i) words[i] = word(key, version, i);
  shared_store::publish(building, key, version);
  return true;
}

bool is_intact(const void* object, const Key& key, std::uint64_t version) {
  auto* words = static_cast<const std::uint64_t*>(object);
  for (std::size_t i = 0; i < kWords; ++i) {
    if (words[i] != word(key, version, i)) return false;
  }
  return true;
}

TEST(SharedStore, FindsThePublishedVersionOnly) {
  Segment segment;
  ASSERT_EQ(segment.cluster.create([] {
    transaction::start();
    Key key{Kind::relation, Oid{5}, 16384}, other{Kind::role, Oid{5}, 16384};
    EXPECT_EQ(shared_store::find(key, 1), nullptr);
    EXPECT_TRUE(publish(key, 1));
    const void* object = shared_store::find(key, 1);
    ASSERT_NE(object, nullptr);
    EXPECT_TRUE(shared_store::contains(object));
    EXPECT_TRUE(is_intact(object, key, 1));
    EXPECT_EQ(shared_store::find(key, 2), nullptr);
    EXPECT_EQ(shared_store::find(other, 1), nullptr);
    EXPECT_TRUE(publish(key, 2));
    EXPECT_EQ(shared_store::find(key, 1), nullptr);
    // What was found stays as it was while the transaction runs.
    for (std::uint64_t v = 3; v < 200; ++v) EXPECT_TRUE(publish(key, v));
    EXPECT_TRUE(is_intact(object, key, 1));
    shared_store::end_of_transaction();
  }), 0);
}

TEST(SharedStore, TheDirectoryGrowsWithWhatItHolds) {
  Segment segment;
  ASSERT_EQ(segment.cluster.create([] {
    constexpr std::uint64_t kObjects = 40000;
    for (std::uint64_t object = 1; object <= kObjects; ++object) ASSERT_TRUE(publish({Kind::relation, Oid{5}, object}, 1));
    std::uint64_t found = 0;
    for (std::uint64_t object = 1; object <= kObjects; ++object) {
      Key key{Kind::relation, Oid{5}, object};
      const void* there = shared_store::find(key, 1);
      if (there == nullptr) continue;
      ++found;
      ASSERT_TRUE(is_intact(there, key, 1));
    }
    // Lossy, but not much: with the 8192 places of the start it would be a fifth.
    EXPECT_GT(found, kObjects * 8 / 10);
    shared_store::end_of_transaction();
  }), 0);
}

TEST(SharedStore, OldVersionsAreReused) {
  Segment segment;
  ASSERT_EQ(segment.cluster.create([] {
    Key key{Kind::relation, Oid{5}, 16384};
    // Far more bytes than there are: without reuse this would run out of memory.
    for (std::uint64_t v = 1; v < 200000; ++v) {
      ASSERT_TRUE(publish(key, v));
      ASSERT_NE(shared_store::find(key, v), nullptr);
      shared_store::end_of_transaction();
    }
  }), 0);
}

// Readers never see a piece of memory that was given to another object meanwhile.
TEST(SharedStore, ManyProcesses) {
  Segment segment;
  ASSERT_EQ(segment.cluster.create([] {
    test::run_processes(4, [](int number) {
      std::mt19937 random(static_cast<unsigned>(number));
      transaction::start();
      for (int round = 0; round < 300; ++round) {
        std::vector<std::tuple<const void*, Key, std::uint64_t>> held;
        for (int i = 0; i < 50; ++i) {
          Key key{Kind::relation, Oid{5}, 16384 + random() % 40};
          std::uint64_t version = 1 + random() % 3;
          const void* object = shared_store::find(key, version);
          if (object == nullptr && publish(key, version)) object = shared_store::find(key, version);
          if (object != nullptr) held.emplace_back(object, key, version);
        }
        for (const auto& [object, key, version] : held) {
          if (!is_intact(object, key, version)) return 1;
        }
        shared_store::end_of_transaction();
      }
      return 0;
    });
  }), 0);
}

TEST(Versions, MarksAndVersions) {
  Segment segment;
  ASSERT_EQ(segment.cluster.create([] {
    std::uint32_t slot = versions::slot_of(Oid{1259}, Oid{20000});
    versions::Stamp before = versions::stamp(slot);
    const std::uint32_t slots[] = {slot};
    // A reader that meets the mark waits for the new version.
    versions::mark_changing(slots);
    std::vector<pid_t> pids = test::start_processes(1, [&](int) { return versions::stamp(slot) == before ? 1 : 0; });
    usleep(20000);
    versions::publish(slots);
    test::join_processes(pids);
    EXPECT_NE(versions::stamp(slot), before);
    EXPECT_EQ(versions::stamp(slot), versions::stamp(slot));
  }), 0);
}

TEST(Versions, NamesAreToldOn) {
  Segment segment;
  ASSERT_EQ(segment.cluster.create([] {
    std::uint32_t slot = versions::slot_of_name(Oid{1259}, "t");
    versions::Stamp stamp = versions::stamp(slot);
    versions::NamedOids out;
    EXPECT_FALSE(versions::recall_name(slot, Oid{5}, Oid{1259}, "t", stamp, out));
    versions::remember_name(slot, Oid{5}, Oid{1259}, "t", stamp, {Oid{16384}, Oid{2200}});
    ASSERT_TRUE(versions::recall_name(slot, Oid{5}, Oid{1259}, "t", stamp, out));
    EXPECT_EQ(out.object, Oid{16384});
    EXPECT_EQ(out.schema, Oid{2200});
    EXPECT_FALSE(versions::recall_name(slot, Oid{1}, Oid{1259}, "t", stamp, out));
    EXPECT_FALSE(versions::recall_name(slot, Oid{5}, Oid{1247}, "t", stamp, out));
    versions::remember_name(slot, Oid{5}, Oid{1259}, "t", stamp, {});
    ASSERT_TRUE(versions::recall_name(slot, Oid{5}, Oid{1259}, "t", stamp, out));
    EXPECT_EQ(out.object, kInvalidOid);
    const std::uint32_t slots[] = {slot};
    versions::mark_changing(slots);
    versions::publish(slots);
    EXPECT_FALSE(versions::recall_name(slot, Oid{5}, Oid{1259}, "t", versions::stamp(slot), out));
  }), 0);
}

TEST(Versions, OwnChangesShowFromTheNextCommand) {
  static CommandId command{0};
  versions::OwnChanges changes;
  changes.current_command = [] { return command; };
  EXPECT_EQ(changes.visible(7), 0u);
  changes.add(7);
  EXPECT_EQ(changes.visible(7), 0u);
  EXPECT_TRUE(changes.contains(7));
  command = CommandId{1};
  std::uint64_t first = changes.visible(7);
  EXPECT_NE(first, 0u);
  changes.add(7);
  EXPECT_EQ(changes.visible(7), first);
  command = CommandId{2};
  EXPECT_NE(changes.visible(7), first);
  std::uint64_t second = changes.visible(7);
  changes.renew_all();
  EXPECT_NE(changes.visible(7), second);
}

}  // namespace
}  // namespace hathi::catalog
