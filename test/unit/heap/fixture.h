#pragma once
// A small table over the fakes: (id int4, payload text, number int4), id indexed and the key.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_storage.h"
#include "hathi/error/sql_error.h"
#include "hathi/heap/heap.h"

namespace hathi::heap {

class HeapTest : public testing::Test {
 protected:
  HeapTest() {
    static std::uint32_t next_relation = 20000;   // the code remembers things by file, so every test has its own
    fake::reset();
    table.oid = Oid{next_relation};
    table.file = {Oid{1663}, Oid{5}, Oid{next_relation++}};
    table.name = "t";
    TupleDescriptor* d = make_descriptor(arena, 3);
    d->attributes[0].layout = {4, true, 'i'};
    d->attributes[1].layout = {-1, false, 'i'};
    d->attributes[1].storage = 'x';
    d->attributes[2].layout = {4, true, 'i'};
    finish_descriptor(*d);
    table.descriptor = d;
    static const AttrNumber id_column[] = {1};
    table.key_columns = table.indexed_columns = id_column;
    storage::create_fork(table.file, Fork::main, false);
  }
  ~HeapTest() override { EXPECT_EQ(fake::pin_count(), 0); }

  HeapTuple row(int id, std::string_view payload = "x", int number = 0) {
    Datum values[3] = {Datum::of(id), varlena::make(arena, payload), Datum::of(number)};
    bool nulls[3] = {};
    return form_tuple(*table.descriptor, values, nulls, arena);
  }
  int id_of(const HeapTuple& t) { return column(t, 1); }
  int number_of(const HeapTuple& t) { return column(t, 3); }
  std::string payload_of(const HeapTuple& t) {
    bool is_null = false;
    return std::string(varlena::text(get_attribute(t, *table.descriptor, 2, is_null), arena));
  }
  int column(const HeapTuple& t, AttrNumber n) {
    bool is_null = false;
    return get_attribute(t, *table.descriptor, n, is_null).as_int32();
  }
  TupleId insert_row(int id, std::string_view payload = "x", int number = 0) { return insert(table, row(id, payload, number)); }
  ChangeResult update_row(TupleId tid, const HeapTuple& to, UpdateOutcome& outcome, ChangeFailure& failure) {
    return update(table, tid, to, transaction::current_command(false), true, failure, outcome);
  }
  TupleId must_update(TupleId tid, int id, int number, bool* index_entries = nullptr) {
    UpdateOutcome outcome;
    ChangeFailure failure;
    EXPECT_EQ(update_row(tid, row(id, "x", number), outcome, failure), ChangeResult::ok);
    if (index_entries != nullptr) *index_entries = outcome.needs_index_entries;
    return outcome.tid;
  }
  ChangeResult remove_row(TupleId tid) {
    ChangeFailure failure;
    return remove(table, tid, transaction::current_command(false), true, failure);
  }
  std::vector<int> scan_ids(const transaction::Snapshot& s) {
    std::vector<int> ids;
    Scan scan(table, s);
    HeapTuple t;
    while (scan.next(t)) ids.push_back(id_of(t));
    return ids;
  }
  PageView page(std::uint32_t block) { return PageView(fake::raw_page({table.file, Fork::main, BlockNumber{block}})); }

  Arena arena;
  HeapTable table;
};

}  // namespace hathi::heap
