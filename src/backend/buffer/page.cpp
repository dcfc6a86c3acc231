#include "hathi/buffer/page_check.h"
#include "hathi/buffer/page.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hathi/error/sql_error.h"

namespace hathi {

void PageView::init(std::uint16_t special_size) const {
  HATHI_ASSERT(special_size % 8 == 0 && special_size < kPageSize - kPageHeaderSize);
  std::memset(bytes_, 0, kPageSize);
  PageHeader& h = header();
  h.lower = kPageHeaderSize;
  h.upper = static_cast<std::uint16_t>(kPageSize - special_size);
  h.special = h.upper;
  h.version = kPageVersion;
}

std::uint32_t page_checksum(const BlockTag& tag, const std::byte* page) {
  constexpr std::size_t kAfterChecksum = offsetof(PageHeader, checksum) + sizeof(std::uint32_t);
  std::uint64_t lsn;
  std::memcpy(&lsn, page, sizeof lsn);
  std::uint64_t identity = (static_cast<std::uint64_t>(raw(tag.file.relation)) << 32) | tag.block.value();
  std::uint64_t fork = tag.fork == Fork::init ? 0 : static_cast<std::uint64_t>(tag.fork);
  std::uint64_t seed = identity * 0x9E3779B97F4A7C15u + lsn + fork * 0xD6E8FEB86659FD93u;
  std::uint64_t hash = XXH3_64bits_withSeed(page + kAfterChecksum, kPageSize - kAfterChecksum, seed);
  auto folded = static_cast<std::uint32_t>(hash ^ (hash >> 32));
  return folded == 0 ? 1 : folded;
}

bool page_is_zero(const std::byte* page) {
  return page[0] == std::byte{0} && std::memcmp(page, page + 1, kPageSize - 1) == 0;
}

bool page_header_is_sane(const std::byte* page) {
  PageHeader h;
  std::memcpy(static_cast<void*>(&h), page, kPageHeaderSize);
  return h.version == kPageVersion && h.lower >= kPageHeaderSize && h.lower <= h.upper && h.upper <= h.special && h.special <= kPageSize &&
         h.special % 8 == 0 && (h.flags & ~(kPageAllVisible | kPageHasFreeLines | kPageFull)) == 0 && h.reserved == 0;
}

}  // namespace hathi
