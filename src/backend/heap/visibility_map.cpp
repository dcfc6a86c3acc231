// A page: header, from byte 40 two bits a heap block, low bits first (bit 0 all-visible, bit 1 all-frozen).
#include "visibility_map.h"

#include <bit>

#include "relation_hints.h"

namespace hathi::heap {

namespace {

constexpr std::uint32_t kMapStart = 40, kBlocksPerByte = 4, kBlocksPerPage = (kPageSize - kMapStart) * kBlocksPerByte;

BlockNumber map_block(BlockNumber block) { return BlockNumber{block.value() / kBlocksPerPage}; }
std::uint16_t byte_position(BlockNumber block) {
  return static_cast<std::uint16_t>(kMapStart + block.value() % kBlocksPerPage / kBlocksPerByte);
}
unsigned shift_of(BlockNumber block) { return block.value() % kBlocksPerByte * 2; }

}  // namespace

bool map_page_covers(const buffer::PinnedBuffer& pin, const RelationFile& file, BlockNumber block) {
  return pin && pin.tag() == BlockTag{file, Fork::visibility, map_block(block)};
}

buffer::PinnedBuffer pin_map_page(const RelationFile& file, BlockNumber block) {
  BlockNumber at = map_block(block);
  if (!fork_has_block(file, Fork::visibility, at)) extend_fork_to(file, Fork::visibility, at);
  return buffer::read({file, Fork::visibility, at}, buffer::ReadMode::zero_on_error);
}

std::uint8_t visibility_bits(const RelationFile& file, BlockNumber block, buffer::PinnedBuffer& pin) {
  if (!map_page_covers(pin, file, block)) {
    pin.release();
    BlockNumber at = map_block(block);
    if (!fork_has_block(file, Fork::visibility, at)) return 0;
    pin = buffer::read({file, Fork::visibility, at}, buffer::ReadMode::zero_on_error);
  }
  auto byte = std::atomic_ref<std::uint8_t>(*reinterpret_cast<std::uint8_t*>(pin.page().bytes() + byte_position(block)))
                  .load(std::memory_order_acquire);
  return static_cast<std::uint8_t>((byte >> shift_of(block)) & 3);
}

void MapEdit::add(wal::Change& change, buffer::PinnedBuffer& map_pin, BlockNumber block, std::uint8_t bits) {
  std::uint16_t at = byte_position(block);
  if (pin_ == nullptr) {
    map_pin.lock(locking::LwMode::exclusive);
    pin_ = &map_pin;
    edit_ = &change.page(map_pin);
    if (map_pin.page().is_new()) {
      edit_->init(0);
      // The bits are no hole that images may leave out.
      edit_->write_value(offsetof(PageHeader, lower), static_cast<std::uint16_t>(kPageSize));
    }
  }
  HATHI_ASSERT(pin_->tag() == map_pin.tag());
  // Two blocks may share a byte, and the first edit has not been made yet.
  if (at != position_) byte_ = static_cast<std::uint8_t>(map_pin.page().bytes()[at]);
  position_ = at;
  byte_ = static_cast<std::uint8_t>((byte_ & ~(3u << shift_of(block))) | (static_cast<unsigned>(bits) << shift_of(block)));
  edit_->write_value(at, byte_);
}

VisibilityCounts count_visible(const RelationFile& file, BlockNumber limit) {
  VisibilityCounts counts;
  if (!buffer::fork_exists(file, Fork::visibility)) return counts;
  BlockNumber pages = buffer::block_count(file, Fork::visibility);
  for (BlockNumber at{0}; at < pages && at.value() * kBlocksPerPage < limit.value(); ++at) {
    buffer::PinnedBuffer pin = buffer::read({file, Fork::visibility, at}, buffer::ReadMode::zero_on_error);
    if (pin.page().is_new()) continue;
    for (std::size_t i = kMapStart; i < kPageSize; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, pin.page().bytes() + i, 8);
      counts.visible += static_cast<std::uint32_t>(std::popcount(word & 0x5555555555555555u));
      counts.frozen += static_cast<std::uint32_t>(std::popcount(word & 0xAAAAAAAAAAAAAAAAu));
    }
  }
  return counts;
}

}  // namespace hathi::heap
