#pragma once
// pg_statistic as the estimates read it: kept by each process, read again when the table's descriptor version changes.

#include <span>

#include "hathi/catalog/relation.h"
#include "hathi/datum/datum.h"

namespace hathi::planner {

struct ColumnStatistics {
  double null_fraction = 0, distinct = 0, correlation = 0;   // distinct: negative = a fraction of the rows, 0 = not known
  int width = 0;
  std::span<const Datum> common;                  // most common values
  std::span<const float> frequencies;
  std::span<const Datum> histogram;               // bounds of equally full buckets of the others
  double common_total = 0;                        // sum of frequencies
};

// Nullptr when the column was never analyzed. Valid until the next call for a column whose table has changed.
const ColumnStatistics* column_statistics(const catalog::Relation& table, AttrNumber column);

}  // namespace hathi::planner
