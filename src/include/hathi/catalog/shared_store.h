#pragma once
// Objects that processes share by pointer: relation descriptors, roles, … in shared memory, built by whoever needs a version first.
//
// Locking: the directory is read without a lock; publishing, retiring and allocating happen under one LWLock. An object is immutable once
// published. Theorem: memory is reused only when no process can still see what stood there. Mechanism: a reader publishes the
// epoch it read before it looks into the directory and takes it back at the end of its transaction; an object that left the
// directory in epoch e is freed when every published epoch is later than e.

#include <cstddef>
#include <cstdint>

#include "hathi/base/ids.h"

namespace hathi::catalog::shared_store {

// What kind of object a key is for; part of the key.
enum class Kind : std::uint32_t { none, relation, role, schema_name, type, function, access, database, partitions };

struct Key {
  Kind kind = Kind::none;
  Oid database = kInvalidOid;    // 0 for objects shared by all databases
  std::uint64_t object = 0;
  bool operator==(const Key&) const = default;
};

std::size_t size();
void init(void* memory);

// The object published for this key and version (Stamp::shared), or nullptr. Valid until the transaction ends.
const void* find(const Key& key, std::uint64_t version);

// A piece of shared memory to build an object in: `bytes` usable at payload. Give it to publish() or abandon(); nullptr payload: no
// memory, or no place to share.
struct Building { void* chunk = nullptr; void* payload = nullptr; std::size_t bytes = 0; };
Building begin(std::size_t bytes);
void publish(const Building& building, const Key& key, std::uint64_t version);
void abandon(const Building& building);

// Does the object live here (and not in private memory)?
bool contains(const void* object);
// The transaction is over: what find() gave may go.
void end_of_transaction();

}  // namespace hathi::catalog::shared_store
