// How big relations, databases and tablespaces are, and where their files stand.

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "src/backend/catalog/functions.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;
constexpr Oid kReadAllStats{3375};

bool has_storage(const Relation& r) { return is_valid(r.kind == relation_kind::index ? r.index->btree.file.relation : r.file.relation); }
RelationFile file_of(const Relation& r) { return r.kind == relation_kind::index ? r.index->btree.file : r.file; }

std::int64_t fork_size(const Relation& r, Fork fork) {
  if (!has_storage(r) || !buffer::fork_exists(file_of(r), fork)) return 0;
  return static_cast<std::int64_t>(buffer::block_count(file_of(r), fork).value()) * static_cast<std::int64_t>(kPageSize);
}

std::int64_t all_forks(const Relation& r) {
  std::int64_t sum = 0;
  for (int fork = 0; fork < kForkCount; ++fork) sum += fork_size(r, static_cast<Fork>(fork));
  return sum;
}

std::int64_t indexes_size(const Relation& r) {
  std::int64_t sum = 0;
  for (const IndexDescriptor* index : r.indexes) {
    if (RelationRef opened = try_open_relation(index->oid, kRead)) sum += all_forks(*opened);
  }
  return sum;
}

std::int64_t table_size(const Relation& r) {
  std::int64_t sum = all_forks(r);
  if (!is_valid(r.heap.toast_table)) return sum;
  RelationRef toast = try_open_relation(r.heap.toast_table, kRead);
  return toast ? sum + all_forks(*toast) + indexes_size(*toast) : sum;
}

Fork fork_by_name(std::string_view name) {
  if (name == "main") return Fork::main;
  if (name == "fsm") return Fork::free_space;
  if (name == "vm") return Fork::visibility;
  if (name == "init") return Fork::init;
  throw SqlError(sqlstate::invalid_parameter_value, "invalid fork name").hint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".");
}

// Opens the relation given by OID; absent when it is gone (the functions then give NULL).
RelationRef open_argument(FunctionCall& call) { return try_open_relation(call.arg(0).as_oid(), kRead); }

Datum relation_size(FunctionCall& call) {
  RelationRef r = open_argument(call);
  if (!r) return call.null();
  return Datum::of(fork_size(*r, call.site->argument_count > 1 ? fork_by_name(call.text(1)) : Fork::main));
}
Datum relation_table_size(FunctionCall& call) {
  RelationRef r = open_argument(call);
  return r ? Datum::of(table_size(*r)) : call.null();
}
Datum relation_indexes_size(FunctionCall& call) {
  RelationRef r = open_argument(call);
  return r ? Datum::of(indexes_size(*r)) : call.null();
}
Datum relation_total_size(FunctionCall& call) {
  RelationRef r = open_argument(call);
  return r ? Datum::of(table_size(*r) + indexes_size(*r)) : call.null();
}

Datum relation_filenode(FunctionCall& call) {
  RelationRef r = try_open_relation(call.arg(0).as_oid(), locking::LockMode::none);
  return r && has_storage(*r) ? Datum::of(file_of(*r).relation) : call.null();
}

Datum relation_file_path(FunctionCall& call) {
  RelationRef r = try_open_relation(call.arg(0).as_oid(), locking::LockMode::none);
  if (!r || !has_storage(*r)) return call.null();
  int owner = r->persistence == 't' && shmem::has_slot() ? shmem::my_slot().number : -1;
  return text_result(call, storage::relation_path(file_of(*r), Fork::main, owner));
}

Datum filenode_relation(FunctionCall& call) {
  Oid tablespace = call.arg(0).as_oid();
  if (tablespace == current_database_tablespace()) tablespace = kInvalidOid;
  auto row = CatalogTable(catalog_oid::pg_class, kRead)
                 .find({{pg_class::reltablespace, Datum::of(tablespace)}, {pg_class::relfilenode, call.arg(1)}}, call.arena());
  return row ? row->get(pg_class::oid) : call.null();
}

std::int64_t directory_size(const std::string& path) {
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) return 0;
  ScopeExit close_directory([directory] { closedir(directory); });
  std::int64_t sum = 0;
  while (const dirent* entry = readdir(directory)) {
    check_interrupts();
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat st{};
    std::string file = path + "/" + entry->d_name;
    if (stat(file.c_str(), &st) < 0) continue;
    sum += S_ISDIR(st.st_mode) ? directory_size(file) : st.st_size;
  }
  return sum;
}

std::int64_t database_directories(Oid database) {
  std::string number = std::to_string(raw(database));
  std::int64_t sum = directory_size("base/" + number);
  if (DIR* directory = opendir("pg_tblspc")) {
    ScopeExit close_directory([directory] { closedir(directory); });
    while (const dirent* entry = readdir(directory)) {
      if (entry->d_name[0] != '.') sum += directory_size(std::string("pg_tblspc/") + entry->d_name + "/" + number);
    }
  }
  return sum;
}

void require_connect(const DatabaseInfo& database) {
  if (object_privileges(catalog_oid::pg_database, database.oid, current_role(), nodes::kAclConnect) == 0 &&
      !is_member_of(current_role(), kReadAllStats)) {
    throw_permission_denied("database", database.name);
  }
}

Datum database_size(FunctionCall& call) {
  auto database = find_database(call.arg(0).as_oid());
  if (!database) return call.null();
  require_connect(*database);
  return Datum::of(database_directories(database->oid));
}
Datum database_size_name(FunctionCall& call) {
  std::string_view name = name_text(call.arg(0));
  auto database = find_database(name);
  if (!database) throw SqlError(sqlstate::undefined_database, "database \"{}\" does not exist", name);
  require_connect(*database);
  return Datum::of(database_directories(database->oid));
}

std::optional<std::int64_t> tablespace_bytes(Oid tablespace) {
  if (tablespace != current_database_tablespace() && !is_member_of(current_role(), kReadAllStats) &&
      object_privileges(catalog_oid::pg_tablespace, tablespace, current_role(), nodes::kAclCreate) == 0) {
    throw_permission_denied("tablespace", std::to_string(raw(tablespace)));
  }
  if (tablespace == storage::kDefaultTablespace) return directory_size("base");
  if (tablespace == storage::kGlobalTablespace) return directory_size("global");
  std::string path = "pg_tblspc/" + std::to_string(raw(tablespace));
  if (access(path.c_str(), F_OK) < 0) return std::nullopt;
  return directory_size(path);
}
Datum tablespace_size(FunctionCall& call) {
  auto size = tablespace_bytes(call.arg(0).as_oid());
  return size ? Datum::of(*size) : call.null();
}
Datum tablespace_size_name(FunctionCall& call) {
  std::string_view name = name_text(call.arg(0));
  auto row = CatalogTable(catalog_oid::pg_tablespace, kRead).find({{pg_tablespace::spcname, call.arg(0)}}, call.arena());
  if (!row) throw SqlError(sqlstate::undefined_object, "tablespace \"{}\" does not exist", name);
  auto size = tablespace_bytes(row->get(pg_tablespace::oid).as_oid());
  return size ? Datum::of(*size) : call.null();
}

Datum tablespace_location(FunctionCall& call) {
  Oid tablespace = call.arg(0).as_oid();
  if (!is_valid(tablespace)) tablespace = current_database_tablespace();
  if (tablespace == storage::kDefaultTablespace || tablespace == storage::kGlobalTablespace) return text_result(call, "");
  std::string path = "pg_tblspc/" + std::to_string(raw(tablespace));
  char target[4096];
  ssize_t n = readlink(path.c_str(), target, sizeof(target));
  if (n >= 0) return text_result(call, {target, static_cast<std::size_t>(n)});
  if (errno == EINVAL) return text_result(call, path);  // a directory of its own
  throw SqlError(errno == ENOENT ? sqlstate::undefined_file : sqlstate::io_error, "could not stat file \"{}\": {}", path, std::strerror(errno));
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{2325}, relation_size}, {Oid{2332}, relation_size}, {Oid{2997}, relation_table_size}, {Oid{2998}, relation_indexes_size},
    {Oid{2286}, relation_total_size}, {Oid{2999}, relation_filenode}, {Oid{3034}, relation_file_path}, {Oid{3454}, filenode_relation},
    {Oid{2324}, database_size}, {Oid{2168}, database_size_name}, {Oid{2322}, tablespace_size}, {Oid{2323}, tablespace_size_name},
    {Oid{3778}, tablespace_location},
};

}  // namespace

std::span<const BuiltinFunction> size_functions() { return kFunctions; }

}  // namespace hathi::catalog
