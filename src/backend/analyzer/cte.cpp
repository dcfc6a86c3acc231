// WITH: which queries refer to which, what recursion is allowed, and the columns each offers.

#include "syntax_walk.h"

namespace hathi::analyzer {
namespace {

// --- references between WITH queries -------------------------------------------------------------------------------------------

struct WithItem {
  const ast::CommonTableExpr* syntax = nullptr;
  CommonTableExpr* cte = nullptr;
  std::vector<bool> depends;       // [item]: refers to it (itself not counted)
  bool recursive = false;
};

// Collects which items a piece of syntax names, WITH clauses further in hiding those outside.
struct ReferenceFinder {
  const std::vector<WithItem>& items;
  std::vector<bool>& found;
  std::vector<std::string_view> hidden;

  void visit(const ast::Node* node) {
    check_stack_depth();
    if (const auto* table = ast::node_try<ast::RangeVar>(node)) {
      if (!table->schema.empty()) return;
      for (std::string_view name : hidden) if (name == table->name) return;
      for (std::size_t i = 0; i < items.size(); ++i) if (items[i].syntax->name == table->name) found[i] = true;
      return;
    }
    const ast::WithClause* with = with_of(node);
    if (with == nullptr) { parts(node); return; }
    std::size_t before = hidden.size();
    if (with->recursive) for (const ast::CommonTableExpr* cte : with->ctes) hidden.push_back(cte->name);
    for (const ast::CommonTableExpr* cte : with->ctes) {
      visit(cte->query);
      if (!with->recursive) hidden.push_back(cte->name);
    }
    for_each_part(node, [&](const ast::Node* part) { if (part != with) visit(part); });
    hidden.resize(before);
  }

 private:
  void parts(const ast::Node* node) { for_each_part(node, [&](const ast::Node* part) { visit(part); }); }
  static const ast::WithClause* with_of(const ast::Node* node) {
    if (const auto* s = ast::node_try<ast::SelectStatement>(node)) return s->with;
    if (const auto* s = ast::node_try<ast::InsertStatement>(node)) return s->with;
    if (const auto* s = ast::node_try<ast::UpdateStatement>(node)) return s->with;
    if (const auto* s = ast::node_try<ast::DeleteStatement>(node)) return s->with;
    return nullptr;
  }
};

// The order in which each item comes after those it refers to.
std::vector<std::size_t> dependency_order(const std::vector<WithItem>& items) {
  std::vector<std::size_t> order;
  std::vector<bool> done(items.size());
  while (order.size() < items.size()) {
    std::size_t next = items.size();
    for (std::size_t i = 0; i < items.size() && next == items.size(); ++i) {
      if (done[i]) continue;
      bool ready = true;
      for (std::size_t j = 0; j < items.size(); ++j) ready = ready && (!items[i].depends[j] || done[j]);
      if (ready) next = i;
    }
    if (next == items.size()) {
      std::size_t first = 0;
      while (done[first]) ++first;
      throw SqlError(sqlstate::feature_not_supported, "mutual recursion between WITH items is not implemented").at(items[first].syntax->location);
    }
    done[next] = true;
    order.push_back(next);
  }
  return order;
}

// --- the form of a recursive query -----------------------------------------------------------------------------------------------

enum class Place : std::uint8_t { allowed, non_recursive_term, sub_query, outer_join, intersect, except };

struct RecursionChecker {
  std::string_view name;
  Place place = Place::allowed;
  int references = 0;
  std::vector<std::string_view> hidden;

  void visit(const ast::Node* node) {
    if (node == nullptr) return;
    check_stack_depth();
    switch (node->kind) {
      case ast::NodeKind::range_var: table(ast::node_cast<ast::RangeVar>(node)); return;
      case ast::NodeKind::select_statement: select(ast::node_cast<ast::SelectStatement>(node)); return;
      case ast::NodeKind::join_expr: join(ast::node_cast<ast::JoinExpr>(node)); return;
      case ast::NodeKind::subquery_expr: {
        const auto* sub = ast::node_cast<ast::SubqueryExpr>(node);
        visit(sub->test);
        in(Place::sub_query, sub->query);
        return;
      }
      default: for_each_part(node, [&](const ast::Node* part) { visit(part); });
    }
  }
  void in(Place where, const ast::Node* node) {
    Restore<Place> keep(place, place == Place::allowed ? where : place);   // the outermost place decides
    visit(node);
  }

 private:
  void table(const ast::RangeVar* node) {
    if (!node->schema.empty() || node->name != name) return;
    for (std::string_view h : hidden) if (h == name) return;
    auto refuse = [&](std::string_view where) {
      throw SqlError(sqlstate::invalid_recursion, "recursive reference to query \"{}\" must not appear {}", name, where).at(node->location);
    };
    switch (place) {
      case Place::allowed: break;
      case Place::non_recursive_term: refuse("within its non-recursive term"); break;
      case Place::sub_query: refuse("within a subquery"); break;
      case Place::outer_join: refuse("within an outer join"); break;
      case Place::intersect: refuse("within INTERSECT"); break;
      case Place::except: refuse("within EXCEPT"); break;
    }
    if (++references > 1) refuse("more than once");
  }
  void select(const ast::SelectStatement* node) {
    std::size_t before = hidden.size();
    if (node->with != nullptr) {
      if (node->with->recursive) for (const ast::CommonTableExpr* cte : node->with->ctes) hidden.push_back(cte->name);
      for (const ast::CommonTableExpr* cte : node->with->ctes) {
        visit(cte->query);
        if (!node->with->recursive) hidden.push_back(cte->name);
      }
    }
    switch (node->operation) {
      case ast::SetOperation::none:
      case ast::SetOperation::union_: plain_parts(node); break;
      case ast::SetOperation::intersect:
        if (node->all) in(Place::intersect, node->left);
        else visit(node->left);
        if (node->all) in(Place::intersect, node->right);
        else visit(node->right);
        outer_parts(node);
        break;
      case ast::SetOperation::except:
        if (node->all) in(Place::except, node->left);
        else visit(node->left);
        in(Place::except, node->right);
        outer_parts(node);
        break;
    }
    hidden.resize(before);
  }
  void plain_parts(const ast::SelectStatement* node) {
    for_each_part(node, [&](const ast::Node* part) { if (part != node->with) visit(part); });
  }
  void outer_parts(const ast::SelectStatement* node) {
    for (const ast::Node* sort : node->order_by) visit(sort);
    visit(node->limit);
    visit(node->offset);
  }
  void join(const ast::JoinExpr* node) {
    bool left_nullable = node->type == ast::JoinType::right || node->type == ast::JoinType::full;
    bool right_nullable = node->type == ast::JoinType::left || node->type == ast::JoinType::full;
    if (left_nullable) in(Place::outer_join, node->left);
    else visit(node->left);
    if (right_nullable) in(Place::outer_join, node->right);
    else visit(node->right);
    visit(node->condition);
  }
};

void check_recursion(const ast::CommonTableExpr* cte) {
  const auto* select = ast::node_try<ast::SelectStatement>(cte->query);
  if (select == nullptr)
    throw SqlError(sqlstate::invalid_recursion, "recursive query \"{}\" must not contain data-modifying statements", cte->name).at(cte->location);
  if (select->operation != ast::SetOperation::union_)
    throw SqlError(sqlstate::invalid_recursion, "recursive query \"{}\" does not have the form non-recursive-term UNION [ALL] recursive-term", cte->name)
        .at(cte->location);
  RecursionChecker checker{cte->name, Place::allowed, 0, {}};
  if (select->with != nullptr) {
    for (const ast::CommonTableExpr* inner : select->with->ctes) {
      checker.in(Place::sub_query, inner->query);
      checker.hidden.push_back(inner->name);
    }
  }
  auto refuse = [](std::string_view what, int location) {
    throw SqlError(sqlstate::feature_not_supported, "{} in a recursive query is not implemented", what).at(location);
  };
  checker.in(Place::non_recursive_term, select->left);
  checker.visit(select->right);
  if (!select->order_by.empty()) refuse("ORDER BY", location_of(select->order_by[0]));
  if (select->offset != nullptr) refuse("OFFSET", location_of(select->offset));
  if (select->limit != nullptr) refuse("LIMIT", location_of(select->limit));
  if (!select->locking.empty()) refuse("FOR UPDATE/SHARE", -1);
}

// --- analysis --------------------------------------------------------------------------------------------------------------------

void check_recursive_columns(const CommonTableExpr* cte, const List<TargetEntry*>& targets) {
  std::uint32_t i = 0;
  for (const TargetEntry* t : targets) {
    if (t->junk || i >= cte->types.size()) continue;
    Oid type = type_of(t->expr);
    std::int32_t typmod = typmod_of(t->expr);
    if (type != cte->types[i] || typmod != cte->typmods[i])
      throw SqlError(sqlstate::datatype_mismatch, "recursive query \"{}\" column {} has type {} in non-recursive term but type {} overall", cte->name, i + 1,
                     catalog::format_type(cte->types[i], cte->typmods[i]), catalog::format_type(type, typmod))
          .hint("Cast the output of the non-recursive term to the correct type.")
          .at(location_of(t->expr));
    if (collation_of(t->expr) != cte->collations[i]) {
      auto name = [](Oid collation) {
        const catalog::CollationInfo* info = catalog::find_collation(collation);
        return info == nullptr ? std::string_view("") : info->name;
      };
      throw SqlError(sqlstate::collation_mismatch, "recursive query \"{}\" column {} has collation \"{}\" in non-recursive term but collation \"{}\" overall",
                     cte->name, i + 1, name(cte->collations[i]), name(collation_of(t->expr)))
          .hint("Use the COLLATE clause to set the collation of the non-recursive term.")
          .at(location_of(t->expr));
    }
    ++i;
  }
}

void analyze_cte(ParseState& ps, const ast::CommonTableExpr* syntax, CommonTableExpr* cte) {
  if (syntax->search != nullptr) throw_not_supported("SEARCH", syntax->search->location);
  if (syntax->cycle != nullptr) throw_not_supported("CYCLE", syntax->cycle->location);
  Query* query = transform_sub_statement(ps, syntax->query, cte, false, true);
  query->can_set_tag = false;
  const List<TargetEntry*>& targets = query->command == CommandKind::select ? query->targets : query->returning;
  if (cte->recursive) check_recursive_columns(cte, targets);
  cte->query = query;
  if (!cte->recursive) analyze_cte_columns(ps, cte, targets);
}

CommonTableExpr* new_cte(ParseState& ps, const ast::CommonTableExpr* syntax) {
  auto* cte = ps.arena.make<CommonTableExpr>();
  cte->name = ps.arena.copy(syntax->name);
  cte->materialized = syntax->materialize == ast::Materialize::always ? 1 : syntax->materialize == ast::Materialize::never ? 2 : 0;
  for (std::string_view column : syntax->columns) cte->alias_columns.push_back(ps.arena, ps.arena.copy(column));
  return cte;
}

void transform_recursive(ParseState& ps, Query* query, const ast::WithClause* with) {
  std::vector<WithItem> items(with->ctes.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].syntax = with->ctes[i];
    items[i].depends.assign(items.size(), false);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    ReferenceFinder finder{items, items[i].depends, {}};
    finder.visit(items[i].syntax->query);
    items[i].recursive = items[i].depends[i];
    items[i].depends[i] = false;
  }
  std::vector<std::size_t> order = dependency_order(items);
  for (std::size_t i : order) if (items[i].recursive) check_recursion(items[i].syntax);
  for (WithItem& item : items) {
    item.cte = new_cte(ps, item.syntax);
    item.cte->recursive = item.recursive;
    ps.ctes.push_back(ps.arena, item.cte);
  }
  for (std::size_t i : order) analyze_cte(ps, items[i].syntax, items[i].cte);
  for (std::size_t i : order) query->ctes.push_back(ps.arena, items[i].cte);
}

}  // namespace

void analyze_cte_columns(ParseState& ps, CommonTableExpr* cte, const List<TargetEntry*>& targets) {
  cte->column_names = {};
  std::uint32_t i = 0;
  for (const TargetEntry* t : targets) {
    if (t->junk) continue;
    Oid type = type_of(t->expr);
    std::int32_t typmod = typmod_of(t->expr);
    Oid collation = collation_of(t->expr);
    if (cte->recursive && type == type_oid::unknown) {
      type = type_oid::text;
      typmod = -1;
      collation = kDefaultCollation;
    }
    cte->column_names.push_back(ps.arena, i < cte->alias_columns.size() ? cte->alias_columns[i] : t->name);
    cte->types.push_back(ps.arena, type);
    cte->typmods.push_back(ps.arena, typmod);
    cte->collations.push_back(ps.arena, collation);
    ++i;
  }
  if (cte->alias_columns.size() > i) {
    int location = -1;
    for (const ast::CommonTableExpr* syntax : ps.future_ctes) if (syntax->name == cte->name) location = syntax->location;
    throw SqlError(sqlstate::invalid_column_reference, "WITH query \"{}\" has {} columns available but {} columns specified", cte->name, i,
                   cte->alias_columns.size())
        .at(location);
  }
}

void transform_with(ParseState& ps, Query* query, const ast::WithClause* with) {
  for (std::uint32_t i = 0; i < with->ctes.size(); ++i) {
    const ast::CommonTableExpr* cte = with->ctes[i];
    for (std::uint32_t k = 0; k < i; ++k)
      if (with->ctes[k]->name == cte->name)
        throw SqlError(sqlstate::duplicate_alias, "WITH query name \"{}\" specified more than once", cte->name).at(cte->location);
    if (!ast::is<ast::SelectStatement>(cte->query)) {
      if (ps.parent != nullptr)
        throw SqlError(sqlstate::feature_not_supported, "WITH clause containing a data-modifying statement must be at the top level").at(cte->location);
      ps.has_modifying_cte = true;
    }
  }
  for (const ast::CommonTableExpr* cte : with->ctes) ps.future_ctes.push_back(ps.arena, cte);
  query->has_recursive = with->recursive;
  query->has_modifying_cte = ps.has_modifying_cte;
  if (with->recursive) {
    transform_recursive(ps, query, with);
    ps.future_ctes = {};
    return;
  }
  for (const ast::CommonTableExpr* syntax : with->ctes) {
    CommonTableExpr* cte = new_cte(ps, syntax);
    analyze_cte(ps, syntax, cte);
    ps.ctes.push_back(ps.arena, cte);
    query->ctes.push_back(ps.arena, cte);
  }
  ps.future_ctes = {};
}

}  // namespace hathi::analyzer
