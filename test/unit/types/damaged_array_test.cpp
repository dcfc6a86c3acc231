// Array values as a damaged page may hold them: an error, or some value, but never a look outside the value.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "catalog_fixture.h"
#include "hathi/error/sql_error.h"
#include "hathi/types/whole_array.h"

namespace hathi::types::test {
namespace {

constexpr Oid kInt4{23}, kText{25}, kArrayOut{751};
constexpr std::size_t kPage = 4096;

// A copy of a value that ends where readable memory ends.
class AtTheEnd {
 public:
  AtTheEnd() : memory_(static_cast<std::byte*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(memory_ + kPage, kPage, PROT_NONE);
  }
  ~AtTheEnd() { munmap(memory_, 2 * kPage); }
  std::byte* put(Datum value) {
    const std::byte* from = value.as_pointer();
    std::size_t size = varlena::total_size(from);
    std::byte* to = memory_ + kPage - (size + 3) / 4 * 4;
    std::memcpy(to, from, size);
    return to;
  }
 private:
  std::byte* memory_;
};

class DamagedArray : public testing::Test {
 protected:
  void SetUp() override { register_once(); }

  // Each word of the header takes each of these values in turn; some of them must be refused.
  void damage_every_word(Datum array, TypeLayout layout) {
    constexpr std::uint32_t kBad[] = {0, 1, 2, 6, 7, 16, 24, 255, 4096, 0x10000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF};
    constexpr std::size_t kWords[] = {4, 8, 16, 20, 24, 28};
    for (std::size_t word : kWords)
      for (std::uint32_t bad : kBad) {
        std::byte* bytes = memory_.put(array);
        std::memcpy(bytes + word, &bad, sizeof bad);
        refused_ += use(Datum::of(static_cast<const void*>(bytes)), layout) ? 0 : 1;
      }
  }

  bool use(Datum value, TypeLayout layout) {
    try {
      ArrayView array = whole_array(value, arena_);
      for (int i = -1; i < 6; ++i) {
        int subscript = i;
        array_get_element(array, layout, {&subscript, 1});
      }
      array_elements(array, layout, arena_);
      call_function(kArrayOut, arena_, {value});
      return true;
    } catch (const SqlError& e) {
      EXPECT_EQ(e.code(), sqlstate::data_corrupted) << e.report().message;
      return false;
    }
  }

  Arena arena_;
  AtTheEnd memory_;
  int refused_ = 0;
};

TEST_F(DamagedArray, HeadersAreCheckedBeforeTheyAreUsed) {
  const int lengths[] = {2, 2}, lowers[] = {1, 1};
  Datum numbers[] = {Datum::of(1), Datum::of(2), Datum::of(3), Datum::of(4)};
  const bool nulls[] = {false, true, false, false};
  TypeLayout int4 = type(kInt4).layout, text = type(kText).layout;
  damage_every_word(make_array(arena_, kInt4, int4, numbers, nullptr, 2, lengths, lowers), int4);
  damage_every_word(make_array(arena_, kInt4, int4, numbers, nulls, 2, lengths, lowers), int4);
  Datum texts[] = {varlena::make(arena_, "a"), varlena::make(arena_, "bcd"), varlena::make(arena_, ""), varlena::make(arena_, "efghijkl")};
  damage_every_word(make_array(arena_, kText, text, texts, nulls, 2, lengths, lowers), text);
  EXPECT_GT(refused_, 100);
}

}  // namespace
}  // namespace hathi::types::test
