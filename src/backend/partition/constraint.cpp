// The implicit constraint of a partition as an expression, in the shapes PostgreSQL prints.

#include "internal.h"

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"

namespace hathi::partition {

namespace {

using nodes::BooleanExpr;
using nodes::Expr;
using nodes::make;
using Conditions = List<Expr*>;

// btree strategies
enum : int { kLess = 1, kLessEqual = 2, kEqual = 3, kGreaterEqual = 4, kGreater = 5 };
constexpr Oid kSatisfiesHashPartition{5028};

class Builder {
 public:
  Builder(const catalog::Relation& parent, const PartitionKey& key, const catalog::Relation& child, Arena& arena)
      : parent_(parent), key_(key), child_(child), arena_(arena), map_(column_map(parent, child, arena)) {}

  void add(const Bound& bound, Oid self, Conditions& out) {
    if (bound.is_default) {
      if (Expr* e = of_default(self)) out.push_back(arena_, e);
    } else if (bound.strategy == Strategy::hash) {
      out.push_back(arena_, hash(bound));
    } else if (bound.strategy == Strategy::list) {
      list(bound.values, out);
    } else {
      not_nulls(out);
      range(bound, out);
    }
  }

 private:
  Expr* combine(BooleanExpr::Op op, const Conditions& args) {
    if (args.size() == 1 && op != BooleanExpr::Op::not_op) return args[0];
    auto* e = make<BooleanExpr>(arena_);
    e->op = op;
    e->args = args;
    return e;
  }
  Expr* both(BooleanExpr::Op op, Expr* a, Expr* b) {
    Conditions args;
    args.push_back(arena_, a);
    args.push_back(arena_, b);
    return combine(op, args);
  }
  Expr* negate(Expr* a) {
    Conditions args;
    args.push_back(arena_, a);
    return combine(BooleanExpr::Op::not_op, args);
  }

  Expr* mapped(const Expr* e) {
    if (nodes::is<nodes::Variable>(e)) {
      auto* v = static_cast<nodes::Variable*>(nodes::copy(e, arena_));
      if (!map_.empty() && v->column > 0) v->column = map_[static_cast<std::size_t>(v->column - 1)];
      if (v->column == 0) v->type = child_.row_type;
      return v;
    }
    return nodes::map_each_child(e, [this](Expr* c) { return c == nullptr ? nullptr : mapped(c); }, arena_);
  }
  Expr* key(std::size_t i) {
    const KeyColumn& c = key_.columns[i];
    if (c.expr != nullptr) return mapped(c.expr);
    auto* v = make<nodes::Variable>(arena_);
    const Attribute& a = (*parent_.descriptor)[c.column - 1];
    v->rte = v->source_rte = 1;
    v->column = map_.empty() ? c.column : map_[static_cast<std::size_t>(c.column - 1)];
    v->source_column = v->column;
    v->type = a.type;
    v->typmod = a.typmod;
    v->collation = a.collation;
    return v;
  }
  // As an operand of the class's operators.
  Expr* operand(std::size_t i) {
    const KeyColumn& c = key_.columns[i];
    Expr* e = key(i);
    bool is_polymorphic = catalog::type_info(c.operator_input_type).kind == 'p';
    if (c.type == c.operator_input_type || is_polymorphic) return e;
    auto* r = make<nodes::Relabel>(arena_);
    r->arg = e;
    r->type = c.operator_input_type;
    r->collation = c.collation;
    r->form = nodes::CallForm::explicit_cast;
    return r;
  }
  Expr* constant(std::size_t i, Datum value) {
    const KeyColumn& c = key_.columns[i];
    auto* k = make<nodes::Constant>(arena_);
    k->type = c.type;
    k->typmod = c.typmod;
    k->collation = c.collation;
    k->layout = c.layout;
    k->value = copy_datum(value, c.layout, arena_);
    return k;
  }
  Oid operator_of(std::size_t i, int strategy) {
    const KeyColumn& c = key_.columns[i];
    Oid op = catalog::family_operator(c.operator_family, c.operator_input_type, c.operator_input_type, strategy);
    if (!is_valid(op)) throw SqlError(sqlstate::internal_error, "missing operator {} in partition operator family {}", strategy, raw(c.operator_family));
    return op;
  }
  Expr* comparison(std::size_t i, int strategy, Datum value) {
    auto* e = make<nodes::OpExpr>(arena_);
    e->op = operator_of(i, strategy);
    e->function = catalog::operator_info(e->op).function;
    e->type = type_oid::bool_;
    e->input_collation = key_.columns[i].collation;
    e->args.push_back(arena_, operand(i));
    e->args.push_back(arena_, constant(i, value));
    return e;
  }
  Expr* null_test(std::size_t i, bool is_null) {
    auto* e = make<nodes::NullTest>(arena_);
    e->arg = key(i);
    e->is_null = is_null;
    return e;
  }
  void not_nulls(Conditions& out) {
    for (std::size_t i = 0; i < key_.columns.size(); ++i) out.push_back(arena_, null_test(i, false));
  }

  Expr* hash(const Bound& bound) {
    auto* e = make<nodes::FunctionExpr>(arena_);
    e->function = kSatisfiesHashPartition;
    e->type = type_oid::bool_;
    auto plain = [&](Oid type, Datum value) {
      auto* k = make<nodes::Constant>(arena_);
      k->type = type;
      k->layout = catalog::type_info(type).layout;
      k->value = value;
      e->args.push_back(arena_, k);
    };
    plain(type_oid::oid, Datum::of(parent_.oid));
    plain(type_oid::int4, Datum::of(std::int32_t{bound.modulus}));
    plain(type_oid::int4, Datum::of(std::int32_t{bound.remainder}));
    for (std::size_t i = 0; i < key_.columns.size(); ++i) e->args.push_back(arena_, key(i));
    return e;
  }

  Expr* array_test(const Conditions& elements) {
    const KeyColumn& c = key_.columns[0];
    auto* array = make<nodes::ArrayExpr>(arena_);
    array->type = catalog::type_info(c.type).array;
    array->element_type = c.type;
    array->collation = c.collation;
    array->elements = elements;
    auto* e = make<nodes::ArrayOp>(arena_);
    e->op = operator_of(0, kEqual);
    e->function = catalog::operator_info(e->op).function;
    e->input_collation = c.collation;
    e->scalar = operand(0);
    e->array = array;
    return e;
  }
  void list(std::span<const NullableDatum> values, Conditions& out) {
    bool takes_null = false;
    Conditions elements, tests;
    bool is_array = catalog::type_info(key_.columns[0].type).is_true_array();
    std::size_t count = 0;
    for (const NullableDatum& v : values) v.is_null ? void(takes_null = true) : void(++count);
    for (const NullableDatum& v : values) {
      if (v.is_null) continue;
      if (is_array || count == 1) tests.push_back(arena_, comparison(0, kEqual, v.value));
      else elements.push_back(arena_, constant(0, v.value));
    }
    Expr* matches = nullptr;
    if (!elements.empty()) matches = array_test(elements);
    else if (!tests.empty()) matches = combine(BooleanExpr::Op::or_op, tests);
    if (!takes_null) {
      out.push_back(arena_, null_test(0, false));
      if (matches != nullptr) out.push_back(arena_, matches);
    } else {
      Expr* is_null = null_test(0, true);
      out.push_back(arena_, matches == nullptr ? is_null : both(BooleanExpr::Op::or_op, is_null, matches));
    }
  }

  // (a > 1) OR (a = 1 AND b >= 2): the columns from `start` are beyond one end of a range. nullptr: there is no such end.
  Expr* beyond(std::span<const RangeDatum> end, std::size_t start, bool lower) {
    Conditions arms;
    for (std::size_t last = start; last < end.size() && end[last].kind == RangeDatum::Kind::value; ++last) {
      Conditions arm;
      for (std::size_t i = start; i < last; ++i) arm.push_back(arena_, comparison(i, kEqual, end[i].value));
      bool is_last = last + 1 == end.size();
      RangeDatum::Kind next = is_last ? (lower ? RangeDatum::Kind::minimum : RangeDatum::Kind::value) : end[last + 1].kind;
      int strategy = lower ? (next == RangeDatum::Kind::minimum ? kGreaterEqual : kGreater) : (next == RangeDatum::Kind::maximum ? kLessEqual : kLess);
      arm.push_back(arena_, comparison(last, strategy, end[last].value));
      arms.push_back(arena_, combine(BooleanExpr::Op::and_op, arm));
    }
    return arms.empty() ? nullptr : combine(BooleanExpr::Op::or_op, arms);
  }
  void range(const Bound& bound, Conditions& out) {
    std::size_t start = 0;
    for (; start < bound.lower.size(); ++start) {
      const RangeDatum &l = bound.lower[start], &u = bound.upper[start];
      if (l.kind != RangeDatum::Kind::value || u.kind != RangeDatum::Kind::value || compare_values(key_.columns[start], l.value, u.value) != 0) break;
      out.push_back(arena_, comparison(start, kEqual, l.value));
    }
    if (Expr* e = beyond(bound.lower, start, true)) out.push_back(arena_, e);
    if (Expr* e = beyond(bound.upper, start, false)) out.push_back(arena_, e);
  }

  // Whatever no other partition takes; nullptr when there is none.
  Expr* of_default(Oid self) {
    const PartitionDescriptor& d = full_descriptor_of(parent_);
    bool any = false;
    for (const Member& m : d.members) any = any || (m.oid != self && !is_default(d, m.oid));
    if (!any) return nullptr;
    Conditions conditions;
    if (key_.strategy == Strategy::list) {
      std::vector<NullableDatum> values;
      if (d.null_member >= 0) values.push_back({});
      for (Datum v : d.values) values.push_back({v, false});
      list(values, conditions);
      return negate(combine(BooleanExpr::Op::and_op, conditions));
    }
    not_nulls(conditions);
    Conditions ranges;
    for (std::size_t i = 0; i < d.bounds.size(); ++i) {
      if (d.bounds[i]->is_default) continue;
      Conditions one;
      range(*d.bounds[i], one);
      if (one.empty()) not_nulls(one);
      ranges.push_back(arena_, combine(BooleanExpr::Op::and_op, one));
    }
    conditions.push_back(arena_, combine(BooleanExpr::Op::or_op, ranges));
    return negate(combine(BooleanExpr::Op::and_op, conditions));
  }
  static bool is_default(const PartitionDescriptor& d, Oid member) {
    return d.default_member >= 0 && d.members[static_cast<std::size_t>(d.default_member)].oid == member;
  }

  const catalog::Relation& parent_;
  const PartitionKey& key_;
  const catalog::Relation& child_;
  Arena& arena_;
  std::span<const AttrNumber> map_;
};

void add_level(const catalog::Relation& parent, const Bound& bound, Oid self, const catalog::Relation& child, Arena& arena, Conditions& out) {
  Builder(parent, key_of(parent), child, arena).add(bound, self, out);
}

// The constraints of `partition` and of what it is part of, outermost first, as conditions on rows of `child`.
void add_levels(const catalog::Relation& partition, const catalog::Relation& child, Arena& arena, Conditions& out) {
  if (!partition.is_partition || !is_valid(partition.parent)) return;
  catalog::RelationRef parent = catalog::open_relation(partition.parent, locking::LockMode::none);
  add_levels(*parent, child, arena, out);
  if (partition.partition_bound_text.empty()) return;
  Arena scratch(1024);
  Bound bound = bound_from_text(partition.partition_bound_text, key_of(*parent), scratch);
  add_level(*parent, bound, partition.oid, child, arena, out);
}

const Expr* all_of(const Conditions& conditions, Arena& arena) {
  if (conditions.empty()) return nullptr;
  if (conditions.size() == 1) return conditions[0];
  auto* e = make<BooleanExpr>(arena);
  e->op = BooleanExpr::Op::and_op;
  e->args = conditions;
  return e;
}

}  // namespace

const nodes::Expr* partition_constraint(const catalog::Relation& partition, Arena& arena) {
  Conditions conditions;
  add_levels(partition, partition, arena, conditions);
  return all_of(conditions, arena);
}

const nodes::Expr* partition_constraint_for(const catalog::Relation& parent, const Bound& bound, const catalog::Relation& child, Arena& arena) {
  Conditions conditions;
  add_level(parent, bound, child.oid, child, arena, conditions);
  add_levels(parent, child, arena, conditions);
  return all_of(conditions, arena);
}

}  // namespace hathi::partition
