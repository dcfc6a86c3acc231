// aclitem: input, output, comparison, and the functions that take access lists apart.

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/acl.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "src/backend/catalog/data.h"
#include "src/backend/catalog/functions.h"

namespace hathi::catalog {

namespace {

AclItem item_argument(const FunctionCall& call, int i) {
  AclItem item;
  std::memcpy(&item, call.arg(i).as_pointer(), sizeof(item));
  return item;
}

Datum item_result(FunctionCall& call, const AclItem& item) {
  void* p = call.arena().allocate(sizeof(item), 4);
  std::memcpy(p, &item, sizeof(item));
  return Datum::of(p);
}

Datum acl_item_in(FunctionCall& call) { return item_result(call, parse_acl_item(call.arg(0).as_pointer<char>())); }

Datum acl_item_out(FunctionCall& call) { return Datum::of(call.arena().copy(acl_item_text(item_argument(call, 0))).data()); }

Datum acl_item_equal(FunctionCall& call) { return Datum::of(item_argument(call, 0) == item_argument(call, 1)); }

std::uint32_t hash_of(const AclItem& item) { return item.privileges + raw(item.grantee) + raw(item.grantor); }
Datum acl_item_hash(FunctionCall& call) { return Datum::of(hash_of(item_argument(call, 0))); }
Datum acl_item_hash_extended(FunctionCall& call) {
  auto seed = call.arg(1).as_uint64();
  std::uint64_t sum = hash_of(item_argument(call, 0));
  return Datum::of(seed == 0 ? sum : (sum ^ seed) * 0x9E3779B97F4A7C15u);
}

Datum acl_insert(FunctionCall&) { throw SqlError(sqlstate::feature_not_supported, "aclinsert is no longer supported"); }
Datum acl_remove(FunctionCall&) { throw SqlError(sqlstate::feature_not_supported, "aclremove is no longer supported"); }

Datum acl_contains(FunctionCall& call) {
  AclItem wanted = item_argument(call, 1);
  for (const AclItem& item : read_acl(call.arg(0), call.arena())) {
    if (item.grantee == wanted.grantee && item.grantor == wanted.grantor && (item.privileges & wanted.privileges) == wanted.privileges) {
      return Datum::of(true);
    }
  }
  return Datum::of(false);
}

Datum make_acl_item(FunctionCall& call) {
  std::uint32_t privileges = 0;
  for (std::string_view name : data::split(call.text(2), ',')) {
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    std::uint32_t bit = privilege_by_name(name);
    if (bit == 0) throw SqlError(sqlstate::invalid_parameter_value, "unrecognized privilege type: \"{}\"", name);
    privileges |= bit;
  }
  if (call.arg(3).as_bool()) privileges |= privileges << 16;
  return item_result(call, {call.arg(0).as_oid(), call.arg(1).as_oid(), privileges});
}

Datum acl_default(FunctionCall& call) {
  char kind = call.arg(0).as_char();
  if (kind == '\0' || std::string_view("crsdflLnptFST").find(kind) == std::string_view::npos) {
    throw SqlError(sqlstate::internal_error, "unrecognized objtype abbreviation: {}", kind);
  }
  std::vector<AclItem> items = default_acl(kind, call.arg(1).as_oid());
  return make_acl(items, call.arena());
}

// One row a privilege: grantor, grantee, privilege_type, is_grantable.
Datum acl_explode(FunctionCall& call) {
  for (const AclItem& item : read_acl(call.arg(0), call.arena())) {
    for (std::uint32_t bit = 1; bit != 0 && bit <= 0x8000; bit <<= 1) {
      if ((item.rights() & bit) == 0) continue;
      Datum values[4] = {Datum::of(item.grantor), Datum::of(item.grantee), varlena::make(call.arena(), privilege_name(bit)),
                         Datum::of((item.grant_options() & bit) != 0)};
      constexpr bool kNulls[4] = {false, false, false, false};
      call.sink->put(values, kNulls);
    }
  }
  return call.null();
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{1031}, acl_item_in}, {Oid{1032}, acl_item_out}, {Oid{1062}, acl_item_equal}, {Oid{329}, acl_item_hash}, {Oid{777}, acl_item_hash_extended},
    {Oid{1035}, acl_insert}, {Oid{1036}, acl_remove}, {Oid{1037}, acl_contains}, {Oid{1365}, make_acl_item}, {Oid{3943}, acl_default},
    {Oid{1689}, acl_explode, FunctionKind::set_materialize},
};

}  // namespace

std::span<const BuiltinFunction> acl_functions() { return kFunctions; }

}  // namespace hathi::catalog
