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
  std::uint64_t hash = XXH3_64bits_withSeed(page + kAfterChecksum, kPageSize - kAfterChecksum, identity * 0x9E3779B97F4A7C15u + lsn);
  auto folded = static_cast<std::uint32_t>(hash ^ (hash >> 32));
  return folded == 0 ? 1 : folded;
}

}  // namespace hathi
