#include <gtest/gtest.h>

#include <string>

#include "hathi/datum/datum.h"
#include "hathi/error/sql_error.h"

namespace hathi {
namespace {

TEST(Varlena, Headers) {
  Arena arena;
  Datum v = varlena::make(arena, "hello");
  const std::byte* p = v.as_pointer();
  EXPECT_TRUE(varlena::is_plain(p));
  EXPECT_EQ(varlena::total_size(p), 9u);
  EXPECT_EQ(varlena::payload(p), "hello");
  const char short_form[] = {0x0d, 'h', 'e', 'l', 'l', 'o'};
  const auto* s = reinterpret_cast<const std::byte*>(short_form);
  EXPECT_TRUE(varlena::is_short(s));
  EXPECT_EQ(varlena::total_size(s), 6u);
  EXPECT_EQ(varlena::payload(s), "hello");
  const std::byte* a = varlena::aligned(Datum::of(s), arena);
  EXPECT_TRUE(varlena::is_plain(a));
  EXPECT_EQ(varlena::payload(a), "hello");
  EXPECT_TRUE(varlena::fits_short(130));
  EXPECT_FALSE(varlena::fits_short(131));
}

TEST(Varlena, CompressRoundTrip) {
  Arena arena;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "row " + std::to_string(i % 7);
  Datum v = varlena::make(arena, text);
  const std::byte* c = varlena::compress(v.as_pointer(), arena);
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(varlena::is_compressed(c));
  EXPECT_LT(varlena::total_size(c), text.size() / 4);
  EXPECT_EQ(varlena::raw_payload_size(c), text.size());
  EXPECT_EQ(varlena::text(Datum::of(c), arena), text);
  // Noise does not shrink.
  std::string noise;
  std::uint32_t x = 1;
  for (int i = 0; i < 1000; ++i) noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  EXPECT_EQ(varlena::compress(varlena::make(arena, noise).as_pointer(), arena), nullptr);
}

TEST(Varlena, BrokenCompressionIsAnError) {
  Arena arena;
  std::string text(5000, 'x');
  const std::byte* c = varlena::compress(varlena::make(arena, text).as_pointer(), arena);
  ASSERT_NE(c, nullptr);
  std::string broken(reinterpret_cast<const char*>(c), varlena::total_size(c));
  for (std::size_t i = 8; i < broken.size(); ++i) broken[i] = '\xFF';
  EXPECT_THROW(varlena::readable(reinterpret_cast<const std::byte*>(broken.data()), arena), SqlError);
}

TEST(Name, TruncatesOnCharacterBorder) {
  Arena arena;
  EXPECT_EQ(name_text(make_name(arena, "abc")), "abc");
  EXPECT_EQ(name_text(make_name(arena, std::string(70, 'a'))), std::string(63, 'a'));
  EXPECT_EQ(name_text(make_name(arena, std::string(62, 'a') + "\xC3\xA9")), std::string(62, 'a'));
  EXPECT_EQ(name_text(make_name(arena, std::string(61, 'a') + "\xC3\xA9z")), std::string(61, 'a') + "\xC3\xA9");
  EXPECT_EQ(name_text(make_name(arena, "")), "");
}

TEST(Datum, ImageEqualLooksAtTheTypesBytes) {
  TypeLayout oid{4, true, 'i'};
  // An oid above 2^31 may be widened either way.
  EXPECT_TRUE(datum_image_equal(Datum::of(Oid{0x80000001u}), Datum::of(static_cast<std::int32_t>(0x80000001u)), oid));
  EXPECT_FALSE(datum_image_equal(Datum::of(1), Datum::of(2), oid));
}

}  // namespace
}  // namespace hathi
