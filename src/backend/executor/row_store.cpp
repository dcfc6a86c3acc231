#include "row_store.h"

#include "hathi/error/sql_error.h"

namespace hathi::executor {

void RowStore::put(const Datum* values, const bool* nulls) {
  if (file_ == nullptr) {
    rows_.push_back(pack_row(*descriptor_, values, nulls, arena_));
    ++count_;
    if (memory() > limit_) spill();
    return;
  }
  std::size_t size = packed_size(*descriptor_, values, nulls);
  if (packing_.size() < size) packing_.resize(size * 2);
  pack_row_at(*descriptor_, values, nulls, size, packing_.data());
  append_to_file(reinterpret_cast<PackedRow*>(packing_.data()));
  ++count_;
}

void RowStore::spill() {
  file_ = std::make_unique<storage::TempFile>();
  std::uint64_t n = count_;
  count_ = 0;
  for (std::uint64_t i = 0; i < n; ++i, ++count_) append_to_file(rows_[i]);
  // Readers may still point at the last row they read: it is theirs until their next read, so memory goes at the next write.
  rows_.clear();
  rows_.shrink_to_fit();
  spilled_arena_.swap(arena_);
}

void RowStore::append_to_file(const PackedRow* row) {
  if (count_ % kOffsetStep == 0) offsets_.push_back(file_end_);
  file_->append(row, row->size);
  file_end_ += row->size;
  unflushed_ = true;
}

void RowStore::clear() {
  file_.reset();
  rows_.clear();
  rows_.shrink_to_fit();
  arena_.release();
  spilled_arena_.release();
  offsets_.clear();
  count_ = 0;
  file_end_ = 0;
  unflushed_ = false;
}

void RowStore::restart() {
  if (file_ != nullptr) return clear();
  rows_.clear();
  arena_.reset();
  count_ = 0;
}

const PackedRow* RowStore::Reader::at(RowStore& store, std::int64_t offset) {
  constexpr std::size_t kChunk = 32768;
  auto available = [&](std::int64_t from) -> std::size_t {
    if (buffer_start_ < 0 || from < buffer_start_ || from >= buffer_start_ + static_cast<std::int64_t>(filled_)) return 0;
    return filled_ - static_cast<std::size_t>(from - buffer_start_);
  };
  auto load = [&](std::size_t bytes) {
    if (store.unflushed_) {
      store.file_->rewind();
      store.unflushed_ = false;
    }
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    store.file_->seek(offset);
    filled_ = store.file_->read(buffer_.data(), bytes);
    buffer_start_ = offset;
  };
  if (available(offset) < sizeof(PackedRow)) load(kChunk);
  if (available(offset) < sizeof(PackedRow)) throw SqlError(sqlstate::internal_error, "unexpected end of a temporary file");
  std::uint32_t size;
  std::memcpy(&size, buffer_.data() + (offset - buffer_start_), sizeof(size));
  if (available(offset) < size) load(std::max<std::size_t>(size, kChunk));
  if (available(offset) < size) throw SqlError(sqlstate::internal_error, "unexpected end of a temporary file");
  return reinterpret_cast<const PackedRow*>(buffer_.data() + (offset - buffer_start_));
}

bool RowStore::Reader::read(RowStore& store, std::uint64_t number, Row& out) {
  if (number >= store.count_) return false;
  if (store.file_ == nullptr) {
    out.set_packed(store.rows_[number]);
    return true;
  }
  store.spilled_arena_.release();
  if (buffer_start_ < 0 || number != next_number_) {
    std::uint64_t slot = number / kOffsetStep;
    std::uint64_t from = slot * kOffsetStep;
    std::int64_t offset = store.offsets_[slot];
    if (buffer_start_ >= 0 && next_number_ > from && next_number_ <= number) {
      from = next_number_;
      offset = next_offset_;
    }
    for (; from < number; ++from) offset += at(store, offset)->size;
    next_number_ = number;
    next_offset_ = offset;
  }
  const PackedRow* row = at(store, next_offset_);
  next_offset_ += row->size;
  ++next_number_;
  out.set_packed(row);
  return true;
}

}  // namespace hathi::executor
