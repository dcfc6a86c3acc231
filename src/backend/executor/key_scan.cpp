#include "key_scan.h"

#include "hathi/catalog/lookup.h"
#include "hathi/shmem/interrupts.h"

namespace hathi::executor {

KeyScan::KeyScan(const catalog::Relation& table, std::span<const AttrNumber> columns, std::span<const Oid> operators, bool column_is_left,
                 std::span<const Oid> value_types, Oid index)
    : table_(table), columns_(columns), column_is_left_(column_is_left), value_types_(value_types.begin(), value_types.end()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Attribute& column = (*table.descriptor)[columns[i] - 1];
    const catalog::OperatorInfo& info = catalog::operator_info(operators[i]);
    equal_.push_back(prepare_equal(info.function, column.collation));
    convert_column_.push_back(conversion(column.type, column_is_left ? info.left : info.right));
    Oid wanted = column_is_left ? info.right : info.left;
    convert_value_.push_back(conversion(value_types_[i], wanted));
    if (is_valid(convert_value_.back())) value_types_[i] = wanted;
  }
  find_usable_index(index);
}

Oid KeyScan::conversion(Oid from, Oid to) {
  from = catalog::base_type(from);
  if (from == to || catalog::is_binary_coercible(from, to)) return kInvalidOid;
  const catalog::CastInfo* cast = catalog::find_cast(from, to);
  return cast == nullptr ? kInvalidOid : cast->function;
}

// An index serves when its first columns are our columns in any order and its operator class can compare them with the values.
bool KeyScan::find_usable_index(Oid wanted) {
  for (const catalog::IndexDescriptor* candidate : table_.indexes) {
    if (is_valid(wanted) && candidate->oid != wanted) continue;
    if (!candidate->valid || !candidate->predicate.empty() || candidate->check_xmin ||
        static_cast<std::size_t>(candidate->key_count) < columns_.size())
      continue;
    keys_.clear();
    key_values_.clear();
    bool fits = true;
    for (std::size_t i = 0; i < columns_.size() && fits; ++i) {
      fits = false;
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (columns_[k] != candidate->columns[i]) continue;
        Oid value_type = catalog::base_type(value_types_[k]);
        Oid input = candidate->operator_input_types[i];
        Oid comparison = catalog::family_function(candidate->operator_families[i], input, value_type, 1);
        if (!is_valid(comparison) && catalog::is_binary_coercible(value_type, input))
          comparison = catalog::family_function(candidate->operator_families[i], input, input, 1);
        if (!is_valid(comparison)) break;
        btree::ScanKey key;
        key.column = static_cast<AttrNumber>(i + 1);
        key.comparison = prepare_comparison(comparison, candidate->collations[i]);
        keys_.push_back(key);
        key_values_.push_back(k);
        fits = true;
        break;
      }
    }
    if (!fits) continue;
    index_ = candidate;
    return true;
  }
  return false;
}

void KeyScan::start(std::span<const Datum> values, const transaction::Snapshot& snapshot) {
  values_.assign(values.begin(), values.end());
  converted_.reset();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (is_valid(convert_value_[i])) values_[i] = call_function(convert_value_[i], converted_, {values_[i]});
  }
  snapshot_ = &snapshot;
  pin_.release();
  if (index_ == nullptr) {
    heap_scan_.emplace(table_.heap, snapshot);
    return;
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i].argument = values_[key_values_[i]];
  if (!index_scan_) index_scan_.emplace(index_->btree, false);
  index_scan_->start(keys_);
}

bool KeyScan::matches(const HeapTuple& tuple) {
  scratch_.reset();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    bool is_null;
    Datum v = get_attribute(tuple, *table_.descriptor, columns_[i], is_null);
    if (is_null) return false;
    if (is_valid(convert_column_[i])) v = call_function(convert_column_[i], scratch_, {v});
    bool same = column_is_left_ ? are_equal(equal_[i], v, values_[i], scratch_) : are_equal(equal_[i], values_[i], v, scratch_);
    if (!same) return false;
  }
  return true;
}

bool KeyScan::next(HeapTuple& out) {
  if (index_ == nullptr) {
    while (heap_scan_->next(out)) {
      check_interrupts();
      out.table = table_.oid;
      if (matches(out)) return true;
    }
    return false;
  }
  TupleId tid;
  while (index_scan_->next(tid)) {
    check_interrupts();
    bool all_dead = false;
    if (heap::fetch_by_index(table_.heap, tid, *snapshot_, pin_, out, &all_dead)) {
      out.table = table_.oid;
      return true;
    }
    if (all_dead) index_scan_->kill_current();
  }
  return false;
}

void KeyScan::release_pins() {
  pin_.release();
  heap_scan_.reset();
}

}  // namespace hathi::executor
