#pragma once
// A model of lock tables, queues and sessions, small enough to try everything. Two schemes run on it: ours, by locking::LockSteps, and the
// judge's, in which a session that locks a subtree locks every relation of it one by one.
//
// The world: table 0 is partitioned into leaf 2 and into 4, which is partitioned itself and has leaf 6. The index of table n is n + 1.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hathi/locking/subtree_rules.h"

namespace hathi::locking::model {

inline constexpr int kRelations = 8, kTags = 10, kSessions = 3, kModeCount = 9;
inline constexpr int kTop = 0, kLeaf = 2, kMiddle = 4, kLowLeaf = 6;
enum class Scheme { ours, judge };

// Ancestors of a relation's table, nearest first.
inline std::vector<int> ancestors(int relation) {
  switch (relation / 2 * 2) {
    case kLeaf: case kMiddle: return {kTop};
    case kLowLeaf: return {kMiddle, kTop};
    default: return {};
  }
}
inline std::vector<int> below(int table) {
  if (table == kTop) return {2, 3, 4, 5, 6, 7};
  if (table == kMiddle) return {6, 7};
  return {};
}
inline LockTag own_tag(int relation) { return {.relation = static_cast<std::uint32_t>(relation), .kind = LockTagKind::relation}; }
inline LockTag subtree_tag(int table) { return {.relation = static_cast<std::uint32_t>(table), .kind = LockTagKind::subtree}; }
inline int number_of(const LockTag& tag) {
  return tag.kind == LockTagKind::relation ? static_cast<int>(tag.relation) : tag.relation == kTop ? 8 : 9;
}
inline LockTagKind kind_of(int tag) { return tag < kRelations ? LockTagKind::relation : LockTagKind::subtree; }

// What a statement locks: one relation, or the table and then all that is below it.
struct Operation {
  int relation = 0;
  LockMode mode = LockMode::none;
  bool subtree = false;
};

// The rules of acquire.cpp for grants and queues.
struct Table {
  std::uint8_t count[kSessions][kTags][kModeCount] = {};
  struct Waiter { std::int8_t session; LockMode mode, as_if_held; };
  std::array<std::vector<Waiter>, kTags> queue;

  bool holds(int session, int tag, LockMode mode) const { return count[session][tag][static_cast<int>(mode)] > 0; }
  bool conflicts_with_held(int session, int tag, LockMode mode) const {
    for (int m = 1; m < kModeCount; ++m) {
      if (count[session][tag][m] > 0 && conflicts(kind_of(tag), mode, static_cast<LockMode>(m))) return true;
    }
    return false;
  }
  // as_if_held: holders of modes that conflict with it do not count.
  bool conflicts_with_held(int session, int tag, LockMode mode, LockMode as_if_held) const {
    for (int m = 1; m < kModeCount; ++m) {
      auto held = static_cast<LockMode>(m);
      if (count[session][tag][m] > 0 && conflicts(kind_of(tag), mode, held) && !(as_if_held != LockMode::none && conflicts(kind_of(tag), as_if_held, held)))
        return true;
    }
    return false;
  }
  bool blocked_by_others(int session, int tag, LockMode mode, LockMode as_if_held) const {
    for (int s = 0; s < kSessions; ++s) {
      if (s != session && conflicts_with_held(s, tag, mode, as_if_held)) return true;
    }
    return false;
  }
  // Does the waiter wait for one who waits for the session (holds a mode that conflicts with as_if_held)?
  bool waits_for_incomplete(int session, int tag, LockMode waiter, LockMode as_if_held) const {
    for (int s = 0; s < kSessions && as_if_held != LockMode::none; ++s) {
      for (int m = 1; m < kModeCount && s != session; ++m) {
        auto held = static_cast<LockMode>(m);
        if (count[s][tag][m] > 0 && conflicts(kind_of(tag), as_if_held, held) && conflicts(kind_of(tag), waiter, held)) return true;
      }
    }
    return false;
  }
  void grant(int session, int tag, LockMode mode) { ++count[session][tag][static_cast<int>(mode)]; }

  enum class Answer { granted, waits, refused, deadlock };
  Answer acquire(int session, int tag, LockMode mode, bool may_wait, LockMode as_if_held = LockMode::none) {
    if (holds(session, tag, mode)) {
      grant(session, tag, mode);
      return Answer::granted;
    }
    std::vector<Waiter>& q = queue[static_cast<std::size_t>(tag)];
    std::size_t place = 0;
    bool must_wait = false, mutual = false;
    for (; place < q.size(); ++place) {
      bool waits_for_this = conflicts_with_held(session, tag, q[place].mode) ||
                            (as_if_held != LockMode::none && conflicts(kind_of(tag), q[place].mode, as_if_held));
      if (waits_for_this || waits_for_incomplete(session, tag, q[place].mode, as_if_held)) {
        mutual = conflicts_with_held(q[place].session, tag, mode, as_if_held);
        break;
      }
      must_wait = must_wait || conflicts(kind_of(tag), mode, q[place].mode);
    }
    if (!must_wait && !blocked_by_others(session, tag, mode, as_if_held)) {
      grant(session, tag, mode);
      return Answer::granted;
    }
    if (!may_wait) return Answer::refused;
    if (mutual) return Answer::deadlock;
    q.insert(q.begin() + static_cast<std::ptrdiff_t>(place), {static_cast<std::int8_t>(session), mode, as_if_held});
    return Answer::waits;
  }
  // The sessions whose wait is over.
  std::vector<int> wake(int tag) {
    std::vector<Waiter>& q = queue[static_cast<std::size_t>(tag)];
    std::vector<Waiter> stay;
    std::vector<int> woken;
    for (const Waiter& w : q) {
      bool behind = false;
      for (const Waiter& a : stay) behind = behind || conflicts(kind_of(tag), w.mode, a.mode);
      if (!behind && !blocked_by_others(w.session, tag, w.mode, w.as_if_held)) {
        grant(w.session, tag, w.mode);
        woken.push_back(w.session);
      } else {
        stay.push_back(w);
      }
    }
    q = stay;
    return woken;
  }
};

// A session that carries operations out, one tag at a time.
struct Session {
  int number = 0;
  Scheme scheme = Scheme::ours;
  std::vector<Operation> program;
  std::size_t at = 0;               // operations done
  bool waits = false, dead = false; // dead: it was chosen as the victim of a deadlock
  bool no_wait = false;             // operations fail instead of waiting

  // The operation that is going on: relations to lock one after the other; -1 = the subtree tag of `subtree_of`.
  std::vector<int> todo;
  std::size_t next_relation = 0;
  std::optional<LockSteps> steps;
  bool asked_ancestors = false, refused = false;
  std::vector<LockSteps::Step> taken;

  bool finished() const { return dead || at >= program.size(); }
  bool committed = false;
  const Operation& operation() const { return program[at]; }
};

struct World {
  Table table;
  std::vector<Session> sessions;

  LockMode held_weakly(int session, int tag) const {
    for (LockMode m : {LockMode::row_exclusive, LockMode::row_share, LockMode::access_share}) {
      if (table.holds(session, tag, m)) return m;
    }
    return LockMode::none;
  }

  void begin_relation(Session& s, int relation) {
    s.steps.emplace(own_tag(relation), s.operation().mode, s.no_wait);
    s.asked_ancestors = false;
    if (s.scheme == Scheme::judge) return;
    for (int a : ancestors(relation)) {
      LockMode held = held_weakly(s.number, number_of(subtree_tag(a)));
      if (held != LockMode::none) s.steps->add_cover(subtree_tag(a), held);
    }
  }

  // As partition::lock_partitions: the subtree tag if it is free, otherwise one after the other.
  void begin_operation(Session& s) {
    const Operation& o = s.operation();
    s.todo = {o.relation};
    s.next_relation = 0;
    s.refused = false;
    s.taken.clear();
    if (o.subtree && s.scheme == Scheme::judge) for (int r : below(o.relation)) s.todo.push_back(r);
    begin_relation(s, o.relation);
  }

  void end_relation(Session& s) {
    const Operation& o = s.operation();
    for (std::size_t i = 0; i < s.steps->granted(); ++i) s.taken.push_back(s.steps->steps()[i]);
    s.refused = !s.steps->locked();
    s.steps.reset();
    if (!s.refused && s.next_relation == 0 && o.subtree && s.scheme == Scheme::ours) lock_below(s);
    ++s.next_relation;
    if (!s.refused && s.next_relation < s.todo.size()) {
      begin_relation(s, s.todo[s.next_relation]);
      return;
    }
    if (s.refused) give_back(s);
    ++s.at;
  }

  // The table's own lock is there.
  void lock_below(Session& s) {
    const Operation& o = s.operation();
    for (int a : ancestors(o.relation)) {
      int tag = number_of(subtree_tag(a));
      LockMode held = held_weakly(s.number, tag);
      if (held < o.mode) continue;
      table.grant(s.number, tag, held);
      s.taken.push_back({subtree_tag(a), held});
      return;
    }
    int tag = number_of(subtree_tag(o.relation));
    if (table.acquire(s.number, tag, o.mode, false) == Table::Answer::granted) {
      s.taken.push_back({subtree_tag(o.relation), o.mode});
      return;
    }
    for (int r : below(o.relation)) s.todo.push_back(r);
  }

  void give_back(Session& s) {
    for (const LockSteps::Step& t : s.taken) --table.count[s.number][number_of(t.tag)][static_cast<int>(t.mode)];
    for (const LockSteps::Step& t : s.taken) wake(number_of(t.tag));
    s.taken.clear();
  }
  // The transaction ends: everything is released.
  void commit(Session& s) {
    s.committed = true;
    for (int tag = 0; tag < kTags; ++tag) {
      bool held = false;
      for (int m = 1; m < kModeCount; ++m) {
        held = held || table.count[s.number][tag][m] > 0;
        table.count[s.number][tag][m] = 0;
      }
      if (held) wake(tag);
    }
  }
  void wake(int tag) {
    for (int w : table.wake(tag)) {
      Session& other = sessions[static_cast<std::size_t>(w)];
      other.waits = false;
      answered(other, true);
    }
  }

  void answered(Session& s, bool granted) {
    s.steps->answer(granted);
    if (s.scheme == Scheme::ours && s.steps->wants_ancestors() && !s.asked_ancestors) {
      s.asked_ancestors = true;
      for (int a : ancestors(s.todo[s.next_relation])) s.steps->add_ancestor(subtree_tag(a));
    }
    LockSteps::Step step;
    if (!s.steps->next(step)) end_relation(s);
  }

  // One tag is asked for. False: the session waits, or has ended.
  bool advance(Session& s) {
    if (s.finished() || s.waits) return false;
    if (!s.steps) begin_operation(s);
    LockSteps::Step step;
    s.steps->next(step);
    switch (table.acquire(s.number, number_of(step.tag), step.mode, step.may_wait, step.as_if_held)) {
      case Table::Answer::granted: answered(s, true); break;
      case Table::Answer::refused: answered(s, false); break;
      case Table::Answer::waits: s.waits = true; break;
      case Table::Answer::deadlock: s.dead = true; break;
    }
    return true;
  }

  // Carries a whole operation out without waiting; was it granted?
  bool run_at_once(Session& s, const Operation& o) {
    s.program = {o};
    s.at = 0;
    s.no_wait = true;
    while (!s.finished()) advance(s);
    return !s.refused;
  }

  // Everybody whose transaction goes on waits, or the table found a mutual wait.
  bool is_deadlocked() const {
    bool anyone = false;
    for (const Session& s : sessions) {
      if (s.dead) return true;
      if (s.committed) continue;
      if (!s.waits) return false;
      anyone = true;
    }
    return anyone;
  }

  std::string key() const {
    std::string k;
    for (const Session& s : sessions) {
      k += {static_cast<char>(s.at), static_cast<char>(s.waits), static_cast<char>(s.next_relation), static_cast<char>(s.steps ? s.steps->granted() + 1 : 0),
            static_cast<char>(s.todo.size()), static_cast<char>(s.dead), static_cast<char>(s.committed)};
      LockSteps::Step step;
      auto copy = s.steps;
      if (copy && copy->next(step)) k += {static_cast<char>(number_of(step.tag)), static_cast<char>(step.mode), static_cast<char>(step.as_if_held)};
      k += ';';
    }
    k.append(reinterpret_cast<const char*>(table.count), sizeof(table.count));
    for (const auto& q : table.queue) {
      for (const auto& w : q) k += {static_cast<char>(w.session), static_cast<char>(w.mode), static_cast<char>(w.as_if_held)};
      k += ';';
    }
    return k;
  }
};

inline World make_world(Scheme scheme, int sessions) {
  World w;
  for (int i = 0; i < sessions; ++i) {
    Session s;
    s.number = i;
    s.scheme = scheme;
    w.sessions.push_back(s);
  }
  return w;
}

}  // namespace hathi::locking::model
