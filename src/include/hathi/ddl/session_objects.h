#pragma once
// Objects and values that belong to one session.

#include "hathi/base/ids.h"

namespace hathi::ddl {

// Drops everything in this session's temporary schema (DISCARD TEMP, session end).
void drop_temporary_objects();
// The same when the session ends: in a transaction of its own, errors are logged only.
void drop_temporary_objects_at_exit();
// currval(), lastval() and cached sequence values are forgotten (DISCARD SEQUENCES).
void forget_sequence_values();
// Says whether an open cursor of this session reads the relation (55006 for those who would change it); once, before the first fork.
void set_open_cursor_check(bool (*check)(Oid relation));
// ON COMMIT actions of temporary tables; registered as a transaction hook at start.
void register_session_hooks();

}  // namespace hathi::ddl
