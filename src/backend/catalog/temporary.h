#pragma once

namespace hathi::catalog {

// Forgets temporary schemas that an aborted transaction made.
void install_temporary_hooks();

}  // namespace hathi::catalog
