#pragma once
// What the files of this folder share.

#include <memory>
#include <vector>

#include "hathi/partition/partition.h"

namespace hathi::partition {

// hash_any_extended's seed for partitions: the placement of rows is PostgreSQL's.
inline constexpr std::uint64_t kHashSeed = 0x7A5B22367996DCFDu;

// A partition with its bound, on its way into a descriptor.
struct Placed {
  Member member;
  const Bound* bound = nullptr;
};

// The arrays behind a PartitionDescriptor in private memory; filled again and again without giving memory back.
struct DescriptorArrays {
  PartitionDescriptor descriptor;
  std::vector<Member> members;
  std::vector<const Bound*> bounds;
  std::vector<std::int32_t> by_remainder, value_members, gap_members;
  std::vector<Datum> values;
  std::vector<RangeDatum> boundaries;
  std::unique_ptr<DescriptorArrays> without_pending;   // of descriptor.without_pending
};
void set_version(DescriptorArrays& arrays, std::uint64_t version);

// Fills `out` from partitions in any order. Keeps parent, version and key.
void arrange(std::vector<Placed> partitions, DescriptorArrays& out);
// The same from what `from` has without the removed ones (by OID, ascending), and the added ones: O(partitions) and no sorting of the old.
void derive(const PartitionDescriptor& from, std::span<const Oid> removed, std::vector<Placed> added, DescriptorArrays& out);

// A copy that refers to nothing outside the arena. shared_size: an upper bound of what it takes; 0 = it must stay in this process, since
// its functions are not in every one.
PartitionDescriptor* copy_descriptor(const PartitionDescriptor& from, Arena& arena);
std::size_t shared_size(const PartitionDescriptor& d);

// From pg_partitioned_table.
PartitionKey* load_key(const catalog::Relation& parent, Arena& arena);
std::uint64_t hash_of_key(const PartitionKey& key, const Datum* values, const bool* nulls, Arena& scratch);
// <0, 0, >0: the boundary against key values (all not null).
int compare_with_key(const PartitionKey& key, const RangeDatum* boundary, const Datum* values);
// How many boundaries are not above the bound.
int boundaries_up_to(const PartitionDescriptor& d, std::span<const RangeDatum> bound, int* differs = nullptr);

}  // namespace hathi::partition
