#pragma once
// Relation descriptors: all that planning and execution need of a table, index, sequence or view, immutable once built.
// A lock on the relation (any mode) keeps the version in use valid; a transaction that changed a relation sees its own version
// after advance_command(). Descriptors are built on first use from the catalog tables and kept in a per-process cache whose
// entries are checked against a shared version counter when opened: O(1), nothing is broadcast.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "hathi/base/builtin_oids.h"
#include "hathi/btree/btree.h"
#include "hathi/datum/tuple.h"
#include "hathi/heap/heap.h"
#include "hathi/locking/lock_table.h"
#include "hathi/nodes/query.h"

namespace hathi::partition { struct PartitionDescriptor; }

namespace hathi::catalog {

// pg_class.relkind
namespace relation_kind {
inline constexpr char table = 'r', index = 'i', sequence = 'S', toast = 't', view = 'v', materialized_view = 'm', composite = 'c', foreign_table = 'f',
                      partitioned_table = 'p', partitioned_index = 'I';
}

struct IndexDescriptor {
  Oid oid = kInvalidOid;
  Oid table = kInvalidOid;
  Oid parent = kInvalidOid;                       // the partitioned index it is attached to
  std::string_view name;
  Oid access_method = kInvalidOid;
  bool unique = false, primary = false, exclusion = false, immediate = true, valid = true, ready = true, live = true, nulls_not_distinct = false,
       clustered = false, replica_identity = false, check_xmin = false;
  int key_count = 0;                              // the rest are INCLUDE columns
  std::span<const AttrNumber> columns;            // table columns; 0 = next expression
  std::span<const Oid> operator_classes, operator_families, operator_input_types, collations;   // one a key column
  std::span<const std::int16_t> options;          // 1 = DESC, 2 = NULLS FIRST
  List<nodes::Expr*> expressions;                 // variables of rte 1
  List<nodes::Expr*> predicate;                   // implicit AND
  Oid constraint = kInvalidOid;                   // pg_constraint it implements
  bool deferrable = false, initially_deferred = false;
  btree::BTreeIndex btree;                        // ready to use when access_method is btree and kind is 'i'
  double row_count = 0; std::uint32_t page_count = 0;   // pg_class.reltuples / relpages
  Xid valid_from{0};                              // check_xmin: usable by snapshots whose xmin is above it
};

struct CheckConstraint { Oid oid; std::string_view name; const nodes::Expr* expr; bool validated, no_inherit; };

// One foreign key, seen from either side.
struct ForeignKey {
  Oid oid = kInvalidOid;
  std::string_view name;
  Oid referencing = kInvalidOid, referenced = kInvalidOid, index = kInvalidOid;   // index: unique index of the referenced table
  std::span<const AttrNumber> columns, referenced_columns, set_null_columns;
  std::span<const Oid> equal_pk_fk, equal_pk_pk, equal_fk_fk;                     // operators
  char on_update = 'a', on_delete = 'a';          // a no action, r restrict, c cascade, n set null, d set default
  char match = 's';                               // s simple, f full
  bool deferrable = false, initially_deferred = false, validated = true;
};

struct Relation {
  Oid oid = kInvalidOid;
  std::string_view name;
  Oid schema = kInvalidOid;
  std::string_view schema_name;
  char kind = relation_kind::table;
  char persistence = 'p';
  Oid owner = kInvalidOid, row_type = kInvalidOid, access_method = kInvalidOid, of_type = kInvalidOid, tablespace = kInvalidOid;
  bool is_shared = false, is_populated = true, is_partition = false, has_rules = false, has_triggers = false, has_subclass = false, row_security = false,
       force_row_security = false, is_temporary_of_other = false;
  char replica_identity = 'd';
  std::uint64_t version = 0;                      // of the descriptor: plans remember (oid, version)
  const TupleDescriptor* descriptor = nullptr;
  // Of a table's columns, dropped ones too: two tables with the same number have them alike in place, name, type and layout. (128 bits:
  // it decides how rows are read, so that nobody must be able to find two that collide.)
  std::array<std::uint64_t, 2> columns_hash{};
  std::span<const nodes::Expr* const> defaults;   // [AttrNumber - 1]: default or generation expression, or null
  std::span<const CheckConstraint> checks;
  std::span<const IndexDescriptor* const> indexes;            // of a table: all live ones, primary key first, then by oid
  std::span<const ForeignKey> foreign_keys, referenced_by;
  const IndexDescriptor* index = nullptr;         // of an index: itself
  const nodes::Query* view_query = nullptr;       // of a view: SELECT rule
  bool security_barrier = false, security_invoker = false, check_option_local = false, check_option_cascaded = false;
  heap::HeapTable heap;                           // relations with rows
  RelationFile file;
  double row_count = -1;                          // reltuples (-1 = never vacuumed or analyzed)
  std::uint32_t page_count = 0, all_visible_pages = 0;
  std::string_view acl;                           // relacl as text, "" = default
  std::span<const std::string_view> options;      // reloptions "name=value"
  Oid parent = kInvalidOid;                       // of a partition
  // Partitioned tables: made by partition/ on first use from pg_partitioned_table, pg_inherits and relpartbound.
  const partition::PartitionDescriptor* partition_descriptor = nullptr;
  std::string_view partition_bound_text;          // relpartbound of a partition
  // Filled by partition/: the implicit constraint of a partition (all levels), variables of rte 1; null when none.
  Arena* arena = nullptr;                         // what a private version's parts live in; null when it is shared
};

// A counted reference that keeps a descriptor version's memory alive. Not a lock.
class RelationRef {
 public:
  RelationRef() = default;
  ~RelationRef() { reset(); }
  RelationRef(RelationRef&& other) noexcept : relation_(other.relation_) { other.relation_ = nullptr; }
  RelationRef& operator=(RelationRef&& other) noexcept;
  RelationRef share() const;
  void reset();
  const Relation& operator*() const { return *relation_; }
  const Relation* operator->() const { return relation_; }
  const Relation* get() const { return relation_; }
  explicit operator bool() const { return relation_ != nullptr; }
 private:
  friend struct RelationCacheAccess;
  const Relation* relation_ = nullptr;
};

// Locks (mode none: the caller holds a lock already) for the current transaction, then opens the newest version. Throws 42P01
// when it is gone. try_open: empty instead.
RelationRef open_relation(Oid oid, locking::LockMode mode);
RelationRef try_open_relation(Oid oid, locking::LockMode mode);
// Only the lock.
void lock_relation(Oid oid, locking::LockMode mode);
// The relation that the name means once the lock is held: a name that came to mean another one while waiting is looked up again.
// 0 = none. schema 0 = search path.
Oid find_and_lock_relation(std::string_view name, Oid schema, locking::LockMode mode);
// The version counter a plan compares: true when the relation's descriptor is still that version (lock held).
bool is_current_version(Oid oid, std::uint64_t version);
// Marks a relation (other object) as changed by this transaction: its own cache entry is dropped at the next command, other sessions'
// when it commits. class_id = the catalog (pg_class for relations, pg_type, pg_proc, …).
void note_change(Oid class_id, Oid object);

}  // namespace hathi::catalog
