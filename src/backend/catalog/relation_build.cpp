// Relation descriptors from the catalog tables.

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>

#include <xxhash.h>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"
#include "hathi/storage/file.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/relation_cache.h"
#include "src/backend/catalog/relation_parts.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

storage::Persistence persistence_of(char c) { return static_cast<storage::Persistence>(c); }

RelationFile file_of(const CatalogRow& row, char kind) {
  if (kind == relation_kind::view || kind == relation_kind::composite || kind == relation_kind::partitioned_table ||
      kind == relation_kind::partitioned_index || kind == relation_kind::foreign_table) {
    return {};
  }
  Oid tablespace = row.get(pg_class::reltablespace).as_oid();
  return {is_valid(tablespace) ? tablespace : current_database_tablespace(), current_database(), row.get(pg_class::relfilenode).as_oid()};
}

void fill_from_class_row(Relation& r, const CatalogRow& row, Arena& arena) {
  using namespace pg_class;
  r.oid = row.get(pg_class::oid).as_oid();
  r.name = arena.copy(name_text(row.get(relname)));
  r.schema = row.get(relnamespace).as_oid();
  r.schema_name = arena.copy(schema_name(r.schema));
  r.kind = row.get(relkind).as_char();
  r.persistence = row.get(relpersistence).as_char();
  r.owner = row.get(relowner).as_oid();
  r.row_type = row.get(reltype).as_oid();
  r.access_method = row.get(relam).as_oid();
  r.of_type = row.get(reloftype).as_oid();
  r.tablespace = row.get(reltablespace).as_oid();
  r.is_shared = row.get(relisshared).as_bool();
  r.is_populated = row.get(relispopulated).as_bool();
  r.is_partition = row.get(relispartition).as_bool();
  r.has_rules = row.get(relhasrules).as_bool();
  r.has_triggers = row.get(relhastriggers).as_bool();
  r.has_subclass = row.get(relhassubclass).as_bool();
  r.row_security = row.get(relrowsecurity).as_bool();
  r.force_row_security = row.get(relforcerowsecurity).as_bool();
  r.is_temporary_of_other = r.persistence == 't' && !is_temporary_schema(r.schema);
  r.replica_identity = row.get(relreplident).as_char();
  r.row_count = row.get(reltuples).as_float4();
  r.page_count = static_cast<std::uint32_t>(row.get(relpages).as_int32());
  r.all_visible_pages = static_cast<std::uint32_t>(row.get(relallvisible).as_int32());
  if (!row.is_null(relacl)) r.acl = acl_as_oids(row.get(relacl), arena);
  if (!row.is_null(reloptions)) r.options = text_array_values(row.get(reloptions), arena);
  if (!row.is_null(relpartbound)) r.partition_bound_text = arena.copy(varlena::text(row.get(relpartbound), arena));
  r.file = file_of(row, r.kind);
}

void fill_attribute_from_row(Attribute& a, const CatalogRow& row, Arena& arena) {
  using namespace pg_attribute;
  a.name = arena.copy(name_text(row.get(attname)));
  a.type = row.get(atttypid).as_oid();
  a.typmod = row.get(atttypmod).as_int32();
  a.collation = row.get(attcollation).as_oid();
  a.layout = {row.get(attlen).as_int16(), row.get(attbyval).as_bool(), row.get(attalign).as_char()};
  a.storage = row.get(attstorage).as_char();
  a.compression = row.get(attcompression).as_char();
  a.not_null = row.get(attnotnull).as_bool();
  a.has_default = row.get(atthasdef).as_bool();
  a.has_missing = row.get(atthasmissing).as_bool();
  a.dropped = row.get(attisdropped).as_bool();
  a.identity = row.get(attidentity).as_char();
  a.generated = row.get(attgenerated).as_char();
  a.dimensions = row.get(attndims).as_int16();
  a.is_local = row.get(attislocal).as_bool();
  a.inherit_count = row.get(attinhcount).as_int32();
  if (a.has_missing && !row.is_null(attmissingval)) {
    std::vector<NullableDatum> values = array_values(row.get(attmissingval), a.layout, arena);
    if (!values.empty() && !values[0].is_null) a.missing_value = {copy_datum(values[0].value, a.layout, arena), false};
  }
}

std::array<std::uint64_t, 2> hash_columns(const TupleDescriptor& d) {
  std::string text;
  for (const Attribute& a : d.attributes) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} ", a.dropped, raw(a.type), a.layout.length, static_cast<int>(a.layout.align));
    if (!a.dropped) fmt::format_to(std::back_inserter(text), "{} {} ", a.name.size(), a.name);
  }
  XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

TupleDescriptor* load_columns(Relation& r, int count, bool& any_default, Arena& arena) {
  TupleDescriptor* d = make_descriptor(arena, count);
  d->row_type = is_valid(r.row_type) ? r.row_type : type_oid::record;
  Arena scratch(8192);
  int seen = 0;
  CatalogTable(catalog_oid::pg_attribute, kRead)
      .scan(std::vector<CatalogKey>{{pg_attribute::attrelid, Datum::of(r.oid)}}, scratch, [&](CatalogRow& row) {
        AttrNumber number = row.get(pg_attribute::attnum).as_int16();
        if (number <= 0 || number > count) return true;
        Attribute& a = d->attributes[static_cast<std::size_t>(number - 1)];
        fill_attribute_from_row(a, row, arena);
        any_default = any_default || a.has_default;
        ++seen;
        return true;
      });
  if (seen != count) {
    throw SqlError(sqlstate::internal_error, "pg_attribute catalog is missing {} attribute(s) for relation OID {}", count - seen, raw(r.oid));
  }
  finish_descriptor(*d);
  r.columns_hash = hash_columns(*d);
  return d;
}

void load_defaults(Relation& r, Arena& arena) {
  auto n = static_cast<std::size_t>(r.descriptor->count());
  auto** defaults = arena.make_array<const nodes::Expr*>(n);
  Arena scratch(2048);
  CatalogTable(catalog_oid::pg_attrdef, kRead)
      .scan(std::vector<CatalogKey>{{pg_attrdef::adrelid, Datum::of(r.oid)}}, scratch, [&](CatalogRow& row) {
        auto number = static_cast<std::size_t>(row.get(pg_attrdef::adnum).as_int16());
        if (number >= 1 && number <= n) {
          defaults[number - 1] = nodes::expr_from_text(varlena::text(row.get(pg_attrdef::adbin), scratch), arena);
        }
        return true;
      });
  r.defaults = {defaults, n};
}

void load_view(Relation& r, Arena& arena) {
  Arena scratch(4096);
  CatalogTable(catalog_oid::pg_rewrite, kRead)
      .scan(std::vector<CatalogKey>{{pg_rewrite::ev_class, Datum::of(r.oid)}}, scratch, [&](CatalogRow& row) {
        if (name_text(row.get(pg_rewrite::rulename)) != "_RETURN") return true;
        r.view_query = nodes::query_from_text(varlena::text(row.get(pg_rewrite::ev_action), scratch), arena);
        return false;
      });
}

void read_options(Relation& r) {
  for (std::string_view option : r.options) {
    std::size_t equals = option.find('=');
    std::string_view name = option.substr(0, equals), value = equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
    bool on = value.empty() || value == "true" || value == "on" || value == "1" || value == "yes";
    if (name == "fillfactor") {
      std::from_chars(value.data(), value.data() + value.size(), r.heap.fill_factor);
    } else if (name == "security_barrier") {
      r.security_barrier = on;
    } else if (name == "security_invoker") {
      r.security_invoker = on;
    } else if (name == "check_option") {
      r.check_option_local = value == "local";
      r.check_option_cascaded = value == "cascaded";
    }
  }
}

void fill_heap(Relation& r, Oid toast, Arena& arena) {
  r.heap.oid = r.oid;
  r.heap.file = r.file;
  r.heap.persistence = persistence_of(r.persistence);
  r.heap.descriptor = r.descriptor;
  r.heap.toast_table = toast;
  r.heap.name = r.name;
  fill_indexed_columns(r, arena);
}

void fill_parent(CachedRelation& r) {
  Arena scratch(512);
  auto row = CatalogTable(catalog_oid::pg_inherits, kRead).find({{pg_inherits::inhrelid, Datum::of(r.oid)}}, scratch);
  if (!row) return;
  r.parent = row->get(pg_inherits::inhparent).as_oid();
  r.detach_pending = row->get(pg_inherits::inhdetachpending).as_bool();
}

bool has_rows(char kind) {
  return kind == relation_kind::table || kind == relation_kind::toast || kind == relation_kind::materialized_view || kind == relation_kind::sequence ||
         kind == relation_kind::partitioned_table;
}

void load_index_relation(CachedRelation& r, const CatalogRow& class_row, Arena& arena) {
  Arena scratch(2048);
  auto row = CatalogTable(catalog_oid::pg_index, kRead).find({{pg_index::indexrelid, Datum::of(r.oid)}}, scratch);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for index {}", raw(r.oid));
  RelationRef table = cached_relation(row->get(pg_index::indrelid).as_oid());
  if (!table) throw SqlError(sqlstate::internal_error, "could not open relation with OID {}", raw(row->get(pg_index::indrelid).as_oid()));
  IndexDescriptor* index = load_index(*row, class_row, *table, arena);
  load_index_constraint(*index, arena);
  r.index = index;
  r.descriptor = index->btree.descriptor;
}

}  // namespace

bool load_relation(Oid oid, CachedRelation& r, Arena& arena) {
  Arena scratch(4096);
  auto row = CatalogTable(catalog_oid::pg_class, kRead).find({{pg_class::oid, Datum::of(oid)}}, scratch);
  if (!row) return false;
  fill_from_class_row(r, *row, arena);
  read_options(r);
  if (r.is_partition) fill_parent(r);
  if (r.kind == relation_kind::index || r.kind == relation_kind::partitioned_index) {
    load_index_relation(r, *row, arena);
    return true;
  }
  bool any_default = false;
  r.descriptor = load_columns(r, row->get(pg_class::relnatts).as_int16(), any_default, arena);
  if (any_default) load_defaults(r, arena);
  if (row->get(pg_class::relhasindex).as_bool()) load_indexes(r, arena);
  load_constraints(r, row->get(pg_class::relchecks).as_int16(), arena);
  if (r.kind == relation_kind::view || r.kind == relation_kind::materialized_view) load_view(r, arena);
  if (has_rows(r.kind)) fill_heap(r, row->get(pg_class::reltoastrelid).as_oid(), arena);
  return true;
}

}  // namespace hathi::catalog
