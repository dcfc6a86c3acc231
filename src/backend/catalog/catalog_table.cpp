#include "hathi/catalog/catalog_table.h"

#include <cstring>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/change_notes.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/relation_cache.h"

namespace hathi::catalog {

namespace {

bool equal_values(const Attribute& a, Datum x, Datum y, Arena& arena) {
  switch (a.layout.length) {
    case 1: return x.as_char() == y.as_char();
    case 2: return x.as_int16() == y.as_int16();
    case 4: return x.as_uint32() == y.as_uint32();
    case 8: return x == y;
    case 64: return std::strncmp(x.as_pointer<char>(), y.as_pointer<char>(), kNameLength) == 0;
    case -1: return varlena::text(x, arena) == varlena::text(y, arena);
    default: return datum_image_equal(x, y, a.layout);
  }
}

// The row's bytes copied into the arena and taken apart there.
void read_row(const HeapTuple& tuple, const TupleDescriptor& descriptor, Arena& arena, CatalogRow& row) {
  HeapTuple copy = tuple;
  auto* bytes = static_cast<std::byte*>(arena.allocate(tuple.size, 8));
  std::memcpy(bytes, tuple.header, tuple.size);
  copy.header = reinterpret_cast<const HeapTupleHeader*>(bytes);
  auto n = static_cast<std::size_t>(descriptor.count());
  row.tid = tuple.tid;
  row.xmin = tuple.xmin;
  row.values.resize(n);
  row.nulls.resize(n);
  static_assert(sizeof(bool) == sizeof(char));
  deform_tuple(copy, descriptor, descriptor.count(), row.values.data(), reinterpret_cast<bool*>(row.nulls.data()));
}

bool matches(const CatalogRow& row, std::span<const CatalogKey> keys, const TupleDescriptor& descriptor, Arena& arena) {
  for (const CatalogKey& key : keys) {
    if (row.is_null(key.column) || !equal_values(descriptor[key.column - 1], row.get(key.column), key.value, arena)) return false;
  }
  return true;
}

// The index whose leading columns are all or most of the keys'; how many of them it serves.
const IndexDescriptor* choose_index(const Relation& relation, std::span<const CatalogKey> keys, std::size_t& served) {
  const IndexDescriptor* best = nullptr;
  served = 0;
  for (const IndexDescriptor* index : relation.indexes) {
    std::size_t n = 0;
    for (AttrNumber column : index->columns) {
      bool has_key = false;
      for (const CatalogKey& key : keys) has_key = has_key || key.column == column;
      if (!has_key) break;
      ++n;
    }
    if (n > served) {
      best = index;
      served = n;
    }
  }
  return best;
}

void scan_by_index(const Relation& relation, const IndexDescriptor& index, std::size_t served, std::span<const CatalogKey> keys, Arena& arena,
                   const std::function<bool(CatalogRow&)>& visit) {
  constexpr std::size_t kMaxKeys = 8;
  btree::ScanKey scan_keys[kMaxKeys];
  HATHI_ASSERT(served <= kMaxKeys);
  for (std::size_t i = 0; i < served; ++i) {
    scan_keys[i].column = static_cast<AttrNumber>(i + 1);
    scan_keys[i].comparison = index.btree.keys[i].comparison;
    for (const CatalogKey& key : keys) {
      if (key.column == index.columns[i]) scan_keys[i].argument = key.value;
    }
  }
  transaction::SnapshotRef snapshot = transaction::catalog_snapshot();
  btree::Scan scan(index.btree, false);
  scan.start({scan_keys, served});
  TupleId tid;
  buffer::PinnedBuffer pin;
  CatalogRow row;
  while (scan.next(tid)) {
    HeapTuple tuple;
    bool all_dead = false;
    if (!heap::fetch_by_index(relation.heap, tid, *snapshot, pin, tuple, &all_dead)) {
      if (all_dead) scan.kill_current();
      continue;
    }
    read_row(tuple, *relation.descriptor, arena, row);
    pin.release();
    if (matches(row, keys, *relation.descriptor, arena) && !visit(row)) return;
  }
}

void scan_heap(const Relation& relation, std::span<const CatalogKey> keys, Arena& arena, const std::function<bool(CatalogRow&)>& visit) {
  transaction::SnapshotRef snapshot = transaction::catalog_snapshot();
  heap::Scan scan(relation.heap, *snapshot);
  HeapTuple tuple;
  CatalogRow row;
  while (scan.next(tuple)) {
    read_row(tuple, *relation.descriptor, arena, row);
    if (matches(row, keys, *relation.descriptor, arena) && !visit(row)) return;
  }
}

std::string value_text(const Attribute& a, Datum value, Arena& arena) {
  if (a.type == type_oid::name) return std::string(name_text(value));
  if (a.layout.length == 4 && a.layout.by_value) return fmt::format("{}", value.as_uint32());
  return call_function(type_info(a.type).output, arena, {value}).as_pointer<char>();
}

[[noreturn]] void throw_duplicate(const Relation& relation, const IndexDescriptor& index, const Datum* values) {
  Arena arena(512);
  std::string names, texts;
  for (int i = 0; i < index.key_count; ++i) {
    const Attribute& a = (*index.btree.descriptor)[i];
    if (i != 0) { names += ", "; texts += ", "; }
    names += a.name;
    texts += value_text(a, values[i], arena);
  }
  throw SqlError(sqlstate::unique_violation, "duplicate key value violates unique constraint \"{}\"", index.name)
      .detail(fmt::format("Key ({})=({}) already exists.", names, texts))
      .schema(relation.schema_name)
      .table(relation.name)
      .constraint(index.name);
}

// Is some version of the row chain at tid alive, or may it yet be?
btree::UniqueProbe probe_row(const heap::HeapTable& table, TupleId tid) {
  transaction::Snapshot snapshot = transaction::dirty_snapshot();
  buffer::PinnedBuffer pin;
  HeapTuple tuple;
  btree::UniqueProbe probe;
  if (heap::fetch_by_index(table, tid, snapshot, pin, tuple, &probe.all_dead)) {
    probe.conflicting = tuple.tid;
    if (snapshot.dirty_xmin != kInvalidXid) probe.wait_for = snapshot.dirty_xmin;
    else if (snapshot.dirty_xmax != kInvalidXid) probe.wait_for = snapshot.dirty_xmax;
    else probe.conflict = true;
  }
  return probe;
}

void insert_index_entries(const Relation& relation, const CatalogRow& row, TupleId tid) {
  for (const IndexDescriptor* index : relation.indexes) {
    constexpr std::size_t kMaxColumns = 32;
    Datum values[kMaxColumns];
    bool nulls[kMaxColumns];
    for (std::size_t i = 0; i < index->columns.size(); ++i) {
      values[i] = row.get(index->columns[i]);
      nulls[i] = row.is_null(index->columns[i]);
    }
    btree::insert(
        index->btree, values, nulls, tid, index->unique ? btree::UniqueCheck::immediate : btree::UniqueCheck::none,
        [&](TupleId other) { return probe_row(relation.heap, other); }, [&](TupleId) { throw_duplicate(relation, *index, values); });
  }
}

[[noreturn]] void throw_change_failure(heap::ChangeResult result) {
  switch (result) {
    case heap::ChangeResult::self_modified: throw SqlError(sqlstate::internal_error, "tuple already updated by self");
    case heap::ChangeResult::deleted: throw SqlError(sqlstate::internal_error, "tuple concurrently deleted");
    default: throw SqlError(sqlstate::internal_error, "tuple concurrently updated");
  }
}

HeapTuple form(const Relation& relation, const CatalogRow& row, Arena& arena) {
  return form_tuple(*relation.descriptor, row.values.data(), reinterpret_cast<const bool*>(row.nulls.data()), arena);
}

// The version at tid as this command sees it, to know what caches hold of it.
bool read_version(const Relation& relation, TupleId tid, Arena& arena, CatalogRow& row) {
  transaction::SnapshotRef snapshot = transaction::catalog_snapshot();
  buffer::PinnedBuffer pin;
  HeapTuple tuple;
  if (!heap::fetch_version(relation.heap, tid, *snapshot, pin, tuple)) return false;
  read_row(tuple, *relation.descriptor, arena, row);
  return true;
}

}  // namespace

bool is_empty(Oid catalog) {
  std::uint32_t slot = versions::slot_of_name(catalog, kWholeCatalog);
  versions::Stamp stamp = versions::stamp(slot);
  Oid database = is_shared_catalog(catalog) ? kInvalidOid : current_database();
  versions::NamedOids told;
  if (versions::recall_name(slot, database, catalog, kWholeCatalog, stamp, told)) return true;
  bool empty = true;
  Arena arena(1024);
  CatalogTable(catalog, locking::LockMode::access_share).scan({}, arena, [&](CatalogRow&) { return empty = false; });
  if (empty) versions::remember_name(slot, database, catalog, kWholeCatalog, stamp, {});
  return empty;
}

CatalogTable::CatalogTable(Oid catalog, locking::LockMode mode)
    : relation_(open_relation(catalog, mode == locking::LockMode::access_share ? locking::LockMode::none : mode)) {}
CatalogTable::~CatalogTable() = default;

void CatalogTable::scan(std::span<const CatalogKey> keys, Arena& arena, const std::function<bool(CatalogRow&)>& row) const {
  std::size_t served = 0;
  const IndexDescriptor* index = choose_index(*relation_, keys, served);
  if (index != nullptr) scan_by_index(*relation_, *index, served, keys, arena, row);
  else scan_heap(*relation_, keys, arena, row);
}

std::optional<CatalogRow> CatalogTable::find(std::initializer_list<CatalogKey> keys, Arena& arena) const {
  std::optional<CatalogRow> found;
  scan(std::span<const CatalogKey>(keys.begin(), keys.size()), arena, [&](CatalogRow& row) {
    found = std::move(row);
    return false;
  });
  return found;
}

CatalogRow CatalogTable::new_row() const {
  CatalogRow row;
  auto n = static_cast<std::size_t>(relation_->descriptor->count());
  row.values.resize(n);
  row.nulls.assign(n, 1);
  return row;
}

TupleId CatalogTable::insert(const CatalogRow& row) {
  Arena arena(1024);
  TupleId tid = heap::insert(relation_->heap, form(*relation_, row, arena));
  insert_index_entries(*relation_, row, tid);
  note_row_change(relation_->oid, row);
  return tid;
}

void CatalogTable::update(const CatalogRow& row) {
  Arena arena(1024);
  CatalogRow old;
  if (read_version(*relation_, row.tid, arena, old)) note_row_change(relation_->oid, old);
  heap::ChangeFailure failure;
  heap::UpdateOutcome outcome;
  heap::ChangeResult result =
      heap::update(relation_->heap, row.tid, form(*relation_, row, arena), transaction::current_command(true), true, failure, outcome);
  if (result != heap::ChangeResult::ok) throw_change_failure(result);
  if (outcome.needs_index_entries) insert_index_entries(*relation_, row, outcome.tid);
  note_row_change(relation_->oid, row);
}

void CatalogTable::remove(TupleId tid) {
  Arena arena(1024);
  CatalogRow old;
  if (read_version(*relation_, tid, arena, old)) note_row_change(relation_->oid, old);
  heap::ChangeFailure failure;
  heap::ChangeResult result = heap::remove(relation_->heap, tid, transaction::current_command(true), true, failure);
  if (result != heap::ChangeResult::ok) throw_change_failure(result);
}

void CatalogTable::update_in_place(const CatalogRow& row) {
  Arena arena(1024);
  heap::update_in_place(relation_->heap, row.tid, form(*relation_, row, arena));
  note_row_change(relation_->oid, row);
}

}  // namespace hathi::catalog
