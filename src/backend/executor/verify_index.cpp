// Is every row of a table in its index? (contrib amcheck's heapallindexed)

#include <unordered_set>

#include "hathi/btree/btree.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/verify_index.h"
#include "hathi/shmem/interrupts.h"
#include "target_table.h"

namespace hathi::executor {

namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 32);
}

// Values as they are, whether short, compressed or stored outside.
std::uint64_t fingerprint(const TupleDescriptor& d, TupleId tid, const Datum* values, const bool* nulls, Arena& arena) {
  std::uint64_t h = mix(tid.block.value(), tid.offset.value());
  for (int i = 0; i < d.count(); ++i) {
    if (nulls[i]) {
      h = mix(h, 1);
      continue;
    }
    const ColumnLayout& c = d.layouts[i];
    std::string_view bytes;
    std::uint64_t word = 0;
    if (d[i].layout.by_value) {
      word = values[i].bits() & (c.length >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * c.length)) - 1);
      bytes = {reinterpret_cast<const char*>(&word), sizeof word};
    } else if (c.kind == ColumnLayout::Kind::varlena) {
      bytes = varlena::payload(varlena::readable(values[i], arena));
    } else {
      bytes = {values[i].as_pointer<char>(), datum_size(values[i], d[i].layout)};
    }
    h = mix(h, std::hash<std::string_view>{}(bytes));
  }
  return h;
}

}  // namespace

void verify_rows_are_indexed(Oid table_oid, Oid index_oid) {
  Arena arena(4096), values(4096);
  catalog::RelationRef table_ref = catalog::open_relation(table_oid, locking::LockMode::none);
  catalog::RelationRef index_ref = catalog::open_relation(index_oid, locking::LockMode::none);
  const catalog::IndexDescriptor& index = *index_ref->index;
  const TupleDescriptor& d = *index.btree.descriptor;
  // The snapshot first: what it sees is in the index when that is read.
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  std::unordered_set<std::uint64_t> present;
  btree::Scan entries(index.btree, true);
  entries.start({});
  TupleId tid;
  while (entries.next(tid)) {
    check_interrupts();
    present.insert(fingerprint(d, tid, entries.values(), entries.nulls(), values));
    values.reset();
  }
  TargetTable target(std::move(table_ref), nullptr, arena);
  TargetIndex t = target.prepare_index(index);
  Row row;
  target.make_new_row(row);
  heap::scan_for_index_build(target.heap(), &*snapshot, [&](const HeapTuple& tuple, TupleId root, bool) {
    check_interrupts();
    HeapTuple copy = tuple;
    copy.table = table_oid;
    row.set_heap(copy);
    if (target.index_values(t, row) && !present.contains(fingerprint(d, root, t.values, t.nulls, values)))
      throw SqlError(sqlstate::data_corrupted, "heap tuple ({},{}) from table \"{}\" lacks matching index tuple within index \"{}\"", tuple.tid.block.value(),
                     tuple.tid.offset.value(), target.relation().name, index.name)
          .hint("Retrying verification using the function bt_index_parent_check() might provide a more specific error.");
    target.end_row();
    values.reset();
  });
}

}  // namespace hathi::executor
