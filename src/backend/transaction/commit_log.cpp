// Two bits an xid: what became of it. And for xids of subtransactions, how far below them their top-level xid is.
// Both live in pages of the buffer pool without a regular layout: the first 64 bytes hold the page's LSN, then come the entries.
// Bits are set by atomic stores under a share lock, and read under a pin alone.

#include <atomic>
#include <string>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "shared.h"

namespace hathi::transaction {

namespace {

using buffer::PinnedBuffer;

constexpr std::size_t kPageHeader = 64;
constexpr std::uint64_t kStatusPerPage = (kPageSize - kPageHeader) * 4;
constexpr std::uint64_t kTopsPerPage = (kPageSize - kPageHeader) / 4;
constexpr RelationFile kCommitLog = storage::internal_file(storage::InternalFile::commit_log);
constexpr RelationFile kSubtransactions = storage::internal_file(storage::InternalFile::subtransactions);

BlockTag status_page(Xid xid) { return {kCommitLog, Fork::main, BlockNumber{static_cast<std::uint32_t>(xid.value() / kStatusPerPage)}}; }
BlockTag top_page(Xid xid) { return {kSubtransactions, Fork::main, BlockNumber{static_cast<std::uint32_t>(xid.value() / kTopsPerPage)}}; }

std::atomic_ref<std::uint8_t> status_byte(const PinnedBuffer& b, Xid xid) {
  std::uint64_t n = xid.value() % kStatusPerPage;
  return std::atomic_ref<std::uint8_t>(*reinterpret_cast<std::uint8_t*>(b.page().bytes() + kPageHeader + n / 4));
}
int status_shift(Xid xid) { return static_cast<int>(xid.value() % kStatusPerPage % 4) * 2; }
std::atomic_ref<std::uint32_t> top_word(const PinnedBuffer& b, Xid xid) {
  return std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(b.page().bytes() + kPageHeader + xid.value() % kTopsPerPage * 4));
}

void raise_page_position(const PinnedBuffer& b, Lsn lsn) {
  std::atomic_ref<std::uint64_t> stored(*reinterpret_cast<std::uint64_t*>(b.page().bytes()));
  std::uint64_t old = stored.load(std::memory_order_relaxed);
  while (old < lsn.value() && !stored.compare_exchange_weak(old, lsn.value())) {}
}

// The page used last is nearly always the one wanted: its buffer is tried first.
PinnedBuffer pin(const BlockTag& tag, buffer::BufferIndex& hint) {
  PinnedBuffer b = hint != buffer::kNoBuffer ? buffer::try_recent(tag, hint) : PinnedBuffer();
  if (!b) b = buffer::read(tag, buffer::ReadMode::zero_past_end);
  hint = b.index();
  return b;
}
buffer::BufferIndex status_hint = buffer::kNoBuffer;
buffer::BufferIndex top_hint = buffer::kNoBuffer;

// Final results, kept by this process.
struct KnownStatus { std::uint64_t xid; XidStatus status; };
constexpr std::size_t kKnown = 128;
KnownStatus known[kKnown];

}  // namespace

void set_status(Xid top, std::span<const Xid> children, XidStatus status, Lsn lsn) {
  auto set_run = [&](std::span<const Xid> run) {
    while (!run.empty()) {
      PinnedBuffer b = pin(status_page(run[0]), status_hint);
      BlockNumber block = b.block();
      b.lock(locking::LwMode::shared);
      // Before the bits: who writes the page out between the two must not think that the commit's record need not be on disk.
      if (lsn != kInvalidLsn) raise_page_position(b, lsn);
      std::size_t n = 0;
      for (; n < run.size() && status_page(run[n]).block == block; ++n) {
        std::atomic_ref<std::uint8_t> byte = status_byte(b, run[n]);
        int shift = status_shift(run[n]);
        std::uint8_t old = byte.load(std::memory_order_relaxed);
        // Overwrites: the xid may have been given out, and aborted, in a life whose log was lost.
        while (!byte.compare_exchange_weak(old, static_cast<std::uint8_t>((old & ~(3 << shift)) | static_cast<int>(status) << shift))) {}
      }
      b.mark_dirty_shared(lsn);
      run = run.subspan(n);
    }
  };
  // Children first: nobody asks for them before the top-level xid has left the process array.
  set_run(children);
  set_run({&top, 1});
}

XidStatus get_status(Xid xid) {
  if (!is_normal(xid)) return xid == kInvalidXid ? XidStatus::aborted : XidStatus::committed;
  KnownStatus& k = known[xid.value() % kKnown];
  if (k.xid == xid.value()) return k.status;
  PinnedBuffer b = pin(status_page(xid), status_hint);
  auto status = static_cast<XidStatus>(status_byte(b, xid).load(std::memory_order_acquire) >> status_shift(xid) & 3);
  if (status != XidStatus::in_progress) k = {xid.value(), status};
  return status;
}

void set_top_level(Xid sub, Xid top) {
  std::uint64_t distance = sub - top;
  if (distance > UINT32_MAX) throw SqlError(sqlstate::program_limit_exceeded, "too many transactions since the start of the current one");
  PinnedBuffer b = pin(top_page(sub), top_hint);
  b.lock(locking::LwMode::shared);
  top_word(b, sub).store(static_cast<std::uint32_t>(distance), std::memory_order_release);
  b.mark_dirty_shared(kInvalidLsn);
}

Xid top_level_of(Xid xid) {
  static Xid last, last_top;
  if (!is_normal(xid)) return xid;
  if (xid == last) return last_top;
  PinnedBuffer b = pin(top_page(xid), top_hint);
  Xid top = xid - top_word(b, xid).load(std::memory_order_acquire);
  // Only a known parent is for ever: an xid may be looked up before its owner has entered the parent.
  if (top != xid) { last = xid; last_top = top; }
  return top;
}

bool did_commit(Xid xid) { return get_status(xid) == XidStatus::committed; }

bool did_abort(Xid xid) {
  XidStatus s = get_status(xid);
  if (s != XidStatus::in_progress) return s == XidStatus::aborted;
  // Gone with a crash, unless it ended between the two looks.
  return !is_running(xid) && get_status(xid) != XidStatus::committed;
}

bool commit_is_durable(Xid xid) {
  if (!is_normal(xid) || wal::async_commits_are_flushed()) return true;
  PinnedBuffer b = pin(status_page(xid), status_hint);
  std::atomic_ref<std::uint64_t> lsn(*reinterpret_cast<std::uint64_t*>(b.page().bytes()));
  return lsn.load(std::memory_order_acquire) <= wal::flushed_position().value();
}

void trim_commit_log() {
  Xid next = next_xid();
  PinnedBuffer b = pin(status_page(next), status_hint);
  b.lock(locking::LwMode::exclusive);
  bool changed = false;
  for (Xid xid = next; status_page(xid) == status_page(next); ++xid) {
    std::atomic_ref<std::uint8_t> byte = status_byte(b, xid);
    auto mask = static_cast<std::uint8_t>(3 << status_shift(xid));
    changed = changed || (byte.load() & mask) != 0;
    byte.fetch_and(static_cast<std::uint8_t>(~mask));
  }
  if (changed) b.mark_dirty();
}

void reset_subtransactions() {
  for (const std::string& name : storage::list_directory("pg_subtrans")) storage::file_system().unlink(("pg_subtrans/" + name).c_str());
}

}  // namespace hathi::transaction
