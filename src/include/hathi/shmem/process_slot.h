#pragma once
// One slot a process (PGPROC): the cold members. What a snapshot reads of every process is out of band, in the dense
// arrays of transaction/process_array.h.

#include <atomic>
#include <cstdint>

#include "hathi/base/ids.h"

namespace hathi::shmem {

enum class ProcessKind : std::uint8_t {
  none, postmaster, startup, backend, checkpointer, wal_writer, background_writer, autovacuum_launcher, autovacuum_worker
};
// "client backend", "checkpointer", … as pg_stat_activity.backend_type shows it.
const char* process_kind_name(ProcessKind kind);

// A wake-up flag that a process waits on: one futex word, private to no one.
// set() from any process makes the owner's wait() return; the owner resets before it looks at its work.
class Latch {
 public:
  void set();
  void reset();
  bool is_set() const;
  // Waits until set or timeout_ms (-1 = for ever) passed; returns whether it was set. Signals end the wait early (false).
  // The caller loops and calls check_interrupts(): handlers set the latch after their flag, so no request is slept through.
  bool wait(int timeout_ms);
 private:
  std::atomic<std::uint32_t> word_{0};   // bit 0: set; bit 1: the owner sleeps
};

// What a process waits for, as pg_stat_activity shows it. Names are string literals, valid in every process.
struct WaitEvent { const char* type; const char* name; };

// Locking: `in_use`, `kind`, `pid` are written by the process that took the slot off its free list (lock-free stack). Members up to `latch` are
// written by the owner only and may be read by anyone (atomics, or fields that do not change while in use). Lock-queue members belong to locking/
// (see its README).
struct alignas(128) ProcessSlot {
  std::atomic<std::uint32_t> in_use;
  ProcessKind kind;
  std::atomic<std::int32_t> pid;
  std::int32_t number;                     // index in the slot array = backend id
  std::atomic<std::uint32_t> database;     // Oid, 0 = none
  std::atomic<std::uint32_t> role;
  std::atomic<const WaitEvent*> wait_event;  // nullptr = not waiting
  Latch latch;
  std::atomic<std::uint32_t> lwlock_wait;  // futex word of locking/lwlock
  std::int32_t lwlock_next;                // queue link: slot number, -1 = none
  std::uint8_t lwlock_mode;
  std::int32_t array_position;             // index in the dense arrays, -1 = not in them (process_array's lock)
  std::uint64_t local_transaction_number;  // with number: the virtual transaction id
  std::atomic<std::uint64_t> virtual_xact; // the local number while a transaction runs, 0 otherwise
  std::int32_t cancel_key;
  std::atomic<std::uint32_t> extension_relation;  // relation whose extension slot this process holds, 0 = none
  std::atomic<std::uint8_t> admitted;      // it counts as one of the max_connections sessions
};

std::size_t process_slots_size();
void process_slots_init(void* memory);

// Number of slots: max_connections + those for logins in progress + auxiliary processes + autovacuum workers. Slots keep their
// numbers; local_transaction_number goes on counting from one owner to the next.
int slot_count();
// The same before the segment exists, from the settings (for the sizes of arrays by slot).
int planned_slot_count();
ProcessSlot& slot(int number);
// This process's slot. Asserted to exist.
ProcessSlot& my_slot();
bool has_slot();

// Takes a free slot for this process from its kind's share. Backends: there are more slots than sessions may exist, so that a login in
// progress takes none away; hold one only while the catalog is read, not while the client is waited for, until the session is
// admitted. Waits a moment when logins hold all spare ones, then throws 53300.
void acquire_slot(ProcessKind kind);
// Counts this process as one of the max_connections sessions; call when the client has authenticated. Throws fatal 53300
// "sorry, too many clients already", or "remaining connection slots are reserved …" unless is_superuser.
void admit_session(bool is_superuser);
// Sessions that are admitted now. Readable by the postmaster at any time.
int session_count();
// Gives the slot back (and the session's place): after locks are released and the process array left.
void release_slot();
// The slot's latch, or a private one while this process has no slot.
Latch& my_latch();

// Shows what this process waits for while in scope.
class WaitScope {
 public:
  explicit WaitScope(const WaitEvent& event);
  ~WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;
 private:
  const WaitEvent* previous_;
};

}  // namespace hathi::shmem
