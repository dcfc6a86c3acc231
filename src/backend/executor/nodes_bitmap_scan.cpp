// BitmapIndexScan, BitmapAnd, BitmapOr (which give bitmaps, not rows) and BitmapHeapScan.

#include "table_scan.h"
#include "tid_bitmap.h"

namespace hathi::executor {

using planner::PlanKind;

namespace {

struct BitmapIndexScanState : NodeState {
  const catalog::IndexDescriptor* index = nullptr;
  std::optional<btree::Scan> scan;
  IndexConditions conditions;
};

struct BitmapGroupState : NodeState {
  std::span<NodeState*> inputs;
};

Row* run_not_rows(NodeState&) { throw SqlError(sqlstate::internal_error, "a bitmap node was asked for rows"); }

void init_bitmap_index_scan(NodeState& node) {
  auto& s = self<BitmapIndexScanState>(node);
  auto& plan = plan_of<planner::BitmapIndexScan>(s);
  s.index = &find_index(s.partition != nullptr ? *s.partition : s.statement->relation(plan.rte), plan.index);
  s.conditions.prepare(plan.conditions, s);
}

void init_bitmap_group(NodeState& node) {
  auto& s = self<BitmapGroupState>(node);
  const List<planner::Plan*>& plans = node.plan->kind == PlanKind::bitmap_and ? plan_of<planner::BitmapAnd>(s).inputs : plan_of<planner::BitmapOr>(s).inputs;
  auto* inputs = s.statement->arena.make_array<NodeState*>(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) inputs[i] = make_child(s, plans[i]);
  s.inputs = {inputs, plans.size()};
}

void scan_into(BitmapIndexScanState& s, TidBitmap& out) {
  bool possible = s.conditions.evaluate();
  if (!possible) return;
  if (!s.scan) s.scan.emplace(s.index->btree, false);
  s.scan->start(s.conditions.keys());
  TupleId tid;
  std::uint64_t rows = 0;
  while (s.scan->next(tid)) {
    check_interrupts();
    out.add(tid);
    ++rows;
  }
  if (s.times != nullptr) {
    ++s.times->loops;
    s.times->rows += rows;
  }
}

// Adds the positions the node finds.
void fill_bitmap(NodeState& node, TidBitmap& out) {
  if (!node.initialised) {
    node.init(node);
    node.initialised = true;
  }
  node.started = true;
  switch (node.plan->kind) {
    case PlanKind::bitmap_index_scan: return scan_into(self<BitmapIndexScanState>(node), out);
    case PlanKind::bitmap_or:
      for (NodeState* input : self<BitmapGroupState>(node).inputs) fill_bitmap(*input, out);
      break;
    default: {
      auto& inputs = self<BitmapGroupState>(node).inputs;
      TidBitmap all(node.statement->work_memory());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        TidBitmap one(node.statement->work_memory());
        fill_bitmap(*inputs[i], one);
        if (i == 0) all = std::move(one);
        else all.intersect(one);
        if (all.empty()) break;
      }
      out.unite(all);
    }
  }
  if (node.times != nullptr) ++node.times->loops;
}

void rebind_bitmap_index_scan(NodeState& node) {
  auto& s = self<BitmapIndexScanState>(node);
  s.index = &find_index(*s.partition, plan_of<planner::BitmapIndexScan>(s).index);
}
void rebind_nothing(NodeState&) {}
void visit_bitmap_inputs(NodeState& node, void (*visit)(NodeState&)) {
  for (NodeState* input : self<BitmapGroupState>(node).inputs) visit(*input);
}
void rescan_bitmap(NodeState&) {}
void close_bitmap_index_scan(NodeState& node) { self<BitmapIndexScanState>(node).scan.reset(); }

struct BitmapHeapScanState : TableScanState {
  std::optional<heap::Scan> scan;
  std::optional<TidBitmap> bitmap;
  Program* recheck = nullptr;
  TidBitmap::PageResult page;
  bool in_page = false;
  std::uint64_t exact = 0, lossy = 0, rechecked_away = 0;
  BlockNumber blocks{0};
};

bool open_next_page(BitmapHeapScanState& s) {
  while (s.bitmap->next(s.page)) {
    check_interrupts();
    if (s.page.block >= s.blocks) continue;   // added after the scan began: nothing there is visible
    ++(s.page.offsets.empty() ? s.lossy : s.exact);
    if (s.scan->open_block(s.page.block, s.page.offsets)) return true;
  }
  return false;
}

Row* run_bitmap_heap_scan(NodeState& node) {
  auto& s = self<BitmapHeapScanState>(node);
  if (!s.bitmap) {
    s.bitmap.emplace(s.statement->work_memory());
    fill_bitmap(*s.left, *s.bitmap);
    s.bitmap->begin();
    s.in_page = false;
    s.blocks = buffer::block_count(s.relation->file, Fork::main);
  }
  if (!s.scan) s.scan.emplace(s.relation->heap, *s.statement->snapshot, heap::ScanRing::never);
  HeapTuple tuple;
  for (;;) {
    s.row_arena.reset();
    if (!s.in_page) {
      if (!open_next_page(s)) break;
      s.in_page = true;
    }
    if (!s.scan->next_in_block(tuple)) {
      s.in_page = false;
      continue;
    }
    set_scan_row(s, tuple);
    if (s.page.recheck && !passes(s.recheck)) {
      ++s.rechecked_away;
      continue;
    }
    if (passes_filter(s)) return output_row(s, &s.row);
  }
  if (s.times != nullptr) {
    std::string text;
    if (s.rechecked_away > 0) text = fmt::format("Rows Removed by Index Recheck: {}\n", s.rechecked_away);
    text += "Heap Blocks:";
    if (s.exact > 0) text += fmt::format(" exact={}", s.exact);
    if (s.lossy > 0) text += fmt::format(" lossy={}", s.lossy);
    s.times->extra = s.exact + s.lossy > 0 ? text : std::string();
  }
  return nullptr;
}

void init_bitmap_heap_scan(NodeState& node) {
  auto& s = self<BitmapHeapScanState>(node);
  prepare_table_scan(s);
  s.left = make_child(s, s.plan->left);
  s.recheck = compile_filter(plan_of<planner::BitmapHeapScan>(s).recheck, s.eval, s.statement->arena, s.compile_options());
}

void rebind_bitmap_heap_scan(NodeState& node) { rebind_table(self<BitmapHeapScanState>(node)); }
void rescan_bitmap_heap_scan(NodeState& node) { self<BitmapHeapScanState>(node).bitmap.reset(); }

void close_bitmap_heap_scan(NodeState& node) {
  auto& s = self<BitmapHeapScanState>(node);
  s.bitmap.reset();
  s.scan.reset();
  s.exact = s.lossy = s.rechecked_away = 0;
}

}  // namespace

NodeState* make_bitmap_index_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<BitmapIndexScanState>(st, p, init_bitmap_index_scan, run_not_rows, rescan_bitmap, close_bitmap_index_scan);
  node->rebind = rebind_bitmap_index_scan;
  return node;
}
NodeState* make_bitmap_and_or(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<BitmapGroupState>(st, p, init_bitmap_group, run_not_rows, rescan_bitmap, rescan_bitmap);
  node->rebind = rebind_nothing;
  node->visit_inputs = visit_bitmap_inputs;
  return node;
}
NodeState* make_bitmap_heap_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<BitmapHeapScanState>(st, p, init_bitmap_heap_scan, run_bitmap_heap_scan, rescan_bitmap_heap_scan, close_bitmap_heap_scan);
  node->rebind = rebind_bitmap_heap_scan;
  return node;
}

}  // namespace hathi::executor
