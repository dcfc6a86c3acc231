#pragma once
// Which tags a relation's lock consists of, now that whole subtrees of partitions can be locked at once. No state, no waiting: the lock
// functions of catalog/ carry the steps out, and a model of them is checked exhaustively (test/unit/locking/subtree_model_test.cpp).
//
// Theorem: if one session has locked a relation in mode a and another in mode b, and a and b conflict, then both cannot be granted, whether
// each locked it by its own tag or, weakly, by the subtree tag of an ancestor. See locking/README.md.

#include <vector>

#include "hathi/locking/lock_table.h"

namespace hathi::locking {

// The modes that may be taken on a subtree instead of on each relation below it.
constexpr bool is_weak(LockMode mode) { return mode >= LockMode::access_share && mode <= LockMode::row_exclusive; }
// The modes that conflict with some weak mode: they are taken on the subtree tags of all ancestors too.
constexpr bool reaches_subtrees(LockMode mode) { return mode >= LockMode::share; }

// The steps of locking one relation: each must be granted before the next. next() names the tag to ask for; answer() tells what came of it.
class LockSteps {
 public:
  struct Step { LockTag tag; LockMode mode = LockMode::none; bool may_wait = false; LockMode as_if_held = LockMode::none; };

  // own: the relation's tag. dont_wait: no step may wait.
  LockSteps(const LockTag& own, LockMode mode, bool dont_wait) : mode_(mode), dont_wait_(dont_wait) {
    plan_.push_back({own, mode, !dont_wait, LockMode::none});
  }

  // Before the first step: a subtree tag whose subtree contains the relation, and the strongest weak mode that this session holds on it.
  // (None across a partition that is being detached.) The relation is locked in that mode in effect. If that is enough, the step is to hold
  // the subtree's tag once more; if not, the relation's tag is taken as by one who holds that mode of it: whoever was granted a conflicting
  // mode of the relation's tag has yet to get this subtree's, so he waits for this session and must not be waited for.
  void add_cover(const LockTag& subtree, LockMode held) {
    Step& first = plan_.front();
    if (is_weak(mode_) && held >= mode_) first = {subtree, held, false, LockMode::none};
    else if (first.tag.kind == LockTagKind::relation && held > first.as_if_held) first.as_if_held = held;
  }
  // After the first step was granted, and with what is read under it: the subtree tag of an ancestor.
  void add_ancestor(const LockTag& subtree) { plan_.push_back({subtree, mode_, !dont_wait_, LockMode::none}); }
  bool wants_ancestors() const { return reaches_subtrees(mode_) && granted_ == 1 && plan_.size() == 1; }

  // False when there is nothing more to ask for: locked() tells the outcome.
  bool next(Step& step) const {
    if (failed_ || granted_ == plan_.size()) return false;
    step = plan_[granted_];
    return true;
  }
  // (A step that may wait ends granted, or by an error.)
  void answer(bool granted) {
    if (granted) ++granted_;
    else failed_ = true;
  }
  bool locked() const { return !failed_ && granted_ == plan_.size(); }
  // What was granted so far are the first `granted()` of `steps()`; to be given back when it failed, latest first.
  std::size_t granted() const { return granted_; }
  const std::vector<Step>& steps() const { return plan_; }

 private:
  LockMode mode_;
  bool dont_wait_, failed_ = false;
  std::size_t granted_ = 0;
  std::vector<Step> plan_;
};

}  // namespace hathi::locking
