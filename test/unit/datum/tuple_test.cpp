#include "hathi/datum/bounded.h"
#include "hathi/datum/tuple.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hathi/error/sql_error.h"

namespace hathi {
namespace {

struct Column { std::int16_t length; bool by_value; char align; char storage; };
constexpr Column kInt2{2, true, 's', 'p'}, kInt4{4, true, 'i', 'p'}, kInt8{8, true, 'd', 'p'}, kChar{1, true, 'c', 'p'},
    kText{-1, false, 'i', 'x'}, kName{64, false, 'c', 'p'}, kCString{-2, false, 'c', 'p'}, kPlainVarlena{-1, false, 'i', 'p'},
    kUuid{16, false, 'c', 'p'}, kPoint{16, false, 'd', 'p'};

TupleDescriptor* descriptor_of(Arena& arena, std::initializer_list<Column> columns) {
  TupleDescriptor* d = make_descriptor(arena, static_cast<int>(columns.size()));
  std::size_t i = 0;
  for (const Column& c : columns) {
    d->attributes[i].layout = {c.length, c.by_value, c.align};
    d->attributes[i].storage = c.storage;
    ++i;
  }
  finish_descriptor(*d);
  return d;
}

std::string hex(const std::byte* p, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += fmt::format("{:02x}", static_cast<unsigned>(p[i]));
  return out;
}

std::string data_hex(const HeapTuple& t) {
  return hex(reinterpret_cast<const std::byte*>(t.header) + t.header->hoff, t.size - t.header->hoff);
}

// Bytes as PostgreSQL 15 shows them (pageinspect) for:
//   create table r(a int2, b int8, c text, d int4, e "char", f name, g bool, h numeric, i text)
TEST(Tuple, SameBytesAsPostgres) {
  Arena arena;
  TupleDescriptor* d = descriptor_of(arena, {kInt2, kInt8, kText, kInt4, kChar, kName, kChar, {-1, false, 'i', 'm'}, kText});
  const unsigned char numeric_1_5[] = {0x80, 0x80, 0x01, 0x00, 0x88, 0x13};
  Datum values[9] = {Datum::of(std::int16_t{7}), Datum::of(std::int64_t{-2}), varlena::make(arena, "hello"), Datum::of(std::int32_t{100000}),
                     Datum::of('x'), make_name(arena, "nm"), Datum::of(true),
                     varlena::make(arena, {reinterpret_cast<const char*>(numeric_1_5), 6}), varlena::make(arena, std::string(130, 'z'))};
  bool nulls[9] = {};
  HeapTuple t = form_tuple(*d, values, nulls, arena);
  EXPECT_EQ(t.header->hoff, 24);
  EXPECT_EQ(t.header->infomask2, 9);
  EXPECT_EQ(t.header->infomask, infomask::has_varwidth);
  std::string expected = "0700000000000000feffffffffffffff0d68656c6c6f0000a0860100786e6d" + std::string(2 * 62, '0') +
                         "010f8080010088130000001802" "0000";
  for (int i = 0; i < 130; ++i) expected += "7a";
  EXPECT_EQ(data_hex(t), expected);

  for (int i : {0, 2, 4, 7}) nulls[i] = true;
  values[1] = Datum::of(std::int64_t{5});
  values[3] = Datum::of(std::int32_t{3});
  values[5] = make_name(arena, "q");
  values[6] = Datum::of(false);
  values[8] = varlena::make(arena, "");
  t = form_tuple(*d, values, nulls, arena);
  EXPECT_EQ(t.header->hoff, 32);
  EXPECT_EQ(t.header->infomask, infomask::has_varwidth | infomask::has_null);
  EXPECT_EQ(static_cast<unsigned>(null_bitmap(t.header)[0]), 0b01101010u);
  EXPECT_EQ(static_cast<unsigned>(null_bitmap(t.header)[1]), 1u);
  EXPECT_EQ(data_hex(t), "05000000000000000300000071" + std::string(2 * 63, '0') + "0003");
}

TEST(Tuple, CachedOffsets) {
  Arena arena;
  TupleDescriptor* d = descriptor_of(arena, {kInt2, kInt8, kText, kInt4});
  EXPECT_EQ((*d)[0].cached_offset, 0);
  EXPECT_EQ((*d)[1].cached_offset, 8);
  EXPECT_EQ((*d)[2].cached_offset, 16);
  EXPECT_EQ((*d)[3].cached_offset, -1);
  d = descriptor_of(arena, {kChar, kText});
  EXPECT_EQ((*d)[1].cached_offset, -1);  // a short value would stand at 1, a long one at 4
}

TEST(Tuple, MissingAttributes) {
  Arena arena;
  TupleDescriptor* narrow = descriptor_of(arena, {kInt4});
  TupleDescriptor* wide = descriptor_of(arena, {kInt4, kInt4, kText});
  wide->attributes[1].has_missing = true;
  wide->attributes[1].missing_value = {Datum::of(std::int32_t{42}), false};
  finish_descriptor(*wide);
  Datum value = Datum::of(std::int32_t{1});
  bool is_null = false;
  HeapTuple t = form_tuple(*narrow, &value, &is_null, arena);
  Datum values[3];
  bool nulls[3];
  deform_tuple(t, *wide, 3, values, nulls);
  EXPECT_EQ(values[0].as_int32(), 1);
  EXPECT_FALSE(nulls[1]);
  EXPECT_EQ(values[1].as_int32(), 42);
  EXPECT_TRUE(nulls[2]);
  EXPECT_EQ(get_attribute(t, *wide, 2, is_null).as_int32(), 42);
  get_attribute(t, *wide, 3, is_null);
  EXPECT_TRUE(is_null);
}

TEST(Tuple, TooManyColumns) {
  Arena arena;
  TupleDescriptor* d = make_descriptor(arena, kMaxTupleAttributes + 1);
  for (Attribute& a : d->attributes) a.layout = {4, true, 'i'};
  finish_descriptor(*d);
  std::vector<Datum> values(kMaxTupleAttributes + 1);
  auto nulls = std::make_unique<bool[]>(kMaxTupleAttributes + 1);
  EXPECT_THROW(form_tuple(*d, values.data(), nulls.get(), arena), SqlError);
}

TEST(Tuple, RandomRoundTrips) {
  std::mt19937 random(7);
  const Column kinds[] = {kInt2, kInt4, kInt8, kChar, kText, kName, kCString, kPlainVarlena, kUuid, kPoint};
  for (int round = 0; round < 300; ++round) {
    Arena arena;
    int n = 1 + static_cast<int>(random() % 20);
    TupleDescriptor* d = make_descriptor(arena, n);
    std::vector<Datum> values(static_cast<std::size_t>(n));
    bool nulls[20];
    for (int i = 0; i < n; ++i) {
      const Column& c = kinds[random() % std::size(kinds)];
      Attribute& a = d->attributes[static_cast<std::size_t>(i)];
      a.layout = {c.length, c.by_value, c.align};
      a.storage = c.storage;
      nulls[i] = random() % 4 == 0;
      if (c.by_value) {
        std::int64_t v = static_cast<std::int64_t>(random()) - 0x7FFFFFFF;
        values[i] = c.length == 1 ? Datum::of(static_cast<char>(v)) : c.length == 2 ? Datum::of(static_cast<std::int16_t>(v))
                  : c.length == 4 ? Datum::of(static_cast<std::int32_t>(v)) : Datum::of(v);
      } else if (c.length == -1) {
        values[i] = varlena::make(arena, std::string(random() % 300, static_cast<char>('a' + random() % 26)));
      } else if (c.length == -2) {
        values[i] = Datum::of(arena.copy(std::string(random() % 30, 'k')).data());
      } else {
        auto* p = static_cast<unsigned char*>(arena.allocate(static_cast<std::size_t>(c.length), 8));
        for (int k = 0; k < c.length; ++k) p[k] = static_cast<unsigned char>(random());
        values[i] = Datum::of(static_cast<const void*>(p));
      }
    }
    finish_descriptor(*d);
    HeapTuple t = form_tuple(*d, values.data(), nulls, arena);
    Datum read[20];
    bool read_nulls[20];
    // In two steps, to cover continuing.
    int first = 0;
    std::uint32_t offset = 0;
    const auto* data = reinterpret_cast<const std::byte*>(t.header) + t.header->hoff;
    deform_bounded(*d, data, t.size - t.header->hoff, null_bitmap(t.header), n, n / 2, first, offset, read, read_nulls);
    deform_bounded(*d, data, t.size - t.header->hoff, null_bitmap(t.header), n, n, first, offset, read, read_nulls);
    EXPECT_EQ(offset, t.size - t.header->hoff);
    for (int i = 0; i < n; ++i) {
      bool is_null = false;
      Datum one = get_attribute(t, *d, static_cast<AttrNumber>(i + 1), is_null);
      ASSERT_EQ(read_nulls[i], nulls[i]);
      ASSERT_EQ(is_null, nulls[i]);
      if (nulls[i]) continue;
      ASSERT_TRUE(datum_image_equal(read[i], values[i], (*d)[i].layout));
      ASSERT_TRUE(datum_image_equal(one, values[i], (*d)[i].layout));
    }
  }
}

TEST(Record, RoundTrip) {
  Arena arena;
  TupleDescriptor* d = descriptor_of(arena, {kInt2, kText, kInt4, kInt8});
  d->record_typmod = 5;
  Datum values[4] = {Datum::of(std::int16_t{1}), varlena::make(arena, "ab"), Datum(), Datum::of(std::int64_t{9})};
  bool nulls[4] = {false, false, true, false};
  Datum record = make_record(*d, values, nulls, arena);
  EXPECT_EQ(record_type(record), Oid{2249});
  EXPECT_EQ(record_typmod(record), 5);
  HeapTuple t = open_record(record, arena);
  Datum read[4];
  bool read_nulls[4];
  deform_tuple(t, *d, 4, read, read_nulls);
  EXPECT_EQ(read[0].as_int16(), 1);
  EXPECT_EQ(varlena::text(read[1], arena), "ab");
  EXPECT_TRUE(read_nulls[2]);
  EXPECT_EQ(read[3].as_int64(), 9);
  // Packed inside another row it gets a short header; it still opens.
  TupleDescriptor* outer = descriptor_of(arena, {kChar, {-1, false, 'd', 'x'}});
  Datum outer_values[2] = {Datum::of('c'), record};
  bool none[2] = {};
  HeapTuple o = form_tuple(*outer, outer_values, none, arena);
  bool is_null = false;
  Datum packed = get_attribute(o, *outer, 2, is_null);
  EXPECT_TRUE(varlena::is_short(packed.as_pointer()));
  t = open_record(packed, arena);
  EXPECT_EQ(get_attribute(t, *d, 4, is_null).as_int64(), 9);
}

}  // namespace
}  // namespace hathi
