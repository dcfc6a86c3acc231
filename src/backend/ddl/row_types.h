#pragma once
// The composite types of relations and the array types of all types.

#include <string>
#include <string_view>

#include "hathi/base/ids.h"

namespace hathi::ddl {

// 42P16 for pseudo-types and the like: "column "a" has pseudo-type anyelement".
void check_column_type(std::string_view column, Oid type, Oid collation, char relation_kind);
// The row type of a relation (and its array type); returns its oid.
Oid create_row_type(std::string_view name, Oid schema, Oid relation, Oid owner, char relation_kind);
// The array type of a new type: "_name", made unique with further underscores. Returns its oid.
Oid create_array_type(std::string_view element_name, Oid schema, Oid element, Oid owner, char element_align, Oid collation, Oid fixed_oid);
// 42710 type "x" already exists, unless it is an array type that can be renamed out of the way.
void make_room_for_type_name(std::string_view name, Oid schema);
// Renames a relation's row type and array type along.
void rename_row_type(Oid row_type, std::string_view new_name, Oid schema);

}  // namespace hathi::ddl
