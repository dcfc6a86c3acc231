// Roles and who belongs to whom.

#include <algorithm>
#include <unordered_map>

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/user_objects.h"
#include "hathi/catalog/versions.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/roles.h"

namespace hathi::catalog {

namespace {

constexpr Oid kDatabaseOwnerRole{6171};

// Without storage: the bootstrap superuser and the predefined roles.
const RoleInfo* builtin_role(Oid oid) {
  static const std::vector<RoleInfo> roles = [] {
    std::vector<RoleInfo> all;
    auto add = [&](Oid id, std::string_view name, bool super) {
      RoleInfo role{};
      role.oid = id;
      role.name = name;
      role.superuser = role.create_role = role.create_db = role.can_login = role.replication = role.bypass_rls = super;
      role.inherit = true;
      role.connection_limit = -1;
      all.push_back(role);
    };
    add(kBootstrapSuperuser, "postgres", true);
    for (const builtin::Role& role : builtin::roles()) add(role.oid, role.name, false);
    return all;
  }();
  for (const RoleInfo& role : roles) {
    if (role.oid == oid) return &role;
  }
  return nullptr;
}

struct Closure {
  versions::Stamp roles, members;
  std::vector<Oid> all;       // sorted
};
// [inherit only?][member]; cleared when it grows: few roles are asked for in a session.
std::unordered_map<std::uint32_t, Closure> closures[2];

std::vector<Oid> direct_roles(Oid member) {
  std::vector<Oid> found;
  if (user_objects().direct_roles != nullptr) {
    std::span<const Oid> granted = user_objects().direct_roles(member);
    found.assign(granted.begin(), granted.end());
    if (user_objects().database_owner != nullptr && user_objects().database_owner() == member) found.push_back(kDatabaseOwnerRole);
  } else {
    for (const builtin::Membership& m : builtin::memberships()) {
      if (m.member == member) found.push_back(m.role);
    }
  }
  return found;
}

// Every role that `member` belongs to, itself included. inherited: only where privileges pass without SET ROLE.
const std::vector<Oid>& roles_of(Oid member, bool inherited) {
  using namespace versions;
  static const std::uint32_t role_slot = slot_of(catalog_oid::pg_authid, kInvalidOid), member_slot = slot_of(catalog_oid::pg_auth_members, kInvalidOid);
  Stamp roles = stamp(role_slot), members = stamp(member_slot);
  auto& cache = closures[inherited ? 1 : 0];
  auto found = cache.find(raw(member));
  if (found != cache.end() && found->second.roles == roles && found->second.members == members) return found->second.all;
  std::vector<Oid> all{member};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (inherited) {
      const RoleInfo* role = find_role(all[i]);
      if (role == nullptr || !role->inherit) continue;
    }
    for (Oid granted : direct_roles(all[i])) {
      if (std::find(all.begin(), all.end(), granted) == all.end()) all.push_back(granted);
    }
  }
  std::sort(all.begin(), all.end());
  if (cache.size() > 64) cache.clear();
  Closure& closure = cache[raw(member)];
  closure = {roles, members, std::move(all)};
  return closure.all;
}

}  // namespace

const std::vector<Oid>& roles_with_privileges(Oid member) { return roles_of(member, true); }

const RoleInfo* find_role(Oid oid) { return user_objects().role == nullptr ? builtin_role(oid) : user_objects().role(oid); }

const RoleInfo* find_role_by_name(std::string_view name) {
  if (user_objects().named == nullptr) {
    if (name == "postgres") return builtin_role(kBootstrapSuperuser);
    for (const builtin::Role& role : builtin::roles()) {
      if (role.name == name) return builtin_role(role.oid);
    }
    return nullptr;
  }
  std::span<const NamedObject> found = user_objects().named(catalog_oid::pg_authid, name);
  return found.empty() ? nullptr : find_role(found.front().oid);
}

bool is_superuser(Oid oid) {
  const RoleInfo* role = find_role(oid);
  return role != nullptr && role->superuser;
}

bool is_member_of(Oid member, Oid role) {
  if (member == role || is_superuser(member)) return true;
  const std::vector<Oid>& all = roles_of(member, true);
  return std::binary_search(all.begin(), all.end(), role);
}

bool can_set_role(Oid member, Oid role) {
  if (member == role || is_superuser(member)) return true;
  const std::vector<Oid>& all = roles_of(member, false);
  return std::binary_search(all.begin(), all.end(), role);
}

}  // namespace hathi::catalog
