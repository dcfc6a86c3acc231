#pragma once
// Where rows of a partitioned table belong.

#include <memory>
#include <vector>

#include "hathi/executor/executor.h"
#include "hathi/partition/partition.h"
#include "row.h"

namespace hathi::executor {

class TargetTable;

// Finds the partition of row after row; O(log partitions), O(1) for hash keys, for each level of the tree. Tables that are passed
// on the way are locked (row exclusive) and kept open.
class PartitionRouter {
 public:
  // The table is open and locked while this lives.
  explicit PartitionRouter(const catalog::Relation& table);
  ~PartitionRouter();
  // The leaf for a row of the table. 23514: no partition takes it, or it breaks the bounds of the table itself when that is a partition.
  Oid route(const Datum* values, const bool* nulls);
  // kInvalidOid when there is none.
  Oid find(const Datum* values, const bool* nulls);
  // Before each statement: partitions may have come and gone.
  void begin_run();

 private:
  struct Level;
  Level& level_of(Oid table);
  Oid descend(const Datum* values, const bool* nulls, bool must_find);
  [[noreturn]] void throw_no_partition(Level& level, const Datum* key, const bool* key_nulls);

  const catalog::Relation& table_;
  Arena memory_{1024};
  Arena scratch_{512};
  std::vector<std::unique_ptr<Level>> levels_;   // the table's own first
  std::unique_ptr<TargetTable> own_bounds_;      // the table is itself a partition
  Row row_;
};

// Does a row belong into this partition, by the bounds of all levels above it? Asked of the bounds themselves, so O(log partitions) for a
// default partition too.
class PartitionBounds {
 public:
  // The partition is open and locked while this lives.
  explicit PartitionBounds(const catalog::Relation& partition);
  ~PartitionBounds();
  bool fit(const Datum* values, const bool* nulls);

 private:
  struct Level;
  std::vector<std::unique_ptr<Level>> levels_;
  Arena scratch_{512};
};

// All leaf partitions below the table, in the order of their bounds, not locked; tables between are locked in that mode.
std::vector<Oid> leaf_partitions(const catalog::Relation& parent, locking::LockMode mode);

// The leaf partition for a row of which only the partition key must be known; kInvalidOid when there is none.
Oid find_partition_of_row(const catalog::Relation& parent, const Datum* values, const bool* nulls);

}  // namespace hathi::executor
