#include "hathi/shmem/segment.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "hathi/error/report.h"

namespace hathi::shmem {

namespace {

constexpr std::size_t kHugePage = 2u << 20;
constexpr std::size_t kLine = 64;
constexpr std::size_t kGrowingReservation = std::size_t{8} << 30;
constexpr std::size_t kLeastGrowing = std::size_t{64} << 20;

struct Mapping {
  void* start = nullptr;
  std::size_t size = 0;
};

struct State {
  std::vector<Subsystem> subsystems;
  std::string huge;
  Mapping fixed, growing;
  bool reserved_huge = false;     // SHM_HUGETLB
  bool transparent_huge = false;  // madvise, and the kernel grants it
  bool hinted = false;
  GrowingRegion* region = nullptr;  // lives at the start of the fixed segment
};
State state;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

// Where each subsystem's memory begins; returns the whole size. The region's header comes first.
std::size_t lay_out(std::span<const Subsystem> subsystems, std::vector<std::size_t>& offsets) {
  std::size_t at = round_up(sizeof(GrowingRegion), kLine);
  for (const Subsystem& subsystem : subsystems) {
    std::size_t size = subsystem.size();
    at = round_up(at, size >= kHugePage ? kHugePage : kLine);
    offsets.push_back(at);
    at += size;
  }
  return round_up(at, kHugePage);
}

// Attaches a segment of this size at a 2 MiB boundary (near `wanted` if that is free) and marks it for removal. An empty mapping with
// errno when the kernel refuses.
Mapping attach(std::size_t size, int flags, void* wanted) {
  int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600 | flags);
  if (id < 0) return {};
  void* reserved = mmap(wanted, size + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    int error = errno;
    shmctl(id, IPC_RMID, nullptr);
    errno = error;
    return {};
  }
  auto base = reinterpret_cast<std::uintptr_t>(reserved);
  std::uintptr_t aligned = round_up(base, kHugePage);
  void* start = shmat(id, reinterpret_cast<void*>(aligned), SHM_REMAP);
  int error = errno;
  shmctl(id, IPC_RMID, nullptr);
  if (start == reinterpret_cast<void*>(-1)) {
    munmap(reserved, size + kHugePage);
    errno = error;
    return {};
  }
  if (aligned > base) munmap(reserved, aligned - base);
  std::uintptr_t end = aligned + size, reserved_end = base + size + kHugePage;
  if (reserved_end > end) munmap(reinterpret_cast<void*>(end), reserved_end - end);
  return {start, size};
}

// Does the kernel give transparent huge pages to shared memory that asks for them?
bool kernel_grants_transparent() {
  std::FILE* file = std::fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "r");
  if (file == nullptr) return false;
  char text[128] = {};
  std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  std::string_view all(text, length);
  std::size_t open = all.find('['), close = all.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos) return false;
  std::string_view chosen = all.substr(open + 1, close - open - 1);
  return chosen == "advise" || chosen == "always" || chosen == "within_size" || chosen == "force";
}

[[noreturn]] void throw_failed(std::size_t size) {
  throw SqlError(sqlstate::out_of_memory, "could not create shared memory segment: {}", std::strerror(errno))
      .detail(fmt::format("Failed system call was shmget({} bytes).", size))
      .hint("Reduce shared_buffers or max_connections, or raise the kernel's limits kernel.shmmax and kernel.shmall.")
      .fatal();
}

void attach_fixed(std::size_t size) {
  void* wanted = state.fixed.start;
  state.fixed = {};
  state.reserved_huge = false;
  if (state.huge != "off") {
    state.fixed = attach(size, SHM_HUGETLB, wanted);
    state.reserved_huge = state.fixed.start != nullptr;
    if (!state.reserved_huge && state.huge == "on") throw_failed(size);
  }
  if (state.fixed.start == nullptr) state.fixed = attach(size, 0, wanted);
  if (state.fixed.start == nullptr) state.fixed = attach(size, SHM_NORESERVE, wanted);
  if (state.fixed.start == nullptr) throw_failed(size);
}

void attach_growing() {
  void* wanted = state.growing.start;
  state.growing = {};
  for (std::size_t size = kGrowingReservation; size >= kLeastGrowing; size /= 2) {
    state.growing = attach(size, SHM_NORESERVE, wanted);
    if (state.growing.start != nullptr) return;
  }
  throw_failed(kLeastGrowing);
}

void ask_for_huge_pages() {
  state.transparent_huge = false;
  if (state.huge == "off") return;
  bool granted = kernel_grants_transparent();
  if (granted) {
    bool fixed = state.reserved_huge || madvise(state.fixed.start, state.fixed.size, MADV_HUGEPAGE) == 0;
    bool growing = madvise(state.growing.start, state.growing.size, MADV_HUGEPAGE) == 0;
    state.transparent_huge = fixed && growing;
  }
  if (state.reserved_huge || state.transparent_huge || state.hinted) return;
  state.hinted = true;
  ErrorReport report;
  report.severity = Severity::log;
  report.message = "the kernel gives no huge pages for shared memory; the server will be slower than it could be";
  report.hint = fmt::format(
      "Reserve some (sysctl vm.nr_hugepages={}), or allow transparent ones (echo advise > "
      "/sys/kernel/mm/transparent_hugepage/shmem_enabled).",
      state.fixed.size / kHugePage + 8);
  hathi::report(std::move(report));
}

void attach_and_initialise() {
  std::vector<std::size_t> offsets;
  std::size_t size = lay_out(state.subsystems, offsets);
  attach_fixed(size);
  attach_growing();
  ask_for_huge_pages();
  auto* base = static_cast<std::byte*>(state.fixed.start);
  state.region = new (base) GrowingRegion;
  state.region->init(state.growing.start, state.growing.size);
  for (std::size_t i = 0; i < state.subsystems.size(); ++i) state.subsystems[i].init(base + offsets[i]);
}

}  // namespace

void create(std::span<const Subsystem> subsystems, const char* huge) {
  HATHI_ASSERT(!is_attached());
  state.subsystems.assign(subsystems.begin(), subsystems.end());
  state.huge = huge;
  attach_and_initialise();
}

void detach() {
  if (state.fixed.start != nullptr) shmdt(state.fixed.start);
  if (state.growing.start != nullptr) shmdt(state.growing.start);
  state.fixed = state.growing = {};
  state.region = nullptr;
}

void reinitialize() {
  // New segments rather than zeroing: the kernel frees the old pages, and none that nobody needs are touched. The old addresses are wanted
  // again.
  shmdt(state.fixed.start);
  shmdt(state.growing.start);
  state.region = nullptr;
  attach_and_initialise();
}

bool is_attached() { return state.fixed.start != nullptr; }
std::size_t total_size() { return state.fixed.size; }
std::size_t required_size(std::span<const Subsystem> subsystems) {
  std::vector<std::size_t> offsets;
  return lay_out(subsystems, offsets);
}
bool has_huge_pages() { return state.reserved_huge || state.transparent_huge; }

GrowingRegion& growing_region() { return *state.region; }

void GrowingRegion::init(void* start, std::size_t size) {
  start_ = reinterpret_cast<std::uintptr_t>(start);
  size_ = size;
  used_ = 0;
}

void* GrowingRegion::allocate(std::size_t size, std::size_t align) {
  std::atomic_ref<std::size_t> cursor(used_);
  std::size_t old = cursor.load(std::memory_order_relaxed);
  for (;;) {
    std::size_t begin = round_up(old, align);
    if (begin + size > size_) return nullptr;
    if (cursor.compare_exchange_weak(old, begin + size, std::memory_order_relaxed)) return reinterpret_cast<void*>(start_ + begin);
  }
}

std::size_t GrowingRegion::used() const {
  return std::atomic_ref<std::size_t>(const_cast<std::size_t&>(used_)).load(std::memory_order_relaxed);
}

}  // namespace hathi::shmem
