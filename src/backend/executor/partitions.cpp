#include "partitions.h"

#include "hathi/error/sql_error.h"

namespace hathi::executor {

void prune_partitions(const catalog::Relation& parent, const List<nodes::Expr*>& conditions, const ValueOf& value_of, std::vector<Oid>& leaves, int& total) {
  throw_not_supported("reading partitioned tables");
}

Oid route_row(const catalog::Relation& parent, const Datum* values, const bool* nulls) { throw_not_supported("writing to partitioned tables"); }

Oid find_partition_of_row(const catalog::Relation& parent, const Datum* values, const bool* nulls) { throw_not_supported("foreign keys to partitioned tables"); }

bool fits_partition(const catalog::Relation& partition, const Datum* values, const bool* nulls) { throw_not_supported("writing to partitions"); }

}  // namespace hathi::executor
