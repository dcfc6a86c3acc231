#pragma once

namespace hathi::catalog {

// Gives heap/ its way to TOAST tables and to new value ids.
void install_toast_access();

}  // namespace hathi::catalog
