#include "relation_hints.h"

#include <array>

#include "hathi/shmem/process_slot.h"
#include "hathi/storage/file.h"

namespace hathi::heap {

namespace {

constexpr std::size_t kEntries = 64;
std::array<RelationHints, kEntries> entries;

std::size_t entry_of(const RelationFile& file) {
  std::uint32_t h = raw(file.relation) * 0x9E3779B1u ^ raw(file.database);
  return (h >> 16) % kEntries;
}

}  // namespace

RelationHints& relation_hints(const RelationFile& file) {
  RelationHints& hints = entries[entry_of(file)];
  if (hints.file != file) {
    hints = RelationHints{};
    hints.file = file;
    // Processes begin their searches in different places, so that they fill different pages.
    hints.search_from = shmem::has_slot() ? static_cast<std::uint32_t>(shmem::my_slot().number) * 2654435769u : 0;
  }
  return hints;
}

bool fork_has_block(const RelationFile& file, Fork fork, BlockNumber block) {
  // The maps never shrink while their relation exists.
  std::uint32_t& known = relation_hints(file).fork_blocks[static_cast<int>(fork)];
  if (block.value() < known) return true;
  if (!buffer::fork_exists(file, fork)) return false;
  known = buffer::block_count(file, fork).value();
  return block.value() < known;
}

void extend_fork_to(const RelationFile& file, Fork fork, BlockNumber block) {
  // Two processes may both get here: creating twice is harmless, and extending too far costs an empty page.
  if (!buffer::fork_exists(file, fork)) storage::create_fork(file, fork, true);
  while (buffer::block_count(file, fork) <= block) buffer::extend(file, fork, 1).release();
}

}  // namespace hathi::heap
