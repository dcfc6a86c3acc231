#include <gtest/gtest.h>

#include "hathi/catalog/acl.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "storage_fixture.h"

namespace hathi::catalog {
namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

std::size_t count_rows(Oid catalog) {
  Arena arena(65536);
  std::size_t n = 0;
  CatalogTable(catalog, kRead).scan({}, arena, [&](CatalogRow&) { ++n; return true; });
  return n;
}

TEST(Bootstrap, CatalogsDescribeThemselves) {
  CatalogCluster cluster;
  cluster.in_transaction([] {
    Arena arena;
    CatalogTable classes(catalog_oid::pg_class, kRead), attributes(catalog_oid::pg_attribute, kRead);
    std::size_t tables = 0;
    classes.scan({}, arena, [&](CatalogRow& row) {
      Oid oid = row.get(pg_class::oid).as_oid();
      RelationRef r = open_relation(oid, kRead);
      EXPECT_EQ(r->name, name_text(row.get(pg_class::relname)));
      // Every column is there, with the built-in descriptor's type.
      int columns = 0;
      attributes.scan(std::vector<CatalogKey>{{pg_attribute::attrelid, Datum::of(oid)}}, arena, [&](CatalogRow& a) {
        AttrNumber number = a.get(pg_attribute::attnum).as_int16();
        if (number < 1) return true;
        ++columns;
        EXPECT_EQ((*r->descriptor)[number - 1].type, a.get(pg_attribute::atttypid).as_oid());
        return true;
      });
      EXPECT_EQ(columns, r->descriptor->count()) << r->name;
      tables += r->kind == 'r' ? 1 : 0;
      return true;
    });
    EXPECT_EQ(tables, 64u);
    auto by_name = classes.find({{pg_class::relname, make_name(arena, "pg_class_oid_index")}, {pg_class::relnamespace, Datum::of(kPgCatalogNamespace)}}, arena);
    ASSERT_TRUE(by_name.has_value());
    EXPECT_EQ(by_name->get(pg_class::oid).as_oid(), Oid{2662});
  });
}

TEST(Bootstrap, BuiltinObjectsAreRows) {
  CatalogCluster cluster;
  cluster.in_transaction([] {
    Arena arena;
    auto type = CatalogTable(catalog_oid::pg_type, kRead)
                    .find({{pg_type::typname, make_name(arena, "int4")}, {pg_type::typnamespace, Datum::of(kPgCatalogNamespace)}}, arena);
    ASSERT_TRUE(type.has_value());
    EXPECT_EQ(type->get(pg_type::oid).as_oid(), type_oid::int4);
    // Only what is implemented is listed (json is not).
    auto plus = CatalogTable(catalog_oid::pg_proc, kRead).find({{pg_proc::oid, Datum::of(Oid{177})}}, arena);   // int4pl
    ASSERT_TRUE(plus.has_value());
    EXPECT_EQ(name_text(plus->get(pg_proc::proname)), "int4pl");
    EXPECT_EQ(find_builtin_function(Oid{321}), nullptr);
    EXPECT_FALSE(CatalogTable(catalog_oid::pg_proc, kRead).find({{pg_proc::oid, Datum::of(Oid{321})}}, arena).has_value());
    EXPECT_EQ(count_rows(catalog_oid::pg_database), 3u);
    EXPECT_EQ(count_rows(catalog_oid::pg_authid), 13u);
    EXPECT_EQ(count_rows(catalog_oid::pg_collation), 662u);
    EXPECT_EQ(count_rows(catalog_oid::pg_constraint), 109u);
    auto database = find_database("template1");
    ASSERT_TRUE(database.has_value());
    EXPECT_TRUE(database->is_template);
    EXPECT_FALSE(find_database("template0")->allow_connections);
    EXPECT_EQ(find_role_by_name("pg_monitor")->oid, Oid{3373});
    EXPECT_TRUE(find_role_by_name("postgres")->superuser);
    EXPECT_EQ(find_schema("public"), kPublicNamespace);
  });
}

TEST(CatalogTable, WritesAreSeenByTheNextCommandAndOthersAtCommit) {
  CatalogCluster cluster;
  cluster.live([] {
    transaction::start();
    EXPECT_EQ(find_schema("s"), kInvalidOid);     // remembered as absent
    Oid oid = make_schema("s");
    EXPECT_EQ(find_schema("s"), kInvalidOid);     // not yet: same command
    transaction::advance_command();
    EXPECT_EQ(find_schema("s"), oid);
    EXPECT_EQ(schema_name(oid), "s");
    EXPECT_GE(raw(oid), raw(kFirstNormalOid));
    transaction::abort();
    transaction::start();
    EXPECT_EQ(find_schema("s"), kInvalidOid);
    make_schema("s");
    transaction::commit();
    transaction::start();
    EXPECT_NE(find_schema("s"), kInvalidOid);
    transaction::commit();
    // Another process renames it: this one's cache notices.
    test::run_processes(1, [](int) {
      transaction::start();
      Arena arena;
      CatalogTable table(catalog_oid::pg_namespace, locking::LockMode::row_exclusive);
      auto row = table.find({{pg_namespace::nspname, make_name(arena, "s")}}, arena);
      row->set(pg_namespace::nspname, make_name(arena, "renamed"));
      table.update(*row);
      transaction::commit();
      return 0;
    });
    transaction::start();
    EXPECT_EQ(find_schema("s"), kInvalidOid);
    Oid renamed = find_schema("renamed");
    EXPECT_NE(renamed, kInvalidOid);
    EXPECT_EQ(schema_name(renamed), "renamed");
    transaction::commit();
  });
}

TEST(CatalogTable, SubtransactionsAndUniqueness) {
  CatalogCluster cluster;
  cluster.live([] {
    transaction::start();
    transaction::begin_block();
    transaction::start_subtransaction();
    make_schema("a");
    transaction::advance_command();
    EXPECT_NE(find_schema("a"), kInvalidOid);
    transaction::abort_subtransaction();
    EXPECT_EQ(find_schema("a"), kInvalidOid);
    make_schema("b");
    transaction::advance_command();
    try {
      make_schema("b");
      ADD_FAILURE();
    } catch (const SqlError& e) {
      EXPECT_EQ(e.report().message, "duplicate key value violates unique constraint \"pg_namespace_nspname_index\"");
      EXPECT_EQ(e.report().detail, "Key (nspname)=(b) already exists.");
      EXPECT_EQ(e.code(), sqlstate::unique_violation);
    }
    transaction::abort();
  });
}

TEST(CatalogTable, DescriptionsAndDependencies) {
  CatalogCluster cluster;
  cluster.live([] {
    register_drop(catalog_oid::pg_namespace, [](const ObjectAddress& object) {
      Arena arena;
      CatalogTable table(catalog_oid::pg_namespace, locking::LockMode::row_exclusive);
      auto row = table.find({{pg_namespace::oid, Datum::of(object.object)}}, arena);
      table.remove(row->tid);
    });
    transaction::start();
    transaction::begin_block();
    Oid a = make_schema("a"), b = make_schema("b");
    ObjectAddress first{catalog_oid::pg_namespace, a, 0}, second{catalog_oid::pg_namespace, b, 0};
    record_dependency(second, first, DependencyKind::normal);
    set_comment(second, "hello");
    transaction::advance_command();
    EXPECT_EQ(describe_object(first), "schema a");
    EXPECT_EQ(describe_object({catalog_oid::pg_class, catalog_oid::pg_class, 1}), "column oid of table pg_class");
    EXPECT_EQ(describe_object({catalog_oid::pg_proc, Oid{177}, 0}), "function int4pl(integer,integer)");
    EXPECT_EQ(describe_object({catalog_oid::pg_operator, Oid{551}, 0}), "operator +(integer,integer)");
    EXPECT_EQ(describe_object({catalog_oid::pg_cast, find_cast(type_oid::int4, type_oid::int8)->oid, 0}), "cast from integer to bigint");
    try {
      perform_deletion({&first, 1}, false);
      ADD_FAILURE();
    } catch (const SqlError& e) {
      EXPECT_EQ(e.report().message, "cannot drop schema a because other objects depend on it");
      EXPECT_EQ(e.report().detail, "schema b depends on schema a");
    }
    perform_deletion({&first, 1}, true);
    EXPECT_EQ(find_schema("a"), kInvalidOid);
    EXPECT_EQ(find_schema("b"), kInvalidOid);
    EXPECT_TRUE(dependencies_of(second).empty());
    EXPECT_EQ(count_rows(catalog_oid::pg_description), 3u);
    ObjectAddress pinned{catalog_oid::pg_class, catalog_oid::pg_class, 0};
    EXPECT_THROW(perform_deletion({&pinned, 1}, true), SqlError);
    transaction::commit();
  });
}

TEST(Privileges, DefaultsAndGrants) {
  CatalogCluster cluster;
  cluster.in_transaction([] {
    constexpr Oid kMonitor{3373}, kReadAllData{6181};
    using namespace nodes;
    EXPECT_EQ(relation_privileges(catalog_oid::pg_class, kMonitor, kAclSelect | kAclInsert), kAclSelect);
    EXPECT_EQ(relation_privileges(catalog_oid::pg_authid, kMonitor, kAclSelect), 0u);
    EXPECT_EQ(relation_privileges(catalog_oid::pg_authid, kReadAllData, kAclSelect), kAclSelect);
    EXPECT_EQ(relation_privileges(catalog_oid::pg_authid, kBootstrapSuperuser, kAclSelect | kAclInsert), kAclSelect | kAclInsert);
    EXPECT_EQ(object_privileges(catalog_oid::pg_namespace, kPublicNamespace, kMonitor, kAclUsage | kAclCreate), kAclUsage);
    EXPECT_EQ(object_privileges(catalog_oid::pg_proc, Oid{177}, kMonitor, kAclExecute), kAclExecute);
    EXPECT_EQ(object_privileges(catalog_oid::pg_database, kPostgresDatabase, kMonitor, kAclConnect | kAclCreate), kAclConnect);
    EXPECT_TRUE(is_owner(catalog_oid::pg_namespace, kPublicNamespace, kBootstrapSuperuser));
    EXPECT_FALSE(is_owner(catalog_oid::pg_namespace, kPublicNamespace, kMonitor));
    AclItem item = parse_acl_item("pg_monitor=r*w/postgres");
    EXPECT_EQ(item.grantee, kMonitor);
    EXPECT_EQ(item.privileges, kAclSelect | kAclUpdate | (kAclSelect << 16));
    EXPECT_EQ(acl_item_text(item), "pg_monitor=r*w/postgres");
    EXPECT_EQ(acl_item_text({kInvalidOid, kBootstrapSuperuser, kAclSelect}), "=r/postgres");
  });
}

TEST(Acl, RevokeWithDependents) {
  using namespace nodes;
  constexpr Oid kOwner{16390}, kFirst{16391}, kSecond{16392};
  std::vector<AclItem> items = default_acl('r', kOwner);
  acl_grant(items, kFirst, kOwner, kAclSelect, true);
  acl_grant(items, kSecond, kFirst, kAclSelect, false);
  try {
    acl_revoke(items, kFirst, kOwner, kAclSelect, false, false, kOwner);
    ADD_FAILURE();
  } catch (const SqlError& e) {
    EXPECT_EQ(e.report().message, "dependent privileges exist");
    EXPECT_EQ(e.report().hint, "Use CASCADE to revoke them too.");
  }
  items = default_acl('r', kOwner);
  acl_grant(items, kFirst, kOwner, kAclSelect, true);
  acl_grant(items, kSecond, kFirst, kAclSelect, false);
  acl_revoke(items, kFirst, kOwner, kAclSelect, false, true, kOwner);
  EXPECT_EQ(items, default_acl('r', kOwner));
}

}  // namespace
}  // namespace hathi::catalog
