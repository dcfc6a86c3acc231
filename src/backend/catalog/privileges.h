#pragma once

namespace hathi::catalog {

void end_privilege_caches();

}  // namespace hathi::catalog
