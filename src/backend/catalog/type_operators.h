#pragma once
// Which operators and support functions a type gets from its default operator classes.

#include "hathi/catalog/lookup.h"

namespace hathi::catalog {

// Fills btree_class … extended_hash_function of the type. Element, base and field types must be known already.
void fill_type_operators(TypeInfo& type);

}  // namespace hathi::catalog
