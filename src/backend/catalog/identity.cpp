// Who this session is, and what roles it may act as.

#include <string>

#include "hathi/catalog/lookup.h"
#include "hathi/storage/file.h"

namespace hathi::catalog {

namespace {

struct Identity {
  Oid database = kInvalidOid, tablespace = storage::kDefaultTablespace;
  std::string database_name;
  Oid authenticated = kBootstrapSuperuser, session = kBootstrapSuperuser, current = kBootstrapSuperuser;
};
Identity identity;

}  // namespace

Oid current_database() { return identity.database; }
std::string_view current_database_name() { return identity.database_name; }
Oid current_database_tablespace() { return identity.tablespace; }
void set_current_database_tablespace(Oid tablespace) { identity.tablespace = tablespace; }
Oid current_role() { return identity.current; }
Oid session_role() { return identity.session; }
Oid authenticated_role() { return identity.authenticated; }

void set_identity(Oid database, std::string_view database_name, Oid role) {
  identity.database = database;
  identity.database_name = database_name;
  identity.authenticated = identity.session = identity.current = role;
}

void set_session_role(Oid role) { identity.session = identity.current = role; }
void set_current_role(Oid role) { identity.current = role; }

}  // namespace hathi::catalog
