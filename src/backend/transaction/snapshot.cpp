#include "hathi/transaction/snapshot.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"
#include "shared.h"
#include "snapshot_export.h"
#include "state.h"

namespace hathi::transaction {

namespace {

// A snapshot with its memory. `snapshot` is the first member, so a Snapshot* leads back here.
struct Node {
  Snapshot snapshot;
  int references = 0;
  std::vector<Xid> running;
};
static_assert(offsetof(Node, snapshot) == 0);

// Nodes in use, few at a time; free ones for reuse; the newest snapshot taken, which serves again while no transaction has ended.
struct Registry {
  std::vector<Node*> active;
  std::vector<Node*> free;
  Node* newest = nullptr;
  std::uint64_t taken = 0;
};
Registry registry;

Node* new_node() {
  if (registry.free.empty()) return new Node;
  Node* node = registry.free.back();
  registry.free.pop_back();
  return node;
}

Node* node_of(const Snapshot* s) { return const_cast<Node*>(reinterpret_cast<const Node*>(s)); }

void fill(Node& node) {
  RunningState state = collect_running(node.running);
  std::sort(node.running.begin(), node.running.end());
  Snapshot& s = node.snapshot;
  s = Snapshot{};
  s.xmin = state.xmin;
  s.xmax = state.xmax;
  s.running = node.running.data();
  s.running_count = static_cast<std::uint32_t>(node.running.size());
  s.may_have_subtransactions = state.has_subtransactions;
  s.completion_count = state.completions;
}

void activate(Node* node) {
  node->references = 1;
  registry.active.push_back(node);
}

void release(Node* node) {
  if (--node->references > 0) return;
  auto& active = registry.active;
  auto it = std::find(active.begin(), active.end(), node);
  HATHI_ASSERT(it != active.end());
  *it = active.back();
  active.pop_back();
  if (node != registry.newest) registry.free.push_back(node);
  Xid oldest = kInvalidXid;
  for (Node* n : active)
    if (oldest == kInvalidXid || n->snapshot.xmin < oldest) oldest = n->snapshot.xmin;
  if (shmem::has_slot()) replace_xmin(oldest);
}

}  // namespace

struct SnapshotAccess {
  static SnapshotRef make(Node* node) {
    SnapshotRef r;
    r.snapshot_ = &node->snapshot;
    return r;
  }
};

namespace {

SnapshotRef newest(CommandId command) {
  ++registry.taken;
  Node*& cached = registry.newest;
  if (cached != nullptr && publish_xmin(cached->snapshot.xmin, cached->snapshot.completion_count)) {
    if (cached->references == 0) {
      cached->snapshot.command = command;
      activate(cached);
      return SnapshotAccess::make(cached);
    }
    if (cached->snapshot.command == command) {
      ++cached->references;
      return SnapshotAccess::make(cached);
    }
    Node* copy = new_node();
    copy->running = cached->running;
    copy->snapshot = cached->snapshot;
    copy->snapshot.running = copy->running.data();
    copy->snapshot.command = command;
    activate(copy);
    return SnapshotAccess::make(copy);
  }
  if (cached == nullptr || cached->references > 0) cached = new_node();
  fill(*cached);
  cached->snapshot.command = command;
  activate(cached);
  return SnapshotAccess::make(cached);
}

SnapshotRef copy_with_command(const Snapshot& s, CommandId command) {
  Node* copy = new_node();
  copy->running.assign(s.running, s.running + s.running_count);
  copy->snapshot = s;
  copy->snapshot.running = copy->running.data();
  copy->snapshot.command = command;
  activate(copy);
  return SnapshotAccess::make(copy);
}

// Of the running REPEATABLE READ transaction.
SnapshotRef& transaction_snapshot() {
  static SnapshotRef ref;
  return ref;
}

}  // namespace

std::uint64_t snapshots_taken() { return registry.taken; }

void adopt_transaction_snapshot(Xid xmin, Xid xmax, std::vector<Xid> running, bool may_have_subtransactions) {
  Node* node = new_node();
  node->running = std::move(running);
  Snapshot& s = node->snapshot;
  s = Snapshot{};
  s.xmin = xmin;
  s.xmax = xmax;
  s.running = node->running.data();
  s.running_count = static_cast<std::uint32_t>(node->running.size());
  s.may_have_subtransactions = may_have_subtransactions;
  s.command = current_command(false);
  publish_xmin(xmin, 0);
  activate(node);
  transaction_snapshot() = SnapshotAccess::make(node);
}

void forget_transaction_snapshot() { transaction_snapshot() = SnapshotRef(); }

SnapshotRef::~SnapshotRef() {
  if (snapshot_ != nullptr) release(node_of(snapshot_));
}
SnapshotRef::SnapshotRef(SnapshotRef&& other) noexcept : snapshot_(std::exchange(other.snapshot_, nullptr)) {}
SnapshotRef& SnapshotRef::operator=(SnapshotRef&& other) noexcept {
  if (this != &other) {
    if (snapshot_ != nullptr) release(node_of(snapshot_));
    snapshot_ = std::exchange(other.snapshot_, nullptr);
  }
  return *this;
}
SnapshotRef SnapshotRef::share() const {
  if (snapshot_ == nullptr) return {};
  ++node_of(snapshot_)->references;
  SnapshotRef r;
  r.snapshot_ = snapshot_;
  return r;
}

SnapshotRef statement_snapshot() {
  HATHI_ASSERT(is_running());
  state().first_snapshot_taken = true;
  if (isolation() < Isolation::repeatable_read) return newest(current_command(false));
  SnapshotRef& mine = transaction_snapshot();
  if (!mine) mine = newest(current_command(false));
  return with_current_command(mine);
}

SnapshotRef catalog_snapshot() { return newest(current_command(false)); }
SnapshotRef latest_snapshot() { return newest(current_command(false)); }

SnapshotRef with_current_command(const SnapshotRef& s) {
  CommandId command = current_command(false);
  if (s->command == command) return s.share();
  return copy_with_command(*s, command);
}

const Snapshot& self_snapshot() {
  static const Snapshot s{.kind = Snapshot::Kind::self};
  return s;
}
const Snapshot& any_snapshot() {
  static const Snapshot s{.kind = Snapshot::Kind::any};
  return s;
}
const Snapshot& toast_snapshot() {
  static const Snapshot s{.kind = Snapshot::Kind::toast};
  return s;
}
Snapshot dirty_snapshot() { return {.kind = Snapshot::Kind::dirty}; }

bool in_snapshot(Xid xid, const Snapshot& s) {
  if (xid < s.xmin) return false;
  if (xid >= s.xmax) return true;
  if (s.may_have_subtransactions) {
    xid = top_level_of(xid);
    if (xid < s.xmin) return false;
  }
  if (s.running_count <= 8) {
    for (std::uint32_t i = 0; i < s.running_count; ++i)
      if (s.running[i] == xid) return true;
    return false;
  }
  return std::binary_search(s.running, s.running + s.running_count, xid);
}

}  // namespace hathi::transaction
