// Functions with a syntax of their own. They arrive as ordinary calls of the functions that implement them, except XML's.

#include "parser_impl.h"

namespace hathi::parser {

// Null when the current token begins no such call. These words are column names when no parenthesis follows.
Expr* Parser::special_function() {
  const Tok word = tok();
  if (word == Tok::kw_collation && next_is(Tok::kw_for)) return collation_for();
  if (word == Tok::kw_cast) return cast_function();
  switch (word) {
    case Tok::kw_extract:
    case Tok::kw_overlay:
    case Tok::kw_position:
    case Tok::kw_substring:
    case Tok::kw_treat:
    case Tok::kw_trim:
    case Tok::kw_normalize:
    case Tok::kw_coalesce:
    case Tok::kw_greatest:
    case Tok::kw_least:
    case Tok::kw_nullif:
    case Tok::kw_xmlconcat:
    case Tok::kw_xmlelement:
    case Tok::kw_xmlexists:
    case Tok::kw_xmlforest:
    case Tok::kw_xmlparse:
    case Tok::kw_xmlpi:
    case Tok::kw_xmlroot:
    case Tok::kw_xmlserialize: break;
    default: return nullptr;
  }
  if (!next_is('(')) return nullptr;
  switch (word) {
    case Tok::kw_extract: return extract_function();
    case Tok::kw_overlay: return overlay_function();
    case Tok::kw_position: return position_function();
    case Tok::kw_substring: return substring_function();
    case Tok::kw_treat: return treat_function();
    case Tok::kw_trim: return trim_function();
    case Tok::kw_normalize: return normalize_function();
    case Tok::kw_coalesce:
    case Tok::kw_greatest:
    case Tok::kw_least:
    case Tok::kw_nullif: return coalesce_like(word);
    default: return xml_function();
  }
}

Expr* Parser::cast_function() {
  TypeCast* cast = make<TypeCast>();
  advance();
  expect('(');
  cast->arg = expression();
  expect(Tok::kw_as);
  cast->type = type_name();
  expect(')');
  return cast;
}

Expr* Parser::collation_for() {
  FunctionCall* call = system_call("pg_collation_for", loc());
  advance();
  advance();
  expect('(');
  push(call->args, expression());
  expect(')');
  return call;
}

Expr* Parser::coalesce_like(Tok word) {
  const int location = loc();
  advance();
  advance();
  if (word == Tok::kw_nullif) {
    NullIfExpr* e = make<NullIfExpr>(location);
    e->left = expression();
    expect(',');
    e->right = expression();
    expect(')');
    return e;
  }
  List<Expr*> args = expression_list();
  expect(')');
  if (word == Tok::kw_coalesce) {
    CoalesceExpr* e = make<CoalesceExpr>(location);
    e->args = args;
    return e;
  }
  MinMaxExpr* e = make<MinMaxExpr>(location);
  e->greatest = word == Tok::kw_greatest;
  e->args = args;
  return e;
}

Expr* Parser::extract_function() {
  FunctionCall* call = system_call("extract", loc());
  advance();
  advance();
  if (!at_any(Tok::identifier, Tok::string, Tok::kw_year, Tok::kw_month, Tok::kw_day, Tok::kw_hour, Tok::kw_minute, Tok::kw_second))
    syntax_error();
  const int l = loc();
  push<Expr*>(call->args, make_string(take_text(), l));
  expect(Tok::kw_from);
  push(call->args, expression());
  expect(')');
  return call;
}

// An ordinary call of a function whose name is such a word; the arguments read so far are in call.
Expr* Parser::plain_special_call(std::string_view name, int location) {
  QualifiedName names;
  push(names, Name(name));
  FunctionCall* call = make<FunctionCall>(location);
  call->name = names;
  return call;
}

// OVERLAY(a PLACING b FROM c [FOR d]) or overlay(arguments)
Expr* Parser::overlay_function() {
  const int location = loc();
  advance();
  advance();
  auto* plain = node_cast<FunctionCall>(plain_special_call("overlay", location));
  if (accept(')')) return plain;
  Expr* first = function_argument();
  if (is<NamedArg>(first) || !at(Tok::kw_placing)) {
    push(plain->args, first);
    while (accept(',')) push(plain->args, function_argument());
    expect(')');
    return plain;
  }
  advance();
  FunctionCall* call = system_call("overlay", location);
  push(call->args, first);
  push(call->args, expression());
  expect(Tok::kw_from);
  push(call->args, expression());
  if (accept(Tok::kw_for)) push(call->args, expression());
  expect(')');
  return call;
}

Expr* Parser::position_function() {
  FunctionCall* call = system_call("position", loc());
  advance();
  advance();
  Expr* part = b_expression();
  expect(Tok::kw_in);
  push(call->args, b_expression());
  push(call->args, part);
  expect(')');
  return call;
}

// SUBSTRING(a FROM b [FOR c]), (a FOR c [FROM b]), (a SIMILAR b ESCAPE c), or substring(arguments)
Expr* Parser::substring_function() {
  const int location = loc();
  advance();
  advance();
  auto* plain = node_cast<FunctionCall>(plain_special_call("substring", location));
  if (accept(')')) return plain;
  const bool outer = in_substring_;
  in_substring_ = true;
  Expr* first = function_argument();
  in_substring_ = outer;
  if (is<NamedArg>(first) || !at_any(Tok::kw_from, Tok::kw_for, Tok::kw_similar)) {
    push(plain->args, first);
    while (accept(',')) push(plain->args, function_argument());
    expect(')');
    return plain;
  }
  FunctionCall* call = system_call("substring", location);
  push(call->args, first);
  if (accept(Tok::kw_similar)) {
    push(call->args, expression());
    expect(Tok::kw_escape);
    push(call->args, expression());
  } else if (accept(Tok::kw_from)) {
    push(call->args, expression());
    if (accept(Tok::kw_for)) push(call->args, expression());
  } else {
    advance();
    Expr* length = expression();
    if (accept(Tok::kw_from)) {
      push(call->args, expression());
      push(call->args, length);
    } else {
      TypeCast* cast = make<TypeCast>(-1);
      cast->arg = length;
      cast->type = system_type("int4", -1);
      push<Expr*>(call->args, make_integer(1, -1));
      push<Expr*>(call->args, cast);
    }
  }
  expect(')');
  return call;
}

// TREAT(x AS t): a call of the function named like the type.
Expr* Parser::treat_function() {
  const int location = loc();
  advance();
  advance();
  Expr* arg = expression();
  expect(Tok::kw_as);
  TypeName* type = type_name();
  expect(')');
  FunctionCall* call = system_call(type->names.back(), location);
  push(call->args, arg);
  return call;
}

// TRIM([LEADING|TRAILING|BOTH] [a] FROM b, …) or TRIM(b, …)
Expr* Parser::trim_function() {
  const int location = loc();
  advance();
  advance();
  std::string_view name = "btrim";
  if (at_any(Tok::kw_both, Tok::kw_leading, Tok::kw_trailing)) {
    name = at(Tok::kw_leading) ? "ltrim" : at(Tok::kw_trailing) ? "rtrim" : "btrim";
    advance();
  }
  FunctionCall* call = system_call(name, location);
  if (accept(Tok::kw_from)) {
    call->args = expression_list();
  } else {
    Expr* first = expression();
    if (accept(Tok::kw_from)) {
      call->args = expression_list();
      push(call->args, first);
    } else {
      push(call->args, first);
      while (accept(',')) push(call->args, expression());
    }
  }
  expect(')');
  return call;
}

Expr* Parser::normalize_function() {
  FunctionCall* call = system_call("normalize", loc());
  advance();
  advance();
  push(call->args, expression());
  if (accept(',')) {
    if (!at_any(Tok::kw_nfc, Tok::kw_nfd, Tok::kw_nfkc, Tok::kw_nfkd)) syntax_error();
    const int l = loc();
    std::string upper(take_text());
    for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
    push<Expr*>(call->args, make_string(arena_.copy(upper), l));
  }
  expect(')');
  return call;
}

// ---- XML ----

bool Parser::document_or_content() {
  if (accept(Tok::kw_document)) return true;
  expect(Tok::kw_content);
  return false;
}

Target* Parser::xml_attribute() {
  Target* t = make<Target>();
  t->value = expression();
  if (accept(Tok::kw_as)) t->name = col_label();
  return t;
}

Expr* Parser::xml_function() {
  const int location = loc();
  const Tok word = tok();
  advance();
  expect('(');
  XmlExpr* x = make<XmlExpr>(location);
  switch (word) {
    case Tok::kw_xmlconcat: x->args = expression_list(); break;
    case Tok::kw_xmlforest:
      x->op = XmlOp::forest;
      x->named_args = xml_attribute_list();
      break;
    case Tok::kw_xmlparse: {
      x->op = XmlOp::parse;
      x->document = document_or_content();
      push(x->args, expression());
      const bool preserve = at(Tok::kw_preserve);
      if (preserve || at(Tok::kw_strip)) {
        advance();
        expect(Tok::kw_whitespace);
      }
      push<Expr*>(x->args, make_boolean(preserve, -1));
      break;
    }
    case Tok::kw_xmlpi:
      x->op = XmlOp::pi;
      expect(Tok::kw_name);
      x->name = col_label();
      if (accept(',')) push(x->args, expression());
      break;
    case Tok::kw_xmlelement: return xml_element(location);
    case Tok::kw_xmlroot: return xml_root(location);
    case Tok::kw_xmlexists: return xml_exists(location);
    default: return xml_serialize(location);
  }
  expect(')');
  return x;
}

// XMLELEMENT(NAME n [, XMLATTRIBUTES(…)] [, content, …])
Expr* Parser::xml_element(int location) {
  XmlExpr* x = make<XmlExpr>(location);
  x->op = XmlOp::element;
  expect(Tok::kw_name);
  x->name = col_label();
  bool more = accept(',');
  if (more && at(Tok::kw_xmlattributes) && next_is('(')) {
    advance();
    advance();
    x->named_args = xml_attribute_list();
    expect(')');
    more = accept(',');
  }
  if (more) x->args = expression_list();
  expect(')');
  return x;
}

// XMLROOT(x, VERSION v | NO VALUE [, STANDALONE YES | NO | NO VALUE])
Expr* Parser::xml_root(int location) {
  XmlExpr* x = make<XmlExpr>(location);
  x->op = XmlOp::root;
  push(x->args, expression());
  expect(',');
  expect(Tok::kw_version);
  if (at(Tok::kw_no) && next_is(Tok::kw_value)) {
    advance();
    advance();
    push<Expr*>(x->args, make_null(-1));
  } else {
    push(x->args, expression());
  }
  int standalone = 3;
  if (accept(',')) {
    expect(Tok::kw_standalone);
    if (accept(Tok::kw_yes)) {
      standalone = 0;
    } else {
      expect(Tok::kw_no);
      standalone = accept(Tok::kw_value) ? 2 : 1;
    }
  }
  push<Expr*>(x->args, make_integer(standalone, -1));
  expect(')');
  return x;
}

// PASSING [BY REF|VALUE] x [BY REF|VALUE]
Expr* Parser::xml_passing_argument() {
  expect(Tok::kw_passing);
  auto by = [&] {
    if (accept(Tok::kw_by) && !accept(Tok::kw_ref)) expect(Tok::kw_value);
  };
  if (next_is(Tok::kw_ref) || next_is(Tok::kw_value)) by();
  Expr* x = primary();
  by();
  return x;
}

Expr* Parser::xml_exists(int location) {
  FunctionCall* call = system_call("xmlexists", location);
  push(call->args, primary());
  push(call->args, xml_passing_argument());
  expect(')');
  return call;
}

Expr* Parser::xml_serialize(int location) {
  XmlSerialize* x = make<XmlSerialize>(location);
  x->document = document_or_content();
  x->arg = expression();
  expect(Tok::kw_as);
  x->type = simple_type_name();
  expect(')');
  return x;
}

}  // namespace hathi::parser
