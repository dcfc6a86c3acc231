#include "hathi/shmem/image.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
// The address sanitizer has its own heap, and terabytes of shadow that are mapped and must stay empty.
#if defined(__SANITIZE_ADDRESS__)
#define HATHI_SANITIZED 1
#endif

namespace hathi::shmem {

namespace {

std::int64_t start_time = 0;

constexpr std::uintptr_t kHugePage = 2u << 20;
// What a new backend's first allocations take, made present in one go.
constexpr std::size_t kFirstHeap = 192 * 1024;
constexpr std::size_t kFirstBlock = 96 * 1024;
constexpr int kHeapGrowth = 512 * 1024;
// Up to this size malloc keeps freed blocks by their exact size, in steps of 16 bytes.
constexpr std::size_t kLargestCached = 2040, kSmallestBlock = 24;
// While the image is built large arrays are to stand in the heap with the rest.
constexpr int kLargestInHeap = 32 << 20, kUsualMmapThreshold = 128 * 1024, kUsualTrimThreshold = 128 * 1024;
constexpr std::size_t kMovedConstants = 3 * kHugePage;

#ifndef HATHI_SANITIZED

struct MappedRange {
  std::uintptr_t start = 0, end = 0;
  std::string access, name;
  bool has_file = false;
};

std::vector<MappedRange> mapped_ranges() {
  std::vector<MappedRange> ranges;
  std::FILE* file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return ranges;
  char line[1024];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long start = 0, end = 0, inode = 0;
    char access[8] = "", name[512] = "";
    if (std::sscanf(line, "%lx-%lx %7s %*s %*s %lu %511s", &start, &end, access, &inode, name) < 4) continue;
    ranges.push_back({start, end, access, name, inode != 0});
  }
  std::fclose(file);
  return ranges;
}

std::uintptr_t round_up(std::uintptr_t address) { return (address + kHugePage - 1) / kHugePage * kHugePage; }

// The heap and other private memory, but not the stack.
void collapse_private_memory(const std::vector<MappedRange>& ranges) {
  for (const MappedRange& range : ranges) {
    if (range.access != "rw-p" || range.has_file || range.name == "[stack]") continue;
    std::uintptr_t start = round_up(range.start), end = range.end / kHugePage * kHugePage;
    if (start >= end) continue;
    auto* memory = reinterpret_cast<void*>(start);
    // Both are wishes: kernels without them, or without a free huge page, leave things as they are.
    if (madvise(memory, end - start, MADV_HUGEPAGE) == 0) madvise(memory, end - start, MADV_COLLAPSE);
  }
}

// Moves `used` bytes at a 2 MiB boundary to private huge pages at the same addresses; `size` is what the pages cover. Nothing changes
// when the kernel does not like it.
void move_to_huge_pages(std::uintptr_t start, std::size_t used, std::size_t size, int protection) {
  void* taken = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (taken == MAP_FAILED) return;
  std::uintptr_t base = reinterpret_cast<std::uintptr_t>(taken), aligned = round_up(base);
  if (aligned > base) munmap(taken, aligned - base);
  if (base + kHugePage > aligned) munmap(reinterpret_cast<void*>(aligned + size), base + kHugePage - aligned);
  void* copy = reinterpret_cast<void*>(aligned);
  if (madvise(copy, size, MADV_HUGEPAGE) == 0) {
    std::memcpy(copy, reinterpret_cast<const void*>(start), used);
    // The same bytes take the place of those that may run just now.
    if (mprotect(copy, size, protection) == 0 &&
        mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(start)) != MAP_FAILED) {
      return;
    }
  }
  munmap(copy, size);
}

// The server's code and its constants, moved to private huge pages: a child then inherits its page-table entries (a file's it would have
// to fault in again, 16 pages at a time, and take down at its end), and code takes few TLB entries. Needs a program that is linked
// with them at 2 MiB boundaries (the release build).
void move_code(const std::vector<MappedRange>& ranges) {
  char path[512];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = '\0';
  bool behind_code = false;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const MappedRange& range = ranges[i];
    if (range.name != path || range.start % kHugePage != 0) continue;
    std::size_t used = range.end - range.start;
    if (range.access == "r-xp") {
      std::size_t size = round_up(used);
      if (i + 1 == ranges.size() || ranges[i + 1].start >= range.start + size) move_to_huge_pages(range.start, used, size, PROT_READ | PROT_EXEC);
      behind_code = true;
    } else if (range.access == "r--p" && behind_code) {
      // The server's own constants come first, the libraries' large tables after them.
      std::size_t size = std::min(used / kHugePage * kHugePage, kMovedConstants);
      if (size > 0) move_to_huge_pages(range.start, size, size, PROT_READ);
      return;
    }
  }
}

std::uintptr_t heap_top() { return reinterpret_cast<std::uintptr_t>(sbrk(0)) - mallinfo2().keepcost; }

// Takes what is free below `end` out of use, so that children allocate side by side beyond it instead of copying a page for each hole they
// come across. What is taken is given to nobody.
void fill_heap_holes(std::uintptr_t end) {
  auto fill = [end](std::size_t size) {
    while (void* hole = std::malloc(size)) {
      if (reinterpret_cast<std::uintptr_t>(hole) < end) continue;
      std::free(hole);
      return;
    }
  };
  for (std::size_t size = 64 * 1024; size > kLargestCached; size /= 2) fill(size);
  for (std::size_t size = kLargestCached; size >= kSmallestBlock; size -= 16) fill(size);
}

// Moves the heap's end to a 2 MiB boundary, as somebody else's memory: malloc goes on beyond it.
std::uintptr_t advance_heap() {
  auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)), boundary = round_up(end);
  if (boundary > end && sbrk(static_cast<std::intptr_t>(boundary - end)) == reinterpret_cast<void*>(-1)) return end;
  return boundary;
}

#endif

}  // namespace

std::int64_t server_start_time() { return start_time; }
void set_server_start_time(std::int64_t microseconds) { start_time = microseconds; }

void begin_image() {
#ifndef HATHI_SANITIZED
  // (Memory that is not malloc's own in the middle of the heap: the first allocation beyond it gives back what was free below, and trims the
  // heap so that the allocation itself fails - unless trimming is off.)
  mallopt(M_TRIM_THRESHOLD, -1);
  advance_heap();
  mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
#endif
}

void prepare_image_for_forks(bool huge_code) {
#ifndef HATHI_SANITIZED
  if (huge_code) move_code(mapped_ranges());
  fill_heap_holes(advance_heap());
  mallopt(M_TRIM_THRESHOLD, kUsualTrimThreshold);
  mallopt(M_MMAP_THRESHOLD, kUsualMmapThreshold);
  mallopt(M_TOP_PAD, kHeapGrowth);
  collapse_private_memory(mapped_ranges());
#endif
}

void prepare_child_memory() {
#ifndef HATHI_SANITIZED
  // A block from the top and back: the heap has grown to its next step.
  std::free(std::malloc(kFirstBlock));
  auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t start = heap_top() / page * page, end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  if (end > start) madvise(reinterpret_cast<void*>(start), std::min(kFirstHeap, end - start), MADV_POPULATE_WRITE);
#endif
}

}  // namespace hathi::shmem
