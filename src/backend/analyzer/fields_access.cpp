#include "fields_access.h"

#include "src/backend/nodes/fields.h"

namespace hathi::analyzer {

void set_collation(Expr* e, Oid collation) {
  dispatch(e, [&](auto& node) {
    if constexpr (requires { node.collation; }) node.collation = collation;
  });
}

void set_input_collation(Expr* e, Oid collation) {
  dispatch(e, [&](auto& node) {
    if constexpr (requires { node.input_collation; }) node.input_collation = collation;
  });
}

}  // namespace hathi::analyzer
