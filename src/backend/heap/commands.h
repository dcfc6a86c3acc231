#pragma once
// What heap/ asks of transaction/ beyond visibility: combo command ids and the durability of commits. Private to heap/.

#include "hathi/base/ids.h"

namespace hathi::heap {

// A row version made and deleted by the same transaction carries one number that stands for both commands.
CommandId combo_command(CommandId cmin, CommandId cmax);
CommandId combo_cmin(CommandId combo);
CommandId combo_cmax(CommandId combo);
// Are the commit records of all committed transactions on stable storage? (No while an asynchronous commit waits for its flush.)
bool commits_are_durable();

}  // namespace hathi::heap
