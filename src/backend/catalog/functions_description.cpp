// format_type, comments, descriptions of objects, and small helpers of psql and information_schema.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/functions.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

Datum format_type_function(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  return text_result(call, format_type(call.arg(0).as_oid(), call.arg_null(1) ? -2 : call.arg(1).as_int32()));
}

Datum comment(FunctionCall& call, Oid object, Oid class_id, std::int32_t sub) {
  using namespace pg_description;
  auto row = CatalogTable(catalog_oid::pg_description, kRead)
                 .find({{objoid, Datum::of(object)}, {classoid, Datum::of(class_id)}, {objsubid, Datum::of(sub)}}, call.arena());
  return row ? row->get(description) : call.null();
}

Datum object_description(FunctionCall& call) {
  Oid class_id = catalog_relation(name_text(call.arg(1)));
  return is_valid(class_id) ? comment(call, call.arg(0).as_oid(), class_id, 0) : call.null();
}

// Without a class: any object of that OID.
Datum object_description_any(FunctionCall& call) {
  using namespace pg_description;
  auto row = CatalogTable(catalog_oid::pg_description, kRead).find({{objoid, call.arg(0)}, {objsubid, Datum::of(std::int32_t{0})}}, call.arena());
  return row ? row->get(description) : call.null();
}

Datum column_description(FunctionCall& call) { return comment(call, call.arg(0).as_oid(), catalog_oid::pg_class, call.arg(1).as_int32()); }

Datum shared_description(FunctionCall& call) {
  using namespace pg_shdescription;
  Oid class_id = catalog_relation(name_text(call.arg(1)));
  if (!is_valid(class_id)) return call.null();
  auto row = CatalogTable(catalog_oid::pg_shdescription, kRead).find({{objoid, call.arg(0)}, {classoid, Datum::of(class_id)}}, call.arena());
  return row ? row->get(description) : call.null();
}

Datum describe(FunctionCall& call) {
  Oid class_id = call.arg(0).as_oid(), object = call.arg(1).as_oid();
  // Entries of pg_depend that mean "pinned" once had zeroes.
  if (!is_valid(class_id) && !is_valid(object)) return call.null();
  std::string text = describe_object({class_id, object, call.arg(2).as_int32()});
  return text.empty() ? call.null() : text_result(call, text);
}

// name=value elements as rows.
Datum options_to_table(FunctionCall& call) {
  for (std::string_view option : text_array_values(call.arg(0), call.arena())) {
    std::size_t equals = option.find('=');
    Datum values[2] = {varlena::make(call.arena(), option.substr(0, equals)), Datum()};
    bool nulls[2] = {false, equals == std::string_view::npos};
    if (!nulls[1]) values[1] = varlena::make(call.arena(), option.substr(equals + 1));
    call.sink->put(values, nulls);
  }
  return call.null();
}

// There are none yet.
Datum available_extensions(FunctionCall& call) { return call.null(); }

constexpr BuiltinFunction kFunctions[] = {
    {Oid{1081}, format_type_function}, {Oid{1215}, object_description}, {Oid{1348}, object_description_any}, {Oid{1216}, column_description},
    {Oid{1993}, shared_description}, {Oid{3537}, describe}, {Oid{2289}, options_to_table, FunctionKind::set_materialize},
    {Oid{3082}, available_extensions, FunctionKind::set_materialize}, {Oid{3083}, available_extensions, FunctionKind::set_materialize},
};

}  // namespace

std::span<const BuiltinFunction> description_functions() { return kFunctions; }

}  // namespace hathi::catalog
