#pragma once
// The hash functions that decide where a row goes in hash joins, hash aggregation and hash partitions. They give the same values
// as PostgreSQL's (Bob Jenkins' public-domain lookup3 with its start values), so that partition placement is compatible.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hathi::types {

std::uint32_t hash_bytes(std::string_view bytes);
std::uint64_t hash_bytes_extended(std::string_view bytes, std::uint64_t seed);
std::uint32_t hash_uint32(std::uint32_t value);
std::uint64_t hash_uint32_extended(std::uint32_t value, std::uint64_t seed);
// Folding of several hash values into one, as hash partitioning does with its columns.
std::uint32_t hash_combine(std::uint32_t a, std::uint32_t b);
std::uint64_t hash_combine64(std::uint64_t a, std::uint64_t b);

}  // namespace hathi::types
