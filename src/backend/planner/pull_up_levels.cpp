// Moving expressions and queries between levels.

#include "hathi/base/stack.h"
#include "pull_up.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;

// Rewrites everything below a query or expression; depth = levels between the start and the node at hand.
class LevelRewriter {
 public:
  explicit LevelRewriter(Arena& arena) : arena_(arena) {}
  virtual ~LevelRewriter() = default;

  Expr* rewrite(Expr* e, int depth) {
    if (e == nullptr) return nullptr;
    check_stack_depth();
    if (e->kind == ExprKind::constant) return e;
    if (e->kind == ExprKind::variable) return variable(nodes::as<nodes::Variable>(e), depth);
    Expr* out = nodes::map_each_child(e, [&](Expr* c) { return rewrite(c, depth); }, arena_);
    if (out->kind == ExprKind::sub_link) {
      auto* link = nodes::as<nodes::SubLink>(out);
      link->query = nodes::copy(link->query, arena_);
      rewrite(link->query, depth + 1);
    } else if (out->kind == ExprKind::aggregate) {
      nodes::as<nodes::Aggregate>(out)->levels_up = level(nodes::as<nodes::Aggregate>(out)->levels_up, depth);
    } else if (out->kind == ExprKind::grouping) {
      nodes::as<nodes::Grouping>(out)->levels_up = level(nodes::as<nodes::Grouping>(out)->levels_up, depth);
    }
    return out;
  }

  void rewrite(Query* q, int depth) {
    if (q == nullptr) return;
    check_stack_depth();
    struct Context { LevelRewriter* self; int depth; } context{this, depth};
    nodes::map_query_expressions(q, [](Expr* e, void* c) { return static_cast<Context*>(c)->self->rewrite(e, static_cast<Context*>(c)->depth); }, &context);
    for (nodes::RangeTableEntry* r : q->range_table) {
      if (r->subquery != nullptr) rewrite(r->subquery, depth + 1);
      if (r->kind == nodes::RteKind::cte) r->cte_levels_up = level(r->cte_levels_up, depth);
    }
    for (nodes::CommonTableExpr* c : q->ctes) rewrite(c->query, depth + 1);
  }

 protected:
  virtual Expr* variable(nodes::Variable* v, int depth) = 0;
  virtual int level(int levels_up, int depth) = 0;
  Arena& arena_;
};

class Merger : public LevelRewriter {
 public:
  Merger(int shift, Arena& arena) : LevelRewriter(arena), shift_(shift) {}
 protected:
  Expr* variable(nodes::Variable* v, int depth) override {
    if (v->levels_up < depth) return v;
    auto* out = arena_.make<nodes::Variable>(*v);
    if (v->levels_up == depth) {
      out->rte += shift_;
      if (out->source_rte > 0) out->source_rte += shift_;
    } else {
      --out->levels_up;
    }
    return out;
  }
  int level(int levels_up, int depth) override { return levels_up > depth ? levels_up - 1 : levels_up; }
 private:
  int shift_;
};

class Raiser : public LevelRewriter {
 public:
  Raiser(int by, Arena& arena) : LevelRewriter(arena), by_(by) {}
 protected:
  Expr* variable(nodes::Variable* v, int depth) override {
    if (v->levels_up < depth) return v;
    auto* out = arena_.make<nodes::Variable>(*v);
    out->levels_up += by_;
    return out;
  }
  int level(int levels_up, int depth) override { return levels_up >= depth ? levels_up + by_ : levels_up; }
 private:
  int by_;
};

// As Raiser, for a query whose own level stays where it is relative to its contents.
class OutsideRaiser : public LevelRewriter {
 public:
  OutsideRaiser(int by, Arena& arena) : LevelRewriter(arena), by_(by) {}
 protected:
  Expr* variable(nodes::Variable* v, int depth) override {
    if (v->levels_up <= depth) return v;
    auto* out = arena_.make<nodes::Variable>(*v);
    out->levels_up += by_;
    return out;
  }
  int level(int levels_up, int depth) override { return levels_up > depth ? levels_up + by_ : levels_up; }
 private:
  int by_;
};

class Substituter : public LevelRewriter {
 public:
  Substituter(int rte, const std::vector<Expr*>& columns, Arena& arena) : LevelRewriter(arena), rte_(rte), columns_(columns) {}
 protected:
  Expr* variable(nodes::Variable* v, int depth) override {
    if (v->levels_up != depth || v->rte != rte_ || v->column < 1 || static_cast<std::size_t>(v->column) > columns_.size()) return v;
    return raise_levels(columns_[static_cast<std::size_t>(v->column - 1)], depth, arena_);
  }
  int level(int levels_up, int) override { return levels_up; }
 private:
  int rte_;
  const std::vector<Expr*>& columns_;
};

// Looks for a node; stops at the first.
template <class F>
class Finder {
 public:
  explicit Finder(F found) : found_(found) {}
  bool in(Expr* e, int depth) {
    if (e == nullptr) return false;
    check_stack_depth();
    if (found_(e, depth)) return true;
    if (e->kind == ExprKind::sub_link && in(nodes::as<nodes::SubLink>(e)->query, depth + 1)) return true;
    return nodes::for_each_child(e, [&](Expr* c) { return in(c, depth); });
  }
  bool in(Query* q, int depth) {
    if (q == nullptr) return false;
    struct Context { Finder* self; int depth; } context{this, depth};
    if (nodes::walk_query_expressions(
            q, [](Expr* e, void* c) { return static_cast<Context*>(c)->self->in(e, static_cast<Context*>(c)->depth); }, &context))
      return true;
    for (nodes::RangeTableEntry* r : q->range_table) {
      if (in(r->subquery, depth + 1)) return true;
    }
    for (nodes::CommonTableExpr* c : q->ctes) if (in(c->query, depth + 1)) return true;
    return false;
  }
 private:
  F found_;
};

auto at_level(int level) {
  return [level](const Expr* e, int depth) {
    if (e->kind == ExprKind::variable) return nodes::as<nodes::Variable>(e)->levels_up == depth + level;
    if (e->kind == ExprKind::aggregate) return level > 0 && nodes::as<nodes::Aggregate>(e)->levels_up == depth + level;
    if (e->kind == ExprKind::grouping) return level > 0 && nodes::as<nodes::Grouping>(e)->levels_up == depth + level;
    return false;
  };
}

}  // namespace

void merge_levels(Query* q, int shift, Arena& arena) { Merger(shift, arena).rewrite(q, 0); }
Expr* merge_levels(Expr* e, int shift, Arena& arena) { return Merger(shift, arena).rewrite(e, 0); }

Expr* raise_levels(const Expr* e, int by, Arena& arena) {
  Expr* copy = nodes::copy(e, arena);
  return by == 0 ? copy : Raiser(by, arena).rewrite(copy, 0);
}
void raise_levels(Query* q, int by, Arena& arena) { if (by != 0) OutsideRaiser(by, arena).rewrite(q, 0); }

void substitute_columns(Query* q, int rte, const std::vector<Expr*>& columns, Arena& arena) { Substituter(rte, columns, arena).rewrite(q, 0); }

bool mentions_level(Query* q, int level) { return Finder(at_level(level)).in(q, 0); }
bool mentions_level(Expr* e, int level) { return Finder(at_level(level)).in(e, 0); }

bool has_whole_row(Query* q, int rte) {
  return Finder([rte](const Expr* e, int depth) {
    if (e->kind != ExprKind::variable) return false;
    const auto* v = nodes::as<nodes::Variable>(e);
    return v->levels_up == depth && v->rte == rte && v->column <= 0;
  }).in(q, 0);
}

bool contains_sub_link(Expr* e) {
  if (e == nullptr) return false;
  if (e->kind == ExprKind::sub_link) return true;
  return nodes::for_each_child(e, [](Expr* c) { return contains_sub_link(c); });
}

}  // namespace hathi::planner
