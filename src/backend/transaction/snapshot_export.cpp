#include "hathi/transaction/snapshot_export.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "hathi/error/sql_error.h"
#include "hathi/locking/lock_table.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "shared.h"
#include "snapshot_export.h"
#include "state.h"

namespace hathi::transaction {

namespace {

constexpr const char* kDirectory = "pg_snapshots";
constexpr std::size_t kLongestFile = 64u << 20;

struct Lent {
  std::string path;
  SnapshotRef snapshot;
};
std::vector<Lent>& lent() {
  static std::vector<Lent> list;
  return list;
}

// A line "key:number" a field, then the running xids.
struct Record {
  std::uint64_t slot = 0, local = 0, pid = 0, database = 0, xmin = 0, xmax = 0, subtransactions = 0;
  std::vector<Xid> running;
};

std::string to_text(const Record& r) {
  std::string out = fmt::format("slot:{}\nlocal:{}\npid:{}\ndatabase:{}\nxmin:{}\nxmax:{}\nsubtransactions:{}\n", r.slot, r.local, r.pid, r.database, r.xmin,
                                r.xmax, r.subtransactions);
  for (Xid xid : r.running) out += fmt::format("xid:{}\n", xid.value());
  return out;
}

bool take_line(std::string_view& text, std::string_view key, std::uint64_t& value) {
  if (!text.starts_with(key) || text.size() <= key.size() || text[key.size()] != ':') return false;
  const char* begin = text.data() + key.size() + 1;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop == end || *stop != '\n') return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return true;
}

bool from_text(std::string_view text, Record& r) {
  bool ok = take_line(text, "slot", r.slot) && take_line(text, "local", r.local) && take_line(text, "pid", r.pid) && take_line(text, "database", r.database) &&
            take_line(text, "xmin", r.xmin) && take_line(text, "xmax", r.xmax) && take_line(text, "subtransactions", r.subtransactions);
  std::uint64_t xid = 0;
  while (ok && !text.empty()) {
    ok = take_line(text, "xid", xid);
    if (ok) r.running.push_back(Xid{xid});
  }
  return ok && r.xmin <= r.xmax && std::is_sorted(r.running.begin(), r.running.end());
}

void write_file(const std::string& path, const std::string& text) {
  int fd = storage::file_system().open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) storage::throw_file_error("create", path, errno);
  std::int64_t n = storage::file_system().write(fd, reinterpret_cast<const std::byte*>(text.data()), text.size(), 0);
  int error = n < 0 ? errno : ENOSPC;
  storage::file_system().close(fd);
  if (n != static_cast<std::int64_t>(text.size())) {
    storage::file_system().unlink(path.c_str());
    storage::throw_file_error("write", path, error);
  }
}

// False when there is none.
bool read_file(const std::string& path, std::string& text) {
  int fd = storage::file_system().open(path.c_str(), O_RDONLY, 0);
  if (fd < 0) return false;
  std::int64_t size = storage::file_system().size(fd);
  bool ok = size >= 0 && static_cast<std::size_t>(size) <= kLongestFile;
  if (ok) {
    text.resize(static_cast<std::size_t>(size));
    ok = storage::file_system().read(fd, reinterpret_cast<std::byte*>(text.data()), text.size(), 0) == size;
  }
  storage::file_system().close(fd);
  return ok;
}

bool lender_lives(const Record& r) {
  if (r.slot >= static_cast<std::uint64_t>(shmem::slot_count())) return false;
  const shmem::ProcessSlot& slot = shmem::slot(static_cast<int>(r.slot));
  return slot.in_use.load() != 0 && static_cast<std::uint64_t>(slot.pid.load()) == r.pid && locking::virtual_number(slot.virtual_xact.load()) == r.local;
}

[[noreturn]] void invalid_name(std::string_view name) {
  throw SqlError(sqlstate::invalid_parameter_value, "invalid snapshot identifier: \"{}\"", name);
}

}  // namespace

std::string export_snapshot() {
  if (nesting_level() > 1) throw SqlError(sqlstate::active_sql_transaction, "cannot export a snapshot from a subtransaction");
  SnapshotRef snapshot = statement_snapshot();
  Record r;
  const shmem::ProcessSlot& me = shmem::my_slot();
  r.slot = static_cast<std::uint64_t>(me.number);
  r.local = locking::virtual_number(me.virtual_xact.load());
  r.pid = static_cast<std::uint64_t>(me.pid.load());
  r.database = me.database.load();
  r.xmin = snapshot->xmin.value();
  r.xmax = snapshot->xmax.value();
  r.subtransactions = snapshot->may_have_subtransactions ? 1 : 0;
  r.running.assign(snapshot->running, snapshot->running + snapshot->running_count);
  // For others this transaction is one that runs.
  if (Xid top = top_xid_if_any(); top != kInvalidXid && top < snapshot->xmax) {
    r.running.insert(std::upper_bound(r.running.begin(), r.running.end(), top), top);
    r.xmin = std::min(r.xmin, top.value());
    if (state().live.size() > 1) r.subtransactions = 1;
  }
  std::string name = fmt::format("{:08X}-{:08X}-{}", me.number, r.local, lent().size() + 1);
  std::string path = fmt::format("{}/{}", kDirectory, name);
  write_file(path, to_text(r));
  lent().push_back({path, std::move(snapshot)});
  return name;
}

void import_snapshot(std::string_view name) {
  if (state().first_snapshot_taken || nesting_level() > 1) {
    throw SqlError(sqlstate::active_sql_transaction, "SET TRANSACTION SNAPSHOT must be called before any query");
  }
  if (isolation() < Isolation::repeatable_read) {
    throw SqlError(sqlstate::feature_not_supported, "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ");
  }
  if (name.empty() || name.find_first_not_of("0123456789ABCDEF-") != std::string_view::npos) invalid_name(name);
  std::string text;
  if (!read_file(fmt::format("{}/{}", kDirectory, name), text)) invalid_name(name);
  Record r;
  if (!from_text(text, r)) throw SqlError(sqlstate::invalid_text_representation, "invalid snapshot data in file \"{}/{}\"", kDirectory, name);
  if (r.database != shmem::my_slot().database.load()) throw SqlError(sqlstate::feature_not_supported, "cannot import a snapshot from a different database");
  adopt_transaction_snapshot(Xid{r.xmin}, Xid{r.xmax}, std::move(r.running), r.subtransactions != 0);
  // Our xmin is published: who computes a horizon meanwhile looks again. While the lender lives it has kept every row that we need.
  shared->imports.fetch_add(1, std::memory_order_seq_cst);
  if (lender_lives(r)) {
    state().first_snapshot_taken = true;
    return;
  }
  forget_transaction_snapshot();
  throw SqlError(sqlstate::object_not_in_prerequisite_state, "could not import the requested snapshot")
      .detail(fmt::format("The source process with PID {} is not running anymore.", r.pid));
}

void forget_exported_snapshots() {
  if (lent().empty()) return;
  for (const Lent& l : lent()) storage::file_system().unlink(l.path.c_str());
  lent().clear();
}

}  // namespace hathi::transaction
