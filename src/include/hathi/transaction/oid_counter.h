#pragma once
// The cluster's OID counter, beside the xid counter and carried by checkpoints like it (wal::Counters::next_oid).

#include "hathi/base/ids.h"

namespace hathi::transaction {

// The counter's next value: never below kFirstNormalOid, wraps to it. Logged ahead in batches, so no value is given out twice, not
// even after a crash. Values may collide with OIDs given out before a wrap: catalog/ checks (new_oid()).
Oid next_oid();
// Bootstrap: the next value will be at least this one. Only while no other process runs.
void advance_oid_counter(Oid to);

}  // namespace hathi::transaction
