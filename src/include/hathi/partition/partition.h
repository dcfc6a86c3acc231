#pragma once
// Partitioned tables: what their keys and bounds are, which partition a row belongs to.
//
// A PartitionDescriptor is immutable once made, holds no pointer into private memory when it is shared, and names code by OID. It belongs to
// a version stamp of its own (slot of (pg_inherits, parent)): attaching or detaching a partition does not change the parent's
// Relation descriptor, so plans stay valid; they prune against the descriptor of the moment. A transaction that adds partition after
// partition derives its private descriptor from the one before (copying arrays, not reading the catalog again).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hathi/catalog/relation.h"
#include "hathi/datum/datum.h"
#include "hathi/datum/function.h"
#include "hathi/memory/arena.h"
#include "hathi/nodes/expression.h"

namespace hathi::partition {

enum class Strategy : char { hash = 'h', list = 'l', range = 'r' };   // pg_partitioned_table.partstrat

// At most so many columns in a key (PostgreSQL's limit).
inline constexpr int kMaxKeyColumns = 32;

struct KeyColumn {
  AttrNumber column = 0;                  // of the table; 0 = the expression
  const nodes::Expr* expr = nullptr;      // variables of rte 1; null for a plain column
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  TypeLayout layout;
  Oid operator_class = kInvalidOid, operator_family = kInvalidOid, operator_input_type = kInvalidOid;
  Oid support = kInvalidOid;              // list, range: the family's comparison function; hash: its extended hash function
  ComparisonFunction comparison;          // list, range: prepared
  FunctionSite hash;                      // hash: prepared
};

struct PartitionKey {
  Strategy strategy = Strategy::hash;
  std::span<const KeyColumn> columns;
};

// One column of a range bound.
struct RangeDatum {
  enum class Kind : std::int8_t { minimum = -1, value = 0, maximum = 1 };
  Kind kind = Kind::value;
  Datum value;
};

// The bound of one partition (pg_class.relpartbound).
struct Bound {
  Strategy strategy = Strategy::hash;
  bool is_default = false;
  int modulus = 0, remainder = 0;                  // hash
  std::span<const NullableDatum> values;           // list
  std::span<const RangeDatum> lower, upper;        // range: one a key column
};

struct Member {
  Oid oid = kInvalidOid;
  bool is_leaf = true;                    // not itself partitioned
  bool detach_pending = false;            // DETACH CONCURRENTLY between its two phases
};

// What the sum of all leaves held when it was last asked for; for estimates.
struct SubtreeSize { double rows = 0; double pages = 0; int leaves = 0; };

struct PartitionDescriptor {
  Oid parent = kInvalidOid;
  std::uint64_t version = 0;
  const PartitionKey* key = nullptr;
  // Direct partitions in PostgreSQL's order: hash by (modulus, remainder), list by lowest value, range by lower bound; the default last.
  std::span<const Member> members;
  std::span<const Bound* const> bounds;   // of each member
  int default_member = -1;                // index into members
  bool all_leaves = true;                 // no member is itself partitioned
  // A member is detach_pending: the descriptor without it, for all whose snapshots see the transaction that began the detaching.
  const PartitionDescriptor* without_pending = nullptr;
  Xid pending_since{0};
  // Hash: by_remainder[hash % by_remainder.size()]; -1 = no partition.
  std::span<const std::int32_t> by_remainder;
  // List: ascending values and whose they are.
  std::span<const Datum> values;
  std::span<const std::int32_t> value_members;
  int null_member = -1;
  // Range: boundary i (key.columns.size() datums each) ascending; the space below boundary i and not below i - 1 belongs to
  // gap_members[i], that above the last to gap_members[count]; -1 = none (the default's).
  std::span<const RangeDatum> boundaries;
  std::span<const std::int32_t> gap_members;
  int boundary_count() const { return static_cast<int>(gap_members.empty() ? 0 : gap_members.size() - 1); }
};

// The descriptor of a partitioned table as the running command sees it. The table is locked. O(1) when it is known already; valid
// until the transaction ends or, when this transaction attaches or detaches partitions of the table, until the second such change after.
// Partitions that DETACH CONCURRENTLY is about to remove are not in it, unless the transaction's snapshot is older than that.
const PartitionDescriptor& descriptor_of(const catalog::Relation& parent);
// The same with those partitions: what DDL must not collide with.
const PartitionDescriptor& full_descriptor_of(const catalog::Relation& parent);
// pg_partitioned_table's row of the table, its expressions read into the descriptor's memory.
const PartitionKey& key_of(const catalog::Relation& parent);

// Tells the caches that this transaction added or removed a partition of the parent, in the running command. What it sees from the next
// command on, and what all see after the commit, is then derived by copying arrays, without catalog reads.
void note_attached(const catalog::Relation& parent, const Member& member, const Bound& bound);
void note_detached(Oid parent, Oid member);
// The table is dropped, or changed in ways that the two above do not tell (detach pending): what is known of it is read anew.
void forget_descriptor(Oid parent);
// The SQL functions pg_partition_tree, …; before catalog::initialize().
void register_functions();
// Connects with transaction/ (hooks); once, before the first fork.
void install();

// relpartbound: to and from the catalog's text. from_text: XX000 on damaged text.
std::string bound_to_text(const Bound& bound, const PartitionKey& key);
Bound bound_from_text(std::string_view text, const PartitionKey& key, Arena& arena);
// "FOR VALUES WITH (modulus 4, remainder 0)", "FOR VALUES IN (1, 2)", "FOR VALUES FROM (1) TO (MAXVALUE)", "DEFAULT".
std::string bound_to_sql(const Bound& bound, const PartitionKey& key);
// "(1, MAXVALUE)".
std::string range_end_to_sql(std::span<const RangeDatum> end, const PartitionKey& key);
// Is it relpartbound's text (and not an expression)?
bool is_bound_text(std::string_view text);

// Does the bound collide with an existing partition? member -1: no. For the position of error 42P17.
struct Overlap {
  int member = -1;
  bool at_upper = false;      // range: which of the new bound's ends, and which of its columns
  int index = 0;              // list: which value
};
Overlap find_overlap(const PartitionDescriptor& descriptor, const Bound& bound);
// Range bounds by their order; as the key sorts. <0, 0, >0; column: the first in which they differ.
int compare_bounds(const PartitionKey& key, std::span<const RangeDatum> a, std::span<const RangeDatum> b, int* column = nullptr);
// Two values of a key column (list, range), both not null. <0, 0, >0.
int compare_values(const KeyColumn& column, Datum a, Datum b);
// Copies a bound with its values.
Bound* copy_bound(const Bound& bound, const PartitionKey& key, Arena& arena);

// The implicit constraint of a partition from the bounds of all levels, as an expression over rte 1 with the partition's own column
// numbers; nullptr when it has none. What pg_get_partition_constraintdef prints and ATTACH and direct inserts check.
const nodes::Expr* partition_constraint(const catalog::Relation& partition, Arena& arena);
// The same for a bound that is not attached yet (ATTACH), of this parent and the parent's own ancestors, mapped to the columns of `child`.
const nodes::Expr* partition_constraint_for(const catalog::Relation& parent, const Bound& bound, const catalog::Relation& child, Arena& arena);

// Do the table's NOT NULL and CHECK constraints say that all its rows fulfil the condition (over rte 1)? Common forms only: false may also
// mean that it is not known.
bool is_implied(const nodes::Expr* condition, const catalog::Relation& table);

// From the table upward: its parent, the parent's parent, … (pg_inherits; reads nothing for relations that are no partition).
std::span<const Oid> ancestors_of(const catalog::Relation& partition, Arena& arena);
// Column numbers of `child` for the columns of `parent` by name; empty span: the same numbers.
std::span<const AttrNumber> column_map(const catalog::Relation& parent, const catalog::Relation& child, Arena& arena);

// Key values (one a key column) of a row of the parent. Expressions are run by the caller's executor, see executor/partitions.h.
// The member that takes the key: index into members, the default member if no other, or -1.
int member_for_key(const PartitionDescriptor& descriptor, const Datum* values, const bool* nulls);

// Summed over the leaves; cached for a while, so approximate. For the planner only.
SubtreeSize subtree_size(const catalog::Relation& parent);

}  // namespace hathi::partition
