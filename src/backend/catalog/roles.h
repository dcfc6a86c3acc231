#pragma once

#include <vector>

#include "hathi/base/ids.h"

namespace hathi::catalog {

// Every role whose privileges `member` has, itself included, sorted by OID; superusers are not special here. Valid until the next call.
const std::vector<Oid>& roles_with_privileges(Oid member);

}  // namespace hathi::catalog
