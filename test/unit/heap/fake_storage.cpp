#include "fake_storage.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "hathi/buffer/page_check.h"
#include "hathi/error/sql_error.h"
#include "hathi/locking/subtrees.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/combo.h"
#include "hathi/transaction/oid_counter.h"
#include "hathi/transaction/process_array.h"
#include "hathi/wal/log.h"
#include "hathi/wal/page_edit.h"

namespace hathi {

namespace {

struct Frame {
  BlockTag tag;
  std::unique_ptr<std::byte[]> page;
  int pins = 0;
  int sharers = 0;
  bool exclusive = false;
};
std::deque<Frame> frames;
std::map<BlockTag, int> frame_of;
std::map<std::pair<RelationFile, Fork>, std::uint32_t> fork_sizes;

enum class Fate { running, committed, aborted };
struct Transaction { Fate fate = Fate::running; CommandId command{0}; };
std::map<Xid, Transaction> transactions;
Xid current{0};
std::uint64_t next_xid = 100;
std::multiset<Xid> view_xmins;
std::function<void(Xid)> wait_hook, running_hook;
std::vector<fake::LoggedRecord> records;
std::uint64_t lsn = 1000;
bool waiters = false;
int failing_extensions = 0, extensions = 0;
std::map<std::uint32_t, std::vector<transaction::MultiXactMember>> multis;
std::vector<transaction::EventHook> hooks;
std::map<std::pair<std::uint64_t, std::uint64_t>, int> heavy_locks;

Fate fate_of(Xid xid) {
  auto found = transactions.find(xid);
  if (found == transactions.end()) return xid == kBootstrapXid || xid == kFrozenXid ? Fate::committed : Fate::aborted;
  return found->second.fate;
}

void make_page(std::byte* p) { std::memset(p, 0, kPageSize); }

}  // namespace

// --- the test's side -------------------------------------------------------------------------------------------------
namespace fake {

void reset() {
  frames.clear();
  frame_of.clear();
  fork_sizes.clear();
  transactions.clear();
  current = kInvalidXid;
  next_xid = 100;
  view_xmins.clear();
  wait_hook = running_hook = nullptr;
  records.clear();
  waiters = false;
  failing_extensions = 0;
  multis.clear();
}

Xid begin() {
  Xid xid{next_xid++};
  transactions[xid] = {};
  current = xid;
  return xid;
}
void become(Xid xid) { current = xid; }
static void finish(Fate fate, transaction::Event event) {
  transactions[current].fate = fate;
  for (auto hook : hooks) hook(event);
}
void commit() { finish(Fate::committed, transaction::Event::commit); }
void abort() { finish(Fate::aborted, transaction::Event::abort); }
void set_next_xid(std::uint64_t xid) { next_xid = xid; }
void on_wait(std::function<void(Xid)> hook) { wait_hook = std::move(hook); }
void after_running(std::function<void(Xid)> hook) { running_hook = std::move(hook); }
const std::vector<LoggedRecord>& log() { return records; }
void set_waiters(bool w) { waiters = w; }
void fail_extensions(int every) { failing_extensions = every; }
int pin_count() {
  int n = 0;
  for (const Frame& f : frames) n += f.pins;
  return n;
}
std::byte* raw_page(const BlockTag& tag) {
  auto found = frame_of.find(tag);
  return found == frame_of.end() ? nullptr : frames[static_cast<std::size_t>(found->second)].page.get();
}

View::View() {
  for (auto& [xid, t] : transactions) {
    if (t.fate == Fate::running) running_.push_back(xid);
  }
  snapshot_.xmax = Xid{next_xid};
  snapshot_.xmin = running_.empty() ? snapshot_.xmax : running_.front();
  std::erase(running_, current);
  snapshot_.running = running_.data();
  snapshot_.running_count = static_cast<std::uint32_t>(running_.size());
  snapshot_.command = transactions.contains(current) ? transactions[current].command : CommandId{0};
  view_xmins.insert(snapshot_.xmin);
}
View::~View() {
  auto found = view_xmins.find(snapshot_.xmin);
  if (found != view_xmins.end()) view_xmins.erase(found);
}

}  // namespace fake

// --- buffer/ ---------------------------------------------------------------------------------------------------------
namespace buffer {

struct BufferAccess {
  static PinnedBuffer make(int index, bool locked) {
    PinnedBuffer b;
    Frame& f = frames[static_cast<std::size_t>(index)];
    ++f.pins;
    b.page_ = f.page.get();
    b.index_ = index;
    if (locked) {
      f.exclusive = true;
      b.locked_ = b.locked_exclusive_ = true;
    }
    return b;
  }
};
namespace {
Frame& frame(BufferIndex i) { return frames[static_cast<std::size_t>(i)]; }
int find_or_make(const BlockTag& tag) {
  auto found = frame_of.find(tag);
  if (found != frame_of.end()) return found->second;
  frames.push_back({tag, std::make_unique<std::byte[]>(kPageSize)});
  make_page(frames.back().page.get());
  return frame_of[tag] = static_cast<int>(frames.size()) - 1;
}
}  // namespace

PinnedBuffer::PinnedBuffer(PinnedBuffer&& o) noexcept
    : page_(o.page_), index_(std::exchange(o.index_, kNoBuffer)), locked_(std::exchange(o.locked_, false)),
      locked_exclusive_(std::exchange(o.locked_exclusive_, false)) {}
PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& o) noexcept {
  if (this == &o) return *this;
  release();
  page_ = o.page_;
  index_ = std::exchange(o.index_, kNoBuffer);
  locked_ = std::exchange(o.locked_, false);
  locked_exclusive_ = std::exchange(o.locked_exclusive_, false);
  return *this;
}
const BlockTag& PinnedBuffer::tag() const { return frame(index_).tag; }
void PinnedBuffer::lock(locking::LwMode mode) {
  Frame& f = frame(index_);
  // One process: a lock that is not free would never be.
  HATHI_ASSERT(!locked_ && !f.exclusive && (mode == locking::LwMode::shared || f.sharers == 0));
  if (mode == locking::LwMode::exclusive) f.exclusive = true; else ++f.sharers;
  locked_ = true;
  locked_exclusive_ = mode == locking::LwMode::exclusive;
}
bool PinnedBuffer::try_lock(locking::LwMode mode) {
  Frame& f = frame(index_);
  if (f.exclusive || (mode == locking::LwMode::exclusive && f.sharers != 0)) return false;
  lock(mode);
  return true;
}
void PinnedBuffer::unlock() {
  Frame& f = frame(index_);
  HATHI_ASSERT(locked_);
  if (locked_exclusive_) f.exclusive = false; else --f.sharers;
  locked_ = locked_exclusive_ = false;
}
void PinnedBuffer::lock_for_cleanup() {
  HATHI_ASSERT(frame(index_).pins == 1);
  lock(locking::LwMode::exclusive);
}
bool PinnedBuffer::try_lock_for_cleanup() { return frame(index_).pins == 1 && try_lock(locking::LwMode::exclusive); }
void PinnedBuffer::mark_dirty_hint() { HATHI_ASSERT(locked_); }
void PinnedBuffer::mark_dirty(bool) { HATHI_ASSERT(locked_exclusive_); }
void PinnedBuffer::mark_dirty_shared(Lsn) {}
PinnedBuffer PinnedBuffer::share() const { return BufferAccess::make(index_, false); }
void PinnedBuffer::release() {
  if (index_ == kNoBuffer) return;
  if (locked_) unlock();
  --frame(index_).pins;
  index_ = kNoBuffer;
}

PinnedBuffer read(const BlockTag& tag, ReadMode, Ring*) {
  if (tag.block.value() >= fork_sizes[{tag.file, tag.fork}]) throw SqlError(sqlstate::data_corrupted, "block {} past the end", tag.block.value());
  return BufferAccess::make(find_or_make(tag), false);
}
PinnedBuffer read_recent(const BlockTag& tag, BufferIndex, Ring* ring) { return read(tag, ReadMode::normal, ring); }
PinnedBuffer extend(const RelationFile& file, Fork fork, int count, Ring*, int* added) {
  for (const Frame& f : frames) HATHI_ASSERT(!f.exclusive && f.sharers == 0);   // no content lock while extending
  if (failing_extensions != 0 && ++extensions % failing_extensions == 0) throw SqlError(sqlstate::disk_full, "disk full");
  if (added != nullptr) *added = count;
  std::uint32_t& size = fork_sizes[{file, fork}];
  BlockNumber first{size};
  size += static_cast<std::uint32_t>(count);
  return BufferAccess::make(find_or_make({file, fork, first}), true);
}
BlockNumber block_count(const RelationFile& file, Fork fork) {
  auto found = fork_sizes.find({file, fork});
  return BlockNumber{found == fork_sizes.end() ? 0 : found->second};
}
bool fork_exists(const RelationFile& file, Fork fork) { return fork_sizes.contains({file, fork}); }
class Ring {};
Ring* make_ring(RingKind) { return nullptr; }
void free_ring(Ring*) {}
int pool_buffer_count() { return 1 << 20; }

void register_page_check(std::uint16_t, PageCheck) {}

}  // namespace buffer

void PageView::init(std::uint16_t special_size) const {
  std::memset(bytes_, 0, kPageSize);
  header().lower = kPageHeaderSize;
  header().special = header().upper = static_cast<std::uint16_t>(kPageSize - special_size);
  header().version = kPageVersion;
}

// --- storage/ --------------------------------------------------------------------------------------------------------
namespace storage {
void create_fork(const RelationFile& file, Fork fork, bool) { fork_sizes.try_emplace({file, fork}, 0); }
void truncate_storage_now(const RelationFile& file, BlockNumber blocks) {
  std::uint32_t& size = fork_sizes[{file, Fork::main}];
  for (std::uint32_t b = blocks.value(); b < size; ++b) {
    if (std::byte* p = fake::raw_page({file, Fork::main, BlockNumber{b}})) make_page(p);
  }
  size = blocks.value();
}
struct TempFile::State { std::vector<std::byte> bytes; std::size_t at = 0; };
TempFile::TempFile() : state_(new State) {}
TempFile::~TempFile() { delete state_; }
TempFile::TempFile(TempFile&& o) noexcept : state_(std::exchange(o.state_, nullptr)) {}
TempFile& TempFile::operator=(TempFile&& o) noexcept { std::swap(state_, o.state_); return *this; }
void TempFile::append(const void* p, std::size_t n) {
  auto* b = static_cast<const std::byte*>(p);
  state_->bytes.insert(state_->bytes.end(), b, b + n);
}
void TempFile::rewind() { state_->at = 0; }
std::size_t TempFile::read(void* p, std::size_t n) {
  n = std::min(n, state_->bytes.size() - state_->at);
  std::memcpy(p, state_->bytes.data() + state_->at, n);
  state_->at += n;
  return n;
}
void TempFile::seek(std::int64_t offset) { state_->at = static_cast<std::size_t>(offset); }
std::int64_t TempFile::tell() const { return static_cast<std::int64_t>(state_->at); }
std::int64_t TempFile::size() const { return static_cast<std::int64_t>(state_->bytes.size()); }
}  // namespace storage

// --- wal/ ------------------------------------------------------------------------------------------------------------
namespace wal {

struct Change::State {
  ResourceManager manager;
  std::uint8_t info;
  bool logged;
  struct Page { buffer::PinnedBuffer* pin; std::vector<std::function<void(std::byte*)>> edits; };
  std::deque<Page> pages;
  std::deque<PageEdit> edits;
};
struct ChangeAccess {
  static void add(Change* change, int index, std::function<void(std::byte*)> edit) {
    change->state_->pages[static_cast<std::size_t>(index)].edits.push_back(std::move(edit));
  }
  static PageView page(Change* change, int index) { return change->state_->pages[static_cast<std::size_t>(index)].pin->page(); }
};
namespace {
using Bytes = std::vector<std::byte>;
Bytes copy(std::span<const std::byte> b) { return {b.begin(), b.end()}; }
void place(std::byte* p, OffsetNumber n, const Bytes& item) {
  PageView page(p);
  PageHeader& h = page.header();
  HATHI_ASSERT(n.value() >= 1 && n.value() <= page.line_count() + 1);
  if (n.value() == page.line_count() + 1) h.lower = static_cast<std::uint16_t>(h.lower + 4);
  std::size_t aligned = (item.size() + 7) & ~std::size_t{7};
  HATHI_ASSERT(h.lower + aligned <= h.upper);
  h.upper = static_cast<std::uint16_t>(h.upper - aligned);
  std::memcpy(p + h.upper, item.data(), item.size());
  page.line(n) = LinePointer::make(h.upper, LinePointer::State::normal, static_cast<std::uint16_t>(item.size()));
}
void pack(std::byte* p) {
  std::vector<std::byte> old(p, p + kPageSize);
  PageView page(p);
  std::uint16_t upper = page.header().special;
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    LinePointer& lp = page.line(OffsetNumber{i});
    if (lp.state() != LinePointer::State::normal) continue;
    auto size = static_cast<std::uint16_t>((lp.length() + 7) & ~7);
    upper = static_cast<std::uint16_t>(upper - size);
    std::memcpy(p + upper, old.data() + lp.offset(), size);
    lp = LinePointer::make(upper, LinePointer::State::normal, lp.length());
  }
  page.header().upper = upper;
  // Whoever reads what is gone shall notice.
  std::memset(p + page.header().lower, 0xAB, static_cast<std::size_t>(upper - page.header().lower));
}
}  // namespace

void PageEdit::write(std::uint16_t offset, std::span<const std::byte> bytes) {
  HATHI_ASSERT(offset + bytes.size() <= kPageSize);
  ChangeAccess::add(change_, index_, [offset, b = copy(bytes)](std::byte* p) { std::memcpy(p + offset, b.data(), b.size()); });
}
void PageEdit::move(std::uint16_t to, std::uint16_t from, std::uint16_t length) {
  ChangeAccess::add(change_, index_, [=](std::byte* p) { std::memmove(p + to, p + from, length); });
}
void PageEdit::zero(std::uint16_t offset, std::uint16_t length) {
  ChangeAccess::add(change_, index_, [=](std::byte* p) { std::memset(p + offset, 0, length); });
}
void PageEdit::init(std::uint16_t special) {
  ChangeAccess::add(change_, index_, [=](std::byte* p) { PageView(p).init(special); });
}
void PageEdit::image(const std::byte* page) {
  ChangeAccess::add(change_, index_, [b = copy({page, kPageSize})](std::byte* p) { std::memcpy(p, b.data(), kPageSize); });
}
void PageEdit::compact() { ChangeAccess::add(change_, index_, pack); }
void PageEdit::add_item(OffsetNumber n, std::span<const std::byte> bytes) {
  ChangeAccess::add(change_, index_, [n, b = copy(bytes)](std::byte* p) { place(p, n, b); });
}
void PageEdit::add_item_like(OffsetNumber n, std::span<const std::byte> bytes, OffsetNumber base, std::uint16_t head) {
  HATHI_ASSERT(ChangeAccess::page(change_, index_).line(base).state() == LinePointer::State::normal && head <= bytes.size());
  add_item(n, bytes);
}

Change::Change(ResourceManager manager, std::uint8_t info, bool logged) : state_(new State{manager, info, logged, {}, {}}) {}
Change::~Change() { delete state_; }
PageEdit& Change::page(buffer::PinnedBuffer& buffer) {
  HATHI_ASSERT(buffer.is_locked_exclusive());
  state_->pages.push_back({&buffer, {}});
  PageEdit& e = state_->edits.emplace_back();
  e.change_ = this;
  e.index_ = static_cast<int>(state_->pages.size()) - 1;
  return e;
}
void Change::data(std::span<const std::byte>) {}
void Change::xid(Xid) {}
Lsn Change::apply() {
  for (auto& page : state_->pages) {
    HATHI_ASSERT(page.pin->is_locked_exclusive());
    for (auto& edit : page.edits) edit(page.pin->page().bytes());
  }
  if (!state_->logged) return kInvalidLsn;
  lsn += 10;
  for (auto& page : state_->pages) page.pin->page().header().lsn = Lsn{lsn};
  records.push_back({static_cast<int>(state_->manager), state_->info, static_cast<int>(state_->pages.size())});
  return Lsn{lsn};
}
Lsn insert_position() { return Lsn{lsn}; }

}  // namespace wal

// --- locking/ --------------------------------------------------------------------------------------------------------
namespace locking {

LockTag LockTag::relation_tag(Oid database, Oid relation) {
  LockTag t;
  t.database = raw(database);
  t.relation = raw(relation);
  return t;
}
LockTag LockTag::tuple_tag(Oid database, Oid relation, TupleId tid) {
  LockTag t = relation_tag(database, relation);
  t.kind = LockTagKind::tuple;
  t.block = tid.block.value();
  t.offset = tid.offset.value();
  return t;
}
LockResult acquire(ResourceOwner&, const LockTag&, LockMode, bool) { return LockResult::granted; }
bool release(ResourceOwner&, const LockTag&, LockMode) { return true; }
bool has_waiters(std::span<const LockTag>, LockMode) { return waiters; }
bool wait_for_transaction(ResourceOwner&, Xid xid, bool dont_wait) {
  for (const Frame& f : frames) HATHI_ASSERT(!f.exclusive && f.sharers == 0);  // no content lock while waiting
  if (fate_of(xid) != Fate::running) return true;
  if (dont_wait) return false;
  if (!wait_hook) throw SqlError(sqlstate::t_r_deadlock_detected, "nobody would ever end transaction {}", xid.value());
  Xid me = current;
  wait_hook(xid);
  current = me;
  HATHI_ASSERT(fate_of(xid) != Fate::running);
  return true;
}

}  // namespace locking

// --- transaction/ ----------------------------------------------------------------------------------------------------
namespace transaction {

bool did_commit(Xid xid) { return fate_of(xid) == Fate::committed; }
bool did_abort(Xid xid) { return fate_of(xid) == Fate::aborted; }
bool is_running(Xid xid) {
  if (fate_of(xid) != Fate::running) return false;
  if (running_hook) {
    Xid me = current;
    running_hook(xid);
    current = me;
  }
  return true;
}
bool is_current(Xid xid) { return xid == current && is_normal(xid); }
Xid current_xid() { return current; }
Xid current_xid_if_any() { return current; }
Oid next_oid() { static std::uint32_t next = 16384; return Oid{next++}; }
Xid next_xid() { return Xid{hathi::next_xid}; }
CommandId current_command(bool) { return transactions[current].command; }
void advance_command() { ++transactions[current].command; }
locking::ResourceOwner& owner() {
  static std::byte memory[64];
  return *reinterpret_cast<locking::ResourceOwner*>(memory);
}
void register_hook(EventHook hook) { hooks.push_back(hook); }
bool in_snapshot(Xid xid, const Snapshot& s) {
  if (xid < s.xmin) return false;
  if (xid >= s.xmax) return true;
  return std::binary_search(s.running, s.running + s.running_count, xid);
}
Xid oldest_visible_xid(Oid) {
  Xid oldest{hathi::next_xid};
  for (auto& [xid, t] : transactions) {
    if (t.fate == Fate::running) { oldest = std::min(oldest, xid); break; }
  }
  if (!view_xmins.empty()) oldest = std::min(oldest, *view_xmins.begin());
  return oldest;
}
Xid prune_horizon(Oid database) { return oldest_visible_xid(database); }
bool commit_is_durable(Xid) { return true; }
namespace {
std::vector<std::pair<CommandId, CommandId>> combos;
}
CommandId combo_command(CommandId cmin, CommandId cmax) {
  combos.emplace_back(cmin, cmax);
  return CommandId{static_cast<std::uint32_t>(combos.size() - 1)};
}
CommandId real_cmin(CommandId combo) { return combos[combo.value()].first; }
CommandId real_cmax(CommandId combo) { return combos[combo.value()].second; }
const Snapshot& any_snapshot() { static Snapshot s{Snapshot::Kind::any}; return s; }
const Snapshot& self_snapshot() { static Snapshot s{Snapshot::Kind::self}; return s; }
const Snapshot& toast_snapshot() { static Snapshot s{Snapshot::Kind::toast}; return s; }
Snapshot dirty_snapshot() { return Snapshot{Snapshot::Kind::dirty}; }

MultiXactId create_multixact(std::span<const MultiXactMember> members) {
  auto id = static_cast<std::uint32_t>(multis.size() + 1);
  multis[id] = {members.begin(), members.end()};
  return MultiXactId{id};
}
std::vector<MultiXactMember> multixact_members(MultiXactId id) { return multis[id.value()]; }
bool multixact_is_running(MultiXactId id) {
  return std::any_of(multis[id.value()].begin(), multis[id.value()].end(), [](const MultiXactMember& m) { return is_running(m.xid); });
}
Xid multixact_updater(MultiXactId id) {
  for (const MultiXactMember& m : multis[id.value()]) {
    if (m.status >= RowLockStatus::no_key_update) return m.xid;
  }
  return kInvalidXid;
}

}  // namespace transaction
}  // namespace hathi
