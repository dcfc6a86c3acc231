#pragma once
// Which partitions one PartitionedScan reads: pruned and locked before the statement's snapshot is taken, pruned again when values
// become known or change.

#include <unordered_map>
#include <vector>

#include "hathi/partition/prune.h"
#include "statement_state.h"

namespace hathi::executor {

// Made once for a kept run; conditions are compiled once for each different partition key of the tree.
class ScanPartitions {
 public:
  ScanPartitions(StatementState& statement, const planner::PartitionedScan& plan);

  // Before the snapshot: prunes with what is known by then and locks what survives, one by one or the whole tree by one lock.
  void lock();
  // Prunes with all that is known now (running: also the plan's own parameters). Survivors stand in leaves().
  void prune(partition::Known now);
  // The partitions to be read, in the order of their bounds.
  const std::vector<Oid>& leaves() const { return leaves_; }
  // Do values that come after the snapshot prune further?
  bool prunes_later() const { return prunes_later_; }
  // Values of nested loops or init plans: other survivors at each rescan.
  bool prunes_while_running() const { return prunes_while_running_; }
  // Does anything but constants prune?
  bool prunes_after_planning() const;
  // Is the leaf among those that are left when the statement starts?
  bool covers(Oid leaf);
  partition::Known pruned_at() const { return pruned_at_; }
  bool is_locked() const { return locked_; }
  // Do the survivors, one after the other, have ascending keys?
  bool in_key_order() const { return in_key_order_; }
  const catalog::Relation& parent() const { return *parent_; }
  // EXPLAIN: what is left by constants, and by all that is known when the statement starts.
  struct Remembered { std::vector<Oid> planned, leaves; bool in_key_order = false; };
  void remember();
  const Remembered& remembered() const { return remembered_; }
  // The run ends: forgets survivors and gives memory back.
  void end_run();
  // Asserts that a partition about to be read under the statement's snapshot was locked before that was taken.
  void assert_locked(Oid leaf) const;

 private:
  // One partition key of the tree with the conditions on it.
  struct Level {
    const partition::PartitionKey* key = nullptr;
    List<AttrNumber> columns;           // column numbers of the table's columns; empty: the same
    partition::PruneSteps steps;
    std::span<Program*> arguments;
  };
  Level& level_of(const catalog::Relation& table, const partition::PartitionDescriptor& descriptor);
  void collect(const catalog::Relation& table, partition::Known now);
  // As it was when the run's partitions were locked: one attached meanwhile is not locked, and its rows are not all in the snapshot.
  const partition::PartitionDescriptor& descriptor_of(const catalog::Relation& table);
  bool value_of(const Level& level, int argument, partition::Known now, NullableDatum& value);

  StatementState& statement_;
  const planner::PartitionedScan& plan_;
  const catalog::Relation* parent_ = nullptr;
  EvalContext eval_;
  Arena values_{512};
  std::vector<Level*> levels_;
  std::vector<Oid> leaves_, detaching_;
  const partition::PartitionDescriptor* descriptor_ = nullptr;                          // the table's, in this run
  std::unordered_map<std::uint32_t, const partition::PartitionDescriptor*> below_;      // those of partitioned partitions
  std::vector<std::vector<int>> members_;   // by depth
  std::size_t depth_ = 0;
  partition::Known pruned_at_ = partition::Known::planned;
  Remembered remembered_;
  bool prunes_later_ = false, prunes_while_running_ = false, locked_ = false, in_key_order_ = false;
};

}  // namespace hathi::executor
