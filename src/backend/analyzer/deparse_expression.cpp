// Expressions as text.

#include "hathi/catalog/quote.h"
#include "hathi/datum/function.h"
#include "deparser.h"

namespace hathi::analyzer {
namespace {

// "+", "*", … of a binary operator with a one-character name.
char simple_operator(const Expr* e) {
  if (e->kind != ExprKind::op || as<OpExpr>(e)->args.size() != 2) return '\0';
  std::string_view name = catalog::operator_info(as<OpExpr>(e)->op).name;
  return name.size() == 1 ? name[0] : '\0';
}

bool is_arithmetic(char c) { return c != '\0' && std::string_view("+-*/%").find(c) != std::string_view::npos; }
bool is_low(char c) { return c == '+' || c == '-'; }

// Parents that put their own delimiters around arguments.
bool delimits(const Expr* parent) {
  switch (parent->kind) {
    case ExprKind::subscript: case ExprKind::array: case ExprKind::row: case ExprKind::coalesce: case ExprKind::min_max: case ExprKind::nullif_op:
    case ExprKind::aggregate: case ExprKind::grouping: case ExprKind::window_function: case ExprKind::case_when: return true;
    case ExprKind::function: return as<FunctionExpr>(parent)->form == CallForm::call;
    default: return false;
  }
}

// With standard strings backslashes need no escape.
std::string quote_constant(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + "'";
}

const Expr* cast_argument(const Expr* e) {
  switch (e->kind) {
    case ExprKind::relabel: return as<Relabel>(e)->arg;
    case ExprKind::coerce_io: return as<CoerceIo>(e)->arg;
    case ExprKind::array_coerce: return as<ArrayCoerce>(e)->arg;
    case ExprKind::row_coerce: return as<RowCoerce>(e)->arg;
    case ExprKind::coerce_domain: return as<CoerceDomain>(e)->arg;
    default: return nullptr;
  }
}

const Expr* without_implicit(const Expr* e) {
  while (e != nullptr) {
    if (e->kind == ExprKind::function && as<FunctionExpr>(e)->form == CallForm::implicit_cast) e = as<FunctionExpr>(e)->args[0];
    else if (e->kind == ExprKind::relabel && as<Relabel>(e)->form == CallForm::implicit_cast) e = as<Relabel>(e)->arg;
    else if (e->kind == ExprKind::coerce_io && as<CoerceIo>(e)->form == CallForm::implicit_cast) e = as<CoerceIo>(e)->arg;
    else break;
  }
  return e;
}

bool is_case_test(const Expr* e) { return is<CaseTest>(without_implicit(e)); }

}  // namespace

bool is_simple_node(const Expr* e, const Expr* parent, bool pretty) {
  if (e == nullptr) return false;
  switch (e->kind) {
    case ExprKind::variable: case ExprKind::constant: case ExprKind::parameter: case ExprKind::domain_value: case ExprKind::set_default:
    case ExprKind::current_of: case ExprKind::subscript: case ExprKind::array: case ExprKind::row: case ExprKind::coalesce: case ExprKind::min_max:
    case ExprKind::sql_value: case ExprKind::next_value: case ExprKind::nullif_op: case ExprKind::aggregate: case ExprKind::grouping:
    case ExprKind::window_function: case ExprKind::function: case ExprKind::case_when: case ExprKind::case_test: return true;
    case ExprKind::field_select: return parent == nullptr || !is<FieldSelect>(parent);
    case ExprKind::field_store: return parent == nullptr || !is<FieldStore>(parent);
    case ExprKind::relabel: case ExprKind::coerce_io: case ExprKind::array_coerce: case ExprKind::row_coerce: case ExprKind::coerce_domain:
      return is_simple_node(cast_argument(e), e, pretty);
    case ExprKind::op: {
      if (parent == nullptr) return false;
      if (pretty && parent->kind == ExprKind::op) {
        char own = simple_operator(e), outer = simple_operator(parent);
        if (!is_arithmetic(own) || !is_arithmetic(outer)) return false;
        if (!is_low(own) && is_low(outer)) return true;
        if (is_low(own) && !is_low(outer)) return false;
        return e == as<OpExpr>(parent)->args[0];   // left-associative
      }
      return delimits(parent) || parent->kind == ExprKind::boolean;
    }
    case ExprKind::sub_link: case ExprKind::sub_plan: case ExprKind::null_test: case ExprKind::boolean_test: case ExprKind::distinct_op:
      return parent != nullptr && (delimits(parent) || parent->kind == ExprKind::boolean);
    case ExprKind::boolean:
      if (parent == nullptr) return false;
      if (parent->kind == ExprKind::boolean) {
        if (!pretty) return false;
        auto own = as<BooleanExpr>(e)->op, outer = as<BooleanExpr>(parent)->op;
        if (own == BooleanExpr::Op::or_op) return outer == BooleanExpr::Op::or_op;
        return outer != BooleanExpr::Op::not_op;
      }
      return delimits(parent);
    default: return false;
  }
}

void Deparser::push_scope(const ExpressionScope& scope, bool prefix) {
  Level level;
  level.prefix = prefix;
  level.entries.emplace_back(scope.name);
  std::vector<std::string> names;
  if (scope.columns != nullptr)
    for (const Attribute& column : scope.columns->attributes) names.emplace_back(column.dropped ? std::string_view("?dropped?column?") : column.name);
  level.columns.push_back(std::move(names));
  level.print_columns.push_back(false);
  levels_.push_back(std::move(level));
}

void Deparser::expression_list(const List<Expr*>& list, bool show_implicit) {
  bool first = true;
  for (const Expr* e : list) {
    if (!first) out_ += ", ";
    first = false;
    expression(e, show_implicit);
  }
}

void Deparser::expression_in_parentheses(const Expr* e, bool show_implicit, const Expr* parent) {
  bool needed = options_.pretty && !is_simple_node(e, parent, options_.pretty);
  if (needed) out_ += '(';
  expression(e, show_implicit);
  if (needed) out_ += ')';
}

void Deparser::coercion(const Expr* arg, Oid type, std::int32_t typmod, const Expr* parent) {
  if (is<Constant>(arg) && as<Constant>(arg)->type == type && as<Constant>(arg)->typmod == -1) {
    constant(as<Constant>(arg), -1);
  } else {
    if (!options_.pretty) out_ += '(';
    expression_in_parentheses(arg, false, parent);
    if (!options_.pretty) out_ += ')';
  }
  out_ += "::";
  out_ += catalog::format_type(type, typmod);
}

void Deparser::constant(const Constant* c, int show_type) {
  Arena scratch;
  auto label = [&](bool needed) {
    if (!needed && show_type <= 0) return;
    if (show_type < 0) return;
    out_ += "::";
    out_ += catalog::format_type(c->type, c->typmod);
  };
  if (c->is_null) {
    out_ += "NULL";
    if (show_type >= 0) {
      out_ += "::";
      out_ += catalog::format_type(c->type, c->typmod);
    }
  } else {
    bool needed = true;
    const TypeInfo& info = type_info(c->type);
    std::string text;
    if (c->type == type_oid::unknown) text = c->value.as_pointer<char>();
    else text = call_function(info.output, scratch, {c->value}).as_pointer<char>();
    bool digits = !text.empty() && text.find_first_not_of("0123456789+-eE.") == std::string::npos;
    switch (raw(c->type)) {
      case raw(type_oid::int4):
        needed = text[0] == '-';
        out_ += needed ? quote_constant(text) : text;
        break;
      case raw(type_oid::numeric): {
        // Digits alone would be read as an integer.
        bool plain = digits && text[0] != '-' && text[0] != '+' && text.find_first_of("eE.") != std::string::npos;
        if (plain) out_ += text;
        else out_ += quote_constant(text);
        needed = !plain || c->typmod >= 0;
        break;
      }
      case raw(type_oid::bool_):
        out_ += text == "t" ? "true" : "false";
        needed = false;
        break;
      case raw(type_oid::unknown):
        out_ += quote_constant(text);
        needed = false;
        break;
      default: out_ += quote_constant(text);
    }
    label(needed);
  }
  if (is_valid(c->collation) && c->collation != type_collation(c->type)) out_ += " COLLATE " + collation_name(c->collation);
}

std::string Deparser::variable(const Variable* v, bool top) {
  int rte = v->rte;
  AttrNumber column = v->column;
  std::size_t up = static_cast<std::size_t>(v->levels_up);
  if (up >= levels_.size()) throw SqlError(sqlstate::internal_error, "bogus varlevelsup: {}", v->levels_up);
  Level& level = levels_[levels_.size() - 1 - up];
  // As it was written, where that is known and it is a query's tree.
  if (level.query != nullptr && v->source_rte > 0 && v->source_rte <= static_cast<int>(level.entries.size())) {
    rte = v->source_rte;
    column = v->source_column;
  }
  if (rte < 1 || rte > static_cast<int>(level.entries.size())) throw SqlError(sqlstate::internal_error, "bogus varno: {}", rte);
  auto index = static_cast<std::size_t>(rte - 1);
  const RangeTableEntry* entry = level.query == nullptr ? nullptr : level.query->range_table[index];
  if (entry != nullptr && entry->kind == RteKind::join && !entry->has_alias && column > 0) {
    // A join without a name: the column below it, or the bare name of a merged one.
    const Expr* below = entry->join_columns[static_cast<std::size_t>(column - 1)];
    if (is<Variable>(below)) {
      Variable raised = *as<Variable>(below);
      raised.levels_up = v->levels_up;
      return variable(&raised, top);
    }
    std::string name = level.columns[index][static_cast<std::size_t>(column - 1)];
    out_ += catalog::quote_identifier(name);
    return name;
  }
  std::string name;
  if (column < 0) name = system_column(column)->name;
  else if (column > 0) {
    const auto& names = level.columns[index];
    name = column <= static_cast<int>(names.size()) ? names[static_cast<std::size_t>(column - 1)] : "?dropped?column?";
  }
  const std::string& reference = level.entries[index];
  if (!reference.empty() && (level.prefix || name.empty())) out_ += catalog::quote_identifier(reference) + ".";
  if (!name.empty()) {
    out_ += catalog::quote_identifier(name);
  } else {
    out_ += '*';
    if (top) out_ += "::" + catalog::format_type(v->type, v->typmod);
  }
  return name;
}

void Deparser::expression(const Expr* e, bool show_implicit) {
  if (e == nullptr) return;
  check_stack_depth();
  if (plan_names_.name != nullptr && (is<Variable>(e) || is<SubPlan>(e) || (is<Parameter>(e) && as<Parameter>(e)->source != Parameter::Source::external))) {
    if (plan_names_.name(e, out_, plan_names_.context)) return;
  }
  auto cast = [&](const Expr* arg, Oid type, std::int32_t typmod, CallForm form) {
    if (form == CallForm::implicit_cast && !show_implicit) expression_in_parentheses(arg, false, e);
    else coercion(arg, type, typmod, e);
  };
  auto wrapped = [&](auto body) {
    if (!options_.pretty) out_ += '(';
    body();
    if (!options_.pretty) out_ += ')';
  };
  switch (e->kind) {
    case ExprKind::constant: constant(as<Constant>(e), 0); break;
    case ExprKind::variable: variable(as<Variable>(e), false); break;
    case ExprKind::parameter: out_ += "$" + std::to_string(as<Parameter>(e)->number); break;
    case ExprKind::aggregate: aggregate(as<Aggregate>(e)); break;
    case ExprKind::window_function: window_function(as<WindowFunction>(e)); break;
    case ExprKind::grouping:
      out_ += "GROUPING(";
      expression_list(as<Grouping>(e)->args, true);
      out_ += ')';
      break;
    case ExprKind::function: function(as<FunctionExpr>(e), show_implicit); break;
    case ExprKind::op: op(as<OpExpr>(e)); break;
    case ExprKind::distinct_op:
      wrapped([&] {
        expression_in_parentheses(as<OpExpr>(e)->args[0], true, e);
        out_ += " IS DISTINCT FROM ";
        expression_in_parentheses(as<OpExpr>(e)->args[1], true, e);
      });
      break;
    case ExprKind::nullif_op:
      out_ += "NULLIF(";
      expression_list(as<OpExpr>(e)->args, true);
      out_ += ')';
      break;
    case ExprKind::array_op: {
      const auto* a = as<ArrayOp>(e);
      wrapped([&] {
        expression_in_parentheses(a->scalar, true, e);
        out_ += " " + operator_name(a->op, type_of(a->scalar), element_type_of(catalog::base_type(type_of(a->array)))) + (a->use_or ? " ANY (" : " ALL (");
        expression_in_parentheses(a->array, true, e);
        // A bare sub-SELECT would be read as a set of rows, not as an array.
        if (is<SubLink>(a->array) && as<SubLink>(a->array)->type == SubLink::Type::scalar)
          out_ += "::" + catalog::format_type(type_of(a->array), typmod_of(a->array));
        out_ += ')';
      });
      break;
    }
    case ExprKind::boolean: {
      const auto* b = as<BooleanExpr>(e);
      wrapped([&] {
        if (b->op == BooleanExpr::Op::not_op) {
          out_ += "NOT ";
          expression_in_parentheses(b->args[0], false, e);
          return;
        }
        bool first = true;
        for (const Expr* arg : b->args) {
          if (!first) out_ += b->op == BooleanExpr::Op::and_op ? " AND " : " OR ";
          first = false;
          expression_in_parentheses(arg, false, e);
        }
      });
      break;
    }
    case ExprKind::sub_link: sub_link(as<SubLink>(e)); break;
    case ExprKind::sub_plan: out_ += "(" + std::string(as<SubPlan>(e)->use_hash ? "hashed " : "") + std::string(as<SubPlan>(e)->name) + ")"; break;
    case ExprKind::field_select: {
      const auto* f = as<FieldSelect>(e);
      bool parentheses = !is<Subscript>(f->arg) && !is<FieldSelect>(f->arg);
      if (parentheses) out_ += '(';
      expression(f->arg, true);
      if (parentheses) out_ += ')';
      Arena scratch;
      Root root{scratch, {}};
      std::string name = "f" + std::to_string(f->field);
      const TupleDescriptor* row = row_descriptor_of_type(root, type_of(f->arg));
      if (row != nullptr) name = (*row)[f->field - 1].name;
      else if (is<Variable>(f->arg) && !levels_.empty()) {
        ParseState state(root, nullptr);
        // Columns of a record: known for whole rows of subqueries and functions with OUT parameters.
        const auto* v = as<Variable>(f->arg);
        Level& level = levels_[levels_.size() - 1 - static_cast<std::size_t>(v->levels_up)];
        if (v->column == 0 && v->rte >= 1 && v->rte <= static_cast<int>(level.columns.size()) &&
            f->field <= static_cast<int>(level.columns[static_cast<std::size_t>(v->rte - 1)].size()))
          name = level.columns[static_cast<std::size_t>(v->rte - 1)][static_cast<std::size_t>(f->field - 1)];
      } else if (is<FunctionExpr>(f->arg)) {
        ParseState state(root, nullptr);
        if (const TupleDescriptor* out_row = row_descriptor_of(state, f->arg)) name = (*out_row)[f->field - 1].name;
      }
      out_ += "." + catalog::quote_identifier(name);
      break;
    }
    case ExprKind::field_store: {
      out_ += "ROW(";
      expression_list(as<FieldStore>(e)->new_values, false);
      out_ += ')';
      break;
    }
    case ExprKind::subscript: {
      const auto* s = as<Subscript>(e);
      if (s->container != nullptr && is<CaseTest>(s->container) && s->assigned != nullptr) { expression(s->assigned, show_implicit); break; }
      bool parentheses = !is<Variable>(s->container) && !is<FieldSelect>(s->container);
      if (parentheses) out_ += '(';
      expression(s->container, show_implicit);
      if (parentheses) out_ += ')';
      for (std::uint32_t i = 0; i < s->upper.size(); ++i) {
        out_ += '[';
        if (s->is_slice) {
          expression(s->lower[i], false);
          out_ += ':';
        }
        expression(s->upper[i], false);
        out_ += ']';
      }
      if (s->assigned != nullptr) {
        out_ += " := ";
        expression(s->assigned, show_implicit);
      }
      break;
    }
    case ExprKind::relabel: cast(as<Relabel>(e)->arg, as<Relabel>(e)->type, as<Relabel>(e)->typmod, as<Relabel>(e)->form); break;
    case ExprKind::coerce_io: cast(as<CoerceIo>(e)->arg, as<CoerceIo>(e)->type, -1, as<CoerceIo>(e)->form); break;
    case ExprKind::array_coerce: cast(as<ArrayCoerce>(e)->arg, as<ArrayCoerce>(e)->type, as<ArrayCoerce>(e)->typmod, as<ArrayCoerce>(e)->form); break;
    case ExprKind::row_coerce: cast(as<RowCoerce>(e)->arg, as<RowCoerce>(e)->type, -1, as<RowCoerce>(e)->form); break;
    case ExprKind::coerce_domain: cast(as<CoerceDomain>(e)->arg, as<CoerceDomain>(e)->type, as<CoerceDomain>(e)->typmod, as<CoerceDomain>(e)->form); break;
    case ExprKind::collate:
      wrapped([&] {
        expression_in_parentheses(as<Collate>(e)->arg, show_implicit, e);
        out_ += " COLLATE " + collation_name(as<Collate>(e)->collation);
      });
      break;
    case ExprKind::case_when: {
      const auto* c = as<Case>(e);
      keyword("CASE", 0, kIndentVariable, 0);
      if (c->arg != nullptr) {
        out_ += ' ';
        expression(c->arg, true);
      }
      for (const CaseBranch* branch : c->branches) {
        const Expr* condition = branch->condition;
        if (c->arg != nullptr && is<OpExpr>(condition) && as<OpExpr>(condition)->args.size() == 2 && is_case_test(as<OpExpr>(condition)->args[0]))
          condition = as<OpExpr>(condition)->args[1];
        if (!options_.indent) out_ += ' ';
        keyword("WHEN ", 0, 0, 0);
        expression(condition, false);
        out_ += " THEN ";
        expression(branch->result, true);
      }
      if (!options_.indent) out_ += ' ';
      keyword("ELSE ", 0, 0, 0);
      expression(c->otherwise, true);
      if (!options_.indent) out_ += ' ';
      keyword("END", -kIndentVariable, 0, 0);
      break;
    }
    case ExprKind::case_test: out_ += "CASE_TEST_EXPR"; break;
    case ExprKind::array: {
      const auto* a = as<ArrayExpr>(e);
      out_ += "ARRAY[";
      expression_list(a->elements, true);
      out_ += ']';
      if (a->elements.empty()) out_ += "::" + catalog::format_type(a->type, -1);
      break;
    }
    case ExprKind::row: {
      const auto* r = as<RowExpr>(e);
      out_ += "ROW(";
      expression_list(r->args, true);
      out_ += ')';
      if (r->form == CallForm::explicit_cast) out_ += "::" + catalog::format_type(r->type, -1);
      break;
    }
    case ExprKind::row_compare: {
      const auto* r = as<RowCompare>(e);
      out_ += "(ROW(";
      expression_list(r->left, true);
      out_ += ") " + operator_name(r->operators[0], type_of(r->left[0]), type_of(r->right[0])) + " ROW(";
      expression_list(r->right, true);
      out_ += "))";
      break;
    }
    case ExprKind::coalesce:
      out_ += "COALESCE(";
      expression_list(as<Coalesce>(e)->args, true);
      out_ += ')';
      break;
    case ExprKind::min_max:
      out_ += as<MinMax>(e)->greatest ? "GREATEST(" : "LEAST(";
      expression_list(as<MinMax>(e)->args, true);
      out_ += ')';
      break;
    case ExprKind::sql_value: {
      static constexpr std::string_view kNames[] = {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "CURRENT_ROLE",
                                                    "CURRENT_USER", "USER", "SESSION_USER", "CURRENT_CATALOG", "CURRENT_SCHEMA"};
      const auto* v = as<SqlValue>(e);
      out_ += kNames[static_cast<int>(v->op)];
      if (v->typmod >= 0) out_ += "(" + std::to_string(v->typmod) + ")";
      break;
    }
    case ExprKind::null_test: {
      const auto* n = as<NullTest>(e);
      wrapped([&] {
        expression_in_parentheses(n->arg, true, e);
        bool scalar_row = !n->arg_is_row && is_row_type(type_of(n->arg));
        if (scalar_row) out_ += n->is_null ? " IS NOT DISTINCT FROM NULL" : " IS DISTINCT FROM NULL";
        else out_ += n->is_null ? " IS NULL" : " IS NOT NULL";
      });
      break;
    }
    case ExprKind::boolean_test: {
      static constexpr std::string_view kWords[] = {" IS TRUE", " IS NOT TRUE", " IS FALSE", " IS NOT FALSE", " IS UNKNOWN", " IS NOT UNKNOWN"};
      wrapped([&] {
        expression_in_parentheses(as<BooleanTest>(e)->arg, false, e);
        out_ += kWords[static_cast<int>(as<BooleanTest>(e)->op)];
      });
      break;
    }
    case ExprKind::domain_value: out_ += "VALUE"; break;
    case ExprKind::set_default: out_ += "DEFAULT"; break;
    case ExprKind::current_of:
      out_ += "CURRENT OF ";
      out_ += catalog::quote_identifier(as<CurrentOf>(e)->cursor);
      break;
    case ExprKind::next_value: out_ += "nextval('" + relation_name(as<NextValue>(e)->sequence) + "'::regclass)"; break;
  }
}

}  // namespace hathi::analyzer
