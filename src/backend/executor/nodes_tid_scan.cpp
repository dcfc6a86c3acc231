// TidScan: rows by their position (ctid = …, ctid = ANY(…), CURRENT OF) or a range of positions.

#include <algorithm>

#include "hathi/heap/latest_version.h"
#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "row_values.h"
#include "table_scan.h"

namespace hathi::executor {

namespace {

CursorLookup cursor_lookup = nullptr;

struct TidSource {
  Program* value = nullptr;
  bool is_array = false;
  const nodes::CurrentOf* cursor = nullptr;
};

struct TidScanState : TableScanState {
  std::vector<TidSource> sources;
  std::vector<TupleId> tids;
  std::size_t position = 0;
  bool begun = false, ranged = false;
  buffer::PinnedBuffer pin;
  std::optional<heap::Scan> scan;
  Program* range_filter = nullptr;
  BlockNumber block{0}, blocks{0};
  bool in_block = false;
};

bool is_ctid(const nodes::Expr* e) { return nodes::is<nodes::Variable>(e) && nodes::as<nodes::Variable>(e)->column == -1; }

void read_cursor(TidScanState& s, const nodes::CurrentOf& c) {
  if (cursor_lookup == nullptr) throw_not_supported("WHERE CURRENT OF");
  TupleId tid;
  if (!cursor_lookup(c, s.statement->external, s.relation->oid, tid)) return;
  // This transaction may have updated the row since the cursor fetched it.
  s.tids.push_back(heap::latest_version(s.relation->heap, tid, *s.statement->snapshot, s.pin));
}

void collect_tids(TidScanState& s) {
  s.tids.clear();
  for (const TidSource& source : s.sources) {
    if (source.cursor != nullptr) {
      read_cursor(s, *source.cursor);
      continue;
    }
    NullableDatum v = evaluate(*source.value);
    if (v.is_null) continue;
    if (!source.is_array) {
      s.tids.push_back(read_tid(v.value));
      continue;
    }
    types::ArrayView array = types::whole_array(v.value, s.row_arena);
    types::ArrayElements elements = types::array_elements(array, TypeLayout{6, false, 's'}, s.row_arena);
    for (int i = 0; i < elements.count; ++i) {
      if (!elements.nulls[i]) s.tids.push_back(read_tid(elements.values[i]));
    }
  }
  std::sort(s.tids.begin(), s.tids.end());
  s.tids.erase(std::unique(s.tids.begin(), s.tids.end()), s.tids.end());
}

Row* run_tid_scan(NodeState& node) {
  auto& s = self<TidScanState>(node);
  s.row_arena.reset();
  if (!s.begun) {
    collect_tids(s);
    s.begun = true;
    s.position = 0;
    s.blocks = buffer::block_count(s.relation->file, Fork::main);
  }
  HeapTuple tuple;
  while (s.position < s.tids.size()) {
    check_interrupts();
    s.row_arena.reset();
    TupleId tid = s.tids[s.position++];
    if (tid.block >= s.blocks || !tid.is_valid()) continue;
    if (!heap::fetch_version(s.relation->heap, tid, *s.statement->snapshot, s.pin, tuple)) continue;
    set_scan_row(s, tuple);
    if (passes_filter(s)) return output_row(s, &s.row);
  }
  return nullptr;
}

// The range conditions bound the blocks read.
void bound_range(TidScanState& s) {
  s.blocks = buffer::block_count(s.relation->file, Fork::main);
  s.block = BlockNumber{0};
  for (const TidSource& source : s.sources) {
    NullableDatum v = evaluate(*source.value);
    if (v.is_null) {
      s.blocks = BlockNumber{0};
      return;
    }
    TupleId tid = read_tid(v.value);
    if (source.is_array) {   // lower bound
      s.block = std::max(s.block, tid.block);
    } else if (tid.block < s.blocks) {
      s.blocks = std::min(s.blocks, tid.block + 1);
    }
  }
}

Row* run_tid_range_scan(NodeState& node) {
  auto& s = self<TidScanState>(node);
  if (!s.begun) {
    bound_range(s);
    s.begun = true;
    s.in_block = false;
  }
  if (!s.scan) s.scan.emplace(s.relation->heap, *s.statement->snapshot, heap::ScanRing::never);
  HeapTuple tuple;
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    if (!s.in_block) {
      if (s.block >= s.blocks) return nullptr;
      if (!s.scan->open_block(s.block++, {})) continue;
      s.in_block = true;
    }
    if (!s.scan->next_in_block(tuple)) {
      s.in_block = false;
      continue;
    }
    set_scan_row(s, tuple);
    if (passes(s.range_filter) && passes_filter(s)) return output_row(s, &s.row);
  }
}

void init_tid_scan(NodeState& node) {
  auto& s = self<TidScanState>(node);
  auto& plan = plan_of<planner::TidScan>(s);
  Arena& arena = s.statement->arena;
  prepare_table_scan(s);
  for (const nodes::Expr* e : plan.tids) {
    TidSource source;
    if (nodes::is<nodes::CurrentOf>(e)) {
      source.cursor = nodes::as<nodes::CurrentOf>(e);
    } else if (nodes::is<nodes::ArrayOp>(e)) {
      source.is_array = true;
      source.value = compile_expression(nodes::as<nodes::ArrayOp>(e)->array, s.eval, arena);
    } else {
      auto& op = *nodes::as<nodes::OpExpr>(e);
      source.value = compile_expression(is_ctid(op.args[0]) ? op.args[1] : op.args[0], s.eval, arena);
    }
    s.sources.push_back(source);
  }
  if (plan.range.empty()) return;
  s.run = run_tid_range_scan;
  s.range_filter = compile_filter(plan.range, s.eval, arena, s.compile_options());
  for (const nodes::Expr* e : plan.range) {
    auto& op = *nodes::as<nodes::OpExpr>(e);
    bool left = is_ctid(op.args[0]);
    // tid <, <=: 2799, 2801; >, >=: 2800, 2802
    bool greater = raw(op.op) == 2800 || raw(op.op) == 2802;
    TidSource source;
    source.is_array = greater == left;   // a lower bound of ctid
    source.value = compile_expression(left ? op.args[1] : op.args[0], s.eval, arena);
    s.sources.push_back(source);
  }
}

void rebind_tid_scan(NodeState& node) { rebind_table(self<TidScanState>(node)); }
void rescan_tid_scan(NodeState& node) { self<TidScanState>(node).begun = false; }

void close_tid_scan(NodeState& node) {
  auto& s = self<TidScanState>(node);
  s.begun = false;
  s.pin.release();
  s.scan.reset();
}

}  // namespace

void set_cursor_lookup(CursorLookup lookup) { cursor_lookup = lookup; }

NodeState* make_tid_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<TidScanState>(st, p, init_tid_scan, run_tid_scan, rescan_tid_scan, close_tid_scan);
  node->rebind = rebind_tid_scan;
  return node;
}

}  // namespace hathi::executor
