#pragma once
// Bounds of partitions from syntax.

#include <string_view>

#include "hathi/parser/ast_ddl.h"
#include "hathi/partition/partition.h"

namespace hathi::ddl {

// FOR VALUES … or DEFAULT for a partition of the parent, values converted to the key's types; lives in the arena. Errors 42P16 for
// forms that do not fit the strategy, 42P17, 42804.
partition::Bound read_bound(const catalog::Relation& parent, const parser::PartitionBound& s, std::string_view text, Arena& arena);
// 42P17 when the bound is empty, its modulus does not fit, or it collides with another partition's. name: of the new partition.
void check_bound(const catalog::Relation& parent, std::string_view name, const parser::PartitionBound& s, const partition::Bound& bound);

}  // namespace hathi::ddl
