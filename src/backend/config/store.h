#pragma once
// The settings of this process: values, where they came from, and what a rollback brings back.

#include <deque>
#include <memory>
#include <unordered_map>

#include "hathi/config/settings.h"

namespace hathi::config {

// A value of any type: number for boolean (0/1), integer, real and enumeration, text for strings.
struct Value {
  double number = 0;
  std::string text;
  bool operator==(const Value&) const = default;
};

// What a (sub)transaction or function changed: the value before it, and how it changed.
struct StackEntry {
  int level;
  bool set = false;       // by SET: outlives the level's commit
  bool local = false;     // by SET LOCAL after that: gone at the end of the transaction
  bool function = false;  // by a function's SET clause: gone at the end of the level
  Value prior;
  Source prior_source;
  Value masked;  // set && local: what SET had set
  Source masked_source = Source::default_value;
};

struct Setting {
  const Definition* definition;
  bool custom = false;  // a placeholder "a.b" of an unknown library
  Value own;            // the value when the definition has no variable
  Value reset;
  Source source = Source::default_value, reset_source = Source::default_value;
  std::vector<StackEntry> stack;
  bool touched = false;  // in Store::touched
  bool pending_restart = false;
  bool in_file = false;  // seen by the current reading of the files
  std::string file;
  int line = 0;
};

// A setting whose changes clients are told. Side by side, because every session writes to all of them.
struct Reported {
  Setting* setting;
  std::string sent;      // what the client knows
  bool pending = false;  // assigned since
};

struct Store {
  std::deque<Setting> settings;
  std::unordered_map<std::string, Setting*> by_name;  // lower case
  std::deque<Definition> custom_definitions;
  std::deque<std::string> custom_names;
  std::vector<Setting*> touched;  // those with a stack
  std::vector<Reported> reported;  // by name
  bool report_pending = false;     // one of them has it
  int level = 0;                      // 0 = no transaction
  std::vector<int> level_of_nesting;  // index = transaction nesting level
  static Store& get();
};

std::string lower(std::string_view text);
Setting* find_setting(std::string_view name);
// The setting, made as a placeholder if it is a well-formed custom name. Throws 42704, 42602.
Setting& find_or_make(std::string_view name);

Value current_value(const Setting& setting);
// Writes the variable, runs assign and notes a change to report.
void assign_value(Setting& setting, const Value& value, Source source);
// Parses and checks (range, options, hook). Throws 22023 or what the hook says.
Value parse_value(const Setting& setting, std::string_view text);
// As SHOW writes it / in the base unit.
std::string value_text(const Definition& definition, const Value& value, bool with_units);
void push_prior(Setting& setting, bool local, bool function);

// Numbers with units (value_text.cpp). hint is filled when a unit was wrong or the number too large.
bool parse_boolean(std::string_view text, bool& result);
bool parse_integer(std::string_view text, Unit unit, int& result, std::string& hint);
bool parse_real(std::string_view text, Unit unit, double& result, std::string& hint);
const char* unit_name(Unit unit);  // "kB", "8kB", "ms", … or ""
std::string number_with_unit(double value, Unit unit, bool integral);

enum class Rights : std::uint8_t { all, reload, connection_superuser, connection, superuser, user };
// Throws 55P02 or 42501 when a process with these rights may not change it.
void check_rights(const Definition& definition, Rights rights, bool at_client_start);

}  // namespace hathi::config
