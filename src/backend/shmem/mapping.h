#pragma once
// One piece of shared memory: mapped at a 2 MiB boundary before the first fork, gone when the last process that maps it is.

#include <cstddef>

#include "hathi/shmem/segment.h"

namespace hathi::shmem {

inline constexpr std::size_t kHugePage = 2u << 20;

struct Mapping {
  void* start = nullptr;
  std::size_t size = 0;
  MemoryKind kind = MemoryKind::anonymous;
};

struct MappingRequest {
  std::size_t size = 0;             // a multiple of 2 MiB
  MemoryKind kind = MemoryKind::anonymous;
  bool huge = false;                // on reserved huge pages
  bool lazy = false;                // nothing is set aside for it in advance
  void* wanted = nullptr;           // where it should be, if that is free
};

// An empty mapping, and errno, when the kernel refuses.
Mapping map_shared(const MappingRequest& request);
void unmap_shared(const Mapping& mapping);

}  // namespace hathi::shmem
