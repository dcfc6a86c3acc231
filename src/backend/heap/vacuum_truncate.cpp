#include <ctime>
#include <vector>

#include "page_check.h"
#include "hathi/error/report.h"
#include "hathi/heap/free_space.h"
#include "hathi/heap/truncation.h"
#include "hathi/locking/subtrees.h"
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

ExtraLockTagsHook extra_lock_tags = nullptr;

using Tags = std::vector<locking::LockTag>;   // the table's own, then the subtrees it belongs to

void release_locks(const Tags& tags, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) locking::release(transaction::owner(), tags[i], LockMode::access_exclusive);
}

bool try_locks(const Tags& tags) {
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (locking::acquire(transaction::owner(), tags[i], LockMode::access_exclusive, true) != locking::LockResult::not_available) continue;
    release_locks(tags, i);
    return false;
  }
  return true;
}

bool take_locks(const Tags& tags) {
  for (int i = 0; i < kTries; ++i) {
    if (try_locks(tags)) return true;
    check_interrupts();
    timespec pause{0, kPauseMs * 1000000L};
    nanosleep(&pause, nullptr);
  }
  return false;
}

bool is_empty_page(VacuumRun& run, BlockNumber block) {
  buffer::PinnedBuffer pin = read_page(run.table, block, run.ring);
  pin.lock(locking::LwMode::shared);
  PageView page = pin.page();
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    if (page.line(OffsetNumber{i}).state() != LinePointer::State::unused) return false;
  }
  return true;
}

// Rows may have come since the scan. gave_way: somebody waits for the table.
BlockNumber find_end(VacuumRun& run, const Tags& tags, bool& gave_way) {
  BlockNumber end = run.blocks;
  std::uint32_t since_check = 0;
  while (end > run.used_end) {
    if (++since_check >= kCheckWaitersEvery) {
      since_check = 0;
      if (locking::has_waiters(tags, LockMode::access_exclusive)) {
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

void set_extra_lock_tags(ExtraLockTagsHook hook) { extra_lock_tags = hook; }

void truncate_end(VacuumRun& run) {
  std::uint32_t possible = run.blocks.value() - run.used_end.value();
  if (possible == 0 || (possible < kWorthCutting && possible < run.blocks.value() / kWorthFraction)) return;
  Tags tags{locking::LockTag::relation_tag(run.table.file.database, run.table.oid)};
  if (extra_lock_tags != nullptr) {
    Tags extra = extra_lock_tags(run.table.oid);
    tags.insert(tags.end(), extra.begin(), extra.end());
  }
  if (!take_locks(tags)) {
    log_message("\"{}\": stopping truncate due to conflicting lock request", run.table.name);
    return;
  }
  ScopeExit unlock([&] { release_locks(tags, tags.size()); });
  if (buffer::block_count(run.table.file, Fork::main) != run.blocks) return;   // it has grown: the end is in use
  bool gave_way = false;
  BlockNumber end = find_end(run, tags, gave_way);
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
