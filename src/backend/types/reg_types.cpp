// regclass, regtype, regproc, regrole and their like: OIDs that are written and read as names.

#include <charconv>

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"
#include "hathi/parser/parser.h"
#include "hathi/types/binary.h"
#include "tables.h"

namespace hathi::types {

namespace {

std::string_view input(const FunctionCall& call) { return call.arg(0).as_pointer<char>(); }

Datum cstring(FunctionCall& call, std::string_view text) { return Datum::of(static_cast<const void*>(call.arena().copy(text).data())); }

// "-" is 0, digits are the OID itself.
bool is_number(std::string_view text, Oid& out) {
  if (text == "-") {
    out = kInvalidOid;
    return true;
  }
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  std::uint32_t n = 0;
  auto [p, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc()) throw SqlError(sqlstate::numeric_value_out_of_range, "value \"{}\" is out of range for type oid", text);
  out = Oid{n};
  return true;
}

struct Name {
  Oid schema = kInvalidOid;      // 0 = by search path
  bool schema_missing = false;
  std::string_view name;
};

std::string dotted(const parser::QualifiedName& names) {
  std::string out;
  for (std::string_view n : names) out += (out.empty() ? "" : ".") + std::string(n);
  return out;
}

Name split(const parser::QualifiedName& names, std::string_view what = "qualified") {
  Name out;
  std::size_t n = names.size();
  out.name = names[n - 1];
  if (n > 3) throw SqlError(sqlstate::syntax_error, "improper {} name (too many dotted names): {}", what, dotted(names));
  if (n > 1) {
    out.schema = catalog::find_schema(names[n - 2]);
    out.schema_missing = !is_valid(out.schema);
  }
  return out;
}

// --- regclass ----------------------------------------------------------------------------------------------------------------
Oid find_class(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (is_number(text, oid)) return oid;
  parser::QualifiedName names = parser::parse_qualified_name(text, arena);
  Name name = split(names, "relation");
  if (name.schema_missing && !missing_ok) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", names[names.size() - 2]);
  Oid found = name.schema_missing ? kInvalidOid : catalog::find_relation(name.name, name.schema);
  if (!is_valid(found) && !missing_ok) throw SqlError(sqlstate::undefined_table, "relation \"{}\" does not exist", dotted(names));
  return found;
}

Datum regclassin(FunctionCall& call) { return Datum::of(find_class(input(call), call.arena(), false)); }
Datum text_regclass(FunctionCall& call) { return Datum::of(find_class(call.text(0), call.arena(), false)); }
Datum to_regclass(FunctionCall& call) {
  Oid oid = find_class(call.text(0), call.arena(), true);
  return is_valid(oid) ? Datum::of(oid) : call.null();
}

Datum number_text(FunctionCall& call, Oid oid) { return cstring(call, std::to_string(raw(oid))); }

Datum regclassout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "-");
  catalog::RelationRef r = catalog::try_open_relation(oid, locking::LockMode::none);
  if (!r) return number_text(call, oid);
  if (catalog::relation_is_visible(oid)) return cstring(call, parser::quote_identifier(r->name));
  return cstring(call, parser::quote_qualified(r->schema_name, r->name));
}

// --- regtype -----------------------------------------------------------------------------------------------------------------
Oid find_type_named(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (is_number(text, oid)) return oid;
  const parser::TypeName* type = parser::parse_type_name(text, arena);
  Name name = split(type->names);
  const catalog::TypeInfo* info = name.schema_missing          ? nullptr
                                  : is_valid(name.schema) ? catalog::find_type_by_name(name.name, name.schema)
                                                               : catalog::find_type_in_path(name.name);
  Oid found = info == nullptr ? kInvalidOid : (type->array_bounds.empty() ? info->oid : info->array);
  if (!is_valid(found) && !missing_ok) throw SqlError(sqlstate::undefined_object, "type \"{}\" does not exist", text);
  return found;
}

Datum regtypein(FunctionCall& call) { return Datum::of(find_type_named(input(call), call.arena(), false)); }
Datum to_regtype(FunctionCall& call) {
  Oid oid = find_type_named(call.text(0), call.arena(), true);
  return is_valid(oid) ? Datum::of(oid) : call.null();
}
Datum regtypeout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "-");
  if (catalog::find_type(oid) == nullptr) return number_text(call, oid);
  return cstring(call, catalog::format_type(oid));
}

// --- regproc, regprocedure -----------------------------------------------------------------------------------------------------
Oid find_proc(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (is_number(text, oid)) return oid;
  Name name = split(parser::parse_qualified_name(text, arena));
  std::vector<const catalog::FunctionInfo*> found;
  if (!name.schema_missing) catalog::find_functions(name.name, name.schema, found);
  if (found.size() == 1) return found[0]->oid;
  if (missing_ok) return kInvalidOid;
  if (found.empty()) throw SqlError(sqlstate::undefined_function, "function \"{}\" does not exist", text);
  throw SqlError(sqlstate::ambiguous_function, "more than one function named \"{}\"", text);
}

Datum regprocin(FunctionCall& call) { return Datum::of(find_proc(input(call), call.arena(), false)); }
Datum to_regproc(FunctionCall& call) {
  Oid oid = find_proc(call.text(0), call.arena(), true);
  return is_valid(oid) ? Datum::of(oid) : call.null();
}

std::string function_name(const catalog::FunctionInfo& f, bool visible) {
  return visible ? parser::quote_identifier(f.name) : parser::quote_qualified(catalog::schema_name(f.schema), f.name);
}

Datum regprocout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "-");
  const catalog::FunctionInfo* f = catalog::find_function(oid);
  if (f == nullptr) return number_text(call, oid);
  std::vector<const catalog::FunctionInfo*> same;
  catalog::find_functions(f->name, kInvalidOid, same);
  return cstring(call, function_name(*f, same.size() == 1 && same[0]->oid == oid));
}

std::string argument_types(const catalog::FunctionInfo& f) {
  std::string out;
  for (Oid type : f.arguments) out += (out.empty() ? "" : ",") + catalog::format_type(type);
  return out;
}

Datum regprocedureout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "-");
  const catalog::FunctionInfo* f = catalog::find_function(oid);
  if (f == nullptr) return number_text(call, oid);
  return cstring(call, fmt::format("{}({})", function_name(*f, catalog::function_is_visible(oid)), argument_types(*f)));
}

Oid find_procedure(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (is_number(text, oid)) return oid;
  std::size_t open = text.find('(');
  if (open == std::string_view::npos) throw SqlError(sqlstate::syntax_error, "expected a left parenthesis");
  if (text.back() != ')') throw SqlError(sqlstate::syntax_error, "expected a right parenthesis");
  Name name = split(parser::parse_qualified_name(text.substr(0, open), arena));
  std::string_view list = text.substr(open + 1, text.size() - open - 2);
  std::vector<Oid> wanted;
  while (!list.empty()) {
    std::size_t comma = list.find(',');
    wanted.push_back(find_type_named(list.substr(0, comma), arena, missing_ok));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  std::vector<const catalog::FunctionInfo*> found;
  if (!name.schema_missing) catalog::find_functions(name.name, name.schema, found);
  for (const catalog::FunctionInfo* f : found) {
    if (std::equal(f->arguments.begin(), f->arguments.end(), wanted.begin(), wanted.end())) return f->oid;
  }
  if (missing_ok) return kInvalidOid;
  throw SqlError(sqlstate::undefined_function, "function \"{}\" does not exist", text);
}

Datum regprocedurein(FunctionCall& call) { return Datum::of(find_procedure(input(call), call.arena(), false)); }
Datum to_regprocedure(FunctionCall& call) {
  Oid oid = find_procedure(call.text(0), call.arena(), true);
  return is_valid(oid) ? Datum::of(oid) : call.null();
}

// --- regoper, regoperator ------------------------------------------------------------------------------------------------------
Datum regoperout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "0");
  const catalog::OperatorInfo* op = catalog::find_operator(oid);
  if (op == nullptr) return number_text(call, oid);
  std::vector<const catalog::OperatorInfo*> same;
  catalog::find_operators(op->name, op->kind, kInvalidOid, same);
  if (same.size() == 1) return cstring(call, op->name);
  return cstring(call, fmt::format("{}.{}", parser::quote_identifier(catalog::schema_name(op->schema)), op->name));
}

Datum regoperatorout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "0");
  const catalog::OperatorInfo* op = catalog::find_operator(oid);
  if (op == nullptr) return number_text(call, oid);
  std::string name(op->name);
  if (!catalog::operator_is_visible(oid)) name = fmt::format("{}.{}", parser::quote_identifier(catalog::schema_name(op->schema)), op->name);
  auto operand = [](Oid type) { return is_valid(type) ? catalog::format_type(type) : std::string("NONE"); };
  return cstring(call, fmt::format("{}({},{})", name, operand(op->left), operand(op->right)));
}

// The name before the parenthesis may be qualified; what follows the last dot of the qualification is the operator.
Name operator_name(std::string_view text, Arena& arena) {
  constexpr std::string_view kOperatorCharacters = "+-*/<>=~!@#%^&|`?";
  std::size_t start = text.find_first_of(kOperatorCharacters);
  Name out;
  if (start == std::string_view::npos) throw SqlError(sqlstate::syntax_error, "invalid name syntax");
  out.name = text.substr(start);
  std::string_view qualification = text.substr(0, start);
  while (!qualification.empty() && (qualification.back() == ' ' || qualification.back() == '.')) qualification.remove_suffix(1);
  if (qualification.empty()) return out;
  parser::QualifiedName names = parser::parse_qualified_name(qualification, arena);
  out.schema = catalog::find_schema(names[names.size() - 1]);
  out.schema_missing = !is_valid(out.schema);
  return out;
}

Oid find_oper(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (text == "0" || is_number(text, oid)) return text == "0" ? kInvalidOid : oid;
  Name name = operator_name(text, arena);
  std::vector<const catalog::OperatorInfo*> found;
  if (!name.schema_missing) {
    for (char kind : {'b', 'l'}) catalog::find_operators(name.name, kind, name.schema, found);
  }
  if (found.size() == 1) return found[0]->oid;
  if (missing_ok) return kInvalidOid;
  if (found.empty()) throw SqlError(sqlstate::undefined_function, "operator does not exist: {}", text);
  throw SqlError(sqlstate::ambiguous_function, "more than one operator named {}", text);
}

Oid find_operator_with_types(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (text == "0" || is_number(text, oid)) return text == "0" ? kInvalidOid : oid;
  std::size_t open = text.find('(');
  if (open == std::string_view::npos) throw SqlError(sqlstate::invalid_text_representation, "expected a left parenthesis");
  if (text.back() != ')') throw SqlError(sqlstate::invalid_text_representation, "expected a right parenthesis");
  Name name = operator_name(text.substr(0, open), arena);
  std::string_view list = text.substr(open + 1, text.size() - open - 2);
  std::vector<Oid> types;
  while (!list.empty()) {
    std::size_t comma = list.find(',');
    std::string_view one = list.substr(0, comma);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    bool none = one.size() == 4 && (one[0] | 0x20) == 'n' && (one[1] | 0x20) == 'o' && (one[2] | 0x20) == 'n' && (one[3] | 0x20) == 'e';
    types.push_back(none ? kInvalidOid : find_type_named(one, arena, missing_ok));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  if (types.size() == 1) {
    throw SqlError(sqlstate::undefined_parameter, "missing argument").hint("Use NONE to denote the missing argument of a unary operator.");
  }
  if (types.size() != 2) throw SqlError(sqlstate::too_many_arguments, "too many arguments").hint("Provide two argument types for operator.");
  const catalog::OperatorInfo* op = name.schema_missing ? nullptr : catalog::find_operator(name.name, types[0], types[1], name.schema);
  if (op != nullptr) return op->oid;
  if (missing_ok) return kInvalidOid;
  throw SqlError(sqlstate::undefined_function, "operator does not exist: {}", text);
}

template <Oid (*Find)(std::string_view, Arena&, bool)> Datum read_name(FunctionCall& call) { return Datum::of(Find(input(call), call.arena(), false)); }
template <Oid (*Find)(std::string_view, Arena&, bool)> Datum to_name(FunctionCall& call) {
  Oid oid = Find(call.text(0), call.arena(), true);
  return is_valid(oid) ? Datum::of(oid) : call.null();
}

// --- regrole, regnamespace, regcollation -------------------------------------------------------------------------------------------
std::string_view single_name(std::string_view text, Arena& arena) {
  parser::QualifiedName names = parser::parse_qualified_name(text, arena);
  if (names.size() != 1) throw SqlError(sqlstate::invalid_name, "invalid name syntax");
  return names[0];
}

Oid find_role(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (is_number(text, oid)) return oid;
  std::string_view name = single_name(text, arena);
  const catalog::RoleInfo* role = catalog::find_role_by_name(name);
  if (role == nullptr && !missing_ok) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", name);
  return role == nullptr ? kInvalidOid : role->oid;
}
Datum regrolein(FunctionCall& call) { return Datum::of(find_role(input(call), call.arena(), false)); }
Datum to_regrole(FunctionCall& call) {
  Oid oid = find_role(call.text(0), call.arena(), true);
  return is_valid(oid) ? Datum::of(oid) : call.null();
}
Datum regroleout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "-");
  const catalog::RoleInfo* role = catalog::find_role(oid);
  return role == nullptr ? number_text(call, oid) : cstring(call, parser::quote_identifier(role->name));
}

Oid find_namespace(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (is_number(text, oid)) return oid;
  std::string_view name = single_name(text, arena);
  Oid found = catalog::find_schema(name);
  if (!is_valid(found) && !missing_ok) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name);
  return found;
}
Datum regnamespacein(FunctionCall& call) { return Datum::of(find_namespace(input(call), call.arena(), false)); }
Datum to_regnamespace(FunctionCall& call) {
  Oid oid = find_namespace(call.text(0), call.arena(), true);
  return is_valid(oid) ? Datum::of(oid) : call.null();
}
Datum regnamespaceout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "-");
  std::string name = catalog::schema_name(oid);
  return name.empty() ? number_text(call, oid) : cstring(call, parser::quote_identifier(name));
}
Oid find_collation_named(std::string_view text, Arena& arena, bool missing_ok) {
  Oid oid;
  if (is_number(text, oid)) return oid;
  parser::QualifiedName names = parser::parse_qualified_name(text, arena);
  Name name = split(names);
  const catalog::CollationInfo* info = name.schema_missing ? nullptr : catalog::find_collation_by_name(name.name, name.schema);
  if (info != nullptr) return info->oid;
  if (missing_ok) return kInvalidOid;
  throw SqlError(sqlstate::undefined_object, "collation \"{}\" for encoding \"UTF8\" does not exist", dotted(names));
}
Datum regcollationout(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (!is_valid(oid)) return cstring(call, "-");
  const catalog::CollationInfo* c = catalog::find_collation(oid);
  return c == nullptr ? number_text(call, oid) : cstring(call, parser::quote_identifier(c->name));
}

// Binary: the OID.
Datum receive(FunctionCall& call) { return Datum::of(const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>())->integer<std::uint32_t>()); }
Datum send(FunctionCall& call) {
  char bytes[4];
  put_big_endian(bytes, call.arg(0).as_uint32());
  return varlena::make(call.arena(), {bytes, 4});
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{2214}, read_name<find_oper>}, {Oid{2216}, read_name<find_operator_with_types>}, {Oid{3492}, to_name<find_oper>},
    {Oid{3476}, to_name<find_operator_with_types>}, {Oid{4193}, read_name<find_collation_named>}, {Oid{4195}, to_name<find_collation_named>},
    {Oid{2444}, receive}, {Oid{2445}, send}, {Oid{2446}, receive}, {Oid{2447}, send}, {Oid{2448}, receive}, {Oid{2449}, send}, {Oid{2450}, receive},
    {Oid{2451}, send}, {Oid{2452}, receive}, {Oid{2453}, send}, {Oid{2454}, receive}, {Oid{2455}, send}, {Oid{4094}, receive}, {Oid{4095}, send},
    {Oid{4087}, receive}, {Oid{4088}, send}, {Oid{4196}, receive}, {Oid{4197}, send},
    {Oid{44}, regprocin},        {Oid{45}, regprocout},         {Oid{2212}, regprocedurein},   {Oid{2213}, regprocedureout}, {Oid{2215}, regoperout},
    {Oid{2217}, regoperatorout}, {Oid{2218}, regclassin},       {Oid{2219}, regclassout},      {Oid{2220}, regtypein},       {Oid{2221}, regtypeout},
    {Oid{4098}, regrolein},      {Oid{4092}, regroleout},       {Oid{4084}, regnamespacein},   {Oid{4085}, regnamespaceout}, {Oid{4194}, regcollationout},
    {Oid{1079}, text_regclass},  {Oid{3495}, to_regclass},      {Oid{3493}, to_regtype},       {Oid{3494}, to_regproc},      {Oid{3479}, to_regprocedure},
    {Oid{4093}, to_regrole},     {Oid{4086}, to_regnamespace},
};

}  // namespace

std::span<const BuiltinFunction> reg_type_functions() { return kFunctions; }

}  // namespace hathi::types
