#pragma once
// The text of EXPLAIN, in PostgreSQL's formats.

#include <string>
#include <vector>

#include "hathi/executor/executor.h"
#include "hathi/planner/plan.h"

namespace hathi::planner {

enum class ExplainFormat : std::uint8_t { text, json, xml, yaml };

struct ExplainOptions {
  bool analyze = false, verbose = false, costs = true, settings = false, buffers = false, wal = false, timing = false, summary = false;
  ExplainFormat format = ExplainFormat::text;
  double planning_ms = 0, execution_ms = 0;     // shown with summary (execution with analyze)
};

// The lines of the output. execution: the run (for ANALYZE: its counters; without it: made with explain_only, for the partitions that
// survive pruning).
std::vector<std::string> explain(const PlannedStatement& statement, executor::Execution* execution, const ExplainOptions& options);

}  // namespace hathi::planner
