// Names of users' objects, schemas, roles.

#include <string>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/versions.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/object_cache.h"
#include "src/backend/catalog/user_readers.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

// --- objects by name --------------------------------------------------------------------------------------------------------
struct NamePlace { AttrNumber oid, name, schema; };   // schema 0 = the kind has none
NamePlace place_of(Oid catalog) {
  switch (raw(catalog)) {
    case raw(catalog_oid::pg_class): return {pg_class::oid, pg_class::relname, pg_class::relnamespace};
    case raw(catalog_oid::pg_type): return {pg_type::oid, pg_type::typname, pg_type::typnamespace};
    case raw(catalog_oid::pg_proc): return {pg_proc::oid, pg_proc::proname, pg_proc::pronamespace};
    case raw(catalog_oid::pg_operator): return {pg_operator::oid, pg_operator::oprname, pg_operator::oprnamespace};
    case raw(catalog_oid::pg_namespace): return {pg_namespace::oid, pg_namespace::nspname, 0};
    case raw(catalog_oid::pg_authid): return {pg_authid::oid, pg_authid::rolname, 0};
    case raw(catalog_oid::pg_database): return {pg_database::oid, pg_database::datname, 0};
    case raw(catalog_oid::pg_collation): return {pg_collation::oid, pg_collation::collname, pg_collation::collnamespace};
    case raw(catalog_oid::pg_opclass): return {pg_opclass::oid, pg_opclass::opcname, pg_opclass::opcnamespace};
    default: throw SqlError(sqlstate::internal_error, "no names are cached of catalog {}", raw(catalog));
  }
}

bool is_builtin(Oid catalog, Oid oid) {
  switch (raw(catalog)) {
    case raw(catalog_oid::pg_class): return is_catalog_relation(oid);
    case raw(catalog_oid::pg_type): return builtin::type(oid) != nullptr;
    case raw(catalog_oid::pg_proc): return builtin::function(oid) != nullptr;
    case raw(catalog_oid::pg_operator): return builtin::op(oid) != nullptr;
    case raw(catalog_oid::pg_collation): return builtin::collation(oid) != nullptr;
    case raw(catalog_oid::pg_opclass): return builtin::operator_class(oid) != nullptr;
    default: return false;
  }
}

struct NameEntry {
  versions::Stamp stamp;
  std::vector<NamedObject> objects;
};
// Keyed by catalog and name. Spans handed out live in retired entries until the transaction ends.
class NameCache {
 public:
  std::span<const NamedObject> find(Oid catalog, std::string_view name) {
    std::uint32_t slot = versions::slot_of_name(catalog, name);
    versions::Stamp stamp = versions::stamp(slot);
    key_.assign(reinterpret_cast<const char*>(&catalog), sizeof(catalog));
    key_ += name;
    auto found = entries_.find(key_);
    if (found != entries_.end()) {
      if (found->second->stamp == stamp) return found->second->objects;
      retired_.push_back(std::move(found->second));
      entries_.erase(found);
    }
    Oid database = is_shared_catalog(catalog) ? kInvalidOid : current_database();
    versions::NamedOids told;
    if (versions::recall_name(slot, database, catalog, name, stamp, told)) {
      std::vector<NamedObject> objects;
      if (is_valid(told.object)) objects.push_back({told.object, told.schema});
      return remember(stamp, std::move(objects));
    }
    if (!transaction::is_running()) return {};  // nothing can be read now
    while (true) {
      std::string key = key_;
      std::vector<NamedObject> objects = load(catalog, name);
      key_ = key;
      versions::Stamp after = versions::stamp(slot);
      if (after == stamp) {
        if (objects.empty()) versions::remember_name(slot, database, catalog, name, stamp, {});
        if (objects.size() == 1) versions::remember_name(slot, database, catalog, name, stamp, {objects[0].oid, objects[0].schema});
        return remember(stamp, std::move(objects));
      }
      stamp = after;
    }
  }
  void end_of_transaction() {
    retired_.clear();
    if (entries_.size() > 4096) entries_.clear();
  }

 private:
  std::span<const NamedObject> remember(const versions::Stamp& stamp, std::vector<NamedObject> objects) {
    auto& place = entries_[key_];
    if (place) retired_.push_back(std::move(place));
    place = std::make_unique<NameEntry>(NameEntry{stamp, std::move(objects)});
    return place->objects;
  }
  static std::vector<NamedObject> load(Oid catalog, std::string_view name) {
    NamePlace place = place_of(catalog);
    std::vector<NamedObject> objects;
    if (name.size() >= kNameLength) return objects;
    Arena scratch(2048);
    CatalogTable(catalog, kRead).scan(std::vector<CatalogKey>{{place.name, make_name(scratch, name)}}, scratch, [&](CatalogRow& row) {
      Oid oid = row.get(place.oid).as_oid();
      if (!is_builtin(catalog, oid)) objects.push_back({oid, place.schema == 0 ? kInvalidOid : row.get(place.schema).as_oid()});
      return true;
    });
    return objects;
  }

  std::unordered_map<std::string, std::unique_ptr<NameEntry>> entries_;
  std::vector<std::unique_ptr<NameEntry>> retired_;
  std::string key_;
};
NameCache names;

// --- names by OID -------------------------------------------------------------------------------------------------------------
struct Name { std::string_view text; };

bool load_schema_name(std::uint64_t key, Arena& arena, Name& out) {
  Arena scratch(512);
  auto row = CatalogTable(catalog_oid::pg_namespace, kRead).find({{pg_namespace::oid, Datum(key)}}, scratch);
  if (row) out.text = arena.copy(name_text(row->get(pg_namespace::nspname)));
  return row.has_value();
}
bool load_relation_name(std::uint64_t key, Arena& arena, Name& out) {
  Arena scratch(512);
  auto row = CatalogTable(catalog_oid::pg_class, kRead).find({{pg_class::oid, Datum(key)}}, scratch);
  if (row) out.text = arena.copy(name_text(row->get(pg_class::relname)));
  return row.has_value();
}
ObjectCache<Name> schema_names(load_schema_name, shared_store::Kind::schema_name), relation_names(load_relation_name);

// --- roles --------------------------------------------------------------------------------------------------------------------
bool load_role(std::uint64_t key, Arena& arena, RoleInfo& role) {
  using namespace pg_authid;
  Arena scratch(1024);
  auto row = CatalogTable(catalog_oid::pg_authid, kRead).find({{pg_authid::oid, Datum(key)}}, scratch);
  if (!row) return false;
  role.oid = row->get(pg_authid::oid).as_oid();
  role.name = arena.copy(name_text(row->get(rolname)));
  role.superuser = row->get(rolsuper).as_bool();
  role.inherit = row->get(rolinherit).as_bool();
  role.create_role = row->get(rolcreaterole).as_bool();
  role.create_db = row->get(rolcreatedb).as_bool();
  role.can_login = row->get(rolcanlogin).as_bool();
  role.replication = row->get(rolreplication).as_bool();
  role.bypass_rls = row->get(rolbypassrls).as_bool();
  role.connection_limit = row->get(rolconnlimit).as_int32();
  if (!row->is_null(rolpassword)) role.password = arena.copy(varlena::text(row->get(rolpassword), scratch));
  if (!row->is_null(rolvaliduntil)) role.valid_until = row->get(rolvaliduntil).as_int64();
  return true;
}
ObjectCache<RoleInfo> roles(load_role, shared_store::Kind::role, true);

struct Granted { std::span<const Oid> roles; };
bool load_granted(std::uint64_t key, Arena& arena, Granted& out) {
  Arena scratch(1024);
  std::vector<Oid> found;
  CatalogTable(catalog_oid::pg_auth_members, kRead).scan(std::vector<CatalogKey>{{pg_auth_members::member, Datum(key)}}, scratch, [&](CatalogRow& row) {
    found.push_back(row.get(pg_auth_members::roleid).as_oid());
    return true;
  });
  Oid* copy = arena.make_array<Oid>(found.size());
  std::copy(found.begin(), found.end(), copy);
  out.roles = {copy, found.size()};
  return true;
}
ObjectCache<Granted> granted(load_granted);

struct Owner { Oid oid; };
bool load_database_owner(std::uint64_t key, Arena&, Owner& out) {
  Arena scratch(1024);
  auto row = CatalogTable(catalog_oid::pg_database, kRead).find({{pg_database::oid, Datum(key)}}, scratch);
  if (row) out.oid = row->get(pg_database::datdba).as_oid();
  return row.has_value();
}
ObjectCache<Owner> database_owners(load_database_owner);

std::uint32_t slot(Oid catalog, Oid oid) { return versions::slot_of(catalog, oid); }

}  // namespace

void add_name_readers(UserObjects& readers) {
  readers.named = [](Oid catalog, std::string_view name) { return names.find(catalog, name); };
  readers.schema_name = [](Oid oid) {
    const Name* name = schema_names.find(raw(oid), slot(catalog_oid::pg_namespace, oid));
    return name == nullptr ? std::string_view() : name->text;
  };
  readers.relation_name = [](Oid oid) {
    const Name* name = relation_names.find(raw(oid), slot(catalog_oid::pg_class, oid));
    return name == nullptr ? std::string_view() : name->text;
  };
  readers.role = [](Oid oid) { return roles.find(raw(oid), slot(catalog_oid::pg_authid, oid)); };
  readers.direct_roles = [](Oid member) { return granted.find(raw(member), slot(catalog_oid::pg_auth_members, kInvalidOid))->roles; };
  readers.database_owner = [] {
    const Owner* owner = database_owners.find(raw(current_database()), slot(catalog_oid::pg_database, current_database()));
    return owner == nullptr ? kInvalidOid : owner->oid;
  };
  readers.may_use_schema = [](Oid schema, Oid role) { return object_privileges(catalog_oid::pg_namespace, schema, role, nodes::kAclUsage) != 0; };
}

void end_name_caches() {
  names.end_of_transaction();
  schema_names.end_of_transaction();
  relation_names.end_of_transaction();
  roles.end_of_transaction();
  granted.end_of_transaction();
  database_owners.end_of_transaction();
}

}  // namespace hathi::catalog
