// ALTER DATABASE … SET and RESET, ALTER ROLE … [IN DATABASE …] SET and RESET.

#include "stored_settings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/ddl/setting_value.h"
#include "hathi/types/array.h"
#include "database_access.h"
#include "roles.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace c = catalog::pg_db_role_setting;
using parser::VariableSetKind;

bool am_superuser() { return catalog::is_superuser(catalog::current_role()); }

std::vector<std::string> read_items(const catalog::CatalogRow& row, Arena& arena) {
  std::vector<std::string> out;
  if (row.is_null(c::setconfig)) return out;
  types::ArrayElements items = types::array_elements(types::ArrayView(row.get(c::setconfig), arena), {-1, false, 'i'}, arena);
  for (int i = 0; i < items.count; ++i) {
    if (!items.nulls[i]) out.emplace_back(varlena::text(items.values[i], arena));
  }
  return out;
}

std::string_view name_of(std::string_view item) { return item.substr(0, item.find('=')); }

// Is the setting known, and may the current role change it?
bool may_reset(std::string_view name) {
  const config::Definition* definition = config::find(name);
  if (definition == nullptr || am_superuser()) return true;
  return definition->context == config::Context::user;
}

// The value that SET … stores; nothing for RESET and SET … TO DEFAULT.
std::optional<std::string> value_to_store(const parser::VariableSetStatement& s) {
  switch (s.type) {
    case VariableSetKind::value: return setting_value_text(s);
    case VariableSetKind::current: {
      std::optional<std::string> value = config::show(s.name);
      if (!value) throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", s.name);
      return value;
    }
    case VariableSetKind::default_value:
    case VariableSetKind::reset: return std::nullopt;
    default: throw_not_supported("this form of ALTER … SET");
  }
}

void change_items(std::vector<std::string>& items, const parser::VariableSetStatement& s, config::Source source) {
  if (s.type == VariableSetKind::reset_all) {
    std::erase_if(items, [](const std::string& item) { return may_reset(name_of(item)); });
    return;
  }
  std::optional<std::string> value = value_to_store(s);
  const config::Definition* definition = config::find(s.name);
  std::string name(definition == nullptr ? std::string_view(s.name) : std::string_view(definition->name));
  if (value) {
    config::validate(name, *value, source, am_superuser());
  } else if (definition == nullptr) {
    // What was stored for a setting that is no longer known may go all the same.
    bool stored = std::any_of(items.begin(), items.end(), [&](const std::string& item) { return name_of(item) == name; });
    if (!stored && name.find('.') == std::string::npos) throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", name);
  } else if (!may_reset(name)) {
    throw SqlError(sqlstate::insufficient_privilege, "permission denied to set parameter \"{}\"", name);
  }
  auto place = std::find_if(items.begin(), items.end(), [&](const std::string& item) { return name_of(item) == name; });
  if (value && place != items.end()) *place = name + "=" + *value;
  else if (value) items.push_back(name + "=" + *value);
  else if (place != items.end()) items.erase(place);
}

void store(Oid database, Oid role, const parser::VariableSetStatement& s, config::Source source) {
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_db_role_setting, locking::LockMode::row_exclusive);
  auto row = table.find({{c::setdatabase, Datum::of(database)}, {c::setrole, Datum::of(role)}}, arena);
  std::vector<std::string> items;
  if (row) items = read_items(*row, arena);
  std::vector<std::string> before = items;
  change_items(items, s, source);
  if (items.empty()) {
    if (row) table.remove(row->tid);
    return;
  }
  if (row && items == before) return;
  std::vector<std::string_view> views(items.begin(), items.end());
  if (!row) {
    catalog::CatalogRow fresh = table.new_row();
    fresh.set(c::setdatabase, Datum::of(database));
    fresh.set(c::setrole, Datum::of(role));
    fresh.set(c::setconfig, text_array(arena, views));
    table.insert(fresh);
    return;
  }
  row->set(c::setconfig, text_array(arena, views));
  table.update(*row);
}

void require_may_alter(Oid role) {
  const catalog::RoleInfo* target = catalog::find_role(role);
  if (target->superuser) {
    if (!am_superuser()) throw SqlError(sqlstate::insufficient_privilege, "must be superuser to alter superusers");
    return;
  }
  const catalog::RoleInfo* me = catalog::find_role(catalog::current_role());
  if (!me->superuser && !me->create_role && me->oid != role) throw SqlError(sqlstate::insufficient_privilege, "permission denied");
}

}  // namespace

void store_setting(const parser::SettingOfStatement& s) {
  Oid role = kInvalidOid, database = kInvalidOid;
  if (s.role != nullptr) {
    role = resolve_role(*s.role);
    catalog::keep_role(role);
    require_may_alter(role);
  }
  if (!s.database.empty()) {
    database = require_database(s.database, locking::LockMode::access_share);
    if (s.role == nullptr) require_database_owner(database, s.database);
  }
  if (!is_valid(role) && !is_valid(database) && !am_superuser()) {
    throw SqlError(sqlstate::insufficient_privilege, "must be superuser to alter settings globally");
  }
  config::Source source = is_valid(database) && is_valid(role) ? config::Source::database_user
                          : is_valid(database)                 ? config::Source::database
                          : is_valid(role)                     ? config::Source::user
                                                               : config::Source::global;
  store(database, role, *s.setting, source);
}

void remove_settings_of(Oid database, Oid role) {
  if (catalog::is_empty(catalog_oid::pg_db_role_setting)) return;
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_db_role_setting, locking::LockMode::row_exclusive);
  std::vector<TupleId> gone;
  table.scan({}, arena, [&](catalog::CatalogRow& row) {
    bool matches = is_valid(database) ? row.get(c::setdatabase).as_oid() == database : row.get(c::setrole).as_oid() == role;
    if (matches) gone.push_back(row.tid);
    return true;
  });
  for (TupleId tid : gone) table.remove(tid);
}

}  // namespace hathi::ddl
