#pragma once
// Pages and entries of B-tree indexes. Private to btree/.
//
// Special space of every page but the metapage's contents (16 bytes at the end):
//   offset size field
//        0    4 previous   left sibling, 0 = none
//        4    4 next       right sibling, 0 = none
//        8    4 level      0 = leaf
//       12    2 flags
//       14    2 unused
// Line 1 of a page that is not rightmost is its high key: no entry of the page is greater. On inner pages the first entry after it
// has no columns (less than everything).
// The header's xid_base: of a deleted page the xid from which on nobody can still be on the way to it; of other pages of relations
// that are not logged a number that every change raises (logged pages have their LSN).
//
// The metapage (block 0), from byte 40: magic, version, root block (0 = none), root level.
//
// An entry:
//   offset size field
//        0    4 block      of the row; pivots: of the child page; posting lists: where in the entry the list begins
//        4    2 offset     of the row; pivots: columns (0-11), kPivotHasRow; posting lists: rows (0-11), kIsPosting
//        6    2 info       size (0-12), kAlternative: pivot or posting list, kHasVarwidth, kHasNulls
//        8    4 null bitmap, with kHasNulls; then the columns from the next multiple of 8
// A pivot with kPivotHasRow ends with a row position (block 4, offset 2, 2 unused).

#include <cstring>
#include <vector>

#include "hathi/btree/btree.h"
#include "hathi/error/sql_error.h"
#include "hathi/wal/page_edit.h"

namespace hathi::btree {

inline constexpr std::uint16_t kSpecialSize = 16;
struct Special {
  std::uint32_t previous, next, level;
  std::uint16_t flags, unused;
};
static_assert(sizeof(Special) == kSpecialSize);

inline constexpr std::uint16_t kLeaf = 1, kRoot = 2, kDeleted = 4, kMeta = 8, kIncompleteSplit = 16, kHasDead = 32;

struct Meta {
  std::uint32_t magic, version, root, level;
};
inline constexpr std::uint16_t kMetaPosition = 40;
inline constexpr std::uint32_t kMagic = 0x48425431, kVersion = 4;
inline constexpr BlockNumber kMetaBlock{0};
inline constexpr std::uint32_t kNoBlock = 0;

inline constexpr std::uint16_t kSizeMask = 0x1FFF, kAlternative = 0x2000, kHasVarwidth = 0x4000, kHasNulls = 0x8000;
inline constexpr std::uint16_t kCountMask = 0x0FFF, kPivotHasRow = 0x1000, kIsPosting = 0x2000;

struct EntryHeader {
  std::uint16_t block_low, block_high, offset, info;
  std::uint32_t block() const { return block_low | (static_cast<std::uint32_t>(block_high) << 16); }
  void set_block(std::uint32_t b) {
    block_low = static_cast<std::uint16_t>(b);
    block_high = static_cast<std::uint16_t>(b >> 16);
  }
};
static_assert(sizeof(EntryHeader) == 8);

// The largest leaf entry, so that three fit a page (pivots may be 8 bytes longer); PostgreSQL's number.
inline constexpr std::size_t kMaxEntrySize = 2704;
inline constexpr std::size_t kEntryBuffer = kMaxEntrySize + 16;
inline constexpr int kMaxColumns = 32;
inline constexpr int kMaxLevels = 32;
// Row positions on one leaf page at most (posting lists pack six bytes a row).
inline constexpr int kMaxRowsOfPage = static_cast<int>((kPageSize - kPageHeaderSize - kSpecialSize) / 6);

// --- entries --------------------------------------------------------------------------------------------------------------
inline const EntryHeader& entry_header(const std::byte* e) { return *reinterpret_cast<const EntryHeader*>(e); }
inline EntryHeader& entry_header(std::byte* e) { return *reinterpret_cast<EntryHeader*>(e); }
inline std::size_t entry_size(const std::byte* e) { return entry_header(e).info & kSizeMask; }
inline bool is_pivot(const std::byte* e) {
  return (entry_header(e).info & kAlternative) != 0 && (entry_header(e).offset & kIsPosting) == 0;
}
inline bool is_posting(const std::byte* e) {
  return (entry_header(e).info & kAlternative) != 0 && (entry_header(e).offset & kIsPosting) != 0;
}
inline TupleId read_tid(const std::byte* p) {
  std::uint16_t w[3];
  std::memcpy(w, p, 6);
  return {BlockNumber{w[0] | (static_cast<std::uint32_t>(w[1]) << 16)}, OffsetNumber{w[2]}};
}
inline void write_tid(std::byte* p, TupleId tid) {
  std::uint16_t w[3] = {static_cast<std::uint16_t>(tid.block.value()), static_cast<std::uint16_t>(tid.block.value() >> 16),
                        tid.offset.value()};
  std::memcpy(p, w, 6);
}
inline int posting_count(const std::byte* e) { return entry_header(e).offset & kCountMask; }
inline TupleId posting_tid(const std::byte* e, int i) { return read_tid(e + entry_header(e).block() + static_cast<std::size_t>(i) * 6); }
// Rows of a leaf entry: 1, or a posting list's.
inline int row_count(const std::byte* e) { return is_posting(e) ? posting_count(e) : 1; }
inline TupleId entry_tid(const std::byte* e, int i = 0) { return is_posting(e) ? posting_tid(e, i) : read_tid(e); }
inline TupleId last_tid(const std::byte* e) { return entry_tid(e, row_count(e) - 1); }
// Columns present: all for leaf entries.
inline int entry_columns(const std::byte* e, const BTreeIndex& index) {
  return is_pivot(e) ? entry_header(e).offset & kCountMask : index.descriptor->count();
}
// A pivot's row position; invalid when it has none.
inline TupleId pivot_tid(const std::byte* e) {
  return (entry_header(e).offset & kPivotHasRow) != 0 ? read_tid(e + entry_size(e) - 8) : TupleId{};
}
inline std::uint32_t child_block(const std::byte* e) { return entry_header(e).block(); }
inline const std::byte* entry_bitmap(const std::byte* e) {
  return (entry_header(e).info & kHasNulls) != 0 ? e + sizeof(EntryHeader) : nullptr;
}
inline const std::byte* entry_data(const std::byte* e) { return e + ((entry_header(e).info & kHasNulls) != 0 ? 16 : 8); }

// --- pages ----------------------------------------------------------------------------------------------------------------
inline Special& special(PageView page) { return *reinterpret_cast<Special*>(page.special()); }
inline bool has_flag(PageView page, std::uint16_t flag) { return (special(page).flags & flag) != 0; }
inline bool is_leaf(PageView page) { return has_flag(page, kLeaf); }
inline bool is_rightmost(PageView page) { return special(page).next == kNoBlock; }
inline bool is_leftmost(PageView page) { return special(page).previous == kNoBlock; }
// The first line that is an entry, not the high key.
inline std::uint16_t first_line(PageView page) { return is_rightmost(page) ? 1 : 2; }
inline const std::byte* entry_at(PageView page, std::uint16_t line) { return page.item(OffsetNumber{line}); }
inline const std::byte* high_key(PageView page) { return entry_at(page, 1); }
inline std::uint16_t line_position(std::uint16_t line) {
  return static_cast<std::uint16_t>(kPageHeaderSize + (line - 1u) * sizeof(LinePointer));
}
inline std::uint16_t special_position(std::size_t field) { return static_cast<std::uint16_t>(kPageSize - kSpecialSize + field); }
inline bool is_dead(PageView page, std::uint16_t line) { return page.line(OffsetNumber{line}).state() == LinePointer::State::dead; }
inline std::size_t room(PageView page) { return page.hole() < sizeof(LinePointer) ? 0 : page.hole() - sizeof(LinePointer); }
// Tells whether a page has changed: see the top.
inline std::uint64_t page_stamp(const BTreeIndex& index, PageView page) {
  return index.logged() ? page.header().lsn.value() : page.header().xid_base;
}

// Operation numbers of ResourceManager::btree.
enum class BTreeOperation : std::uint8_t {
  create = 0,
  insert_leaf = 1,
  insert_inner = 2,
  split = 3,
  new_root = 4,
  delete_dead = 5,
  deduplicate = 6,
  vacuum = 7,
  delete_page = 8,
  build = 9
};

// A Change whose pages get their change number raised when the relation is not logged.
class IndexChange {
 public:
  IndexChange(const BTreeIndex& index, BTreeOperation operation)
      : change_(wal::ResourceManager::btree, static_cast<std::uint8_t>(operation), index.logged()), logged_(index.logged()) {}
  wal::PageEdit& page(buffer::PinnedBuffer& pin) {
    wal::PageEdit& edit = change_.page(pin);
    if (!logged_) raise(pin.page(), edit);
    return edit;
  }
  // A page that is formatted from nothing.
  wal::PageEdit& new_page(buffer::PinnedBuffer& pin, const Special& s) {
    wal::PageEdit& edit = change_.page(pin);
    std::uint64_t number = pin.page().header().xid_base + 1;
    edit.init(kSpecialSize);
    edit.write_value(special_position(0), s);
    if (!logged_) edit.write_value(offsetof(PageHeader, xid_base), number);
    return edit;
  }
  void apply() { change_.apply(); }

 private:
  static void raise(PageView page, wal::PageEdit& edit) {
    std::uint64_t number = page.header().xid_base + 1;
    edit.write_value(offsetof(PageHeader, xid_base), number);
  }
  wal::Change change_;
  bool logged_;
};

// The edits that insert an entry as line `line`, those from there on moving up by one. The page must have room.
void insert_edits(PageView page, wal::PageEdit& edit, std::uint16_t line, std::span<const std::byte> entry);
// The edits that take the given lines (rising) away and pack the page.
void delete_edits(PageView page, wal::PageEdit& edit, std::span<const std::uint16_t> lines);

inline BlockTag block_tag(const BTreeIndex& index, std::uint32_t block) { return {index.file, Fork::main, BlockNumber{block}}; }
[[noreturn]] void throw_corrupted(const BTreeIndex& index, std::uint32_t block, const char* what);

}  // namespace hathi::btree
