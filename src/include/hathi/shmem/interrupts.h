#pragma once
// Requests that arrive by signal and are served at safe points.

#include <atomic>
#include <csignal>

namespace hathi {

// Set by signal handlers (and timers); looked at by check_interrupts().
struct InterruptFlags {
  volatile std::sig_atomic_t any;             // some flag below is set
  volatile std::sig_atomic_t cancel_query;    // SIGINT
  volatile std::sig_atomic_t terminate;       // SIGTERM
  volatile std::sig_atomic_t statement_timeout;
  volatile std::sig_atomic_t lock_timeout;
  volatile std::sig_atomic_t idle_timeout;    // idle_in_transaction_session_timeout
  volatile std::sig_atomic_t idle_session_timeout;
  volatile std::sig_atomic_t reload_config;   // SIGHUP; served between statements only
  volatile std::sig_atomic_t client_gone;
};
extern InterruptFlags interrupt_flags;

// Throws SqlError(57014 …) or fatal 57P01 when a request is pending and interrupts are not held. Call it in every loop
// that may run long, never while an LWLock is held.
void serve_interrupts();
inline void check_interrupts() { if (interrupt_flags.any) [[unlikely]] serve_interrupts(); }

// While in scope check_interrupts() does nothing (critical sections, commit).
class HoldInterrupts {
 public:
  HoldInterrupts();
  ~HoldInterrupts();
};

// Postmaster death: children have PR_SET_PDEATHSIG, and long waits look at this.
bool postmaster_is_alive();

}  // namespace hathi
