#include "hathi/base/stack.h"

#include <cstddef>
#include <cstdlib>

#include "hathi/error/sql_error.h"

namespace hathi {

namespace {
const char* stack_base = nullptr;
int limit_kilobytes = 2048;
}  // namespace

void set_stack_base() { stack_base = static_cast<const char*>(__builtin_frame_address(0)); }

void set_max_stack_depth(int kilobytes) { limit_kilobytes = kilobytes; }

void check_stack_depth() {
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  if (stack_base == nullptr) stack_base = here;
  std::ptrdiff_t depth = stack_base - here;
  if (depth < 0) depth = -depth;
  if (depth > static_cast<std::ptrdiff_t>(limit_kilobytes) * 1024) {
    throw SqlError(sqlstate::statement_too_complex, "stack depth limit exceeded")
        .hint(fmt::format(
            "Increase the configuration parameter \"max_stack_depth\" (currently {}kB), after ensuring the platform's stack depth limit is adequate.",
            limit_kilobytes));
  }
}

}  // namespace hathi
