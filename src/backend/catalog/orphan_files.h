#pragma once

namespace hathi::catalog {

// Makes recovery remove files that no relation owns. Once.
void register_orphan_removal();

}  // namespace hathi::catalog
