#pragma once
// Values too big for a page. Private side; the hooks are in hathi/heap/toast.h.

#include "heap_page.h"
#include "hathi/heap/toast.h"

namespace hathi::heap {

// Rows above this are shrunk: four of the largest fit a page.
inline constexpr std::size_t kToastThreshold = 2032;
inline constexpr std::size_t kToastChunk = 1996;

inline bool needs_toasting(const HeapTuple& row) { return row.size > kToastThreshold || has_flag(row.header, infomask::has_external); }

// The row as it is to be stored: big values compressed, or moved to the TOAST table (chunks are inserted here). old: the version
// being updated, whose external values stay where they are when unchanged. Allocates in arena. The caller holds no content lock.
HeapTuple toast_row(const HeapTable& table, const HeapTuple& row, const HeapTuple* old, Arena& arena);
// Deletes the chunks of the row's external values, except those that `kept` (the new version; may be null) still points at.
void delete_toasted(const HeapTable& table, const HeapTuple& row, const HeapTuple* kept);

// Takes back chunks that this command has just stored for `row` (its update failed); those of `old` stay.
void kill_new_chunks(const HeapTable& table, const HeapTuple& row, const HeapTuple* old);

// A scratch arena of this process for rows being stored; reset by the outermost user.
class ToastScratch {
 public:
  ToastScratch();
  ~ToastScratch();
  ToastScratch(const ToastScratch&) = delete;
  ToastScratch& operator=(const ToastScratch&) = delete;
  Arena& arena();
};

}  // namespace hathi::heap
