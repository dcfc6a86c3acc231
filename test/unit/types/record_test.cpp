// Composite values, made from anonymous row types.

#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "hathi/datum/record_types.h"
#include "hathi/error/sql_error.h"

namespace hathi::types::test {
namespace {

constexpr Oid kInt4{23}, kText{25}, kRecord{2249}, kRecordIn{2290}, kRecordOut{2291};

class RecordTest : public testing::Test {
 protected:
  void SetUp() override {
    register_once();
    TupleDescriptor* d = make_descriptor(arena_, 3);
    Oid types[] = {kInt4, kText, kInt4};
    const char* names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; ++i) {
      Attribute& a = d->attributes[static_cast<std::size_t>(i)];
      a.name = names[i];
      a.type = types[i];
      a.collation = types[i] == kText ? Oid{100} : kInvalidOid;
      a.layout = type(types[i]).layout;
    }
    finish_descriptor(*d);
    number_ = register_record_type(*d);
  }
  Datum read(const char* text) {
    return call_function(kRecordIn, arena_, {Datum::of(static_cast<const void*>(text)), Datum::of(kRecord), Datum::of(number_)});
  }
  std::string print(Datum record) { return call_function(kRecordOut, arena_, {record}).as_pointer<char>(); }
  std::string error(const char* text) {
    try {
      read(text);
    } catch (const SqlError& e) {
      return std::string(e.code().view()) + " " + e.report().message + " / " + e.report().detail;
    }
    return "none";
  }
  int compare(const char* a, const char* b) { return call_function(Oid{2987}, arena_, {read(a), read(b)}).as_int32(); }

  Arena arena_;
  std::int32_t number_ = -1;
};

TEST_F(RecordTest, TextRoundTrip) {
  EXPECT_EQ(print(read("(1,abc,)")), "(1,abc,)");
  EXPECT_EQ(print(read(" ( 5 , x y ,7) ")), "(5,\" x y \",7)");
  EXPECT_EQ(print(read("(,\"a\"\"b\\\"c\",3)")), "(,\"a\"\"b\"\"c\",3)");
  EXPECT_EQ(print(read("(1,\"\",2)")), "(1,\"\",2)");
  EXPECT_EQ(print(read("(1,\"a\"b,2)")), "(1,ab,2)");
}

TEST_F(RecordTest, MalformedInput) {
  EXPECT_EQ(error("(1,2)"), "22P02 malformed record literal: \"(1,2)\" / Too few columns.");
  EXPECT_EQ(error("(1,2,3,4)"), "22P02 malformed record literal: \"(1,2,3,4)\" / Too many columns.");
  EXPECT_EQ(error("1,2,3"), "22P02 malformed record literal: \"1,2,3\" / Missing left parenthesis.");
  EXPECT_EQ(error("(1,2,3"), "22P02 malformed record literal: \"(1,2,3\" / Unexpected end of input.");
  EXPECT_EQ(error("(1,2,3) x"), "22P02 malformed record literal: \"(1,2,3) x\" / Junk after right parenthesis.");
  EXPECT_EQ(error("(x,2,3)"), "22P02 invalid input syntax for type integer: \"x\" / ");
}

TEST_F(RecordTest, NullsSortLastAndEqualEachOther) {
  EXPECT_EQ(compare("(1,a,)", "(1,a,)"), 0);
  EXPECT_EQ(compare("(1,a,)", "(1,a,5)"), 1);
  EXPECT_EQ(compare("(1,a,5)", "(1,b,1)"), -1);
  EXPECT_EQ(compare("(2,,)", "(1,a,1)"), 1);
}

// Facts from stock PostgreSQL 15: hash_record(row(1,'a'::text,null::int4)) and its binary form.
TEST_F(RecordTest, HashAndBinaryForm) {
  EXPECT_EQ(call_function(Oid{6192}, arena_, {read("(1,a,)")}).as_int32(), -2140863691);
  Datum sent = call_function(Oid{2403}, arena_, {read("(1,a,)")});
  EXPECT_EQ(to_text(Oid{17}, sent, arena_), "\\x0000000300000017000000040000000100000019000000016100000017ffffffff");
}

}  // namespace
}  // namespace hathi::types::test
