#pragma once
// Memory that is there but must not be touched, such as pages that this process has not pinned. A build with the address sanitizer
// (tools/build asan) reports whoever touches it; in other builds nothing here leaves a trace.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)   // gcc's mark
#include <sanitizer/asan_interface.h>
#endif

namespace hathi::memory {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kPoisons = true;
// Whoever touches these bytes from now on, in this process or a child forked later, is reported.
inline void poison(const void* start, std::size_t size) { __asan_poison_memory_region(start, size); }
// They may be touched again. `start` is best a multiple of 8: bytes before it in the same eight become accessible too.
inline void unpoison(const void* start, std::size_t size) { __asan_unpoison_memory_region(start, size); }
#else
inline constexpr bool kPoisons = false;
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

}  // namespace hathi::memory
