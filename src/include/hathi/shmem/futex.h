#pragma once
// The futex system call on words in shared memory.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace hathi::shmem {

// Sleeps while the word has this value, at most timeout_ms (-1 = for ever); returns early after signals and wake-ups.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, int timeout_ms) {
  timespec limit{timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, timeout_ms < 0 ? nullptr : &limit, nullptr, 0);
}
inline void futex_wake(std::atomic<std::uint32_t>& word, int count) { syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0); }

}  // namespace hathi::shmem
