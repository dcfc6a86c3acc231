// Window functions and aggregates over frames.

#include "window.h"

namespace hathi::executor {

using namespace nodes;

namespace {

using Function = WindowState::Function;

// The argument's value on another row of the partition, copied so that it outlives the reader's step.
NullableDatum argument_at(WindowState& s, Function& f, std::uint64_t row) {
  Row* saved = s.eval.outer;
  s.eval.outer = &s.row_at(row);
  NullableDatum v = evaluate(*f.args[0]);
  s.eval.outer = saved;
  if (!v.is_null) v.value = copy_datum(v.value, f.layout, s.row_arena);
  return v;
}

std::uint64_t rank_of(WindowState& s) { return s.groups[s.group_of_current] + 1; }

NullableDatum ntile(WindowState& s, Function& f) {
  NullableDatum v = evaluate(*f.args[0]);
  if (v.is_null) return {};
  std::int64_t buckets = v.value.as_int32();
  if (buckets <= 0) throw SqlError(sqlstate::invalid_argument_for_ntile, "argument of ntile must be greater than zero");
  auto total = static_cast<std::int64_t>(s.row_count());
  auto i = static_cast<std::int64_t>(s.position);
  std::int64_t size = total / buckets, larger = total % buckets;   // the first `larger` buckets have one row more
  std::int64_t in_larger = larger * (size + 1);
  std::int64_t bucket = i < in_larger ? i / (size + 1) : larger + (size == 0 ? 0 : (i - in_larger) / size);
  return {Datum::of(static_cast<std::int32_t>(bucket + 1)), false};
}

NullableDatum lead_or_lag(WindowState& s, Function& f, bool lag) {
  std::int64_t offset = 1;
  if (f.args.size() > 1) {
    NullableDatum v = evaluate(*f.args[1]);
    if (v.is_null) return {};
    offset = v.value.as_int32();
  }
  std::int64_t target = static_cast<std::int64_t>(s.position) + (lag ? -offset : offset);
  if (target >= 0 && s.have_row(static_cast<std::uint64_t>(target))) return argument_at(s, f, static_cast<std::uint64_t>(target));
  return f.args.size() > 2 ? evaluate(*f.args[2]) : NullableDatum{};
}

// Row number of the n-th row (from 0) of the frame; false when it has fewer.
bool nth_of_frame(WindowState& s, std::uint64_t n, std::uint64_t& row) {
  compute_frame(s);
  FrameRange parts[3];
  int count = frame_parts(s, parts);
  for (int i = 0; i < count; ++i) {
    std::uint64_t size = parts[i].end - parts[i].start;
    if (n < size) {
      row = parts[i].start + n;
      return true;
    }
    n -= size;
  }
  return false;
}

NullableDatum last_value(WindowState& s, Function& f) {
  compute_frame(s);
  FrameRange parts[3];
  int count = frame_parts(s, parts);
  return count == 0 ? NullableDatum{} : argument_at(s, f, parts[count - 1].end - 1);
}

NullableDatum nth_value(WindowState& s, Function& f) {
  NullableDatum v = evaluate(*f.args[1]);
  if (v.is_null) return {};
  if (v.value.as_int32() <= 0) throw SqlError(sqlstate::invalid_argument_for_nth_value, "argument of nth_value must be greater than zero");
  std::uint64_t row;
  return nth_of_frame(s, static_cast<std::uint64_t>(v.value.as_int32() - 1), row) ? argument_at(s, f, row) : NullableDatum{};
}

// --- aggregates -------------------------------------------------------------------------------------------------------------------

void restart(WindowState& s, Function& f, std::uint64_t base) {
  f.arena->reset();
  start_transition(f.aggregate, f.transition, *f.arena);
  f.base = f.up_to = base;
  f.taken = 0;
  f.running = true;
}

bool is_wanted(WindowState& s, Function& f) { return f.aggregate.filter == nullptr || passes(f.aggregate.filter); }

bool arguments_complete(WindowState& s, Function& f) {
  if (f.inverse == nullptr) return true;
  FunctionCall& call = *f.aggregate.transition;
  for (int i = 0; i < f.aggregate.argument_count; ++i) {
    call.args[i + 1] = evaluate(*f.aggregate.args[static_cast<std::size_t>(i)]);
    if (call.args[i + 1].is_null && call.site->strict) return false;
  }
  return true;
}

void take_row(WindowState& s, Function& f, std::uint64_t n, Arena& scratch) {
  scratch.reset();
  if (!f.reader.read(*s.rows, n, s.other)) return;
  s.eval.outer = &s.other;
  if (f.inverse == nullptr) return advance_transition(f.aggregate, f.transition, *f.arena, s);
  if (!is_wanted(s, f) || !arguments_complete(s, f)) return;
  ++f.taken;
  call_transition(f.aggregate, f.transition, *f.arena);
}

// Takes a row out of the state again; false when that is not possible.
bool remove_row(WindowState& s, Function& f, std::uint64_t n, Arena& scratch) {
  scratch.reset();
  if (!s.compare_reader.read(*s.rows, n, s.other)) return false;
  s.eval.outer = &s.other;
  if (!is_wanted(s, f) || !arguments_complete(s, f)) return true;
  if (--f.taken == 0) {   // nothing is left: back to the initial state
    std::uint64_t up_to = f.up_to;
    restart(s, f, n + 1);
    f.up_to = up_to;
    return true;
  }
  FunctionCall& call = *f.inverse;
  for (int i = 1; i <= f.aggregate.argument_count; ++i) call.args[i] = f.aggregate.transition->args[i];
  call.args[0] = {f.transition.value, f.transition.is_null};
  call.aggregate_arena = f.arena.get();
  call.result_is_null = false;
  Datum v = call.site->function(call);
  if (call.result_is_null) return false;
  store_transition(f.aggregate, f.transition, v, *f.arena);
  return true;
}

NullableDatum aggregate_value(WindowState& s, Function& f) {
  compute_frame(s);
  FrameRange parts[3];
  int count = frame_parts(s, parts);
  bool whole = (s.options & (kFrameExcludeCurrentRow | kFrameExcludeGroup | kFrameExcludeTies)) == 0;
  Row* saved = s.eval.outer;
  Arena scratch(512);
  s.eval.function.arena = &scratch;
  if (!whole || count == 0) {
    restart(s, f, 0);
    for (int i = 0; i < count; ++i) {
      for (std::uint64_t n = parts[i].start; n < parts[i].end; ++n) take_row(s, f, n, scratch);
    }
    f.running = false;
  } else {
    FrameRange frame = s.frame;
    if (!f.running || frame.start < f.base || frame.end < f.up_to || frame.start >= f.up_to) restart(s, f, frame.start);
    while (f.base < frame.start) {
      if (f.inverse == nullptr || !remove_row(s, f, f.base, scratch)) {
        restart(s, f, frame.start);
        break;
      }
      ++f.base;
    }
    for (; f.up_to < frame.end; ++f.up_to) {
      check_interrupts();
      take_row(s, f, f.up_to, scratch);
    }
  }
  s.eval.outer = saved;
  s.eval.function.arena = &s.row_arena;
  NullableDatum v = finish_transition(f.aggregate, f.transition, *f.arena, s);
  if (!v.is_null) v.value = copy_datum(v.value, f.layout, s.row_arena);
  return v;
}

}  // namespace

NullableDatum window_value(WindowState& s, Function& f) {
  if (f.is_aggregate) return aggregate_value(s, f);
  auto total = [&s] { return static_cast<double>(s.row_count()); };
  std::uint64_t row;
  switch (raw(f.node->function)) {
    case 3100: return {Datum::of(static_cast<std::int64_t>(s.position + 1)), false};
    case 3101: return {Datum::of(static_cast<std::int64_t>(rank_of(s))), false};
    case 3102: return {Datum::of(static_cast<std::int64_t>(s.group_of_current + 1)), false};
    case 3103: return {Datum::of(total() <= 1 ? 0.0 : static_cast<double>(rank_of(s) - 1) / (total() - 1)), false};
    case 3104: return {Datum::of(static_cast<double>(s.group_end(s.group_of_current)) / total()), false};
    case 3105: return ntile(s, f);
    case 3106: case 3107: case 3108: return lead_or_lag(s, f, true);
    case 3109: case 3110: case 3111: return lead_or_lag(s, f, false);
    case 3112: return nth_of_frame(s, 0, row) ? argument_at(s, f, row) : NullableDatum{};
    case 3113: return last_value(s, f);
    case 3114: return nth_value(s, f);
    default: throw_not_supported("this window function");
  }
}

}  // namespace hathi::executor
