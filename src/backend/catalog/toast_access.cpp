#include "src/backend/catalog/toast_access.h"

#include "hathi/catalog/relation.h"
#include "hathi/catalog/relation_locks.h"
#include "hathi/error/sql_error.h"
#include "hathi/heap/toast.h"
#include "hathi/heap/truncation.h"

namespace hathi::catalog {

namespace {

heap::ToastTable open(Oid table, bool for_write) {
  RelationRef relation = open_relation(table, for_write ? locking::LockMode::row_exclusive : locking::LockMode::access_share);
  if (relation->indexes.empty()) throw SqlError(sqlstate::internal_error, "no valid index found for toast relation with Oid {}", raw(table));
  heap::ToastTable toast;
  toast.heap = relation->heap;
  toast.index = &relation->indexes[0]->btree;
  toast.opener = new RelationRef(std::move(relation));
  return toast;
}

void close(heap::ToastTable& toast) {
  delete static_cast<RelationRef*>(toast.opener);
  toast.opener = nullptr;
}

}  // namespace

void install_toast_access() {
  heap::set_toast_access(open, close);
  heap::set_extra_lock_tags(subtree_tags);
}

}  // namespace hathi::catalog
