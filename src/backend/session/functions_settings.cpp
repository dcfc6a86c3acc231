// Functions behind pg_settings and pg_file_settings; pg_export_snapshot().

#include "functions_session.h"

#include <cerrno>
#include <cstring>

#include "hathi/catalog/lookup.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/protocol/hba.h"
#include "hathi/transaction/snapshot_export.h"
#include "row_writer.h"

namespace hathi::session {

namespace {

constexpr Oid kReadAllSettings{3374};  // the role pg_read_all_settings

bool may_read_all() {
  Oid role = catalog::current_role();
  return catalog::is_superuser(role) || catalog::is_member_of(role, kReadAllSettings);
}

Datum show_all_settings(FunctionCall& call) {
  RowWriter row(call);
  bool all = may_read_all();
  for (const config::Row& s : config::rows()) {
    if (s.superuser_only && !all) continue;
    row.text(s.name).text(s.setting).text_or_null(s.unit).text(s.category).text(s.short_desc).null();
    row.text(s.context).text(s.vartype).text(s.source);
    if (s.has_min_max)
      row.text(s.min_val).text(s.max_val);
    else
      row.null().null();
    if (s.enum_values.empty())
      row.null();
    else
      row.texts(s.enum_values);
    row.text(s.boot_val).text(s.reset_val);
    // Where a setting came from is for those only who may read files.
    if (all && !s.source_file.empty())
      row.text(s.source_file).value(Datum::of(std::int32_t{s.source_line}));
    else
      row.null().null();
    row.value(Datum::of(s.pending_restart)).put();
  }
  return Datum();
}

Datum settings_get_flags(FunctionCall& call) {
  std::string name(call.text(0));
  const config::Definition* d = config::find(name);
  if (d == nullptr) return call.null();
  std::vector<std::string> flags;
  if (d->explain) flags.emplace_back("EXPLAIN");
  if (d->no_reset_all) flags.emplace_back("NO_RESET_ALL");
  if (d->no_show_all) flags.emplace_back("NO_SHOW_ALL");
  if (d->not_in_sample) flags.emplace_back("NOT_IN_SAMPLE");
  if (d->runtime_computed) flags.emplace_back("RUNTIME_COMPUTED");
  return RowWriter::text_array(call.arena(), flags);
}

Datum show_all_file_settings(FunctionCall& call) {
  std::vector<config::FileEntry> entries;
  std::vector<std::string> errors;
  config::parse_file(config::values::config_file, entries, errors);
  config::parse_file(config::values::data_directory + "/postgresql.auto.conf", entries, errors);
  RowWriter row(call);
  std::int32_t number = 0;
  for (const config::FileEntry& entry : entries) {
    const config::Definition* d = config::find(entry.name);
    bool known = d != nullptr || entry.name.find('.') != std::string::npos;
    row.text(entry.file).value(Datum::of(std::int32_t{entry.line})).value(Datum::of(++number)).text(entry.name).text(entry.value);
    row.value(Datum::of(known && errors.empty()));
    if (known)
      row.null();
    else
      row.text("unrecognized configuration parameter");
    row.put();
  }
  for (const std::string& error : errors) {
    row.null().null().value(Datum::of(++number)).null().null().value(Datum::of(false)).text(error).put();
  }
  return Datum();
}

Datum export_snapshot(FunctionCall& call) { return varlena::make(call.arena(), transaction::export_snapshot()); }

Datum hba_file_rules(FunctionCall& call) {
  std::vector<protocol::HbaLine> lines;
  const std::string& path = config::values::hba_file;
  if (!protocol::describe_hba(path, lines)) throw SqlError(sqlstate::undefined_file, "could not open file \"{}\": {}", path, std::strerror(errno));
  RowWriter row(call);
  for (const protocol::HbaLine& line : lines) {
    row.value(Datum::of(std::int32_t{line.number}));
    if (!line.error.empty()) {
      for (int i = 0; i < 7; ++i) row.null();
      row.text(line.error).put();
      continue;
    }
    row.text(line.type).texts(line.databases).texts(line.users).text_or_null(line.address).text_or_null(line.netmask).text(line.method);
    row.null().null().put();
  }
  return Datum();
}

// No names are mapped.
Datum no_rows(FunctionCall&) { return Datum(); }

constexpr BuiltinFunction kFunctions[] = {
    {Oid{3809}, export_snapshot},
    {Oid{3401}, hba_file_rules, FunctionKind::set_materialize},
    {Oid{6250}, no_rows, FunctionKind::set_materialize},
    {Oid{1065}, no_rows, FunctionKind::set_materialize},
    {Oid{6014}, no_rows, FunctionKind::set_materialize},
    {Oid{2084}, show_all_settings, FunctionKind::set_materialize},
    {Oid{3329}, show_all_file_settings, FunctionKind::set_materialize},
    {Oid{6240}, settings_get_flags},
};

}  // namespace

std::span<const BuiltinFunction> settings_functions() { return kFunctions; }

}  // namespace hathi::session
