// Hash values that PostgreSQL 15 gives: partition placement depends on them.

#include "hathi/types/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace hathi::types {
namespace {

std::int32_t text_hash(std::string_view s) { return static_cast<std::int32_t>(hash_bytes(s)); }
std::int64_t text_hash(std::string_view s, std::uint64_t seed) { return static_cast<std::int64_t>(hash_bytes_extended(s, seed)); }

TEST(Hash, BytesOfEveryTailLength) {
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 0)), -1477818771);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 0), 0), -6939563903564495251);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 1)), 1075015857);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 1), 4294967297), -3592233169216342873);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 2)), 1718550461);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 2), 8589934594), 1982680336436013175);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 3)), -785388649);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 3), 12884901891), -4371014811157043277);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 4)), -393934804);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 4), 17179869188), 3236934580598787849);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 5)), -445659580);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 5), 21474836485), 2118965889972249326);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 6)), -1747460160);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 6), 25769803782), -1870430044364091849);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 7)), 501636814);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 7), 30064771079), 1015463283815876016);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 8)), -1960928205);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 8), 34359738376), -8087031393356362138);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 9)), -92131489);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 9), 38654705673), -7853995300324563512);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 10)), 1948051852);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 10), 42949672970), 2737589474793987849);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 11)), -1483803693);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 11), 47244640267), 4470553016209576091);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 12)), -1586087212);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 12), 51539607564), 3884668948022306959);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 13)), 405849808);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 13), 55834574861), 9166528929212775938);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 14)), 315215413);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 14), 60129542158), 3632959879881064427);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 15)), -1389283689);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 15), 64424509455), 8863727676651682588);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 16)), -2079749669);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 16), 68719476752), 9002998503177730986);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 17)), 1648114242);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 17), 73014444049), 2124378379244347926);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 18)), -952297252);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 18), 77309411346), 2248414642332040811);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 19)), -684650393);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 19), 81604378643), -6373386985185449670);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 20)), 766334193);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 20), 85899345940), 8441370752504332697);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 21)), 2124303250);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 21), 90194313237), 7699426797808293224);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 22)), -50608962);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 22), 94489280534), -6475849073400807611);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 23)), -1149376136);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 23), 98784247831), -7141072650601771147);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 24)), 1251586959);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 24), 103079215128), 5282838136290236269);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 25)), 980150893);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 25), 107374182425), 8443498587889445207);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 26)), 167831483);
  EXPECT_EQ(text_hash(std::string_view("abcdefghijklmnopqrstuvwxyz", 26), 111669149722), -8720842311155935389);
}

TEST(Hash, WordsHashAsTheirBytes) {
  for (std::uint32_t v : {0u, 1u, 42u, 0xDEADBEEFu}) {
    std::string bytes(reinterpret_cast<const char*>(&v), 4);
    EXPECT_EQ(hash_uint32(v), hash_bytes(bytes));
    EXPECT_EQ(hash_uint32_extended(v, 77), hash_bytes_extended(bytes, 77));
  }
}

}  // namespace
}  // namespace hathi::types
