#pragma once
// Conditions of a scan, put into index order. Private to btree/.

#include "search_key.h"

namespace hathi::btree {

// One condition. Strategies are in index order: for a descending column less and greater have changed places.
struct Condition {
  int column = 0;                 // from 0
  Strategy strategy = Strategy::equal;
  Datum argument;
  bool is_null_test = false, null_wanted = false;
  ComparisonFunction comparison;
  // When a forward (backward) scan meets an entry that fails this, all further ones fail too.
  bool stops_forward = false, stops_backward = false;
  // Of an array: its elements in index order.
  std::vector<Datum> elements;
  std::size_t current = 0;
};

struct ScanConditions {
  std::vector<Condition> conditions;   // by column
  std::vector<std::size_t> arrays;     // those with elements, by column
};
// Fills in `c`, whose memory is used again.
void prepare_conditions(const BTreeIndex& index, std::span<const ScanKey> keys, ScanConditions& c);
// Sets the arrays to their first (last) elements; goes to the next combination (false when there is none).
void reset_arrays(ScanConditions& c, bool backward);
bool advance_arrays(ScanConditions& c, bool backward);

// The key from which a scan in that direction starts. Forward: the first entry not before (or behind, key.next) it; backward: the one
// before that. False: from the edge of the index.
bool make_start_key(const BTreeIndex& index, const ScanConditions& c, bool backward, SearchKey& key);

enum class Verdict : std::uint8_t { matches, skip, stop };
Verdict check_entry(const BTreeIndex& index, const ScanConditions& c, const std::byte* entry, bool backward);

}  // namespace hathi::btree
