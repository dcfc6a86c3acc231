#include <vector>

#include "hathi/locking/lock_table.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/process_array.h"
#include "hathi/transaction/snapshot.h"

namespace hathi::transaction {

void wait_for_older_snapshots(Xid limit) {
  struct Holder { int slot; std::uint64_t word; };
  // One whose xmin is the limit may be older too: a transaction that ended in between was still running for it.
  auto is_older = [limit](int slot) {
    Xid xmin = slot_transaction(slot).xmin;
    return xmin != kInvalidXid && xmin <= limit;
  };
  std::vector<Holder> holders;
  std::uint32_t database = shmem::my_slot().database.load();
  for (int i = 0; i < shmem::slot_count(); ++i) {
    shmem::ProcessSlot& slot = shmem::slot(i);
    if (&slot == &shmem::my_slot() || slot.in_use.load() == 0 || slot.database.load() != database) continue;
    std::uint64_t word = slot.virtual_xact.load();
    if (word != 0 && is_older(i)) holders.push_back({i, word});
  }
  for (const Holder& h : holders) {
    // (While others were waited for it may have ended its statement.)
    if (is_older(h.slot)) locking::wait_for_virtual_transaction(h.slot, locking::virtual_number(h.word));
  }
}

}  // namespace hathi::transaction
