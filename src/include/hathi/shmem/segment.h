#pragma once
// Shared memory: two pieces, mapped at one address in every process (they are made before the first fork) and given back by the kernel
// when the last process leaves. The fixed one holds what the subsystem list asks for and may use reserved huge pages; the growing
// one is reserved generously and committed lazily.

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

// Where the memory comes from (the setting shared_memory_type). The kernel maps neighbours of a page that a process touches first by
// reading, up to 64 KiB in one go, but not in System V segments: there every page is a fault of its own. Reserved huge pages in a
// System V segment ask for a privilege, in an anonymous mapping for none.
enum class MemoryKind : std::uint8_t { system_v, anonymous };

// Maps and initialises the memory for these subsystems (each 64-byte aligned; those of 2 MiB and more 2 MiB aligned). huge: "try", "on"
// or "off" (the setting huge_pages). Nothing stays behind when the processes are gone. Throws SqlError.
void create(std::span<const Subsystem> subsystems, const char* huge, MemoryKind kind = MemoryKind::anonymous);
// Detaches; the kernel frees the memory when no process has it attached.
void detach();
// After a crash: zero the segment and run every init() again.
void reinitialize();
bool is_attached();
// Bytes of the fixed segment (0 before create). The list's sum without creating anything: see required_size.
std::size_t total_size();
std::size_t required_size(std::span<const Subsystem> subsystems);
// For one background process: where the kernel gives huge pages neither in advance nor on advice, those pieces of shared memory that have
// come into use since are put together to huge pages, for at most `milliseconds`. Returns how many were (0 also where there is nothing to do).
int collapse_pieces_in_use(int milliseconds);

// A region that grows on demand inside its reserved size; allocation is never returned to the region
// but to the caller's own free lists. Two ranges: a small one beside the fixed memory (and on its huge pages), then the large
// reservation. Locking: lock-free (one atomic cursor a range).
class GrowingRegion {
 public:
  void init(void* near, std::size_t near_size, void* far, std::size_t far_size);
  // nullptr when the reservation is exhausted. Zeroed memory.
  void* allocate(std::size_t size, std::size_t align);
  std::size_t used() const;
  std::size_t capacity() const { return ranges_[0].size + ranges_[1].size; }
 private:
  struct Range {
    std::uintptr_t start;
    std::size_t size;
    std::size_t used;   // by std::atomic_ref
  };
  Range ranges_[2];
};

// The growing segment's region, shared by all owners (lock table, descriptors, …). Valid from create() on; empty again after reinitialize().
GrowingRegion& growing_region();

}  // namespace hathi::shmem
