#include "column_map.h"

#include "hathi/error/sql_error.h"

namespace hathi::executor {

std::span<const std::int16_t> map_columns(const TupleDescriptor& from, const TupleDescriptor& to, Arena& arena) {
  bool alike = from.count() == to.count();
  for (int i = 0; i < to.count() && alike; ++i) {
    alike = from[i].dropped == to[i].dropped && (from[i].dropped || (from[i].name == to[i].name && from[i].type == to[i].type));
  }
  if (alike) return {};
  auto* map = arena.make_array<std::int16_t>(static_cast<std::size_t>(to.count()));
  for (int i = 0; i < to.count(); ++i) {
    map[i] = -1;
    if (to[i].dropped) continue;
    for (int j = 0; j < from.count(); ++j) {
      if (!from[j].dropped && from[j].name == to[i].name) map[i] = static_cast<std::int16_t>(j);
    }
    if (map[i] < 0)
      throw SqlError(sqlstate::datatype_mismatch, "could not convert row type")
          .detail(fmt::format("Attribute \"{}\" does not exist in the other row type.", to[i].name));
  }
  return {map, static_cast<std::size_t>(to.count())};
}

void map_row(std::span<const std::int16_t> map, Row& from, Row& to) {
  from.need_all();
  for (std::size_t i = 0; i < map.size(); ++i) {
    to.nulls[i] = map[i] < 0 || from.nulls[map[i]];
    to.values[i] = to.nulls[i] ? Datum() : from.values[map[i]];
  }
  to.tuple = from.tuple;
  to.set_virtual();
}

}  // namespace hathi::executor
