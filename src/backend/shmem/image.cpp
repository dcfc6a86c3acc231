#include "hathi/shmem/image.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace hathi::shmem {

namespace {

std::int64_t start_time = 0;

constexpr std::uintptr_t kHugePage = 2u << 20;

struct Range {
  std::uintptr_t start, end;
};

// Writable private anonymous mappings, the heap among them, but not the stack.
std::vector<Range> private_memory() {
  std::vector<Range> ranges;
  std::FILE* file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return ranges;
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long start = 0, end = 0, inode = 0;
    char access[8] = "", name[256] = "";
    if (std::sscanf(line, "%lx-%lx %7s %*s %*s %lu %255s", &start, &end, access, &inode, name) < 4) continue;
    if (std::strcmp(access, "rw-p") == 0 && inode == 0 && std::strcmp(name, "[stack]") != 0) ranges.push_back({start, end});
  }
  std::fclose(file);
  return ranges;
}

}  // namespace

std::int64_t server_start_time() { return start_time; }
void set_server_start_time(std::int64_t microseconds) { start_time = microseconds; }

void prepare_image_for_forks() {
  for (const Range& range : private_memory()) {
    std::uintptr_t start = (range.start + kHugePage - 1) / kHugePage * kHugePage, end = range.end / kHugePage * kHugePage;
    if (start >= end) continue;
    auto* memory = reinterpret_cast<void*>(start);
    // Both are wishes: kernels without them, or without a free huge page, leave things as they are.
    if (madvise(memory, end - start, MADV_HUGEPAGE) == 0) madvise(memory, end - start, MADV_COLLAPSE);
  }
}

}  // namespace hathi::shmem
