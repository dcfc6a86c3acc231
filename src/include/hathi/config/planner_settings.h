#pragma once
// What planner/ and executor/ read of the settings.

#include <cstdint>
#include <string>

namespace hathi::config {

namespace values {

extern bool geqo;                              // Plans large joins by genetic optimisation
extern int geqo_effort;                        // Effort of genetic optimisation, from which other defaults follow
extern int geqo_generations;                   // Rounds of genetic optimisation (0: a suitable number)
extern int geqo_pool_size;                     // Individuals in genetic optimisation (0: a suitable number)
extern double geqo_seed;                       // Seed of genetic optimisation
extern double geqo_selection_bias;             // Selective pressure of genetic optimisation
extern int geqo_threshold;                     // Number of FROM items from which joins are planned by genetic optimisation
extern bool enable_async_append;               // Lets the planner use asynchronous append
extern bool enable_bitmapscan;                 // Lets the planner use bitmap scans
extern bool enable_gathermerge;                // Lets the planner use gather merge
extern bool enable_hashagg;                    // Lets the planner use hashed aggregation
extern bool enable_hashjoin;                   // Lets the planner use hash joins
extern bool enable_incremental_sort;           // Lets the planner use incremental sorts
extern bool enable_indexonlyscan;              // Lets the planner use index-only scans
extern bool enable_indexscan;                  // Lets the planner use index scans
extern bool enable_material;                   // Lets the planner use materialisation
extern bool enable_memoize;                    // Lets the planner use memoization
extern bool enable_mergejoin;                  // Lets the planner use merge joins
extern bool enable_nestloop;                   // Lets the planner use nested loops
extern bool enable_parallel_append;            // Lets the planner use parallel append
extern bool enable_parallel_hash;              // Lets the planner use parallel hash
extern bool enable_partition_pruning;          // Lets the planner and the executor prune partitions
extern bool enable_partitionwise_aggregate;    // Lets the planner aggregate partition by partition
extern bool enable_partitionwise_join;         // Lets the planner join partition by partition
extern bool enable_seqscan;                    // Lets the planner use sequential scans
extern bool enable_sort;                       // Lets the planner use explicit sorts
extern bool enable_tidscan;                    // Lets the planner use scans by row address
extern int constraint_exclusion;               // Whether constraints are used to leave tables out: 0 off, 1 on, 2 partition
extern double cursor_tuple_fraction;           // Share of a cursor's rows that is expected to be fetched
extern int default_statistics_target;          // Detail of statistics where a column sets none
extern int from_collapse_limit;                // Most FROM items up to which subqueries are merged
extern bool jit;                               // Compiles expensive queries just in time
extern int join_collapse_limit;                // Most FROM items up to which JOINs are reordered
// Whether prepared statements use generic or custom plans:
//   0 auto, 1 force_generic_plan, 2 force_custom_plan
extern int plan_cache_mode;
extern double recursive_worktable_factor;      // Expected size of a recursive query's working table, relative to its first step
extern double cpu_index_tuple_cost;            // Cost of an index entry during an index scan
extern double cpu_operator_cost;               // Cost of an operator or function call
extern double cpu_tuple_cost;                  // Cost of a row
extern int effective_cache_size;               // Expected size of all caches together (8 kB blocks)
extern int min_parallel_index_scan_size;       // Least size of an index for a parallel scan (8 kB blocks)
extern int min_parallel_table_scan_size;       // Least size of a table for a parallel scan (8 kB blocks)
extern double parallel_setup_cost;             // Cost of starting parallel workers
extern double parallel_tuple_cost;             // Cost of passing a row from a worker to its leader
extern double random_page_cost;                // Cost of a page read out of order
extern double seq_page_cost;                   // Cost of a page read in order
extern int force_parallel_mode;                // Forces parallel plans, for tests: 0 off, 1 on, 2 regress
extern int max_parallel_workers_per_gather;    // Most parallel workers of a plan node
extern int max_parallel_workers;               // Most parallel workers at once
extern int max_parallel_maintenance_workers;   // Most parallel workers of a maintenance command
extern bool parallel_leader_participation;     // The leader runs the plan too
extern bool debug_print_parse;                 // Logs parse trees
extern bool debug_print_rewritten;             // Logs rewritten parse trees
extern bool debug_print_plan;                  // Logs plans
extern bool debug_pretty_print;                // Indents parse trees and plans in the log

}  // namespace values

}  // namespace hathi::config
