#pragma once
// Files written since the last checkpoint, remembered in shared memory until somebody syncs them.

#include "descriptor_cache.h"

namespace hathi::storage {

// Remembers the file for the next checkpoint; syncs it right here when the table is full or there is no shared memory.
// Temporary relations are not remembered.
void remember_sync(const SegmentKey& key);
// The main fork's first segment is to go after the next checkpoint. False when the table is full: remove it now.
bool remember_delayed_unlink(const RelationFile& file);
// fsync that panics when it fails; nothing when the setting fsync is off.
void sync_descriptor(int fd, const std::string& path);

}  // namespace hathi::storage
