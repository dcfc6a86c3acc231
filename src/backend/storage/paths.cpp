#include <unordered_set>

#include "hathi/error/sql_error.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/storage/file.h"

namespace hathi::storage {

namespace {

const char* fork_suffix(Fork fork) {
  switch (fork) {
    case Fork::main: return "";
    case Fork::free_space: return "_fsm";
    case Fork::visibility: return "_vm";
    case Fork::init: return "_init";
  }
  return "";
}

std::string internal_path(Oid relation) {
  switch (static_cast<InternalFile>(raw(relation))) {
    case InternalFile::commit_log: return "pg_xact/0";
    case InternalFile::subtransactions: return "pg_subtrans/0";
    case InternalFile::multixact_offsets: return "pg_multixact/offsets/0";
    case InternalFile::multixact_members: return "pg_multixact/members/0";
  }
  return fmt::format("pg_internal/{}", raw(relation));
}

struct FileHash {
  std::size_t operator()(const RelationFile& f) const noexcept {
    return (static_cast<std::size_t>(raw(f.database)) << 32 ^ raw(f.relation)) * 0x9E3779B97F4A7C15u;
  }
};
std::unordered_set<RelationFile, FileHash>& temporaries() {
  static std::unordered_set<RelationFile, FileHash> set;
  return set;
}

}  // namespace

namespace detail {
int temporary_count = 0;
bool lookup_temporary(const RelationFile& file) { return temporaries().contains(file); }
}  // namespace detail

void register_temporary(const RelationFile& file) {
  temporaries().insert(file);
  detail::temporary_count = static_cast<int>(temporaries().size());
}

void forget_temporary(const RelationFile& file) {
  temporaries().erase(file);
  detail::temporary_count = static_cast<int>(temporaries().size());
}

std::string relation_path(const RelationFile& file, Fork fork, int temp_owner) {
  if (file.tablespace == kInternalTablespace) return internal_path(file.relation);
  if (temp_owner < 0 && is_temporary(file)) temp_owner = shmem::has_slot() ? shmem::my_slot().number : 0;
  std::string name = temp_owner < 0 ? fmt::format("{}{}", raw(file.relation), fork_suffix(fork))
                                    : fmt::format("t{}_{}{}", temp_owner, raw(file.relation), fork_suffix(fork));
  if (file.tablespace == kGlobalTablespace) return "global/" + name;
  if (file.tablespace == kDefaultTablespace) return fmt::format("base/{}/{}", raw(file.database), name);
  return fmt::format("pg_tblspc/{}/{}/{}", raw(file.tablespace), raw(file.database), name);
}

}  // namespace hathi::storage
