// Finding deadlocks among heavyweight locks.
//
// A waiter waits for every holder of a conflicting mode (hard edge) and for every conflicting waiter in front of it in the queue
// (soft edge: moving it ahead of that waiter would remove the edge). Theorem: the set of waiters can make progress if and only if some
// order of the queues leaves no cycle; a cycle of hard edges only is a deadlock whatever the order. So each soft edge of a cycle is tried
// as a constraint "this waiter before that one" until no cycle is left or all fail.

#include <algorithm>

#include "shared_table.h"

namespace hathi::locking {

namespace {

constexpr int kMostTests = 5000;  // beyond that the jam counts as a deadlock

// waiter must come before blocker in the lock's queue.
struct Constraint {
  int waiter, blocker;
  Lock* lock;
};

class Detector {
 public:
  explicit Detector(int start) : start_(start), visited_(static_cast<std::size_t>(shmem::slot_count()), 0) {}

  bool resolve() {
    if (++tests_ > kMostTests) return false;
    std::vector<Constraint> soft;
    switch (test(soft)) {
      case Outcome::clear: return true;
      case Outcome::hopeless: return false;
      case Outcome::soft_cycle: break;
    }
    for (const Constraint& edge : soft) {
      constraints_.push_back(edge);
      if (resolve()) return true;
      constraints_.pop_back();
    }
    return false;
  }

  // The cycle through the start as the queues are.
  std::vector<DeadlockLink> cycle() {
    constraints_.clear();
    orders_.clear();
    std::vector<Constraint> soft;
    find_cycle_from(start_, soft);
    std::vector<DeadlockLink> links;
    for (int slot : path_) {
      const WaitState& w = wait_state(slot);
      links.push_back({shmem::slot(slot).pid.load(), slot, w.lock->tag, w.mode});
    }
    return links;
  }

  bool has_constraints() const { return !constraints_.empty(); }

  // Puts the queues into the order found and wakes who can go on.
  void apply() {
    for (auto& [lock, order] : orders_) {
      int previous = -1;
      for (int slot : order) {
        wait_state(slot).previous = previous;
        wait_state(slot).next = -1;
        if (previous < 0)
          lock->queue_head = slot;
        else
          wait_state(previous).next = slot;
        previous = slot;
      }
      lock->queue_tail = previous;
      wake_waiters(*lock);
    }
  }

 private:
  enum class Outcome { clear, soft_cycle, hopeless };

  Outcome test(std::vector<Constraint>& soft) {
    if (!sort_queues()) return Outcome::hopeless;
    std::vector<int> starts{start_};
    for (const Constraint& c : constraints_) {
      starts.push_back(c.waiter);
      starts.push_back(c.blocker);
    }
    bool found = false;
    for (int slot : starts) {
      std::vector<Constraint> edges;
      if (!find_cycle_from(slot, edges)) continue;
      if (edges.empty()) return Outcome::hopeless;
      if (!found) soft = edges;
      found = true;
    }
    return found ? Outcome::soft_cycle : Outcome::clear;
  }

  std::vector<int> queue_of(Lock* lock) const {
    for (const auto& [known, order] : orders_) {
      if (known == lock) return order;
    }
    std::vector<int> order;
    for (int at = lock->queue_head; at >= 0; at = wait_state(at).next) order.push_back(at);
    return order;
  }

  // Orders the queue of each constrained lock: always the first waiter that no constraint holds back. False when there is no such order.
  bool sort_queues() {
    orders_.clear();
    for (const Constraint& c : constraints_) {
      if (std::any_of(orders_.begin(), orders_.end(), [&](const auto& o) { return o.first == c.lock; })) continue;
      std::vector<int> left = queue_of(c.lock), order;
      while (!left.empty()) {
        auto next = std::find_if(left.begin(), left.end(), [&](int slot) {
          return std::none_of(constraints_.begin(), constraints_.end(), [&](const Constraint& other) {
            return other.lock == c.lock && other.blocker == slot && std::find(left.begin(), left.end(), other.waiter) != left.end();
          });
        });
        if (next == left.end()) return false;
        order.push_back(*next);
        left.erase(next);
      }
      orders_.emplace_back(c.lock, std::move(order));
    }
    return true;
  }

  bool find_cycle_from(int start, std::vector<Constraint>& soft) {
    ++mark_;
    path_.clear();
    return walk(start, start, soft);
  }

  // Depth first along who waits for whom; true when the way leads back to `start`: path_ and soft then describe the cycle.
  bool walk(int slot, int start, std::vector<Constraint>& soft) {
    visited_[static_cast<std::size_t>(slot)] = mark_;
    const WaitState& w = wait_state(slot);
    if (w.lock == nullptr) return false;
    path_.push_back(slot);
    ModeMask conflicting = conflict_mask(w.lock->tag.kind, w.mode);
    for (const Holding* h = w.lock->holders; h != nullptr; h = h->next) {
      if (h->slot != slot && (h->modes & conflicting & ~w.ignored) != 0 && step(h->slot, start, soft)) return true;
    }
    for (int ahead : queue_of(w.lock)) {
      if (ahead == slot) break;
      if ((mask_of(wait_state(ahead).mode) & conflicting) == 0) continue;
      soft.push_back({slot, ahead, w.lock});
      if (step(ahead, start, soft)) return true;
      soft.pop_back();
    }
    path_.pop_back();
    return false;
  }
  bool step(int slot, int start, std::vector<Constraint>& soft) {
    if (slot == start) return true;
    return visited_[static_cast<std::size_t>(slot)] != mark_ && walk(slot, start, soft);
  }

  int start_;
  int tests_ = 0;
  std::uint32_t mark_ = 0;
  std::vector<std::uint32_t> visited_;
  std::vector<int> path_;
  std::vector<Constraint> constraints_;
  std::vector<std::pair<Lock*, std::vector<int>>> orders_;
};

// All partitions, in rising order.
class AllPartitions {
 public:
  AllPartitions() {
    for (int i = 0; i < kPartitions; ++i) partition(i).lock.lock(LwMode::exclusive);
  }
  ~AllPartitions() {
    for (int i = kPartitions; i-- > 0;) partition(i).lock.unlock();
  }
  AllPartitions(const AllPartitions&) = delete;
  AllPartitions& operator=(const AllPartitions&) = delete;
};

}  // namespace

DeadlockAnswer check_for_deadlock(int slot, std::vector<DeadlockLink>& cycle) {
  AllPartitions all;
  WaitState& w = wait_state(slot);
  if (w.lock == nullptr) return DeadlockAnswer::granted;
  Detector detector(slot);
  if (detector.resolve()) {
    if (!detector.has_constraints()) return DeadlockAnswer::none;
    detector.apply();
    return DeadlockAnswer::rearranged;
  }
  cycle = detector.cycle();
  dequeue(*w.lock, slot, kFailed);
  return DeadlockAnswer::deadlock;
}

}  // namespace hathi::locking
