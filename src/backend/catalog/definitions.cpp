#include "src/backend/catalog/definitions.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/memory/arena.h"
#include "src/backend/catalog/data.h"

namespace hathi::catalog {

namespace {

struct RelationEntry { std::string_view name; bool shared; bool toast; };
struct Definitions {
  Arena arena{65536};
  std::vector<CatalogDefinition> catalogs;
  std::unordered_map<std::uint32_t, RelationEntry> by_oid;
  std::unordered_map<std::string_view, Oid> by_name;
};

std::span<const CatalogColumn> read_columns(std::string_view text, Arena& arena) {
  std::vector<std::string_view> items = data::split(text, ',');
  auto* columns = arena.make_array<CatalogColumn>(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::vector<std::string_view> parts = data::split(items[i], ' ');
    columns[i] = {parts[0], Oid{data::parse_number(parts[1])}, parts[2] == "1", parts[3][0], Oid{data::parse_number(parts[4])},
                  static_cast<int>(data::parse_number(parts[5]))};
  }
  return {columns, items.size()};
}

template <class T>
std::span<const T> read_vector(std::string_view text, Arena& arena) {
  std::vector<std::string_view> items = data::split(text, ' ');
  T* values = arena.make_array<T>(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) values[i] = static_cast<T>(data::parse_number(items[i]));
  return {values, items.size()};
}

void read_indexes(Definitions& d) {
  std::unordered_map<std::uint32_t, std::vector<CatalogIndex>> of_table;
  data::Reader in(data::indexes);
  std::size_t constraint_type = in.position("constrainttype"), constraint = in.position("constraint");
  while (in.next()) {
    CatalogIndex index{in.oid(0), in.text(1), in.oid(2), in.flag(3), in.flag(4), read_vector<AttrNumber>(in.text(5), d.arena),
                       read_vector<Oid>(in.text(6), d.arena), read_vector<Oid>(in.text(7), d.arena), in.oid(constraint),
                       in.is_null(constraint_type) ? '\0' : in.letter(constraint_type)};
    of_table[raw(index.table)].push_back(index);
  }
  for (CatalogDefinition& c : d.catalogs) {
    std::vector<CatalogIndex>& indexes = of_table[raw(c.oid)];
    auto* copy = d.arena.make_array<CatalogIndex>(indexes.size());
    for (std::size_t i = 0; i < indexes.size(); ++i) copy[i] = indexes[i];
    c.indexes = {copy, indexes.size()};
  }
}

Definitions* load() {
  auto* d = new Definitions;  // lives as long as the process
  data::Reader in(data::catalogs);
  std::size_t toast = in.position("reltoastrelid"), toast_index = in.position("toastindex"), read = in.position("public_read"),
              columns = in.position("columns");
  while (in.next()) {
    d->catalogs.push_back({in.oid(0), in.text(1), in.oid(2), in.flag(3), in.flag(read), in.oid(toast), in.oid(toast_index),
                           read_columns(in.text(columns), d->arena), {}});
  }
  read_indexes(*d);
  for (const CatalogDefinition& c : d->catalogs) {
    auto add = [&](Oid oid, std::string_view name, bool is_toast) {
      d->by_oid[raw(oid)] = {name, c.shared, is_toast};
      if (!is_toast) d->by_name[name] = oid;
    };
    add(c.oid, c.name, false);
    for (const CatalogIndex& index : c.indexes) add(index.oid, index.name, false);
    if (is_valid(c.toast)) {
      std::string name = "pg_toast_" + std::to_string(raw(c.oid));
      add(c.toast, d->arena.copy(name), true);
      add(c.toast_index, d->arena.copy(name + "_index"), true);
    }
  }
  return d;
}

const Definitions& definitions() {
  static const Definitions* loaded = load();
  return *loaded;
}

}  // namespace

std::span<const CatalogDefinition> catalog_definitions() { return definitions().catalogs; }

const CatalogDefinition* catalog_definition(Oid oid) {
  for (const CatalogDefinition& c : definitions().catalogs) {
    if (c.oid == oid) return &c;
  }
  return nullptr;
}

Oid catalog_relation(std::string_view name) {
  auto found = definitions().by_name.find(name);
  return found == definitions().by_name.end() ? kInvalidOid : found->second;
}

std::string_view catalog_relation_name(Oid oid) {
  auto found = definitions().by_oid.find(raw(oid));
  return found == definitions().by_oid.end() ? std::string_view() : found->second.name;
}

bool is_catalog_relation(Oid oid) { return definitions().by_oid.contains(raw(oid)); }

bool is_shared_catalog(Oid oid) {
  auto found = definitions().by_oid.find(raw(oid));
  return found != definitions().by_oid.end() && found->second.shared;
}

}  // namespace hathi::catalog
