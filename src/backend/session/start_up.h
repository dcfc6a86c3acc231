#pragma once
// From a fresh socket to a session that may run statements.

#include <string>
#include <utility>
#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/protocol/hba.h"
#include "hathi/session/session.h"

namespace hathi::session {

// What the start-up packet said.
struct StartupRequest {
  std::string user, database, options;
  std::vector<std::pair<std::string, std::string>> settings;   // in the packet's order
  std::string replication;
  // A setting of the packet, "" when it has none of that name.
  std::string setting(std::string_view name) const {
    for (const auto& [key, value] : settings) if (key == name) return value;
    return {};
  }
};

// Serves SSLRequest, GSSENCRequest and CancelRequest; false when the connection is over. Throws fatal SqlError on bad packets.
bool read_startup_request(Session& session, StartupRequest& request);
// The numeric address and the rest of what pg_hba.conf asks.
protocol::ConnectionFacts connection_facts(const Session& session, const StartupRequest& request);
// Proves who the client is by the first rule of pg_hba.conf that fits; throws fatal 28000 / 28P01. Takes a process slot, and gives it
// back while it waits for the client's answers. Sends AuthenticationOk.
void authenticate(Session& session, const StartupRequest& request);
// Opens the database, checks that role and database may be used, applies settings of database, role and packet.
void open_database(Session& session, const StartupRequest& request);
// Takes and gives back this process's slot together with its place in the process array. Throws fatal 53300.
void enter_slot(Session& session);
void leave_slot();
// 53300 when the database's, the role's or the server's unreserved connections are used up.
void check_connection_limits(const catalog::DatabaseInfo& database, const catalog::RoleInfo& role, bool superuser);
// ALTER ROLE/DATABASE … SET: pg_db_role_setting, weakest first.
struct StoredSetting { config::Source source; std::string name, value; };
std::vector<StoredSetting> stored_settings(Oid database, Oid role);
// The operating system's name of a user id, "" when it has none.
std::string user_name_of(unsigned int user_id);
// Reported settings and BackendKeyData.
void send_session_parameters(Session& session);

}  // namespace hathi::session
