#include "statistics.h"

#include <memory>
#include <unordered_map>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/types/array.h"

namespace hathi::planner {

namespace {

struct Entry {
  std::uint64_t version = 0;
  bool found = false;
  ColumnStatistics statistics;
  Arena memory{512};
};

constexpr std::size_t kMaxEntries = 2000;

void load(Entry& e, const catalog::Relation& table, AttrNumber column) {
  namespace p = catalog::pg_statistic;
  Arena arena;
  catalog::CatalogTable catalog_table(catalog_oid::pg_statistic, locking::LockMode::access_share);
  auto row = catalog_table.find({{p::starelid, Datum::of(table.oid)},
                                 {p::staattnum, Datum::of(column)},
                                 {p::stainherit, Datum::of(table.kind == catalog::relation_kind::partitioned_table)}},
                                arena);
  if (!row) return;
  e.found = true;
  ColumnStatistics& s = e.statistics;
  s.null_fraction = row->get(p::stanullfrac).as_float4();
  s.distinct = row->get(p::stadistinct).as_float4();
  s.width = row->get(p::stawidth).as_int32();
  TypeLayout layout = catalog::type_info(catalog::base_type((*table.descriptor)[column - 1].type)).layout;
  for (int i = 0; i < 5; ++i) {
    auto nth = [i](AttrNumber first) { return static_cast<AttrNumber>(first + i); };
    int kind = row->get(nth(p::stakind1)).as_int16();
    std::span<const float> numbers;
    std::span<const Datum> values;
    if (kind == 0) continue;
    if (!row->is_null(nth(p::stanumbers1))) {
      types::ArrayElements a =
          types::array_elements(types::ArrayView(row->get(nth(p::stanumbers1)), arena), catalog::type_info(type_oid::float4).layout, arena);
      auto* out = e.memory.make_array<float>(static_cast<std::size_t>(a.count));
      for (int k = 0; k < a.count; ++k) out[k] = a.values[k].as_float4();
      numbers = {out, static_cast<std::size_t>(a.count)};
    }
    if (!row->is_null(nth(p::stavalues1))) {
      types::ArrayElements a = types::array_elements(types::ArrayView(row->get(nth(p::stavalues1)), arena), layout, arena);
      auto* out = e.memory.make_array<Datum>(static_cast<std::size_t>(a.count));
      for (int k = 0; k < a.count; ++k) out[k] = copy_datum(a.values[k], layout, e.memory);
      values = {out, static_cast<std::size_t>(a.count)};
    }
    if (kind == 1 && numbers.size() == values.size()) {
      s.common = values;
      s.frequencies = numbers;
      for (float f : numbers) s.common_total += f;
    } else if (kind == 2) {
      s.histogram = values;
    } else if (kind == 3 && !numbers.empty()) {
      s.correlation = numbers[0];
    }
  }
}

}  // namespace

const ColumnStatistics* column_statistics(const catalog::Relation& table, AttrNumber column) {
  static std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> cache;
  if (column <= 0 || column > table.descriptor->count()) return nullptr;
  std::uint64_t key = (std::uint64_t{raw(table.oid)} << 16) | static_cast<std::uint16_t>(column);
  auto it = cache.find(key);
  if (it != cache.end() && it->second->version == table.version) return it->second->found ? &it->second->statistics : nullptr;
  if (cache.size() >= kMaxEntries) cache.clear();
  auto entry = std::make_unique<Entry>();
  entry->version = table.version;
  load(*entry, table, column);
  std::unique_ptr<Entry>& place = cache[key];
  place = std::move(entry);
  return place->found ? &place->statistics : nullptr;
}

}  // namespace hathi::planner
