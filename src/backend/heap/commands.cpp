#include "commands.h"

#include <unordered_map>
#include <vector>

#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"
#include "hathi/wal/log.h"

namespace hathi::heap {

namespace {

struct Pair { CommandId cmin, cmax; };
std::vector<Pair> pairs;                                  // [combo id]
std::unordered_map<std::uint64_t, std::uint32_t> known;   // cmin << 32 | cmax -> combo id

void forget(transaction::Event event) {
  if (event == transaction::Event::pre_commit || pairs.empty()) return;
  pairs.clear();
  known.clear();
}

}  // namespace

CommandId combo_command(CommandId cmin, CommandId cmax) {
  static bool registered = false;
  if (!registered) {
    transaction::register_hook(forget);
    registered = true;
  }
  std::uint64_t key = (static_cast<std::uint64_t>(cmin.value()) << 32) | cmax.value();
  auto [entry, added] = known.try_emplace(key, static_cast<std::uint32_t>(pairs.size()));
  if (added) pairs.push_back({cmin, cmax});
  return CommandId{entry->second};
}

CommandId combo_cmin(CommandId combo) {
  HATHI_ASSERT(combo.value() < pairs.size());
  return pairs[combo.value()].cmin;
}
CommandId combo_cmax(CommandId combo) {
  HATHI_ASSERT(combo.value() < pairs.size());
  return pairs[combo.value()].cmax;
}

bool commits_are_durable() { return wal::async_commits_are_flushed(); }

}  // namespace hathi::heap
