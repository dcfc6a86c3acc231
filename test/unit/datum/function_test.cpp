#include "hathi/datum/function.h"

#include <gtest/gtest.h>

#include "hathi/error/sql_error.h"

namespace hathi {
namespace {

Datum add(FunctionCall& call) { return Datum::of(call.arg(0).as_int32() + call.arg(1).as_int32()); }
Datum backwards(FunctionCall& call) { return Datum::of(three_way(call.arg(1).as_int32(), call.arg(0).as_int32())); }
Datum nothing(FunctionCall& call) { return call.null(); }

const BuiltinFunction kTable[] = {{Oid{15001}, add}, {Oid{15002}, backwards}, {Oid{15003}, nothing}, {Oid{20000}, add}};

TEST(Functions, CallByOid) {
  register_functions(kTable);
  Arena arena;
  EXPECT_EQ(call_function(Oid{15001}, arena, {Datum::of(2), Datum::of(3)}).as_int32(), 5);
  EXPECT_EQ(call_function(Oid{20000}, arena, {Datum::of(2), Datum::of(3)}).as_int32(), 5);
  EXPECT_THROW(call_function(Oid{15003}, arena, {Datum::of(2)}), SqlError);
  EXPECT_THROW(call_function(Oid{15999}, arena, {Datum::of(2)}), SqlError);
  EXPECT_EQ(find_builtin_function(Oid{30000}), nullptr);
}

TEST(Functions, StrictInvoke) {
  Arena arena;
  FunctionSite site;
  site.function = add;
  site.argument_count = 2;
  site.strict = true;
  NullableDatum args[2] = {{Datum::of(1), false}, {Datum(), true}};
  FunctionContext context{&arena, nullptr};
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = args;
  EXPECT_TRUE(invoke(call).is_null);
  args[1] = {Datum::of(4), false};
  EXPECT_EQ(invoke(call).value.as_int32(), 5);
}

TEST(Comparison, ShortCutsAndCalls) {
  register_functions(kTable);
  Arena arena;
  ComparisonFunction int4 = prepare_comparison(Oid{351}, kInvalidOid);
  EXPECT_LT(compare(int4, Datum::of(-1), Datum::of(1), arena), 0);
  ComparisonFunction oid = prepare_comparison(Oid{356}, kInvalidOid);
  EXPECT_GT(compare(oid, Datum::of(Oid{0xFFFFFFFFu}), Datum::of(Oid{1}), arena), 0);
  EXPECT_EQ(compare(oid, Datum::of(Oid{0xFFFFFFFFu}), Datum::of(-1), arena), 0);
  ComparisonFunction int84 = prepare_comparison(Oid{2189}, kInvalidOid);
  EXPECT_GT(compare(int84, Datum::of(std::int64_t{1} << 40), Datum::of(7), arena), 0);
  ComparisonFunction text = prepare_comparison(Oid{360}, Oid{950});
  EXPECT_LT(compare(text, varlena::make(arena, "ab"), varlena::make(arena, "abc"), arena), 0);
  EXPECT_GT(compare(text, varlena::make(arena, "\xC3\xA9"), varlena::make(arena, "z"), arena), 0);
  ComparisonFunction reverse = prepare_comparison(Oid{15002}, kInvalidOid);
  EXPECT_GT(compare(reverse, Datum::of(1), Datum::of(2), arena), 0);
  EXPECT_THROW(prepare_comparison(Oid{15999}, kInvalidOid), SqlError);
}

}  // namespace
}  // namespace hathi
