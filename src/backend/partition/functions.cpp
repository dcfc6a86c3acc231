// pg_partition_tree and its kin, satisfies_hash_partition.

#include <algorithm>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/types/array.h"
#include "internal.h"

namespace hathi::partition {

namespace {

using catalog::RelationRef;
using locking::LockMode;
namespace kind = catalog::relation_kind;

bool is_in_tree(const catalog::Relation& r) {
  return r.is_partition || r.kind == kind::partitioned_table || r.kind == kind::partitioned_index;
}
bool is_leaf(const catalog::Relation& r) { return r.kind != kind::partitioned_table && r.kind != kind::partitioned_index; }

// Empty for what is no part of a partition tree.
RelationRef open_in_tree(Oid oid) {
  RelationRef r = catalog::try_open_relation(oid, LockMode::none);
  return r && is_in_tree(*r) ? std::move(r) : RelationRef();
}

std::vector<Oid> children_of(Oid parent) {
  Arena arena(2048);
  std::vector<Oid> out;
  catalog::CatalogTable table(catalog_oid::pg_inherits, LockMode::access_share);
  catalog::CatalogKey key{catalog::pg_inherits::inhparent, Datum::of(parent)};
  table.scan({&key, 1}, arena, [&](catalog::CatalogRow& row) {
    out.push_back(row.get(catalog::pg_inherits::inhrelid).as_oid());
    return true;
  });
  std::sort(out.begin(), out.end());
  return out;
}

// relid, parentrelid, isleaf, level of the whole tree below, level by level.
Datum partition_tree(FunctionCall& call) {
  struct Place { Oid oid, parent; std::int32_t level; };
  RelationRef root = open_in_tree(call.arg(0).as_oid());
  if (!root) return call.null();
  catalog::lock_relation(root->oid, LockMode::access_share);
  std::vector<Place> places{{root->oid, root->is_partition ? root->parent : kInvalidOid, 0}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    RelationRef r = catalog::try_open_relation(places[i].oid, i == 0 ? LockMode::none : LockMode::access_share);
    if (!r) continue;
    if (!is_leaf(*r)) {
      for (Oid child : children_of(r->oid)) places.push_back({child, r->oid, places[i].level + 1});
    }
    Datum values[4] = {Datum::of(r->oid), Datum::of(places[i].parent), Datum::of(is_leaf(*r)), Datum::of(places[i].level)};
    const bool nulls[4] = {false, !is_valid(places[i].parent), false, false};
    call.sink->put(values, nulls);
  }
  return call.null();
}

Datum partition_root(FunctionCall& call) {
  RelationRef r = open_in_tree(call.arg(0).as_oid());
  if (!r) return call.null();
  std::span<const Oid> above = ancestors_of(*r, call.arena());
  return Datum::of(above.empty() ? r->oid : above.back());
}

Datum partition_ancestors(FunctionCall& call) {
  RelationRef r = open_in_tree(call.arg(0).as_oid());
  if (!r) return call.null();
  const bool nulls[1] = {false};
  Datum self = Datum::of(r->oid);
  call.sink->put(&self, nulls);
  for (Oid oid : ancestors_of(*r, call.arena())) {
    Datum value = Datum::of(oid);
    call.sink->put(&value, nulls);
  }
  return call.null();
}

void check_column(const PartitionKey& key, std::size_t i, Oid given) {
  Oid type = key.columns[i].type;
  if (type == given || catalog::is_binary_coercible(given, type)) return;
  throw SqlError(sqlstate::invalid_parameter_value, "column {} of the partition key has type {}, but supplied value is of type {}", i + 1,
                 catalog::format_type(type), catalog::format_type(given));
}

// The key values of a call: spread out, or as one array.
void key_values(FunctionCall& call, const PartitionKey& key, Datum* values, bool* nulls) {
  auto wanted = key.columns.size();
  auto require = [&](std::size_t given) {
    if (given != wanted) {
      throw SqlError(sqlstate::invalid_parameter_value, "number of partitioning columns ({}) does not match number of partition keys provided ({})",
                     wanted, given);
    }
  };
  if (!call.site->variadic_array) {
    require(static_cast<std::size_t>(call.site->argument_count) - 3);
    for (std::size_t i = 0; i < wanted; ++i) {
      if (call.site->argument_types != nullptr) check_column(key, i, call.site->argument_types[i + 3]);
      values[i] = call.args[i + 3].value;
      nulls[i] = call.args[i + 3].is_null;
    }
    return;
  }
  types::ArrayView array(call.arg(3), call.arena());
  types::ArrayElements elements = types::array_elements(array, catalog::type_info(array.element_type()).layout, call.arena());
  require(static_cast<std::size_t>(elements.count));
  for (std::size_t i = 0; i < wanted; ++i) {
    check_column(key, i, array.element_type());
    values[i] = elements.values[i];
    nulls[i] = elements.nulls != nullptr && elements.nulls[i];
  }
}

Datum satisfies_hash_partition(FunctionCall& call) {
  if (call.arg_null(0) || call.arg_null(1) || call.arg_null(2)) return call.null();
  if (call.site->variadic_array && call.arg_null(3)) return call.null();
  std::int32_t modulus = call.arg(1).as_int32(), remainder = call.arg(2).as_int32();
  if (modulus <= 0) throw SqlError(sqlstate::invalid_parameter_value, "modulus for hash partition must be an integer value greater than zero");
  if (remainder < 0) throw SqlError(sqlstate::invalid_parameter_value, "remainder for hash partition must be an integer value greater than or equal to zero");
  if (remainder >= modulus) throw SqlError(sqlstate::invalid_parameter_value, "remainder for hash partition must be less than modulus");
  // The lock is taken once a statement.
  bool first = call.state == nullptr || *call.state == nullptr;
  RelationRef parent = catalog::open_relation(call.arg(0).as_oid(), first ? LockMode::access_share : LockMode::none);
  if (call.state != nullptr) *call.state = &call;
  if (parent->kind != kind::partitioned_table || key_of(*parent).strategy != Strategy::hash) {
    throw SqlError(sqlstate::invalid_parameter_value, "\"{}\" is not a hash partitioned table", parent->name);
  }
  const PartitionKey& key = key_of(*parent);
  Datum values[kMaxKeyColumns];
  bool nulls[kMaxKeyColumns];
  key_values(call, key, values, nulls);
  return Datum::of(hash_of_key(key, values, nulls, call.arena()) % static_cast<std::uint64_t>(modulus) == static_cast<std::uint64_t>(remainder));
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{3423}, partition_tree, FunctionKind::set_materialize}, {Oid{3424}, partition_root},
    {Oid{3425}, partition_ancestors, FunctionKind::set_materialize}, {Oid{5028}, satisfies_hash_partition},
};

}  // namespace

void register_functions() { hathi::register_functions(kFunctions); }

}  // namespace hathi::partition
