// Window frames.

#include "window.h"

namespace hathi::executor {

using namespace nodes;

bool WindowState::are_peers(std::uint64_t a, std::uint64_t b) {
  if (order_keys.columns.empty()) return true;
  Row& x = row_at(a);
  if (!compare_reader.read(*rows, b, compared)) return false;
  return same_keys(order_keys, x, compared, row_arena);
}

std::uint64_t WindowState::group_end(std::uint64_t g) {
  while (groups.size() <= g + 1) {
    // Walk from the start of the last known group to its end.
    std::uint64_t start = groups.back();
    if (!have_row(start)) return start;
    std::uint64_t n = start + 1;
    if (order_keys.columns.empty()) {
      n = row_count();
    } else {
      while (have_row(n) && are_peers(start, n)) ++n;
    }
    groups.push_back(n);
  }
  return groups[g + 1];
}

namespace {

std::uint64_t clamped(WindowState& s, std::uint64_t n) {
  // Beyond the end only as far as rows exist.
  if (n == 0 || s.have_row(n - 1)) return n;
  return s.row_count();
}

std::uint64_t offset_rows(const NullableDatum& v) { return v.value.as_uint64(); }

std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r;
  return __builtin_add_overflow(a, b, &r) || r > (std::uint64_t{1} << 62) ? std::uint64_t{1} << 62 : r;
}

void rows_frame(WindowState& s) {
  std::uint64_t i = s.position;
  if (s.options & kFrameStartUnboundedPreceding) s.frame.start = 0;
  else if (s.options & kFrameStartCurrentRow) s.frame.start = i;
  else if (s.options & kFrameStartOffsetPreceding) s.frame.start = minus(i, offset_rows(s.start_offset));
  else s.frame.start = clamped(s, plus(i, offset_rows(s.start_offset)));
  if (s.options & kFrameEndUnboundedFollowing) s.frame.end = s.row_count();
  else if (s.options & kFrameEndCurrentRow) s.frame.end = i + 1;
  else if (s.options & kFrameEndOffsetPreceding) s.frame.end = minus(i + 1, offset_rows(s.end_offset));
  else s.frame.end = clamped(s, plus(i + 1, offset_rows(s.end_offset)));
}

std::uint64_t group_start(WindowState& s, std::uint64_t g) {
  // Groups beyond the end begin at the partition's end.
  while (s.groups.size() <= g) {
    std::uint64_t end = s.group_end(s.groups.size() - 1);
    if (!s.have_row(end)) return end;
  }
  return s.groups[g];
}

void groups_frame(WindowState& s) {
  std::uint64_t g = s.group_of_current;
  if (s.options & kFrameStartUnboundedPreceding) s.frame.start = 0;
  else if (s.options & kFrameStartCurrentRow) s.frame.start = s.groups[g];
  else if (s.options & kFrameStartOffsetPreceding) s.frame.start = s.groups[minus(g, offset_rows(s.start_offset))];
  else s.frame.start = group_start(s, plus(g, offset_rows(s.start_offset)));
  if (s.options & kFrameEndUnboundedFollowing) s.frame.end = s.row_count();
  else if (s.options & kFrameEndCurrentRow) s.frame.end = s.group_end(g);
  else if (s.options & kFrameEndOffsetPreceding) {
    std::uint64_t off = offset_rows(s.end_offset);
    s.frame.end = off > g ? 0 : s.group_end(g - off);
  } else {
    s.frame.end = group_start(s, plus(plus(g, offset_rows(s.end_offset)), 1));
  }
}

bool in_range(FunctionCall& call, NullableDatum row, NullableDatum current, NullableDatum offset, bool sub, bool less) {
  call.args[0] = row;
  call.args[1] = current;
  call.args[2] = offset;
  call.args[3] = {Datum::of(sub), false};
  call.args[4] = {Datum::of(less), false};
  NullableDatum r = invoke(call);
  return !r.is_null && r.value.as_bool();
}

NullableDatum range_value(WindowState& s, Row& row) {
  row.need(s.range_column);
  return {row.values[s.range_column - 1], row.nulls[s.range_column - 1]};
}

// The first row not below the offset's limit; moves forward only.
void advance_range_head(WindowState& s) {
  bool sub = (s.options & kFrameStartOffsetPreceding) != 0, less = false;
  if (!s.ascending) {
    sub = !sub;
    less = true;
  }
  NullableDatum current = range_value(s, s.current);
  for (; s.have_row(s.range_head); ++s.range_head) {
    NullableDatum head = range_value(s, s.row_at(s.range_head));
    if (head.is_null || current.is_null) {
      if (s.nulls_first ? !head.is_null || current.is_null : head.is_null || !current.is_null) break;
    } else if (in_range(*s.start_in_range, head, current, s.start_offset, sub, less)) {
      break;
    }
  }
}

void advance_range_tail(WindowState& s) {
  bool sub = (s.options & kFrameEndOffsetPreceding) != 0, less = true;
  if (!s.ascending) {
    sub = !sub;
    less = false;
  }
  NullableDatum current = range_value(s, s.current);
  for (; s.have_row(s.range_tail); ++s.range_tail) {
    NullableDatum tail = range_value(s, s.row_at(s.range_tail));
    if (tail.is_null || current.is_null) {
      if (s.nulls_first ? !tail.is_null && current.is_null : tail.is_null && !current.is_null) break;
    } else if (!in_range(*s.end_in_range, tail, current, s.end_offset, sub, less)) {
      break;
    }
  }
}

void range_frame(WindowState& s) {
  std::uint64_t g = s.group_of_current;
  if (s.options & kFrameStartUnboundedPreceding) {
    s.frame.start = 0;
  } else if (s.options & kFrameStartCurrentRow) {
    s.frame.start = s.groups[g];
  } else {
    advance_range_head(s);
    s.frame.start = s.range_head;
  }
  if (s.options & kFrameEndUnboundedFollowing) {
    s.frame.end = s.row_count();
  } else if (s.options & kFrameEndCurrentRow) {
    s.frame.end = s.group_end(g);
  } else {
    advance_range_tail(s);
    s.frame.end = s.range_tail;
  }
}

constexpr int kStartOffset = kFrameStartOffsetPreceding | kFrameStartOffsetFollowing;
constexpr int kEndOffset = kFrameEndOffsetPreceding | kFrameEndOffsetFollowing;

NullableDatum offset_value(WindowState& s, Program* program, TypeLayout layout, const char* which) {
  NullableDatum v = evaluate(*program);
  if (v.is_null) throw SqlError(sqlstate::null_value_not_allowed, "frame {} offset must not be null", which);
  if ((s.options & (kFrameRows | kFrameGroups)) != 0 && v.value.as_int64() < 0) {
    throw SqlError(sqlstate::invalid_preceding_or_following_size, "frame {} offset must not be negative", which);
  }
  v.value = copy_datum(v.value, layout, s.offset_arena);
  return v;
}

void read_offsets(WindowState& s) {
  s.offset_arena.reset();
  if (s.options & kStartOffset) s.start_offset = offset_value(s, s.start_offset_program, s.start_layout, "starting");
  if (s.options & kEndOffset) s.end_offset = offset_value(s, s.end_offset_program, s.end_layout, "ending");
  s.offsets_known = true;
}

}  // namespace

void compute_frame(WindowState& s) {
  if (!s.offsets_known) read_offsets(s);
  if (s.options & kFrameRows) rows_frame(s);
  else if (s.options & kFrameGroups) groups_frame(s);
  else range_frame(s);
  if (s.frame.end < s.frame.start) s.frame.end = s.frame.start;
}

int frame_parts(WindowState& s, FrameRange* parts) {
  FrameRange cut{0, 0};
  bool keep_current = false;
  if (s.options & kFrameExcludeCurrentRow) {
    cut = {s.position, s.position + 1};
  } else if (s.options & (kFrameExcludeGroup | kFrameExcludeTies)) {
    cut = {s.groups[s.group_of_current], s.group_end(s.group_of_current)};
    keep_current = (s.options & kFrameExcludeTies) != 0;
  }
  int n = 0;
  auto add = [&](std::uint64_t start, std::uint64_t end) {
    if (start < end) parts[n++] = {start, end};
  };
  if (cut.start == cut.end) {
    add(s.frame.start, s.frame.end);
    return n;
  }
  add(s.frame.start, std::min(s.frame.end, cut.start));
  if (keep_current && s.position >= s.frame.start && s.position < s.frame.end) add(s.position, s.position + 1);
  add(std::max(s.frame.start, cut.end), s.frame.end);
  return n;
}

}  // namespace hathi::executor
