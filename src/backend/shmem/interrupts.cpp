#include "hathi/shmem/interrupts.h"

#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "hathi/error/sql_error.h"
#include "hathi/shmem/client_watch.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/quit.h"

namespace hathi {

InterruptFlags interrupt_flags{};

namespace {

pid_t parent_at_start = 0;

// Deadlines in nanoseconds of the monotonic clock, 0 = not armed. Written by the process and its SIGALRM handler; the handler
// only reads deadlines and clears those that passed, so a lost update is at worst one early look.
constexpr int kClientWatch = kTimerCount, kAllTimers = kTimerCount + 1;   // one more, for watch_client()
volatile std::int64_t deadlines[kAllTimers];
volatile std::int64_t programmed = 0;  // when the kernel's timer will fire, 0 = never

volatile std::sig_atomic_t watched_socket = -1, watch_interval = 0;

constexpr std::int64_t kMillisecond = 1000000;
constexpr int kNudgeMilliseconds = 20;

std::int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * std::int64_t{1000000000} + t.tv_nsec;
}

void program(std::int64_t deadline, std::int64_t current) {
  programmed = deadline;
  std::int64_t left = (deadline > current ? deadline - current : 0) / 1000 + 1;  // microseconds, never 0
  itimerval timer{};
  timer.it_value.tv_sec = left / 1000000;
  timer.it_value.tv_usec = left % 1000000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void arm(int index, int milliseconds) {
  std::int64_t current = now();
  std::int64_t deadline = current + milliseconds * kMillisecond;
  deadlines[index] = deadline;
  if (programmed == 0 || deadline < programmed) program(deadline, current);
}

void request(volatile std::sig_atomic_t InterruptFlags::*flag) {
  interrupt_flags.*flag = 1;
  interrupt_flags.any = 1;
  if (interrupt_flags.in_blocking_call) arm_timer(Timer::nudge, kNudgeMilliseconds);
  shmem::my_latch().set();
}

// In the handler of SIGALRM: a running statement is disturbed only when its client has gone.
void look_at_client() {
  pollfd look{watched_socket, POLLRDHUP, 0};
  if (::poll(&look, 1, 0) > 0) request(&InterruptFlags::client_gone);
  else arm(kClientWatch, watch_interval);
}

void fire(Timer timer) {
  switch (timer) {
    case Timer::statement: request(&InterruptFlags::statement_timeout); break;
    case Timer::idle_in_transaction: request(&InterruptFlags::idle_timeout); break;
    case Timer::idle_session: request(&InterruptFlags::idle_session_timeout); break;
    // A client that does not log in in time gets no answer. A process that has touched shared memory ends in the orderly way.
    case Timer::login:
      if (!shmem::has_slot() && !HoldInterrupts::held()) _exit(1);
      request(&InterruptFlags::terminate);
      break;
    case Timer::nudge:
      if (interrupt_flags.in_blocking_call && (interrupt_flags.any || interrupt_flags.reload_config || interrupt_flags.wake_up)) {
        arm_timer(Timer::nudge, kNudgeMilliseconds);
      }
      break;
  }
}

void on_cancel(int) {
  int saved = errno;
  request(&InterruptFlags::cancel_query);
  errno = saved;
}
void on_terminate(int) {
  int saved = errno;
  request(&InterruptFlags::terminate);
  errno = saved;
}
// These two are not for check_interrupts(): `any` stays as it is.
void note(volatile std::sig_atomic_t InterruptFlags::*flag) {
  int saved = errno;
  interrupt_flags.*flag = 1;
  if (interrupt_flags.in_blocking_call) arm_timer(Timer::nudge, kNudgeMilliseconds);
  shmem::my_latch().set();
  errno = saved;
}
void on_reload(int) { note(&InterruptFlags::reload_config); }
void on_wake_up(int) { note(&InterruptFlags::wake_up); }
void (*quit_hook)(QuitReason) = nullptr;

void on_quit(int, siginfo_t* info, void*) {
  if (quit_hook != nullptr) quit_hook(info->si_code == SI_QUEUE ? static_cast<QuitReason>(info->si_value.sival_int) : QuitReason::unknown);
  _exit(2);
}

void on_alarm(int) {
  int saved = errno;
  programmed = 0;
  std::int64_t current = now();
  std::int64_t next = 0;
  for (int i = 0; i < kAllTimers; ++i) {
    std::int64_t deadline = deadlines[i];
    if (deadline == 0) continue;
    if (deadline <= current) {
      deadlines[i] = 0;
      if (i == kClientWatch) look_at_client();
      else fire(static_cast<Timer>(i));
      deadline = deadlines[i];
      if (deadline == 0) continue;
    }
    if (next == 0 || deadline < next) next = deadline;
  }
  if (next != 0 && (programmed == 0 || next < programmed)) program(next, current);
  errno = saved;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  action.sa_flags = 0;  // no SA_RESTART: blocking calls return, so that requests are looked at
  sigaction(number, &action, nullptr);
}

void handle_quit() {
  struct sigaction action {};
  action.sa_sigaction = on_quit;
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGQUIT, &action, nullptr);
}

// Takes a flag: true when it was set.
bool take(volatile std::sig_atomic_t InterruptFlags::*flag) {
  bool was = interrupt_flags.*flag != 0;
  interrupt_flags.*flag = 0;
  return was;
}

}  // namespace

void install_child_signal_handlers() {
  parent_at_start = getppid();
  interrupt_flags = InterruptFlags{};
  for (volatile std::int64_t& deadline : deadlines) deadline = 0;
  programmed = 0;
  handle(SIGINT, on_cancel);
  handle(SIGTERM, on_terminate);
  handle(SIGHUP, on_reload);
  handle(SIGUSR1, on_wake_up);
  handle(SIGALRM, on_alarm);
  handle_quit();
  handle(SIGPIPE, SIG_IGN);
  handle(SIGUSR2, SIG_IGN);
  handle(SIGCHLD, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
}

void set_quit_hook(void (*hook)(QuitReason reason)) { quit_hook = hook; }

void raise_interrupt(volatile std::sig_atomic_t InterruptFlags::*flag) { request(flag); }

void discard_cancel() {
  interrupt_flags.cancel_query = 0;
  interrupt_flags.statement_timeout = 0;
  interrupt_flags.lock_timeout = 0;
}

void serve_interrupts() {
  if (HoldInterrupts::held()) return;
  interrupt_flags.any = 0;
  if (take(&InterruptFlags::terminate)) {
    discard_cancel();
    throw SqlError(sqlstate::admin_shutdown, "terminating connection due to administrator command").fatal();
  }
  if (take(&InterruptFlags::client_gone)) {
    discard_cancel();
    throw SqlError(sqlstate::connection_failure, "connection to client lost").fatal();
  }
  bool lock = take(&InterruptFlags::lock_timeout), statement = take(&InterruptFlags::statement_timeout);
  bool cancel = take(&InterruptFlags::cancel_query);
  if (lock) throw SqlError(sqlstate::lock_not_available, "canceling statement due to lock timeout");
  if (statement) throw SqlError(sqlstate::query_canceled, "canceling statement due to statement timeout");
  if (cancel) throw SqlError(sqlstate::query_canceled, "canceling statement due to user request");
  if (take(&InterruptFlags::idle_timeout)) {
    throw SqlError(sqlstate::idle_in_transaction_session_timeout, "terminating connection due to idle-in-transaction timeout").fatal();
  }
  if (take(&InterruptFlags::idle_session_timeout)) {
    throw SqlError(sqlstate::idle_session_timeout, "terminating connection due to idle-session timeout").fatal();
  }
}

bool postmaster_is_alive() { return parent_at_start == 0 || getppid() == parent_at_start; }

void arm_timer(Timer timer, int milliseconds) { arm(static_cast<int>(timer), milliseconds); }

void watch_client(int socket, int milliseconds) {
  watched_socket = socket;
  watch_interval = milliseconds;
  arm(kClientWatch, milliseconds);
}

void stop_watching_client() { deadlines[kClientWatch] = 0; }

void disarm_timer(Timer timer) { deadlines[static_cast<int>(timer)] = 0; }
bool timer_is_armed(Timer timer) { return deadlines[static_cast<int>(timer)] != 0; }

}  // namespace hathi
