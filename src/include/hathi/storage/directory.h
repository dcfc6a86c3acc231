#pragma once
// Directory listings and the names of relation files in them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::storage {

// Names in a directory, without "." and ".."; empty when it does not exist.
std::vector<std::string> list_directory(const std::string& path);

struct RelationName {
  Oid relation = kInvalidOid;
  Fork fork = Fork::main;
  std::uint32_t segment = 0;
  int temp_owner = -1;
};
// "16384_vm.1", "t3_16385"; nullopt for other files.
std::optional<RelationName> parse_relation_name(std::string_view name);

// Directories that hold relations of one database each, as (tablespace, database, path); the shared one has database 0.
struct DatabaseDirectory { Oid tablespace, database; std::string path; };
std::vector<DatabaseDirectory> database_directories();
std::string database_directory(Oid tablespace, Oid database);

// Is the relation dropped, and only its empty file waits for a checkpoint?
bool unlink_is_pending(const RelationFile& file);

// Removes a directory and all below it; warnings for what can't be removed.
void remove_tree(const std::string& path);

}  // namespace hathi::storage
