#pragma once
// What every backend is doing, for pg_stat_activity.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hathi::session {

enum class ActivityState : std::uint8_t { undefined, idle, active, idle_in_transaction, idle_in_failed_transaction, disabled };
const char* activity_state_name(ActivityState state);  // "idle in transaction (aborted)"

// Shared memory: one entry a process slot.
std::size_t activity_size();
void activity_init(void* memory);

// This process's entry. begin: when the session has its slot; end: before it gives the slot back.
void begin_activity(int client_port, std::string_view client_address);  // -1 and "" = Unix socket
void end_activity();
// A change of state; text: the statement (empty: keep the last one). Cheap when nothing changes; does nothing when track_activities is off.
void report_activity(ActivityState state, std::string_view text = {});

// Times are microseconds since 2000-01-01, 0 = none.
struct Activity {
  ActivityState state = ActivityState::undefined;
  std::string application_name, query;
  std::int64_t backend_start = 0, transaction_start = 0, query_start = 0, state_change = 0;
  int client_port = -1;
  std::string client_address;   // as text, "" = Unix socket
};
// A consistent copy of a slot's entry; false when it has none.
bool read_activity(int slot, Activity& copy);

// The queue of notifications, another subsystem of shared memory (notify_queue.cpp).
std::size_t notify_queue_size();
void notify_queue_init(void* memory);

// Functions behind pg_settings, pg_locks, pg_stat_activity, pg_cancel_backend and their kin.
void register_session_functions();

}  // namespace hathi::session
