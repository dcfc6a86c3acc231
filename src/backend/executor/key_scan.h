#pragma once
// Rows of a table whose columns have given values: through an index that begins with these columns, else by reading the table.

#include <optional>

#include "comparison.h"
#include "hathi/catalog/relation.h"

namespace hathi::executor {

class KeyScan {
 public:
  // columns[i] = values[i] of type value_types[i]. operators[i]: the equality operator; column_is_left: its left operand is the column.
  // index: to be preferred (kInvalidOid: any that fits).
  KeyScan(const catalog::Relation& table, std::span<const AttrNumber> columns, std::span<const Oid> operators, bool column_is_left,
          std::span<const Oid> value_types, Oid index = kInvalidOid);
  KeyScan(const KeyScan&) = delete;
  KeyScan& operator=(const KeyScan&) = delete;

  // The values must stay valid until the last next().
  void start(std::span<const Datum> values, const transaction::Snapshot& snapshot);
  // The next matching row that the snapshot sees; valid until the next call.
  bool next(HeapTuple& out);
  // Does the row (of this table) still have the key?
  bool matches(const HeapTuple& tuple);
  void release_pins();

 private:
  bool find_usable_index(Oid wanted);
  static Oid conversion(Oid from, Oid to);

  const catalog::Relation& table_;
  std::span<const AttrNumber> columns_;
  bool column_is_left_;
  std::vector<EqualFunction> equal_;
  std::vector<Oid> value_types_;
  // Functions that make a value or a column what the operator takes; kInvalidOid: it is that already.
  std::vector<Oid> convert_value_, convert_column_;
  std::vector<Datum> values_;
  Arena converted_{512};
  const transaction::Snapshot* snapshot_ = nullptr;
  const catalog::IndexDescriptor* index_ = nullptr;
  std::vector<btree::ScanKey> keys_;
  std::vector<std::size_t> key_values_;      // which value each index key takes
  std::optional<btree::Scan> index_scan_;
  std::optional<heap::Scan> heap_scan_;
  buffer::PinnedBuffer pin_;
  Arena scratch_{512};
};

}  // namespace hathi::executor
