#include "describe.h"

#include <fmt/format.h>

#include <cstring>
#include <ctime>

#include "src/backend/wal/log_state.h"

namespace hathi::waldump {

namespace {

using wal::ResourceManager;

constexpr const char* kManagers[kManagerCount] = {"XLOG", "Transaction", "Storage",  "CLOG",      "Database",   "MultiXact",
                                                  "Heap", "Btree",       "Sequence", "FreeSpace", "Visibility", "Generic"};
constexpr const char* kForks[] = {"main", "fsm", "vm", "init"};

// By the numbers of HeapOperation and BTreeOperation.
constexpr const char* kHeap[] = {"INSERT", "MULTI_INSERT", "DELETE",      "UPDATE", "HOT_UPDATE",        "LOCK",     "INPLACE",
                                 "PRUNE",  "VACUUM",       "FREEZE_PAGE", "REBASE", "ABORT_SPECULATIVE", "PAGE_FULL"};
constexpr const char* kBtree[] = {"CREATE", "INSERT_LEAF", "INSERT_UPPER", "SPLIT", "NEWROOT", "DELETE", "DEDUP", "VACUUM", "UNLINK_PAGE", "BUILD"};
constexpr const char* kLog[] = {"CHECKPOINT", "FPI_FOR_HINT"};
constexpr const char* kTransaction[] = {"COMMIT", "ABORT", "NEXTOID"};
constexpr const char* kStorage[] = {"CREATE", "TRUNCATE"};
constexpr const char* kDatabase[] = {"CREATE", "FILE_CHUNK"};
constexpr const char* kMultixact[] = {"MEMBERS", "CREATE_ID"};

template <std::size_t N>
const char* pick(const char* const (&names)[N], std::uint8_t info) {
  return info < N ? names[info] : "UNKNOWN";
}

std::string describe_checkpoint(std::span<const std::byte> data) {
  wal::CheckpointRecord c{};
  if (data.size() < sizeof c) return "";
  std::memcpy(&c, data.data(), sizeof c);
  const char* kinds[] = {"online", "shutdown", "end of recovery"};
  return fmt::format("redo {:X}/{:X}; tli 1; xid {}:{}; oid {}; multi {}; offset {}; oldest xid {}; {}", c.redo >> 32, c.redo & 0xFFFFFFFFu,
                     c.counters.next_xid >> 32, c.counters.next_xid & 0xFFFFFFFFu, c.counters.next_oid, c.counters.next_multixact,
                     c.counters.next_member, c.counters.oldest_xid, kinds[std::min(c.kind, 2u)]);
}

std::string describe_commit(std::span<const std::byte> data) {
  wal::ByteReader in(data);
  in.byte();
  auto microseconds = in.value<std::int64_t>();
  if (!in.ok()) return "";
  constexpr std::int64_t kPostgresEpoch = 946684800;
  std::time_t t = kPostgresEpoch + microseconds / 1000000;
  const std::tm* local = std::localtime(&t);
  if (local == nullptr) return std::to_string(microseconds);   // no year that a date could have
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", local);
  return fmt::format("{}.{:06}", text, microseconds % 1000000);
}

// Storage and database records begin with the numbers of a file or a directory.
std::string describe_file(std::span<const std::byte> data, int numbers) {
  wal::ByteReader in(data);
  std::string text;
  for (int i = 0; i < numbers; ++i) {
    if (i > 0) text += '/';
    text += std::to_string(in.varint());
  }
  return in.ok() ? text : "";
}

}  // namespace

const char* manager_name(ResourceManager manager) {
  auto n = static_cast<int>(manager);
  return n < kManagerCount ? kManagers[n] : "UNKNOWN";
}

std::optional<ResourceManager> manager_by_name(std::string_view name) {
  for (int i = 0; i < kManagerCount; ++i)
    if (strncasecmp(kManagers[i], name.data(), name.size()) == 0 && std::strlen(kManagers[i]) == name.size()) return static_cast<ResourceManager>(i);
  return std::nullopt;
}

const char* fork_name(Fork fork) { return kForks[static_cast<int>(fork)]; }

std::optional<Fork> fork_by_name(std::string_view name) {
  for (int i = 0; i < 4; ++i)
    if (name == kForks[i]) return static_cast<Fork>(i);
  return std::nullopt;
}

const char* operation_name(const wal::DecodedRecord& r) {
  switch (r.manager) {
    case ResourceManager::log: return pick(kLog, r.info);
    case ResourceManager::transaction: return pick(kTransaction, r.info);
    case ResourceManager::storage: return pick(kStorage, r.info);
    case ResourceManager::database: return pick(kDatabase, r.info);
    case ResourceManager::multixact: return pick(kMultixact, r.info);
    case ResourceManager::heap: return pick(kHeap, r.info);
    case ResourceManager::btree: return pick(kBtree, r.info);
    case ResourceManager::sequence: return "LOG";
    case ResourceManager::commit_log: return "TRUNCATE";
    case ResourceManager::free_space:
    case ResourceManager::visibility: return "EDIT";
    case ResourceManager::generic: return "Generic";
  }
  return "UNKNOWN";
}

std::string describe(const wal::DecodedRecord& r) {
  if (r.manager == ResourceManager::log && r.info == wal::kCheckpointInfo) return describe_checkpoint(r.data);
  if (r.manager == ResourceManager::transaction && r.info == 0) return describe_commit(r.data);
  if (r.manager == ResourceManager::storage) return describe_file(r.data, 3);
  if (r.manager == ResourceManager::database) return describe_file(r.data, 2);
  return "";
}

}  // namespace hathi::waldump
