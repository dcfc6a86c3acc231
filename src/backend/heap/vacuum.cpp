#include "page_check.h"
#include "vacuum.h"

#include <algorithm>
#include <ctime>

#include "hathi/config/settings.h"
#include "hathi/heap/free_space.h"
#include "prune.h"
#include "visibility_map.h"

namespace hathi::heap {

namespace {

// Shorter runs of pages that need no visit are read all the same: the kernel's read-ahead works better, and more gets known.
constexpr std::uint32_t kWorthSkipping = 32;

// Which pages may be left out. The last one is always looked at (it may be cut off).
BlockNumber end_of_skippable(VacuumRun& run, BlockNumber from, buffer::PinnedBuffer& map_pin, bool& skips_unfrozen) {
  BlockNumber at = from;
  skips_unfrozen = false;
  if (run.options.disable_page_skipping) return at;
  while (at + 1 < run.blocks) {
    std::uint8_t bits = visibility_bits(run.table.file, at, map_pin);
    bool skippable = run.aggressive ? (bits & kFrozen) != 0 : (bits & kVisible) != 0;
    if (!skippable) break;
    if ((bits & kFrozen) == 0) skips_unfrozen = true;
    ++at;
  }
  return at;
}

void index_pass(VacuumRun& run) {
  const DeadItems& dead = run.dead;
  for (IndexCleaner* index : run.indexes) index->remove_entries([&dead](TupleId tid) { return dead.contains(tid); });
  run.did_index_pass = true;
}

void heap_pass(VacuumRun& run) {
  for (std::size_t i = 0; i < run.dead.block_count(); ++i) {
    check_interrupts();
    free_dead_lines(run, run.dead.block(i), run.dead.offsets_of(i));
    vacuum_delay(1);
  }
  run.dead.clear();
}

// Freezes what the survey says and marks the page in the map.
void apply_survey(VacuumRun& run, buffer::PinnedBuffer& pin, buffer::PinnedBuffer& map_pin, const PageSurvey& survey) {
  PageView page = pin.page();
  std::uint8_t wanted = survey.all_visible ? (survey.all_frozen ? kVisible | kFrozen : kVisible) : 0;
  std::uint8_t present = visibility_bits(run.table.file, pin.block(), map_pin);
  bool mark = survey.all_visible && ((wanted & ~present) != 0 || (page.header().flags & kPageAllVisible) == 0);
  if (survey.freezes.empty() && !mark) {
    if (survey.hints.set) pin.mark_dirty_hint();
    return;
  }
  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::freeze), run.table.logged());
  wal::PageEdit& edit = change.page(pin);
  for (const PageSurvey::RowEdit& e : survey.freezes) {
    edit.write_value(static_cast<std::uint16_t>(e.position + offsetof(HeapTupleHeader, infomask)), e.infomask);
    if (e.clear_xmax) edit.zero(static_cast<std::uint16_t>(e.position + offsetof(HeapTupleHeader, xmax)), 4);
  }
  MapEdit map;
  if (mark) {
    auto flags = static_cast<std::uint16_t>(page.header().flags | kPageAllVisible);
    edit.write_value(offsetof(PageHeader, flags), flags);
    map.add(change, map_pin, pin.block(), wanted);
  }
  change.apply();
}

void count_page(VacuumRun& run, const PageSurvey& survey, BlockNumber block) {
  run.statistics.rows_live += static_cast<std::uint64_t>(survey.live);
  run.statistics.rows_dead_kept += static_cast<std::uint64_t>(survey.dead_kept);
  if (survey.all_visible) ++run.statistics.pages_all_visible;
  if (survey.has_rows) run.used_end = block + 1;
}

// A page somebody else has pinned, and which need not be frozen: only what can be seen without moving anything.
void visit_shared(VacuumRun& run, buffer::PinnedBuffer& pin) {
  pin.lock(locking::LwMode::shared);
  PageSurvey survey;
  survey_page(run.table, pin.page(), run.horizon, kInvalidXid, run.statistics.oldest_kept, survey);
  if (survey.hints.set) pin.mark_dirty_hint();
  std::size_t room = room_for_row(pin.page());
  BlockNumber block = pin.block();
  pin.release();
  count_page(run, survey, block);
  if (!run.indexes.empty()) {
    run.dead.add(block, survey.dead_lines);
    run.dead_total += survey.dead_lines.size();
    run.dead_pages += survey.dead_lines.empty() ? 0 : 1;
  }
  record_free_space(run.table.file, block, room);
}

void visit_page(VacuumRun& run, BlockNumber block, buffer::PinnedBuffer& map_pin) {
  if (!map_page_covers(map_pin, run.table.file, block)) map_pin = pin_map_page(run.table.file, block);
  buffer::PinnedBuffer pin = read_page(run.table, block, run.ring);
  if (!pin.try_lock_for_cleanup()) {
    if (!run.aggressive) return visit_shared(run, pin);
    pin.lock_for_cleanup();
  }
  PageView page = pin.page();
  if (page.is_new()) {
    pin.release();
    record_free_space(run.table.file, block, kPageSize);
    return;
  }
  run.statistics.rows_removed += static_cast<std::uint64_t>(prune_page(run.table, pin, run.horizon).removed);
  PageSurvey survey;
  survey_page(run.table, page, run.horizon, run.freeze_limit, run.statistics.oldest_kept, survey);
  apply_survey(run, pin, map_pin, survey);
  std::size_t room = room_for_row(page);
  pin.release();
  count_page(run, survey, block);
  if (survey.dead_lines.empty()) {
    record_free_space(run.table.file, block, room);
    return;
  }
  run.dead_total += survey.dead_lines.size();
  ++run.dead_pages;
  if (run.indexes.empty()) {
    free_dead_lines(run, block, survey.dead_lines);   // no index points at them
    return;
  }
  run.dead.add(block, survey.dead_lines);
  record_free_space(run.table.file, block, room);
}

void estimate_rows(VacuumRun& run) {
  VacuumStatistics& s = run.statistics;
  auto live = static_cast<double>(s.rows_live);
  double total = run.blocks.value(), scanned = static_cast<double>(s.pages_scanned);
  s.rows_estimated = live;
  if (scanned >= total) return;
  const VacuumOptions& o = run.options;
  if (o.old_rows < 0 || o.old_pages == 0) {
    s.rows_estimated = scanned == 0 ? o.old_rows : live / scanned * total;
    return;
  }
  // Too small a sample of an unchanged table would make the estimate wander.
  if (scanned == 0 || (o.old_pages == run.blocks.value() && scanned < total * 0.02)) {
    s.rows_estimated = o.old_rows;
    return;
  }
  s.rows_estimated = o.old_rows / o.old_pages * (total - scanned) + live;
}

// Going through all indexes for a handful of entries does not pay: they wait for the next vacuum.
bool may_bypass_indexes(const VacuumRun& run) {
  if (run.did_index_pass || run.options.force_index_cleanup) return false;
  return run.dead_pages < run.blocks.value() * 0.02 && run.dead_total < 32u * 1024 * 1024 / 6;
}

void scan_table(VacuumRun& run) {
  buffer::PinnedBuffer map_pin;
  BlockNumber block{0};
  while (block < run.blocks) {
    bool skips_unfrozen = false;
    BlockNumber end = end_of_skippable(run, block, map_pin, skips_unfrozen);
    if (end.value() - block.value() >= kWorthSkipping) {
      run.skipped_unfrozen = run.skipped_unfrozen || skips_unfrozen;
      block = end;
      continue;
    }
    BlockNumber stop = std::max(end, block + 1);
    for (; block < stop; ++block) {
      check_interrupts();
      if (!run.indexes.empty() && run.options.index_cleanup && run.dead.is_full(kMaxRowsPerPage)) {
        map_pin.release();
        index_pass(run);
        heap_pass(run);
      }
      visit_page(run, block, map_pin);
      ++run.statistics.pages_scanned;
      vacuum_delay(1);
    }
  }
}

}  // namespace

void vacuum_delay(int pages) {
  static int balance = 0;
  int delay = config::values::vacuum_cost_delay;
  if (delay <= 0) return;
  balance += 2 * pages;   // between a page found in the pool and one read
  if (balance < config::values::vacuum_cost_limit) return;
  balance = 0;
  timespec pause{delay / 1000, delay % 1000 * 1000000L};
  nanosleep(&pause, nullptr);
}

VacuumStatistics vacuum(const HeapTable& table, std::span<IndexCleaner* const> indexes, const VacuumOptions& options) {
  Xid horizon = table_horizon(table);
  std::uint64_t age = options.freeze ? 0 : options.freeze_min_age;
  Xid freeze_limit{horizon.value() > age + kFirstNormalXid.value() ? horizon.value() - age : kFirstNormalXid.value()};
  VacuumRun run{table, indexes, options, {}, horizon, freeze_limit, options.freeze || options.disable_page_skipping, false,
                buffer::block_count(table.file, Fork::main), BlockNumber{0}, nullptr,
                DeadItems(static_cast<std::size_t>(config::values::maintenance_work_mem) * 1024), 0, 0, false};
  run.statistics.oldest_kept = horizon;
  run.ring = buffer::make_ring(buffer::RingKind::vacuum);
  ScopeExit free_ring([&] { if (run.ring != nullptr) buffer::free_ring(run.ring); });
  scan_table(run);
  if (!indexes.empty() && options.index_cleanup) {
    if (run.dead.count() > 0 && !may_bypass_indexes(run)) {
      index_pass(run);
      heap_pass(run);
    }
    for (IndexCleaner* index : indexes) index->finish();
  }
  run.statistics.pages = run.blocks.value();
  estimate_rows(run);
  if (run.skipped_unfrozen) run.statistics.oldest_kept = kInvalidXid;
  if (options.truncate) truncate_end(run);
  return run.statistics;
}

}  // namespace hathi::heap
