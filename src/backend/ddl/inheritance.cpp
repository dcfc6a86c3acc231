#include "inheritance.h"

#include <algorithm>
#include <set>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/transaction/transaction.h"
#include "partitions.h"

namespace hathi::ddl {

namespace {

namespace i = catalog::pg_inherits;
namespace d = catalog::pg_depend;

std::vector<Oid> read(AttrNumber by, Oid value, AttrNumber wanted) {
  Arena arena(2048);
  std::vector<Oid> out;
  catalog::CatalogTable table(catalog_oid::pg_inherits, locking::LockMode::access_share);
  catalog::CatalogKey key{by, Datum::of(value)};
  table.scan({&key, 1}, arena, [&](catalog::CatalogRow& row) {
    out.push_back(row.get(wanted).as_oid());
    return true;
  });
  return out;
}

}  // namespace

std::vector<Oid> children_of(Oid parent, locking::LockMode mode) {
  std::vector<Oid> found = read(i::inhparent, parent, i::inhrelid), out;
  // One order for everybody, so that two sessions do not meet head-on.
  std::sort(found.begin(), found.end());
  for (Oid child : found) {
    if (mode == locking::LockMode::none || catalog::try_open_relation(child, mode)) out.push_back(child);
  }
  return out;
}

std::vector<Oid> all_descendants(Oid parent, locking::LockMode mode) {
  std::vector<Oid> out;
  std::set<Oid> seen{parent};
  std::vector<Oid> level{parent};
  while (!level.empty()) {
    std::vector<Oid> next;
    for (Oid oid : level) {
      for (Oid child : children_of(oid, mode)) {
        if (!seen.insert(child).second) continue;
        out.push_back(child);
        next.push_back(child);
      }
    }
    level = std::move(next);
  }
  return out;
}

std::vector<Oid> parents_of(Oid child) { return read(i::inhrelid, child, i::inhparent); }

std::vector<Oid> owned_sequences(Oid table) {
  Arena arena(2048);
  std::vector<Oid> out;
  catalog::CatalogTable depend(catalog_oid::pg_depend, locking::LockMode::access_share);
  catalog::CatalogKey keys[] = {{d::refclassid, Datum::of(catalog_oid::pg_class)}, {d::refobjid, Datum::of(table)}};
  depend.scan(keys, arena, [&](catalog::CatalogRow& row) {
    char type = row.get(d::deptype).as_char();
    bool by_column = row.get(d::refobjsubid).as_int32() > 0 && row.get(d::classid).as_oid() == catalog_oid::pg_class && row.get(d::objsubid).as_int32() == 0;
    if (by_column && (type == 'a' || type == 'i')) out.push_back(row.get(d::objid).as_oid());
    return true;
  });
  std::erase_if(out, [](Oid oid) {
    catalog::RelationRef r = catalog::try_open_relation(oid, locking::LockMode::none);
    return !r || r->kind != catalog::relation_kind::sequence;
  });
  return out;
}

void insert_inheritance_row(Oid child, Oid parent, int sequence) {
  catalog::CatalogTable table(catalog_oid::pg_inherits, locking::LockMode::row_exclusive);
  catalog::CatalogRow row = table.new_row();
  row.set(i::inhrelid, Datum::of(child));
  row.set(i::inhparent, Datum::of(parent));
  row.set(i::inhseqno, Datum::of(std::int32_t{sequence}));
  row.set(i::inhdetachpending, Datum::of(false));
  table.insert(row);
}

void insert_inheritance(Oid child, Oid parent, int sequence, bool is_partition) {
  insert_inheritance_row(child, parent, sequence);
  auto kind = is_partition ? catalog::DependencyKind::automatic : catalog::DependencyKind::normal;
  catalog::record_dependency({catalog_oid::pg_class, child, 0}, {catalog_oid::pg_class, parent, 0}, kind);
}

}  // namespace hathi::ddl
