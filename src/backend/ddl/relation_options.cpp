// WITH (…) of tables and indexes, tablespaces, persistence.

#include <algorithm>
#include <charconv>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/session_settings.h"
#include "hathi/parser/parser.h"
#include "hathi/storage/file.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;

enum class OptionType : std::uint8_t { integer, real, boolean, enumeration };
struct KnownOption {
  std::string_view name;
  std::string_view kinds;      // relation kinds that take it
  OptionType type;
  double min = 0, max = 0;
  std::string_view values = {};
};

constexpr KnownOption kOptions[] = {
    {"fillfactor", "rm", OptionType::integer, 10, 100},
    {"fillfactor", "iI", OptionType::integer, 10, 100},
    {"deduplicate_items", "iI", OptionType::boolean},
    {"vacuum_cleanup_index_scale_factor", "iI", OptionType::real, 0, 1e10},
    {"parallel_workers", "rm", OptionType::integer, 0, 1024},
    {"toast_tuple_target", "rm", OptionType::integer, 128, 8160},
    {"autovacuum_enabled", "rmt", OptionType::boolean},
    {"autovacuum_vacuum_threshold", "rmt", OptionType::integer, 0, 2147483647},
    {"autovacuum_vacuum_insert_threshold", "rmt", OptionType::integer, -1, 2147483647},
    {"autovacuum_analyze_threshold", "rm", OptionType::integer, 0, 2147483647},
    {"autovacuum_vacuum_cost_limit", "rmt", OptionType::integer, 1, 10000},
    {"autovacuum_vacuum_cost_delay", "rmt", OptionType::real, 0, 100},
    {"autovacuum_freeze_min_age", "rmt", OptionType::integer, 0, 1000000000},
    {"autovacuum_freeze_max_age", "rmt", OptionType::integer, 100000, 2000000000},
    {"autovacuum_freeze_table_age", "rmt", OptionType::integer, 0, 2000000000},
    {"autovacuum_multixact_freeze_min_age", "rmt", OptionType::integer, 0, 1000000000},
    {"autovacuum_multixact_freeze_max_age", "rmt", OptionType::integer, 10000, 2000000000},
    {"autovacuum_multixact_freeze_table_age", "rmt", OptionType::integer, 0, 2000000000},
    {"autovacuum_vacuum_scale_factor", "rmt", OptionType::real, 0, 100},
    {"autovacuum_vacuum_insert_scale_factor", "rmt", OptionType::real, 0, 100},
    {"autovacuum_analyze_scale_factor", "rm", OptionType::real, 0, 100},
    {"log_autovacuum_min_duration", "rmt", OptionType::integer, -1, 2147483647},
    {"vacuum_index_cleanup", "rmt", OptionType::enumeration, 0, 0, "auto on off true false yes no 1 0"},
    {"vacuum_truncate", "rmt", OptionType::boolean},
    {"user_catalog_table", "rm", OptionType::boolean},
    {"security_barrier", "v", OptionType::boolean},
    {"security_invoker", "v", OptionType::boolean},
    {"check_option", "v", OptionType::enumeration, 0, 0, "local cascaded"},
};

const KnownOption* find_option(std::string_view name, char relation_kind) {
  for (const KnownOption& o : kOptions) {
    if (o.name == name && o.kinds.find(relation_kind) != std::string_view::npos) return &o;
  }
  return nullptr;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_boolean(const std::string& text) {
  std::string t = lower(text);
  auto prefix = [&](std::string_view full, std::size_t least) { return t.size() >= least && full.starts_with(t); };
  return prefix("true", 1) || prefix("false", 1) || prefix("yes", 1) || prefix("no", 1) || t == "on" || prefix("off", 2) || t == "1" || t == "0";
}

[[noreturn]] void out_of_bounds(const KnownOption& o, const std::string& value) {
  bool real = o.type == OptionType::real;
  std::string range = real ? fmt::format("Valid values are between \"{:f}\" and \"{:f}\".", o.min, o.max)
                           : fmt::format("Valid values are between \"{}\" and \"{}\".", static_cast<long>(o.min), static_cast<long>(o.max));
  throw SqlError(sqlstate::invalid_parameter_value, "value {} out of bounds for option \"{}\"", value, o.name).detail(range);
}

void check_value(const KnownOption& o, const std::string& value) {
  const char* begin = value.data();
  const char* end = begin + value.size();
  switch (o.type) {
    case OptionType::boolean:
      if (!is_boolean(value)) throw SqlError(sqlstate::invalid_parameter_value, "invalid value for boolean option \"{}\": {}", o.name, value);
      return;
    case OptionType::integer: {
      int n = 0;
      auto [p, error] = std::from_chars(begin, end, n);
      if (error != std::errc() || p != end) throw SqlError(sqlstate::invalid_parameter_value, "invalid value for integer option \"{}\": {}", o.name, value);
      if (n < o.min || n > o.max) out_of_bounds(o, value);
      return;
    }
    case OptionType::real: {
      double n = 0;
      auto [p, error] = std::from_chars(begin, end, n);
      if (error != std::errc() || p != end)
        throw SqlError(sqlstate::invalid_parameter_value, "invalid value for floating point option \"{}\": {}", o.name, value);
      if (n < o.min || n > o.max) out_of_bounds(o, value);
      return;
    }
    case OptionType::enumeration: {
      std::string padded = fmt::format(" {} ", o.values);
      if (padded.find(fmt::format(" {} ", lower(value))) != std::string::npos) return;
      SqlError error(sqlstate::invalid_parameter_value, "invalid value for enum option \"{}\": {}", o.name, value);
      if (o.name == "check_option") error.detail("Valid values are \"local\" and \"cascaded\".");
      else error.detail("Valid values are \"on\", \"off\", and \"auto\".");
      throw error;
    }
  }
}

}  // namespace

std::vector<std::string_view> relation_options(const parser::OptionList& options, char relation_kind, std::vector<std::string_view>& toast_options,
                                               Arena& arena) {
  std::vector<std::string_view> out;
  for (const parser::Option* o : options) {
    std::string value = o->value == nullptr ? "true" : parser::option_text(*o);
    bool toast = o->name_space == "toast";
    if (!o->name_space.empty() && !toast) throw SqlError(sqlstate::invalid_parameter_value, "unrecognized parameter namespace \"{}\"", o->name_space);
    if (relation_kind == kind::table && !toast && o->name == "oids") {
      if (lower(value) == "false" || lower(value) == "off") continue;
      throw SqlError(sqlstate::feature_not_supported, "tables declared WITH OIDS are not supported");
    }
    const KnownOption* known = find_option(o->name, toast ? kind::toast : relation_kind);
    if (known == nullptr || (relation_kind == kind::partitioned_table && !toast))
      throw SqlError(sqlstate::invalid_parameter_value, "unrecognized parameter \"{}\"", o->name);
    check_value(*known, value);
    std::string_view text = arena.copy(fmt::format("{}={}", o->name, value));
    auto& list = toast ? toast_options : out;
    for (std::string_view seen : list) {
      if (seen.substr(0, seen.find('=')) == o->name) throw SqlError(sqlstate::invalid_parameter_value, "parameter \"{}\" specified more than once", o->name);
    }
    list.push_back(text);
  }
  return out;
}

Oid resolve_tablespace(std::string_view name, char persistence) {
  std::string chosen(name);
  bool explicitly = !name.empty();
  if (!explicitly) chosen = persistence == 't' ? std::string() : config::values::default_tablespace;
  if (chosen.empty() || chosen == "pg_default") return kInvalidOid;
  namespace t = catalog::pg_tablespace;
  Arena arena(512);
  catalog::CatalogTable table(catalog_oid::pg_tablespace, locking::LockMode::access_share);
  auto row = table.find({{t::spcname, make_name(arena, chosen)}}, arena);
  if (!row) throw SqlError(sqlstate::undefined_object, "tablespace \"{}\" does not exist", chosen);
  Oid oid = row->get(t::oid).as_oid();
  if (oid == storage::kGlobalTablespace) throw SqlError(sqlstate::invalid_parameter_value, "only shared relations can be placed in pg_global tablespace");
  Oid role = catalog::current_role();
  if ((catalog::object_privileges(catalog_oid::pg_tablespace, oid, role, nodes::kAclCreate) & nodes::kAclCreate) == 0) {
    catalog::throw_permission_denied("tablespace", chosen);
  }
  auto database = catalog::find_database(catalog::current_database());
  return database && database->tablespace == oid ? kInvalidOid : oid;
}

char relation_persistence(const parser::RangeVar& name) {
  switch (name.persistence) {
    case parser::Persistence::permanent: return name.schema == "pg_temp" ? 't' : 'p';
    case parser::Persistence::unlogged: return 'u';
    case parser::Persistence::temporary: return 't';
  }
  return 'p';
}

}  // namespace hathi::ddl
