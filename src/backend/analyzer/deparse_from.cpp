// FROM clauses as text.

#include "hathi/catalog/quote.h"
#include "deparser.h"

namespace hathi::analyzer {

void Deparser::from_clause(const Query* q, std::string_view prefix) {
  if (q->from == nullptr) return;
  bool first = true;
  for (const JoinNode* item : q->from->items) {
    if (item->kind == JoinNodeKind::reference) {
      int number = static_cast<const RangeReference*>(item)->rte;
      if (!q->range_table[static_cast<std::size_t>(number - 1)]->in_from) continue;
    }
    if (first) {
      keyword(prefix, -kIndentStandard, kIndentStandard, 2);
      first = false;
      from_item(q, item);
      continue;
    }
    out_ += ", ";
    std::string before = std::move(out_);
    out_.clear();
    from_item(q, item);
    std::string text = std::move(out_);
    out_ = std::move(before);
    if (options_.indent && options_.wrap_column >= 0) {
      if (!text.empty() && text[0] == '\n') {
        trim_spaces();
      } else {
        std::size_t newline = out_.rfind('\n');
        std::size_t width = out_.size() - (newline == std::string::npos ? 0 : newline + 1) + text.size();
        if (width > static_cast<std::size_t>(options_.wrap_column)) keyword("", -kIndentStandard, kIndentStandard, kIndentVariable);
      }
    }
    out_ += text;
  }
}

void Deparser::from_item(const Query* q, const JoinNode* node) {
  check_stack_depth();
  if (node->kind == JoinNodeKind::reference) from_entry(q, static_cast<const RangeReference*>(node)->rte);
  else if (node->kind == JoinNodeKind::join) join(q, static_cast<const JoinExpr*>(node));
}

void Deparser::values_lists(const RangeTableEntry* rte) {
  out_ += "VALUES ";
  bool first = true;
  for (const List<Expr*>& row : rte->values) {
    if (!first) out_ += ", ";
    first = false;
    out_ += '(';
    for (std::uint32_t i = 0; i < row.size(); ++i) {
      if (i > 0) out_ += ',';
      expression(row[i], false);
    }
    out_ += ')';
  }
}

namespace {

// unnest(a, b) in FROM was written as one call.
bool is_multiple_unnest(const RangeTableEntry* rte) {
  constexpr Oid kUnnest{2331};
  if (rte->functions.size() < 2) return false;
  for (const FunctionRte* f : rte->functions)
    if (f->has_definition || !is<FunctionExpr>(f->call) || as<FunctionExpr>(f->call)->function != kUnnest) return false;
  return true;
}

}  // namespace

void Deparser::from_entry(const Query* q, int number) {
  const RangeTableEntry* rte = q->range_table[static_cast<std::size_t>(number - 1)];
  if (rte->lateral) out_ += "LATERAL ";
  const FunctionRte* definition = nullptr;
  switch (rte->kind) {
    case RteKind::relation: out_ += std::string(rte->inherit ? "" : "ONLY ") + relation_name(rte->relation); break;
    case RteKind::subquery: {
      out_ += '(';
      int keep = indent_;
      query(rte->subquery, true);
      indent_ = keep;
      out_ += ')';
      break;
    }
    case RteKind::function: {
      const FunctionRte* first = rte->functions[0];
      if (rte->functions.size() == 1 && (!first->has_definition || !rte->ordinality)) {
        expression(first->call, true);
        if (first->has_definition) definition = first;
      } else if (is_multiple_unnest(rte)) {
        out_ += "UNNEST(";
        for (std::uint32_t i = 0; i < rte->functions.size(); ++i) {
          if (i > 0) out_ += ", ";
          expression(as<FunctionExpr>(rte->functions[i]->call)->args[0], true);
        }
        out_ += ')';
      } else {
        out_ += "ROWS FROM(";
        for (std::uint32_t i = 0; i < rte->functions.size(); ++i) {
          if (i > 0) out_ += ", ";
          expression(rte->functions[i]->call, true);
          if (rte->functions[i]->has_definition) {
            out_ += " AS ";
            column_definitions(rte->functions[i]);
          }
        }
        out_ += ')';
      }
      if (rte->ordinality) out_ += " WITH ORDINALITY";
      break;
    }
    case RteKind::values:
      out_ += '(';
      values_lists(rte);
      out_ += ')';
      break;
    case RteKind::cte: out_ += catalog::quote_identifier(rte->cte_name); break;
    default: break;
  }
  entry_alias(q, number, definition != nullptr);
  if (definition != nullptr) column_definitions(definition);
  else column_aliases(number);
  if (rte->sample != nullptr) {
    out_ += " TABLESAMPLE ";
    out_ += rte->sample->method;
    out_ += " (";
    expression_list(rte->sample->args, false);
    out_ += ')';
    if (rte->sample->repeatable != nullptr) {
      out_ += " REPEATABLE (";
      expression(rte->sample->repeatable, false);
      out_ += ')';
    }
  }
}

void Deparser::entry_alias(const Query* q, int number, bool force) {
  const RangeTableEntry* rte = q->range_table[static_cast<std::size_t>(number - 1)];
  const Level& level = levels_.back();
  const std::string& name = level.entries[static_cast<std::size_t>(number - 1)];
  bool print = force || rte->has_alias || level.print_columns[static_cast<std::size_t>(number - 1)];
  if (!print) {
    switch (rte->kind) {
      case RteKind::relation: {
        catalog::RelationRef relation = catalog::try_open_relation(rte->relation, locking::LockMode::none);
        print = relation && name != relation->name;
        break;
      }
      case RteKind::function: case RteKind::subquery: case RteKind::values: print = true; break;
      case RteKind::cte: print = name != rte->cte_name; break;
      default: break;
    }
  }
  if (print) out_ += " " + catalog::quote_identifier(name);
}

void Deparser::column_aliases(int number) {
  const Level& level = levels_.back();
  auto index = static_cast<std::size_t>(number - 1);
  if (!level.print_columns[index]) return;
  bool first = true;
  for (const std::string& column : level.columns[index]) {
    if (column == "?dropped?column?") continue;
    out_ += first ? "(" : ", ";
    first = false;
    out_ += catalog::quote_identifier(column);
  }
  if (!first) out_ += ')';
}

void Deparser::column_definitions(const FunctionRte* function) {
  out_ += '(';
  for (std::uint32_t i = 0; i < function->names.size(); ++i) {
    if (i > 0) out_ += ", ";
    out_ += catalog::quote_identifier(function->names[i]) + " " + catalog::format_type(function->types[i], function->typmods[i]);
    if (is_valid(function->collations[i]) && function->collations[i] != type_collation(function->types[i]))
      out_ += " COLLATE " + collation_name(function->collations[i]);
  }
  out_ += ')';
}

void Deparser::join(const Query* q, const JoinExpr* j) {
  const RangeTableEntry* rte = j->rte > 0 ? q->range_table[static_cast<std::size_t>(j->rte - 1)] : nullptr;
  bool named = rte != nullptr && rte->has_alias;
  bool parentheses = !options_.pretty || named;
  if (parentheses) out_ += '(';
  from_item(q, j->left);
  std::string_view word;
  switch (j->type) {
    case JoinType::inner: word = j->condition != nullptr ? " JOIN " : " CROSS JOIN "; break;
    case JoinType::left: word = " LEFT JOIN "; break;
    case JoinType::full: word = " FULL JOIN "; break;
    default: word = " RIGHT JOIN "; break;
  }
  keyword(word, -kIndentStandard, kIndentStandard, kIndentJoin);
  bool right_parentheses = options_.pretty && j->right->kind != JoinNodeKind::reference;
  if (right_parentheses) out_ += '(';
  from_item(q, j->right);
  if (right_parentheses) out_ += ')';
  if (!j->using_columns.empty()) {
    out_ += " USING (";
    for (std::uint32_t i = 0; i < j->using_columns.size(); ++i) out_ += (i > 0 ? ", " : "") + catalog::quote_identifier(j->using_columns[i]);
    out_ += ')';
    if (rte != nullptr && !rte->using_alias.empty()) out_ += " AS " + catalog::quote_identifier(rte->using_alias);
  } else if (j->condition != nullptr) {
    out_ += " ON ";
    if (!options_.pretty) out_ += '(';
    expression(j->condition, false);
    if (!options_.pretty) out_ += ')';
  } else if (j->type != JoinType::inner) {
    out_ += " ON TRUE";
  }
  if (parentheses) out_ += ')';
  if (named) {
    out_ += " " + catalog::quote_identifier(levels_.back().entries[static_cast<std::size_t>(j->rte - 1)]);
    column_aliases(j->rte);
  }
}

}  // namespace hathi::analyzer
