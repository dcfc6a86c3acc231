#include "hathi/memory/arena.h"

#include <gtest/gtest.h>

namespace hathi {
namespace {

TEST(Arena, AllocationsAreAlignedAndDistinct) {
  Arena arena(64);
  auto* a = static_cast<char*>(arena.allocate(3, 1));
  auto* b = static_cast<char*>(arena.allocate(8, 8));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 8, 0u);
  EXPECT_GE(b, a + 3);
}

TEST(Arena, ResetKeepsOnlyTheFirstBlock) {
  Arena arena(1024);
  arena.allocate(16);
  std::size_t first = arena.footprint();
  for (int i = 0; i < 100; ++i) arena.allocate(1000);
  EXPECT_GT(arena.footprint(), first);
  arena.reset();
  EXPECT_EQ(arena.footprint(), first);
  arena.release();
  EXPECT_EQ(arena.footprint(), 0u);
}

TEST(List, GrowsAndKeepsItsElements) {
  Arena arena;
  List<int> list;
  for (int i = 0; i < 1000; ++i) list.push_back(arena, i);
  ASSERT_EQ(list.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace hathi
