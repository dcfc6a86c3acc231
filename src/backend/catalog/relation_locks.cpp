// Locking relations: their own tags, and the subtree tags of a partition's ancestors.

#include "hathi/catalog/relation_locks.h"

#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/locking/subtree_rules.h"
#include "hathi/locking/subtrees.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/relation_cache.h"

namespace hathi::catalog {

namespace {

using locking::LockMode;
using locking::LockResult;
using locking::LockSteps;
using locking::LockTag;
using locking::ResourceOwner;

LockTag subtree_tag(Oid table) { return LockTag::subtree_tag(current_database(), table); }

// Calls visit(ancestor) from the nearest upward, without locking anything. false from visit ends it.
// across_pending: also beyond a partition that is being detached.
template <class Visit>
void visit_ancestors(Oid relation, bool across_pending, Visit visit) {
  if (raw(relation) < raw(kFirstNormalOid)) return;
  RelationRef r = cached_relation(relation);
  if (r && r->index != nullptr) r = cached_relation(r->index->table);
  while (r && r->is_partition && is_valid(r->parent)) {
    if (!across_pending && is_detach_pending(*r)) return;
    Oid parent = r->parent;
    if (!visit(parent)) return;
    r = cached_relation(parent);
  }
}

// The strongest weak mode that this session holds on the tag.
LockMode held_weakly(const LockTag& tag) {
  for (LockMode mode : {LockMode::row_exclusive, LockMode::row_share, LockMode::access_share}) {
    if (locking::holds(tag, mode)) return mode;
  }
  return LockMode::none;
}

void add_covers(LockSteps& steps, Oid relation) {
  if (locking::weak_subtrees_held() == 0) return;
  visit_ancestors(relation, false, [&](Oid ancestor) {
    LockTag tag = subtree_tag(ancestor);
    if (LockMode held = held_weakly(tag); held != LockMode::none) steps.add_cover(tag, held);
    return true;
  });
}

void give_back(ResourceOwner& owner, const LockSteps& steps) {
  for (std::size_t i = steps.granted(); i-- > 0;) locking::release(owner, steps.steps()[i].tag, steps.steps()[i].mode);
}

// Carries the steps out. An error leaves what was taken to the owner: the transaction or subtransaction ends.
bool carry_out(ResourceOwner& owner, LockSteps& steps, Oid relation) {
  // (A session's lock outlives the subtree locks of the transaction.)
  if (&owner != &transaction::session_owner()) add_covers(steps, relation);
  LockSteps::Step step;
  while (steps.next(step)) {
    steps.answer(locking::acquire_as_if_held(owner, step.tag, step.mode, !step.may_wait, step.as_if_held) != LockResult::not_available);
    if (!steps.wants_ancestors()) continue;
    visit_ancestors(relation, true, [&](Oid ancestor) {
      steps.add_ancestor(subtree_tag(ancestor));
      return true;
    });
  }
  if (!steps.locked()) give_back(owner, steps);
  return steps.locked();
}

// The usual lock: one tag, and nothing is held that could cover it.
bool is_plain(LockMode mode) { return !locking::reaches_subtrees(mode) && locking::weak_subtrees_held() == 0; }

bool take_subtree(Oid table, LockMode mode, bool dont_wait) {
  HATHI_ASSERT(locking::is_weak(mode));
  // A subtree that contains this one covers it.
  if (locking::weak_subtrees_held() > 0) {
    bool covered = false;
    visit_ancestors(table, false, [&](Oid ancestor) {
      LockTag above = subtree_tag(ancestor);
      LockMode held = held_weakly(above);
      if (held < mode) return true;
      locking::acquire(transaction::owner(), above, held);
      covered = true;
      return false;
    });
    if (covered) return true;
  }
  return locking::acquire(transaction::owner(), subtree_tag(table), mode, dont_wait) != LockResult::not_available;
}

}  // namespace

bool is_detach_pending(const Relation& partition) {
  // Descriptors are only ever made as CachedRelation.
  return static_cast<const CachedRelation&>(partition).detach_pending;
}

LockTag relation_tag(Oid oid) {
  bool shared = raw(oid) < raw(kFirstNormalOid) && is_shared_catalog(oid);
  return LockTag::relation_tag(shared ? kInvalidOid : current_database(), oid);
}

LockResult acquire_relation_lock(ResourceOwner& owner, Oid relation, LockMode mode, bool dont_wait) {
  if (is_plain(mode)) return locking::acquire(owner, relation_tag(relation), mode, dont_wait);
  LockSteps steps(relation_tag(relation), mode, dont_wait);
  return carry_out(owner, steps, relation) ? LockResult::granted : LockResult::not_available;
}

void release_relation_lock(ResourceOwner& owner, Oid relation, LockMode mode) {
  if (locking::reaches_subtrees(mode)) {
    for (const LockTag& tag : subtree_tags(relation)) locking::release(owner, tag, mode);
  }
  locking::release(owner, relation_tag(relation), mode);
}

void lock_subtree(Oid table, LockMode mode) { take_subtree(table, mode, false); }
bool try_lock_subtree(Oid table, LockMode mode) { return take_subtree(table, mode, true); }

bool is_covered_by_subtree(Oid relation, LockMode mode) {
  if (locking::weak_subtrees_held() == 0) return false;
  bool covered = false;
  visit_ancestors(relation, false, [&](Oid ancestor) {
    covered = held_weakly(subtree_tag(ancestor)) >= mode;
    return !covered;
  });
  return covered;
}

std::vector<LockTag> subtree_tags(Oid relation) {
  std::vector<LockTag> tags;
  visit_ancestors(relation, true, [&](Oid ancestor) {
    tags.push_back(subtree_tag(ancestor));
    return true;
  });
  return tags;
}

void wait_for_relation_lockers(Oid relation, LockMode mode) {
  std::vector<LockTag> tags = subtree_tags(relation);
  tags.push_back(relation_tag(relation));
  locking::wait_for_lockers(tags, mode);
}

void lock_detached_partition(Oid partition, LockMode mode) { locking::acquire(transaction::owner(), relation_tag(partition), mode); }

// --- relation.h -------------------------------------------------------------------------------------------------------------------

RelationRef try_open_relation(Oid oid, LockMode mode) {
  if (mode == LockMode::none) return cached_relation(oid);
  if (is_plain(mode)) {
    locking::acquire(transaction::owner(), relation_tag(oid), mode);
    RelationRef r = cached_relation(oid);
    if (!r) locking::release(transaction::owner(), relation_tag(oid), mode);
    return r;
  }
  LockSteps steps(relation_tag(oid), mode, false);
  carry_out(transaction::owner(), steps, oid);
  RelationRef r = cached_relation(oid);
  if (!r) give_back(transaction::owner(), steps);
  return r;
}

RelationRef open_relation(Oid oid, LockMode mode) {
  RelationRef r = try_open_relation(oid, mode);
  if (!r) throw SqlError(sqlstate::undefined_table, "could not open relation with OID {}", raw(oid));
  return r;
}

void lock_relation(Oid oid, LockMode mode) { acquire_relation_lock(transaction::owner(), oid, mode); }

Oid find_and_lock_relation(std::string_view name, Oid schema, LockMode mode) {
  Oid oid = find_relation(name, schema);
  while (is_valid(oid)) {
    LockSteps steps(relation_tag(oid), mode, false);
    bool plain = is_plain(mode);
    if (plain)
      locking::acquire(transaction::owner(), relation_tag(oid), mode);
    else
      carry_out(transaction::owner(), steps, oid);
    Oid again = find_relation(name, schema);
    if (again == oid) return oid;
    if (plain)
      locking::release(transaction::owner(), relation_tag(oid), mode);
    else
      give_back(transaction::owner(), steps);
    oid = again;
  }
  return oid;
}

}  // namespace hathi::catalog
