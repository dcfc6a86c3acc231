#pragma once

namespace hathi::wal {

// Called after a crash once the checkpoint at the end of recovery is complete. Only from there on may pages be changed by other things than
// redo, hint bits too: before, a crash would start from the old redo point, and what is logged since carries another incarnation.
void register_after_recovery(void (*hook)());

}  // namespace hathi::wal
