// CHECK constraints and foreign keys from pg_constraint.

#include <algorithm>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "hathi/catalog/acl.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/relation_parts.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

std::span<const AttrNumber> numbers(const CatalogRow& row, AttrNumber column, Arena& arena) {
  return row.is_null(column) ? std::span<const AttrNumber>() : int2_array_values(row.get(column), arena);
}
std::span<const Oid> oids(const CatalogRow& row, AttrNumber column, Arena& arena) {
  return row.is_null(column) ? std::span<const Oid>() : oid_array_values(row.get(column), arena);
}

ForeignKey foreign_key(const CatalogRow& row, Arena& arena) {
  using namespace pg_constraint;
  ForeignKey key;
  key.oid = row.get(pg_constraint::oid).as_oid();
  key.name = arena.copy(name_text(row.get(conname)));
  key.referencing = row.get(conrelid).as_oid();
  key.referenced = row.get(confrelid).as_oid();
  key.index = row.get(conindid).as_oid();
  key.columns = numbers(row, conkey, arena);
  key.referenced_columns = numbers(row, confkey, arena);
  key.set_null_columns = numbers(row, confdelsetcols, arena);
  key.equal_pk_fk = oids(row, conpfeqop, arena);
  key.equal_pk_pk = oids(row, conppeqop, arena);
  key.equal_fk_fk = oids(row, conffeqop, arena);
  key.on_update = row.get(confupdtype).as_char();
  key.on_delete = row.get(confdeltype).as_char();
  key.match = row.get(confmatchtype).as_char();
  key.deferrable = row.get(condeferrable).as_bool();
  key.initially_deferred = row.get(condeferred).as_bool();
  key.validated = row.get(convalidated).as_bool();
  return key;
}

template <class T>
std::span<const T> copy(const std::vector<T>& values, Arena& arena) {
  T* p = arena.make_array<T>(values.size());
  std::copy(values.begin(), values.end(), p);
  return {p, values.size()};
}

void fill_index_constraint(IndexDescriptor& index, const CatalogRow& row) {
  index.constraint = row.get(pg_constraint::oid).as_oid();
  index.deferrable = row.get(pg_constraint::condeferrable).as_bool();
  index.initially_deferred = row.get(pg_constraint::condeferred).as_bool();
}

bool made_before(const ForeignKey& a, const ForeignKey& b) { return raw(a.oid) < raw(b.oid); }

// Foreign keys of other tables to this one: the triggers they put on it lead to them.
std::vector<ForeignKey> incoming_keys(const Relation& table, Arena& arena) {
  Arena scratch(4096);
  std::vector<Oid> constraints;
  CatalogTable(catalog_oid::pg_trigger, kRead)
      .scan(std::vector<CatalogKey>{{pg_trigger::tgrelid, Datum::of(table.oid)}}, scratch, [&](CatalogRow& row) {
        Oid constraint = row.get(pg_trigger::tgconstraint).as_oid();
        if (is_valid(constraint) && std::find(constraints.begin(), constraints.end(), constraint) == constraints.end()) {
          constraints.push_back(constraint);
        }
        return true;
      });
  std::vector<ForeignKey> keys;
  CatalogTable table_of_constraints(catalog_oid::pg_constraint, kRead);
  for (Oid constraint : constraints) {
    auto row = table_of_constraints.find({{pg_constraint::oid, Datum::of(constraint)}}, scratch);
    if (row && row->get(pg_constraint::contype).as_char() == 'f' && row->get(pg_constraint::confrelid).as_oid() == table.oid) {
      keys.push_back(foreign_key(*row, arena));
    }
  }
  std::sort(keys.begin(), keys.end(), made_before);
  return keys;
}

// A key to a partitioned table has a further row for each partition, only to find it from there: its own checks go by the key itself.
void drop_watches(std::vector<ForeignKey>& keys, const std::vector<Oid>& parents) {
  std::vector<ForeignKey> kept;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    bool below = std::any_of(keys.begin(), keys.end(), [&](const ForeignKey& other) { return is_valid(parents[i]) && other.oid == parents[i]; });
    if (!below) kept.push_back(keys[i]);
  }
  keys = std::move(kept);
}

}  // namespace

void load_index_constraint(IndexDescriptor& index, Arena& arena) {
  if (!index.primary && !index.unique && !index.exclusion) return;
  Arena scratch(1024);
  CatalogTable(catalog_oid::pg_constraint, kRead)
      .scan(std::vector<CatalogKey>{{pg_constraint::conrelid, Datum::of(index.table)}}, scratch, [&](CatalogRow& row) {
        char type = row.get(pg_constraint::contype).as_char();
        if (type == 'f' || row.get(pg_constraint::conindid).as_oid() != index.oid) return true;
        fill_index_constraint(index, row);
        return false;
      });
}

void load_constraints(Relation& table, int check_count, Arena& arena) {
  bool has_key = std::any_of(table.indexes.begin(), table.indexes.end(), [](const IndexDescriptor* i) { return i->unique || i->exclusion; });
  if (check_count == 0 && !table.has_triggers && !has_key) return;
  Arena scratch(4096);
  std::vector<CheckConstraint> checks;
  std::vector<ForeignKey> outgoing;
  std::vector<Oid> parents;   // of outgoing
  CatalogTable(catalog_oid::pg_constraint, kRead)
      .scan(std::vector<CatalogKey>{{pg_constraint::conrelid, Datum::of(table.oid)}}, scratch, [&](CatalogRow& row) {
        using namespace pg_constraint;
        char type = row.get(contype).as_char();
        if (type == 'c' && !row.is_null(conbin)) {
          checks.push_back({row.get(pg_constraint::oid).as_oid(), arena.copy(name_text(row.get(conname))),
                            nodes::expr_from_text(varlena::text(row.get(conbin), scratch), arena), row.get(convalidated).as_bool(),
                            row.get(connoinherit).as_bool()});
        } else if (type == 'f') {
          outgoing.push_back(foreign_key(row, arena));
          parents.push_back(row.get(conparentid).as_oid());
        } else if (type == 'p' || type == 'u' || type == 'x') {
          for (const IndexDescriptor* index : table.indexes) {
            // Being built: nobody else sees the index descriptor yet.
            if (index->oid == row.get(conindid).as_oid()) fill_index_constraint(const_cast<IndexDescriptor&>(*index), row);
          }
        }
        return true;
      });
  std::sort(checks.begin(), checks.end(), [](const CheckConstraint& a, const CheckConstraint& b) { return a.name < b.name; });
  table.checks = copy(checks, arena);
  drop_watches(outgoing, parents);
  // Checked in the order in which they were made.
  std::sort(outgoing.begin(), outgoing.end(), made_before);
  table.foreign_keys = copy(outgoing, arena);
  if (table.has_triggers) table.referenced_by = copy(incoming_keys(table, arena), arena);
}

std::string_view acl_as_oids(Datum acl, Arena& arena) {
  std::string text = "{";
  for (const AclItem& item : read_acl(acl, arena)) {
    if (text.size() > 1) text += ',';
    text += (is_valid(item.grantee) ? std::to_string(raw(item.grantee)) : "") + "=" + privilege_letters(item.privileges) + "/" +
            std::to_string(raw(item.grantor));
  }
  return arena.copy(text + "}");
}

}  // namespace hathi::catalog
