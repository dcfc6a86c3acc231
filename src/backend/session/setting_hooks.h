#pragma once
// Hooks of settings that need catalog and transaction; see setting_hooks.cpp.

#include <string_view>

namespace hathi::session {

// The session's user, as session_authorization and is_superuser show it. Once the identity is set, in a transaction.
void publish_identity(std::string_view role_name);

}  // namespace hathi::session
