#pragma once
// Stand-ins for buffer/, wal/, storage/, transaction/ and the lock table, in one process: pages in memory, transactions whose fate
// the test decides. "Sessions" are transactions that the test switches between.

#include <functional>
#include <map>
#include <vector>

#include "hathi/base/ids.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::fake {

// Forgets all pages and transactions.
void reset();
// A new transaction, which becomes the current one.
Xid begin();
void become(Xid xid);
void commit();
void abort();
// The next begin() gets this xid.
void set_next_xid(std::uint64_t xid);
// The current transaction's view: own earlier commands and all that has committed. Holds the horizon back until dropped.
class View {
 public:
  View();
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  const transaction::Snapshot& operator*() const { return snapshot_; }

 private:
  std::vector<Xid> running_;
  transaction::Snapshot snapshot_;
};
// Called when the current transaction waits for xid: the hook ends it (as another session would). Without a hook waiting fails.
void on_wait(std::function<void(Xid)> hook);
// The disk is full for every n-th extension of a fork (0 = never).
void fail_extensions(int every);
// Called after is_running(xid) said yes: the world moves on between two looks.
void after_running(std::function<void(Xid)> hook);
// What records have been logged, by manager and operation.
struct LoggedRecord { int manager; int info; int pages; };
const std::vector<LoggedRecord>& log();
// Pins that the test or the code still holds.
int pin_count();
// Answers has_waiters().
void set_waiters(bool waiters);
std::byte* raw_page(const BlockTag& tag);

}  // namespace hathi::fake
