// Window definitions: WINDOW and OVER.

#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr int kFrameDefaults = kFrameRange | kFrameStartUnboundedPreceding | kFrameEndCurrentRow;
constexpr int kFrameStartOffset = kFrameStartOffsetPreceding | kFrameStartOffsetFollowing;
constexpr int kFrameEndOffset = kFrameEndOffsetPreceding | kFrameEndOffsetFollowing;

int frame_options(const ast::WindowDef* window) {
  if (!window->has_frame) return kFrameDefaults;
  int options = kFrameNonDefault;
  switch (window->mode) {
    case ast::FrameMode::range: options |= kFrameRange; break;
    case ast::FrameMode::rows: options |= kFrameRows; break;
    case ast::FrameMode::groups: options |= kFrameGroups; break;
  }
  if (window->between) options |= kFrameBetween;
  switch (window->start) {
    case ast::FrameBound::unbounded_preceding: options |= kFrameStartUnboundedPreceding; break;
    case ast::FrameBound::offset_preceding: options |= kFrameStartOffsetPreceding; break;
    case ast::FrameBound::current_row: options |= kFrameStartCurrentRow; break;
    case ast::FrameBound::offset_following: options |= kFrameStartOffsetFollowing; break;
    case ast::FrameBound::unbounded_following: break;   // refused by the grammar
  }
  switch (window->end) {
    case ast::FrameBound::unbounded_following: options |= kFrameEndUnboundedFollowing; break;
    case ast::FrameBound::offset_preceding: options |= kFrameEndOffsetPreceding; break;
    case ast::FrameBound::current_row: options |= kFrameEndCurrentRow; break;
    case ast::FrameBound::offset_following: options |= kFrameEndOffsetFollowing; break;
    case ast::FrameBound::unbounded_preceding: break;
  }
  switch (window->exclusion) {
    case ast::FrameExclusion::no_others: break;
    case ast::FrameExclusion::current_row: options |= kFrameExcludeCurrentRow; break;
    case ast::FrameExclusion::group: options |= kFrameExcludeGroup; break;
    case ast::FrameExclusion::ties: options |= kFrameExcludeTies; break;
  }
  return options;
}

// The order that RANGE with an offset adds to and subtracts from.
struct RangeOrder {
  Oid family = kInvalidOid, type = kInvalidOid;
};

Oid range_function(const RangeOrder& order, Expr* offset, Oid& offset_type) {
  // in_range support functions of a family: one for each type an offset may have.
  static constexpr Oid kOffsetTypes[] = {type_oid::int8, type_oid::int4, type_oid::int2, type_oid::numeric, type_oid::float8, type_oid::interval};
  constexpr int kInRange = 3;
  Oid given = type_of(offset);
  Oid preferred = given == type_oid::unknown ? order.type : given;
  int functions = 0, matches = 0;
  Oid selected_function = kInvalidOid;
  offset_type = kInvalidOid;
  for (Oid type : kOffsetTypes) {
    Oid function = catalog::family_function(order.family, order.type, type, kInRange);
    if (!is_valid(function)) continue;
    ++functions;
    if (!can_coerce(given, type, CoercionContext::implicit)) continue;
    ++matches;
    if (offset_type != preferred) {
      offset_type = type;
      selected_function = function;
    }
  }
  std::string column = catalog::format_type(order.type), offset_text = catalog::format_type(given);
  int location = location_of(offset);
  if (functions == 0)
    throw SqlError(sqlstate::feature_not_supported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type {}", column).at(location);
  if (matches == 0)
    throw SqlError(sqlstate::feature_not_supported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type {} and offset type {}", column,
                   offset_text)
        .hint("Cast the offset value to an appropriate type.")
        .at(location);
  if (matches != 1 && offset_type != preferred)
    throw SqlError(sqlstate::feature_not_supported, "RANGE with offset PRECEDING/FOLLOWING has multiple interpretations for column type {} and offset type {}",
                   column, offset_text)
        .hint("Cast the offset value to the exact intended type.")
        .at(location);
  return selected_function;
}

Expr* transform_offset(ParseState& ps, const ast::Node* node, int options, const RangeOrder& order, Oid& in_range) {
  if (node == nullptr) return nullptr;
  Expr* e;
  std::string_view word;
  if ((options & kFrameRows) != 0) {
    word = "ROWS";
    e = coerce_to_specific(ps, transform(ps, node, Clause::window_frame_rows), type_oid::int8, word);
  } else if ((options & kFrameGroups) != 0) {
    word = "GROUPS";
    e = coerce_to_specific(ps, transform(ps, node, Clause::window_frame_groups), type_oid::int8, word);
  } else {
    word = "RANGE";
    e = transform(ps, node, Clause::window_frame_range);
    Oid type;
    in_range = range_function(order, e, type);
    e = coerce_to_specific(ps, e, type, word);
  }
  check_variable_free(ps, e, word);
  return e;
}

WindowClause* find_window(const List<WindowClause*>& windows, std::string_view name) {
  for (WindowClause* w : windows) if (!w->name.empty() && w->name == name) return w;
  return nullptr;
}

List<SortClause*> copy_clauses(ParseState& ps, const List<SortClause*>& from) {
  List<SortClause*> result;
  for (const SortClause* clause : from) result.push_back(ps.arena, ps.arena.make<SortClause>(*clause));
  return result;
}

// OVER (name …) and WINDOW a AS (b …): what is taken over from the other window, and what may not be changed.
void inherit_window(ParseState& ps, WindowClause* made, const WindowClause* from, const ast::WindowDef* window) {
  auto refuse = [&](std::string_view format_part) {
    return SqlError(sqlstate::windowing_error, "cannot override {} clause of window \"{}\"", format_part, window->reference).at(window->location);
  };
  if (!made->partition_by.empty()) throw refuse("PARTITION BY");
  made->partition_by = copy_clauses(ps, from->partition_by);
  if (!made->order_by.empty() && !from->order_by.empty()) throw refuse("ORDER BY");
  bool own_order = !made->order_by.empty();
  if (!own_order) {
    made->order_by = copy_clauses(ps, from->order_by);
    made->copied_order = true;
  }
  if (from->frame_options == kFrameDefaults) return;
  SqlError error(sqlstate::windowing_error, "cannot copy window \"{}\" because it has a frame clause", window->reference);
  if (window->name.empty() && !own_order && !window->has_frame) error.hint("Omit the parentheses in this OVER clause.");
  throw error.at(window->location);
}

void set_frame(ParseState& ps, WindowClause* made, const ast::WindowDef* window, const List<TargetEntry*>& targets) {
  made->frame_options = frame_options(window);
  RangeOrder order;
  if ((made->frame_options & kFrameRange) != 0 && (made->frame_options & (kFrameStartOffset | kFrameEndOffset)) != 0) {
    if (made->order_by.size() != 1)
      throw SqlError(sqlstate::windowing_error, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column").at(window->location);
    const SortClause* key = made->order_by[0];
    const Expr* e = target_by_ref(key->ref, targets)->expr;
    for (const catalog::FamilyMember& m : catalog::operator_families(key->order_operator)) {
      if (m.method != kBTreeAccessMethod || (m.strategy != 1 && m.strategy != 5)) continue;
      order.family = m.family;
      order.type = m.left;
      made->in_range_ascending = m.strategy == 1;
      break;
    }
    made->in_range_collation = collation_of(e);
    made->in_range_nulls_first = key->nulls_first;
  }
  if ((made->frame_options & kFrameGroups) != 0 && made->order_by.empty())
    throw SqlError(sqlstate::windowing_error, "GROUPS mode requires an ORDER BY clause").at(window->location);
  made->start_offset = transform_offset(ps, window->start_offset, made->frame_options, order, made->start_in_range);
  made->end_offset = transform_offset(ps, window->end_offset, made->frame_options, order, made->end_in_range);
}

}  // namespace

void transform_windows(ParseState& ps, Query* query, const List<const ast::WindowDef*>& windows) {
  int ref = 0;
  for (const ast::WindowDef* window : windows) {
    if (!window->name.empty() && find_window(query->windows, window->name) != nullptr)
      throw SqlError(sqlstate::windowing_error, "window \"{}\" is already defined", window->name).at(window->location);
    const WindowClause* from = nullptr;
    if (!window->reference.empty()) {
      from = find_window(query->windows, window->reference);
      if (from == nullptr) throw SqlError(sqlstate::undefined_object, "window \"{}\" does not exist", window->reference).at(window->location);
    }
    auto* made = ps.arena.make<WindowClause>();
    made->name = ps.arena.copy(window->name);
    made->refname = ps.arena.copy(window->reference);
    made->ref = ++ref;
    made->order_by = transform_order_by(ps, window->order_by, query->targets, Clause::window_order, true);
    made->partition_by = transform_partition_by(ps, window->partition_by, query->targets, made->order_by);
    if (from != nullptr) inherit_window(ps, made, from, window);
    set_frame(ps, made, window, query->targets);
    query->windows.push_back(ps.arena, made);
  }
}

}  // namespace hathi::analyzer
