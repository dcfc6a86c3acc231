// Names, roles, and the option lists that many statements share.

#include "parser_impl.h"

namespace hathi::parser {

std::int32_t Parser::integer_constant() {
  if (!at(Tok::integer)) syntax_error();
  const std::int32_t value = current_.integer;
  advance();
  return value;
}

std::int32_t Parser::signed_integer() {
  if (accept('-')) return -integer_constant();
  accept('+');
  return integer_constant();
}

List<Name> Parser::parenthesized_names() {
  expect('(');
  List<Name> names = name_list();
  expect(')');
  return names;
}

// {. label}
void Parser::append_attributes(QualifiedName& name) {
  while (accept('.')) push(name, col_label());
}

QualifiedName Parser::any_name() {
  QualifiedName name;
  name.reserve(arena_, 2);
  push(name, col_id());
  append_attributes(name);
  return name;
}

// .name, .*, [index], [lower:upper]
IndirectionStep Parser::indirection_step() {
  IndirectionStep step;
  if (accept('.')) {
    if (accept('*')) {
      step.kind = IndirectionKind::star;
    } else {
      step.field = col_label();
    }
    return step;
  }
  expect('[');
  step.kind = IndirectionKind::subscript;
  if (!at(':')) step.upper = expression();
  if (accept(':')) {
    step.kind = IndirectionKind::slice;
    step.lower = step.upper;
    step.upper = at(']') ? nullptr : expression();
  }
  expect(']');
  return step;
}

List<IndirectionStep> Parser::indirection(bool names_only) {
  List<IndirectionStep> steps;
  while (at('.') || at('[')) push(steps, indirection_step());
  if (names_only) {
    check_names_only(steps);
  } else {
    for (std::uint32_t i = 0; i + 1 < steps.size(); ++i) {
      if (steps[i].kind == IndirectionKind::star) fail_near("improper use of \"*\"");
    }
  }
  return steps;
}

void Parser::check_names_only(const List<IndirectionStep>& steps) {
  for (const IndirectionStep& s : steps) {
    if (s.kind != IndirectionKind::field) syntax_error();
  }
}

void Parser::throw_improper_name(const QualifiedName& names, int location) {
  need_token();
  throw SqlError(sqlstate::syntax_error, "improper qualified name (too many dotted names): {}", joined(names)).at(location);
}

RangeVar* Parser::range_var_of(const QualifiedName& names, int location) {
  RangeVar* r = make<RangeVar>(location);
  switch (names.size()) {
    case 1: r->name = names[0]; break;
    case 2:
      r->schema = names[0];
      r->name = names[1];
      break;
    case 3:
      r->catalog = names[0];
      r->schema = names[1];
      r->name = names[2];
      break;
    default: throw_improper_name(names, location);
  }
  return r;
}

RangeVar* Parser::qualified_name() {
  const int location = loc();
  const Name first = col_id();
  if (!at('.') && !at('[')) {
    RangeVar* r = make<RangeVar>(location);
    r->name = first;
    return r;
  }
  QualifiedName names;
  push(names, first);
  for (const IndirectionStep& s : indirection(true)) push(names, s.field);
  return range_var_of(names, location);
}

// name, name *, ONLY name, ONLY (name)
RangeVar* Parser::relation_expr() {
  RangeVar* r;
  if (accept(Tok::kw_only)) {
    if (accept('(')) {
      r = qualified_name();
      expect(')');
    } else {
      r = qualified_name();
    }
    r->inherit = false;
    return r;
  }
  r = qualified_name();
  accept('*');
  return r;
}

// A function's name: type_function_name alone, or a column name with qualification.
QualifiedName Parser::function_name() {
  QualifiedName name;
  const bool function_word = at_flag(kMayBeFunction);
  if (!function_word && !at_flag(kMayBeColumn)) syntax_error();
  const bool column_word = at_flag(kMayBeColumn);
  push(name, take_text());
  if (column_word && (at('.') || at('['))) {
    for (const IndirectionStep& s : indirection(true)) push(name, s.field);
  } else if (!function_word) {
    syntax_error();
  }
  return name;
}

std::string_view Parser::joined(const QualifiedName& names) {
  if (names.size() == 1) return names[0];
  std::string text;
  for (const Name& n : names) {
    if (!text.empty()) text += '.';
    text += n;
  }
  return arena_.copy(text);
}

Name Parser::setting_name() {
  QualifiedName name;
  push(name, col_id());
  while (accept('.')) push(name, col_id());
  return joined(name);
}

RoleSpec* Parser::role_spec() {
  RoleSpec* role = make<RoleSpec>();
  switch (tok()) {
    case Tok::kw_current_role:
      role->role_kind = RoleKind::current_role;
      advance();
      return role;
    case Tok::kw_current_user:
      role->role_kind = RoleKind::current_user;
      advance();
      return role;
    case Tok::kw_session_user:
      role->role_kind = RoleKind::session_user;
      advance();
      return role;
    default: break;
  }
  const Name name = non_reserved_word();
  if (name == "public") {
    role->role_kind = RoleKind::public_role;
  } else if (name == "none") {
    throw SqlError(sqlstate::reserved_name, "role name \"none\" is reserved").at(role->location);
  } else {
    role->name = name;
  }
  return role;
}

// A role that is named, not PUBLIC or CURRENT_USER.
void Parser::check_role_id(const RoleSpec* role) {
  switch (role->role_kind) {
    case RoleKind::name: break;
    case RoleKind::public_role: throw SqlError(sqlstate::reserved_name, "role name \"public\" is reserved").at(role->location);
    case RoleKind::session_user:
      throw SqlError(sqlstate::reserved_name, "SESSION_USER cannot be used as a role name here").at(role->location);
    case RoleKind::current_user:
      throw SqlError(sqlstate::reserved_name, "CURRENT_USER cannot be used as a role name here").at(role->location);
    case RoleKind::current_role:
      throw SqlError(sqlstate::reserved_name, "CURRENT_ROLE cannot be used as a role name here").at(role->location);
  }
}

Name Parser::role_id() {
  RoleSpec* role = role_spec();
  check_role_id(role);
  return role->name;
}

Option* Parser::make_option(Name name, Node* value, int location) {
  Option* o = make<Option>(location);
  o->name = name;
  o->value = value;
  return o;
}

Constant* Parser::make_integer(std::int32_t value, int location) {
  Constant* c = make<Constant>(location);
  c->type = ConstantKind::integer;
  c->integer = value;
  return c;
}

Constant* Parser::make_boolean(bool value, int location) {
  Constant* c = make<Constant>(location);
  c->type = ConstantKind::boolean;
  c->integer = value ? 1 : 0;
  return c;
}

Constant* Parser::make_string(std::string_view value, int location) {
  Constant* c = make<Constant>(location);
  c->type = ConstantKind::string;
  c->text = value;
  return c;
}

Constant* Parser::make_null(int location) { return make<Constant>(location); }

// [+|-] number
Constant* Parser::numeric_only() {
  const int location = loc();
  const bool negative = accept('-');
  if (!negative) accept('+');
  if (at(Tok::integer)) {
    Constant* c = make_integer(negative ? -current_.integer : current_.integer, location);
    advance();
    return c;
  }
  if (!at(Tok::number)) syntax_error();
  Constant* c = make<Constant>(location);
  c->type = ConstantKind::number;
  c->text = negative ? arena_.copy(std::string("-").append(current_.text)) : current_.text;
  advance();
  return c;
}

// What may follow "=" in a definition: a number, a string, an operator, a keyword or a type.
Node* Parser::definition_value() {
  const int location = loc();
  switch (tok()) {
    case Tok::string: return make_string(take_text(), location);
    case Tok::integer:
    case Tok::number: return numeric_only();
    case Tok::kw_none: return make_string(take_text(), location);
    default: break;
  }
  if ((at('+') || at('-')) && (next_is(Tok::integer) || next_is(Tok::number))) return numeric_only();
  if (!operator_text(current_).empty() || (at(Tok::kw_operator) && next_is('('))) {
    NameList* list = make<NameList>();
    Name op;
    operator_name(op, list->names);
    push(list->names, op);
    return list;
  }
  if (at_flag(kReserved)) return make_string(take_text(), location);
  return function_type();
}

Option* Parser::definition_element(bool value_required) {
  Option* o = make<Option>();
  o->name = col_label();
  if (value_required && !at('=')) syntax_error();
  if (accept('=')) o->value = definition_value();
  return o;
}

OptionList Parser::definition(bool values_required) {
  expect('(');
  OptionList list = comma_list<Option*>([&] { return definition_element(values_required); });
  expect(')');
  return list;
}

OptionList Parser::optional_with_definition() { return accept(Tok::kw_with) ? definition() : OptionList(); }

Option* Parser::rel_option() {
  Option* o = make<Option>();
  o->name = col_label();
  if (accept('.')) {
    o->name_space = o->name;
    o->name = col_label();
  }
  if (accept('=')) o->value = definition_value();
  return o;
}

OptionList Parser::rel_options() {
  expect('(');
  OptionList list = comma_list<Option*>([&] { return rel_option(); });
  expect(')');
  return list;
}

OptionList Parser::optional_rel_options() { return accept(Tok::kw_with) ? rel_options() : OptionList(); }

OptionList Parser::generic_options() {
  expect(Tok::kw_options);
  expect('(');
  OptionList list = comma_list<Option*>([&] {
    Option* o = make<Option>();
    o->name = col_label();
    const int l = loc();
    o->value = make_string(string_constant(), l);
    return o;
  });
  expect(')');
  return list;
}

OptionList Parser::alter_generic_options() {
  expect(Tok::kw_options);
  expect('(');
  OptionList list = comma_list<Option*>([&] {
    Option* o = make<Option>();
    if (at_any(Tok::kw_set, Tok::kw_add, Tok::kw_drop) && !next_is(Tok::string)) {
      o->action = at(Tok::kw_set) ? OptionAction::set : at(Tok::kw_add) ? OptionAction::add : OptionAction::drop;
      advance();
    }
    o->name = col_label();
    if (o->action != OptionAction::drop) {
      const int l = loc();
      o->value = make_string(string_constant(), l);
    }
    return o;
  });
  expect(')');
  return list;
}

// TRUE, FALSE, ON, a word or a string as a string; a number; null when none of them is there.
Node* Parser::boolean_or_string_or_number() {
  const int location = loc();
  if (at_any(Tok::kw_true, Tok::kw_false, Tok::kw_on, Tok::string) || at_flag(kMayBeWord)) return make_string(take_text(), location);
  if (at_any(Tok::integer, Tok::number) || at('+') || at('-')) return numeric_only();
  return nullptr;
}

OptionList Parser::utility_options() {
  expect('(');
  OptionList list = comma_list<Option*>([&] {
    Option* o = make<Option>();
    if (at_any(Tok::kw_analyze, Tok::kw_analyse)) {
      o->name = "analyze";
      advance();
    } else {
      o->name = non_reserved_word();
    }
    o->value = boolean_or_string_or_number();
    return o;
  });
  expect(')');
  return list;
}

DropBehavior Parser::drop_behavior() {
  if (accept(Tok::kw_cascade)) return DropBehavior::cascade;
  accept(Tok::kw_restrict);
  return DropBehavior::restrict;
}

bool Parser::if_exists(bool name_may_follow) {
  if (!at(Tok::kw_if) || (name_may_follow && !next_is(Tok::kw_exists))) return false;
  advance();
  expect(Tok::kw_exists);
  return true;
}

bool Parser::if_not_exists(bool name_may_follow) {
  if (!at(Tok::kw_if) || (name_may_follow && !next_is(Tok::kw_not))) return false;
  advance();
  expect(Tok::kw_not);
  expect(Tok::kw_exists);
  return true;
}

std::string option_text(const Option& option) {
  if (const auto* c = node_try<Constant>(option.value)) {
    if (c->type == ConstantKind::integer) return std::to_string(c->integer);
    if (c->type == ConstantKind::boolean) return c->integer != 0 ? "true" : "false";
    return std::string(c->text);
  }
  const QualifiedName* names = nullptr;
  if (const auto* list = node_try<NameList>(option.value)) names = &list->names;
  if (const auto* type = node_try<TypeName>(option.value)) names = &type->names;
  std::string text;
  if (names != nullptr) {
    for (const Name& n : *names) text.append(text.empty() ? "" : ".").append(n);
  }
  return text;
}

}  // namespace hathi::parser
