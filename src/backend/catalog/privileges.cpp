// Who may do what.

#include <algorithm>

#include "hathi/catalog/acl.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "src/backend/catalog/object_cache.h"
#include "hathi/catalog/object_classes.h"
#include "src/backend/catalog/privileges.h"
#include "src/backend/catalog/relation_cache.h"

namespace hathi::catalog {

namespace {

using namespace nodes;

constexpr locking::LockMode kRead = locking::LockMode::access_share;
constexpr Oid kReadAllData{6181}, kWriteAllData{6182};
constexpr std::uint32_t kRights = 0xFFFF;

// Owner and access list of one object; `kind` tells sequences from tables.
struct Access {
  Oid owner;
  char kind;                      // pg_class: relkind, pg_type: typtype
  Oid element;                    // pg_type: of an array
  bool has_acl;
  std::span<const AclItem> items;
};

std::span<const AclItem> copy_items(const std::vector<AclItem>& items, Arena& arena) {
  auto* copy = arena.make_array<AclItem>(items.size());
  std::copy(items.begin(), items.end(), copy);
  return {copy, items.size()};
}

bool load_access(std::uint64_t key, Arena& arena, Access& access) {
  Oid class_id{static_cast<std::uint32_t>(key >> 32)};
  const ObjectClass* c = object_class(class_id);
  Arena scratch(1024);
  auto row = CatalogTable(class_id, kRead).find({{1, Datum(key & 0xFFFFFFFFu)}}, scratch);
  if (!row) return false;
  access.owner = c->owner == 0 ? kBootstrapSuperuser : row->get(c->owner).as_oid();
  if (class_id == catalog_oid::pg_class) access.kind = row->get(pg_class::relkind).as_char();
  if (class_id == catalog_oid::pg_type) {
    access.kind = row->get(pg_type::typtype).as_char();
    access.element = row->get(pg_type::typsubscript).as_oid() == Oid{6179} ? row->get(pg_type::typelem).as_oid() : kInvalidOid;
  }
  access.has_acl = c->acl != 0 && !row->is_null(c->acl);
  if (access.has_acl) access.items = copy_items(read_acl(row->get(c->acl), scratch), arena);
  return true;
}
ObjectCache<Access> accesses(load_access, shared_store::Kind::access);

const Access* find_access(Oid class_id, Oid object) {
  return accesses.find(static_cast<std::uint64_t>(raw(class_id)) << 32 | raw(object), versions::slot_of(class_id, object));
}

std::uint32_t mask_of(const Access& access, char kind, Oid role, std::uint32_t mask) {
  if (access.has_acl) return acl_mask(access.items, role, access.owner, mask);
  return acl_mask(default_acl(kind, access.owner), role, access.owner, mask);
}

// Rows of catalogs are not changed by hand.
std::uint32_t without_catalog_changes(Oid relation, char kind, std::uint32_t mask) {
  constexpr std::uint32_t kChanges = kAclInsert | kAclUpdate | kAclDelete | kAclTruncate | kAclUsage;
  if (raw(relation) >= raw(kFirstNormalOid) || kind == relation_kind::view) return mask;
  return mask & ~kChanges;
}

std::uint32_t add_predefined(std::uint32_t result, Oid role, std::uint32_t mask) {
  if ((mask & kAclSelect & ~result) != 0 && is_member_of(role, kReadAllData)) result |= kAclSelect;
  constexpr std::uint32_t kWrites = kAclInsert | kAclUpdate | kAclDelete;
  if ((mask & kWrites & ~result) != 0 && is_member_of(role, kWriteAllData)) result |= mask & kWrites;
  return result;
}

std::uint32_t schema_privileges(Oid schema, Oid role, std::uint32_t mask) {
  // The own temporary schema belongs to whoever may make temporary tables in the database.
  if (is_temporary_schema(schema)) {
    bool may_create = object_privileges(catalog_oid::pg_database, current_database(), role, kAclCreateTemp) != 0;
    return mask & (may_create ? all_privileges('n') : kAclUsage);
  }
  const Access* access = find_access(catalog_oid::pg_namespace, schema);
  if (access == nullptr) return 0;
  std::uint32_t result = mask_of(*access, 'n', role, mask);
  if ((mask & kAclUsage & ~result) != 0 && (is_member_of(role, kReadAllData) || is_member_of(role, kWriteAllData))) result |= kAclUsage;
  return result;
}

}  // namespace

void end_privilege_caches() { accesses.end_of_transaction(); }

std::uint32_t relation_privileges(Oid relation, Oid role, std::uint32_t mask) {
  if (is_superuser(role)) return mask;
  if (raw(relation) >= raw(kFirstNormalOid)) {
    // The usual case needs no more than the descriptor, which the statement has open anyway.
    RelationRef r = cached_relation(relation);
    if (r && r->acl.empty() && r->kind != relation_kind::sequence && is_member_of(role, r->owner)) return mask & all_privileges('r');
  }
  const Access* access = find_access(catalog_oid::pg_class, relation);
  if (access == nullptr) return 0;
  mask = without_catalog_changes(relation, access->kind, mask);
  std::uint32_t result = mask_of(*access, access->kind == relation_kind::sequence ? 's' : 'r', role, mask);
  return add_predefined(result, role, mask);
}

std::uint32_t column_privileges(Oid relation, AttrNumber column, Oid role, std::uint32_t mask) {
  if (is_superuser(role)) return mask;
  Arena scratch(1024);
  auto row = CatalogTable(catalog_oid::pg_attribute, kRead)
                 .find({{pg_attribute::attrelid, Datum::of(relation)}, {pg_attribute::attnum, Datum::of(column)}}, scratch);
  if (!row || row->get(pg_attribute::attisdropped).as_bool() || row->is_null(pg_attribute::attacl)) return 0;
  const Access* access = find_access(catalog_oid::pg_class, relation);
  if (access == nullptr) return 0;
  return acl_mask(read_acl(row->get(pg_attribute::attacl), scratch), role, access->owner, mask);
}

std::uint32_t object_privileges(Oid class_id, Oid object, Oid role, std::uint32_t mask) {
  if (is_superuser(role)) return mask;
  if (class_id == catalog_oid::pg_class) return relation_privileges(object, role, mask);
  if (class_id == catalog_oid::pg_namespace) return schema_privileges(object, role, mask);
  const ObjectClass* c = object_class(class_id);
  HATHI_ASSERT(c != nullptr && c->acl != 0);
  const Access* access = find_access(class_id, object);
  // Built-in functions without a row of their own (not implemented) are everybody's.
  if (access == nullptr) return class_id == catalog_oid::pg_proc && raw(object) < raw(kFirstNormalOid) ? mask & kRights : 0;
  if (class_id == catalog_oid::pg_type && is_valid(access->element)) return object_privileges(class_id, access->element, role, mask);
  return mask_of(*access, c->acl_kind, role, mask);
}

Oid object_owner(Oid class_id, Oid object) {
  const ObjectClass* c = object_class(class_id);
  if (c == nullptr || c->owner == 0) return kInvalidOid;
  const Access* access = find_access(class_id, object);
  return access == nullptr ? kInvalidOid : access->owner;
}

bool is_owner(Oid class_id, Oid object, Oid role) {
  if (is_superuser(role)) return true;
  Oid owner = object_owner(class_id, object);
  return is_valid(owner) && is_member_of(role, owner);
}

void throw_permission_denied(std::string_view what, std::string_view name) {
  throw SqlError(sqlstate::insufficient_privilege, "permission denied for {} {}", what, name);
}

void throw_not_owner(std::string_view what, std::string_view name) {
  throw SqlError(sqlstate::insufficient_privilege, "must be owner of {} {}", what, name);
}

std::vector<AclItem> default_privileges_for(char kind, Oid owner, Oid schema, bool& found) {
  Arena scratch(1024);
  CatalogTable table(catalog_oid::pg_default_acl, kRead);
  using namespace pg_default_acl;
  auto read = [&](Oid in_schema) -> std::optional<std::vector<AclItem>> {
    auto row = table.find({{defaclrole, Datum::of(owner)}, {defaclnamespace, Datum::of(in_schema)}, {defaclobjtype, Datum::of(kind)}}, scratch);
    if (!row) return std::nullopt;
    return read_acl(row->get(defaclacl), scratch);
  };
  auto global = read(kInvalidOid);
  auto local = is_valid(schema) ? read(schema) : std::nullopt;
  found = global.has_value() || local.has_value();
  if (!found) return {};
  char acl_kind = kind == 'S' ? 's' : kind;
  std::vector<AclItem> items = global ? *global : default_acl(acl_kind, owner);
  if (local) {
    for (const AclItem& item : *local) {
      acl_grant(items, item.grantee, item.grantor, item.rights(), false);
      acl_grant(items, item.grantee, item.grantor, item.grant_options(), true);
    }
  }
  // Nothing to store when it says what silence says.
  if (items == default_acl(acl_kind, owner)) found = false;
  return items;
}

}  // namespace hathi::catalog
