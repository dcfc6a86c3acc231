#pragma once
// Expressions over a partitioned table as expressions over one of its partitions.

#include "hathi/catalog/relation.h"
#include "query_planner.h"

namespace hathi::planner {

class ColumnMover {
 public:
  // from_rte: the table in what is moved; to_rte: the partition in what comes out.
  ColumnMover(const catalog::Relation& table, const catalog::Relation& partition, int from_rte, int to_rte, Arena& arena);
  // A copy with the partition's columns; whole rows keep the table's layout.
  Expr* move(Expr* e);

 private:
  Expr* variable(const nodes::Variable* v);

  const catalog::Relation& table_;
  std::span<const AttrNumber> map_;
  int from_, to_;
  Arena& arena_;
};

}  // namespace hathi::planner
