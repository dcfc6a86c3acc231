#include "local_table.h"

#include <memory>
#include <new>
#include <vector>

#include "fast_path.h"
#include "hathi/error/report.h"
#include "hathi/locking/subtrees.h"

namespace hathi::locking {

namespace {

constexpr std::size_t kFewBuckets = 64;
constexpr std::size_t kSlab = 32;
constexpr std::size_t kKeepSlabs = 4;

// Nodes of one type; the first few slabs stay, the others go back when the last node is free.
template <class T>
class Pool {
 public:
  T* take() {
    if (free_ == nullptr) refill();
    T* node = free_;
    free_ = node->next;
    ++used_;
    return node;
  }
  void give(T* node) {
    node->next = free_;
    free_ = node;
    if (--used_ == 0 && slabs_.size() > kKeepSlabs) shrink();
  }

 private:
  void refill() {
    slabs_.push_back(std::make_unique<T[]>(kSlab));
    thread(slabs_.back().get());
  }
  void thread(T* slab) {
    for (std::size_t i = kSlab; i-- > 0;) {
      slab[i].next = free_;
      free_ = slab + i;
    }
  }
  void shrink() {
    slabs_.resize(kKeepSlabs);
    slabs_.shrink_to_fit();
    free_ = nullptr;
    for (auto& slab : slabs_) thread(slab.get());
  }
  T* free_ = nullptr;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<T[]>> slabs_;
};

struct Table {
  std::vector<LocalLock*> buckets = std::vector<LocalLock*>(kFewBuckets, nullptr);
  std::size_t count = 0;
  Pool<LocalLock> locks;
  Pool<HeldLock> holds;
};
Table table;

std::size_t bucket_of(std::uint32_t hash, LockMode mode) {
  return (hash ^ static_cast<std::uint32_t>(mode) * 0x9E37u) & (table.buckets.size() - 1);
}

void resize(std::size_t size) {
  std::vector<LocalLock*> old(size, nullptr);
  old.swap(table.buckets);
  for (LocalLock* local : old) {
    while (local != nullptr) {
      LocalLock* next = local->next;
      LocalLock*& bucket = table.buckets[bucket_of(local->hash, local->mode)];
      local->next = bucket;
      bucket = local;
      local = next;
    }
  }
}

}  // namespace

int weak_subtree_count = 0;

LocalLock* find_local(const LockTag& tag, std::uint32_t hash, LockMode mode) {
  for (LocalLock* local = table.buckets[bucket_of(hash, mode)]; local != nullptr; local = local->next) {
    if (local->hash == hash && local->mode == mode && local->tag == tag) return local;
  }
  return nullptr;
}

LocalLock& add_local(const LockTag& tag, std::uint32_t hash, LockMode mode) {
  if (table.count >= table.buckets.size() * 2) resize(table.buckets.size() * 4);
  LocalLock* local = table.locks.take();
  LocalLock*& bucket = table.buckets[bucket_of(hash, mode)];
  *local = {bucket, tag, mode, false, hash, 0, kNoEntry, nullptr, nullptr, {}};
  bucket = local;
  ++table.count;
  if (tag.kind == LockTagKind::subtree && mode <= LockMode::row_exclusive) ++weak_subtree_count;
  return *local;
}

void remove_local(LocalLock& local) {
  LocalLock** link = &table.buckets[bucket_of(local.hash, local.mode)];
  while (*link != &local) link = &(*link)->next;
  *link = local.next;
  if (local.tag.kind == LockTagKind::subtree && local.mode <= LockMode::row_exclusive) --weak_subtree_count;
  table.locks.give(&local);
  --table.count;
  std::size_t size = table.buckets.size();
  if (size > kFewBuckets && table.count < size / 32) resize(size / 4 < kFewBuckets ? kFewBuckets : size / 4);
}

int local_count() { return static_cast<int>(table.count); }

LocalLock* any_local() {
  if (table.count == 0) return nullptr;
  for (LocalLock* local : table.buckets) {
    if (local != nullptr) return local;
  }
  return nullptr;
}

void add_hold(ResourceOwner& owner, LocalLock& local) {
  ++local.count;
  HeldLock* held = &local.first;
  for (HeldLock* h = held; h != nullptr; h = h->sibling) {
    if (h->owner != &owner) continue;
    ++h->count;
    return;
  }
  if (held->owner != nullptr) {
    held = table.holds.take();
    held->sibling = local.first.sibling;
    local.first.sibling = held;
  }
  held->local = &local;
  held->owner = &owner;
  held->count = 1;
  HeldLock*& head = OwnerAccess::head(owner);
  held->next = head;
  held->previous = nullptr;
  if (head != nullptr) head->previous = held;
  head = held;
}

namespace {
void detach_from_owner(HeldLock& held) {
  if (held.previous != nullptr)
    held.previous->next = held.next;
  else
    OwnerAccess::head(*held.owner) = held.next;
  if (held.next != nullptr) held.next->previous = held.previous;
  held.owner = nullptr;
}
}  // namespace

// Takes the hold out of its owner's list and its lock's list of holds; local.count is the caller's to lower.
void unlink_hold(HeldLock& held) {
  LocalLock& local = *held.local;
  detach_from_owner(held);
  if (&held == &local.first) return;
  HeldLock* before = &local.first;
  while (before->sibling != &held) before = before->sibling;
  before->sibling = held.sibling;
  table.holds.give(&held);
}

bool drop_hold(ResourceOwner& owner, LocalLock& local) {
  for (HeldLock* h = &local.first; h != nullptr; h = h->sibling) {
    if (h->owner != &owner) continue;
    if (--h->count == 0) unlink_hold(*h);
    --local.count;
    return true;
  }
  return false;
}

ResourceOwner::ResourceOwner(ResourceOwner* parent) : parent_(parent) {}
ResourceOwner::~ResourceOwner() { HATHI_ASSERT(head_ == nullptr); }

void ResourceOwner::release_all() {
  while (head_ != nullptr) {
    LocalLock& local = *head_->local;
    local.count -= head_->count;
    unlink_hold(*head_);
    if (local.count == 0) release_for_good(local);
  }
}

void ResourceOwner::move_to_parent() {
  HATHI_ASSERT(parent_ != nullptr || head_ == nullptr);
  while (head_ != nullptr) {
    LocalLock& local = *head_->local;
    std::uint32_t count = head_->count;
    unlink_hold(*head_);
    local.count -= count;
    add_hold(*parent_, local);
    if (count == 1) continue;
    for (HeldLock* h = &local.first; h != nullptr; h = h->sibling) {
      if (h->owner == parent_) h->count += count - 1;
    }
    local.count += count - 1;
  }
}

int ResourceOwner::held_count() const {
  int count = 0;
  for (HeldLock* h = head_; h != nullptr; h = h->next) ++count;
  return count;
}

}  // namespace hathi::locking
