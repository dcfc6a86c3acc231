#pragma once
// Hooks of temporary tables.

namespace hathi::ddl {

// ON COMMIT actions run before a commit; once a process start.
void register_temporary_table_hooks();

}  // namespace hathi::ddl
