#pragma once
// What removing, updating and locking a row version have in common: the new xmax, waiting for others. Private to heap/.

#include "visibility.h"

namespace hathi::heap {

using transaction::MultiXactMember;
using transaction::RowLockStatus;

bool lock_modes_conflict(RowLockMode a, RowLockMode b);
RowLockMode mode_of(RowLockStatus status);
inline bool is_update(RowLockStatus s) { return s == RowLockStatus::no_key_update || s == RowLockStatus::update; }
// What a single xmax's flags mean.
RowLockStatus single_status(const HeapTupleHeader* h);

// A row version's xmax with its flags.
struct NewXmax {
  Xid xid{0};              // or
  MultiXactId multi{0};
  std::uint16_t infomask = 0, infomask2 = 0;   // the bits of kXmaxBits / kXmaxBits2 to be set
};
inline constexpr std::uint16_t kXmaxBits = infomask::xmax_key_share | infomask::xmax_exclusive | infomask::xmax_lock_only |
                                           infomask::xmax_committed | infomask::xmax_invalid | infomask::xmax_multi;
inline constexpr std::uint16_t kXmaxBits2 = infomask::keys_updated | infomask::hot_updated;

// xmax for a version that xid updates, deletes (is_update) or locks, keeping whoever else still holds it.
NewXmax compute_new_xmax(PageView page, const HeapTupleHeader* h, Xid xid, RowLockMode mode, bool is_update);
// xmax for the new version of an updated row: lockers of the old version that remain.
NewXmax remaining_lockers(PageView page, const HeapTupleHeader* h);
// The raw 32 bits for the page.
inline std::uint32_t raw_xmax(std::uint64_t base, const NewXmax& x) {
  return x.multi != MultiXactId{0} ? x.multi.value() : xid_offset(base, x.xid);
}

// The 18 bytes of a header from xmax to infomask, which a change writes as one.
struct [[gnu::packed]] HeaderTail {
  std::uint32_t xmax, command;
  std::uint16_t ctid[3];
  std::uint16_t infomask2, infomask;
};
static_assert(sizeof(HeaderTail) == 18);
HeaderTail header_tail(const HeapTupleHeader* h);
void set_ctid(HeaderTail& tail, TupleId tid);
// Sets xmax, its flags, and (for a deletion or update) cmax, as a combo when this transaction made the version.
void stamp_xmax(HeaderTail& tail, PageView page, const NewXmax& x);
void stamp_cmax(HeaderTail& tail, PageView page, const HeapTupleHeader* h, CommandId command);
inline std::uint16_t tail_position(LinePointer lp) { return static_cast<std::uint16_t>(lp.offset() + offsetof(HeapTupleHeader, xmax)); }

// The heavyweight lock on a row that keeps waiters in order. Released at the end.
class RowQueue {
 public:
  RowQueue(const HeapTable& table, TupleId tid, RowLockMode mode);
  ~RowQueue() { release(); }
  RowQueue(const RowQueue&) = delete;
  RowQueue& operator=(const RowQueue&) = delete;
  // False when dont_wait and it is taken.
  bool acquire(bool dont_wait);
  void release();

 private:
  locking::LockTag tag_;
  locking::LockMode mode_;
  bool held_ = false;
};

enum class WaitOutcome : std::uint8_t {
  no_conflict,   // nothing to wait for; the content lock was never dropped
  waited,        // look again; the content lock was dropped and taken again
  would_block    // policy skip / error and somebody is in the way; content lock dropped and taken again or not: held
};
// The version is "being modified": waits for those who hold it in a conflicting mode. `pin` is exclusively locked before and
// after. what: "updating", "deleting", "locking" for the context line of errors raised while waiting.
WaitOutcome wait_for_holders(const HeapTable& table, buffer::PinnedBuffer& pin, TupleId tid, const HeapTupleHeader* h, RowLockMode mode,
                             WaitPolicy policy, RowQueue& queue, const char* what, bool running_only = false);
// Is there anybody to wait for?
bool has_conflicting_holder(PageView page, const HeapTupleHeader* h, RowLockMode mode);
// Waits for one transaction (or says false under skip / error).
bool wait_for_xid(const HeapTable& table, Xid xid, WaitPolicy policy, TupleId tid, const char* what);

// Does the current transaction hold the version in `mode` or stronger already?
bool already_locked(PageView page, const HeapTupleHeader* h, RowLockMode mode);
// Fills in who changed the version. Content lock held.
void describe_failure(PageView page, const HeapTupleHeader* h, ChangeResult result, ChangeFailure& failure);
// prune_hint with xid taken into account: the older one stays.
std::uint32_t prune_hint_with(PageView page, Xid xid);
// The page's flags without all-visible (and with `set`); written by changes to a visible page.
std::uint16_t flags_without_visible(PageView page, std::uint16_t set = 0);

}  // namespace hathi::heap
