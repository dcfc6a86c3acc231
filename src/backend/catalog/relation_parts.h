#pragma once
// Parts of building a relation descriptor.

#include "hathi/catalog/catalog_table.h"

namespace hathi::catalog {

// An index from its pg_index row, its pg_class row and its table (whose descriptor is complete).
IndexDescriptor* load_index(const CatalogRow& index_row, const CatalogRow& class_row, const Relation& table, Arena& arena);
// All live indexes of the table.
void load_indexes(Relation& table, Arena& arena);
// constraint, deferrable, initially_deferred of one index.
void load_index_constraint(IndexDescriptor& index, Arena& arena);
// CHECK constraints, foreign keys from both sides, and the indexes' constraints. check_count: pg_class.relchecks.
void load_constraints(Relation& table, int check_count, Arena& arena);
// relacl and the like as text with role OIDs: {10=arwdDxt/10,=r/10}.
std::string_view acl_as_oids(Datum acl, Arena& arena);

}  // namespace hathi::catalog
