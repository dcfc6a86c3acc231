#include "notify_queue.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/locking/lwlock.h"
#include "hathi/session/activity.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/segment.h"

namespace hathi::session {

namespace {

constexpr std::size_t kRing = std::size_t{16} << 20;   // pages that were never written cost nothing

// An entry of the ring; 8-byte aligned, never split: database 0 fills the ring's end.
struct EntryHeader {
  std::uint32_t size;            // with this header
  std::uint32_t database;
  std::int32_t sender;
  std::uint16_t channel_size, payload_size;
  // channel and payload follow
};
static_assert(sizeof(EntryHeader) == 16);

// Locking: `lock`, held shared suffices for the owner of `position`; `woken` is cleared by the listener before it looks.
struct Listener {
  std::atomic<std::uint64_t> position;   // bytes ever published that it has passed; its owner moves it
  std::uint32_t database;
  std::int32_t pid;
  std::atomic<std::uint32_t> woken;
};

// Locking: `lock` covers everything, the ring too.
struct Queue {
  locking::LwLock lock;
  std::uint64_t head;            // bytes ever published
  std::int32_t count;            // of `listening`
  // Then Listener[slots], int listening[slots], the ring.
};

Queue* queue = nullptr;
Listener* listeners = nullptr;
std::int32_t* listening = nullptr;
char* ring = nullptr;
bool joined = false;             // this process is a listener

const shmem::WaitEvent kWait{"LWLock", "NotifyQueue"};

std::size_t listeners_size() { return static_cast<std::size_t>(shmem::planned_slot_count()) * sizeof(Listener); }
std::size_t numbers_size() { return (static_cast<std::size_t>(shmem::planned_slot_count()) * sizeof(std::int32_t) + 63) / 64 * 64; }

std::uint64_t tail() {
  std::uint64_t oldest = queue->head;
  for (int i = 0; i < queue->count; ++i) oldest = std::min(oldest, listeners[listening[i]].position.load());
  return oldest;
}

EntryHeader& entry_at(std::uint64_t position) { return *reinterpret_cast<EntryHeader*>(ring + position % kRing); }

// Makes the next `size` bytes contiguous and returns where they are.
char* place(std::uint32_t size) {
  std::size_t to_end = kRing - queue->head % kRing;
  if (to_end < size) {
    EntryHeader& filler = entry_at(queue->head);
    // Less room than a header cannot be: sizes are multiples of 16.
    filler = {static_cast<std::uint32_t>(to_end), 0, 0, 0, 0};
    queue->head += to_end;
  }
  char* at = ring + queue->head % kRing;
  queue->head += size;
  return at;
}

}  // namespace

std::size_t notify_queue_size() { return 128 + sizeof(Queue) + listeners_size() + numbers_size() + kRing; }

void notify_queue_init(void* memory) {
  static_assert(shmem::Shareable<Queue> && shmem::Shareable<Listener>);
  auto* at = static_cast<char*>(memory);
  queue = reinterpret_cast<Queue*>(at);
  at += (sizeof(Queue) + 63) / 64 * 64;
  listeners = reinterpret_cast<Listener*>(at);
  at += listeners_size();
  listening = reinterpret_cast<std::int32_t*>(at);
  at += numbers_size();
  ring = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(at) + 15) / 16 * 16);
  queue->lock.init(locking::LockRank::leaf, &kWait);
}

void join_notify_queue() {
  if (joined) return;
  locking::LwLockGuard guard(queue->lock, locking::LwMode::exclusive);
  int number = shmem::my_slot().number;
  Listener& me = listeners[number];
  me.position = queue->head;
  me.database = raw(catalog::current_database());
  me.pid = getpid();
  me.woken.store(0);
  listening[queue->count++] = number;
  joined = true;
}

void leave_notify_queue() {
  if (!joined) return;
  locking::LwLockGuard guard(queue->lock, locking::LwMode::exclusive);
  std::int32_t* end = std::remove(listening, listening + queue->count, shmem::my_slot().number);
  queue->count = static_cast<std::int32_t>(end - listening);
  joined = false;
}

std::vector<Notification> take_notifications() {
  std::vector<Notification> taken;
  if (!joined) return taken;
  Listener& me = listeners[shmem::my_slot().number];
  me.woken.store(0);
  locking::LwLockGuard guard(queue->lock, locking::LwMode::shared);
  while (me.position.load() < queue->head) {
    const EntryHeader& entry = entry_at(me.position.load());
    if (entry.database == me.database) {
      const char* text = reinterpret_cast<const char*>(&entry + 1);
      taken.push_back({std::string(text, entry.channel_size), std::string(text + entry.channel_size, entry.payload_size), entry.sender});
    }
    me.position += entry.size;
  }
  return taken;
}

std::size_t notify_entry_size(std::string_view channel, std::string_view payload) {
  return (sizeof(EntryHeader) + channel.size() + payload.size() + 15) / 16 * 16;
}

void require_notify_room(std::size_t bytes) {
  constexpr std::size_t kLongestFiller = 16384;
  locking::LwLockGuard guard(queue->lock, locking::LwMode::shared);
  if (queue->head - tail() + bytes + kLongestFiller <= kRing) return;
  throw SqlError(sqlstate::program_limit_exceeded, "too many notifications in the NOTIFY queue");
}

void publish_notifications(const std::vector<Notification>& notifications) {
  std::uint32_t database = raw(catalog::current_database());
  locking::LwLockGuard guard(queue->lock, locking::LwMode::exclusive);
  bool heard = false;
  for (int i = 0; i < queue->count; ++i) heard = heard || listeners[listening[i]].database == database;
  if (!heard) return;
  for (const Notification& n : notifications) {
    auto size = static_cast<std::uint32_t>(notify_entry_size(n.channel, n.payload));
    char* at = place(size);
    EntryHeader header{size, database, getpid(), static_cast<std::uint16_t>(n.channel.size()), static_cast<std::uint16_t>(n.payload.size())};
    std::memcpy(at, &header, sizeof header);
    std::memcpy(at + sizeof header, n.channel.data(), n.channel.size());
    std::memcpy(at + sizeof header + n.channel.size(), n.payload.data(), n.payload.size());
  }
  for (int i = 0; i < queue->count; ++i) {
    Listener& other = listeners[listening[i]];
    if (other.pid != getpid() && other.woken.exchange(1) == 0) kill(other.pid, SIGUSR1);
  }
}

double notify_queue_usage() {
  locking::LwLockGuard guard(queue->lock, locking::LwMode::shared);
  return static_cast<double>(queue->head - tail()) / static_cast<double>(kRing);
}

}  // namespace hathi::session
