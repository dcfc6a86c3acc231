#pragma once
// What the catalogs of objects have in common: name, schema, owner, access list.

#include "hathi/base/ids.h"

namespace hathi::catalog {

// Columns are 0 where the kind of object has none. acl_kind: the letter of acl.h, '\0' = no privileges.
struct ObjectClass {
  Oid catalog;
  AttrNumber name, schema, owner, acl;
  char acl_kind;
  const char* noun;    // "table", "function", … in messages; relations and routines are told apart by their kind
};
// nullptr when the catalog holds no objects of their own.
const ObjectClass* object_class(Oid catalog);

// The owner, 0 when there is no such object.
Oid object_owner(Oid class_id, Oid object);

}  // namespace hathi::catalog
