#include "hathi/partition/route.h"

#include "hathi/error/sql_error.h"
#include "hathi/types/hash.h"

namespace hathi::partition {

namespace {

// The seed of PostgreSQL's hash partitioning: dumps restore rows into the same partitions.
constexpr std::uint64_t kSeed = 0x7A5B22367996DCFDu;

constexpr Oid kHashInt2Extended{441}, kHashInt4Extended{425}, kHashInt8Extended{442};

KeyFunctions::Column::HashKind hash_kind_of(Oid function) {
  using Kind = KeyFunctions::Column::HashKind;
  if (function == kHashInt2Extended) return Kind::int2;
  if (function == kHashInt4Extended) return Kind::int4;
  if (function == kHashInt8Extended) return Kind::int8;
  return Kind::call;
}

std::uint64_t hash_int8(std::int64_t v) {
  auto low = static_cast<std::uint32_t>(v), high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) >> 32);
  return types::hash_uint32_extended(low ^ (v >= 0 ? high : ~high), kSeed);
}

std::uint64_t hash_one(const KeyFunctions::Column& c, Datum value, Arena& scratch) {
  switch (c.hash_kind) {
    case KeyFunctions::Column::HashKind::int2:
      return types::hash_uint32_extended(static_cast<std::uint32_t>(static_cast<std::int32_t>(value.as_int16())), kSeed);
    case KeyFunctions::Column::HashKind::int4: return types::hash_uint32_extended(value.as_uint32(), kSeed);
    case KeyFunctions::Column::HashKind::int8: return hash_int8(value.as_int64());
    case KeyFunctions::Column::HashKind::call: break;
  }
  return hash_of_column(c.hash, value, scratch);
}

}  // namespace

FunctionSite resolve_hash(Oid function, Oid collation) {
  const BuiltinFunction* builtin = find_builtin_function(function);
  if (builtin == nullptr) throw_missing_function(function);
  FunctionSite site;
  site.function = builtin->function;
  site.oid = function;
  site.collation = collation;
  site.argument_count = 2;
  site.strict = true;
  return site;
}

std::uint64_t hash_of_column(const FunctionSite& hash, Datum value, Arena& scratch) {
  FunctionContext context;
  context.arena = &scratch;
  NullableDatum args[2] = {{value, false}, {Datum(kSeed), false}};
  FunctionCall call;
  call.site = &hash;
  call.context = &context;
  call.args = args;
  return hash.function(call).as_uint64();
}

KeyFunctions resolve_key(const PartitionKey& key, Arena& arena) {
  std::size_t n = key.columns.size();
  auto* columns = static_cast<KeyFunctions::Column*>(arena.allocate(sizeof(KeyFunctions::Column) * n, alignof(KeyFunctions::Column)));
  for (std::size_t i = 0; i < n; ++i) {
    auto* c = new (columns + i) KeyFunctions::Column();
    const KeyColumn& k = key.columns[i];
    if (key.strategy == Strategy::hash) {
      c->hash = resolve_hash(k.support, k.collation);
      c->hash_kind = hash_kind_of(k.support);
    } else {
      c->comparison = prepare_comparison(k.support, k.collation);
    }
  }
  return {{columns, n}};
}

std::uint64_t hash_of_key(const KeyFunctions& functions, const Datum* values, const bool* nulls, Arena& scratch) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < functions.columns.size(); ++i) {
    if (!nulls[i]) hash = types::hash_combine64(hash, hash_one(functions.columns[i], values[i], scratch));
  }
  return hash;
}

int find_list_value(const PartitionDescriptor& d, const ComparisonFunction& comparison, Datum value, Arena& scratch) {
  std::size_t low = 0, high = d.values.size();
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    int r = compare(comparison, d.values[middle], value, scratch);
    if (r == 0) return static_cast<int>(middle);
    if (r < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

int compare_boundary(const PartitionDescriptor& d, int boundary, std::span<const ComparisonFunction* const> comparisons, const Datum* values, Arena& scratch) {
  const RangeDatum* datum = d.boundaries.data() + static_cast<std::size_t>(boundary) * d.key->columns.size();
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    if (datum[i].kind != RangeDatum::Kind::value) return static_cast<int>(datum[i].kind);
    int r = compare(*comparisons[i], datum[i].value, values[i], scratch);
    if (r != 0) return r;
  }
  return 0;
}

namespace {

int find_range(const PartitionDescriptor& d, const KeyFunctions& functions, const Datum* values, Arena& scratch) {
  const ComparisonFunction* comparisons[kMaxKeyColumns];
  std::size_t n = functions.columns.size();
  for (std::size_t i = 0; i < n; ++i) comparisons[i] = &functions.columns[i].comparison;
  int low = 0, high = d.boundary_count();   // how many boundaries are not above the key
  while (low < high) {
    int middle = (low + high) / 2;
    if (compare_boundary(d, middle, {comparisons, n}, values, scratch) <= 0) low = middle + 1;
    else high = middle;
  }
  return d.gap_members.empty() ? -1 : d.gap_members[static_cast<std::size_t>(low)];
}

}  // namespace

int find_member(const PartitionDescriptor& d, const KeyFunctions& functions, const Datum* values, const bool* nulls, Arena& scratch) {
  int member = -1;
  switch (d.key->strategy) {
    case Strategy::hash:
      if (d.by_remainder.empty()) return -1;
      return d.by_remainder[hash_of_key(functions, values, nulls, scratch) % d.by_remainder.size()];
    case Strategy::list:
      if (nulls[0]) {
        member = d.null_member;
      } else {
        int at = find_list_value(d, functions.columns[0].comparison, values[0], scratch);
        if (at >= 0) member = d.value_members[static_cast<std::size_t>(at)];
      }
      break;
    case Strategy::range: {
      bool any_null = false;   // only the default partition takes them
      for (std::size_t i = 0; i < functions.columns.size(); ++i) any_null = any_null || nulls[i];
      if (!any_null) member = find_range(d, functions, values, scratch);
      break;
    }
  }
  return member >= 0 ? member : d.default_member;
}

}  // namespace hathi::partition
