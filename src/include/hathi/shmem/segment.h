#pragma once
// Shared memory: two System V segments, mapped at one address in every process (they are attached before the first fork) and
// removed by the kernel when the last process leaves. The fixed one holds what the subsystem list asks for and may use reserved
// huge pages; the growing one is reserved generously and committed lazily.

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace hathi::shmem {

// What may live in the segment: standard layout, nothing to destroy.
template <class T>
concept Shareable = std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>;

// One owner of shared memory. size() is asked once the settings are known; init() runs in the process that creates the
// segment (and again after a crash, on zeroed memory), in the order of the list, so a subsystem may use those before it.
struct Subsystem {
  const char* name;
  std::size_t (*size)();
  void (*init)(void* memory);
};

// Creates, attaches and initialises the segment for these subsystems (each 64-byte aligned; those of 2 MiB and more 2 MiB
// aligned). huge: "try", "on" or "off" (the setting huge_pages). Marks it for removal at once. Throws SqlError.
void create(std::span<const Subsystem> subsystems, const char* huge);
// Detaches; the kernel frees the memory when no process has it attached.
void detach();
// After a crash: zero the segment and run every init() again.
void reinitialize();
bool is_attached();
// Bytes of the fixed segment (0 before create). The list's sum without creating anything: see required_size.
std::size_t total_size();
std::size_t required_size(std::span<const Subsystem> subsystems);
// True when the kernel backs the segment with huge pages (reserved, or transparent ones that madvise granted).
bool has_huge_pages();

// A region that grows on demand inside its reserved size; allocation is never returned to the region
// but to the caller's own free lists. Locking: lock-free (one atomic cursor).
class GrowingRegion {
 public:
  void init(void* start, std::size_t size);
  // nullptr when the reservation is exhausted. Zeroed memory.
  void* allocate(std::size_t size, std::size_t align);
  std::size_t used() const;
  std::size_t capacity() const { return size_; }
 private:
  std::uintptr_t start_; std::size_t size_; std::size_t used_;  // used_ by std::atomic_ref
};

// The growing segment's region, shared by all owners (lock table, descriptors, …). Valid from create() on; empty again after reinitialize().
GrowingRegion& growing_region();

}  // namespace hathi::shmem
