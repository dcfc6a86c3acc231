#pragma once
// Strong identifiers: values of different kinds do not mix and do not convert silently.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace hathi {

// An object identifier as the catalogs store it. Oid{0} is "no object".
enum class Oid : std::uint32_t {};
inline constexpr Oid kInvalidOid{0};
constexpr std::uint32_t raw(Oid oid) { return static_cast<std::uint32_t>(oid); }
constexpr bool is_valid(Oid oid) { return oid != kInvalidOid; }
// Objects made by users have OIDs from here on; smaller ones belong to the system.
inline constexpr Oid kFirstNormalOid{16384};

// An integer that only compares, counts and adds plain offsets with its own kind.
template <class Tag, class Rep>
class StrongInteger {
 public:
  using rep = Rep;
  constexpr StrongInteger() = default;
  explicit constexpr StrongInteger(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const StrongInteger&) const = default;
  constexpr StrongInteger& operator++() { ++value_; return *this; }
  constexpr StrongInteger operator++(int) { StrongInteger old = *this; ++value_; return old; }
  constexpr StrongInteger& operator--() { --value_; return *this; }
  constexpr StrongInteger operator+(Rep n) const { return StrongInteger(static_cast<Rep>(value_ + n)); }
  constexpr StrongInteger operator-(Rep n) const { return StrongInteger(static_cast<Rep>(value_ - n)); }
  constexpr StrongInteger& operator+=(Rep n) { value_ += n; return *this; }
  // Distance between two values; the caller knows that *this >= other.
  constexpr Rep operator-(StrongInteger other) const { return static_cast<Rep>(value_ - other.value_); }

 private:
  Rep value_ = 0;
};

// A full 64-bit transaction id; never wraps. 0 = none, 1 = bootstrap (always committed), 2 = frozen, 3 = first normal.
using Xid = StrongInteger<struct XidTag, std::uint64_t>;
inline constexpr Xid kInvalidXid{0};
inline constexpr Xid kBootstrapXid{1};
inline constexpr Xid kFrozenXid{2};
inline constexpr Xid kFirstNormalXid{3};
constexpr bool is_normal(Xid xid) { return xid >= kFirstNormalXid; }

// A group of transactions that share a row lock (see transaction/multixact.h). 0 = none.
using MultiXactId = StrongInteger<struct MultiXactTag, std::uint32_t>;

// The number of a command inside its transaction, from 0.
using CommandId = StrongInteger<struct CommandIdTag, std::uint32_t>;
inline constexpr CommandId kFirstCommandId{0};
inline constexpr CommandId kInvalidCommandId{0xFFFFFFFFu};

// A byte position in the write-ahead log; 0 = none.
using Lsn = StrongInteger<struct LsnTag, std::uint64_t>;
inline constexpr Lsn kInvalidLsn{0};

// The number of an 8 KiB block in one fork of a relation.
using BlockNumber = StrongInteger<struct BlockNumberTag, std::uint32_t>;
inline constexpr BlockNumber kInvalidBlock{0xFFFFFFFFu};

// The number of a line pointer in a page, from 1; 0 = none.
using OffsetNumber = StrongInteger<struct OffsetNumberTag, std::uint16_t>;
inline constexpr OffsetNumber kInvalidOffset{0};
inline constexpr OffsetNumber kFirstOffset{1};

// The number of a column, from 1; 0 = the whole row; negative = a system column.
using AttrNumber = std::int16_t;

// Where a row version stands: block and line pointer.
struct TupleId {
  BlockNumber block = kInvalidBlock;
  OffsetNumber offset = kInvalidOffset;
  constexpr auto operator<=>(const TupleId&) const = default;
  constexpr bool is_valid() const { return offset != kInvalidOffset; }
};

// Which of a relation's files: the rows, the free-space map, the visibility map, the init image of an unlogged relation.
enum class Fork : std::uint8_t { main = 0, free_space = 1, visibility = 2, init = 3 };
inline constexpr int kForkCount = 4;

// The name of a relation's storage on disk. Database 0 = shared by all databases.
struct RelationFile {
  Oid tablespace = kInvalidOid;
  Oid database = kInvalidOid;
  Oid relation = kInvalidOid;  // pg_class.relfilenode, not its oid
  constexpr auto operator<=>(const RelationFile&) const = default;
};

// One block of one fork of one relation: the buffer pool's key.
struct BlockTag {
  RelationFile file;
  Fork fork = Fork::main;
  BlockNumber block = kInvalidBlock;
  constexpr auto operator<=>(const BlockTag&) const = default;
};

inline constexpr std::size_t kPageSize = 8192;

}  // namespace hathi

template <class Tag, class Rep>
struct std::hash<hathi::StrongInteger<Tag, Rep>> {
  std::size_t operator()(hathi::StrongInteger<Tag, Rep> id) const noexcept { return std::hash<Rep>()(id.value()); }
};
