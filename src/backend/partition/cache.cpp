// The descriptors this process knows: loaded once, then kept true by what the transaction says it changes.
//
// Theorem: an entry whose stamp is current is what the catalog says. Another one is derived instead of read when all that happened since
// its stamp was told by note_attached() and note_detached() of this process: inside a transaction its own stamp moves only by its
// own notes, and at commit the shared stamp has moved by exactly one version when nobody else changed the slot.

#include "internal.h"

#include <algorithm>
#include <unordered_map>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/versions.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/catalog/shared_store.h"

namespace hathi::partition {

namespace {

namespace versions = catalog::versions;
constexpr std::size_t kMostEntries = 64;
// Garbage of removed bounds in an entry's pool that is not worth reading the catalog again for.
constexpr std::size_t kPoolSlack = 1u << 20;

struct Change {
  CommandId command;
  Placed added;                // bound null: removed
};

struct Entry {
  Oid parent = kInvalidOid;
  versions::Stamp stamp;
  std::shared_ptr<Arena> pool = std::make_shared<Arena>(4096);   // the key and the bounds
  std::size_t pool_when_loaded = 0;
  std::unique_ptr<DescriptorArrays> current = std::make_unique<DescriptorArrays>(), spare = std::make_unique<DescriptorArrays>();
  std::vector<Change> changes; // not applied yet
  bool is_own = false;         // has seen changes of this transaction
  bool misses_own = false;     // loaded in a command that had changed it before: the next one reads it anew
  std::uint64_t last_used = 0;
};

struct Cache {
  std::unordered_map<std::uint32_t, std::unique_ptr<Entry>> entries;
  std::unordered_map<std::uint32_t, CommandId> untracked;   // changes of this transaction noted while there was no entry
  std::uint64_t clock = 0;
};
Cache& cache() {
  static Cache* instance = new Cache;  // lives as long as the process
  return *instance;
}

std::uint64_t version_number(const versions::Stamp& stamp) { return stamp.shared + stamp.own * 0x9E3779B97F4A7C15u; }

std::uint32_t slot_of(Oid parent) { return versions::slot_of(catalog_oid::pg_inherits, parent); }

void read_members(Entry& e, std::vector<Placed>& out) {
  namespace i = catalog::pg_inherits;
  namespace c = catalog::pg_class;
  const PartitionKey& key = *e.current->descriptor.key;
  Arena scratch(8192);
  catalog::CatalogTable inherits(catalog_oid::pg_inherits, locking::LockMode::access_share), classes(catalog_oid::pg_class, locking::LockMode::access_share);
  catalog::CatalogKey by_parent{i::inhparent, Datum::of(e.parent)};
  std::vector<std::pair<Oid, bool>> found;
  inherits.scan({&by_parent, 1}, scratch, [&](catalog::CatalogRow& row) {
    found.emplace_back(row.get(i::inhrelid).as_oid(), row.get(i::inhdetachpending).as_bool());
    if (found.back().second) e.current->descriptor.pending_since = row.xmin;
    return true;
  });
  for (auto [oid, pending] : found) {
    scratch.reset();
    auto row = classes.find({{c::oid, Datum::of(oid)}}, scratch);
    if (!row || row->is_null(c::relpartbound)) continue;
    auto* bound = e.pool->make<Bound>(bound_from_text(varlena::text(row->get(c::relpartbound), scratch), key, *e.pool));
    out.push_back({{oid, row->get(c::relkind).as_char() != catalog::relation_kind::partitioned_table, pending}, bound});
  }
}

// A view of one's own from the one that is shared.
bool load_shared(const catalog::Relation& parent, Entry& e) {
  if (e.stamp.own != 0 || parent.persistence == 't') return false;
  const void* found = catalog::shared_store::find({catalog::shared_store::Kind::partitions, catalog::current_database(), raw(parent.oid)}, e.stamp.shared);
  if (found == nullptr) return false;
  const auto& from = *static_cast<const PartitionDescriptor*>(found);
  DescriptorArrays& to = *e.current;
  to.descriptor.parent = from.parent;
  to.descriptor.pending_since = from.pending_since;
  to.descriptor.key = copy_descriptor(from, *e.pool)->key;
  std::vector<Placed> members;
  for (std::size_t i = 0; i < from.members.size(); ++i) members.push_back({from.members[i], copy_bound(*from.bounds[i], *to.descriptor.key, *e.pool)});
  arrange(std::move(members), to);
  set_version(to, from.version);
  return true;
}

void load(const catalog::Relation& parent, Entry& e) {
  e.parent = parent.oid;
  while (true) {
    e.stamp = versions::stamp(slot_of(parent.oid));
    e.pool = std::make_shared<Arena>(4096);
    if (load_shared(parent, e)) break;
    PartitionDescriptor& d = e.current->descriptor;
    d.parent = parent.oid;
    d.key = load_key(parent, *e.pool);
    std::vector<Placed> members;
    read_members(e, members);
    if (versions::stamp(slot_of(parent.oid)) != e.stamp) continue;
    arrange(std::move(members), *e.current);
    set_version(*e.current, version_number(e.stamp));
    break;
  }
  e.pool_when_loaded = e.pool->footprint();
  e.changes.clear();
  e.is_own = versions::changed_by_me(slot_of(parent.oid));
  auto noted = cache().untracked.find(raw(parent.oid));
  e.misses_own = noted != cache().untracked.end() && noted->second >= transaction::current_command(false);
}

// The changes of commands before this one.
void apply(Entry& e, bool all) {
  CommandId now = all ? CommandId{0} : transaction::current_command(false);
  std::vector<Oid> removed;
  std::vector<Placed> added;
  std::size_t count = 0;
  for (; count < e.changes.size() && (all || e.changes[count].command < now); ++count) {
    const Change& c = e.changes[count];
    auto same = std::find_if(added.begin(), added.end(), [&](const Placed& p) { return p.member.oid == c.added.member.oid; });
    if (c.added.bound != nullptr) added.push_back(c.added);
    else if (same != added.end()) added.erase(same);
    else removed.push_back(c.added.member.oid);
  }
  if (count == 0) return;
  e.changes.erase(e.changes.begin(), e.changes.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(removed.begin(), removed.end());
  e.spare->descriptor.parent = e.parent;
  e.spare->descriptor.key = e.current->descriptor.key;
  e.spare->descriptor.pending_since = e.current->descriptor.pending_since;
  derive(e.current->descriptor, removed, std::move(added), *e.spare);
  std::swap(e.current, e.spare);
  e.is_own = true;
}

void make_room() {
  Cache& c = cache();
  if (c.entries.size() < kMostEntries) return;
  auto oldest = std::min_element(c.entries.begin(), c.entries.end(), [](const auto& a, const auto& b) { return a.second->last_used < b.second->last_used; });
  // What this transaction looked at stays: its references are good until the transaction ends.
  if (oldest->second->last_used < c.clock) c.entries.erase(oldest);
}

Entry& entry_of(const catalog::Relation& parent) {
  Cache& c = cache();
  versions::Stamp stamp = versions::stamp(slot_of(parent.oid));
  auto found = c.entries.find(raw(parent.oid));
  if (found == c.entries.end()) {
    make_room();
    auto fresh = std::make_unique<Entry>();
    load(parent, *fresh);
    found = c.entries.emplace(raw(parent.oid), std::move(fresh)).first;
  } else if (found->second->stamp != stamp) {
    Entry& e = *found->second;
    bool is_known = e.stamp.shared == stamp.shared && !e.misses_own && e.pool->footprint() <= 2 * e.pool_when_loaded + kPoolSlack;
    if (is_known) {
      apply(e, false);
      e.stamp = stamp;
      set_version(*e.current, version_number(stamp));
    } else {
      std::swap(e.current, e.spare);
      load(parent, e);
    }
  }
  found->second->last_used = c.clock;
  return *found->second;
}

// The transaction's changes are everybody's now: the entry stands for the version that the commit published.
bool adopt(Entry& e) {
  std::uint64_t shared = versions::stamp(slot_of(e.parent)).shared;
  if (shared != versions::next_version(e.stamp.shared)) return false;
  apply(e, true);
  e.stamp = {shared, 0};
  set_version(*e.current, shared);
  e.is_own = e.misses_own = false;
  return true;
}

void end_of_transaction(transaction::Event event) {
  if (event == transaction::Event::pre_commit) return;
  Cache& c = cache();
  ++c.clock;
  for (auto it = c.entries.begin(); it != c.entries.end();) {
    Entry& e = *it->second;
    bool changed = e.is_own || e.misses_own || !e.changes.empty();
    bool keep = !changed || (event == transaction::Event::commit && !e.misses_own && adopt(e));
    it = keep ? std::next(it) : c.entries.erase(it);
  }
  c.untracked.clear();
}

void end_of_subtransaction(transaction::Event event, int) {
  if (event != transaction::Event::abort) return;
  std::erase_if(cache().entries, [](const auto& e) { return e.second->is_own || e.second->misses_own || !e.second->changes.empty(); });
}

void note(Oid parent, const Placed& what) {
  Cache& c = cache();
  CommandId command = transaction::current_command(false);
  auto found = c.entries.find(raw(parent));
  if (found == c.entries.end()) {
    c.untracked[raw(parent)] = command;
    return;
  }
  found->second->changes.push_back({command, what});
}

}  // namespace

namespace {

namespace store = catalog::shared_store;

// The version that processes share, when this one has no other view of the table. Whoever finds none publishes what it read.
const PartitionDescriptor* shared_descriptor(const catalog::Relation& parent) {
  std::uint32_t slot = slot_of(parent.oid);
  versions::Stamp stamp = versions::stamp(slot);
  if (parent.persistence == 't' || stamp.own != 0 || versions::changed_by_me(slot)) return nullptr;
  store::Key key{store::Kind::partitions, catalog::current_database(), raw(parent.oid)};
  if (const void* found = store::find(key, stamp.shared)) return static_cast<const PartitionDescriptor*>(found);
  Cache& c = cache();
  if (auto known = c.entries.find(raw(parent.oid)); known != c.entries.end() && known->second->stamp == stamp) return nullptr;
  Entry& e = entry_of(parent);
  std::size_t size = shared_size(e.current->descriptor);
  store::Building building = size == 0 || e.stamp != stamp ? store::Building() : store::begin(size);
  if (building.payload == nullptr) return nullptr;
  try {
    Arena arena(building.payload, building.bytes);
    copy_descriptor(e.current->descriptor, arena);
  } catch (const SqlError& error) {
    store::abandon(building);
    if (error.code() != sqlstate::out_of_memory) throw;
    return nullptr;
  }
  store::publish(building, key, stamp.shared);
  const auto* published = static_cast<const PartitionDescriptor*>(store::find(key, stamp.shared));
  if (published != nullptr) c.entries.erase(raw(parent.oid));
  return published;
}

}  // namespace

const PartitionDescriptor& full_descriptor_of(const catalog::Relation& parent) {
  if (const PartitionDescriptor* shared = shared_descriptor(parent)) return *shared;
  return entry_of(parent).current->descriptor;
}
const PartitionDescriptor& descriptor_of(const catalog::Relation& parent) {
  const PartitionDescriptor& d = full_descriptor_of(parent);
  if (d.without_pending == nullptr) [[likely]] return d;
  bool is_old = transaction::isolation() >= transaction::Isolation::repeatable_read &&
                transaction::in_snapshot(d.pending_since, *transaction::statement_snapshot());
  return is_old ? d : *d.without_pending;
}
const PartitionKey& key_of(const catalog::Relation& parent) { return *full_descriptor_of(parent).key; }

void note_attached(const catalog::Relation& parent, const Member& member, const Bound& bound) {
  Entry& e = entry_of(parent);
  note(parent.oid, {member, copy_bound(bound, *e.current->descriptor.key, *e.pool)});
}

void note_detached(Oid parent, Oid member) { note(parent, {{member, true, false}, nullptr}); }

void forget_descriptor(Oid parent) {
  cache().entries.erase(raw(parent));
  cache().untracked[raw(parent)] = transaction::current_command(false);
}

void install() {
  transaction::register_hook(end_of_transaction);
  transaction::register_subtransaction_hook(end_of_subtransaction);
}

}  // namespace hathi::partition
