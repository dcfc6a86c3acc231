#pragma once
// Two relations to be joined in one way round, with what their conditions allow.

#include "paths.h"

namespace hathi::planner {

struct JoinPlanner::JoinCase {
  JoinRelation* relation = nullptr;
  JoinRelation* outer = nullptr;
  JoinRelation* inner = nullptr;
  nodes::JoinType type = nodes::JoinType::inner;
  const SpecialJoin* special = nullptr;
  bool lateral = false;                    // the inner side reads values of the outer one
  bool inner_unique = false, has_unmergeable = false;
  std::vector<Clause*> conditions, filters, mergeable, hashable;
  MatchFactors factors;
};

}  // namespace hathi::planner
