#include "hathi/planner/explain.h"

#include "hathi/error/sql_error.h"

namespace hathi::planner {

std::vector<std::string> explain(const PlannedStatement&, executor::Execution*, const ExplainOptions&) { throw_not_supported("EXPLAIN"); }

}  // namespace hathi::planner
