// Subtransactions and savepoints.

#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lwlock.h"
#include "hathi/shmem/interrupts.h"
#include "relation_storage.h"
#include "shared.h"
#include "state.h"

namespace hathi::transaction {

namespace {

void push_level(std::string_view name, bool is_savepoint) {
  State& s = state();
  locking::ResourceOwner& parent = owner();
  Level level;
  level.nesting = s.level().nesting + 1;
  level.name = name;
  level.is_savepoint = is_savepoint;
  level.first_live = s.live.size();
  level.owner = std::make_unique<locking::ResourceOwner>(&parent);
  s.levels.push_back(std::move(level));
  config::at_start_of_level(s.level().nesting);
}

// Index of the innermost savepoint of that name.
std::size_t find_savepoint(std::string_view name) {
  State& s = state();
  for (std::size_t i = s.levels.size(); i-- > 1;)
    if (s.levels[i].is_savepoint && s.levels[i].name == name) return i;
  throw SqlError(sqlstate::s_e_invalid_specification, "savepoint \"{}\" does not exist", name);
}

}  // namespace

void pop_level() { state().levels.pop_back(); }

void undo_work_of_innermost() {
  State& s = state();
  Level& level = s.level();
  HATHI_ASSERT(s.levels.size() > 1);
  if (level.undone) return;
  level.undone = true;
  HoldInterrupts hold;
  locking::release_all_lwlocks();
  if (level.xid != kInvalidXid) {
    // Its own xid and all that its descendants got, even those committed into it. Nothing is logged: what the commit record of the
    // top level does not name has not committed.
    std::size_t from = level.first_live;
    while (s.live[from] != level.xid) ++from;
    try {
      set_status(level.xid, std::span<const Xid>(s.live).subspan(from + 1), XidStatus::aborted, kInvalidLsn);
    } catch (const std::exception& e) {
      report_warning(sqlstate::internal_error, "could not record the end of an aborted subtransaction: {}", e.what());
      locking::release_all_lwlocks();
    }
    s.live.resize(from);
  }
  run_subtransaction_hooks(Event::abort, level.nesting);
  level.owner->release_all();
  finish_storage_of_level(level.nesting, false);
  config::at_end_of_level(level.nesting, false);
}

void undo_innermost() {
  undo_work_of_innermost();
  pop_level();
}

void start_subtransaction() { push_level({}, false); }

void commit_subtransaction() {
  State& s = state();
  HATHI_ASSERT(s.levels.size() > 1 && !s.level().undone);
  Level& level = s.level();
  run_subtransaction_hooks(Event::commit, level.nesting);
  level.owner->move_to_parent();
  finish_storage_of_level(level.nesting, true);
  config::at_end_of_level(level.nesting, true);
  pop_level();
}

void abort_subtransaction() {
  undo_innermost();
  if (state().block == BlockState::failed) state().block = BlockState::in_block;
}

void define_savepoint(std::string_view name) { push_level(name, true); }

void release_savepoint(std::string_view name) {
  std::size_t target = find_savepoint(name);
  while (state().levels.size() > target) commit_subtransaction();
}

void rollback_to_savepoint(std::string_view name) {
  std::size_t target = find_savepoint(name);
  std::string kept(name);
  State& s = state();
  while (s.levels.size() > target) undo_innermost();
  push_level(kept, true);
  if (s.block == BlockState::failed) s.block = BlockState::in_block;
}

}  // namespace hathi::transaction
