#pragma once
// postmaster.pid, the lock files beside Unix sockets, and the data directory's flock.

#include <string>

namespace hathi::postmaster {

// Lines of postmaster.pid, as PostgreSQL's tools read them.
enum class PidLine : int { pid = 1, data_directory, start_time, port, socket_directory, listen_address, shared_memory, status };

// Creates postmaster.pid with its first five lines; lock_data_directory() was called. Removed at exit by remove_lock_files().
void create_pid_file(const std::string& data_directory, long start_time, int port, const std::string& socket_directory);
void set_pid_line(PidLine line, const std::string& text);
// Is the file still there and ours?
bool pid_file_is_ours();

// <socket>.lock; throws F0001 when another server uses the socket. The stale socket itself is unlinked.
void create_socket_lock(const std::string& socket_path, const std::string& data_directory, long start_time, int port,
                        const std::string& socket_directory);
// Marks socket files as in use, so that cleaners of /tmp leave them alone.
void touch_socket_files();
// Removes sockets, their lock files and postmaster.pid.
void remove_lock_files();

// The descriptor that keeps the data directory locked.
int directory_lock();

}  // namespace hathi::postmaster
