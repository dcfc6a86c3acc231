#pragma once
// The layout every 8 KiB page shares: header, line pointers growing up, items growing down, special space at the end.
//
//   offset  size  field
//        0     8  lsn           end of the last WAL record that changed the page
//        8     4  checksum      over relation, fork, block and contents; 0 while in memory
//       12     2  flags
//       14     2  lower         first free byte after the line pointers
//       16     2  upper         first byte of the items
//       18     2  special       first byte of the special space
//       20     2  version       layout version
//       22     2  reserved
//       24     8  xid_base      full xid = xid_base + 32-bit offset in the tuple header (heap pages)
//       32     4  prune_hint    offset (from xid_base) of the oldest xid whose row versions may be prunable, 0 = none
//       36     …  line pointers, 4 bytes each

#include <cstddef>
#include <cstdint>

#include "hathi/base/ids.h"

namespace hathi {

struct LinePointer {
  enum class State : std::uint8_t { unused = 0, normal = 1, redirect = 2, dead = 3 };
  std::uint32_t bits = 0;  // offset:15, state:2, length:15
  constexpr std::uint16_t offset() const { return bits & 0x7FFF; }
  constexpr State state() const { return static_cast<State>((bits >> 15) & 3); }
  constexpr std::uint16_t length() const { return bits >> 17; }
  static constexpr LinePointer make(std::uint16_t offset, State state, std::uint16_t length) {
    return {static_cast<std::uint32_t>(offset) | (static_cast<std::uint32_t>(state) << 15) | (static_cast<std::uint32_t>(length) << 17)};
  }
};
static_assert(sizeof(LinePointer) == 4);

struct PageHeader {
  Lsn lsn;
  std::uint32_t checksum;
  std::uint16_t flags;
  std::uint16_t lower;
  std::uint16_t upper;
  std::uint16_t special;
  std::uint16_t version;
  std::uint16_t reserved;
  std::uint64_t xid_base;
  std::uint32_t prune_hint;
};
inline constexpr std::size_t kPageHeaderSize = 36;
static_assert(offsetof(PageHeader, checksum) == 8 && offsetof(PageHeader, lower) == 14 && offsetof(PageHeader, special) == 18 &&
              offsetof(PageHeader, xid_base) == 24 && offsetof(PageHeader, prune_hint) == 32);

// PageHeader::flags
inline constexpr std::uint16_t kPageAllVisible = 1;   // every row version is visible to all (heap)
inline constexpr std::uint16_t kPageHasFreeLines = 2; // some line pointer is unused
inline constexpr std::uint16_t kPageFull = 4;         // a row found no room here: prune it

inline constexpr std::uint16_t kPageVersion = 1;

// A view of the bytes of a page: does not own them. Access needs the buffer's content lock or ownership of a private copy.
class PageView {
 public:
  explicit PageView(std::byte* bytes) : bytes_(bytes) {}
  PageHeader& header() const { return *reinterpret_cast<PageHeader*>(bytes_); }
  std::byte* bytes() const { return bytes_; }
  bool is_new() const { return header().upper == 0; }
  // Formats the page with `special_size` bytes (8-aligned) of special space; all else zero.
  void init(std::uint16_t special_size) const;
  std::uint16_t line_count() const { return is_new() ? 0 : static_cast<std::uint16_t>((header().lower - kPageHeaderSize) / sizeof(LinePointer)); }
  LinePointer& line(OffsetNumber n) const {
    return reinterpret_cast<LinePointer*>(bytes_ + kPageHeaderSize)[n.value() - 1];
  }
  std::byte* item(OffsetNumber n) const { return bytes_ + line(n).offset(); }
  std::byte* special() const { return bytes_ + header().special; }
  // Bytes between line pointers and items.
  std::uint16_t hole() const { return static_cast<std::uint16_t>(header().upper - header().lower); }
 private:
  std::byte* bytes_;
};

// 32 bits (xxHash) over relation, fork and block number and the bytes without the checksum field; never 0. The database is left out and an init
// fork counts as the main one: files are copied as they stand by CREATE DATABASE and when an unlogged relation is emptied.
std::uint32_t page_checksum(const BlockTag& tag, const std::byte* page);

}  // namespace hathi
