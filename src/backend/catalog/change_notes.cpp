#include "src/backend/catalog/change_notes.h"

#include "hathi/catalog/columns.h"
#include "hathi/catalog/versions.h"
#include "src/backend/catalog/definitions.h"

namespace hathi::catalog {

namespace {

void note_object(Oid class_id, Oid object) { versions::note(versions::slot_of(class_id, object)); }
void note_name(Oid class_id, Datum name) { versions::note(versions::slot_of_name(class_id, name_text(name))); }
void note_class(Oid class_id) { note_object(class_id, kInvalidOid); }

// A catalog whose rows are parts of a relation, type, …: the column that names the owner.
struct Part { Oid catalog; AttrNumber column; Oid owner_class; };
constexpr Part kParts[] = {
    {catalog_oid::pg_attribute, pg_attribute::attrelid, catalog_oid::pg_class},
    {catalog_oid::pg_attrdef, pg_attrdef::adrelid, catalog_oid::pg_class},
    {catalog_oid::pg_index, pg_index::indrelid, catalog_oid::pg_class},
    {catalog_oid::pg_index, pg_index::indexrelid, catalog_oid::pg_class},
    {catalog_oid::pg_constraint, pg_constraint::conrelid, catalog_oid::pg_class},
    {catalog_oid::pg_constraint, pg_constraint::confrelid, catalog_oid::pg_class},
    {catalog_oid::pg_constraint, pg_constraint::contypid, catalog_oid::pg_type},
    {catalog_oid::pg_rewrite, pg_rewrite::ev_class, catalog_oid::pg_class},
    {catalog_oid::pg_trigger, pg_trigger::tgrelid, catalog_oid::pg_class},
    {catalog_oid::pg_inherits, pg_inherits::inhrelid, catalog_oid::pg_class},
    {catalog_oid::pg_inherits, pg_inherits::inhparent, catalog_oid::pg_inherits},
    {catalog_oid::pg_policy, pg_policy::polrelid, catalog_oid::pg_class},
    {catalog_oid::pg_partitioned_table, pg_partitioned_table::partrelid, catalog_oid::pg_class},
    {catalog_oid::pg_sequence, pg_sequence::seqrelid, catalog_oid::pg_class},
    {catalog_oid::pg_statistic, pg_statistic::starelid, catalog_oid::pg_class},
    {catalog_oid::pg_statistic_ext, pg_statistic_ext::stxrelid, catalog_oid::pg_class},
    {catalog_oid::pg_foreign_table, pg_foreign_table::ftrelid, catalog_oid::pg_class},
    {catalog_oid::pg_enum, pg_enum::enumtypid, catalog_oid::pg_type},
    {catalog_oid::pg_range, pg_range::rngtypid, catalog_oid::pg_type},
    {catalog_oid::pg_aggregate, pg_aggregate::aggfnoid, catalog_oid::pg_proc},
    {catalog_oid::pg_amop, pg_amop::amopfamily, catalog_oid::pg_opfamily},
    {catalog_oid::pg_amop, pg_amop::amopopr, catalog_oid::pg_operator},
    {catalog_oid::pg_amproc, pg_amproc::amprocfamily, catalog_oid::pg_opfamily},
};

// Catalogs whose objects are looked up by name: the name's column.
AttrNumber name_column(Oid catalog) {
  switch (raw(catalog)) {
    case raw(catalog_oid::pg_class): return pg_class::relname;
    case raw(catalog_oid::pg_type): return pg_type::typname;
    case raw(catalog_oid::pg_proc): return pg_proc::proname;
    case raw(catalog_oid::pg_operator): return pg_operator::oprname;
    case raw(catalog_oid::pg_namespace): return pg_namespace::nspname;
    case raw(catalog_oid::pg_authid): return pg_authid::rolname;
    case raw(catalog_oid::pg_collation): return pg_collation::collname;
    case raw(catalog_oid::pg_opclass): return pg_opclass::opcname;
    case raw(catalog_oid::pg_database): return pg_database::datname;
    default: return 0;
  }
}

// Caches that hold the whole of a catalog or answers drawn from all of it.
bool is_cached_as_a_whole(Oid catalog) {
  return catalog == catalog_oid::pg_namespace || catalog == catalog_oid::pg_authid || catalog == catalog_oid::pg_auth_members ||
         catalog == catalog_oid::pg_opclass || catalog == catalog_oid::pg_default_acl || catalog == catalog_oid::pg_database;
}

}  // namespace

std::uint32_t cast_slot(Oid source, Oid target) { return versions::slot_of(catalog_oid::pg_cast, Oid{raw(source) * 31 + raw(target)}); }

void note_row_change(Oid catalog, const CatalogRow& row) {
  bool is_part = false;
  for (const Part& part : kParts) {
    if (part.catalog != catalog || row.is_null(part.column)) continue;
    is_part = true;
    if (Oid owner = row.get(part.column).as_oid(); is_valid(owner)) note_object(part.owner_class, owner);
  }
  if (catalog == catalog_oid::pg_cast) {
    versions::note(cast_slot(row.get(pg_cast::castsource).as_oid(), row.get(pg_cast::casttarget).as_oid()));
  }
  if (catalog == catalog_oid::pg_cast || catalog == catalog_oid::pg_db_role_setting || catalog == catalog_oid::pg_default_acl)
    versions::note(versions::slot_of_name(catalog, kWholeCatalog));
  if (AttrNumber column = name_column(catalog); column != 0) note_name(catalog, row.get(column));
  if (is_cached_as_a_whole(catalog)) note_class(catalog);
  if (!is_part && catalog_definition(catalog)->columns[0].name == "oid") note_object(catalog, row.get(1).as_oid());
}

}  // namespace hathi::catalog
