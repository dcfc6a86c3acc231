// What the prover says of random conditions on one column, against trying values.

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "../../../src/backend/planner/proof.h"
#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "hathi/parser/parser.h"
#include "hathi/types/register.h"

namespace hathi::planner {
namespace {

using Truth = std::optional<bool>;   // nothing: null

// A condition as text and as what it is for a value.
struct Condition {
  enum class Kind { compare, is_null, is_not_null, all, any, negated, one_of } kind = Kind::compare;
  int op = 0, constant = 0;
  std::vector<Condition> parts;

  static constexpr const char* kOperators[] = {"<", "<=", "=", ">=", ">", "<>"};

  std::string text() const {
    auto joined = [&](const char* word) {
      std::string out;
      for (const Condition& c : parts) out += (out.empty() ? "" : word) + ("(" + c.text() + ")");
      return out;
    };
    switch (kind) {
      case Kind::compare: return "x " + std::string(kOperators[op]) + " " + std::to_string(constant);
      case Kind::is_null: return "x is null";
      case Kind::is_not_null: return "x is not null";
      case Kind::all: return joined(" and ");
      case Kind::any: return joined(" or ");
      case Kind::negated: return "not (" + parts[0].text() + ")";
      case Kind::one_of: return "x in (" + std::to_string(constant) + ", " + std::to_string(constant + 2) + ")";
    }
    return {};
  }

  Truth of(std::optional<int> x) const {
    switch (kind) {
      case Kind::is_null: return !x;
      case Kind::is_not_null: return x.has_value();
      case Kind::compare: {
        if (!x) return std::nullopt;
        int v = *x, c = constant;
        const bool results[] = {v < c, v <= c, v == c, v >= c, v > c, v != c};
        return results[op];
      }
      case Kind::one_of: return x ? Truth(*x == constant || *x == constant + 2) : std::nullopt;
      case Kind::negated: {
        Truth t = parts[0].of(x);
        return t ? Truth(!*t) : std::nullopt;
      }
      case Kind::all: case Kind::any: break;
    }
    bool decisive = kind == Kind::any, unknown = false;
    for (const Condition& c : parts) {
      Truth t = c.of(x);
      if (!t) unknown = true;
      else if (*t == decisive) return decisive;
    }
    return unknown ? std::nullopt : Truth(!decisive);
  }
};

class Proofs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (catalog::find_function(Oid{1841}) == nullptr) {
      types::register_all();
      catalog::load_builtin_objects();
    }
    catalog::set_identity(kPostgresDatabase, "postgres", kBootstrapSuperuser);
  }

  nodes::Expr* parsed(const std::string& condition) {
    std::string sql = "select 1 from (values (0)) t (x) where " + condition;
    analyzer::ParameterTypes none;
    List<parser::Statement> statements = parser::parse(sql, arena_);
    return analyzer::analyze_node(statements[0].node, sql, arena_, none)->from->where;
  }

  Condition random_condition(int depth) {
    Condition c;
    int choice = static_cast<int>(random_() % (depth > 0 ? 10 : 7));
    c.op = static_cast<int>(random_() % 6);
    c.constant = static_cast<int>(random_() % 5);
    if (choice == 4) c.kind = Condition::Kind::is_null;
    if (choice == 5) c.kind = Condition::Kind::is_not_null;
    if (choice == 6) c.kind = Condition::Kind::one_of;
    if (choice >= 7) {
      c.kind = choice == 7 ? Condition::Kind::all : choice == 8 ? Condition::Kind::any : Condition::Kind::negated;
      for (int i = 0; i < (choice == 9 ? 1 : 2); ++i) c.parts.push_back(random_condition(depth - 1));
    }
    return c;
  }

  template <class F>
  static bool for_all_values(F&& holds) {
    if (!holds(std::nullopt)) return false;
    for (int x = -2; x <= 9; ++x) if (!holds(std::optional<int>(x))) return false;
    return true;
  }

  bool says_refuted(const std::string& fact, const std::string& claim, bool weak = false) {
    nodes::Expr* facts[] = {parsed(fact)};
    nodes::Expr* claims[] = {parsed(claim)};
    return refutes(facts, claims, weak);
  }
  bool says_implied(const std::string& fact, const std::string& goal) {
    nodes::Expr* facts[] = {parsed(fact)};
    return implies(facts, parsed(goal));
  }

  Arena arena_{4096};
  std::mt19937 random_{7};
};

TEST_F(Proofs, NothingWrongIsProven) {
  int refuted = 0, weakly = 0, implied = 0, weakly_implied = 0;
  for (int i = 0; i < 4000; ++i) {
    Condition fact = random_condition(2), other = random_condition(2);
    nodes::Expr* f[] = {parsed(fact.text())};
    nodes::Expr* o[] = {parsed(other.text())};
    if (refutes(f, o)) {
      ++refuted;
      EXPECT_TRUE(for_all_values([&](auto x) { return fact.of(x) != Truth(true) || other.of(x) == Truth(false); })) << fact.text() << " / " << other.text();
    }
    if (refutes(f, o, true)) {
      ++weakly;
      EXPECT_TRUE(for_all_values([&](auto x) { return fact.of(x) != Truth(true) || other.of(x) != Truth(true); })) << fact.text() << " / " << other.text();
    }
    if (implies(f, o[0])) {
      ++implied;
      EXPECT_TRUE(for_all_values([&](auto x) { return fact.of(x) != Truth(true) || other.of(x) == Truth(true); })) << fact.text() << " / " << other.text();
    }
    if (implies(f, o[0], true)) {
      ++weakly_implied;
      EXPECT_TRUE(for_all_values([&](auto x) { return fact.of(x) == Truth(false) || other.of(x) != Truth(false); })) << fact.text() << " / " << other.text();
    }
    arena_.reset();
  }
  EXPECT_GT(refuted, 300);
  EXPECT_GT(weakly, refuted);
  EXPECT_GT(implied, 300);
  EXPECT_GT(weakly_implied, 300);
}

TEST_F(Proofs, CommonForms) {
  EXPECT_TRUE(says_refuted("x < 5", "x > 10"));
  EXPECT_TRUE(says_refuted("5 > x", "x >= 5"));
  EXPECT_TRUE(says_refuted("x in (1, 2)", "x > 2"));
  EXPECT_TRUE(says_refuted("x = 1 or x is null and x > 3", "x <> 1 and x is not null"));
  EXPECT_TRUE(says_refuted("x is null", "x is not null"));
  EXPECT_FALSE(says_refuted("x is null", "x > 3"));
  EXPECT_TRUE(says_refuted("x is null", "x > 3", true));
  EXPECT_FALSE(says_refuted("x < 5", "x > 4"));   // (of numbers in general)
  EXPECT_FALSE(says_refuted("x + 1 < 5", "x > 10"));
  EXPECT_TRUE(says_implied("x > 5", "x > 1"));
  EXPECT_TRUE(says_implied("x > 5", "x is not null"));
  EXPECT_TRUE(says_implied("x in (1, 3)", "x < 4"));
  EXPECT_FALSE(says_implied("x > 5", "x > 6"));
}

}  // namespace
}  // namespace hathi::planner
