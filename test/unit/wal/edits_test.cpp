#include "src/backend/wal/edits.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "hathi/buffer/page.h"
#include "hathi/storage/file.h"
#include "src/backend/wal/record.h"

namespace hathi::wal {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  auto b = std::as_bytes(std::span(text));
  return {b.begin(), b.end()};
}

struct Page {
  alignas(8) std::byte bytes[kPageSize] = {};
  Page() { PageView(bytes).init(16); }
  PageView view() { return PageView(bytes); }
  std::string item(std::uint16_t n) {
    LinePointer lp = view().line(OffsetNumber{n});
    return {reinterpret_cast<const char*>(bytes) + lp.offset(), lp.length()};
  }
};

TEST(Edits, WriteMoveZero) {
  Page p;
  ByteBuffer e;
  encode_write(e, 100, bytes_of("hello, edits"));
  encode_move(e, 104, 100, 12);
  encode_zero(e, 100, 2);
  ASSERT_TRUE(apply_edits(p.bytes, e.bytes()));
  EXPECT_EQ(std::memcmp(p.bytes + 100, "\0\0llhello, edits", 16), 0);
}

TEST(Edits, SparseWritesAreShort) {
  Page p;
  std::vector<std::byte> data(64);
  ByteBuffer e;
  data[3] = std::byte{9};
  data[63] = std::byte{8};
  encode_write(e, 200, data);
  EXPECT_LT(e.size(), 16u);
  std::memset(p.bytes + 200, 0xFF, 64);
  ASSERT_TRUE(apply_edits(p.bytes, e.bytes()));
  EXPECT_EQ(std::memcmp(p.bytes + 200, data.data(), 64), 0);
}

TEST(Edits, ItemsAreAddedAndCompacted) {
  Page p;
  ByteBuffer e;
  encode_add_item(e, 1, bytes_of("first"));
  encode_add_item(e, 2, bytes_of("second item"));
  encode_add_item(e, 3, bytes_of("third"));
  ASSERT_TRUE(apply_edits(p.bytes, e.bytes()));
  EXPECT_EQ(p.view().line_count(), 3);
  EXPECT_EQ(p.item(2), "second item");
  std::uint16_t upper = p.view().header().upper;
  p.view().line(OffsetNumber{2}) = LinePointer::make(0, LinePointer::State::dead, 0);
  e.reset();
  encode_compact(e);
  ASSERT_TRUE(apply_edits(p.bytes, e.bytes()));
  EXPECT_EQ(p.item(1), "first");
  EXPECT_EQ(p.item(3), "third");
  EXPECT_EQ(p.view().header().upper, upper + 16);
}

TEST(Edits, ANewVersionIsLoggedByItsDifferences) {
  Page p;
  ByteBuffer e;
  std::string old_row = std::string(24, 'h') + "aaaaaaaabbbbcccccccccccccccccccccccccccccc", new_row = old_row;
  encode_add_item(e, 1, bytes_of(old_row));
  ASSERT_TRUE(apply_edits(p.bytes, e.bytes()));
  for (int round = 0; round < 3; ++round) {
    if (round == 0) new_row.replace(32, 4, "XY__");
    if (round == 1) new_row += "longer";
    if (round == 2) new_row.resize(30);
    e.reset();
    LinePointer lp = p.view().line(OffsetNumber{1});
    encode_add_item_like(e, static_cast<std::uint16_t>(2 + round), bytes_of(new_row), 1, {p.bytes + lp.offset(), lp.length()}, 24);
    EXPECT_LT(e.size(), 50u);
    ASSERT_TRUE(apply_edits(p.bytes, e.bytes()));
    EXPECT_EQ(p.item(static_cast<std::uint16_t>(2 + round)), new_row);
  }
}

TEST(Edits, GarbageNeverLeavesThePage) {
  std::mt19937 random(42);
  for (int round = 0; round < 20000; ++round) {
    struct { std::byte before[64]; Page p; std::byte after[64]; } guarded;
    std::memset(guarded.before, 0x5A, 64);
    std::memset(guarded.after, 0x5A, 64);
    std::vector<std::byte> e(random() % 60);
    for (std::byte& b : e) b = static_cast<std::byte>(random());
    apply_edits(guarded.p.bytes, e);
    for (std::byte b : guarded.before) ASSERT_EQ(b, std::byte{0x5A});
    for (std::byte b : guarded.after) ASSERT_EQ(b, std::byte{0x5A});
  }
}

TEST(Records, RoundTripAndPositionDependentChecksum) {
  RecordBuilder b;
  Page page;
  ByteBuffer e;
  encode_add_item(e, 1, bytes_of("row"));
  apply_edits(page.bytes, e.bytes());
  RelationFile file{storage::kDefaultTablespace, Oid{5}, Oid{20000}};
  b.begin();
  b.block({file, Fork::main, BlockNumber{7}}, 0, nullptr, e.bytes());
  b.block({file, Fork::visibility, BlockNumber{0}}, 0, page.bytes, {});
  b.data(bytes_of("main data"));
  auto record = b.finish(ResourceManager::heap, 5, Xid{1234567});
  EXPECT_EQ(record_length(record.first(kLengthPrefix)), record.size());
  DecodedRecord d;
  ASSERT_TRUE(decode_record(record, Lsn{99}, d));
  EXPECT_EQ(d.manager, ResourceManager::heap);
  EXPECT_EQ(d.info, 5);
  EXPECT_EQ(d.xid, Xid{1234567});
  ASSERT_EQ(d.blocks.size(), 2u);
  EXPECT_EQ(d.blocks[0].tag.block, BlockNumber{7});
  EXPECT_EQ(d.blocks[1].tag.file, file);
  EXPECT_EQ(d.blocks[1].tag.fork, Fork::visibility);
  std::byte back[kPageSize];
  ASSERT_TRUE(restore_image(d.blocks[1], back));
  EXPECT_EQ(std::memcmp(back, page.bytes, kPageSize), 0);
  std::uint64_t h = hash_record(record.subspan(kChecksumSize));
  EXPECT_NE(finish_checksum(h, 99, 1), finish_checksum(h, 100, 1));
  EXPECT_NE(finish_checksum(h, 99, 1), finish_checksum(h, 99, 2));
  // Cut or spoilt records are refused or at least harmless.
  std::mt19937 random(1);
  std::vector<std::byte> copy(record.begin(), record.end());
  for (int i = 0; i < 5000; ++i) {
    auto spoilt = copy;
    spoilt[random() % spoilt.size()] = static_cast<std::byte>(random());
    DecodedRecord x;
    if (decode_record(spoilt, Lsn{99}, x))
      for (auto& block : x.blocks) if ((block.flags & kBlockImage) != 0) restore_image(block, back);
  }
}

}  // namespace
}  // namespace hathi::wal
