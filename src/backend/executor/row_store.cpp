#include "row_store.h"

#include "hathi/error/sql_error.h"

namespace hathi::executor {

void RowStore::put(const Datum* values, const bool* nulls) {
  if (file_ == nullptr) {
    if (memory() <= limit_) {
      rows_.push_back(pack_row(*descriptor_, values, nulls, arena_));
      ++count_;
      return;
    }
    file_ = std::make_unique<storage::TempFile>();
  }
  std::size_t size = packed_size(*descriptor_, values, nulls);
  if (packing_.size() < size) packing_.resize(size * 2);
  pack_row_at(*descriptor_, values, nulls, size, packing_.data());
  if ((count_ - rows_.size()) % kOffsetStep == 0) offsets_.push_back(file_end_);
  file_->append(packing_.data(), size);
  file_end_ += static_cast<std::int64_t>(size);
  unflushed_ = true;
  ++count_;
}

void RowStore::clear() {
  file_.reset();
  rows_.clear();
  rows_.shrink_to_fit();
  arena_.release();
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
  if (number < store.rows_.size()) {
    out.set_packed(store.rows_[number]);
    return true;
  }
  number -= store.rows_.size();   // within the file
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
