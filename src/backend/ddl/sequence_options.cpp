#include "sequence_options.h"

#include <charconv>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "hathi/parser/ast_expression.h"
#include "hathi/parser/parser.h"

namespace hathi::ddl {

namespace {

using parser::Option;

std::int64_t number_of(const Option& option) {
  std::string text = parser::option_text(option);
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw SqlError(sqlstate::numeric_value_out_of_range, "value \"{}\" is out of range for type bigint", text);
  }
  if (error != std::errc() || end != digits.data() + digits.size())
    throw SqlError(sqlstate::syntax_error, "invalid input syntax for type bigint: \"{}\"", text);
  return value;
}

std::int64_t type_min(Oid type) { return type == type_oid::int2 ? INT16_MIN : (type == type_oid::int4 ? INT32_MIN : INT64_MIN); }
std::int64_t type_max(Oid type) { return type == type_oid::int2 ? INT16_MAX : (type == type_oid::int4 ? INT32_MAX : INT64_MAX); }

struct Given {
  const Option *type = nullptr, *start = nullptr, *restart = nullptr, *increment = nullptr, *max = nullptr, *min = nullptr, *cache = nullptr, *cycle = nullptr,
               *owned_by = nullptr;
};

void take(const Option*& slot, const Option* option) {
  if (slot != nullptr) throw SqlError(sqlstate::syntax_error, "conflicting or redundant options").at(option->location);
  slot = option;
}

Given collect(const parser::OptionList& options, bool for_identity) {
  Given g;
  for (const Option* o : options) {
    if (o->name == "as") {
      if (for_identity) throw SqlError(sqlstate::syntax_error, "identity column type must be smallint, integer, or bigint").at(o->location);
      take(g.type, o);
    }
    else if (o->name == "start") take(g.start, o);
    else if (o->name == "restart") take(g.restart, o);
    else if (o->name == "increment") take(g.increment, o);
    else if (o->name == "maxvalue") take(g.max, o);
    else if (o->name == "minvalue") take(g.min, o);
    else if (o->name == "cache") take(g.cache, o);
    else if (o->name == "cycle") take(g.cycle, o);
    else if (o->name == "owned_by") take(g.owned_by, o);
    else if (o->name == "sequence_name") continue;
    else throw SqlError(sqlstate::syntax_error, "invalid sequence option \"{}\"", o->name).at(o->location);
  }
  return g;
}

bool has_value(const Option* o) { return o != nullptr && o->value != nullptr; }

void check_bound(const char* name, std::int64_t value, Oid type) {
  if (value < type_min(type) || value > type_max(type)) {
    throw SqlError(sqlstate::invalid_parameter_value, "{} ({}) is out of range for sequence data type {}", name, value, catalog::format_type(type));
  }
}

}  // namespace

SequenceChange apply_sequence_options(SequenceParameters& p, const parser::OptionList& options, bool is_new, bool for_identity, std::int64_t last_value,
                                      Oid forced_type, std::string_view text) {
  Given g = collect(options, for_identity);
  SequenceChange change;
  bool reset_max = false, reset_min = false;
  Oid type = forced_type;
  if (g.type != nullptr) {
    Arena arena(512);
    type = analyzer::resolve_type(parser::node_cast<parser::TypeName>(g.type->value), text, arena).type;
  }
  if (is_valid(type)) {
    if (type != type_oid::int2 && type != type_oid::int4 && type != type_oid::int8) {
      throw SqlError(sqlstate::invalid_parameter_value, "{} type must be smallint, integer, or bigint", for_identity ? "identity column" : "sequence");
    }
    // Bounds that were the old type's become the new type's.
    if (!is_new) {
      reset_max = p.max == type_max(p.type);
      reset_min = p.min == type_min(p.type);
    }
    p.type = type;
  }
  if (g.increment != nullptr) {
    p.increment = number_of(*g.increment);
    if (p.increment == 0) throw SqlError(sqlstate::invalid_parameter_value, "INCREMENT must not be zero");
    change.state_changes = true;
  }
  if (g.cycle != nullptr) {
    std::string v = parser::option_text(*g.cycle);
    p.cycle = v.empty() || v == "1" || v == "true" || v == "t" || v == "on";
    change.state_changes = true;
  }
  if (has_value(g.max)) {
    p.max = number_of(*g.max);
    change.state_changes = true;
  } else if (is_new || g.max != nullptr || reset_max) {
    p.max = p.increment > 0 || reset_max ? type_max(p.type) : -1;
    change.state_changes = true;
  }
  check_bound("MAXVALUE", p.max, p.type);
  if (has_value(g.min)) {
    p.min = number_of(*g.min);
    change.state_changes = true;
  } else if (is_new || g.min != nullptr || reset_min) {
    p.min = p.increment < 0 || reset_min ? type_min(p.type) : 1;
    change.state_changes = true;
  }
  check_bound("MINVALUE", p.min, p.type);
  if (p.min >= p.max) {
    throw SqlError(sqlstate::invalid_parameter_value, "MINVALUE ({}) must be less than MAXVALUE ({})", p.min, p.max);
  }
  if (g.start != nullptr) p.start = number_of(*g.start);
  else if (is_new) p.start = p.increment > 0 ? p.min : p.max;
  if (p.start < p.min) throw SqlError(sqlstate::invalid_parameter_value, "START value ({}) cannot be less than MINVALUE ({})", p.start, p.min);
  if (p.start > p.max) throw SqlError(sqlstate::invalid_parameter_value, "START value ({}) cannot be greater than MAXVALUE ({})", p.start, p.max);
  if (g.restart != nullptr) {
    change.restart = has_value(g.restart) ? number_of(*g.restart) : p.start;
    change.state_changes = true;
  } else if (is_new) {
    change.restart = p.start;
  }
  std::int64_t current = change.restart.value_or(last_value);
  const char* what = change.restart && !is_new ? "RESTART" : "RESTART";
  if (current < p.min) throw SqlError(sqlstate::invalid_parameter_value, "{} value ({}) cannot be less than MINVALUE ({})", what, current, p.min);
  if (current > p.max) throw SqlError(sqlstate::invalid_parameter_value, "{} value ({}) cannot be greater than MAXVALUE ({})", what, current, p.max);
  if (g.cache != nullptr) {
    p.cache = number_of(*g.cache);
    if (p.cache <= 0) throw SqlError(sqlstate::invalid_parameter_value, "CACHE ({}) must be greater than zero", p.cache);
    change.state_changes = true;
  } else if (is_new) {
    p.cache = 1;
  }
  if (g.owned_by != nullptr) change.owned_by = parser::node_cast<parser::NameList>(g.owned_by->value);
  return change;
}

}  // namespace hathi::ddl
