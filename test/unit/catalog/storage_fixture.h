#pragma once
// A cluster with catalogs in it: bootstrap runs in one life, the test in the next.

#include "../test_cluster.h"
#include "hathi/btree/btree.h"
#include "hathi/catalog/bootstrap.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/startup.h"
#include "hathi/catalog/versions.h"
#include "hathi/heap/toast.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/register.h"

namespace hathi::catalog {

inline void initialize_process() {
  types::register_all();
  register_catalog_functions();
  heap::register_detoast();
  initialize();
}

class CatalogCluster {
 public:
  CatalogCluster() : cluster_(2048, {{"catalog versions", shared_size, shared_init}}) {
    initialize_process();
    EXPECT_EQ(cluster_.create([] { bootstrap_cluster({}, nullptr); }), 0);
  }
  ~CatalogCluster() { versions::init(nullptr); }   // the segment goes
  // f runs in a process of its own, connected to database postgres, in no transaction.
  template <class F>
  void live(F f) {
    EXPECT_EQ(cluster_.live([&] {
      set_identity(kPostgresDatabase, "postgres", kBootstrapSuperuser);
      f();
    }), 0);
  }
  template <class F>
  void in_transaction(F f) {
    live([&] {
      transaction::start();
      f();
      transaction::commit();
    });
  }
  const std::string& directory() const { return cluster_.directory(); }

 private:
  test::Cluster cluster_;
};

// A schema row, the simplest object there is.
inline Oid make_schema(std::string_view name, Oid owner = kBootstrapSuperuser) {
  CatalogTable table(catalog_oid::pg_namespace, locking::LockMode::row_exclusive);
  Arena arena(256);
  CatalogRow row = table.new_row();
  Oid oid = new_oid(catalog_oid::pg_namespace);
  row.set(pg_namespace::oid, Datum::of(oid));
  row.set(pg_namespace::nspname, make_name(arena, name));
  row.set(pg_namespace::nspowner, Datum::of(owner));
  table.insert(row);
  return oid;
}

}  // namespace hathi::catalog
