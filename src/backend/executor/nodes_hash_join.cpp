// HashJoin: the inner input goes into a hash table; when it outgrows the memory allowed both inputs are split by hash value into
// batches in temporary files, joined one after the other.

#include "comparison.h"
#include "hash_batches.h"
#include "node.h"

namespace hathi::executor {

using nodes::JoinType;

namespace {

// The inner plan's own node: passes rows through (EXPLAIN shows it, its time is the build's).
struct HashState : NodeState {};

Row* run_hash(NodeState& node) { return fetch(*node.left); }
void init_hash(NodeState& node) { node.left = make_child(node, node.plan->left); }
void rescan_hash(NodeState& node) { rescan(*node.left); }
void close_hash(NodeState&) {}

enum class HashPhase : std::uint8_t { build, next_outer, chain, unmatched_inner, next_batch, done };

struct HashJoinState : NodeState {
  std::span<Program*> outer_keys, inner_keys;
  std::span<HashFunction> outer_hash, inner_hash;
  Program* clauses = nullptr;
  Program* condition = nullptr;
  JoinType type = JoinType::inner;
  bool fill_outer = false, fill_inner = false, one_match = false;
  HashPhase phase = HashPhase::build;
  const TupleDescriptor* inner_descriptor = nullptr;
  const TupleDescriptor* outer_descriptor = nullptr;
  std::optional<HashBatches> table;
  std::uint64_t filled_at = 0;
  std::uint32_t hash = 0;
  HashBatches::Entry* entry = nullptr;      // the next candidate
  bool matched = false;
  Row* outer = nullptr;
  Row inner_row, batch_outer, inner_nulls, outer_nulls;
  HashBatches::EntryCursor cursor;
};

// The hash of the keys of the row in the context; false when one is NULL.
bool hash_of(HashJoinState& s, std::span<Program*> keys, std::span<HashFunction> functions, std::uint32_t& hash) {
  hash = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    NullableDatum v = evaluate(*keys[i]);
    if (v.is_null) return false;
    hash = combine_hashes(hash, hash_value(functions[i], v.value, *s.eval.function.arena));
  }
  return true;
}

void describe_table(HashJoinState& s) {
  if (s.right->times == nullptr) return;
  s.right->times->extra = fmt::format("Buckets: {}  Batches: {}  Memory Usage: {}kB", s.table->bucket_count(), s.table->batch_count(),
                                      (s.table->peak_memory() + 1023) / 1024);
}

void build(HashJoinState& s) {
  s.table.emplace(*s.inner_descriptor, *s.outer_descriptor, s.statement->hash_memory());
  while (Row* row = fetch(*s.right)) {
    check_interrupts();
    s.row_arena.reset();
    s.eval.inner = row;
    std::uint32_t hash;
    if (!hash_of(s, s.inner_keys, s.inner_hash, hash)) {
      if (!s.fill_inner) continue;
      hash = 0;     // matches nothing: the clauses are strict
    }
    s.table->add_inner(*row, hash);
  }
  s.table->finish_inner();
  s.filled_at = s.statement->clock;
  describe_table(s);
}

Row* null_extended_inner(HashJoinState& s) {
  s.eval.inner = &s.inner_nulls;
  return passes_filter(s) ? output_row(s, s.eval.outer) : nullptr;
}

// The next outer row of the current batch, with its hash. `unmatchable`: it has a NULL key.
bool next_outer(HashJoinState& s, bool& unmatchable) {
  unmatchable = false;
  if (s.table->current_batch() > 0) {
    for (;;) {
      if (!s.table->next_outer(s.batch_outer, s.hash)) return false;
      if (s.table->batch_of(s.hash) != s.table->current_batch()) {   // the batches were split since it was written
        s.table->add_outer(s.batch_outer, s.hash);
        continue;
      }
      s.outer = &s.batch_outer;
      return true;
    }
  }
  for (;;) {
    s.row_arena.reset();
    s.outer = fetch(*s.left);
    if (s.outer == nullptr) return false;
    s.eval.outer = s.outer;
    if (!hash_of(s, s.outer_keys, s.outer_hash, s.hash)) {
      if (!s.fill_outer) continue;
      unmatchable = true;
      return true;
    }
    if (s.table->batch_of(s.hash) == 0) return true;
    check_interrupts();
    s.table->add_outer(*s.outer, s.hash);
  }
}

Row* step_outer(HashJoinState& s) {
  bool unmatchable;
  if (!next_outer(s, unmatchable)) {
    s.phase = s.fill_inner ? HashPhase::unmatched_inner : HashPhase::next_batch;
    s.cursor = {};
    return nullptr;
  }
  s.eval.outer = s.outer;
  if (unmatchable) return null_extended_inner(s);
  s.matched = false;
  s.entry = s.table->bucket(s.hash);
  s.phase = HashPhase::chain;
  return nullptr;
}

Row* step_chain(HashJoinState& s) {
  while (s.entry != nullptr) {
    HashBatches::Entry* e = s.entry;
    s.entry = e->next;
    if (e->hash != s.hash) continue;
    s.inner_row.set_packed(e->row());
    s.eval.inner = &s.inner_row;
    if (!passes(s.clauses)) continue;
    if (!passes(s.condition)) {
      if (s.times != nullptr) ++s.times->join_filtered;
      continue;
    }
    s.matched = true;
    e->matched = 1;
    if (s.type == JoinType::anti) {
      s.phase = HashPhase::next_outer;
      return nullptr;
    }
    if (s.one_match) s.phase = HashPhase::next_outer;
    if (passes_filter(s)) return output_row(s, s.outer);
    if (s.one_match) return nullptr;
  }
  s.phase = HashPhase::next_outer;
  return !s.matched && s.fill_outer ? null_extended_inner(s) : nullptr;
}

Row* step_unmatched(HashJoinState& s) {
  HashBatches::Entry* e = s.table->next_entry(s.cursor);
  if (e == nullptr) {
    s.phase = HashPhase::next_batch;
    return nullptr;
  }
  if (e->matched != 0) return nullptr;
  s.inner_row.set_packed(e->row());
  s.eval.outer = &s.outer_nulls;
  s.eval.inner = &s.inner_row;
  return passes_filter(s) ? output_row(s, &s.outer_nulls) : nullptr;
}

void step_build(HashJoinState& s) {
  if (!s.table) build(s);
  s.phase = HashPhase::next_outer;
  // Nothing can match, and nothing is wanted of the outer side alone.
  if (s.table->inner_rows() == 0 && !s.fill_outer) s.phase = HashPhase::done;
}

Row* run_hash_join(NodeState& node) {
  auto& s = self<HashJoinState>(node);
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    Row* row = nullptr;
    switch (s.phase) {
      case HashPhase::build: step_build(s); break;
      case HashPhase::next_outer: row = step_outer(s); break;
      case HashPhase::chain: row = step_chain(s); break;
      case HashPhase::unmatched_inner: row = step_unmatched(s); break;
      case HashPhase::next_batch:
        s.phase = s.table->next_batch(s.fill_outer, s.fill_inner) ? HashPhase::next_outer : HashPhase::done;
        break;
      case HashPhase::done: return nullptr;
    }
    if (row != nullptr) return row;
  }
}

std::span<Program*> compile_keys(const List<nodes::Expr*>& list, NodeState& node) {
  auto* programs = node.statement->arena.make_array<Program*>(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) programs[i] = compile_expression(list[i], node.eval, node.statement->arena);
  return {programs, list.size()};
}

std::span<HashFunction> prepare_functions(const List<Oid>& functions, const List<Oid>& collations, Arena& arena) {
  std::size_t n = functions.size();
  auto* out = static_cast<HashFunction*>(arena.allocate(sizeof(HashFunction) * std::max<std::size_t>(n, 1), alignof(HashFunction)));
  for (std::size_t i = 0; i < n; ++i) new (out + i) HashFunction(prepare_hash(functions[i], i < collations.size() ? collations[i] : kInvalidOid));
  return {out, n};
}

void init_hash_join(NodeState& node) {
  auto& s = self<HashJoinState>(node);
  auto& plan = plan_of<planner::HashJoin>(s);
  Arena& arena = s.statement->arena;
  s.left = make_child(s, plan.left);
  s.right = make_child(s, plan.right);
  s.type = plan.type;
  s.fill_outer = plan.type == JoinType::left || plan.type == JoinType::full || plan.type == JoinType::anti;
  s.fill_inner = plan.type == JoinType::right || plan.type == JoinType::full;
  s.one_match = plan.type == JoinType::semi || plan.inner_unique;
  s.outer_keys = compile_keys(plan.outer_keys, s);
  s.inner_keys = compile_keys(plan.inner_keys, s);
  s.outer_hash = prepare_functions(plan.outer_hash, plan.collations, arena);
  s.inner_hash = prepare_functions(plan.inner_hash, plan.collations, arena);
  s.clauses = compile_filter(plan.clauses, s.eval, arena);
  s.condition = compile_filter(plan.conditions, s.eval, arena);
  s.inner_descriptor = describe_targets(plan.right->targets, arena);
  s.outer_descriptor = output_descriptor(*s.left);
  make_row(s.inner_row, s.inner_descriptor->count(), s.inner_descriptor, arena);
  make_row(s.inner_nulls, s.inner_descriptor->count(), nullptr, arena);
  make_row(s.batch_outer, s.outer_descriptor->count(), s.outer_descriptor, arena);
  make_row(s.outer_nulls, s.outer_descriptor->count(), nullptr, arena);
  s.inner_nulls.set_all_null();
  s.outer_nulls.set_all_null();
  prepare_filter(s);
  prepare_projection(s, nodes::kOuterVar);
}

void close_hash_join(NodeState& node) {
  auto& s = self<HashJoinState>(node);
  s.table.reset();
  s.phase = HashPhase::build;
}

void rescan_hash_join(NodeState& node) {
  auto& s = self<HashJoinState>(node);
  s.phase = HashPhase::build;
  // A table that fits in memory serves again while the inner input stays what it was.
  bool keep = s.table && s.table->batch_count() == 1 && !s.statement->changed_since(s.right->plan->parameters, s.filled_at);
  if (keep) {
    s.table->start_over(s.fill_inner);
  } else {
    s.table.reset();
    rescan(*s.right);
  }
  rescan(*s.left);
}

}  // namespace

NodeState* make_hash(StatementState& st, const planner::Plan* p) { return make_state<HashState>(st, p, init_hash, run_hash, rescan_hash, close_hash); }
NodeState* make_hash_join(StatementState& st, const planner::Plan* p) {
  return make_state<HashJoinState>(st, p, init_hash_join, run_hash_join, rescan_hash_join, close_hash_join);
}

}  // namespace hathi::executor
