#pragma once
// Command line of pg_waldump: PostgreSQL's options, except --follow and --timeline.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hathi/base/ids.h"
#include "hathi/wal/page_edit.h"

namespace hathi::waldump {

struct Options {
  std::string directory = ".";                // the data directory
  std::optional<std::uint64_t> start, end;    // positions
  std::optional<std::uint64_t> first_segment, last_segment;
  std::optional<RelationFile> relation;
  std::optional<Fork> fork;
  std::optional<std::uint32_t> block;
  std::optional<Xid> xid;
  std::vector<wal::ResourceManager> managers;
  std::uint64_t limit = UINT64_MAX;
  bool details = false, quiet = false, full_page = false, statistics = false, statistics_by_record = false;
};

// The exit status when there is nothing more to do (help, version, a mistake); nullopt to go on.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace hathi::waldump
