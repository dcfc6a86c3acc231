#pragma once
// Access control lists: arrays of aclitem (12 bytes: grantee, grantor, privileges with grant options above bit 16).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/base/ids.h"
#include "hathi/datum/datum.h"

namespace hathi::catalog {

struct AclItem {
  Oid grantee = kInvalidOid;        // 0 = PUBLIC
  Oid grantor = kInvalidOid;
  std::uint32_t privileges = 0;     // kAcl… bits (nodes/query.h); grant options are the same bits << 16
  std::uint32_t rights() const { return privileges & 0xFFFF; }
  std::uint32_t grant_options() const { return privileges >> 16; }
  bool operator==(const AclItem&) const = default;
};
static_assert(sizeof(AclItem) == 12);

// The kinds of object that have privileges, with PostgreSQL's letters (aclexplode, acldefault): c column, r table, s sequence, d database,
// f function, l language, L large object, n schema, p parameter, t tablespace, F foreign-data wrapper, S foreign server, T type.
std::uint32_t all_privileges(char kind);
// What an object without a list grants.
std::vector<AclItem> default_acl(char kind, Oid owner);

std::vector<AclItem> read_acl(Datum acl, Arena& arena);
Datum make_acl(std::span<const AclItem> items, Arena& arena);
// "arwd*"
std::string privilege_letters(std::uint32_t privileges);
// "role=arw/grantor" with role names; and back (22P02, 42704 as PostgreSQL says).
std::string acl_item_text(const AclItem& item);
AclItem parse_acl_item(std::string_view text);
// "SELECT" -> its bit; 0 = unknown. And the name of a single bit.
std::uint32_t privilege_by_name(std::string_view name);
const char* privilege_name(std::uint32_t bit);

// Which of `mask` (rights in the low half, grant options in the high half) the list gives the role, directly, by membership or to PUBLIC.
std::uint32_t acl_mask(std::span<const AclItem> items, Oid role, Oid owner, std::uint32_t mask);
// GRANT and REVOKE on one grantee. revoke of grant options that others depend on: 2BP01 "dependent privileges exist" unless cascade.
void acl_grant(std::vector<AclItem>& items, Oid grantee, Oid grantor, std::uint32_t privileges, bool grant_option);
void acl_revoke(std::vector<AclItem>& items, Oid grantee, Oid grantor, std::uint32_t privileges, bool grant_option_only, bool cascade, Oid owner);
// OWNER TO: the old owner's part goes to the new one.
void acl_change_owner(std::vector<AclItem>& items, Oid old_owner, Oid new_owner);
// As whom the current role may grant these privileges: itself or a role it belongs to; and which of them.
struct Grantor { Oid role; std::uint32_t grantable; };
Grantor select_grantor(Oid role, std::uint32_t privileges, std::span<const AclItem> items, Oid owner);
// The list a new object gets by ALTER DEFAULT PRIVILEGES (kind r S f T n); nothing = none.
std::vector<AclItem> default_privileges_for(char kind, Oid owner, Oid schema, bool& found);

}  // namespace hathi::catalog
