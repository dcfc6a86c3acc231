#include "toast_access.h"

#include "page_check.h"

#include <vector>

#include "hathi/transaction/oid_counter.h"
#include "toast.h"
#include "visibility.h"

namespace hathi::heap {

namespace {

ToastOpen open_table = nullptr;
ToastClose close_table = nullptr;
ToastIndex toast_index{};

constexpr std::byte kOnDisk{18};

class OpenToast {
 public:
  OpenToast(Oid table, bool for_write) {
    if (open_table == nullptr || toast_index.find == nullptr) throw SqlError(sqlstate::internal_error, "no access to TOAST tables");
    table_ = open_table(table, for_write);
  }
  ~OpenToast() { close_table(table_); }
  OpenToast(const OpenToast&) = delete;
  OpenToast& operator=(const OpenToast&) = delete;
  const ToastTable& operator*() const { return table_; }
  const ToastTable* operator->() const { return &table_; }

 private:
  ToastTable table_;
};

void find_chunks(const ToastTable& table, Oid value, std::int32_t first, std::int32_t last, std::vector<TupleId>& rows) {
  toast_index.find(
      table, value, first, last, [](void* context, TupleId row) { static_cast<std::vector<TupleId>*>(context)->push_back(row); }, &rows);
}

Oid new_value_id(const ToastTable& table) {
  std::vector<TupleId> rows;
  for (;;) {
    Oid id = transaction::next_oid();
    find_chunks(table, id, 0, 0, rows);
    if (rows.empty()) return id;
    rows.clear();
  }
}

[[noreturn]] void throw_missing(int chunk, const ToastPointer& p, const HeapTable& table) {
  throw SqlError(sqlstate::data_corrupted, "missing chunk number {} for toast value {} in {}", chunk, raw(p.value_id), table.name);
}

// Copies the stored bytes [offset, offset + length) of a value to `to`.
void fetch_chunks(const ToastPointer& pointer, std::uint32_t offset, std::uint32_t length, std::byte* to) {
  if (length == 0) return;
  if (pointer.external_size() > pointer.raw_size - 4 || pointer.raw_size < 4)
    throw SqlError(sqlstate::data_corrupted, "damaged pointer to toast value {} of the table with OID {}", raw(pointer.value_id), raw(pointer.table));
  OpenToast table(pointer.table, false);
  auto first = static_cast<std::int32_t>(offset / kToastChunk), last = static_cast<std::int32_t>((offset + length - 1) / kToastChunk);
  std::vector<TupleId> rows;
  find_chunks(*table, pointer.value_id, first, last, rows);
  std::int32_t expected = first;
  buffer::PinnedBuffer pin;
  for (TupleId tid : rows) {
    HeapTuple row;
    if (!fetch_by_index(table->heap, tid, transaction::toast_snapshot(), pin, row)) continue;
    bool is_null = false;
    std::int32_t sequence = get_attribute(row, *table->heap.descriptor, 2, is_null).as_int32();
    Datum chunk = get_attribute(row, *table->heap.descriptor, 3, is_null);
    if (is_null || !varlena::is_readable(chunk.as_pointer()))
      throw SqlError(sqlstate::data_corrupted, "damaged chunk {} for toast value {} in {}", sequence, raw(pointer.value_id), table->heap.name);
    if (sequence != expected) {
      if (sequence > expected) throw_missing(expected, pointer, table->heap);
      throw SqlError(sqlstate::data_corrupted, "unexpected chunk number {} (expected {}) for toast value {} in {}", sequence, expected,
                     raw(pointer.value_id), table->heap.name);
    }
    std::string_view data = varlena::payload(chunk.as_pointer());
    std::size_t start = static_cast<std::size_t>(sequence) * kToastChunk;
    std::size_t full = std::min<std::size_t>(kToastChunk, pointer.external_size() - start);
    if (data.size() != full) {
      throw SqlError(sqlstate::data_corrupted, "unexpected chunk size {} (expected {}) in chunk {} for toast value {} in {}", data.size(),
                     full, sequence, raw(pointer.value_id), table->heap.name);
    }
    std::size_t from = std::max<std::size_t>(start, offset), end = std::min<std::size_t>(start + full, std::size_t{offset} + length);
    std::memcpy(to + (from - offset), data.data() + (from - start), end - from);
    ++expected;
  }
  if (expected <= last) throw_missing(expected, pointer, table->heap);
}

// The whole value: plain, or compressed as it is stored.
const std::byte* fetch_external(const std::byte* external, Arena& arena) {
  ToastPointer pointer = read_toast_pointer(external);
  if (external[1] != kOnDisk) throw SqlError(sqlstate::data_corrupted, "damaged toast pointer");
  std::byte* out = varlena::allocate(arena, pointer.external_size());
  fetch_chunks(pointer, 0, pointer.external_size(), out + 4);
  if (pointer.is_compressed()) {
    std::uint32_t header = varlena::compressed_header(pointer.external_size() + std::size_t{4});
    std::memcpy(out, &header, 4);
  }
  return out;
}

}  // namespace

void set_toast_access(ToastOpen open, ToastClose close) {
  open_table = open;
  close_table = close;
}
void set_toast_index(const ToastIndex& index) { toast_index = index; }
void register_detoast() {
  varlena::set_detoast(fetch_external);
  register_page_check();
}

ToastPointer read_toast_pointer(const std::byte* external) {
  ToastPointer p;
  std::memcpy(&p, external + 2, sizeof(p));
  static_assert(sizeof(ToastPointer) == 16);
  return p;
}

const std::byte* store_external(const HeapTable& table, const std::byte* value, Arena& arena) {
  ToastPointer pointer;
  const std::byte* data;
  std::uint32_t size;
  if (varlena::is_compressed(value)) {
    data = value + 4;
    size = varlena::total_size(value) - 4;
    pointer.raw_size = varlena::raw_payload_size(value) + 4;
    pointer.external = size | (varlena::compression_method(value) << 30);
  } else {
    std::string_view payload = varlena::payload(value);
    data = reinterpret_cast<const std::byte*>(payload.data());
    size = static_cast<std::uint32_t>(payload.size());
    pointer.raw_size = size + 4;
    pointer.external = size;
  }
  OpenToast toast(table.toast_table, true);
  pointer.table = table.toast_table;
  pointer.value_id = new_value_id(*toast);
  // Chunks are formed one after the other in the same memory.
  Arena chunk_arena(4096);
  for (std::uint32_t offset = 0, sequence = 0; offset < size; offset += kToastChunk, ++sequence) {
    chunk_arena.reset();
    std::size_t length = std::min<std::size_t>(kToastChunk, size - offset);
    Datum values[3] = {Datum::of(pointer.value_id), Datum::of(static_cast<std::int32_t>(sequence)),
                       varlena::make(chunk_arena, {reinterpret_cast<const char*>(data + offset), length})};
    bool nulls[3] = {};
    TupleId tid = insert(toast->heap, form_tuple(*toast->heap.descriptor, values, nulls, chunk_arena));
    toast_index.insert(*toast, pointer.value_id, static_cast<std::int32_t>(sequence), tid);
    check_interrupts();
  }
  auto* out = static_cast<std::byte*>(arena.allocate(varlena::kExternalSize, 8));
  out[0] = std::byte{1};
  out[1] = kOnDisk;
  std::memcpy(out + 2, &pointer, sizeof(pointer));
  return out;
}

void remove_external(const std::byte* external, bool just_stored) {
  ToastPointer pointer = read_toast_pointer(external);
  OpenToast table(pointer.table, true);
  std::vector<TupleId> rows;
  find_chunks(*table, pointer.value_id, 0, -1, rows);
  buffer::PinnedBuffer pin;
  for (TupleId tid : rows) {
    HeapTuple row;
    if (!fetch_by_index(table->heap, tid, transaction::toast_snapshot(), pin, row)) continue;
    pin.release();
    if (just_stored) {
      abort_speculative(table->heap, row.tid);
    } else {
      ChangeFailure failure;
      ChangeResult result = remove(table->heap, row.tid, transaction::current_command(true), true, failure);
      if (result != ChangeResult::ok) throw SqlError(sqlstate::internal_error, "tuple concurrently updated");
    }
  }
}

const std::byte* fetch_slice(const std::byte* external, std::int64_t offset, std::int64_t length, Arena& arena) {
  ToastPointer pointer = read_toast_pointer(external);
  std::int64_t raw_size = pointer.raw_size - std::int64_t{4};
  offset = std::clamp<std::int64_t>(offset, 0, raw_size);
  if (length < 0 || length > raw_size - offset) length = raw_size - offset;
  if (pointer.is_compressed()) {
    std::string_view whole = varlena::payload(varlena::readable(fetch_external(external, arena), arena));
    return varlena::make(arena, whole.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length))).as_pointer();
  }
  std::byte* out = varlena::allocate(arena, static_cast<std::size_t>(length));
  fetch_chunks(pointer, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length), out + 4);
  return out;
}

std::uint32_t raw_payload_size(Datum value) {
  const std::byte* p = value.as_pointer();
  if (varlena::is_external(p)) return read_toast_pointer(p).raw_size - 4;
  if (varlena::is_compressed(p)) return varlena::raw_payload_size(p);
  return static_cast<std::uint32_t>(varlena::payload(p).size());
}

std::uint32_t stored_size(Datum value) {
  const std::byte* p = value.as_pointer();
  return varlena::is_external(p) ? read_toast_pointer(p).external_size() : varlena::total_size(p);
}

}  // namespace hathi::heap
