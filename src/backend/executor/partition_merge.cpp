// Partitions merged by the order of the scan: each has a state of its own, the one with the next row is on top of a heap.

#include <algorithm>

#include "partition_scan.h"

namespace hathi::executor {

namespace {

bool advance(PartitionedScanState& s, std::uint32_t i) {
  s.heads[i] = fetch(*s.running[i]);
  if (s.heads[i] == nullptr) return false;
  s.heads[i]->need(s.highest);
  return true;
}

bool comes_later(PartitionedScanState& s, std::uint32_t a, std::uint32_t b) {
  Row &x = *s.heads[a], &y = *s.heads[b];
  for (const SortColumn& c : s.order) {
    int i = c.column - 1;
    int r = compare_in_order(c, x.values[i], x.nulls[i], y.values[i], y.nulls[i], s.row_arena);
    if (r != 0) return r > 0;
  }
  return a > b;
}

void begin_merge(PartitionedScanState& s) {
  for (Oid leaf : s.partitions->leaves()) {
    s.partitions->assert_locked(leaf);
    s.running.push_back(child_of(s, leaf).node);
  }
  s.heads.assign(s.running.size(), nullptr);
  s.heap.clear();
  for (std::uint32_t i = 0; i < s.running.size(); ++i) {
    check_interrupts();
    if (advance(s, i)) s.heap.push_back(i);
  }
}

}  // namespace

void prepare_merge(PartitionedScanState& s) {
  auto& plan = plan_of<planner::PartitionedScan>(s);
  if (!plan.ordered) return;
  s.order = prepare_sort(plan.order.columns, plan.order.operators, plan.order.collations, plan.order.nulls_first, s.statement->arena);
  for (const SortColumn& c : s.order) s.highest = std::max<int>(s.highest, c.column);
}

Row* next_merged(PartitionedScanState& s) {
  s.row_arena.reset();
  auto later = [&s](std::uint32_t a, std::uint32_t b) { return comes_later(s, a, b); };
  if (s.running.empty()) {
    begin_merge(s);
    std::make_heap(s.heap.begin(), s.heap.end(), later);
  } else if (!s.heap.empty()) {
    std::uint32_t i = s.heap.front();
    std::pop_heap(s.heap.begin(), s.heap.end(), later);
    if (advance(s, i)) std::push_heap(s.heap.begin(), s.heap.end(), later);
    else s.heap.pop_back();
  }
  if (s.heap.empty()) return nullptr;
  s.last = s.running[s.heap.front()];
  return s.heads[s.heap.front()];
}

}  // namespace hathi::executor
