#include "hathi/catalog/bootstrap.h"


#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "hathi/transaction/transaction.h"
#include "hathi/wal/log.h"
#include "src/backend/catalog/bootstrap_files.h"
#include "src/backend/catalog/bootstrap_rows.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/data.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/relation_cache.h"
#include "src/backend/catalog/temporary.h"

namespace hathi::catalog {

// --- writing ------------------------------------------------------------------------------------------------------------------
CatalogLoader::CatalogLoader(Oid catalog) : relation_(cached_relation(catalog)) {}

CatalogRow& CatalogLoader::row() {
  auto n = static_cast<std::size_t>(relation_->descriptor->count());
  scratch_.values.assign(n, Datum());
  scratch_.nulls.assign(n, 1);
  return scratch_;
}

void CatalogLoader::add(const CatalogRow& row) {
  tuples_.push_back(form_tuple(*relation_->descriptor, row.values.data(), reinterpret_cast<const bool*>(row.nulls.data()), arena_));
}

namespace {

void write_index(const IndexDescriptor& index, const TupleDescriptor& descriptor, std::span<const HeapTuple> tuples, std::span<const TupleId> tids) {
  btree::BTreeIndex tree = index.btree;
  tree.persistence = storage::Persistence::unlogged;
  storage::create_fork(tree.file, Fork::main, false);
  btree::create_empty(tree);
  if (tuples.empty()) return;
  btree::Builder builder(tree, [&](const Datum*, const bool*) { panic("initial catalog rows are not unique in " + std::string(index.name)); });
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    Datum values[8];
    bool nulls[8];
    for (std::size_t k = 0; k < index.columns.size(); ++k) values[k] = get_attribute(tuples[i], descriptor, index.columns[k], nulls[k]);
    builder.add(values, nulls, tids[i], true);
  }
  builder.finish();
}

void write_table(const Relation& relation, std::span<const HeapTuple> tuples) {
  heap::HeapTable table = relation.heap;
  table.persistence = storage::Persistence::unlogged;
  storage::create_fork(table.file, Fork::main, false);
  std::vector<TupleId> tids(tuples.size());
  heap::InsertOptions options;
  options.frozen = true;
  options.skip_free_space_map = true;
  if (!tuples.empty()) heap::insert_many(table, tuples, tids, options);
  for (const IndexDescriptor* index : relation.indexes) write_index(*index, *relation.descriptor, tuples, tids);
}

// --- roles, databases, schemas ------------------------------------------------------------------------------------------------
void add_role(CatalogLoader& out, Oid oid, std::string_view name, bool super, std::string_view password) {
  using namespace pg_authid;
  CatalogRow& row = out.row();
  row.set(pg_authid::oid, Datum::of(oid));
  row.set(rolname, out.name(name));
  for (AttrNumber column : {rolsuper, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls}) row.set(column, Datum::of(super));
  row.set(rolinherit, Datum::of(true));
  row.set(rolconnlimit, Datum::of(std::int32_t{-1}));
  if (!password.empty()) row.set(rolpassword, out.text(password));
  out.add(row);
}

void add_roles(Loaders& loaders, const BootstrapOptions& options) {
  CatalogLoader& out = loaders.of(catalog_oid::pg_authid);
  add_role(out, kBootstrapSuperuser, options.superuser, true, options.password);
  for (const builtin::Role& role : builtin::roles()) add_role(out, role.oid, role.name, false, "");
  CatalogLoader& members = loaders.of(catalog_oid::pg_auth_members);
  for (const builtin::Membership& m : builtin::memberships()) {
    CatalogRow& row = members.row();
    row.set(pg_auth_members::roleid, Datum::of(m.role));
    row.set(pg_auth_members::member, Datum::of(m.member));
    row.set(pg_auth_members::grantor, Datum::of(kBootstrapSuperuser));
    row.set(pg_auth_members::admin_option, Datum::of(false));
    members.add(row);
  }
}

void add_database(CatalogLoader& out, const BootstrapOptions& options, Oid oid, std::string_view name, bool is_template, bool allow) {
  using namespace pg_database;
  CatalogRow& row = out.row();
  row.set(pg_database::oid, Datum::of(oid));
  row.set(datname, out.name(name));
  row.set(datdba, Datum::of(kBootstrapSuperuser));
  row.set(encoding, Datum::of(static_cast<std::int32_t>(options.encoding)));
  row.set(datlocprovider, Datum::of(options.locale_provider));
  row.set(datistemplate, Datum::of(is_template));
  row.set(datallowconn, Datum::of(allow));
  row.set(datconnlimit, Datum::of(std::int32_t{-1}));
  row.set(datfrozenxid, Datum::of(static_cast<std::uint32_t>(kFirstNormalXid.value())));
  row.set(datminmxid, Datum::of(std::uint32_t{1}));
  row.set(dattablespace, Datum::of(storage::kDefaultTablespace));
  row.set(datcollate, out.text(options.collate));
  row.set(datctype, out.text(options.ctype));
  if (options.locale_provider == 'i') row.set(daticulocale, out.text(options.icu_locale));
  if (is_template) {
    std::vector<AclItem> items{{kInvalidOid, kBootstrapSuperuser, nodes::kAclConnect}, {kBootstrapSuperuser, kBootstrapSuperuser, all_privileges('d')}};
    row.set(datacl, out.acl(items));
  }
  out.add(row);
}

void add_schema(Loaders& loaders, Oid oid, std::string_view name, Oid owner, bool with_acl) {
  CatalogLoader& out = loaders.of(catalog_oid::pg_namespace);
  CatalogRow& row = out.row();
  row.set(pg_namespace::oid, Datum::of(oid));
  row.set(pg_namespace::nspname, out.name(name));
  row.set(pg_namespace::nspowner, Datum::of(owner));
  if (with_acl) {
    std::vector<AclItem> items{{owner, owner, all_privileges('n')}, {kInvalidOid, owner, nodes::kAclUsage}};
    row.set(pg_namespace::nspacl, out.acl(items));
    add_initial_privileges(loaders, catalog_oid::pg_namespace, oid, 0, items);
  }
  out.add(row);
}

void add_tablespace(CatalogLoader& out, Oid oid, std::string_view name) {
  CatalogRow& row = out.row();
  row.set(pg_tablespace::oid, Datum::of(oid));
  row.set(pg_tablespace::spcname, out.name(name));
  row.set(pg_tablespace::spcowner, Datum::of(kBootstrapSuperuser));
  out.add(row);
}

// pg_db_role_setting etc. stay empty. The comments on the template databases are PostgreSQL's.
void add_comment(Loaders& loaders, Oid class_id, Oid object, std::string_view text) {
  CatalogLoader& out = loaders.of(catalog_oid::pg_shdescription);
  CatalogRow& row = out.row();
  row.set(pg_shdescription::objoid, Datum::of(object));
  row.set(pg_shdescription::classoid, Datum::of(class_id));
  row.set(pg_shdescription::description, out.text(text));
  out.add(row);
}

// What the scripts granted belongs to the objects' first state, as pg_dump wants to know.
void record_initial_privileges(Oid class_id, AttrNumber acl) {
  using namespace pg_init_privs;
  CatalogTable from(class_id, locking::LockMode::access_share), to(catalog_oid::pg_init_privs, locking::LockMode::row_exclusive);
  Arena arena(65536);
  from.scan({}, arena, [&](CatalogRow& row) {
    if (row.is_null(acl)) return true;
    std::vector<CatalogKey> keys{{objoid, row.get(1)}, {classoid, Datum::of(class_id)}, {objsubid, Datum::of(std::int32_t{0})}};
    if (to.find({keys[0], keys[1], keys[2]}, arena)) return true;
    CatalogRow fresh = to.new_row();
    for (const CatalogKey& key : keys) fresh.set(key.column, key.value);
    fresh.set(privtype, Datum::of('i'));
    fresh.set(initprivs, row.get(acl));
    to.insert(fresh);
    return true;
  });
}

// Comments that \dn+ shows.
void add_schema_comment(Loaders& loaders, Oid schema, std::string_view text) {
  CatalogLoader& out = loaders.of(catalog_oid::pg_description);
  CatalogRow& row = out.row();
  row.set(pg_description::objoid, Datum::of(schema));
  row.set(pg_description::classoid, Datum::of(catalog_oid::pg_namespace));
  row.set(pg_description::objsubid, Datum::of(std::int32_t{0}));
  row.set(pg_description::description, out.text(text));
  out.add(row);
}

void run_scripts(RunSql run_sql) {
  use_system_oids(true);
  config::set("allow_system_table_mods", "on", config::Source::override_value, false, true);   // pg_stats has columns of type anyarray
  run_sql(data::system_views);
  run_sql(data::information_schema);
  transaction::start();
  record_initial_privileges(catalog_oid::pg_class, pg_class::relacl);
  record_initial_privileges(catalog_oid::pg_namespace, pg_namespace::nspacl);
  transaction::commit();
  use_system_oids(false);
}

}  // namespace

void add_cluster_rows(Loaders& loaders, const BootstrapOptions& options) {
  add_roles(loaders, options);
  CatalogLoader& databases = loaders.of(catalog_oid::pg_database);
  add_database(databases, options, kTemplate1Database, "template1", true, true);
  add_database(databases, options, kTemplate0Database, "template0", true, false);
  add_database(databases, options, kPostgresDatabase, "postgres", false, true);
  add_comment(loaders, catalog_oid::pg_database, kTemplate1Database, "default template for new databases");
  add_comment(loaders, catalog_oid::pg_database, kTemplate0Database, "unmodifiable empty database");
  add_comment(loaders, catalog_oid::pg_database, kPostgresDatabase, "default administrative connection database");
  add_schema(loaders, kPgCatalogNamespace, "pg_catalog", kBootstrapSuperuser, true);
  add_schema(loaders, kPgToastNamespace, "pg_toast", kBootstrapSuperuser, false);
  add_schema(loaders, kPublicNamespace, "public", Oid{6171}, true);
  add_schema_comment(loaders, kPgCatalogNamespace, "system catalog schema");
  add_schema_comment(loaders, kPgToastNamespace, "reserved schema for TOAST tables");
  add_schema_comment(loaders, kPublicNamespace, "standard public schema");
  CatalogLoader& tablespaces = loaders.of(catalog_oid::pg_tablespace);
  add_tablespace(tablespaces, storage::kDefaultTablespace, "pg_default");
  add_tablespace(tablespaces, storage::kGlobalTablespace, "pg_global");
}

Loaders::Loaders() {
  for (const CatalogDefinition& c : catalog_definitions()) all_.emplace_back(c.oid, std::make_unique<CatalogLoader>(c.oid));
}

CatalogLoader& Loaders::of(Oid catalog) {
  for (auto& [oid, loader] : all_) {
    if (oid == catalog) return *loader;
  }
  panic("no such catalog");
}

void CatalogLoader::write() {
  write_table(*relation_, tuples_);
  if (is_valid(relation_->heap.toast_table)) write_table(*cached_relation(relation_->heap.toast_table), {});
}

void Loaders::write_all() {
  for (auto& [oid, loader] : all_) loader->write();
}

std::string_view system_views_script() { return data::system_views; }
std::string_view information_schema_script() { return data::information_schema; }

void bootstrap_cluster(const BootstrapOptions& options, RunSql run_sql) {
  set_identity(kTemplate1Database, "template1", kBootstrapSuperuser);
  make_database_directory(kTemplate1Database);
  transaction::start();
  {
    Loaders loaders;
    add_cluster_rows(loaders, options);
    add_builtin_rows(loaders);
    add_relation_rows(loaders);
    loaders.write_all();
  }
  transaction::commit();
  if (run_sql != nullptr) run_scripts(run_sql);
  wal::CheckpointRequest request;
  request.immediate = request.shutdown = true;
  wal::perform_checkpoint(request);
  copy_database_directory(kTemplate1Database, kTemplate0Database);
  copy_database_directory(kTemplate1Database, kPostgresDatabase);
  if (config::values::fsync) storage::sync_data_directory();
}

}  // namespace hathi::catalog
