#include "hathi/memory/arena.h"

#include <algorithm>
#include <cstdlib>

#include "hathi/error/sql_error.h"

namespace hathi {

void Arena::swap(Arena& other) noexcept {
  std::swap(cursor_, other.cursor_);
  std::swap(limit_, other.limit_);
  std::swap(reset_point_, other.reset_point_);
  std::swap(blocks_, other.blocks_);
  std::swap(first_block_size_, other.first_block_size_);
  std::swap(footprint_, other.footprint_);
}

void* Arena::allocate_slow(std::size_t size, std::size_t align) {
  constexpr std::size_t kLargestBlock = std::size_t{1} << 20;
  std::size_t needed = size + align + sizeof(Block);
  if (needed < size || first_block_size_ == 0) throw SqlError(sqlstate::out_of_memory, "out of memory");
  std::size_t block_size = std::max(needed, std::min(kLargestBlock, std::max(first_block_size_, footprint_)));
  auto* block = static_cast<Block*>(std::malloc(block_size));
  if (block == nullptr) {
    throw SqlError(sqlstate::out_of_memory, "out of memory").detail(fmt::format("Failed on request of size {}.", size));
  }
  block->next = blocks_;
  block->size = block_size;
  blocks_ = block;
  footprint_ += block_size;
  cursor_ = reinterpret_cast<std::uintptr_t>(block + 1);
  limit_ = reinterpret_cast<std::uintptr_t>(block) + block_size;
  std::uintptr_t start = (cursor_ + align - 1) & ~(align - 1);
  cursor_ = start + size;
  return reinterpret_cast<void*>(start);
}

void Arena::reset_slow() {
  if (blocks_ == nullptr) return;
  while (blocks_->next != nullptr) {
    Block* next = blocks_->next;
    std::free(blocks_);
    blocks_ = next;
  }
  if (blocks_->size > 4 * first_block_size_) {
    release();
    return;
  }
  footprint_ = blocks_->size;
  cursor_ = reinterpret_cast<std::uintptr_t>(blocks_ + 1);
  limit_ = reinterpret_cast<std::uintptr_t>(blocks_) + blocks_->size;
  reset_point_ = cursor_;
}

void Arena::release() {
  while (blocks_ != nullptr) {
    Block* next = blocks_->next;
    std::free(blocks_);
    blocks_ = next;
  }
  cursor_ = limit_ = reset_point_ = 0;
  footprint_ = 0;
}

}  // namespace hathi
