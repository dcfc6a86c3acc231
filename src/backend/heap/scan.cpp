#include "page_check.h"
#include "prune.h"
#include "relation_hints.h"
#include "hathi/statistics/counters.h"

namespace hathi::heap {

using transaction::Snapshot;

// One content lock a page: the visible lines are collected under it, the rows are then handed out on the pin alone.
struct Scan::State {
  const HeapTable* table = nullptr;
  const Snapshot* snapshot = nullptr;
  buffer::Ring* ring = nullptr;
  buffer::PinnedBuffer pin;
  BlockNumber blocks{0};
  BlockNumber block = kInvalidBlock;     // the current one; kInvalidBlock before the first and after the last
  int found = 0;                         // visible lines of the current block
  int next = 0;                          // index of the one to hand out next (forward)
  bool bitmap = false;                   // in open_block() mode
  bool counted = false;                  // as a scan, in the statistics
  std::uint16_t lines[kMaxRowsPerPage];
  State* next_free = nullptr;
};

namespace {

// Scans are opened all the time: their states are kept for the next.
constexpr int kMaxFree = 16;

}  // namespace

namespace {

// Collects the lines the snapshot sees. The page is share-locked.
int collect(PageView page, const Snapshot& snapshot, Hints& hints, std::uint16_t* lines) {
  std::uint16_t count = page.line_count();
  int found = 0;
  if (snapshot.kind == Snapshot::Kind::mvcc && !page.is_new() && (page.header().flags & kPageAllVisible) != 0) {
    for (std::uint16_t i = 1; i <= count; ++i) {
      lines[found] = i;
      found += page.line(OffsetNumber{i}).state() == LinePointer::State::normal ? 1 : 0;
    }
    return found;
  }
  if (snapshot.kind == Snapshot::Kind::mvcc) {
    // Inserters at a distance below this had finished before the snapshot: with both hints set nothing more needs asking.
    std::uint64_t base = page.header().xid_base, distance = snapshot.xmin.value() > base ? snapshot.xmin.value() - base : 3;
    auto limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(distance, 0xFFFFFFFFu));
    constexpr std::uint16_t kSettled = infomask::xmin_committed | infomask::xmax_invalid;
    for (std::uint16_t i = 1; i <= count; ++i) {
      LinePointer lp = page.line(OffsetNumber{i});
      if (lp.state() != LinePointer::State::normal) continue;
      auto* h = reinterpret_cast<HeapTupleHeader*>(page.bytes() + lp.offset());
      bool sees = ((h->infomask & kSettled) == kSettled && h->xmin < limit) || visible_mvcc(page, h, snapshot, hints);
      lines[found] = i;
      found += sees ? 1 : 0;
    }
    return found;
  }
  for (std::uint16_t i = 1; i <= count; ++i) {
    if (page.line(OffsetNumber{i}).state() != LinePointer::State::normal) continue;
    if (visible(page, row_header(page, OffsetNumber{i}), snapshot, hints)) lines[found++] = i;
  }
  return found;
}

// A bitmap's offsets name roots of HOT chains: finds the version of each that the snapshot sees.
int collect_chains(const HeapTable& table, buffer::PinnedBuffer& pin, const Snapshot& snapshot, std::span<const OffsetNumber> offsets,
                   Hints& hints, std::uint16_t* lines) {
  PageView page = pin.page();
  std::uint16_t count = page.line_count();
  int found = 0;
  for (OffsetNumber root : offsets) {
    std::uint16_t at = root.value();
    Xid previous_xmax{0};
    for (int steps = 0; at >= 1 && at <= count && steps <= kMaxRowsPerPage; ++steps) {
      LinePointer lp = page.line(OffsetNumber{at});
      if (lp.state() == LinePointer::State::redirect && steps == 0) {
        at = lp.offset();
        continue;
      }
      if (lp.state() != LinePointer::State::normal) break;
      HeapTupleHeader* h = row_header(page, OffsetNumber{at});
      if (at == root.value() ? has_flag2(h, infomask::heap_only) : !has_flag2(h, infomask::heap_only)) break;
      if (!made_by(page, h, previous_xmax)) break;
      if (visible(page, h, snapshot, hints)) {
        if (found < kMaxRowsPerPage) lines[found++] = at;
        break;
      }
      if (!has_flag2(h, infomask::hot_updated) || has_flag(h, infomask::xmax_invalid)) break;
      previous_xmax = updating_xid(page, h);
      at = h->ctid().offset.value();
    }
  }
  return found;
}

}  // namespace

struct ScanStates {
  static inline Scan::State* free_list = nullptr;
  static inline int free_count = 0;

  static Scan::State* take() {
    if (free_list == nullptr) return new Scan::State;
    Scan::State* s = free_list;
    free_list = s->next_free;
    --free_count;
    return s;
  }
  static void give_back(Scan::State* s) {
    if (free_count >= kMaxFree) {
      delete s;
      return;
    }
    s->next_free = free_list;
    free_list = s;
    ++free_count;
  }
  // Reads the current block's visible lines.
  static void load(Scan::State& s) {
    s.pin = read_page(*s.table, s.block, s.ring);
    prune_if_useful(*s.table, s.pin);
    under_lock(s, [&](Hints& hints) { s.found = collect(s.pin.page(), *s.snapshot, hints, s.lines); });
  }
  // Runs f with the page share-locked. The pin outlives an error, its lock must not: the transaction's abort lets go of all locks.
  template <class F>
  static void under_lock(Scan::State& s, F f) {
    s.pin.lock(locking::LwMode::shared);
    try {
      Hints hints;
      f(hints);
      if (hints.set) s.pin.mark_dirty_hint();
    } catch (...) {
      s.pin.release();
      throw;
    }
    s.pin.unlock();
  }
  static void hand_out(const Scan::State& s, int index, HeapTuple& out) {
    PageView page = s.pin.page();
    OffsetNumber line{s.lines[index]};
    copy_out(page, page.line(line), {s.block, line}, s.table->oid, out);
  }
};

Scan::Scan(const HeapTable& table, const Snapshot& snapshot, ScanRing ring) : state_(ScanStates::take()) {
  State& s = *state_;
  s.table = &table;
  s.snapshot = &snapshot;
  s.ring = nullptr;
  s.bitmap = false;
  s.blocks = buffer::block_count(table.file, Fork::main);
  bool is_large = s.blocks.value() > static_cast<std::uint32_t>(buffer::pool_buffer_count()) / 4;
  if (ring == ScanRing::always || (is_large && ring == ScanRing::when_large)) s.ring = buffer::make_ring(buffer::RingKind::bulk_read);
  rescan();
}

Scan::~Scan() {
  state_->pin.release();
  if (state_->ring != nullptr) buffer::free_ring(state_->ring);
  ScanStates::give_back(state_);
}

void Scan::rescan() {
  State& s = *state_;
  s.pin.release();
  s.block = kInvalidBlock;
  s.found = s.next = 0;
  s.counted = false;
}

bool Scan::next(HeapTuple& out, bool backward) {
  State& s = *state_;
  if (!s.counted) {
    s.counted = true;
    ++statistics::relation(s.table->oid, s.table->file.database).counts.scans;
  }
  if (!backward) {
    while (s.next >= s.found || s.block == kInvalidBlock) {
      BlockNumber following = s.block == kInvalidBlock ? BlockNumber{0} : s.block + 1;
      if (following >= s.blocks) {
        // Behind the last row, so that going backward begins there.
        if (s.blocks == BlockNumber{0}) return false;
        if (s.block == kInvalidBlock) return false;
        s.next = s.found + 1;
        s.pin.release();
        return false;
      }
      check_interrupts();
      s.block = following;
      s.next = 0;
      ScanStates::load(s);
    }
    ScanStates::hand_out(s, s.next++, out);
    ++statistics::relation(s.table->oid, s.table->file.database).counts.rows_returned;
    return true;
  }
  // Backward: `next` is one more than the index of the current row.
  if (s.block == kInvalidBlock) return false;
  if (!s.pin) ScanStates::load(s);
  s.next = std::min(s.next, s.found + 1);
  while (s.next <= 1) {
    if (s.block == BlockNumber{0}) {
      s.block = kInvalidBlock;
      s.found = s.next = 0;
      s.pin.release();
      return false;
    }
    check_interrupts();
    --s.block;
    ScanStates::load(s);
    s.next = s.found + 1;
  }
  --s.next;
  ScanStates::hand_out(s, s.next - 1, out);
  return true;
}

bool Scan::open_block(BlockNumber block, std::span<const OffsetNumber> offsets) {
  State& s = *state_;
  s.bitmap = true;
  s.found = s.next = 0;
  // A bitmap may name blocks that a truncation has taken away.
  if (block >= s.blocks) return false;
  s.block = block;
  if (offsets.empty()) {
    ScanStates::load(s);
  } else {
    if (!s.pin || s.pin.tag() != main_tag(*s.table, block))
      s.pin = read_page(*s.table, block, s.ring);
    prune_if_useful(*s.table, s.pin);
    ScanStates::under_lock(s, [&](Hints& hints) { s.found = collect_chains(*s.table, s.pin, *s.snapshot, offsets, hints, s.lines); });
  }
  return s.found > 0;
}

bool Scan::next_in_block(HeapTuple& out) {
  State& s = *state_;
  if (s.next >= s.found) return false;
  ScanStates::hand_out(s, s.next++, out);
  ++statistics::relation(s.table->oid, s.table->file.database).counts.rows_fetched;
  return true;
}

const buffer::PinnedBuffer& Scan::pin() const { return state_->pin; }

}  // namespace hathi::heap
