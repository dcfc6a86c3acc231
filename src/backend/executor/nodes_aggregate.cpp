// Aggregate: plain (one group), sorted (groups follow each other), hashed (with spilling), grouping sets (each set hashed, or sorted
// when some aggregate needs its input in order).

#include "aggregate.h"
#include "group_table.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "row_store.h"

namespace hathi::executor {

using planner::Aggregate;

namespace {

constexpr int kPartitionBits = 4;

// Input rows whose groups found no room, to be read in a later pass.
struct SpilledPart {
  std::unique_ptr<RowStore> rows;
  int level = 0;               // how many times kPartitionBits bits of the hash were used
};

// One set of grouping columns.
struct GroupingSetState {
  KeyColumns keys;
  bool* grouped = nullptr;     // by index into Aggregate::columns
  std::unique_ptr<GroupTable> table;
  std::vector<SpilledPart> pending;            // to be read
  std::vector<std::unique_ptr<RowStore>> parts;   // being written, by partition
  bool spilling = false;
  int level = 0;
};

struct AggregateState : NodeState {
  std::vector<AggregateFunction> functions;
  NullableDatum* results = nullptr;
  Transition* transitions = nullptr;           // plain, sorted
  Arena group_arena{1024}, input_arena{1024};
  const TupleDescriptor* input = nullptr;      // columns of the input
  List<AttrNumber> extra;                      // columns beyond the keys that the output reads (hashed)
  std::vector<GroupingSetState> sets;          // hashed and grouping sets; sorted and plain use keys below
  KeyColumns keys;
  Row group_row;
  Row held;                                    // sorted: the first row of the next group
  Arena held_arena{1024}, first_arena{1024};
  bool has_held = false, input_done = false, done = false, filled = false, ordered_any = false;
  std::size_t current_set = 0;
  GroupTable::Entry* entry = nullptr;
  bool entry_started = false;
  std::uint64_t filled_at = 0;
  std::size_t spilled_bytes = 0, peak = 0;
  int batches = 1;
  // Grouping sets over sorted input.
  std::unique_ptr<RowStore> all_rows;
  std::unique_ptr<Sorter> set_sorter;
  std::span<SortColumn> set_columns;
  Row sorted_row;
  bool set_started = false, set_exhausted = false;
};

Row* emit_group(AggregateState& s, const Transition* t, Arena& group_arena) {
  s.row_arena.reset();
  s.eval.function.arena = &s.row_arena;
  s.eval.outer = &s.group_row;
  for (std::size_t i = 0; i < s.functions.size(); ++i) s.results[i] = finish_transition(s.functions[i], t[i], group_arena, s);
  if (!passes_filter(s)) return nullptr;
  return output_row(s, &s.group_row);
}

void start_all(AggregateState& s, Transition* t, Arena& arena) {
  for (std::size_t i = 0; i < s.functions.size(); ++i) {
    start_transition(s.functions[i], t[i], arena);
    if (s.functions[i].ordered) reset_sorter(s.functions[i], *s.statement);
  }
}

void advance_all(AggregateState& s, Transition* t, Arena& arena, Row* row) {
  s.eval.outer = row;
  s.eval.function.arena = &s.input_arena;
  for (std::size_t i = 0; i < s.functions.size(); ++i) advance_transition(s.functions[i], t[i], arena, s);
}

void drain_all(AggregateState& s, Transition* t, Arena& arena) {
  if (!s.ordered_any) return;
  for (std::size_t i = 0; i < s.functions.size(); ++i) drain_sorted(s.functions[i], t[i], arena, s);
}

// --- plain ------------------------------------------------------------------------------------------------------------------------

Row* run_plain(NodeState& node) {
  auto& s = self<AggregateState>(node);
  if (s.done) return nullptr;
  s.done = true;
  start_all(s, s.transitions, s.group_arena);
  bool first = true;
  s.group_row.set_all_null();
  while (Row* row = fetch(*s.left)) {
    check_interrupts();
    s.input_arena.reset();
    if (first && !s.extra.empty()) {   // columns read outside the aggregates: of the first row
      copy_row(s.group_row, *row, *s.input, s.first_arena);
      first = false;
    }
    advance_all(s, s.transitions, s.group_arena, row);
  }
  drain_all(s, s.transitions, s.group_arena);
  return emit_group(s, s.transitions, s.group_arena);
}

// --- sorted -----------------------------------------------------------------------------------------------------------------------

// Reads one group; false when there is none left.
bool read_sorted_group(AggregateState& s, Row* (*next)(AggregateState&)) {
  if (!s.has_held) {
    Row* row = s.input_done ? nullptr : next(s);
    if (row == nullptr) {
      s.input_done = true;
      return false;
    }
    s.held_arena.reset();
    copy_row(s.held, *row, *s.input, s.held_arena);
  }
  s.has_held = false;
  std::swap(s.group_row.values, s.held.values);
  std::swap(s.group_row.nulls, s.held.nulls);
  s.first_arena.swap(s.held_arena);
  s.group_row.set_virtual();
  s.group_arena.reset();
  start_all(s, s.transitions, s.group_arena);
  s.input_arena.reset();
  advance_all(s, s.transitions, s.group_arena, &s.group_row);
  while (Row* row = next(s)) {
    check_interrupts();
    s.input_arena.reset();
    if (!same_keys(s.keys, s.group_row, *row, s.input_arena)) {
      s.held_arena.reset();
      copy_row(s.held, *row, *s.input, s.held_arena);
      s.has_held = true;
      drain_all(s, s.transitions, s.group_arena);
      return true;
    }
    advance_all(s, s.transitions, s.group_arena, row);
  }
  s.input_done = true;
  drain_all(s, s.transitions, s.group_arena);
  return true;
}

Row* next_input(AggregateState& s) { return fetch(*s.left); }

Row* run_sorted(NodeState& node) {
  auto& s = self<AggregateState>(node);
  while (read_sorted_group(s, next_input)) {
    if (Row* row = emit_group(s, s.transitions, s.group_arena)) return row;
  }
  return nullptr;
}

// --- hashed -----------------------------------------------------------------------------------------------------------------------
// Payload of a group: transitions, then values and NULL flags of the extra columns.

Datum* extra_values(AggregateState& s, GroupTable::Entry* e) {
  return reinterpret_cast<Datum*>(GroupTable::payload<Transition>(e) + s.functions.size());
}
bool* extra_nulls(AggregateState& s, GroupTable::Entry* e) { return reinterpret_cast<bool*>(extra_values(s, e) + s.extra.size()); }

std::size_t memory_in_use(AggregateState& s) {
  std::size_t n = 0;
  for (GroupingSetState& set : s.sets) n += set.table ? set.table->memory() : 0;
  return n;
}

void spill_row(AggregateState& s, GroupingSetState& set, Row& row, std::uint32_t hash) {
  std::size_t part = (hash >> (32 - kPartitionBits * (set.level + 1))) & ((1u << kPartitionBits) - 1);
  if (set.parts.empty()) set.parts.resize(std::size_t{1} << kPartitionBits);
  if (set.parts[part] == nullptr) set.parts[part] = std::make_unique<RowStore>(*s.input, 0);
  set.parts[part]->put(row);
}

GroupTable::Entry* new_group(AggregateState& s, GroupingSetState& set, Row& row, std::uint32_t hash) {
  GroupTable::Entry* e = set.table->add(row, hash);
  start_all(s, GroupTable::payload<Transition>(e), set.table->arena());
  for (std::size_t i = 0; i < s.extra.size(); ++i) {
    int c = s.extra[i] - 1;
    row.need(c + 1);
    extra_nulls(s, e)[i] = row.nulls[c];
    extra_values(s, e)[i] = row.nulls[c] ? Datum() : copy_datum(row.values[c], (*s.input)[c].layout, set.table->arena());
  }
  return e;
}

void take_hashed(AggregateState& s, GroupingSetState& set, Row* row) {
  std::uint32_t hash = hash_keys(set.keys, *row, s.input_arena);
  GroupTable::Entry* e = set.table->find(*row, hash, s.input_arena);
  if (e == nullptr) {
    if (set.spilling) return spill_row(s, set, *row, hash);
    e = new_group(s, set, *row, hash);
    if ((set.table->size() & 63) == 0 && kPartitionBits * (set.level + 1) <= 28) {
      std::size_t used = memory_in_use(s);
      s.peak = std::max(s.peak, used);
      if (used > s.statement->hash_memory()) set.spilling = true;
    }
  }
  advance_all(s, GroupTable::payload<Transition>(e), set.table->arena(), row);
}

std::size_t payload_size(const AggregateState& s) {
  return s.functions.size() * sizeof(Transition) + s.extra.size() * (sizeof(Datum) + sizeof(bool));
}

void fill_hashed(AggregateState& s) {
  for (GroupingSetState& set : s.sets) set.table = std::make_unique<GroupTable>(set.keys, payload_size(s));
  bool any = false;
  while (Row* row = fetch(*s.left)) {
    check_interrupts();
    any = true;
    for (GroupingSetState& set : s.sets) {
      s.input_arena.reset();
      take_hashed(s, set, row);
    }
  }
  if (!any) {   // the empty grouping set has a group even then
    for (GroupingSetState& set : s.sets) {
      if (!set.keys.columns.empty()) continue;
      Row nulls = s.group_row;
      nulls.set_all_null();
      new_group(s, set, nulls, 0);
    }
  }
  s.filled = true;
  s.filled_at = s.statement->clock;
  s.current_set = 0;
  s.entry_started = false;
  s.peak = std::max(s.peak, memory_in_use(s));
}

// The partitions written in this pass wait for later ones.
void queue_parts(AggregateState& s, GroupingSetState& set) {
  for (auto& part : set.parts) {
    if (part == nullptr) continue;
    s.spilled_bytes += part->file_size();
    set.pending.push_back({std::move(part), set.level + 1});
  }
  set.parts.clear();
  set.spilling = false;
}

bool next_pass(AggregateState& s, GroupingSetState& set) {
  queue_parts(s, set);
  if (set.pending.empty()) return false;
  SpilledPart part = std::move(set.pending.back());
  set.pending.pop_back();
  set.table->clear();
  set.level = part.level;
  ++s.batches;
  RowStore::Reader reader;
  Row row = s.sorted_row;
  for (std::uint64_t i = 0; reader.read(*part.rows, i, row); ++i) {
    check_interrupts();
    s.input_arena.reset();
    take_hashed(s, set, &row);
  }
  return true;
}

void load_group(AggregateState& s, GroupingSetState& set, GroupTable::Entry* e) {
  s.group_row.set_all_null();
  Datum* values = set.table->values(e);
  bool* nulls = set.table->nulls(e);
  for (std::size_t k = 0; k < set.keys.columns.size(); ++k) {
    int i = set.keys.columns[k].column - 1;
    s.group_row.values[i] = values[k];
    s.group_row.nulls[i] = nulls[k];
  }
  for (std::size_t k = 0; k < s.extra.size(); ++k) {
    int i = s.extra[k] - 1;
    s.group_row.values[i] = extra_values(s, e)[k];
    s.group_row.nulls[i] = extra_nulls(s, e)[k];
  }
  s.eval.grouped = set.grouped;
}

void describe_hashed(AggregateState& s) {
  if (s.times == nullptr) return;
  s.times->extra = fmt::format("Batches: {}  Memory Usage: {}kB", s.batches, (s.peak + 1023) / 1024);
  if (s.spilled_bytes > 0) s.times->extra += fmt::format("  Disk Usage: {}kB", (s.spilled_bytes + 1023) / 1024);
}

Row* run_hashed(NodeState& node) {
  auto& s = self<AggregateState>(node);
  if (!s.filled) fill_hashed(s);
  while (s.current_set < s.sets.size()) {
    GroupingSetState& set = s.sets[s.current_set];
    s.entry = s.entry_started ? s.entry->next : set.table->first();
    s.entry_started = true;
    if (s.entry == nullptr) {
      s.entry_started = false;
      if (!next_pass(s, set)) ++s.current_set;
      continue;
    }
    load_group(s, set, s.entry);
    if (Row* row = emit_group(s, GroupTable::payload<Transition>(s.entry), set.table->arena())) return row;
    check_interrupts();
    if (s.entry->next == nullptr) continue;
  }
  describe_hashed(s);
  return nullptr;
}

// --- grouping sets whose aggregates need order --------------------------------------------------------------------------------------
// The input is stored; for each set it is sorted by the set's columns and grouped.

Row* next_sorted_row(AggregateState& s) { return s.set_sorter->next(s.sorted_row) ? &s.sorted_row : nullptr; }

std::span<SortColumn> order_of_set(AggregateState& s, const KeyColumns& keys) {
  Arena& arena = s.statement->arena;
  auto* out = static_cast<SortColumn*>(arena.allocate(sizeof(SortColumn) * std::max<std::size_t>(keys.columns.size(), 1), alignof(SortColumn)));
  for (std::size_t i = 0; i < keys.columns.size(); ++i) {
    auto* c = new (out + i) SortColumn();
    c->column = keys.columns[i].column;
    const Attribute& a = (*s.input)[c->column - 1];
    c->comparison = default_comparison(a.type, a.collation);
  }
  return {out, keys.columns.size()};
}

void begin_sorted_set(AggregateState& s, GroupingSetState& set) {
  s.keys = set.keys;
  s.set_columns = order_of_set(s, set.keys);
  s.set_sorter = std::make_unique<Sorter>(*s.input, s.set_columns, s.statement->work_memory());
  RowStore::Reader reader;
  Row row = s.sorted_row;
  for (std::uint64_t i = 0; reader.read(*s.all_rows, i, row); ++i) {
    check_interrupts();
    s.set_sorter->put(row);
  }
  s.set_sorter->finish();
  s.has_held = s.input_done = false;
  s.set_started = true;
}

// Only the columns of the set keep their values.
void mask_group(AggregateState& s, const GroupingSetState& set) {
  auto& columns = plan_of<Aggregate>(s).columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (set.grouped[i]) continue;
    s.group_row.nulls[columns[i] - 1] = true;
    s.group_row.values[columns[i] - 1] = Datum();
  }
  s.eval.grouped = set.grouped;
}

Row* run_sorted_sets(NodeState& node) {
  auto& s = self<AggregateState>(node);
  if (s.all_rows == nullptr) {
    s.all_rows = std::make_unique<RowStore>(*s.input, s.statement->work_memory());
    while (Row* row = fetch(*s.left)) s.all_rows->put(*row);
    s.current_set = 0;
    s.set_started = false;
  }
  while (s.current_set < s.sets.size()) {
    GroupingSetState& set = s.sets[s.current_set];
    if (!s.set_started) begin_sorted_set(s, set);
    bool empty_group = s.all_rows->size() == 0 && set.keys.columns.empty() && !s.set_exhausted;
    if (empty_group) {
      s.set_exhausted = true;
      s.group_row.set_all_null();
      start_all(s, s.transitions, s.group_arena);
    } else if (!read_sorted_group(s, next_sorted_row)) {
      ++s.current_set;
      s.set_started = s.set_exhausted = false;
      continue;
    }
    mask_group(s, set);
    if (Row* row = emit_group(s, s.transitions, s.group_arena)) return row;
  }
  return nullptr;
}

// --- preparation --------------------------------------------------------------------------------------------------------------------

// Input columns that targets and HAVING read outside of aggregates.
void collect_columns(const nodes::Expr* e, std::vector<bool>& columns) {
  if (e == nullptr) return;
  switch (e->kind) {
    case nodes::ExprKind::aggregate: {
      for (const nodes::Expr* d : nodes::as<nodes::Aggregate>(e)->direct_args) collect_columns(d, columns);
      return;
    }
    case nodes::ExprKind::variable: {
      auto& v = *nodes::as<nodes::Variable>(e);
      if (v.rte == nodes::kOuterVar && v.column > 0 && static_cast<std::size_t>(v.column) <= columns.size())
        columns[static_cast<std::size_t>(v.column - 1)] = true;
      return;
    }
    default: break;
  }
  nodes::for_each_child(const_cast<nodes::Expr*>(e), [&](nodes::Expr* child) { collect_columns(child, columns); return false; });
}

void find_extra_columns(AggregateState& s) {
  auto& plan = plan_of<Aggregate>(s);
  std::vector<bool> columns(static_cast<std::size_t>(s.input->count()), false);
  for (const nodes::TargetEntry* t : plan.targets) collect_columns(t->expr, columns);
  for (const nodes::Expr* e : plan.filter) collect_columns(e, columns);
  for (AttrNumber c : plan.columns) columns[static_cast<std::size_t>(c - 1)] = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i]) s.extra.push_back(s.statement->arena, static_cast<AttrNumber>(i + 1));
  }
}

KeyColumns keys_of_set(AggregateState& s, const List<int>* set, bool with_hash) {
  auto& plan = plan_of<Aggregate>(s);
  Arena& arena = s.statement->arena;
  List<AttrNumber> columns;
  List<Oid> operators, collations;
  auto add = [&](std::size_t i) {
    columns.push_back(arena, plan.columns[i]);
    operators.push_back(arena, plan.equal_operators[i]);
    collations.push_back(arena, i < plan.collations.size() ? plan.collations[i] : kInvalidOid);
  };
  if (set == nullptr) {
    for (std::size_t i = 0; i < plan.columns.size(); ++i) add(i);
  } else {
    for (int i : *set) add(static_cast<std::size_t>(i));
  }
  return prepare_keys(columns, operators, collations, column_layouts(columns, *s.input, arena), with_hash, arena);
}

bool all_hashable(const Aggregate& plan) {
  for (Oid op : plan.equal_operators) {
    Oid left, right;
    if (!hash_functions_of(op, left, right)) return false;
  }
  return true;
}

void prepare_sets(AggregateState& s, bool hashed) {
  auto& plan = plan_of<Aggregate>(s);
  auto add = [&](const List<int>* set) {
    GroupingSetState state;
    state.keys = keys_of_set(s, set, hashed);
    if (set != nullptr) {
      state.grouped = s.statement->arena.make_array<bool>(plan.columns.size());
      for (int i : *set) state.grouped[i] = true;
    }
    s.sets.push_back(std::move(state));
  };
  if (plan.grouping_sets.empty()) return add(nullptr);
  for (const List<int>& set : plan.grouping_sets) add(&set);
}

void init_aggregate(NodeState& node) {
  auto& s = self<AggregateState>(node);
  auto& plan = plan_of<Aggregate>(s);
  Arena& arena = s.statement->arena;
  s.left = make_child(s, plan.left);
  s.input = output_descriptor(*s.left);
  for (Row* r : {&s.group_row, &s.held, &s.sorted_row}) make_row(*r, s.input->count(), s.input, arena);
  s.functions.resize(plan.aggregates.size());
  for (std::size_t i = 0; i < s.functions.size(); ++i) {
    prepare_aggregate(s.functions[i], aggregate_spec(*plan.aggregates[i], arena), s);
    s.ordered_any = s.ordered_any || s.functions[i].ordered;
  }
  s.results = arena.make_array<NullableDatum>(s.functions.size());
  s.transitions = arena.make_array<Transition>(s.functions.size());
  s.eval.aggregates = s.results;
  find_extra_columns(s);
  if (!plan.grouping_sets.empty() || plan.strategy == Aggregate::Strategy::hashed || plan.strategy == Aggregate::Strategy::mixed) {
    bool hashed = !s.ordered_any && all_hashable(plan);
    prepare_sets(s, hashed);
    s.run = hashed ? run_hashed : run_sorted_sets;
  } else if (plan.strategy == Aggregate::Strategy::sorted && !plan.columns.empty()) {
    s.keys = keys_of_set(s, nullptr, false);
    s.run = run_sorted;
  }
  List<int> refs;
  for (AttrNumber c : plan.columns) refs.push_back(arena, plan.left->targets[static_cast<std::size_t>(c - 1)]->sort_group_ref);
  CompileOptions options;
  options.scan_descriptor = s.input;
  options.grouping_refs = refs;
  prepare_filter(s, options);
  prepare_projection(s, 0, options);
}

void close_aggregate(NodeState& node) {
  auto& s = self<AggregateState>(node);
  for (GroupingSetState& set : s.sets) {
    set.table.reset();
    set.pending.clear();
    set.parts.clear();
    set.spilling = false;
    set.level = 0;
  }
  for (AggregateFunction& f : s.functions) f.sorter.reset();
  s.all_rows.reset();
  s.set_sorter.reset();
  s.has_held = s.input_done = s.done = s.filled = s.entry_started = s.set_started = s.set_exhausted = false;
  s.current_set = 0;
  s.batches = 1;
  s.peak = s.spilled_bytes = 0;
  for (Arena* a : {&s.group_arena, &s.input_arena, &s.held_arena, &s.first_arena}) a->reset();
}

void rescan_aggregate(NodeState& node) {
  auto& s = self<AggregateState>(node);
  bool in_one_table = s.filled && s.run == run_hashed && s.batches == 1;
  for (GroupingSetState& set : s.sets) in_one_table = in_one_table && !set.spilling;
  if (in_one_table && !s.statement->changed_since(s.plan->parameters, s.filled_at)) {
    s.current_set = 0;
    s.entry_started = false;
    return;
  }
  close_aggregate(node);
  rescan(*s.left);
}

}  // namespace

NodeState* make_aggregate(StatementState& st, const planner::Plan* p) {
  return make_state<AggregateState>(st, p, init_aggregate, run_plain, rescan_aggregate, close_aggregate);
}

}  // namespace hathi::executor
