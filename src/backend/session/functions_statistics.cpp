// Functions behind pg_stat_database, pg_stat_…_tables, pg_stat_…_indexes, pg_statio_…, pg_stat_bgwriter and pg_stat_reset….

#include <chrono>

#include "functions_session.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/statistics/shared.h"
#include "hathi/transaction/transaction.h"
#include "row_writer.h"

namespace hathi::session {

namespace {

using statistics::DatabaseEvent;
using statistics::ServerEvent;

// --- relations ------------------------------------------------------------------------------------------------------------------
// Counts are kept by the database of the relation's file: 0 for what all databases share.
statistics::Relation relation_statistics(Oid oid) {
  if (auto found = statistics::read_relation(oid, catalog::current_database())) return *found;
  return statistics::read_relation(oid, kInvalidOid).value_or(statistics::Relation{});
}

statistics::Relation page_statistics(Oid oid) {
  catalog::RelationRef relation = catalog::try_open_relation(oid, locking::LockMode::none);
  if (!relation) return {};
  return statistics::read_file(relation->file.relation, relation->file.database).value_or(statistics::Relation{});
}

template <auto Get>
Datum relation_value(FunctionCall& call) {
  return Datum::of(static_cast<std::int64_t>(Get(relation_statistics(call.arg(0).as_oid()))));
}
template <auto Get>
Datum page_value(FunctionCall& call) {
  return Datum::of(static_cast<std::int64_t>(Get(page_statistics(call.arg(0).as_oid()))));
}
template <auto Get>
Datum relation_time(FunctionCall& call) {
  std::int64_t time = Get(relation_statistics(call.arg(0).as_oid()));
  return time == 0 ? call.null() : Datum::of(time);
}

using R = statistics::Relation;
constexpr auto kScans = [](const R& r) { return r.counts.scans; };
constexpr auto kReturned = [](const R& r) { return r.counts.rows_returned; };
constexpr auto kFetched = [](const R& r) { return r.counts.rows_fetched; };
constexpr auto kInserted = [](const R& r) { return r.counts.inserted; };
constexpr auto kUpdated = [](const R& r) { return r.counts.updated; };
constexpr auto kRemoved = [](const R& r) { return r.counts.removed; };
constexpr auto kHotUpdated = [](const R& r) { return r.counts.hot_updated; };
constexpr auto kLive = [](const R& r) { return r.live; };
constexpr auto kDead = [](const R& r) { return r.dead; };
constexpr auto kChanged = [](const R& r) { return r.changed_since_analyze; };
constexpr auto kInsertedSinceVacuum = [](const R& r) { return r.inserted_since_vacuum; };
constexpr auto kVacuums = [](const R& r) { return r.vacuums; };
constexpr auto kAnalyzes = [](const R& r) { return r.analyzes; };
constexpr auto kLastVacuum = [](const R& r) { return r.last_vacuum; };
constexpr auto kLastAnalyze = [](const R& r) { return r.last_analyze; };
constexpr auto kPagesFetched = [](const R& r) { return r.pages_fetched; };
constexpr auto kPagesHit = [](const R& r) { return r.pages_hit; };

// There is no autovacuum, no user-made function that is counted, no standby: nothing has happened.
Datum never(FunctionCall& call) { return call.null(); }
Datum zero(FunctionCall&) { return Datum::of(std::int64_t{0}); }
Datum zero_float(FunctionCall&) { return Datum::of(0.0); }

// --- the running transaction: what is not flushed yet ------------------------------------------------------------------------------
template <auto Get>
Datum own_value(FunctionCall& call) {
  Oid oid = call.arg(0).as_oid();
  catalog::RelationRef relation = catalog::try_open_relation(oid, locking::LockMode::none);
  if (!relation) return Datum::of(std::int64_t{0});
  return Datum::of(static_cast<std::int64_t>(Get(statistics::relation(oid, relation->file.database))));
}
using P = statistics::PendingRelation;

// --- databases --------------------------------------------------------------------------------------------------------------------
statistics::Database database_statistics(FunctionCall& call) {
  return statistics::read_database(call.arg(0).as_oid()).value_or(statistics::Database{});
}

template <DatabaseEvent Event>
Datum database_event(FunctionCall& call) {
  return Datum::of(static_cast<std::int64_t>(database_statistics(call).events[static_cast<int>(Event)]));
}
template <DatabaseEvent Event>
Datum database_milliseconds(FunctionCall& call) {
  return Datum::of(static_cast<double>(database_statistics(call).events[static_cast<int>(Event)]) / 1000.0);
}
template <auto Member>
Datum database_rows(FunctionCall& call) { return Datum::of(static_cast<std::int64_t>(database_statistics(call).rows.*Member)); }
Datum database_pages_fetched(FunctionCall& call) { return Datum::of(static_cast<std::int64_t>(database_statistics(call).pages_fetched)); }
Datum database_pages_hit(FunctionCall& call) { return Datum::of(static_cast<std::int64_t>(database_statistics(call).pages_hit)); }
Datum database_reset_time(FunctionCall& call) {
  std::int64_t time = database_statistics(call).reset_time;
  return time == 0 ? call.null() : Datum::of(time);
}
Datum database_backends(FunctionCall& call) {
  std::int32_t count = 0;
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const shmem::ProcessSlot& slot = shmem::slot(i);
    bool is_session = slot.in_use.load() != 0 && slot.kind == shmem::ProcessKind::backend && slot.admitted.load() != 0;
    count += is_session && slot.database.load() == raw(call.arg(0).as_oid()) ? 1 : 0;
  }
  return Datum::of(count);
}

// --- the server ---------------------------------------------------------------------------------------------------------------------
template <ServerEvent Event>
Datum server_event(FunctionCall&) { return Datum::of(static_cast<std::int64_t>(statistics::read_server(Event))); }
template <ServerEvent Event>
Datum server_milliseconds(FunctionCall&) { return Datum::of(static_cast<double>(statistics::read_server(Event))); }
Datum checkpoints_reset_time(FunctionCall&) { return Datum::of(statistics::reset_time(statistics::ResetTarget::checkpoints)); }

// Nothing is archived: a row of zeroes.
Datum archiver(FunctionCall& call) {
  constexpr Oid kTypes[] = {type_oid::int8, type_oid::text,        type_oid::timestamptz, type_oid::int8,
                            type_oid::text, type_oid::timestamptz, type_oid::timestamptz};
  constexpr const char* kNames[] = {"archived_count",  "last_archived_wal", "last_archived_time", "failed_count",
                                    "last_failed_wal", "last_failed_time",  "stats_reset"};
  constexpr int kCount = 7;
  TupleDescriptor* row = make_descriptor(call.arena(), kCount);
  for (int i = 0; i < kCount; ++i) {
    Attribute& a = row->attributes[static_cast<std::size_t>(i)];
    const catalog::TypeInfo& type = catalog::type_info(kTypes[i]);
    a.name = kNames[i];
    a.type = kTypes[i];
    a.layout = type.layout;
    a.storage = type.storage;
  }
  row->row_type = type_oid::record;
  finish_descriptor(*row);
  Datum values[kCount] = {
      Datum::of(std::int64_t{0}), {}, {}, Datum::of(std::int64_t{0}), {}, {}, Datum::of(statistics::reset_time(statistics::ResetTarget::archiver))};
  bool nulls[kCount] = {false, true, true, false, true, true, false};
  return make_record(*row, values, nulls, call.arena());
}
Datum nothing(FunctionCall&) { return Datum(); }

// --- reset ----------------------------------------------------------------------------------------------------------------------
Datum reset_all(FunctionCall&) {
  statistics::flush(true);
  statistics::reset_database(catalog::current_database());
  return Datum();
}

Datum reset_shared(FunctionCall& call) {
  std::string_view target = varlena::text(call.arg(0), call.arena());
  if (target == "bgwriter") statistics::reset_server(statistics::ResetTarget::checkpoints);
  else if (target == "wal") statistics::reset_server(statistics::ResetTarget::wal);
  else if (target == "archiver") statistics::reset_server(statistics::ResetTarget::archiver);
  else if (target == "recovery_prefetch") statistics::reset_server(statistics::ResetTarget::recovery_prefetch);
  else {
    throw SqlError(sqlstate::invalid_parameter_value, "unrecognized reset target: \"{}\"", target)
        .hint("Target must be \"archiver\", \"bgwriter\", \"recovery_prefetch\", or \"wal\".");
  }
  return Datum();
}

Datum reset_table(FunctionCall& call) {
  statistics::flush(true);
  statistics::reset_relation(call.arg(0).as_oid(), catalog::current_database());
  statistics::reset_relation(call.arg(0).as_oid(), kInvalidOid);
  return Datum();
}

Datum force_flush(FunctionCall&) {
  statistics::flush(true);
  return Datum();
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{1928}, relation_value<kScans>},
    {Oid{1929}, relation_value<kReturned>},
    {Oid{1930}, relation_value<kFetched>},
    {Oid{1931}, relation_value<kInserted>},
    {Oid{1932}, relation_value<kUpdated>},
    {Oid{1933}, relation_value<kRemoved>},
    {Oid{1972}, relation_value<kHotUpdated>},
    {Oid{2878}, relation_value<kLive>},
    {Oid{2879}, relation_value<kDead>},
    {Oid{3177}, relation_value<kChanged>},
    {Oid{5053}, relation_value<kInsertedSinceVacuum>},
    {Oid{3054}, relation_value<kVacuums>},
    {Oid{3056}, relation_value<kAnalyzes>},
    {Oid{3055}, zero},
    {Oid{3057}, zero},
    {Oid{2781}, relation_time<kLastVacuum>},
    {Oid{2783}, relation_time<kLastAnalyze>},
    {Oid{2782}, never},
    {Oid{2784}, never},
    {Oid{1934}, page_value<kPagesFetched>},
    {Oid{1935}, page_value<kPagesHit>},
    {Oid{3037}, own_value<[](const P& p) { return p.counts.scans; }>},
    {Oid{3038}, own_value<[](const P& p) { return p.counts.rows_returned; }>},
    {Oid{3039}, own_value<[](const P& p) { return p.counts.rows_fetched; }>},
    {Oid{3040}, own_value<[](const P& p) { return p.open_inserted; }>},
    {Oid{3041}, own_value<[](const P& p) { return p.open_updated; }>},
    {Oid{3042}, own_value<[](const P& p) { return p.open_removed; }>},
    {Oid{3043}, own_value<[](const P& p) { return p.counts.hot_updated; }>},
    {Oid{2978}, never},
    {Oid{2979}, never},
    {Oid{2980}, never},
    {Oid{3046}, never},
    {Oid{3047}, never},
    {Oid{3048}, never},
    {Oid{1941}, database_backends},
    {Oid{1942}, database_event<DatabaseEvent::commit>},
    {Oid{1943}, database_event<DatabaseEvent::rollback>},
    {Oid{1944}, database_pages_fetched},
    {Oid{1945}, database_pages_hit},
    {Oid{2758}, database_rows<&statistics::RelationCounts::rows_returned>},
    {Oid{2759}, database_rows<&statistics::RelationCounts::rows_fetched>},
    {Oid{2760}, database_rows<&statistics::RelationCounts::inserted>},
    {Oid{2761}, database_rows<&statistics::RelationCounts::updated>},
    {Oid{2762}, database_rows<&statistics::RelationCounts::removed>},
    {Oid{2844}, zero_float},
    {Oid{2845}, zero_float},
    {Oid{3065}, zero},
    {Oid{3066}, zero},
    {Oid{3067}, zero},
    {Oid{3068}, zero},
    {Oid{3069}, zero},
    {Oid{3070}, zero},
    {Oid{3426}, zero},
    {Oid{3428}, never},
    {Oid{3074}, database_reset_time},
    {Oid{3150}, database_event<DatabaseEvent::temp_file>},
    {Oid{3151}, database_event<DatabaseEvent::temp_byte>},
    {Oid{3152}, database_event<DatabaseEvent::deadlock>},
    {Oid{6185}, database_milliseconds<DatabaseEvent::session_microsecond>},
    {Oid{6186}, database_milliseconds<DatabaseEvent::active_microsecond>},
    {Oid{6187}, database_milliseconds<DatabaseEvent::idle_in_transaction_microsecond>},
    {Oid{6188}, database_event<DatabaseEvent::session>},
    {Oid{6189}, database_event<DatabaseEvent::session_abandoned>},
    {Oid{6190}, database_event<DatabaseEvent::session_fatal>},
    {Oid{6191}, database_event<DatabaseEvent::session_killed>},
    {Oid{2769}, server_event<ServerEvent::checkpoint_timed>},
    {Oid{2770}, server_event<ServerEvent::checkpoint_requested>},
    {Oid{2771}, server_event<ServerEvent::pages_written_by_checkpoint>},
    {Oid{2772}, server_event<ServerEvent::pages_written_by_cleaner>},
    {Oid{2773}, server_event<ServerEvent::cleaner_stopped>},
    {Oid{2775}, server_event<ServerEvent::pages_written_by_backend>},
    {Oid{3063}, server_event<ServerEvent::fsyncs_by_backend>},
    {Oid{2859}, server_event<ServerEvent::pages_allocated>},
    {Oid{3160}, server_milliseconds<ServerEvent::checkpoint_write_ms>},
    {Oid{3161}, server_milliseconds<ServerEvent::checkpoint_sync_ms>},
    {Oid{3075}, checkpoints_reset_time},
    {Oid{3195}, archiver},
    {Oid{3099}, nothing, FunctionKind::set_materialize},
    {Oid{3317}, never},
    {Oid{3318}, nothing, FunctionKind::set_materialize},
    {Oid{6118}, nothing, FunctionKind::set_materialize},
    {Oid{2274}, reset_all},
    {Oid{3775}, reset_shared},
    {Oid{3776}, reset_table},
    {Oid{2137}, force_flush},
    {Oid{3788}, never},
};

}  // namespace

std::span<const BuiltinFunction> statistics_functions() { return kFunctions; }

}  // namespace hathi::session
