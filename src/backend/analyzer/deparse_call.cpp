// Calls, operators and subqueries as text; names qualified where the search path would not find them.

#include "hathi/catalog/quote.h"
#include "deparser.h"

namespace hathi::analyzer {

std::string Deparser::function_name(Oid function, std::span<const Oid> types, bool variadic, bool& print_variadic) {
  const FunctionInfo& info = catalog::function_info(function);
  print_variadic = variadic && is_valid(info.variadic);
  Arena scratch;
  Root root{scratch, {}};
  ast::QualifiedName name;
  name.push_back(scratch, info.name);
  bool qualify = true;
  try {
    FunctionChoice choice = choose_function(root, name, nullptr, types, {}, !print_variadic, true);
    qualify = choice.function == nullptr || choice.function->oid != function;
  } catch (const SqlError&) {
    qualify = true;
  }
  return catalog::quote_qualified(qualify ? catalog::schema_name(info.schema) : std::string(), info.name);
}

std::string Deparser::operator_name(Oid op, Oid left, Oid right) {
  const OperatorInfo& info = catalog::operator_info(op);
  Arena scratch;
  Root root{scratch, {}};
  const OperatorInfo* found = nullptr;
  try {
    found = choose_operator(root, info.name, {}, is_valid(left) ? left : kInvalidOid, right, true, -1);
  } catch (const SqlError&) {
    found = nullptr;
  }
  if (found != nullptr && found->oid == op) return std::string(info.name);
  return "OPERATOR(" + catalog::quote_identifier(catalog::schema_name(info.schema)) + "." + std::string(info.name) + ")";
}

std::string Deparser::collation_name(Oid collation) {
  const catalog::CollationInfo* info = catalog::find_collation(collation);
  if (info == nullptr) return "?";
  return catalog::quote_qualified(catalog::collation_is_visible(collation) ? std::string() : catalog::schema_name(info->schema), info->name);
}

bool Deparser::is_cte_name(std::string_view name) const {
  for (const Level& level : levels_) {
    if (level.query == nullptr) continue;
    for (const CommonTableExpr* cte : level.query->ctes) if (cte->name == name) return true;
  }
  return false;
}

std::string Deparser::relation_name(Oid relation) const {
  catalog::RelationRef r = catalog::open_relation(relation, locking::LockMode::none);
  bool qualify = is_cte_name(r->name) || !catalog::relation_is_visible(relation);
  return catalog::quote_qualified(qualify ? r->schema_name : std::string_view(), r->name);
}

void Deparser::function(const FunctionExpr* f, bool show_implicit) {
  if (f->form == CallForm::implicit_cast && !show_implicit) {
    expression_in_parentheses(f->args[0], false, f);
    return;
  }
  if (f->form == CallForm::explicit_cast || f->form == CallForm::implicit_cast) {
    coercion(f->args[0], f->type, f->typmod, f);
    return;
  }
  if (f->form == CallForm::sql_syntax && sql_syntax(f)) return;
  std::vector<Oid> types;
  for (const Expr* arg : f->args) types.push_back(type_of(arg));
  bool variadic = false;
  out_ += function_name(f->function, types, f->variadic, variadic) + "(";
  for (std::uint32_t i = 0; i < f->args.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (variadic && i + 1 == f->args.size()) out_ += "VARIADIC ";
    expression(f->args[i], true);
  }
  out_ += ')';
}

// The special forms of the grammar, printed as they are written. False: print an ordinary call.
bool Deparser::sql_syntax(const FunctionExpr* f) {
  const FunctionInfo& info = catalog::function_info(f->function);
  if (info.schema != kPgCatalogNamespace) return false;
  std::string_view name = info.name;
  auto arg = [&](std::size_t i) { expression(f->args[i], false); };
  std::size_t n = f->args.size();
  if (name == "timezone" && n == 2) {
    out_ += '(';
    expression_in_parentheses(f->args[1], false, f);
    out_ += " AT TIME ZONE ";
    expression_in_parentheses(f->args[0], false, f);
    out_ += ')';
    return true;
  }
  if (name == "overlaps" && n == 4) {
    out_ += "(("; arg(0); out_ += ", "; arg(1); out_ += ") OVERLAPS ("; arg(2); out_ += ", "; arg(3); out_ += "))";
    return true;
  }
  if (name == "extract" && n == 2) {
    out_ += "EXTRACT(";
    if (is<Constant>(f->args[0])) {
      Arena scratch;
      out_ += varlena::text(as<Constant>(f->args[0])->value, scratch);
    }
    out_ += " FROM "; arg(1); out_ += ')';
    return true;
  }
  if (name == "is_normalized" && n >= 1) {
    out_ += '(';
    expression_in_parentheses(f->args[0], false, f);
    out_ += " IS";
    if (n == 2 && is<Constant>(f->args[1])) { Arena scratch; out_ += ' '; out_ += varlena::text(as<Constant>(f->args[1])->value, scratch); }
    out_ += " NORMALIZED)";
    return true;
  }
  if (name == "pg_collation_for" && n == 1) { out_ += "COLLATION FOR ("; arg(0); out_ += ')'; return true; }
  if (name == "normalize" && n >= 1) {
    out_ += "NORMALIZE("; arg(0);
    if (n == 2 && is<Constant>(f->args[1])) { Arena scratch; out_ += ", "; out_ += varlena::text(as<Constant>(f->args[1])->value, scratch); }
    out_ += ')';
    return true;
  }
  if (name == "overlay" && n >= 3) {
    out_ += "OVERLAY("; arg(0); out_ += " PLACING "; arg(1); out_ += " FROM "; arg(2);
    if (n == 4) { out_ += " FOR "; arg(3); }
    out_ += ')';
    return true;
  }
  if (name == "position" && n == 2) { out_ += "POSITION(("; arg(1); out_ += ") IN ("; arg(0); out_ += "))"; return true; }
  if (name == "substring" && n >= 2) {
    Oid second = type_of(f->args[1]);
    bool pattern = second == type_oid::text && n == 3;
    if (second == type_oid::text && n == 2) return false;
    out_ += "SUBSTRING("; arg(0);
    out_ += pattern ? " SIMILAR " : " FROM "; arg(1);
    if (n == 3) { out_ += pattern ? " ESCAPE " : " FOR "; arg(2); }
    out_ += ')';
    return true;
  }
  if ((name == "btrim" || name == "ltrim" || name == "rtrim") && (n == 1 || n == 2)) {
    out_ += name == "btrim" ? "TRIM(BOTH" : name == "ltrim" ? "TRIM(LEADING" : "TRIM(TRAILING";
    if (n == 2) { out_ += ' '; arg(1); }
    out_ += " FROM "; arg(0); out_ += ')';
    return true;
  }
  return false;
}

void Deparser::op(const OpExpr* o) {
  if (!options_.pretty) out_ += '(';
  if (o->args.size() == 2) {
    expression_in_parentheses(o->args[0], true, o);
    out_ += " " + operator_name(o->op, type_of(o->args[0]), type_of(o->args[1])) + " ";
    expression_in_parentheses(o->args[1], true, o);
  } else {
    out_ += operator_name(o->op, kInvalidOid, type_of(o->args[0])) + " ";
    expression_in_parentheses(o->args[0], true, o);
  }
  if (!options_.pretty) out_ += ')';
}

void Deparser::aggregate(const Aggregate* a) {
  bool variadic = false;
  out_ += function_name(a->function, a->argument_types, a->variadic, variadic) + "(";
  if (!a->distinct.empty()) out_ += "DISTINCT ";
  if (a->aggregate_kind != 'n') {
    expression_list(a->direct_args, true);
    out_ += ") WITHIN GROUP (ORDER BY ";
    order_by(a->order_by, a->args, false);
  } else {
    if (a->star) out_ += '*';
    std::uint32_t visible = 0, seen = 0;
    for (const TargetEntry* t : a->args) if (!t->junk) ++visible;
    for (const TargetEntry* t : a->args) {
      if (t->junk) continue;
      if (seen++ > 0) out_ += ", ";
      if (variadic && seen == visible) out_ += "VARIADIC ";
      expression(t->expr, true);
    }
    if (!a->order_by.empty()) {
      out_ += " ORDER BY ";
      order_by(a->order_by, a->args, false);
    }
  }
  if (a->filter != nullptr) {
    out_ += ") FILTER (WHERE ";
    expression(a->filter, false);
  }
  out_ += ')';
}

void Deparser::window_function(const WindowFunction* w) {
  std::vector<Oid> types;
  for (const Expr* arg : w->args) types.push_back(type_of(arg));
  bool variadic = false;
  out_ += function_name(w->function, types, false, variadic) + "(";
  if (w->star) out_ += '*';
  else expression_list(w->args, true);
  if (w->filter != nullptr) {
    out_ += ") FILTER (WHERE ";
    expression(w->filter, false);
  }
  out_ += ") OVER ";
  const Query* q = levels_.empty() ? nullptr : levels_.back().query;
  if (q != nullptr) {
    for (const WindowClause* clause : q->windows) {
      if (clause->ref != w->window_ref) continue;
      if (!clause->name.empty()) out_ += catalog::quote_identifier(clause->name);
      else window_specification(clause, q->targets);
      return;
    }
  }
  out_ += "(?)";
}

void Deparser::sub_link(const SubLink* link) {
  bool need_parentheses = true;
  out_ += link->type == SubLink::Type::array ? "ARRAY(" : "(";
  std::string name;
  if (link->test != nullptr) {
    const Expr* test = link->test;
    auto left_of = [](const Expr* e) { return as<OpExpr>(e)->args[0]; };
    if (is<OpExpr>(test)) {
      const auto* o = as<OpExpr>(test);
      expression(o->args[0], true);
      name = operator_name(o->op, type_of(o->args[0]), type_of(o->args[1]));
    } else if (is<BooleanExpr>(test)) {
      out_ += '(';
      bool first = true;
      for (const Expr* pair : as<BooleanExpr>(test)->args) {
        if (!first) out_ += ", ";
        if (first) name = operator_name(as<OpExpr>(pair)->op, type_of(left_of(pair)), type_of(as<OpExpr>(pair)->args[1]));
        first = false;
        expression(left_of(pair), true);
      }
      out_ += ')';
    } else if (is<RowCompare>(test)) {
      const auto* r = as<RowCompare>(test);
      out_ += '(';
      expression_list(r->left, true);
      name = operator_name(r->operators[0], type_of(r->left[0]), type_of(r->right[0]));
      out_ += ')';
    }
  }
  switch (link->type) {
    case SubLink::Type::exists: out_ += "EXISTS "; break;
    case SubLink::Type::any: out_ += name == "=" ? std::string(" IN ") : " " + name + " ANY "; break;
    case SubLink::Type::all: out_ += " " + name + " ALL "; break;
    case SubLink::Type::row_compare: out_ += " " + name + " "; break;
    case SubLink::Type::scalar: case SubLink::Type::multi: case SubLink::Type::array: need_parentheses = false; break;
  }
  if (need_parentheses) out_ += '(';
  int keep = indent_;
  query(link->query, false);
  indent_ = keep;
  out_ += need_parentheses ? "))" : ")";
}

}  // namespace hathi::analyzer
