#pragma once
// COPY: options, and the parts that read and write its three formats.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/executor/executor.h"
#include "hathi/session/session.h"

namespace hathi::session {

enum class CopyFormat : std::uint8_t { text, csv, binary };

struct CopyOptions {
  CopyFormat format = CopyFormat::text;
  char delimiter = '\t';
  std::string null_text = "\\N";
  bool header = false, header_must_match = false, freeze = false;
  char quote = '"', escape = '"';
  bool force_quote_all = false;
  std::vector<std::string_view> force_quote, force_not_null, force_null;
};

// Reads and checks the options of the statement. Errors: 42601, 0A000, 22023 with PostgreSQL's texts.
CopyOptions read_copy_options(const parser::CopyStatement& statement);
// The columns that an option ("FORCE_QUOTE" and its like) names are there and are copied: 42703, 42P10. `relation` is empty for a query's row.
void check_named_columns(const std::vector<std::string_view>& names, std::string_view option, std::string_view relation,
                         const TupleDescriptor& row, const std::vector<AttrNumber>& columns);

// Refuses what has no rows of its own at all: indexes and composite types (42809). Views and the like are refused later, in each direction's words.
void check_can_be_copied(const catalog::Relation& relation);

// The columns of a COPY: attribute numbers of the relation in the order given; generated columns are left out of the default list.
std::vector<AttrNumber> copy_columns(const catalog::Relation& relation, const parser::CopyStatement& statement, bool is_from);

// --- where the bytes come from ---------------------------------------------------------------------------------------------
class CopySource {
 public:
  virtual ~CopySource() = default;
  // Appends the next piece of data; false at the end.
  virtual bool read(std::string& buffer) = 0;
  // After an end-of-data mark: what a client sends behind it is taken and forgotten; files and programs are left where they are (false).
  virtual bool skip_rest() { return false; }
  // After the last row: a program's result is looked at (38000).
  virtual void finish() {}
};
std::unique_ptr<CopySource> open_client_source(Session& session, CopyFormat format, std::size_t columns);
std::unique_ptr<CopySource> open_file_source(std::string_view path);
std::unique_ptr<CopySource> open_program_source(std::string_view command);

// --- where they go ---------------------------------------------------------------------------------------------------------
class CopySink {
 public:
  virtual ~CopySink() = default;
  // One row (or header, or trailer) with its line end.
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};
std::unique_ptr<CopySink> open_client_sink(Session& session, CopyFormat format, std::size_t columns);
std::unique_ptr<CopySink> open_file_sink(std::string_view path);
std::unique_ptr<CopySink> open_program_sink(std::string_view command);

// Splits the input into rows of fields. Field texts are valid until the next row.
class CopyReader {
 public:
  struct Field { std::string_view text; bool is_null = false; };
  CopyReader(CopySource& source, const CopyOptions& options) : source_(source), options_(options) {}
  virtual ~CopyReader() = default;
  // False at the end of the data.
  virtual bool next(std::vector<Field>& fields) = 0;
  std::uint64_t line_number() const { return line_number_; }
  std::string_view line() const { return line_; }
  // What is wrong with the field after the last one that next() has given; empty when nothing is.
  const std::optional<SqlError>& damage() const { return damage_; }
 protected:
  CopySource& source_;
  const CopyOptions& options_;
  std::uint64_t line_number_ = 0;
  std::string_view line_;
  std::optional<SqlError> damage_;
};
std::unique_ptr<CopyReader> make_copy_reader(CopySource& source, const CopyOptions& options, std::size_t columns);
// The one of the binary format; it reads the header at once.
std::unique_ptr<CopyReader> make_binary_reader(CopySource& source, const CopyOptions& options, std::size_t columns);

std::uint64_t copy_from(Session& session, const parser::CopyStatement& statement, std::string_view text);
std::uint64_t copy_to(Session& session, const parser::CopyStatement& statement, std::string_view text, const planner::BoundParameters& parameters);

}  // namespace hathi::session
