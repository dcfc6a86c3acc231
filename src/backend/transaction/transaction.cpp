// The life of a transaction.

#include "hathi/transaction/transaction.h"

#include <sys/time.h>

#include <algorithm>
#include <optional>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lwlock.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/wal/log.h"
#include "relation_storage.h"
#include "shared.h"
#include "snapshot_export.h"
#include "state.h"

namespace hathi::transaction {

namespace {

struct Hooks {
  std::vector<EventHook> events;
  std::vector<SubEventHook> subtransaction;
  DescriptorHook mark = nullptr;
  DescriptorHook publish = nullptr;
};
Hooks& hooks() {
  static Hooks instance;
  return instance;
}

// Never destroyed: a process may exit while it holds locks; release_all_at_exit() takes care of them.
locking::ResourceOwner& top_owner() {
  static locking::ResourceOwner& owner = *new locking::ResourceOwner(nullptr);
  return owner;
}

// Hooks for commit and abort must not throw; if one does, the others still run.
void run_hooks_safely(Event event) {
  for (EventHook hook : hooks().events) {
    try {
      hook(event);
    } catch (const std::exception& e) {
      report_warning(sqlstate::internal_error, "error at the end of a transaction: {}", e.what());
    }
  }
}

// What is left once the outcome is recorded. Never throws.
void clean_up(bool commit) {
  State& s = state();
  run_hooks_safely(commit ? Event::commit : Event::abort);
  top_owner().release_all();
  finish_storage(commit);
  locking::end_virtual_transaction();
  forget_transaction_snapshot();
  forget_exported_snapshots();
  reset_combos();
  if (my_entry().in_vacuum.load(std::memory_order_relaxed) != 0) set_vacuum_flag(false);
  s.live.clear();
  s.changed_descriptors.clear();
}

void forget() {
  State& s = state();
  s.levels.clear();
  s.block = BlockState::none;
  s.undone = false;
}

// Rolls everything back; only the block's frame may stay. Never throws.
void undo_all() {
  State& s = state();
  HoldInterrupts hold;
  locking::release_all_lwlocks();
  while (s.levels.size() > 1) undo_innermost();
  buffer::release_all_at_abort();
  if (!s.live.empty()) {
    try {
      record_abort();
    } catch (const std::exception& e) {
      // Without a record it counts as aborted all the same: it is neither running nor committed.
      report_warning(sqlstate::internal_error, "could not record the end of an aborted transaction: {}", e.what());
      locking::release_all_lwlocks();
      buffer::release_all_at_abort();
    }
    end_running(s.live.back());
  }
  clean_up(false);
  config::at_end_of_level(1, false);
}

Xid assign_xid(std::size_t depth) {
  State& s = state();
  Level& level = s.levels[depth];
  if (level.xid != kInvalidXid) return level.xid;
  HATHI_ASSERT(!level.undone && !s.undone);
  if (depth > 0) {
    assign_xid(depth - 1);
    s.live.reserve(s.live.size() + 1);
    level.xid = assign_sub_xid();
    s.live.push_back(level.xid);
    set_top_level(level.xid, s.live.front());
  } else {
    s.live.reserve(4);
    level.xid = assign_top_xid();
    s.live.push_back(level.xid);
  }
  locking::ResourceOwner& owner = depth > 0 ? *level.owner : top_owner();
  locking::acquire(owner, locking::LockTag::transaction_tag(level.xid), locking::LockMode::exclusive);
  return level.xid;
}

}  // namespace

State& state() {
  static State instance;
  return instance;
}

std::int64_t now_microseconds() {
  timeval now{};
  gettimeofday(&now, nullptr);
  constexpr std::int64_t kSecondsTo2000 = 946684800;
  return (now.tv_sec - kSecondsTo2000) * 1000000 + now.tv_usec;
}

const char* isolation_name(Isolation isolation) {
  switch (isolation) {
    case Isolation::read_uncommitted: return "read uncommitted";
    case Isolation::read_committed: return "read committed";
    case Isolation::repeatable_read: return "repeatable read";
    case Isolation::serializable: return "serializable";
  }
  return "read committed";
}

void start() {
  State& s = state();
  HATHI_ASSERT(s.block == BlockState::none);
  std::uint64_t number = ++shmem::my_slot().local_transaction_number;
  locking::begin_virtual_transaction(number);
  if (s.statement_timestamp == 0) s.statement_timestamp = now_microseconds();
  s.transaction_timestamp = s.statement_timestamp;
  s.block = BlockState::implicit;
  s.undone = s.first_snapshot_taken = s.command_used = false;
  s.command = kFirstCommandId;
  s.records_before = wal::own_record_count();
  s.levels.clear();
  s.levels.emplace_back();
  config::values::transaction_isolation = config::values::default_transaction_isolation;
  config::values::transaction_read_only = config::values::default_transaction_read_only;
  config::values::transaction_deferrable = config::values::default_transaction_deferrable;
  config::at_start_of_level(1);
}

void begin_block() {
  HATHI_ASSERT(state().block == BlockState::implicit);
  state().block = BlockState::in_block;
}

void commit() {
  State& s = state();
  HATHI_ASSERT(s.block == BlockState::implicit || s.block == BlockState::in_block);
  while (s.levels.size() > 1) commit_subtransaction();
  s.block = BlockState::implicit;   // an error from here on (deferred constraints) ends the whole transaction
  for (EventHook hook : hooks().events) hook(Event::pre_commit);
  HoldInterrupts hold;
  // A checkpoint with its redo point between the record and the removal of files would leave them behind in a crash.
  std::optional<wal::DelayCheckpoint> delay;
  if (drops_something()) delay.emplace();
  // In this order: outcome on disk and in the commit log, descriptors marked, xid out of the process array, descriptors published, locks.
  if (!s.live.empty()) {
    record_commit();
    std::vector<std::uint32_t>& slots = s.changed_descriptors;
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    if (!slots.empty() && hooks().mark != nullptr) hooks().mark(slots);
    end_running(s.live.back());
    if (!slots.empty() && hooks().publish != nullptr) hooks().publish(slots);
  } else if (!s.changed_descriptors.empty() && hooks().mark != nullptr) {
    hooks().mark(s.changed_descriptors);
    hooks().publish(s.changed_descriptors);
  }
  clean_up(true);
  config::at_end_of_level(1, true);
  buffer::check_for_leaked_pins();
  forget();
}

void abort() {
  State& s = state();
  if (s.block == BlockState::none) return;
  if (!s.undone) undo_all();
  forget();
}

void mark_failed() {
  State& s = state();
  HATHI_ASSERT(s.block != BlockState::none);
  if (s.block == BlockState::failed) return;
  s.block = BlockState::failed;
  if (s.levels.size() > 1) {
    undo_work_of_innermost();
  } else {
    undo_all();
    s.undone = true;
  }
}

BlockState block_state() { return state().block; }
bool is_running() { return state().block != BlockState::none; }
int nesting_level() { return state().levels.empty() ? 0 : state().level().nesting; }

Xid current_xid() {
  HATHI_ASSERT(is_running());
  Level& level = state().level();
  return level.xid != kInvalidXid ? level.xid : assign_xid(state().levels.size() - 1);
}
Xid current_xid_if_any() { return state().levels.empty() ? kInvalidXid : state().level().xid; }
Xid top_xid_if_any() { return state().live.empty() ? kInvalidXid : state().live.front(); }

bool is_current(Xid xid) {
  const std::vector<Xid>& live = state().live;
  if (live.empty() || xid < live.front()) return false;
  return xid == live.front() || (live.size() > 1 && std::binary_search(live.begin() + 1, live.end(), xid));
}

CommandId current_command(bool used) {
  State& s = state();
  s.command_used = s.command_used || used;
  return s.command;
}

void advance_command() {
  State& s = state();
  // A command that changed nothing needs no number of its own.
  if (!s.command_used) return;
  if (s.command.value() >= kInvalidCommandId.value() - 1)
    throw SqlError(sqlstate::program_limit_exceeded, "cannot have more than 2^32-2 commands in a transaction");
  ++s.command;
  s.command_used = false;
}

Isolation isolation() { return static_cast<Isolation>(config::values::transaction_isolation); }

void set_isolation(Isolation isolation_level) {
  if (state().first_snapshot_taken && isolation_level != isolation())
    throw SqlError(sqlstate::active_sql_transaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query");
  if (nesting_level() > 1 && isolation_level != isolation())
    throw SqlError(sqlstate::active_sql_transaction, "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
  config::values::transaction_isolation = static_cast<int>(isolation_level);
}

bool is_read_only() { return config::values::transaction_read_only; }

void set_read_only(bool read_only) {
  if (!read_only && is_read_only()) {
    if (nesting_level() > 1) throw SqlError(sqlstate::active_sql_transaction, "cannot set transaction read-write mode inside a read-only transaction");
    if (state().first_snapshot_taken) throw SqlError(sqlstate::active_sql_transaction, "transaction read-write mode must be set before any query");
  }
  config::values::transaction_read_only = read_only;
}

bool is_deferrable() { return config::values::transaction_deferrable; }

void set_deferrable(bool deferrable) {
  if (nesting_level() > 1) throw SqlError(sqlstate::active_sql_transaction, "SET TRANSACTION [NOT] DEFERRABLE cannot be called within a subtransaction");
  if (state().first_snapshot_taken) throw SqlError(sqlstate::active_sql_transaction, "SET TRANSACTION [NOT] DEFERRABLE must be called before any query");
  config::values::transaction_deferrable = deferrable;
}

std::int64_t transaction_timestamp() { return state().transaction_timestamp; }
std::int64_t statement_timestamp() { return state().statement_timestamp; }
void set_statement_timestamp(std::int64_t microseconds) { state().statement_timestamp = microseconds; }

void require_writable(std::string_view command) {
  if (is_read_only()) throw SqlError(sqlstate::read_only_sql_transaction, "cannot execute {} in a read-only transaction", command);
}

void require_no_block(std::string_view command) {
  if (state().block == BlockState::in_block || state().block == BlockState::failed)
    throw SqlError(sqlstate::active_sql_transaction, "{} cannot run inside a transaction block", command);
  if (nesting_level() > 1) throw SqlError(sqlstate::active_sql_transaction, "{} cannot run inside a subtransaction", command);
}

void require_block(std::string_view command) {
  if (state().block == BlockState::in_block || state().block == BlockState::failed || nesting_level() > 1) return;
  throw SqlError(sqlstate::no_active_sql_transaction, "{} can only be used in transaction blocks", command);
}

locking::ResourceOwner& owner() {
  State& s = state();
  return s.levels.size() > 1 ? *s.level().owner : top_owner();
}

locking::ResourceOwner& session_owner() {
  static locking::ResourceOwner& owner = *new locking::ResourceOwner(nullptr);
  return owner;
}

void register_hook(EventHook hook) { hooks().events.push_back(hook); }
void register_subtransaction_hook(SubEventHook hook) { hooks().subtransaction.push_back(hook); }
void set_descriptor_hooks(DescriptorHook mark, DescriptorHook publish) {
  hooks().mark = mark;
  hooks().publish = publish;
}
void note_changed_descriptor(std::uint32_t version_slot) { state().changed_descriptors.push_back(version_slot); }

void run_subtransaction_hooks(Event event, int nesting) {
  for (SubEventHook hook : hooks().subtransaction) {
    try {
      hook(event, nesting);
    } catch (const std::exception& e) {
      report_warning(sqlstate::internal_error, "error at the end of a subtransaction: {}", e.what());
    }
  }
}

}  // namespace hathi::transaction
