#pragma once
// ANALYZE: statistics of a table's columns from a sample of its rows, kept in pg_statistic for the planner's estimates.

#include <cstdint>
#include <span>

#include "hathi/catalog/relation.h"

namespace hathi::planner {

struct TableSample { double rows = 0; std::uint32_t pages = 0; };   // live rows, extrapolated to the whole table
// Reads a sample and writes pg_statistic rows for the columns (empty = all). The caller holds share_update_exclusive on the table
// and stores what is returned in pg_class.
TableSample analyze_columns(const catalog::Relation& table, std::span<const AttrNumber> columns);

}  // namespace hathi::planner
