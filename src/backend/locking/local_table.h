#pragma once
// This process's side: which locks it holds, under which owners. Private memory.

#include "shared_table.h"

namespace hathi::locking {

struct LocalLock;

// One owner's hold on a lock; in the owner's list, so that releasing everything costs only what is held.
struct HeldLock {
  HeldLock* next;  // in the owner's list
  HeldLock* previous;
  HeldLock* sibling;  // the next owner's hold on the same lock
  LocalLock* local;
  ResourceOwner* owner;  // nullptr = not in use (only LocalLock::first)
  std::uint32_t count;
};

// A tag and mode that this process holds, or is about to.
struct LocalLock {
  LocalLock* next;  // in its bucket
  LockTag tag;
  LockMode mode;
  bool strong;              // keeps the tag's strong count raised
  std::uint32_t hash;       // of the tag
  std::uint32_t count;      // of all owners
  std::int32_t fast_entry;  // kNoEntry: the shared table has it
  Lock* lock;
  Holding* holding;
  HeldLock first;
};

LocalLock* find_local(const LockTag& tag, std::uint32_t hash, LockMode mode);
LocalLock& add_local(const LockTag& tag, std::uint32_t hash, LockMode mode);
// Forgets it; nobody owns it any more. The table and its memory shrink again when little is left.
void remove_local(LocalLock& local);
int local_count();
// Any of the table, nullptr when it is empty (for release_all_at_exit).
LocalLock* any_local();

// The owner takes one more hold / gives one back (false: it has none).
void add_hold(ResourceOwner& owner, LocalLock& local);
bool drop_hold(ResourceOwner& owner, LocalLock& local);

struct OwnerAccess {
  static HeldLock*& head(ResourceOwner& owner) { return owner.head_; }
};
void unlink_hold(HeldLock& held);

// Gives the lock back to the system (shared table or fast path) once no owner holds it (acquire.cpp).
void release_for_good(LocalLock& local);

}  // namespace hathi::locking
