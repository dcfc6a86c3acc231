// The settings of the groups below: names, ranges, contexts and boot values are PostgreSQL 15's.
#include "table.h"

namespace hathi::config {

namespace {

constexpr const char* kGeneticQueryOptimizer = "Query Tuning / Genetic Query Optimizer";
constexpr const char* kOtherPlannerOptions = "Query Tuning / Other Planner Options";
constexpr const char* kPlannerCostConstants = "Query Tuning / Planner Cost Constants";
constexpr const char* kPlannerMethodConfiguration = "Query Tuning / Planner Method Configuration";

constexpr Option kConstraintExclusionOptions[] = {{"partition", 2}, {"on", 1},  {"off", 0}, {nullptr, 0}, {"true", 1},
                                                  {"false", 0},     {"yes", 1}, {"no", 0},  {"1", 1},     {"0", 0}};
constexpr Option kPlanCacheModeOptions[] = {{"auto", 0}, {"force_generic_plan", 1}, {"force_custom_plan", 2}};

}  // namespace

void define_planner_settings() {
  static const Definition table[] = {
      // Query Tuning / Genetic Query Optimizer
      boolean("geqo", kGeneticQueryOptimizer, "Plans large joins by genetic optimisation.", Context::user, "on", &values::geqo) | kExplain,
      integer("geqo_effort", kGeneticQueryOptimizer, "Effort of genetic optimisation, from which other defaults follow.", Context::user,
              Unit::none, "5", 1, 10, &values::geqo_effort) |
          kExplain,
      integer("geqo_generations", kGeneticQueryOptimizer, "Rounds of genetic optimisation (0: a suitable number).", Context::user,
              Unit::none, "0", 0, kMaxInt, &values::geqo_generations) |
          kExplain,
      integer("geqo_pool_size", kGeneticQueryOptimizer, "Individuals in genetic optimisation (0: a suitable number).", Context::user,
              Unit::none, "0", 0, kMaxInt, &values::geqo_pool_size) |
          kExplain,
      real("geqo_seed", kGeneticQueryOptimizer, "Seed of genetic optimisation.", Context::user, Unit::none, "0", 0, 1, &values::geqo_seed) |
          kExplain,
      real("geqo_selection_bias", kGeneticQueryOptimizer, "Selective pressure of genetic optimisation.", Context::user, Unit::none, "2",
           1.5, 2, &values::geqo_selection_bias) |
          kExplain,
      integer("geqo_threshold", kGeneticQueryOptimizer, "Number of FROM items from which joins are planned by genetic optimisation.",
              Context::user, Unit::none, "12", 2, kMaxInt, &values::geqo_threshold) |
          kExplain,
      // Query Tuning / Other Planner Options
      choice("constraint_exclusion", kOtherPlannerOptions, "Whether constraints are used to leave tables out.", Context::user, "partition",
             kConstraintExclusionOptions, &values::constraint_exclusion) |
          kExplain,
      real("cursor_tuple_fraction", kOtherPlannerOptions, "Share of a cursor's rows that is expected to be fetched.", Context::user,
           Unit::none, "0.1", 0, 1, &values::cursor_tuple_fraction) |
          kExplain,
      integer("default_statistics_target", kOtherPlannerOptions, "Detail of statistics where a column sets none.", Context::user,
              Unit::none, "100", 1, 10000, &values::default_statistics_target),
      integer("from_collapse_limit", kOtherPlannerOptions, "Most FROM items up to which subqueries are merged.", Context::user, Unit::none,
              "8", 1, kMaxInt, &values::from_collapse_limit) |
          kExplain,
      boolean("jit", kOtherPlannerOptions, "Compiles expensive queries just in time.", Context::user, "off", &values::jit) | kExplain,
      integer("join_collapse_limit", kOtherPlannerOptions, "Most FROM items up to which JOINs are reordered.", Context::user, Unit::none,
              "8", 1, kMaxInt, &values::join_collapse_limit) |
          kExplain,
      choice("plan_cache_mode", kOtherPlannerOptions, "Whether prepared statements use generic or custom plans.", Context::user, "auto",
             kPlanCacheModeOptions, &values::plan_cache_mode) |
          kExplain,
      real("recursive_worktable_factor", kOtherPlannerOptions,
           "Expected size of a recursive query's working table, relative to its first step.", Context::user, Unit::none, "10", 0.001, 1e6,
           &values::recursive_worktable_factor) |
          kExplain,
      // Query Tuning / Planner Cost Constants
      real("cpu_index_tuple_cost", kPlannerCostConstants, "Cost of an index entry during an index scan.", Context::user, Unit::none,
           "0.005", 0, kMaxDouble, &values::cpu_index_tuple_cost) |
          kExplain,
      real("cpu_operator_cost", kPlannerCostConstants, "Cost of an operator or function call.", Context::user, Unit::none, "0.0025", 0,
           kMaxDouble, &values::cpu_operator_cost) |
          kExplain,
      real("cpu_tuple_cost", kPlannerCostConstants, "Cost of a row.", Context::user, Unit::none, "0.01", 0, kMaxDouble,
           &values::cpu_tuple_cost) |
          kExplain,
      integer("effective_cache_size", kPlannerCostConstants, "Expected size of all caches together.", Context::user, Unit::blocks, "524288",
              1, kMaxInt, &values::effective_cache_size) |
          kExplain,
      real("jit_above_cost", kPlannerCostConstants, "Cost from which a query is compiled.", Context::user, Unit::none, "100000", -1,
           kMaxDouble, nullptr) |
          kExplain,
      real("jit_inline_above_cost", kPlannerCostConstants, "Cost from which the compiler inlines.", Context::user, Unit::none, "500000", -1,
           kMaxDouble, nullptr) |
          kExplain,
      real("jit_optimize_above_cost", kPlannerCostConstants, "Cost from which the compiler optimises.", Context::user, Unit::none, "500000",
           -1, kMaxDouble, nullptr) |
          kExplain,
      integer("min_parallel_index_scan_size", kPlannerCostConstants, "Least size of an index for a parallel scan.", Context::user,
              Unit::blocks, "64", 0, 715827882, &values::min_parallel_index_scan_size) |
          kExplain,
      integer("min_parallel_table_scan_size", kPlannerCostConstants, "Least size of a table for a parallel scan.", Context::user,
              Unit::blocks, "1024", 0, 715827882, &values::min_parallel_table_scan_size) |
          kExplain,
      real("parallel_setup_cost", kPlannerCostConstants, "Cost of starting parallel workers.", Context::user, Unit::none, "1000", 0,
           kMaxDouble, &values::parallel_setup_cost) |
          kExplain,
      real("parallel_tuple_cost", kPlannerCostConstants, "Cost of passing a row from a worker to its leader.", Context::user, Unit::none,
           "0.1", 0, kMaxDouble, &values::parallel_tuple_cost) |
          kExplain,
      real("random_page_cost", kPlannerCostConstants, "Cost of a page read out of order.", Context::user, Unit::none, "4", 0, kMaxDouble,
           &values::random_page_cost) |
          kExplain,
      real("seq_page_cost", kPlannerCostConstants, "Cost of a page read in order.", Context::user, Unit::none, "1", 0, kMaxDouble,
           &values::seq_page_cost) |
          kExplain,
      // Query Tuning / Planner Method Configuration
      boolean("enable_async_append", kPlannerMethodConfiguration, "Lets the planner use asynchronous append.", Context::user, "on",
              &values::enable_async_append) |
          kExplain,
      boolean("enable_bitmapscan", kPlannerMethodConfiguration, "Lets the planner use bitmap scans.", Context::user, "on",
              &values::enable_bitmapscan) |
          kExplain,
      boolean("enable_gathermerge", kPlannerMethodConfiguration, "Lets the planner use gather merge.", Context::user, "on",
              &values::enable_gathermerge) |
          kExplain,
      boolean("enable_hashagg", kPlannerMethodConfiguration, "Lets the planner use hashed aggregation.", Context::user, "on",
              &values::enable_hashagg) |
          kExplain,
      boolean("enable_hashjoin", kPlannerMethodConfiguration, "Lets the planner use hash joins.", Context::user, "on",
              &values::enable_hashjoin) |
          kExplain,
      boolean("enable_incremental_sort", kPlannerMethodConfiguration, "Lets the planner use incremental sorts.", Context::user, "on",
              &values::enable_incremental_sort) |
          kExplain,
      boolean("enable_indexonlyscan", kPlannerMethodConfiguration, "Lets the planner use index-only scans.", Context::user, "on",
              &values::enable_indexonlyscan) |
          kExplain,
      boolean("enable_indexscan", kPlannerMethodConfiguration, "Lets the planner use index scans.", Context::user, "on",
              &values::enable_indexscan) |
          kExplain,
      boolean("enable_material", kPlannerMethodConfiguration, "Lets the planner use materialisation.", Context::user, "on",
              &values::enable_material) |
          kExplain,
      boolean("enable_memoize", kPlannerMethodConfiguration, "Lets the planner use memoization.", Context::user, "on",
              &values::enable_memoize) |
          kExplain,
      boolean("enable_mergejoin", kPlannerMethodConfiguration, "Lets the planner use merge joins.", Context::user, "on",
              &values::enable_mergejoin) |
          kExplain,
      boolean("enable_nestloop", kPlannerMethodConfiguration, "Lets the planner use nested loops.", Context::user, "on",
              &values::enable_nestloop) |
          kExplain,
      boolean("enable_parallel_append", kPlannerMethodConfiguration, "Lets the planner use parallel append.", Context::user, "on",
              &values::enable_parallel_append) |
          kExplain,
      boolean("enable_parallel_hash", kPlannerMethodConfiguration, "Lets the planner use parallel hash.", Context::user, "on",
              &values::enable_parallel_hash) |
          kExplain,
      boolean("enable_partition_pruning", kPlannerMethodConfiguration, "Lets the planner and the executor prune partitions.", Context::user,
              "on", &values::enable_partition_pruning) |
          kExplain,
      boolean("enable_partitionwise_aggregate", kPlannerMethodConfiguration, "Lets the planner aggregate partition by partition.",
              Context::user, "off", &values::enable_partitionwise_aggregate) |
          kExplain,
      boolean("enable_partitionwise_join", kPlannerMethodConfiguration, "Lets the planner join partition by partition.", Context::user,
              "off", &values::enable_partitionwise_join) |
          kExplain,
      boolean("enable_seqscan", kPlannerMethodConfiguration, "Lets the planner use sequential scans.", Context::user, "on",
              &values::enable_seqscan) |
          kExplain,
      boolean("enable_sort", kPlannerMethodConfiguration, "Lets the planner use explicit sorts.", Context::user, "on",
              &values::enable_sort) |
          kExplain,
      boolean("enable_tidscan", kPlannerMethodConfiguration, "Lets the planner use scans by row address.", Context::user, "on",
              &values::enable_tidscan) |
          kExplain,
  };
  define(table);
}

}  // namespace hathi::config
