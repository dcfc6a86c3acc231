#pragma once

#include "hathi/base/ids.h"

namespace hathi::executor {

// Every row of the table that a snapshot taken now sees has its entry in the index (both locked by the caller): else XX001.
void verify_rows_are_indexed(Oid table, Oid index);

}  // namespace hathi::executor
