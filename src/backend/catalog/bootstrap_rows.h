#pragma once
// The first rows of the catalogs.

#include <memory>
#include <string_view>
#include <vector>

#include "hathi/catalog/acl.h"
#include "hathi/catalog/bootstrap.h"
#include "hathi/catalog/catalog_table.h"

namespace hathi::catalog {

// Collects the rows of one catalog and writes table and indexes in one go, unlogged: the files are synced at the end of bootstrap.
class CatalogLoader {
 public:
  explicit CatalogLoader(Oid catalog);
  // A fresh row, all NULL; valid until the next call. Values may point into arena().
  CatalogRow& row();
  void add(const CatalogRow& row);
  Arena& arena() { return arena_; }
  Datum name(std::string_view text) { return make_name(arena_, text); }
  Datum text(std::string_view text) { return varlena::make(arena_, text); }
  Datum acl(std::span<const AclItem> items) { return make_acl(items, arena_); }
  // Creates the files and writes everything; TOAST table and indexes too.
  void write();
  std::size_t size() const { return tuples_.size(); }

 private:
  RelationRef relation_;
  Arena arena_{65536};
  CatalogRow scratch_;
  std::vector<HeapTuple> tuples_;
};

// One loader a catalog, in the order of catalog_definitions().
class Loaders {
 public:
  Loaders();
  CatalogLoader& of(Oid catalog);
  void write_all();
 private:
  std::vector<std::pair<Oid, std::unique_ptr<CatalogLoader>>> all_;
};

void add_relation_rows(Loaders& loaders);        // pg_class, pg_attribute, pg_index, pg_constraint
void add_builtin_rows(Loaders& loaders);         // pg_type, pg_proc, pg_operator, …
void add_cluster_rows(Loaders& loaders, const BootstrapOptions& options);   // roles, databases, tablespaces, schemas
// Records an access list as the one the object was born with.
void add_initial_privileges(Loaders& loaders, Oid class_id, Oid object, int sub, std::span<const AclItem> items);

}  // namespace hathi::catalog
