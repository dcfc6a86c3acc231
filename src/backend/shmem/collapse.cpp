#include "collapse.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace hathi::shmem {

namespace {

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

bool Collapser::is_in_use(std::size_t piece) const {
  constexpr std::size_t kPages = kHugePage / 4096;
  unsigned char resident[kPages] = {};
  if (mincore(static_cast<std::byte*>(mapping_.start) + piece * kHugePage, kHugePage, resident) != 0) return false;
  return std::any_of(resident, resident + kPages, [](unsigned char page) { return (page & 1) != 0; });
}

int Collapser::collapse(std::size_t piece) {
  if (madvise(static_cast<std::byte*>(mapping_.start) + piece * kHugePage, kHugePage, MADV_COLLAPSE) != 0) return errno;
  done_[piece] = true;
  return 0;
}

bool Collapser::try_first() { return !done_.empty() && collapse(0) == 0; }

int Collapser::run(std::size_t size, int looks, std::int64_t until) {
  std::size_t pieces = std::min((size + kHugePage - 1) / kHugePage, done_.size());
  int collapsed = 0;
  for (std::size_t seen = 0; seen < pieces && looks > 0 && now() < until; ++seen) {
    std::size_t piece = next_ % pieces;
    next_ = piece + 1;
    if (done_[piece]) continue;
    --looks;
    if (!is_in_use(piece)) continue;
    // (One that is busy is tried again in its turn; without a free huge page there is no use in going on now.)
    int error = collapse(piece);
    if (error == ENOMEM) break;
    collapsed += error == 0 ? 1 : 0;
  }
  return collapsed;
}

}  // namespace hathi::shmem
