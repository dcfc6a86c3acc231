#include "hathi/session/activity.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"
#include "hathi/locking/lock_table.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/segment.h"
#include "hathi/statistics/counters.h"
#include "hathi/transaction/transaction.h"

namespace hathi::session {

namespace {

constexpr std::size_t kNameRoom = 64;

// Locking: written by the owner only; readers copy it and take the copy when `version` was even and the same before and after.
struct alignas(64) Entry {
  std::atomic<std::uint32_t> version;
  ActivityState state;
  std::int32_t client_port;
  std::int64_t backend_start, transaction_start, query_start, state_change;
  std::uint32_t query_length;
  char application_name[kNameRoom];
  char client_address[kNameRoom];
  // The statement's text follows, track_activity_query_size bytes.
};

std::byte* entries = nullptr;
std::size_t stride = 0;
std::size_t query_room = 0;

std::size_t planned_stride() {
  return (sizeof(Entry) + static_cast<std::size_t>(config::values::track_activity_query_size) + 63) / 64 * 64;
}

Entry& entry_of(int slot) { return *reinterpret_cast<Entry*>(entries + static_cast<std::size_t>(slot) * stride); }
char* query_of(Entry& entry) { return reinterpret_cast<char*>(&entry + 1); }

std::int64_t now_us() {
  constexpr std::int64_t kUnixToPostgres = 946684800LL * 1000000;
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count() - kUnixToPostgres;
}

// While in scope readers know that the entry is being changed.
class Change {
 public:
  explicit Change(Entry& entry) : entry_(entry) {
    entry_.version.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~Change() { entry_.version.fetch_add(1, std::memory_order_release); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  Entry& entry_;
};

// A whole number of characters that fits.
std::string_view cut(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text;
  std::size_t end = room;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

bool has_entry() { return entries != nullptr && shmem::has_slot() && entry_of(shmem::my_slot().number).backend_start != 0; }

// How long the session has been in the state it leaves now.
void count_time(const Entry& entry, std::int64_t now) {
  using statistics::DatabaseEvent;
  static std::int64_t counted_until = 0;
  std::int64_t since = entry.state_change != 0 ? entry.state_change : entry.backend_start;
  auto in_state = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - since));
  if (entry.state == ActivityState::active) statistics::count(DatabaseEvent::active_microsecond, in_state);
  if (entry.state == ActivityState::idle_in_transaction || entry.state == ActivityState::idle_in_failed_transaction) {
    statistics::count(DatabaseEvent::idle_in_transaction_microsecond, in_state);
  }
  if (counted_until < entry.backend_start) counted_until = entry.backend_start;
  if (now > counted_until) statistics::count(DatabaseEvent::session_microsecond, static_cast<std::uint64_t>(now - counted_until));
  counted_until = std::max(now, counted_until);
}

std::string activity_of(int slot) {
  Activity activity;
  return read_activity(slot, activity) ? activity.query : std::string("<command string not enabled>");
}

}  // namespace

const char* activity_state_name(ActivityState state) {
  static const char* const names[] = {"", "idle", "active", "idle in transaction", "idle in transaction (aborted)", "disabled"};
  return names[static_cast<int>(state)];
}

std::size_t activity_size() { return 64 + static_cast<std::size_t>(shmem::planned_slot_count()) * planned_stride(); }

void activity_init(void* memory) {
  static_assert(shmem::Shareable<Entry>);
  entries = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory) + 63) / 64 * 64);
  stride = planned_stride();
  query_room = static_cast<std::size_t>(config::values::track_activity_query_size) - 1;
  locking::set_activity_hook(activity_of);
  // Zero, as the kernel gave it, is "no entry".
}

void note_application_name() {
  if (!has_entry()) return;
  Entry& entry = entry_of(shmem::my_slot().number);
  Change change(entry);
  std::memset(entry.application_name, 0, kNameRoom);
  const std::string& name = config::values::application_name;
  std::memcpy(entry.application_name, name.data(), std::min(name.size(), kNameRoom - 1));
}

void begin_activity(int client_port, std::string_view client_address) {
  Entry& entry = entry_of(shmem::my_slot().number);
  {
    Change change(entry);
    entry.state = ActivityState::undefined;
    entry.client_port = client_port;
    std::memset(entry.client_address, 0, kNameRoom);
    std::memcpy(entry.client_address, client_address.data(), std::min(client_address.size(), kNameRoom - 1));
    entry.backend_start = now_us();
    entry.transaction_start = entry.query_start = entry.state_change = 0;
    entry.query_length = 0;
  }
  note_application_name();
}

void end_activity() {
  if (!has_entry()) return;
  Entry& entry = entry_of(shmem::my_slot().number);
  Change change(entry);
  entry.backend_start = 0;
}

void report_activity(ActivityState state, std::string_view text) {
  if (!has_entry()) return;
  Entry& entry = entry_of(shmem::my_slot().number);
  if (!config::values::track_activities) [[unlikely]] {
    if (entry.state == ActivityState::disabled) return;
    Change change(entry);
    entry.state = ActivityState::disabled;
    entry.transaction_start = entry.query_start = entry.state_change = 0;
    entry.query_length = 0;
    return;
  }
  std::string_view shown = cut(text, query_room);
  bool same_text = text.empty() || (shown.size() == entry.query_length && std::memcmp(query_of(entry), shown.data(), shown.size()) == 0);
  std::int64_t transaction_start = transaction::is_running() ? transaction::transaction_timestamp() : 0;
  if (same_text && state == entry.state && transaction_start == entry.transaction_start) return;
  bool begins = state == ActivityState::active && entry.state != ActivityState::active;
  std::int64_t now = begins ? transaction::statement_timestamp() : now_us();
  if (state != entry.state) count_time(entry, now);
  Change change(entry);
  if (state != entry.state) entry.state_change = now;
  if (begins || !same_text) entry.query_start = transaction::statement_timestamp();
  entry.state = state;
  entry.transaction_start = transaction_start;
  if (same_text) return;
  std::memcpy(query_of(entry), shown.data(), shown.size());
  entry.query_length = static_cast<std::uint32_t>(shown.size());
}

bool read_activity(int slot, Activity& copy) {
  if (entries == nullptr) return false;
  Entry& entry = entry_of(slot);
  for (int tries = 0; tries < 1000; ++tries) {
    std::uint32_t before = entry.version.load(std::memory_order_acquire);
    if ((before & 1) != 0) continue;
    bool used = entry.backend_start != 0;
    if (used) {
      copy.state = entry.state;
      copy.client_port = entry.client_port;
      copy.client_address.assign(entry.client_address, strnlen(entry.client_address, kNameRoom));
      copy.backend_start = entry.backend_start;
      copy.transaction_start = entry.transaction_start;
      copy.query_start = entry.query_start;
      copy.state_change = entry.state_change;
      copy.application_name.assign(entry.application_name, strnlen(entry.application_name, kNameRoom));
      copy.query.assign(query_of(entry), std::min<std::size_t>(entry.query_length, query_room));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (entry.version.load(std::memory_order_relaxed) == before) return used;
  }
  return false;
}

}  // namespace hathi::session
