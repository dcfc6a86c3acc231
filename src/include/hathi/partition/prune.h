#pragma once
// Which partitions may hold rows that fulfil some conditions. The conditions are compiled once for a partition key; pruning then costs
// O(1) for hash, O(log n) for list and range and conditions, and what it finds.

#include <functional>
#include <span>
#include <vector>

#include "hathi/partition/partition.h"

namespace hathi::partition {

// From when on the value that a condition compares with is known.
enum class Known : std::uint8_t {
  planned,      // a constant
  bound,        // external parameters through immutable functions: before the snapshot
  started,      // stable functions: once the snapshot is taken
  running       // parameters of the plan itself: init plans, outer rows of nested loops
};

// A value that conditions compare with.
struct PruneArgument {
  const nodes::Expr* expr = nullptr;
  Known known = Known::planned;
};

// One condition on one key column.
struct PruneClause {
  enum class Kind : std::uint8_t { compare, not_equal, any_of, none_of, is_null, is_not_null };
  Kind kind = Kind::compare;
  std::int16_t key = 0;                 // which key column, from 0
  std::int16_t strategy = 3;            // of a btree family: 1 <, 2 <=, 3 =, 4 >=, 5 >
  int argument = -1;                    // in PruneSteps::arguments; -1: `constant`
  NullableDatum constant;
  ComparisonFunction comparison;        // (key type, argument's type); list and range
  FunctionSite hash;                    // of the argument's type; hash keys
  TypeLayout element;                   // any_of, none_of: of the array's elements
};

// Conditions of which all must hold; in each of `alternatives` one.
struct PruneGroup {
  std::span<const PruneClause> clauses;
  std::span<const std::span<const PruneGroup>> alternatives;
  bool never = false;                   // a condition is FALSE or NULL whatever the row
};

// Compiled conditions. Everything lives in the arena given to compile_prune(); function addresses make it a process's own.
struct PruneSteps {
  Strategy strategy = Strategy::hash;
  int columns = 0;
  const PruneGroup* root = nullptr;     // null: no condition is of use
  std::span<const PruneArgument> arguments;
  // Are there arguments known only later than this?
  bool needs_later(Known known) const {
    for (const PruneArgument& a : arguments) if (a.known > known) return true;
    return false;
  }
};

// The conditions (implicit AND) name the partitioned table's columns as variables of `rte`.
PruneSteps compile_prune(const PartitionKey& key, std::span<nodes::Expr* const> conditions, int rte, Arena& arena);

// The value of an argument; false when it is not known yet: conditions with it do not prune.
using ValueOfArgument = std::function<bool(int argument, NullableDatum& value)>;

// Indexes into descriptor.members, ascending, of the partitions that may hold such rows. scratch: for detoasting and the like.
void prune(const PartitionDescriptor& descriptor, const PruneSteps& steps, const ValueOfArgument& value_of, Arena& scratch, std::vector<int>& members);

// How early the expression's value is known. False: it depends on rows, is volatile or contains a subquery.
bool known_from(const nodes::Expr* e, Known& known);

}  // namespace hathi::partition
