#pragma once
// Cached look-ups of types, functions, operators, casts, operator classes, roles, schemas. Built-in objects are found in tables
// made before the first fork; objects of users are read from the catalogs on first use and cached with their version counters.
// Returned references stay valid for the rest of the transaction at least.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/datum/datum.h"
#include "hathi/memory/arena.h"

namespace hathi::nodes { struct Expr; }

namespace hathi::catalog {

// Fills the tables of built-in objects: once, before the first fork, after all register_functions() calls.
void load_builtin_objects();

struct TypeInfo {
  Oid oid = kInvalidOid;
  std::string_view name;
  Oid schema = kInvalidOid, owner = kInvalidOid;
  TypeLayout layout;
  char kind = 'b';               // b base, c composite, d domain, e enum, p pseudo, r range, m multirange
  char category = 'U';
  bool preferred = false, is_defined = true, not_null = false;
  char delimiter = ',', storage = 'p';
  Oid relation = kInvalidOid, element = kInvalidOid, array = kInvalidOid, base = kInvalidOid, collation = kInvalidOid;
  std::int32_t base_typmod = -1;
  int dimensions = 0;
  Oid input = kInvalidOid, output = kInvalidOid, receive = kInvalidOid, send = kInvalidOid, typmod_in = kInvalidOid, typmod_out = kInvalidOid,
      subscript = kInvalidOid;
  std::string_view default_text, default_node;   // typdefault, typdefaultbin
  // From the default btree / hash operator classes, 0 when there is none.
  Oid btree_class = kInvalidOid, hash_class = kInvalidOid, equal_operator = kInvalidOid, less_operator = kInvalidOid, greater_operator = kInvalidOid,
      compare_function = kInvalidOid, hash_function = kInvalidOid, extended_hash_function = kInvalidOid;
  bool is_true_array() const { return is_valid(element) && layout.length == -1 && is_valid(subscript); }
};
const TypeInfo& type_info(Oid type);              // XX000 "cache lookup failed for type %u" when missing
const TypeInfo* find_type(Oid type);
const TypeInfo* find_type_by_name(std::string_view name, Oid schema);
// Looks through the search path.
const TypeInfo* find_type_in_path(std::string_view name);
Oid base_type(Oid type, std::int32_t* typmod = nullptr);       // domains resolved
// Same bits: equal types, a domain and its base, matches of pseudo-types, implicit casts without a function. False for unknown types.
bool is_binary_coercible(Oid source, Oid target);
// "integer", "character varying(10)", schema-qualified when not visible: format_type(type, typmod). typmod < -1: no typmod known.
std::string format_type(Oid type, std::int32_t typmod = -2);
std::string format_type_qualified(Oid type);

struct FunctionInfo {
  Oid oid = kInvalidOid;
  std::string_view name;
  Oid schema = kInvalidOid, owner = kInvalidOid, language = kInvalidOid, result = kInvalidOid, variadic = kInvalidOid, support = kInvalidOid;
  char kind = 'f';               // f function, p procedure, a aggregate, w window
  bool strict = false, returns_set = false, leakproof = false, security_definer = false;
  char volatility = 'v', parallel = 'u';
  double cost = 1, rows = 0;
  std::span<const Oid> arguments;             // input arguments
  int defaults = 0;
  std::span<const Oid> all_arguments; std::span<const char> modes; std::span<const std::string_view> names;   // with OUT ones, or empty
  std::string_view default_nodes /* of users' functions; see default_arguments() */, source, binary, body;
};
const FunctionInfo& function_info(Oid function);
const FunctionInfo* find_function(Oid function);
// All functions of that name: in one schema, or (schema 0) in the search path, those hidden by the same signature earlier in it left out.
void find_functions(std::string_view name, Oid schema, std::vector<const FunctionInfo*>& out);

struct AggregateInfo {
  Oid function = kInvalidOid; char kind = 'n'; int direct_args = 0;
  Oid transition = kInvalidOid, final = kInvalidOid, combine = kInvalidOid, serialize = kInvalidOid, deserialize = kInvalidOid, moving_transition = kInvalidOid,
      moving_inverse = kInvalidOid, moving_final = kInvalidOid, sort_operator = kInvalidOid, transition_type = kInvalidOid, moving_type = kInvalidOid;
  bool final_extra = false, moving_final_extra = false; char final_modify = 'r';
  std::optional<std::string_view> initial, moving_initial;
};
const AggregateInfo* find_aggregate(Oid function);
// The default values of the last `function.defaults` input arguments, as expressions of the arguments' types, in order.
List<nodes::Expr*> default_arguments(const FunctionInfo& function, Arena& arena);

struct OperatorInfo {
  Oid oid = kInvalidOid; std::string_view name; Oid schema = kInvalidOid; char kind = 'b';   // b infix, l prefix
  Oid left = kInvalidOid, right = kInvalidOid, result = kInvalidOid, commutator = kInvalidOid, negator = kInvalidOid, function = kInvalidOid,
      restriction = kInvalidOid, join = kInvalidOid;
  bool can_merge = false, can_hash = false;
};
const OperatorInfo& operator_info(Oid op);
const OperatorInfo* find_operator(Oid op);
// Exact match of name and operand types (left 0 = prefix); nullptr if none. schema 0 = search path.
const OperatorInfo* find_operator(std::string_view name, Oid left, Oid right, Oid schema);
void find_operators(std::string_view name, char kind, Oid schema, std::vector<const OperatorInfo*>& out);

struct CastInfo {
  Oid oid, source, target, function;
  char context; /* i implicit, a assignment, e explicit */
  char method;  /* f function, b binary, i in/out */
};
const CastInfo* find_cast(Oid source, Oid target);

struct OperatorClassInfo { Oid oid, method, family, input, key; std::string_view name; Oid schema; bool is_default; };
const OperatorClassInfo* find_operator_class(Oid oid);
const OperatorClassInfo* find_operator_class(std::string_view name, Oid method, Oid schema);
Oid default_operator_class(Oid type, Oid method);          // binary-compatible ones too; 0 = none
// The operator of a family for a strategy number, 0 = none; and the support function.
Oid family_operator(Oid family, Oid left, Oid right, int strategy);
Oid family_function(Oid family, Oid left, Oid right, int number);
// In which btree/hash families is the operator, with what strategy?
struct FamilyMember { Oid family, method, left, right; int strategy; };
std::span<const FamilyMember> operator_families(Oid op);

struct CollationInfo {
  Oid oid;
  std::string_view name;
  Oid schema;
  char provider;
  bool deterministic;
  int encoding;
  std::string_view collate, ctype, icu_locale;
};
const CollationInfo* find_collation(Oid oid);
const CollationInfo* find_collation_by_name(std::string_view name, Oid schema);

// --- schemas and roles --------------------------------------------------------------------------------------------------
Oid find_schema(std::string_view name);                    // 0 = none
std::string schema_name(Oid schema);
const std::vector<Oid>& search_path();                     // effective: temporary schema and pg_catalog first where implicit
Oid creation_schema();                                     // 3F000 "no schema has been selected to create in"
Oid temporary_schema();                                    // of this session, made on first use
Oid temporary_schema_if_any();                             // 0 while there is none
bool is_temporary_schema(Oid schema);                      // this session's own (also its TOAST schema)
bool is_any_temporary_schema(Oid schema);                  // some session's
Oid find_relation(std::string_view name, Oid schema);      // pg_class by (name, schema); schema 0 = search path; 0 = none
bool relation_is_visible(Oid relation);
bool type_is_visible(Oid type);
bool function_is_visible(Oid function);
bool operator_is_visible(Oid op);
bool operator_class_is_visible(Oid oid);
bool collation_is_visible(Oid oid);
struct RoleInfo {
  Oid oid = kInvalidOid; std::string_view name; bool superuser, inherit, create_role, create_db, can_login, replication, bypass_rls; int connection_limit;
  std::string_view password; std::optional<std::int64_t> valid_until;
};
const RoleInfo* find_role(Oid oid);
const RoleInfo* find_role_by_name(std::string_view name);
struct DatabaseInfo {
  Oid oid, owner, tablespace;
  std::string name, collate, ctype, icu_locale;
  int encoding, connection_limit;
  bool is_template, allow_connections;
  char locale_provider;
};
std::optional<DatabaseInfo> find_database(std::string_view name);
std::optional<DatabaseInfo> find_database(Oid oid);

// --- who we are -----------------------------------------------------------------------------------------------------------
Oid current_database();
std::string_view current_database_name();
Oid current_role();            // changes with SET ROLE, SECURITY DEFINER
Oid session_role();
Oid authenticated_role();
Oid current_database_tablespace();
void set_current_database_tablespace(Oid tablespace);      // pg_default until told
void set_identity(Oid database, std::string_view database_name, Oid authenticated_role);
void set_session_role(Oid role);
void set_current_role(Oid role);
bool is_superuser(Oid role);
bool is_member_of(Oid member, Oid role);          // with inherited privileges
bool can_set_role(Oid member, Oid role);
bool is_admin_of(Oid member, Oid role);           // may grant membership in role: superuser, or granted WITH ADMIN OPTION
// The encoding of the current database: 0 SQL_ASCII, 6 UTF8, …; names and numbers are PostgreSQL's. -1 / "" = unknown.
int database_encoding();
void set_database_encoding(int encoding);
int encoding_by_name(std::string_view name);
std::string_view encoding_name(int encoding);

// --- privileges -------------------------------------------------------------------------------------------------------------
// Mask of kAcl… bits (nodes/query.h) that `role` holds on an object, own and through groups and PUBLIC; owners and superusers all.
std::uint32_t relation_privileges(Oid relation, Oid role, std::uint32_t mask);
std::uint32_t column_privileges(Oid relation, AttrNumber column, Oid role, std::uint32_t mask);
std::uint32_t object_privileges(Oid class_id, Oid object, Oid role, std::uint32_t mask);
bool is_owner(Oid class_id, Oid object, Oid role);
// Throws 42501 "permission denied for table x" / "must be owner of table x". what: "table", "schema", "function", …
[[noreturn]] void throw_permission_denied(std::string_view what, std::string_view name);
[[noreturn]] void throw_not_owner(std::string_view what, std::string_view name);

}  // namespace hathi::catalog
