#include "hathi/planner/analyze_table.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/datum/function.h"
#include "hathi/heap/heap.h"
#include "hathi/partition/partition.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/array.h"
#include "statistics.h"

namespace hathi::planner {

namespace {

constexpr std::size_t kTooWide = 1024;   // longer values are counted but not kept

// One column's sampled values, rows in the table's order.
struct Sample {
  std::vector<Datum> values;             // not null and not too wide
  std::vector<int> positions;            // the row each stands in
  double rows = 0, nulls = 0, wide = 0, bytes = 0;
};

struct Slot {
  std::int16_t kind = 0;
  Oid op = kInvalidOid;
  std::vector<float> numbers;
  std::vector<Datum> values;
};

struct Column {
  const Attribute* attribute = nullptr;
  AttrNumber number = 0;
  double null_fraction = 0, width = 0, distinct = 0;
  std::vector<Slot> slots;
};

// How many of the candidates (most frequent first) are clearly more frequent than what is left over.
std::size_t significant_count(const std::vector<double>& counts, double distinct, double null_fraction, double sampled, double total) {
  std::size_t n = counts.size();
  if (sampled >= total || total <= 1) return n;
  double all = distinct < 0 ? -distinct * total : distinct;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) sum += counts[i];
  while (n > 0) {
    double left = std::clamp(1 - sum / sampled - null_fraction, 0.0, 1.0);
    double others = all - static_cast<double>(n - 1);
    if (others > 1) left /= others;
    double in_table = total * counts[n - 1] / sampled;
    double variance = sampled * in_table * (total - in_table) * (total - sampled) / (total * total * (total - 1));
    if (counts[n - 1] > left * sampled + 2 * std::sqrt(std::max(0.0, variance)) + 0.5) break;
    if (--n == 0) break;
    sum -= counts[n - 1];
  }
  return n;
}

struct Run { std::size_t first = 0, count = 0; };   // equal values in sorted order

// Distinct values of the whole table: an absolute number, or negative: a fraction of the rows.
double estimate_distinct(const Sample& s, double runs, double repeated, double total) {
  double present = s.rows - s.nulls, fraction = s.nulls / std::max(1.0, s.rows);
  double out;
  if (repeated == 0) return -(1 - fraction);
  if (s.wide == 0 && repeated == runs) {
    out = runs;
  } else {
    double once = runs - repeated + s.wide, seen = once + repeated;
    double rows = total * (1 - fraction);
    double estimate = rows > 0 ? present * seen / ((present - once) + once * present / rows) : 0;
    out = std::floor(std::clamp(estimate, seen, std::max(seen, rows)) + 0.5);
  }
  return out > 0.1 * total ? -(out / total) : out;
}

void correlation_slot(Column& c, const Sample& s, const std::vector<int>& order, Oid less) {
  auto n = static_cast<double>(order.size());
  if (n < 2) return;
  double products = 0, sum = n * (n - 1) / 2, squares = n * (n - 1) * (2 * n - 1) / 6;
  // Ranks of the rows among those that are present.
  for (std::size_t i = 0; i < order.size(); ++i) products += static_cast<double>(i) * static_cast<double>(order[i]);
  (void)s;
  Slot slot{3, less, {}, {}};
  slot.numbers.push_back(static_cast<float>((n * products - sum * sum) / (n * squares - sum * sum)));
  c.slots.push_back(std::move(slot));
}

void histogram_slot(Column& c, const std::vector<Datum>& sorted, std::size_t wanted, Oid less) {
  std::size_t n = std::min(wanted, sorted.size());
  if (n < 2) return;
  Slot slot{2, less, {}, {}};
  for (std::size_t i = 0; i < n; ++i) slot.values.push_back(sorted[i * (sorted.size() - 1) / (n - 1)]);
  c.slots.push_back(std::move(slot));
}

void compute(Column& c, const Sample& s, double total, int target) {
  double present = s.rows - s.nulls;
  c.null_fraction = s.rows > 0 ? s.nulls / s.rows : 0;
  c.width = c.attribute->layout.length > 0 ? c.attribute->layout.length : (present > 0 ? s.bytes / present : 0);
  if (present <= 0) return;
  const catalog::TypeInfo& type = catalog::type_info(catalog::base_type(c.attribute->type));
  if (type.kind == 'p' || !is_valid(type.compare_function) || !is_valid(type.less_operator) || s.values.empty()) {
    if (s.values.empty() && s.wide > 0) c.distinct = -(1 - c.null_fraction);
    return;
  }
  Arena scratch;
  ComparisonFunction comparison = prepare_comparison(type.compare_function, c.attribute->collation);
  std::vector<int> order(s.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  auto at = [&](int i) { return s.values[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    int r = compare(comparison, at(a), at(b), scratch);
    return r != 0 ? r < 0 : a < b;
  });
  check_interrupts();
  std::vector<Run> runs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && compare(comparison, at(order[i - 1]), at(order[i]), scratch) == 0) ++runs.back().count;
    else runs.push_back({i, 1});
  }
  double repeated = static_cast<double>(std::count_if(runs.begin(), runs.end(), [](const Run& r) { return r.count > 1; }));
  c.distinct = estimate_distinct(s, static_cast<double>(runs.size()), repeated, total);
  // Most common values.
  auto limit = static_cast<std::size_t>(target);
  bool complete = runs.size() <= limit && s.wide == 0 && c.distinct > 0;
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < runs.size(); ++i) if (complete || runs[i].count > 1) common.push_back(i);
  std::stable_sort(common.begin(), common.end(), [&](std::size_t a, std::size_t b) { return runs[a].count > runs[b].count; });
  if (common.size() > limit) common.resize(limit);
  if (!complete) {
    std::vector<double> counts;
    for (std::size_t i : common) counts.push_back(static_cast<double>(runs[i].count));
    common.resize(significant_count(counts, c.distinct, c.null_fraction, s.rows, total));
  }
  if (!common.empty()) {
    Slot slot{1, type.equal_operator, {}, {}};
    for (std::size_t i : common) {
      slot.values.push_back(at(order[runs[i].first]));
      slot.numbers.push_back(static_cast<float>(static_cast<double>(runs[i].count) / s.rows));
    }
    c.slots.push_back(std::move(slot));
  }
  if (runs.size() - common.size() >= 2) {
    std::vector<bool> taken(runs.size());
    for (std::size_t i : common) taken[i] = true;
    std::vector<Datum> rest;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!taken[i]) for (std::size_t k = 0; k < runs[i].count; ++k) rest.push_back(at(order[runs[i].first + k]));
    }
    histogram_slot(c, rest, std::min(limit + 1, runs.size() - common.size()), type.less_operator);
  }
  correlation_slot(c, s, order, type.less_operator);
}

void store(const catalog::Relation& table, const Column& c) {
  namespace p = catalog::pg_statistic;
  Arena arena;
  catalog::CatalogTable statistics(catalog_oid::pg_statistic, locking::LockMode::row_exclusive);
  Datum inherited = Datum::of(table.kind == catalog::relation_kind::partitioned_table);
  auto old = statistics.find({{p::starelid, Datum::of(table.oid)}, {p::staattnum, Datum::of(c.number)}, {p::stainherit, inherited}}, arena);
  catalog::CatalogRow row = statistics.new_row();
  row.set(p::starelid, Datum::of(table.oid));
  row.set(p::staattnum, Datum::of(c.number));
  row.set(p::stainherit, inherited);
  row.set(p::stanullfrac, Datum::of(static_cast<float>(c.null_fraction)));
  row.set(p::stawidth, Datum::of(static_cast<std::int32_t>(c.width)));
  row.set(p::stadistinct, Datum::of(static_cast<float>(c.distinct)));
  Oid element = catalog::base_type(c.attribute->type);
  TypeLayout layout = catalog::type_info(element).layout;
  for (std::size_t i = 0; i < 5; ++i) {
    auto nth = [i](AttrNumber first) { return static_cast<AttrNumber>(first + static_cast<AttrNumber>(i)); };
    bool used = i < c.slots.size();
    row.set(nth(p::stakind1), Datum::of(used ? c.slots[i].kind : std::int16_t{0}));
    row.set(nth(p::staop1), Datum::of(used ? c.slots[i].op : kInvalidOid));
    row.set(nth(p::stacoll1), Datum::of(used ? c.attribute->collation : kInvalidOid));
    if (!used) continue;
    if (!c.slots[i].numbers.empty()) {
      std::vector<Datum> numbers;
      for (float f : c.slots[i].numbers) numbers.push_back(Datum::of(f));
      row.set(nth(p::stanumbers1), types::make_array(arena, type_oid::float4, catalog::type_info(type_oid::float4).layout, numbers));
    }
    if (!c.slots[i].values.empty()) row.set(nth(p::stavalues1), types::make_array(arena, element, layout, c.slots[i].values));
  }
  if (old) {
    row.tid = old->tid;
    row.xmin = old->xmin;
    statistics.update(row);
  } else {
    statistics.insert(row);
  }
}

// Every row of the sampled pages has the same chance to be in the sample. Several tables (the partitions of one) count as one, their
// pages one after the other.
class RowSampler {
 public:
  RowSampler(std::vector<Column>& columns, std::size_t limit) : columns_(columns), limit_(limit) {}

  TableSample run(const catalog::Relation& table, std::span<const catalog::RelationRef> partitions) {
    std::uint32_t pages = 0;
    std::vector<std::uint32_t> counts;   // taken once: a table that grows meanwhile is sampled as it was
    for (const catalog::RelationRef& p : partitions) {
      counts.push_back(buffer::block_count(p->file, Fork::main).value());
      pages += counts.back();
    }
    // As many pages as rows are wanted, evenly spread.
    std::uint64_t wanted = std::min<std::uint64_t>(pages, limit_), read = 0;
    auto position = [&](std::uint64_t n) { return n * pages / wanted; };
    std::uint64_t before = 0;   // pages of the partitions before this one
    transaction::SnapshotRef snapshot = transaction::statement_snapshot();
    random_.seed(static_cast<std::uint64_t>(raw(table.oid)));
    for (const catalog::RelationRef& p : partitions) {
      Arena columns(256);
      std::span<const AttrNumber> map;
      if (p->oid != table.oid) map = partition::column_map(table, *p, columns);
      std::uint64_t count = counts[static_cast<std::size_t>(&p - partitions.data())], end = before + count;
      if (read < wanted && position(read) < end) {
        heap::Scan scan(p->heap, *snapshot, heap::ScanRing::always);
        for (; read < wanted && position(read) < end; ++read) {
          check_interrupts();
          if (scan.open_block(BlockNumber{static_cast<std::uint32_t>(position(read) - before)}, {})) read_page(scan, *p, map);
        }
      }
      before = end;
    }
    double total = read == 0 ? 0 : seen_ / static_cast<double>(read) * pages;
    std::sort(rows_.begin(), rows_.end(), [](const Kept& a, const Kept& b) { return a.number < b.number; });
    return {total, pages};
  }

  Sample column(std::size_t c) const {
    Sample out;
    out.rows = static_cast<double>(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Value& v = rows_[i].values[c];
      if (v.is_null) {
        ++out.nulls;
        continue;
      }
      out.bytes += v.bytes;
      if (v.wide) {
        ++out.wide;
        continue;
      }
      out.values.push_back(v.value);
      out.positions.push_back(static_cast<int>(i));
    }
    return out;
  }

 private:
  struct Value { Datum value; double bytes = 0; bool is_null = false, wide = false; };
  struct Kept { std::uint64_t number = 0; Value* values = nullptr; };

  void read_page(heap::Scan& scan, const catalog::Relation& table, std::span<const AttrNumber> map) {
    HeapTuple row;
    while (scan.next_in_block(row)) {
      ++seen_;
      if (rows_.size() < limit_) {
        rows_.push_back(keep(row, table, map));
      } else {
        auto at = std::uniform_int_distribution<std::uint64_t>(0, static_cast<std::uint64_t>(seen_) - 1)(random_);
        if (at < limit_) rows_[at] = keep(row, table, map);
      }
    }
  }

  Kept keep(const HeapTuple& row, const catalog::Relation& table, std::span<const AttrNumber> map) {
    int n = table.descriptor->count();
    values_.resize(static_cast<std::size_t>(n));
    nulls_ = std::make_unique<bool[]>(static_cast<std::size_t>(n));
    deform_tuple(row, *table.descriptor, n, values_.data(), nulls_.get());
    Kept out{next_++, memory_.make_array<Value>(columns_.size())};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      AttrNumber number = columns_[c].number;
      auto i = static_cast<std::size_t>((map.empty() ? number : map[static_cast<std::size_t>(number - 1)]) - 1);
      Value& v = out.values[c];
      v.is_null = nulls_[i];
      if (v.is_null) continue;
      TypeLayout layout = columns_[c].attribute->layout;
      if (layout.length > 0) {
        v.bytes = layout.length;
        v.value = copy_datum(values_[i], layout, memory_);
        continue;
      }
      std::size_t stored = datum_size(values_[i], layout);
      v.bytes = static_cast<double>(stored);
      if (layout.length == -1) {
        const std::byte* plain = varlena::readable(values_[i], memory_);
        v.wide = varlena::payload(plain).size() > kTooWide;
        if (!v.wide) v.value = copy_datum(Datum::of(plain), layout, memory_);
      } else {
        v.wide = stored > kTooWide;
        if (!v.wide) v.value = copy_datum(values_[i], layout, memory_);
      }
    }
    return out;
  }

  std::vector<Column>& columns_;
  std::size_t limit_;
  std::vector<Kept> rows_;
  std::uint64_t next_ = 0;
  double seen_ = 0;
  std::mt19937_64 random_;
  Arena memory_;
  std::vector<Datum> values_;
  std::unique_ptr<bool[]> nulls_;
};

}  // namespace

namespace {

void open_leaves(const catalog::Relation& table, std::vector<catalog::RelationRef>& out) {
  if (table.kind != catalog::relation_kind::partitioned_table) {
    out.push_back(catalog::open_relation(table.oid, locking::LockMode::none));
    return;
  }
  const partition::PartitionDescriptor& d = partition::descriptor_of(table);
  std::vector<partition::Member> members(d.members.begin(), d.members.end());
  for (const partition::Member& m : members) {
    catalog::RelationRef below = catalog::try_open_relation(m.oid, locking::LockMode::access_share);
    if (below) open_leaves(*below, out);
  }
}

}  // namespace

TableSample analyze_columns(const catalog::Relation& table, std::span<const AttrNumber> wanted) {
  std::vector<Column> columns;
  for (int i = 0; i < table.descriptor->count(); ++i) {
    const Attribute& a = (*table.descriptor)[i];
    auto number = static_cast<AttrNumber>(i + 1);
    if (a.dropped || (!wanted.empty() && std::find(wanted.begin(), wanted.end(), number) == wanted.end())) continue;
    Column c;
    c.attribute = &a;
    c.number = number;
    columns.push_back(std::move(c));
  }
  int target = std::max(1, config::values::default_statistics_target);
  RowSampler sampler(columns, static_cast<std::size_t>(target) * 300);
  std::vector<catalog::RelationRef> leaves;
  open_leaves(table, leaves);
  TableSample out = sampler.run(table, leaves);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Sample s = sampler.column(i);
    if (s.rows == 0) continue;
    compute(columns[i], s, out.rows, target);
    store(table, columns[i]);
  }
  return out;
}

}  // namespace hathi::planner
