#include "hathi/shmem/process_title.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "hathi/config/server_settings.h"

namespace hathi::shmem {

namespace {
char* memory = nullptr;
std::size_t room = 0;
}  // namespace

void init_process_title(int argc, char** argv) {
  if (argc == 0) return;
  // Arguments and environment lie one after the other in memory; what is contiguous can be used.
  char* end = argv[0] + std::strlen(argv[0]) + 1;
  for (int i = 1; i < argc && argv[i] == end; ++i) end = argv[i] + std::strlen(argv[i]) + 1;
  std::size_t variables = 0;
  while (environ[variables] != nullptr) ++variables;
  auto** copies = new char*[variables + 1];
  for (std::size_t i = 0; i < variables; ++i) {
    if (environ[i] == end) end = environ[i] + std::strlen(environ[i]) + 1;
    copies[i] = strdup(environ[i]);
  }
  copies[variables] = nullptr;
  environ = copies;
  memory = argv[0];
  room = static_cast<std::size_t>(end - argv[0]);
}

void set_process_title(std::string_view activity) {
  if (memory == nullptr || room < 16) return;
  constexpr std::string_view kPrefix = "postgres: ";
  std::string_view cluster = config::values::cluster_name;
  std::size_t at = 0;
  auto put = [&](std::string_view text) {
    std::size_t n = std::min(text.size(), room - 1 - at);
    std::memcpy(memory + at, text.data(), n);
    at += n;
  };
  put(kPrefix);
  if (!cluster.empty()) {
    put(cluster);
    put(": ");
  }
  put(activity);
  std::memset(memory + at, 0, room - at);
}

}  // namespace hathi::shmem
