#pragma once
// The running transaction of this process.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hathi/transaction/transaction.h"

namespace hathi::transaction {

// One level: the transaction itself (nesting 1) or a subtransaction.
struct Level {
  int nesting = 1;
  std::string name;                 // of a savepoint; empty for unnamed
  bool is_savepoint = false;
  bool undone = false;              // its work was rolled back after an error; only its frame is left
  Xid xid;
  std::size_t first_live = 0;       // live.size() when it began
  std::unique_ptr<locking::ResourceOwner> owner;   // not for the top level
};

struct State {
  BlockState block = BlockState::none;
  bool undone = false;              // the whole transaction was rolled back after an error
  bool first_snapshot_taken = false;
  bool command_used = false;
  CommandId command{0};
  std::vector<Level> levels;
  // Xids of this transaction and its live subtransactions, rising; [0] is the top level's. What a subtransaction and its descendants
  // got stands behind its own xid, so undoing it cuts the list there.
  std::vector<Xid> live;
  std::uint64_t records_before = 0;   // wal::own_record_count() when the transaction began
  std::vector<std::uint32_t> changed_descriptors;
  std::int64_t transaction_timestamp = 0;
  std::int64_t statement_timestamp = 0;

  Level& level() { return levels.back(); }
};
State& state();

void forget_transaction_snapshot();
void reset_combos();
std::int64_t now_microseconds();   // since 2000-01-01

// --- commit.cpp --------------------------------------------------------------------------------------------------------------
// Writes the commit record and the commit log, durable as synchronous_commit wants. Only when an xid was assigned.
void record_commit();
void record_abort();

// --- savepoint.cpp ------------------------------------------------------------------------------------------------------------
// Rolls the innermost subtransaction back, frame included.
void undo_innermost();
void undo_work_of_innermost();
void run_subtransaction_hooks(Event event, int nesting);
void pop_level();

}  // namespace hathi::transaction
