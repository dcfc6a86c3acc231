#pragma once
// The postmaster's children: forking them, and what their end means.

#include <sys/types.h>

#include <chrono>
#include <string>
#include <unordered_map>

#include "hathi/postmaster/postmaster.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/quit.h"

namespace hathi::postmaster {

using Clock = std::chrono::steady_clock;

struct Child {
  shmem::ProcessKind kind;
  int control = -1;  // a spare backend: the socket by which it gets its client
  Clock::time_point started;
  int looks_asleep = 0;  // how often in a row a login was found waiting for its client while others waited for room
  bool told_to_go = false;
};

class Children {
 public:
  // Forks; the child sets itself up (signals, slot, descriptors) and runs the part for its kind, then exits. Returns 0 when fork failed
  // (logged). before_fork / after_fork run in the parent, around the fork.
  pid_t start(const ServerParts& parts, shmem::ProcessKind kind, int socket, void (*before_fork)(), void (*after_fork)());
  // A backend without a client yet: it gets ready and waits for one. It does not count as a backend until then.
  void start_spare(const ServerParts& parts, void (*before_fork)(), void (*after_fork)());
  // Gives the client to a spare; false when there is none.
  bool hand_to_spare(int socket);
  // Those that were forked before the settings changed, or are not needed any more, end.
  void dismiss_spares();
  int spares() const { return spares_; }
  // Forgets a child that ended; its kind (none when it is unknown).
  Child remove(pid_t pid);
  void signal_all(int signal) const;
  // SIGQUIT with the reason, which sessions tell their clients.
  void quit_all(QuitReason reason) const;
  void signal_kind(shmem::ProcessKind kind, int signal) const;
  int count() const { return static_cast<int>(children_.size()); }
  int count(shmem::ProcessKind kind) const;
  pid_t find(shmem::ProcessKind kind) const;  // 0 = none
  // Backends that have not been admitted as sessions yet.
  int logins() const;
  // Looks at logins older than this; those that only wait for their clients, look after look, are sent SIGTERM. (Those that run, or wait
  // for the processor or the disk, are not to blame.)
  void end_idle_logins(std::chrono::milliseconds older_than);

 private:
  pid_t fork_child(const ServerParts& parts, shmem::ProcessKind kind, int socket, bool spare, void (*before_fork)(), void (*after_fork)());

  std::unordered_map<pid_t, Child> children_;
  int backends_ = 0;  // with a client
  int spares_ = 0;
};

// "server process", "checkpointer process", … as in messages about a child's end.
const char* child_name(shmem::ProcessKind kind);
// Logs how a child ended, at LOG: "server process (PID 7) was terminated by signal 9: Killed".
void log_child_end(shmem::ProcessKind kind, pid_t pid, int status);

}  // namespace hathi::postmaster
