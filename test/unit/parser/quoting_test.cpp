#include <gtest/gtest.h>

#include "hathi/parser/ast_ddl.h"
#include "hathi/parser/parser.h"

namespace hathi::parser {
namespace {

TEST(Quoting, IdentifiersAreQuotedOnlyIfNeeded) {
  EXPECT_EQ(quote_identifier("abc_1"), "abc_1");
  EXPECT_EQ(quote_identifier("Abc"), "\"Abc\"");
  EXPECT_EQ(quote_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_identifier("1a"), "\"1a\"");
  EXPECT_EQ(quote_identifier("a$b"), "\"a$b\"");
  EXPECT_EQ(quote_identifier("select"), "\"select\"");
  EXPECT_EQ(quote_identifier("int"), "\"int\"");
  EXPECT_EQ(quote_identifier("left"), "\"left\"");
  EXPECT_EQ(quote_identifier("name"), "name");
  EXPECT_EQ(quote_qualified("public", "Order"), "public.\"Order\"");
  EXPECT_EQ(quote_qualified("", "t"), "t");
}

TEST(Quoting, Literals) {
  EXPECT_EQ(quote_literal("it's"), "'it''s'");
  EXPECT_EQ(quote_literal("a\\b"), "E'a\\\\b'");
}

std::string parts(std::string_view text) {
  Arena arena;
  std::string s;
  for (const Name& n : parse_qualified_name(text, arena)) s += "<" + std::string(n) + ">";
  return s;
}

TEST(QualifiedNames, AreFoldedAndSplit) {
  EXPECT_EQ(parts("a"), "<a>");
  EXPECT_EQ(parts(" Ab . \"C.d\" . e "), "<ab><C.d><e>");
  EXPECT_EQ(parts("\"a\"\"b\""), "<a\"b>");
  for (const char* bad : {"", " ", "a.", ".a", "a b", "\"a", "a..b", "\"\""}) EXPECT_THROW(parts(bad), SqlError) << bad;
}

TEST(TypeNames, ParseAlone) {
  Arena arena;
  TypeName* t = parse_type_name("numeric(10, 2)[]", arena);
  EXPECT_EQ(t->names.back(), "numeric");
  EXPECT_EQ(t->typmods.size(), 2u);
  EXPECT_EQ(t->array_bounds.size(), 1u);
  EXPECT_EQ(parse_type_name("timestamp with time zone", arena)->names.back(), "timestamptz");
  for (const char* bad : {"", "  ", "int int", "setof int", "1", "a.", "int; drop"})
    EXPECT_THROW(parse_type_name(bad, arena), SqlError) << bad;
}

TEST(CommandTags, NameStatements) {
  Arena arena;
  auto tag = [&](std::string_view text) { return command_tag(parse(text, arena)[0].node); };
  EXPECT_EQ(tag("select 1 for update"), "SELECT FOR UPDATE");
  EXPECT_EQ(tag("select 1 into t"), "SELECT INTO");
  EXPECT_EQ(tag("create table t as select 1"), "CREATE TABLE AS");
  EXPECT_EQ(tag("create unique index on t (a)"), "CREATE INDEX");
  EXPECT_EQ(tag("alter table t rename a to b"), "ALTER TABLE");
  EXPECT_EQ(tag("alter view v rename a to b"), "ALTER VIEW");
  EXPECT_EQ(tag("drop materialized view v"), "DROP MATERIALIZED VIEW");
  EXPECT_EQ(tag("grant a to b"), "GRANT ROLE");
  EXPECT_EQ(tag("truncate t"), "TRUNCATE TABLE");
  EXPECT_EQ(tag("rollback to a"), "ROLLBACK");
  EXPECT_EQ(tag("close all"), "CLOSE CURSOR ALL");
}

TEST(CommandTags, LogLevels) {
  Arena arena;
  auto level = [&](std::string_view text) { return log_level_of(parse(text, arena)[0].node); };
  EXPECT_EQ(level("create table t (a int)"), 1);
  EXPECT_EQ(level("select 1 into t"), 1);
  EXPECT_EQ(level("insert into t values (1)"), 2);
  EXPECT_EQ(level("copy t from stdin"), 2);
  EXPECT_EQ(level("copy t to stdout"), 3);
  EXPECT_EQ(level("explain analyze delete from t"), 2);
  EXPECT_EQ(level("explain delete from t"), 3);
  EXPECT_EQ(level("prepare p as update t set a = 1"), 2);
  EXPECT_EQ(level("select 1"), 3);
}

TEST(Options, AsText) {
  Arena arena;
  const auto* t = node_cast<CreateTableStatement>(parse("create table t (a int) with (x = 5, y = on, z = abc, v = 'q', w)", arena)[0].node);
  std::string all;
  for (const Option* o : t->options) all += option_text(*o) + "|";
  EXPECT_EQ(all, "5|on|abc|q||");
}

}  // namespace
}  // namespace hathi::parser
