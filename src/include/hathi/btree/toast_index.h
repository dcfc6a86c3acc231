#pragma once
namespace hathi::btree {
// Lets heap/ work the indexes of TOAST tables. Once, before the first fork. ToastTable::index must be a const BTreeIndex*.
void register_toast_index();
}  // namespace hathi::btree
