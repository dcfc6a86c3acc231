#pragma once
// The stored state of a sequence: one row in block 0 of its file, changed in place, never rolled back.

#include <cstdint>

#include "hathi/catalog/relation.h"

namespace hathi::ddl {

struct SequenceState {
  std::int64_t last_value = 1;
  std::int64_t log_count = 0;      // values that may be handed out before the next log record
  bool is_called = false;
};

// Writes block 0 of new storage (and of the init fork of an unlogged one).
void create_sequence_state(Oid sequence, const SequenceState& state);
SequenceState read_sequence_state(const catalog::Relation& sequence);
// Sets and logs it (setval, ALTER, RESTART).
void write_sequence_state(const catalog::Relation& sequence, const SequenceState& state);

// The next value of an identity column's sequence: no privilege on the sequence is asked.
std::int64_t next_identity_value(Oid sequence);
// nextval, currval, lastval, setval and friends.
void register_sequence_functions();

}  // namespace hathi::ddl
