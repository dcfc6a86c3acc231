// SeqScan, SampleScan.

#include <cmath>
#include <random>

#include "hathi/types/hash.h"
#include "table_scan.h"

namespace hathi::executor {

namespace {

struct SeqScanState : TableScanState {
  std::optional<heap::Scan> scan;
};

Row* run_seq_scan(NodeState& node) {
  auto& s = self<SeqScanState>(node);
  if (!s.scan) s.scan.emplace(s.relation->heap, *s.statement->snapshot);
  HeapTuple tuple;
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    if (!s.scan->next(tuple)) return nullptr;
    set_scan_row(s, tuple);
    if (passes_filter(s)) return output_row(s, &s.row);
  }
}

void init_seq_scan(NodeState& node) { prepare_table_scan(self<SeqScanState>(node)); }

void rebind_seq_scan(NodeState& node) { rebind_table(self<SeqScanState>(node)); }

void rescan_seq_scan(NodeState& node) {
  auto& s = self<SeqScanState>(node);
  if (s.scan) s.scan->rescan();
}

void close_seq_scan(NodeState& node) { self<SeqScanState>(node).scan.reset(); }

// --- SampleScan -------------------------------------------------------------------------------------------------------------------
// Rows (BERNOULLI) or blocks (SYSTEM) are chosen by a hash of their place and the seed, as PostgreSQL does: the same sample for the
// same REPEATABLE seed.

struct SampleScanState : SeqScanState {
  Program* percent = nullptr;
  Program* seed_program = nullptr;
  bool by_block = false, begun = false;
  bool seeded = false;                 // without REPEATABLE: one seed for all scans of a run
  std::uint64_t cutoff = 0;
  std::uint32_t seed = 0;
  BlockNumber next_block{0}, blocks{0};
  bool in_block = false;
};

void begin_sample(SampleScanState& s) {
  NullableDatum p = evaluate(*s.percent);
  if (p.is_null) throw SqlError(sqlstate::invalid_tablesample_argument, "TABLESAMPLE parameter cannot be null");
  double percent = p.value.as_float4();
  if (percent < 0 || percent > 100 || std::isnan(percent)) {
    throw SqlError(sqlstate::invalid_tablesample_argument, "sample percentage must be between 0 and 100");
  }
  s.cutoff = static_cast<std::uint64_t>(std::rint(4294967296.0 * percent / 100));
  if (s.seed_program != nullptr) {
    NullableDatum v = evaluate(*s.seed_program);
    if (v.is_null) throw SqlError(sqlstate::invalid_tablesample_repeat, "TABLESAMPLE REPEATABLE parameter cannot be null");
    s.seed = call_function(Oid{452}, s.row_arena, {v.value}).as_uint32();   // hashfloat8
  } else if (!s.seeded) {
    s.seed = std::random_device()();
    s.seeded = true;
  }
  s.blocks = buffer::block_count(s.relation->file, Fork::main);
  s.next_block = BlockNumber{0};
  s.in_block = false;
  s.begun = true;
}

std::uint32_t place_hash(const std::uint32_t* words, std::size_t n) { return types::hash_bytes({reinterpret_cast<const char*>(words), n * 4}); }

bool open_sample_block(SampleScanState& s) {
  while (s.next_block < s.blocks) {
    check_interrupts();
    BlockNumber block = s.next_block++;
    std::uint32_t words[2] = {block.value(), s.seed};
    if (s.by_block && place_hash(words, 2) >= s.cutoff) continue;
    if (s.scan->open_block(block, {})) return true;
  }
  return false;
}

Row* run_sample_scan(NodeState& node) {
  auto& s = self<SampleScanState>(node);
  if (!s.begun) begin_sample(s);
  if (!s.scan) s.scan.emplace(s.relation->heap, *s.statement->snapshot);
  HeapTuple tuple;
  for (;;) {
    s.row_arena.reset();
    if (!s.in_block) {
      if (!open_sample_block(s)) return nullptr;
      s.in_block = true;
    }
    if (!s.scan->next_in_block(tuple)) {
      s.in_block = false;
      continue;
    }
    std::uint32_t words[3] = {tuple.tid.block.value(), tuple.tid.offset.value(), s.seed};
    if (!s.by_block && place_hash(words, 3) >= s.cutoff) continue;
    set_scan_row(s, tuple);
    if (passes_filter(s)) return output_row(s, &s.row);
  }
}

void init_sample_scan(NodeState& node) {
  auto& s = self<SampleScanState>(node);
  auto& sample = *plan_of<planner::SampleScan>(s).sample;
  prepare_table_scan(s);
  if (sample.method != "system" && sample.method != "bernoulli") {
    throw SqlError(sqlstate::undefined_object, "tablesample method {} does not exist", sample.method);
  }
  s.by_block = sample.method == "system";
  s.percent = compile_expression(sample.args[0], s.eval, s.statement->arena);
  s.seed_program = compile_expression(sample.repeatable, s.eval, s.statement->arena);
}

void rebind_sample_scan(NodeState& node) { rebind_table(self<SampleScanState>(node)); }

void rescan_sample_scan(NodeState& node) { self<SampleScanState>(node).begun = false; }

void close_sample_scan(NodeState& node) {
  auto& s = self<SampleScanState>(node);
  s.begun = s.seeded = false;
  s.scan.reset();
}

}  // namespace

NodeState* make_seq_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<SeqScanState>(st, p, init_seq_scan, run_seq_scan, rescan_seq_scan, close_seq_scan);
  node->rebind = rebind_seq_scan;
  return node;
}
NodeState* make_sample_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<SampleScanState>(st, p, init_sample_scan, run_sample_scan, rescan_sample_scan, close_sample_scan);
  node->rebind = rebind_sample_scan;
  return node;
}

}  // namespace hathi::executor
