// Mutated statements through the parser. parser_fuzz [--seconds N] [--seed N] FOLDER-OF-SQL …
// Ends with status 0 when every input gave trees or an SqlError; a crash prints the input.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "hathi/base/stack.h"
#include "hathi/error/report.h"
#include "hathi/error/sql_error.h"
#include "hathi/memory/arena.h"
#include "hathi/parser/parser.h"

namespace {

using Random = std::mt19937_64;

std::string current_input;   // for the signal handler

void on_crash(int number) {
  char head[64];
  int n = std::snprintf(head, sizeof head, "signal %d on this input:\n", number);
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, head, static_cast<std::size_t>(n));
  written = ::write(STDERR_FILENO, current_input.data(), current_input.size());
  ::_exit(1);
}

// Statements of a script: cut at semicolons at line ends, which is good enough for seeds.
void read_statements(const std::filesystem::path& path, std::vector<std::string>& out) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str(), one;
  for (char c : all) {
    one += c;
    if (c != '\n' || one.size() < 2 || one[one.size() - 2] != ';') continue;
    out.push_back(std::move(one));
    one.clear();
  }
  if (!one.empty()) out.push_back(std::move(one));
}

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

// A piece of the text from one blank or bracket to another.
std::string_view piece(const std::string& text, Random& random) {
  std::size_t from = below(random, text.size()), length = 1 + below(random, 40);
  while (from > 0 && std::strchr(" (),;", text[from - 1]) == nullptr) --from;
  return std::string_view(text).substr(from, length);
}

void mutate_once(std::string& text, const std::vector<std::string>& seeds, Random& random) {
  static const char* const kWords[] = {"select",
                                       "(",
                                       ")",
                                       "from",
                                       "'",
                                       "\"",
                                       "$$",
                                       "/*",
                                       "*/",
                                       "--",
                                       "E'\\",
                                       "U&'\\0",
                                       "::",
                                       "..",
                                       "[",
                                       "]",
                                       "1e",
                                       "0x",
                                       "$1",
                                       ",",
                                       "as",
                                       "case",
                                       "when",
                                       "end",
                                       "union",
                                       "with",
                                       "recursive",
                                       "over",
                                       "array",
                                       "row",
                                       "interval",
                                       "null",
                                       "not",
                                       "between",
                                       "is",
                                       "distinct",
                                       "from",
                                       "like",
                                       "collate",
                                       "at time zone",
                                       "\xC3",
                                       "\xFF\xFE",
                                       ":=",
                                       "=>",
                                       "<->",
                                       "!=-",
                                       "group by",
                                       "order by",
                                       "limit",
                                       "for update",
                                       "create table",
                                       "alter table",
                                       "partition by",
                                       "values",
                                       "default",
                                       "B'",
                                       "X'",
                                       ";",
                                       "99999999999999999999"};
  std::size_t at = below(random, text.size() + 1);
  switch (below(random, 9)) {
    case 0: text.insert(at, kWords[below(random, std::size(kWords))]); break;
    case 1: text.insert(at, std::string(" ") + kWords[below(random, std::size(kWords))] + " "); break;
    case 2: text.erase(at, 1 + below(random, 8)); break;
    case 3: text.erase(at, below(random, text.size())); break;
    case 4: text.insert(at, piece(seeds[below(random, seeds.size())], random)); break;
    case 5: if (!text.empty()) text[below(random, text.size())] = static_cast<char>(random()); break;
    case 6: text.insert(at, std::string(1 + below(random, 50), "(['\"-+ "[below(random, 7)])); break;
    case 7: {
      std::string copy(piece(text, random));
      for (std::size_t n = below(random, 20); n > 0; --n) text.insert(at, copy);
      break;
    }
    default: {
      const std::string& other = seeds[below(random, seeds.size())];
      text = text.substr(0, at) + other.substr(below(random, other.size()));
    }
  }
  if (text.size() > 20000) text.resize(20000);
}

struct Totals { std::uint64_t inputs = 0, trees = 0, errors = 0; };

void run(const std::string& input, Totals& totals) {
  current_input = input;
  ++totals.inputs;
  hathi::Arena arena;
  hathi::parser::ParseOptions options;
  options.standard_conforming_strings = totals.inputs % 7 != 0;
  try {
    for (const hathi::parser::Statement& s : hathi::parser::parse(input, arena, options)) {
      if (hathi::parser::command_tag(s.node).empty()) throw std::runtime_error("a statement without a tag");
      ++totals.trees;
    }
  } catch (const hathi::SqlError& e) {
    ++totals.errors;
    if (e.byte_offset() > static_cast<int>(input.size())) throw std::runtime_error("an error behind the text");
  }
}

}  // namespace

int main(int argc, char** argv) {
  hathi::set_stack_base();
  hathi::set_report_levels(hathi::Severity::panic, hathi::Severity::panic);
  double seconds = 10;
  std::uint64_t seed = 1;
  std::vector<std::string> seeds;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) seconds = std::atof(argv[++i]);
    else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) seed = std::strtoull(argv[++i], nullptr, 10);
    else for (const auto& entry : std::filesystem::directory_iterator(argv[i])) read_statements(entry.path(), seeds);
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "parser_fuzz: no statements to begin with\n");
    return 2;
  }
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE}) std::signal(number, on_crash);
  Random random(seed);
  Totals totals;
  auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  try {
    while (std::chrono::steady_clock::now() < until) {
      std::string input = seeds[below(random, seeds.size())];
      for (std::size_t n = 1 + below(random, 6); n > 0; --n) mutate_once(input, seeds, random);
      run(input, totals);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s on this input:\n%s\n", e.what(), current_input.c_str());
    return 1;
  }
  std::printf("%llu inputs, %llu trees, %llu errors\n", static_cast<unsigned long long>(totals.inputs), static_cast<unsigned long long>(totals.trees),
              static_cast<unsigned long long>(totals.errors));
  return 0;
}
