#include "scan_partitions.h"

#include <algorithm>

#include "hathi/catalog/relation_locks.h"
#include "hathi/nodes/visit.h"
#include "hathi/partition/subtree_locks.h"
#include "node.h"

namespace hathi::executor {

using partition::Known;

namespace {

// Vectors longer than this are given back at the end of a run.
constexpr std::size_t kKeptLeaves = 1024;

bool same_key(const partition::PartitionKey& a, const partition::PartitionKey& b) {
  if (a.strategy != b.strategy || a.columns.size() != b.columns.size()) return false;
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const partition::KeyColumn &x = a.columns[i], &y = b.columns[i];
    if (x.column != y.column || x.type != y.type || x.collation != y.collation || x.operator_family != y.operator_family || x.support != y.support)
      return false;
    if ((x.expr == nullptr) != (y.expr == nullptr) || (x.expr != nullptr && !nodes::equal(x.expr, y.expr))) return false;
  }
  return true;
}

nodes::Expr* move_columns(nodes::Expr* e, int rte, std::span<const AttrNumber> map, Arena& arena) {
  if (e == nullptr) return nullptr;
  if (e->kind == nodes::ExprKind::variable) {
    auto* v = arena.make<nodes::Variable>(*nodes::as<nodes::Variable>(e));
    if (v->rte == rte && v->column > 0) v->column = map[static_cast<std::size_t>(v->column - 1)];
    return v;
  }
  return nodes::map_each_child(e, [&](nodes::Expr* c) { return move_columns(c, rte, map, arena); }, arena);
}

// Do the values of list partitions, one after the other, ascend? nulls_last: where a partition for NULLs alone may stand.
bool values_ascend(const partition::PartitionDescriptor& descriptor, const std::vector<int>& members, bool nulls_last) {
  const partition::KeyColumn& column = descriptor.key->columns[0];
  const Datum* highest = nullptr;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Datum *low = nullptr, *high = highest;
    for (const NullableDatum& v : descriptor.bounds[static_cast<std::size_t>(members[i])]->values) {
      if (v.is_null) {
        bool alone = descriptor.bounds[static_cast<std::size_t>(members[i])]->values.size() == 1;
        if (!alone || !nulls_last || i + 1 != members.size()) return false;
        continue;
      }
      if (low == nullptr || partition::compare_values(column, v.value, *low) < 0) low = &v.value;
      if (high == nullptr || partition::compare_values(column, v.value, *high) > 0) high = &v.value;
    }
    if (highest != nullptr && low != nullptr && partition::compare_values(column, *low, *highest) < 0) return false;
    highest = high;
  }
  return true;
}

}  // namespace

ScanPartitions::ScanPartitions(StatementState& statement, const planner::PartitionedScan& plan) : statement_(statement), plan_(plan) {
  eval_.statement = &statement;
  eval_.function.arena = &values_;
}

// Tables of one tree mostly have the same key at the same depth, so few levels are ever made.
ScanPartitions::Level& ScanPartitions::level_of(const catalog::Relation& table, const partition::PartitionDescriptor& descriptor) {
  Arena scratch(256);
  std::span<const AttrNumber> map;
  if (&table != parent_) map = partition::column_map(*parent_, table, scratch);
  for (Level* l : levels_) {
    if (std::equal(l->columns.begin(), l->columns.end(), map.begin(), map.end()) && (l->key == descriptor.key || same_key(*l->key, *descriptor.key))) return *l;
  }
  Arena& arena = statement_.arena;
  auto* level = new (arena.allocate(sizeof(Level), alignof(Level))) Level();
  for (AttrNumber c : map) level->columns.push_back(arena, c);
  List<nodes::Expr*> conditions;
  if (plan_.prunes) {
    for (nodes::Expr* e : plan_.conditions) conditions.push_back(arena, map.empty() ? e : move_columns(e, plan_.rte, map, arena));
  }
  level->key = descriptor.key;
  level->steps = partition::compile_prune(*descriptor.key, conditions, plan_.rte, arena);
  auto* programs = arena.make_array<Program*>(level->steps.arguments.size());
  for (std::size_t i = 0; i < level->steps.arguments.size(); ++i) programs[i] = compile_expression(level->steps.arguments[i].expr, eval_, arena);
  level->arguments = {programs, level->steps.arguments.size()};
  levels_.push_back(level);
  prunes_later_ = prunes_later_ || level->steps.needs_later(Known::bound);
  prunes_while_running_ = prunes_while_running_ || level->steps.needs_later(Known::started);
  return *level;
}

bool ScanPartitions::value_of(const Level& level, int argument, Known now, NullableDatum& value) {
  auto i = static_cast<std::size_t>(argument);
  if (level.steps.arguments[i].known > now) return false;
  value = evaluate(*level.arguments[i]);
  return true;
}

const partition::PartitionDescriptor& ScanPartitions::descriptor_of(const catalog::Relation& table) {
  const partition::PartitionDescriptor*& known = &table == parent_ ? descriptor_ : below_[raw(table.oid)];
  if (known == nullptr) known = &partition::descriptor_of(table);
  return *known;
}

void ScanPartitions::collect(const catalog::Relation& table, Known now) {
  const partition::PartitionDescriptor& descriptor = descriptor_of(table);
  Level& level = level_of(table, descriptor);
  if (members_.size() <= depth_) members_.resize(depth_ + 1);
  // (members_ may grow below: the vector is taken out while it is walked.)
  std::vector<int> members = std::move(members_[depth_]);
  struct { ScanPartitions* self; const Level* level; Known now; } context{this, &level, now};
  auto value = [&context](int argument, NullableDatum& v) { return context.self->value_of(*context.level, argument, context.now, v); };   // (no allocation)
  partition::prune(descriptor, level.steps, value, values_, members);
  in_key_order_ = in_key_order_ && descriptor.key->strategy != partition::Strategy::hash && descriptor.all_leaves;
  bool by_list = plan_.concatenated && in_key_order_ && descriptor.key->strategy == partition::Strategy::list && members.size() > 1;
  if (by_list && std::find(members.begin(), members.end(), descriptor.default_member) == members.end())
    in_key_order_ = values_ascend(descriptor, members, plan_.order.nulls_first[0] == plan_.descending);
  for (int m : members) {
    const partition::Member& member = descriptor.members[static_cast<std::size_t>(m)];
    if (m == descriptor.default_member) in_key_order_ = false;
    if (member.is_leaf) {
      leaves_.push_back(member.oid);
      if (member.detach_pending) detaching_.push_back(member.oid);
      continue;
    }
    catalog::RelationRef below = catalog::open_relation(member.oid, plan_.lock);
    ++depth_;
    collect(*below, now);
    --depth_;
  }
  if (members.capacity() <= kKeptLeaves) members_[depth_] = std::move(members);
}

void ScanPartitions::prune(Known now) {
  parent_ = &statement_.relation(plan_.rte);
  leaves_.clear();
  detaching_.clear();
  in_key_order_ = true;
  collect(*parent_, now);
  values_.reset();
  pruned_at_ = now;
}

void ScanPartitions::lock() {
  descriptor_ = nullptr;
  below_.clear();
  prune(Known::bound);
  bool may_grow = prunes_later_ && leaves_.size() > 1;
  partition::lock_partitions(*parent_, leaves_, detaching_, plan_.lock, may_grow);
  locked_ = true;
}

void ScanPartitions::remember() {
  Known before = pruned_at_;
  prune(Known::planned);
  remembered_.planned = leaves_;
  remembered_.in_key_order = in_key_order_;
  // One partition alone is not pruned once more.
  if (leaves_.size() > 1) prune(Known::started);
  remembered_.leaves = leaves_;
  if (before < Known::started) prune(before);
}

bool ScanPartitions::prunes_after_planning() const {
  return std::any_of(levels_.begin(), levels_.end(), [](const Level* l) { return l->steps.needs_later(Known::planned); });
}

bool ScanPartitions::covers(Oid leaf) {
  Known before = pruned_at_;
  // What is known only while it runs prunes differently from row to row. (Then the partitioned table is held, so its descriptor is as it was.)
  bool again = prunes_later_ && before != Known::started;
  if (again) prune(Known::started);
  bool found = std::find(leaves_.begin(), leaves_.end(), leaf) != leaves_.end();
  if (again) prune(before);
  return found;
}

void ScanPartitions::end_run() {
  leaves_.clear();
  if (leaves_.capacity() > kKeptLeaves) std::vector<Oid>().swap(leaves_);
  locked_ = false;
  descriptor_ = nullptr;
  below_.clear();
}

// (One that was covered when it was locked and is being detached since: the detacher waits for all who hold the parent.)
[[maybe_unused]] static bool is_locked_with_others(Oid leaf) {
  constexpr locking::LockMode kMode = locking::LockMode::access_share;
  if (catalog::is_covered_by_subtree(leaf, kMode) || locking::holds_at_least(catalog::relation_tag(leaf), kMode)) return true;
  std::vector<locking::LockTag> above = catalog::subtree_tags(leaf);
  return std::any_of(above.begin(), above.end(), [](const locking::LockTag& tag) { return locking::holds_at_least(tag, kMode); });
}

void ScanPartitions::assert_locked(Oid leaf) const {
  HATHI_ASSERT(locked_);
  HATHI_ASSERT(is_locked_with_others(leaf));
}

}  // namespace hathi::executor
