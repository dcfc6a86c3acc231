#include "children.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unordered_set>

#include "hathi/base/stack.h"
#include "hathi/config/server_settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/locking/lwlock.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_title.h"
#include "lock_files.h"

namespace hathi::postmaster {

namespace {

using shmem::ProcessKind;

// Descriptors a child keeps: the standard ones, then the data directory's lock and its socket, at fixed numbers so that the rest (which may
// be thousands of waiting connections) goes in one call.
constexpr int kLockDescriptor = 3;
constexpr int kSocketDescriptor = 4;

int keep_only(int socket) {
  // Out of the way first, so that neither overwrites the other.
  int lock = fcntl(directory_lock(), F_DUPFD, 10);
  int own = socket < 0 ? -1 : fcntl(socket, F_DUPFD, 10);
  dup3(lock, kLockDescriptor, O_CLOEXEC);
  int first = kLockDescriptor + 1;
  if (own >= 0) {
    dup3(own, kSocketDescriptor, O_CLOEXEC);
    first = kSocketDescriptor + 1;
  }
  syscall(SYS_close_range, static_cast<unsigned>(first), ~0u, 0u);
  return own < 0 ? -1 : kSocketDescriptor;
}

void (*part_for(const ServerParts& parts, ProcessKind kind))() {
  switch (kind) {
    case ProcessKind::startup: return parts.recover;
    case ProcessKind::checkpointer: return parts.checkpointer;
    case ProcessKind::wal_writer: return parts.wal_writer;
    case ProcessKind::background_writer: return parts.background_writer;
    case ProcessKind::autovacuum_launcher: return parts.autovacuum_launcher;
    default: return nullptr;
  }
}

int run_auxiliary(const ServerParts& parts, ProcessKind kind) {
  int status = 0;
  try {
    shmem::acquire_slot(kind);
    part_for(parts, kind)();
  } catch (const SqlError& error) {
    ErrorReport r = error.report();
    // SIGTERM is how such a process is ended.
    if (error.code() != sqlstate::admin_shutdown) {
      if (r.severity < Severity::fatal) r.severity = Severity::fatal;
      report(std::move(r));
      status = 1;
    }
  } catch (const std::exception& error) {
    ErrorReport r;
    r.severity = Severity::fatal;
    r.message = error.what();
    report(std::move(r));
    status = 1;
  }
  locking::release_all_lwlocks();
  if (shmem::has_slot()) {
    locking::release_all_at_exit();
    shmem::release_slot();
  }
  return status;
}

[[noreturn]] void run_child(const ServerParts& parts, ProcessKind kind, int socket, pid_t postmaster) {
  int status = 1;
  try {
    // SIGQUIT ends a process at once: orphans must not outlive the postmaster.
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != postmaster) _exit(1);
    set_stack_base();
    int own = keep_only(socket);
    shmem::set_process_title(shmem::process_kind_name(kind));
    install_child_signal_handlers();
    if (kind == ProcessKind::backend) {
      parts.backend(own);
      status = 0;
    } else {
      status = run_auxiliary(parts, kind);
    }
  } catch (...) { status = 1; }
  // Nothing is left to destroy that matters, and destructors of the postmaster's objects must not run here.
  _exit(status);
}

}  // namespace

pid_t Children::start(const ServerParts& parts, ProcessKind kind, int socket, void (*before_fork)(), void (*after_fork)()) {
  pid_t postmaster = getpid();
  sigset_t all, old;
  sigfillset(&all);
  if (before_fork != nullptr) before_fork();
  // No signal may reach the child while it still has the postmaster's handlers.
  sigprocmask(SIG_BLOCK, &all, &old);
  pid_t pid = fork();
  if (pid == 0) run_child(parts, kind, socket, postmaster);
  int error = errno;
  sigprocmask(SIG_SETMASK, &old, nullptr);
  if (after_fork != nullptr) after_fork();
  if (pid < 0) {
    const char* what = kind == ProcessKind::backend ? "new process for connection" : child_name(kind);
    log_message("could not fork {}: {}", what, std::strerror(error));
    return 0;
  }
  children_[pid] = {kind, Clock::now()};
  if (kind == ProcessKind::backend) ++backends_;
  return pid;
}

Child Children::remove(pid_t pid) {
  auto found = children_.find(pid);
  if (found == children_.end()) return {ProcessKind::none, {}};
  Child child = found->second;
  children_.erase(found);
  if (child.kind == ProcessKind::backend) --backends_;
  return child;
}

void Children::signal_all(int signal) const {
  for (const auto& [pid, child] : children_) kill(pid, signal);
}
void Children::signal_kind(ProcessKind kind, int signal) const {
  for (const auto& [pid, child] : children_) {
    if (child.kind == kind) kill(pid, signal);
  }
}

int Children::count(ProcessKind kind) const {
  if (kind == ProcessKind::backend) return backends_;
  int n = 0;
  for (const auto& [pid, child] : children_) n += child.kind == kind;
  return n;
}
pid_t Children::find(ProcessKind kind) const {
  for (const auto& [pid, child] : children_) {
    if (child.kind == kind) return pid;
  }
  return 0;
}

int Children::logins() const { return backends_ - shmem::session_count(); }

namespace {

// Does the process sleep, as one does that waits for its client?
bool is_asleep(pid_t pid) {
  std::FILE* file = std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "r");
  if (file == nullptr) return false;
  char text[512];
  std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[length] = '\0';
  // pid (name) state …; the name may hold anything.
  const char* after_name = std::strrchr(text, ')');
  return after_name != nullptr && after_name[1] == ' ' && after_name[2] == 'S';
}

constexpr int kLooksUntilIdle = 5;

}  // namespace

void Children::end_idle_logins(std::chrono::milliseconds older_than) {
  std::unordered_set<pid_t> admitted;
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const shmem::ProcessSlot& slot = shmem::slot(i);
    if (slot.in_use.load() != 0 && slot.admitted.load() != 0) admitted.insert(slot.pid.load());
  }
  Clock::time_point limit = Clock::now() - older_than;
  for (auto& [pid, child] : children_) {
    if (child.kind != ProcessKind::backend || child.started > limit || child.told_to_go || admitted.contains(pid)) continue;
    child.looks_asleep = is_asleep(pid) ? child.looks_asleep + 1 : 0;
    if (child.looks_asleep < kLooksUntilIdle) continue;
    child.told_to_go = true;
    kill(pid, SIGTERM);
  }
}

const char* child_name(ProcessKind kind) {
  switch (kind) {
    case ProcessKind::startup: return "startup process";
    case ProcessKind::checkpointer: return "checkpointer process";
    case ProcessKind::wal_writer: return "WAL writer process";
    case ProcessKind::background_writer: return "background writer process";
    case ProcessKind::autovacuum_launcher: return "autovacuum launcher process";
    case ProcessKind::autovacuum_worker: return "autovacuum worker";
    default: return "server process";
  }
}

void log_child_end(ProcessKind kind, pid_t pid, int status) {
  if (WIFSIGNALED(status)) {
    log_message("{} (PID {}) was terminated by signal {}: {}", child_name(kind), pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    log_message("{} (PID {}) exited with exit code {}", child_name(kind), pid, WEXITSTATUS(status));
  }
}

}  // namespace hathi::postmaster
