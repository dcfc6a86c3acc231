#include "page_check.h"
#include "page_choice.h"

#include "hathi/heap/free_space.h"
#include "visibility_map.h"

namespace hathi::heap {

namespace {

// Locks two pages of one relation in block order. `second` may be null.
void lock_in_order(buffer::PinnedBuffer& first, buffer::PinnedBuffer* second) {
  if (second != nullptr && second->block() < first.block()) {
    second->lock(locking::LwMode::exclusive);
    first.lock(locking::LwMode::exclusive);
    return;
  }
  first.lock(locking::LwMode::exclusive);
  if (second != nullptr) second->lock(locking::LwMode::exclusive);
}

bool is_all_visible(const buffer::PinnedBuffer& pin) {
  PageView page = pin.page();
  return !page.is_new() && (page.header().flags & kPageAllVisible) != 0;
}

struct Search {
  const HeapTable& table;
  std::size_t needed;        // of the row and what the fill factor leaves free
  std::size_t size;
  Xid xid;
  const InsertOptions& options;
  buffer::PinnedBuffer* other;
  buffer::PinnedBuffer* other_map;
  ChosenPage& chosen;
};

// Locks the chosen page (and the other) with their map pages pinned.
void lock_chosen(Search& s) {
  for (;;) {
    bool need = is_all_visible(s.chosen.pin) && !map_page_covers(s.chosen.map_pin, s.table.file, s.chosen.pin.block());
    if (need) s.chosen.map_pin = pin_map_page(s.table.file, s.chosen.pin.block());
    bool need_other = s.other != nullptr && is_all_visible(*s.other) && !map_page_covers(*s.other_map, s.table.file, s.other->block());
    if (need_other) *s.other_map = pin_map_page(s.table.file, s.other->block());
    lock_in_order(s.chosen.pin, s.other);
    need = is_all_visible(s.chosen.pin) && !map_page_covers(s.chosen.map_pin, s.table.file, s.chosen.pin.block());
    need_other = s.other != nullptr && is_all_visible(*s.other) && !map_page_covers(*s.other_map, s.table.file, s.other->block());
    if (!need && !need_other) return;
    s.chosen.pin.unlock();
    if (s.other != nullptr) s.other->unlock();
  }
}

void unlock_chosen(Search& s) {
  s.chosen.pin.unlock();
  if (s.other != nullptr) s.other->unlock();
}

// Takes the page if the row fits; else says how much room it has.
bool try_page(Search& s, BlockNumber block, buffer::BufferIndex hint, std::size_t& room) {
  s.chosen.pin = buffer::read_recent(main_tag(s.table, block), hint, s.options.ring);
  require_heap_page(s.chosen.pin);
  lock_chosen(s);
  room = room_for_row(s.chosen.pin.page());
  // An empty page takes any row, whatever the fill factor says.
  bool empty = room >= kMaxRowSize - 64 && s.chosen.pin.page().line_count() == 0;
  if (room >= s.needed || (empty && room >= s.size)) {
    if (!xid_fits(s.chosen.pin.page(), s.xid)) make_xid_fit(s.table, s.chosen.pin, s.xid);
    return true;
  }
  unlock_chosen(s);
  return false;
}

// How many blocks to add at once: a few percent of a big table, one of a small one.
int blocks_to_add(BlockNumber present) { return static_cast<int>(std::clamp<std::uint32_t>(present.value() / 256, 1, 16)); }

bool extend_table(Search& s, RelationHints& hints, BlockNumber present) {
  int count = blocks_to_add(present);
  {
    buffer::PinnedBuffer first = buffer::extend(s.table.file, Fork::main, count, s.options.ring, &count);
    first.unlock();
    s.chosen.pin = std::move(first);
  }
  hints.target = s.chosen.pin.block();
  hints.target_buffer = s.chosen.pin.index();
  hints.batch_end = hints.target + static_cast<std::uint32_t>(count);
  if (count > 1 && !s.options.skip_free_space_map) record_free_space(s.table.file, hints.target + 1, hints.batch_end, kPageSize);
  lock_chosen(s);
  if (room_for_row(s.chosen.pin.page()) >= s.size) return true;
  unlock_chosen(s);  // somebody found the new page first
  return false;
}

}  // namespace

std::size_t reserved_by_fill_factor(const HeapTable& table) {
  return kPageSize * static_cast<std::size_t>(100 - table.fill_factor) / 100;
}

void check_row_size(std::size_t size) {
  if (align8(size) > kMaxRowSize) {
    throw SqlError(sqlstate::program_limit_exceeded, "row is too big: size {}, maximum size {}", align8(size), kMaxRowSize);
  }
}

bool pin_map_if_needed(const HeapTable& table, buffer::PinnedBuffer& pin, buffer::PinnedBuffer& map_pin) {
  bool unlocked = false;
  while (is_all_visible(pin) && !map_page_covers(map_pin, table.file, pin.block())) {
    pin.unlock();
    unlocked = true;
    map_pin = pin_map_page(table.file, pin.block());
    pin.lock(locking::LwMode::exclusive);
  }
  return unlocked;
}

void choose_page(const HeapTable& table, std::size_t size, Xid xid, const InsertOptions& options, buffer::PinnedBuffer* other,
                 buffer::PinnedBuffer* other_map, ChosenPage& chosen) {
  Search s{table, size + reserved_by_fill_factor(table), size, xid, options, other, other_map, chosen};
  if (s.needed > kMaxRowSize) s.needed = std::max(size, kMaxRowSize);
  RelationHints& hints = relation_hints(table.file);
  // Asking the system for the file's size each time would cost more than the insert. Within a transaction that has the table
  // locked the target cannot vanish.
  BlockNumber present =
      hints.target != kInvalidBlock && hints.checked_by == xid ? kInvalidBlock : buffer::block_count(table.file, Fork::main);
  hints.checked_by = xid;
  BlockNumber block = hints.target;
  buffer::BufferIndex buffer_hint = hints.target_buffer;
  bool tried_last = false;
  for (;;) {
    if (block == kInvalidBlock || block >= present) {
      buffer_hint = buffer::kNoBuffer;
      block = options.skip_free_space_map ? kInvalidBlock : find_free_space(table.file, s.needed, BlockNumber{hints.search_from}, present);
      if (block == kInvalidBlock && !tried_last && present > BlockNumber{0}) {
        tried_last = true;
        block = present - 1;
      }
    }
    if (block == kInvalidBlock) {
      if (extend_table(s, hints, present)) return;  // the loop has asked for `present` before it gets here
      present = buffer::block_count(table.file, Fork::main);
      continue;
    }
    if (other != nullptr && other->block() == block) {
      // The caller's own page has no room; a wrong entry must not send us here again.
      if (!options.skip_free_space_map) record_free_space(table.file, block, 0);
      block = hints.target = kInvalidBlock;
      present = buffer::block_count(table.file, Fork::main);
      continue;
    }
    std::size_t room = 0;
    if (try_page(s, block, buffer_hint, room)) {
      hints.target = block;
      hints.target_buffer = chosen.pin.index();
      hints.search_from = block.value();
      return;
    }
    if (!options.skip_free_space_map) record_free_space(table.file, block, room);
    // The next block of the batch this process added, else whatever the map knows.
    bool in_batch = block == hints.target && block + 1 < hints.batch_end;
    block = in_batch ? block + 1 : kInvalidBlock;
    hints.target = block;
    buffer_hint = buffer::kNoBuffer;
    present = buffer::block_count(table.file, Fork::main);
  }
}

}  // namespace hathi::heap
