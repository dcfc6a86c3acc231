// Functions that tell of the write-ahead log and of pg_control: positions, names of files, the latest checkpoint.

#include <sys/stat.h>

#include <initializer_list>

#include "functions_session.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/datum/record_types.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/file.h"
#include "hathi/wal/log.h"
#include "row_writer.h"

namespace hathi::session {

namespace {

constexpr std::int64_t kPostgresEpoch = 946684800;   // 2000-01-01 in seconds since 1970

Datum time_value(std::int64_t unix_seconds) { return Datum::of((unix_seconds - kPostgresEpoch) * 1000000); }
Datum position_value(Lsn lsn) { return Datum::of(lsn.value()); }

// --- positions ------------------------------------------------------------------------------------------------------------------
Datum current_position(FunctionCall&) { return position_value(wal::written_position()); }
Datum current_insert_position(FunctionCall&) { return position_value(wal::insert_position()); }
Datum current_flush_position(FunctionCall&) { return position_value(wal::flushed_position()); }
// This server never was a standby.
Datum never(FunctionCall& call) { return call.null(); }

Datum replay_is_paused(FunctionCall&) {
  throw SqlError(sqlstate::object_not_in_prerequisite_state, "recovery is not in progress")
      .hint("Recovery control functions can only be executed during recovery.");
}

// A position at the very beginning of a file counts as the end of the file before it.
Lsn last_byte_before(Lsn position) { return Lsn{position.value() - 1}; }

Datum file_name(FunctionCall& call) { return varlena::make(call.arena(), wal::segment_name(last_byte_before(Lsn{call.arg(0).bits()}))); }

// --- rows -----------------------------------------------------------------------------------------------------------------------
struct Field {
  const char* name;
  Oid type;
  Datum value;
};

Datum make_row(FunctionCall& call, std::initializer_list<Field> fields) {
  TupleDescriptor* row = make_descriptor(call.arena(), static_cast<int>(fields.size()));
  std::vector<Datum> values;
  for (const Field& field : fields) {
    Attribute& a = row->attributes[values.size()];
    const catalog::TypeInfo& type = catalog::type_info(field.type);
    a.name = field.name;
    a.type = field.type;
    a.layout = type.layout;
    a.storage = type.storage;
    values.push_back(field.value);
  }
  row->row_type = type_oid::record;
  finish_descriptor(*row);
  row->record_typmod = register_record_type(*row);
  std::vector<char> nulls(values.size(), 0);
  return make_record(*row, values.data(), reinterpret_cast<const bool*>(nulls.data()), call.arena());
}

Field integer(const char* name, std::int32_t value) { return {name, type_oid::int4, Datum::of(value)}; }
Field boolean(const char* name, bool value) { return {name, type_oid::bool_, Datum::of(value)}; }
Field xid(const char* name, std::uint64_t value) { return {name, type_oid::xid, Datum::of(static_cast<std::uint32_t>(value))}; }
Field position(const char* name, Lsn value) { return {name, type_oid::pg_lsn, position_value(value)}; }
Field time(const char* name, std::int64_t unix_seconds) { return {name, type_oid::timestamptz, time_value(unix_seconds)}; }
Field text(FunctionCall& call, const char* name, std::string_view value) { return {name, type_oid::text, varlena::make(call.arena(), value)}; }

Datum file_name_and_offset(FunctionCall& call) {
  Lsn lsn{call.arg(0).bits()};
  return make_row(call, {text(call, "file_name", wal::segment_name(last_byte_before(lsn))),
                         integer("file_offset", static_cast<std::int32_t>(lsn.value() % wal::kWalSegmentSize))});
}

// --- pg_control -----------------------------------------------------------------------------------------------------------------
Datum control_system(FunctionCall& call) {
  wal::ControlInfo c = wal::control_info();
  return make_row(call, {integer("pg_control_version", static_cast<std::int32_t>(c.version)), integer("catalog_version_no", wal::kCatalogVersion),
                         {"system_identifier", type_oid::int8, Datum::of(static_cast<std::int64_t>(c.system_identifier))},
                         time("pg_control_last_modified", c.time)});
}

Datum control_checkpoint(FunctionCall& call) {
  wal::ControlInfo c = wal::control_info();
  const wal::Counters& n = c.counters;
  return make_row(call, {position("checkpoint_lsn", c.checkpoint), position("redo_lsn", c.redo), text(call, "redo_wal_file", wal::segment_name(c.redo)),
                         integer("timeline_id", static_cast<std::int32_t>(c.timeline)), integer("prev_timeline_id", static_cast<std::int32_t>(c.timeline)),
                         boolean("full_page_writes", config::values::full_page_writes),
                         text(call, "next_xid", fmt::format("{}:{}", n.next_xid >> 32, static_cast<std::uint32_t>(n.next_xid))),
                         {"next_oid", type_oid::oid, Datum::of(Oid{n.next_oid})}, xid("next_multixact_id", n.next_multixact),
                         xid("next_multi_offset", n.next_member), xid("oldest_xid", n.oldest_xid), {"oldest_xid_dbid", type_oid::oid, Datum::of(Oid{1})},
                         xid("oldest_active_xid", 0), xid("oldest_multi_xid", 1), {"oldest_multi_dbid", type_oid::oid, Datum::of(Oid{1})},
                         xid("oldest_commit_ts_xid", 0), xid("newest_commit_ts_xid", 0), time("checkpoint_time", c.checkpoint_time)});
}

// Of interest to standbys only.
Datum control_recovery(FunctionCall& call) {
  return make_row(call, {position("min_recovery_end_lsn", kInvalidLsn), integer("min_recovery_end_timeline", 0), position("backup_start_lsn", kInvalidLsn),
                         position("backup_end_lsn", kInvalidLsn), boolean("end_of_backup_record_required", false)});
}

Datum control_init(FunctionCall& call) {
  return make_row(call, {integer("max_data_alignment", 8), integer("database_block_size", kPageSize), integer("blocks_per_segment", storage::kSegmentBlocks),
                         integer("wal_block_size", kPageSize), integer("bytes_per_wal_segment", wal::kWalSegmentSize), integer("max_identifier_length", 64),
                         integer("max_index_columns", 32), integer("max_toast_chunk_size", 1996), integer("large_object_chunk_size", 2048),
                         boolean("float8_pass_by_value", true), integer("data_page_checksum_version", wal::data_checksums() ? 1 : 0)});
}

// --- pg_wal ---------------------------------------------------------------------------------------------------------------------
Datum list_log_files(FunctionCall& call) {
  RowWriter row(call);
  for (const std::string& name : storage::list_directory("pg_wal")) {
    struct stat st;
    // A file may go while we look.
    if (name[0] == '.' || ::stat(("pg_wal/" + name).c_str(), &st) < 0 || !S_ISREG(st.st_mode)) continue;
    row.text(name).value(Datum::of(static_cast<std::int64_t>(st.st_size))).value(time_value(st.st_mtime)).put();
  }
  return Datum();
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{2849}, current_position},
    {Oid{2852}, current_insert_position},
    {Oid{3330}, current_flush_position},
    {Oid{3820}, never},
    {Oid{3821}, never},
    {Oid{3073}, replay_is_paused},
    {Oid{2851}, file_name},
    {Oid{2850}, file_name_and_offset},
    {Oid{3441}, control_system},
    {Oid{3442}, control_checkpoint},
    {Oid{3443}, control_recovery},
    {Oid{3444}, control_init},
    {Oid{3354}, list_log_files, FunctionKind::set_materialize},
};

}  // namespace

std::span<const BuiltinFunction> log_functions() { return kFunctions; }

}  // namespace hathi::session
