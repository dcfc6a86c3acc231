// Estimates: sizes, selectivities, costs in PostgreSQL's units.

#include <algorithm>
#include <cmath>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/partition/partition.h"
#include "query_planner.h"
#include "statistics.h"

namespace hathi::planner {

TableSize table_size(const catalog::Relation& r) {
  TableSize out;
  if (r.kind == catalog::relation_kind::partitioned_table) {
    partition::SubtreeSize size = partition::subtree_size(r);
    out.rows = std::max(1.0, r.row_count > 0 ? r.row_count : size.rows);
    out.pages = std::max<double>(1, size.pages);
    return out;
  }
  out.pages = buffer::block_count(r.file, Fork::main).value();
  double density;
  if (r.page_count > 0 && r.row_count >= 0) {
    density = r.row_count / r.page_count;
  } else {
    // Never measured: by the width of a row; small tables count as ten pages.
    if (r.row_count < 0 && out.pages < 10) out.pages = 10;
    double width = 28;
    for (int i = 0; i < r.descriptor->count(); ++i) {
      const Attribute& a = (*r.descriptor)[i];
      if (a.dropped) continue;
      width += a.layout.length > 0 ? a.layout.length : (a.typmod > 4 ? a.typmod : 32);
    }
    density = (kPageSize - 24) / width;
  }
  out.rows = std::rint(density * out.pages);
  return out;
}

TableSize scanned_size(const catalog::Relation& r) {
  TableSize out = table_size(r);
  if (r.kind != catalog::relation_kind::partitioned_table) return out;
  double leaves = std::max(1, partition::subtree_size(r).leaves);
  out.rows = std::max(1.0, std::rint(out.rows / leaves));
  out.pages = std::max(1.0, std::ceil(out.pages / leaves));
  return out;
}

void cost_seq_scan(Plan& plan, TableSize size, double quals) {
  plan.rows = std::max(1.0, size.rows);
  plan.startup_cost = 0;
  plan.total_cost = config::values::seq_page_cost * size.pages + size.rows * (config::values::cpu_tuple_cost + quals * config::values::cpu_operator_cost);
}

namespace {

// Pages of a table that fetching so many rows in random order touches, each read once.
double pages_touched(double rows, double pages) {
  if (pages <= 1) return 1;
  return std::min(pages, std::ceil(2 * pages * rows / (2 * pages + rows)));
}

struct IndexCost { double startup = 0, total = 0; };

// Finding the entries: the way down, leaf pages, entries with their conditions.
IndexCost cost_of_entries(const catalog::IndexDescriptor& index, TableSize size, double selected, double conditions, bool one) {
  double entries = std::max(1.0, std::rint(size.rows * selected));
  double index_pages = std::max<double>(1, index.page_count > 0 ? index.page_count : std::ceil(size.rows * 20 / kPageSize));
  double leaves = one ? 1 : std::max(1.0, std::ceil(entries * index_pages / std::max(1.0, size.rows)));
  double height = index_pages <= 1 ? 0 : std::ceil(std::log(index_pages) / std::log(300.0));
  IndexCost out;
  out.startup = (size.rows > 1 ? std::ceil(std::log2(size.rows)) : 0) * config::values::cpu_operator_cost +
                (height + 1) * 50 * config::values::cpu_operator_cost;
  out.total = out.startup + leaves * config::values::random_page_cost +
              entries * (config::values::cpu_index_tuple_cost + conditions * config::values::cpu_operator_cost);
  return out;
}

double correlation_of(const catalog::Relation& table, const catalog::IndexDescriptor& index) {
  const ColumnStatistics* s = index.columns.empty() || index.columns[0] == 0 ? nullptr : column_statistics(table, index.columns[0]);
  if (s == nullptr) return 0;
  return index.key_count > 1 ? s->correlation * 0.75 : s->correlation;
}

}  // namespace

void cost_index_scan(IndexScan& plan, const catalog::Relation& table, const catalog::IndexDescriptor& index, double selected, double) {
  TableSize size = scanned_size(table);
  double rows = std::max(1.0, std::rint(size.rows * selected));
  bool one = plan.known_unique;
  IndexCost entries = cost_of_entries(index, size, selected, plan.conditions.size(), one);
  double heap = config::values::random_page_cost;
  if (!one) {
    double worst = pages_touched(rows, size.pages) * config::values::random_page_cost;
    double in_order = std::ceil(selected * size.pages);
    double best = in_order <= 0 ? 0 : config::values::random_page_cost + (in_order - 1) * config::values::seq_page_cost;
    double correlation = correlation_of(table, index);
    heap = worst + correlation * correlation * (best - worst);
  }
  plan.rows = rows;
  plan.startup_cost = entries.startup;
  plan.total_cost = entries.total + heap + rows * (config::values::cpu_tuple_cost + plan.filter.size() * config::values::cpu_operator_cost);
}

void cost_bitmap_scan(BitmapHeapScan& heap, BitmapIndexScan& bitmap, const catalog::Relation& table, const catalog::IndexDescriptor& index, double selected) {
  TableSize size = scanned_size(table);
  double rows = std::max(1.0, std::rint(size.rows * selected));
  IndexCost entries = cost_of_entries(index, size, selected, bitmap.conditions.size(), false);
  bitmap.rows = rows;
  bitmap.total_cost = entries.total;
  bitmap.startup_cost = 0;
  double pages = pages_touched(rows, size.pages), each = config::values::random_page_cost;
  if (pages >= 2) each -= (config::values::random_page_cost - config::values::seq_page_cost) * std::sqrt(pages / std::max(1.0, size.pages));
  heap.startup_cost = entries.total + 0.1 * config::values::cpu_operator_cost * rows;
  heap.total_cost = heap.startup_cost + pages * each +
                    rows * (config::values::cpu_tuple_cost + (heap.recheck.size() + heap.filter.size()) * config::values::cpu_operator_cost);
}

void cost_sort(Plan& plan, const Plan& input) {
  double rows = std::max(2.0, input.rows);
  plan.rows = input.rows;
  plan.width = input.width;
  plan.startup_cost = input.total_cost + 2.0 * config::values::cpu_operator_cost * rows * std::log2(rows);
  plan.total_cost = plan.startup_cost + config::values::cpu_operator_cost * rows;
}

}  // namespace hathi::planner
