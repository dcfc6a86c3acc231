// Estimates: sizes, selectivities, costs in PostgreSQL's units.

#include <algorithm>
#include <cmath>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

constexpr double kEqualSelectivity = 0.005, kRangeSelectivity = 1.0 / 3, kBoundedRange = 0.005, kMatchSelectivity = 0.005, kNullFraction = 0.005,
                 kBooleanSelectivity = 0.5, kUnknownDistinct = 200;

// restriction estimators by pg_proc OID: eqsel 101, neqsel 102, scalarltsel 103, scalargtsel 104, scalarlesel 336, scalargesel 337.
double operator_selectivity(const nodes::OpExpr* op) {
  const catalog::OperatorInfo* info = catalog::find_operator(op->op);
  if (info == nullptr) return kBooleanSelectivity;
  switch (raw(info->restriction)) {
    case 101: return kEqualSelectivity;
    case 102: return 1 - kEqualSelectivity;
    case 103: case 104: case 336: case 337: return kRangeSelectivity;
    default: return is_valid(info->restriction) ? kMatchSelectivity : kBooleanSelectivity;
  }
}

}  // namespace

double selectivity(Expr* e, const catalog::Relation* relation) {
  if (e == nullptr) return 1;
  switch (e->kind) {
    case nodes::ExprKind::op: {
      auto* op = nodes::as<nodes::OpExpr>(e);
      double s = operator_selectivity(op);
      // A unique column meets a value once.
      if (relation != nullptr && s == kEqualSelectivity) {
        for (const catalog::IndexDescriptor* i : relation->indexes) {
          if (!i->unique || i->key_count != 1 || !i->predicate.empty()) continue;
          for (const Expr* a : op->args) {
            while (a->kind == nodes::ExprKind::relabel) a = nodes::as<nodes::Relabel>(a)->arg;
            if (a->kind == nodes::ExprKind::variable && nodes::as<nodes::Variable>(a)->column == i->columns[0]) {
              return 1.0 / std::max(1.0, table_size(*relation).rows);
            }
          }
        }
      }
      return s;
    }
    case nodes::ExprKind::array_op: {
      auto* a = nodes::as<nodes::ArrayOp>(e);
      constexpr double kGuessedElements = 10;
      double each = kEqualSelectivity;
      return a->use_or ? std::min(1.0, each * kGuessedElements) : std::pow(1 - each, kGuessedElements);
    }
    case nodes::ExprKind::boolean: {
      auto* b = nodes::as<nodes::BooleanExpr>(e);
      if (b->op == nodes::BooleanExpr::Op::not_op) return 1 - selectivity(b->args[0], relation);
      double s = b->op == nodes::BooleanExpr::Op::and_op ? 1 : 0;
      for (Expr* a : b->args) {
        double one = selectivity(a, relation);
        s = b->op == nodes::BooleanExpr::Op::and_op ? s * one : s + one - s * one;
      }
      return s;
    }
    case nodes::ExprKind::null_test: return nodes::as<nodes::NullTest>(e)->is_null ? kNullFraction : 1 - kNullFraction;
    case nodes::ExprKind::constant: return !nodes::as<nodes::Constant>(e)->is_null && nodes::as<nodes::Constant>(e)->value.as_bool() ? 1 : 0;
    case nodes::ExprKind::distinct_op: return 1 - kEqualSelectivity;
    default: return kBooleanSelectivity;
  }
}

double distinct_values(Expr*, const catalog::Relation*, double rows) { return std::max(1.0, std::min(rows, kUnknownDistinct)); }

TableSize table_size(const catalog::Relation& r) {
  TableSize out;
  if (r.kind == catalog::relation_kind::partitioned_table) {
    out.rows = std::max(1.0, r.row_count);
    out.pages = std::max<double>(1, r.page_count);
    return out;
  }
  out.pages = buffer::block_count(r.file, Fork::main).value();
  double density;
  if (r.page_count > 0 && r.row_count >= 0) {
    density = r.row_count / r.page_count;
  } else {
    // Never measured: by the width of a row; small tables count as ten pages.
    if (r.row_count < 0 && out.pages < 10) out.pages = 10;
    double width = 28;
    for (int i = 0; i < r.descriptor->count(); ++i) {
      const Attribute& a = (*r.descriptor)[i];
      if (a.dropped) continue;
      width += a.layout.length > 0 ? a.layout.length : (a.typmod > 4 ? a.typmod : 32);
    }
    density = (kPageSize - 24) / width;
  }
  out.rows = std::rint(density * out.pages);
  return out;
}

void cost_seq_scan(Plan& plan, TableSize size, double quals) {
  plan.rows = std::max(1.0, size.rows);
  plan.startup_cost = 0;
  plan.total_cost = config::values::seq_page_cost * size.pages + size.rows * (config::values::cpu_tuple_cost + quals * config::values::cpu_operator_cost);
}

void cost_index_scan(IndexScan& plan, const catalog::Relation& table, const catalog::IndexDescriptor& index, double selected, double) {
  TableSize size = table_size(table);
  double rows = std::max(1.0, std::rint(size.rows * selected));
  double index_pages = std::max(1.0, std::ceil(selected * std::max<double>(1, index.page_count)));
  double heap_pages = std::min(rows, std::max(1.0, size.pages));
  double height = std::max(0.0, std::ceil(std::log2(std::max(1.0, size.rows))));
  plan.rows = rows;
  plan.startup_cost = height * config::values::cpu_operator_cost + 0.125;
  plan.total_cost = plan.startup_cost + (index_pages + heap_pages) * config::values::random_page_cost * (selected > 0.2 ? 0.5 : 1.0) +
                    rows * (config::values::cpu_index_tuple_cost + config::values::cpu_tuple_cost + config::values::cpu_operator_cost);
}

void cost_sort(Plan& plan, const Plan& input) {
  double rows = std::max(2.0, input.rows);
  plan.rows = input.rows;
  plan.width = input.width;
  plan.startup_cost = input.total_cost + 2.0 * config::values::cpu_operator_cost * rows * std::log2(rows);
  plan.total_cost = plan.startup_cost + config::values::cpu_operator_cost * rows;
}

}  // namespace hathi::planner
