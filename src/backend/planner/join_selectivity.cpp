// How many rows joins make: equalities by the most common values and distinct counts of both sides.

#include <algorithm>
#include <cmath>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "paths.h"
#include "statistics.h"

namespace hathi::planner {

using nodes::ExprKind;
using nodes::JoinType;

namespace {

constexpr double kUnknownDistinct = 200, kRange = 1.0 / 3, kMatch = 0.005;

const nodes::Variable* variable_of(const Expr* e) {
  while (e->kind == ExprKind::relabel) e = nodes::as<nodes::Relabel>(e)->arg;
  if (e->kind != ExprKind::variable) return nullptr;
  const auto* v = nodes::as<nodes::Variable>(e);
  return v->levels_up == 0 && v->rte > 0 ? v : nullptr;
}

// One side of an equality.
struct Side {
  const ColumnStatistics* statistics = nullptr;
  double distinct = kUnknownDistinct, nulls = 0;
  bool guessed = true;
  JoinRelation* base = nullptr;
};

struct Matched { double product = 0, left = 0, right = 0; std::size_t count = 0; };

// The common values that both sides have.
Matched match_common(const ColumnStatistics& a, const ColumnStatistics& b, std::size_t b_count, Oid comparison, Oid collation) {
  Matched out;
  Arena scratch(1024);
  ComparisonFunction compare_values = prepare_comparison(comparison, collation);
  std::vector<bool> taken(b_count);
  for (std::size_t i = 0; i < a.common.size(); ++i) {
    for (std::size_t j = 0; j < b_count; ++j) {
      if (taken[j] || compare(compare_values, a.common[i], b.common[j], scratch) != 0) continue;
      taken[j] = true;
      out.product += static_cast<double>(a.frequencies[i]) * b.frequencies[j];
      out.left += a.frequencies[i];
      out.right += b.frequencies[j];
      ++out.count;
      break;
    }
  }
  return out;
}

double common_total(const ColumnStatistics& s) { return std::clamp(s.common_total, 0.0, 1.0); }

double inner_equal(const Side& a, const Side& b, Oid comparison, Oid collation) {
  if (a.statistics == nullptr || b.statistics == nullptr || a.statistics->common.empty() || b.statistics->common.empty() || !is_valid(comparison)) {
    return (1 - a.nulls) * (1 - b.nulls) / std::max({1.0, a.distinct, b.distinct});
  }
  const ColumnStatistics &x = *a.statistics, &y = *b.statistics;
  Matched m = match_common(x, y, y.common.size(), comparison, collation);
  double left_rest = common_total(x) - m.left, right_rest = common_total(y) - m.right;
  double left_other = std::clamp(1 - a.nulls - common_total(x), 0.0, 1.0), right_other = std::clamp(1 - b.nulls - common_total(y), 0.0, 1.0);
  auto total = [&](double rest, double other, double theirs_other, double theirs_rest, const Side& theirs, std::size_t theirs_count) {
    double out = m.product;
    if (theirs.distinct > static_cast<double>(theirs_count)) out += rest * theirs_other / (theirs.distinct - static_cast<double>(theirs_count));
    if (theirs.distinct > static_cast<double>(m.count)) out += other * (theirs_other + theirs_rest) / (theirs.distinct - static_cast<double>(m.count));
    return out;
  };
  return std::min(total(left_rest, left_other, right_other, right_rest, b, y.common.size()),
                  total(right_rest, right_other, left_other, left_rest, a, x.common.size()));
}

// The part of the left side's rows that meet a partner.
double semi_equal(Side a, Side b, const JoinRelation* inner, Oid comparison, Oid collation) {
  if (b.base != nullptr && b.distinct >= b.base->rows) {
    b.distinct = b.base->rows;
    b.guessed = false;
  }
  if (inner != nullptr && b.distinct >= inner->rows) {
    b.distinct = inner->rows;
    b.guessed = false;
  }
  auto uncertain = [&](double x, double y) { return x <= y || y < 0 ? 1.0 : y / x; };
  bool known = !a.guessed && !b.guessed;
  if (a.statistics != nullptr && b.statistics != nullptr && !a.statistics->common.empty() && !b.statistics->common.empty() && is_valid(comparison)) {
    auto limit = static_cast<std::size_t>(std::max(0.0, b.distinct));
    Matched m = match_common(*a.statistics, *b.statistics, std::min(b.statistics->common.size(), limit), comparison, collation);
    double left = std::clamp(m.left, 0.0, 1.0),
           part = known ? uncertain(a.distinct - static_cast<double>(m.count), b.distinct - static_cast<double>(m.count)) : 0.5;
    return left + part * std::clamp(1 - left - a.nulls, 0.0, 1.0);
  }
  return (known ? uncertain(a.distinct, b.distinct) : 0.5) * (1 - a.nulls);
}

}  // namespace

const catalog::Relation* JoinPlanner::table_of(const Expr* e) const {
  const nodes::Variable* v = variable_of(e);
  if (v == nullptr || static_cast<std::size_t>(v->rte) > p_.relations_.size()) return nullptr;
  return p_.relations_[static_cast<std::size_t>(v->rte - 1)].get();
}

JoinRelation* JoinPlanner::base_of(const Expr* e) const {
  RelationSet r = p_.relations_of(e);
  if (r.count() != 1) return nullptr;
  return base_relations_[static_cast<std::size_t>(r.first())];
}

double JoinPlanner::distinct_count(const Expr* e, bool& guessed) const {
  guessed = false;
  if (nodes::type_of(e) == type_oid::bool_) return 2;
  const nodes::Variable* v = variable_of(e);
  const catalog::Relation* table = v != nullptr ? table_of(e) : nullptr;
  if (table == nullptr) {
    const JoinRelation* base = base_of(e);
    if (v != nullptr && base != nullptr && p_.is_unique_output(v->rte, v->column)) return std::max(1.0, base->tuples);
    guessed = true;
    return base != nullptr && base->tuples > 0 ? std::min(base->tuples, kUnknownDistinct) : kUnknownDistinct;
  }
  double tuples = std::max(1.0, base_relations_[static_cast<std::size_t>(v->rte)] != nullptr ? base_relations_[static_cast<std::size_t>(v->rte)]->tuples : 1);
  if (v->column < 0) return tuples;
  if (v->column > 0 && is_unique_column(*table, v->column)) return tuples;
  const ColumnStatistics* s = v->column > 0 ? column_statistics(*table, v->column) : nullptr;
  if (s != nullptr && s->distinct > 0) return clamp_rows(s->distinct);
  if (s != nullptr && s->distinct < 0) return clamp_rows(-s->distinct * tuples);
  if (tuples < kUnknownDistinct) return clamp_rows(tuples);
  guessed = true;
  return kUnknownDistinct;
}

double JoinPlanner::equal_selectivity(nodes::OpExpr* op, JoinType type, const JoinRelation* outer, const JoinRelation* inner) {
  auto read = [&](Expr* e) {
    Side side;
    side.base = base_of(e);
    side.distinct = distinct_count(e, side.guessed);
    if (const catalog::Relation* table = table_of(e)) side.statistics = column_statistics(*table, variable_of(e)->column);
    if (side.statistics != nullptr) side.nulls = side.statistics->null_fraction;
    return side;
  };
  Side left = read(op->args[0]), right = read(op->args[1]);
  Oid comparison = kInvalidOid, turned = kInvalidOid;
  for (const catalog::FamilyMember& m : catalog::operator_families(op->op)) {
    if (m.method != kBTreeAccessMethod || m.strategy != 3) continue;
    comparison = catalog::family_function(m.family, m.left, m.right, 1);
    turned = catalog::family_function(m.family, m.right, m.left, 1);
  }
  double plain = inner_equal(left, right, comparison, op->input_collation);
  if (type != JoinType::semi && type != JoinType::anti) return std::clamp(plain, 0.0, 1.0);
  bool straight = outer == nullptr || outer->relations.contains(p_.relations_of(op->args[0]));
  double semi = straight ? semi_equal(left, right, inner, comparison, op->input_collation) : semi_equal(right, left, inner, turned, op->input_collation);
  if (inner != nullptr) semi = std::min(semi, inner->rows * plain);
  return std::clamp(semi, 0.0, 1.0);
}

double JoinPlanner::expression_selectivity(Expr* e, JoinType type, const JoinRelation* outer, const JoinRelation* inner) {
  RelationSet relations = p_.relations_of(e);
  int count = relations.count();
  if (count == 1) {
    int rte = relations.first();
    return selectivity(e, p_.relations_[static_cast<std::size_t>(rte - 1)].get(), rte);
  }
  if (count == 0) return selectivity(e, nullptr);
  if (e->kind == ExprKind::boolean) {
    auto* b = nodes::as<nodes::BooleanExpr>(e);
    if (b->op == nodes::BooleanExpr::Op::not_op) return 1 - expression_selectivity(b->args[0], type, outer, inner);
    double all = 1, any = 0;
    for (Expr* a : b->args) {
      double one = expression_selectivity(a, type, outer, inner);
      all *= one;
      any += one - any * one;
    }
    return b->op == nodes::BooleanExpr::Op::and_op ? all : any;
  }
  if (e->kind == ExprKind::op && nodes::as<nodes::OpExpr>(e)->args.size() == 2) {
    auto* op = nodes::as<nodes::OpExpr>(e);
    const catalog::OperatorInfo* info = catalog::find_operator(op->op);
    if (info == nullptr) return 0.5;
    switch (raw(info->join)) {
      case 105: return equal_selectivity(op, type, outer, inner);
      case 106: {
        nodes::OpExpr positive = *op;
        if (!is_valid(info->negator)) return 1 - kMatch;
        positive.op = info->negator;
        return 1 - equal_selectivity(&positive, JoinType::inner, outer, inner);
      }
      case 0: return 0.5;
      default: break;
    }
    switch (raw(info->restriction)) {
      case 103: case 104: case 336: case 337: return kRange;
      default: return kMatch;
    }
  }
  return selectivity(e, nullptr);
}

double JoinPlanner::clause_selectivity(Clause& c, JoinType type, const JoinRelation* outer, const JoinRelation* inner) {
  bool plain = type != JoinType::semi && type != JoinType::anti;
  if (plain && c.inner_selectivity >= 0) return c.inner_selectivity;
  double out = expression_selectivity(c.expr, type, outer, inner);
  if (plain) c.inner_selectivity = out;
  return out;
}

double JoinPlanner::clauses_selectivity(const std::vector<Clause*>& clauses, JoinType type, const JoinRelation* outer, const JoinRelation* inner) {
  double out = 1;
  for (Clause* c : clauses) out *= clause_selectivity(*c, type, outer, inner);
  return out;
}

double JoinPlanner::joined_rows(const JoinRelation& outer, const JoinRelation& inner, JoinType type, const std::vector<Clause*>& clauses,
                                const RelationSet& both) {
  std::vector<Clause*> of_join, filters;
  bool is_outer = type == JoinType::left || type == JoinType::full || type == JoinType::anti;
  for (Clause* c : clauses) (is_outer && (c->is_filter || !both.contains(c->relations)) ? filters : of_join).push_back(c);
  double match = clauses_selectivity(of_join, type, &outer, &inner), rest = clauses_selectivity(filters, JoinType::inner, &outer, &inner);
  double rows;
  switch (type) {
    case JoinType::left: rows = std::max(outer.rows * inner.rows * match, outer.rows) * rest; break;
    case JoinType::full: rows = std::max({outer.rows * inner.rows * match, outer.rows, inner.rows}) * rest; break;
    case JoinType::semi: rows = outer.rows * match; break;
    case JoinType::anti: rows = outer.rows * (1 - match) * rest; break;
    default: rows = outer.rows * inner.rows * match;
  }
  return clamp_rows(rows);
}

// Which part of each input a merge join reads: it ends when one side does.
JoinPlanner::Scanned JoinPlanner::merge_scanned(const Clause& c, bool outer_is_left, bool descending) {
  Scanned out;
  Expr *a = c.op->args[0], *b = c.op->args[1];
  const catalog::Relation *left = table_of(a), *right = table_of(b);
  const ColumnStatistics* x = left != nullptr ? column_statistics(*left, variable_of(a)->column) : nullptr;
  const ColumnStatistics* y = right != nullptr ? column_statistics(*right, variable_of(b)->column) : nullptr;
  if (x == nullptr || y == nullptr || !is_valid(c.merge_family)) return out;
  const catalog::OperatorInfo& info = catalog::operator_info(c.op->op);
  auto range = [&](const ColumnStatistics& s, Oid type, Datum& low, Datum& high) {
    Oid comparison = catalog::family_function(c.merge_family, type, type, 1);
    if (!is_valid(comparison)) return false;
    ComparisonFunction f = prepare_comparison(comparison, c.op->input_collation);
    Arena scratch(512);
    bool any = false;
    auto see = [&](Datum d) {
      if (!any || compare(f, d, low, scratch) < 0) low = d;
      if (!any || compare(f, d, high, scratch) > 0) high = d;
      any = true;
    };
    if (!s.histogram.empty()) {
      see(s.histogram.front());
      see(s.histogram.back());
    }
    for (Datum d : s.common) see(d);
    return any;
  };
  Datum left_low, left_high, right_low, right_high;
  if (!range(*x, info.left, left_low, left_high) || !range(*y, info.right, right_low, right_high)) return out;
  auto part = [&](Expr* column, const catalog::Relation* table, Oid type, Oid other, Datum bound, int strategy) {
    Oid oid = catalog::family_operator(c.merge_family, type, other, strategy);
    if (!is_valid(oid)) return strategy == 2 ? 1.0 : 0.0;
    nodes::Constant value{};
    value.kind = ExprKind::constant;
    value.type = other;
    value.value = bound;
    nodes::OpExpr op{};
    op.kind = ExprKind::op;
    op.op = oid;
    op.input_collation = c.op->input_collation;
    op.args.push_back(s_.arena, column);
    op.args.push_back(s_.arena, &value);
    return selectivity(&op, table, variable_of(column)->rte);
  };
  double left_end, right_end, left_start, right_start;
  if (!descending) {
    left_end = part(a, left, info.left, info.right, right_high, 2);
    right_end = part(b, right, info.right, info.left, left_high, 2);
    left_start = part(a, left, info.left, info.right, right_low, 1);
    right_start = part(b, right, info.right, info.left, left_low, 1);
  } else {
    left_end = part(a, left, info.left, info.right, right_low, 4);
    right_end = part(b, right, info.right, info.left, left_low, 4);
    left_start = part(a, left, info.left, info.right, right_high, 5);
    right_start = part(b, right, info.right, info.left, left_high, 5);
  }
  if (left_end > right_end) left_end = 1;
  else if (left_end < right_end) right_end = 1;
  else left_end = right_end = 1;
  if (left_start < right_start) left_start = 0;
  else if (left_start > right_start) right_start = 0;
  else left_start = right_start = 0;
  out = outer_is_left ? Scanned{left_start, left_end, right_start, right_end} : Scanned{right_start, right_end, left_start, left_end};
  return out;
}

// How full the buckets of a hash table by this key will be, as parts of the rows.
void JoinPlanner::bucket_statistics(Expr* key, double buckets, double& common_frequency, double& bucket_size) {
  bool guessed;
  double distinct = distinct_count(key, guessed), nulls = 0;
  common_frequency = 0;
  const catalog::Relation* table = table_of(key);
  const ColumnStatistics* s = table != nullptr ? column_statistics(*table, variable_of(key)->column) : nullptr;
  if (s != nullptr) {
    nulls = s->null_fraction;
    if (!s->frequencies.empty()) common_frequency = s->frequencies[0];
  }
  if (guessed) {
    bucket_size = std::max(0.1, common_frequency);
    return;
  }
  double average = (1 - nulls) / distinct;
  const JoinRelation* base = base_of(key);
  if (base != nullptr && base->tuples > 0) distinct = clamp_rows(distinct * base->rows / base->tuples);
  double part = distinct > buckets ? 1 / buckets : 1 / distinct;
  if (average > 0 && common_frequency > average) part *= common_frequency / average;
  bucket_size = std::clamp(part, 1e-6, 1.0);
}

// Distinct combinations of the expressions among so many rows.
double JoinPlanner::group_count(const std::vector<Expr*>& expressions, double input_rows) {
  input_rows = std::max(1.0, input_rows);
  struct Found { const JoinRelation* base; double distinct; const Expr* expr; };
  std::vector<Found> found;
  double out = 1;
  auto add = [&](const Expr* e) {
    for (const Found& f : found) if (nodes::equal(f.expr, e)) return;
    bool guessed;
    double n = distinct_count(e, guessed);
    const JoinRelation* base = base_of(e);
    if (base == nullptr) out *= n;
    else found.push_back({base, n, e});
  };
  for (Expr* e : expressions) {
    if (nodes::type_of(e) == type_oid::bool_) {
      out *= 2;
      continue;
    }
    if (variable_of(e) != nullptr) {
      add(variable_of(e));
      continue;
    }
    // An expression has as many values as its columns together.
    auto columns = [&](auto&& self, Expr* x) -> void {
      if (x == nullptr) return;
      if (x->kind == ExprKind::variable) add(x);
      else if (x->kind == ExprKind::aggregate || x->kind == ExprKind::window_function) return;
      else nodes::for_each_child(x, [&](Expr* c) { self(self, c); return false; });
    };
    columns(columns, e);
  }
  while (!found.empty()) {
    const JoinRelation* base = found.front().base;
    double together = 1, most = 1;
    int count = 0;
    for (const Found& f : found) {
      if (f.base != base) continue;
      together *= f.distinct;
      most = std::max(most, f.distinct);
      ++count;
    }
    if (base->tuples > 0) {
      double limit = base->tuples;
      if (count > 1) limit = std::min(base->tuples, std::max(most, base->tuples * 0.1));
      together = std::min(together, limit);
      if (together > 0 && base->rows < base->tuples) together *= 1 - std::pow((base->tuples - base->rows) / base->tuples, base->tuples / together);
      together = clamp_rows(together);
    }
    out *= together;
    std::erase_if(found, [&](const Found& f) { return f.base == base; });
  }
  return std::clamp(std::ceil(out), 1.0, std::ceil(input_rows));
}

}  // namespace hathi::planner
