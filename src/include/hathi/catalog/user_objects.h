#pragma once
// The seam between the look-ups and the catalog tables: how objects that are not built in are found. catalog/ installs its readers
// when there is storage; without them (unit tests of the analyzer and others) only built-ins exist, and tests may install their own.

#include <span>
#include <string_view>

#include "hathi/catalog/lookup.h"

namespace hathi::catalog {

struct NamedObject { Oid oid = kInvalidOid, schema = kInvalidOid; };

// Every member may be null: nothing of that kind exists. Returned pointers and spans stay valid for the rest of the transaction.
struct UserObjects {
  // Objects of a catalog (pg_class, pg_type, pg_proc, pg_operator, pg_namespace, pg_authid, pg_collation, pg_opclass) with that
  // name, in any schema, without those in the built-in tables.
  std::span<const NamedObject> (*named)(Oid catalog, std::string_view name) = nullptr;
  const TypeInfo* (*type)(Oid oid) = nullptr;
  const FunctionInfo* (*function)(Oid oid) = nullptr;
  const AggregateInfo* (*aggregate)(Oid function) = nullptr;
  const OperatorInfo* (*op)(Oid oid) = nullptr;
  const CastInfo* (*cast)(Oid source, Oid target) = nullptr;
  const OperatorClassInfo* (*operator_class)(Oid oid) = nullptr;
  Oid (*default_operator_class)(Oid type, Oid method) = nullptr;       // exact input type only
  Oid (*family_operator)(Oid family, Oid left, Oid right, int strategy) = nullptr;
  Oid (*family_function)(Oid family, Oid left, Oid right, int number) = nullptr;
  std::span<const FamilyMember> (*operator_families)(Oid op) = nullptr;
  const CollationInfo* (*collation)(Oid oid) = nullptr;
  const RoleInfo* (*role)(Oid oid) = nullptr;
  std::span<const Oid> (*direct_roles)(Oid member) = nullptr;           // roles it was granted
  Oid (*database_owner)() = nullptr;                                    // of the current database
  bool (*may_use_schema)(Oid schema, Oid role) = nullptr;
  std::string_view (*schema_name)(Oid oid) = nullptr;                  // empty = none
  std::string_view (*relation_name)(Oid oid) = nullptr;
};
const UserObjects& user_objects();
void set_user_objects(const UserObjects& readers);

}  // namespace hathi::catalog
