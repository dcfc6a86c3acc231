// Values and warnings of tokens; their errors are in the corpus.

#include <gtest/gtest.h>

#include "hathi/error/report.h"
#include "hathi/parser/ast_statement.h"
#include "hathi/parser/parser.h"

namespace hathi::parser {
namespace {

std::vector<ErrorReport> reports;

class Lexing : public testing::Test {
 protected:
  void SetUp() override {
    reports.clear();
    set_report_levels(Severity::notice, Severity::panic);
    set_client_sink([](const ErrorReport& r) { reports.push_back(r); });
  }
  void TearDown() override { set_client_sink(nullptr); }

  std::string string_value(std::string_view text, const ParseOptions& options = {}) {
    List<Statement> list = parse("select " + std::string(text), arena_, options);
    return std::string(node_cast<Constant>(node_cast<SelectStatement>(list[0].node)->targets[0]->value)->text);
  }
  Name column_name(std::string_view text) { return node_cast<ColumnRef>(parse_expression(text, arena_))->names[0]; }

  Arena arena_;
};

TEST_F(Lexing, Strings) {
  EXPECT_EQ(string_value("'it''s'"), "it's");
  EXPECT_EQ(string_value("'a'\n'b' -- c\n 'd'"), "abd");
  EXPECT_EQ(string_value("E'\\t\\n\\101\\x41\\u00e9\\U0001F600\\q\\''"), "\t\nAA\u00e9\U0001F600q'");
  EXPECT_EQ(string_value("E'\\ud83d\\ude00'"), "\U0001F600");
  EXPECT_EQ(string_value("U&'d\\0061t\\+000061'"), "data");
  EXPECT_EQ(string_value("U&'d!0061!!' uescape '!'"), "da!");
  EXPECT_EQ(string_value("$x$a$$b'c$x$"), "a$$b'c");
  EXPECT_EQ(string_value("'back\\slash'"), "back\\slash");
  EXPECT_TRUE(reports.empty());
}

TEST_F(Lexing, EscapesMustGiveUtf8) {
  try {
    string_value("E'\\xff'");
    FAIL();
  } catch (const SqlError& e) {
    EXPECT_EQ(e.code().view(), "22021");
    EXPECT_EQ(e.report().message, "invalid byte sequence for encoding \"UTF8\": 0xff");
  }
  EXPECT_EQ(string_value("E'\\xc3\\xa9'"), "\u00e9");
}

TEST_F(Lexing, NonStandardStringsWarn) {
  ParseOptions old;
  old.standard_conforming_strings = false;
  EXPECT_EQ(string_value("'a\\nb\\\\'", old), "a\nb\\");
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].code.view(), "22P06");
  EXPECT_EQ(reports[0].message, "nonstandard use of escape in a string literal");
  old.escape_string_warning = false;
  EXPECT_EQ(string_value("'\\''", old), "'");
  EXPECT_EQ(reports.size(), 1u);
  old.backslash_quote = BackslashQuote::off;
  EXPECT_THROW(string_value("'\\''", old), SqlError);
  EXPECT_THROW(string_value("U&'a'", old), SqlError);
}

TEST_F(Lexing, IdentifiersFoldAndTruncate) {
  EXPECT_EQ(column_name("CamelCase"), "camelcase");
  EXPECT_EQ(column_name("\"CamelCase\""), "CamelCase");
  EXPECT_EQ(column_name("\"a\"\"b\""), "a\"b");
  EXPECT_EQ(column_name("U&\"d\\0061ta\""), "data");
  EXPECT_EQ(column_name("É1$"), "É1$");
  const std::string name(62, 'a');
  EXPECT_EQ(column_name(name + "bc"), name + "b");
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].message, "identifier \"" + name + "bc\" will be truncated to \"" + name + "b\"");
  EXPECT_EQ(reports[0].code.view(), "42622");
  EXPECT_EQ(column_name(name + "é"), name);
}

TEST_F(Lexing, OperatorsEndAsInPostgres) {
  auto op = [&](std::string_view text) { return std::string(node_cast<OperatorExpr>(parse_expression(text, arena_))->op); };
  EXPECT_EQ(op("a <-1"), "<");
  EXPECT_EQ(op("a @-1"), "@-");
  EXPECT_EQ(op("a *+ 1"), "*");
  EXPECT_EQ(op("a != b"), "<>");
  EXPECT_EQ(op("a ||/* c */ b"), "||");
  EXPECT_EQ(op("a ->> b"), "->>");
}

TEST_F(Lexing, GlobalTemporaryTablesWarn) {
  parse("create global temp table t (a int)", arena_);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].message, "GLOBAL is deprecated in temporary table creation");
}

TEST_F(Lexing, NulBytesAreErrors) {
  const std::string_view text("select 1\0 2", 11);
  EXPECT_THROW(parse(text, arena_), SqlError);
}

}  // namespace
}  // namespace hathi::parser
