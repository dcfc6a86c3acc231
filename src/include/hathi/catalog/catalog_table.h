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
  Xid xmin{0};                 // of the version read
  std::vector<Datum> values;
  std::vector<char> nulls;
  Datum get(AttrNumber n) const { return values[static_cast<std::size_t>(n - 1)]; }
  bool is_null(AttrNumber n) const { return nulls[static_cast<std::size_t>(n - 1)] != 0; }
  void set(AttrNumber n, Datum v) { values[static_cast<std::size_t>(n - 1)] = v; nulls[static_cast<std::size_t>(n - 1)] = 0; }
  void set_null(AttrNumber n) { values[static_cast<std::size_t>(n - 1)] = Datum(); nulls[static_cast<std::size_t>(n - 1)] = 1; }
};

struct CatalogKey { AttrNumber column; Datum value; };   // equality

// An open catalog. To read pass access_share: nothing is locked then (catalogs are never truncated or rewritten); to write pass
// row_exclusive, kept until the transaction ends. Writing tells caches of all processes (at commit) and of this one (next command):
// note_change() is needed only for what is changed in other ways.
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
  // Heap and all indexes; unique violations throw 23505 as for user tables. The row's memory need only live during the call.
  TupleId insert(const CatalogRow& row);
  void update(const CatalogRow& row);            // row.tid is replaced; "tuple concurrently updated" XX000 on a race
  void remove(TupleId tid);
  // Overwrites the row without a new version: statistics that need no transaction (relpages, reltuples, …).
  void update_in_place(const CatalogRow& row);
  const Relation& relation() const { return *relation_; }

 private:
  RelationRef relation_;
};

// Does the catalog hold no row at all? Answered from shared memory once somebody has looked; for catalogs that are usually empty.
bool is_empty(Oid catalog);

// A new OID, unique in the catalog's oid index (skips those in use).
Oid new_oid(Oid catalog);
// A new relfilenode, unused on disk.
Oid new_relfilenode(Oid tablespace, Oid database);

// --- dependencies ----------------------------------------------------------------------------------------------------------
struct ObjectAddress { Oid class_id = kInvalidOid; Oid object = kInvalidOid; std::int32_t sub = 0; auto operator<=>(const ObjectAddress&) const = default; };
enum class DependencyKind : char { normal = 'n', automatic = 'a', internal = 'i', partition_primary = 'P', partition_secondary = 'S', extension = 'e' };
void record_dependency(const ObjectAddress& dependent, const ObjectAddress& referenced, DependencyKind kind);
// Everything an expression or query refers to (tables, columns, functions, types, operators, collations).
// Columns of relation_of_rte1 (rte 1) are recorded with self_kind, everything else with kind: an index expression depends
// automatically on its own table's columns, normally on functions. Repeats and a whole table whose columns are recorded are left out.
void record_dependencies_on(const ObjectAddress& dependent, const nodes::Expr* e, Oid relation_of_rte1, DependencyKind kind,
                            DependencyKind self_kind);
inline void record_dependencies_on(const ObjectAddress& dependent, const nodes::Expr* e, Oid relation_of_rte1, DependencyKind kind) {
  record_dependencies_on(dependent, e, relation_of_rte1, kind, kind);
}
void record_dependencies_on(const ObjectAddress& dependent, const nodes::Query* q, DependencyKind kind);
void remove_dependencies_of(const ObjectAddress& dependent);
// Only those on objects of one catalog (pg_collation, pg_type, …); returns how many.
int remove_dependencies_of(const ObjectAddress& dependent, Oid referenced_class);
// The dependent now depends on another object of the same catalog (SET SCHEMA, OWNED BY). False when it did not depend on the old one.
bool change_dependency(const ObjectAddress& dependent, const ObjectAddress& old_referenced, const ObjectAddress& new_referenced);
// The objects `dependent` depends on, and those that depend on `referenced` (sub 0: on any part of it).
struct Dependency { ObjectAddress object; DependencyKind kind; };
std::vector<Dependency> dependencies_of(const ObjectAddress& dependent);
std::vector<Dependency> dependents_of(const ObjectAddress& referenced);

// pg_shdepend. Objects of the current database unless their catalog is shared. Roles that are recorded are kept from being dropped until
// the transaction ends.
void record_owner(const ObjectAddress& object, Oid owner);
void change_owner_dependency(const ObjectAddress& object, Oid new_owner);
// Grantees of the new access list that the old one lacked are recorded, others removed. The owner is left out.
void update_acl_dependencies(const ObjectAddress& object, Oid owner, std::span<const Oid> old_roles, std::span<const Oid> new_roles);
// Locks a role against DROP ROLE until the transaction ends. 42704 when it has gone meanwhile.
void keep_role(Oid role);
void record_tablespace(const ObjectAddress& object, Oid tablespace);
void remove_shared_dependencies_of(const ObjectAddress& object);
// Database dropped: everything recorded for it.
void remove_shared_dependencies_of_database(Oid database);
// Database copied: what is recorded for objects in it holds for the copy too.
void copy_shared_dependencies_of_database(Oid from, Oid to);
// DETAIL of "role "x" cannot be dropped because some objects depend on it"; empty when none do.
std::string shared_dependents_text(Oid class_id, Oid object);
struct SharedDependent { ObjectAddress object; Oid database; char kind; /* o owner, a access list, t tablespace, r policy */ };
std::vector<SharedDependent> shared_dependents_of(Oid class_id, Oid object);

// --- comments ---------------------------------------------------------------------------------------------------------------
// Replaces the comment of an object (pg_description, pg_shdescription for shared ones); empty removes it.
void set_comment(const ObjectAddress& object, std::string_view text);

// --- deletion ---------------------------------------------------------------------------------------------------------------
// Deletes the objects and what depends on them (cascade) or throws 2BP01 with PostgreSQL's DETAIL and HINT; NOTICE "drop cascades to …".
// Each class's rows are removed by the function registered for it.
// What depends on an object goes before it, and between objects the command counter advances. quiet: no NOTICE. skip_original: only
// what depends on the objects.
struct DeletionOptions { bool cascade = false; bool quiet = false; bool skip_original = false; };
void perform_deletion(std::span<const ObjectAddress> objects, const DeletionOptions& options);
inline void perform_deletion(std::span<const ObjectAddress> objects, bool cascade, bool internal = false) {
  perform_deletion(objects, DeletionOptions{cascade, internal, false});
}
using DropFunction = void (*)(const ObjectAddress& object);
void register_drop(Oid class_id, DropFunction function);
// "table t", "column b of table t", "constraint c on table t", … as in messages; empty when there is no such object.
std::string describe_object(const ObjectAddress& object);
// "f(integer, text)" and "+(integer,integer)", schema-qualified when not visible.
std::string function_signature(Oid function);
std::string operator_signature(Oid op);
// Can never be dropped and needs no dependency entries: everything made by bootstrap except schema public.
bool is_pinned(Oid class_id, Oid object);

}  // namespace hathi::catalog
