// Change: collects edits, applies and logs them.

#include <cstring>
#include <memory>

#include "edits.h"
#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/file.h"
#include "log_state.h"
#include "record.h"

namespace hathi::wal {

namespace {
constexpr int kMaxPages = 32;
constexpr std::size_t kKeepCapacity = 16 * 1024;

struct PageState {
  buffer::PinnedBuffer* buffer = nullptr;
  ByteBuffer edits;
  ByteBuffer image;               // the whole new content, when given
  bool has_image = false;
  bool formats = false;           // the edits begin with init: redo needs no old page
};
}  // namespace

struct Change::State {
  ResourceManager manager{};
  std::uint8_t info = 0;
  bool logged = false;
  Xid xid;
  int count = 0;
  PageState pages[kMaxPages];
  PageEdit edits[kMaxPages];
  ByteBuffer data;
};

// PageEdit and the functions below reach the state through this.
struct ChangeAccess {
  using State = Change::State;
  static PageState& page(Change* change, int index) { return change->state_->pages[index]; }
};

namespace {

// One State a nesting depth, kept for reuse.
std::vector<std::unique_ptr<ChangeAccess::State>>* state_pool() {
  static std::vector<std::unique_ptr<ChangeAccess::State>> pool;
  return &pool;
}
std::size_t depth = 0;

void check_range(std::size_t offset, std::size_t size) { HATHI_ASSERT(offset + size <= kPageSize); }

}  // namespace

Change::Change(ResourceManager manager, std::uint8_t info, bool logged) {
  auto& pool = *state_pool();
  if (depth == pool.size()) pool.push_back(std::make_unique<State>());
  state_ = pool[depth++].get();
  state_->manager = manager;
  state_->info = info;
  state_->logged = logged;
  state_->xid = kInvalidXid;
  state_->count = 0;
  state_->data.reset();
}

Change::~Change() {
  for (int i = 0; i < state_->count; ++i) {
    PageState& p = state_->pages[i];
    p.edits.trim(kKeepCapacity);
    p.image.trim(kKeepCapacity);
  }
  --depth;
}

PageEdit& Change::page(buffer::PinnedBuffer& buffer) {
  HATHI_ASSERT(state_->count < kMaxPages && buffer.is_locked_exclusive());
  int i = state_->count++;
  PageState& p = state_->pages[i];
  p.buffer = &buffer;
  p.edits.reset();
  p.has_image = p.formats = false;
  PageEdit& e = state_->edits[i];
  e.change_ = this;
  e.index_ = i;
  return e;
}

void Change::data(std::span<const std::byte> bytes) { state_->data.append(bytes); }
void Change::xid(Xid xid) { state_->xid = xid; }

void PageEdit::write(std::uint16_t offset, std::span<const std::byte> bytes) {
  check_range(offset, bytes.size());
  if (!bytes.empty()) encode_write(ChangeAccess::page(change_, index_).edits, offset, bytes);
}
void PageEdit::move(std::uint16_t to, std::uint16_t from, std::uint16_t length) {
  check_range(to, length);
  check_range(from, length);
  if (length != 0 && to != from) encode_move(ChangeAccess::page(change_, index_).edits, to, from, length);
}
void PageEdit::zero(std::uint16_t offset, std::uint16_t length) {
  check_range(offset, length);
  if (length != 0) encode_zero(ChangeAccess::page(change_, index_).edits, offset, length);
}
void PageEdit::init(std::uint16_t special_size) {
  PageState& p = ChangeAccess::page(change_, index_);
  if (p.edits.empty()) p.formats = true;
  encode_init(p.edits, special_size);
}
void PageEdit::image(const std::byte* page) {
  PageState& p = ChangeAccess::page(change_, index_);
  p.image.reset();
  p.image.append({page, kPageSize});
  p.has_image = true;
  p.edits.reset();
}
void PageEdit::add_item(OffsetNumber n, std::span<const std::byte> bytes) { encode_add_item(ChangeAccess::page(change_, index_).edits, n.value(), bytes); }
void PageEdit::add_item_like(OffsetNumber n, std::span<const std::byte> bytes, OffsetNumber base, std::uint16_t head) {
  PageState& p = ChangeAccess::page(change_, index_);
  PageView view = p.buffer->page();
  LinePointer lp = view.line(base);
  HATHI_ASSERT(lp.state() == LinePointer::State::normal && head <= bytes.size());
  encode_add_item_like(p.edits, n.value(), bytes, base.value(), {view.bytes() + lp.offset(), lp.length()}, head);
}
void PageEdit::compact() { encode_compact(ChangeAccess::page(change_, index_).edits); }

namespace {

RecordBuilder& builder() {
  static RecordBuilder instance;
  return instance;
}

void apply_in_memory(ChangeAccess::State& s) {
  for (int i = 0; i < s.count; ++i) {
    PageState& p = s.pages[i];
    HATHI_ASSERT(p.buffer->is_locked_exclusive());
    // Dirty before the record exists: a checkpoint that starts after the record must find the page.
    p.buffer->mark_dirty(s.logged);
    PageView page = p.buffer->page();
    Lsn before = page.header().lsn;
    if (p.has_image) std::memcpy(page.bytes(), p.image.data(), kPageSize);
    if (!apply_edits(page.bytes(), p.edits.bytes())) panic("page edits do not fit the page");
    page.header().checksum = 0;
    page.header().lsn = before;
  }
}

// Assembles the record with the images that `redo` asks for; sets `depends` when some page went without one because of it.
void build(ChangeAccess::State& s, std::uint64_t redo, bool& depends) {
  RecordBuilder& b = builder();
  b.begin();
  depends = false;
  for (int i = 0; i < s.count; ++i) {
    PageState& p = s.pages[i];
    const std::byte* page = p.buffer->page().bytes();
    bool image = p.has_image;
    if (!image && !p.formats && config::values::full_page_writes) {
      image = p.buffer->page().header().lsn.value() <= redo;
      depends = depends || !image;
    }
    if (image) b.block(p.buffer->tag(), 0, page, {});
    else b.block(p.buffer->tag(), p.formats ? kBlockInit : 0, nullptr, p.edits.bytes());
  }
  b.data(s.data.bytes());
}

// The pages as they are now, for recovery to compare with what it made of them.
void log_pages_for_check(const ChangeAccess::State& s) {
  RecordBuilder& b = builder();
  b.begin();
  for (int i = 0; i < s.count; ++i) {
    alignas(8) std::byte copy[kPageSize];
    std::memcpy(copy, s.pages[i].buffer->page().bytes(), kPageSize);
    b.block(s.pages[i].buffer->tag(), 0, copy, {});
  }
  insert_record(b.finish(ResourceManager::log, kPageCheckInfo, kInvalidXid), nullptr);
  b.trim();
}

}  // namespace

Lsn Change::apply() {
  State& s = *state_;
  CriticalSection critical;
  apply_in_memory(s);
  if (!s.logged) return kInvalidLsn;
  Lsn end = kInvalidLsn;
  while (end == kInvalidLsn) {
    std::uint64_t redo = wal::state->redo.load(std::memory_order_acquire);
    bool depends = false;
    build(s, redo, depends);
    end = insert_record(builder().finish(s.manager, s.info, s.xid), depends ? &redo : nullptr);
  }
  builder().trim();
  ++own_records;
  for (int i = 0; i < s.count; ++i) s.pages[i].buffer->page().header().lsn = end;
  if (checks_consistency(s.manager)) [[unlikely]] log_pages_for_check(s);
  return end;
}

Lsn log_hint_image(const BlockTag& tag, const std::byte* page) {
  std::uint64_t redo = state->redo.load(std::memory_order_acquire);
  if (PageView(const_cast<std::byte*>(page)).header().lsn.value() > redo) return kInvalidLsn;
  // Others may set hint bits at the same time: log one consistent copy.
  std::byte copy[kPageSize];
  std::memcpy(copy, page, kPageSize);
  RecordBuilder& b = builder();
  b.begin();
  b.block(tag, 0, copy, {});
  return insert_record(b.finish(ResourceManager::log, kHintImageInfo, kInvalidXid), nullptr);
}

}  // namespace hathi::wal
