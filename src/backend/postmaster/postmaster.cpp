#include "hathi/postmaster/postmaster.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "children.h"
#include "connections.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/shmem/image.h"
#include "hathi_version.h"
#include "listen.h"
#include "data_directory.h"
#include "lock_files.h"

namespace hathi::postmaster {

namespace {

using shmem::ProcessKind;
using Error = boost::system::error_code;

boost::asio::io_context* current_io = nullptr;
void before_fork() { current_io->notify_fork(boost::asio::io_context::fork_prepare); }
void after_fork() { current_io->notify_fork(boost::asio::io_context::fork_parent); }

// Where the server is in its life.
enum class Phase { recovering, running, stopping_sessions, stopping_checkpointer, stopping_all, crashed, done };
enum class Shutdown { none, smart, fast, immediate };

constexpr std::chrono::milliseconds kTick{500};
constexpr std::chrono::milliseconds kRetryTick{5};
constexpr std::chrono::seconds kKillPatience{5};
constexpr std::chrono::seconds kSlowLogin{3};
constexpr std::chrono::milliseconds kLookAtLogins{200};
constexpr int kFewestSpares = 2, kMostSpares = 8;
constexpr std::chrono::seconds kForgetRush{30};
constexpr std::chrono::minutes kPidFileCheck{1};
constexpr std::chrono::minutes kTouchSockets{58};

class Postmaster final : Connections::Owner {
 public:
  Postmaster(const ServerParts& parts, std::string data_directory)
      : parts_(parts), data_directory_(std::move(data_directory)), signals_(io_), tick_(io_), retry_timer_(io_), connections_(io_, *this) {
    current_io = &io_;
  }
  virtual ~Postmaster() = default;

  void start();
  int serve() {
    io_.run();
    return exit_code_;
  }

 private:
  // Connections::Owner
  Decision decide() override;
  void launch(int socket) override;

  void await_signal();
  void on_signal(int number);
  void on_tick();
  void arm_tick();
  void arm_retry();
  void fill_spares();
  void reload();
  void begin_shutdown(Shutdown how);
  void reap();
  void on_child_end(const Child& child, pid_t pid, int status);
  void on_startup_end(pid_t pid, int status);
  void on_crash(ProcessKind kind, pid_t pid, int status);
  void start_recovery();
  void start_helpers();
  void advance();
  void start_over();
  void finish(int code);
  pid_t start_child(ProcessKind kind, int socket = -1) { return children_.start(parts_, kind, socket, before_fork, after_fork); }

  const ServerParts& parts_;
  std::string data_directory_;
  boost::asio::io_context io_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer tick_, retry_timer_;
  bool retry_armed_ = false;
  Connections connections_;
  Children children_;
  Phase phase_ = Phase::recovering;
  Shutdown shutdown_ = Shutdown::none;
  bool after_crash_ = false;  // recovering from a crash of a child rather than starting
  int exit_code_ = 0;
  long start_time_ = 0;
  Clock::time_point kill_at_ = Clock::time_point::max();
  Clock::time_point next_pid_check_, next_touch_, next_look_, last_client_;
  int wanted_spares_ = kFewestSpares;
  bool image_ready_ = false;
  bool filling_ = false;
};

// --- start ------------------------------------------------------------------------------------------------------------

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

const char* huge_pages_choice() {
  static const char* const names[] = {"off", "on", "try"};
  return names[config::values::huge_pages];
}

shmem::MemoryKind memory_kind() {
  return config::values::shared_memory_type == 0 ? shmem::MemoryKind::system_v : shmem::MemoryKind::anonymous;
}

void publish_segment_size() {
  constexpr std::size_t kMegabyte = 1u << 20;
  auto set = [](const char* name, std::size_t value) {
    config::set(name, std::to_string(value), config::Source::computed, false, true);
  };
  set("shared_memory_size", (shmem::total_size() + kMegabyte - 1) / kMegabyte);
  set("shared_memory_size_in_huge_pages", (shmem::total_size() + 2 * kMegabyte - 1) / (2 * kMegabyte));
}

void Postmaster::start() {
  start_time_ = std::time(nullptr);
  constexpr std::int64_t kSecondsTo2000 = 946684800;
  shmem::set_server_start_time((start_time_ - kSecondsTo2000) * 1000000);
  raise_descriptor_limit();
  std::vector<std::string> directories = split_directories(config::values::unix_socket_directories);
  lock_data_directory(data_directory_);
  create_pid_file(data_directory_, start_time_, config::values::port, directories.empty() ? "" : directories[0]);
  write_options_file(data_directory_);
  log_message("starting PostgreSQL {} (Hathi {})", HATHI_POSTGRESQL_VERSION, HATHI_VERSION);
  ListenSockets sockets = open_listen_sockets(data_directory_, start_time_);
  set_pid_line(PidLine::socket_directory, sockets.first_socket_directory);
  set_pid_line(PidLine::listen_address, sockets.first_address);
  shmem::create(parts_.subsystems, huge_pages_choice(), memory_kind());
  publish_segment_size();
  set_pid_line(PidLine::shared_memory, fmt::format("{:9} {:9}", 0, 0));
  set_pid_line(PidLine::status, "starting");
  for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD, SIGUSR1, SIGUSR2}) signals_.add(number);
  signal(SIGPIPE, SIG_IGN);
  await_signal();
  next_pid_check_ = Clock::now() + kPidFileCheck;
  next_touch_ = Clock::now() + kTouchSockets;
  arm_tick();
  for (int descriptor : sockets.descriptors) connections_.listen(descriptor);
  start_recovery();
}

void Postmaster::start_recovery() {
  phase_ = Phase::recovering;
  if (start_child(ProcessKind::startup) == 0) finish(1);
}

// Those that do not run (again, if a fork failed).
void Postmaster::start_helpers() {
  auto need = [&](ProcessKind kind) {
    if (children_.find(kind) == 0) start_child(kind);
  };
  need(ProcessKind::checkpointer);
  need(ProcessKind::background_writer);
  need(ProcessKind::wal_writer);
  if (parts_.autovacuum_launcher != nullptr && config::values::autovacuum) need(ProcessKind::autovacuum_launcher);
}

// --- clients ----------------------------------------------------------------------------------------------------------

Decision Postmaster::decide() {
  auto refuse = [](const char* code, const char* message) { return Decision{Decision::Kind::refuse, code, message}; };
  switch (phase_) {
    case Phase::recovering:
      return after_crash_ ? refuse("57P03", "the database system is in recovery mode")
                          : refuse("57P03", "the database system is starting up");
    case Phase::running: break;
    case Phase::crashed: return refuse("57P03", "the database system is in recovery mode");
    default: return refuse("57P03", "the database system is shutting down");
  }
  if (shutdown_ != Shutdown::none) return refuse("57P03", "the database system is shutting down");
  if (shmem::session_count() >= config::values::max_connections) return refuse("53300", "sorry, too many clients already");
  // Logins in progress get no more processes than this; the rest wait here, where they cost a descriptor only.
  int most_logins = std::clamp(config::values::max_connections, 64, 256);
  if (children_.logins() < most_logins) return {};
  arm_retry();
  return {Decision::Kind::wait};
}

void Postmaster::launch(int socket) {
  if (!children_.hand_to_spare(socket)) {
    // None left: clients come faster than spares are made.
    wanted_spares_ = std::min(wanted_spares_ + 1, kMostSpares);
    start_child(ProcessKind::backend, socket);
  }
  last_client_ = Clock::now();
  if (filling_) return;
  filling_ = true;
  boost::asio::post(io_, [this] {
    filling_ = false;
    fill_spares();
  });
}

// Processes that wait for a client make a connection cheap for it: the fork and the first touch of memory are behind them.
void Postmaster::fill_spares() {
  if (phase_ != Phase::running || shutdown_ != Shutdown::none) return;
  if (!image_ready_) {
    // As late as possible: what is freed afterwards leaves holes again.
    shmem::prepare_image_for_forks(config::values::huge_pages != 0);
    image_ready_ = true;
  }
  int room = config::values::max_connections - shmem::session_count();
  while (children_.spares() < std::min(wanted_spares_, room)) {
    int before = children_.spares();
    children_.start_spare(parts_, before_fork, after_fork);
    if (children_.spares() == before) return;
  }
}

void Postmaster::arm_retry() {
  if (retry_armed_) return;
  retry_armed_ = true;
  retry_timer_.expires_after(kRetryTick);
  retry_timer_.async_wait([this](const Error& error) {
    retry_armed_ = false;
    if (error) return;
    if (Clock::now() >= next_look_) {
      next_look_ = Clock::now() + kLookAtLogins;
      children_.end_idle_logins(kSlowLogin);
    }
    connections_.retry();
  });
}

// --- time and signals -------------------------------------------------------------------------------------------------

void Postmaster::arm_tick() {
  tick_.expires_after(kTick);
  tick_.async_wait([this](const Error& error) {
    if (error) return;
    on_tick();
    arm_tick();
  });
}

void Postmaster::on_tick() {
  Clock::time_point now = Clock::now();
  connections_.drop_silent(std::chrono::seconds(config::values::authentication_timeout));
  if (now >= kill_at_) {
    // What did not go by SIGQUIT is stuck.
    children_.signal_all(SIGKILL);
    kill_at_ = Clock::time_point::max();
  }
  if (phase_ == Phase::running && shutdown_ == Shutdown::none) {
    start_helpers();
    if (wanted_spares_ > kFewestSpares && now - last_client_ > kForgetRush) {
      wanted_spares_ = kFewestSpares;
      children_.dismiss_spares();
    }
    fill_spares();
  }
  if (now >= next_touch_) {
    touch_socket_files();
    next_touch_ = now + kTouchSockets;
  }
  if (now < next_pid_check_) return;
  next_pid_check_ = now + kPidFileCheck;
  if (!pid_file_is_ours() && shutdown_ != Shutdown::immediate) {
    log_message("performing immediate shutdown because data directory lock file is invalid");
    begin_shutdown(Shutdown::immediate);
  }
}

void Postmaster::await_signal() {
  signals_.async_wait([this](const Error& error, int number) {
    if (error) return;
    on_signal(number);
    if (phase_ != Phase::done) await_signal();
  });
}

void Postmaster::on_signal(int number) {
  switch (number) {
    case SIGHUP: reload(); break;
    case SIGTERM: begin_shutdown(Shutdown::smart); break;
    case SIGINT: begin_shutdown(Shutdown::fast); break;
    case SIGQUIT: begin_shutdown(Shutdown::immediate); break;
    case SIGCHLD: reap(); break;
    default: break;
  }
}

void Postmaster::reload() {
  if (shutdown_ > Shutdown::smart) return;
  log_message("received SIGHUP, reloading configuration files");
  config::load_files(data_directory_, false);
  if (parts_.reload != nullptr) {
    try {
      parts_.reload();
    } catch (const SqlError& error) {
      ErrorReport r = error.report();
      r.severity = Severity::log;
      report(std::move(r));
    }
  }
  children_.signal_all(SIGHUP);
  // Spares have the old pg_hba.conf.
  children_.dismiss_spares();
  fill_spares();
}

// --- shutdown ---------------------------------------------------------------------------------------------------------

void Postmaster::begin_shutdown(Shutdown how) {
  if (how <= shutdown_) return;
  shutdown_ = how;
  static const char* const names[] = {"", "smart", "fast", "immediate"};
  log_message("received {} shutdown request", names[static_cast<int>(how)]);
  set_pid_line(PidLine::status, "stopping");
  children_.dismiss_spares();
  if (how == Shutdown::immediate) {
    phase_ = Phase::stopping_all;
    children_.quit_all(QuitReason::immediate_shutdown);
    kill_at_ = Clock::now() + kKillPatience;
  } else if (how == Shutdown::fast && phase_ == Phase::recovering) {
    phase_ = Phase::stopping_sessions;
    children_.signal_kind(ProcessKind::startup, SIGTERM);
  } else if (how == Shutdown::fast && phase_ == Phase::running) {
    log_message("aborting any active transactions");
    phase_ = Phase::stopping_sessions;
    for (ProcessKind kind : {ProcessKind::backend, ProcessKind::autovacuum_launcher, ProcessKind::autovacuum_worker}) {
      children_.signal_kind(kind, SIGTERM);
    }
  }
  advance();
}

// Goes on with a shutdown or a restart as far as the children's ends allow.
void Postmaster::advance() {
  if (phase_ == Phase::running && shutdown_ == Shutdown::smart && children_.count(ProcessKind::backend) == 0) {
    phase_ = Phase::stopping_sessions;
    children_.signal_kind(ProcessKind::autovacuum_launcher, SIGTERM);
    children_.signal_kind(ProcessKind::autovacuum_worker, SIGTERM);
  }
  if (phase_ == Phase::stopping_sessions) {
    // The writers go when nobody is left who could need them.
    int sessions = children_.count(ProcessKind::backend) + children_.count(ProcessKind::autovacuum_launcher) +
                   children_.count(ProcessKind::autovacuum_worker) + children_.count(ProcessKind::startup);
    if (sessions > 0) return;
    children_.signal_kind(ProcessKind::wal_writer, SIGTERM);
    children_.signal_kind(ProcessKind::background_writer, SIGTERM);
    if (children_.count(ProcessKind::wal_writer) + children_.count(ProcessKind::background_writer) > 0) return;
    phase_ = Phase::stopping_checkpointer;
    children_.signal_kind(ProcessKind::checkpointer, SIGTERM);
  }
  if (phase_ == Phase::stopping_checkpointer && children_.count() == 0) {
    log_message("database system is shut down");
    finish(exit_code_);
  } else if (phase_ == Phase::stopping_all && children_.count() == 0) {
    log_message("database system is shut down");
    finish(exit_code_);
  } else if (phase_ == Phase::crashed && children_.count() == 0) {
    start_over();
  }
}

void Postmaster::finish(int code) {
  exit_code_ = code;
  phase_ = Phase::done;
  io_.stop();
}

// --- children ---------------------------------------------------------------------------------------------------------

void Postmaster::reap() {
  for (;;) {
    int status = 0;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) break;
    Child child = children_.remove(pid);
    if (child.kind == ProcessKind::none) continue;
    on_child_end(child, pid, status);
    if (phase_ == Phase::done) return;
  }
  connections_.retry();
  advance();
}

void Postmaster::on_child_end(const Child& child, pid_t pid, int status) {
  if (child.kind == ProcessKind::startup) return on_startup_end(pid, status);
  bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  bool is_session = child.kind == ProcessKind::backend || child.kind == ProcessKind::autovacuum_worker;
  if (is_session && WIFEXITED(status) && WEXITSTATUS(status) == 1) good = true;  // FATAL: it cleaned up after itself
  bool ending = phase_ == Phase::stopping_sessions || phase_ == Phase::stopping_checkpointer;
  if (phase_ == Phase::crashed || phase_ == Phase::stopping_all) return;
  if (!good) {
    // A helper that fails while all end would leave the shutdown incomplete: crash recovery does the rest at the next start.
    if (ending && WIFEXITED(status) && child.kind != ProcessKind::backend) exit_code_ = 1;
    return on_crash(child.kind, pid, status);
  }
  if (is_session || ending) return;
  if (child.kind == ProcessKind::checkpointer) return on_crash(child.kind, pid, status);  // it ends only when told to
  start_child(child.kind);
}

void Postmaster::on_startup_end(pid_t pid, int status) {
  bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (phase_ == Phase::stopping_all || phase_ == Phase::stopping_sessions) return;
  if (!good) {
    log_child_end(ProcessKind::startup, pid, status);
    log_message("aborting startup due to startup process failure");
    if (children_.count() == 0) return finish(1);
    exit_code_ = 1;
    begin_shutdown(Shutdown::immediate);
    return;
  }
  phase_ = Phase::running;
  after_crash_ = false;
  start_helpers();
  if (shutdown_ == Shutdown::none) set_pid_line(PidLine::status, "ready   ");
  log_message("database system is ready to accept connections");
  fill_spares();
}

// A child may have left shared memory in any state: all others end at once.
void Postmaster::on_crash(ProcessKind kind, pid_t pid, int status) {
  log_child_end(kind, pid, status);
  log_message("terminating any other active server processes");
  children_.quit_all(QuitReason::crash);
  kill_at_ = Clock::now() + kKillPatience;
  if (shutdown_ != Shutdown::none) {
    exit_code_ = 1;
    phase_ = Phase::stopping_all;
  } else {
    phase_ = Phase::crashed;
  }
}

void Postmaster::start_over() {
  kill_at_ = Clock::time_point::max();
  if (shutdown_ != Shutdown::none) return finish(1);
  if (!config::values::restart_after_crash) {
    log_message("shutting down because restart_after_crash is off");
    return finish(1);
  }
  log_message("all server processes terminated; reinitializing");
  set_pid_line(PidLine::status, "starting");
  shmem::reinitialize();
  after_crash_ = true;
  start_recovery();
}

void report_fatal(const SqlError& error) {
  ErrorReport r = error.report();
  r.severity = Severity::fatal;
  report(std::move(r));
}

}  // namespace

int run(const ServerParts& parts, const std::string& data_directory) {
  int code = 1;
  try {
    if (chdir(data_directory.c_str()) != 0) {
      throw SqlError(sqlstate::system_error, "could not change directory to \"{}\": {}", data_directory, std::strerror(errno));
    }
    if (config::values::superuser_reserved_connections >= config::values::max_connections) {
      throw SqlError(sqlstate::config_file_error, "superuser_reserved_connections ({}) must be less than max_connections ({})",
                     config::values::superuser_reserved_connections, config::values::max_connections);
    }
    if (parts.reload != nullptr) parts.reload();
    Postmaster postmaster(parts, data_directory);
    postmaster.start();
    code = postmaster.serve();
  } catch (const SqlError& error) {
    report_fatal(error);
    if (error.code() != sqlstate::lock_file_exists) log_message("database system is shut down");
  } catch (const std::exception& error) { report_fatal(SqlError(sqlstate::internal_error, "{}", error.what())); }
  remove_lock_files();
  return code;
}

}  // namespace hathi::postmaster
