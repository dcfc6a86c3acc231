#include "hathi/transaction/combo.h"

#include <unordered_map>
#include <vector>

#include "hathi/error/sql_error.h"
#include "state.h"

namespace hathi::transaction {

namespace {
struct Pair { CommandId cmin, cmax; };
std::vector<Pair> pairs;
std::unordered_map<std::uint64_t, std::uint32_t>& numbers() {
  static std::unordered_map<std::uint64_t, std::uint32_t> map;
  return map;
}
}  // namespace

CommandId combo_command(CommandId cmin, CommandId cmax) {
  std::uint64_t key = static_cast<std::uint64_t>(cmin.value()) << 32 | cmax.value();
  auto [it, is_new] = numbers().try_emplace(key, static_cast<std::uint32_t>(pairs.size()));
  if (is_new) pairs.push_back({cmin, cmax});
  return CommandId{it->second};
}

CommandId real_cmin(CommandId combo) {
  HATHI_ASSERT(combo.value() < pairs.size());
  return pairs[combo.value()].cmin;
}
CommandId real_cmax(CommandId combo) {
  HATHI_ASSERT(combo.value() < pairs.size());
  return pairs[combo.value()].cmax;
}

void reset_combos() {
  if (pairs.empty()) return;
  pairs = {};
  numbers() = {};
}

}  // namespace hathi::transaction
