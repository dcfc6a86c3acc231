#pragma once
// Arena memory: allocation by bumping a pointer, release all at once. Nothing allocated here is destroyed one by one, so
// only trivially destructible objects may live in it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace hathi {

class Arena {
 public:
  // first_block_size: bytes of the first block, allocated on first use; later blocks double up to 1 MiB (bigger requests get their own).
  explicit Arena(std::size_t first_block_size = 8192) : first_block_size_(first_block_size) {}
  // A fixed piece of memory that somebody else owns: allocation beyond its end throws out_of_memory.
  Arena(void* memory, std::size_t size)
      : cursor_(reinterpret_cast<std::uintptr_t>(memory)), limit_(cursor_ + size), first_block_size_(0), footprint_(size) {}
  ~Arena() { release(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena&& other) noexcept { swap(other); return *this; }
  void swap(Arena& other) noexcept;

  // Uninitialised memory that lives until reset() or the arena's end. Throws SqlError(out_of_memory).
  void* allocate(std::size_t size, std::size_t align = alignof(std::max_align_t)) {
    std::uintptr_t start = (cursor_ + align - 1) & ~(align - 1);
    if (start + size > limit_ || cursor_ == 0) return allocate_slow(size, align);
    cursor_ = start + size;
    return reinterpret_cast<void*>(start);
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "arena objects are never destroyed");
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }
  // n value-initialised objects.
  template <class T>
  T* make_array(std::size_t n) {
    static_assert(std::is_trivially_destructible_v<T>, "arena objects are never destroyed");
    T* p = static_cast<T*>(allocate(n * sizeof(T), alignof(T)));
    for (std::size_t i = 0; i < n; ++i) new (p + i) T();
    return p;
  }
  // A copy of the bytes, followed by a NUL that the view does not count.
  std::string_view copy(std::string_view text) {
    char* p = static_cast<char*>(allocate(text.size() + 1, 1));
    if (!text.empty()) std::memcpy(p, text.data(), text.size());
    p[text.size()] = '\0';
    return {p, text.size()};
  }

  // Frees everything at once but keeps the first block for reuse. Costs next to nothing when nothing was allocated since.
  void reset() { if (cursor_ != reset_point_) reset_slow(); }
  // Frees everything.
  void release();
  // Bytes obtained from the system.
  std::size_t footprint() const { return footprint_; }

 private:
  struct Block { Block* next; std::size_t size; };
  void* allocate_slow(std::size_t size, std::size_t align);
  void reset_slow();

  std::uintptr_t cursor_ = 0;
  std::uintptr_t limit_ = 0;
  std::uintptr_t reset_point_ = 0;  // where the cursor stands after a reset
  Block* blocks_ = nullptr;  // newest first; the last one is the first block
  std::size_t first_block_size_ = 8192;  // 0 = fixed memory
  std::size_t footprint_ = 0;
};

// A growable array inside an arena: two pointers' worth, trivially destructible. Growing leaves the old array behind.
template <class T>
class List {
 public:
  constexpr List() = default;
  void push_back(Arena& arena, const T& value) {
    if (size_ == capacity_) grow(arena, capacity_ == 0 ? 4 : capacity_ * 2);
    data_[size_++] = value;
  }
  void reserve(Arena& arena, std::uint32_t n) { if (n > capacity_) grow(arena, n); }
  void append(Arena& arena, const List& other) { for (const T& v : other) push_back(arena, v); }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void truncate(std::uint32_t n) { size_ = n; }
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  operator std::span<const T>() const { return {data_, size_}; }

 private:
  void grow(Arena& arena, std::uint32_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* p = static_cast<T*>(arena.allocate(n * sizeof(T), alignof(T)));
    if (size_ != 0) std::memcpy(static_cast<void*>(p), data_, size_ * sizeof(T));
    data_ = p;
    capacity_ = n;
  }
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

// Runs a callable when the scope ends, by return or by exception.
template <class F>
class ScopeExit {
 public:
  explicit ScopeExit(F f) : f_(std::move(f)) {}
  ~ScopeExit() { if (armed_) f_(); }
  void dismiss() { armed_ = false; }
  ScopeExit(const ScopeExit&) = delete;
  ScopeExit& operator=(const ScopeExit&) = delete;

 private:
  F f_;
  bool armed_ = true;
};

}  // namespace hathi
