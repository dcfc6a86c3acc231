// What nodes cost, by PostgreSQL's formulas: expressions, sorts, hash tables, pages fetched by index.

#include <algorithm>
#include <bit>
#include <cmath>

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/config/settings.h"
#include "hathi/types/array.h"
#include "paths.h"
#include "statistics.h"

namespace hathi::planner {

namespace values = config::values;
using nodes::ExprKind;

double clamp_rows(double rows) { return rows <= 1 || std::isnan(rows) ? 1 : std::rint(std::min(rows, 1e100)); }

namespace {

double function_cost(Oid function) {
  const catalog::FunctionInfo* info = is_valid(function) ? catalog::find_function(function) : nullptr;
  return (info != nullptr ? info->cost : 1) * values::cpu_operator_cost;
}

double array_length(const Expr* e) {
  if (e->kind == ExprKind::array) return nodes::as<nodes::ArrayExpr>(e)->elements.size();
  if (e->kind != ExprKind::constant) return 10;
  const auto* c = nodes::as<nodes::Constant>(e);
  if (c->is_null) return 0;
  Arena scratch(512);
  types::ArrayView view(c->value, scratch);
  return types::array_elements(view, catalog::type_info(view.element_type()).layout, scratch).count;
}

void add_array_cost(const nodes::ArrayOp* a, ExpressionCost& out) {
  double each = function_cost(a->function), n = array_length(a->array);
  const catalog::OperatorInfo* info = catalog::find_operator(a->op);
  if (a->use_or && n >= 9 && a->array->kind == ExprKind::constant && info != nullptr && info->can_hash) {   // looked up in a hash table
    out.startup += n * values::cpu_operator_cost;
    out.per_row += values::cpu_operator_cost + each;
  } else {
    out.per_row += each * n * 0.5;
  }
}

void add_subplan_cost(const nodes::SubPlan* p, ExpressionCost& out) {
  if (p->is_init_plan) return;
  if (p->use_hash) {
    out.startup += p->per_call_cost;
    return;
  }
  double run = p->per_call_cost - p->startup_cost;
  if (p->type == nodes::SubLink::Type::any || p->type == nodes::SubLink::Type::all) run *= 0.5;
  if (!p->param_slots.empty()) {
    out.per_row += p->startup_cost + run;
  } else {
    out.startup += p->startup_cost;
    out.per_row += run;
  }
}

void add_cost(Expr* e, ExpressionCost& out) {
  if (e == nullptr) return;
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::constant: case ExprKind::variable: case ExprKind::parameter: case ExprKind::aggregate: case ExprKind::window_function: return;
    case ExprKind::function: out.per_row += function_cost(nodes::as<nodes::FunctionExpr>(e)->function); break;
    case ExprKind::op: case ExprKind::distinct_op: case ExprKind::nullif_op: out.per_row += function_cost(nodes::as<nodes::OpExpr>(e)->function); break;
    case ExprKind::array_op: add_array_cost(nodes::as<nodes::ArrayOp>(e), out); break;
    case ExprKind::sub_plan: add_subplan_cost(nodes::as<nodes::SubPlan>(e), out); break;
    case ExprKind::coerce_io: out.per_row += 2 * values::cpu_operator_cost; break;
    case ExprKind::row_compare: out.per_row += values::cpu_operator_cost * nodes::as<nodes::RowCompare>(e)->operators.size(); break;
    case ExprKind::min_max: case ExprKind::sql_value: case ExprKind::coerce_domain: case ExprKind::next_value: out.per_row += values::cpu_operator_cost; break;
    default: break;
  }
  nodes::for_each_child(e, [&](Expr* c) { add_cost(c, out); return false; });
}

}  // namespace

ExpressionCost expression_cost(Expr* e) {
  ExpressionCost out;
  add_cost(e, out);
  return out;
}

namespace {

double aligned(double bytes) { return std::ceil(bytes / 8) * 8; }
double work_memory() { return values::work_mem * 1024.0; }

}  // namespace

double row_bytes(double rows, int width) { return rows * (aligned(width) + 24); }

void sort_cost(double rows, int width, double limit, double& startup, double& run) {
  rows = std::max(rows, 2.0);
  double comparison = 2.0 * values::cpu_operator_cost;
  double bytes = row_bytes(rows, width), kept = rows, kept_bytes = bytes;
  if (limit > 0 && limit < rows) {
    kept = limit;
    kept_bytes = row_bytes(kept, width);
  }
  if (kept_bytes > work_memory()) {
    double pages = std::ceil(bytes / kPageSize), runs = bytes / work_memory();
    double order = std::clamp(std::floor((work_memory() - 8192 * 32.0) / (8192 * 33.0)), 6.0, 500.0);
    double passes = runs > order ? std::ceil(std::log(runs) / std::log(order)) : 1.0;
    startup = comparison * rows * std::log2(rows) + 2.0 * pages * passes * (values::seq_page_cost * 0.75 + values::random_page_cost * 0.25);
  } else if (rows > 2 * kept || bytes > work_memory()) {
    startup = comparison * rows * std::log2(2.0 * kept);
  } else {
    startup = comparison * rows * std::log2(rows);
  }
  run = values::cpu_operator_cost * rows;
}

void incremental_sort_cost(const Path& input, double groups, int width, double limit, double& startup, double& total) {
  double rows = std::max(2.0, input.rows), comparison = 2.0 * values::cpu_operator_cost;
  groups = std::max(1.0, groups);
  double group_rows = rows / groups, input_run = (input.total - input.startup) / groups, group_startup, group_run;
  sort_cost(group_rows, width, limit, group_startup, group_run);
  startup = group_startup + input.startup + input_run;
  double run = group_run + (group_run + group_startup) * (groups - 1) + input_run * (groups - 1);
  run += (values::cpu_tuple_cost + comparison) * rows + 2.0 * values::cpu_tuple_cost * groups;
  total = startup + run;
}

// Heap pages that so many fetches in random order read, with a cache that other tables share.
namespace {

// For which powers of two does the quotient of logarithms, rounded up, come out one too high?
struct TooHigh {
  bool at[1024];
  TooHigh() { for (int i = 0; i < 1024; ++i) at[i] = std::ceil(std::log(std::ldexp(1.0, i)) / std::log(2.0)) > i; }
};
const TooHigh too_high;

}  // namespace

double halvings(double rows) {
  constexpr int kMantissaBits = 52, kBias = 1023;
  auto bits = std::bit_cast<std::uint64_t>(rows);
  int exponent = static_cast<int>(bits >> kMantissaBits) - kBias;
  bool is_power = (bits & ((std::uint64_t{1} << kMantissaBits) - 1)) == 0;
  return exponent + (!is_power || too_high.at[exponent] ? 1 : 0);
}

double pages_fetched(double rows, double pages, double index_pages, double all_pages) {
  double t = std::max(pages, 1.0);
  double share = values::effective_cache_size * t / std::max(1.0, all_pages + index_pages);
  double cache = share <= 1 ? 1 : std::ceil(share), out;
  if (t <= cache) {
    out = 2 * t * rows / (2 * t + rows);
    return out >= t ? t : std::ceil(out);
  }
  double limit = 2 * t * cache / (2 * t - cache);
  out = rows <= limit ? 2 * t * rows / (2 * t + rows) : cache + (rows - limit) * (t - cache) / t;
  return std::ceil(out);
}

HashShape hash_shape(double rows, int width) {
  HashShape out;
  rows = std::max(rows, 1.0);
  double row = 16 + 16 + aligned(width), bytes = rows * row, memory = work_memory() * values::hash_mem_multiplier;
  auto power = [](double n) { return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::max(1.0, std::ceil(n))))); };
  out.buckets = std::max(1024.0, power(std::min(rows, memory / 8)));
  if (bytes + out.buckets * 8 > memory) {
    memory *= 0.98;   // the rest is for the commonest values
    out.buckets = static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(memory / (row + 8))) * 2);
    out.buckets = std::max(1024.0, std::min(out.buckets, power(memory / 8) / 2));
    out.batches = std::max(2.0, power(std::ceil(bytes / std::max(1.0, memory - std::min(out.buckets * 8, memory / 2)))));
  }
  return out;
}

// Bytes of a column's values on average: measured, or by its type.
int column_width(const catalog::Relation& relation, AttrNumber column) {
  if (column <= 0 || column > relation.descriptor->count()) return column == -1 ? 6 : 4;
  const Attribute& a = (*relation.descriptor)[column - 1];
  if (const ColumnStatistics* s = column_statistics(relation, column); s != nullptr && s->width > 0) return s->width;
  return type_width(a.type, a.typmod);
}

int type_width(Oid type, std::int32_t typmod) {
  std::int16_t length = is_valid(type) ? catalog::type_info(type).layout.length : std::int16_t{4};
  if (length > 0) return length;
  constexpr int kHeader = 4, kUnknown = 32;
  bool limited = (type == type_oid::bpchar || type == type_oid::varchar) && typmod > kHeader;
  if (!limited) return kUnknown;
  int most = typmod;
  if (type == type_oid::bpchar || most <= kUnknown) return most;
  return most < 1000 ? kUnknown + (most - kUnknown) / 2 : kUnknown + (1000 - kUnknown) / 2;
}

}  // namespace hathi::planner
