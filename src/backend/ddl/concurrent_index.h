#pragma once
// Steps that statements on indexes share when they keep out of the way of readers and writers (CREATE INDEX, DROP INDEX, REINDEX with
// CONCURRENTLY). Each step ends the running transaction and starts the next; what a step stored is there when a later one fails.

#include <vector>

#include "hathi/catalog/relation.h"

namespace hathi::ddl {

// Session locks (ShareUpdateExclusive) that keep tables and indexes in place from one transaction to the next; given back by the destructor.
class SessionLocks {
 public:
  SessionLocks() = default;
  ~SessionLocks();
  SessionLocks(const SessionLocks&) = delete;
  SessionLocks& operator=(const SessionLocks&) = delete;
  void add(Oid relation);

 private:
  std::vector<Oid> relations_;
};

// pg_index: live = writers mind it for HOT updates, ready = they insert into it, valid = queries use it.
struct IndexState { bool live = true, ready = false, valid = false; };
void store_index_state(Oid index, IndexState state);

void next_transaction();
// Builds the contents of an index that is not ready, from what a snapshot sees, and makes it ready. Who did not know of the index has gone.
void build_unready_index(Oid table, Oid index);
// Adds what was written meanwhile. Who did not write into the index has gone. Then waits for the snapshots that may miss rows in it.
void complete_ready_index(Oid table, Oid index);
// An index that no query uses any more leaves: waits for who may still read it, then for who may still write it; drops it. The tables are
// those whose holders may use it: its own and, of a TOAST table's, the main one.
void retire_indexes(const std::vector<Oid>& indexes, const std::vector<Oid>& tables);

// DROP INDEX CONCURRENTLY once the statement is checked; the table and the index are locked ShareUpdateExclusive.
void drop_index_concurrently(Oid index);

}  // namespace hathi::ddl
