#pragma once
// The readers of users' objects from the catalog tables, by kind; installed together by initialize() (startup.cpp).

#include "hathi/catalog/user_objects.h"

namespace hathi::catalog {

void add_name_readers(UserObjects& readers);       // names, schemas, relations, roles, memberships
void add_type_readers(UserObjects& readers);       // types, functions, aggregates, collations
void add_operator_readers(UserObjects& readers);   // operators, casts, classes, families

// Lets go of what the transaction's end makes free.
void end_name_caches();
void end_type_caches();
void end_operator_caches();
void end_database_caches();

}  // namespace hathi::catalog
