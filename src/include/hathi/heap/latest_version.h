#pragma once

#include "hathi/heap/heap.h"

namespace hathi::heap {

// The newest version of the row at tid that the snapshot sees, found by following its updates; tid itself when it sees no newer one
// (nor, perhaps, that one: fetch_version() tells).
TupleId latest_version(const HeapTable& table, TupleId tid, const transaction::Snapshot& snapshot, buffer::PinnedBuffer& pin);

}  // namespace hathi::heap
