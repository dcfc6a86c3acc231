#include "mapping.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include <cerrno>
#include <cstdint>

#include "hathi/memory/poison.h"

namespace hathi::shmem {

namespace {

// Addresses for a mapping of this size, and what was taken beside them to find a 2 MiB boundary.
struct Addresses {
  std::uintptr_t taken = 0, aligned = 0;
  std::size_t size = 0;
  std::size_t taken_size() const { return size + kHugePage; }
  explicit operator bool() const { return aligned != 0; }
};

Addresses take_addresses(std::size_t size, void* wanted) {
  Addresses a;
  a.size = size;
  void* taken = mmap(wanted, size + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (taken == MAP_FAILED) return a;
  a.taken = reinterpret_cast<std::uintptr_t>(taken);
  a.aligned = (a.taken + kHugePage - 1) / kHugePage * kHugePage;
  return a;
}

void give_back_all(const Addresses& a) {
  int error = errno;
  munmap(reinterpret_cast<void*>(a.taken), a.taken_size());
  errno = error;
}

void give_back_margins(const Addresses& a) {
  if (a.aligned > a.taken) munmap(reinterpret_cast<void*>(a.taken), a.aligned - a.taken);
  std::uintptr_t end = a.aligned + a.size, taken_end = a.taken + a.taken_size();
  if (taken_end > end) munmap(reinterpret_cast<void*>(end), taken_end - end);
}

// The segment is marked for removal as soon as it is attached: it lives as long as its last process.
void* attach_system_v(const MappingRequest& request, void* at) {
  int flags = IPC_CREAT | 0600 | (request.huge ? SHM_HUGETLB : 0) | (request.lazy ? SHM_NORESERVE : 0);
  int id = shmget(IPC_PRIVATE, request.size, flags);
  if (id < 0) return nullptr;
  void* start = shmat(id, at, SHM_REMAP);
  int error = errno;
  shmctl(id, IPC_RMID, nullptr);
  errno = error;
  return start == reinterpret_cast<void*>(-1) ? nullptr : start;
}

void* map_anonymous(const MappingRequest& request, void* at) {
  int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED | (request.huge ? MAP_HUGETLB : 0) | (request.lazy ? MAP_NORESERVE : 0);
  void* start = mmap(at, request.size, PROT_READ | PROT_WRITE, flags, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

}  // namespace

Mapping map_shared(const MappingRequest& request) {
  Addresses addresses = take_addresses(request.size, request.wanted);
  if (!addresses) return {};
  void* at = reinterpret_cast<void*>(addresses.aligned);
  void* start = request.kind == MemoryKind::system_v ? attach_system_v(request, at) : map_anonymous(request, at);
  if (start == nullptr) {
    give_back_all(addresses);
    return {};
  }
  give_back_margins(addresses);
  return {start, request.size, request.kind};
}

void unmap_shared(const Mapping& mapping) {
  if (mapping.start == nullptr) return;
  memory::unpoison(mapping.start, mapping.size);   // others may get these addresses
  if (mapping.kind == MemoryKind::system_v) shmdt(mapping.start);
  else munmap(mapping.start, mapping.size);
}

}  // namespace hathi::shmem
