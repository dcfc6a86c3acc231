// The fault sweep: a whole workload of SQL on a disk that fails at the k-th call, for k over the whole workload; then recovery (now and then
// itself interrupted by a fault), and a look at everything.
//
//   crash_sweep --data DIR --work DIR [--points N] [--jobs N] [--seed N] [--only SEED:FAULT:AT:COUNT:PIECE] [--verbose] [--until TIME]
//              [--stop FILE] [--progress FILE]
//
// DIR of --data is a cluster that initdb made and that nobody uses; it is copied for each fault point. --until: no point begins after that time
// (seconds since 1970); --stop: none begins once that file is there; --progress: a file that
// grows by a byte for each point. The last line says "N fault points, M wrong"; the status is 0 when M is 0.

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "copies.h"
#include "disk.h"
#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/developer_settings.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/segment.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/file.h"
#include "hathi/wal/log.h"
#include "src/backend/postmaster/server_init.h"
#include "workload.h"

namespace hathi::crash {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxSteps = 128;
constexpr int kCrashed = 70, kPanicked = 71, kWrong = 72;
constexpr auto kPatience = std::chrono::seconds(60);

struct Options {
  std::string data, work;
  int points = 400, jobs = 1;
  unsigned seed = 1;
  std::string only;
  bool verbose = false;
  std::int64_t until = INT64_MAX;
  std::string stop, progress;
};
Options options;

// Survives the lives; one a worker.
struct Memory {
  Outcome outcomes[kMaxSteps];
  std::uint64_t calls[kFaultCount];
  std::uint64_t hash;
  bool happened;
  char panic[300];
  char wrong[4000];
};
Memory* memory = nullptr;

template <std::size_t N>
void put_text(char (&to)[N], const std::string& text) {
  std::strncpy(to, text.c_str(), N - 1);
}

// --- lives ------------------------------------------------------------------------------------------------------------------------

void note_report(const ErrorReport& r) {
  if (r.severity == Severity::panic) put_text(memory->panic, r.message);
  if (options.verbose) std::fprintf(stderr, "[%d] %s: %s\n", getpid(), std::string(severity_name(r.severity)).c_str(), r.message.c_str());
}

FaultPlan current_plan;

void leave(int status) {
  for (int i = 0; i < kFaultCount; ++i) memory->calls[i] = calls_of(static_cast<Fault>(i));
  memory->happened = fault_happened();
  _exit(status);
}
void on_crash() { leave(kCrashed); }
void on_abort(int) {
  if (options.verbose && memory->panic[0] == '\0') {
    void* frames[40];
    backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
  }
  if (current_plan.seed % 2 == 0) lose_power();
  leave(kPanicked);
}

// Runs one life of the server in a process of its own; its exit status, 1000 + signal, or -1 when it hangs.
int live(const std::function<void()>& life) {
  shmem::reinitialize();
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid == 0) {
    set_stack_base();
    set_log_sink(note_report);
    set_report_levels(Severity::panic, options.verbose ? Severity::log : Severity::fatal);
    shmem::acquire_slot(shmem::ProcessKind::startup);
    life();
    _exit(0);
  }
  auto end = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return -1;
    }
    usleep(300);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// Two of three seeds sync the whole file system before redo: file by file their calls would be half of all that a fault can hit.
void choose_sync_method(unsigned seed) { config::values::recovery_init_sync_method = seed % 3 == 0 ? 0 : 1; }

void recover() {
  storage::set_data_directory(fs::current_path());
  wal::startup_recover();
  catalog::set_identity(kPostgresDatabase, "postgres", kBootstrapSuperuser);
}

void run_steps(const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    memory->outcomes[i] = Outcome::started;
    try {
      query(steps[i].sql);
      memory->outcomes[i] = Outcome::acknowledged;
    } catch (const SqlError& e) {
      memory->outcomes[i] = Outcome::failed;
      if (options.verbose) std::fprintf(stderr, "step %zu failed: %s\n", i, e.report().message.c_str());
    }
  }
}

int faulty_life(const FaultPlan& plan, const std::vector<Step>& steps) {
  return live([&] {
    current_plan = plan;
    config::values::fsync = true;
    install_disk(plan, on_crash);
    signal(SIGABRT, on_abort);
    try {
      recover();
      run_steps(steps);
    } catch (const SqlError& e) {
      put_text(memory->panic, e.report().message);   // recovery gave up
      on_abort(0);
    }
    if (plan.fault == Fault::none) {
      query("checkpoint");
      leave(0);
    }
    if (current_plan.seed % 2 == 0) lose_power();
    leave(kCrashed);
  });
}

std::uint64_t hash_relations() {
  std::map<std::string, std::uint64_t> all;
  for (const auto& entry : fs::directory_iterator("base/5")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    all[entry.path().filename()] = XXH3_64bits(bytes.data(), bytes.size());
  }
  std::uint64_t hash = 0;
  for (const auto& [name, h] : all) hash = hash * 31 + (XXH3_64bits(name.data(), name.size()) ^ h);
  return hash;
}

// --- recovery, and a look at everything --------------------------------------------------------------------------------------------

// Recovers twice from the same state: the pages must be the same. The log is put back as well: the checkpoint that ends a recovery uses its old
// files again.
std::string recover_twice() {
  std::uint64_t hashes[2] = {};
  copy_directory("pg_wal", "../saved/pg_wal");
  copy_directory("global", "../saved/global");
  for (std::uint64_t& h : hashes) {
    int status = live([] {
      recover();
      memory->hash = hash_relations();
    });
    if (status != 0) return "recovery ended with " + std::to_string(status) + " " + memory->panic;
    h = memory->hash;
    copy_directory("../saved/pg_wal", "pg_wal");
    fs::copy_file("../saved/global/pg_control", "global/pg_control", fs::copy_options::overwrite_existing);
  }
  return hashes[0] == hashes[1] ? "" : "the second recovery gave other pages than the first";
}

std::string last_life(const std::vector<Step>& steps) {
  int status = live([&] {
    std::vector<std::string> wrong;
    try {
      recover();
      wrong = check_database(steps, memory->outcomes);
    } catch (const SqlError& e) { wrong.push_back("recovery: " + e.report().message); }
    std::string text;
    for (const std::string& line : wrong) text += "    " + line + "\n";
    put_text(memory->wrong, text);
    _exit(wrong.empty() ? 0 : kWrong);
  });
  if (status == 0) return "";
  if (status == kWrong) return memory->wrong;
  return "    the last life ended with " + std::to_string(status) + ": " + memory->panic + "\n";
}

// --- points -------------------------------------------------------------------------------------------------------------------------

struct Point {
  unsigned seed;
  FaultPlan plan;
  bool twice, recovery_fault;
};

bool panic_is_allowed(Fault fault) { return fault == Fault::io_error || fault == Fault::failed_sync; }

std::string judge_life(const char* which, int status, const FaultPlan& plan) {
  std::string panic = memory->panic;
  if (status == -1) return fmt::format("    the {} life hangs\n", which);
  if (status >= 1000) return fmt::format("    the {} life died of signal {}\n", which, status - 1000);
  if (panic.starts_with("assertion")) return fmt::format("    the {} life: {}\n", which, panic);
  if (status == kPanicked && !panic_is_allowed(plan.fault)) return fmt::format("    the {} life fell over: {}\n", which, panic);
  return "";
}

// What went wrong; empty when nothing.
std::string try_point(const Point& p) {
  choose_sync_method(p.seed);
  std::vector<Step> steps = make_steps(p.seed);
  std::memset(static_cast<void*>(memory), 0, sizeof *memory);
  std::string wrong = judge_life("first", faulty_life(p.plan, steps), p.plan);
  memory->panic[0] = '\0';
  if (p.recovery_fault) {
    // Recovery, or what follows it, is struck as well.
    FaultPlan second = p.plan;
    std::mt19937 random(p.plan.seed);
    constexpr Fault kinds[] = {Fault::power_loss, Fault::process_crash, Fault::io_error, Fault::failed_sync, Fault::short_write};
    second.fault = kinds[random() % 5];
    second.at = 1 + random() % (second.fault == Fault::failed_sync ? 12 : second.fault == Fault::short_write ? 60 : 500);
    second.seed = static_cast<unsigned>(random());
    second.count = random() % 4 == 0 ? UINT64_MAX / 2 : 1;
    wrong += judge_life("second", faulty_life(second, {}), second);
    memory->panic[0] = '\0';
  }
  if (p.twice) {
    std::string text = recover_twice();
    if (!text.empty()) wrong += "    " + text + "\n";
  }
  wrong += last_life(steps);
  return wrong;
}

std::string name_of(const Point& p) {
  return fmt::format("{}:{}:{}:{}:{}", p.seed, fault_name(p.plan.fault), p.plan.at, p.plan.count, p.plan.piece);
}

// How many calls each fault could hit, for one seed's steps.
std::vector<std::uint64_t> count_calls(unsigned seed, const std::string& place) {
  choose_sync_method(seed);
  fresh_copy(options.work + "/template", place);
  std::memset(static_cast<void*>(memory), 0, sizeof *memory);
  int status = faulty_life({}, make_steps(seed));
  if (status != 0) {
    std::fprintf(stderr, "the workload without a fault ended with %d %s\n", status, memory->panic);
    _exit(2);
  }
  for (std::size_t i = 0; i < make_steps(seed).size(); ++i) {
    if (memory->outcomes[i] == Outcome::acknowledged) continue;
    std::fprintf(stderr, "step %zu fails without a fault\n", i);
    _exit(2);
  }
  return {memory->calls, memory->calls + kFaultCount};
}

Point make_point(int index, unsigned seed, const std::vector<std::uint64_t>& calls, int of_seed, int points_of_seed) {
  // Shares of the kinds, of 20.
  constexpr Fault kinds[20] = {Fault::power_loss,  Fault::io_error,      Fault::power_loss,  Fault::disk_full, Fault::process_crash,
                               Fault::failed_sync, Fault::power_loss,    Fault::short_write, Fault::io_error,  Fault::power_loss,
                               Fault::disk_full,   Fault::process_crash, Fault::failed_sync, Fault::io_error,  Fault::power_loss,
                               Fault::disk_full,   Fault::short_write,   Fault::power_loss,  Fault::io_error,  Fault::disk_full};
  Point p{};
  p.seed = seed;
  p.plan.fault = kinds[index % 20];
  std::mt19937 random(seed * 7919 + static_cast<unsigned>(index));
  std::uint64_t total = std::max<std::uint64_t>(1, calls[static_cast<std::size_t>(p.plan.fault)]);
  // k goes over the whole workload; within its stretch it is chance.
  auto stretch = std::max<std::uint64_t>(1, total / static_cast<std::uint64_t>(points_of_seed));
  p.plan.at = 1 + (static_cast<std::uint64_t>(of_seed) * total / static_cast<std::uint64_t>(points_of_seed) + random() % stretch) % total;
  p.plan.count = 1;
  if (p.plan.fault == Fault::disk_full) p.plan.count = random() % 2 == 0 ? 1 : 5;   // then there is room again
  else if (random() % 3 == 0) p.plan.count = UINT64_MAX / 2;
  p.plan.piece = random() % 2 == 0 ? 512 : 4096;
  p.plan.seed = static_cast<unsigned>(random());
  p.recovery_fault = random() % 3 == 0;
  p.twice = random() % 8 == 0;
  return p;
}

bool parse_only(const std::string& text, Point& p) {
  char fault[40] = "";
  unsigned long at = 0, count = 0, piece = 0;
  if (std::sscanf(text.c_str(), "%u:%39[^:]:%lu:%lu:%lu", &p.seed, fault, &at, &count, &piece) != 5) return false;
  for (int i = 0; i < kFaultCount; ++i)
    if (std::strcmp(fault, fault_name(static_cast<Fault>(i))) == 0) p.plan.fault = static_cast<Fault>(i);
  p.plan.at = at;
  p.plan.count = count;
  p.plan.piece = piece;
  return true;
}

bool time_is_over() { return std::time(nullptr) >= options.until || (!options.stop.empty() && ::access(options.stop.c_str(), F_OK) == 0); }

int run_worker(int job) {
  memory = static_cast<Memory*>(mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::string place = options.work + "/job" + std::to_string(job);
  shmem::create(postmaster::server_parts().subsystems, "off");
  constexpr int kPointsOfSeed = 200;
  int wrong = 0, happened[kFaultCount] = {};
  std::vector<std::uint64_t> calls;
  unsigned counted = 0;
  for (int index = job; index < options.points && !time_is_over(); index += options.jobs) {
    unsigned seed = options.seed + static_cast<unsigned>(index / kPointsOfSeed);
    if (counted != seed + 1) calls = count_calls(seed, place);
    counted = seed + 1;
    // Neighbouring points of one kind are 20 apart, so each kind walks over the whole workload.
    Point p = make_point(index, seed, calls, index % kPointsOfSeed, kPointsOfSeed);
    fresh_copy(options.work + "/template", place);
    std::string text = try_point(p);
    happened[static_cast<int>(p.plan.fault)]++;
    if (!options.progress.empty()) std::ofstream(options.progress, std::ios::app) << '.';
    if (text.empty()) continue;
    ++wrong;
    std::printf("WRONG %s index %d%s%s\n%s", name_of(p).c_str(), index, p.recovery_fault ? " recovery-fault" : "", p.twice ? " twice" : "", text.c_str());
    std::fflush(stdout);
  }
  std::string summary = fmt::format("{}", wrong);
  for (int i = 1; i < kFaultCount; ++i) summary += fmt::format(" {}", happened[i]);
  std::ofstream(options.work + "/result" + std::to_string(job)) << summary << "\n";
  fs::current_path("/");
  if (!options.verbose) fs::remove_all(place);
  return 0;
}

void make_template() {
  memory = static_cast<Memory*>(mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  shmem::create(postmaster::server_parts().subsystems, "off");
  fresh_copy(options.data, options.work + "/setup");
  int status = live([] {
    recover();
    try {
      query(setup_sql());
    } catch (const SqlError& e) {
      std::fprintf(stderr, "setup: %s\n", e.report().message.c_str());
      _exit(1);
    }
    wal::perform_checkpoint({.immediate = true, .shutdown = true});
  });
  if (status != 0) {
    std::fprintf(stderr, "setup ended with %d %s\n", status, memory->panic);
    _exit(2);
  }
  fs::current_path("/");
  fs::remove_all(options.work + "/template");
  fs::rename(options.work + "/setup/data", options.work + "/template");
  _exit(0);
}

int in_process(const std::function<int()>& f) {
  pid_t pid = fork();
  if (pid == 0) {
    int status = f();
    std::fflush(nullptr);
    _exit(status);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

void settle_configuration() {
  config::define_builtin_settings();
  config::values::shared_buffers = 160;
  config::values::max_connections = 5;
  config::values::fsync = false;
  config::values::wal_init_zero = false;
  config::values::log_checkpoints = false;
  config::values::wal_consistency_checking = "all";   // each recovery compares what it replays
  postmaster::initialise_server();
}

int run_only() {
  Point p{};
  if (options.only.find(':') == std::string::npos) {
    // A point's index in the sweep.
    int index = std::atoi(options.only.c_str());
    memory = static_cast<Memory*>(mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    shmem::create(postmaster::server_parts().subsystems, "off");
    unsigned seed = options.seed + static_cast<unsigned>(index / 200);
    bool verbose = std::exchange(options.verbose, false);
    auto calls = count_calls(seed, options.work + "/only");
    options.verbose = verbose;
    p = make_point(index, seed, calls, index % 200, 200);
  } else if (!parse_only(options.only, p)) {
    std::fprintf(stderr, "cannot read %s\n", options.only.c_str());
    return 2;
  } else {
    memory = static_cast<Memory*>(mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    shmem::create(postmaster::server_parts().subsystems, "off");
  }
  fresh_copy(options.work + "/template", options.work + "/only");
  std::string text = try_point(p);
  std::vector<Step> steps = make_steps(p.seed);
  constexpr const char* kOutcomes[] = {"not begun", "begun", "acknowledged", "failed"};
  for (std::size_t i = 0; options.verbose && i < steps.size(); ++i)
    std::printf("%s: %s\n", kOutcomes[static_cast<int>(memory->outcomes[i])], steps[i].sql.c_str());
  std::printf("%s: %s\n%s", name_of(p).c_str(), text.empty() ? "fine" : "WRONG", text.c_str());
  return text.empty() ? 0 : 1;
}

int run() {
  fs::create_directories(options.work);
  if (int status = in_process([] { make_template(); return 0; }); status != 0) return status;
  if (!options.only.empty()) return in_process(run_only);
  std::vector<pid_t> pids;
  for (int job = 0; job < options.jobs; ++job) {
    fs::remove(options.work + "/result" + std::to_string(job));
    pid_t pid = fork();
    if (pid == 0) {
      int status = run_worker(job);
      std::fflush(nullptr);
      _exit(status);
    }
    pids.push_back(pid);
  }
  for (pid_t pid : pids) waitpid(pid, nullptr, 0);
  int wrong = 0, points = 0, sums[kFaultCount] = {};
  for (int job = 0; job < options.jobs; ++job) {
    std::ifstream in(options.work + "/result" + std::to_string(job));
    int w = 0;
    if (!(in >> w)) {
      std::printf("worker %d did not end well\n", job);
      ++wrong;
    }
    wrong += w;
    for (int i = 1; i < kFaultCount; ++i) {
      int n = 0;
      in >> n;
      sums[i] += n;
      points += n;
    }
  }
  for (int i = 1; i < kFaultCount; ++i) std::printf("%s %d\n", fault_name(static_cast<Fault>(i)), sums[i]);
  std::printf("%d fault points, %d wrong\n", points, wrong);
  return wrong == 0 ? 0 : 1;
}

bool read_options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (++i == argc) return false;
    std::string value = argv[i];
    if (name == "--data") options.data = fs::absolute(value);
    else if (name == "--work") options.work = fs::absolute(value);
    else if (name == "--points") options.points = std::stoi(value);
    else if (name == "--jobs") options.jobs = std::stoi(value);
    else if (name == "--seed") options.seed = static_cast<unsigned>(std::stoul(value));
    else if (name == "--only") options.only = value;
    else if (name == "--stop") options.stop = value;
    else if (name == "--progress") options.progress = value;
    else if (name == "--until") options.until = std::stoll(value);
    else return false;
  }
  return !options.data.empty() && !options.work.empty();
}

}  // namespace

int main_program(int argc, char** argv) {
  if (!read_options(argc, argv)) {
    std::fprintf(stderr, "usage: crash_sweep --data DIR --work DIR [--points N] [--jobs N] [--seed N] [--only POINT] [--verbose]\n");
    return 2;
  }
  settle_configuration();
  return run();
}

}  // namespace hathi::crash

int main(int argc, char** argv) { return hathi::crash::main_program(argc, argv); }
