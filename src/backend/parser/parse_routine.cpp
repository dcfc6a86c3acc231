// Functions, procedures, aggregates, operators and their classes, casts, transforms.

#include <algorithm>

#include "hathi/error/report.h"
#include "parser_impl.h"

namespace hathi::parser {

// [IN | OUT | INOUT | IN OUT | VARIADIC]
bool Parser::parameter_mode(ParameterMode& mode) {
  switch (tok()) {
    case Tok::kw_in:
      advance();
      mode = accept(Tok::kw_out) ? ParameterMode::in_out : ParameterMode::in;
      return true;
    case Tok::kw_out: mode = ParameterMode::out; break;
    case Tok::kw_inout: mode = ParameterMode::in_out; break;
    case Tok::kw_variadic: mode = ParameterMode::variadic; break;
    default: return false;
  }
  advance();
  return true;
}

// Mode, name and type; the name before or behind the mode. A word is a name if a type follows it.
FunctionParameter* Parser::function_parameter(bool default_allowed) {
  FunctionParameter* p = make<FunctionParameter>();
  const bool mode_first = parameter_mode(p->mode);
  if (at_flag(kMayBeFunction)) {
    const Tok following = peek_kind();
    const bool type_follows = has_flag(following, kMayBeFunction) || following == Tok::kw_setof || following == Tok::kw_in ||
                              following == Tok::kw_out || following == Tok::kw_inout || following == Tok::kw_variadic ||
                              (has_flag(following, kMayBeColumn) && following != Tok::kw_precision && following != Tok::kw_none);
    if (type_follows && !(mode_first && (following == Tok::kw_in || following == Tok::kw_out || following == Tok::kw_inout ||
                                         following == Tok::kw_variadic))) {
      p->name = take_text();
      if (!mode_first) parameter_mode(p->mode);
    }
  }
  p->type = function_type();
  if (default_allowed && (at(Tok::kw_default) || at('='))) {
    advance();
    p->default_value = expression();
  }
  return p;
}

List<FunctionParameter*> Parser::function_parameters(bool default_allowed) {
  expect('(');
  List<FunctionParameter*> list;
  if (accept(')')) return list;
  list = comma_list<FunctionParameter*>([&] { return function_parameter(default_allowed); });
  expect(')');
  return list;
}

// FUNCTION or PROCEDURE is current.
StatementNode* Parser::create_function(bool replace, int location) {
  CreateFunctionStatement* f = make<CreateFunctionStatement>(location);
  f->replace = replace;
  f->is_procedure = at(Tok::kw_procedure);
  advance();
  f->name = function_name();
  f->parameters = function_parameters(true);
  bool output_given = false;
  if (!f->is_procedure && at(Tok::kw_returns) && !next_is(Tok::kw_null)) {
    advance();
    if (accept(Tok::kw_table)) {
      expect('(');
      for (FunctionParameter* p : f->parameters)
        output_given = output_given || p->mode == ParameterMode::out || p->mode == ParameterMode::in_out;
      f->returns_table = true;
      do {
        FunctionParameter* c = make<FunctionParameter>();
        c->mode = ParameterMode::table;
        c->name = function_id();
        c->type = function_type();
        push(f->parameters, c);
      } while (accept(','));
      expect(')');
    } else {
      f->return_type = function_type();
    }
  }
  while (Option* o = function_option(true)) push(f->options, o);
  routine_body(f);
  need_token();
  if (output_given) throw SqlError(sqlstate::syntax_error, "OUT and INOUT arguments aren't allowed in TABLE functions");
  return f;
}

Option* Parser::function_option(bool create) {
  const int location = loc();
  if (create) {
    switch (tok()) {
      case Tok::kw_as: {
        advance();
        NodeList* list = make<NodeList>();
        do {
          const int l = loc();
          push<Node*>(list->items, make_string(string_constant(), l));
        } while (list->items.size() < 2 && accept(','));
        return make_option("as", list, location);
      }
      case Tok::kw_language: {
        advance();
        const int l = loc();
        return make_option("language", make_string(non_reserved_word_or_string(), l), location);
      }
      case Tok::kw_transform: {
        advance();
        NodeList* list = make<NodeList>();
        do {
          expect_all(Tok::kw_for, Tok::kw_type);
          push<Node*>(list->items, type_name());
        } while (accept(','));
        return make_option("transform", list, location);
      }
      case Tok::kw_window: advance(); return make_option("window", make_boolean(true, location), location);
      default: break;
    }
  }
  return common_function_option();
}

Option* Parser::common_function_option() {
  const int location = loc();
  auto flag = [&](const char* name, bool value) { return make_option(name, make_boolean(value, location), location); };
  switch (tok()) {
    case Tok::kw_called:
      advance();
      expect_all(Tok::kw_on, Tok::kw_null, Tok::kw_input);
      return flag("strict", false);
    case Tok::kw_returns:
      advance();
      expect_all(Tok::kw_null, Tok::kw_on, Tok::kw_null, Tok::kw_input);
      return flag("strict", true);
    case Tok::kw_strict: advance(); return flag("strict", true);
    case Tok::kw_immutable:
    case Tok::kw_stable:
    case Tok::kw_volatile: return make_option("volatility", make_string(take_text(), location), location);
    case Tok::kw_external:
    case Tok::kw_security: {
      accept(Tok::kw_external);
      expect(Tok::kw_security);
      const bool definer = at(Tok::kw_definer);
      if (!accept(Tok::kw_definer)) expect(Tok::kw_invoker);
      return flag("security", definer);
    }
    case Tok::kw_leakproof: advance(); return flag("leakproof", true);
    case Tok::kw_not:
      advance();
      expect(Tok::kw_leakproof);
      return flag("leakproof", false);
    case Tok::kw_cost: advance(); return make_option("cost", numeric_only(), location);
    case Tok::kw_rows: advance(); return make_option("rows", numeric_only(), location);
    case Tok::kw_support: {
      advance();
      NameList* names = make<NameList>();
      names->names = any_name();
      return make_option("support", names, location);
    }
    case Tok::kw_set:
    case Tok::kw_reset: return make_option("set", function_set_or_reset(), location);
    case Tok::kw_parallel: {
      advance();
      const int l = loc();
      return make_option("parallel", make_string(col_id(), l), location);
    }
    default: return nullptr;
  }
}

// [RETURN expression | BEGIN ATOMIC statement; … END]
void Parser::routine_body(CreateFunctionStatement* f) {
  if (at(Tok::kw_return)) {
    f->body = routine_body_statement();
    return;
  }
  if (!at(Tok::kw_begin)) return;
  NodeList* list = make<NodeList>();
  advance();
  expect(Tok::kw_atomic);
  while (!accept(Tok::kw_end)) {
    if (StatementNode* s = routine_body_statement()) push<Node*>(list->items, s);
    expect(';');
  }
  f->body = list;
}

StatementNode* Parser::routine_body_statement() {
  if (at(Tok::kw_return)) {
    ReturnStatement* r = make<ReturnStatement>();
    advance();
    r->value = expression();
    return r;
  }
  if (at(Tok::kw_begin) || at(Tok::kw_end)) syntax_error();
  return statement();
}

StatementNode* Parser::alter_function(ObjectType type, int location) {
  ObjectRef* f = routine_with_args(type);
  f->location = location;
  const bool depends = at(Tok::kw_depends) || at(Tok::kw_no);
  if (depends || at(Tok::kw_rename) || at(Tok::kw_owner) ||
      (at(Tok::kw_set) && next_is(Tok::kw_schema) && peek_kind(2) != Tok::equal && peek_kind(2) != Tok::kw_to &&
       peek_kind(2) != Tok::string && peek_kind(2) != Tok::dot && peek_kind(2) != Tok::kw_from)) {
    return alter_object_with_commands(f, 15);
  }
  AlterFunctionStatement* a = make<AlterFunctionStatement>(location);
  a->function = f;
  while (Option* o = function_option(false)) push(a->options, o);
  if (a->options.empty()) syntax_error();
  accept(Tok::kw_restrict);
  return a;
}

// ---- aggregates ----

// (*), (parameters), ([parameters] ORDER BY parameters)
void Parser::aggregate_signature(ObjectRef* object) {
  object->has_args = true;
  expect('(');
  List<FunctionParameter*> ordered;
  auto parameter = [&] {
    FunctionParameter* p = function_parameter(false);
    if (p->mode != ParameterMode::unspecified && p->mode != ParameterMode::in && p->mode != ParameterMode::variadic) {
      const bool could_be_name = p->name.empty() && p->type->names.size() == 1 && p->type->typmods.empty() && p->type->array_bounds.empty();
      if (could_be_name && !at(',') && !at(')') && !at(Tok::kw_order)) syntax_error();
      throw SqlError(sqlstate::feature_not_supported, "aggregates cannot have output arguments").at(p->location);
    }
    return p;
  };
  if (accept('*')) {
    object->star = true;
  } else {
    if (!at(Tok::kw_order)) object->parameters = comma_list<FunctionParameter*>(parameter);
    if (accept(Tok::kw_order)) {
      expect(Tok::kw_by);
      object->direct_args = static_cast<int>(object->parameters.size());
      ordered = comma_list<FunctionParameter*>(parameter);
    }
  }
  expect(')');
  if (ordered.empty()) return;
  if (object->direct_args == 0 || object->parameters.back()->mode != ParameterMode::variadic) {
    object->parameters.append(arena_, ordered);
    return;
  }
  const FunctionParameter* last = object->parameters.back();
  const bool same = ordered.size() == 1 && ordered[0]->mode == ParameterMode::variadic &&
                    joined(ordered[0]->type->names) == joined(last->type->names) &&
                    std::ranges::equal(ordered[0]->type->array_bounds, last->type->array_bounds);
  if (!same) {
    throw SqlError(
        sqlstate::feature_not_supported,
        "an ordered-set aggregate with a VARIADIC direct argument must have one VARIADIC aggregated argument of the same data type")
        .at(ordered[0]->type->location);
  }
}

StatementNode* Parser::create_aggregate(bool replace, int location) {
  DefineStatement* d = make<DefineStatement>(location);
  d->type_of_object = ObjectType::aggregate;
  d->replace = replace;
  d->has_definition = true;
  advance();
  d->name = function_name();
  if (at('(') && next_is(Tok::identifier) && peek_kind(2) == Tok::equal) {
    d->old_style = true;
    advance();
    d->definition = comma_list<Option*>([&] {
      if (!at(Tok::identifier)) syntax_error();
      Option* o = make<Option>();
      o->name = take_text();
      expect('=');
      o->value = definition_value();
      return o;
    });
    expect(')');
    return d;
  }
  d->signature = make_object(ObjectType::aggregate, location);
  d->signature->name = d->name;
  aggregate_signature(d->signature);
  d->definition = definition();
  return d;
}

// ---- operators ----

// (left, right), one of them may be NONE.
void Parser::operand_types(ObjectRef* object) {
  object->has_args = true;
  expect('(');
  if (accept(Tok::kw_none)) {
    push<TypeName*>(object->operand_types, nullptr);
    expect(',');
    push(object->operand_types, type_name());
    expect(')');
    return;
  }
  push(object->operand_types, type_name());
  if (at(')')) {
    throw SqlError(sqlstate::syntax_error, "missing argument")
        .hint("Use NONE to denote the missing argument of a unary operator.")
        .at(loc());
  }
  expect(',');
  push<TypeName*>(object->operand_types, accept(Tok::kw_none) ? nullptr : type_name());
  expect(')');
}

ObjectRef* Parser::operator_with_args() {
  ObjectRef* o = make_object(ObjectType::operator_, loc());
  Name op;
  any_operator(op, o->name);
  push(o->name, op);
  operand_types(o);
  return o;
}

// OPERATOR is current: an operator, or OPERATOR CLASS, OPERATOR FAMILY.
StatementNode* Parser::create_operator(int location) {
  advance();
  if (at(Tok::kw_class) && !next_is('.')) return create_operator_class(location);
  if (at(Tok::kw_family) && !next_is('.')) return create_operator_family(location);
  DefineStatement* d = make<DefineStatement>(location);
  d->type_of_object = ObjectType::operator_;
  d->has_definition = true;
  Name op;
  any_operator(op, d->name);
  push(d->name, op);
  d->definition = definition();
  return d;
}

StatementNode* Parser::create_operator_class(int location) {
  CreateOperatorClassStatement* c = make<CreateOperatorClassStatement>(location);
  advance();
  c->name = any_name();
  c->is_default = accept(Tok::kw_default);
  expect_all(Tok::kw_for, Tok::kw_type);
  c->type = type_name();
  expect(Tok::kw_using);
  c->access_method = col_id();
  if (accept(Tok::kw_family)) c->family = any_name();
  expect(Tok::kw_as);
  c->items = comma_list<Node*>([&]() -> Node* { return operator_class_item(false); });
  return c;
}

StatementNode* Parser::create_operator_family(int location) {
  CreateOperatorFamilyStatement* f = make<CreateOperatorFamilyStatement>(location);
  advance();
  f->name = any_name();
  expect(Tok::kw_using);
  f->access_method = col_id();
  return f;
}

OperatorClassItem* Parser::operator_class_item(bool drop) {
  OperatorClassItem* i = make<OperatorClassItem>();
  auto class_types = [&] {
    expect('(');
    i->class_args = type_list();
    expect(')');
  };
  if (!drop && accept(Tok::kw_storage)) {
    i->type = OperatorClassItemKind::storage;
    i->stored_type = type_name();
    return i;
  }
  if (accept(Tok::kw_function)) {
    i->type = OperatorClassItemKind::function;
    i->number = integer_constant();
    if (drop) {
      class_types();
      return i;
    }
    if (at('(')) class_types();
    i->object = routine_with_args(ObjectType::function);
    return i;
  }
  expect(Tok::kw_operator);
  i->number = integer_constant();
  if (drop) {
    class_types();
    return i;
  }
  i->object = make_object(ObjectType::operator_, loc());
  Name op;
  any_operator(op, i->object->name);
  push(i->object->name, op);
  if (at('(')) operand_types(i->object);
  if (accept(Tok::kw_for)) {
    if (!accept(Tok::kw_search)) {
      expect_all(Tok::kw_order, Tok::kw_by);
      i->order_family = any_name();
    }
  }
  if (at(Tok::kw_recheck)) {
    ErrorReport r;
    r.severity = Severity::notice;
    r.code = sqlstate::feature_not_supported;
    r.message = "RECHECK is no longer required";
    r.hint = "Update your data type.";
    r.position = loc() + 1;
    report(std::move(r));
    advance();
  }
  return i;
}

StatementNode* Parser::alter_operator(int location) {
  if ((at(Tok::kw_class) || at(Tok::kw_family)) && !next_is('.')) {
    const bool family = at(Tok::kw_family);
    advance();
    ObjectRef* o = make_object(family ? ObjectType::operator_family : ObjectType::operator_class, location);
    o->name = any_name();
    expect(Tok::kw_using);
    o->access_method = col_id();
    if (family && at_any(Tok::kw_add, Tok::kw_drop)) {
      AlterOperatorFamilyStatement* a = make<AlterOperatorFamilyStatement>(location);
      a->name = o->name;
      a->access_method = o->access_method;
      a->drop = at(Tok::kw_drop);
      advance();
      a->items = comma_list<OperatorClassItem*>([&] { return operator_class_item(a->drop); });
      return a;
    }
    return alter_object_with_commands(o, 7);
  }
  ObjectRef* o = operator_with_args();
  if (at(Tok::kw_set) && next_is('(')) {
    AlterObjectStatement* a = make<AlterObjectStatement>(location);
    a->object = o;
    advance();
    a->options = definition(true);
    return a;
  }
  return alter_object_with_commands(o, 6);
}

// ---- casts, transforms ----

StatementNode* Parser::create_cast(int location) {
  CreateCastStatement* c = make<CreateCastStatement>(location);
  advance();
  expect('(');
  c->source = type_name();
  expect(Tok::kw_as);
  c->target = type_name();
  expect(')');
  if (accept(Tok::kw_without)) {
    expect(Tok::kw_function);
  } else {
    expect(Tok::kw_with);
    if (accept(Tok::kw_inout)) {
      c->in_out = true;
    } else {
      expect(Tok::kw_function);
      c->function = routine_with_args(ObjectType::function);
    }
  }
  if (accept(Tok::kw_as)) {
    c->context = at(Tok::kw_implicit) ? CastContext::implicit : CastContext::assignment;
    if (!accept(Tok::kw_implicit)) expect(Tok::kw_assignment);
  }
  return c;
}

StatementNode* Parser::create_transform(bool replace, int location) {
  CreateTransformStatement* t = make<CreateTransformStatement>(location);
  t->replace = replace;
  advance();
  expect(Tok::kw_for);
  t->type = type_name();
  expect(Tok::kw_language);
  t->language = col_id();
  expect('(');
  const bool from_first = at(Tok::kw_from);
  auto element = [&](bool from) {
    expect(from ? Tok::kw_from : Tok::kw_to);
    expect_all(Tok::kw_sql, Tok::kw_with, Tok::kw_function);
    (from ? t->from_sql : t->to_sql) = routine_with_args(ObjectType::function);
  };
  element(from_first);
  if (accept(',')) element(!from_first);
  expect(')');
  return t;
}

}  // namespace hathi::parser
