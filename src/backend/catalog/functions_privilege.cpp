// has_…_privilege() and pg_has_role(). The forms of one function differ in how role, object and column are given: the argument types say
// which; an OID that leads nowhere gives NULL.

#include <optional>

#include "hathi/catalog/acl.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/functions.h"
#include "hathi/catalog/object_classes.h"

namespace hathi::catalog {

namespace {

using namespace nodes;

constexpr locking::LockMode kRead = locking::LockMode::access_share;

// "SELECT, INSERT WITH GRANT OPTION" among the allowed rights: rights in the low half, grant options in the high half.
std::uint32_t parse_privileges(std::string_view text, std::uint32_t allowed) {
  constexpr std::string_view kWithGrantOption = " WITH GRANT OPTION";
  std::uint32_t mask = 0;
  while (true) {
    std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    while (!item.empty() && (item.front() == ' ' || (item.front() >= '\t' && item.front() <= '\r'))) item.remove_prefix(1);
    while (!item.empty() && (item.back() == ' ' || (item.back() >= '\t' && item.back() <= '\r'))) item.remove_suffix(1);
    std::string upper(item);
    for (char& c : upper) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    }
    bool option = upper.size() > kWithGrantOption.size() && upper.ends_with(kWithGrantOption);
    if (option) upper.resize(upper.size() - kWithGrantOption.size());
    std::uint32_t bit = upper == "RULE" && (allowed & kAclTrigger) != 0 ? 0x8000 : privilege_by_name(upper);
    if (bit == 0x8000) bit = 0;  // accepted for old clients, never held
    else if ((bit & allowed) == 0) throw SqlError(sqlstate::invalid_parameter_value, "unrecognized privilege type: \"{}\"", item);
    mask |= option ? bit << 16 : bit;
    if (comma == std::string_view::npos) return mask;
    text.remove_prefix(comma + 1);
  }
}

// The arguments of a call, taken from the left; a leading role is optional.
class Arguments {
 public:
  Arguments(FunctionCall& call, int without_role) : call_(call), types_(builtin::function(call.site->oid)->arguments) {
    if (static_cast<int>(types_.size()) > without_role) {
      role_ = types_[0] == type_oid::oid ? call.arg(0).as_oid() : require_role(name_text(call.arg(0)), true);
      next_ = 1;
    } else {
      role_ = current_role();
    }
  }
  Oid role() const { return role_; }
  bool next_is_text() const { return types_[static_cast<std::size_t>(next_)] == type_oid::text; }
  std::string_view text() { return call_.text(next_++); }
  Datum value() { return call_.arg(next_++); }

 private:
  FunctionCall& call_;
  std::span<const Oid> types_;
  Oid role_;
  int next_ = 0;
};

bool object_exists(Oid class_id, Oid object) {
  if (class_id == catalog_oid::pg_proc) return find_function(object) != nullptr;
  if (class_id == catalog_oid::pg_type) return find_type(object) != nullptr;
  if (class_id == catalog_oid::pg_namespace) return !schema_name(object).empty();
  Arena arena(512);
  return CatalogTable(class_id, kRead).find({{1, Datum::of(object)}}, arena).has_value();
}

Oid object_by_name(Oid class_id, std::string_view name, FunctionCall& call) {
  Datum text = Datum::of(call.arena().copy(name).data());
  switch (raw(class_id)) {
    case raw(catalog_oid::pg_class): return require_relation(name);
    case raw(catalog_oid::pg_proc): return call_function(Oid{2212}, call.arena(), {text}).as_oid();                                    // regprocedurein
    case raw(catalog_oid::pg_type): return call_function(Oid{2220}, call.arena(), {text}).as_oid();                                    // regtypein
    case raw(catalog_oid::pg_namespace): {
      Oid schema = find_schema(name);
      if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name);
      return schema;
    }
    default: break;
  }
  const ObjectClass* c = object_class(class_id);
  auto row = name.size() < kNameLength ? CatalogTable(class_id, kRead).find({{c->name, make_name(call.arena(), name)}}, call.arena()) : std::nullopt;
  if (row) return row->get(1).as_oid();
  std::string_view noun = class_id == catalog_oid::pg_foreign_server ? "server" : c->noun;
  throw SqlError(class_id == catalog_oid::pg_database ? sqlstate::undefined_database : sqlstate::undefined_object, "{} \"{}\" does not exist", noun, name);
}

// Role, object, rights: what all kinds but columns share.
template <std::uint32_t kClass, char kKind>
Datum has_privilege(FunctionCall& call) {
  Arguments args(call, 2);
  Oid class_id{kClass};
  bool by_name = args.next_is_text();
  Oid object = by_name ? object_by_name(class_id, args.text(), call) : args.value().as_oid();
  std::uint32_t mask = parse_privileges(args.text(), all_privileges(kKind));
  if (!by_name && !object_exists(class_id, object)) return call.null();
  if (kKind == 's') {
    Arena arena(512);
    auto row = CatalogTable(class_id, kRead).find({{pg_class::oid, Datum::of(object)}}, arena);
    if (row && row->get(pg_class::relkind).as_char() != 'S') {
      throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a sequence", name_text(row->get(pg_class::relname)));
    }
  }
  return Datum::of(object_privileges(class_id, object, args.role(), mask) != 0);
}

std::optional<AttrNumber> column_by_name(Oid relation, std::string_view name, Arena& arena) {
  if (name.size() >= kNameLength) return std::nullopt;
  auto row = CatalogTable(catalog_oid::pg_attribute, kRead)
                 .find({{pg_attribute::attrelid, Datum::of(relation)}, {pg_attribute::attname, make_name(arena, name)}}, arena);
  if (!row || row->get(pg_attribute::attisdropped).as_bool()) return std::nullopt;
  return row->get(pg_attribute::attnum).as_int16();
}

std::string relation_name(Oid relation, Arena& arena) {
  auto row = CatalogTable(catalog_oid::pg_class, kRead).find({{pg_class::oid, Datum::of(relation)}}, arena);
  return row ? std::string(name_text(row->get(pg_class::relname))) : std::string();
}

bool column_exists(Oid relation, AttrNumber number, Arena& arena) {
  auto row = CatalogTable(catalog_oid::pg_attribute, kRead)
                 .find({{pg_attribute::attrelid, Datum::of(relation)}, {pg_attribute::attnum, Datum::of(number)}}, arena);
  return row && !row->get(pg_attribute::attisdropped).as_bool();
}

Datum has_column_privilege(FunctionCall& call) {
  Arguments args(call, 3);
  bool by_name = args.next_is_text();
  Oid relation = by_name ? require_relation(args.text()) : args.value().as_oid();
  bool exists = by_name || object_exists(catalog_oid::pg_class, relation);
  std::optional<AttrNumber> column;
  if (args.next_is_text()) {
    std::string_view name = args.text();
    if (exists) {
      column = column_by_name(relation, name, call.arena());
      if (!column) {
        throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, relation_name(relation, call.arena()));
      }
    }
  } else {
    AttrNumber number = args.value().as_int16();
    if (exists && column_exists(relation, number, call.arena())) column = number;
  }
  std::uint32_t mask = parse_privileges(args.text(), all_privileges('c'));
  if (!exists || !column) return call.null();
  if (relation_privileges(relation, args.role(), mask) != 0) return Datum::of(true);
  return Datum::of(column_privileges(relation, *column, args.role(), mask) != 0);
}

Datum has_any_column_privilege(FunctionCall& call) {
  Arguments args(call, 2);
  bool by_name = args.next_is_text();
  Oid relation = by_name ? require_relation(args.text()) : args.value().as_oid();
  std::uint32_t mask = parse_privileges(args.text(), all_privileges('c'));
  if (!by_name && !object_exists(catalog_oid::pg_class, relation)) return call.null();
  if (relation_privileges(relation, args.role(), mask) != 0) return Datum::of(true);
  bool found = false;
  CatalogTable(catalog_oid::pg_attribute, kRead)
      .scan(std::vector<CatalogKey>{{pg_attribute::attrelid, Datum::of(relation)}}, call.arena(), [&](CatalogRow& row) {
        if (row.get(pg_attribute::attisdropped).as_bool() || row.is_null(pg_attribute::attacl)) return true;
        found = column_privileges(relation, row.get(pg_attribute::attnum).as_int16(), args.role(), mask) != 0;
        return !found;
      });
  return Datum::of(found);
}

Datum has_parameter_privilege(FunctionCall& call) {
  Arguments args(call, 2);
  std::string name(args.text());
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  std::uint32_t mask = parse_privileges(args.text(), all_privileges('p'));
  if (is_superuser(args.role())) return Datum::of(true);
  auto row = CatalogTable(catalog_oid::pg_parameter_acl, kRead).find({{pg_parameter_acl::parname, varlena::make(call.arena(), name)}}, call.arena());
  if (!row || row->is_null(pg_parameter_acl::paracl)) return Datum::of(false);
  return Datum::of(acl_mask(read_acl(row->get(pg_parameter_acl::paracl), call.arena()), args.role(), kBootstrapSuperuser, mask) != 0);
}

// USAGE = has its privileges, MEMBER = may SET ROLE, … WITH ADMIN (or GRANT) OPTION.
Datum has_role(FunctionCall& call) {
  std::span<const Oid> types = builtin::function(call.site->oid)->arguments;
  int next = 0;
  auto role_argument = [&](bool allow_public) {
    Oid role = types[static_cast<std::size_t>(next)] == type_oid::oid ? call.arg(next).as_oid()
                                                                      : require_role(name_text(call.arg(next)), allow_public);
    ++next;
    return role;
  };
  Oid member = types.size() == 3 ? role_argument(false) : current_role();
  Oid role = role_argument(false);
  std::string_view text = call.text(next);
  bool result = false;
  while (true) {
    std::size_t comma = text.find(',');
    std::string item(text.substr(0, comma));
    while (!item.empty() && item.front() == ' ') item.erase(0, 1);
    while (!item.empty() && item.back() == ' ') item.pop_back();
    std::string upper = item;
    for (char& c : upper) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    }
    std::size_t with = upper.find(" WITH ");
    std::string base = upper.substr(0, with), option = with == std::string::npos ? std::string() : upper.substr(with + 6);
    bool known = (base == "USAGE" || base == "MEMBER") && (option.empty() || option == "ADMIN OPTION" || option == "GRANT OPTION");
    if (!known) throw SqlError(sqlstate::invalid_parameter_value, "unrecognized privilege type: \"{}\"", item);
    if (!option.empty()) result = result || is_admin_of(member, role);
    else result = result || (base == "USAGE" ? is_member_of(member, role) : can_set_role(member, role));
    if (comma == std::string_view::npos) return Datum::of(result);
    text.remove_prefix(comma + 1);
  }
}

constexpr FunctionPointer kTable = has_privilege<1259, 'r'>, kSequence = has_privilege<1259, 's'>, kDatabase = has_privilege<1262, 'd'>,
                          kFunction = has_privilege<1255, 'f'>, kLanguage = has_privilege<2612, 'l'>, kSchemaPrivilege = has_privilege<2615, 'n'>,
                          kTablespace = has_privilege<1213, 't'>, kWrapper = has_privilege<2328, 'F'>, kServer = has_privilege<1417, 'S'>,
                          kType = has_privilege<1247, 'T'>;
constexpr BuiltinFunction kFunctions[] = {
    {Oid{1922}, kTable}, {Oid{1923}, kTable}, {Oid{1924}, kTable}, {Oid{1925}, kTable}, {Oid{1926}, kTable}, {Oid{1927}, kTable},
    {Oid{2181}, kSequence}, {Oid{2182}, kSequence}, {Oid{2183}, kSequence}, {Oid{2184}, kSequence}, {Oid{2185}, kSequence}, {Oid{2186}, kSequence},
    {Oid{2250}, kDatabase}, {Oid{2251}, kDatabase}, {Oid{2252}, kDatabase}, {Oid{2253}, kDatabase}, {Oid{2254}, kDatabase}, {Oid{2255}, kDatabase},
    {Oid{2256}, kFunction}, {Oid{2257}, kFunction}, {Oid{2258}, kFunction}, {Oid{2259}, kFunction}, {Oid{2260}, kFunction}, {Oid{2261}, kFunction},
    {Oid{2262}, kLanguage}, {Oid{2263}, kLanguage}, {Oid{2264}, kLanguage}, {Oid{2265}, kLanguage}, {Oid{2266}, kLanguage}, {Oid{2267}, kLanguage},
    {Oid{2268}, kSchemaPrivilege}, {Oid{2269}, kSchemaPrivilege}, {Oid{2270}, kSchemaPrivilege}, {Oid{2271}, kSchemaPrivilege},
    {Oid{2272}, kSchemaPrivilege}, {Oid{2273}, kSchemaPrivilege},
    {Oid{2390}, kTablespace}, {Oid{2391}, kTablespace}, {Oid{2392}, kTablespace}, {Oid{2393}, kTablespace}, {Oid{2394}, kTablespace},
    {Oid{2395}, kTablespace},
    {Oid{3000}, kWrapper}, {Oid{3001}, kWrapper}, {Oid{3002}, kWrapper}, {Oid{3003}, kWrapper}, {Oid{3004}, kWrapper}, {Oid{3005}, kWrapper},
    {Oid{3006}, kServer}, {Oid{3007}, kServer}, {Oid{3008}, kServer}, {Oid{3009}, kServer}, {Oid{3010}, kServer}, {Oid{3011}, kServer},
    {Oid{3012}, has_column_privilege}, {Oid{3013}, has_column_privilege}, {Oid{3014}, has_column_privilege}, {Oid{3015}, has_column_privilege},
    {Oid{3016}, has_column_privilege}, {Oid{3017}, has_column_privilege}, {Oid{3018}, has_column_privilege}, {Oid{3019}, has_column_privilege},
    {Oid{3020}, has_column_privilege}, {Oid{3021}, has_column_privilege}, {Oid{3022}, has_column_privilege}, {Oid{3023}, has_column_privilege},
    {Oid{3024}, has_any_column_privilege}, {Oid{3025}, has_any_column_privilege}, {Oid{3026}, has_any_column_privilege},
    {Oid{3027}, has_any_column_privilege}, {Oid{3028}, has_any_column_privilege}, {Oid{3029}, has_any_column_privilege},
    {Oid{3138}, kType}, {Oid{3139}, kType}, {Oid{3140}, kType}, {Oid{3141}, kType}, {Oid{3142}, kType}, {Oid{3143}, kType},
    {Oid{6205}, has_parameter_privilege}, {Oid{6206}, has_parameter_privilege}, {Oid{6207}, has_parameter_privilege},
    {Oid{2705}, has_role}, {Oid{2706}, has_role}, {Oid{2707}, has_role}, {Oid{2708}, has_role}, {Oid{2709}, has_role}, {Oid{2710}, has_role},
};

}  // namespace

std::span<const BuiltinFunction> privilege_functions() { return kFunctions; }

bool is_admin_of(Oid member, Oid role) {
  if (is_superuser(member)) return true;
  if (member == role) return member == session_role();
  bool found = false;
  Arena arena(1024);
  CatalogTable(catalog_oid::pg_auth_members, kRead)
      .scan(std::vector<CatalogKey>{{pg_auth_members::roleid, Datum::of(role)}}, arena, [&](CatalogRow& row) {
        found = row.get(pg_auth_members::admin_option).as_bool() && can_set_role(member, row.get(pg_auth_members::member).as_oid());
        return !found;
      });
  return found;
}

}  // namespace hathi::catalog
