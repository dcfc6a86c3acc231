// What expressions and queries refer to.

#include <algorithm>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/lookup.h"
#include "hathi/base/stack.h"
#include "hathi/nodes/visit.h"

namespace hathi::catalog {

namespace {

using namespace nodes;

class Collector {
 public:
  void set_single_relation(Oid relation) { single_relation_ = relation; }

  void query(const Query* q) {
    check_stack_depth();
    levels_.push_back(q);
    for (const RangeTableEntry* rte : q->range_table) range_entry(*rte);
    for (const CommonTableExpr* cte : q->ctes) query(cte->query);
    if (q->command != CommandKind::select && q->result_rte > 0) target_columns(*q);
    for (const List<SortClause*>* clauses : {&q->group_by, &q->distinct, &q->order_by}) sort_clauses(*clauses);
    for (const WindowClause* w : q->windows) {
      sort_clauses(w->partition_by);
      sort_clauses(w->order_by);
      add(catalog_oid::pg_proc, w->start_in_range);
      add(catalog_oid::pg_proc, w->end_in_range);
    }
    if (q->set_operations != nullptr) set_operation(*q->set_operations);
    if (q->on_conflict != nullptr) {
      for (Oid c : q->on_conflict->arbiter_classes) add(catalog_oid::pg_opclass, c);
      add(catalog_oid::pg_constraint, q->on_conflict->constraint);
    }
    walk_query_expressions(const_cast<Query*>(q), visitor, this);
    levels_.pop_back();
  }

  void expression(const Expr* e) {
    if (e == nullptr) return;
    check_stack_depth();
    switch (e->kind) {
      case ExprKind::variable: variable(*as<Variable>(e)); break;
      case ExprKind::constant: constant(*as<Constant>(e)); break;
      case ExprKind::parameter: type(as<Parameter>(e)->type); collation(as<Parameter>(e)->collation); break;
      case ExprKind::function: add(catalog_oid::pg_proc, as<FunctionExpr>(e)->function); break;
      case ExprKind::op: case ExprKind::distinct_op: case ExprKind::nullif_op: add(catalog_oid::pg_operator, as<OpExpr>(e)->op); break;
      case ExprKind::array_op: add(catalog_oid::pg_operator, as<ArrayOp>(e)->op); break;
      case ExprKind::aggregate:
        add(catalog_oid::pg_proc, as<Aggregate>(e)->function);
        sort_clauses(as<Aggregate>(e)->order_by);
        sort_clauses(as<Aggregate>(e)->distinct);
        break;
      case ExprKind::window_function: add(catalog_oid::pg_proc, as<WindowFunction>(e)->function); break;
      case ExprKind::field_select: type(as<FieldSelect>(e)->type); collation(as<FieldSelect>(e)->collation); field(*as<FieldSelect>(e)); break;
      case ExprKind::field_store: type(as<FieldStore>(e)->type); break;
      case ExprKind::relabel: type(as<Relabel>(e)->type); collation(as<Relabel>(e)->collation); break;
      case ExprKind::coerce_io: type(as<CoerceIo>(e)->type); collation(as<CoerceIo>(e)->collation); break;
      case ExprKind::array_coerce: type(as<ArrayCoerce>(e)->type); collation(as<ArrayCoerce>(e)->collation); break;
      case ExprKind::row_coerce: type(as<RowCoerce>(e)->type); break;
      case ExprKind::collate: collation(as<Collate>(e)->collation); break;
      case ExprKind::coerce_domain: type(as<CoerceDomain>(e)->type); break;
      case ExprKind::row: type(type_of(e)); break;
      case ExprKind::sub_link: query(as<SubLink>(e)->query); break;
      case ExprKind::row_compare: break;
      default: break;
    }
    walk_children(const_cast<Expr*>(e), visitor, this);
  }

  // Sorted, without repeats; the whole table goes when columns of it are there: what keeps a column keeps its table.
  std::vector<ObjectAddress> take() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    std::vector<ObjectAddress> kept;
    for (const ObjectAddress& a : found_) {
      bool covers = a.sub != 0 && !kept.empty() && kept.back().class_id == a.class_id && kept.back().object == a.object && kept.back().sub == 0;
      if (covers) kept.back() = a;
      else kept.push_back(a);
    }
    return kept;
  }

 private:
  static bool visitor(Expr* e, void* self) {
    static_cast<Collector*>(self)->expression(e);
    return false;
  }

  void add(Oid class_id, Oid object, std::int32_t sub = 0) {
    if (is_valid(object)) found_.push_back({class_id, object, sub});
  }
  void type(Oid t) { add(catalog_oid::pg_type, t); }
  void collation(Oid c) {
    if (c != kDefaultCollation) add(catalog_oid::pg_collation, c);
  }
  void column(Oid relation, AttrNumber number) { add(catalog_oid::pg_class, relation, number > 0 ? number : 0); }

  void variable(const Variable& v) {
    if (levels_.empty()) {
      column(single_relation_, v.column);
      return;
    }
    if (static_cast<std::size_t>(v.levels_up) >= levels_.size()) return;
    const Query* q = levels_[levels_.size() - 1 - static_cast<std::size_t>(v.levels_up)];
    if (v.rte <= 0 || static_cast<std::uint32_t>(v.rte) > q->range_table.size()) return;
    const RangeTableEntry& rte = *q->range_table[static_cast<std::size_t>(v.rte - 1)];
    if (rte.kind == RteKind::relation) {
      column(rte.relation, v.column);
    } else if (rte.kind == RteKind::join && v.column > 0 && static_cast<std::uint32_t>(v.column) <= rte.join_columns.size()) {
      // The join's column stands for one of its inputs', which lives at the join's own level.
      std::vector<const Query*> saved = levels_;
      levels_.resize(levels_.size() - static_cast<std::size_t>(v.levels_up));
      expression(rte.join_columns[static_cast<std::size_t>(v.column - 1)]);
      levels_ = std::move(saved);
    }
  }

  void constant(const Constant& c) {
    type(c.type);
    collation(c.collation);
    if (c.is_null) return;
    Oid value = c.value.as_oid();
    switch (raw(c.type)) {
      case raw(type_oid::regclass): if (is_valid(find_relation_by_oid(value))) add(catalog_oid::pg_class, value); break;
      case raw(type_oid::regtype): if (find_type(value) != nullptr) type(value); break;
      case raw(type_oid::regproc): case raw(type_oid::regprocedure): if (find_function(value) != nullptr) add(catalog_oid::pg_proc, value); break;
      case raw(type_oid::regoper): case raw(type_oid::regoperator): if (find_operator(value) != nullptr) add(catalog_oid::pg_operator, value); break;
      case raw(type_oid::regnamespace): if (!schema_name(value).empty()) add(catalog_oid::pg_namespace, value); break;
      case raw(type_oid::regcollation): if (find_collation(value) != nullptr) collation(value); break;
      default: break;
    }
  }
  static Oid find_relation_by_oid(Oid oid) { return try_open_relation(oid, locking::LockMode::none) ? oid : kInvalidOid; }

  void field(const FieldSelect& f) {
    const TypeInfo* t = find_type(base_type(type_of(f.arg)));
    if (t != nullptr && is_valid(t->relation) && f.field > 0) column(t->relation, f.field);
  }

  void range_entry(const RangeTableEntry& rte) {
    if (rte.kind == RteKind::relation) add(catalog_oid::pg_class, rte.relation);
    if (rte.kind == RteKind::subquery && rte.subquery != nullptr) query(rte.subquery);
    if (rte.kind == RteKind::join) {
      // Merged columns of USING depend on the types they were brought to.
      for (int i = 0; i < rte.merged_columns && static_cast<std::uint32_t>(i) < rte.join_columns.size(); ++i) {
        const Expr* e = rte.join_columns[static_cast<std::size_t>(i)];
        if (e != nullptr && !is<Variable>(e)) expression(e);
      }
    }
    for (const FunctionRte* f : rte.functions) {
      for (Oid t : f->types) type(t);
      for (Oid c : f->collations) collation(c);
    }
  }

  void target_columns(const Query& q) {
    const RangeTableEntry& rte = *q.range_table[static_cast<std::size_t>(q.result_rte - 1)];
    if (rte.kind != RteKind::relation || (q.command != CommandKind::insert && q.command != CommandKind::update)) return;
    for (const TargetEntry* t : q.targets) {
      if (!t->junk) column(rte.relation, t->number);
    }
  }

  void sort_clauses(const List<SortClause*>& clauses) {
    for (const SortClause* c : clauses) {
      add(catalog_oid::pg_operator, c->equal_operator);
      add(catalog_oid::pg_operator, c->order_operator);
    }
  }

  void set_operation(const SetOperation& s) {
    sort_clauses(s.group);
    if (s.left != nullptr) set_operation(*s.left);
    if (s.right != nullptr) set_operation(*s.right);
  }

  Oid single_relation_ = kInvalidOid;
  std::vector<const Query*> levels_;
  std::vector<ObjectAddress> found_;
};

void record(const ObjectAddress& dependent, const std::vector<ObjectAddress>& found, Oid self, DependencyKind kind, DependencyKind self_kind) {
  for (const ObjectAddress& a : found) {
    bool is_self = is_valid(self) && a.class_id == catalog_oid::pg_class && a.object == self;
    if (a == dependent) continue;
    record_dependency(dependent, a, is_self ? self_kind : kind);
  }
}

}  // namespace

void record_dependencies_on(const ObjectAddress& dependent, const nodes::Expr* e, Oid relation_of_rte1, DependencyKind kind, DependencyKind self_kind) {
  Collector collector;
  collector.set_single_relation(relation_of_rte1);
  collector.expression(e);
  record(dependent, collector.take(), relation_of_rte1, kind, self_kind);
}

void record_dependencies_on(const ObjectAddress& dependent, const nodes::Query* q, DependencyKind kind) {
  Collector collector;
  collector.query(q);
  record(dependent, collector.take(), kInvalidOid, kind, kind);
}

}  // namespace hathi::catalog
