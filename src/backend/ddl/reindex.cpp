// REINDEX.

#include <vector>

#include "hathi/analyzer/analyze.h"
#include "hathi/btree/btree.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"
#include "index_store.h"
#include "inheritance.h"
#include "object_names.h"
#include "option_values.h"
#include "relation_store.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using locking::LockMode;
using parser::ReindexKind;

struct Reindexing {
  bool verbose = false;
};

Reindexing read_options(const parser::ReindexStatement& s) {
  Reindexing out;
  for (const parser::Option* o : s.options) {
    if (o->name == "verbose") {
      out.verbose = option_boolean(*o);
    } else if (o->name == "concurrently") {
      if (option_boolean(*o)) throw_not_supported("REINDEX CONCURRENTLY");
    } else if (o->name == "tablespace") {
      if (o->value != nullptr && is_valid(resolve_tablespace(parser::node_cast<parser::Constant>(o->value)->text, 'p')))
        throw_not_supported("REINDEX into a tablespace");
    } else {
      throw SqlError(sqlstate::syntax_error, "unrecognized REINDEX option \"{}\"", o->name).at(o->location);
    }
  }
  return out;
}

void report_done(const catalog::Relation& index) {
  ErrorReport r;
  r.severity = Severity::info;
  r.code = sqlstate::successful_completion;
  r.message = fmt::format("index \"{}\" was reindexed", index.name);
  report(std::move(r));
}

// The table is locked against readers too: they take no locks on its indexes. The new contents appear with the transaction.
void reindex_one(Oid table, Oid index, const Reindexing& options) {
  catalog::RelationRef r = catalog::open_relation(index, LockMode::access_exclusive);
  if (r->kind != kind::index) return;
  if (raw(r->oid) < raw(kFirstNormalOid)) throw_not_supported("REINDEX of system catalogs");
  require_not_in_use(*r, "REINDEX INDEX");
  char persistence = r->persistence;
  r.reset();
  replace_index_storage(index, persistence);
  transaction::advance_command();
  r = catalog::open_relation(index, LockMode::none);
  if (persistence == 'u') btree::create_empty(r->index->btree, Fork::init);
  std::uint64_t table_rows = 0, index_rows = 0;
  executor::build_index(table, index, nullptr, table_rows, index_rows);
  store_relation_size(index, static_cast<double>(index_rows));
  catalog::note_change(catalog_oid::pg_class, table);
  transaction::advance_command();
  if (options.verbose) report_done(*r);
}

void require_owner_of(const catalog::Relation& r) {
  if (!catalog::is_owner(catalog_oid::pg_class, r.oid, catalog::current_role())) catalog::throw_not_owner(relation_words(r.kind).noun, r.name);
}

// False when the table has none.
bool reindex_indexes_of(Oid table, const Reindexing& options) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::access_exclusive);
  std::vector<Oid> indexes;
  for (const catalog::IndexDescriptor* index : r->indexes) indexes.push_back(index->oid);
  Oid toast = r->heap.toast_table;
  r.reset();
  for (Oid index : indexes) reindex_one(table, index, options);
  bool any = !indexes.empty();
  if (is_valid(toast)) any = reindex_indexes_of(toast, options) || any;
  return any;
}

void reindex_index(const parser::RangeVar& name, const Reindexing& options) {
  Oid oid = analyzer::find_by_name(&name);
  catalog::RelationRef peek = catalog::open_relation(oid, LockMode::access_share);
  if (peek->kind != kind::index && peek->kind != kind::partitioned_index) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not an index", peek->name);
  require_owner_of(*peek);
  Oid table = peek->index->table;
  bool partitioned = peek->kind == kind::partitioned_index;
  peek.reset();
  if (!partitioned) {
    catalog::lock_relation(table, LockMode::access_exclusive);
    return reindex_one(table, oid, options);
  }
  for (Oid part : all_descendants(oid, LockMode::none)) {
    catalog::RelationRef p = catalog::try_open_relation(part, LockMode::access_share);
    if (!p || p->kind != kind::index) continue;
    Oid part_table = p->index->table;
    p.reset();
    catalog::lock_relation(part_table, LockMode::access_exclusive);
    reindex_one(part_table, part, options);
  }
}

void reindex_table(const parser::RangeVar& name, const Reindexing& options) {
  catalog::RelationRef r = analyzer::open_by_name(&name, LockMode::access_exclusive);
  if (r->kind != kind::table && r->kind != kind::materialized_view && r->kind != kind::partitioned_table) {
    throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a table or materialized view", r->name);
  }
  require_owner_of(*r);
  Oid oid = r->oid;
  std::vector<Oid> tables{oid};
  if (r->kind == kind::partitioned_table) tables = all_descendants(oid, LockMode::none);
  bool single = r->kind != kind::partitioned_table;
  std::string shown(r->name);
  r.reset();
  bool any = false;
  for (Oid table : tables) any = reindex_indexes_of(table, options) || any;
  if (single && !any) report_notice(sqlstate::successful_completion, "table \"{}\" has no indexes to reindex", shown);
}

// Users' tables of one schema or (0) of all; system catalogs are never rebuilt.
void reindex_many(Oid schema, const Reindexing& options) {
  namespace c = catalog::pg_class;
  std::vector<Oid> tables;
  {
    Arena arena(65536);
    catalog::CatalogTable(catalog_oid::pg_class, LockMode::access_share).scan({}, arena, [&](catalog::CatalogRow& row) {
      char k = row.get(c::relkind).as_char();
      Oid oid = row.get(c::oid).as_oid();
      bool wanted = (k == kind::table || k == kind::materialized_view) && raw(oid) >= raw(kFirstNormalOid);
      if (row.get(c::relpersistence).as_char() == 't' && !catalog::is_temporary_schema(row.get(c::relnamespace).as_oid())) wanted = false;
      if (wanted && (!is_valid(schema) || row.get(c::relnamespace).as_oid() == schema)) tables.push_back(oid);
      return true;
    });
  }
  for (Oid table : tables) {
    catalog::RelationRef r = catalog::try_open_relation(table, LockMode::access_exclusive);
    if (!r) continue;
    r.reset();
    reindex_indexes_of(table, options);
  }
}

}  // namespace

void reindex(const UtilityCall&, const parser::ReindexStatement& s) {
  Reindexing options = read_options(s);
  Oid role = catalog::current_role();
  switch (s.type) {
    case ReindexKind::index: return reindex_index(*s.relation, options);
    case ReindexKind::table: return reindex_table(*s.relation, options);
    case ReindexKind::schema: {
      Oid schema = catalog::find_schema(s.name);
      if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", s.name);
      if (!catalog::is_owner(catalog_oid::pg_namespace, schema, role)) catalog::throw_not_owner("schema", s.name);
      return reindex_many(schema, options);
    }
    case ReindexKind::database:
    case ReindexKind::system:
      if (!s.name.empty() && s.name != catalog::current_database_name()) {
        throw SqlError(sqlstate::feature_not_supported, "can only reindex the currently open database");
      }
      if (!catalog::is_owner(catalog_oid::pg_database, catalog::current_database(), role))
        catalog::throw_not_owner("database", catalog::current_database_name());
      if (s.type == ReindexKind::system) throw_not_supported("REINDEX SYSTEM");
      return reindex_many(kInvalidOid, options);
  }
}

}  // namespace hathi::ddl
