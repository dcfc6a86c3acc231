// Statements over the whole grammar and what stock PostgreSQL 15 said to each (corpus/*.expected, recorded by
// tools/developer/record_parser_answers.py); mutations of them that must not crash.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "hathi/base/stack.h"
#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "test/unit/parser/ast_dump.h"

namespace hathi::parser {
namespace {

// From wherever inside the source or build tree the test is run.
std::filesystem::path corpus_directory() {
  for (std::filesystem::path p = std::filesystem::current_path();; p = p.parent_path()) {
    if (std::filesystem::exists(p / "test/unit/parser/corpus")) return p / "test/unit/parser/corpus";
    if (p == p.root_path()) return std::filesystem::path(__FILE__).parent_path() / "corpus";
  }
}
const std::filesystem::path kDirectory = corpus_directory();

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    lines.push_back(line);
  }
  return lines;
}

std::string with_newlines(std::string text) {
  for (std::size_t p; (p = text.find("⏎")) != std::string::npos;) text.replace(p, std::string_view("⏎").size(), "\n");
  return text;
}

// Our answer in the form of the expected files: "ok", or SQLSTATE, character position, message, hint, detail.
std::string answer(const std::string& statement) {
  Arena arena;
  try {
    for (const Statement& s : parse(statement, arena)) {
      EXPECT_FALSE(dump(s.node).empty());
      EXPECT_NE(command_tag(s.node), "???") << statement;
      EXPECT_GE(log_level_of(s.node), 1);
    }
    return "ok";
  } catch (const SqlError& e) {
    std::string position;
    if (e.byte_offset() >= 0) {
      int n = 1;
      for (int i = 0; i < e.byte_offset(); ++i) n += (static_cast<unsigned char>(statement[i]) & 0xC0) != 0x80;
      position = std::to_string(n);
    }
    return fmt::format("{}\t{}\t{}\t{}\t{}", e.code().view(), position, e.report().message, e.report().hint, e.report().detail);
  }
}

std::vector<std::string> corpus_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kDirectory)) {
    if (entry.path().extension() == ".sql") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Corpus : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { set_report_levels(Severity::panic, Severity::panic); }
};

TEST_P(Corpus, AnswersLikeStockPostgres) {
  const std::vector<std::string> statements = lines_of(kDirectory / (GetParam() + ".sql"));
  const std::vector<std::string> expected = lines_of(kDirectory / (GetParam() + ".expected"));
  ASSERT_EQ(statements.size(), expected.size());
  for (std::size_t i = 0; i < statements.size(); ++i) {
    EXPECT_EQ(answer(with_newlines(statements[i])), with_newlines(expected[i])) << with_newlines(statements[i]);
  }
}
INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(corpus_files()), [](const auto& info) { return info.param; });

// Every result is either a tree or an SqlError; nothing else may happen, whatever the bytes.
TEST(Fuzz, MutatedStatementsDoNotCrash) {
  set_report_levels(Severity::panic, Severity::panic);
  std::vector<std::string> all;
  for (const std::string& name : corpus_files()) {
    for (const std::string& s : lines_of(kDirectory / (name + ".sql"))) all.push_back(with_newlines(s));
  }
  ASSERT_GE(all.size(), 800u);
  std::mt19937 random(20240601);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  static constexpr std::string_view kPieces[] = {"'", "\"", "\\", "$$", "$a$", "--", "/*",   "*/",   "U&'", "E'", "b'", "(",
                                                 ")", "[",  "]",  ";",  "::",  "..", "\xff", "\xc3", "0",   "1e", ".",  "é"};
  for (int i = 0; i < 60000; ++i) {
    std::string s = all[below(all.size())];
    for (int k = 0; k < 3 && !s.empty(); ++k) {
      const std::size_t p = below(s.size());
      switch (below(5)) {
        case 0: s.erase(p, 1 + below(5)); break;
        case 1: s.insert(p, kPieces[below(std::size(kPieces))]); break;
        case 2: s[p] = static_cast<char>(below(256)); break;
        case 3: s.insert(p, " " + std::string(keywords()[below(keywords().size())].word) + " "); break;
        default: {
          const std::string& other = all[below(all.size())];
          const std::size_t from = below(other.size());
          s.insert(p, other.substr(from, below(30)));
        }
      }
    }
    Arena arena;
    try {
      for (const Statement& statement : parse(s, arena)) dump(statement.node);
    } catch (const SqlError&) {}
  }
}

}  // namespace
}  // namespace hathi::parser
