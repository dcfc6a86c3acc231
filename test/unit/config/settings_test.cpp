#include "hathi/config/settings.h"

#include <gtest/gtest.h>

#include "hathi/config/planner_settings.h"
#include "hathi/config/session_settings.h"
#include "hathi/error/sql_error.h"

namespace hathi::config {
namespace {

class SettingsTest : public testing::Test {
 protected:
  void SetUp() override { define_builtin_settings(); }
  void TearDown() override { reset_all(); }
};

void session_set(const char* name, const char* value, bool local = false) { set(name, value, Source::session, local, true); }

// The error of a SET as "sqlstate message|detail|hint".
std::string error_of(const char* name, const char* value, Source source = Source::session, bool superuser = true) {
  try {
    set(name, value, source, false, superuser);
  } catch (const SqlError& error) {
    const ErrorReport& r = error.report();
    std::string text(r.code.view());
    text += " " + r.message;
    if (!r.detail.empty()) text += "|" + r.detail;
    if (!r.hint.empty()) text += "|" + r.hint;
    return text;
  }
  return "no error";
}

std::string shown(const char* name, const char* value) {
  session_set(name, value);
  return show(name).value_or("missing");
}

TEST_F(SettingsTest, ErrorsReadAsPostgreSql) {
  EXPECT_EQ(error_of("work_mem", "1kB"), "22023 1 kB is outside the valid range for parameter \"work_mem\" (64 .. 2147483647)");
  EXPECT_EQ(error_of("work_mem", "x"), "22023 invalid value for parameter \"work_mem\": \"x\"");
  EXPECT_EQ(error_of("work_mem", "1xB"),
            "22023 invalid value for parameter \"work_mem\": \"1xB\"|Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and "
            "\"TB\".");
  EXPECT_EQ(error_of("work_mem", "99999999999999"),
            "22023 invalid value for parameter \"work_mem\": \"99999999999999\"|Value exceeds integer range.");
  EXPECT_EQ(error_of("random_page_cost", "-3"),
            "22023 -3 is outside the valid range for parameter \"random_page_cost\" (0 .. 1.79769e+308)");
  EXPECT_EQ(error_of("random_page_cost", "1e400"), "22023 invalid value for parameter \"random_page_cost\": \"1e400\"");
  EXPECT_EQ(error_of("enable_seqscan", "o"), "22023 parameter \"enable_seqscan\" requires a Boolean value");
  EXPECT_EQ(error_of("bytea_output", "foo"), "22023 invalid value for parameter \"bytea_output\": \"foo\"|Available values: escape, hex.");
  EXPECT_EQ(
      error_of("client_min_messages", "fatal"),
      "22023 invalid value for parameter \"client_min_messages\": \"fatal\"|Available values: debug5, debug4, debug3, debug2, debug1, log, "
      "notice, warning, error.");
  EXPECT_EQ(error_of("foo", "1"), "42704 unrecognized configuration parameter \"foo\"");
  EXPECT_EQ(error_of("foo.1", "1"),
            "42602 invalid configuration parameter name \"foo.1\"|Custom parameter names must be two or more simple identifiers separated "
            "by dots.");
  EXPECT_EQ(error_of("shared_buffers", "1"), "55P02 parameter \"shared_buffers\" cannot be changed without restarting the server");
  EXPECT_EQ(error_of("fsync", "off"), "55P02 parameter \"fsync\" cannot be changed now");
  EXPECT_EQ(error_of("block_size", "3"), "55P02 parameter \"block_size\" cannot be changed");
  EXPECT_EQ(error_of("ignore_system_indexes", "on"), "55P02 parameter \"ignore_system_indexes\" cannot be set after connection start");
  EXPECT_EQ(error_of("log_statement", "all", Source::session, false), "42501 permission denied to set parameter \"log_statement\"");
  EXPECT_EQ(error_of("statement_timeout", "1 day"),
            "22023 invalid value for parameter \"statement_timeout\": \"1 day\"|Valid units for this parameter are \"us\", \"ms\", \"s\", "
            "\"min\", "
            "\"h\", and \"d\".");
  EXPECT_EQ(error_of("DateStyle", "foo"), "22023 invalid value for parameter \"DateStyle\": \"foo\"|Unrecognized key word: \"foo\".");
  EXPECT_EQ(error_of("datestyle", "iso,sql"),
            "22023 invalid value for parameter \"DateStyle\": \"iso,sql\"|Conflicting \"datestyle\" specifications.");
  EXPECT_EQ(error_of("timezone", "foo"), "22023 invalid value for parameter \"TimeZone\": \"foo\"");
  EXPECT_EQ(error_of("client_encoding", "foo"), "22023 invalid value for parameter \"client_encoding\": \"foo\"");
  EXPECT_EQ(error_of("client_encoding", "mule_internal"),
            "0A000 invalid value for parameter \"client_encoding\": \"mule_internal\"|Conversion between MULE_INTERNAL and UTF8 is not "
            "supported.");
  EXPECT_EQ(error_of("search_path", "a,"), "22023 invalid value for parameter \"search_path\": \"a,\"|List syntax is invalid.");
  EXPECT_EQ(error_of("max_stack_depth", "1000GB").substr(0, 5), "22023");
  EXPECT_EQ(error_of("default_with_oids", "on"), "0A000 tables declared WITH OIDS are not supported");
}

TEST_F(SettingsTest, ShowsInTheLargestWholeUnit) {
  EXPECT_EQ(shown("work_mem", "1.5MB"), "1536kB");
  EXPECT_EQ(shown("work_mem", "4096"), "4MB");
  EXPECT_EQ(shown("temp_buffers", "1000"), "8000kB");
  EXPECT_EQ(shown("statement_timeout", "60000"), "1min");
  EXPECT_EQ(shown("statement_timeout", "90s"), "90s");
  EXPECT_EQ(shown("statement_timeout", "1500us"), "2ms");
  EXPECT_EQ(shown("statement_timeout", "1d"), "1d");
  EXPECT_EQ(shown("statement_timeout", "0x10"), "16ms");
  EXPECT_EQ(shown("statement_timeout", "010"), "8ms");
  EXPECT_EQ(shown("statement_timeout", " 7 ms "), "7ms");
  EXPECT_EQ(shown("statement_timeout", "0"), "0");
  EXPECT_EQ(shown("vacuum_cost_delay", "1500us"), "1500us");
  EXPECT_EQ(shown("vacuum_cost_delay", "1"), "1ms");
  EXPECT_EQ(shown("enable_seqscan", "of"), "off");
  EXPECT_EQ(shown("client_min_messages", "debug"), "debug2");
  EXPECT_EQ(shown("synchronous_commit", "true"), "on");
  EXPECT_EQ(shown("wal_compression", "on"), "pglz");
  EXPECT_EQ(shown("random_page_cost", "1.1"), "1.1");
  EXPECT_EQ(*show("unix_socket_permissions"), "0777");
  EXPECT_EQ(*show("segment_size"), "1GB");
  EXPECT_EQ(*show("wal_segment_size"), "16MB");
  EXPECT_EQ(*show("seed"), "unavailable");
}

TEST_F(SettingsTest, DateStyleAndTimeZoneAreCanonical) {
  EXPECT_EQ(shown("datestyle", "sql, dmy"), "SQL, DMY");
  EXPECT_EQ(values::date_style, DateStyle::sql);
  EXPECT_EQ(values::date_order, DateOrder::dmy);
  EXPECT_EQ(shown("datestyle", "german"), "German, DMY");
  EXPECT_EQ(shown("datestyle", "ymd"), "German, YMD");
  EXPECT_EQ(shown("datestyle", "default"), "ISO, MDY");
  EXPECT_EQ(shown("timezone", "europe/berlin"), "Europe/Berlin");
  EXPECT_EQ(shown("timezone", "3"), "<+03>-03");
  EXPECT_EQ(shown("timezone", "-3.5"), "<-03:30>+03:30");
  EXPECT_EQ(shown("timezone", "interval '3 hours'"), "<+03>-03");
  EXPECT_EQ(shown("timezone", "utc"), "UTC");
  EXPECT_EQ(shown("timezone", "Foo+3"), "FOO+3");
  EXPECT_EQ(shown("timezone", "<+03>-03"), "<+03>-03");
  EXPECT_EQ(shown("timezone", "+05:30"), "+05:30");
  EXPECT_EQ(shown("application_name",
                  "\xc3\xa4"
                  "b"),
            "??b");
  EXPECT_EQ(shown("client_encoding", "UTF-8"), "UTF8");
  EXPECT_EQ(shown("default_text_search_config", "english"), "pg_catalog.english");
}

TEST_F(SettingsTest, RollbackAndSetLocal) {
  session_set("work_mem", "1MB");
  at_start_of_level(1);
  session_set("work_mem", "2MB");
  session_set("work_mem", "3MB", true);
  EXPECT_EQ(values::work_mem, 3072);
  at_end_of_level(1, true);
  EXPECT_EQ(*show("work_mem"), "2MB");
  at_start_of_level(1);
  session_set("work_mem", "5MB", true);
  session_set("work_mem", "6MB");
  at_end_of_level(1, true);
  EXPECT_EQ(*show("work_mem"), "6MB");
  at_start_of_level(1);
  session_set("work_mem", "7MB");
  at_end_of_level(1, false);
  EXPECT_EQ(*show("work_mem"), "6MB");
  at_start_of_level(1);
  reset("work_mem", true);
  EXPECT_EQ(*show("work_mem"), "4MB");
  at_end_of_level(1, false);
  EXPECT_EQ(*show("work_mem"), "6MB");
}

TEST_F(SettingsTest, Savepoints) {
  session_set("work_mem", "1MB");
  at_start_of_level(1);
  session_set("work_mem", "2MB");
  at_start_of_level(2);
  session_set("work_mem", "3MB", true);
  at_end_of_level(2, true);
  EXPECT_EQ(*show("work_mem"), "3MB");  // SET LOCAL survives RELEASE …
  at_start_of_level(2);
  session_set("work_mem", "4MB");
  at_start_of_level(3);
  session_set("work_mem", "5MB");
  at_end_of_level(3, true);
  at_end_of_level(2, false);
  EXPECT_EQ(*show("work_mem"), "3MB");
  at_end_of_level(1, true);
  EXPECT_EQ(*show("work_mem"), "2MB");  // … but not COMMIT
}

TEST_F(SettingsTest, FunctionsRestoreOnReturn) {
  session_set("work_mem", "1MB");
  at_start_of_level(1);
  int level = new_level();
  set_for_function("work_mem", "2MB", true);
  at_start_of_level(2);  // a savepoint inside the function
  session_set("enable_sort", "off");
  session_set("work_mem", "3MB", true);
  at_end_of_level(2, true);
  end_level(level, true);
  EXPECT_EQ(*show("work_mem"), "1MB");
  EXPECT_FALSE(values::enable_sort);
  at_end_of_level(1, true);
  EXPECT_FALSE(values::enable_sort);
}

TEST_F(SettingsTest, SourcesRankAndMoveTheDefault) {
  set("enable_material", "off", Source::database, false, true);
  EXPECT_FALSE(values::enable_material);
  set("enable_material", "on", Source::file, false, true);
  EXPECT_FALSE(values::enable_material);  // weaker
  session_set("enable_material", "on");
  set("enable_material", "off", Source::client, false, true);
  EXPECT_TRUE(values::enable_material);  // the session's SET stays …
  reset("enable_material", true);
  EXPECT_FALSE(values::enable_material);  // … until RESET
  EXPECT_EQ(error_of("log_connections", "on", Source::client, false), "42501 permission denied to set parameter \"log_connections\"");
}

TEST_F(SettingsTest, ReportsOnlyTheNetChange) {
  all_reported();
  EXPECT_TRUE(take_reported_changes().empty());
  at_start_of_level(1);
  session_set("application_name", "x");
  at_end_of_level(1, false);
  EXPECT_TRUE(take_reported_changes().empty());
  at_start_of_level(1);
  session_set("application_name", "y");
  auto changes = take_reported_changes();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].second, "y");
  at_end_of_level(1, false);
  changes = take_reported_changes();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].second, "");
  EXPECT_EQ(all_reported().size(), 13u);
}

TEST_F(SettingsTest, CustomNamesAndPlaceholders) {
  EXPECT_FALSE(show("my.setting").has_value());
  session_set("my.setting", "7");
  EXPECT_EQ(*show("MY.Setting"), "7");
  static int variable = 0;
  static Definition later[1];
  later[0].name = "my.setting";
  later[0].group = "Customized Options";
  later[0].description = "";
  later[0].type = Type::integer;
  later[0].context = Context::user;
  later[0].boot_value = "1";
  later[0].max = 10;
  later[0].integer = &variable;
  define(later);
  EXPECT_EQ(variable, 7);
  EXPECT_NE(error_of("my.setting", "11"), "no error");
}

TEST_F(SettingsTest, WhatDoesNotExistIsRefused) {
  EXPECT_EQ(error_of("ssl", "on", Source::argv), "0A000 setting parameter \"ssl\" to \"on\" is not supported");
  EXPECT_EQ(error_of("ssl", "off", Source::argv), "no error");
  EXPECT_EQ(error_of("wal_level", "logical", Source::argv), "0A000 setting parameter \"wal_level\" to \"logical\" is not supported");
  EXPECT_EQ(error_of("wal_level", "minimal", Source::argv), "no error");
  EXPECT_EQ(values::wal_level, 0);
  set("wal_level", "hot_standby", Source::argv, false, true);
  EXPECT_EQ(*show("wal_level"), "replica");
}

TEST_F(SettingsTest, EveryDefinitionIsConsistent) {
  auto all = rows();
  std::erase_if(all, [](const Row& row) { return row.category == "Customized Options"; });
  EXPECT_EQ(all.size(), 358u);  // PostgreSQL 15's 356, relation_extension_lock_slots and subtree_lock_threshold
  for (const Row& row : all) {
    EXPECT_FALSE(row.category.empty()) << row.name;
    EXPECT_FALSE(row.short_desc.empty()) << row.name;
    if (row.vartype == "enum") { EXPECT_FALSE(row.enum_values.empty()) << row.name; }
    if (row.has_min_max) { EXPECT_LE(std::stod(row.min_val), std::stod(row.max_val)) << row.name; }
  }
}

}  // namespace
}  // namespace hathi::config
