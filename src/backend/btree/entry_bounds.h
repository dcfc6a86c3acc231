#pragma once
// How much of an entry is columns. Private to btree/.

#include "btree_page.h"
#include "hathi/datum/bounded.h"

namespace hathi::btree {

inline std::size_t entry_data_size(const std::byte* e) { return entry_size(e) - static_cast<std::size_t>(entry_data(e) - e); }

}  // namespace hathi::btree
