// The rules of subtree locks, tried exhaustively on a model against the scheme with one lock a relation as the judge.

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <unordered_set>

#include "subtree_model.h"

namespace hathi::locking::model {
namespace {

constexpr LockMode kAll[] = {LockMode::access_share, LockMode::row_share, LockMode::row_exclusive, LockMode::share_update_exclusive,
                             LockMode::share, LockMode::share_row_exclusive, LockMode::exclusive, LockMode::access_exclusive};
constexpr LockMode kWeakModes[] = {LockMode::access_share, LockMode::row_share, LockMode::row_exclusive};

std::string text(const Operation& o) {
  static const char* const names[] = {"top", "top's index", "leaf", "leaf's index", "middle", "middle's index", "low leaf", "low leaf's index"};
  return std::string(o.subtree ? "subtree of " : "") + names[o.relation] + " " + lock_mode_name(o.mode);
}
std::string text(const std::vector<Operation>& program) {
  std::string all;
  for (const Operation& o : program) all += "[" + text(o) + "] ";
  return all;
}

// What an operation locks in the judge's scheme.
std::vector<int> covers(const Operation& o) {
  std::vector<int> all{o.relation};
  if (o.subtree) for (int r : below(o.relation)) all.push_back(r);
  return all;
}
bool exclude_each_other(const Operation& a, const Operation& b) {
  if (!conflicts(a.mode, b.mode)) return false;
  std::vector<int> of_b = covers(b);
  for (int r : covers(a)) {
    if (std::find(of_b.begin(), of_b.end(), r) != of_b.end()) return true;
  }
  return false;
}

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (int r = 0; r < kRelations; ++r) for (LockMode m : kAll) all.push_back({r, m, false});
  for (int t : {kTop, kMiddle}) for (LockMode m : kWeakModes) all.push_back({t, m, true});
  return all;
}
// One of each kind: for longer histories.
std::vector<Operation> some_operations() {
  std::vector<Operation> all;
  for (int r : {kLeaf, kMiddle, kLowLeaf}) {
    for (LockMode m : {LockMode::access_share, LockMode::row_exclusive, LockMode::share, LockMode::access_exclusive}) all.push_back({r, m, false});
  }
  all.push_back({kLowLeaf + 1, LockMode::access_exclusive, false});
  for (int t : {kTop, kMiddle}) for (LockMode m : {LockMode::access_share, LockMode::row_exclusive}) all.push_back({t, m, true});
  return all;
}

// Extends a history of operations that do not wait by each operation of each session; both schemes must give the same answers.
void extend(const World& ours, const World& judge, const std::vector<Operation>& operations, int depth, std::vector<std::string>& history,
            int& differences) {
  if (depth == 0 || differences > 5) return;
  for (std::size_t i = 0; i < ours.sessions.size(); ++i) {
    // (Which session begins makes no difference, nor which of two new ones comes next.)
    if (i > 0 && ours.sessions[i - 1].program.empty()) break;
    for (const Operation& o : operations) {
      World a = ours, b = judge;
      bool granted = a.run_at_once(a.sessions[i], o), wanted = b.run_at_once(b.sessions[i], o);
      history.push_back(std::to_string(i) + ": " + text(o));
      if (granted != wanted) {
        std::string all;
        for (const std::string& h : history) all += h + "; ";
        ADD_FAILURE() << all << (granted ? "granted, should be refused" : "refused, should be granted");
        ++differences;
      } else {
        extend(a, b, operations, depth - 1, history, differences);
      }
      history.pop_back();
    }
  }
}

void compare(int sessions, int depth, const std::vector<Operation>& operations) {
  std::vector<std::string> history;
  int differences = 0;
  extend(make_world(Scheme::ours, sessions), make_world(Scheme::judge, sessions), operations, depth, history, differences);
}

TEST(SubtreeModelTest, TwoSessionsAgreeWithTheJudge) { compare(2, 3, all_operations()); }
TEST(SubtreeModelTest, ThreeSessionsAgreeWithTheJudge) { compare(3, 4, some_operations()); }
TEST(SubtreeModelTest, TheJudgeItselfRefuses) {
  // The comparison means something only if both answers occur.
  World w = make_world(Scheme::judge, 2);
  EXPECT_TRUE(w.run_at_once(w.sessions[0], {kTop, LockMode::access_share, true}));
  EXPECT_FALSE(w.run_at_once(w.sessions[1], {kLowLeaf + 1, LockMode::access_exclusive}));
  EXPECT_TRUE(w.run_at_once(w.sessions[1], {kLowLeaf + 1, LockMode::exclusive}));
}

// --- with waiting -----------------------------------------------------------------------------------------------------------------

struct Exploration {
  bool deadlock = false;
  std::string conflict;                       // two operations that exclude each other, both done
  std::unordered_set<std::string> seen;

  void check(const World& w) {
    for (const Session& a : w.sessions) {
      for (const Session& b : w.sessions) {
        if (a.number >= b.number || a.committed || b.committed) continue;
        for (std::size_t i = 0; i < a.at; ++i) {
          for (std::size_t j = 0; j < b.at; ++j) {
            if (exclude_each_other(a.program[i], b.program[j])) conflict = text(a.program[i]) + " and " + text(b.program[j]);
          }
        }
      }
    }
  }

  // Every interleaving of the sessions' steps.
  void explore(const World& w) {
    if (!seen.insert(w.key()).second) return;
    check(w);
    if (w.is_deadlocked()) deadlock = true;
    for (std::size_t i = 0; i < w.sessions.size(); ++i) {
      const Session& s = w.sessions[i];
      if (s.committed || s.waits || s.dead) continue;
      World next = w;
      if (s.finished()) next.commit(next.sessions[i]);
      else next.advance(next.sessions[i]);
      explore(next);
    }
  }
};

Exploration run(Scheme scheme, const std::vector<std::vector<Operation>>& programs) {
  World w = make_world(scheme, static_cast<int>(programs.size()));
  for (std::size_t i = 0; i < programs.size(); ++i) w.sessions[i].program = programs[i];
  Exploration e;
  e.explore(w);
  return e;
}

std::vector<Operation> waiting_operations() {
  using enum LockMode;
  return {{kTop, access_share, true}, {kTop, row_exclusive, true}, {kMiddle, access_share, true}, {kLeaf, row_exclusive, false},
          {kLeaf, share, false}, {kLeaf, access_exclusive, false}, {kLowLeaf, access_share, false}, {kLowLeaf, row_exclusive, false},
          {kLowLeaf, share, false}, {kLowLeaf + 1, access_exclusive, false}, {kMiddle, exclusive, false}};
}

void explore_programs(const std::vector<std::vector<Operation>>& programs) {
  Exploration ours = run(Scheme::ours, programs);
  std::string all;
  for (const auto& p : programs) all += text(p) + "| ";
  ASSERT_EQ(ours.conflict, "") << all;
  if (!ours.deadlock) return;
  ASSERT_TRUE(run(Scheme::judge, programs).deadlock) << "a deadlock that the judge does not have: " << all;
}

TEST(SubtreeModelTest, TwoWaitingSessions) {
  std::vector<Operation> o = waiting_operations();
  std::vector<std::vector<Operation>> programs;
  for (const Operation& x : o) for (const Operation& y : o) programs.push_back({x, y});
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (std::size_t j = i; j < programs.size(); ++j) {
      ASSERT_NO_FATAL_FAILURE(explore_programs({programs[i], programs[j]}));
    }
  }
}

TEST(SubtreeModelTest, ThreeWaitingSessions) {
  std::vector<Operation> o = waiting_operations();
  for (const Operation& a : o) for (const Operation& b : o) {
    for (std::size_t i = 0; i < o.size(); ++i) {
      for (std::size_t j = i; j < o.size(); ++j) ASSERT_NO_FATAL_FAILURE(explore_programs({{a, b}, {o[i]}, {o[j]}}));
    }
  }
}

}  // namespace
}  // namespace hathi::locking::model
