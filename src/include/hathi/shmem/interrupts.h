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
  volatile std::sig_atomic_t wake_up;           // SIGUSR1: somebody wants this process to look at its work (the latch is set too)
  volatile std::sig_atomic_t in_blocking_call;  // set by whoever blocks in a system call on a socket, see BlockingCall
};
extern InterruptFlags interrupt_flags;

// Handlers of a child process: SIGINT cancel, SIGTERM terminate, SIGHUP reload, SIGUSR1 wake-up, SIGALRM timers, SIGQUIT ends the process at
// once with status 2, SIGPIPE ignored. They set flags, `any` and the latch. Clears what the parent had pending.
void install_child_signal_handlers();
// Raises a request as its signal would (timers, the session's socket code).
void raise_interrupt(volatile std::sig_atomic_t InterruptFlags::*flag);
// Forgets a cancel that arrived too late (between statements).
void discard_cancel();

// Throws SqlError(57014 …) or fatal 57P01 when a request is pending and interrupts are not held. Call it in every loop
// that may run long, never while an LWLock is held.
void serve_interrupts();
inline void check_interrupts() { if (interrupt_flags.any) [[unlikely]] serve_interrupts(); }

// While in scope check_interrupts() does nothing (critical sections, commit).
class HoldInterrupts {
 public:
  HoldInterrupts() { ++count_; }
  ~HoldInterrupts() { --count_; }
  HoldInterrupts(const HoldInterrupts&) = delete;
  HoldInterrupts& operator=(const HoldInterrupts&) = delete;
  static bool held() { return count_ > 0; }
  // For owners whose hold does not follow a scope (LWLocks).
  static void begin() { ++count_; }
  static void end() { --count_; }
  static void reset() { count_ = 0; }
 private:
  static inline int count_ = 0;
};

// Round a system call that waits for a peer: `BlockingCall call; if (!interrupt_flags.any) n = recv(…);`. A signal that comes between
// the check and the call repeats until the scope ends, so the call always returns (EINTR) - without a second system call a message.
class BlockingCall {
 public:
  BlockingCall() { interrupt_flags.in_blocking_call = 1; }
  ~BlockingCall() { interrupt_flags.in_blocking_call = 0; }
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;
};

// Time-outs that raise an interrupt. Arming one that is armed moves it. Cheap: the kernel's timer is only touched when the next
// deadline comes nearer.
enum class Timer : int { statement, idle_in_transaction, idle_session, login, nudge };
inline constexpr int kTimerCount = 5;
void arm_timer(Timer timer, int milliseconds);
void disarm_timer(Timer timer);
bool timer_is_armed(Timer timer);

// Postmaster death: children have PR_SET_PDEATHSIG, and long waits look at this.
bool postmaster_is_alive();

}  // namespace hathi
