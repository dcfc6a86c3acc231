#pragma once
// Changing the visibility map: always in the same wal::Change as the heap page. Private to heap/.
// Lock order: heap pages, then the map's page. The map's page is pinned (and read) before the heap page is locked.

#include "heap_page.h"
#include "hathi/heap/visibility_map.h"

namespace hathi::heap {

// Pins the map page that covers the block, adding it when missing.
buffer::PinnedBuffer pin_map_page(const RelationFile& file, BlockNumber block);
// Is `pin` that page?
bool map_page_covers(const buffer::PinnedBuffer& pin, const RelationFile& file, BlockNumber block);

// Adds the edit that sets the block's bits to exactly `bits` to a change; locks the map's page, which stays locked until the
// guard ends (after apply()). A second call must be for a block of the same map page.
class MapEdit {
 public:
  MapEdit() = default;
  ~MapEdit() { if (pin_ != nullptr) pin_->unlock(); }
  MapEdit(const MapEdit&) = delete;
  MapEdit& operator=(const MapEdit&) = delete;
  void add(wal::Change& change, buffer::PinnedBuffer& map_pin, BlockNumber block, std::uint8_t bits);

 private:
  buffer::PinnedBuffer* pin_ = nullptr;
  wal::PageEdit* edit_ = nullptr;
  std::uint16_t position_ = 0;
  std::uint8_t byte_ = 0;
};

}  // namespace hathi::heap
