#include "listen.h"

#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hathi/config/server_settings.h"
#include "hathi/error/report.h"
#include "lock_files.h"

namespace hathi::postmaster {

namespace {

constexpr int kBacklog = 65535;  // the kernel cuts it to somaxconn: a storm of connects is queued, not refused

void log_bind_failure(const std::string& what, int error, const std::string& hint) {
  ErrorReport r;
  r.severity = Severity::log;
  r.code = sqlstate::system_error;
  r.message = fmt::format("could not bind {}: {}", what, std::strerror(error));
  if (error == EADDRINUSE) r.hint = hint;
  report(std::move(r));
}

std::string numeric(const sockaddr* address, socklen_t length) {
  char host[NI_MAXHOST];
  if (getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) return "???";
  return host;
}

// -1 when it can't be had (logged).
int listen_on(const addrinfo& a) {
  int port = config::values::port;
  std::string host = numeric(a.ai_addr, a.ai_addrlen);
  const char* family = a.ai_family == AF_INET6 ? "IPv6" : "IPv4";
  int fd = socket(a.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    log_message("could not create {} socket for address \"{}\": {}", family, host, std::strerror(errno));
    return -1;
  }
  int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (a.ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  if (bind(fd, a.ai_addr, a.ai_addrlen) != 0) {
    log_bind_failure(fmt::format("{} address \"{}\"", family, host), errno,
                     fmt::format("Is another postmaster already running on port {}? If not, wait a few seconds and retry.", port));
    close(fd);
    return -1;
  }
  if (listen(fd, kBacklog) != 0) {
    log_message("could not listen on {} address \"{}\": {}", family, host, std::strerror(errno));
    close(fd);
    return -1;
  }
  log_message("listening on {} address \"{}\", port {}", family, host, port);
  return fd;
}

bool listen_on_host(const std::string& host, std::vector<int>& descriptors) {
  addrinfo hints{}, *list = nullptr;
  hints.ai_flags = AI_PASSIVE;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  std::string service = std::to_string(config::values::port);
  int problem = getaddrinfo(host == "*" ? nullptr : host.c_str(), service.c_str(), &hints, &list);
  if (problem != 0) {
    log_message("could not translate host name \"{}\", service \"{}\" to address: {}", host, service, gai_strerror(problem));
    return false;
  }
  std::size_t before = descriptors.size();
  for (const addrinfo* a = list; a != nullptr; a = a->ai_next) {
    if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
    if (int fd = listen_on(*a); fd >= 0) descriptors.push_back(fd);
  }
  freeaddrinfo(list);
  return descriptors.size() > before;
}

void set_socket_owner(const std::string& path) {
  const std::string& group = config::values::unix_socket_group;
  if (!group.empty()) {
    char* end = nullptr;
    long number = std::strtol(group.c_str(), &end, 10);
    if (*end != '\0') {
      const struct group* entry = getgrnam(group.c_str());
      if (entry == nullptr) throw SqlError(sqlstate::system_error, "group \"{}\" does not exist", group).fatal();
      number = entry->gr_gid;
    }
    if (chown(path.c_str(), static_cast<uid_t>(-1), static_cast<gid_t>(number)) != 0) {
      throw SqlError(sqlstate::system_error, "could not set group of file \"{}\": {}", path, std::strerror(errno)).fatal();
    }
  }
  if (chmod(path.c_str(), static_cast<mode_t>(config::values::unix_socket_permissions)) != 0) {
    throw SqlError(sqlstate::system_error, "could not set permissions of file \"{}\": {}", path, std::strerror(errno)).fatal();
  }
}

bool listen_in_directory(const std::string& directory, const std::string& data_directory, long start_time, std::vector<int>& descriptors) {
  int port = config::values::port;
  std::string path = fmt::format("{}/.s.PGSQL.{}", directory, port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    log_message("Unix-domain socket path \"{}\" is too long (maximum {} bytes)", path, sizeof address.sun_path - 1);
    return false;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  create_socket_lock(path, data_directory, start_time, port, directory);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    log_bind_failure(fmt::format("Unix address \"{}\"", path), errno,
                     fmt::format("Is another postmaster already running on port {}?", port));
    if (fd >= 0) close(fd);
    return false;
  }
  set_socket_owner(path);
  if (listen(fd, kBacklog) != 0) {
    log_message("could not listen on Unix address \"{}\": {}", path, std::strerror(errno));
    close(fd);
    return false;
  }
  log_message("listening on Unix socket \"{}\"", path);
  descriptors.push_back(fd);
  return true;
}

void warn(std::string text) {
  ErrorReport r;
  r.severity = Severity::warning;
  r.message = std::move(text);
  report(std::move(r));
}

}  // namespace

std::vector<std::string> split_directories(const std::string& list) {
  std::vector<std::string> elements;
  std::string element;
  bool quoted = false, any = false;
  auto finish = [&] {
    while (!quoted && !element.empty() && element.back() == ' ') element.pop_back();
    if (any) elements.push_back(element);
    element.clear();
    any = false;
  };
  for (char c : list) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (c == ',' && !quoted) {
      finish();
    } else if (quoted || any || c != ' ') {
      element += c;
      any = true;
    }
  }
  finish();
  return elements;
}

ListenSockets open_listen_sockets(const std::string& data_directory, long start_time) {
  ListenSockets result;
  std::vector<std::string> hosts = split_directories(config::values::listen_addresses);
  for (const std::string& host : hosts) {
    if (listen_on_host(host, result.descriptors)) {
      if (result.first_address.empty()) result.first_address = host;
    } else {
      warn(fmt::format("could not create listen socket for \"{}\"", host));
    }
  }
  if (!hosts.empty() && result.descriptors.empty()) throw SqlError(sqlstate::system_error, "could not create any TCP/IP sockets").fatal();
  std::size_t tcp = result.descriptors.size();
  std::vector<std::string> directories = split_directories(config::values::unix_socket_directories);
  for (const std::string& directory : directories) {
    if (listen_in_directory(directory, data_directory, start_time, result.descriptors)) {
      if (result.first_socket_directory.empty()) result.first_socket_directory = directory;
    } else {
      warn(fmt::format("could not create Unix-domain socket in directory \"{}\"", directory));
    }
  }
  if (!directories.empty() && result.descriptors.size() == tcp) {
    throw SqlError(sqlstate::system_error, "could not create any Unix-domain sockets").fatal();
  }
  if (result.descriptors.empty()) throw SqlError(sqlstate::system_error, "no socket created for listening").fatal();
  return result;
}

}  // namespace hathi::postmaster
