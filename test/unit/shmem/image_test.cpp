#include "hathi/shmem/image.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

#include "../forked.h"

namespace hathi::shmem {
namespace {

// Allocations beyond the moved end succeed, although much is free below it (malloc then gives that back, and would trim the heap it has
// just made).
TEST(Image, TheHeapGrowsBeyondItsMovedEnd) {
  for (std::size_t wanted : {std::size_t{100}, std::size_t{20'000}, std::size_t{100'000}, std::size_t{700'000}, std::size_t{3'000'000}}) {
    EXPECT_EQ(test::in_child([&] {
                while (mallinfo2().keepcost < 100'000) if (std::malloc(mallinfo2().keepcost + 64) == nullptr) return 2;
                begin_image();
                return std::malloc(wanted) == nullptr ? 1 : 0;
              }),
              0)
        << wanted;
  }
}

}  // namespace
}  // namespace hathi::shmem
