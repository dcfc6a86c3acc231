#pragma once
// Changing who owns an object: its row, its access list, what is recorded of it, and what goes with it.

#include "hathi/catalog/catalog_table.h"

namespace hathi::ddl {

// No checks: the owner column, the access list (the old owner's part becomes the new one's) and pg_shdepend of one object.
void store_owner(const catalog::ObjectAddress& object, Oid new_owner);

// ALTER … OWNER TO of a relation, with its indexes, sequences, TOAST table and row type. Errors: 42501 unless the current role owns it,
// may become the new owner, and that one may create in the schema; 0A000 for a sequence that belongs to a column.
void change_relation_owner(Oid relation, Oid new_owner);
// The same without the checks (REASSIGN OWNED).
void give_relation_to(Oid relation, Oid new_owner);
// Schemas, types and domains, functions. Errors as above.
void change_object_owner(const catalog::ObjectAddress& object, Oid new_owner);
void give_object_to(const catalog::ObjectAddress& object, Oid new_owner);

}  // namespace hathi::ddl
