// The index (chunk_id, chunk_seq) of a TOAST table, worked for heap/.
#include "page_check.h"
#include "hathi/btree/toast_index.h"
#include "search.h"

#include "hathi/heap/toast.h"
#include "search_key.h"

namespace hathi::btree {

namespace {

void insert_entry(const heap::ToastTable& table, const BTreeIndex& index, Oid value_id, std::int32_t sequence, TupleId row) {
  Datum values[2] = {Datum::of(value_id), Datum::of(sequence)};
  bool nulls[2] = {false, false};
  auto probe = [&](TupleId tid) { return probe_heap(table.heap, tid); };
  insert(index, values, nulls, row, UniqueCheck::immediate, probe, [&](TupleId) {
    throw SqlError(sqlstate::unique_violation, "duplicate key value violates unique constraint \"{}\"", index.name);
  });
}

void insert_chunk(const heap::ToastTable& table, Oid value_id, std::int32_t sequence, TupleId row) {
  insert_entry(table, *static_cast<const BTreeIndex*>(table.index), value_id, sequence, row);
  for (const void* other : table.more_indexes) insert_entry(table, *static_cast<const BTreeIndex*>(other), value_id, sequence, row);
}

void find_chunks(const heap::ToastTable& table, Oid value_id, std::int32_t first, std::int32_t last, void (*visit)(void*, TupleId),
                 void* context) {
  const auto& index = *static_cast<const BTreeIndex*>(table.index);
  ScanKey keys[3];
  std::size_t count = 1;
  keys[0].column = 1;
  keys[0].argument = Datum::of(value_id);
  keys[0].comparison = index.keys[0].comparison;
  if (first > 0) {
    keys[count].column = 2;
    keys[count].strategy = Strategy::greater_equal;
    keys[count].argument = Datum::of(first);
    keys[count++].comparison = index.keys[1].comparison;
  }
  if (last >= 0) {
    keys[count].column = 2;
    keys[count].strategy = Strategy::less_equal;
    keys[count].argument = Datum::of(last);
    keys[count++].comparison = index.keys[1].comparison;
  }
  Scan scan(index, false, true);
  scan.start({keys, count});
  TupleId row;
  while (scan.next(row)) visit(context, row);
}

}  // namespace

void register_toast_index() {
  heap::set_toast_index({insert_chunk, find_chunks});
  register_page_check();
}

}  // namespace hathi::btree
