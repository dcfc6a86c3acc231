#pragma once
// A row version has one field for the command that made it and the one that deleted it. When both happen in one transaction the
// field holds a number that stands for the pair, known to this process only, until the transaction's end.

#include "hathi/base/ids.h"

namespace hathi::transaction {

CommandId combo_command(CommandId cmin, CommandId cmax);
CommandId real_cmin(CommandId combo);
CommandId real_cmax(CommandId combo);

}  // namespace hathi::transaction
