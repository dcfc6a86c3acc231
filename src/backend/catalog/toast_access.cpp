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
  heap::ToastTable toast;
  toast.heap = relation->heap;
  for (const IndexDescriptor* index : relation->indexes) {
    if (index->valid && toast.index == nullptr) toast.index = &index->btree;
    else if (index->ready && for_write) toast.more_indexes.push_back(&index->btree);
  }
  if (toast.index == nullptr) throw SqlError(sqlstate::internal_error, "no valid index found for toast relation with Oid {}", raw(table));
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
