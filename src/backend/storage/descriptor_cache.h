#pragma once
// Open files of this process: a bounded least-recently-used cache of descriptors, keyed by relation, fork and segment.

#include <cstdint>
#include <string>

#include "hathi/storage/file.h"

namespace hathi::storage {

struct SegmentKey {
  RelationFile file;
  Fork fork = Fork::main;
  std::uint32_t segment = 0;
  bool operator==(const SegmentKey&) const = default;
};

std::string segment_path(const SegmentKey& key);

// A descriptor open for reading and writing, valid until the next call into the cache; -1 with errno (ENOENT …) when it can't be opened.
// create_flags: O_CREAT and friends, 0 = must exist.
int open_segment(const SegmentKey& key, int create_flags = 0);
// Closes the descriptor if it is open.
void close_segment(const SegmentKey& key);

}  // namespace hathi::storage
