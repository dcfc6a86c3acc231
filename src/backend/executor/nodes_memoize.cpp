// Memoize: remembers the inner rows of a parameterised nested loop by parameter values, the least recently used ones go first.

#include <list>
#include <unordered_map>

#include "comparison.h"
#include "hathi/catalog/lookup.h"
#include "node.h"

namespace hathi::executor {

namespace {

// The rows of one key. Memory is counted and freed entry by entry, so entries own it.
struct CacheEntry {
  std::uint32_t hash = 0;
  Arena arena{512};
  Row key;
  std::vector<PackedRow*> rows;
  bool complete = false;
  std::size_t memory() const { return arena.footprint() + rows.capacity() * sizeof(PackedRow*) + sizeof(CacheEntry) + 64; }
};
using Lru = std::list<CacheEntry>;

enum class MemoizePhase : std::uint8_t { look_up, from_cache, filling, bypass, end };

struct MemoizeState : NodeState {
  Program* key_values = nullptr;
  Row probe;
  KeyColumns keys;
  TupleDescriptor* key_descriptor = nullptr;
  const TupleDescriptor* descriptor = nullptr;
  Lru entries;                       // most recently used first
  std::unordered_multimap<std::uint32_t, Lru::iterator> index;
  std::size_t memory = 0;
  MemoizePhase phase = MemoizePhase::look_up;
  Lru::iterator current;
  std::size_t position = 0;
  Row row;
  bool left_is_stale = false;
  std::uint64_t filled_at = 0;
  std::uint64_t hits = 0, misses = 0, evictions = 0, overflows = 0;
};

void drop_entry(MemoizeState& s, Lru::iterator e) {
  auto [first, last] = s.index.equal_range(e->hash);
  for (; first != last; ++first) {
    if (first->second == e) {
      s.index.erase(first);
      break;
    }
  }
  s.entries.erase(e);
}

// Makes room; the current entry stays. False when that alone is too big.
bool shrink(MemoizeState& s) {
  std::size_t total = 0;
  for (CacheEntry& e : s.entries) total += e.memory();
  std::size_t limit = s.statement->hash_memory();
  while (total > limit && s.entries.size() > 1) {
    auto last = std::prev(s.entries.end());
    if (last == s.current) return false;
    total -= last->memory();
    drop_entry(s, last);
    ++s.evictions;
  }
  s.memory = total;
  return total <= limit;
}

bool look_up(MemoizeState& s, std::uint32_t hash) {
  auto [first, last] = s.index.equal_range(hash);
  for (; first != last; ++first) {
    if (!same_keys(s.keys, s.probe, first->second->key, s.row_arena)) continue;
    s.current = first->second;
    s.entries.splice(s.entries.begin(), s.entries, s.current);
    return true;
  }
  return false;
}

void add_entry(MemoizeState& s, std::uint32_t hash) {
  s.entries.emplace_front();
  s.current = s.entries.begin();
  s.current->hash = hash;
  make_row(s.current->key, s.probe.count, s.key_descriptor, s.current->arena);
  copy_row(s.current->key, s.probe, *s.key_descriptor, s.current->arena);
  s.index.emplace(hash, s.current);
}

void begin_lookup(MemoizeState& s) {
  project(*s.key_values);
  std::uint32_t hash = hash_keys(s.keys, s.probe, s.row_arena);
  s.position = 0;
  if (look_up(s, hash)) {
    if (s.current->complete) {
      ++s.hits;
      s.phase = MemoizePhase::from_cache;
      return;
    }
    drop_entry(s, s.current);   // given up half-way earlier
  }
  ++s.misses;
  rescan(*s.left);
  add_entry(s, hash);
  s.phase = MemoizePhase::filling;
}

Row* fill_one(MemoizeState& s) {
  Row* row = fetch(*s.left);
  if (row == nullptr) {
    s.current->complete = true;
    s.phase = MemoizePhase::end;
    return nullptr;
  }
  row->need(s.descriptor->count());
  std::size_t before = s.current->memory();
  s.current->rows.push_back(pack_row(*s.descriptor, row->values, row->nulls, s.current->arena));
  s.memory += s.current->memory() - before;
  if (s.memory > s.statement->hash_memory() && !shrink(s)) {
    ++s.overflows;
    drop_entry(s, s.current);
    s.phase = MemoizePhase::bypass;
    return row;
  }
  if (plan_of<planner::Memoize>(s).singlerow) s.current->complete = true;
  return row;
}

void describe_cache(MemoizeState& s) {
  if (s.times == nullptr) return;
  s.times->extra = fmt::format("Hits: {}  Misses: {}  Evictions: {}  Overflows: {}  Memory Usage: {}kB", s.hits, s.misses, s.evictions, s.overflows,
                               (s.memory + 1023) / 1024);
}

Row* run_memoize(NodeState& node) {
  auto& s = self<MemoizeState>(node);
  s.row_arena.reset();
  if (s.phase == MemoizePhase::look_up) begin_lookup(s);
  switch (s.phase) {
    case MemoizePhase::from_cache:
      if (s.position >= s.current->rows.size()) {
        s.phase = MemoizePhase::end;
        break;
      }
      s.row.set_packed(s.current->rows[s.position++]);
      return &s.row;
    case MemoizePhase::filling:
      if (Row* row = fill_one(s)) return row;
      break;
    case MemoizePhase::bypass:
      if (Row* row = fetch(*s.left)) return row;
      s.phase = MemoizePhase::end;
      break;
    default: break;
  }
  describe_cache(s);
  return nullptr;
}

void clear_cache(MemoizeState& s) {
  s.index.clear();
  s.entries.clear();
  s.memory = 0;
}

void init_memoize(NodeState& node) {
  auto& s = self<MemoizeState>(node);
  auto& plan = plan_of<planner::Memoize>(s);
  Arena& arena = s.statement->arena;
  s.left = make_child(s, plan.left);
  s.descriptor = output_descriptor(*s.left);
  make_row(s.row, s.descriptor->count(), s.descriptor, arena);
  std::size_t n = plan.keys.size();
  List<Oid> types;
  List<AttrNumber> columns;
  List<TypeLayout> layouts;
  for (std::size_t i = 0; i < n; ++i) {
    types.push_back(arena, nodes::type_of(plan.keys[i]));
    columns.push_back(arena, static_cast<AttrNumber>(i + 1));
    layouts.push_back(arena, layout_of(types[i]));
  }
  s.key_descriptor = describe_types(types, {}, {}, arena);
  s.keys = prepare_keys(columns, plan.hash_operators, plan.collations, layouts, true, arena);
  make_row(s.probe, static_cast<int>(n), s.key_descriptor, arena);
  s.key_values = compile_list(plan.keys, s.probe, s.eval, arena);
}

void rescan_memoize(NodeState& node) {
  auto& s = self<MemoizeState>(node);
  auto& plan = plan_of<planner::Memoize>(s);
  // Other parameters than the keys' changed: what is remembered no longer holds.
  std::uint64_t since = s.filled_at;
  bool stale = s.statement->everything_changed > since;
  List<int> others;
  for (int slot : plan.parameters) {
    bool is_key = false;
    for (const nodes::Expr* e : plan.keys) is_key = is_key || (nodes::is<nodes::Parameter>(e) && nodes::as<nodes::Parameter>(e)->number == slot);
    if (!is_key) others.push_back(s.statement->run_arena, slot);
  }
  stale = stale || (!others.empty() && s.statement->changed_since(others, since));
  if (stale) {
    clear_cache(s);
    s.filled_at = s.statement->clock;
  }
  s.phase = MemoizePhase::look_up;
}

void close_memoize(NodeState& node) {
  auto& s = self<MemoizeState>(node);
  clear_cache(s);
  s.phase = MemoizePhase::look_up;
  s.hits = s.misses = s.evictions = s.overflows = 0;
}

}  // namespace

NodeState* make_memoize(StatementState& st, const planner::Plan* p) {
  return make_state<MemoizeState>(st, p, init_memoize, run_memoize, rescan_memoize, close_memoize);
}

}  // namespace hathi::executor
