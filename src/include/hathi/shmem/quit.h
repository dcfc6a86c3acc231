#pragma once
// What a process does at SIGQUIT before it ends at once.

namespace hathi {

// Why the postmaster ends everybody: the value that comes with the signal.
enum class QuitReason : int { unknown = 0, crash = 1, immediate_shutdown = 2 };

// Called in the signal handler, so only async-signal-safe functions are allowed; nullptr: nothing.
void set_quit_hook(void (*hook)(QuitReason reason));

}  // namespace hathi
