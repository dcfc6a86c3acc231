#include "hathi/datum/record_types.h"

#include <unordered_map>
#include <vector>

namespace hathi {

namespace {

struct Registry {
  Arena arena;
  std::vector<const TupleDescriptor*> types;
  std::unordered_multimap<std::size_t, std::int32_t> by_hash;
};
Registry& registry() {
  static Registry r;
  return r;
}

std::size_t hash_of(const TupleDescriptor& d) {
  std::size_t h = static_cast<std::size_t>(d.count());
  for (const Attribute& a : d.attributes) {
    h = h * 31 + raw(a.type);
    h = h * 31 + static_cast<std::uint32_t>(a.typmod);
    h = h * 31 + std::hash<std::string_view>()(a.name);
  }
  return h;
}

bool same(const TupleDescriptor& a, const TupleDescriptor& b) {
  if (a.count() != b.count()) return false;
  for (int i = 0; i < a.count(); ++i) {
    if (a[i].type != b[i].type || a[i].typmod != b[i].typmod || a[i].name != b[i].name) return false;
  }
  return true;
}

}  // namespace

std::int32_t register_record_type(const TupleDescriptor& descriptor) {
  Registry& r = registry();
  std::size_t h = hash_of(descriptor);
  auto [first, last] = r.by_hash.equal_range(h);
  for (; first != last; ++first) {
    if (same(*r.types[static_cast<std::size_t>(first->second)], descriptor)) return first->second;
  }
  TupleDescriptor* copy = copy_descriptor(descriptor, r.arena);
  auto number = static_cast<std::int32_t>(r.types.size());
  copy->row_type = Oid{2249};
  copy->record_typmod = number;
  r.types.push_back(copy);
  r.by_hash.emplace(h, number);
  return number;
}

const TupleDescriptor* find_record_type(std::int32_t number) {
  Registry& r = registry();
  if (number < 0 || static_cast<std::size_t>(number) >= r.types.size()) return nullptr;
  return r.types[static_cast<std::size_t>(number)];
}

}  // namespace hathi
