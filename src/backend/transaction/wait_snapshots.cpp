#include <vector>

#include "hathi/locking/lock_table.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/process_array.h"
#include "hathi/transaction/snapshot.h"

namespace hathi::transaction {

void wait_for_older_snapshots(Xid limit) {
  struct Holder { int slot; std::uint64_t word; };
  std::vector<Holder> holders;
  std::uint32_t database = shmem::my_slot().database.load();
  for (int i = 0; i < shmem::slot_count(); ++i) {
    shmem::ProcessSlot& slot = shmem::slot(i);
    if (&slot == &shmem::my_slot() || slot.in_use.load() == 0 || slot.database.load() != database) continue;
    Xid xmin = slot_transaction(i).xmin;
    std::uint64_t word = slot.virtual_xact.load();
    if (xmin != kInvalidXid && xmin < limit && word != 0) holders.push_back({i, word});
  }
  for (const Holder& h : holders) locking::wait_for_virtual_transaction(h.slot, locking::virtual_number(h.word));
}

}  // namespace hathi::transaction
