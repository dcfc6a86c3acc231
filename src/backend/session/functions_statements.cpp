// Functions behind pg_prepared_statements and pg_cursors; what other parts of the server ask about this session's cursors.

#include "functions_session.h"
#include "hathi/catalog/relation.h"
#include "hathi/ddl/session_objects.h"
#include "hathi/executor/executor.h"
#include "portal.h"
#include "row_writer.h"

namespace hathi::session {

namespace {

Datum type_names(Arena& arena, const std::vector<Oid>& types) {
  std::vector<Datum> elements;
  for (Oid type : types) elements.push_back(Datum::of(type));
  return types::make_array(arena, type_oid::regtype, TypeLayout{4, true, 'i'}, elements);
}

Datum prepared_statements(FunctionCall& call) {
  RowWriter row(call);
  for (const auto& [name, statement] : current_session()->statements) {
    if (name.empty()) continue;
    row.text(name).text(statement->text()).value(Datum::of(statement->prepared_at()));
    row.value(type_names(call.arena(), statement->parameter_types())).value(Datum::of(statement->from_sql()));
    row.value(Datum::of(static_cast<std::int64_t>(statement->generic_plans()))).value(Datum::of(static_cast<std::int64_t>(statement->custom_plans())));
    row.put();
  }
  return Datum();
}

Datum cursors(FunctionCall& call) {
  RowWriter row(call);
  const Session& session = *current_session();
  for (const auto& [name, portal] : session.portals) {
    // The portal of a simple query has no name that its client knows.
    if (name.empty() && !session.extended_message) continue;
    int options = portal->cursor_options();
    row.text(name).text(portal->statement().text());
    row.value(Datum::of((options & planner::kCursorHold) != 0)).value(Datum::of((options & planner::kCursorBinary) != 0));
    row.value(Datum::of((options & planner::kCursorScroll) != 0)).value(Datum::of(portal->created_at()));
    row.put();
  }
  return Datum();
}

bool reads(const Portal& portal, Oid relation) {
  const planner::PlannedStatement* plan = portal.plan();
  if (plan == nullptr || !portal.is_running_plan()) return false;
  for (const planner::RangeEntry& entry : plan->range_table) {
    if (entry.relation == relation) return true;
  }
  return false;
}

// Does an open cursor of this session hold the relation?
bool has_open_cursor_on(Oid relation) {
  const Session* session = current_session();
  if (session == nullptr) return false;
  for (const auto& [name, portal] : session->portals) {
    if (portal->holds(relation)) return true;
  }
  return false;
}

[[noreturn]] void bad_cursor(const std::string& message) { throw SqlError(sqlstate::invalid_cursor_state, "{}", message); }

// A row of another partition of what the cursor reads?
bool is_related(const Portal& portal, const catalog::Relation& table) {
  if (reads(portal, table.oid)) return true;
  return is_valid(table.parent) && is_related(portal, *catalog::open_relation(table.parent, locking::LockMode::none));
}

bool is_or_is_below(const catalog::Relation& table, Oid relation) {
  if (table.oid == relation) return true;
  return is_valid(table.parent) && is_or_is_below(*catalog::open_relation(table.parent, locking::LockMode::none), relation);
}

// FOR UPDATE/SHARE: does the query, or one below it, lock rows? And how many of the marks are on the table?
bool count_row_marks(const nodes::Query& query, const catalog::Relation& table, int& marks) {
  bool any = !query.row_marks.empty();
  for (const nodes::RowMark* mark : query.row_marks) {
    const nodes::RangeTableEntry& rte = *query.range_table[static_cast<std::size_t>(mark->rte - 1)];
    if (rte.kind == nodes::RteKind::relation && is_or_is_below(table, rte.relation)) ++marks;
  }
  for (const nodes::RangeTableEntry* rte : query.range_table) {
    if (rte->kind == nodes::RteKind::subquery && rte->subquery != nullptr && count_row_marks(*rte->subquery, table, marks)) any = true;
  }
  return any;
}

// The row that the cursor locked last; false: it was not one of this table.
bool find_locked_row(const Portal& portal, const nodes::CurrentOf& cursor, const catalog::Relation& table, int marks, TupleId& tid) {
  if (marks == 0) bad_cursor(fmt::format("cursor \"{}\" does not have a FOR UPDATE/SHARE reference to table \"{}\"", cursor.cursor, table.name));
  if (marks > 1) bad_cursor(fmt::format("cursor \"{}\" has multiple FOR UPDATE/SHARE references to table \"{}\"", cursor.cursor, table.name));
  if (!portal.is_on_row()) bad_cursor(fmt::format("cursor \"{}\" is not positioned on a row", cursor.cursor));
  Oid actual = kInvalidOid;
  return portal.position(table.oid, tid, actual) && actual == table.oid;
}

bool find_cursor_row(const nodes::CurrentOf& cursor, std::span<const planner::ParameterValue>, Oid table, TupleId& tid) {
  Portal& portal = find_portal(*current_session(), cursor.cursor, true);
  if (!portal.is_plain_select()) bad_cursor(fmt::format("cursor \"{}\" is not a SELECT query", cursor.cursor));
  if (!portal.is_running_plan()) bad_cursor(fmt::format("cursor \"{}\" is held from a previous transaction", cursor.cursor));
  catalog::RelationRef relation = catalog::open_relation(table, locking::LockMode::none);
  const nodes::Query* query = portal.statement().query();
  int marks = 0;
  if (query != nullptr && count_row_marks(*query, *relation, marks)) return find_locked_row(portal, cursor, *relation, marks, tid);
  Oid actual = kInvalidOid;
  bool related = is_related(portal, *relation);
  if (related && !portal.is_on_row()) bad_cursor(fmt::format("cursor \"{}\" is not positioned on a row", cursor.cursor));
  if (!related || !portal.position(table, tid, actual)) {
    bad_cursor(fmt::format("cursor \"{}\" is not a simply updatable scan of table \"{}\"", cursor.cursor, relation->name));
  }
  // (Rows are locked in a query within an expression.)
  if (!is_valid(actual)) bad_cursor(fmt::format("cursor \"{}\" does not have a FOR UPDATE/SHARE reference to table \"{}\"", cursor.cursor, relation->name));
  return actual == table;
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{2510}, prepared_statements, FunctionKind::set_materialize},
    {Oid{2511}, cursors, FunctionKind::set_materialize},
};

}  // namespace

std::span<const BuiltinFunction> statement_functions() { return kFunctions; }

void install_cursor_hooks() {
  executor::set_cursor_lookup(find_cursor_row);
  ddl::set_open_cursor_check(has_open_cursor_on);
}

}  // namespace hathi::session
