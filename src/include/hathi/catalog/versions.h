#pragma once
// Version counters in shared memory: how caches of every process learn that an object changed, without messages.
//
// Theorem: a process that read stamp s of a slot, then took a snapshot and read catalog rows, then found the slot's stamp still s,
// has read the newest committed state; and while the slot's stamp is s, no later commit has changed what the slot stands for.
// Mechanism: a committing transaction marks its slots as changing before its xid leaves the process array (from then on snapshots
// see its changes) and publishes new versions right after; a reader that meets a mark waits (microseconds). Slots are hashed, so an
// unrelated change may look like one: caches then only reload.
//
// A transaction's own uncommitted changes are counted in the process: they show in Stamp::own from the command after the change on.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hathi/base/ids.h"

namespace hathi::catalog::versions {

// Shared memory (a shmem::Subsystem). Until init() ran all stamps are zero: processes without storage.
std::size_t size();
void init(void* memory);
// Connects with transaction/ (hooks); once, before the first fork.
void install();

struct Stamp {
  std::uint64_t shared = 0, own = 0;
  bool operator==(const Stamp&) const = default;
};
// class_id: the catalog. object 0 stands for the whole catalog where a cache needs that (pg_namespace, pg_authid, pg_auth_members, …).
std::uint32_t slot_of(Oid class_id, Oid object);
// All objects of the catalog that have this name, in whatever schema.
std::uint32_t slot_of_name(Oid class_id, std::string_view name);
// The current stamp; waits while the slot is marked by others. One atomic read when this transaction changed nothing.
Stamp stamp(std::uint32_t slot);
// The value of Stamp::shared after one more committed change of the slot.
std::uint64_t next_version(std::uint64_t shared);
// This transaction changed what the slot stands for. Needs a running transaction.
void note(std::uint32_t slot);
// Did this transaction change it (also invisibly yet)?
bool changed_by_me(std::uint32_t slot);

// What processes tell each other about names: that the database's catalog has exactly one object of that name beyond the built-in ones
// (its OID and schema), or none (both 0). Lossy. False: not known. Nothing is told or believed of what this transaction changed.
struct NamedOids { Oid object = kInvalidOid, schema = kInvalidOid; };
bool recall_name(std::uint32_t name_slot, Oid database, Oid class_id, std::string_view name, const Stamp& stamp, NamedOids& out);
void remember_name(std::uint32_t name_slot, Oid database, Oid class_id, std::string_view name, const Stamp& stamp, const NamedOids& oids);

}  // namespace hathi::catalog::versions
