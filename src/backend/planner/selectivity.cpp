// What part of a table's rows meets a condition, by the statistics of its columns.

#include <algorithm>
#include <cmath>

#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/types/array.h"
#include "query_planner.h"
#include "statistics.h"

namespace hathi::planner {

bool is_unique_column(const catalog::Relation& relation, AttrNumber column) {
  return std::any_of(relation.indexes.begin(), relation.indexes.end(), [&](const catalog::IndexDescriptor* i) {
    return i->unique && i->key_count == 1 && i->predicate.empty() && i->columns[0] == column;
  });
}

namespace {

using nodes::ExprKind;

constexpr double kEqualSelectivity = 0.005, kRangeSelectivity = 1.0 / 3, kBoundedRange = 0.005, kMatchSelectivity = 0.005, kNullFraction = 0.005,
                 kBooleanSelectivity = 0.5, kUnknownDistinct = 200;

// column op value, the column on the left.
struct Comparison {
  AttrNumber column = 0;
  int strategy = 0;                  // btree's: 1 < 2 <= 3 = 4 >= 5 >; 0 unknown
  const Expr* value = nullptr;
  Oid function = kInvalidOid;        // compares the column's values with the value
  Oid collation = kInvalidOid;
};

// rte: the table's number; columns of others are unknown values. 0: all columns are the table's.
AttrNumber column_of(const Expr* e, int rte) {
  while (e->kind == ExprKind::relabel) e = nodes::as<nodes::Relabel>(e)->arg;
  if (e->kind != ExprKind::variable) return 0;
  const auto* v = nodes::as<nodes::Variable>(e);
  return v->levels_up == 0 && v->column > 0 && (rte == 0 || v->rte == rte) ? v->column : AttrNumber{0};
}

bool read_operator(Oid op, Comparison& out) {
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.method != kBTreeAccessMethod) continue;
    out.strategy = m.strategy;
    out.function = catalog::family_function(m.family, m.left, m.right, 1);
    return is_valid(out.function);
  }
  return false;
}

// An operator of a btree family between a column and something without columns.
bool read_comparison(const nodes::OpExpr* op, Comparison& out, int rte) {
  if (op->args.size() != 2) return false;
  AttrNumber left = column_of(op->args[0], rte), right = column_of(op->args[1], rte);
  if ((left == 0) == (right == 0)) return false;
  Oid oid = op->op;
  if (left == 0) oid = catalog::operator_info(oid).commutator;
  if (!is_valid(oid) || !read_operator(oid, out)) return false;
  out.column = left != 0 ? left : right;
  out.value = left != 0 ? op->args[1] : op->args[0];
  out.collation = op->input_collation;
  return true;
}

double distinct_count(const ColumnStatistics& s, double rows) {
  double n = s.distinct < 0 ? -s.distinct * rows : s.distinct;
  return n > 0 ? std::max(1.0, n) : std::max(1.0, std::min(rows, kUnknownDistinct));
}

class Values {
 public:
  Values(const ColumnStatistics& s, const Comparison& c) : s_(s), compare_(prepare_comparison(c.function, c.collation)) {}

  double equal(Datum value, double rows) {
    for (std::size_t i = 0; i < s_.common.size(); ++i) if (order(s_.common[i], value) == 0) return s_.frequencies[i];
    double left = std::max(0.0, 1 - s_.common_total - s_.null_fraction), others = distinct_count(s_, rows) - static_cast<double>(s_.common.size());
    if (others > 1) left /= others;
    if (!s_.frequencies.empty()) left = std::min<double>(left, s_.frequencies.back());
    return left;
  }

  // Rows below the value (or equal to it, with or_equal).
  double below(Datum value, bool or_equal, double rows) {
    double out = 0;
    for (std::size_t i = 0; i < s_.common.size(); ++i) {
      int r = order(s_.common[i], value);
      if (r < 0 || (or_equal && r == 0)) out += s_.frequencies[i];
    }
    double others = std::max(0.0, 1 - s_.common_total - s_.null_fraction);
    if (s_.histogram.size() < 2) return others > 0 && s_.common.empty() ? kRangeSelectivity : out + others * (s_.common.empty() ? kRangeSelectivity : 0.5);
    double fraction = in_histogram(value, or_equal, rows);
    return out + others * fraction;
  }

 private:
  int order(Datum mine, Datum value) { return compare(compare_, mine, value, scratch_); }

  double in_histogram(Datum value, bool or_equal, double rows) {
    std::size_t n = s_.histogram.size(), low = 0, high = n;
    while (low < high) {   // the first bound not below the value
      std::size_t middle = (low + high) / 2;
      int r = order(s_.histogram[middle], value);
      if (r < 0 || (or_equal && r == 0)) low = middle + 1;
      else high = middle;
    }
    double cutoff = 0.01 / static_cast<double>(n - 1);
    if (low == 0) return cutoff;
    if (low == n) return 1 - cutoff;
    double inside = 0.5, a = 0, b = 0, v = 0;
    if (as_number(s_.histogram[low - 1], a) && as_number(s_.histogram[low], b) && as_number(value, v) && b > a)
      inside = std::clamp((v - a) / (b - a), 0.0, 1.0);
    // The line between two bounds counts what equals the value; the first bucket has its lower bound too.
    double others = distinct_count(s_, rows) - static_cast<double>(s_.common.size()), equal_part = others > 1 ? 1 / others : 0;
    double fraction = (static_cast<double>(low - 1) + inside) / static_cast<double>(n - 1);
    if (low == 1) fraction += equal_part * (1 - inside);
    if (!or_equal) fraction -= equal_part;
    return std::clamp(fraction, cutoff, 1 - cutoff);
  }

  // Integers of one width (dates and times among them).
  bool as_number(Datum d, double& out) const {
    switch (compare_.kind) {
      case CompareKind::int2: out = d.as_int16(); return true;
      case CompareKind::int4: out = d.as_int32(); return true;
      case CompareKind::int8: out = static_cast<double>(d.as_int64()); return true;
      default: return false;
    }
  }

  const ColumnStatistics& s_;
  ComparisonFunction compare_;
  Arena scratch_;
};

double comparison_selectivity(const Comparison& c, const catalog::Relation& relation, bool negated) {
  double rows = table_size(relation).rows, s;
  bool is_equal = c.strategy == 3;
  if (is_equal && is_unique_column(relation, c.column)) {
    s = 1 / std::max(1.0, rows);
    return negated ? 1 - s : s;
  }
  const auto* constant = c.value->kind == ExprKind::constant ? nodes::as<nodes::Constant>(c.value) : nullptr;
  if (constant != nullptr && constant->is_null) return 0;
  const ColumnStatistics* statistics = column_statistics(relation, c.column);
  if (statistics == nullptr) {
    if (!is_equal) return kRangeSelectivity;
    return negated ? 1 - kEqualSelectivity : kEqualSelectivity;
  }
  double present = 1 - statistics->null_fraction;
  if (constant == nullptr) {
    if (!is_equal) return kRangeSelectivity;
    s = present / distinct_count(*statistics, rows);
    return std::clamp(negated ? present - s : s, 0.0, 1.0);
  }
  Values values(*statistics, c);
  switch (c.strategy) {
    case 1: case 2: s = values.below(constant->value, c.strategy == 2, rows); break;
    case 4: case 5: s = present - values.below(constant->value, c.strategy == 5, rows); break;
    default: s = values.equal(constant->value, rows);
  }
  if (negated) s = present - s;
  return std::clamp(s, 0.0, 1.0);
}

double operator_selectivity(const nodes::OpExpr* op, const catalog::Relation* relation, int rte) {
  const catalog::OperatorInfo* info = catalog::find_operator(op->op);
  if (info == nullptr) return kBooleanSelectivity;
  Comparison c;
  bool negated = raw(info->restriction) == 102;   // neqsel: by the operator it negates
  if (relation != nullptr) {
    nodes::OpExpr positive = *op;
    if (negated && is_valid(info->negator)) positive.op = info->negator;
    if (read_comparison(&positive, c, rte)) return comparison_selectivity(c, *relation, negated);
  }
  // eqsel 101, scalarltsel 103, scalargtsel 104, scalarlesel 336, scalargesel 337.
  switch (raw(info->restriction)) {
    case 101: return kEqualSelectivity;
    case 102: return 1 - kEqualSelectivity;
    case 103: case 104: case 336: case 337: return kRangeSelectivity;
    default: return is_valid(info->restriction) ? kMatchSelectivity : kBooleanSelectivity;
  }
}

double array_selectivity(const nodes::ArrayOp* a, const catalog::Relation* relation, int rte) {
  constexpr double kGuessedElements = 10;
  Comparison c;
  double each = kEqualSelectivity, count = kGuessedElements;
  AttrNumber column = column_of(a->scalar, rte);
  bool known = relation != nullptr && column != 0 && read_operator(a->op, c) && c.strategy == 3;
  const auto* constant = a->array->kind == ExprKind::constant ? nodes::as<nodes::Constant>(a->array) : nullptr;
  if (known && a->use_or && constant != nullptr && !constant->is_null) {
    Arena arena;
    types::ArrayView view(constant->value, arena);
    types::ArrayElements elements = types::array_elements(view, catalog::type_info(view.element_type()).layout, arena);
    double sum = 0;
    c.column = column;
    c.collation = a->input_collation;
    for (int i = 0; i < elements.count; ++i) {
      if (elements.nulls != nullptr && elements.nulls[i]) continue;
      nodes::Constant value{};
      value.kind = ExprKind::constant;
      value.value = elements.values[i];
      c.value = &value;
      sum += comparison_selectivity(c, *relation, false);
    }
    return std::min(1.0, sum);
  }
  if (known) {
    const ColumnStatistics* s = column_statistics(*relation, column);
    double rows = table_size(*relation).rows;
    if (is_unique_column(*relation, column)) each = 1 / std::max(1.0, rows);
    else if (s != nullptr) each = (1 - s->null_fraction) / distinct_count(*s, rows);
  }
  if (a->array->kind == ExprKind::array) count = nodes::as<nodes::ArrayExpr>(a->array)->elements.size();
  return a->use_or ? std::min(1.0, each * count) : std::pow(1 - each, count);
}

}  // namespace

double selectivity(Expr* e, const catalog::Relation* relation, int rte) {
  if (e == nullptr) return 1;
  switch (e->kind) {
    case ExprKind::op: return operator_selectivity(nodes::as<nodes::OpExpr>(e), relation, rte);
    case ExprKind::array_op: return array_selectivity(nodes::as<nodes::ArrayOp>(e), relation, rte);
    case ExprKind::boolean: {
      auto* b = nodes::as<nodes::BooleanExpr>(e);
      if (b->op == nodes::BooleanExpr::Op::not_op) return 1 - selectivity(b->args[0], relation, rte);
      if (b->op == nodes::BooleanExpr::Op::and_op) return selectivity_of_all(b->args, relation, rte);
      double s = 0;
      for (Expr* a : b->args) {
        double one = selectivity(a, relation, rte);
        s = s + one - s * one;
      }
      return s;
    }
    case ExprKind::null_test: {
      auto* n = nodes::as<nodes::NullTest>(e);
      double nulls = kNullFraction;
      AttrNumber column = relation != nullptr ? column_of(n->arg, rte) : AttrNumber{0};
      if (column != 0) {
        if (const ColumnStatistics* s = column_statistics(*relation, column)) nulls = s->null_fraction;
      }
      return n->is_null ? nulls : 1 - nulls;
    }
    case ExprKind::constant: return !nodes::as<nodes::Constant>(e)->is_null && nodes::as<nodes::Constant>(e)->value.as_bool() ? 1 : 0;
    case ExprKind::distinct_op: return 1 - kEqualSelectivity;
    default: return kBooleanSelectivity;
  }
}

// Conditions together: independent, but a lower and an upper bound of one column make a range.
double selectivity_of_all(std::span<Expr* const> conditions, const catalog::Relation* relation, int rte) {
  double out = 1;
  struct Bounds { AttrNumber column; double lower = 1, upper = 1; bool has_lower = false, has_upper = false, by_default = false; };
  std::vector<Bounds> ranges;
  for (Expr* e : conditions) {
    Comparison c;
    double s = selectivity(e, relation, rte);
    bool bound = relation != nullptr && e->kind == ExprKind::op && read_comparison(nodes::as<nodes::OpExpr>(e), c, rte) && c.strategy != 3 && c.strategy != 0;
    if (!bound) {
      out *= s;
      continue;
    }
    auto it = std::find_if(ranges.begin(), ranges.end(), [&](const Bounds& r) { return r.column == c.column; });
    if (it == ranges.end()) it = ranges.insert(ranges.end(), Bounds{c.column});
    bool upper = c.strategy <= 2;
    (upper ? it->upper : it->lower) = std::min(upper ? it->upper : it->lower, s);
    (upper ? it->has_upper : it->has_lower) = true;
    it->by_default = it->by_default || s == kRangeSelectivity;
  }
  for (const Bounds& r : ranges) {
    if (!r.has_lower || !r.has_upper) {
      out *= r.has_lower ? r.lower : r.upper;
    } else if (r.by_default) {
      out *= kBoundedRange;
    } else {
      const ColumnStatistics* s = column_statistics(*relation, r.column);
      double both = r.lower + r.upper - 1 + (s != nullptr ? s->null_fraction : 0);
      out *= both > 0 ? both : 1e-10;
    }
  }
  return out;
}

double distinct_values(Expr* e, const catalog::Relation* relation, double rows) {
  AttrNumber column = relation != nullptr && e != nullptr ? column_of(e, 0) : AttrNumber{0};
  if (column != 0) {
    if (is_unique_column(*relation, column)) return std::max(1.0, rows);
    if (const ColumnStatistics* s = column_statistics(*relation, column)) {
      return std::max(1.0, std::min(rows, distinct_count(*s, table_size(*relation).rows)));
    }
  }
  return std::max(1.0, std::min(rows, kUnknownDistinct));
}

}  // namespace hathi::planner
