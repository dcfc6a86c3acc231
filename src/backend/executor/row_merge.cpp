#include "row_merge.h"

#include <algorithm>

namespace hathi::executor {

void RowMerge::prepare(std::span<const AttrNumber> columns, std::span<const Oid> operators, std::span<const Oid> collations, std::span<const bool> nulls_first,
                       Arena& arena) {
  order_ = prepare_sort(columns, operators, collations, nulls_first, arena);
  for (const SortColumn& c : order_) highest_ = std::max<int>(highest_, c.column);
}

void RowMerge::start(std::span<NodeState* const> inputs, Arena& scratch) {
  inputs_.assign(inputs.begin(), inputs.end());
  heads_.assign(inputs_.size(), nullptr);
  heap_.clear();
  scratch_ = &scratch;
  source_ = nullptr;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    check_interrupts();
    if (advance(i)) heap_.push_back(i);
  }
  std::make_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) { return comes_later(a, b); });
  started_ = true;
}

Row* RowMerge::next() {
  if (source_ != nullptr && !heap_.empty()) {
    auto later = [this](std::uint32_t a, std::uint32_t b) { return comes_later(a, b); };
    std::uint32_t top = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    if (advance(top)) std::push_heap(heap_.begin(), heap_.end(), later);
    else heap_.pop_back();
  }
  if (heap_.empty()) return nullptr;
  source_ = inputs_[heap_.front()];
  return heads_[heap_.front()];
}

void RowMerge::stop() {
  started_ = false;
  source_ = nullptr;
  inputs_.clear();
  heads_.clear();
  heap_.clear();
}

bool RowMerge::advance(std::uint32_t input) {
  heads_[input] = fetch(*inputs_[input]);
  if (heads_[input] == nullptr) return false;
  heads_[input]->need(highest_);
  return true;
}

bool RowMerge::comes_later(std::uint32_t a, std::uint32_t b) {
  Row &x = *heads_[a], &y = *heads_[b];
  for (const SortColumn& c : order_) {
    int i = c.column - 1;
    int r = compare_in_order(c, x.values[i], x.nulls[i], y.values[i], y.nulls[i], *scratch_);
    if (r != 0) return r > 0;
  }
  return a > b;
}

}  // namespace hathi::executor
