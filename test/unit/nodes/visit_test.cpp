// Random trees of every kind of node go through copying, equality and text.

#include "hathi/nodes/visit.h"

#include <gtest/gtest.h>

#include <random>

#include "hathi/base/builtin_oids.h"
#include "src/backend/nodes/fields.h"

namespace hathi::nodes {
namespace {

class Generator {
 public:
  Generator(Arena& arena, unsigned seed) : arena_(arena), random_(seed) {}
  template <class... T> void operator()(T&... fields) { (field(fields), ...); }
  template <class... T> void display(T&... fields) { (field(fields), ...); }
  void constant(TypeLayout& layout, Datum& value, bool& is_null) {
    is_null = below(5) == 0;
    switch (below(4)) {
      case 0: layout = {4, true, 'i'}; value = Datum::of(static_cast<std::int32_t>(random_())); break;
      case 1: layout = {8, true, 'd'}; value = Datum((static_cast<std::uint64_t>(random_()) << 32) | random_()); break;
      case 2: layout = {-1, false, 'i'}; value = varlena::make(arena_, word()); break;
      default: layout = {64, false, 'c'}; value = make_name(arena_, word()); break;
    }
  }
  Expr* expression() {
    auto kind = static_cast<ExprKind>(below(kEnumCount<ExprKind>));
    Expr head{kind};
    return dispatch(&head, [&](auto& node) -> Expr* {
      auto* made = make<std::remove_reference_t<decltype(node)>>(arena_, static_cast<int>(below(100)));
      made->kind = kind;
      ++depth_;
      made->fields(*this);
      --depth_;
      return made;
    });
  }
  template <class T>
  void field(T& x) {
    if constexpr (std::is_same_v<T, std::string_view>) x = below(3) == 0 ? std::string_view() : word();
    else if constexpr (std::is_same_v<T, bool>) x = below(2) == 0;
    else if constexpr (std::is_same_v<T, double>) x = static_cast<double>(random_()) / 3;
    else if constexpr (std::is_same_v<T, Oid>) x = Oid{static_cast<std::uint32_t>(random_())};
    else if constexpr (std::is_enum_v<T>) x = static_cast<T>(below(kEnumCount<T>));
    else if constexpr (std::is_same_v<T, char>) x = static_cast<char>('a' + below(26));
    else if constexpr (std::is_arithmetic_v<T>) x = static_cast<T>(random_());
    else if constexpr (kIsList<T>) {
      int n = depth_ > 4 ? 0 : below(3);
      for (int i = 0; i < n; ++i) {
        std::remove_reference_t<decltype(x[0])> element{};
        field(element);
        x.push_back(arena_, element);
      }
    } else pointer(x);
  }

 private:
  template <class T>
  void pointer(T*& x) {
    if (depth_ > 4 || below(4) == 0) return;
    if constexpr (std::is_same_v<T, Expr>) x = expression();
    else if constexpr (std::is_same_v<T, JoinNode>) x = nullptr;
    else {
      x = arena_.make<T>();
      if constexpr (kIsJoinNode<T>) x->kind = T::kKind;
      ++depth_;
      x->fields(*this);
      --depth_;
    }
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string_view word() {
    std::string s;
    for (int n = below(12); n > 0; --n) s += static_cast<char>(random_());
    return arena_.copy(s);
  }
  Arena& arena_;
  std::mt19937 random_;
  int depth_ = 0;
};

TEST(Nodes, RandomExpressionsRoundTrip) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Arena arena;
    Expr* e = Generator(arena, seed).expression();
    Expr* copied;
    std::string text = to_text(e);
    {
      Arena other;
      copied = copy(e, arena);
      EXPECT_TRUE(equal(e, copied)) << text;
      Expr* read = expr_from_text(text, other);
      ASSERT_TRUE(equal(e, read)) << text;
      EXPECT_EQ(to_text(read), text);
    }
    EXPECT_EQ(to_text(copied), text);
  }
}

TEST(Nodes, RandomQueriesRoundTrip) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Arena arena, other;
    Query* q = arena.make<Query>();
    q->fields(*std::make_unique<Generator>(arena, seed));
    std::string text = to_text(q);
    Query* read = query_from_text(text, other);
    ASSERT_TRUE(equal(q, read)) << text;
    ASSERT_TRUE(equal(q, copy(q, other)));
    EXPECT_EQ(to_text(read), text);
  }
}

TEST(Nodes, DamagedTextIsAnError) {
  std::mt19937 random(7);
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Arena arena;
    std::string text = to_text(Generator(arena, seed).expression());
    std::string cut = text.substr(0, random() % text.size());
    EXPECT_THROW(expr_from_text(cut, arena), SqlError);
    text[random() % text.size()] = static_cast<char>(random());
    try {
      expr_from_text(text, arena);   // may still be a valid text, must not crash
    } catch (const SqlError& error) {
      EXPECT_EQ(error.code(), sqlstate::internal_error);
    }
  }
  Arena arena;
  std::string deep;
  for (int i = 0; i < 1000000; ++i) deep += "(collate ";
  EXPECT_THROW(expr_from_text(deep, arena), SqlError);
}

TEST(Nodes, EqualityIgnoresLocationAndNames) {
  Arena arena;
  auto* a = make<Variable>(arena, 3);
  auto* b = make<Variable>(arena, 9);
  a->rte = b->rte = 1;
  a->column = b->column = 2;
  b->source_rte = 5;
  EXPECT_TRUE(equal(a, b));
  b->column = 3;
  EXPECT_FALSE(equal(a, b));
  EXPECT_FALSE(equal(a, static_cast<Expr*>(nullptr)));
}

TEST(Nodes, WalkAndMapReachChildren) {
  Arena arena;
  auto* sum = make<OpExpr>(arena);
  auto* aggregate = make<Aggregate>(arena);
  auto* entry = arena.make<TargetEntry>();
  entry->expr = make<Variable>(arena);
  aggregate->args.push_back(arena, entry);
  aggregate->filter = make<NullTest>(arena);
  sum->args.push_back(arena, aggregate);
  sum->args.push_back(arena, make<CaseTest>(arena));
  int seen = 0;
  for_each_child(aggregate, [&](Expr*) { ++seen; return false; });
  EXPECT_EQ(seen, 2);
  EXPECT_TRUE(for_each_child(sum, [&](Expr* e) { return is<CaseTest>(e); }));
  Expr* replacement = make<DomainValue>(arena);
  Expr* mapped = map_each_child(aggregate, [&](Expr* e) { return is<Variable>(e) ? replacement : e; }, arena);
  EXPECT_EQ(as<Aggregate>(mapped)->args[0]->expr, replacement);
  EXPECT_EQ(aggregate->args[0]->expr->kind, ExprKind::variable);
}

TEST(Nodes, TypeOfNodesWithoutAType) {
  Arena arena;
  EXPECT_EQ(type_of(make<NullTest>(arena)), type_oid::bool_);
  EXPECT_EQ(type_of(make<Grouping>(arena)), type_oid::int4);
  auto* exists = make<SubLink>(arena);
  exists->type = SubLink::Type::exists;
  exists->result_type = type_oid::text;
  EXPECT_EQ(type_of(exists), type_oid::bool_);
  auto* choice = make<Coalesce>(arena);
  choice->type = type_oid::varchar;
  for (std::int32_t typmod : {12, 12}) {
    auto* v = make<Variable>(arena);
    v->type = type_oid::varchar;
    v->typmod = typmod;
    choice->args.push_back(arena, v);
  }
  EXPECT_EQ(typmod_of(choice), 12);
  as<Variable>(choice->args[1])->typmod = 13;
  EXPECT_EQ(typmod_of(choice), -1);
}

}  // namespace
}  // namespace hathi::nodes
