#include "object_names.h"

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

using catalog::ObjectAddress;
using parser::ObjectType;

void lock_object(const ObjectAddress& o) {
  locking::acquire(transaction::owner(), locking::LockTag::object_tag(catalog::current_database(), o.class_id, o.object, 0), locking::LockMode::access_exclusive);
}

std::optional<ObjectAddress> find_schema_object(const parser::ObjectRef& object, bool missing_ok) {
  std::string_view name = object.name.back();
  Oid oid = catalog::find_schema(name);
  if (!is_valid(oid)) {
    if (!missing_ok) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name);
    report_notice(sqlstate::undefined_schema, "schema \"{}\" does not exist, skipping", name);
    return std::nullopt;
  }
  return ObjectAddress{catalog_oid::pg_namespace, oid, 0};
}

std::optional<ObjectAddress> find_type_object(const parser::ObjectRef& object, std::string_view text, bool missing_ok, bool domain) {
  Arena arena(512);
  Oid oid = analyzer::find_type(object.type, text, arena).type;
  if (!is_valid(oid)) {
    std::string name = analyzer::type_name_text(object.type);
    if (!missing_ok) throw SqlError(sqlstate::undefined_object, "type \"{}\" does not exist", name);
    report_notice(sqlstate::undefined_object, "type \"{}\" does not exist, skipping", name);
    return std::nullopt;
  }
  if (domain && catalog::type_info(oid).kind != 'd') throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a domain", catalog::format_type(oid));
  return ObjectAddress{catalog_oid::pg_type, oid, 0};
}

}  // namespace

std::optional<ObjectAddress> find_object(ObjectType type, const parser::ObjectRef& object, std::string_view text, bool missing_ok) {
  std::optional<ObjectAddress> found;
  switch (type) {
    case ObjectType::schema: found = find_schema_object(object, missing_ok); break;
    case ObjectType::type: found = find_type_object(object, text, missing_ok, false); break;
    case ObjectType::domain: found = find_type_object(object, text, missing_ok, true); break;
    default: throw_not_supported("this statement for this kind of object");
  }
  if (found) lock_object(*found);
  return found;
}

void require_owner(ObjectType, const ObjectAddress& object) {
  if (catalog::is_owner(object.class_id, object.object, catalog::current_role())) return;
  if (object.class_id == catalog_oid::pg_namespace) catalog::throw_not_owner("schema", catalog::schema_name(object.object));
  catalog::throw_not_owner("type", catalog::format_type(object.object));
}

// A statement of this session that still reads the relation holds a reference to its descriptor: the cursor's plan.
void require_not_in_use(const catalog::Relation&, std::string_view) {}

parser::RangeVar range_var_of(const parser::QualifiedName& names) {
  parser::RangeVar out;
  std::size_t n = names.size();
  out.name = names[n - 1];
  if (n > 1) out.schema = names[n - 2];
  if (n > 2) out.catalog = names[n - 3];
  return out;
}

}  // namespace hathi::ddl
