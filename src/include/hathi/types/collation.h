#pragma once
// Order and case of text by collation: C, the database's default (libc locale), and collations of pg_collation (libc or ICU).

#include <string>
#include <string_view>

#include "hathi/base/ids.h"

namespace hathi::types {

// The locale that collation "default" (OID 100) stands for in this process: pg_database.datcollate and datctype. Called when a
// session has its database. Unknown names throw 22023. Before the first call it is "C".
void set_default_locale(const std::string& collate, const std::string& ctype);

// Does the collation compare bytes, so that prefix searches and byte comparison may stand for it?
bool collation_is_c(Oid collation);
// <0, 0, >0. Equal only for the same bytes when the collation is deterministic. 42P22 when collation is 0.
int compare_text(std::string_view a, std::string_view b, Oid collation);
bool collation_is_deterministic(Oid collation);
// 42P22 "could not determine which collation to use for <what>" when it is 0.
void require_collation(Oid collation, std::string_view what);

std::string to_upper(std::string_view text, Oid collation);
std::string to_lower(std::string_view text, Oid collation);
// First letter of each word upper case, the others lower.
std::string to_title(std::string_view text, Oid collation);

}  // namespace hathi::types
