#include "relation_store.h"

#include "grant.h"

#include <algorithm>
#include <set>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "hathi/parser/ast_statement.h"
#include "hathi/parser/parser.h"
#include "hathi/statistics/counters.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "index_store.h"
#include "object_names.h"
#include "partitions.h"
#include "row_types.h"
#include "row_values.h"
#include "unfilled_indexes.h"

namespace hathi::ddl {

void check_column_count(std::size_t count) {
  constexpr std::size_t kMaxColumns = 1600;
  if (count > kMaxColumns) throw SqlError(sqlstate::too_many_columns, "tables can have at most {} columns", kMaxColumns);
}

void check_not_system_column(std::string_view name) {
  if (is_system_column(name)) throw SqlError(sqlstate::duplicate_column, "column name \"{}\" conflicts with a system column name", name);
}

namespace {

namespace kind = catalog::relation_kind;
using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::ObjectAddress;

bool has_storage(char k) { return k == kind::table || k == kind::index || k == kind::sequence || k == kind::toast || k == kind::materialized_view; }

void check_columns(const NewRelation& r) {
  check_column_count(r.columns.size());
  std::set<std::string_view> seen;
  for (const NewColumn& c : r.columns) {
    if (r.kind != kind::view && r.kind != kind::composite) check_not_system_column(c.name);
    if (!seen.insert(c.name).second) throw SqlError(sqlstate::duplicate_column, "column \"{}\" specified more than once", c.name);
    check_column_type(c.name, c.type, c.collation, r.kind);
  }
}

// "relation "x" already exists", "type "x" already exists".
void check_name_is_free(const NewRelation& r) {
  if (is_valid(catalog::find_relation(r.name, r.schema))) {
    throw SqlError(sqlstate::duplicate_table, "relation \"{}\" already exists", r.name);
  }
  if (r.has_row_type) make_room_for_type_name(r.name, r.schema);
}

Oid effective_tablespace(const NewRelation& r) {
  if (r.is_shared) return storage::kGlobalTablespace;
  return is_valid(r.tablespace) ? r.tablespace : catalog::find_database(catalog::current_database())->tablespace;
}

void insert_class_row(const NewRelation& r, Oid oid, Oid row_type, Oid filenode) {
  namespace c = catalog::pg_class;
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_class, locking::LockMode::row_exclusive);
  CatalogRow row = table.new_row();
  row.set(c::oid, Datum::of(oid));
  row.set(c::relname, name_value(arena, r.name));
  row.set(c::relnamespace, Datum::of(r.schema));
  row.set(c::reltype, Datum::of(row_type));
  row.set(c::reloftype, Datum::of(r.of_type));
  row.set(c::relowner, Datum::of(r.owner));
  row.set(c::relam, Datum::of(r.access_method));
  row.set(c::relfilenode, Datum::of(filenode));
  row.set(c::reltablespace, Datum::of(r.tablespace));
  row.set(c::relpages, Datum::of(std::int32_t{0}));
  bool has_rows = r.kind == kind::table || r.kind == kind::toast || r.kind == kind::materialized_view || r.kind == kind::index ||
                  r.kind == kind::partitioned_table;
  row.set(
      c::reltuples,
      Datum::of(has_rows ? (r.kind == kind::index ? 0.0F : -1.0F)
                         : (r.kind == kind::sequence
                                ? 1.0F
                                : (r.kind == kind::partitioned_index ? 0.0F : (r.kind == kind::view || r.kind == kind::composite ? 0.0F : -1.0F)))));
  if (r.kind == kind::sequence) row.set(c::relpages, Datum::of(std::int32_t{1}));
  row.set(c::relallvisible, Datum::of(std::int32_t{0}));
  row.set(c::reltoastrelid, Datum::of(kInvalidOid));
  row.set(c::relhasindex, Datum::of(false));
  row.set(c::relisshared, Datum::of(r.is_shared));
  row.set(c::relpersistence, Datum::of(r.persistence));
  row.set(c::relkind, Datum::of(r.kind));
  row.set(c::relnatts, Datum::of(static_cast<std::int16_t>(r.columns.size())));
  row.set(c::relchecks, Datum::of(std::int16_t{0}));
  row.set(c::relhasrules, Datum::of(false));
  row.set(c::relhastriggers, Datum::of(false));
  row.set(c::relhassubclass, Datum::of(r.kind == kind::partitioned_table && false));
  row.set(c::relrowsecurity, Datum::of(false));
  row.set(c::relforcerowsecurity, Datum::of(false));
  row.set(c::relispopulated, Datum::of(r.is_populated));
  bool is_index = r.kind == kind::index || r.kind == kind::partitioned_index;
  bool has_identity = !is_index && r.kind != kind::sequence && r.kind != kind::view && r.kind != kind::composite && r.kind != kind::toast;
  row.set(c::relreplident, Datum::of(has_identity ? (r.schema == kPgCatalogNamespace ? 'n' : 'd') : 'n'));
  row.set(c::relispartition, Datum::of(!r.partition_bound.empty() || r.is_index_partition));
  if (!r.partition_bound.empty()) row.set(c::relpartbound, text_value(arena, r.partition_bound));
  row.set(c::relrewrite, Datum::of(kInvalidOid));
  bool freezes = r.kind == kind::table || r.kind == kind::toast || r.kind == kind::materialized_view;
  row.set(c::relfrozenxid, Datum::of(freezes ? static_cast<std::uint32_t>(transaction::current_xid().value()) : 0u));
  row.set(c::relminmxid, Datum::of(freezes ? 1u : 0u));
  if (!r.options.empty()) row.set(c::reloptions, text_array(arena, r.options));
  table.insert(row);
}

void insert_columns(const NewRelation& r, Oid oid) {
  Arena arena(4096);
  CatalogTable table(catalog_oid::pg_attribute, locking::LockMode::row_exclusive);
  AttrNumber number = 1;
  for (const NewColumn& c : r.columns) insert_column(table, oid, c, number++, arena);
  if (r.kind == kind::table || r.kind == kind::toast || r.kind == kind::materialized_view || r.kind == kind::partitioned_table ||
      r.kind == kind::foreign_table) {
    insert_system_columns(table, oid, arena);
  }
}

void record_relation_dependencies(const NewRelation& r, Oid oid) {
  ObjectAddress self{catalog_oid::pg_class, oid, 0};
  if (r.kind == kind::toast || r.kind == kind::index || r.kind == kind::partitioned_index) return;   // their tables own them
  catalog::record_dependency(self, {catalog_oid::pg_namespace, r.schema, 0}, catalog::DependencyKind::normal);
  catalog::record_owner(self, r.owner);
  if (r.kind != kind::composite) apply_default_privileges(self, r.kind == kind::sequence ? 'S' : 'r', r.owner, r.schema);
  if (is_valid(r.of_type)) catalog::record_dependency(self, {catalog_oid::pg_type, r.of_type, 0}, catalog::DependencyKind::normal);
}

void create_files(const NewRelation& r, const RelationFile& file) {
  storage::create_storage(file, static_cast<storage::Persistence>(r.persistence));
}

}  // namespace

void insert_column(const CatalogTable& attributes, Oid relation, const NewColumn& column, AttrNumber number, Arena& arena) {
  namespace a = catalog::pg_attribute;
  const catalog::TypeInfo& type = catalog::type_info(column.type);
  CatalogRow row = attributes.new_row();
  row.set(a::attrelid, Datum::of(relation));
  row.set(a::attname, name_value(arena, column.name));
  row.set(a::atttypid, Datum::of(column.type));
  row.set(a::attstattarget, Datum::of(std::int32_t{column.statistics_target}));
  row.set(a::attlen, Datum::of(type.layout.length));
  row.set(a::attnum, Datum::of(number));
  row.set(a::attndims, Datum::of(std::int32_t{column.dimensions}));
  row.set(a::attcacheoff, Datum::of(std::int32_t{-1}));
  row.set(a::atttypmod, Datum::of(column.typmod));
  row.set(a::attbyval, Datum::of(type.layout.by_value));
  row.set(a::attalign, Datum::of(type.layout.align));
  row.set(a::attstorage, Datum::of(column.storage != '\0' ? column.storage : type.storage));
  row.set(a::attcompression, Datum::of(column.compression));
  row.set(a::attnotnull, Datum::of(column.not_null));
  row.set(a::atthasdef, Datum::of(false));
  row.set(a::atthasmissing, Datum::of(false));
  row.set(a::attidentity, Datum::of(column.identity));
  row.set(a::attgenerated, Datum::of(column.generated));
  row.set(a::attisdropped, Datum::of(false));
  row.set(a::attislocal, Datum::of(column.is_local));
  row.set(a::attinhcount, Datum::of(std::int32_t{column.inherit_count}));
  row.set(a::attcollation, Datum::of(column.collation));
  const_cast<CatalogTable&>(attributes).insert(row);
  if (number < 0) return;
  ObjectAddress self{catalog_oid::pg_class, relation, number};
  catalog::record_dependency(self, {catalog_oid::pg_type, column.type, 0}, catalog::DependencyKind::normal);
  if (is_valid(column.collation) && column.collation != kDefaultCollation) {
    catalog::record_dependency(self, {catalog_oid::pg_collation, column.collation, 0}, catalog::DependencyKind::normal);
  }
}

void insert_system_columns(const CatalogTable& attributes, Oid relation, Arena& arena) {
  struct SystemColumn { const char* name; Oid type; AttrNumber number; };
  constexpr SystemColumn kColumns[] = {{"ctid", type_oid::tid, -1}, {"xmin", type_oid::xid, -2}, {"cmin", type_oid::cid, -3},
                                       {"xmax", type_oid::xid, -4}, {"cmax", type_oid::cid, -5}, {"tableoid", type_oid::oid, -6}};
  for (const SystemColumn& s : kColumns) {
    NewColumn c;
    c.name = s.name;
    c.type = s.type;
    c.not_null = true;
    c.storage = 'p';
    c.statistics_target = 0;
    insert_column(attributes, relation, c, s.number, arena);
  }
}

Oid create_relation_rows(const NewRelation& r) { return create_relation(r); }

Oid create_relation(const NewRelation& r) {
  check_columns(r);
  check_name_is_free(r);
  Oid oid = is_valid(r.fixed_oid) ? r.fixed_oid : catalog::new_oid(catalog_oid::pg_class);
  locking::acquire(transaction::owner(), locking::LockTag::relation_tag(r.is_shared ? kInvalidOid : catalog::current_database(), oid),
                   locking::LockMode::access_exclusive);
  RelationFile file{effective_tablespace(r), r.is_shared ? kInvalidOid : catalog::current_database(), kInvalidOid};
  if (has_storage(r.kind)) {
    file.relation = catalog::new_relfilenode(file.tablespace, file.database);
    create_files(r, file);
  }
  Oid row_type = r.has_row_type ? create_row_type(r.name, r.schema, oid, r.owner, r.kind) : kInvalidOid;
  insert_class_row(r, oid, row_type, file.relation);
  insert_columns(r, oid);
  record_relation_dependencies(r, oid);
  catalog::note_change(catalog_oid::pg_class, oid);
  transaction::advance_command();
  bool any_default = false;
  AttrNumber number = 1;
  for (const NewColumn& c : r.columns) {
    if (c.default_value != nullptr) {
      store_default(oid, number, c.default_value, c.generated);
      any_default = true;
    }
    ++number;
  }
  if (any_default) transaction::advance_command();
  return oid;
}

void update_class_row(Oid relation, const std::function<void(CatalogRow&, Arena&)>& change) {
  // Changes that need no strong lock on the relation (the first of several indexes that are built at once, GRANT) may meet: the later one
  // waits for the other's transaction and is made on top of it.
  constexpr int kTries = 8;
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_class, locking::LockMode::row_exclusive);
  for (int tries = 1;; ++tries) {
    auto row = table.find({{catalog::pg_class::oid, Datum::of(relation)}}, arena);
    if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for relation {}", raw(relation));
    change(*row, arena);
    try {
      table.update(*row);
      break;
    } catch (const SqlError& e) {
      if (e.code() != sqlstate::internal_error || tries == kTries) throw;
    }
  }
  catalog::note_change(catalog_oid::pg_class, relation);
}

void update_attribute_row(Oid relation, AttrNumber column, const std::function<void(CatalogRow&, Arena&)>& change) {
  namespace a = catalog::pg_attribute;
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_attribute, locking::LockMode::row_exclusive);
  auto row = table.find({{a::attrelid, Datum::of(relation)}, {a::attnum, Datum::of(column)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for attribute {} of relation {}", column, raw(relation));
  change(*row, arena);
  table.update(*row);
  catalog::note_change(catalog_oid::pg_class, relation);
}

void store_default(Oid relation, AttrNumber column, const nodes::Expr* e, char generated) {
  namespace d = catalog::pg_attrdef;
  Arena arena(2048);
  Oid oid = catalog::new_oid(catalog_oid::pg_attrdef);
  {
    CatalogTable table(catalog_oid::pg_attrdef, locking::LockMode::row_exclusive);
    CatalogRow row = table.new_row();
    row.set(d::oid, Datum::of(oid));
    row.set(d::adrelid, Datum::of(relation));
    row.set(d::adnum, Datum::of(column));
    row.set(d::adbin, text_value(arena, nodes::to_text(e)));
    table.insert(row);
  }
  update_attribute_row(relation, column, [&](CatalogRow& row, Arena&) {
    row.set(catalog::pg_attribute::atthasdef, Datum::of(true));
    if (generated != '\0') row.set(catalog::pg_attribute::attgenerated, Datum::of(generated));
  });
  ObjectAddress self{catalog_oid::pg_attrdef, oid, 0};
  catalog::record_dependency(self, {catalog_oid::pg_class, relation, column},
                             generated != '\0' ? catalog::DependencyKind::internal : catalog::DependencyKind::automatic);
  catalog::record_dependencies_on(self, e, relation, catalog::DependencyKind::normal);
}

void remove_default(Oid relation, AttrNumber column, bool cascade) {
  namespace d = catalog::pg_attrdef;
  Arena arena(1024);
  Oid found = kInvalidOid;
  {
    CatalogTable table(catalog_oid::pg_attrdef, locking::LockMode::row_exclusive);
    auto row = table.find({{d::adrelid, Datum::of(relation)}, {d::adnum, Datum::of(column)}}, arena);
    if (!row) return;
    found = row->get(d::oid).as_oid();
  }
  ObjectAddress object{catalog_oid::pg_attrdef, found, 0};
  catalog::perform_deletion({&object, 1}, cascade, true);
}

// --- TOAST ----------------------------------------------------------------------------------------------------------------------
namespace {

constexpr std::size_t kToastThreshold = 2032;
constexpr int kBytesPerCharacter = 4;

// Most bytes a value of the column may take; 0 = no bound.
std::size_t longest_value(const Attribute& a) {
  if (a.layout.length > 0) return static_cast<std::size_t>(a.layout.length);
  if (a.typmod >= 4 && (a.type == type_oid::bpchar || a.type == type_oid::varchar)) return static_cast<std::size_t>(a.typmod - 4) * kBytesPerCharacter + 4;
  if (a.typmod >= 4 && a.type == type_oid::numeric) return static_cast<std::size_t>((((a.typmod - 4) >> 16) & 0xFFFF) / 4 + 2) * 2 + 8;
  if (a.typmod > 0 && (a.type == type_oid::bit || a.type == type_oid::varbit)) return static_cast<std::size_t>(a.typmod) / 8 + 9;
  return 0;
}

bool needs_toast_table(const TupleDescriptor& row) {
  std::size_t total = 23 + static_cast<std::size_t>(row.count() + 7) / 8;
  bool can_toast = false, unbounded = false;
  for (int i = 0; i < row.count(); ++i) {
    if (row[i].dropped) continue;
    if (row[i].layout.length == -1 && row[i].storage != 'p') can_toast = true;
    std::size_t longest = longest_value(row[i]);
    if (longest == 0) unbounded = unbounded || row[i].storage != 'p' || row[i].layout.length == -1;
    total += longest;
  }
  return can_toast && (unbounded || total > kToastThreshold);
}

}  // namespace

namespace {

// Unique on (chunk_id, chunk_seq), as PostgreSQL names it.
void create_toast_index(Oid toast, const std::string& name) {
  constexpr Oid kOidClass{1981}, kInt4Class{1978};
  NewIndex n;
  n.table = toast;
  n.name = name;
  n.unique = n.primary = true;
  n.key_count = 2;
  NewIndexColumn id, sequence;
  id.column = 1;
  id.name = "chunk_id";
  id.operator_class = kOidClass;
  sequence.column = 2;
  sequence.name = "chunk_seq";
  sequence.operator_class = kInt4Class;
  n.columns = {id, sequence};
  create_index(n);
}

}  // namespace

void create_toast_table_if_needed(Oid table) {
  catalog::RelationRef main = catalog::open_relation(table, locking::LockMode::none);
  if (main->kind != kind::table && main->kind != kind::materialized_view) return;
  if (is_valid(main->heap.toast_table) || !needs_toast_table(*main->descriptor)) return;
  std::string name = fmt::format("pg_toast_{}", raw(table));
  NewRelation toast;
  toast.name = name;
  toast.schema = kPgToastNamespace;
  toast.kind = kind::toast;
  toast.persistence = main->persistence;
  toast.owner = main->owner;
  toast.tablespace = main->tablespace;
  toast.access_method = kHeapAccessMethod;
  toast.has_row_type = false;
  toast.is_shared = main->is_shared;
  NewColumn id, sequence, data;
  id.name = "chunk_id";
  id.type = type_oid::oid;
  sequence.name = "chunk_seq";
  sequence.type = type_oid::int4;
  data.name = "chunk_data";
  data.type = type_oid::bytea;
  id.storage = sequence.storage = data.storage = 'p';
  toast.columns = {id, sequence, data};
  Oid oid = create_relation(toast);
  create_toast_index(oid, name + "_index");
  update_class_row(table, [&](CatalogRow& row, Arena&) { row.set(catalog::pg_class::reltoastrelid, Datum::of(oid)); });
  catalog::record_dependency({catalog_oid::pg_class, oid, 0}, {catalog_oid::pg_class, table, 0}, catalog::DependencyKind::internal);
  transaction::advance_command();
}

// --- storage ----------------------------------------------------------------------------------------------------------------------
namespace {

void replace_one(Oid oid, char persistence) {
  catalog::RelationRef r = catalog::open_relation(oid, locking::LockMode::none);
  RelationFile file = r->file;
  storage::drop_storage_at_commit(file);
  statistics::count_truncated(oid, file.database);
  file.relation = catalog::new_relfilenode(file.tablespace, file.database);
  storage::create_storage(file, static_cast<storage::Persistence>(persistence));
  update_class_row(oid, [&](CatalogRow& row, Arena&) {
    namespace c = catalog::pg_class;
    row.set(c::relfilenode, Datum::of(file.relation));
    row.set(c::relpersistence, Datum::of(persistence));
    row.set(c::relpages, Datum::of(std::int32_t{0}));
    row.set(c::relallvisible, Datum::of(std::int32_t{0}));
    bool is_table = r->kind != kind::index;
    row.set(c::reltuples, Datum::of(is_table ? -1.0F : 0.0F));
    if (is_table) row.set(c::relfrozenxid, Datum::of(static_cast<std::uint32_t>(transaction::current_xid().value())));
  });
}

}  // namespace

void replace_index_storage(Oid index, char persistence) { replace_one(index, persistence); }

void replace_storage(Oid relation, char persistence) {
  replace_storage_unfilled(relation, persistence);
  std::vector<Oid> indexes;
  for (const catalog::IndexDescriptor* i : catalog::open_relation(relation, locking::LockMode::none)->indexes) indexes.push_back(i->oid);
  for (Oid index : indexes) make_index_empty(index);
}

void replace_storage_unfilled(Oid oid, char persistence) {
  std::vector<Oid> indexes;
  Oid toast = kInvalidOid;
  {
    catalog::RelationRef r = catalog::open_relation(oid, locking::LockMode::none);
    toast = r->heap.toast_table;
    for (const catalog::IndexDescriptor* i : r->indexes) indexes.push_back(i->oid);
  }
  replace_one(oid, persistence);
  for (Oid index : indexes) replace_one(index, persistence);
  transaction::advance_command();
  if (is_valid(toast)) replace_storage(toast, persistence);
}

// --- names ------------------------------------------------------------------------------------------------------------------------
Oid schema_for_new(const parser::RangeVar& name, char& persistence) {
  bool temporary = persistence == 't';
  Oid schema;
  if (!name.schema.empty()) {
    if (!name.catalog.empty() && name.catalog != catalog::current_database_name()) {
      throw SqlError(sqlstate::feature_not_supported, "cross-database references are not implemented: \"{}.{}.{}\"", name.catalog, name.schema, name.name)
          .at(name.location);
    }
    schema = name.schema == "pg_temp" ? catalog::temporary_schema() : catalog::find_schema(name.schema);
    if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name.schema).at(name.location);
    bool is_temporary = schema == catalog::temporary_schema_if_any();
    if (temporary && !is_temporary)
      throw SqlError(sqlstate::invalid_table_definition, "cannot create temporary relation in non-temporary schema").at(name.location);
    if (is_temporary && persistence == 'u')
      throw SqlError(sqlstate::invalid_table_definition, "only temporary relations may be created in temporary schemas").at(name.location);
    if (is_temporary) persistence = 't';
  } else {
    try {
      schema = temporary ? catalog::temporary_schema() : catalog::creation_schema();
    } catch (SqlError& e) {
      if (e.code() == sqlstate::undefined_schema && e.byte_offset() < 0) e.at(name.location);
      throw;
    }
  }
  Oid role = catalog::current_role();
  if (!temporary && (catalog::object_privileges(catalog_oid::pg_namespace, schema, role, nodes::kAclCreate) & nodes::kAclCreate) == 0) {
    catalog::throw_permission_denied("schema", catalog::schema_name(schema));
  }
  return schema;
}

std::string make_object_name(std::string_view name1, std::string_view name2, std::string_view label) {
  constexpr std::size_t kLongest = kNameLength - 1;
  std::size_t overhead = (name2.empty() ? 0 : 1) + (label.empty() ? 0 : label.size() + 1);
  std::size_t available = kLongest - overhead;
  std::size_t length1 = name1.size(), length2 = name2.size();
  // The longer one gives way first.
  while (length1 + length2 > available) {
    if (length1 > length2) --length1;
    else --length2;
  }
  auto clip = [](std::string_view text, std::size_t n) {
    while (n > 0 && n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) --n;
    return text.substr(0, n);
  };
  std::string out(clip(name1, length1));
  if (!name2.empty()) out += fmt::format("_{}", clip(name2, length2));
  if (!label.empty()) out += fmt::format("_{}", label);
  return out;
}

std::string choose_relation_name(std::string_view name1, std::string_view name2, std::string_view label, Oid schema) {
  std::string numbered(label);
  for (int pass = 1;; ++pass) {
    std::string name = make_object_name(name1, name2, numbered);
    if (!is_valid(catalog::find_relation(name, schema))) return name;
    numbered = fmt::format("{}{}", label, pass);
  }
}

void remove_statistics(Oid relation, AttrNumber column) {
  namespace st = catalog::pg_statistic;
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_statistic, locking::LockMode::row_exclusive);
  std::vector<TupleId> found;
  catalog::CatalogKey keys[] = {{st::starelid, Datum::of(relation)}, {st::staattnum, Datum::of(column)}};
  table.scan(std::span<const catalog::CatalogKey>(keys, column == 0 ? 1 : 2), arena, [&](CatalogRow& row) {
    found.push_back(row.tid);
    return true;
  });
  for (TupleId tid : found) table.remove(tid);
}

// --- dropping ------------------------------------------------------------------------------------------------------------------------
namespace {

void remove_rows(Oid catalog_table, AttrNumber column, Oid value) {
  Arena arena(2048);
  CatalogTable table(catalog_table, locking::LockMode::row_exclusive);
  std::vector<TupleId> found;
  catalog::CatalogKey key{column, Datum::of(value)};
  table.scan({&key, 1}, arena, [&](CatalogRow& row) {
    found.push_back(row.tid);
    return true;
  });
  for (TupleId tid : found) table.remove(tid);
}

void drop_column(Oid relation, AttrNumber column) {
  update_attribute_row(relation, column, [&](CatalogRow& row, Arena& arena) {
    namespace a = catalog::pg_attribute;
    row.set(a::attisdropped, Datum::of(true));
    row.set(a::atttypid, Datum::of(kInvalidOid));
    row.set(a::attnotnull, Datum::of(false));
    row.set(a::attstattarget, Datum::of(std::int32_t{0}));
    row.set(a::attgenerated, Datum::of('\0'));
    row.set(a::attidentity, Datum::of('\0'));
    row.set(a::attname, name_value(arena, fmt::format("........pg.dropped.{}........", column)));
    row.set(a::atthasmissing, Datum::of(false));
    row.set_null(a::attmissingval);
    row.set_null(a::attacl);
    row.set_null(a::attoptions);
    row.set_null(a::attfdwoptions);
  });
}

}  // namespace

void drop_relation_object(const ObjectAddress& object) {
  if (object.sub != 0) {
    drop_column(object.object, static_cast<AttrNumber>(object.sub));
    remove_statistics(object.object, static_cast<AttrNumber>(object.sub));
    return;
  }
  catalog::RelationRef r = catalog::open_relation(object.object, locking::LockMode::none);   // (perform_deletion locked it)
  bool is_index = r->kind == kind::index || r->kind == kind::partitioned_index;
  require_not_in_use(*r, is_index ? "DROP INDEX" : "DROP TABLE");
  if (has_storage(r->kind)) {
    storage::drop_storage_at_commit(r->file);
    statistics::count_dropped(r->oid, r->file.database, r->file.relation);
  }
  if (is_index) {
    Oid table = r->index->table;
    remove_rows(catalog_oid::pg_index, catalog::pg_index::indexrelid, object.object);
    catalog::note_change(catalog_oid::pg_class, table);
  }
  if (r->kind == kind::sequence) remove_rows(catalog_oid::pg_sequence, catalog::pg_sequence::seqrelid, object.object);
  if (r->kind == kind::partitioned_table) {
    remove_rows(catalog_oid::pg_partitioned_table, catalog::pg_partitioned_table::partrelid, object.object);
    partition::forget_descriptor(object.object);
  }
  if (is_valid(r->parent) && !is_index) remove_partition(object.object, r->parent);
  else remove_rows(catalog_oid::pg_inherits, catalog::pg_inherits::inhrelid, object.object);
  remove_statistics(object.object, 0);
  remove_rows(catalog_oid::pg_attribute, catalog::pg_attribute::attrelid, object.object);
  remove_rows(catalog_oid::pg_class, catalog::pg_class::oid, object.object);
  catalog::note_change(catalog_oid::pg_class, object.object);
}

void register_relation_drop() { catalog::register_drop(catalog_oid::pg_class, drop_relation_object); }

}  // namespace hathi::ddl
