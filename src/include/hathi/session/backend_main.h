#pragma once
// What the postmaster runs in a child it forked for a connection.

namespace hathi::session {

// Owns the connected socket from its first byte to its last; returns when the session is over (the process then exits).
void backend_main(int socket);

}  // namespace hathi::session
