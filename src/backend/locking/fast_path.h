#pragma once
// Weak relation locks without the shared table: each process has a small array of its own, one atomic word an entry.
//
// Theorem: once a process has raised the tag's strong count, every weak holder is either in the shared table or visible to its scan. A weak
// locker publishes its entry (atomic exchange, a full fence) and then reads the count; a strong locker raises the count (a full fence) and
// then reads the entries: one of the two sees the other. Only the owner fills an entry; whoever else moves it to the shared table (under
// the tag's partition lock) clears it by compare-exchange, so an owner that fails to clear its entry knows that the shared table has it.

#include "shared_table.h"

namespace hathi::locking {

// May this mode of this tag live in a fast path?
inline bool is_fast_kind(const LockTag& tag) { return tag.kind == LockTagKind::relation || tag.kind == LockTagKind::subtree; }
inline bool is_fast(const LockTag& tag, LockMode mode) { return mode <= LockMode::row_exclusive && is_fast_kind(tag); }
// Does this mode conflict with some weak mode, so that fast paths must be looked at?
inline bool is_strong(const LockTag& tag, LockMode mode) { return mode >= LockMode::share && is_fast_kind(tag); }

std::size_t fast_path_size();
void fast_path_init(void* memory);

// Entry number, or kNoEntry when the shared table must be used (entries full, strong lockers about, another database's relation).
inline constexpr int kNoEntry = -1;
int fast_acquire(const LockTag& tag, std::uint32_t hash, LockMode mode);
// False when the entry has been moved to the shared table meanwhile.
bool fast_release(int entry, const LockTag& tag, LockMode mode);

// The owner of a strong lock (or of the attempt) keeps the count raised.
void raise_strong(std::uint32_t hash);
void lower_strong(std::uint32_t hash);
// Moves every process's weak entries of the tag into the shared table. No partition lock held.
void move_fast_entries(const LockTag& tag, std::uint32_t hash);

// The modes of the tag that a slot holds by fast path (0 = none), and all entries of a slot, for pg_locks.
ModeMask fast_modes(int slot, const LockTag& tag, std::uint32_t hash);
void list_fast_entries(int slot, std::vector<std::pair<LockTag, ModeMask>>& entries);

}  // namespace hathi::locking
