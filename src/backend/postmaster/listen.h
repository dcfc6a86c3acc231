#pragma once
// Listening sockets by the settings listen_addresses, port and unix_socket_*.

#include <string>
#include <vector>

namespace hathi::postmaster {

struct ListenSockets {
  std::vector<int> descriptors;    // non-blocking, close-on-exec
  std::string first_address = "";  // of listen_addresses, for postmaster.pid
  std::string first_socket_directory = "";
};

// The elements of a list setting; double quotes keep blanks and commas.
std::vector<std::string> split_directories(const std::string& list);
// Throws fatal errors in PostgreSQL's words when none of the addresses, or one of the sockets' lock files, can be had.
ListenSockets open_listen_sockets(const std::string& data_directory, long start_time);

}  // namespace hathi::postmaster
