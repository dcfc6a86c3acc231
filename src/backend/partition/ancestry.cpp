// Where a partition hangs, how its columns are numbered, how much its tree holds.

#include "internal.h"

#include <algorithm>
#include <unordered_map>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"

namespace hathi::partition {

namespace {

// Sizes are estimates: they are good for a while, and a tree's are drawn from some of its leaves.
constexpr std::int64_t kKeepMicroseconds = 5'000'000;
constexpr std::size_t kSampled = 64, kMostSizes = 1024;

struct KnownSize { SubtreeSize size; std::uint64_t version; std::int64_t at; };
std::unordered_map<std::uint32_t, KnownSize>& known_sizes() {
  static auto* instance = new std::unordered_map<std::uint32_t, KnownSize>;  // lives as long as the process
  return *instance;
}

SubtreeSize size_of_leaf(const catalog::Relation& r) {
  constexpr double kHeader = 28, kPage = 8168, kUnknownWidth = 32;
  SubtreeSize size;
  size.leaves = 1;
  size.pages = static_cast<double>(buffer::block_count(r.file, Fork::main).value());
  double width = kHeader;
  for (int i = 0; i < r.descriptor->count(); ++i) {
    const Attribute& a = (*r.descriptor)[i];
    if (!a.dropped) width += a.layout.length > 0 ? a.layout.length : kUnknownWidth;
  }
  double density = r.row_count >= 0 && r.page_count > 0 ? r.row_count / r.page_count : kPage / width;
  size.rows = size.pages * density;
  return size;
}

SubtreeSize measure(const catalog::Relation& parent) {
  const PartitionDescriptor& d = descriptor_of(parent);
  std::vector<Member> members(d.members.begin(), d.members.end());
  SubtreeSize sampled, total;
  std::size_t leaves = 0, seen = 0;
  for (const Member& m : members) leaves += m.is_leaf ? 1u : 0u;
  std::size_t step = std::max<std::size_t>(1, leaves / kSampled), at = 0;
  for (const Member& m : members) {
    catalog::RelationRef r;
    if (!m.is_leaf) {
      if ((r = catalog::try_open_relation(m.oid, locking::LockMode::none)); !r) continue;
      SubtreeSize inner = subtree_size(*r);
      total.rows += inner.rows;
      total.pages += inner.pages;
      total.leaves += inner.leaves;
    } else if (at++ % step == 0) {
      if ((r = catalog::try_open_relation(m.oid, locking::LockMode::none)); !r) continue;
      SubtreeSize one = size_of_leaf(*r);
      sampled.rows += one.rows;
      sampled.pages += one.pages;
      ++seen;
    }
  }
  double factor = seen == 0 ? 0 : static_cast<double>(leaves) / static_cast<double>(seen);
  total.rows += sampled.rows * factor;
  total.pages += sampled.pages * factor;
  total.leaves += static_cast<int>(leaves);
  return total;
}

}  // namespace

std::span<const Oid> ancestors_of(const catalog::Relation& partition, Arena& arena) {
  List<Oid> out;
  Oid next = partition.is_partition ? partition.parent : kInvalidOid;
  while (is_valid(next)) {
    out.push_back(arena, next);
    catalog::RelationRef r = catalog::try_open_relation(next, locking::LockMode::none);
    next = r && r->is_partition ? r->parent : kInvalidOid;
  }
  return out;
}

std::span<const AttrNumber> column_map(const catalog::Relation& parent, const catalog::Relation& child, Arena& arena) {
  const TupleDescriptor &from = *parent.descriptor, &to = *child.descriptor;
  auto n = static_cast<std::size_t>(from.count());
  auto* map = arena.make_array<AttrNumber>(n);
  bool same = from.count() == to.count();
  int guess = 0;   // most often the next one
  for (int i = 0; i < from.count(); ++i) {
    if (from[i].dropped) {
      same = same && to[i].dropped;
      continue;
    }
    int found = -1;
    for (int k = 0; k < to.count() && found < 0; ++k) {
      int j = (guess + k) % to.count();
      if (!to[j].dropped && to[j].name == from[i].name) found = j;
    }
    if (found < 0) {
      throw SqlError(sqlstate::datatype_mismatch, "could not convert row type")
          .detail(fmt::format("Attribute \"{}\" of table \"{}\" does not exist in table \"{}\".", from[i].name, parent.name, child.name));
    }
    map[i] = static_cast<AttrNumber>(found + 1);
    same = same && found == i;
    guess = (found + 1) % to.count();
  }
  return same ? std::span<const AttrNumber>() : std::span<const AttrNumber>(map, n);
}

SubtreeSize subtree_size(const catalog::Relation& parent) {
  std::uint64_t version = descriptor_of(parent).version;
  std::int64_t now = transaction::statement_timestamp();
  auto& known = known_sizes();
  auto found = known.find(raw(parent.oid));
  if (found != known.end() && found->second.version == version && now - found->second.at < kKeepMicroseconds) return found->second.size;
  SubtreeSize size = measure(parent);
  if (known.size() >= kMostSizes) known.clear();
  known[raw(parent.oid)] = {size, version, now};
  return size;
}

}  // namespace hathi::partition
