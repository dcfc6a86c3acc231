#pragma once

namespace hathi::catalog {

// Forgets temporary schemas that an aborted transaction made.
void install_temporary_hooks();

// While bootstrap makes system objects new_oid() and new_relfilenode() give numbers below kFirstNormalOid.
void use_system_oids(bool on);

}  // namespace hathi::catalog
