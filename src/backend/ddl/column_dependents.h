#pragma once
// What depends on columns whose type changes: indexes, keys, checks and foreign keys go and are made again from their definitions, as in
// PostgreSQL with new OIDs and the old names, comments and marks (CLUSTER ON, REPLICA IDENTITY).

#include <set>
#include <string>
#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/relation.h"

namespace hathi::ddl {

class ColumnDependents {
 public:
  // To be called while the column still has its old type, parents before partitions. Errors 0A000: views, generated columns.
  void remember(const catalog::Relation& table, AttrNumber column);
  // All that was remembered goes.
  void drop();
  // It is there again: indexes without contents, constraints that nobody checked. Errors as of the statements that made them.
  void create();
  // Checks of the rows and contents of the indexes. rewritten: tables whose rows are new, and all their indexes without contents.
  void complete(const std::set<Oid>& rewritten);

 private:
  struct Item {
    Oid oid = kInvalidOid;            // index or constraint
    Oid table = kInvalidOid;
    Oid index = kInvalidOid;          // of a key
    char type = '\0';                 // of a constraint; '\0': an index
    bool again = true;                // not what comes back with its parent's
    bool clustered = false, replica_identity = false;
    std::string name, text, comment, index_comment;
    RelationFile kept;                // the old index's contents, as long as they may serve the new one
    bool has_kept = false;
    std::string shape;                // of the contents
    Oid made = kInvalidOid;           // the new index or constraint
  };
  void remember_index(Oid index);
  void remember_constraint(Oid constraint);
  void note_index(Item& item);
  void create_index_again(Item& item);
  void create_constraint_again(Item& item);
  void restore_marks(const Item& item);
  void build(const Item& item, const std::set<Oid>& rewritten);
  void check(const Item& item);

  std::vector<Item> items_;
};

}  // namespace hathi::ddl
