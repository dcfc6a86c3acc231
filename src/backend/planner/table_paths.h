#pragma once
// Ways to read one ordinary table.

#include "paths.h"
#include "hathi/types/array.h"

namespace hathi::planner {

class TablePaths {
 public:
  TablePaths(JoinPlanner& joins, JoinRelation& relation);
  // Adds every path worth considering to the relation.
  void add_all();
  // Join conditions that the scan could check, given the other relations' values.
  std::vector<Clause*> movable();
  // Which relations' values to consider for them.
  std::vector<RelationSet> outer_sets(const std::vector<Clause*>& clauses);

 private:
  struct IndexCost { double startup = 0, total = 0, selected = 1, pages = 1; };
  struct IndexShape { Oid index; double pages; int height; };
  // A bitmap of rows to visit, made of one index scan or of several.
  struct Bitmap {
    Plan* plan = nullptr;
    double cost = 0, selected = 1;
    Expr* recheck = nullptr;
    std::vector<Expr*> covers;             // conditions it makes sure of (by the re-check)
    std::vector<Expr*> uses;               // conditions it was made from
  };
  IndexCost index_cost(const IndexScan& scan, const catalog::IndexDescriptor& index, double loops);
  void cost_index(IndexScan& scan, const catalog::IndexDescriptor& index, double loops, double rows);
  const IndexShape& shape_of(const catalog::IndexDescriptor& index);
  double correlation_of(const catalog::IndexDescriptor& index);
  double constant_array_length(const Expr* e);
  PathKeys order_of(const catalog::IndexDescriptor& index, bool backward);
  IndexScan* whole_index(const catalog::IndexDescriptor& index);
  Path* path_of(Plan* plan);
  void add_sequential();
  void add_by_index();
  void add_parameterized();
  // bitmap_paths.cpp
  void note_bitmap(const IndexScan& scan, const catalog::IndexDescriptor& index);
  Bitmap bitmap_of(const IndexScan& scan, const catalog::IndexDescriptor& index);
  void add_bitmap_lookup(const std::vector<std::pair<IndexScan*, const catalog::IndexDescriptor*>>& scans, const std::vector<Expr*>& all,
                         double loops, double rows, const RelationSet& outer, const std::vector<Clause*>& bound);
  void add_bitmaps();
  bool or_bitmap(Expr* condition, Bitmap& out);
  Bitmap all_of(std::vector<Bitmap> bitmaps);
  Bitmap intersection(const std::vector<const Bitmap*>& parts);
  double heap_cost(const Bitmap& bitmap, double& startup);
  BitmapHeapScan* heap_scan(const Bitmap& bitmap);

  JoinPlanner& j_;
  QueryPlanner& p_;
  StatementContext& s_;
  JoinRelation& r_;
  const catalog::Relation& table_;
  std::vector<Expr*> conditions_;
  // What the bitmap scan being made checks, how often it runs, how many rows each run gives.
  std::vector<Expr*> checked_;
  double loops_ = 1, rows_ = 1;
  std::vector<IndexShape> shapes_;
  std::vector<Bitmap> bitmaps_;
};

}  // namespace hathi::planner
