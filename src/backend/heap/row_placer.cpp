#include "heap_page.h"

namespace hathi::heap {

RowPlacer::RowPlacer(PageView page, wal::PageEdit& edit, std::uint64_t base) : page_(page), edit_(edit), base_(base), new_lines_(0) {
  if (page.is_new()) {
    edit.init(0);
    if (base != 0) edit.write_value(offsetof(PageHeader, xid_base), base_);
    lower_ = kPageHeaderSize;
    upper_ = kPageSize;
    old_flags_ = flags_ = 0;
    old_lines_ = 0;
    return;
  }
  lower_ = page.header().lower;
  upper_ = page.header().upper;
  old_flags_ = flags_ = page.header().flags;
  base_ = page.header().xid_base;
  old_lines_ = page.line_count();
}

bool RowPlacer::has_room(std::size_t size) const {
  if (old_lines_ + new_lines_ >= kMaxRowsPerPage) return false;
  return static_cast<std::size_t>(upper_ - lower_) >= align8(size) + sizeof(LinePointer);
}

OffsetNumber RowPlacer::next_line() {
  if ((flags_ & kPageHasFreeLines) != 0) {
    for (; reuse_from_ <= old_lines_; ++reuse_from_) {
      if (page_.line(OffsetNumber{reuse_from_}).state() == LinePointer::State::unused) return OffsetNumber{reuse_from_};
    }
    flags_ &= static_cast<std::uint16_t>(~kPageHasFreeLines);
  }
  return OffsetNumber{static_cast<std::uint16_t>(old_lines_ + new_lines_ + 1)};
}

void RowPlacer::add(std::span<const std::byte> row, OffsetNumber like, std::uint16_t head) {
  OffsetNumber line = next_line();
  if (line.value() > old_lines_) {
    ++new_lines_;
    lower_ = static_cast<std::uint16_t>(lower_ + sizeof(LinePointer));
  } else {
    ++reuse_from_;
  }
  upper_ = static_cast<std::uint16_t>(upper_ - align8(row.size()));
  HATHI_ASSERT(lower_ <= upper_ && old_lines_ + new_lines_ <= kMaxRowsPerPage);
  if (like != kInvalidOffset) {
    edit_.add_item_like(line, row, like, head);
  } else {
    edit_.add_item(line, row);
  }
}

void RowPlacer::finish(std::uint16_t set_flags, std::uint16_t clear_flags) {
  auto flags = static_cast<std::uint16_t>((flags_ | set_flags) & ~clear_flags);
  if (flags != old_flags_) edit_.write_value(offsetof(PageHeader, flags), flags);
}

}  // namespace hathi::heap
