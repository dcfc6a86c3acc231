#include "hathi/protocol/hba.h"

#include <arpa/inet.h>
#include <ifaddrs.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "hathi/error/report.h"

namespace hathi::protocol {

namespace {

// A word of the file. Quoted words lose their special meaning ("all" in quotes is a database of that name).
struct Token {
  std::string text;
  bool quoted = false;
};
using Field = std::vector<Token>;   // comma-separated

std::vector<Field> tokenize(const std::string& line) {
  std::vector<Field> fields;
  std::size_t i = 0;
  bool continues = false;
  while (i < line.size()) {
    while (i < line.size() && (std::isspace(static_cast<unsigned char>(line[i])) || line[i] == ',')) ++i;
    if (i >= line.size() || line[i] == '#') break;
    Token token;
    while (i < line.size() && !std::isspace(static_cast<unsigned char>(line[i])) && line[i] != ',' && line[i] != '#') {
      if (line[i] == '"') {
        token.quoted = true;
        for (++i; i < line.size() && line[i] != '"'; ++i) token.text += line[i];
        if (i < line.size()) ++i;
      } else {
        token.text += line[i++];
      }
    }
    if (continues && !fields.empty()) fields.back().push_back(std::move(token));
    else fields.push_back({std::move(token)});
    while (i < line.size() && line[i] == ' ') ++i;
    continues = i < line.size() && line[i] == ',';
  }
  return fields;
}

sockaddr_in6 mapped(const in_addr& v4) {
  sockaddr_in6 out{};
  out.sin6_family = AF_INET6;
  out.sin6_addr.s6_addr[10] = out.sin6_addr.s6_addr[11] = 0xFF;
  std::memcpy(&out.sin6_addr.s6_addr[12], &v4, 4);
  return out;
}

bool parse_address(const std::string& text, sockaddr_in6& out, bool& is_v4) {
  in_addr v4;
  is_v4 = inet_pton(AF_INET, text.c_str(), &v4) == 1;
  if (is_v4) {
    out = mapped(v4);
    return true;
  }
  out = {};
  out.sin6_family = AF_INET6;
  return inet_pton(AF_INET6, text.c_str(), &out.sin6_addr) == 1;
}

void set_mask_bits(sockaddr_in6& mask, int bits) {
  mask = {};
  for (int i = 0; i < bits; ++i) mask.sin6_addr.s6_addr[i / 8] = static_cast<std::uint8_t>(mask.sin6_addr.s6_addr[i / 8] | (0x80 >> (i % 8)));
}

bool fits(const sockaddr_in6& address, const sockaddr_in6& network, const sockaddr_in6& mask) {
  for (int i = 0; i < 16; ++i) {
    if ((address.sin6_addr.s6_addr[i] & mask.sin6_addr.s6_addr[i]) != (network.sin6_addr.s6_addr[i] & mask.sin6_addr.s6_addr[i])) return false;
  }
  return true;
}

// Does the address belong to this host (all bits) or to one of its networks?
bool fits_interfaces(const sockaddr_in6& address, bool whole_net) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  bool found = false;
  for (ifaddrs* i = list; i != nullptr && !found; i = i->ifa_next) {
    if (i->ifa_addr == nullptr) continue;
    sockaddr_in6 own{}, mask{};
    if (i->ifa_addr->sa_family == AF_INET) {
      own = mapped(reinterpret_cast<sockaddr_in*>(i->ifa_addr)->sin_addr);
      set_mask_bits(mask, 128);
      if (whole_net && i->ifa_netmask != nullptr) std::memcpy(&mask.sin6_addr.s6_addr[12], &reinterpret_cast<sockaddr_in*>(i->ifa_netmask)->sin_addr, 4);
    } else if (i->ifa_addr->sa_family == AF_INET6) {
      own = *reinterpret_cast<sockaddr_in6*>(i->ifa_addr);
      set_mask_bits(mask, 128);
      if (whole_net && i->ifa_netmask != nullptr) mask = *reinterpret_cast<sockaddr_in6*>(i->ifa_netmask);
    } else {
      continue;
    }
    found = fits(address, own, mask);
  }
  freeifaddrs(list);
  return found;
}

std::vector<std::string> words(const Field& field) {
  std::vector<std::string> out;
  for (const Token& t : field) out.push_back(t.quoted ? std::string(1, '\0') + t.text : t.text);
  return out;
}

// Errors are returned as the text for the log; empty = fine.
std::string parse_rule_address(const std::vector<Field>& fields, std::size_t& next, HbaRule& rule) {
  if (next >= fields.size()) return "end-of-line before IP address specification";
  const Token& token = fields[next++][0];
  if (!token.quoted && token.text == "all") { rule.any_address = true; return {}; }
  if (!token.quoted && token.text == "samehost") { rule.same_host = true; return {}; }
  if (!token.quoted && token.text == "samenet") { rule.same_net = true; return {}; }
  std::string text = token.text;
  std::size_t slash = text.find('/');
  bool is_v4 = false;
  if (!parse_address(text.substr(0, slash), rule.address, is_v4)) {
    return fmt::format("rules by host name are not supported: \"{}\"", text);
  }
  if (slash != std::string::npos) {
    int bits = std::atoi(text.c_str() + slash + 1);
    if (bits < 0 || bits > (is_v4 ? 32 : 128)) return fmt::format("invalid CIDR mask in address \"{}\"", text);
    set_mask_bits(rule.mask, is_v4 ? bits + 96 : bits);
    return {};
  }
  if (next >= fields.size()) return "end-of-line before netmask specification";
  bool mask_v4 = false;
  if (!parse_address(fields[next++][0].text, rule.mask, mask_v4) || mask_v4 != is_v4) return "invalid IP mask";
  if (is_v4) std::memset(&rule.mask.sin6_addr, 0xFF, 12);
  return {};
}

std::string parse_rule(const std::vector<Field>& fields, HbaRule& rule) {
  using Kind = HbaRule::Kind;
  const std::string& kind = fields[0][0].text;
  if (kind == "local") rule.kind = Kind::local;
  else if (kind == "host") rule.kind = Kind::host;
  else if (kind == "hostssl") rule.kind = Kind::hostssl;
  else if (kind == "hostnossl") rule.kind = Kind::hostnossl;
  else if (kind == "hostgssenc") rule.kind = Kind::hostgssenc;
  else if (kind == "hostnogssenc") rule.kind = Kind::hostnogssenc;
  else return fmt::format("invalid connection type \"{}\"", kind);
  if (fields.size() < 2) return "end-of-line before database specification";
  rule.databases = words(fields[1]);
  if (fields.size() < 3) return "end-of-line before role specification";
  rule.users = words(fields[2]);
  std::size_t next = 3;
  if (rule.kind != Kind::local) {
    std::string error = parse_rule_address(fields, next, rule);
    if (!error.empty()) return error;
  }
  if (next >= fields.size()) return "end-of-line before authentication method";
  const std::string& method = fields[next++][0].text;
  if (method == "trust") rule.method = AuthMethod::trust;
  else if (method == "reject") rule.method = AuthMethod::reject;
  else if (method == "scram-sha-256") rule.method = AuthMethod::scram_sha_256;
  else if (method == "md5") rule.method = AuthMethod::md5;
  else if (method == "password") rule.method = AuthMethod::password;
  else if (method == "peer" || (method == "ident" && rule.kind == Kind::local)) rule.method = AuthMethod::peer;
  else return fmt::format("invalid authentication method \"{}\": not supported", method);
  if (rule.method == AuthMethod::peer && rule.kind != Kind::local) return "peer authentication is only supported on local sockets";
  if (next < fields.size()) return fmt::format("authentication option \"{}\" is not supported", fields[next][0].text);
  return {};
}

bool word_matches(const std::string& word, std::string_view name) {
  return !word.empty() && word[0] == '\0' ? std::string_view(word).substr(1) == name : word == name;
}

bool database_fits(const HbaRule& rule, const ConnectionFacts& facts) {
  for (const std::string& word : rule.databases) {
    if (word == "all") return true;
    if (word == "replication") continue;
    if (word == "sameuser") {
      if (facts.database == facts.user) return true;
    } else if (word == "samerole" || word == "samegroup") {
      if (facts.is_member != nullptr && facts.is_member(facts.user, facts.database)) return true;
    } else if (word_matches(word, facts.database)) {
      return true;
    }
  }
  return false;
}

bool user_fits(const HbaRule& rule, const ConnectionFacts& facts) {
  for (const std::string& word : rule.users) {
    if (word == "all") return true;
    if (word.size() > 1 && word[0] == '+') {
      if (facts.is_member != nullptr && facts.is_member(facts.user, std::string_view(word).substr(1))) return true;
    } else if (word_matches(word, facts.user)) {
      return true;
    }
  }
  return false;
}

bool kind_fits(const HbaRule& rule, const ConnectionFacts& facts) {
  using Kind = HbaRule::Kind;
  if (facts.is_local) return rule.kind == Kind::local;
  switch (rule.kind) {
    case Kind::local: return false;
    case Kind::hostssl: return facts.is_tls;
    case Kind::hostnossl: return !facts.is_tls;
    case Kind::hostgssenc: return false;
    default: return true;
  }
}

bool address_fits(const HbaRule& rule, const ConnectionFacts& facts) {
  if (facts.is_local || rule.any_address) return true;
  if (rule.same_host || rule.same_net) return fits_interfaces(facts.address, rule.same_net);
  return fits(facts.address, rule.address, rule.mask);
}

}  // namespace

bool load_hba(const std::string& path, std::vector<HbaRule>& rules) {
  std::ifstream in(path);
  if (!in) {
    log_message("could not open configuration file \"{}\": {}", path, std::strerror(errno));
    return false;
  }
  std::vector<HbaRule> loaded;
  bool ok = true;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::vector<Field> fields = tokenize(line);
    if (fields.empty()) continue;
    HbaRule rule;
    rule.line = number;
    std::string error = parse_rule(fields, rule);
    if (error.empty()) {
      loaded.push_back(std::move(rule));
    } else {
      log_message("{} (line {} of configuration file \"{}\")", error, number, path);
      ok = false;
    }
  }
  if (ok && loaded.empty()) {
    log_message("configuration file \"{}\" contains no entries", path);
    ok = false;
  }
  if (ok) rules = std::move(loaded);
  return ok;
}

namespace {

std::string ip_text(const sockaddr_in6& address, bool is_v4) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_v4) inet_ntop(AF_INET, &address.sin6_addr.s6_addr[12], text, sizeof text);
  else inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
  return text;
}

std::vector<std::string> plain_words(const Field& field) {
  std::vector<std::string> out;
  for (const Token& t : field) out.push_back(t.text);
  return out;
}

void describe_rule(const std::vector<Field>& fields, const HbaRule& rule, HbaLine& line) {
  static const char* const kMethods[] = {"trust", "reject", "scram-sha-256", "md5", "password", "peer"};
  line.type = fields[0][0].text;
  line.databases = plain_words(fields[1]);
  line.users = plain_words(fields[2]);
  line.method = kMethods[static_cast<int>(rule.method)];
  if (rule.kind == HbaRule::Kind::local) return;
  if (rule.any_address || rule.same_host || rule.same_net) {
    line.address = fields[3][0].text;
    return;
  }
  bool is_v4 = fields[3][0].text.find(':') == std::string::npos;
  line.address = ip_text(rule.address, is_v4);
  line.netmask = ip_text(rule.mask, is_v4);
}

}  // namespace

bool describe_hba(const std::string& path, std::vector<HbaLine>& lines) {
  std::ifstream in(path);
  if (!in) return false;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    std::vector<Field> fields = tokenize(text);
    if (fields.empty()) continue;
    HbaRule rule;
    HbaLine line;
    line.number = number;
    line.error = parse_rule(fields, rule);
    if (line.error.empty()) describe_rule(fields, rule, line);
    lines.push_back(std::move(line));
  }
  return true;
}

const HbaRule* find_hba_rule(const std::vector<HbaRule>& rules, const ConnectionFacts& facts) {
  for (const HbaRule& rule : rules) {
    if (kind_fits(rule, facts) && address_fits(rule, facts) && database_fits(rule, facts) && user_fits(rule, facts)) return &rule;
  }
  return nullptr;
}

std::vector<HbaRule>& hba_rules() {
  static std::vector<HbaRule> rules;
  return rules;
}

}  // namespace hathi::protocol
