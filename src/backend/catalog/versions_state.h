#pragma once
// The process-local side of versions.h.

#include <span>
#include <unordered_map>

#include "hathi/base/ids.h"

namespace hathi::catalog::versions {

// What the running transaction changed itself. A change made by command c is visible from command c + 1 on; sequence numbers are
// never used twice in a process, so a cache entry loaded in the middle of a transaction never matches afterwards.
class OwnChanges {
 public:
  bool empty() const { return changes_.empty(); }
  bool contains(std::uint32_t slot) const { return changes_.contains(slot); }
  std::uint64_t visible(std::uint32_t slot);
  void add(std::uint32_t slot);
  void clear() { changes_.clear(); }
  // After a subtransaction's abort: everything loaded since is doubtful.
  void renew_all();
  CommandId (*current_command)() = nullptr;

 private:
  struct Change { std::uint64_t visible = 0, pending = 0; CommandId command; };
  std::unordered_map<std::uint32_t, Change> changes_;
  std::uint64_t sequence_ = 0;
};
extern OwnChanges own_changes;

void mark_changing(std::span<const std::uint32_t> slots);
void publish(std::span<const std::uint32_t> slots);

}  // namespace hathi::catalog::versions
