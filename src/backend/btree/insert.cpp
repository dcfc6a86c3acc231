#include <optional>

#include "page_check.h"
#include "deduplicate.h"
#include "hathi/locking/lock_table.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "split.h"

namespace hathi::btree {

using locking::LwMode;

namespace {

struct Insertion {
  const BTreeIndex& index;
  SearchKey key;
  std::span<const std::byte> entry;
  TupleId row;
  UniqueCheck check;
  const HeapProbe& probe;
  bool checks_unique = false;
  bool is_unique = true;        // so far as the check could tell
};

// What a look for equal keys found.
struct UniqueResult { TupleId conflicting; Xid wait_for{0}; };

// Marks an entry as leading to nothing alive. The page is exclusively locked.
void mark_dead(buffer::PinnedBuffer& pin, std::uint16_t line) {
  PageView page = pin.page();
  LinePointer& lp = page.line(OffsetNumber{line});
  lp = LinePointer::make(lp.offset(), LinePointer::State::dead, lp.length());
  special(page).flags |= kHasDead;
  pin.mark_dirty_hint();
}

// Asks the heap about all rows of an entry. True: look no further.
bool probe_entry(Insertion& in, buffer::PinnedBuffer& pin, std::uint16_t line, bool own_page, UniqueResult& result) {
  const std::byte* e = entry_at(pin.page(), line);
  bool all_dead = true;
  for (int i = 0; i < row_count(e); ++i) {
    TupleId tid = entry_tid(e, i);
    if (in.check == UniqueCheck::existing && tid == in.row) {
      all_dead = false;
      continue;   // the entry whose uniqueness is in question
    }
    UniqueProbe p = in.probe(tid);
    all_dead = all_dead && p.all_dead;
    if (p.wait_for != kInvalidXid && in.check != UniqueCheck::deferred) {
      result.wait_for = p.wait_for;
      return true;
    }
    if (p.conflict || p.wait_for != kInvalidXid) {
      result.conflicting = p.conflicting.is_valid() ? p.conflicting : tid;
      return true;
    }
  }
  // Only on the page we have locked exclusively ourselves.
  if (all_dead && own_page) mark_dead(pin, line);
  return false;
}

// A damaged link back to the page whose lock is held must not be waited for.
void require_other(const BTreeIndex& index, const buffer::PinnedBuffer& held, std::uint32_t block) {
  if (block == held.block().value()) throw_corrupted(index, block, "a circle of sibling links");
}

// Looks at all entries equal to the key, from its first place on the (exclusively locked) leaf to the right.
UniqueResult find_conflict(Insertion& in, buffer::PinnedBuffer& leaf) {
  UniqueResult result;
  std::uint16_t line = search_leaf(in.key, leaf.page());
  buffer::PinnedBuffer next;
  buffer::PinnedBuffer* pin = &leaf;
  std::uint32_t steps = 0;
  for (;;) {
    PageView page = pin->page();
    for (; line <= page.line_count(); ++line) {
      if (compare_key(in.key, entry_at(page, line)) != 0) return result;
      if (is_dead(page, line)) continue;
      if (probe_entry(in, *pin, line, pin == &leaf, result)) return result;
    }
    // Equal keys may go on to the right when the high key is not greater.
    if (is_rightmost(page) || compare_key(in.key, high_key(page)) < 0) return result;
    std::uint32_t block = special(page).next;
    for (;;) {
      next.release();
      require_other(in.index, leaf, block);
      next = read_page(in.index, block);
      next.lock(LwMode::shared);
      check_sibling(in.index, next, 0, steps);
      if (!has_flag(next.page(), kDeleted)) break;
      block = special(next.page()).next;
    }
    pin = &next;
    line = first_line(next.page());
  }
}

// The first root: a leaf.
void create_root(const BTreeIndex& index) {
  SparePage spare;
  spare.allocate(index);
  buffer::PinnedBuffer meta = read_page(index, kMetaBlock.value());
  meta.lock(LwMode::exclusive);
  auto& contents = *reinterpret_cast<const Meta*>(meta.page().bytes() + kMetaPosition);
  if (contents.root != kNoBlock) return;
  buffer::PinnedBuffer root = spare.take();
  std::uint32_t block = root.block().value();
  IndexChange change(index, BTreeOperation::new_root);
  change.new_page(root, {kNoBlock, kNoBlock, 0, kLeaf | kRoot, 0});
  Meta updated{kMagic, kVersion, block, 0};
  change.page(meta).write_value(kMetaPosition, updated);
  change.apply();
}

// The rightmost leaf that this process inserted in last, when the key belongs there and there is room: no descent.
buffer::PinnedBuffer try_last_leaf(Insertion& in) {
  IndexHints& hints = index_hints(in.index.file);
  if (hints.last_leaf == kNoBlock) return {};
  buffer::PinnedBuffer pin = buffer::read_recent(block_tag(in.index, hints.last_leaf), hints.last_leaf_buffer);
  if (!pin.try_lock(LwMode::exclusive)) return {};
  PageView page = pin.page();
  bool fits = !page.is_new() && page.header().special == kPageSize - kSpecialSize &&
              (special(page).flags & (kLeaf | kDeleted | kIncompleteSplit)) == kLeaf && is_rightmost(page) &&
              room(page) >= align8(in.entry.size()) && page.line_count() >= 1 && compare_key(in.key, entry_at(page, 1)) > 0;
  if (fits) {
    hints.last_leaf_buffer = pin.index();
    return pin;
  }
  hints.last_leaf = kNoBlock;
  return {};
}

void remember_last_leaf(const BTreeIndex& index, const buffer::PinnedBuffer& pin) {
  // A root that is a leaf is found as fast without.
  if (!is_rightmost(pin.page()) || has_flag(pin.page(), kRoot)) return;
  IndexHints& hints = index_hints(index.file);
  hints.last_leaf = pin.block().value();
  hints.last_leaf_buffer = pin.index();
}

// With the row position in the key: to the page where the entry belongs. Steps right keep one lock until they have the next.
void find_place(Insertion& in, buffer::PinnedBuffer& leaf, const Path& path) {
  std::uint32_t steps = 0;
  while (is_beyond(in.key, leaf.page())) {
    if (has_flag(leaf.page(), kIncompleteSplit)) {
      std::uint32_t block = leaf.block().value();
      Path above = path;
      finish_split(in.index, leaf, above);
      leaf = read_page(in.index, block);
      leaf.lock(LwMode::exclusive);
      continue;
    }
    std::uint32_t block = special(leaf.page()).next;
    buffer::PinnedBuffer next;
    for (;;) {
      require_other(in.index, leaf, block);
      next = read_page(in.index, block);
      next.lock(LwMode::exclusive);
      check_sibling(in.index, next, 0, steps);
      if (!has_flag(next.page(), kDeleted)) break;
      block = special(next.page()).next;
      next.release();
    }
    leaf = std::move(next);
  }
}

void put_entry(Insertion& in, buffer::PinnedBuffer& leaf, const Placement& place) {
  IndexChange change(in.index, BTreeOperation::insert_leaf);
  wal::PageEdit& edit = change.page(leaf);
  if (place.replaced_line != 0) {
    // A posting list makes way: it takes the new row, and gives its last one to the entry behind it. Same size, so in place.
    std::uint16_t at = leaf.page().line(OffsetNumber{place.replaced_line}).offset();
    edit.write(at, place.replacement);
  }
  insert_edits(leaf.page(), edit, place.line, place.entry);
  change.apply();
}

// Puts the entry into the (locked) leaf, making room; false when a spare page must be got first (all locks dropped).
bool place_entry(Insertion& in, buffer::PinnedBuffer& leaf, SparePage& spare, Path& path) {
  find_place(in, leaf, path);
  std::size_t needed = align8(in.entry.size());
  if (room(leaf.page()) < needed && has_flag(leaf.page(), kHasDead)) remove_dead(in.index, leaf);
  if (room(leaf.page()) < needed && may_deduplicate(in.index, in.checks_unique)) deduplicate_page(in.index, leaf, needed);
  Placement place = find_placement(in.index, in.key, in.entry, in.row, leaf);
  if (room(leaf.page()) >= align8(place.entry.size())) {
    put_entry(in, leaf, place);
    remember_last_leaf(in.index, leaf);
    leaf.release();
    return true;
  }
  if (!spare) {
    leaf.release();
    spare.allocate(in.index);
    return false;
  }
  if (has_flag(leaf.page(), kHasDead)) remove_dead(in.index, leaf);
  place = find_placement(in.index, in.key, in.entry, in.row, leaf);
  split_page(in.index, leaf, {place.entry, place.line, place.replaced_line, place.replacement}, spare, path, nullptr);
  return true;
}

void wait_for(const BTreeIndex& index, Xid xid, TupleId row) {
  try {
    locking::wait_for_transaction(transaction::owner(), xid);
  } catch (SqlError& error) {
    error.context(fmt::format("while inserting index tuple ({},{}) in relation \"{}\"", row.block.value(), row.offset.value(), index.name));
    throw;
  }
}

bool has_null_key(const BTreeIndex& index, const bool* nulls) {
  for (std::size_t i = 0; i < index.keys.size(); ++i) {
    if (nulls[i]) return true;
  }
  return false;
}

bool has_external_key(const BTreeIndex& index, const Datum* values, const bool* nulls) {
  for (std::size_t i = 0; i < index.keys.size(); ++i) {
    if (!nulls[i] && index.descriptor->layouts[i].kind == ColumnLayout::Kind::varlena && varlena::is_external(values[i].as_pointer()))
      return true;
  }
  return false;
}

}  // namespace

bool insert(const BTreeIndex& index, const Datum* values, const bool* nulls, TupleId row, UniqueCheck check, const HeapProbe& probe,
            const std::function<void(TupleId)>& on_conflict) {
  alignas(8) std::byte buffer[kEntryBuffer];
  std::size_t size = form_entry(index, values, nulls, row, buffer);
  ScopeExit clean([] { reset_comparison_arena(); });
  Insertion in{index, {}, {buffer, size}, row, check, probe};
  Datum own_values[kMaxColumns];
  bool own_nulls[kMaxColumns];
  if (has_external_key(index, values, nulls)) {
    // Fetched once, into the entry; the search compares with that.
    read_columns(index, buffer, static_cast<int>(index.keys.size()), own_values, own_nulls);
    values = own_values;
    nulls = own_nulls;
  }
  make_insertion_key(index, values, nulls, in.key);
  in.checks_unique = index.unique && check != UniqueCheck::none && (index.nulls_not_distinct || !has_null_key(index, nulls));
  SparePage spare;
  for (;;) {
    check_interrupts();
    // A unique key is looked for from its first possible place, whatever row it belongs to.
    in.key.has_tid = !in.checks_unique;
    in.key.tid = row;
    Path path;
    buffer::PinnedBuffer leaf;
    if (check != UniqueCheck::existing) leaf = try_last_leaf(in);
    if (!leaf) leaf = descend(index, in.key, LwMode::exclusive, &path);
    if (!leaf) {
      if (check == UniqueCheck::existing) return true;
      create_root(index);
      continue;
    }
    if (in.checks_unique) {
      UniqueResult found = find_conflict(in, leaf);
      if (found.wait_for != kInvalidXid) {
        leaf.release();
        spare.give_back();
        wait_for(index, found.wait_for, row);
        continue;
      }
      if (found.conflicting.is_valid()) {
        if (check != UniqueCheck::deferred) {
          leaf.release();
          on_conflict(found.conflicting);
          return false;
        }
        in.is_unique = false;
      }
      if (check == UniqueCheck::existing) return true;
      in.key.has_tid = true;
    }
    if (place_entry(in, leaf, spare, path)) return in.is_unique;
  }
}

UniqueProbe probe_heap(const heap::HeapTable& table, TupleId tid) {
  UniqueProbe result;
  transaction::Snapshot dirty = transaction::dirty_snapshot();
  buffer::PinnedBuffer pin;
  HeapTuple row;
  if (!heap::fetch_by_index(table, tid, dirty, pin, row, &result.all_dead)) return result;
  result.conflict = true;
  result.conflicting = row.tid;
  result.wait_for = dirty.dirty_xmin != kInvalidXid ? dirty.dirty_xmin : dirty.dirty_xmax;
  return result;
}

}  // namespace hathi::btree
