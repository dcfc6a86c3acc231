#pragma once
// What the postmaster runs in a child it forked for a connection.

namespace hathi::session {

// Owns the connected socket from its first byte to its last; returns when the session is over (the process then exits).
void backend_main(int socket);

// Checks of settings that need catalog or transaction (role, transaction_isolation, …). Once, before the first fork.
void install_setting_hooks();

}  // namespace hathi::session
