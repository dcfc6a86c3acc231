#include "page_check.h"
#include "hathi/heap/free_space.h"
#include "hathi/statistics/counters.h"
#include "page_choice.h"
#include "toast.h"
#include "visibility.h"
#include "visibility_map.h"

namespace hathi::heap {

namespace {

// The caller's row gets the fields that say who made it and where it stands.
void stamp_header(HeapTupleHeader* h, std::uint64_t base, Xid xid, CommandId command, TupleId tid, bool frozen) {
  h->xmin = xid_offset(base, xid);
  h->xmax = 0;
  h->command = command.value();
  h->set_ctid(tid);
  constexpr std::uint16_t kKept = infomask::has_null | infomask::has_varwidth | infomask::has_external;
  h->infomask = static_cast<std::uint16_t>((h->infomask & kKept) | infomask::xmax_invalid | (frozen ? infomask::xmin_frozen : 0));
  h->infomask2 &= 0x7FF;
}

// A row version as it goes to the page.
alignas(8) std::byte staged[kMaxRowSize + 8];

std::size_t page_flags_to_clear(PageView page, bool keep_visible) {
  return !page.is_new() && !keep_visible ? page.header().flags & kPageAllVisible : 0;
}

// With frozen rows the page is marked all-visible at once; that needs the map's page, pinned before the lock.
bool prepare_frozen(const HeapTable& table, ChosenPage& chosen) {
  PageView page = chosen.pin.page();
  bool can_mark = page.is_new() || page.line_count() == 0 || (page.header().flags & kPageAllVisible) != 0;
  if (!can_mark) return false;
  if (!map_page_covers(chosen.map_pin, table.file, chosen.pin.block())) {
    chosen.pin.unlock();
    chosen.map_pin = pin_map_page(table.file, chosen.pin.block());
    chosen.pin.lock(locking::LwMode::exclusive);
    page = chosen.pin.page();
    can_mark = page.is_new() || page.line_count() == 0 || (page.header().flags & kPageAllVisible) != 0;
  }
  return can_mark;
}

// Puts rows on the chosen page until it is full; returns how many.
std::size_t fill_page(const HeapTable& table, ChosenPage& chosen, std::span<const HeapTuple> rows, std::span<TupleId> tids, Xid xid,
                      CommandId command, const InsertOptions& options, std::size_t reserve) {
  bool mark_frozen = options.frozen && prepare_frozen(table, chosen);
  PageView page = chosen.pin.page();
  if (room_for_row(page) < align8(rows[0].size)) return 0;  // only after a frozen page was unlocked for a moment
  auto operation = rows.size() == 1 ? HeapOperation::insert : HeapOperation::insert_many;
  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(operation), table.logged());
  change.xid(xid);
  wal::PageEdit& edit = change.page(chosen.pin);
  RowPlacer placer(page, edit, initial_xid_base(xid));
  std::size_t count = 0;
  for (const HeapTuple& row : rows) {
    if (count > 0 && !placer.has_room(row.size + reserve)) break;
    TupleId tid{chosen.pin.block(), placer.next_line()};
    std::memcpy(staged, row.header, row.size);
    stamp_header(reinterpret_cast<HeapTupleHeader*>(staged), placer.base(), xid, command, tid, options.frozen);
    placer.add({staged, row.size});
    tids[count++] = tid;
  }
  auto clear = static_cast<std::uint16_t>(page_flags_to_clear(page, mark_frozen));
  placer.finish(mark_frozen ? kPageAllVisible : 0, clear);
  MapEdit map;
  if (mark_frozen) map.add(change, chosen.map_pin, chosen.pin.block(), kVisible | kFrozen);
  if (clear != 0) map.add(change, chosen.map_pin, chosen.pin.block(), 0);
  change.apply();
  return count;
}

void insert_prepared(const HeapTable& table, std::span<const HeapTuple> rows, std::span<TupleId> tids, const InsertOptions& options) {
  Xid xid = transaction::current_xid();
  CommandId command = transaction::current_command(true);
  std::size_t reserve = reserved_by_fill_factor(table);
  ChosenPage chosen;
  std::size_t done = 0;
  while (done < rows.size()) {
    check_row_size(rows[done].size);
    choose_page(table, align8(rows[done].size), xid, options, nullptr, nullptr, chosen);
    done += fill_page(table, chosen, rows.subspan(done), tids.subspan(done), xid, command, options, reserve);
    chosen.pin.release();
    if (done < rows.size()) check_interrupts();
  }
}

}  // namespace

TupleId insert(const HeapTable& table, const HeapTuple& tuple, const InsertOptions& options) {
  TupleId tid;
  if (!needs_toasting(tuple)) [[likely]] {
    insert_prepared(table, {&tuple, 1}, {&tid, 1}, options);
    statistics::count_inserted(table.oid, table.file.database, 1);
    return tid;
  }
  ToastScratch scratch;
  HeapTuple row = toast_row(table, tuple, nullptr, scratch.arena());
  insert_prepared(table, {&row, 1}, {&tid, 1}, options);
  statistics::count_inserted(table.oid, table.file.database, 1);
  return tid;
}

void insert_many(const HeapTable& table, std::span<const HeapTuple> tuples, std::span<TupleId> tids, const InsertOptions& options) {
  HATHI_ASSERT(tids.size() >= tuples.size());
  statistics::count_inserted(table.oid, table.file.database, tuples.size());
  bool toast = std::any_of(tuples.begin(), tuples.end(), [](const HeapTuple& t) { return needs_toasting(t); });
  if (!toast) {
    insert_prepared(table, tuples, tids, options);
    return;
  }
  ToastScratch scratch;
  std::span<HeapTuple> rows(scratch.arena().make_array<HeapTuple>(tuples.size()), tuples.size());
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    rows[i] = needs_toasting(tuples[i]) ? toast_row(table, tuples[i], nullptr, scratch.arena()) : tuples[i];
  }
  insert_prepared(table, rows, tids, options);
}

void abort_speculative(const HeapTable& table, TupleId tid) {
  buffer::PinnedBuffer pin = read_page(table, tid.block);
  {
    pin.lock(locking::LwMode::exclusive);
    PageView page = pin.page();
    HATHI_ASSERT(page.line(tid.offset).state() == LinePointer::State::normal);
    HeapTupleHeader* h = row_header(page, tid.offset);
    HATHI_ASSERT(transaction::is_current(row_xmin(page, h)));
    wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::abort_speculative), table.logged());
    change.xid(transaction::current_xid());
    wal::PageEdit& edit = change.page(pin);
    std::uint16_t at = page.line(tid.offset).offset();
    std::uint32_t none = 0, hint = h->xmin;
    auto mask = static_cast<std::uint16_t>(h->infomask | infomask::xmin_invalid);
    edit.write_value(at, none);
    edit.write_value(static_cast<std::uint16_t>(at + offsetof(HeapTupleHeader, infomask)), mask);
    if (page.header().prune_hint == 0) edit.write_value(offsetof(PageHeader, prune_hint), hint);
    change.apply();
    pin.unlock();
  }
  HeapTuple row;
  copy_out(pin.page(), pin.page().line(tid.offset), tid, table.oid, row);
  if (has_flag(row.header, infomask::has_external)) delete_toasted(table, row, nullptr);
}

}  // namespace hathi::heap
