// About the server, the session and its settings; advisory locks.

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "hathi/wal/log.h"
#include "hathi_version.h"
#include "tables.h"

namespace hathi::types {

namespace {

Datum version(FunctionCall& call) {
  return varlena::make(call.arena(), fmt::format("PostgreSQL {} (Hathi {}) on x86_64-pc-linux-gnu, compiled by gcc {}, 64-bit", HATHI_POSTGRESQL_VERSION,
                                                 HATHI_VERSION, __VERSION__));
}

Datum backend_pid(FunctionCall&) { return Datum::of(std::int32_t{getpid()}); }
Datum is_in_recovery(FunctionCall&) { return Datum::of(wal::in_recovery()); }

Datum show(FunctionCall& call, bool missing_ok) {
  std::string_view name = call.text(0);
  std::optional<std::string> value = config::show(name);
  if (value) return varlena::make(call.arena(), *value);
  if (missing_ok) return call.null();
  throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", name);
}
Datum current_setting(FunctionCall& call) { return show(call, false); }
Datum current_setting_missing_ok(FunctionCall& call) { return show(call, call.arg(1).as_bool()); }

Datum set_config(FunctionCall& call) {
  if (call.args[0].is_null) throw SqlError(sqlstate::null_value_not_allowed, "SET requires parameter name");
  bool superuser = catalog::is_superuser(catalog::session_role());
  std::string name(call.text(0));
  bool local = !call.args[2].is_null && call.arg(2).as_bool();
  if (call.args[1].is_null) config::reset(name, superuser);
  else config::set(name, call.text(1), config::Source::session, local, superuser);
  return varlena::make(call.arena(), config::show(name).value_or(""));
}

Datum type_of_argument(FunctionCall& call) { return Datum::of(call.site->argument_types == nullptr ? kInvalidOid : call.site->argument_types[0]); }

Datum count_nulls(FunctionCall& call, bool wanted) {
  int n = 0;
  if (call.site->variadic_array) {
    if (call.args[0].is_null) return call.null();
    ArrayView array = whole_array(call.arg(0), call.arena());
    for (int i = 0; i < array.count(); ++i) n += array.is_null(i) == wanted ? 1 : 0;
    return Datum::of(std::int32_t{n});
  }
  for (int i = 0; i < call.site->argument_count; ++i) n += call.args[i].is_null == wanted ? 1 : 0;
  return Datum::of(std::int32_t{n});
}
Datum num_nulls(FunctionCall& call) { return count_nulls(call, true); }
Datum num_nonnulls(FunctionCall& call) { return count_nulls(call, false); }

// isolationtester's question: does one of these processes keep that one waiting?
Datum session_is_blocked(FunctionCall& call) {
  std::vector<std::int32_t> blockers = locking::blocking_pids(call.arg(0).as_int32());
  ArrayView interesting = whole_array(call.arg(1), call.arena());
  ArrayCursor cursor(interesting, {4, true, 'i'});
  for (NullableDatum v; cursor.next(v);) {
    if (!v.is_null && std::find(blockers.begin(), blockers.end(), v.value.as_int32()) != blockers.end()) return Datum::of(true);
  }
  return Datum::of(false);
}

Datum blocking_pids_of(FunctionCall& call) {
  std::vector<Datum> pids;
  for (std::int32_t pid : locking::blocking_pids(call.arg(0).as_int32())) pids.push_back(Datum::of(pid));
  if (pids.empty()) return make_empty_array(call.arena(), type_oid::int4);
  return make_array(call.arena(), type_oid::int4, {4, true, 'i'}, pids);
}

Datum txid_current(FunctionCall&) { return Datum::of(transaction::current_xid().value()); }

// --- advisory locks ------------------------------------------------------------------------------------------------------------
locking::LockTag advisory_tag(const FunctionCall& call) {
  Oid database = catalog::current_database();
  if (call.site->argument_count == 1) return locking::LockTag::advisory_tag(database, call.arg(0).as_uint64());
  return locking::LockTag::advisory_tag(database, call.arg(0).as_uint32(), call.arg(1).as_uint32());
}

template <locking::LockMode Mode, bool Session, bool Try>
Datum advisory_lock(FunctionCall& call) {
  locking::ResourceOwner& owner = Session ? transaction::session_owner() : transaction::owner();
  auto result = locking::acquire(owner, advisory_tag(call), Mode, Try);
  return Try ? Datum::of(result != locking::LockResult::not_available) : Datum();
}

template <locking::LockMode Mode>
Datum advisory_unlock(FunctionCall& call) {
  bool held = locking::release(transaction::session_owner(), advisory_tag(call), Mode);
  if (!held) report_warning(sqlstate::warning, "you don't own a lock of type {}", locking::lock_mode_name(Mode));
  return Datum::of(held);
}

Datum advisory_unlock_all(FunctionCall&) {
  transaction::session_owner().release_all();
  return Datum();
}

constexpr auto kExclusive = locking::LockMode::exclusive;
constexpr auto kShare = locking::LockMode::share;
constexpr BuiltinFunction kFunctions[] = {
    {Oid{89}, version}, {Oid{2026}, backend_pid}, {Oid{3810}, is_in_recovery}, {Oid{2077}, current_setting}, {Oid{3294}, current_setting_missing_ok},
    {Oid{2078}, set_config}, {Oid{1619}, type_of_argument}, {Oid{438}, num_nulls},
    {Oid{440}, num_nonnulls}, {Oid{2943}, txid_current}, {Oid{3378}, session_is_blocked}, {Oid{2561}, blocking_pids_of}, {Oid{5059}, txid_current},
    {Oid{2880}, advisory_lock<kExclusive, true, false>}, {Oid{2881}, advisory_lock<kShare, true, false>}, {Oid{2882}, advisory_lock<kExclusive, true, true>},
    {Oid{2883}, advisory_lock<kShare, true, true>}, {Oid{2886}, advisory_lock<kExclusive, true, false>}, {Oid{2887}, advisory_lock<kShare, true, false>},
    {Oid{2888}, advisory_lock<kExclusive, true, true>}, {Oid{2889}, advisory_lock<kShare, true, true>}, {Oid{3089}, advisory_lock<kExclusive, false, false>},
    {Oid{3090}, advisory_lock<kShare, false, false>}, {Oid{3091}, advisory_lock<kExclusive, false, true>}, {Oid{3092}, advisory_lock<kShare, false, true>},
    {Oid{3093}, advisory_lock<kExclusive, false, false>}, {Oid{3094}, advisory_lock<kShare, false, false>}, {Oid{3095}, advisory_lock<kExclusive, false, true>},
    {Oid{3096}, advisory_lock<kShare, false, true>}, {Oid{2884}, advisory_unlock<kExclusive>}, {Oid{2885}, advisory_unlock<kShare>},
    {Oid{2890}, advisory_unlock<kExclusive>}, {Oid{2891}, advisory_unlock<kShare>}, {Oid{2892}, advisory_unlock_all},
};

}  // namespace

std::span<const BuiltinFunction> system_functions() { return kFunctions; }

}  // namespace hathi::types
