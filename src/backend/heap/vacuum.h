#pragma once
// The parts of a vacuum. Private to heap/.

#include "dead_items.h"
#include "visibility.h"

namespace hathi::heap {

struct VacuumRun {
  const HeapTable& table;
  std::span<IndexCleaner* const> indexes;
  const VacuumOptions& options;
  VacuumStatistics statistics;
  Xid horizon, freeze_limit;
  bool aggressive;                       // freezes what it can: skips only pages that are frozen already
  bool skipped_unfrozen = false;         // so the oldest xid left is not known
  BlockNumber blocks{0}, used_end{0};    // used_end: behind the last page with rows
  buffer::Ring* ring = nullptr;
  DeadItems dead;
  std::size_t dead_pages = 0;
  std::uint64_t dead_total = 0;
  bool did_index_pass = false;
};

// A page's rows: what freezing changes and whether everybody sees everything. Content lock held, exclusive.
struct PageSurvey {
  struct RowEdit { std::uint16_t position; std::uint16_t infomask; bool clear_xmax; };
  bool all_visible = true, all_frozen = true;
  int live = 0, dead_kept = 0;
  bool has_rows = false;
  std::vector<OffsetNumber> dead_lines;
  std::vector<RowEdit> freezes;
  Hints hints;
};
// oldest_kept is lowered to the oldest xid that stays on the page.
void survey_page(const HeapTable& table, PageView page, Xid horizon, Xid freeze_limit, Xid& oldest_kept, PageSurvey& survey);

// The second pass: dead line pointers of a page become unused.
void free_dead_lines(VacuumRun& run, BlockNumber block, std::span<const OffsetNumber> lines);
// Cuts empty pages off the end of the file, unless somebody wants the table meanwhile.
void truncate_end(VacuumRun& run);
// Sleeps as vacuum_cost_delay says after `pages` pages.
void vacuum_delay(int pages);

}  // namespace hathi::heap
