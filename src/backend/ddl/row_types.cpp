#include "row_types.h"

#include "hathi/base/stack.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "row_values.h"

namespace hathi::ddl {

namespace {

namespace t = catalog::pg_type;
using catalog::CatalogRow;
using catalog::CatalogTable;

// pg_proc OIDs of the functions that serve every composite and every array type.
constexpr Oid kRecordIn{2290}, kRecordOut{2291}, kRecordReceive{2402}, kRecordSend{2403};
constexpr Oid kArrayIn{750}, kArrayOut{751}, kArrayReceive{2400}, kArraySend{2401}, kArrayAnalyze{3816}, kArraySubscript{6179};

struct NewType {
  Oid oid = kInvalidOid;
  std::string_view name;
  Oid schema = kInvalidOid, owner = kInvalidOid;
  char kind = 'c', category = 'C', align = 'd';
  Oid relation = kInvalidOid, subscript = kInvalidOid, element = kInvalidOid, array = kInvalidOid;
  Oid input = kRecordIn, output = kRecordOut, receive = kRecordReceive, send = kRecordSend, analyze = kInvalidOid, collation = kInvalidOid;
};

void insert_type(const NewType& n) {
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_type, locking::LockMode::row_exclusive);
  CatalogRow row = table.new_row();
  row.set(t::oid, Datum::of(n.oid));
  row.set(t::typname, name_value(arena, n.name));
  row.set(t::typnamespace, Datum::of(n.schema));
  row.set(t::typowner, Datum::of(n.owner));
  row.set(t::typlen, Datum::of(std::int16_t{-1}));
  row.set(t::typbyval, Datum::of(false));
  row.set(t::typtype, Datum::of(n.kind));
  row.set(t::typcategory, Datum::of(n.category));
  row.set(t::typispreferred, Datum::of(false));
  row.set(t::typisdefined, Datum::of(true));
  row.set(t::typdelim, Datum::of(','));
  row.set(t::typrelid, Datum::of(n.relation));
  row.set(t::typsubscript, Datum::of(n.subscript));
  row.set(t::typelem, Datum::of(n.element));
  row.set(t::typarray, Datum::of(n.array));
  row.set(t::typinput, Datum::of(n.input));
  row.set(t::typoutput, Datum::of(n.output));
  row.set(t::typreceive, Datum::of(n.receive));
  row.set(t::typsend, Datum::of(n.send));
  row.set(t::typmodin, Datum::of(kInvalidOid));
  row.set(t::typmodout, Datum::of(kInvalidOid));
  row.set(t::typanalyze, Datum::of(n.analyze));
  row.set(t::typalign, Datum::of(n.align));
  row.set(t::typstorage, Datum::of('x'));
  row.set(t::typnotnull, Datum::of(false));
  row.set(t::typbasetype, Datum::of(kInvalidOid));
  row.set(t::typtypmod, Datum::of(std::int32_t{-1}));
  row.set(t::typndims, Datum::of(std::int32_t{0}));
  row.set(t::typcollation, Datum::of(n.collation));
  table.insert(row);
  catalog::note_change(catalog_oid::pg_type, n.oid);
}

}  // namespace

void check_column_type(std::string_view column, Oid type, Oid collation, char relation_kind) {
  check_stack_depth();
  const catalog::TypeInfo& info = catalog::type_info(type);
  if (info.kind == 'p') {
    bool allowed = relation_kind == catalog::relation_kind::view && (type == type_oid::unknown || type == type_oid::anyarray);
    if (!allowed) throw SqlError(sqlstate::invalid_table_definition, "column \"{}\" has pseudo-type {}", column, catalog::format_type(type));
  } else if (info.kind == 'd') {
    check_column_type(column, info.base, collation, relation_kind);
  } else if (is_valid(info.element) && info.is_true_array()) {
    check_column_type(column, info.element, collation, relation_kind);
  }
  if (is_valid(info.collation) && !is_valid(collation) && info.kind != 'p') {
    throw SqlError(sqlstate::invalid_table_definition, "no collation was derived for column \"{}\" with collatable type {}", column, catalog::format_type(type))
        .hint("Use the COLLATE clause to set the collation explicitly.");
  }
}

Oid create_array_type(std::string_view element_name, Oid schema, Oid element, Oid owner, char element_align, Oid collation, Oid fixed_oid) {
  // "_name", with more underscores in front while that is taken; cut at 63 bytes.
  std::string name = "_" + std::string(element_name.substr(0, kNameLength - 2));
  while (catalog::find_type_by_name(name, schema) != nullptr) name = ("_" + name).substr(0, kNameLength - 1);
  NewType n;
  n.oid = is_valid(fixed_oid) ? fixed_oid : catalog::new_oid(catalog_oid::pg_type);
  n.name = name;
  n.schema = schema;
  n.owner = owner;
  n.kind = 'b';
  n.category = 'A';
  n.align = element_align == 'd' ? 'd' : 'i';
  n.subscript = kArraySubscript;
  n.element = element;
  n.input = kArrayIn;
  n.output = kArrayOut;
  n.receive = kArrayReceive;
  n.send = kArraySend;
  n.analyze = kArrayAnalyze;
  n.collation = collation;
  insert_type(n);
  catalog::record_dependency({catalog_oid::pg_type, n.oid, 0}, {catalog_oid::pg_type, element, 0}, catalog::DependencyKind::internal);
  return n.oid;
}

Oid create_row_type(std::string_view name, Oid schema, Oid relation, Oid owner, char relation_kind) {
  namespace kind = catalog::relation_kind;
  bool has_array = relation_kind != kind::sequence && relation_kind != kind::toast;
  NewType n;
  n.oid = catalog::new_oid(catalog_oid::pg_type);
  n.name = name;
  n.schema = schema;
  n.owner = owner;
  n.relation = relation;
  Oid array = has_array ? catalog::new_oid(catalog_oid::pg_type) : kInvalidOid;
  n.array = array;
  insert_type(n);
  catalog::ObjectAddress self{catalog_oid::pg_type, n.oid, 0}, table{catalog_oid::pg_class, relation, 0};
  if (relation_kind == kind::composite) {
    catalog::record_dependency(table, self, catalog::DependencyKind::internal);
    catalog::record_dependency(self, {catalog_oid::pg_namespace, schema, 0}, catalog::DependencyKind::normal);
    catalog::record_owner(self, owner);
  } else {
    catalog::record_dependency(self, table, catalog::DependencyKind::internal);
  }
  if (has_array) create_array_type(name, schema, n.oid, owner, 'd', kInvalidOid, array);
  return n.oid;
}

namespace {

void rename_type(Oid type, std::string_view new_name) {
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_type, locking::LockMode::row_exclusive);
  auto row = table.find({{t::oid, Datum::of(type)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for type {}", raw(type));
  row->set(t::typname, name_value(arena, new_name));
  table.update(*row);
  catalog::note_change(catalog_oid::pg_type, type);
}

}  // namespace

void make_room_for_type_name(std::string_view name, Oid schema) {
  const catalog::TypeInfo* existing = catalog::find_type_by_name(name, schema);
  if (existing == nullptr) return;
  bool is_automatic_array = existing->is_true_array() && catalog::type_info(existing->element).array == existing->oid;
  if (!is_automatic_array) {
    throw SqlError(sqlstate::duplicate_object, "type \"{}\" already exists", name)
        .hint("A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.");
  }
  std::string moved = ("_" + std::string(name)).substr(0, kNameLength - 1);
  while (catalog::find_type_by_name(moved, schema) != nullptr) moved = ("_" + moved).substr(0, kNameLength - 1);
  rename_type(existing->oid, moved);
}

void rename_row_type(Oid row_type, std::string_view new_name, Oid schema) {
  if (!is_valid(row_type)) return;
  make_room_for_type_name(new_name, schema);
  Oid array = catalog::type_info(row_type).array;
  rename_type(row_type, new_name);
  if (!is_valid(array)) return;
  std::string name = "_" + std::string(new_name.substr(0, kNameLength - 2));
  while (catalog::find_type_by_name(name, schema) != nullptr) name = ("_" + name).substr(0, kNameLength - 1);
  rename_type(array, name);
}

}  // namespace hathi::ddl
