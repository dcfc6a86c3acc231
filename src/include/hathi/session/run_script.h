#pragma once
// SQL in a process without a client. See also run_script() in session.h.

#include <string_view>

#include "hathi/executor/executor.h"

namespace hathi::session {

// Runs the statements as one session that may use BEGIN … COMMIT; the first error ends it, and the transaction with it. Rows go to the
// receiver, if given. Errors are thrown.
void run_statements(std::string_view text, executor::RowReceiver* receiver = nullptr);

}  // namespace hathi::session
