// Who and where we are; what is visible.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/session_settings.h"
#include "hathi/error/sql_error.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/functions.h"
#include "hathi/catalog/object_classes.h"
#include "src/backend/catalog/search_path.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

Datum role_name(FunctionCall& call, Oid oid) {
  const RoleInfo* role = find_role(oid);
  if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role with OID {} does not exist", raw(oid));
  return name_result(call, role->name);
}

Datum current_user(FunctionCall& call) { return role_name(call, current_role()); }
Datum session_user(FunctionCall& call) { return role_name(call, session_role()); }
Datum database_name(FunctionCall& call) { return name_result(call, current_database_name()); }

Datum current_schema(FunctionCall& call) {
  Oid schema = temporary_schema_is_first() && is_valid(temporary_schema_if_any()) ? temporary_schema_if_any() : creation_schema_if_any();
  std::string name = is_valid(schema) ? schema_name(schema) : std::string();
  return name.empty() ? call.null() : name_result(call, name);
}

Datum current_schemas(FunctionCall& call) {
  bool with_implicit = call.arg(0).as_bool();
  std::vector<Datum> names;
  for (Oid schema : with_implicit ? search_path() : explicit_search_path()) {
    std::string name = schema_name(schema);
    if (!name.empty()) names.push_back(make_name(call.arena(), name));
  }
  return make_array(type_oid::name, {64, false, 'c'}, names, call.arena());
}

Datum my_temp_schema(FunctionCall&) { return Datum::of(temporary_schema_if_any()); }
Datum is_other_temp_schema(FunctionCall& call) {
  Oid schema = call.arg(0).as_oid();
  return Datum::of(is_any_temporary_schema(schema) && !is_temporary_schema(schema));
}

Datum user_by_id(FunctionCall& call) {
  const RoleInfo* role = find_role(call.arg(0).as_oid());
  return name_result(call, role != nullptr ? std::string(role->name) : fmt::format("unknown (OID={})", raw(call.arg(0).as_oid())));
}

Datum table_is_visible(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  Arena arena(512);
  // psql asks this of every row of pg_class: the row itself tells most of the answer.
  auto row = CatalogTable(catalog_oid::pg_class, kRead).find({{pg_class::oid, Datum::of(oid)}}, arena);
  if (!row) return call.null();
  Oid schema = row->get(pg_class::relnamespace).as_oid();
  bool in_path = false;
  for (Oid s : search_path()) in_path = in_path || s == schema;
  return Datum::of(in_path && find_relation(name_text(row->get(pg_class::relname)), kInvalidOid) == oid);
}

template <auto kFind, auto kVisible>
Datum is_visible(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  if (kFind(oid) == nullptr) return call.null();
  return Datum::of(kVisible(oid));
}

constexpr const TypeInfo* (*kFindType)(Oid) = find_type;
constexpr const FunctionInfo* (*kFindFunction)(Oid) = find_function;
constexpr const OperatorInfo* (*kFindOperator)(Oid) = find_operator;
constexpr const OperatorClassInfo* (*kFindClass)(Oid) = find_operator_class;
constexpr const CollationInfo* (*kFindCollation)(Oid) = find_collation;

// Kinds without a cache: visible when no earlier schema of the path has one of the same name.
template <std::uint32_t kClass>
Datum is_visible_by_name(FunctionCall& call) {
  const ObjectClass* c = object_class(Oid{kClass});
  Arena arena(2048);
  CatalogTable table(Oid{kClass}, kRead);
  auto row = table.find({{1, call.arg(0)}}, arena);
  if (!row) return call.null();
  for (Oid schema : search_path()) {
    if (schema == row->get(c->schema).as_oid()) return Datum::of(true);
    if (table.find({{c->name, row->get(c->name)}, {c->schema, Datum::of(schema)}}, arena)) return Datum::of(false);
  }
  return Datum::of(false);
}

bool security_active(Oid relation) {
  auto r = try_open_relation(relation, locking::LockMode::none);
  if (!r || !r->row_security || is_superuser(current_role())) return false;
  const RoleInfo* role = find_role(current_role());
  if (role != nullptr && role->bypass_rls) return false;
  return r->force_row_security || !is_member_of(current_role(), r->owner);
}
Datum row_security_active(FunctionCall& call) { return Datum::of(security_active(call.arg(0).as_oid())); }
Datum row_security_active_name(FunctionCall& call) { return Datum::of(security_active(require_relation(call.text(0)))); }

constexpr BuiltinFunction kFunctions[] = {
    {Oid{745}, current_user}, {Oid{746}, session_user}, {Oid{710}, current_user}, {Oid{861}, database_name}, {Oid{1402}, current_schema},
    {Oid{1403}, current_schemas}, {Oid{2854}, my_temp_schema}, {Oid{2855}, is_other_temp_schema}, {Oid{1642}, user_by_id},
    {Oid{2079}, table_is_visible}, {Oid{2080}, is_visible<kFindType, type_is_visible>}, {Oid{2081}, is_visible<kFindFunction, function_is_visible>},
    {Oid{2082}, is_visible<kFindOperator, operator_is_visible>}, {Oid{2083}, is_visible<kFindClass, operator_class_is_visible>},
    {Oid{3815}, is_visible<kFindCollation, collation_is_visible>}, {Oid{2093}, is_visible_by_name<2607>}, {Oid{3829}, is_visible_by_name<2753>},
    {Oid{3403}, is_visible_by_name<3381>}, {Oid{3756}, is_visible_by_name<3601>}, {Oid{3757}, is_visible_by_name<3600>},
    {Oid{3758}, is_visible_by_name<3602>}, {Oid{3768}, is_visible_by_name<3764>}, {Oid{3298}, row_security_active},
    {Oid{3299}, row_security_active_name},
};

}  // namespace

std::span<const BuiltinFunction> identity_functions() { return kFunctions; }

}  // namespace hathi::catalog
