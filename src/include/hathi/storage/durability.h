#pragma once
// What makes names and whole directories durable, and what a full disk means to those who can only wait.

#include <cerrno>
#include <string>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::storage {

// The rest of the door to the disk (see FileSystem in file.h), replaced by tests with it. Return -1 with errno.
struct NameOperations {
  int (*link)(const char* from, const char* to);
  int (*sync_all)(const char* path);   // syncfs: everything on the file system that holds the directory
};
NameOperations& name_operations();
void set_name_operations(const NameOperations& replacement);

// A name was added to or taken from the directory of a relation's files: sync it at the next checkpoint. A new file whose name is not on
// disk is gone after a loss of power, however well its contents were synced.
void remember_directory(const RelationFile& file);
// Files whose removal waits for the running checkpoint to end. The checkpoint's record lists them, so that recovery from it removes
// what a crash right after it left behind.
std::vector<RelationFile> delayed_unlinks_ready();
// Recovery: removes the (empty) first segment of a dropped relation.
void remove_leftover(const RelationFile& file);

// The disk is full where waiting is all that is left to do (the log, pg_control): says so once in the log, then sleeps a little longer
// with each attempt, at most a second. attempt counts up from 0.
void wait_for_space(const char* what, const std::string& path, int attempt);
// Is it an error that room on the disk would cure?
constexpr bool is_disk_full(int error) { return error == ENOSPC || error == EDQUOT; }

}  // namespace hathi::storage
