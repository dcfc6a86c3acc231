#pragma once
// Values in TOAST tables: storing, fetching, removing. Private to heap/.

#include "heap_page.h"

namespace hathi::heap {

// Stores a value (plain, short or compressed) in the table's TOAST table; the pointer to it, in the arena.
const std::byte* store_external(const HeapTable& table, const std::byte* value, Arena& arena);
// Deletes the chunks; just_stored: by this very command, so they are taken back as if never inserted.
void remove_external(const std::byte* external, bool just_stored);

}  // namespace hathi::heap
