#include <memory>

#include "hathi/statistics/counters.h"
#include "page_check.h"
#include "prune.h"

namespace hathi::heap {

namespace {

struct BuildRow { OffsetNumber line, root; bool live; };

// What an index being built owes to a version.
enum class Coverage : std::uint8_t { skip, live, not_live };

// No concurrent writers (the table is locked), but their past may be recent, and the own transaction's versions may be there.
Coverage coverage_of(const HeapTable& table, PageView page, HeapTupleHeader* h, Xid horizon, Hints& hints, bool* broken_chains) {
  switch (vacuum_state(page, h, horizon, hints)) {
    case VersionState::dead: return Coverage::skip;
    case VersionState::live: case VersionState::insert_in_progress: return Coverage::live;
    case VersionState::recently_dead:
      // A successor on the same chain gets the entry; with the successor's key, which old snapshots would misread.
      if (!has_flag2(h, infomask::hot_updated)) return Coverage::not_live;
      if (broken_chains != nullptr) *broken_chains = true;
      return Coverage::skip;
    case VersionState::delete_in_progress: {
      Xid deleter = updating_xid(page, h);
      if (!transaction::is_current(deleter) && !table.is_catalog) {
        // Somebody without the table lock: the deletion may yet fail.
        return Coverage::live;
      }
      if (!has_flag2(h, infomask::hot_updated)) return transaction::is_current(deleter) ? Coverage::not_live : Coverage::live;
      if (transaction::is_current(deleter)) {
        if (broken_chains != nullptr) *broken_chains = true;
        return Coverage::skip;
      }
      return Coverage::live;
    }
  }
  return Coverage::skip;
}

}  // namespace

void scan_for_index_build(const HeapTable& table, const transaction::Snapshot* snapshot,
                          const std::function<void(const HeapTuple& row, TupleId root, bool live)>& callback, bool* broken_chains) {
  BlockNumber blocks = buffer::block_count(table.file, Fork::main);
  ++statistics::relation(table.oid, table.file.database).counts.scans;
  buffer::Ring* ring = blocks.value() > static_cast<std::uint32_t>(buffer::pool_buffer_count()) / 4
                           ? buffer::make_ring(buffer::RingKind::bulk_read) : nullptr;
  ScopeExit free_ring([ring] { if (ring != nullptr) buffer::free_ring(ring); });
  Xid horizon = snapshot == nullptr ? table_horizon(table) : kInvalidXid;
  OffsetNumber roots[kMaxRowsPerPage + 1];
  BuildRow rows[kMaxRowsPerPage];
  for (BlockNumber block{0}; block < blocks; ++block) {
    check_interrupts();
    buffer::PinnedBuffer pin = read_page(table, block, ring);
    prune_if_useful(table, pin);
    pin.lock(locking::LwMode::shared);
    PageView page = pin.page();
    find_roots(page, roots);
    Hints hints;
    int count = 0;
    for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
      if (page.line(OffsetNumber{i}).state() != LinePointer::State::normal) continue;
      HeapTupleHeader* h = row_header(page, OffsetNumber{i});
      Coverage coverage = snapshot == nullptr ? coverage_of(table, page, h, horizon, hints, broken_chains)
                          : visible(page, h, *snapshot, hints) ? Coverage::live : Coverage::skip;
      if (coverage == Coverage::skip) continue;
      if (roots[i] == kInvalidOffset) {
        throw SqlError(sqlstate::data_corrupted, "failed to find parent tuple for heap-only tuple at ({},{}) in table \"{}\"",
                       block.value(), i, table.name);
      }
      rows[count++] = {OffsetNumber{i}, roots[i], coverage == Coverage::live};
    }
    if (hints.set) pin.mark_dirty_hint();
    pin.unlock();
    for (int i = 0; i < count; ++i) {
      HeapTuple row;
      copy_out(page, page.line(rows[i].line), {block, rows[i].line}, table.oid, row);
      ++statistics::relation(table.oid, table.file.database).counts.rows_returned;
      callback(row, {block, rows[i].root}, rows[i].live);
    }
  }
}

}  // namespace hathi::heap
