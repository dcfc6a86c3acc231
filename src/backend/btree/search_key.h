#pragma once
// Keys to search by, entries to store, and how they compare. Private to btree/.

#include "btree_page.h"

namespace hathi::btree {

// Scratch memory for comparisons that detoast; emptied now and then.
Arena& comparison_arena();
void reset_comparison_arena();

// The columns of an entry, read one after the other; not initialised (a Datum array would be zeroed each time).
struct ColumnValues {
  ColumnValues() {}   // NOLINT: deliberately leaves the members alone
  union {
    Datum values[kMaxColumns];
  };
  bool nulls[kMaxColumns];
};

// Where in the index order a search goes: values for the first `count` key columns, perhaps a row position.
struct SearchKey {
  const BTreeIndex* index = nullptr;
  int count = 0;
  bool next = false;            // false: to the first entry >= key; true: to the first > key
  bool has_tid = false;         // without one it is before all row positions (next: behind all)
  TupleId tid;
  SearchKey() {}   // NOLINT: values are set for `count` columns only
  union {
    Datum values[kMaxColumns];
  };
  bool nulls[kMaxColumns];
  // How each column compares: (index value, key value).
  const ComparisonFunction* comparisons[kMaxColumns];
  // The first column is an integer that stands right after the header: compared in line.
  CompareKind fast = CompareKind::call;   // int4, int8 or call
  bool fast_descending = false;
  std::int64_t fast_value = 0;
};
// Fills in a key for all key columns of an entry to be stored.
void make_insertion_key(const BTreeIndex& index, const Datum* values, const bool* nulls, SearchKey& key);
// Call after the values are set.
void prepare_fast_path(SearchKey& key);

// <0 when the key is before the entry, 0 equal as far as both go, >0 behind. Columns cut off a pivot are before everything.
int compare_key(const SearchKey& key, const std::byte* entry);
// The first line of a leaf page that is not before the key (behind it with key.next); count + 1 when there is none.
std::uint16_t search_leaf(const SearchKey& key, PageView page);
// The line of an inner page whose child the key belongs to.
std::uint16_t search_inner(const SearchKey& key, PageView page);
// Does the key belong to the right of the page?
bool is_beyond(const SearchKey& key, PageView page);

// Builds a leaf entry in `buffer` (kEntryBuffer bytes, 8-aligned); returns its size. Big values are compressed, external ones
// fetched. Errors: 54000 when it is too long.
std::size_t form_entry(const BTreeIndex& index, const Datum* values, const bool* nulls, TupleId row, std::byte* buffer);
// Reads the columns [0, n) of an entry.
void read_columns(const BTreeIndex& index, const std::byte* entry, int n, Datum* values, bool* nulls);
Datum read_column(const BTreeIndex& index, const std::byte* entry, int column, bool& is_null);

// Compares the key columns of two entries (pivots may have fewer: then only the common ones); returns how many are equal from the
// first, and the order.
struct EntryOrder { int equal_columns; int order; };
EntryOrder compare_entries(const BTreeIndex& index, const std::byte* a, const std::byte* b);

// The shortest pivot that separates two neighbouring leaf entries: not less than `left`, less than `right`. child: its block.
// buffer: kEntryBuffer bytes; returns the size.
std::size_t make_pivot(const BTreeIndex& index, const std::byte* left, const std::byte* right, std::byte* buffer);
// A pivot with these bytes but another child.
void set_child(std::byte* pivot, std::uint32_t block);
// The entry "before everything" of inner pages: 8 bytes.
void make_minus_infinity(std::byte* buffer, std::uint32_t child);

}  // namespace hathi::btree
