// Queries as text: compared with what PostgreSQL 15's pg_get_viewdef() gave for a view made of the statement. views.inc: the
// statement, the definition, the pretty definition, one line each; line breaks as \n, backslashes doubled.

#include <gtest/gtest.h>

#include <sstream>

#include "hathi/analyzer/deparse.h"
#include "hathi/catalog/lookup.h"
#include "hathi/parser/parser.h"
#include "hathi/types/register.h"

namespace hathi::analyzer {
namespace {

const char* const kViews =
#include "views.inc"
    ;

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '\\') out += "\\\\";
    else out += c;
  }
  return out;
}

std::string view_text(const std::string& sql, bool pretty) {
  Arena arena;
  try {
    ParameterTypes none;
    List<parser::Statement> statements = parser::parse(sql, arena);
    nodes::Query* query = analyze_node(statements[0].node, sql, arena, none, false);
    DeparseOptions options;
    options.indent = true;
    options.pretty = pretty;
    return escape(deparse_query(query, options) + ";");
  } catch (const SqlError& error) {
    return "!" + error.report().message;
  }
}

class Deparse : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (catalog::find_function(Oid{1841}) == nullptr) {
      types::register_all();
      catalog::load_builtin_objects();
    }
    catalog::set_identity(kPostgresDatabase, "postgres", kBootstrapSuperuser);
  }
};

TEST_F(Deparse, ViewsAsPostgresqlPrintsThem) {
  std::istringstream file(kViews);
  std::string sql, plain, pretty;
  while (std::getline(file, sql) && std::getline(file, plain) && std::getline(file, pretty)) {
    std::string text = view_text(sql, false);
    if (text.find("cache lookup failed for function") != std::string::npos) continue;
    EXPECT_EQ(text, plain) << sql;
    EXPECT_EQ(view_text(sql, true), pretty) << sql;
  }
}

}  // namespace
}  // namespace hathi::analyzer
