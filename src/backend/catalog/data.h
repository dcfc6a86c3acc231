#pragma once
// The data files of catalog/data/ inside the binary, and a reader of their format: the first line names the columns, every other
// line is a row; columns are separated by tabs, \N is NULL.

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::catalog::data {

extern const std::string_view catalogs, indexes, column_grants, pg_type, pg_proc, pg_operator, pg_cast, pg_aggregate, pg_am, pg_opfamily, pg_opclass,
    pg_amop, pg_amproc, pg_collation, pg_language, pg_range, pg_authid, pg_auth_members, system_views, information_schema;

// Walks the rows of a file. Views point into the binary.
class Reader {
 public:
  explicit Reader(std::string_view file);
  // False at the end.
  bool next();
  std::size_t column_count() const { return names_.size(); }
  // The position of a column; asserts that it exists.
  std::size_t position(std::string_view name) const;
  bool is_null(std::size_t column) const { return fields_[column] == std::string_view("\\N"); }
  std::string_view text(std::size_t column) const { return fields_[column]; }
  std::uint32_t number(std::size_t column) const;
  std::int64_t signed_number(std::size_t column) const;
  double real(std::size_t column) const;
  Oid oid(std::size_t column) const { return Oid{number(column)}; }
  bool flag(std::size_t column) const { return fields_[column] == std::string_view("t"); }
  char letter(std::size_t column) const { return fields_[column].empty() ? '\0' : fields_[column][0]; }

 private:
  void split(std::string_view line, std::vector<std::string_view>& out);
  std::string_view rest_;
  std::vector<std::string_view> names_, fields_;
};

// Splits at a separator; empty text gives nothing.
std::vector<std::string_view> split(std::string_view text, char separator);
std::uint32_t parse_number(std::string_view text);
// The elements of the text of a one-dimensional array without escapes: {a,"",c}.
std::vector<std::string_view> array_elements(std::string_view text);

}  // namespace hathi::catalog::data
