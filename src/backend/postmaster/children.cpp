#include "children.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
#include "hathi/shmem/image.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_title.h"
#include "lock_files.h"

#ifdef HATHI_COVERAGE
extern "C" void __gcov_dump(void);
#endif

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

// Waits for the client's socket; -1 when the postmaster wants it no more.
int receive_socket(int control) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))];
  for (;;) {
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    ssize_t n = -1;
    {
      BlockingCall call;
      if (interrupt_flags.terminate) return -1;
      n = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    }
    if (n < 0 && errno == EINTR) continue;
    cmsghdr* header = n > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
  }
}

bool send_socket(int control, int socket) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &socket, sizeof socket);
  return sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

// A spare's life up to its client: what every session needs is touched ahead, then it waits.
int await_client(const ServerParts& parts, int control) {
  shmem::set_process_title("waiting for a client");
  if (parts.warm_up != nullptr) parts.warm_up();
  int socket = receive_socket(control);
  close(control);
  if (socket < 0) _exit(0);
  return socket;
}

[[noreturn]] void run_child(const ServerParts& parts, ProcessKind kind, int socket, bool spare, pid_t postmaster) {
  int status = 1;
  try {
    // SIGQUIT ends a process at once: orphans must not outlive the postmaster.
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != postmaster) _exit(1);
    // A session of its own: the terminal's ^C is for the postmaster alone, and kernels that divide the processor among sessions (autogroups)
    // give each backend its share.
    setsid();
    set_stack_base();
    int own = keep_only(socket);
    shmem::set_process_title(shmem::process_kind_name(kind));
    install_child_signal_handlers();
    if (kind == ProcessKind::backend) {
      shmem::prepare_child_memory();
      if (spare) own = await_client(parts, own);
      parts.backend(own);
      status = 0;
    } else {
      status = run_auxiliary(parts, kind);
    }
  } catch (...) { status = 1; }
  // Nothing is left to destroy that matters, and destructors of the postmaster's objects must not run here.
#ifdef HATHI_COVERAGE
  __gcov_dump();   // what exit() would have done
#endif
  _exit(status);
}

}  // namespace

pid_t Children::fork_child(const ServerParts& parts, ProcessKind kind, int socket, bool spare, void (*before_fork)(),
                           void (*after_fork)()) {
  pid_t postmaster = getpid();
  sigset_t all, old;
  sigfillset(&all);
  if (before_fork != nullptr) before_fork();
  // No signal may reach the child while it still has the postmaster's handlers.
  sigprocmask(SIG_BLOCK, &all, &old);
  pid_t pid = fork();
  if (pid == 0) run_child(parts, kind, socket, spare, postmaster);
  int error = errno;
  sigprocmask(SIG_SETMASK, &old, nullptr);
  if (after_fork != nullptr) after_fork();
  if (pid > 0) return pid;
  log_message("could not fork {}: {}", kind == ProcessKind::backend ? "new process for connection" : child_name(kind),
              std::strerror(error));
  return 0;
}

pid_t Children::start(const ServerParts& parts, ProcessKind kind, int socket, void (*before_fork)(), void (*after_fork)()) {
  pid_t pid = fork_child(parts, kind, socket, false, before_fork, after_fork);
  if (pid == 0) return 0;
  children_[pid] = {kind, -1, Clock::now()};
  if (kind == ProcessKind::backend) ++backends_;
  return pid;
}

void Children::start_spare(const ServerParts& parts, void (*before_fork)(), void (*after_fork)()) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return;
  pid_t pid = fork_child(parts, ProcessKind::backend, pair[1], true, before_fork, after_fork);
  close(pair[1]);
  if (pid == 0) {
    close(pair[0]);
    return;
  }
  children_[pid] = {ProcessKind::backend, pair[0], Clock::now()};
  ++spares_;
}

bool Children::hand_to_spare(int socket) {
  if (spares_ == 0) return false;
  for (auto& [pid, child] : children_) {
    if (child.control < 0) continue;
    bool sent = send_socket(child.control, socket);
    close(child.control);
    child.control = -1;
    --spares_;
    ++backends_;
    child.started = Clock::now();
    if (sent) return true;  // else it is about to end: another one, or a new process
  }
  return false;
}

void Children::dismiss_spares() {
  for (auto& [pid, child] : children_) {
    if (child.control < 0) continue;
    close(child.control);  // it reads the end, and goes
    child.control = -1;
    --spares_;
    ++backends_;
  }
}

Child Children::remove(pid_t pid) {
  auto found = children_.find(pid);
  if (found == children_.end()) return {ProcessKind::none};
  Child child = found->second;
  children_.erase(found);
  if (child.control >= 0) {
    close(child.control);
    --spares_;
  } else if (child.kind == ProcessKind::backend) {
    --backends_;
  }
  return child;
}

void Children::signal_all(int signal) const {
  for (const auto& [pid, child] : children_) kill(pid, signal);
}
void Children::quit_all(QuitReason reason) const {
  sigval value{};
  value.sival_int = static_cast<int>(reason);
  for (const auto& [pid, child] : children_) sigqueue(pid, SIGQUIT, value);
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
    if (child.kind != ProcessKind::backend || child.control >= 0 || child.started > limit || child.told_to_go || admitted.contains(pid))
      continue;
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
