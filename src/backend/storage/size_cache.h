#pragma once
// Lengths of forks in shared memory, so that asking for one needs neither an open file nor a system call.
//
// Locking: a bucket's version is odd while one process changes the bucket, and grows with each change. A reader copies an entry and
// believes it if the version was even and the same before and after. Whoever read a length from the file enters it only if the version is
// still what it was before he looked: any change of a file's length in between would have moved it.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hathi/base/ids.h"

namespace hathi::storage::size_cache {

std::size_t size();
void init(void* memory);
// token: for enter().
std::optional<BlockNumber> find(const RelationFile& file, Fork fork, std::uint32_t& token);
void enter(const RelationFile& file, Fork fork, BlockNumber blocks, std::uint32_t token);
// The file has grown to at least this.
void grown(const RelationFile& file, Fork fork, BlockNumber blocks);
// The length changed some other way, or will: forget it.
void forget(const RelationFile& file, Fork fork);
void forget_all();

}  // namespace hathi::storage::size_cache
