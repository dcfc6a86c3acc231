#pragma once
// What has to go when objects are dropped, in which order, and what is to be said about it. Apart from the catalog tables, so that it
// can be tested on its own.

#include <functional>
#include <vector>

#include "hathi/catalog/catalog_table.h"

namespace hathi::catalog {

struct DependencyEdge { ObjectAddress other; char kind; };

struct DependencySource {
  // What `object` (with exactly that sub-object) depends on; sub 0: of the whole object and all its parts.
  std::function<std::vector<DependencyEdge>(const ObjectAddress& object)> references;
  // What depends on `object`; sub 0: also on any part of it.
  std::function<std::vector<DependencyEdge>(const ObjectAddress& object)> dependents;
  std::function<std::string(const ObjectAddress& object)> describe;
  // Called for each object found, before its own dependents are looked for; false: it has gone meanwhile.
  std::function<bool(const ObjectAddress& object)> lock;
};

struct Deletion {
  ObjectAddress object;
  unsigned flags = 0;          // how it was reached: kDelete… below
  ObjectAddress dependee;      // what it depends on, for messages
};
inline constexpr unsigned kDeleteOriginal = 1, kDeleteNormal = 2, kDeleteAutomatic = 4, kDeleteInternal = 8, kDeletePartition = 16, kDeleteExtension = 32,
                          kDeleteReverse = 64, kDeleteIsPart = 128;

// The objects to remove, dependents first. Throws 2BP01 when one of `objects` is part of another that is not to be dropped.
std::vector<Deletion> plan_deletion(const std::vector<ObjectAddress>& objects, const DependencySource& source);
// Throws 2BP01 for what only CASCADE may drop; with cascade sends the NOTICE (unless quiet).
void report_deletion(const std::vector<Deletion>& plan, const std::vector<ObjectAddress>& objects, bool cascade, bool quiet,
                     const DependencySource& source);

}  // namespace hathi::catalog
