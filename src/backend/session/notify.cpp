#include "notify.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/error/sql_error.h"
#include "hathi/locking/lock_table.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/transaction.h"
#include "notify_queue.h"
#include "row_writer.h"

namespace hathi::session {

namespace {

constexpr std::size_t kLongestChannel = 63, kLongestPayload = 7999;

enum class Action : std::uint8_t { listen, unlisten, unlisten_all };
struct PendingAction {
  Action action;
  std::string channel;
  int level;
};
struct PendingNotification {
  Notification notification;
  int level;
};

// Of the running transaction, in order.
struct Pending {
  std::vector<PendingAction> actions;
  std::vector<PendingNotification> notifications;
  std::set<std::pair<std::string, std::string>> seen;   // equal ones are sent once
  bool joined = false;                                   // to be undone by an abort
  bool empty() const { return actions.empty() && notifications.empty(); }
};

Pending& pending() {
  static Pending instance;
  return instance;
}
// In the order they were asked for.
std::vector<std::string>& channels() {
  static std::vector<std::string> instance;
  return instance;
}
bool listens_to(std::string_view channel) { return std::find(channels().begin(), channels().end(), channel) != channels().end(); }

// Senders commit one after the other, so that all listeners see one order: that of the commits.
void serialize_commits() {
  locking::acquire(transaction::owner(), locking::LockTag::object_tag(kInvalidOid, catalog_oid::pg_database, kInvalidOid, 0),
                   locking::LockMode::access_exclusive);
}

void before_commit() {
  Pending& p = pending();
  for (const PendingAction& a : p.actions) {
    if (a.action != Action::listen) continue;
    p.joined = p.joined || channels().empty();
    join_notify_queue();
  }
  if (p.notifications.empty()) return;
  std::size_t bytes = 0;
  for (const PendingNotification& n : p.notifications) bytes += notify_entry_size(n.notification.channel, n.notification.payload);
  serialize_commits();
  require_notify_room(bytes);
}

void after_commit() {
  Pending& p = pending();
  for (const PendingAction& a : p.actions) {
    if (a.action == Action::unlisten_all) channels().clear();
    else if (a.action == Action::unlisten) std::erase(channels(), a.channel);
    else if (!listens_to(a.channel)) channels().push_back(a.channel);
  }
  if (!p.actions.empty() && channels().empty()) leave_notify_queue();
  if (p.notifications.empty()) return;
  std::vector<Notification> all;
  for (PendingNotification& n : p.notifications) all.push_back(std::move(n.notification));
  publish_notifications(all);
}

void at_end(transaction::Event event) {
  Pending& p = pending();
  if (p.empty()) return;
  if (event == transaction::Event::pre_commit) return before_commit();
  if (event == transaction::Event::commit) after_commit();
  else if (p.joined) leave_notify_queue();
  p = Pending{};
}

void at_end_of_level(transaction::Event event, int level) {
  Pending& p = pending();
  if (p.empty()) return;
  if (event == transaction::Event::commit) {
    for (PendingAction& a : p.actions) a.level = std::min(a.level, level - 1);
    for (PendingNotification& n : p.notifications) n.level = std::min(n.level, level - 1);
  } else if (event == transaction::Event::abort) {
    std::erase_if(p.actions, [level](const PendingAction& a) { return a.level >= level; });
    std::erase_if(p.notifications, [level](const PendingNotification& n) { return n.level >= level; });
    p.seen.clear();
    for (const PendingNotification& n : p.notifications) p.seen.emplace(n.notification.channel, n.notification.payload);
  }
}

void add(Action action, std::string_view channel) {
  pending().actions.push_back({action, std::string(channel), transaction::nesting_level()});
}

std::string_view text_argument(FunctionCall& call, int i) { return call.arg_null(i) ? std::string_view() : varlena::text(call.arg(i), call.arena()); }

Datum notify_function(FunctionCall& call) {
  run_notify(text_argument(call, 0), text_argument(call, 1));
  return Datum();
}

Datum listening_channels(FunctionCall& call) {
  RowWriter row(call);
  for (const std::string& channel : channels()) row.text(channel).put();
  return Datum();
}

Datum queue_usage(FunctionCall&) { return Datum::of(notify_queue_usage()); }

constexpr BuiltinFunction kFunctions[] = {
    {Oid{3036}, notify_function},
    {Oid{3035}, listening_channels, FunctionKind::set_materialize},
    {Oid{3296}, queue_usage},
};

}  // namespace

void run_listen(std::string_view channel) { add(Action::listen, channel); }

void run_unlisten(std::string_view channel) {
  if (channels().empty() && pending().actions.empty()) return;
  add(channel.empty() ? Action::unlisten_all : Action::unlisten, channel);
}

void run_notify(std::string_view channel, std::string_view payload) {
  if (channel.empty()) throw SqlError(sqlstate::invalid_parameter_value, "channel name cannot be empty");
  if (channel.size() > kLongestChannel) throw SqlError(sqlstate::invalid_parameter_value, "channel name too long");
  if (payload.size() > kLongestPayload) throw SqlError(sqlstate::invalid_parameter_value, "payload string too long");
  Pending& p = pending();
  if (!p.seen.emplace(channel, payload).second) return;
  p.notifications.push_back({{std::string(channel), std::string(payload), 0}, transaction::nesting_level()});
}

void forget_all_channels() {
  channels().clear();
  pending().actions.clear();
  if (shmem::has_slot()) leave_notify_queue();
}

bool send_notifications(Session& session) {
  if (channels().empty()) return false;
  bool any = false;
  for (const Notification& n : take_notifications()) {
    if (!listens_to(n.channel)) continue;
    protocol::Connection& c = session.connection;
    c.begin('A');
    c.put_int32(n.sender);
    c.put_string(n.channel);
    c.put_string(n.payload);
    c.end();
    any = true;
  }
  return any;
}

void register_notify_hooks() {
  transaction::register_hook(at_end);
  transaction::register_subtransaction_hook(at_end_of_level);
}

std::span<const BuiltinFunction> notify_functions() { return kFunctions; }

}  // namespace hathi::session
