// TRUNCATE, LOCK, SET CONSTRAINTS.

#include <algorithm>
#include <set>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation_locks.h"
#include "hathi/config/server_settings.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "inheritance.h"
#include "object_names.h"
#include "relation_store.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;

void check_may_truncate(const catalog::Relation& r) {
  if (r.kind != kind::table && r.kind != kind::partitioned_table) {
    throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a table", r.name);
  }
  if ((catalog::relation_privileges(r.oid, catalog::current_role(), nodes::kAclTruncate) & nodes::kAclTruncate) == 0) {
    catalog::throw_permission_denied("table", r.name);
  }
  if (r.schema == kPgCatalogNamespace) throw SqlError(sqlstate::insufficient_privilege, "permission denied: \"{}\" is a system catalog", r.name);
  require_not_in_use(r, "TRUNCATE");
}

class Truncation {
 public:
  explicit Truncation(const parser::TruncateStatement& s) : statement_(s) {}

  void collect() {
    for (const parser::RangeVar* name : statement_.relations) {
      catalog::RelationRef r = analyzer::open_by_name(name, locking::LockMode::access_exclusive);
      check_may_truncate(*r);
      if (r->kind == kind::partitioned_table && !name->inherit) {
        throw SqlError(sqlstate::wrong_object_type, "cannot truncate only a partitioned table")
            .hint("Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.");
      }
      add(r->oid);
      if (!name->inherit) continue;
      for (Oid child : all_descendants(r->oid, locking::LockMode::access_exclusive)) {
        check_may_truncate(*catalog::open_relation(child, locking::LockMode::none));
        add(child);
      }
    }
    if (statement_.behavior == parser::DropBehavior::cascade) add_referencing_tables();
  }

  // 0A000 when a table that is not truncated refers to one that is.
  void check_foreign_keys() const {
    for (Oid table : tables_) {
      catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
      for (const catalog::ForeignKey& key : r->referenced_by) {
        if (seen_.contains(key.referencing)) continue;
        catalog::RelationRef other = catalog::open_relation(key.referencing, locking::LockMode::access_share);
        throw SqlError(sqlstate::feature_not_supported, "cannot truncate a table referenced in a foreign key constraint")
            .detail(fmt::format("Table \"{}\" references \"{}\".", other->name, r->name))
            .hint(fmt::format("Truncate table \"{}\" at the same time, or use TRUNCATE ... CASCADE.", other->name));
      }
    }
  }

  void run() {
    for (Oid table : tables_) {
      catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
      if (r->kind == kind::partitioned_table) continue;
      char persistence = r->persistence;
      r.reset();
      replace_storage(table, persistence);
    }
    if (!statement_.restart_identity) return;
    for (Oid table : tables_) {
      for (Oid sequence : owned_sequences(table)) restart_sequence(sequence);
    }
  }

 private:
  void add(Oid table) {
    if (seen_.insert(table).second) tables_.push_back(table);
  }

  void add_referencing_tables() {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      std::vector<Oid> referencing;
      {
        catalog::RelationRef r = catalog::open_relation(tables_[i], locking::LockMode::none);
        for (const catalog::ForeignKey& key : r->referenced_by) referencing.push_back(key.referencing);
      }
      for (Oid other : referencing) {
        if (seen_.contains(other)) continue;
        catalog::RelationRef o = catalog::open_relation(other, locking::LockMode::access_exclusive);
        report_notice(sqlstate::successful_completion, "truncate cascades to table \"{}\"", o->name);
        check_may_truncate(*o);
        add(other);
      }
    }
  }

  const parser::TruncateStatement& statement_;
  std::vector<Oid> tables_;
  std::set<Oid> seen_;
};

}  // namespace

void truncate(const parser::TruncateStatement& s) {
  Truncation truncation(s);
  truncation.collect();
  truncation.check_foreign_keys();
  truncation.run();
}

void lock_tables(const parser::LockStatement& s) {
  auto mode = static_cast<locking::LockMode>(s.mode);
  for (const parser::RangeVar* name : s.relations) {
    Oid oid = analyzer::find_by_name(name);
    catalog::RelationRef peek = catalog::open_relation(oid, locking::LockMode::none);
    if (peek->kind != kind::table && peek->kind != kind::partitioned_table && peek->kind != kind::view) {
      throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a table or view", peek->name);
    }
    std::uint32_t needed = mode == locking::LockMode::access_share ? nodes::kAclSelect
                           : mode == locking::LockMode::row_exclusive ? (nodes::kAclInsert | nodes::kAclUpdate | nodes::kAclDelete | nodes::kAclTruncate)
                                                                      : (nodes::kAclUpdate | nodes::kAclDelete | nodes::kAclTruncate);
    if ((catalog::relation_privileges(oid, catalog::current_role(), needed) & needed) == 0) {
      catalog::throw_permission_denied(peek->kind == kind::view ? "view" : "table", peek->name);
    }
    lock_one(oid, mode, s.nowait, peek->name);
    if (!name->inherit) continue;
    std::vector<Oid> children = all_descendants(oid, locking::LockMode::none);
    bool many = children.size() >= static_cast<std::size_t>(config::values::subtree_lock_threshold);
    // (If one lock covers them, those below only count it.)
    if (many && peek->kind == kind::partitioned_table && mode <= locking::LockMode::row_exclusive) catalog::try_lock_subtree(oid, mode);
    for (Oid child : children) {
      catalog::RelationRef c = catalog::try_open_relation(child, locking::LockMode::none);
      if (c) lock_one(child, mode, s.nowait, c->name);
    }
  }
}

void lock_one(Oid oid, locking::LockMode mode, bool nowait, std::string_view name) {
  if (catalog::acquire_relation_lock(transaction::owner(), oid, mode, nowait) == locking::LockResult::not_available) {
    throw SqlError(sqlstate::lock_not_available, "could not obtain lock on relation \"{}\"", name);
  }
}

void set_constraints_statement(const parser::ConstraintsSetStatement& s) {
  namespace c = catalog::pg_constraint;
  std::vector<Oid> found;
  Arena arena(2048);
  for (const parser::RangeVar* name : s.constraints) {
    std::vector<Oid> schemas;
    if (!name->schema.empty()) {
      Oid schema = catalog::find_schema(name->schema);
      if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name->schema);
      schemas.push_back(schema);
    } else {
      schemas = catalog::search_path();
    }
    bool any = false;
    catalog::CatalogTable table(catalog_oid::pg_constraint, locking::LockMode::access_share);
    for (Oid schema : schemas) {
      catalog::CatalogKey keys[] = {{c::conname, make_name(arena, name->name)}, {c::connamespace, Datum::of(schema)}};
      table.scan(keys, arena, [&](catalog::CatalogRow& row) {
        any = true;
        if (row.get(c::condeferrable).as_bool()) {
          found.push_back(row.get(c::oid).as_oid());
        } else if (s.deferred) {
          throw SqlError(sqlstate::wrong_object_type, "constraint \"{}\" is not deferrable", name->name);
        }
        return true;
      });
      if (any) break;
    }
    if (!any) throw SqlError(sqlstate::undefined_object, "constraint \"{}\" does not exist", name->name);
  }
  executor::set_constraints(found, s.constraints.empty(), s.deferred);
}

}  // namespace hathi::ddl
