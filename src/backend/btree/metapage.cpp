#include "search.h"

namespace hathi::btree {

void create_empty(const BTreeIndex& index, Fork fork) {
  buffer::PinnedBuffer pin = buffer::extend(index.file, fork, 1);
  HATHI_ASSERT(pin.block() == kMetaBlock);
  // An init fork is logged whatever the relation is: it must survive a crash.
  wal::Change change(wal::ResourceManager::btree, static_cast<std::uint8_t>(BTreeOperation::create), index.logged() || fork == Fork::init);
  wal::PageEdit& edit = change.page(pin);
  edit.init(kSpecialSize);
  Special s{kNoBlock, kNoBlock, 0, kMeta, 0};
  edit.write_value(special_position(0), s);
  Meta meta{kMagic, kVersion, kNoBlock, 0};
  edit.write_value(kMetaPosition, meta);
  // Behind the contents, so that they are not taken for free room.
  auto lower = static_cast<std::uint16_t>(kMetaPosition + sizeof(Meta));
  edit.write_value(offsetof(PageHeader, lower), lower);
  change.apply();
}

Shape shape(const BTreeIndex& index) {
  Meta meta = read_meta(index);
  return {buffer::block_count(index.file, Fork::main), meta.root == kNoBlock ? 0 : static_cast<int>(meta.level) + 1};
}

}  // namespace hathi::btree
