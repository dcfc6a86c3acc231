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
#include "concurrent_index.h"
#include "index_store.h"
#include "inheritance.h"
#include "object_names.h"
#include "option_values.h"
#include "reindex.h"
#include "relation_store.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using locking::LockMode;
using parser::ReindexKind;

Reindexing read_options(const parser::ReindexStatement& s) {
  Reindexing out;
  for (const parser::Option* o : s.options) {
    if (o->name == "verbose") {
      out.verbose = option_boolean(*o);
    } else if (o->name == "concurrently") {
      out.concurrently = option_boolean(*o);
    } else if (o->name == "tablespace") {
      if (o->value != nullptr && is_valid(resolve_tablespace(parser::node_cast<parser::Constant>(o->value)->text, 'p')))
        throw_not_supported("REINDEX into a tablespace");
    } else {
      throw SqlError(sqlstate::syntax_error, "unrecognized REINDEX option \"{}\"", o->name).at(o->location);
    }
  }
  return out;
}

void report_info(std::string message, std::string detail) {
  ErrorReport r;
  r.severity = Severity::info;
  r.code = sqlstate::successful_completion;
  r.message = std::move(message);
  r.detail = std::move(detail);
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
  // A build that failed left it unused.
  if (!r->index->valid || !r->index->ready || !r->index->live) store_index_state(index, {.live = true, .ready = true, .valid = true});
  catalog::note_change(catalog_oid::pg_class, table);
  transaction::advance_command();
  if (options.verbose) report_info(fmt::format("index \"{}\" was reindexed", r->name), {});
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

bool is_temporary(const catalog::Relation& r) { return r.persistence == 't'; }

// Each partition in transactions of its own, in the order of their OIDs on each level. relation: a partitioned table or index.
void reindex_partitions(const UtilityCall& call, const catalog::Relation& relation, const Reindexing& options) {
  bool is_index = relation.index != nullptr;
  if (!call.may_manage_transactions) {
    throw SqlError(sqlstate::active_sql_transaction, "{} cannot run inside a transaction block", is_index ? "REINDEX INDEX" : "REINDEX TABLE")
        .context(fmt::format("while reindexing partitioned {} \"{}.{}\"", is_index ? "index" : "table", relation.schema_name, relation.name));
  }
  std::vector<Oid> parts;
  for (Oid part : all_descendants(relation.oid, LockMode::share)) {
    char k = catalog::open_relation(part, LockMode::none)->kind;
    if (k == kind::table || k == kind::index) parts.push_back(part);
  }
  for (Oid part : parts) {
    next_transaction();
    catalog::RelationRef r = catalog::try_open_relation(part, LockMode::none);
    if (!r) continue;
    if (options.concurrently && !is_temporary(*r)) {
      reindex_concurrently(part, options);
      continue;
    }
    if (is_index) {
      catalog::lock_relation(r->index->table, LockMode::access_exclusive);
      reindex_one(r->index->table, part, options);
      continue;
    }
    if (reindex_indexes_of(part, options) && options.verbose) {
      report_info(fmt::format("table \"{}.{}\" was reindexed", r->schema_name, r->name), {});
    }
  }
}

void reindex_index(const UtilityCall& call, const parser::RangeVar& name, const Reindexing& options) {
  Oid oid = analyzer::find_by_name(&name);
  catalog::RelationRef peek = catalog::open_relation(oid, LockMode::access_share);
  if (peek->kind != kind::index && peek->kind != kind::partitioned_index) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not an index", peek->name);
  require_owner_of(*peek);
  Oid table = peek->index->table;
  if (peek->kind == kind::partitioned_index) {
    catalog::lock_relation(table, options.concurrently ? LockMode::share_update_exclusive : LockMode::share);
    return reindex_partitions(call, *peek, options);
  }
  bool concurrently = options.concurrently && !is_temporary(*peek);
  peek.reset();
  if (concurrently) {
    catalog::lock_relation(table, LockMode::share_update_exclusive);
    reindex_concurrently(oid, options);
    return;
  }
  catalog::lock_relation(table, LockMode::access_exclusive);
  reindex_one(table, oid, options);
}

void check_may_reindex(const catalog::Relation& r) {
  if (r.kind != kind::table && r.kind != kind::materialized_view && r.kind != kind::partitioned_table && r.kind != kind::toast) {
    throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a table or materialized view", r.name);
  }
  require_owner_of(r);
}

void reindex_table(const UtilityCall& call, const parser::RangeVar& name, const Reindexing& options) {
  Oid oid = analyzer::find_by_name(&name);
  catalog::RelationRef peek = catalog::open_relation(oid, LockMode::none);
  check_may_reindex(*peek);
  bool partitioned = peek->kind == kind::partitioned_table, concurrently = options.concurrently && !is_temporary(*peek);
  LockMode mode = concurrently ? LockMode::share_update_exclusive : partitioned ? LockMode::share : LockMode::access_exclusive;
  catalog::RelationRef r = analyzer::open_by_name(&name, mode);
  check_may_reindex(*r);
  if (r->kind == kind::partitioned_table) return reindex_partitions(call, *r, options);
  oid = r->oid;
  std::string shown(r->name);
  r.reset();
  bool any = concurrently ? reindex_concurrently(oid, options) : reindex_indexes_of(oid, options);
  if (any) return;
  report_notice(sqlstate::successful_completion, "table \"{}\" has no indexes {}", shown,
                concurrently ? "that can be reindexed concurrently" : "to reindex");
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
  if (options.concurrently && (!is_valid(schema) || schema == kPgCatalogNamespace)) {
    report_warning(sqlstate::feature_not_supported, "cannot reindex system catalogs concurrently, skipping all");
  }
  for (Oid table : tables) {
    next_transaction();
    catalog::RelationRef r = catalog::try_open_relation(table, options.concurrently ? LockMode::none : LockMode::access_exclusive);
    if (!r) continue;
    bool concurrently = options.concurrently && !is_temporary(*r);
    r.reset();
    if (concurrently) reindex_concurrently(table, options);
    else reindex_indexes_of(table, options);
  }
}

}  // namespace

bool is_concurrent(const parser::ReindexStatement& s) {
  bool out = false;
  for (const parser::Option* o : s.options) {
    if (o->name == "concurrently") out = option_boolean(*o);
  }
  return out;
}

void reindex(const UtilityCall& call, const parser::ReindexStatement& s) {
  Reindexing options = read_options(s);
  Oid role = catalog::current_role();
  switch (s.type) {
    case ReindexKind::index: return reindex_index(call, *s.relation, options);
    case ReindexKind::table: return reindex_table(call, *s.relation, options);
    case ReindexKind::schema: {
      Oid schema = catalog::find_schema(s.name);
      if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", s.name);
      if (!catalog::is_owner(catalog_oid::pg_namespace, schema, role)) catalog::throw_not_owner("schema", s.name);
      return reindex_many(schema, options);
    }
    case ReindexKind::database:
    case ReindexKind::system:
      if (options.concurrently && s.type == ReindexKind::system) {
        throw SqlError(sqlstate::feature_not_supported, "cannot reindex system catalogs concurrently");
      }
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
