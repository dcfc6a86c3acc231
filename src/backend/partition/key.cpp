// Partition keys: pg_partitioned_table.

#include "internal.h"

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"
#include "hathi/types/array.h"
#include "hathi/types/hash.h"

namespace hathi::partition {

namespace {

namespace pgp = catalog::pg_partitioned_table;
// Numbers of the support functions in btree and hash families.
constexpr int kCompare = 1, kHashExtended = 2;

void fill_from_column(KeyColumn& c, const catalog::Relation& parent) {
  const Attribute& a = (*parent.descriptor)[c.column - 1];
  c.type = a.type;
  c.typmod = a.typmod;
}

void resolve_support(KeyColumn& c, Strategy strategy) {
  c.layout = catalog::type_info(c.type).layout;
  const catalog::OperatorClassInfo* info = catalog::find_operator_class(c.operator_class);
  if (info == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for opclass {}", raw(c.operator_class));
  c.operator_family = info->family;
  c.operator_input_type = info->input;
  int number = strategy == Strategy::hash ? kHashExtended : kCompare;
  c.support = catalog::family_function(info->family, info->input, info->input, number);
  if (!is_valid(c.support)) {
    throw SqlError(sqlstate::invalid_object_definition, "operator class \"{}\" of access method {} is missing support function {} for type {}", info->name,
                   strategy == Strategy::hash ? "hash" : "btree", number, catalog::format_type(c.type));
  }
  if (strategy != Strategy::hash) {
    c.comparison = prepare_comparison(c.support, c.collation);
    return;
  }
  const BuiltinFunction* builtin = find_builtin_function(c.support);
  if (builtin == nullptr) throw_missing_function(c.support);
  c.hash.function = builtin->function;
  c.hash.oid = c.support;
  c.hash.collation = c.collation;
  c.hash.argument_count = 2;
  c.hash.strict = true;
}

}  // namespace

PartitionKey* load_key(const catalog::Relation& parent, Arena& arena) {
  Arena scratch(2048);
  catalog::CatalogTable table(catalog_oid::pg_partitioned_table, locking::LockMode::access_share);
  std::optional<catalog::CatalogRow> row = table.find({{pgp::partrelid, Datum::of(parent.oid)}}, scratch);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for partition key of {}", raw(parent.oid));
  types::ArrayElements numbers = types::array_elements(types::ArrayView(row->get(pgp::partattrs), scratch), {2, true, 's'}, scratch);
  types::ArrayElements classes = types::array_elements(types::ArrayView(row->get(pgp::partclass), scratch), {4, true, 'i'}, scratch);
  types::ArrayElements collations = types::array_elements(types::ArrayView(row->get(pgp::partcollation), scratch), {4, true, 'i'}, scratch);
  List<nodes::Expr*> expressions;
  if (!row->is_null(pgp::partexprs)) expressions = nodes::list_from_text(varlena::text(row->get(pgp::partexprs), scratch), arena);
  auto* key = arena.make<PartitionKey>();
  key->strategy = static_cast<Strategy>(row->get(pgp::partstrat).as_char());
  auto* columns = arena.make_array<KeyColumn>(static_cast<std::size_t>(numbers.count));
  std::uint32_t next = 0;
  for (int i = 0; i < numbers.count; ++i) {
    KeyColumn& c = columns[i];
    c.column = numbers.values[i].as_int16();
    if (c.column != 0) {
      fill_from_column(c, parent);
    } else {
      if (next >= expressions.size()) throw SqlError(sqlstate::internal_error, "wrong number of partition key expressions");
      c.expr = expressions[next++];
      c.type = nodes::type_of(c.expr);
      c.typmod = nodes::typmod_of(c.expr);
    }
    c.operator_class = classes.values[i].as_oid();
    c.collation = collations.values[i].as_oid();
    resolve_support(c, key->strategy);
  }
  key->columns = {columns, static_cast<std::size_t>(numbers.count)};
  return key;
}

std::uint64_t hash_of_key(const PartitionKey& key, const Datum* values, const bool* nulls, Arena& scratch) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    if (nulls[i]) continue;
    const KeyColumn& c = key.columns[i];
    NullableDatum args[2] = {{values[i], false}, {Datum::of(kHashSeed), false}};
    FunctionContext context;
    context.arena = &scratch;
    FunctionCall call;
    call.site = &c.hash;
    call.context = &context;
    call.args = args;
    call.state_arena = &scratch;
    hash = types::hash_combine64(hash, c.hash.function(call).as_uint64());
  }
  return hash;
}

}  // namespace hathi::partition
