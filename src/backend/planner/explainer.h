#pragma once
// EXPLAIN of one statement: a walk over its plan.

#include <set>

#include "explain_names.h"
#include "hathi/executor/executor.h"
#include "explain_writer.h"

namespace hathi::planner {

class Explainer {
 public:
  Explainer(const PlannedStatement& statement, executor::Execution* execution, const ExplainOptions& options)
      : statement_(statement), execution_(execution), options_(options), names_(statement), w_(options.format) {
    name_partitions();
  }
  std::vector<std::string> run();

 private:
  // explain.cpp: headers, children.
  void node(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name);
  void header(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name);
  void target(const Plan* p);
  void target_entry(const Plan* p, int rte);
  void costs_and_times(const Plan* p, const executor::NodeTimes* times);
  void children(const PlanFrame& frame);
  void subplan(const PlanFrame& frame, const nodes::SubPlan* link, std::string_view relationship);
  void summary();
  void buffers(const executor::NodeTimes& t);

  // explain_partitions.cpp: partitioned scans and what is written to partitions.
  void name_partitions();
  void partitioned_scan(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name);
  void partition(const PlanFrame& frame, std::size_t nth, std::string_view relationship, std::string_view subplan_name);
  void removed_partitions(const PartitionedScan& scan);
  void nothing(const PlanFrame& frame, std::string_view relationship, std::string_view subplan_name);
  void written_partitions(const ModifyTable& m);

  // explain_details.cpp: what a node shows below its header.
  void details(const PlanFrame& frame, const executor::NodeTimes* times);
  void scan_details(const PlanFrame& frame, const executor::NodeTimes* times);
  void join_details(const PlanFrame& frame, const executor::NodeTimes* times);
  void modify_details(const PlanFrame& frame, const executor::NodeTimes* times);
  void output(const PlanFrame& frame);
  void qualifiers(const List<Expr*>& list, std::string_view label, const PlanFrame& frame, bool prefix, bool any = false);
  void scan_qualifiers(const List<Expr*>& list, std::string_view label, const PlanFrame& frame);
  void upper_qualifiers(const List<Expr*>& list, std::string_view label, const PlanFrame& frame);
  void removed(std::string_view label, std::uint64_t count, const executor::NodeTimes* times);
  void filter(const PlanFrame& frame, const executor::NodeTimes* times, bool scan);
  void index_conditions(const List<IndexCondition*>& conditions, const PlanFrame& frame);
  void sort_keys(const PlanFrame& frame, std::string_view label, std::span<const AttrNumber> columns, std::span<const Oid> operators,
                 std::span<const Oid> collations, std::span<const bool> nulls_first, int count);
  void group_keys(const PlanFrame& frame);
  void grouping_set_keys(const PlanFrame& frame, const Aggregate& a, std::string_view label);
  void extra(const Plan* p, const executor::NodeTimes* times);

  const PlannedStatement& statement_;
  executor::Execution* execution_;
  const ExplainOptions& options_;
  ExplainNames names_;
  ExplainWriter w_;
  Arena arena_{1024};
  std::set<int> printed_;       // subplans
  struct ScanShown { executor::PartitionsShown shown; std::map<std::uint32_t, std::string> aliases; };
  std::vector<ScanShown> scans_;   // by PartitionedScan::number
};

}  // namespace hathi::planner
