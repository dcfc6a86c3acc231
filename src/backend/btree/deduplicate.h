#pragma once
// Making room on leaf pages before they are split: dead entries go, equal keys share one entry. Private to btree/.

#include "search.h"

namespace hathi::btree {

// Removes the entries marked dead. The page is exclusively locked.
void remove_dead(const BTreeIndex& index, buffer::PinnedBuffer& pin);

bool may_deduplicate(const BTreeIndex& index, bool checks_unique);
// Merges runs of entries with equal keys into posting lists until `needed` bytes are free (or nothing is left to merge).
void deduplicate_page(const BTreeIndex& index, buffer::PinnedBuffer& pin, std::size_t needed);

// Where and as what an entry goes into its page. When its row falls between those of a posting list, the list takes the row and the
// list's last row makes the new entry behind it.
struct Placement {
  std::uint16_t line;
  std::span<const std::byte> entry;
  std::uint16_t replaced_line = 0;
  std::span<const std::byte> replacement;
};
Placement find_placement(const BTreeIndex& index, const SearchKey& key, std::span<const std::byte> entry, TupleId row,
                         buffer::PinnedBuffer& pin);

// Builds a posting list from the key of `base` and `rows` (at least two, rising) in `buffer`; returns its size.
std::size_t make_posting(const std::byte* base, std::span<const TupleId> rows, std::byte* buffer);
// The bytes of an entry before its row list (of one without: all).
std::size_t key_size(const std::byte* entry);
// The greatest posting list made.
inline constexpr std::size_t kMaxPostingSize = kMaxEntrySize / 2;

}  // namespace hathi::btree
