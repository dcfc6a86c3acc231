#pragma once
// Settings for those who work on the server.

#include <string>

namespace hathi::config::values {

extern std::string wal_consistency_checking;   // Resource managers whose redo is checked against a stored page image, or "all"

}  // namespace hathi::config::values
