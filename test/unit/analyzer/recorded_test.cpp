// Statements without tables: types and names of their columns and parameters, or the error, compared with what PostgreSQL 15
// answered. recorded.inc: a line with the statement, a line with the answer (`name type[/typmod], …` after the parameters' types in
// parentheses, or `!SQLSTATE|message|detail|hint|position`).

#include <gtest/gtest.h>

#include <sstream>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "hathi/parser/parser.h"
#include "hathi/types/register.h"

namespace hathi::analyzer {
namespace {

const char* const kRecorded =
#include "recorded.inc"
    ;

std::string describe(const std::string& sql) {
  Arena arena;
  try {
    List<parser::Statement> statements = parser::parse(sql, arena);
    if (statements.size() > 1) return "!42601|cannot insert multiple commands into a prepared statement|||";
    ParameterTypes parameters;
    parameters.infer = true;
    nodes::Query* query = analyze(statements[0], sql, arena, parameters);
    std::string text;
    for (std::size_t i = 0; i < parameters.types.size(); ++i) text += (i > 0 ? "," : "(") + std::to_string(raw(parameters.types[i]));
    if (!parameters.types.empty()) text += ") ";
    bool first = true;
    for (const OutputColumn& column : output_columns(query)) {
      std::int32_t typmod = column.typmod;
      Oid type = catalog::base_type(column.type, &typmod);
      text += (first ? "" : ", ") + std::string(column.name) + " " + std::to_string(raw(type));
      if (typmod != -1) text += "/" + std::to_string(typmod);
      first = false;
    }
    return text;
  } catch (const SqlError& error) {
    const ErrorReport& r = error.report();
    std::string position = error.byte_offset() >= 0 ? std::to_string(error.byte_offset() + 1) : "";
    return "!" + std::string(r.code.view()) + "|" + r.message + "|" + r.detail + "|" + r.hint + "|" + position;
  }
}

class Recorded : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    types::register_all();
    catalog::load_builtin_objects();
    catalog::set_identity(kPostgresDatabase, "postgres", kBootstrapSuperuser);
  }
};

TEST_F(Recorded, AnswersAsPostgresql) {
  std::istringstream file(kRecorded);
  std::string sql, expected;
  while (std::getline(file, sql) && std::getline(file, expected)) {
    std::string answer = describe(sql);
    // Values of types that are not there cannot be judged.
    if (answer.starts_with("!0A000|type ")) continue;
    EXPECT_EQ(answer, expected) << sql;
  }
}

}  // namespace
}  // namespace hathi::analyzer
