#include "hathi/config/settings.h"

#include <algorithm>
#include <cctype>

#include "hathi/error/report.h"
#include "store.h"

namespace hathi::config {

Store& Store::get() {
  static Store store;
  return store;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

namespace {

bool is_name_start(unsigned char c) { return std::isalpha(c) || c == '_' || c >= 0x80; }
bool is_name_part(unsigned char c) { return is_name_start(c) || std::isdigit(c) || c == '$'; }

// Two or more identifiers joined by dots.
bool is_custom_name(std::string_view name) {
  bool at_start = true, dotted = false;
  for (char c : name) {
    if (c == '.') {
      if (at_start) return false;
      at_start = dotted = true;
      continue;
    }
    if (at_start ? !is_name_start(static_cast<unsigned char>(c)) : !is_name_part(static_cast<unsigned char>(c))) return false;
    at_start = false;
  }
  return dotted && !at_start;
}

Rights rights_of(Source source, bool is_superuser) {
  switch (source) {
    case Source::default_value:
    case Source::computed:
    case Source::environment:
    case Source::argv:
    case Source::override_value: return Rights::all;
    case Source::file: return Rights::reload;
    case Source::client: return is_superuser ? Rights::connection_superuser : Rights::connection;
    default: return is_superuser ? Rights::superuser : Rights::user;
  }
}

[[noreturn]] void throw_invalid(const Definition& d, std::string_view value, const std::string& hint = {}) {
  throw SqlError(sqlstate::invalid_parameter_value, "invalid value for parameter \"{}\": \"{}\"", d.name, value).hint(hint);
}

const std::pair<const char*, int>* find_option(const Definition& d, std::string_view text) {
  std::string wanted = lower(text);
  for (const auto& option : d.options) {
    if (option.first != nullptr && wanted == lower(option.first)) return &option;
  }
  return nullptr;
}

const char* option_name(const Definition& d, int number) {
  for (const auto& option : d.options) {
    if (option.first != nullptr && option.second == number) return option.first;
  }
  return "???";
}

std::vector<std::string> option_names(const Definition& d) {
  std::vector<std::string> names;
  for (const auto& option : d.options) {
    if (option.first == nullptr) break;
    names.emplace_back(option.first);
  }
  return names;
}

Value parse_enumeration(const Definition& d, std::string_view text) {
  const auto* option = find_option(d, text);
  if (option != nullptr) return {static_cast<double>(option->second), {}};
  std::string list;
  for (const std::string& name : option_names(d)) list += (list.empty() ? "" : ", ") + name;
  throw_invalid(d, text, list.empty() ? "" : "Available values: " + list + ".");
}

std::string limit_text(const Definition& d, double limit) {
  return d.type == Type::integer ? fmt::format("{}", static_cast<int>(limit)) : fmt::format("{:g}", limit);
}

Value parse_number(const Definition& d, std::string_view text) {
  Value value;
  std::string hint;
  bool good;
  if (d.type == Type::integer) {
    int number = 0;
    good = parse_integer(text, d.unit, number, hint);
    value.number = number;
  } else {
    good = parse_real(text, d.unit, value.number, hint);
  }
  if (!good) throw_invalid(d, text, hint);
  if (value.number < d.min || value.number > d.max) {
    const char* unit = unit_name(d.unit);
    throw SqlError(sqlstate::invalid_parameter_value, "{}{}{} is outside the valid range for parameter \"{}\" ({} .. {})",
                   limit_text(d, value.number), *unit != '\0' ? " " : "", unit, d.name, limit_text(d, d.min), limit_text(d, d.max));
  }
  return value;
}

Value parse_by_type(const Definition& d, std::string_view text) {
  switch (d.type) {
    case Type::boolean: {
      bool flag = false;
      if (!parse_boolean(text, flag))
        throw SqlError(sqlstate::invalid_parameter_value, "parameter \"{}\" requires a Boolean value", d.name);
      return {flag ? 1.0 : 0.0, {}};
    }
    case Type::integer:
    case Type::real: return parse_number(d, text);
    case Type::enumeration: return parse_enumeration(d, text);
    case Type::string: return {0, std::string(text)};
  }
  return {};
}

void run_check(const Definition& d, Value& value) {
  std::string text = d.type == Type::string ? value.text : value_text(d, value, false);
  std::string given = text;
  CheckResult result = d.check(text);
  if (!result.ok) {
    std::string message = result.message;
    if (message.empty()) {
      bool quoted = d.type == Type::string || d.type == Type::enumeration;
      message = fmt::format("invalid value for parameter \"{}\": {}{}{}", d.name, quoted ? "\"" : "", given, quoted ? "\"" : "");
    }
    throw SqlError(result.code, "{}", message).detail(result.detail).hint(result.hint);
  }
  if (d.type == Type::string) value.text = std::move(text);
}

void apply(Setting& setting, std::string_view text, Source source, bool local, bool function) {
  bool make_default = source <= Source::override_value;
  bool change = true;
  if (source < setting.source) {
    if (!make_default) return;
    change = false;
  }
  Value value = parse_value(setting, text);
  if (make_default) {
    if (setting.reset_source <= source) {
      setting.reset = value;
      setting.reset_source = source;
    }
    for (StackEntry& entry : setting.stack) {
      if (entry.prior_source > source) continue;
      entry.prior = value;
      entry.prior_source = source;
    }
  }
  if (!change) return;
  if (!make_default) push_prior(setting, local, function);
  assign_value(setting, value, source);
}

}  // namespace

Setting* find_setting(std::string_view name) {
  Store& store = Store::get();
  auto found = store.by_name.find(lower(name));
  if (found != store.by_name.end()) return found->second;
  std::string wanted = lower(name);
  if (wanted == "sort_mem") return find_setting("work_mem");
  if (wanted == "vacuum_mem") return find_setting("maintenance_work_mem");
  return nullptr;
}

Setting& find_or_make(std::string_view name) {
  if (Setting* setting = find_setting(name)) return *setting;
  if (name.find('.') == std::string_view::npos) {
    throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", name);
  }
  if (!is_custom_name(name)) {
    throw SqlError(sqlstate::invalid_name, "invalid configuration parameter name \"{}\"", name)
        .detail("Custom parameter names must be two or more simple identifiers separated by dots.");
  }
  Store& store = Store::get();
  store.custom_names.emplace_back(name);
  Definition& d = store.custom_definitions.emplace_back();
  d.name = store.custom_names.back().c_str();
  d.group = "Customized Options";
  d.description = "";
  d.type = Type::string;
  d.context = Context::user;
  d.not_in_sample = true;
  Setting& setting = store.settings.emplace_back();
  setting.definition = &d;
  setting.custom = true;
  store.by_name.emplace(lower(name), &setting);
  return setting;
}

Value current_value(const Setting& setting) {
  const Definition& d = *setting.definition;
  if (d.boolean != nullptr) return {*d.boolean ? 1.0 : 0.0, {}};
  if (d.integer != nullptr) return {static_cast<double>(*d.integer), {}};
  if (d.real != nullptr) return {*d.real, {}};
  if (d.string != nullptr) return {0, *d.string};
  return setting.own;
}

void assign_value(Setting& setting, const Value& value, Source source) {
  const Definition& d = *setting.definition;
  if (d.boolean != nullptr)
    *d.boolean = value.number != 0;
  else if (d.integer != nullptr)
    *d.integer = static_cast<int>(value.number);
  else if (d.real != nullptr)
    *d.real = value.number;
  else if (d.string != nullptr)
    *d.string = value.text;
  else
    setting.own = value;
  setting.source = source;
  if (d.assign != nullptr) d.assign();
  if (!d.report) return;
  Store& store = Store::get();
  for (Reported& r : store.reported) r.pending = r.pending || r.setting == &setting;
  store.report_pending = true;
}

Value parse_value(const Setting& setting, std::string_view text) {
  const Definition& d = *setting.definition;
  Value value = parse_by_type(d, text);
  if (d.only_default) {
    Value boot = parse_by_type(d, d.boot_value);
    if (!(value == boot)) {
      throw SqlError(sqlstate::feature_not_supported, "setting parameter \"{}\" to \"{}\" is not supported", d.name, text);
    }
  }
  if (d.check != nullptr) run_check(d, value);
  return value;
}

std::string value_text(const Definition& d, const Value& value, bool with_units) {
  switch (d.type) {
    case Type::boolean: return value.number != 0 ? "on" : "off";
    case Type::enumeration: return option_name(d, static_cast<int>(value.number));
    case Type::string: return value.text;
    case Type::integer:
      if (with_units && d.octal) return fmt::format("{:04o}", static_cast<unsigned>(value.number));
      break;
    case Type::real: break;
  }
  return number_with_unit(value.number, with_units ? d.unit : Unit::none, d.type == Type::integer);
}

void check_rights(const Definition& d, Rights rights, bool at_client_start) {
  auto refuse = [&](const char* why) { throw SqlError(sqlstate::cant_change_runtime_param, "parameter \"{}\" cannot be {}", d.name, why); };
  auto deny = [&] { throw SqlError(sqlstate::insufficient_privilege, "permission denied to set parameter \"{}\"", d.name); };
  if (rights == Rights::all) return;
  switch (d.context) {
    case Context::internal: refuse("changed"); break;
    case Context::postmaster:
      if (rights != Rights::reload) refuse("changed without restarting the server");
      break;
    case Context::sighup:
      if (rights != Rights::reload) refuse("changed now");
      break;
    case Context::superuser_backend:
      if (rights == Rights::connection) deny();
      [[fallthrough]];
    case Context::backend:
      if (rights != Rights::reload && !at_client_start) refuse("set after connection start");
      break;
    case Context::superuser:
      if (rights == Rights::user || rights == Rights::connection) deny();
      break;
    case Context::user: break;
  }
}

namespace {

void note_reported(Store& store, Setting& setting) {
  auto is_before = [](const Reported& r, const std::string& name) { return lower(r.setting->definition->name) < name; };
  auto place = std::lower_bound(store.reported.begin(), store.reported.end(), lower(setting.definition->name), is_before);
  store.reported.insert(place, Reported{.setting = &setting});
}

}  // namespace

void define(std::span<const Definition> table) {
  Store& store = Store::get();
  for (const Definition& d : table) {
    Setting* setting = find_setting(d.name);
    std::optional<std::pair<std::string, Source>> placeholder;
    if (setting != nullptr) {
      HATHI_ASSERT(setting->custom);
      placeholder.emplace(current_value(*setting).text, setting->source);
      setting->custom = false;
    } else {
      setting = &store.settings.emplace_back();
      store.by_name.emplace(lower(d.name), setting);
    }
    setting->definition = &d;
    if (d.report) note_reported(store, *setting);
    setting->source = setting->reset_source = Source::default_value;
    setting->reset = parse_by_type(d, d.boot_value);
    assign_value(*setting, setting->reset, Source::default_value);
    if (placeholder) apply(*setting, placeholder->first, placeholder->second, false, false);
  }
}

void install_hooks(std::string_view name, CheckHook check, AssignHook assign, ShowHook show) {
  Setting* setting = find_setting(name);
  HATHI_ASSERT(setting != nullptr);
  Store& store = Store::get();
  Definition& copy = store.custom_definitions.emplace_back(*setting->definition);
  if (check != nullptr) copy.check = check;
  if (assign != nullptr) copy.assign = assign;
  if (show != nullptr) copy.show = show;
  setting->definition = &copy;
}

void set(std::string_view name, std::string_view value, Source source, bool is_local, bool is_superuser) {
  Setting& setting = find_or_make(name);
  check_rights(*setting.definition, rights_of(source, is_superuser), source == Source::client);
  apply(setting, value, source, is_local, false);
}

void set_for_function(std::string_view name, std::string_view value, bool is_superuser) {
  Setting& setting = find_or_make(name);
  check_rights(*setting.definition, rights_of(Source::session, is_superuser), false);
  apply(setting, value, Source::session, false, true);
}

void validate(std::string_view name, std::string_view value, Source source, bool is_superuser) {
  Setting& setting = find_or_make(name);
  check_rights(*setting.definition, rights_of(source, is_superuser), source == Source::client);
  parse_value(setting, value);
}

void reset(std::string_view name, bool is_superuser) {
  Setting* setting = find_setting(name);
  if (setting == nullptr) throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", name);
  check_rights(*setting->definition, rights_of(Source::session, is_superuser), false);
  push_prior(*setting, false, false);
  assign_value(*setting, setting->reset, setting->reset_source);
}

void reset_all() {
  for (Setting& setting : Store::get().settings) {
    const Definition& d = *setting.definition;
    if (d.context != Context::superuser && d.context != Context::user) continue;
    if (d.no_reset_all || setting.source <= Source::override_value) continue;
    push_prior(setting, false, false);
    assign_value(setting, setting.reset, setting.reset_source);
  }
}

std::optional<std::string> show(std::string_view name) {
  Setting* setting = find_setting(name);
  if (setting == nullptr) return std::nullopt;
  if (setting->definition->show != nullptr) return setting->definition->show();
  return value_text(*setting->definition, current_value(*setting), true);
}

bool exists(std::string_view name) { return find_setting(name) != nullptr; }

const Definition* find(std::string_view name) {
  Setting* setting = find_setting(name);
  return setting == nullptr ? nullptr : setting->definition;
}

bool is_superuser_only(std::string_view name) {
  const Definition* d = find(name);
  return d != nullptr && d->superuser_only;
}

const char* context_name(Context context) {
  static const char* const names[] = {"internal", "postmaster", "sighup", "superuser-backend", "backend", "superuser", "user"};
  return names[static_cast<int>(context)];
}

const char* source_name(Source source) {
  static const char* const names[] = {"default",
                                      "default",
                                      "environment variable",
                                      "configuration file",
                                      "command line",
                                      "global",
                                      "database",
                                      "user",
                                      "database user",
                                      "client",
                                      "override",
                                      "session"};
  return names[static_cast<int>(source)];
}

namespace {

const char* type_name(Type type) {
  static const char* const names[] = {"bool", "integer", "real", "string", "enum"};
  return names[static_cast<int>(type)];
}

Row make_row(const Setting& setting) {
  const Definition& d = *setting.definition;
  Row row{};
  row.name = d.name;
  row.setting = d.type == Type::integer && d.octal ? value_text(d, current_value(setting), true)
                : d.show != nullptr                ? d.show()
                                                   : value_text(d, current_value(setting), false);
  row.unit = unit_name(d.unit);
  row.category = d.group;
  row.short_desc = d.description;
  row.context = context_name(d.context);
  row.vartype = type_name(d.type);
  row.source = source_name(setting.source);
  row.has_min_max = d.type == Type::integer || d.type == Type::real;
  if (row.has_min_max) {
    row.min_val = limit_text(d, d.min);
    row.max_val = limit_text(d, d.max);
  }
  row.has_boot_val = row.has_reset_val = true;
  row.boot_val = d.boot_value;
  row.reset_val = value_text(d, setting.reset, false);
  if (setting.source == Source::file) {
    row.source_file = setting.file;
    row.source_line = setting.line;
  }
  row.enum_values = option_names(d);
  row.pending_restart = setting.pending_restart;
  row.report = d.report;
  row.superuser_only = d.superuser_only;
  row.show_text = d.show != nullptr ? d.show() : value_text(d, current_value(setting), true);
  row.explain = d.explain;
  row.no_reset_all = d.no_reset_all;
  row.not_in_sample = d.not_in_sample;
  row.runtime_computed = d.runtime_computed;
  row.no_show_all = d.no_show_all;
  return row;
}

std::vector<const Setting*> by_name() {
  std::vector<const Setting*> all;
  for (const Setting& setting : Store::get().settings) all.push_back(&setting);
  std::sort(all.begin(), all.end(),
            [](const Setting* a, const Setting* b) { return lower(a->definition->name) < lower(b->definition->name); });
  return all;
}

}  // namespace

std::vector<Row> rows() {
  std::vector<Row> result;
  for (const Setting* setting : by_name()) {
    if (!setting->definition->no_show_all) result.push_back(make_row(*setting));
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> changed_for_explain() {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Setting* setting : by_name()) {
    const Definition& d = *setting->definition;
    if (d.explain && !(current_value(*setting) == parse_by_type(d, d.boot_value))) result.emplace_back(d.name, *show(d.name));
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> take_reported_changes() {
  Store& store = Store::get();
  std::vector<std::pair<std::string, std::string>> changes;
  if (!store.report_pending) return changes;
  for (Reported& r : store.reported) {
    if (!r.pending) continue;
    r.pending = false;
    std::string now = *show(r.setting->definition->name);
    if (now == r.sent) continue;
    r.sent = now;
    changes.emplace_back(r.setting->definition->name, std::move(now));
  }
  store.report_pending = false;
  return changes;
}

std::vector<std::pair<std::string, std::string>> all_reported() {
  Store& store = Store::get();
  std::vector<std::pair<std::string, std::string>> result;
  for (Reported& r : store.reported) {
    r.sent = *show(r.setting->definition->name);
    r.pending = false;
    result.emplace_back(r.setting->definition->name, r.sent);
  }
  store.report_pending = false;
  return result;
}

}  // namespace hathi::config
