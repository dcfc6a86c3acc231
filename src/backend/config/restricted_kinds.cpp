#include "hathi/config/restricted_kinds.h"

#include <string>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "table.h"

namespace hathi::config {

namespace values {
int restricted_relation_kinds = 0;
std::string restrict_nonsystem_relation_kind;
}  // namespace values

namespace {

// 0: no such word. Case does not matter, not even in quotes.
int kind_of(std::string word) {
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return word == "view" ? kRestrictViews : word == "foreign-table" ? kRestrictForeignTables : 0;
}

}  // namespace

CheckResult check_restricted_kinds(std::string& value) {
  CheckResult result;
  auto words = split_name_list(value);
  if (!words) {
    result.ok = false;
    result.detail = "List syntax is invalid.";
    return result;
  }
  for (const std::string& word : *words) {
    if (kind_of(word) != 0) continue;
    result.ok = false;
    result.detail = fmt::format("Unrecognized key word: \"{}\".", word);
    break;
  }
  return result;
}

void assign_restricted_kinds() {
  values::restricted_relation_kinds = 0;
  auto words = split_name_list(values::restrict_nonsystem_relation_kind);
  if (!words) return;
  for (const std::string& word : *words) values::restricted_relation_kinds |= kind_of(word);
}

}  // namespace hathi::config
