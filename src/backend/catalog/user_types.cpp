// Users' types, functions, aggregates, collations.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/object_cache.h"
#include "src/backend/catalog/relation_cache.h"
#include "src/backend/catalog/type_operators.h"
#include "src/backend/catalog/user_readers.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

std::string_view text_or_empty(const CatalogRow& row, AttrNumber column, Arena& arena) {
  return row.is_null(column) ? std::string_view() : arena.copy(varlena::text(row.get(column), arena));
}

// Composite types compare only when all their columns do.
void drop_unsupported_by_columns(TypeInfo& type) {
  RelationRef relation = cached_relation(type.relation);
  if (!relation) return;
  for (const Attribute& a : relation->descriptor->attributes) {
    if (a.dropped) continue;
    const TypeInfo* column = find_type(a.type);
    auto lacks = [&](Oid TypeInfo::*member) { return column == nullptr || !is_valid(column->*member); };
    if (lacks(&TypeInfo::equal_operator)) type.equal_operator = kInvalidOid;
    if (lacks(&TypeInfo::compare_function)) type.less_operator = type.greater_operator = type.compare_function = kInvalidOid;
    if (lacks(&TypeInfo::hash_function)) type.hash_function = kInvalidOid;
    if (lacks(&TypeInfo::extended_hash_function)) type.extended_hash_function = kInvalidOid;
  }
}

bool load_type(std::uint64_t key, Arena& arena, TypeInfo& type) {
  using namespace pg_type;
  Arena scratch(2048);
  auto row = CatalogTable(catalog_oid::pg_type, kRead).find({{pg_type::oid, Datum(key)}}, scratch);
  if (!row) return false;
  auto oid_of = [&](AttrNumber column) { return row->get(column).as_oid(); };
  type.oid = oid_of(pg_type::oid);
  type.name = arena.copy(name_text(row->get(typname)));
  type.schema = oid_of(typnamespace);
  type.owner = oid_of(typowner);
  type.layout = {row->get(typlen).as_int16(), row->get(typbyval).as_bool(), row->get(typalign).as_char()};
  type.kind = row->get(typtype).as_char();
  type.category = row->get(typcategory).as_char();
  type.preferred = row->get(typispreferred).as_bool();
  type.is_defined = row->get(typisdefined).as_bool();
  type.not_null = row->get(typnotnull).as_bool();
  type.delimiter = row->get(typdelim).as_char();
  type.storage = row->get(typstorage).as_char();
  type.relation = oid_of(typrelid);
  type.element = oid_of(typelem);
  type.array = oid_of(typarray);
  type.base = oid_of(typbasetype);
  type.base_typmod = row->get(typtypmod).as_int32();
  type.dimensions = row->get(typndims).as_int32();
  type.collation = oid_of(typcollation);
  type.input = oid_of(typinput);
  type.output = oid_of(typoutput);
  type.receive = oid_of(typreceive);
  type.send = oid_of(typsend);
  type.typmod_in = oid_of(typmodin);
  type.typmod_out = oid_of(typmodout);
  type.subscript = oid_of(typsubscript);
  type.default_text = text_or_empty(*row, typdefault, arena);
  type.default_node = text_or_empty(*row, typdefaultbin, arena);
  if (type.is_defined && type.kind != 'd') fill_type_operators(type);
  if (type.kind == 'c') drop_unsupported_by_columns(type);
  if (type.kind == 'd') {
    const TypeInfo& base = type_info(base_type(type.base));
    for (Oid TypeInfo::*member : {&TypeInfo::btree_class, &TypeInfo::hash_class, &TypeInfo::equal_operator, &TypeInfo::less_operator,
                                  &TypeInfo::greater_operator, &TypeInfo::compare_function, &TypeInfo::hash_function,
                                  &TypeInfo::extended_hash_function}) {
      type.*member = base.*member;
    }
  }
  return true;
}

bool load_function(std::uint64_t key, Arena& arena, FunctionInfo& f) {
  using namespace pg_proc;
  Arena scratch(2048);
  auto row = CatalogTable(catalog_oid::pg_proc, kRead).find({{pg_proc::oid, Datum(key)}}, scratch);
  if (!row) return false;
  auto oid_of = [&](AttrNumber column) { return row->get(column).as_oid(); };
  f.oid = oid_of(pg_proc::oid);
  f.name = arena.copy(name_text(row->get(proname)));
  f.schema = oid_of(pronamespace);
  f.owner = oid_of(proowner);
  f.language = oid_of(prolang);
  f.result = oid_of(prorettype);
  f.variadic = oid_of(provariadic);
  f.support = oid_of(prosupport);
  f.kind = row->get(prokind).as_char();
  f.strict = row->get(proisstrict).as_bool();
  f.returns_set = row->get(proretset).as_bool();
  f.leakproof = row->get(proleakproof).as_bool();
  f.security_definer = row->get(prosecdef).as_bool();
  f.volatility = row->get(provolatile).as_char();
  f.parallel = row->get(proparallel).as_char();
  f.cost = row->get(procost).as_float4();
  f.rows = row->get(prorows).as_float4();
  f.arguments = oid_array_values(row->get(proargtypes), arena);
  f.defaults = row->get(pronargdefaults).as_int16();
  if (!row->is_null(proallargtypes)) f.all_arguments = oid_array_values(row->get(proallargtypes), arena);
  if (!row->is_null(proargmodes)) f.modes = char_array_values(row->get(proargmodes), arena);
  if (!row->is_null(proargnames)) f.names = text_array_values(row->get(proargnames), arena);
  f.default_nodes = text_or_empty(*row, proargdefaults, arena);
  f.source = text_or_empty(*row, prosrc, arena);
  f.binary = text_or_empty(*row, probin, arena);
  f.body = text_or_empty(*row, prosqlbody, arena);
  return true;
}

bool load_aggregate(std::uint64_t key, Arena& arena, AggregateInfo& a) {
  using namespace pg_aggregate;
  Arena scratch(1024);
  auto row = CatalogTable(catalog_oid::pg_aggregate, kRead).find({{aggfnoid, Datum(key)}}, scratch);
  if (!row) return false;
  auto oid_of = [&](AttrNumber column) { return row->get(column).as_oid(); };
  a.function = oid_of(aggfnoid);
  a.kind = row->get(aggkind).as_char();
  a.direct_args = row->get(aggnumdirectargs).as_int16();
  a.transition = oid_of(aggtransfn);
  a.final = oid_of(aggfinalfn);
  a.combine = oid_of(aggcombinefn);
  a.serialize = oid_of(aggserialfn);
  a.deserialize = oid_of(aggdeserialfn);
  a.moving_transition = oid_of(aggmtransfn);
  a.moving_inverse = oid_of(aggminvtransfn);
  a.moving_final = oid_of(aggmfinalfn);
  a.sort_operator = oid_of(aggsortop);
  a.transition_type = oid_of(aggtranstype);
  a.moving_type = oid_of(aggmtranstype);
  a.final_extra = row->get(aggfinalextra).as_bool();
  a.moving_final_extra = row->get(aggmfinalextra).as_bool();
  a.final_modify = row->get(aggfinalmodify).as_char();
  if (!row->is_null(agginitval)) a.initial = text_or_empty(*row, agginitval, arena);
  if (!row->is_null(aggminitval)) a.moving_initial = text_or_empty(*row, aggminitval, arena);
  return true;
}

bool load_collation(std::uint64_t key, Arena& arena, CollationInfo& c) {
  using namespace pg_collation;
  Arena scratch(1024);
  auto row = CatalogTable(catalog_oid::pg_collation, kRead).find({{pg_collation::oid, Datum(key)}}, scratch);
  if (!row) return false;
  c.oid = row->get(pg_collation::oid).as_oid();
  c.name = arena.copy(name_text(row->get(collname)));
  c.schema = row->get(collnamespace).as_oid();
  c.provider = row->get(collprovider).as_char();
  c.deterministic = row->get(collisdeterministic).as_bool();
  c.encoding = row->get(collencoding).as_int32();
  c.collate = text_or_empty(*row, collcollate, arena);
  c.ctype = text_or_empty(*row, collctype, arena);
  c.icu_locale = text_or_empty(*row, colliculocale, arena);
  return true;
}

ObjectCache<TypeInfo> types(load_type, shared_store::Kind::type);
ObjectCache<FunctionInfo> functions(load_function, shared_store::Kind::function);
ObjectCache<AggregateInfo> aggregates(load_aggregate);
ObjectCache<CollationInfo> collations(load_collation);

}  // namespace

void add_type_readers(UserObjects& readers) {
  readers.type = [](Oid oid) { return types.find(raw(oid), versions::slot_of(catalog_oid::pg_type, oid)); };
  readers.function = [](Oid oid) { return functions.find(raw(oid), versions::slot_of(catalog_oid::pg_proc, oid)); };
  readers.aggregate = [](Oid oid) { return aggregates.find(raw(oid), versions::slot_of(catalog_oid::pg_proc, oid)); };
  readers.collation = [](Oid oid) { return collations.find(raw(oid), versions::slot_of(catalog_oid::pg_collation, oid)); };
}

void end_type_caches() {
  types.end_of_transaction();
  functions.end_of_transaction();
  aggregates.end_of_transaction();
  collations.end_of_transaction();
}

}  // namespace hathi::catalog
