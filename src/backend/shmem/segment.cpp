#include "hathi/shmem/segment.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "hathi/error/report.h"
#include "collapse.h"
#include "mapping.h"

namespace hathi::shmem {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kGrowingReservation = std::size_t{8} << 30;
constexpr std::size_t kLeastGrowing = std::size_t{64} << 20;
constexpr std::size_t kNearGrowth = std::size_t{16} << 20;  // of the growing region, in the fixed segment

struct State {
  std::vector<Subsystem> subsystems;
  std::string huge;
  MemoryKind kind = MemoryKind::anonymous;
  Mapping fixed, growing;
  bool reserved_huge = false;
  // Small pages are put together to huge ones later: nobody knows yet whether the kernel does it, it does, or it is not to be asked.
  enum class Collapses : std::uint8_t { untried, yes, no } collapses = Collapses::no;
  Collapser fixed_collapser, growing_collapser;
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
  at = round_up(at, kHugePage);
  offsets.push_back(at);  // of the growing region's near part
  return at + kNearGrowth;
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
  bool system_v = state.kind == MemoryKind::system_v;
  throw SqlError(sqlstate::out_of_memory, "could not create shared memory segment: {}", std::strerror(errno))
      .detail(fmt::format("Failed system call was {}({} bytes).", system_v ? "shmget" : "mmap", size))
      .hint(system_v ? "Reduce shared_buffers or max_connections, or raise the kernel's limits kernel.shmmax and kernel.shmall."
                     : "Reduce shared_buffers or max_connections, or give the machine more memory, swap space or huge pages.")
      .fatal();
}

void map_fixed(std::size_t size) {
  MappingRequest request{.size = size, .kind = state.kind, .wanted = state.fixed.start};
  state.fixed = {};
  state.reserved_huge = false;
  if (state.huge != "off") {
    request.huge = true;
    state.fixed = map_shared(request);
    state.reserved_huge = state.fixed.start != nullptr;
    if (!state.reserved_huge && state.huge == "on") throw_failed(size);
    request.huge = false;
  }
  if (state.fixed.start == nullptr) state.fixed = map_shared(request);
  request.lazy = true;
  if (state.fixed.start == nullptr) state.fixed = map_shared(request);
  if (state.fixed.start == nullptr) throw_failed(size);
}

void map_growing() {
  MappingRequest request{.kind = state.kind, .lazy = true, .wanted = state.growing.start};
  state.growing = {};
  for (request.size = kGrowingReservation; request.size >= kLeastGrowing; request.size /= 2) {
    state.growing = map_shared(request);
    if (state.growing.start != nullptr) return;
  }
  throw_failed(kLeastGrowing);
}

void hint_at_huge_pages() {
  if (state.hinted) return;
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

// Huge pages are reserved, or come with the memory's use where the kernel heeds advice, or are made later of those in use, where it does that
// on request.
void ask_for_huge_pages() {
  state.collapses = State::Collapses::no;
  if (state.huge == "off") return;
  if (kernel_grants_transparent()) {
    bool fixed = state.reserved_huge || madvise(state.fixed.start, state.fixed.size, MADV_HUGEPAGE) == 0;
    bool growing = madvise(state.growing.start, state.growing.size, MADV_HUGEPAGE) == 0;
    if (fixed && growing) return;
  }
  if (state.reserved_huge) return;
  state.fixed_collapser.watch(state.fixed);
  state.growing_collapser.watch(state.growing);
  state.collapses = State::Collapses::untried;
}

void map_and_initialise() {
  std::vector<std::size_t> offsets;
  std::size_t size = lay_out(state.subsystems, offsets);
  map_fixed(size);
  map_growing();
  auto* base = static_cast<std::byte*>(state.fixed.start);
  state.region = new (base) GrowingRegion;
  ask_for_huge_pages();
  state.region->init(base + offsets.back(), kNearGrowth, state.growing.start, state.growing.size);
  for (std::size_t i = 0; i < state.subsystems.size(); ++i) state.subsystems[i].init(base + offsets[i]);
}

}  // namespace

void create(std::span<const Subsystem> subsystems, const char* huge, MemoryKind kind) {
  HATHI_ASSERT(!is_attached());
  state.subsystems.assign(subsystems.begin(), subsystems.end());
  state.huge = huge;
  state.kind = kind;
  map_and_initialise();
}

void detach() {
  unmap_shared(state.fixed);
  unmap_shared(state.growing);
  state.fixed = state.growing = {};
  state.region = nullptr;
}

void reinitialize() {
  // New segments rather than zeroing: the kernel frees the old pages, and none that nobody needs are touched. The old addresses are wanted
  // again.
  unmap_shared(state.fixed);
  unmap_shared(state.growing);
  state.region = nullptr;
  map_and_initialise();
}

bool is_attached() { return state.fixed.start != nullptr; }
std::size_t total_size() { return state.fixed.size; }
std::size_t required_size(std::span<const Subsystem> subsystems) {
  std::vector<std::size_t> offsets;
  return lay_out(subsystems, offsets);
}

int collapse_pieces_in_use(int milliseconds) {
  if (state.collapses == State::Collapses::untried) {
    state.collapses = state.fixed_collapser.try_first() ? State::Collapses::yes : State::Collapses::no;
    if (state.collapses == State::Collapses::no) hint_at_huge_pages();
  }
  if (state.collapses == State::Collapses::no) return 0;
  constexpr int kLooks = 256;
  std::int64_t until = std::chrono::steady_clock::now().time_since_epoch().count() + std::int64_t{milliseconds} * 1'000'000;
  int collapsed = state.fixed_collapser.run(state.fixed.size, kLooks, until);
  // (The near part's share of what is used lies in the fixed piece.)
  std::size_t used = state.region->used();
  if (used > kNearGrowth) collapsed += state.growing_collapser.run(used - kNearGrowth, kLooks, until);
  return collapsed;
}

GrowingRegion& growing_region() { return *state.region; }

void GrowingRegion::init(void* near, std::size_t near_size, void* far, std::size_t far_size) {
  ranges_[0] = {reinterpret_cast<std::uintptr_t>(near), near_size, 0};
  ranges_[1] = {reinterpret_cast<std::uintptr_t>(far), far_size, 0};
}

void* GrowingRegion::allocate(std::size_t size, std::size_t align) {
  for (Range& range : ranges_) {
    std::atomic_ref<std::size_t> cursor(range.used);
    std::size_t old = cursor.load(std::memory_order_relaxed);
    for (;;) {
      std::size_t begin = round_up(old, align);
      if (begin + size > range.size) break;
      if (cursor.compare_exchange_weak(old, begin + size, std::memory_order_relaxed)) return reinterpret_cast<void*>(range.start + begin);
    }
  }
  return nullptr;
}

std::size_t GrowingRegion::used() const {
  std::size_t sum = 0;
  for (const Range& range : ranges_)
    sum += std::atomic_ref<std::size_t>(const_cast<std::size_t&>(range.used)).load(std::memory_order_relaxed);
  return sum;
}

}  // namespace hathi::shmem
