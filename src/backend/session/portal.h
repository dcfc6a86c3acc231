#pragma once
// A portal: a statement with its parameters, ready to run, running, or run. Cursors are portals with a name.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hathi/executor/executor.h"
#include "hathi/session/session.h"
#include "plan_cache.h"
#include "row_store.h"

namespace hathi::session {

enum class PortalState : std::uint8_t { created, ready, running, done, failed };

class Portal {
 public:
  explicit Portal(std::string name) : name_(std::move(name)) {}

  // Binds a statement: plans it and takes its snapshot. The parameters are copied.
  void define(std::shared_ptr<CachedStatement> statement, std::span<const planner::ParameterValue> parameters, int cursor_options);
  void start();
  // Column formats: empty = all text, one = for all, else one a column (08P01 otherwise).
  void set_formats(std::vector<std::int16_t> formats);
  std::span<const std::int16_t> formats() const { return formats_; }
  // The targets its columns come from; nullptr for utility statements.
  const List<nodes::TargetEntry*>* targets() const;

  // Runs forward up to `count` rows (0 = all) into the receiver; true when the portal came to its end. tag is set then.
  bool run(Session& session, std::uint64_t count, executor::RowReceiver& receiver, std::string& tag);
  // FETCH / MOVE: moves as asked and sends the rows passed; returns their number.
  std::uint64_t fetch(Session& session, parser::FetchDirection direction, std::int64_t count, executor::RowReceiver& receiver);

  const TupleDescriptor* row() const { return row_; }
  const CachedStatement& statement() const { return *statement_; }
  const std::string& name() const { return name_; }
  std::span<const planner::ParameterValue> parameters() const { return parameters_.values; }
  bool has_run() const { return position_ > 0 || at_end_; }
  PortalState state() const { return state_; }
  bool is_cursor() const { return is_cursor_; }
  int cursor_options() const { return cursor_options_; }
  int created_level() const { return created_level_; }
  bool is_held() const { return held_; }
  std::int64_t created_at() const { return created_at_; }
  void mark_cursor() { is_cursor_ = true; }
  // A holdable cursor at commit: reads all its rows into the store.
  void hold(Session& session);
  void move_to_level(int level) { created_level_ = level; }
  bool position(Oid table, TupleId& tid, Oid& actual) const { return execution_ != nullptr && execution_->current_row(table, tid, actual); }
  const planner::PlannedStatement* plan() const { return plan_ == nullptr ? nullptr : plan_->plan; }
  bool is_plain_select() const { return strategy_ == Strategy::select; }
  // Does its run keep the table or index open?
  bool holds(Oid relation) const { return is_running_plan() && strategy_ == Strategy::select && execution_->holds(relation); }
  bool is_running_plan() const { return execution_ != nullptr && state_ != PortalState::failed; }
  bool is_on_row() const { return !at_start_ && !at_end_; }
  // Ends its run for good.
  void fail();
  // Gives the finished run back to its plan for reuse.
  void release();

 private:
  enum class Strategy : std::uint8_t { select, stored, utility, command };
  std::uint64_t forward(Session& session, std::uint64_t count, executor::RowReceiver& receiver);
  std::uint64_t backward(Session& session, std::uint64_t count, executor::RowReceiver& receiver);
  void fill_store(Session& session);
  void run_command(Session& session, executor::RowReceiver& receiver);
  void rewind(Session& session);
  std::uint64_t fetch_absolute(Session& session, std::int64_t n, executor::RowReceiver& receiver);
  std::uint64_t fetch_relative(Session& session, std::int64_t n, executor::RowReceiver& receiver);
  std::uint64_t refetch(Session& session, executor::RowReceiver& receiver);
  void set_tag_from_count(std::uint64_t count);

  std::string name_;
  std::shared_ptr<CachedStatement> statement_;
  std::shared_ptr<PlanMemory> plan_;
  std::unique_ptr<executor::Execution> execution_;
  Arena arena_{2048};
  planner::BoundParameters parameters_;
  std::vector<std::int16_t> formats_;
  const TupleDescriptor* row_ = nullptr;
  Strategy strategy_ = Strategy::command;
  PortalState state_ = PortalState::created;
  std::unique_ptr<RowStore> store_;
  std::string tag_;
  int cursor_options_ = 0;
  int created_level_ = 1;
  bool is_cursor_ = false, held_ = false, at_start_ = true, at_end_ = false;
  std::uint64_t position_ = 0;          // rows passed going forward
  std::int64_t created_at_ = 0;
};

// Finds a portal: 34000 'portal "x" does not exist' / 'cursor "x" does not exist'.
Portal& find_portal(Session& session, std::string_view name, bool as_cursor);
// A new portal under the name, the old unnamed one replaced; 42P03 when a named one exists.
Portal& create_portal(Session& session, std::string_view name);
void drop_portal(Session& session, std::string_view name);
// At the end of a transaction or subtransaction.
void drop_portals_at_commit(Session& session);
void drop_portals_at_abort(Session& session);
// In a block that failed: its portals stay known until it ends, but cannot run.
void fail_portals(Session& session);
// After ROLLBACK TO: what was made in the savepoints that ended.
void drop_portals_above_level(Session& session, int level);

}  // namespace hathi::session
