// Ordered-set aggregates (percentile_disc, percentile_cont, mode) and hypothetical-set ones (rank, dense_rank, percent_rank,
// cume_dist): the group's rows stand sorted in the function's sorter.

#include <cmath>

#include "aggregate.h"
#include "arrays.h"
#include "hathi/base/builtin_oids.h"
#include "hathi/types/whole_array.h"

namespace hathi::executor {

namespace {

// Reads rows by rising number.
class Rows {
 public:
  explicit Rows(AggregateFunction& f) : f_(f), row_(f.sort_row) {}
  std::uint64_t count() const { return f_.sorter == nullptr ? 0 : f_.sorter->size(); }
  // Row `number` (from 1), not before one read earlier unless rewound.
  Row* at(std::uint64_t number) {
    if (number < position_) {
      f_.sorter->rewind();
      position_ = 0;
    }
    while (position_ < number) {
      if (!f_.sorter->next(row_)) throw SqlError(sqlstate::internal_error, "missing row in percentile");
      ++position_;
    }
    row_.need(row_.count);
    return &row_;
  }
 private:
  AggregateFunction& f_;
  Row row_;
  std::uint64_t position_ = 0;
};

double checked_fraction(double p) {
  if (p < 0 || p > 1 || std::isnan(p)) {
    throw SqlError(sqlstate::numeric_value_out_of_range, "percentile value {:g} is not between 0 and 1", p);
  }
  return p;
}

Datum disc(AggregateFunction& f, Rows& rows, double p, Arena& arena) {
  auto n = static_cast<std::uint64_t>(std::ceil(p * static_cast<double>(rows.count())));
  Row* row = rows.at(std::max<std::uint64_t>(n, 1));
  return copy_datum(row->values[0], (*f.descriptor)[0].layout, arena);
}

Datum cont(AggregateFunction& f, Rows& rows, double p, Arena& arena) {
  double position = p * static_cast<double>(rows.count() - 1);
  auto first = static_cast<std::uint64_t>(std::floor(position));
  auto second = static_cast<std::uint64_t>(std::ceil(position));
  TypeLayout layout = (*f.descriptor)[0].layout;
  Datum a = copy_datum(rows.at(first + 1)->values[0], layout, arena);
  if (first == second) return a;
  Datum b = copy_datum(rows.at(second + 1)->values[0], layout, arena);
  double share = position - static_cast<double>(first);
  if ((*f.descriptor)[0].type == type_oid::interval) {
    Datum difference = call_function(Oid{1170}, arena, {b, a});
    Datum part = call_function(Oid{1618}, arena, {difference, Datum::of(share)});
    return call_function(Oid{1169}, arena, {part, a});
  }
  return Datum::of(a.as_float8() + (b.as_float8() - a.as_float8()) * share);
}

NullableDatum percentile(AggregateFunction& f, Rows& rows, bool continuous, Arena& arena) {
  NullableDatum p = evaluate(*f.direct_args[0]);
  if (p.is_null) return {};
  double fraction = checked_fraction(p.value.as_float8());
  if (rows.count() == 0) return {};
  return {continuous ? cont(f, rows, fraction, arena) : disc(f, rows, fraction, arena), false};
}

NullableDatum percentiles(AggregateFunction& f, Rows& rows, bool continuous, Arena& arena) {
  NullableDatum p = evaluate(*f.direct_args[0]);
  if (p.is_null || rows.count() == 0) return {};
  types::ArrayView fractions = types::whole_array(p.value, arena);
  const Attribute& column = (*f.descriptor)[0];
  int n = fractions.count();
  if (n == 0) return {types::make_empty_array(arena, column.type), false};
  types::ArrayElements elements = types::array_elements(fractions, TypeLayout{8, true, 'd'}, arena);
  auto* values = arena.make_array<Datum>(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    if (elements.nulls[i]) continue;
    double fraction = checked_fraction(elements.values[i].as_float8());
    values[i] = continuous ? cont(f, rows, fraction, arena) : disc(f, rows, fraction, arena);
  }
  int lengths[types::kMaxDimensions], lowers[types::kMaxDimensions];
  for (int d = 0; d < fractions.dimensions(); ++d) {
    lengths[d] = fractions.length(d);
    lowers[d] = fractions.lower(d);
  }
  return {types::make_array(arena, column.type, column.layout, values, elements.nulls, fractions.dimensions(), lengths, lowers), false};
}

NullableDatum mode(AggregateFunction& f, Rows& rows, Arena& arena) {
  if (rows.count() == 0) return {};
  const Attribute& column = (*f.descriptor)[0];
  Arena last_arena(512), scratch(512);
  Datum last, best;
  std::uint64_t run = 0, best_run = 0;
  bool is_best = false;
  for (std::uint64_t i = 1; i <= rows.count(); ++i) {
    check_interrupts();
    Datum v = rows.at(i)->values[0];
    scratch.reset();
    if (run > 0 && compare(f.sort_columns[0].comparison, last, v, scratch) == 0) {
      ++run;
    } else {
      last_arena.reset();
      last = copy_datum(v, column.layout, last_arena);
      run = 1;
      is_best = false;
    }
    if (run <= best_run) continue;
    best_run = run;
    if (!is_best) best = copy_datum(last, column.layout, arena);
    is_best = true;
  }
  return {best, false};
}

// Where the direct arguments would stand among the rows.
struct Place {
  std::uint64_t before = 0, equal = 0, groups_before = 0;
};

Place find_place(AggregateFunction& f, Rows& rows) {
  std::size_t n = f.direct_args.size();
  std::vector<NullableDatum> wanted(n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = evaluate(*f.direct_args[i]);
  Place place;
  Arena scratch(512), last_arena(512), arrays(256);
  Row last;
  make_row(last, f.descriptor->count(), f.descriptor, arrays);
  bool has_last = false;
  for (std::uint64_t i = 1; i <= rows.count(); ++i) {
    check_interrupts();
    scratch.reset();
    Row& row = *rows.at(i);
    int r = 0, same = 0;
    for (std::size_t k = 0; k < f.sort_columns.size() && k < n; ++k) {
      const SortColumn& c = f.sort_columns[k];
      int at = c.column - 1;
      if (r == 0) r = compare_in_order(c, row.values[at], row.nulls[at], wanted[k].value, wanted[k].is_null, scratch);
      if (has_last && same == 0) same = compare_in_order(c, row.values[at], row.nulls[at], last.values[at], last.nulls[at], scratch);
    }
    if (r > 0) break;
    if (r == 0) {
      ++place.equal;
      continue;
    }
    ++place.before;
    if (!has_last || same != 0) ++place.groups_before;
    last_arena.reset();
    copy_row(last, row, *f.descriptor, last_arena);
    has_last = true;
  }
  return place;
}

NullableDatum hypothetical(AggregateFunction& f, Rows& rows) {
  auto total = static_cast<double>(rows.count());
  Place place = rows.count() == 0 ? Place{} : find_place(f, rows);
  switch (raw(f.function)) {
    case 3986: return {Datum::of(static_cast<std::int64_t>(place.before + 1)), false};
    case 3992: return {Datum::of(static_cast<std::int64_t>(place.groups_before + 1)), false};
    case 3988: return {Datum::of(total == 0 ? 0.0 : static_cast<double>(place.before) / total), false};
    default: return {Datum::of(static_cast<double>(place.before + place.equal + 1) / (total + 1)), false};
  }
}

}  // namespace

NullableDatum finish_ordered_set(AggregateFunction& f, NodeState& owner) {
  if (f.sorter != nullptr) f.sorter->finish();
  Rows rows(f);
  Arena& arena = *owner.eval.function.arena;
  switch (raw(f.function)) {
    case 3972: return percentile(f, rows, false, arena);
    case 3974: case 3976: return percentile(f, rows, true, arena);
    case 3978: return percentiles(f, rows, false, arena);
    case 3980: case 3982: return percentiles(f, rows, true, arena);
    case 3984: return mode(f, rows, arena);
    case 3986: case 3988: case 3990: case 3992: return hypothetical(f, rows);
    default: throw_not_supported("this ordered-set aggregate");
  }
}

}  // namespace hathi::executor
