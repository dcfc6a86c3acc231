#pragma once
// What happens between statements: time-outs of idle sessions, reloads, what pg_stat_activity shows.

#include "hathi/session/session.h"

namespace hathi::session {

void before_reading(Session& session);
void after_reading(Session& session);
// Called when a signal interrupted the wait for a message: throws the fatal errors of termination and idle time-outs.
void serve_idle_interrupts();
// The client left in the middle of a transaction.
void abort_session_transaction(Session& session);
// Handlers of a backend's signals and timers.
void install_signal_handlers();

}  // namespace hathi::session
