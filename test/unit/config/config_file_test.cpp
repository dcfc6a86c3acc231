#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "hathi/config/planner_settings.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"

namespace hathi::config {
namespace {

std::vector<std::string> logged;
void remember(const ErrorReport& report) { logged.push_back(report.message); }

class ConfigFileTest : public testing::Test {
 protected:
  void SetUp() override {
    define_builtin_settings();
    char pattern[] = "/tmp/hathi-config-XXXXXX";
    directory_ = mkdtemp(pattern);
    logged.clear();
    set_log_sink(remember);
  }
  void TearDown() override {
    set_log_sink(nullptr);
    std::filesystem::remove_all(directory_);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(directory_ + "/" + name) << text; }
  std::string directory_;
};

TEST_F(ConfigFileTest, ReadsEveryKindOfValueAndInclude) {
  write("postgresql.conf",
        "# a comment\n"
        "port = 6000   # another\n"
        "listen_addresses='a, ''b'''\n"
        "  WORK_MEM 3MB\n"
        "random_page_cost = 1.5\n"
        "cluster_name = 'x\\ty\\101'\n"
        "work_mem = 5MB\n"
        "include 'more.conf'\n"
        "include_if_exists = 'none.conf'\n"
        "include_dir 'conf.d'\n"
        "my.thing = 'on'\n");
  write("more.conf", "enable_sort = off\n");
  std::filesystem::create_directory(directory_ + "/conf.d");
  write("conf.d/b.conf", "enable_hashjoin = off");
  write("conf.d/ignored.txt", "nonsense here too");
  write("postgresql.auto.conf", "enable_nestloop = 'off'\n");
  EXPECT_TRUE(load_files(directory_, true));
  EXPECT_EQ(values::port, 6000);
  EXPECT_EQ(values::listen_addresses, "a, 'b'");
  EXPECT_EQ(*show("work_mem"), "5MB");
  EXPECT_EQ(values::cluster_name, "x?yA");
  EXPECT_FALSE(values::enable_sort);
  EXPECT_FALSE(values::enable_hashjoin);
  EXPECT_FALSE(values::enable_nestloop);
  EXPECT_EQ(*show("my.thing"), "on");

  // A reload: one changed, one gone, one that needs a restart.
  write("postgresql.conf", "port = 6001\nlisten_addresses='a, ''b'''\nrandom_page_cost = 2\n");
  logged.clear();
  EXPECT_FALSE(load_files(directory_, false));
  EXPECT_EQ(values::port, 6000);
  EXPECT_EQ(values::random_page_cost, 2);
  EXPECT_EQ(*show("work_mem"), "4MB");
  auto has = [](const char* text) { return std::find(logged.begin(), logged.end(), text) != logged.end(); };
  EXPECT_TRUE(has("parameter \"port\" cannot be changed without restarting the server"));
  EXPECT_TRUE(has("parameter \"work_mem\" removed from configuration file, reset to default"));
  EXPECT_TRUE(has("parameter \"random_page_cost\" changed to \"2\""));
  for (const Row& row : rows()) {
    if (row.name == "port") { EXPECT_TRUE(row.pending_restart); }
    if (row.name == "random_page_cost") { EXPECT_EQ(row.source_line, 3); }
  }
}

TEST_F(ConfigFileTest, SyntaxErrorsNameTheLine) {
  write("postgresql.conf", "port = 1\n= x\nwork_mem = 'unclosed\nfsync on off\nfoo 1\n");
  EXPECT_THROW(load_files(directory_, true), SqlError);
  ASSERT_EQ(logged.size(), 3u);
  EXPECT_EQ(logged[0], "syntax error in file \"" + directory_ + "/postgresql.conf\" line 2, near token \"=\"");
  EXPECT_EQ(logged[2], "syntax error in file \"" + directory_ + "/postgresql.conf\" line 4, near token \"off\"");
}

TEST_F(ConfigFileTest, UnknownNamesRefuseTheWholeFile) {
  write("postgresql.conf", "enable_memoize = off\nfoo = 1\n");
  EXPECT_FALSE(load_files(directory_, false));
  EXPECT_TRUE(values::enable_memoize);
  EXPECT_EQ(logged[0], "unrecognized configuration parameter \"foo\" in file \"" + directory_ + "/postgresql.conf\" line 2");
}

TEST_F(ConfigFileTest, IncludeLoopsEnd) {
  write("postgresql.conf", "include 'a.conf'\n");
  write("a.conf", "include 'b.conf'\n");
  write("b.conf", "include 'a.conf'\n");
  EXPECT_THROW(load_files(directory_, true), SqlError);
}

}  // namespace
}  // namespace hathi::config
