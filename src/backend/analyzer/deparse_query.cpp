// Queries as text, with PostgreSQL's line breaks and indentation.

#include <algorithm>

#include "hathi/catalog/quote.h"
#include "deparser.h"

namespace hathi::analyzer {

// Starts a clause: on a new line when indenting. before/after change the indentation, plus shifts this line only.
void Deparser::keyword(std::string_view text, int before, int after, int plus) {
  if (!options_.indent) {
    out_ += text;
    return;
  }
  indent_ += before;
  trim_spaces();
  out_ += '\n';
  int amount;
  if (indent_ < kIndentLimit) amount = std::max(indent_, 0) + plus;
  else amount = (kIndentLimit + (indent_ - kIndentLimit) / (kIndentStandard / 2)) % kIndentLimit + plus;   // deep nesting saves width
  out_.append(static_cast<std::size_t>(std::max(amount, 0)), ' ');
  out_ += text;
  indent_ = std::max(indent_ + after, 0);
}

std::string Deparser::unique_entry_name(std::string_view wanted) const {
  if (wanted.empty()) return {};
  auto taken = [&](const std::string& name) {
    for (const Level& level : levels_)
      if (std::find(level.entries.begin(), level.entries.end(), name) != level.entries.end()) return true;
    return false;
  };
  std::string name(wanted);
  for (int n = 1; taken(name); ++n) name = std::string(wanted) + "_" + std::to_string(n);
  return name;
}

void Deparser::push_level(const Query* q) {
  levels_.emplace_back();
  Level& level = levels_.back();
  level.query = q;
  for (const RangeTableEntry* rte : q->range_table) {
    std::string name;
    if (rte->kind == RteKind::join && !rte->has_alias) name = {};
    else name = unique_entry_name(rte->name);
    level.entries.push_back(name);
    std::vector<std::string> columns;
    bool changed = false;
    catalog::RelationRef relation;
    if (rte->kind == RteKind::relation || (is_valid(rte->relation) && rte->subquery == nullptr))
      relation = catalog::try_open_relation(rte->relation, locking::LockMode::none);
    if (relation) {
      std::uint32_t alias = 0;
      for (const Attribute& column : relation->descriptor->attributes) {
        if (column.dropped) {
          columns.emplace_back("?dropped?column?");
          continue;
        }
        std::string_view shown = alias < rte->alias_columns.size() ? rte->alias_columns[alias] : column.name;
        ++alias;
        changed = changed || shown != column.name;
        columns.emplace_back(shown);
      }
      if (!rte->has_alias && !level.entries.back().empty() && rte->name != relation->name) level.entries.back() = std::string(relation->name);
    } else {
      for (std::string_view column : rte->column_names) columns.emplace_back(column);
      changed = rte->has_alias && !rte->alias_columns.empty();
      if (rte->kind == RteKind::function) changed = true;
    }
    level.columns.push_back(std::move(columns));
    level.print_columns.push_back(changed);
  }
}

void Deparser::query(const Query* q, bool top) {
  check_stack_depth();
  push_level(q);
  if (top && levels_.size() == 1 && q->range_table.size() == 1 && !options_.indent) levels_.back().prefix = false;
  if (top && levels_.size() == 1) levels_.back().prefix = true;
  switch (q->command) {
    case CommandKind::select: select(q, top); break;
    case CommandKind::insert: insert(q); break;
    case CommandKind::update: update(q); break;
    case CommandKind::remove: remove(q); break;
    default: throw SqlError(sqlstate::internal_error, "unrecognized query command type: {}", static_cast<int>(q->command));
  }
  levels_.pop_back();
}

void Deparser::with_clause(const Query* q) {
  if (q->ctes.empty()) return;
  if (options_.indent) {
    indent_ += kIndentStandard;
    out_ += ' ';
  }
  std::string_view separator = q->has_recursive ? "WITH RECURSIVE " : "WITH ";
  for (const CommonTableExpr* cte : q->ctes) {
    out_ += separator;
    separator = ", ";
    out_ += catalog::quote_identifier(cte->name);
    if (!cte->alias_columns.empty()) {
      out_ += '(';
      for (std::uint32_t i = 0; i < cte->alias_columns.size(); ++i) out_ += (i > 0 ? ", " : "") + catalog::quote_identifier(cte->alias_columns[i]);
      out_ += ')';
    }
    out_ += " AS ";
    if (cte->materialized == 1) out_ += "MATERIALIZED ";
    if (cte->materialized == 2) out_ += "NOT MATERIALIZED ";
    out_ += '(';
    if (options_.indent) keyword("", 0, 0, 0);
    int keep = indent_;
    query(cte->query, true);
    indent_ = keep;
    if (options_.indent) keyword("", 0, 0, 0);
    out_ += ')';
  }
  if (options_.indent) {
    indent_ -= kIndentStandard;
    keyword("", 0, 0, 0);
  } else {
    out_ += ' ';
  }
}

void Deparser::select(const Query* q, bool top) {
  with_clause(q);
  if (q->set_operations != nullptr) set_operation(q, q->set_operations, top);
  else basic_select(q, top);
  if (!q->order_by.empty()) {
    keyword(" ORDER BY ", -kIndentStandard, kIndentStandard, 1);
    order_by(q->order_by, q->targets, q->set_operations != nullptr);
  }
  if (q->offset != nullptr) {
    keyword(" OFFSET ", -kIndentStandard, kIndentStandard, 0);
    expression(q->offset, false);
  }
  if (q->limit != nullptr) {
    if (q->limit_with_ties) {
      keyword(" FETCH FIRST ", -kIndentStandard, kIndentStandard, 0);
      expression(q->limit, false);
      out_ += " ROWS WITH TIES";
    } else {
      keyword(" LIMIT ", -kIndentStandard, kIndentStandard, 0);
      if (is<Constant>(q->limit) && as<Constant>(q->limit)->is_null) out_ += "ALL";
      else expression(q->limit, false);
    }
  }
  locking(q);
}

void Deparser::locking(const Query* q) {
  static constexpr std::string_view kStrengths[] = {" FOR KEY SHARE", " FOR SHARE", " FOR NO KEY UPDATE", " FOR UPDATE"};
  if (!q->has_row_marks) return;
  for (const RowMark* mark : q->row_marks) {
    if (mark->pushed_down) continue;
    keyword(kStrengths[mark->strength & 3], -kIndentStandard, kIndentStandard, 0);
    out_ += " OF " + catalog::quote_identifier(levels_.back().entries[static_cast<std::size_t>(mark->rte - 1)]);
    if (mark->wait_policy == 2) out_ += " NOWAIT";
    if (mark->wait_policy == 1) out_ += " SKIP LOCKED";
  }
}

namespace {

// SELECT * FROM (VALUES …) as the grammar makes it of a bare VALUES.
const RangeTableEntry* bare_values(const Query* q) {
  const RangeTableEntry* found = nullptr;
  for (const RangeTableEntry* rte : q->range_table) {
    if (rte->kind == RteKind::values && rte->in_from) {
      if (found != nullptr) return nullptr;
      found = rte;
    } else if (rte->in_from) {
      return nullptr;
    }
  }
  if (found == nullptr || q->targets.size() != found->column_names.size() || found->has_alias) return nullptr;
  for (std::uint32_t i = 0; i < q->targets.size(); ++i)
    if (q->targets[i]->junk || q->targets[i]->name != found->column_names[i]) return nullptr;
  return found;
}

}  // namespace

void Deparser::basic_select(const Query* q, bool top) {
  if (options_.indent) {
    indent_ += kIndentStandard;
    out_ += ' ';
  }
  if (const RangeTableEntry* values = bare_values(q)) {
    values_lists(values);
    return;
  }
  out_ += "SELECT";
  if (!q->distinct.empty()) {
    out_ += " DISTINCT";
    if (q->has_distinct_on) {
      out_ += " ON (";
      for (std::uint32_t i = 0; i < q->distinct.size(); ++i) {
        if (i > 0) out_ += ", ";
        sort_expression(q->distinct[i], q->targets, false);
      }
      out_ += ')';
    }
  }
  targets(q->targets, top ? q : nullptr);
  from_clause(q, " FROM ");
  if (q->from != nullptr && q->from->where != nullptr) {
    keyword(" WHERE ", -kIndentStandard, kIndentStandard, 1);
    expression(q->from->where, false);
  }
  group_by(q);
  if (q->having != nullptr) {
    keyword(" HAVING ", -kIndentStandard, kIndentStandard, 0);
    expression(q->having, false);
  }
  window_clause(q);
}

void Deparser::group_by(const Query* q) {
  if (q->group_by.empty() && q->grouping_sets.empty()) return;
  keyword(" GROUP BY ", -kIndentStandard, kIndentStandard, 1);
  if (q->group_distinct) out_ += "DISTINCT ";
  bool first = true;
  if (q->grouping_sets.empty()) {
    for (const SortClause* clause : q->group_by) {
      if (!first) out_ += ", ";
      first = false;
      sort_expression(clause, q->targets, false);
    }
    return;
  }
  for (const GroupingSet* set : q->grouping_sets) {
    if (!first) out_ += ", ";
    first = false;
    grouping_set(q, set, true);
  }
}

void Deparser::grouping_set(const Query* q, const GroupingSet* set, bool omit_parentheses) {
  check_stack_depth();
  bool omit_below = true;
  switch (set->kind) {
    case GroupingSet::Kind::empty: out_ += "()"; return;
    case GroupingSet::Kind::simple: {
      bool parentheses = !omit_parentheses || set->refs.size() != 1;
      if (parentheses) out_ += '(';
      for (std::uint32_t i = 0; i < set->refs.size(); ++i) {
        if (i > 0) out_ += ", ";
        SortClause clause;
        clause.ref = set->refs[i];
        sort_expression(&clause, q->targets, false);
      }
      if (parentheses) out_ += ')';
      return;
    }
    case GroupingSet::Kind::rollup: out_ += "ROLLUP("; break;
    case GroupingSet::Kind::cube: out_ += "CUBE("; break;
    case GroupingSet::Kind::sets: out_ += "GROUPING SETS ("; omit_below = false; break;
  }
  for (std::uint32_t i = 0; i < set->content.size(); ++i) {
    if (i > 0) out_ += ", ";
    grouping_set(q, set->content[i], omit_below);
  }
  out_ += ')';
}

void Deparser::window_clause(const Query* q) {
  bool first = true;
  for (const WindowClause* w : q->windows) {
    if (w->name.empty()) continue;
    if (first) keyword(" WINDOW ", -kIndentStandard, kIndentStandard, 1);
    else out_ += ", ";
    first = false;
    out_ += catalog::quote_identifier(w->name) + " AS ";
    window_specification(w, q->targets);
  }
}

void Deparser::window_specification(const WindowClause* w, const List<TargetEntry*>& list) {
  out_ += '(';
  bool space = false;
  auto separate = [&] { if (space) out_ += ' '; space = true; };
  if (!w->refname.empty()) {
    out_ += catalog::quote_identifier(w->refname);
    space = true;
  }
  if (!w->partition_by.empty() && w->refname.empty()) {
    separate();
    out_ += "PARTITION BY ";
    for (std::uint32_t i = 0; i < w->partition_by.size(); ++i) {
      if (i > 0) out_ += ", ";
      sort_expression(w->partition_by[i], list, false);
    }
  }
  if (!w->order_by.empty() && !w->copied_order) {
    separate();
    out_ += "ORDER BY ";
    order_by(w->order_by, list, false);
  }
  if ((w->frame_options & kFrameNonDefault) != 0) {
    separate();
    int o = w->frame_options;
    out_ += (o & kFrameRange) != 0 ? "RANGE " : (o & kFrameRows) != 0 ? "ROWS " : "GROUPS ";
    if ((o & kFrameBetween) != 0) out_ += "BETWEEN ";
    if ((o & kFrameStartUnboundedPreceding) != 0) out_ += "UNBOUNDED PRECEDING ";
    else if ((o & kFrameStartCurrentRow) != 0) out_ += "CURRENT ROW ";
    else {
      expression(w->start_offset, false);
      out_ += (o & kFrameStartOffsetPreceding) != 0 ? " PRECEDING " : " FOLLOWING ";
    }
    if ((o & kFrameBetween) != 0) {
      out_ += "AND ";
      if ((o & kFrameEndUnboundedFollowing) != 0) out_ += "UNBOUNDED FOLLOWING ";
      else if ((o & kFrameEndCurrentRow) != 0) out_ += "CURRENT ROW ";
      else {
        expression(w->end_offset, false);
        out_ += (o & kFrameEndOffsetPreceding) != 0 ? " PRECEDING " : " FOLLOWING ";
      }
    }
    if ((o & kFrameExcludeCurrentRow) != 0) out_ += "EXCLUDE CURRENT ROW ";
    if ((o & kFrameExcludeGroup) != 0) out_ += "EXCLUDE GROUP ";
    if ((o & kFrameExcludeTies) != 0) out_ += "EXCLUDE TIES ";
    trim_spaces();
  }
  out_ += ')';
}

void Deparser::set_operation(const Query* q, const SetOperation* node, bool top) {
  check_stack_depth();
  if (node->op == SetOperation::Op::leaf) {
    const Query* leaf = q->range_table[static_cast<std::size_t>(node->rte - 1)]->subquery;
    bool parentheses = !leaf->ctes.empty() || !leaf->order_by.empty() || !leaf->row_marks.empty() || leaf->offset != nullptr || leaf->limit != nullptr ||
                       leaf->set_operations != nullptr;
    if (parentheses) out_ += '(';
    int keep = indent_;
    query(leaf, top);
    indent_ = keep;
    if (parentheses) out_ += ')';
    return;
  }
  const SetOperation* left = node->left;
  bool parentheses = left->op != SetOperation::Op::leaf && (left->op != node->op || left->all != node->all);
  int below = 0;
  if (parentheses) {
    out_ += '(';
    below = kIndentStandard;
    keyword("", below, 0, 0);
  }
  set_operation(q, left, top);
  if (parentheses) keyword(") ", -below, 0, 0);
  else if (options_.indent) keyword("", 0, 0, 0);
  else out_ += ' ';
  out_ += node->op == SetOperation::Op::union_op ? "UNION " : node->op == SetOperation::Op::intersect_op ? "INTERSECT " : "EXCEPT ";
  if (node->all) out_ += "ALL ";
  parentheses = node->right->op != SetOperation::Op::leaf;
  below = 0;
  if (parentheses) {
    out_ += '(';
    below = kIndentStandard;
  }
  keyword("", below, 0, 0);
  set_operation(q, node->right, false);
  if (options_.indent) indent_ -= below;
  if (parentheses) keyword(")", 0, 0, 0);
}

void Deparser::sort_expression(const SortClause* clause, const List<TargetEntry*>& list, bool force_number) {
  const TargetEntry* target = target_by_ref(clause->ref, list);
  const Expr* e = target->expr;
  if (force_number) {
    out_ += std::to_string(target->number);
  } else if (is<Constant>(e)) {
    constant(as<Constant>(e), 1);   // a bare number would be a position
  } else if (is<Variable>(e)) {
    expression(e, true);
  } else {
    bool parentheses = options_.pretty || is<FunctionExpr>(e) || is<Aggregate>(e) || is<WindowFunction>(e);
    if (parentheses) out_ += '(';
    expression(e, true);
    if (parentheses) out_ += ')';
  }
}

void Deparser::order_by(const List<SortClause*>& clauses, const List<TargetEntry*>& list, bool force_column_numbers) {
  bool first = true;
  for (const SortClause* clause : clauses) {
    if (!first) out_ += ", ";
    first = false;
    sort_expression(clause, list, force_column_numbers);
    Oid type = type_of(target_by_ref(clause->ref, list)->expr);
    const TypeInfo& info = type_info(catalog::base_type(type));
    if (clause->order_operator == info.less_operator) {
      if (clause->nulls_first) out_ += " NULLS FIRST";
    } else if (clause->order_operator == info.greater_operator) {
      out_ += " DESC";
      if (!clause->nulls_first) out_ += " NULLS LAST";
    } else {
      out_ += " USING " + operator_name(clause->order_operator, type, type);
      out_ += clause->nulls_first ? " NULLS FIRST" : " NULLS LAST";
    }
  }
}

namespace {

std::size_t current_line_start(const std::string& text) {
  std::size_t newline = text.rfind('\n');
  return newline == std::string::npos ? 0 : newline + 1;
}

}  // namespace

// q: names matter (views, subqueries in FROM); null: in expressions, where they do not.
void Deparser::targets(const List<TargetEntry*>& list, const Query* q) {
  std::string_view separator = " ";
  int column = 0;
  bool last_was_multiline = false;
  for (const TargetEntry* t : list) {
    if (t->junk) continue;
    out_ += separator;
    separator = ", ";
    ++column;
    std::string before = std::move(out_);
    out_.clear();
    // Printed apart first, to know its length.
    std::string name;
    bool named = true;
    if (is<Variable>(t->expr)) {
      name = variable(as<Variable>(t->expr), true);
      named = !name.empty();
    } else {
      expression(t->expr, true);
      if (q != nullptr) named = false;
      else name = "?column?";
    }
    if (!t->name.empty() && (!named || name != t->name)) out_ += " AS " + catalog::quote_identifier(t->name);
    std::string field = std::move(out_);
    out_ = std::move(before);
    if (options_.indent && options_.wrap_column >= 0) {
      bool starts_line = !field.empty() && field[0] == '\n';
      if (starts_line) {
        trim_spaces();
      } else if (column > 1) {
        std::size_t width = out_.size() - current_line_start(out_) + field.size();
        if (width > static_cast<std::size_t>(options_.wrap_column) || last_was_multiline)
          keyword("", -kIndentStandard, kIndentStandard, kIndentVariable);
      }
      last_was_multiline = field.find('\n', starts_line ? 1 : 0) != std::string::npos;
    }
    out_ += field;
  }
}

// --- changes -------------------------------------------------------------------------------------------------------------------

const Expr* Deparser::assignment_source(const Expr* e, std::string& suffix) {
  while (e != nullptr) {
    if (is<CoerceDomain>(e) && as<CoerceDomain>(e)->form == CallForm::implicit_cast) { e = as<CoerceDomain>(e)->arg; continue; }
    if (is<FieldStore>(e)) {
      Arena scratch;
      Root root{scratch, {}};
      const TupleDescriptor* row = row_descriptor_of_type(root, as<FieldStore>(e)->type);
      suffix += "." + catalog::quote_identifier(row == nullptr ? std::string_view("?") : (*row)[as<FieldStore>(e)->fields_set[0] - 1].name);
      e = as<FieldStore>(e)->new_values[0];
    } else if (is<Subscript>(e) && as<Subscript>(e)->assigned != nullptr) {
      const auto* s = as<Subscript>(e);
      std::string before = std::move(out_);
      out_.clear();
      for (std::uint32_t i = 0; i < s->upper.size(); ++i) {
        out_ += '[';
        if (s->is_slice) { expression(s->lower[i], false); out_ += ':'; }
        expression(s->upper[i], false);
        out_ += ']';
      }
      suffix += out_;
      out_ = std::move(before);
      e = s->assigned;
    } else {
      break;
    }
  }
  return e;
}

void Deparser::set_list(const List<TargetEntry*>& list, const RangeTableEntry* target) {
  bool first = true;
  for (const TargetEntry* t : list) {
    if (t->junk) continue;
    if (!first) out_ += ", ";
    first = false;
    std::string suffix;
    const Expr* source = assignment_source(t->expr, suffix);
    out_ += catalog::quote_identifier(target->column_names[static_cast<std::size_t>(t->number - 1)]) + suffix + " = ";
    expression(source, false);
  }
}

void Deparser::returning(const Query* q) {
  if (q->returning.empty()) return;
  keyword(" RETURNING", -kIndentStandard, kIndentStandard, 1);
  targets(q->returning, q);
}

void Deparser::insert(const Query* q) {
  with_clause(q);
  if (options_.indent) {
    indent_ += kIndentStandard;
    out_ += ' ';
  }
  const RangeTableEntry* target = q->range_table[static_cast<std::size_t>(q->result_rte - 1)];
  out_ += "INSERT INTO " + relation_name(target->relation) + " ";
  if (target->has_alias) out_ += "AS " + catalog::quote_identifier(levels_.back().entries[static_cast<std::size_t>(q->result_rte - 1)]) + " ";
  List<Expr*> sources;
  Arena scratch;
  if (!q->targets.empty()) {
    out_ += '(';
    bool first = true;
    for (const TargetEntry* t : q->targets) {
      if (t->junk) continue;
      if (!first) out_ += ", ";
      first = false;
      std::string suffix;
      sources.push_back(scratch, const_cast<Expr*>(assignment_source(t->expr, suffix)));
      out_ += catalog::quote_identifier(target->column_names[static_cast<std::size_t>(t->number - 1)]) + suffix;
    }
    out_ += ") ";
  }
  if (q->overriding == 's') out_ += "OVERRIDING SYSTEM VALUE ";
  if (q->overriding == 'u') out_ += "OVERRIDING USER VALUE ";
  const RangeTableEntry *select = nullptr, *values = nullptr;
  for (const RangeTableEntry* rte : q->range_table) {
    if (rte->kind == RteKind::subquery) select = rte;
    if (rte->kind == RteKind::values) values = rte;
  }
  if (select != nullptr) {
    int keep = indent_;
    query(select->subquery, false);
    indent_ = keep;
  } else if (values != nullptr) {
    values_lists(values);
  } else if (!sources.empty()) {
    keyword("VALUES (", -kIndentStandard, kIndentStandard, 2);
    expression_list(sources, false);
    out_ += ')';
  } else {
    out_ += "DEFAULT VALUES";
  }
  if (q->on_conflict != nullptr) {
    const OnConflict* c = q->on_conflict;
    out_ += " ON CONFLICT";
    if (!c->arbiter_elements.empty()) {
      out_ += '(';
      expression_list(c->arbiter_elements, false);
      out_ += ')';
      if (c->arbiter_where != nullptr) {
        keyword(" WHERE ", -kIndentStandard, kIndentStandard, 1);
        expression(c->arbiter_where, false);
      }
    }
    if (!c->do_update) {
      out_ += " DO NOTHING";
    } else {
      out_ += " DO UPDATE SET ";
      set_list(c->set, target);
      if (c->where != nullptr) {
        keyword(" WHERE ", -kIndentStandard, kIndentStandard, 1);
        expression(c->where, false);
      }
    }
  }
  returning(q);
}

void Deparser::update(const Query* q) {
  with_clause(q);
  const RangeTableEntry* target = q->range_table[static_cast<std::size_t>(q->result_rte - 1)];
  if (options_.indent) {
    out_ += ' ';
    indent_ += kIndentStandard;
  }
  out_ += std::string("UPDATE ") + (target->inherit ? "" : "ONLY ") + relation_name(target->relation);
  if (target->has_alias) out_ += " " + catalog::quote_identifier(levels_.back().entries[static_cast<std::size_t>(q->result_rte - 1)]);
  out_ += " SET ";
  set_list(q->targets, target);
  from_clause(q, " FROM ");
  if (q->from->where != nullptr) {
    keyword(" WHERE ", -kIndentStandard, kIndentStandard, 1);
    expression(q->from->where, false);
  }
  returning(q);
}

void Deparser::remove(const Query* q) {
  with_clause(q);
  const RangeTableEntry* target = q->range_table[static_cast<std::size_t>(q->result_rte - 1)];
  if (options_.indent) {
    out_ += ' ';
    indent_ += kIndentStandard;
  }
  out_ += std::string("DELETE FROM ") + (target->inherit ? "" : "ONLY ") + relation_name(target->relation);
  if (target->has_alias) out_ += " " + catalog::quote_identifier(levels_.back().entries[static_cast<std::size_t>(q->result_rte - 1)]);
  from_clause(q, " USING ");
  if (q->from->where != nullptr) {
    keyword(" WHERE ", -kIndentStandard, kIndentStandard, 1);
    expression(q->from->where, false);
  }
  returning(q);
}

namespace {

// All branches of a set operation show the result's names.
void name_branches(const Query* top, const Query* query, const SetOperation* node) {
  if (node->op != SetOperation::Op::leaf) {
    name_branches(top, query, node->left);
    name_branches(top, query, node->right);
    return;
  }
  Query* leaf = query->range_table[static_cast<std::size_t>(node->rte - 1)]->subquery;
  std::uint32_t i = 0;
  for (TargetEntry* t : leaf->targets)
    if (!t->junk && i < top->targets.size()) t->name = top->targets[i++]->name;
  if (leaf->set_operations != nullptr) name_branches(top, leaf, leaf->set_operations);
}

}  // namespace

std::string deparse_query(const Query* query, const DeparseOptions& options) {
  Arena arena;
  if (query->set_operations != nullptr) {
    query = copy(query, arena);
    name_branches(query, query, query->set_operations);
  }
  Deparser d(options);
  d.query(query, true);
  return d.take();
}

std::string deparse_expression(const Expr* e, const ExpressionScope* scope, bool pretty, bool prefix) {
  DeparseOptions options;
  options.pretty = pretty;
  Deparser d(options);
  ExpressionScope none;
  d.push_scope(scope == nullptr ? none : *scope, prefix);
  d.expression(e, false);
  return d.take();
}

std::string deparse_plan_expression(const Expr* e, const PlanNames& names, bool show_implicit) {
  Deparser d(DeparseOptions{});
  d.set_plan_names(names, show_implicit);
  d.expression(e, show_implicit);
  return d.take();
}

}  // namespace hathi::analyzer
