#pragma once
// Getting to pages: metapage, root, descents, free pages. Private to btree/.
//
// Lock order: pages of a level from left to right, then up: a child before its parent; the metapage last. A descent holds one
// content lock at a time. Whoever is to change pages never goes past a page whose split is incomplete without completing it, so a page
// that is being split always has an entry in its parent.

#include "search_key.h"

namespace hathi::btree {

// The way down, for the way back up.
struct Path {
  struct Step { std::uint32_t block; std::uint16_t line; };
  Step steps[kMaxLevels];
  int depth = 0;            // steps[depth - 1] is the parent of the page reached
};

// What this process remembers of indexes; checked at use.
struct IndexHints {
  RelationFile file;
  RootHint root;                               // of descriptors that have none of their own
  std::uint32_t last_leaf = kNoBlock;          // the rightmost leaf, where the last insertion went
  buffer::BufferIndex last_leaf_buffer = buffer::kNoBuffer;
};
IndexHints& index_hints(const RelationFile& file);
RootHint& root_hint(const BTreeIndex& index);

Meta read_meta(const BTreeIndex& index);
// Pins and share-locks the root; empty when the index has none.
buffer::PinnedBuffer lock_root(const BTreeIndex& index);

// Descends to the leaf where the key belongs, locked in that mode. path (may be null) gets the inner pages. Empty when the index is.
buffer::PinnedBuffer descend(const BTreeIndex& index, const SearchKey& key, locking::LwMode mode, Path* path);
// To the page of a level (not below it) where the key belongs, share-locked.
buffer::PinnedBuffer descend_to_level(const BTreeIndex& index, const SearchKey& key, std::uint32_t level, Path* path);
// The first or last leaf, share-locked; empty when the index is.
buffer::PinnedBuffer edge_leaf(const BTreeIndex& index, bool last);
// While the key belongs further right, or the page is deleted: steps there. Locked in `mode` before and after. path: given by
// writers, so that incomplete splits on the way can be finished.
void move_right(const BTreeIndex& index, const SearchKey& key, locking::LwMode mode, buffer::PinnedBuffer& pin, const Path* path);

buffer::PinnedBuffer read_page(const BTreeIndex& index, std::uint32_t block);

// A page for a split, pinned; kept for this process's next split unless taken. It is stamped as if deleted just now, so that nobody else
// takes it from the free ones while the current transaction (which holds the horizon back) runs.
class SparePage {
 public:
  SparePage() = default;
  ~SparePage();
  SparePage(const SparePage&) = delete;
  SparePage& operator=(const SparePage&) = delete;
  // Finds or makes one. No content lock may be held.
  void allocate(const BTreeIndex& index);
  explicit operator bool() const { return static_cast<bool>(pin_); }
  // Exclusively locked.
  buffer::PinnedBuffer take();
  void give_back();

 private:
  buffer::PinnedBuffer pin_;
};
// May the (locked) page be used anew?
bool is_recyclable(PageView page, Xid horizon);

}  // namespace hathi::btree
