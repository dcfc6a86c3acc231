#include <ctime>

#include "hathi/error/report.h"
#include "hathi/heap/free_space.h"
#include "hathi/locking/lock_table.h"
#include "relation_hints.h"
#include "vacuum.h"
#include "visibility_map.h"

namespace hathi::heap {

namespace {

using locking::LockMode;

// Cutting needs everybody out: only for a gain worth it.
constexpr std::uint32_t kWorthCutting = 1000, kWorthFraction = 16;
constexpr int kTries = 100, kPauseMs = 50;
constexpr std::uint32_t kCheckWaitersEvery = 32;

bool take_lock(const locking::LockTag& tag) {
  for (int i = 0; i < kTries; ++i) {
    if (locking::acquire(transaction::owner(), tag, LockMode::access_exclusive, true) != locking::LockResult::not_available) return true;
    check_interrupts();
    timespec pause{0, kPauseMs * 1000000L};
    nanosleep(&pause, nullptr);
  }
  return false;
}

bool is_empty_page(VacuumRun& run, BlockNumber block) {
  buffer::PinnedBuffer pin = buffer::read(main_tag(run.table, block), buffer::ReadMode::normal, run.ring);
  pin.lock(locking::LwMode::shared);
  PageView page = pin.page();
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    if (page.line(OffsetNumber{i}).state() != LinePointer::State::unused) return false;
  }
  return true;
}

// Rows may have come since the scan. gave_way: somebody waits for the table.
BlockNumber find_end(VacuumRun& run, const locking::LockTag& tag, bool& gave_way) {
  BlockNumber end = run.blocks;
  std::uint32_t since_check = 0;
  while (end > run.used_end) {
    if (++since_check >= kCheckWaitersEvery) {
      since_check = 0;
      if (locking::has_waiters(tag, LockMode::access_exclusive)) {
        gave_way = true;
        break;
      }
    }
    check_interrupts();
    if (!is_empty_page(run, end - 1)) break;
    --end;
  }
  return end;
}

// The map must not speak of pages that are gone: when the table grows again they will be others.
void clear_map_from(const HeapTable& table, BlockNumber from, BlockNumber to) {
  buffer::PinnedBuffer pin;
  for (BlockNumber block = from; block < to; ++block) {
    if (visibility_bits(table.file, block, pin) == 0) continue;
    wal::Change change(wal::ResourceManager::visibility, 0, table.logged());
    MapEdit map;
    map.add(change, pin, block, 0);
    change.apply();
  }
}

}  // namespace

void truncate_end(VacuumRun& run) {
  std::uint32_t possible = run.blocks.value() - run.used_end.value();
  if (possible == 0 || (possible < kWorthCutting && possible < run.blocks.value() / kWorthFraction)) return;
  locking::LockTag tag = locking::LockTag::relation_tag(run.table.file.database, run.table.oid);
  if (!take_lock(tag)) {
    log_message("\"{}\": stopping truncate due to conflicting lock request", run.table.name);
    return;
  }
  ScopeExit unlock([&] { locking::release(transaction::owner(), tag, LockMode::access_exclusive); });
  if (buffer::block_count(run.table.file, Fork::main) != run.blocks) return;   // it has grown: the end is in use
  bool gave_way = false;
  BlockNumber end = find_end(run, tag, gave_way);
  if (gave_way) log_message("table \"{}\": suspending truncate due to conflicting lock request", run.table.name);
  if (end >= run.blocks) return;
  clear_map_from(run.table, end, run.blocks);
  truncate_free_space(run.table.file, end);
  storage::truncate_storage_now(run.table.file, end);
  RelationHints& hints = relation_hints(run.table.file);
  hints.target = kInvalidBlock;
  hints.batch_end = BlockNumber{0};
  run.statistics.pages_removed = run.blocks.value() - end.value();
  run.statistics.pages = end.value();
}

}  // namespace hathi::heap
