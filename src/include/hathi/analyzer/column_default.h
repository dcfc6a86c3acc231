#pragma once
// What a column gets that a row does not mention.

#include "hathi/base/ids.h"
#include "hathi/memory/arena.h"

namespace hathi::catalog { struct Relation; }
namespace hathi::nodes { struct Expr; }

namespace hathi::analyzer {

// The next value of an identity column, the default, or the default of the column's domain, as the column's type; nullptr when it is
// NULL. Not for generated columns.
nodes::Expr* column_default(const catalog::Relation& relation, AttrNumber column, Arena& arena);

}  // namespace hathi::analyzer
