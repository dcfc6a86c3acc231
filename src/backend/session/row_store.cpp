#include "row_store.h"

#include "hathi/config/settings.h"

namespace hathi::session {

bool RowStore::receive(const Datum* values, const bool* nulls) {
  if (file_ == nullptr && arena_.footprint() > static_cast<std::size_t>(config::values::work_mem) * 1024) file_ = std::make_unique<storage::TempFile>();
  if (file_ == nullptr) {
    HeapTuple tuple = form_tuple(*row_, values, nulls, arena_);
    // The size travels in front of the row.
    auto* place = static_cast<std::byte*>(arena_.allocate(tuple.size + 8, 8));
    std::memcpy(place, &tuple.size, sizeof tuple.size);
    std::memcpy(place + 8, tuple.header, tuple.size);
    places_.push_back(reinterpret_cast<std::uint64_t>(place));
    return true;
  }
  Arena scratch(1024);
  HeapTuple tuple = form_tuple(*row_, values, nulls, scratch);
  places_.push_back((file_size_ << 1) | 1);
  file_->append(&tuple.size, sizeof tuple.size);
  file_->append(tuple.header, tuple.size);
  file_size_ += sizeof tuple.size + tuple.size;
  return true;
}

bool RowStore::send(std::uint64_t n, executor::RowReceiver& receiver) {
  Arena scratch(1024);
  HeapTuple tuple;
  std::uint64_t place = places_[n];
  if ((place & 1) == 0) {
    const auto* p = reinterpret_cast<const std::byte*>(place);
    std::memcpy(&tuple.size, p, sizeof tuple.size);
    tuple.header = reinterpret_cast<const HeapTupleHeader*>(p + 8);
  } else {
    file_->seek(static_cast<std::int64_t>(place >> 1));
    file_->read(&tuple.size, sizeof tuple.size);
    void* bytes = scratch.allocate(tuple.size, 8);
    file_->read(bytes, tuple.size);
    tuple.header = static_cast<const HeapTupleHeader*>(bytes);
  }
  auto count = static_cast<std::size_t>(row_->count());
  auto* values = scratch.make_array<Datum>(count + 1);
  auto* nulls = scratch.make_array<bool>(count + 1);
  deform_tuple(tuple, *row_, row_->count(), values, nulls);
  return receiver.receive(values, nulls);
}

}  // namespace hathi::session
