#pragma once
// Rows of functions that return many: values one after the other, then the row.

#include <string_view>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/types/array.h"

namespace hathi::session {

class RowWriter {
 public:
  explicit RowWriter(FunctionCall& call) : call_(call), arena_(call.arena()) {}
  RowWriter& value(Datum datum) {
    values_.push_back(datum);
    nulls_.push_back(0);
    return *this;
  }
  RowWriter& null() {
    values_.emplace_back();
    nulls_.push_back(1);
    return *this;
  }
  Arena& arena() { return arena_; }
  RowWriter& text(std::string_view text) { return value(varlena::make(arena_, text)); }
  RowWriter& text_or_null(std::string_view text) { return text.empty() ? null() : this->text(text); }
  // 0 = null.
  RowWriter& time(std::int64_t microseconds) { return microseconds == 0 ? null() : value(Datum::of(microseconds)); }
  RowWriter& oid_or_null(std::uint32_t oid) { return oid == 0 ? null() : value(Datum::of(Oid{oid})); }
  RowWriter& texts(const std::vector<std::string>& elements) { return value(text_array(arena_, elements)); }
  void put() {
    static_assert(sizeof(char) == sizeof(bool));
    call_.sink->put(values_.data(), reinterpret_cast<const bool*>(nulls_.data()));
    values_.clear();
    nulls_.clear();
  }

  static Datum text_array(Arena& arena, const std::vector<std::string>& elements) {
    std::vector<Datum> datums;
    for (const std::string& element : elements) datums.push_back(varlena::make(arena, element));
    return types::make_array(arena, type_oid::text, TypeLayout{-1, false, 'i'}, datums);
  }

 private:
  FunctionCall& call_;
  Arena& arena_;
  std::vector<Datum> values_;
  std::vector<char> nulls_;
};

}  // namespace hathi::session
