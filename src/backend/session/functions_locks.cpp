// Functions behind pg_locks and pg_blocking_pids.

#include <algorithm>

#include "functions_session.h"
#include "hathi/error/sql_error.h"
#include "hathi/locking/lock_table.h"
#include "row_writer.h"

namespace hathi::session {

namespace {

using locking::LockTagKind;

Datum number(std::uint32_t value) { return Datum::of(static_cast<std::int32_t>(value)); }

// Columns database … objsubid: which are shown depends on the kind.
void write_tag(RowWriter& row, const locking::LockTag& tag) {
  Datum database = Datum::of(Oid{tag.database}), relation = Datum::of(Oid{tag.relation});
  switch (tag.kind) {
    case LockTagKind::relation:
    case LockTagKind::extend:
    case LockTagKind::subtree: row.value(database).value(relation).null().null().null().null().null().null().null(); break;
    case LockTagKind::database_frozen_ids: row.value(database).null().null().null().null().null().null().null().null(); break;
    case LockTagKind::page: row.value(database).value(relation).value(number(tag.block)).null().null().null().null().null().null(); break;
    case LockTagKind::tuple:
      row.value(database).value(relation).value(number(tag.block)).value(Datum::of(static_cast<std::int16_t>(tag.offset)));
      row.null().null().null().null().null();
      break;
    case LockTagKind::transaction: row.null().null().null().null().null().value(Datum::of(tag.block)).null().null().null(); break;
    case LockTagKind::virtual_transaction:
      row.null().null().null().null().text(fmt::format("{}/{}", tag.relation, static_cast<std::uint64_t>(tag.extra) << 32 | tag.block));
      row.null().null().null().null();
      break;
    case LockTagKind::speculative_token:
      row.null().null().null().null().null().value(Datum::of(tag.block)).null().value(Datum::of(Oid{tag.extra})).null();
      break;
    case LockTagKind::object:
    case LockTagKind::user:
    case LockTagKind::advisory:
      row.value(database).null().null().null().null().null().value(relation).value(Datum::of(Oid{tag.block}));
      row.value(Datum::of(static_cast<std::int16_t>(tag.offset)));
      break;
  }
}

Datum lock_status(FunctionCall& call) {
  RowWriter row(call);
  for (const locking::LockStatus& lock : locking::lock_status()) {
    row.text(locking::lock_kind_name(lock.tag.kind));
    write_tag(row, lock.tag);
    row.text(fmt::format("{}/{}", lock.slot, lock.virtual_xact)).value(Datum::of(lock.pid));
    row.text(locking::lock_mode_name(lock.mode))
        .value(Datum::of(lock.granted))
        .value(Datum::of(lock.fast_path))
        .time(lock.wait_start_us)
        .put();
  }
  return Datum();
}

Datum pid_array(FunctionCall& call, const std::vector<std::int32_t>& pids) {
  std::vector<Datum> datums;
  for (std::int32_t pid : pids) datums.push_back(Datum::of(pid));
  return types::make_array(call.arena(), type_oid::int4, TypeLayout{4, true, 'i'}, datums);
}

Datum blocking_pids(FunctionCall& call) { return pid_array(call, locking::blocking_pids(call.arg(0).as_int32())); }
// Nobody waits for a safe snapshot: SERIALIZABLE is not there.
Datum safe_snapshot_blocking_pids(FunctionCall& call) { return pid_array(call, {}); }

// Is the session held up by one of those the test runs?
Datum isolation_test_session_is_blocked(FunctionCall& call) {
  std::vector<std::int32_t> blockers = locking::blocking_pids(call.arg(0).as_int32());
  types::ArrayView interesting(varlena::aligned(call.arg(1), call.arena()));
  types::ArrayCursor cursor(interesting, TypeLayout{4, true, 'i'});
  NullableDatum element;
  while (cursor.next(element)) {
    if (!element.is_null && std::find(blockers.begin(), blockers.end(), element.value.as_int32()) != blockers.end()) return Datum::of(true);
  }
  return Datum::of(false);
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{1371}, lock_status, FunctionKind::set_materialize},
    {Oid{2561}, blocking_pids},
    {Oid{3376}, safe_snapshot_blocking_pids},
    {Oid{3378}, isolation_test_session_is_blocked},
};

}  // namespace

std::span<const BuiltinFunction> lock_functions() { return kFunctions; }

}  // namespace hathi::session
