#pragma once
// The options of CREATE and ALTER SEQUENCE and of identity columns.

#include <cstdint>
#include <optional>

#include "hathi/base/builtin_oids.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::ddl {

// pg_sequence's columns.
struct SequenceParameters {
  Oid type = type_oid::int8;
  std::int64_t start = 1, increment = 1, max = INT64_MAX, min = 1, cache = 1;
  bool cycle = false;
};

// What the options change besides the parameters.
struct SequenceChange {
  std::optional<std::int64_t> restart;        // last_value to set
  bool state_changes = false;                 // the stored state must be rewritten (restart, or new bounds)
  const parser::NameList* owned_by = nullptr;
};

// Applies the options to `p` with PostgreSQL's defaults, checks and errors (22023, 42601). is_new: CREATE. last_value: of an existing
// sequence, checked against new bounds. forced_type: of an identity or serial column (0 = none).
SequenceChange apply_sequence_options(SequenceParameters& p, const parser::OptionList& options, bool is_new, bool for_identity, std::int64_t last_value,
                                      Oid forced_type, std::string_view text);

}  // namespace hathi::ddl
