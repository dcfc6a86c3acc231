#pragma once
// What the executor asks of partition/: which partitions may hold rows for some conditions, and where a row belongs.

#include <functional>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/nodes/expression.h"

namespace hathi::executor {

// Gives the value of an expression without Variables; false when it is not known yet.
using ValueOf = std::function<bool(const nodes::Expr* e, NullableDatum& value)>;

// Leaf partitions of the table, in the order of their bounds, that may hold rows fulfilling all conditions. total: how many there
// are without pruning.
void prune_partitions(const catalog::Relation& parent, const List<nodes::Expr*>& conditions, const ValueOf& value_of, std::vector<Oid>& leaves, int& total);

// The leaf partition for a row of the parent. 23514 "no partition of relation … found for row" with the key as DETAIL.
Oid route_row(const catalog::Relation& parent, const Datum* values, const bool* nulls);

// The leaf partition for a row of which only the partition key must be known; kInvalidOid when there is none.
Oid find_partition_of_row(const catalog::Relation& parent, const Datum* values, const bool* nulls);

// Does a row of the partition satisfy the bounds of all levels? (UPDATE that may move it; direct inserts.)
bool fits_partition(const catalog::Relation& partition, const Datum* values, const bool* nulls);

}  // namespace hathi::executor
