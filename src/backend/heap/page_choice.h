#pragma once
// Finding a page with room for a new row version. Private to heap/.

#include "heap_page.h"
#include "relation_hints.h"

namespace hathi::heap {

// Bytes that inserts leave free on a page for later updates.
std::size_t reserved_by_fill_factor(const HeapTable& table);

// A pinned, exclusively locked page, and the pinned (unlocked) page of the visibility map when the page is marked all-visible.
struct ChosenPage {
  buffer::PinnedBuffer pin;
  buffer::PinnedBuffer map_pin;
};
// A page where a row of `size` bytes (aligned) fits and xid can be stored. other: a page, pinned and not locked, that the caller
// wants locked too (an update's old page): both come back locked, in block order; never the same page.
void choose_page(const HeapTable& table, std::size_t size, Xid xid, const InsertOptions& options, buffer::PinnedBuffer* other,
                 buffer::PinnedBuffer* other_map, ChosenPage& chosen);
// Pins the map's page when the heap page is marked all-visible. The heap page is exclusively locked before and after; its lock is
// dropped meanwhile when the pin needs work (then true: look at the page again).
bool pin_map_if_needed(const HeapTable& table, buffer::PinnedBuffer& pin, buffer::PinnedBuffer& map_pin);

// Makes the page (exclusively locked) able to store xid: moves its xid_base, freezing what may be frozen. Throws when it cannot.
void make_xid_fit(const HeapTable& table, buffer::PinnedBuffer& pin, Xid xid);

// Checks a row's size: 54000 "row is too big".
void check_row_size(std::size_t size);

}  // namespace hathi::heap
