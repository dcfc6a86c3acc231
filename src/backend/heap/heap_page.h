#pragma once
// Heap pages: limits, row headers in place, full xids, free room. Private to heap/.

#include <algorithm>
#include <atomic>
#include <cstring>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/buffer/page.h"
#include "hathi/datum/tuple.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/error/sql_error.h"
#include "hathi/heap/heap.h"
#include "hathi/wal/page_edit.h"

namespace hathi::heap {

inline constexpr std::size_t kTupleHeaderPadded = 24;  // a row version without bitmap begins its data here
// The largest row version, and the most line pointers of a page (each with at least a header).
inline constexpr std::size_t kMaxRowSize = kPageSize - align8(kPageHeaderSize + sizeof(LinePointer));
inline constexpr int kMaxRowsPerPage =
    static_cast<int>((kPageSize - kPageHeaderSize) / (kTupleHeaderPadded + sizeof(LinePointer)));

// xid_base while a page's xids are being rewritten: readers without the content lock try again (see rebase.cpp).
inline constexpr std::uint64_t kXidBaseMoving = ~std::uint64_t{0};

// Operation numbers of ResourceManager::heap, shown by pg_waldump.
enum class HeapOperation : std::uint8_t {
  insert = 0, insert_many = 1, remove = 2, update = 3, hot_update = 4, lock = 5, in_place = 6, prune = 7, vacuum = 8, freeze = 9,
  rebase = 10, abort_speculative = 11, page_full = 12
};

// A version's ctid when a cross-partition update moved the row away.
inline constexpr TupleId kMovedToPartition{kInvalidBlock, OffsetNumber{0xFFFD}};

inline Xid full_xid(std::uint64_t base, std::uint32_t offset) { return offset < 3 ? Xid{offset} : Xid{base + offset}; }
inline Xid full_xid(PageView page, std::uint32_t offset) { return full_xid(page.header().xid_base, offset); }
inline bool xid_fits(PageView page, Xid xid) {
  if (!is_normal(xid) || page.is_new()) return true;
  std::uint64_t base = page.header().xid_base;
  return xid.value() >= base + 3 && xid.value() - base <= 0xFFFFFFFFu;
}
inline std::uint32_t xid_offset(std::uint64_t base, Xid xid) {
  return static_cast<std::uint32_t>(is_normal(xid) ? xid.value() - base : xid.value());
}
// The base of a page that xid's transaction starts: room for older lockers below and for 2^31 newer ones above.
inline std::uint64_t initial_xid_base(Xid xid) {
  constexpr std::uint64_t kRoom = std::uint64_t{1} << 31;
  return xid.value() <= kRoom ? 0 : xid.value() - kRoom;
}

inline HeapTupleHeader* row_header(PageView page, OffsetNumber n) { return reinterpret_cast<HeapTupleHeader*>(page.item(n)); }
inline Xid row_xmin(PageView page, const HeapTupleHeader* h) { return full_xid(page, h->xmin); }
// The updater, deleter or locker when it is a single transaction; kInvalidXid for a multixact.
inline Xid row_xmax(PageView page, const HeapTupleHeader* h) {
  return (h->infomask & infomask::xmax_multi) != 0 ? kInvalidXid : full_xid(page, h->xmax);
}
inline bool has_flag(const HeapTupleHeader* h, std::uint16_t flag) { return (h->infomask & flag) != 0; }
inline bool has_flag2(const HeapTupleHeader* h, std::uint16_t flag) { return (h->infomask2 & flag) != 0; }
inline bool is_frozen(const HeapTupleHeader* h) { return (h->infomask & infomask::xmin_frozen) == infomask::xmin_frozen; }

// Fills `out` from a line pointer. Works with a pin only: a page's base may move under the content lock meanwhile.
inline void copy_out(PageView page, LinePointer lp, TupleId tid, Oid table, HeapTuple& out) {
  const auto* h = reinterpret_cast<const HeapTupleHeader*>(page.bytes() + lp.offset());
  out.header = h;
  out.size = lp.length();
  out.tid = tid;
  out.table = table;
  std::uint64_t* base_word = &page.header().xid_base;
  for (;;) {
    std::uint64_t base = std::atomic_ref<std::uint64_t>(*base_word).load(std::memory_order_acquire);
    std::uint32_t xmin = h->xmin, xmax = h->xmax;
    bool multi = has_flag(h, infomask::xmax_multi);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (base == kXidBaseMoving || std::atomic_ref<std::uint64_t>(*base_word).load(std::memory_order_relaxed) != base) [[unlikely]] continue;
    out.xmin = full_xid(base, xmin);
    out.xmax = multi ? kInvalidXid : full_xid(base, xmax);
    out.multi = multi ? MultiXactId{xmax} : MultiXactId{0};
    return;
  }
}

// A line pointer that may be reused, or kInvalidOffset.
inline OffsetNumber find_free_line(PageView page) {
  if ((page.header().flags & kPageHasFreeLines) == 0) return kInvalidOffset;
  std::uint16_t n = page.line_count();
  for (std::uint16_t i = 1; i <= n; ++i) {
    if (page.line(OffsetNumber{i}).state() == LinePointer::State::unused) return OffsetNumber{i};
  }
  return kInvalidOffset;
}

// Bytes that one more row version may take (its line pointer allowed for).
inline std::size_t room_for_row(PageView page) {
  if (page.is_new()) return kMaxRowSize;
  std::size_t hole = page.hole();
  bool free_line = (page.header().flags & kPageHasFreeLines) != 0 && find_free_line(page) != kInvalidOffset;
  if (free_line) return hole;
  if (page.line_count() >= kMaxRowsPerPage) return 0;
  return hole < sizeof(LinePointer) ? 0 : hole - sizeof(LinePointer);
}

inline std::uint16_t line_position(OffsetNumber n) {
  return static_cast<std::uint16_t>(kPageHeaderSize + (n.value() - 1u) * sizeof(LinePointer));
}

inline BlockTag main_tag(const HeapTable& table, BlockNumber block) { return {table.file, Fork::main, block}; }

template <class T>
std::span<const std::byte> bytes_of(const T& value) { return std::as_bytes(std::span<const T, 1>(&value, 1)); }

// Adds the edits that put row versions into a page: chooses their lines, formats a new page.
class RowPlacer {
 public:
  // base: xid_base for a page that is formatted here.
  RowPlacer(PageView page, wal::PageEdit& edit, std::uint64_t base);
  // The line the next row gets.
  OffsetNumber next_line();
  bool has_room(std::size_t size) const;
  // Puts a row into next_line(). like: a row version on the page (kInvalidOffset = none) whose data the new one mostly repeats
  // after its header of `head` bytes.
  void add(std::span<const std::byte> row, OffsetNumber like = kInvalidOffset, std::uint16_t head = 0);
  // Writes page flags that have changed.
  void finish(std::uint16_t set_flags, std::uint16_t clear_flags);
  std::uint64_t base() const { return base_; }

 private:
  PageView page_;
  wal::PageEdit& edit_;
  std::uint64_t base_;
  std::uint16_t lower_, upper_, flags_;      // as they will be
  std::uint16_t old_flags_;
  std::uint16_t old_lines_, new_lines_;      // lines of the page as it is; added here
  std::uint16_t reuse_from_ = 1;             // unused lines are searched from here
};

}  // namespace hathi::heap
