// Shrinking rows and storing what is cut off.
#include "toast.h"

#include "toast_access.h"
#include "visibility.h"

namespace hathi::heap {

namespace {

Arena scratch_arena(16384);
int scratch_depth = 0;

// One column of the row being shrunk.
struct Shrinkable {
  bool candidate = false;       // may still get smaller
  bool tried_compression = false;
};

struct Shrinker {
  const HeapTable& table;
  Arena& arena;
  Datum* values;
  bool* nulls;
  Shrinkable* columns;
  std::size_t header;

  const TupleDescriptor& descriptor() const { return *table.descriptor; }
  std::size_t size() const { return header + compute_data_size(descriptor(), values, nulls); }

  // The widest candidate for which `wanted` holds; -1 when none is worth it.
  template <class F>
  int widest(F wanted) const {
    constexpr std::uint32_t kWorthIt = 24;   // a pointer takes 18, and alignment
    int best = -1;
    std::uint32_t best_size = kWorthIt;
    for (int i = 0; i < descriptor().count(); ++i) {
      if (!columns[i].candidate || !wanted(i)) continue;
      std::uint32_t size = varlena::total_size(values[i].as_pointer());
      if (size > best_size) {
        best = i;
        best_size = size;
      }
    }
    return best;
  }
  char storage(int i) const { return descriptor()[i].storage; }

  void compress(int i) {
    columns[i].tried_compression = true;
    const std::byte* p = varlena::compress(values[i].as_pointer(), arena);
    if (p != nullptr) values[i] = Datum::of(p);
  }
  void move_out(int i) {
    values[i] = Datum::of(store_external(table, values[i].as_pointer(), arena));
    columns[i].candidate = false;
  }
};

void shrink(Shrinker& s) {
  bool has_table = s.table.toast_table != kInvalidOid;
  // Extended columns: compress the widest, and move it out at once when it alone is too big.
  while (s.size() > kToastThreshold) {
    int i = s.widest([&](int k) { return (s.storage(k) == 'x' || s.storage(k) == 'e') && !s.columns[k].tried_compression; });
    if (i < 0) break;
    if (s.storage(i) == 'x') s.compress(i);
    s.columns[i].tried_compression = true;
    if (has_table && varlena::total_size(s.values[i].as_pointer()) > kToastThreshold - s.header) s.move_out(i);
  }
  while (has_table && s.size() > kToastThreshold) {
    int i = s.widest([&](int k) { return s.storage(k) == 'x' || s.storage(k) == 'e'; });
    if (i < 0) break;
    s.move_out(i);
  }
  // Main columns stay on the page if there is any way.
  while (s.size() > kToastThreshold) {
    int i = s.widest([&](int k) { return s.storage(k) == 'm' && !s.columns[k].tried_compression; });
    if (i < 0) break;
    s.compress(i);
  }
  while (has_table && s.size() > kMaxRowSize) {
    int i = s.widest([&](int k) { return s.storage(k) == 'm'; });
    if (i < 0) break;
    s.move_out(i);
  }
}

// An external value of the new row that the old row has too.
bool unchanged_external(const TupleDescriptor& descriptor, int i, const std::byte* value, const HeapTuple* old) {
  if (old == nullptr || !has_flag(old->header, infomask::has_external)) return false;
  bool is_null = false;
  const std::byte* p = get_attribute(*old, descriptor, static_cast<AttrNumber>(i + 1), is_null).as_pointer();
  return !is_null && varlena::is_external(p) && std::memcmp(p, value, varlena::kExternalSize) == 0;
}

// Calls f(external value) for each external value of `row` that `other` does not also have.
template <class F>
void for_each_external(const HeapTable& table, const HeapTuple& row, const HeapTuple* other, F f) {
  const TupleDescriptor& d = *table.descriptor;
  for (int i = 0; i < d.count(); ++i) {
    if (d.layouts[i].kind != ColumnLayout::Kind::varlena) continue;
    bool is_null = false;
    const std::byte* p = get_attribute(row, d, static_cast<AttrNumber>(i + 1), is_null).as_pointer();
    if (is_null || !varlena::is_external(p) || unchanged_external(d, i, p, other)) continue;
    f(p);
  }
}

}  // namespace

ToastScratch::ToastScratch() { ++scratch_depth; }
ToastScratch::~ToastScratch() { if (--scratch_depth == 0) scratch_arena.reset(); }
Arena& ToastScratch::arena() { return scratch_arena; }

HeapTuple toast_row(const HeapTable& table, const HeapTuple& row, const HeapTuple* old, Arena& arena) {
  const TupleDescriptor& d = *table.descriptor;
  auto n = static_cast<std::size_t>(d.count());
  Shrinker s{table, arena, arena.make_array<Datum>(n), arena.make_array<bool>(n), arena.make_array<Shrinkable>(n), 0};
  deform_tuple(row, d, d.count(), s.values, s.nulls);
  bool has_null = false;
  for (int i = 0; i < d.count(); ++i) {
    has_null = has_null || s.nulls[i];
    if (s.nulls[i] || d.layouts[i].kind != ColumnLayout::Kind::varlena) continue;
    const std::byte* p = s.values[i].as_pointer();
    if (varlena::is_external(p)) {
      if (unchanged_external(d, i, p, old)) continue;
      p = varlena::readable(p, arena);   // it lives in another table, or must be copied
      s.values[i] = Datum::of(p);
    }
    s.columns[i].candidate = s.storage(i) != 'p';
    s.columns[i].tried_compression = varlena::is_compressed(p);
  }
  s.header = align8(kHeapTupleHeaderSize + (has_null ? (n + 7) / 8 : 0));
  shrink(s);
  return form_tuple(d, s.values, s.nulls, arena);
}

void delete_toasted(const HeapTable& table, const HeapTuple& row, const HeapTuple* kept) {
  for_each_external(table, row, kept, [&](const std::byte* p) { remove_external(p, false); });
}

void kill_new_chunks(const HeapTable& table, const HeapTuple& row, const HeapTuple* old) {
  for_each_external(table, row, old, [&](const std::byte* p) { remove_external(p, true); });
}

}  // namespace hathi::heap
