#include "grant_target.h"

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/acl.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/object_classes.h"
#include "hathi/catalog/quote.h"
#include "hathi/catalog/relation.h"
#include "object_names.h"
#include "roles.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::CatalogRow;
using catalog::CatalogTable;
using locking::LockMode;
using parser::ObjectType;

GrantObject relation_object(Oid oid, ObjectType type) {
  catalog::RelationRef r = catalog::open_relation(oid, LockMode::none);
  if (r->kind == kind::index || r->kind == kind::partitioned_index) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is an index", r->name);
  if (r->kind == kind::composite) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is a composite type", r->name);
  if (type == ObjectType::sequence && r->kind != kind::sequence) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a sequence", r->name);
  return {{catalog_oid::pg_class, oid, 0}, r->kind == kind::sequence ? 's' : 'r', r->kind, std::string(r->name), std::string(relation_words(r->kind).noun)};
}

std::string catalog_name(Oid class_id, Oid oid) {
  const catalog::ObjectClass* c = catalog::object_class(class_id);
  Arena arena(1024);
  auto row = CatalogTable(class_id, LockMode::access_share).find({{1, Datum::of(oid)}}, arena);
  return row && c->name != 0 ? std::string(name_text(row->get(c->name))) : std::string();
}

GrantObject type_object(const parser::ObjectRef& ref, std::string_view text, bool domain) {
  catalog::ObjectAddress address = *find_object(domain ? ObjectType::domain : ObjectType::type, ref, text, false);
  const catalog::TypeInfo& type = catalog::type_info(address.object);
  if (type.is_true_array()) {
    throw SqlError(sqlstate::invalid_grant_operation, "cannot set privileges of array types").hint("Set the privileges of the element type instead.");
  }
  return {address, 'T', '\0', std::string(type.name), "type"};
}

// Objects of the whole cluster or without a schema, by one name.
GrantObject named_object(Oid class_id, AttrNumber name_column, char letter, std::string_view noun, std::string_view name, SqlState missing) {
  Arena arena(1024);
  auto row = CatalogTable(class_id, LockMode::access_share).find({{name_column, make_name(arena, name)}}, arena);
  if (!row) throw SqlError(missing, "{} \"{}\" does not exist", noun, name);
  if (class_id == catalog_oid::pg_language && !row->get(catalog::pg_language::lanpltrusted).as_bool()) {
    throw SqlError(sqlstate::wrong_object_type, "language \"{}\" is not trusted", name)
        .detail("GRANT and REVOKE are not allowed on untrusted languages, because only superusers can use untrusted languages.");
  }
  return {{class_id, row->get(1).as_oid(), 0}, letter, '\0', std::string(name), std::string(noun)};
}

GrantObject one_object(ObjectType type, const parser::ObjectRef& ref, std::string_view text) {
  switch (type) {
    case ObjectType::type: return type_object(ref, text, false);
    case ObjectType::domain: return type_object(ref, text, true);
    case ObjectType::database:
      return named_object(catalog_oid::pg_database, catalog::pg_database::datname, 'd', "database", ref.name.back(), sqlstate::undefined_database);
    case ObjectType::schema:
      return named_object(catalog_oid::pg_namespace, catalog::pg_namespace::nspname, 'n', "schema", ref.name.back(), sqlstate::undefined_schema);
    case ObjectType::language:
      return named_object(catalog_oid::pg_language, catalog::pg_language::lanname, 'l', "language", ref.name.back(), sqlstate::undefined_object);
    case ObjectType::tablespace:
      return named_object(catalog_oid::pg_tablespace, catalog::pg_tablespace::spcname, 't', "tablespace", ref.name.back(), sqlstate::undefined_object);
    case ObjectType::function:
    case ObjectType::procedure:
    case ObjectType::routine: {
      catalog::ObjectAddress address = *find_object(type, ref, text, false);
      return {address, 'f', '\0', catalog_name(catalog_oid::pg_proc, address.object), "function"};
    }
    default: throw_not_supported(fmt::format("GRANT on {}s", grant_words(type)));
  }
}

bool is_wanted(ObjectType type, char relation_kind) {
  if (type == ObjectType::sequence) return relation_kind == kind::sequence;
  return relation_kind == kind::table || relation_kind == kind::view || relation_kind == kind::materialized_view || relation_kind == kind::foreign_table ||
         relation_kind == kind::partitioned_table;
}

void add_all_in_schema(ObjectType type, Oid schema, std::vector<GrantObject>& out) {
  Arena arena(8192);
  std::vector<Oid> found;
  bool relations = type == ObjectType::table || type == ObjectType::sequence;
  if (relations) {
    namespace c = catalog::pg_class;
    const catalog::CatalogKey keys[] = {{c::relnamespace, Datum::of(schema)}};
    CatalogTable(catalog_oid::pg_class, LockMode::access_share).scan(keys, arena, [&](CatalogRow& row) {
      if (is_wanted(type, row.get(c::relkind).as_char())) found.push_back(row.get(c::oid).as_oid());
      return true;
    });
    for (Oid oid : found) out.push_back(relation_object(oid, type));
    return;
  }
  namespace p = catalog::pg_proc;
  const catalog::CatalogKey keys[] = {{p::pronamespace, Datum::of(schema)}};
  CatalogTable(catalog_oid::pg_proc, LockMode::access_share).scan(keys, arena, [&](CatalogRow& row) {
    bool procedure = row.get(p::prokind).as_char() == 'p';
    if (type == ObjectType::routine || procedure == (type == ObjectType::procedure)) found.push_back(row.get(p::oid).as_oid());
    return true;
  });
  for (Oid oid : found) out.push_back({{catalog_oid::pg_proc, oid, 0}, 'f', '\0', catalog_name(catalog_oid::pg_proc, oid), "function"});
}

}  // namespace

std::vector<GrantObject> grant_objects(const parser::GrantStatement& s, std::string_view text) {
  std::vector<GrantObject> out;
  for (const parser::Node* node : s.objects) {
    if (const auto* name = parser::node_try<parser::RangeVar>(node)) {
      out.push_back(relation_object(analyzer::find_by_name(name), s.type_of_object));
      continue;
    }
    const auto& ref = *parser::node_cast<parser::ObjectRef>(node);
    if (s.target == parser::GrantTarget::all_in_schema) {
      Oid schema = catalog::find_schema(ref.name.back());
      if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", ref.name.back());
      add_all_in_schema(s.type_of_object, schema, out);
    } else {
      out.push_back(one_object(s.type_of_object, ref, text));
    }
  }
  return out;
}

std::string_view grant_words(ObjectType type) {
  switch (type) {
    case ObjectType::table: return "relation";
    case ObjectType::sequence: return "sequence";
    case ObjectType::database: return "database";
    case ObjectType::domain: return "domain";
    case ObjectType::type: return "type";
    case ObjectType::function: return "function";
    case ObjectType::procedure: return "procedure";
    case ObjectType::routine: return "routine";
    case ObjectType::language: return "language";
    case ObjectType::large_object: return "large object";
    case ObjectType::schema: return "schema";
    case ObjectType::tablespace: return "tablespace";
    case ObjectType::foreign_data_wrapper: return "foreign-data wrapper";
    case ObjectType::foreign_server: return "foreign server";
    case ObjectType::parameter: return "parameter";
    default: return "object";
  }
}

char grant_kind(ObjectType type) {
  switch (type) {
    case ObjectType::table: return 'r';
    case ObjectType::sequence: return 's';
    case ObjectType::database: return 'd';
    case ObjectType::domain:
    case ObjectType::type: return 'T';
    case ObjectType::language: return 'l';
    case ObjectType::large_object: return 'L';
    case ObjectType::schema: return 'n';
    case ObjectType::tablespace: return 't';
    case ObjectType::foreign_data_wrapper: return 'F';
    case ObjectType::foreign_server: return 'S';
    case ObjectType::parameter: return 'p';
    default: return 'f';
  }
}

std::uint32_t privilege_bit(const parser::Privilege& p) {
  std::string upper(p.name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  std::uint32_t bit = catalog::privilege_by_name(upper);
  if (bit == 0) throw SqlError(sqlstate::syntax_error, "unrecognized privilege type \"{}\"", p.name);
  return bit;
}

std::uint32_t whole_privileges(const parser::GrantStatement& s, std::uint32_t allowed) {
  std::uint32_t out = 0;
  for (const parser::Privilege& p : s.privileges) {
    if (!p.columns.empty()) {
      if (s.type_of_object != ObjectType::table) throw SqlError(sqlstate::invalid_grant_operation, "column privileges are only valid for relations");
      continue;
    }
    std::uint32_t bit = privilege_bit(p);
    if ((bit & ~allowed) != 0) {
      throw SqlError(sqlstate::invalid_grant_operation, "invalid privilege type {} for {}", catalog::privilege_name(bit), grant_words(s.type_of_object));
    }
    out |= bit;
  }
  return out;
}

std::vector<Oid> grantees_of(const parser::GrantStatement& s) {
  std::vector<Oid> out;
  for (const parser::RoleSpec* role : s.grantees) out.push_back(resolve_role(*role, true));
  return out;
}

}  // namespace hathi::ddl
