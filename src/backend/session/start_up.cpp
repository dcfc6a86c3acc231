#include "start_up.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "hathi/catalog/lookup.h"
#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"
#include "hathi/locking/lock_table.h"
#include "hathi/protocol/password.h"
#include "hathi/nodes/query.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/types/collation.h"
#include "hathi/transaction/transaction.h"
#include "setting_hooks.h"

namespace hathi::session {

namespace {

constexpr std::uint32_t kCancelRequest = (1234u << 16) | 5678u;
constexpr std::uint32_t kSslRequest = (1234u << 16) | 5679u;
constexpr std::uint32_t kGssRequest = (1234u << 16) | 5680u;

[[noreturn]] void fail(SqlState code, std::string message) { throw SqlError(code, "{}", message).fatal(); }

// A cancel names a process and its key; nothing is ever answered.
void serve_cancel(protocol::BodyReader body) {
  std::int32_t pid = body.int32(), key = body.int32();
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const shmem::ProcessSlot& slot = shmem::slot(i);
    if (slot.in_use.load() != 0 && slot.pid.load() == pid && slot.cancel_key == key && slot.kind == shmem::ProcessKind::backend) kill(pid, SIGINT);
  }
}

void negotiate_version(Session& session, std::uint32_t minor, const std::vector<std::string>& unknown) {
  if (minor == 0 && unknown.empty()) return;
  protocol::Connection& c = session.connection;
  c.begin('v');
  c.put_int32(3 << 16);
  c.put_int32(static_cast<std::int32_t>(unknown.size()));
  for (const std::string& name : unknown) c.put_string(name);
  c.end();
}

// Protocols 1 and 2 framed their messages without a length.
[[noreturn]] void refuse_old_protocol(Session& session, std::uint32_t version) {
  std::string text = fmt::format("EFATAL:  unsupported frontend protocol {}.{}: server supports 3.0 to 3.0\n", version >> 16, version & 0xFFFF);
  session.connection.send_raw({text.c_str(), text.size() + 1});
  fail(sqlstate::feature_not_supported, fmt::format("unsupported frontend protocol {}.{}: server supports 3.0 to 3.0", version >> 16, version & 0xFFFF));
}

void read_parameters(protocol::BodyReader body, StartupRequest& request, std::vector<std::string>& unknown) try {
  for (;;) {
    std::string_view name = body.string();
    if (name.empty()) break;
    std::string_view value = body.string();
    constexpr std::size_t kLongestName = 63;
    if (name == "user") request.user = value.substr(0, kLongestName);
    else if (name == "database") request.database = value.substr(0, kLongestName);
    else if (name == "options") request.options = value;
    else if (name == "replication") request.replication = value;
    else if (name.starts_with("_pq_.")) unknown.emplace_back(name);
    else request.settings.emplace_back(name, value);
  }
  body.expect_end();
} catch (const SqlError&) {
  fail(sqlstate::protocol_violation, "invalid startup packet layout: expected terminator as last byte");
}

// The words of the options parameter: separated by blanks, a backslash takes the next character as it is.
std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i]))) ++i;
    if (i >= text.size()) break;
    std::string word;
    for (; i < text.size() && !std::isspace(static_cast<unsigned char>(text[i])); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      word += text[i];
    }
    words.push_back(std::move(word));
  }
  return words;
}

// "-c name=value" and "--name=value" of the options parameter.
std::vector<std::pair<std::string, std::string>> option_settings(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  std::vector<std::string> words = split_options(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string assignment;
    if (words[i] == "-c" && i + 1 < words.size()) assignment = words[++i];
    else if (words[i].starts_with("-c")) assignment = words[i].substr(2);
    else if (words[i].starts_with("--")) assignment = words[i].substr(2);
    else
      throw SqlError(sqlstate::syntax_error, "invalid command-line argument for server process: {}", words[i])
          .hint("Try \"postgres --help\" for more information.")
          .fatal();
    std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) fail(sqlstate::syntax_error, fmt::format("-c {} requires a value", assignment));
    std::string name = assignment.substr(0, equals);
    for (char& c : name) c = c == '-' ? '_' : c;
    out.emplace_back(std::move(name), assignment.substr(equals + 1));
  }
  return out;
}

bool wants_replication(const std::string& value) {
  if (value.empty()) return false;
  if (value == "database") return true;
  for (std::string_view word : {"true", "on", "yes", "1"}) if (value == word) return true;
  for (std::string_view word : {"false", "off", "no", "0"}) if (value == word) return false;
  throw SqlError(sqlstate::invalid_parameter_value, "invalid value for parameter \"replication\": \"{}\"", value)
      .hint("Valid values are: \"false\", 0, \"true\", 1, \"database\".")
      .fatal();
}

struct StoredRole {
  bool exists = false;
  std::optional<std::string> password;
  bool expired = false;
};

// Reads the role with a slot of its own, which is given back.
StoredRole read_role(const std::string& user) {
  StoredRole out;
  transaction::start();
  if (const catalog::RoleInfo* role = catalog::find_role_by_name(user)) {
    out.exists = true;
    if (!role->password.empty()) out.password = std::string(role->password);
    out.expired = role->valid_until && *role->valid_until < transaction::transaction_timestamp();
  }
  transaction::commit();
  return out;
}

void send_authentication(Session& session, std::int32_t code, std::string_view data = {}) {
  protocol::Connection& c = session.connection;
  c.begin('R');
  c.put_int32(code);
  c.put_bytes(data.data(), data.size());
  c.end();
}

std::string read_password_message(Session& session) {
  session.connection.flush();
  protocol::Message message;
  if (!session.connection.read_message(message, serve_interrupts)) fail(sqlstate::protocol_violation, "expected password response, got end of file");
  if (message.type != 'p') fail(sqlstate::protocol_violation, fmt::format("expected password response, got message type {}", static_cast<int>(message.type)));
  return {message.body.data(), message.body.size()};
}

[[noreturn]] void password_failed(const std::string& user) {
  fail(sqlstate::invalid_password, fmt::format("password authentication failed for user \"{}\"", user));
}

void run_scram(Session& session, const StartupRequest& request, const StoredRole& role) {
  using namespace std::string_view_literals;
  send_authentication(session, 10, "SCRAM-SHA-256\0\0"sv);
  std::string body = read_password_message(session);
  protocol::BodyReader reader({body.data(), body.size()});
  if (reader.string() != "SCRAM-SHA-256") fail(sqlstate::protocol_violation, "client selected an invalid SASL authentication mechanism");
  std::int32_t length = reader.int32();
  auto first = length < 0 ? std::span<const char>{} : reader.bytes(static_cast<std::size_t>(length));
  reader.expect_end();
  protocol::ScramExchange exchange(role.expired ? std::nullopt : role.password, request.user);
  send_authentication(session, 11, exchange.first({first.data(), first.size()}));
  std::optional<std::string> answer = exchange.final(read_password_message(session));
  if (!answer) password_failed(request.user);
  send_authentication(session, 12, *answer);
}

std::string without_nul(std::string text) {
  if (text.empty() || text.back() != '\0') fail(sqlstate::protocol_violation, "invalid password packet size");
  text.pop_back();
  if (text.empty()) fail(sqlstate::invalid_password, "empty password returned by client");
  return text;
}

void run_password(Session& session, const StartupRequest& request, const StoredRole& role) {
  send_authentication(session, 3);
  std::string password = without_nul(read_password_message(session));
  if (!role.password || role.expired || !protocol::check_plain_password(password, *role.password, request.user)) password_failed(request.user);
}

void run_md5(Session& session, const StartupRequest& request, const StoredRole& role) {
  char salt[4];
  protocol::random_bytes(salt, sizeof salt);
  send_authentication(session, 5, {salt, sizeof salt});
  std::string response = without_nul(read_password_message(session));
  if (!role.password || role.expired || !protocol::check_md5_response(response, *role.password, {salt, sizeof salt})) password_failed(request.user);
}

void run_peer(Session& session, const StartupRequest& request) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(session.connection.socket(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    fail(sqlstate::invalid_authorization_specification, fmt::format("could not get peer credentials: {}", std::strerror(errno)));
  }
  if (user_name_of(peer.uid) != request.user) {
    fail(sqlstate::invalid_authorization_specification, fmt::format("Peer authentication failed for user \"{}\"", request.user));
  }
}

[[noreturn]] void no_rule(const protocol::ConnectionFacts& facts, bool rejected) {
  std::string where = facts.is_local ? "[local]" : facts.host;
  std::string encryption = facts.is_local ? "no encryption" : (facts.is_tls ? "SSL encryption" : "no encryption");
  fail(sqlstate::invalid_authorization_specification,
       rejected ? fmt::format("pg_hba.conf rejects connection for host \"{}\", user \"{}\", database \"{}\", {}", where, facts.user, facts.database, encryption)
                : fmt::format("no pg_hba.conf entry for host \"{}\", user \"{}\", database \"{}\", {}", where, facts.user, facts.database, encryption));
}

}  // namespace

bool read_startup_request(Session& session, StartupRequest& request) {
  std::string packet;
  bool asked_ssl = false, asked_gss = false;
  for (;;) {
    if (!session.connection.read_startup_packet(packet)) return false;
    protocol::BodyReader body({packet.data(), packet.size()});
    auto version = static_cast<std::uint32_t>(body.int32());
    if (version == kCancelRequest) {
      if (body.remaining() == 8) serve_cancel(body);
      return false;
    }
    if ((version == kSslRequest && !asked_ssl) || (version == kGssRequest && !asked_gss)) {
      (version == kSslRequest ? asked_ssl : asked_gss) = true;
      session.connection.send_raw("N");
      continue;
    }
    if ((version >> 16) < 3) refuse_old_protocol(session, version);
    if ((version >> 16) > 3) {
      fail(sqlstate::feature_not_supported, fmt::format("unsupported frontend protocol {}.{}: server supports 3.0 to 3.0", version >> 16, version & 0xFFFF));
    }
    std::vector<std::string> unknown;
    read_parameters(body, request, unknown);
    negotiate_version(session, version & 0xFFFF, unknown);
    break;
  }
  if (request.user.empty()) fail(sqlstate::invalid_authorization_specification, "no PostgreSQL user name specified in startup packet");
  if (request.database.empty()) request.database = request.user;
  if (wants_replication(request.replication)) fail(sqlstate::feature_not_supported, "replication connections are not supported");
  return true;
}

protocol::ConnectionFacts connection_facts(const Session& session, const StartupRequest& request) {
  protocol::ConnectionFacts facts;
  facts.user = request.user;
  facts.database = request.database;
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getpeername(session.connection.socket(), reinterpret_cast<sockaddr*>(&address), &size);
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    facts.address.sin6_family = AF_INET6;
    facts.address.sin6_addr.s6_addr[10] = facts.address.sin6_addr.s6_addr[11] = 0xFF;
    std::memcpy(&facts.address.sin6_addr.s6_addr[12], &v4.sin_addr, 4);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else if (address.ss_family == AF_INET6) {
    facts.address = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &facts.address.sin6_addr, text, sizeof text);
  } else {
    facts.is_local = true;
  }
  facts.host = text;
  facts.is_member = [](std::string_view user, std::string_view role) {
    const catalog::RoleInfo* member = catalog::find_role_by_name(user);
    const catalog::RoleInfo* group = catalog::find_role_by_name(role);
    return member != nullptr && group != nullptr && catalog::is_member_of(member->oid, group->oid);
  };
  return facts;
}

void authenticate(Session& session, const StartupRequest& request) {
  protocol::ConnectionFacts facts = connection_facts(session, request);
  transaction::start();
  const protocol::HbaRule* rule = protocol::find_hba_rule(protocol::hba_rules(), facts);
  transaction::commit();
  if (rule == nullptr || rule->method == protocol::AuthMethod::reject) no_rule(facts, rule != nullptr);
  if (rule->method == protocol::AuthMethod::peer) run_peer(session, request);
  if (rule->method == protocol::AuthMethod::scram_sha_256 || rule->method == protocol::AuthMethod::md5 || rule->method == protocol::AuthMethod::password) {
    StoredRole role = read_role(request.user);
    // A client that takes its time over the password takes no slot from others.
    leave_slot();
    bool md5 = rule->method == protocol::AuthMethod::md5 && role.password && protocol::password_kind(*role.password) == protocol::PasswordKind::md5;
    if (rule->method == protocol::AuthMethod::password) run_password(session, request, role);
    else if (md5) run_md5(session, request, role);
    else run_scram(session, request, role);
    enter_slot(session);
  }
  send_authentication(session, 0);
}

void open_database(Session& session, const StartupRequest& request) {
  transaction::start();
  const catalog::RoleInfo* role = catalog::find_role_by_name(request.user);
  if (role == nullptr) fail(sqlstate::invalid_authorization_specification, fmt::format("role \"{}\" does not exist", request.user));
  if (!role->can_login) fail(sqlstate::invalid_authorization_specification, fmt::format("role \"{}\" is not permitted to log in", request.user));
  std::optional<catalog::DatabaseInfo> database = catalog::find_database(request.database);
  if (!database) fail(sqlstate::undefined_database, fmt::format("database \"{}\" does not exist", request.database));
  // From here until this transaction ends nobody drops, renames or copies the database; afterwards the slot shows who is in it.
  locking::acquire(transaction::owner(), locking::LockTag::object_tag(kInvalidOid, catalog_oid::pg_database, database->oid, 0),
                   locking::LockMode::row_exclusive);
  shmem::my_slot().database = raw(database->oid);
  Oid found = database->oid;
  database = catalog::find_database(request.database);
  if (!database || database->oid != found) {
    throw SqlError(sqlstate::undefined_database, "database \"{}\" does not exist", request.database)
        .detail("It seems to have just been dropped or renamed.")
        .fatal();
  }
  catalog::set_identity(database->oid, database->name, role->oid);
  publish_identity(role->name);
  shmem::my_slot().role = raw(role->oid);
  if (!database->allow_connections) {
    fail(sqlstate::object_not_in_prerequisite_state, fmt::format("database \"{}\" is not currently accepting connections", database->name));
  }
  bool superuser = catalog::is_superuser(role->oid);
  if (!superuser && (catalog::object_privileges(catalog_oid::pg_database, database->oid, role->oid, nodes::kAclConnect) & nodes::kAclConnect) == 0) {
    throw SqlError(sqlstate::insufficient_privilege, "permission denied for database \"{}\"", database->name)
        .detail("User does not have CONNECT privilege.")
        .fatal();
  }
  check_connection_limits(*database, *role, superuser);
  catalog::set_database_encoding(database->encoding);
  catalog::set_current_database_tablespace(database->tablespace);
  types::set_default_locale(database->collate, database->ctype);
  for (const auto& [source, name, value] : stored_settings(database->oid, role->oid)) config::set(name, value, source, false, true);
  for (const auto& [name, value] : option_settings(request.options)) config::set(name, value, config::Source::client, false, superuser);
  for (const auto& [name, value] : request.settings) config::set(name, value, config::Source::client, false, superuser);
  transaction::commit();
}

void send_session_parameters(Session& session) {
  protocol::Connection& c = session.connection;
  for (const auto& [name, value] : config::all_reported()) {
    c.begin('S');
    c.put_string(name);
    c.put_string(value);
    c.end();
  }
  config::take_reported_changes();
  protocol::random_bytes(&session.cancel_key, sizeof session.cancel_key);
  shmem::my_slot().cancel_key = session.cancel_key;
  c.begin('K');
  c.put_int32(shmem::my_slot().pid.load());
  c.put_int32(session.cancel_key);
  c.end();
}

}  // namespace hathi::session
