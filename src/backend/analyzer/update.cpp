// UPDATE and DELETE.

#include "state.h"

namespace hathi::analyzer {
namespace {

void transform_extra_from(ParseState& ps, const List<ast::FromItem*>& from) {
  // The target cannot be seen by LATERAL items of FROM or USING.
  ps.target->lateral_only = true;
  ps.target->lateral_ok = false;
  transform_from(ps, from);
  ps.target->lateral_only = false;
  ps.target->lateral_ok = true;
}

// SET (a, b) = …: the value of each column. A sub-SELECT stands once in a junk target; the columns refer to it.
struct MultiSource {
  List<ast::Expr*> row;            // of ROW(…)
  SubLink* sub_select = nullptr;
};

MultiSource multi_source(ParseState& ps, const ast::SetClause* set, int& next_id) {
  MultiSource source;
  if (const auto* row = ast::node_try<ast::RowExpr>(set->value)) {
    if (row->args.size() != set->targets.size())
      throw SqlError(sqlstate::syntax_error, "number of columns does not match number of values").at(row->location);
    source.row = row->args;
    return source;
  }
  const auto* sub = ast::node_try<ast::SubqueryExpr>(set->value);
  if (sub == nullptr || sub->type != ast::SubqueryKind::scalar || sub->test != nullptr)
    throw SqlError(sqlstate::feature_not_supported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression")
        .at(location_of(set->value));
  check_sub_link_allowed(ps.clause, sub->location);
  ps.has_sub_links = true;
  auto* link = make<SubLink>(ps.arena, sub->location);
  link->type = SubLink::Type::multi;
  Restore<Clause> in(ps.clause, Clause::update_source);
  link->query = transform_sub_statement(ps, sub->query, nullptr, false, true);
  std::uint32_t count = 0;
  for (const TargetEntry* t : link->query->targets) if (!t->junk) ++count;
  if (count != set->targets.size()) throw SqlError(sqlstate::syntax_error, "number of columns does not match number of values").at(sub->location);
  link->id = ++next_id;
  ps.multi_assign.push_back(ps.arena, make_target(ps.arena, link, 0, {}, true));
  source.sub_select = link;
  return source;
}

Expr* multi_value(ParseState& ps, const MultiSource& source, std::uint32_t column) {
  if (source.sub_select == nullptr) {
    const ast::Node* node = source.row[column];
    if (ast::is<ast::DefaultExpr>(node)) return make<SetToDefault>(ps.arena, node->location);
    return transform(ps, node, Clause::update_source);
  }
  const TargetEntry* inner = nullptr;
  std::uint32_t n = 0;
  for (const TargetEntry* t : source.sub_select->query->targets) if (!t->junk && n++ == column) { inner = t; break; }
  auto* parameter = make<Parameter>(ps.arena, location_of(inner->expr));
  parameter->source = Parameter::Source::sub_link;
  parameter->number = (source.sub_select->id << 16) | static_cast<int>(column + 1);
  parameter->type = type_of(inner->expr);
  parameter->typmod = typmod_of(inner->expr);
  parameter->collation = collation_of(inner->expr);
  return parameter;
}

void add_update_target(ParseState& ps, List<TargetEntry*>& targets, const ast::Target* target, Expr* value) {
  AttrNumber number = target_column_number(ps, target->name);
  if (number == 0)
    throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", target->name, ps.target->relation->name)
        .at(target->location);
  Expr* e = assign_to_column(ps, value, Clause::update_target, target->name, number, target->steps, target->location);
  targets.push_back(ps.arena, make_target(ps.arena, e, number, ps.arena.copy(target->name), false));
  List<AttrNumber>& updated = ps.target->rte->updated;
  for (AttrNumber n : updated) if (n == number) return;
  updated.push_back(ps.arena, number);
}

}  // namespace

List<TargetEntry*> transform_update_targets(ParseState& ps, const List<ast::SetClause*>& set) {
  struct Pending { const ast::Target* target; Expr* value; };
  std::vector<Pending> pending;
  int next_id = 0;
  for (const ast::SetClause* clause : set) {
    if (!clause->multiple) {
      Expr* value = ast::is<ast::DefaultExpr>(clause->value) ? make<SetToDefault>(ps.arena, clause->value->location)
                                                             : transform(ps, clause->value, Clause::update_source);
      pending.push_back({clause->targets[0], value});
      continue;
    }
    MultiSource source = multi_source(ps, clause, next_id);
    for (std::uint32_t i = 0; i < clause->targets.size(); ++i) pending.push_back({clause->targets[i], multi_value(ps, source, i)});
  }
  List<TargetEntry*> targets;
  for (const Pending& p : pending) add_update_target(ps, targets, p.target, p.value);
  auto next = static_cast<AttrNumber>(ps.target->relation->descriptor->count() + 1);
  for (TargetEntry* junk : ps.multi_assign) {
    junk->number = next++;
    targets.push_back(ps.arena, junk);
  }
  ps.multi_assign = {};
  return targets;
}

Query* transform_update(ParseState& ps, const ast::UpdateStatement* update) {
  auto* query = ps.arena.make<Query>();
  query->command = CommandKind::update;
  if (update->with != nullptr) transform_with(ps, query, update->with);
  set_target_table(ps, update->relation, update->relation->inherit, true, kAclUpdate);
  query->result_rte = ps.target->index;
  if (!update->from.empty()) transform_extra_from(ps, update->from);
  Expr* where = transform_where(ps, update->where, Clause::where, "WHERE");
  query->returning = transform_returning(ps, update->returning);
  query->targets = transform_update_targets(ps, update->set);
  finish_query(ps, query, where);
  assign_query_collations(ps, query);
  return query;
}

Query* transform_delete(ParseState& ps, const ast::DeleteStatement* remove) {
  auto* query = ps.arena.make<Query>();
  query->command = CommandKind::remove;
  if (remove->with != nullptr) transform_with(ps, query, remove->with);
  set_target_table(ps, remove->relation, remove->relation->inherit, true, kAclDelete);
  query->result_rte = ps.target->index;
  if (!remove->using_items.empty()) transform_extra_from(ps, remove->using_items);
  Expr* where = transform_where(ps, remove->where, Clause::where, "WHERE");
  query->returning = transform_returning(ps, remove->returning);
  finish_query(ps, query, where);
  assign_query_collations(ps, query);
  return query;
}

}  // namespace hathi::analyzer
