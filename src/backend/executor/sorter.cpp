#include "sorter.h"

#include <algorithm>

#include "hathi/error/sql_error.h"
#include "hathi/shmem/interrupts.h"

namespace hathi::executor {

namespace {
constexpr std::size_t kReadChunk = 32768;
constexpr std::size_t kMostRuns = 64;      // merged at once
constexpr std::uint64_t kWorthHeap = 2;    // the heap begins when so many times the bound were read
}  // namespace

// One sorted run on disk, with the row it stands on.
struct Sorter::Run {
  storage::TempFile file;
  std::vector<std::byte> buffer;
  std::size_t at = 0, filled = 0;
  std::vector<std::byte> row_memory;       // the current row with room for its further keys
  Entry current{};
  std::size_t index = 0;

  bool fill(std::size_t bytes) {
    std::size_t left = filled - at;
    if (left >= bytes) return true;
    if (left > 0) std::memmove(buffer.data(), buffer.data() + at, left);
    if (buffer.size() < std::max(bytes, kReadChunk)) buffer.resize(std::max(bytes, kReadChunk));
    filled = left + file.read(buffer.data() + left, buffer.size() - left);
    at = 0;
    return filled >= bytes;
  }
};

Sorter::Sorter(const TupleDescriptor& descriptor, std::span<const SortColumn> columns, std::size_t memory, std::uint64_t bound)
    : descriptor_(&descriptor), columns_(columns), memory_(memory), bound_(bound) {
  std::size_t further = columns.empty() ? 0 : columns.size() - 1;
  prefix_ = align8(further * (sizeof(Datum) + sizeof(bool)));
  for (const SortColumn& c : columns) highest_ = std::max<int>(highest_, c.column);
}

Sorter::~Sorter() = default;

Datum* Sorter::further_values(const PackedRow* row) const {
  return reinterpret_cast<Datum*>(reinterpret_cast<std::byte*>(const_cast<PackedRow*>(row)) - prefix_);
}
bool* Sorter::further_nulls(const PackedRow* row) const { return reinterpret_cast<bool*>(further_values(row) + (columns_.size() - 1)); }

int Sorter::compare_further(const Entry& a, const Entry& b) const {
  if (columns_.size() < 2) return 0;
  const Datum *va = further_values(a.row), *vb = further_values(b.row);
  const bool *na = further_nulls(a.row), *nb = further_nulls(b.row);
  for (std::size_t k = 1; k < columns_.size(); ++k) {
    int r = compare_in_order(columns_[k], va[k - 1], na[k - 1], vb[k - 1], nb[k - 1], scratch_);
    if (r != 0) return r;
  }
  return 0;
}

int Sorter::compare_entries(const Entry& a, const Entry& b) const {
  if (columns_.empty()) return 0;
  int r = compare_in_order(columns_[0], a.key, a.null, b.key, b.null, scratch_);
  scratch_.reset();
  if (r != 0) return r;
  r = compare_further(a, b);
  scratch_.reset();
  return r;
}

// Keys of by-reference types point into the packed row itself.
void Sorter::load_keys(Entry& entry) {
  if (columns_.empty()) return;
  if (key_row_.values == nullptr) {
    key_values_.resize(static_cast<std::size_t>(descriptor_->count()));
    key_nulls_ = std::make_unique<bool[]>(static_cast<std::size_t>(descriptor_->count()));
    key_row_.values = key_values_.data();
    key_row_.nulls = key_nulls_.get();
    key_row_.count = descriptor_->count();
    key_row_.descriptor = descriptor_;
  }
  key_row_.set_packed(entry.row);
  key_row_.need(highest_);
  int first = columns_[0].column - 1;
  entry.key = key_row_.values[first];
  entry.null = key_row_.nulls[first];
  for (std::size_t k = 1; k < columns_.size(); ++k) {
    int i = columns_[k].column - 1;
    further_values(entry.row)[k - 1] = key_row_.values[i];
    further_nulls(entry.row)[k - 1] = key_row_.nulls[i];
  }
}

Sorter::Entry Sorter::make_entry(Row& row, Arena& arena) {
  row.need(descriptor_->count());
  Entry e{};
  e.row = pack_row(*descriptor_, row.values, row.nulls, arena, prefix_);
  load_keys(e);
  return e;
}

void Sorter::put(Row& row) {
  if (heap_mode_) return put_bounded(row);
  entries_.push_back(make_entry(row, arena_));
  ++count_;
  if (bound_ > 0 && runs_.empty() && count_ >= kWorthHeap * bound_ && bound_ < (std::uint64_t{1} << 31)) {
    auto before = [this](const Entry& a, const Entry& b) { return compare_entries(a, b) < 0; };
    auto keep = static_cast<std::ptrdiff_t>(bound_);
    std::nth_element(entries_.begin(), entries_.begin() + (keep - 1), entries_.end(), before);
    entries_.resize(static_cast<std::size_t>(bound_));
    std::make_heap(entries_.begin(), entries_.end(), before);
    heap_mode_ = used_heap_ = true;
    compact();
    return;
  }
  std::size_t used = arena_.footprint() + entries_.capacity() * sizeof(Entry);
  peak_ = std::max(peak_, used);
  if (used > memory_) write_run();
}

// The heap's top is the last of the best rows so far.
void Sorter::put_bounded(Row& row) {
  ++count_;
  Arena& arena = arena_;
  Entry probe{};
  row.need(highest_);
  // Compare before anything is copied: most rows are beyond the bound.
  Entry& top = entries_.front();
  int r = 0;
  for (std::size_t k = 0; k < columns_.size() && r == 0; ++k) {
    int i = columns_[k].column - 1;
    Datum v = k == 0 ? top.key : further_values(top.row)[k - 1];
    bool null = k == 0 ? top.null : further_nulls(top.row)[k - 1];
    r = compare_in_order(columns_[k], row.values[i], row.nulls[i], v, null, scratch_);
  }
  scratch_.reset();
  if (r >= 0) return;
  auto before = [this](const Entry& a, const Entry& b) { return compare_entries(a, b) < 0; };
  probe = make_entry(row, arena);
  std::pop_heap(entries_.begin(), entries_.end(), before);
  live_bytes_ -= entries_.back().row->size + prefix_;
  entries_.back() = probe;
  live_bytes_ += probe.row->size + prefix_;
  std::push_heap(entries_.begin(), entries_.end(), before);
  if (arena_.footprint() > 4 * live_bytes_ + 65536) compact();
}

// Copies the live rows together and frees the rest.
void Sorter::compact() {
  Arena fresh(16384);
  live_bytes_ = 0;
  for (Entry& e : entries_) {
    std::size_t size = e.row->size;
    auto* at = static_cast<std::byte*>(fresh.allocate(prefix_ + size, 8)) + prefix_;
    std::memcpy(at, e.row, size);
    e.row = reinterpret_cast<PackedRow*>(at);
    load_keys(e);
    live_bytes_ += size + prefix_;
  }
  arena_.release();
  arena_.swap(fresh);
}

void Sorter::sort_entries() {
  if (columns_.empty()) return;
  const SortColumn& c = columns_[0];
  bool integers = true;
  switch (c.comparison.kind) {
    case CompareKind::int2: case CompareKind::int4: case CompareKind::int8: break;
    default: integers = false;
  }
  int direction = c.descending ? -1 : 1;
  int null_side = c.nulls_first ? -1 : 1;
  if (integers) {
    std::sort(entries_.begin(), entries_.end(), [this, direction, null_side](const Entry& a, const Entry& b) {
      if (!a.null && !b.null) {
        std::int64_t x = a.key.as_int64(), y = b.key.as_int64();
        if (x != y) return direction > 0 ? x < y : x > y;
      } else if (a.null != b.null) {
        return (a.null ? null_side : -null_side) < 0;
      }
      return compare_further(a, b) < 0;
    });
  } else {
    std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) { return compare_entries(a, b) < 0; });
  }
}

void Sorter::write_run() {
  check_interrupts();
  sort_entries();
  auto run = std::make_unique<Run>();
  std::size_t n = entries_.size();
  for (std::size_t i = 0; i < n; ++i) {
    run->file.append(entries_[i].row, entries_[i].row->size);
    disk_bytes_ += entries_[i].row->size;
  }
  run->index = runs_.size();
  runs_.push_back(std::move(run));
  entries_.clear();
  arena_.reset();
  if (runs_.size() >= 2 * kMostRuns) merge_some_runs();
}

bool Sorter::advance(Run& run) {
  if (!run.fill(sizeof(PackedRow))) return false;
  std::uint32_t size;
  std::memcpy(&size, run.buffer.data() + run.at, sizeof(size));
  if (!run.fill(size)) throw SqlError(sqlstate::internal_error, "unexpected end of a temporary file");
  if (run.row_memory.size() < prefix_ + size) run.row_memory.resize(2 * (prefix_ + size));
  std::byte* at = run.row_memory.data() + prefix_;
  std::memcpy(at, run.buffer.data() + run.at, size);
  run.at += size;
  run.current.row = reinterpret_cast<PackedRow*>(at);
  load_keys(run.current);
  return true;
}

void Sorter::start_merge() {
  merge_heap_.clear();
  pending_ = nullptr;
  for (auto& run : runs_) {
    run->file.rewind();
    run->at = run->filled = 0;
    if (advance(*run)) merge_heap_.push_back(run.get());
  }
  // The heap's front is the smallest; equal rows in the order of their runs.
  std::make_heap(merge_heap_.begin(), merge_heap_.end(), [this](Run* a, Run* b) {
    int r = compare_entries(a->current, b->current);
    return r != 0 ? r > 0 : a->index > b->index;
  });
}

// Merges the oldest runs into one, so that a merge never reads too many at once.
void Sorter::merge_some_runs() {
  std::vector<std::unique_ptr<Run>> later;
  for (std::size_t i = kMostRuns; i < runs_.size(); ++i) later.push_back(std::move(runs_[i]));
  runs_.resize(kMostRuns);
  start_merge();
  auto merged = std::make_unique<Run>();
  Row row;
  auto n = static_cast<std::size_t>(descriptor_->count());
  std::vector<Datum> values(n);
  std::unique_ptr<bool[]> nulls(new bool[n]);
  row.values = values.data();
  row.nulls = nulls.get();
  row.count = descriptor_->count();
  row.descriptor = descriptor_;
  while (next(row)) merged->file.append(pending_->current.row, pending_->current.row->size);
  runs_.clear();
  merge_heap_.clear();
  pending_ = nullptr;
  runs_.push_back(std::move(merged));
  for (auto& run : later) runs_.push_back(std::move(run));
  for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i]->index = i;
}

void Sorter::finish() {
  position_ = 0;
  peak_ = std::max(peak_, arena_.footprint() + entries_.capacity() * sizeof(Entry));
  if (runs_.empty()) {
    sort_entries();
    return;
  }
  if (!entries_.empty()) write_run();
  entries_.shrink_to_fit();
  arena_.release();
  while (runs_.size() > kMostRuns) merge_some_runs();
  start_merge();
}

bool Sorter::next(Row& out) {
  if (runs_.empty()) {
    if (position_ >= entries_.size()) return false;
    out.set_packed(entries_[position_++].row);
    return true;
  }
  auto later = [this](Run* a, Run* b) {
    int r = compare_entries(a->current, b->current);
    return r != 0 ? r > 0 : a->index > b->index;
  };
  if (pending_ != nullptr) {
    // The run whose row was handed out goes on.
    std::pop_heap(merge_heap_.begin(), merge_heap_.end(), later);
    if (advance(*pending_)) {
      std::push_heap(merge_heap_.begin(), merge_heap_.end(), later);
    } else {
      merge_heap_.pop_back();
    }
    pending_ = nullptr;
  }
  if (merge_heap_.empty()) return false;
  pending_ = merge_heap_.front();
  out.set_packed(pending_->current.row);
  return true;
}

void Sorter::rewind() {
  if (runs_.empty()) {
    position_ = 0;
  } else {
    start_merge();
  }
}

void Sorter::clear() {
  entries_.clear();
  arena_.reset();
  runs_.clear();
  merge_heap_.clear();
  pending_ = nullptr;
  heap_mode_ = used_heap_ = false;
  count_ = 0;
  position_ = live_bytes_ = disk_bytes_ = 0;
}

const char* Sorter::method() const {
  if (!runs_.empty()) return "external merge";
  return used_heap_ ? "top-N heapsort" : "quicksort";
}

std::size_t Sorter::kilobytes() const { return ((runs_.empty() ? peak_ : disk_bytes_) + 1023) / 1024; }

}  // namespace hathi::executor
