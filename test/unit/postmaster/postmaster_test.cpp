// The postmaster with small parts: its children speak just enough of the protocol to be told apart.

#include "hathi/postmaster/postmaster.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../forked.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"

namespace hathi::postmaster {
namespace {

constexpr int kPort = 54999;

std::atomic<int>* life =
    nullptr;  // how often the segment was initialised in this server's life (kept in a file's stead by the parts below)

std::size_t life_size() { return 64; }
void life_init(void* memory) { life = new (memory) std::atomic<int>(0); }

constexpr shmem::Subsystem kSubsystems[] = {{"slots", shmem::process_slots_size, shmem::process_slots_init},
                                            {"locks", locking::lock_table_size, locking::lock_table_init},
                                            {"life", life_size, life_init}};

void append(const char* path, const std::string& text) { std::ofstream(path, std::ios::app) << text << std::endl; }

void recover() { append("events", "recover"); }
void helper() {
  while (!interrupt_flags.terminate) {
    shmem::my_latch().wait(1000);
    shmem::my_latch().reset();
  }
}
void checkpointer() {
  helper();
  append("events", "checkpoint");
}

bool read_exactly(int fd, char* bytes, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    if (interrupt_flags.terminate) return false;
    BlockingCall call;
    ssize_t r = interrupt_flags.any ? -1 : recv(fd, bytes + done, n - done, 0);
    if (r == 0) return false;
    if (r > 0) done += static_cast<std::size_t>(r);
  }
  return true;
}

// Start-up packet -> R Z; then one byte at a time: 'c' crashes, 'e' exits with 1, 'x' ends.
void backend(int fd) {
  char head[4];
  if (!read_exactly(fd, head, 4)) return;
  std::string rest(static_cast<std::size_t>(static_cast<unsigned char>(head[2])) << 8 | static_cast<unsigned char>(head[3]), '\0');
  if (!read_exactly(fd, rest.data(), rest.size() - 4)) return;
  shmem::acquire_slot(shmem::ProcessKind::backend);
  bool superuser = rest.find("super") != std::string::npos;
  try {
    shmem::admit_session(superuser);
  } catch (const SqlError& error) {
    std::string answer = "E" + error.report().message;
    send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    shmem::release_slot();
    _exit(1);
  }
  send(fd, "Z", 1, MSG_NOSIGNAL);
  char c;
  while (read_exactly(fd, &c, 1)) {
    if (c == 'c') abort();
    if (c == 'x') break;
  }
  shmem::release_slot();
  _exit(interrupt_flags.terminate ? 1 : 0);
}

const ServerParts kParts{kSubsystems, nullptr, recover, checkpointer, helper, helper, backend};

class PostmasterTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/hathi-postmaster-XXXXXX";
    directory_ = mkdtemp(pattern);
  }
  void TearDown() override {
    if (server_ > 0) stop(SIGQUIT);
    std::filesystem::remove_all(directory_);
  }
  void start(int max_connections = 20) {
    server_ = test::fork_child([&] {
      config::define_builtin_settings();
      // Whatever the test does, nothing stays behind.
      alarm(120);
      int log = open((directory_ + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(log, 2);
      auto set = [](const char* name, const std::string& value) { config::set(name, value, config::Source::argv, false, true); };
      set("port", std::to_string(kPort));
      set("unix_socket_directories", directory_);
      set("max_connections", std::to_string(max_connections));
      set("authentication_timeout", "2");
      set("huge_pages", "off");
      return run(kParts, directory_);
    });
    await_status("ready   ");
  }
  std::string pid_line(int number) {
    std::ifstream file(directory_ + "/postmaster.pid");
    std::string line;
    for (int i = 0; i < number; ++i) {
      if (!std::getline(file, line)) return "";
    }
    return line;
  }
  void await_status(const std::string& status) {
    for (int i = 0; i < 5000 && (pid_line(8) != status || pid_line(1) != std::to_string(server_)); ++i) usleep(1000);
    ASSERT_EQ(pid_line(8), status);
  }
  int stop(int signal) {
    kill(server_, signal);
    int status = test::wait_child(server_);
    server_ = -1;
    return status;
  }
  std::string file(const char* name) {
    std::ifstream in(directory_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  int connect_unix() {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.%d", directory_.c_str(), kPort);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close(fd);
      return -1;
    }
    return fd;
  }
  static void send_startup(int fd, const std::string& user) {
    std::string body = std::string("\0\3\0\0user\0", 9) + user + std::string("\0\0", 2);
    std::string packet{'\0', '\0', '\0', static_cast<char>(body.size() + 4)};
    packet += body;
    send(fd, packet.data(), packet.size(), MSG_NOSIGNAL);
  }
  // What the server answers within some seconds; "" when it closes without a word, "?" on silence.
  static std::string answer(int fd, int timeout_ms = 5000) {
    pollfd p{fd, POLLIN, 0};
    if (poll(&p, 1, timeout_ms) <= 0) return "?";
    char text[500];
    ssize_t n = recv(fd, text, sizeof text, 0);
    return n <= 0 ? "" : std::string(text, static_cast<std::size_t>(n));
  }
  int session(const std::string& user = "bob") {
    int fd = connect_unix();
    send_startup(fd, user);
    EXPECT_EQ(answer(fd), "Z");
    return fd;
  }

  std::string directory_;
  pid_t server_ = -1;
};

TEST_F(PostmasterTest, LivesAndShutsDownFast) {
  start();
  EXPECT_EQ(pid_line(1), std::to_string(server_));
  EXPECT_EQ(pid_line(2), directory_);
  EXPECT_EQ(pid_line(4), std::to_string(kPort));
  EXPECT_EQ(pid_line(5), directory_);
  EXPECT_EQ(pid_line(6), "localhost");
  struct stat info {};
  EXPECT_EQ(stat((directory_ + "/.s.PGSQL.54999").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0777u);
  int fd = session();
  EXPECT_EQ(stop(SIGINT), 0);
  EXPECT_EQ(answer(fd), "");
  close(fd);
  EXPECT_EQ(file("events"), "recover\ncheckpoint\n");
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/postmaster.pid"));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/.s.PGSQL.54999"));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/.s.PGSQL.54999.lock"));
}

TEST_F(PostmasterTest, SmartWaitsForSessions) {
  start();
  int fd = session();
  kill(server_, SIGTERM);
  await_status("stopping");
  int late = connect_unix();
  send_startup(late, "bob");
  EXPECT_NE(answer(late).find("57P03"), std::string::npos);
  close(late);
  EXPECT_EQ(file("events"), "recover\n");
  send(fd, "x", 1, MSG_NOSIGNAL);
  EXPECT_EQ(test::wait_child(server_), 0);
  server_ = -1;
  EXPECT_EQ(file("events"), "recover\ncheckpoint\n");
  close(fd);
}

TEST_F(PostmasterTest, ImmediateDoesNotCheckpoint) {
  start();
  int fd = session();
  EXPECT_EQ(stop(SIGQUIT), 0);
  EXPECT_EQ(file("events"), "recover\n");
  close(fd);
}

TEST_F(PostmasterTest, StartsOverAfterACrash) {
  start();
  int other = session(), crasher = session();
  send(crasher, "c", 1, MSG_NOSIGNAL);
  EXPECT_EQ(answer(crasher), "");
  EXPECT_EQ(answer(other), "");
  close(other);
  close(crasher);
  for (int i = 0; i < 3000 && file("events") != "recover\nrecover\n"; ++i) usleep(1000);
  await_status("ready   ");
  int again = session();
  EXPECT_NE(file("log").find("was terminated by signal 6: Aborted"), std::string::npos);
  EXPECT_NE(file("log").find("all server processes terminated; reinitializing"), std::string::npos);
  close(again);
  EXPECT_EQ(stop(SIGINT), 0);
}

TEST_F(PostmasterTest, ASecondServerIsRefused) {
  start();
  EXPECT_EQ(test::in_child([&] {
              config::define_builtin_settings();
              config::set("unix_socket_directories", directory_, config::Source::argv, false, true);
              int log = open((directory_ + "/log2").c_str(), O_WRONLY | O_CREAT, 0600);
              dup2(log, 2);
              return run(kParts, directory_);
            }),
            1);
  EXPECT_NE(file("log2").find("lock file \"postmaster.pid\" already exists"), std::string::npos);
  EXPECT_NE(file("log2").find("Is another postmaster (PID " + std::to_string(server_) + ") running in data directory"), std::string::npos);
  EXPECT_EQ(pid_line(1), std::to_string(server_));
}

TEST_F(PostmasterTest, OrphansEndWithThePostmaster) {
  start();
  int fd = session();
  kill(server_, SIGKILL);
  EXPECT_EQ(test::wait_child(server_), 1000 + SIGKILL);
  EXPECT_EQ(answer(fd), "");
  close(fd);
  start();  // the interlock is free again, the stale pid file no hindrance
  close(session());
}

TEST_F(PostmasterTest, SilentClientsTakeNoPlace) {
  start(5);
  std::vector<int> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(connect_unix());
  for (int i = 0; i < 100; ++i) {  // and some that began and stopped half-way
    silent.push_back(connect_unix());
    send(silent.back(), "\0\0\0", 3, MSG_NOSIGNAL);
  }
  usleep(50000);
  int first = session(), second = session();
  close(first);
  close(second);
  // They are dropped after authentication_timeout.
  EXPECT_EQ(answer(silent[0], 5000), "");
  for (int fd : silent) close(fd);
}

TEST_F(PostmasterTest, EverybodyIsAnsweredInAStorm) {
  rlimit limit{4000, 20000};
  setrlimit(RLIMIT_NOFILE, &limit);
  start(20);
  constexpr int kClients = 1500;
  std::vector<int> clients;
  for (int i = 0; i < kClients; ++i) {
    int fd = -1;
    while ((fd = connect_unix()) < 0) usleep(1000);
    send_startup(fd, "bob");
    clients.push_back(fd);
  }
  int in = 0, refused = 0;
  for (int fd : clients) {
    std::string text = answer(fd, 60000);
    if (text == "Z")
      ++in;
    else if (text.find("remaining connection slots") != std::string::npos || text.find("too many clients") != std::string::npos)
      ++refused;
    else
      ADD_FAILURE() << "answer: " << text;
  }
  EXPECT_EQ(in, 17);
  EXPECT_EQ(refused, kClients - 17);
  std::vector<int> super{session("super"), session("super"), session("super")};
  int full = connect_unix();
  send_startup(full, "super");
  EXPECT_NE(answer(full).find("sorry, too many clients already"), std::string::npos);
  close(full);
  for (int fd : clients) close(fd);
  for (int fd : super) close(fd);
}

TEST_F(PostmasterTest, ReloadReachesEverybody) {
  { std::ofstream(directory_ + "/postgresql.conf") << "authentication_timeout = 7\n"; }
  start();
  kill(server_, SIGHUP);
  for (int i = 0; i < 2000 && file("log").find("reloading configuration files") == std::string::npos; ++i) usleep(1000);
  EXPECT_NE(file("log").find("received SIGHUP, reloading configuration files"), std::string::npos);
  close(session());
}

}  // namespace
}  // namespace hathi::postmaster
