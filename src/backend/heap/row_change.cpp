#include "row_change.h"

#include <vector>

#include "hathi/locking/lock_table.h"
#include "hathi/transaction/combo.h"

namespace hathi::heap {

namespace {

using locking::LockMode;

LockMode heavy_mode(RowLockMode mode) {
  switch (mode) {
    case RowLockMode::key_share: return LockMode::access_share;
    case RowLockMode::share: return LockMode::row_share;
    case RowLockMode::no_key_update: return LockMode::exclusive;
    case RowLockMode::update: return LockMode::access_exclusive;
  }
  return LockMode::access_exclusive;
}

RowLockStatus status_of(RowLockMode mode, bool is_update) {
  switch (mode) {
    case RowLockMode::key_share: return RowLockStatus::for_key_share;
    case RowLockMode::share: return RowLockStatus::for_share;
    case RowLockMode::no_key_update: return is_update ? RowLockStatus::no_key_update : RowLockStatus::for_no_key_update;
    case RowLockMode::update: return is_update ? RowLockStatus::update : RowLockStatus::for_update;
  }
  return RowLockStatus::for_update;
}

NewXmax single_xmax(Xid xid, RowLockMode mode, bool update) {
  NewXmax x;
  x.xid = xid;
  if (update) {
    if (mode == RowLockMode::update) x.infomask2 = infomask::keys_updated;
    return x;
  }
  x.infomask = infomask::xmax_lock_only;
  switch (mode) {
    case RowLockMode::key_share: x.infomask |= infomask::xmax_key_share; break;
    case RowLockMode::share: x.infomask |= infomask::xmax_key_share | infomask::xmax_exclusive; break;
    case RowLockMode::no_key_update: x.infomask |= infomask::xmax_exclusive; break;
    case RowLockMode::update: x.infomask |= infomask::xmax_exclusive; x.infomask2 = infomask::keys_updated; break;
  }
  return x;
}

// The flags that sum up a group, so that most questions need no look at its members.
void flags_of_members(std::span<const MultiXactMember> members, NewXmax& x) {
  RowLockMode strongest = RowLockMode::key_share;
  bool has_update = false, keys = false;
  for (const MultiXactMember& m : members) {
    strongest = std::max(strongest, mode_of(m.status));
    has_update = has_update || is_update(m.status);
    keys = keys || m.status == RowLockStatus::update || m.status == RowLockStatus::for_update;
  }
  x.infomask = infomask::xmax_multi;
  if (strongest == RowLockMode::key_share) x.infomask |= infomask::xmax_key_share;
  else if (strongest == RowLockMode::share) x.infomask |= infomask::xmax_key_share | infomask::xmax_exclusive;
  else x.infomask |= infomask::xmax_exclusive;
  if (!has_update) x.infomask |= infomask::xmax_lock_only;
  x.infomask2 = keys ? infomask::keys_updated : 0;
}

// Who of those in xmax still counts: running, or a committed updater.
std::vector<MultiXactMember> present_holders(PageView page, const HeapTupleHeader* h) {
  std::vector<MultiXactMember> holders;
  if (has_flag(h, infomask::xmax_invalid)) return holders;
  auto counts = [](const MultiXactMember& m) {
    return transaction::is_current(m.xid) || transaction::is_running(m.xid) || (is_update(m.status) && xid_committed(m.xid));
  };
  if (has_flag(h, infomask::xmax_multi)) {
    for (const MultiXactMember& m : transaction::multixact_members(MultiXactId{h->xmax})) {
      if (counts(m)) holders.push_back(m);
    }
    return holders;
  }
  MultiXactMember m{full_xid(page, h->xmax), single_status(h)};
  if (is_normal(m.xid) && counts(m)) holders.push_back(m);
  return holders;
}

// Those in the way of `mode`. An updater who has committed since the version was tested counts: the test must be made again.
// running_only: the caller looks at committed updaters itself.
std::vector<MultiXactMember> conflicting_holders(PageView page, const HeapTupleHeader* h, RowLockMode mode, bool running_only) {
  std::vector<MultiXactMember> holders = present_holders(page, h);
  std::erase_if(holders, [&](const MultiXactMember& m) {
    return transaction::is_current(m.xid) || !lock_modes_conflict(mode, mode_of(m.status)) ||
           (running_only && !transaction::is_running(m.xid));
  });
  return holders;
}

}  // namespace

bool lock_modes_conflict(RowLockMode a, RowLockMode b) {
  if (a > b) std::swap(a, b);
  switch (a) {
    case RowLockMode::key_share: return b == RowLockMode::update;
    case RowLockMode::share: return b >= RowLockMode::no_key_update;
    default: return true;
  }
}

RowLockMode mode_of(RowLockStatus status) {
  switch (status) {
    case RowLockStatus::for_key_share: return RowLockMode::key_share;
    case RowLockStatus::for_share: return RowLockMode::share;
    case RowLockStatus::for_no_key_update: case RowLockStatus::no_key_update: return RowLockMode::no_key_update;
    case RowLockStatus::for_update: case RowLockStatus::update: return RowLockMode::update;
  }
  return RowLockMode::update;
}

RowLockStatus single_status(const HeapTupleHeader* h) {
  if (!has_flag(h, infomask::xmax_lock_only))
    return has_flag2(h, infomask::keys_updated) ? RowLockStatus::update : RowLockStatus::no_key_update;
  bool key_share = has_flag(h, infomask::xmax_key_share), exclusive = has_flag(h, infomask::xmax_exclusive);
  if (key_share && exclusive) return RowLockStatus::for_share;
  if (key_share) return RowLockStatus::for_key_share;
  return has_flag2(h, infomask::keys_updated) ? RowLockStatus::for_update : RowLockStatus::for_no_key_update;
}

NewXmax compute_new_xmax(PageView page, const HeapTupleHeader* h, Xid xid, RowLockMode mode, bool update) {
  if (has_flag(h, infomask::xmax_invalid)) [[likely]] return single_xmax(xid, mode, update);
  std::vector<MultiXactMember> members = present_holders(page, h);
  // What this very (sub)transaction already holds is replaced by the stronger of both.
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].xid != xid || is_update(members[i].status)) continue;
    mode = std::max(mode, mode_of(members[i].status));
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (members.empty()) return single_xmax(xid, mode, update);
  members.push_back({xid, status_of(mode, update)});
  NewXmax x;
  x.multi = transaction::create_multixact(members);
  flags_of_members(members, x);
  return x;
}

NewXmax remaining_lockers(PageView page, const HeapTupleHeader* h) {
  NewXmax none;
  none.infomask = infomask::xmax_invalid;
  if (has_flag(h, infomask::xmax_invalid)) [[likely]] return none;
  std::vector<MultiXactMember> members = present_holders(page, h);
  std::erase_if(members, [](const MultiXactMember& m) { return is_update(m.status) || transaction::is_current(m.xid); });
  if (members.empty()) return none;
  NewXmax x;
  if (members.size() == 1) return single_xmax(members[0].xid, mode_of(members[0].status), false);
  x.multi = transaction::create_multixact(members);
  flags_of_members(members, x);
  return x;
}

HeaderTail header_tail(const HeapTupleHeader* h) {
  HeaderTail tail;
  std::memcpy(&tail, reinterpret_cast<const std::byte*>(h) + offsetof(HeapTupleHeader, xmax), sizeof(tail));
  return tail;
}

void set_ctid(HeaderTail& tail, TupleId tid) {
  tail.ctid[0] = static_cast<std::uint16_t>(tid.block.value());
  tail.ctid[1] = static_cast<std::uint16_t>(tid.block.value() >> 16);
  tail.ctid[2] = tid.offset.value();
}

void stamp_xmax(HeaderTail& tail, PageView page, const NewXmax& x) {
  tail.xmax = raw_xmax(page.header().xid_base, x);
  tail.infomask = static_cast<std::uint16_t>((tail.infomask & ~kXmaxBits) | x.infomask);
  tail.infomask2 = static_cast<std::uint16_t>((tail.infomask2 & ~kXmaxBits2) | x.infomask2);
}

void stamp_cmax(HeaderTail& tail, PageView page, const HeapTupleHeader* h, CommandId command) {
  bool own = !has_flag(h, infomask::xmin_committed) && transaction::is_current(row_xmin(page, h));
  tail.infomask = static_cast<std::uint16_t>(tail.infomask & ~infomask::combo_command);
  tail.command = command.value();
  if (!own) return;
  CommandId cmin = row_cmin(h);
  if (cmin == command) return;
  tail.command = transaction::combo_command(cmin, command).value();
  tail.infomask |= infomask::combo_command;
}

RowQueue::RowQueue(const HeapTable& table, TupleId tid, RowLockMode mode)
    : tag_(locking::LockTag::tuple_tag(table.file.database, table.oid, tid)), mode_(heavy_mode(mode)) {}

bool RowQueue::acquire(bool dont_wait) {
  if (held_) return true;
  if (locking::acquire(transaction::owner(), tag_, mode_, dont_wait) == locking::LockResult::not_available) return false;
  held_ = true;
  return true;
}

void RowQueue::release() {
  if (held_) locking::release(transaction::owner(), tag_, mode_);
  held_ = false;
}

bool wait_for_xid(const HeapTable& table, Xid xid, WaitPolicy policy, TupleId tid, const char* what) {
  try {
    return locking::wait_for_transaction(transaction::owner(), xid, policy != WaitPolicy::block);
  } catch (SqlError& error) {
    error.context(fmt::format("while {} tuple ({},{}) in relation \"{}\"", what, tid.block.value(), tid.offset.value(), table.name));
    throw;
  }
}

WaitOutcome wait_for_holders(const HeapTable& table, buffer::PinnedBuffer& pin, TupleId tid, const HeapTupleHeader* h, RowLockMode mode,
                             WaitPolicy policy, RowQueue& queue, const char* what, bool running_only) {
  std::vector<MultiXactMember> holders = conflicting_holders(pin.page(), h, mode, running_only);
  if (holders.empty()) return WaitOutcome::no_conflict;
  pin.unlock();
  bool free = queue.acquire(policy != WaitPolicy::block);
  for (std::size_t i = 0; free && i < holders.size(); ++i) free = wait_for_xid(table, holders[i].xid, policy, tid, what);
  pin.lock(locking::LwMode::exclusive);
  return free ? WaitOutcome::waited : WaitOutcome::would_block;
}

bool has_conflicting_holder(PageView page, const HeapTupleHeader* h, RowLockMode mode) {
  return !conflicting_holders(page, h, mode, false).empty();
}

bool already_locked(PageView page, const HeapTupleHeader* h, RowLockMode mode) {
  for (const MultiXactMember& m : present_holders(page, h)) {
    if (transaction::is_current(m.xid) && mode_of(m.status) >= mode) return true;
  }
  return false;
}

void describe_failure(PageView page, const HeapTupleHeader* h, ChangeResult result, ChangeFailure& failure) {
  failure.next = h->ctid();
  failure.xmax = updating_xid(page, h);
  failure.cmax = result == ChangeResult::self_modified ? row_cmax(h) : kInvalidCommandId;
  failure.moved_partition = failure.next == kMovedToPartition;
}

std::uint32_t prune_hint_with(PageView page, Xid xid) {
  std::uint32_t offset = xid_offset(page.header().xid_base, xid), present = page.header().prune_hint;
  return present == 0 ? offset : std::min(present, offset);
}

std::uint16_t flags_without_visible(PageView page, std::uint16_t set) {
  return static_cast<std::uint16_t>((page.header().flags & ~kPageAllVisible) | set);
}

}  // namespace hathi::heap
