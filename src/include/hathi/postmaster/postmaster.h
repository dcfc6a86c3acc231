#pragma once
// The postmaster: listens, forks, watches its children, starts over after a crash, shuts down.

#include <span>
#include <string>

#include "hathi/shmem/segment.h"

namespace hathi::postmaster {

// What the server consists of (server_init.cpp has the real one; tests have small ones). All functions but the first two run in children.
struct ServerParts {
  std::span<const shmem::Subsystem> subsystems;
  void (*reload)();        // after the settings were read at start (throws: fatal) and again at SIGHUP (may log): pg_hba.conf
  void (*recover)();       // the start-up process; throws when the data can't be opened
  void (*checkpointer)();  // main loops, see wal/log.h
  void (*wal_writer)();
  void (*background_writer)();
  void (*backend)(int socket);              // owns the socket
  void (*warm_up)() = nullptr;   // in a process forked ahead of its client: touches what every session will need; holds nothing afterwards
  void (*autovacuum_launcher)() = nullptr;  // none when nullptr or autovacuum = off
};

// Runs the server in the data directory (absolute path; settings from command line and files are in force). Returns the exit code when
// it has shut down. Errors at start are logged as FATAL and give 1.
int run(const ServerParts& parts, const std::string& data_directory);

// The data directory's interlock, also for initdb's bootstrap: throws F0001 when a server or an orphan of one uses it. The descriptor
// stays open for the process's life and is inherited by its children.
void lock_data_directory(const std::string& data_directory);

}  // namespace hathi::postmaster
