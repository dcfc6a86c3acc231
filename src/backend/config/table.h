#pragma once
// How the tables of definitions are written: one builder a type, flags and hooks added with |.

#include <limits>

#include "hathi/config/planner_settings.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"
#include "hathi_version.h"

namespace hathi::config {

using Option = std::pair<const char*, int>;

inline constexpr double kMaxInt = std::numeric_limits<int>::max();
inline constexpr double kMinInt = std::numeric_limits<int>::min();
inline constexpr double kMaxDouble = std::numeric_limits<double>::max();

enum Flag {
  kReport,
  kExplain,
  kNotInSample,
  kRuntimeComputed,
  kSuperuserOnly,
  kListQuote,
  kListInput,
  kOnlyDefault,
  kNoResetAll,
  kOctal,
  kNoShowAll
};
struct Hooks {
  CheckHook check = nullptr;
  AssignHook assign = nullptr;
  ShowHook show = nullptr;
};

inline Definition operator|(Definition d, Flag flag) {
  switch (flag) {
    case kReport: d.report = true; break;
    case kExplain: d.explain = true; break;
    case kNotInSample: d.not_in_sample = true; break;
    case kRuntimeComputed: d.runtime_computed = true; break;
    case kSuperuserOnly: d.superuser_only = true; break;
    case kListQuote: d.list_quote = true; break;
    case kListInput: d.list_input = true; break;
    case kOnlyDefault: d.only_default = true; break;
    case kNoResetAll: d.no_reset_all = true; break;
    case kOctal: d.octal = true; break;
    case kNoShowAll: d.no_show_all = true; break;
  }
  return d;
}
inline Definition operator|(Definition d, Hooks hooks) {
  d.check = hooks.check;
  d.assign = hooks.assign;
  d.show = hooks.show;
  return d;
}

inline Definition definition(const char* name, const char* group, const char* description, Type type, Context context, const char* boot) {
  Definition d;
  d.name = name;
  d.group = group;
  d.description = description;
  d.type = type;
  d.context = context;
  d.boot_value = boot;
  return d;
}
inline Definition boolean(const char* name, const char* group, const char* description, Context context, const char* boot, bool* variable) {
  Definition d = definition(name, group, description, Type::boolean, context, boot);
  d.boolean = variable;
  return d;
}
inline Definition integer(const char* name, const char* group, const char* description, Context context, Unit unit, const char* boot,
                          double min, double max, int* variable) {
  Definition d = definition(name, group, description, Type::integer, context, boot);
  d.unit = unit;
  d.min = min;
  d.max = max;
  d.integer = variable;
  return d;
}
inline Definition real(const char* name, const char* group, const char* description, Context context, Unit unit, const char* boot,
                       double min, double max, double* variable) {
  Definition d = definition(name, group, description, Type::real, context, boot);
  d.unit = unit;
  d.min = min;
  d.max = max;
  d.real = variable;
  return d;
}
inline Definition text(const char* name, const char* group, const char* description, Context context, const char* boot,
                       std::string* variable) {
  Definition d = definition(name, group, description, Type::string, context, boot);
  d.string = variable;
  return d;
}
inline Definition choice(const char* name, const char* group, const char* description, Context context, const char* boot,
                         std::span<const Option> options, int* variable) {
  Definition d = definition(name, group, description, Type::enumeration, context, boot);
  d.options = options;
  d.integer = variable;
  return d;
}

// The tables, by group.
void define_connection_settings();
void define_logging_settings();
void define_planner_settings();
void define_client_settings();
void define_storage_settings();
void define_other_settings();
void define_hidden_settings();

// "150018" of "15.18".
extern const char* const kVersionNumber;

// Hooks (checks.cpp, time_zone.cpp).
CheckResult check_date_style(std::string& value);
void assign_date_style();
CheckResult check_time_zone(std::string& value);
void assign_time_zone();
CheckResult check_time_zone_abbreviations(std::string& value);
CheckResult check_client_encoding(std::string& value);
void assign_client_encoding();
CheckResult check_name_list(std::string& value);
void assign_search_path();
CheckResult check_restricted_kinds(std::string& value);
void assign_restricted_kinds();
namespace values {
extern std::string restrict_nonsystem_relation_kind;
}  // namespace values
CheckResult check_printable_name(std::string& value);
CheckResult check_max_stack_depth(std::string& value);
void assign_max_stack_depth();
CheckResult check_locale(std::string& value);
CheckResult check_table_access_method(std::string& value);
CheckResult check_text_search_config(std::string& value);
CheckResult check_wal_level(std::string& value);
void assign_report_levels();
CheckResult check_with_oids(std::string& value);

}  // namespace hathi::config
