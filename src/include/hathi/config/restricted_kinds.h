#pragma once
// What the setting restrict_nonsystem_relation_kind forbids: users' relations whose reading may run code of theirs.

namespace hathi::config {

enum RestrictedKind : int { kRestrictViews = 1, kRestrictForeignTables = 2 };

namespace values {
extern int restricted_relation_kinds;   // of RestrictedKind
}  // namespace values

}  // namespace hathi::config
