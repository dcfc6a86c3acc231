#include "btree_page.h"

namespace hathi::btree {

void insert_edits(PageView page, wal::PageEdit& edit, std::uint16_t line, std::span<const std::byte> entry) {
  std::uint16_t count = page.line_count();
  if (line <= count) {
    edit.move(line_position(static_cast<std::uint16_t>(line + 1)), line_position(line),
              static_cast<std::uint16_t>((count - line + 1) * sizeof(LinePointer)));
    auto lower = static_cast<std::uint16_t>(page.header().lower + sizeof(LinePointer));
    edit.write_value(offsetof(PageHeader, lower), lower);
  }
  edit.add_item(OffsetNumber{line}, entry);
}

void delete_edits(PageView page, wal::PageEdit& edit, std::span<const std::uint16_t> lines) {
  std::uint16_t count = page.line_count(), to = lines[0];
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto from = static_cast<std::uint16_t>(lines[i] + 1);
    std::uint16_t end = i + 1 < lines.size() ? lines[i + 1] : static_cast<std::uint16_t>(count + 1);
    if (end > from) {
      edit.move(line_position(to), line_position(from), static_cast<std::uint16_t>((end - from) * sizeof(LinePointer)));
      to = static_cast<std::uint16_t>(to + (end - from));
    }
  }
  std::uint16_t lower = line_position(to);
  edit.write_value(offsetof(PageHeader, lower), lower);
  edit.compact();
}

void throw_corrupted(const BTreeIndex& index, std::uint32_t block, const char* what) {
  throw SqlError(sqlstate::index_corrupted, "index \"{}\" contains {} at block {}", index.name, what, block).hint("Please REINDEX it.");
}

}  // namespace hathi::btree
