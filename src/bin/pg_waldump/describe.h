#pragma once
// Names of resource managers, operations and forks, and what a record says beyond its blocks.

#include <optional>
#include <string>
#include <string_view>

#include "src/backend/wal/record.h"

namespace hathi::waldump {

inline constexpr int kManagerCount = 12;
const char* manager_name(wal::ResourceManager manager);
std::optional<wal::ResourceManager> manager_by_name(std::string_view name);
const char* fork_name(Fork fork);
std::optional<Fork> fork_by_name(std::string_view name);
const char* operation_name(const wal::DecodedRecord& record);
std::string describe(const wal::DecodedRecord& record);

}  // namespace hathi::waldump
