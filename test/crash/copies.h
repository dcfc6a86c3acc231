#pragma once
// Copies of a cluster, one for each fault point.

#include <string>

namespace hathi::crash {

// Makes PLACE/data the same as the cluster FROM (only what the server reads, and of the databases only "postgres") and PLACE/trash empty, and goes
// there. What PLACE/data has already is compared and written only where it differs: new files would cost more than a recovery. FROM must not
// change between calls.
void fresh_copy(const std::string& from, const std::string& place);

// A whole directory, holes as holes; what is there already is replaced.
void copy_directory(const std::string& from, const std::string& to);

}  // namespace hathi::crash
