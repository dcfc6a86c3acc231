#include <map>

#include "fixture.h"
#include "hathi/heap/toast.h"

namespace hathi::heap {
namespace {

HeapTable toast_heap;
std::map<std::pair<std::uint32_t, std::int32_t>, TupleId> chunks;

ToastTable open_toast(Oid, bool) { return {.heap = toast_heap}; }
void close_toast(ToastTable&) {}
void insert_chunk(const ToastTable&, Oid value, std::int32_t sequence, TupleId row) { chunks[{raw(value), sequence}] = row; }
void find_chunks(const ToastTable&, Oid value, std::int32_t first, std::int32_t last, void (*visit)(void*, TupleId), void* context) {
  for (auto& [key, row] : chunks) {
    if (key.first == raw(value) && key.second >= first && (last < 0 || key.second <= last)) visit(context, row);
  }
}

class ToastTest : public HeapTest {
 protected:
  ToastTest() {
    chunks.clear();
    toast_heap = HeapTable{};
    toast_heap.oid = Oid{raw(table.oid) + 100000};
    toast_heap.file = {Oid{1663}, Oid{5}, toast_heap.oid};
    toast_heap.name = "pg_toast_1";
    TupleDescriptor* d = make_descriptor(toast_arena, 3);
    d->attributes[0].layout = {4, true, 'i'};
    d->attributes[1].layout = {4, true, 'i'};
    d->attributes[2].layout = {-1, false, 'i'};
    finish_descriptor(*d);
    toast_heap.descriptor = d;
    storage::create_fork(toast_heap.file, Fork::main, false);
    table.toast_table = toast_heap.oid;
    set_toast_access(open_toast, close_toast);
    set_toast_index({insert_chunk, find_chunks});
    register_detoast();
  }
  static std::string noise(std::size_t n, std::uint32_t seed) {
    std::string s;
    for (std::size_t i = 0; i < n; ++i) s += static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
    return s;
  }
  HeapTuple fetch(TupleId tid) {
    HeapTuple t;
    EXPECT_TRUE(fetch_version(table, tid, transaction::self_snapshot(), pin, t));
    return t;
  }
  void TearDown() override { pin.release(); }
  int live_chunks() {
    int n = 0;
    Scan scan(toast_heap, transaction::self_snapshot());
    HeapTuple t;
    while (scan.next(t)) ++n;
    return n;
  }
  Datum payload_datum(const HeapTuple& t) {
    bool is_null = false;
    return get_attribute(t, *table.descriptor, 2, is_null);
  }
  Arena toast_arena;
  buffer::PinnedBuffer pin;
};

TEST_F(ToastTest, CompressibleStaysInLine) {
  fake::begin();
  std::string text(50000, 'z');
  TupleId tid = insert_row(1, text);
  EXPECT_TRUE(varlena::is_compressed(payload_datum(fetch(tid)).as_pointer()));
  EXPECT_EQ(payload_of(fetch(tid)), text);
  EXPECT_EQ(live_chunks(), 0);
}

TEST_F(ToastTest, BigValuesMoveOut) {
  fake::begin();
  std::string text = noise(10000, 1);
  TupleId tid = insert_row(1, text);
  Datum value = payload_datum(fetch(tid));
  EXPECT_TRUE(varlena::is_external(value.as_pointer()));
  EXPECT_EQ(raw_payload_size(value), 10000u);
  EXPECT_EQ(live_chunks(), 6);   // ceil(10000 / 1996)
  EXPECT_EQ(payload_of(fetch(tid)), text);
  // Slices fetch what they need.
  for (auto [offset, length] : {std::pair<int, int>{0, 10}, {1990, 20}, {9990, 100}, {5000, -1}, {20000, 5}}) {
    std::string expected =
        offset > 10000 ? "" : text.substr(static_cast<std::size_t>(offset), length < 0 ? std::string::npos : static_cast<std::size_t>(length));
    EXPECT_EQ(varlena::payload(fetch_slice(value.as_pointer(), offset, length, arena)), expected);
  }
}

TEST_F(ToastTest, CompressedAndMovedOut) {
  fake::begin();
  std::string text;
  for (int i = 0; i < 20; ++i) text += noise(3000, 7) + std::string(3000, 'r');
  text += noise(5000, 9);
  TupleId tid = insert_row(1, text);
  Datum value = payload_datum(fetch(tid));
  ASSERT_TRUE(varlena::is_external(value.as_pointer()));
  EXPECT_TRUE(read_toast_pointer(value.as_pointer()).is_compressed());
  EXPECT_EQ(payload_of(fetch(tid)), text);
  EXPECT_EQ(varlena::payload(fetch_slice(value.as_pointer(), 100, 50, arena)), text.substr(100, 50));
}

TEST_F(ToastTest, UpdatesKeepUnchangedValues) {
  fake::begin();
  std::string text = noise(5000, 3);
  TupleId tid = insert_row(1, text, 1);
  int before = live_chunks();
  fake::commit();
  fake::begin();
  // A row whose big value is taken over from the old version as it stands.
  HeapTuple old = fetch(tid);
  Datum values[3];
  bool nulls[3];
  deform_tuple(old, *table.descriptor, 3, values, nulls);
  values[2] = Datum::of(2);
  UpdateOutcome outcome;
  ChangeFailure failure;
  HeapTuple changed = form_tuple(*table.descriptor, values, nulls, arena);
  pin.release();
  ASSERT_EQ(update_row(tid, changed, outcome, failure), ChangeResult::ok);
  EXPECT_EQ(live_chunks(), before);
  EXPECT_EQ(payload_of(fetch(outcome.tid)), text);
  EXPECT_EQ(number_of(fetch(outcome.tid)), 2);
  pin.release();
  fake::commit();
  // A new value replaces the chunks, a delete removes them.
  fake::begin();
  std::string other = noise(9000, 4);
  ASSERT_EQ(update_row(outcome.tid, row(1, other, 3), outcome, failure), ChangeResult::ok);
  EXPECT_EQ(live_chunks(), 5);
  EXPECT_EQ(payload_of(fetch(outcome.tid)), other);
  pin.release();
  fake::commit();
  fake::begin();
  ASSERT_EQ(remove_row(outcome.tid), ChangeResult::ok);
  EXPECT_EQ(live_chunks(), 0);
}

TEST_F(ToastTest, FailedUpdateTakesItsChunksBack) {
  fake::begin();
  TupleId tid = insert_row(1);
  fake::commit();
  fake::begin();
  ASSERT_EQ(remove_row(tid), ChangeResult::ok);
  fake::commit();
  fake::begin();
  UpdateOutcome outcome;
  ChangeFailure failure;
  EXPECT_EQ(update_row(tid, row(1, noise(8000, 5)), outcome, failure), ChangeResult::deleted);
  EXPECT_EQ(live_chunks(), 0);
}

TEST_F(ToastTest, MissingChunkIsAnError) {
  fake::begin();
  TupleId tid = insert_row(1, noise(8000, 6));
  chunks.erase(std::next(chunks.begin()));
  HeapTuple t = fetch(tid);
  try {
    payload_of(t);
    FAIL();
  } catch (const SqlError& e) {
    EXPECT_EQ(e.code(), sqlstate::data_corrupted);
    EXPECT_TRUE(std::string(e.what()).starts_with("missing chunk number 1 for toast value "));
  }
}

}  // namespace
}  // namespace hathi::heap
