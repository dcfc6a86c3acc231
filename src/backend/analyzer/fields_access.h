#pragma once
// Setting the collations of any expression.

#include "state.h"

namespace hathi::analyzer {

// The collation of the result; nodes without such a field are left alone.
void set_collation(Expr* e, Oid collation);
// The collation that functions called by the node use.
void set_input_collation(Expr* e, Oid collation);

}  // namespace hathi::analyzer
