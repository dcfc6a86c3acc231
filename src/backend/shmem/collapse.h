#pragma once
// Huge pages on request: the kernel can put the small pages of a piece of shared memory together (MADV_COLLAPSE), whatever its setting for
// transparent huge pages says. Then a backend touches 2 MiB at the price of one fault. Only pieces in use are put together, so that memory
// is still committed as it is used.

#include <vector>

#include "mapping.h"

namespace hathi::shmem {

// Locking: one process works with it; others may use the memory meanwhile (the kernel lets them wait for the piece at hand).
class Collapser {
 public:
  void watch(const Mapping& mapping) { mapping_ = mapping; done_.assign(mapping.size / kHugePage, false); }
  // Looks at up to `looks` pieces among the first `size` bytes, in turn, and puts those in use together until `until` (steady clock,
  // nanoseconds). Returns how many.
  int run(std::size_t size, int looks, std::int64_t until);
  // Does the kernel do it at all? Tries the first piece, which must be in use.
  bool try_first();

 private:
  bool is_in_use(std::size_t piece) const;
  int collapse(std::size_t piece);   // 0 or errno
  Mapping mapping_;
  std::vector<bool> done_;
  std::size_t next_ = 0;
};

}  // namespace hathi::shmem
