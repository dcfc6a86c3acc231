// Page layout (both kinds of page, after the page header):
//   offset size field
//       40   63 maximum of each group of 128 entries
//      103    1 unused
//      104 8064 entries: of a leaf page one a heap block, of a root page one a leaf page (its greatest entry)
// An entry is the free room in units of 32 bytes, rounded down; 255 = a wholly free page.
// Block 0 is a root over the next 8064 blocks (leaf pages), then comes the next root, and so on.
#include "hathi/heap/free_space.h"

#include <algorithm>
#include <cstring>

#include "heap_page.h"
#include "relation_hints.h"

namespace hathi::heap {

namespace {

constexpr std::uint32_t kGroupSize = 128, kGroups = 63, kEntries = kGroupSize * kGroups;

struct FreeSpacePage {
  std::byte header[40];
  std::uint8_t groups[kGroups];
  std::uint8_t unused;
  std::uint8_t entries[kEntries];
};
static_assert(sizeof(FreeSpacePage) <= kPageSize && offsetof(FreeSpacePage, entries) == 104);

// Rounded down: what a page surely has; and up: what a row surely needs.
std::uint8_t category_of_room(std::size_t bytes) {
  return bytes >= kMaxRowSize ? 255 : static_cast<std::uint8_t>(std::min<std::size_t>(bytes / 32, 254));
}
std::uint8_t category_of_need(std::size_t bytes) {
  return bytes > 254 * 32 ? 255 : static_cast<std::uint8_t>(std::max<std::size_t>((bytes + 31) / 32, 1));
}

BlockNumber root_block(std::uint32_t root) { return BlockNumber{root * (kEntries + 1)}; }
BlockNumber leaf_block(std::uint32_t leaf) { return BlockNumber{leaf / kEntries * (kEntries + 1) + 1 + leaf % kEntries}; }

FreeSpacePage& contents(buffer::PinnedBuffer& pin) { return *reinterpret_cast<FreeSpacePage*>(pin.page().bytes()); }

buffer::PinnedBuffer read_page(const RelationFile& file, BlockNumber block) {
  return buffer::read({file, Fork::free_space, block}, buffer::ReadMode::zero_on_error);
}

buffer::PinnedBuffer page_to_change(const RelationFile& file, BlockNumber block) {
  if (!fork_has_block(file, Fork::free_space, block)) extend_fork_to(file, Fork::free_space, block);
  buffer::PinnedBuffer pin = read_page(file, block);
  pin.lock(locking::LwMode::exclusive);
  if (pin.page().is_new()) pin.page().init(0);
  return pin;
}

std::uint8_t greatest(const std::uint8_t* values, std::size_t n) {
  std::uint8_t best = 0;
  for (std::size_t i = 0; i < n; ++i) best = std::max(best, values[i]);
  return best;
}

// Sets entries [first, last) of a locked page; returns the page's greatest entry afterwards. changed: anything was.
std::uint8_t set_entries(FreeSpacePage& page, std::uint32_t first, std::uint32_t last, std::uint8_t value, bool& changed) {
  for (std::uint32_t i = first; i < last; ++i) {
    changed = changed || page.entries[i] != value;
    page.entries[i] = value;
  }
  for (std::uint32_t g = first / kGroupSize; g <= (last - 1) / kGroupSize; ++g)
    page.groups[g] = greatest(page.entries + g * kGroupSize, kGroupSize);
  return greatest(page.groups, kGroups);
}

void set_leaf(const RelationFile& file, std::uint32_t leaf, std::uint32_t first, std::uint32_t last, std::uint8_t value) {
  bool changed = false;
  std::uint8_t before, after;
  {
    buffer::PinnedBuffer pin = page_to_change(file, leaf_block(leaf));
    before = greatest(contents(pin).groups, kGroups);
    after = set_entries(contents(pin), first, last, value, changed);
    if (changed) pin.mark_dirty();
  }
  if (!changed || before == after) return;
  buffer::PinnedBuffer root = page_to_change(file, root_block(leaf / kEntries));
  changed = false;
  set_entries(contents(root), leaf % kEntries, leaf % kEntries + 1, after, changed);
  if (changed) root.mark_dirty();
}

// First entry >= need in [from, kEntries), then in [0, from); kEntries when there is none.
std::uint32_t search_page(const FreeSpacePage& page, std::uint8_t need, std::uint32_t from) {
  auto scan = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      if (i % kGroupSize == 0 && page.groups[i / kGroupSize] < need) {
        i += kGroupSize - 1;
        continue;
      }
      if (page.entries[i] >= need) return i;
    }
    return kEntries;
  };
  std::uint32_t found = scan(from, kEntries);
  if (found != kEntries) return found;
  found = scan(0, from);
  return found < from ? found : kEntries;
}

std::uint32_t search_block(const RelationFile& file, BlockNumber block, std::uint8_t need, std::uint32_t from) {
  if (!fork_has_block(file, Fork::free_space, block)) return kEntries;
  buffer::PinnedBuffer pin = read_page(file, block);
  pin.lock(locking::LwMode::shared);
  if (pin.page().is_new()) return kEntries;
  return search_page(contents(pin), need, from);
}

// A leaf that promised more than it has: its root entry is put right.
void correct_root(const RelationFile& file, std::uint32_t leaf) {
  std::uint8_t actual = 0;
  if (fork_has_block(file, Fork::free_space, leaf_block(leaf))) {
    buffer::PinnedBuffer pin = read_page(file, leaf_block(leaf));
    pin.lock(locking::LwMode::shared);
    if (!pin.page().is_new()) actual = greatest(contents(pin).groups, kGroups);
  }
  buffer::PinnedBuffer root = page_to_change(file, root_block(leaf / kEntries));
  bool changed = false;
  set_entries(contents(root), leaf % kEntries, leaf % kEntries + 1, actual, changed);
  if (changed) root.mark_dirty();
}

}  // namespace

void record_free_space(const RelationFile& file, BlockNumber block, std::size_t bytes) { record_free_space(file, block, block + 1, bytes); }

void record_free_space(const RelationFile& file, BlockNumber first, BlockNumber last, std::size_t bytes) {
  std::uint8_t value = category_of_room(bytes);
  std::uint32_t at = first.value();
  while (at < last.value()) {
    std::uint32_t leaf = at / kEntries;
    std::uint32_t end = std::min<std::uint32_t>(last.value(), (leaf + 1) * kEntries);
    set_leaf(file, leaf, at % kEntries, end - leaf * kEntries, value);
    at = end;
  }
}

BlockNumber find_free_space(const RelationFile& file, std::size_t bytes, BlockNumber near, BlockNumber limit) {
  if (limit == BlockNumber{0} || !fork_has_block(file, Fork::free_space, BlockNumber{0})) return kInvalidBlock;
  std::uint8_t need = category_of_need(bytes);
  std::uint32_t leaves = (limit.value() - 1) / kEntries + 1, roots = (leaves - 1) / kEntries + 1;
  std::uint32_t start = near.value() % limit.value(), start_leaf = start / kEntries;
  // A bound on retries: each failed try corrects the map.
  for (int tries = 0; tries < 64; ++tries) {
    std::uint32_t leaf = ~0u;
    for (std::uint32_t i = 0; i < roots && leaf == ~0u; ++i) {
      std::uint32_t root = (start_leaf / kEntries + i) % roots;
      std::uint32_t entry = search_block(file, root_block(root), need, i == 0 ? start_leaf % kEntries : 0);
      if (entry != kEntries) leaf = root * kEntries + entry;
    }
    if (leaf == ~0u) return kInvalidBlock;
    std::uint32_t entry = search_block(file, leaf_block(leaf), need, leaf == start_leaf ? start % kEntries : 0);
    if (entry == kEntries) {
      correct_root(file, leaf);
      continue;
    }
    BlockNumber block{leaf * kEntries + entry};
    if (block < limit) return block;
    set_leaf(file, leaf, entry, entry + 1, 0);
  }
  return kInvalidBlock;
}

std::size_t recorded_free_space(const RelationFile& file, BlockNumber block) {
  BlockNumber leaf = leaf_block(block.value() / kEntries);
  if (!fork_has_block(file, Fork::free_space, leaf)) return 0;
  buffer::PinnedBuffer pin = read_page(file, leaf);
  pin.lock(locking::LwMode::shared);
  if (pin.page().is_new()) return 0;
  std::uint8_t category = contents(pin).entries[block.value() % kEntries];
  return category == 255 ? kMaxRowSize : category * std::size_t{32};
}

void truncate_free_space(const RelationFile& file, BlockNumber blocks) {
  if (!buffer::fork_exists(file, Fork::free_space)) return;
  BlockNumber pages = buffer::block_count(file, Fork::free_space);
  std::uint32_t first_leaf = blocks.value() / kEntries;
  for (std::uint32_t leaf = first_leaf; leaf_block(leaf) < pages; ++leaf) {
    set_leaf(file, leaf, leaf == first_leaf ? blocks.value() % kEntries : 0, kEntries, 0);
  }
}

}  // namespace hathi::heap
