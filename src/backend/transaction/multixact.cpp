// Groups of transactions that share a row lock.
//
// offsets page: special space of 8-byte entries, one a multixact: first member << 16 | number of members
// members page: special space of 8-byte entries: xid << 3 | status
// Ordinary logged pages of the buffer pool, changed by page edits.

#include <algorithm>
#include <cstring>
#include <vector>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "hathi/wal/encoding.h"
#include "hathi/wal/page_edit.h"
#include "shared.h"

namespace hathi::transaction {

namespace {

using buffer::PinnedBuffer;

constexpr std::size_t kSpecialStart = 64;
constexpr std::uint64_t kPerPage = (kPageSize - kSpecialStart) / 8;
constexpr RelationFile kOffsets = storage::internal_file(storage::InternalFile::multixact_offsets);
constexpr RelationFile kMembers = storage::internal_file(storage::InternalFile::multixact_members);

PinnedBuffer pin(const RelationFile& file, std::uint64_t index) {
  return buffer::read({file, Fork::main, BlockNumber{static_cast<std::uint32_t>(index / kPerPage)}}, buffer::ReadMode::zero_past_end);
}
std::uint16_t offset_of(std::uint64_t index) { return static_cast<std::uint16_t>(kSpecialStart + index % kPerPage * 8); }
std::uint64_t entry(const PinnedBuffer& b, std::uint64_t index) {
  std::uint64_t v;
  std::memcpy(&v, b.page().bytes() + offset_of(index), sizeof v);
  return v;
}

// Opens the page for changing: formats it when it is new.
wal::PageEdit& edit(wal::Change& change, PinnedBuffer& b) {
  b.lock(locking::LwMode::exclusive);
  wal::PageEdit& e = change.page(b);
  if (b.page().is_new()) e.init(static_cast<std::uint16_t>(kPageSize - kSpecialStart));
  return e;
}

constexpr std::uint8_t kMembersInfo = 0;   // no data
constexpr std::uint8_t kCreateInfo = 1;    // data: the next multixact and member numbers

void write_members(std::uint64_t first, std::span<const std::uint64_t> members) {
  while (!members.empty()) {
    std::size_t n = std::min<std::size_t>(members.size(), kPerPage - first % kPerPage);
    PinnedBuffer b = pin(kMembers, first);
    wal::Change change(wal::ResourceManager::multixact, kMembersInfo, true);
    edit(change, b).write(offset_of(first), std::as_bytes(members.first(n)));
    change.apply();
    first += n;
    members = members.subspan(n);
  }
}

// The multixacts this process made or looked at last, members sorted.
struct Known {
  MultiXactId id;
  std::vector<std::uint64_t> members;
};
constexpr std::size_t kKnown = 8;
Known known[kKnown];
std::size_t next_known = 0;

void remember(MultiXactId id, std::vector<std::uint64_t> members) {
  known[next_known] = {id, std::move(members)};
  next_known = (next_known + 1) % kKnown;
}

const std::vector<std::uint64_t>& raw_members(MultiXactId id) {
  for (const Known& k : known)
    if (k.id == id && !k.members.empty()) return k.members;
  {
    locking::SpinGuard guard(shared->multixact_lock);
    if (id.value() == 0 || id.value() >= shared->next_multixact)
      throw SqlError(sqlstate::internal_error, "MultiXactId {} has not been created yet -- apparent wraparound", id.value());
  }
  PinnedBuffer offsets = pin(kOffsets, id.value());
  offsets.lock(locking::LwMode::shared);
  std::uint64_t v = entry(offsets, id.value());
  offsets.release();
  std::uint64_t first = v >> 16;
  std::size_t count = v & 0xFFFF;
  if (count == 0) throw SqlError(sqlstate::data_corrupted, "MultiXact {} has no members", id.value());
  std::vector<std::uint64_t> members;
  while (members.size() < count) {
    PinnedBuffer b = pin(kMembers, first);
    b.lock(locking::LwMode::shared);
    do {
      members.push_back(entry(b, first));
      ++first;
    } while (members.size() < count && first % kPerPage != 0);
  }
  remember(id, std::move(members));
  return known[(next_known + kKnown - 1) % kKnown].members;
}

MultiXactMember member_of(std::uint64_t v) { return {Xid{v >> 3}, static_cast<RowLockStatus>(v & 7)}; }

}  // namespace

MultiXactId create_multixact(std::span<const MultiXactMember> members) {
  HATHI_ASSERT(!members.empty());
  if (members.size() > 0xFFFF) throw SqlError(sqlstate::program_limit_exceeded, "too many transactions lock one row");
  std::vector<std::uint64_t> raw;
  for (const MultiXactMember& m : members) raw.push_back(m.xid.value() << 3 | static_cast<std::uint64_t>(m.status));
  std::sort(raw.begin(), raw.end());
  for (const Known& k : known)
    if (k.members == raw) return k.id;
  std::uint32_t id;
  std::uint64_t first;
  std::vector<std::byte> record;
  {
    locking::SpinGuard guard(shared->multixact_lock);
    if (shared->next_multixact == UINT32_MAX) throw SqlError(sqlstate::program_limit_exceeded, "multixact \"members\" limit exceeded");
    id = shared->next_multixact++;
    first = shared->next_member;
    shared->next_member += raw.size();
  }
  write_members(first, raw);
  wal::put_varint(record, std::uint64_t{id} + 1);
  wal::put_varint(record, first + raw.size());
  PinnedBuffer b = pin(kOffsets, id);
  wal::Change change(wal::ResourceManager::multixact, kCreateInfo, true);
  edit(change, b).write_value(offset_of(id), first << 16 | raw.size());
  change.data(record);
  change.apply();
  remember(MultiXactId{id}, std::move(raw));
  return MultiXactId{id};
}

std::vector<MultiXactMember> multixact_members(MultiXactId id) {
  std::vector<MultiXactMember> result;
  for (std::uint64_t v : raw_members(id)) result.push_back(member_of(v));
  return result;
}

bool multixact_is_running(MultiXactId id) {
  for (std::uint64_t v : raw_members(id))
    if (is_running(member_of(v).xid)) return true;
  return false;
}

Xid multixact_updater(MultiXactId id) {
  for (std::uint64_t v : raw_members(id))
    if (member_of(v).status >= RowLockStatus::no_key_update) return member_of(v).xid;
  return kInvalidXid;
}

void redo_multixact(const wal::RedoRecord& record) {
  if (record.info != kCreateInfo) return;
  wal::ByteReader in(record.data);
  auto next = static_cast<std::uint32_t>(in.varint());
  std::uint64_t member = in.varint();
  shared->next_multixact = std::max(shared->next_multixact, next);
  shared->next_member = std::max(shared->next_member, member);
}

}  // namespace hathi::transaction
