// Stand-ins for catalog look-ups, from the recorded facts in types.tsv.

#include "catalog_fixture.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"

namespace hathi::catalog {

const TypeInfo* find_type(Oid oid) {
  static std::map<std::uint32_t, TypeInfo> cache;
  auto found = cache.find(raw(oid));
  if (found != cache.end()) return &found->second;
  auto it = types::test::types().find(raw(oid));
  if (it == types::test::types().end()) return nullptr;
  const types::test::TypeFacts& facts = it->second;
  TypeInfo info;
  info.oid = facts.oid;
  info.name = facts.name;
  info.layout = facts.layout;
  info.element = facts.element;
  info.array = facts.array;
  info.input = facts.input;
  info.output = facts.output;
  info.send = facts.send;
  info.receive = facts.receive;
  info.delimiter = facts.delimiter;
  return &cache.emplace(raw(oid), info).first->second;
}
const TypeInfo& type_info(Oid oid) {
  const TypeInfo* info = find_type(oid);
  if (info == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for type {}", raw(oid));
  return *info;
}
std::string format_type(Oid oid, std::int32_t) { return std::string(type_info(oid).name); }
const CollationInfo* find_collation(Oid) { return nullptr; }

}  // namespace hathi::catalog
