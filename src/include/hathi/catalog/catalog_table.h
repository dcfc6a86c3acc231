#pragma once
// Reading and writing rows of the catalog tables: the one door for DDL.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/relation.h"
#include "hathi/datum/tuple.h"

namespace hathi::catalog {

// A row of a catalog in memory: all attributes, by position (constants below name them: pg_class::relname …, generated in
// catalog/columns.h as 1-based AttrNumbers).
struct CatalogRow {
  TupleId tid;
  std::vector<Datum> values;
  std::vector<char> nulls;
  Datum get(AttrNumber n) const { return values[static_cast<std::size_t>(n - 1)]; }
  bool is_null(AttrNumber n) const { return nulls[static_cast<std::size_t>(n - 1)] != 0; }
  void set(AttrNumber n, Datum v) { values[static_cast<std::size_t>(n - 1)] = v; nulls[static_cast<std::size_t>(n - 1)] = 0; }
  void set_null(AttrNumber n) { values[static_cast<std::size_t>(n - 1)] = Datum(); nulls[static_cast<std::size_t>(n - 1)] = 1; }
};

struct CatalogKey { AttrNumber column; Datum value; };   // equality

// An open catalog, locked for the transaction in the given mode (access_share to read, row_exclusive to write).
class CatalogTable {
 public:
  CatalogTable(Oid catalog, locking::LockMode mode);
  ~CatalogTable();
  CatalogTable(const CatalogTable&) = delete;
  CatalogTable& operator=(const CatalogTable&) = delete;

  // All rows that match, by an index whose leading columns are the keys' where there is one, else sequentially; newest committed
  // state and own changes. Values point into `arena`.
  void scan(std::span<const CatalogKey> keys, Arena& arena, const std::function<bool(CatalogRow&)>& row) const;   // row returns false to stop
  std::optional<CatalogRow> find(std::initializer_list<CatalogKey> keys, Arena& arena) const;
  CatalogRow new_row() const;                    // all NULL
  // Heap and all indexes; unique violations throw 23505 as for user tables.
  TupleId insert(const CatalogRow& row);
  void update(const CatalogRow& row);            // row.tid is replaced; "tuple concurrently updated" XX000 on a race
  void remove(TupleId tid);
  const Relation& relation() const { return *relation_; }

 private:
  RelationRef relation_;
};

// A new OID, unique in the catalog's oid index (skips those in use).
Oid new_oid(Oid catalog);
// A new relfilenode, unused on disk.
Oid new_relfilenode(Oid tablespace, Oid database);

// --- dependencies ----------------------------------------------------------------------------------------------------------
struct ObjectAddress { Oid class_id = kInvalidOid; Oid object = kInvalidOid; std::int32_t sub = 0; auto operator<=>(const ObjectAddress&) const = default; };
enum class DependencyKind : char { normal = 'n', automatic = 'a', internal = 'i', partition_primary = 'P', partition_secondary = 'S', extension = 'e' };
void record_dependency(const ObjectAddress& dependent, const ObjectAddress& referenced, DependencyKind kind);
// Everything an expression or query refers to (tables, columns, functions, types, operators, collations).
void record_dependencies_on(const ObjectAddress& dependent, const nodes::Expr* e, Oid relation_of_rte1, DependencyKind kind);
void record_dependencies_on(const ObjectAddress& dependent, const nodes::Query* q, DependencyKind kind);
void remove_dependencies_of(const ObjectAddress& dependent);
void record_owner(const ObjectAddress& object, Oid owner);     // pg_shdepend
// Deletes the objects and what depends on them (cascade) or throws 2BP01 with PostgreSQL's DETAIL and HINT; NOTICE "drop cascades to …".
// Each class's rows are removed by the function registered for it.
void perform_deletion(std::span<const ObjectAddress> objects, bool cascade, bool internal = false);
using DropFunction = void (*)(const ObjectAddress& object);
void register_drop(Oid class_id, DropFunction function);
// "table t", "column b of table t", "constraint c on table t", … as in messages.
std::string describe_object(const ObjectAddress& object);

}  // namespace hathi::catalog
