#pragma once
// Between what a process counts and what all have counted.

#include <functional>
#include <vector>

#include "hathi/statistics/counters.h"

namespace hathi::statistics {

// Hands over everything that is pending. The takers zero what they have added.
void take_pending(const std::function<void(PendingRelation&)>& relation_taker, const std::function<void(const PendingFile&)>& file_taker,
                  std::uint64_t (&events)[static_cast<int>(DatabaseEvent::count)]);

}  // namespace hathi::statistics
