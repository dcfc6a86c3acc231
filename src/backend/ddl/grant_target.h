#pragma once
// What GRANT and REVOKE are about: the objects, and the privileges that their kind has.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::ddl {

struct GrantObject {
  catalog::ObjectAddress address;
  char kind = 'r';          // letter of acl.h
  char relation_kind = '\0';
  std::string name;         // as messages show it
  std::string noun;         // "table"
};

// The objects of the statement, in order; those of ALL … IN SCHEMA too. Errors as the look-ups have them, 42809 for kinds that have no
// privileges.
std::vector<GrantObject> grant_objects(const parser::GrantStatement& s, std::string_view text);

// The words after "invalid privilege type X for", and the letter of the kind.
std::string_view grant_words(parser::ObjectType type);
char grant_kind(parser::ObjectType type);
// One privilege's bit; 42601 unrecognized privilege type.
std::uint32_t privilege_bit(const parser::Privilege& privilege);
// The privileges that hold for the whole object; with none given all. 0LP01 for what the kind does not have.
std::uint32_t whole_privileges(const parser::GrantStatement& s, std::uint32_t allowed);

// The roles; 0 for PUBLIC.
std::vector<Oid> grantees_of(const parser::GrantStatement& s);

}  // namespace hathi::ddl
