// Loading pg_type, and the look-ups by key over all built-in tables.

#include <algorithm>

#include "src/backend/catalog/builtin_tables.h"
#include "src/backend/catalog/data.h"
#include "src/backend/catalog/type_operators.h"

namespace hathi::catalog::builtin {

void load_types(Tables& t) {
  data::Reader in(data::pg_type);
  auto c = [&](const char* name) { return in.position(name); };
  while (in.next()) {
    auto oid = [&](const char* name) { return in.oid(c(name)); };
    TypeInfo type;
    type.oid = oid("oid");
    type.name = in.text(c("typname"));
    type.schema = kPgCatalogNamespace;
    type.owner = kBootstrapSuperuser;
    type.layout = {static_cast<std::int16_t>(in.signed_number(c("typlen"))), in.flag(c("typbyval")), in.letter(c("typalign"))};
    type.kind = in.letter(c("typtype"));
    type.category = in.letter(c("typcategory"));
    type.preferred = in.flag(c("typispreferred"));
    type.is_defined = in.flag(c("typisdefined"));
    type.delimiter = in.letter(c("typdelim"));
    type.storage = in.letter(c("typstorage"));
    type.relation = oid("typrelid");
    type.element = oid("typelem");
    type.array = oid("typarray");
    type.collation = oid("typcollation");
    type.input = oid("typinput");
    type.output = oid("typoutput");
    type.receive = oid("typreceive");
    type.send = oid("typsend");
    type.typmod_in = oid("typmodin");
    type.typmod_out = oid("typmodout");
    type.subscript = oid("typsubscript");
    if (!in.is_null(c("typdefault"))) type.default_text = in.text(c("typdefault"));
    t.types.push_back(type);
    t.type_extras.push_back({oid("typanalyze")});
  }
  t.type_names.reserve(t.types.size());
  for (std::uint32_t i = 0; i < t.types.size(); ++i) {
    t.type_rows.set(t.types[i].oid, i);
    t.type_names.add(hash_text(t.types[i].name), i);
  }
}

void derive_type_operators(Tables& t) {
  // Element types first: an array's operators depend on them.
  for (TypeInfo& type : t.types) {
    if (!type.is_true_array()) fill_type_operators(type);
  }
  for (TypeInfo& type : t.types) {
    if (type.is_true_array()) fill_type_operators(type);
  }
}

std::span<const TypeInfo> types() { return tables().types; }
std::span<const TypeExtra> type_extras() { return tables().type_extras; }
std::span<const FunctionInfo> functions() { return tables().functions; }
std::span<const FunctionExtra> function_extras() { return tables().function_extras; }
std::span<const OperatorInfo> operators() { return tables().operators; }
std::span<const CastInfo> casts() { return tables().casts; }
std::span<const AggregateInfo> aggregates() { return tables().aggregates; }
std::span<const std::int32_t> aggregate_spaces() { return tables().aggregate_spaces; }
std::span<const OperatorClassInfo> operator_classes() { return tables().operator_classes; }
std::span<const OperatorFamily> operator_families() { return tables().operator_families; }
std::span<const FamilyOperator> family_operators() { return tables().family_operators; }
std::span<const FamilyFunction> family_functions() { return tables().family_functions; }
std::span<const CollationInfo> collations() { return tables().collations; }
std::span<const AccessMethod> access_methods() { return tables().access_methods; }
std::span<const Language> languages() { return tables().languages; }
std::span<const Range> ranges() { return tables().ranges; }
std::span<const Role> roles() { return tables().roles; }
std::span<const Membership> memberships() { return tables().memberships; }

namespace {

template <class Row, class Test>
const Row* first_match(const HashIndex& index, std::uint64_t hash, const std::vector<Row>& rows, Test&& test) {
  const Row* found = nullptr;
  index.each(hash, [&](std::uint32_t i) {
    if (!test(rows[i])) return false;
    found = &rows[i];
    return true;
  });
  return found;
}

}  // namespace

const TypeInfo* type(Oid oid) {
  const Tables& t = tables();
  int row = t.type_rows.find(oid);
  return row < 0 ? nullptr : &t.types[static_cast<std::size_t>(row)];
}

const TypeInfo* type(std::string_view name) {
  const Tables& t = tables();
  return first_match(t.type_names, hash_text(name), t.types, [&](const TypeInfo& x) { return x.name == name; });
}

const FunctionInfo* function(Oid oid) {
  const Tables& t = tables();
  int row = t.function_rows.find(oid);
  return row < 0 ? nullptr : &t.functions[static_cast<std::size_t>(row)];
}

void functions_named(std::string_view name, std::vector<const FunctionInfo*>& out) {
  const Tables& t = tables();
  t.function_names.each(hash_text(name), [&](std::uint32_t i) {
    if (t.functions[i].name == name) out.push_back(&t.functions[i]);
    return false;
  });
}

const OperatorInfo* op(Oid oid) {
  const Tables& t = tables();
  int row = t.operator_rows.find(oid);
  return row < 0 ? nullptr : &t.operators[static_cast<std::size_t>(row)];
}

const OperatorInfo* op(std::string_view name, Oid left, Oid right) {
  const Tables& t = tables();
  return first_match(t.operator_signatures, hash_text(name) ^ hash_oids(left, right), t.operators,
                     [&](const OperatorInfo& o) { return o.left == left && o.right == right && o.name == name; });
}

void operators_named(std::string_view name, char kind, std::vector<const OperatorInfo*>& out) {
  const Tables& t = tables();
  t.operator_names.each(hash_text(name), [&](std::uint32_t i) {
    if (t.operators[i].name == name && t.operators[i].kind == kind) out.push_back(&t.operators[i]);
    return false;
  });
}

const CastInfo* cast(Oid source, Oid target) {
  const Tables& t = tables();
  return first_match(t.cast_pairs, hash_oids(source, target), t.casts, [&](const CastInfo& c) { return c.source == source && c.target == target; });
}

const AggregateInfo* aggregate(Oid function) {
  const Tables& t = tables();
  return first_match(t.aggregate_functions, hash_oids(function), t.aggregates, [&](const AggregateInfo& a) { return a.function == function; });
}

const OperatorClassInfo* operator_class(Oid oid) {
  const Tables& t = tables();
  return first_match(t.class_rows, hash_oids(oid), t.operator_classes, [&](const OperatorClassInfo& c) { return c.oid == oid; });
}

const OperatorClassInfo* operator_class(std::string_view name, Oid method) {
  const Tables& t = tables();
  return first_match(t.class_names, hash_text(name), t.operator_classes,
                     [&](const OperatorClassInfo& c) { return c.method == method && c.name == name; });
}

const OperatorFamily* operator_family(Oid oid) {
  const Tables& t = tables();
  return first_match(t.family_rows, hash_oids(oid), t.operator_families, [&](const OperatorFamily& f) { return f.oid == oid; });
}

Oid family_operator(Oid family, Oid left, Oid right, int strategy) {
  const Tables& t = tables();
  const FamilyOperator* found = first_match(
      t.family_operator_keys, hash_oids(family, left, right, static_cast<std::uint32_t>(strategy)), t.family_operators,
      [&](const FamilyOperator& o) { return o.family == family && o.left == left && o.right == right && o.strategy == strategy && o.purpose == 's'; });
  return found == nullptr ? kInvalidOid : found->op;
}

Oid family_function(Oid family, Oid left, Oid right, int number) {
  const Tables& t = tables();
  const FamilyFunction* found = first_match(
      t.family_function_keys, hash_oids(family, left, right, static_cast<std::uint32_t>(number)), t.family_functions,
      [&](const FamilyFunction& f) { return f.family == family && f.left == left && f.right == right && f.number == number; });
  return found == nullptr ? kInvalidOid : found->function;
}

std::span<const FamilyMember> families_of(Oid op) {
  const Tables& t = tables();
  int row = t.operator_rows.find(op);
  if (row < 0) return {};
  auto [first, count] = t.member_ranges[static_cast<std::size_t>(row)];
  return std::span<const FamilyMember>(t.members).subspan(first, count);
}

const CollationInfo* collation(Oid oid) {
  const Tables& t = tables();
  auto found = std::lower_bound(t.collations.begin(), t.collations.end(), oid, [](const CollationInfo& c, Oid o) { return raw(c.oid) < raw(o); });
  return found != t.collations.end() && found->oid == oid ? &*found : nullptr;
}

const CollationInfo* collation(std::string_view name) {
  const Tables& t = tables();
  return first_match(t.collation_names, hash_text(name), t.collations, [&](const CollationInfo& c) { return c.name == name; });
}

const Range* range(Oid range_type) {
  for (const Range& r : tables().ranges) {
    if (r.range == range_type) return &r;
  }
  return nullptr;
}

std::string_view function_defaults(const FunctionInfo& function) {
  const Tables& t = tables();
  int row = t.function_rows.find(function.oid);
  return row < 0 ? std::string_view() : t.function_extras[static_cast<std::size_t>(row)].defaults;
}

}  // namespace hathi::catalog::builtin
