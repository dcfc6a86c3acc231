#include "hathi/catalog/acl.h"

#include <algorithm>
#include <bit>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/error/report.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/roles.h"

namespace hathi::catalog {

namespace {

using namespace nodes;

constexpr TypeLayout kItemLayout{12, false, 'i'};
constexpr std::string_view kLetters = "arwdDxtXUCTcsA";
constexpr const char* kNames[] = {"INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER",
                                  "EXECUTE", "USAGE", "CREATE", "TEMPORARY", "CONNECT", "SET", "ALTER SYSTEM"};
constexpr std::uint32_t kAllOptions = 0xFFFF0000u;

// A name as aclitem's text has it: in quotes unless it is letters, digits and underscores.
std::string item_name(Oid role) {
  const RoleInfo* info = find_role(role);
  if (info == nullptr) return std::to_string(raw(role));
  auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0; };
  if (std::all_of(info->name.begin(), info->name.end(), plain)) return std::string(info->name);
  std::string quoted = "\"";
  for (char c : info->name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'))) text.remove_prefix(1);
}

std::string take_name(std::string_view& text) {
  skip_blanks(text);
  std::string name;
  bool in_quotes = false;
  while (!text.empty()) {
    char c = text[0];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0 || c == '"';
    if (!plain && !in_quotes) break;
    text.remove_prefix(1);
    if (c != '"') {
      name += c;
    } else if (in_quotes && !text.empty() && text[0] == '"') {
      name += '"';
      text.remove_prefix(1);
    } else {
      in_quotes = !in_quotes;
    }
    if (name.size() >= 64) {
      throw SqlError(sqlstate::name_too_long, "identifier too long").detail("Identifier must be less than 64 characters.");
    }
  }
  skip_blanks(text);
  return name;
}

Oid role_named(std::string_view name) {
  const RoleInfo* role = find_role_by_name(name);
  if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", name);
  return role->oid;
}

AclItem* find_item(std::vector<AclItem>& items, Oid grantee, Oid grantor) {
  for (AclItem& item : items) {
    if (item.grantee == grantee && item.grantor == grantor) return &item;
  }
  return nullptr;
}

void drop_empty(std::vector<AclItem>& items) {
  std::erase_if(items, [](const AclItem& item) { return item.privileges == 0; });
}

// What roles other than the owner hold as grant options now.
std::uint32_t options_of(std::span<const AclItem> items, Oid role, Oid owner) {
  if (role == owner) return 0xFFFF;
  std::uint32_t options = 0;
  for (const AclItem& item : items) {
    if (item.grantee == role) options |= item.grant_options();
  }
  return options;
}

}  // namespace

std::uint32_t all_privileges(char kind) {
  switch (kind) {
    case 'c': return kAclInsert | kAclSelect | kAclUpdate | kAclReferences;
    case 'r': return kAclInsert | kAclSelect | kAclUpdate | kAclDelete | kAclTruncate | kAclReferences | kAclTrigger;
    case 's': return kAclUsage | kAclSelect | kAclUpdate;
    case 'd': return kAclCreate | kAclCreateTemp | kAclConnect;
    case 'f': return kAclExecute;
    case 'l': return kAclUsage;
    case 'L': return kAclSelect | kAclUpdate;
    case 'n': return kAclUsage | kAclCreate;
    case 'p': return kAclSet | kAclAlterSystem;
    case 't': return kAclCreate;
    case 'F': case 'S': case 'T': return kAclUsage;
    default: throw SqlError(sqlstate::internal_error, "unrecognized object type abbreviation: {}", kind);
  }
}

std::vector<AclItem> default_acl(char kind, Oid owner) {
  std::uint32_t world = 0, own = all_privileges(kind);
  switch (kind) {
    case 'c': own = 0; break;
    case 'd': world = kAclCreateTemp | kAclConnect; break;
    case 'f': world = kAclExecute; break;
    case 'l': case 'T': world = kAclUsage; break;
    default: break;
  }
  std::vector<AclItem> items;
  if (world != 0) items.push_back({kInvalidOid, owner, world});
  if (own != 0) items.push_back({owner, owner, own});
  return items;
}

std::vector<AclItem> read_acl(Datum acl, Arena& arena) {
  std::vector<AclItem> items;
  for (const NullableDatum& value : array_values(acl, kItemLayout, arena)) {
    if (value.is_null) throw SqlError(sqlstate::null_value_not_allowed, "ACL arrays must not contain null values");
    AclItem item;
    std::memcpy(&item, value.value.as_pointer(), sizeof(item));
    items.push_back(item);
  }
  return items;
}

Datum make_acl(std::span<const AclItem> items, Arena& arena) {
  std::vector<Datum> values;
  values.reserve(items.size());
  for (const AclItem& item : items) values.push_back(Datum::of(static_cast<const void*>(&item)));
  return make_array(type_oid::aclitem, kItemLayout, values, arena);
}

std::string privilege_letters(std::uint32_t privileges) {
  std::string text;
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    if ((privileges >> i & 1) != 0) text += kLetters[i];
    if ((privileges >> (i + 16) & 1) != 0) text += '*';
  }
  return text;
}

std::string acl_item_text(const AclItem& item) {
  return (is_valid(item.grantee) ? item_name(item.grantee) : std::string()) + "=" + privilege_letters(item.privileges) + "/" + item_name(item.grantor);
}

AclItem parse_acl_item(std::string_view text) {
  AclItem item;
  std::string name = take_name(text);
  if (text.empty() || text[0] != '=') {
    // The name may be a key word before the name.
    if (name != "group" && name != "user") {
      throw SqlError(sqlstate::invalid_text_representation, "unrecognized key word: \"{}\"", name).hint("ACL key word must be \"group\" or \"user\".");
    }
    name = take_name(text);
    if (name.empty()) {
      throw SqlError(sqlstate::invalid_text_representation, "missing name").hint("A name must follow the \"group\" or \"user\" key word.");
    }
  }
  if (text.empty() || text[0] != '=') throw SqlError(sqlstate::invalid_text_representation, "missing \"=\" sign");
  text.remove_prefix(1);
  std::uint32_t last = 0;
  while (!text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '*')) {
    if (text[0] == '*') {
      item.privileges |= last << 16;
    } else {
      std::size_t bit = kLetters.find(text[0]);
      if (bit == std::string_view::npos) {
        throw SqlError(sqlstate::invalid_text_representation, "invalid mode character: must be one of \"{}\"", kLetters);
      }
      last = 1u << bit;
      item.privileges |= last;
    }
    text.remove_prefix(1);
  }
  item.grantee = name.empty() ? kInvalidOid : role_named(name);
  if (!text.empty() && text[0] == '/') {
    text.remove_prefix(1);
    std::string grantor = take_name(text);
    if (grantor.empty()) throw SqlError(sqlstate::invalid_text_representation, "a name must follow the \"/\" sign");
    item.grantor = role_named(grantor);
  } else {
    item.grantor = kBootstrapSuperuser;
    report_warning(sqlstate::invalid_grantor, "defaulting grantor to user ID {}", raw(kBootstrapSuperuser));
  }
  skip_blanks(text);
  if (!text.empty()) throw SqlError(sqlstate::invalid_text_representation, "extra garbage at the end of the ACL specification");
  return item;
}

std::uint32_t privilege_by_name(std::string_view name) {
  auto same = [&](std::string_view other) {
    return name.size() == other.size() && std::equal(name.begin(), name.end(), other.begin(), [](char a, char b) {
             return (a >= 'a' && a <= 'z' ? static_cast<char>(a - 32) : a) == b;
           });
  };
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (same(kNames[i])) return 1u << i;
  }
  return same("TEMP") ? kAclCreateTemp : 0;
}

const char* privilege_name(std::uint32_t bit) {
  auto i = static_cast<std::size_t>(std::countr_zero(bit));
  return i < std::size(kNames) ? kNames[i] : "";
}

std::uint32_t acl_mask(std::span<const AclItem> items, Oid role, Oid owner, std::uint32_t mask) {
  std::uint32_t result = 0;
  if ((mask & kAllOptions) != 0 && is_member_of(role, owner)) result |= mask & kAllOptions;
  for (const AclItem& item : items) {
    if (item.grantee == kInvalidOid || item.grantee == role) result |= item.privileges & mask;
  }
  if (result == mask) return result;
  for (const AclItem& item : items) {
    if (item.grantee == kInvalidOid || item.grantee == role || (item.privileges & mask & ~result) == 0) continue;
    if (is_member_of(role, item.grantee)) result |= item.privileges & mask;
  }
  return result;
}

void acl_grant(std::vector<AclItem>& items, Oid grantee, Oid grantor, std::uint32_t privileges, bool grant_option) {
  AclItem* item = find_item(items, grantee, grantor);
  if (item == nullptr) {
    items.push_back({grantee, grantor, 0});
    item = &items.back();
  }
  item->privileges |= privileges | (grant_option ? privileges << 16 : 0);
}

void acl_revoke(std::vector<AclItem>& items, Oid grantee, Oid grantor, std::uint32_t privileges, bool grant_option_only, bool cascade, Oid owner) {
  std::uint32_t before = options_of(items, grantee, owner);
  if (AclItem* item = find_item(items, grantee, grantor)) {
    item->privileges &= ~((privileges << 16) | (grant_option_only ? 0 : privileges));
    drop_empty(items);
  }
  if (grantee == owner || !is_valid(grantee)) return;
  std::uint32_t lost = before & ~options_of(items, grantee, owner);
  // What the grantee passed on by grant options it no longer has must go too.
  while (lost != 0) {
    auto dependent = std::find_if(items.begin(), items.end(), [&](const AclItem& i) { return i.grantor == grantee && (i.rights() & lost) != 0; });
    if (dependent == items.end()) return;
    if (!cascade) {
      throw SqlError(sqlstate::dependent_objects_still_exist, "dependent privileges exist").hint("Use CASCADE to revoke them too.");
    }
    acl_revoke(items, dependent->grantee, grantee, lost, false, true, owner);
  }
}

void acl_change_owner(std::vector<AclItem>& items, Oid old_owner, Oid new_owner) {
  for (AclItem& item : items) {
    if (item.grantor == old_owner) item.grantor = new_owner;
    if (item.grantee == old_owner) item.grantee = new_owner;
  }
  // Entries that became the same are one.
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = i + 1; j < items.size();) {
      if (items[j].grantee == items[i].grantee && items[j].grantor == items[i].grantor) {
        items[i].privileges |= items[j].privileges;
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
}

Grantor select_grantor(Oid role, std::uint32_t privileges, std::span<const AclItem> items, Oid owner) {
  if (is_member_of(role, owner)) return {owner, privileges};
  auto held = [&](Oid candidate) {
    std::uint32_t options = 0;
    for (const AclItem& item : items) {
      if (item.grantee == candidate || item.grantee == kInvalidOid) options |= item.grant_options();
    }
    return options & privileges;
  };
  Grantor best{role, held(role)};
  for (Oid candidate : roles_with_privileges(role)) {
    std::uint32_t options = held(candidate);
    if (std::popcount(options) > std::popcount(best.grantable)) best = {candidate, options};
  }
  return best;
}

}  // namespace hathi::catalog
