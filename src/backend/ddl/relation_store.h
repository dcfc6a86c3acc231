#pragma once
// Creating and dropping what all relations have in common: catalog rows, row type, storage, TOAST table, dependencies.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/relation.h"
#include "hathi/parser/ast_statement.h"

namespace hathi::ddl {

struct NewColumn {
  std::string_view name;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  int dimensions = 0;
  bool not_null = false;
  char identity = '\0', generated = '\0', compression = '\0';
  char storage = '\0';               // '\0' = the type's
  bool is_local = true;
  int inherit_count = 0;
  const nodes::Expr* default_value = nullptr;   // or generation expression; variables of rte 1
  int statistics_target = -1;
};

struct NewRelation {
  std::string_view name;
  Oid schema = kInvalidOid;
  char kind = catalog::relation_kind::table;
  char persistence = 'p';
  Oid owner = kInvalidOid, tablespace = kInvalidOid, access_method = kInvalidOid, of_type = kInvalidOid;
  bool is_shared = false;
  std::vector<NewColumn> columns;
  std::vector<std::string_view> options;        // reloptions "name=value"
  bool has_row_type = true;                     // composite and array type (not indexes, TOAST tables, sequences have one too)
  bool is_populated = true;
  std::string_view partition_bound;             // of a partition: relpartbound
  bool is_index_partition = false;              // an index that is part of a partitioned one
  Oid fixed_oid = kInvalidOid;                  // 0 = choose one
};

// 54011 for more columns than a table may have; 42701 for a name that system columns have.
void check_column_count(std::size_t count);
void check_not_system_column(std::string_view name);

// Checks the columns (42701 twice the same name, 42P16 pseudo-types, 54011 more than 1600), that the name is free (42P07) and makes
// everything; storage for the kinds that have it. The relation is visible to this transaction after advance_command(), which this
// function does. Returns its oid; it is locked access_exclusive.
Oid create_relation(const NewRelation& relation);

// Only the rows and storage, for indexes: no row type, no dependencies but those the caller records.
Oid create_relation_rows(const NewRelation& relation);
// ctid, xmin, cmin, xmax, cmax, tableoid (attnum -1 to -6).
void insert_system_columns(const catalog::CatalogTable& attributes, Oid relation, Arena& arena);
// pg_statistic rows of a column, or of all with 0.
void remove_statistics(Oid relation, AttrNumber column);

// A TOAST table, when the columns may need one and there is none. Makes the change visible.
void create_toast_table_if_needed(Oid table);

// New, empty storage under a new relfilenode (TRUNCATE, rewrites, SET LOGGED); the old one goes at commit. Indexes are made empty too.
void replace_storage(Oid relation, char persistence);
// One index only; the file is left without a page.
void replace_index_storage(Oid index, char persistence);

// One column's row in pg_attribute and, with a default, pg_attrdef.
void insert_column(const catalog::CatalogTable& attributes, Oid relation, const NewColumn& column, AttrNumber number, Arena& arena);
// Stores a default or generation expression and its dependencies; sets atthasdef.
void store_default(Oid relation, AttrNumber column, const nodes::Expr* e, char generated);
void remove_default(Oid relation, AttrNumber column, bool cascade);

// Changes some fields of a relation's pg_class row.
void update_class_row(Oid relation, const std::function<void(catalog::CatalogRow&, Arena&)>& change);
void update_attribute_row(Oid relation, AttrNumber column, const std::function<void(catalog::CatalogRow&, Arena&)>& change);

// Where the name leads: the schema to create in (temporary for temp relations), checked for CREATE privilege. Errors 42P16, 3F000, 42501.
Oid schema_for_new(const parser::RangeVar& name, char& persistence);
// name_column_suffix as PostgreSQL makes names of indexes, sequences, constraints: shortened to 63 bytes, made unique in the schema.
std::string choose_relation_name(std::string_view name1, std::string_view name2, std::string_view label, Oid schema);
// The middle part of such a name: the columns joined by "_", as far as they may be seen.
template <class Columns, class NameOf>
std::string joined_names(const Columns& columns, NameOf&& name_of) {
  std::string out;
  for (const auto& column : columns) {
    if (!out.empty()) out += '_';
    out += name_of(column);
    if (out.size() >= kNameLength) break;
  }
  return out;
}
inline std::string joined_names(std::span<const std::string_view> names) { return joined_names(names, std::identity()); }
std::string make_object_name(std::string_view name1, std::string_view name2, std::string_view label);

// Rows and storage of a dropped relation: registered with catalog::register_drop for pg_class.
void drop_relation_object(const catalog::ObjectAddress& object);
void register_relation_drop();
// Likewise for constraints, defaults, types, rules, schemas (drops.cpp), relations included.
void register_drops();

}  // namespace hathi::ddl
