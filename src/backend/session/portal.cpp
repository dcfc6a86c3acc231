#include "portal.h"

#include "hathi/catalog/lookup.h"
#include "hathi/ddl/utility.h"
#include "hathi/transaction/transaction.h"
#include "row_sender.h"

namespace hathi::session {

namespace {

// Could PostgreSQL's executor run this plan backward? (Ours stores the rows instead; what clients may ask for is the same.)
bool runs_backward(const planner::Plan& plan) {
  using planner::PlanKind;
  switch (plan.kind) {
    case PlanKind::seq_scan: case PlanKind::index_scan: case PlanKind::index_only_scan: case PlanKind::tid_scan: case PlanKind::function_scan:
    case PlanKind::values_scan: case PlanKind::cte_scan: case PlanKind::materialize: case PlanKind::sort: case PlanKind::partitioned_scan: return true;
    case PlanKind::result: case PlanKind::lock_rows: case PlanKind::limit: return plan.left != nullptr && runs_backward(*plan.left);
    case PlanKind::subquery_scan: return runs_backward(*static_cast<const planner::SubqueryScan&>(plan).subplan);
    case PlanKind::append:
      for (const planner::Plan* input : static_cast<const planner::Append&>(plan).inputs) {
        if (!runs_backward(*input)) return false;
      }
      return true;
    default: return false;
  }
}

}  // namespace

void Portal::define(std::shared_ptr<CachedStatement> statement, std::span<const planner::ParameterValue> parameters, int cursor_options) {
  statement_ = std::move(statement);
  cursor_options_ = cursor_options;
  created_level_ = transaction::nesting_level();
  created_at_ = transaction::statement_timestamp();
  auto* copy = arena_.make_array<planner::ParameterValue>(parameters.size() + 1);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    copy[i] = parameters[i];
    if (!copy[i].value.is_null) copy[i].value.value = copy_datum(copy[i].value.value, catalog::type_info(copy[i].type).layout, arena_);
  }
  parameters_.values = {copy, parameters.size()};
}

void Portal::start() {
  tag_ = statement_->tag();
  state_ = PortalState::ready;
  if (statement_->is_empty()) return;
  if (statement_->is_utility()) {
    row_ = utility_row(*current_session(), statement_->raw().node, arena_);
    strategy_ = row_ != nullptr ? Strategy::utility : Strategy::command;
    return;
  }
  plan_ = statement_->plan_for(parameters_);
  bool returns_rows = plan_->plan->command == nodes::CommandKind::select || plan_->plan->has_returning;
  bool is_plain_select = plan_->plan->command == nodes::CommandKind::select && !plan_->plan->has_modifying_cte;
  strategy_ = !returns_rows ? Strategy::command : (is_plain_select ? Strategy::select : Strategy::stored);
  // A cursor that says nothing of SCROLL can move backward when its plan could in PostgreSQL.
  if (is_cursor_ && (cursor_options_ & (planner::kCursorScroll | planner::kCursorNoScroll)) == 0 && statement_->query()->row_marks.empty() &&
      runs_backward(*plan_->plan->plan)) {
    cursor_options_ |= planner::kCursorScroll;
  }
  executor::ExecutionOptions options;
  options.rewindable = (cursor_options_ & planner::kCursorScroll) != 0;
  if (plan_->idle != nullptr && !options.rewindable) {
    execution_ = std::move(plan_->idle);
    execution_->reset(parameters_);
  } else {
    execution_ = std::make_unique<executor::Execution>(*plan_->plan, parameters_, options);
  }
  execution_->lock_partitions();
  execution_->start(transaction::statement_snapshot());
  if (returns_rows) row_ = &execution_->row();
}

const List<nodes::TargetEntry*>* Portal::targets() const {
  const nodes::Query* query = statement_->query();
  return query == nullptr ? nullptr : returned_targets(*query);
}

void Portal::set_formats(std::vector<std::int16_t> formats) {
  std::size_t columns = row_ == nullptr ? 0 : static_cast<std::size_t>(row_->count());
  if (formats.size() > 1 && formats.size() != columns && columns != 0) {
    throw SqlError(sqlstate::protocol_violation, "bind message has {} result formats but query has {} columns", formats.size(), columns);
  }
  formats_ = std::move(formats);
}

void Portal::release() {
  if (execution_ == nullptr) return;
  if (state_ == PortalState::done && plan_->idle == nullptr && (cursor_options_ & planner::kCursorScroll) == 0 && plan_.use_count() > 1) {
    execution_->park();
    plan_->idle = std::move(execution_);
  }
  execution_.reset();
}

void Portal::fail() {
  state_ = PortalState::failed;
  execution_.reset();
  store_.reset();
}

// --- running ------------------------------------------------------------------------------------------------------------------
bool Portal::run(Session& session, std::uint64_t count, executor::RowReceiver& receiver, std::string& tag) {
  if (state_ == PortalState::failed) throw SqlError(sqlstate::object_not_in_prerequisite_state, "portal \"{}\" cannot be run", name_);
  if (state_ == PortalState::done && (strategy_ == Strategy::command || (strategy_ == Strategy::stored && store_ == nullptr))) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "portal \"{}\" cannot be run", name_);
  }
  state_ = PortalState::running;
  try {
    if (strategy_ == Strategy::command) {
      run_command(session, receiver);
      tag = tag_;
      state_ = PortalState::done;
      return true;
    }
    std::uint64_t sent = forward(session, count, receiver);
    if (statement_->tag().starts_with("SELECT")) tag = fmt::format("SELECT {}", sent);
    else if (strategy_ == Strategy::stored) tag = fmt::format("{} {}", statement_->tag() == "INSERT" ? "INSERT 0" : statement_->tag(), sent);
    else tag = tag_;
    state_ = at_end_ ? PortalState::done : PortalState::ready;
    return at_end_;
  } catch (...) {
    state_ = PortalState::failed;
    throw;
  }
}

void Portal::run_command(Session& session, executor::RowReceiver& receiver) {
  at_end_ = true;
  if (statement_->is_empty()) return;
  if (statement_->is_utility()) {
    run_utility(session, statement_->raw(), statement_->text(), true, parameters_, receiver, tag_);
    return;
  }
  NullReceiver nobody;
  execution_->run(nobody, executor::Direction::forward, 0);
  execution_->finish();
  set_tag_from_count(execution_->processed());
}

void Portal::set_tag_from_count(std::uint64_t count) {
  switch (plan_->plan->command) {
    case nodes::CommandKind::insert: tag_ = fmt::format("INSERT 0 {}", count); break;
    case nodes::CommandKind::update: tag_ = fmt::format("UPDATE {}", count); break;
    case nodes::CommandKind::remove: tag_ = fmt::format("DELETE {}", count); break;
    case nodes::CommandKind::merge: tag_ = fmt::format("MERGE {}", count); break;
    default: tag_ = fmt::format("SELECT {}", count); break;
  }
}

// Runs a statement whose rows are kept before they are sent.
void Portal::fill_store(Session& session) {
  if (store_ != nullptr) return;
  auto store = std::make_unique<RowStore>(*row_);
  if (strategy_ == Strategy::utility) {
    run_utility(session, statement_->raw(), statement_->text(), true, parameters_, *store, tag_);
  } else {
    execution_->run(*store, executor::Direction::forward, 0);
    execution_->finish();
    set_tag_from_count(execution_->processed());
  }
  store_ = std::move(store);
}

std::uint64_t Portal::forward(Session& session, std::uint64_t count, executor::RowReceiver& receiver) {
  if (strategy_ != Strategy::select) fill_store(session);
  if (at_end_ && strategy_ == Strategy::select && store_ == nullptr) {
    receiver.start(*row_);
    receiver.finish();
    return 0;
  }
  std::uint64_t sent = 0;
  receiver.start(*row_);
  if (store_ != nullptr) {
    while ((count == 0 || sent < count) && position_ < store_->size()) {
      store_->send(position_++, receiver);
      ++sent;
    }
    // As with a running plan the end is noticed by asking for one row more.
    if (count == 0 || sent < count) at_end_ = true;
  } else {
    sent = execution_->run(receiver, executor::Direction::forward, count);
    position_ += sent;
    if (count == 0 || sent < count) {
      at_end_ = true;
      if (!is_cursor_) execution_->finish();
    }
  }
  receiver.finish();
  if (sent > 0) at_start_ = false;
  return sent;
}

std::uint64_t Portal::backward(Session& session, std::uint64_t count, executor::RowReceiver& receiver) {
  if (strategy_ != Strategy::select) fill_store(session);
  if ((cursor_options_ & planner::kCursorNoScroll) != 0 || (store_ == nullptr && (cursor_options_ & planner::kCursorScroll) == 0)) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "cursor can only scan forward").hint("Declare it with SCROLL option to enable backward scan.");
  }
  receiver.start(*row_);
  std::uint64_t sent = 0;
  // The row under the cursor is not sent again: step over it first, unless the cursor stands behind the last row.
  if (store_ != nullptr) {
    std::uint64_t next = at_end_ ? store_->size() : (position_ == 0 ? 0 : position_ - 1);
    while ((count == 0 || sent < count) && next > 0) {
      store_->send(--next, receiver);
      ++sent;
      position_ = next + 1;
    }
    if (count == 0 || sent < count) position_ = 0;
  } else {
    sent = execution_->run(receiver, executor::Direction::backward, count);
    position_ = at_end_ ? position_ + 1 - sent : position_ - sent;
    if (count == 0 || sent < count) position_ = 0;
  }
  if (sent > 0) at_end_ = false;
  at_start_ = position_ == 0;
  if (at_start_) at_end_ = false;
  receiver.finish();
  return sent;
}

void Portal::rewind(Session&) {
  if (at_start_ && position_ == 0) return;
  if (store_ == nullptr) {
    if ((cursor_options_ & planner::kCursorScroll) == 0) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state, "cursor can only scan forward").hint("Declare it with SCROLL option to enable backward scan.");
    }
    execution_->rewind();
  }
  position_ = 0;
  at_start_ = true;
  at_end_ = false;
}

namespace {

std::uint64_t as_count(std::int64_t n) { return n == parser::kFetchAll ? 0 : static_cast<std::uint64_t>(n); }

}  // namespace

// Moves to a position counted from the start (n > 0) and sends that row.
std::uint64_t Portal::fetch_absolute(Session& session, std::int64_t n, executor::RowReceiver& receiver) {
  NullReceiver nobody;
  if (n > 0) {
    auto target = static_cast<std::uint64_t>(n);
    if (at_end_ || position_ >= target) rewind(session);
    if (target - 1 > position_) forward(session, target - 1 - position_, nobody);
    return at_end_ ? 0 : forward(session, 1, receiver);
  }
  if (n < 0) {
    if (!at_end_) forward(session, 0, nobody);
    if (n < -1) backward(session, static_cast<std::uint64_t>(-(n + 1)), nobody);
    return backward(session, 1, receiver);
  }
  rewind(session);
  return 0;
}

std::uint64_t Portal::fetch_relative(Session& session, std::int64_t n, executor::RowReceiver& receiver) {
  NullReceiver nobody;
  if (n > 0) {
    if (n > 1) forward(session, static_cast<std::uint64_t>(n - 1), nobody);
    return at_end_ ? 0 : forward(session, 1, receiver);
  }
  if (n < 0) {
    if (n < -1) backward(session, static_cast<std::uint64_t>(-n - 1), nobody);
    return backward(session, 1, receiver);
  }
  return refetch(session, receiver);
}

// The row the cursor stands on once more.
std::uint64_t Portal::refetch(Session& session, executor::RowReceiver& receiver) {
  if (at_start_ || at_end_) return 0;
  if (store_ != nullptr) {
    receiver.start(*row_);
    store_->send(position_ - 1, receiver);
    receiver.finish();
    return 1;
  }
  NullReceiver nobody;
  std::uint64_t here = position_;
  if (backward(session, 1, nobody) == 0) {
    rewind(session);
  }
  if (here - 1 > position_) forward(session, here - 1 - position_, nobody);
  return forward(session, 1, receiver);
}

std::uint64_t Portal::fetch(Session& session, parser::FetchDirection direction, std::int64_t count, executor::RowReceiver& receiver) {
  if (state_ == PortalState::failed || state_ == PortalState::running) {
    throw SqlError(sqlstate::object_in_use, "portal \"{}\" is already active", name_);
  }
  state_ = PortalState::running;
  ScopeExit settle([this] { if (state_ == PortalState::running) state_ = PortalState::ready; });
  try {
    switch (direction) {
      case parser::FetchDirection::absolute: return fetch_absolute(session, count, receiver);
      case parser::FetchDirection::relative: return fetch_relative(session, count, receiver);
      case parser::FetchDirection::forward:
        if (count < 0) return backward(session, static_cast<std::uint64_t>(-count), receiver);
        if (count == 0) return refetch(session, receiver);
        return at_end_ ? 0 : forward(session, as_count(count), receiver);
      case parser::FetchDirection::backward:
        if (count < 0) return forward(session, static_cast<std::uint64_t>(-count), receiver);
        if (count == 0) return refetch(session, receiver);
        return backward(session, as_count(count), receiver);
    }
    return 0;
  } catch (...) {
    state_ = PortalState::failed;
    throw;
  }
}

void Portal::hold(Session& session) {
  if (store_ != nullptr || held_) {
    held_ = true;
    return;
  }
  std::uint64_t here = position_;
  bool was_at_end = at_end_;
  auto store = std::make_unique<RowStore>(*row_);
  bool scrolls = (cursor_options_ & planner::kCursorScroll) != 0;
  if (scrolls) {
    execution_->rewind();
    execution_->run(*store, executor::Direction::forward, 0);
  } else {
    if (!at_end_) execution_->run(*store, executor::Direction::forward, 0);
    position_ = 0;
    here = 0;
  }
  store_ = std::move(store);
  position_ = was_at_end ? store_->size() : here;
  row_ = copy_descriptor(*row_, arena_);
  store_->set_row(*row_);
  execution_->finish();
  execution_.reset();
  plan_.reset();
  held_ = true;
  (void)session;
}

// --- the table of portals -------------------------------------------------------------------------------------------------------
Portal& find_portal(Session& session, std::string_view name, bool as_cursor) {
  auto it = session.portals.find(name);
  if (it == session.portals.end()) {
    throw SqlError(sqlstate::invalid_cursor_name, "{} \"{}\" does not exist", as_cursor ? "cursor" : "portal", name);
  }
  return *it->second;
}

Portal& create_portal(Session& session, std::string_view name) {
  auto it = session.portals.find(name);
  if (it != session.portals.end()) {
    if (!name.empty()) throw SqlError(sqlstate::duplicate_cursor, "cursor \"{}\" already exists", name);
    session.portals.erase(it);
  }
  auto portal = std::make_shared<Portal>(std::string(name));
  session.portals.emplace(std::string(name), portal);
  return *portal;
}

void drop_portal(Session& session, std::string_view name) {
  auto it = session.portals.find(name);
  if (it == session.portals.end()) return;
  if (it->second->state() == PortalState::running) throw SqlError(sqlstate::invalid_cursor_state, "cannot drop active portal \"{}\"", name);
  it->second->release();
  session.portals.erase(it);
}

void drop_portals_at_commit(Session& session) {
  for (auto it = session.portals.begin(); it != session.portals.end();) {
    Portal& portal = *it->second;
    if ((portal.cursor_options() & planner::kCursorHold) != 0 && portal.state() != PortalState::failed) {
      portal.hold(session);
      portal.move_to_level(0);
      ++it;
    } else if (portal.state() == PortalState::running) {
      ++it;   // the one that runs COMMIT itself
    } else {
      portal.release();
      it = session.portals.erase(it);
    }
  }
}

void fail_portals(Session& session) {
  int level = transaction::nesting_level();
  for (auto it = session.portals.begin(); it != session.portals.end();) {
    Portal& portal = *it->second;
    bool ends = portal.created_level() >= level || portal.state() == PortalState::running;
    if (ends && !portal.is_held() && !(portal.state() == PortalState::running && portal.statement().is_utility())) {
      // The unnamed one and those of statements that were running are not asked for again.
      if (it->first.empty()) {
        it = session.portals.erase(it);
        continue;
      }
      portal.fail();
    }
    ++it;
  }
}

void drop_portals_above_level(Session& session, int level) {
  std::erase_if(session.portals, [level](const auto& entry) {
    const Portal& portal = *entry.second;
    return !portal.is_held() && portal.state() != PortalState::running && portal.created_level() >= level;
  });
}

void drop_portals_at_abort(Session& session) {
  for (auto it = session.portals.begin(); it != session.portals.end();) {
    if (it->second->is_held() || (it->second->state() == PortalState::running && it->second->statement().is_utility())) ++it;
    else it = session.portals.erase(it);
  }
}

}  // namespace hathi::session
