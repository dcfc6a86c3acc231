#pragma once
// pg_hba.conf: who may connect from where, and how they prove who they are.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>

namespace hathi::protocol {

enum class AuthMethod : std::uint8_t { trust, reject, scram_sha_256, md5, password, peer };

struct HbaRule {
  enum class Kind : std::uint8_t { local, host, hostssl, hostnossl, hostgssenc, hostnogssenc };
  Kind kind = Kind::local;
  std::vector<std::string> databases,
      users;  // "all", "sameuser", "samerole", "replication", "+role", "@file" resolved at load; quoted words keep a leading NUL
  bool any_address = false, same_host = false, same_net = false;
  std::string host_name;                          // not resolved: rules by host name are refused at load
  sockaddr_in6 address{}, mask{};                 // IPv4 as v4-mapped
  AuthMethod method = AuthMethod::reject;
  std::string ident_map;
  int line = 0;
};

// What is known of a connection when the rule is looked for.
struct ConnectionFacts {
  bool is_local = false, is_tls = false;
  sockaddr_in6 address{};                         // IPv4 as v4-mapped
  std::string host;                               // numeric, for messages
  std::string user, database;
  bool (*is_member)(std::string_view user, std::string_view role) = nullptr;
};

// Reads the file; on any bad line logs it and returns false, leaving `rules` as it was.
bool load_hba(const std::string& path, std::vector<HbaRule>& rules);
// Every line of the file that is not empty, as it stands there, for pg_hba_file_rules; false when the file cannot be read.
struct HbaLine {
  int number = 0;
  std::string type, address, netmask, method, error;   // error: the line is refused, the other members are empty
  std::vector<std::string> databases, users;
};
bool describe_hba(const std::string& path, std::vector<HbaLine>& lines);
// The first rule that fits; nullptr when none does.
const HbaRule* find_hba_rule(const std::vector<HbaRule>& rules, const ConnectionFacts& facts);
// The rules in force, loaded by the postmaster before it forks.
std::vector<HbaRule>& hba_rules();

}  // namespace hathi::protocol
