#include "comparison.h"

#include <xxhash.h>

#include "hathi/catalog/lookup.h"

namespace hathi::executor {

namespace {
constexpr Oid kBtree{403};
constexpr Oid kHash{405};
}  // namespace

bool is_deterministic(Oid collation) {
  if (!is_valid(collation) || raw(collation) == 100 || raw(collation) == 950 || raw(collation) == 951) return true;
  const catalog::CollationInfo* info = catalog::find_collation(collation);
  return info == nullptr || info->deterministic;
}

ComparisonFunction default_comparison(Oid type, Oid collation) {
  const catalog::TypeInfo& info = catalog::type_info(type);
  if (!is_valid(info.compare_function)) {
    throw SqlError(sqlstate::undefined_function, "could not identify a comparison function for type {}", catalog::format_type(type));
  }
  return prepare_comparison(info.compare_function, collation);
}

Oid comparison_for_operator(Oid op, Oid family) {
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.method != kBtree || (is_valid(family) && m.family != family)) continue;
    Oid function = catalog::family_function(m.family, m.left, m.right, 1);
    if (is_valid(function)) return function;
  }
  throw SqlError(sqlstate::internal_error, "operator {} is not a valid ordering operator", raw(op));
}

bool is_descending(Oid order_operator) {
  for (const catalog::FamilyMember& m : catalog::operator_families(order_operator)) {
    if (m.method == kBtree) return m.strategy > 3;
  }
  throw SqlError(sqlstate::internal_error, "operator {} is not a valid ordering operator", raw(order_operator));
}

namespace {
void prepare_site(FunctionSite& site, Oid function, Oid collation, int arguments) {
  const BuiltinFunction* builtin = find_builtin_function(function);
  if (builtin == nullptr) throw_missing_function(function);
  site.function = builtin->function;
  site.oid = function;
  site.collation = collation;
  site.argument_count = static_cast<std::int16_t>(arguments);
  site.strict = true;
}

Datum call_site(const FunctionSite& site, NullableDatum* args, Arena& scratch) {
  FunctionContext context;
  context.arena = &scratch;
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = args;
  call.state_arena = &scratch;
  return site.function(call);
}
}  // namespace

EqualFunction prepare_equal(Oid function, Oid collation) {
  EqualFunction f;
  switch (raw(function)) {
    case 63: case 65: case 467: case 158: case 159: case 474: case 852: case 1850: case 1856:   // integers
    case 1086: case 1152: case 2052: case 1145:                                                 // date, timestamptz, timestamp, time
      f.kind = EqualFunction::Kind::bits;
      break;
    case 184: f.kind = EqualFunction::Kind::low_half; break;
    case 67: if (is_deterministic(collation)) f.kind = EqualFunction::Kind::bytes; break;
    case 1948: f.kind = EqualFunction::Kind::bytes; break;   // bytea
    default: break;
  }
  prepare_site(f.site, function, collation, 2);
  return f;
}

bool equal_bytes(Datum a, Datum b, Arena& scratch) { return varlena::text(a, scratch) == varlena::text(b, scratch); }

bool equal_by_call(const EqualFunction& f, Datum a, Datum b, Arena& scratch) {
  NullableDatum args[2] = {{a, false}, {b, false}};
  return call_site(f.site, args, scratch).as_bool();
}

HashFunction prepare_hash(Oid function, Oid collation) {
  HashFunction f;
  switch (raw(function)) {
    case 449: case 450: case 949: f.kind = HashFunction::Kind::integer; break;
    case 453: f.kind = HashFunction::Kind::unsigned_half; break;
    case 400: if (is_deterministic(collation)) f.kind = HashFunction::Kind::bytes; break;
    case 455: if (is_deterministic(collation)) f.kind = HashFunction::Kind::name; break;
    default: break;
  }
  prepare_site(f.site, function, collation, 1);
  return f;
}

std::uint32_t hash_by_call(const HashFunction& f, Datum v, Arena& scratch) {
  NullableDatum args[1] = {{v, false}};
  return mix64(call_site(f.site, args, scratch).as_uint32());
}

std::uint32_t hash_of_bytes(std::string_view bytes) { return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()) >> 16); }

bool hash_functions_of(Oid equal_operator, Oid& left, Oid& right) {
  for (const catalog::FamilyMember& m : catalog::operator_families(equal_operator)) {
    if (m.method != kHash) continue;
    left = catalog::family_function(m.family, m.left, m.left, 1);
    right = catalog::family_function(m.family, m.right, m.right, 1);
    if (is_valid(left) && is_valid(right)) return true;
  }
  return false;
}

std::span<SortColumn> prepare_sort(std::span<const AttrNumber> columns, std::span<const Oid> operators, std::span<const Oid> collations,
                                   std::span<const bool> nulls_first, Arena& arena) {
  auto* out = static_cast<SortColumn*>(arena.allocate(sizeof(SortColumn) * std::max<std::size_t>(columns.size(), 1), alignof(SortColumn)));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto* c = new (out + i) SortColumn();
    c->column = columns[i];
    c->comparison = prepare_comparison(comparison_for_operator(operators[i]), i < collations.size() ? collations[i] : kInvalidOid);
    c->descending = is_descending(operators[i]);
    c->nulls_first = i < nulls_first.size() && nulls_first[i];
  }
  return {out, columns.size()};
}

KeyColumns prepare_keys(std::span<const AttrNumber> columns, std::span<const Oid> operators, std::span<const Oid> collations,
                        std::span<const TypeLayout> layouts, bool with_hash, Arena& arena) {
  auto* out = static_cast<KeyColumn*>(arena.allocate(sizeof(KeyColumn) * std::max<std::size_t>(columns.size(), 1), alignof(KeyColumn)));
  KeyColumns keys;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto* c = new (out + i) KeyColumn();
    Oid collation = i < collations.size() ? collations[i] : kInvalidOid;
    c->column = columns[i];
    c->equal = prepare_equal(catalog::operator_info(operators[i]).function, collation);
    if (i < layouts.size()) c->layout = layouts[i];
    keys.highest = std::max<int>(keys.highest, columns[i]);
    if (!with_hash) continue;
    Oid left, right;
    if (!hash_functions_of(operators[i], left, right)) {
      throw SqlError(sqlstate::internal_error, "could not find hash function for hash operator {}", raw(operators[i]));
    }
    c->hash = prepare_hash(left, collation);
  }
  keys.columns = {out, columns.size()};
  return keys;
}

bool same_keys(const KeyColumns& keys, Row& a, Row& b, Arena& scratch) {
  a.need(keys.highest);
  b.need(keys.highest);
  // The last columns differ most often in sorted input.
  for (std::size_t k = keys.columns.size(); k-- > 0;) {
    const KeyColumn& c = keys.columns[k];
    int i = c.column - 1;
    if (a.nulls[i] != b.nulls[i]) return false;
    if (!a.nulls[i] && !are_equal(c.equal, a.values[i], b.values[i], scratch)) return false;
  }
  return true;
}

std::uint32_t hash_keys(const KeyColumns& keys, Row& row, Arena& scratch) {
  row.need(keys.highest);
  std::uint32_t h = 0;
  for (const KeyColumn& c : keys.columns) {
    int i = c.column - 1;
    h = combine_hashes(h, row.nulls[i] ? 0 : hash_value(c.hash, row.values[i], scratch));
  }
  return h;
}

}  // namespace hathi::executor
