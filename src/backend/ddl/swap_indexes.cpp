// A new index takes the place of an old one: everything in the catalogs that says the old one's OID says the new one's afterwards.

#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"
#include "reindex.h"
#include "relation_store.h"
#include "row_values.h"

namespace hathi::ddl {

namespace {

using catalog::CatalogKey;
using catalog::CatalogRow;
using catalog::CatalogTable;
using locking::LockMode;

void swap_class_rows(Oid old_index, Oid new_index, const std::string& parting_name) {
  namespace c = catalog::pg_class;
  std::string name;
  bool is_part = false;
  update_class_row(old_index, [&](CatalogRow& row, Arena& values) {
    name = name_text(row.get(c::relname));
    is_part = row.get(c::relispartition).as_bool();
    row.set(c::relname, name_value(values, parting_name));
    row.set(c::relispartition, Datum::of(false));
  });
  update_class_row(new_index, [&](CatalogRow& row, Arena& values) {
    row.set(c::relname, name_value(values, name));
    row.set(c::relispartition, Datum::of(is_part));
  });
}

void swap_index_rows(Oid old_index, Oid new_index) {
  namespace x = catalog::pg_index;
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_index, LockMode::row_exclusive);
  auto from = table.find({{x::indexrelid, Datum::of(old_index)}}, arena), to = table.find({{x::indexrelid, Datum::of(new_index)}}, arena);
  if (!from || !to) throw SqlError(sqlstate::internal_error, "cache lookup failed for index {}", raw(from ? new_index : old_index));
  for (AttrNumber flag : {x::indisprimary, x::indisexclusion, x::indimmediate, x::indisreplident, x::indisclustered}) {
    to->set(flag, from->get(flag));
    from->set(flag, Datum::of(flag == x::indimmediate));
  }
  to->set(x::indisvalid, Datum::of(true));
  from->set(x::indisvalid, Datum::of(false));
  table.update(*from);
  table.update(*to);
}

// Sets one column of all rows that have the old OID there (and what `keys` says besides) to the new one.
void rename_oid(Oid catalog_table, AttrNumber column, Oid old_oid, Oid new_oid, std::vector<CatalogKey> keys = {}) {
  Arena arena(4096);
  CatalogTable table(catalog_table, LockMode::row_exclusive);
  keys.push_back({column, Datum::of(old_oid)});
  std::vector<CatalogRow> rows;
  table.scan(keys, arena, [&](CatalogRow& row) {
    rows.push_back(row);
    return true;
  });
  for (CatalogRow& row : rows) {
    row.set(column, Datum::of(new_oid));
    table.update(row);
  }
}

// Both ways, so that the old index can be dropped with what the new one hung on. Returns the constraints that name the old index.
std::vector<Oid> swap_dependencies(Oid old_index, Oid new_index) {
  namespace d = catalog::pg_depend;
  struct Change { AttrNumber column; CatalogRow row; Oid oid; };
  Arena arena(4096);
  std::vector<Change> changes;
  std::vector<Oid> constraints;
  CatalogTable table(catalog_oid::pg_depend, LockMode::row_exclusive);
  auto collect = [&](AttrNumber class_column, AttrNumber column, Oid from, Oid to) {
    const CatalogKey keys[] = {{class_column, Datum::of(catalog_oid::pg_class)}, {column, Datum::of(from)}};
    table.scan(keys, arena, [&](CatalogRow& row) {
      changes.push_back({column, row, to});
      bool references = column == d::objid;
      Oid other_class = row.get(references ? d::refclassid : d::classid).as_oid();
      if (from == old_index && other_class == catalog_oid::pg_constraint)
        constraints.push_back(row.get(references ? d::refobjid : d::objid).as_oid());
      return true;
    });
  };
  collect(d::classid, d::objid, old_index, new_index);
  collect(d::classid, d::objid, new_index, old_index);
  collect(d::refclassid, d::refobjid, old_index, new_index);
  collect(d::refclassid, d::refobjid, new_index, old_index);
  for (Change& change : changes) {
    change.row.set(change.column, Datum::of(change.oid));
    table.update(change.row);
  }
  return constraints;
}

// Keys of the table and foreign keys that are checked by the index; who has them learns of it.
void move_constraints(const std::vector<Oid>& constraints, Oid old_index, Oid new_index) {
  namespace c = catalog::pg_constraint;
  Arena arena(4096);
  CatalogTable table(catalog_oid::pg_constraint, LockMode::row_exclusive);
  for (Oid constraint : constraints) {
    auto row = table.find({{c::oid, Datum::of(constraint)}}, arena);
    if (!row || row->get(c::conindid).as_oid() != old_index) continue;
    row->set(c::conindid, Datum::of(new_index));
    table.update(*row);
    for (AttrNumber side : {c::conrelid, c::confrelid}) {
      if (Oid relation = row->get(side).as_oid(); is_valid(relation)) catalog::note_change(catalog_oid::pg_class, relation);
    }
  }
}

}  // namespace

void swap_indexes(Oid old_index, Oid new_index, const std::string& parting_name) {
  Oid table = kInvalidOid, parent = kInvalidOid;
  {
    catalog::RelationRef r = catalog::open_relation(old_index, LockMode::none);
    table = r->index->table;
    parent = r->parent;
  }
  swap_class_rows(old_index, new_index, parting_name);
  swap_index_rows(old_index, new_index);
  move_constraints(swap_dependencies(old_index, new_index), old_index, new_index);
  rename_oid(catalog_oid::pg_inherits, catalog::pg_inherits::inhrelid, old_index, new_index);
  rename_oid(catalog_oid::pg_description, catalog::pg_description::objoid, old_index, new_index,
             {{catalog::pg_description::classoid, Datum::of(catalog_oid::pg_class)}});
  remove_statistics(new_index, 0);
  rename_oid(catalog_oid::pg_statistic, catalog::pg_statistic::starelid, old_index, new_index);
  for (Oid changed : {old_index, new_index, table, parent}) {
    if (is_valid(changed)) catalog::note_change(catalog_oid::pg_class, changed);
  }
  transaction::advance_command();
}

void copy_statistics_targets(Oid from, Oid to) {
  namespace a = catalog::pg_attribute;
  Arena arena(4096);
  std::vector<std::pair<AttrNumber, Datum>> targets;
  CatalogTable table(catalog_oid::pg_attribute, LockMode::access_share);
  const CatalogKey keys[] = {{a::attrelid, Datum::of(from)}};
  table.scan(keys, arena, [&](CatalogRow& row) {
    if (row.get(a::attnum).as_int16() > 0 && row.get(a::attstattarget).as_int32() >= 0) {
      targets.emplace_back(row.get(a::attnum).as_int16(), row.get(a::attstattarget));
    }
    return true;
  });
  for (const auto& [column, target] : targets) {
    update_attribute_row(to, column, [value = target](CatalogRow& row, Arena&) { row.set(a::attstattarget, value); });
  }
}

}  // namespace hathi::ddl
