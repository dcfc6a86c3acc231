#include "partitions.h"

#include "hathi/analyzer/deparse.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "target_table.h"

namespace hathi::executor {

namespace {

// Tables of a tree with many levels below one another are forgotten beyond this.
constexpr std::size_t kMostLevels = 256;
// Longest value shown in messages, bytes.
constexpr std::size_t kLongestValue = 64;

// Reads a table's partition key from rows of another table of the tree.
class KeyReader {
 public:
  KeyReader(const catalog::Relation& table, const catalog::Relation& rows_of, const partition::PartitionKey& key) : table_(table) {
    if (&table != &rows_of) columns_ = partition::column_map(table, rows_of, memory_);
    for (const partition::KeyColumn& k : key.columns) {
      expressions_.push_back(k.expr == nullptr ? nullptr : std::make_unique<RowExpression>(k.expr, *table.descriptor, memory_));
    }
  }

  void read(const partition::PartitionKey& key, const Datum* values, const bool* nulls, Datum* key_values, bool* key_nulls, Arena& scratch) {
    Row own;
    for (std::size_t i = 0; i < key.columns.size(); ++i) {
      if (key.columns[i].expr == nullptr) {
        AttrNumber c = key.columns[i].column;
        auto at = static_cast<std::size_t>((columns_.empty() ? c : columns_[static_cast<std::size_t>(c - 1)]) - 1);
        key_values[i] = values[at];
        key_nulls[i] = nulls[at];
        continue;
      }
      const Datum* v = values;
      const bool* n = nulls;
      if (!columns_.empty()) {
        if (own.values == nullptr) move_row(own, values, nulls, scratch);
        v = own.values;
        n = own.nulls;
      }
      NullableDatum e = expressions_[i]->evaluate(v, n, table_.oid, TupleId{}, scratch);
      key_values[i] = e.value;
      key_nulls[i] = e.is_null;
    }
  }

 private:
  void move_row(Row& own, const Datum* values, const bool* nulls, Arena& scratch) {
    make_row(own, table_.descriptor->count(), table_.descriptor, scratch);
    for (int c = 0; c < own.count; ++c) {
      AttrNumber from = columns_[static_cast<std::size_t>(c)];
      own.nulls[c] = from <= 0 || nulls[from - 1];
      own.values[c] = own.nulls[c] ? Datum() : values[from - 1];
    }
  }

  const catalog::Relation& table_;
  Arena memory_{256};
  std::span<const AttrNumber> columns_;               // numbers for the rows' columns; empty: the same
  std::vector<std::unique_ptr<RowExpression>> expressions_;
};

}  // namespace

struct PartitionRouter::Level {
  catalog::RelationRef opened;                        // null for the table that is routed to
  const catalog::Relation* table = nullptr;
  const partition::PartitionDescriptor* descriptor = nullptr;   // of this run
  std::unique_ptr<KeyReader> key;
};

PartitionRouter::PartitionRouter(const catalog::Relation& table) : table_(table) {
  make_row(row_, table.descriptor->count(), table.descriptor, memory_);
  if (table.is_partition) own_bounds_ = std::make_unique<TargetTable>(catalog::open_relation(table.oid, locking::LockMode::none), nullptr, memory_);
}

PartitionRouter::~PartitionRouter() = default;

void PartitionRouter::begin_run() {
  for (auto& level : levels_) level->descriptor = nullptr;
}

PartitionRouter::Level& PartitionRouter::level_of(Oid table) {
  for (auto& level : levels_) {
    if (level->table->oid != table) continue;
    if (level->descriptor == nullptr && level->opened) {
      catalog::lock_relation(table, locking::LockMode::row_exclusive);
      if (!catalog::is_current_version(table, level->table->version)) {
        levels_.erase(levels_.begin() + (&level - levels_.data()));
        break;
      }
    }
    if (level->descriptor == nullptr) level->descriptor = &partition::descriptor_of(*level->table);
    return *level;
  }
  if (levels_.size() >= kMostLevels) levels_.resize(1);
  auto level = std::make_unique<Level>();
  if (table == table_.oid) {
    level->table = &table_;
  } else {
    level->opened = catalog::open_relation(table, locking::LockMode::row_exclusive);
    level->table = level->opened.get();
  }
  level->descriptor = &partition::descriptor_of(*level->table);
  level->key = std::make_unique<KeyReader>(*level->table, table_, *level->descriptor->key);
  levels_.push_back(std::move(level));
  return *levels_.back();
}

Oid PartitionRouter::descend(const Datum* values, const bool* nulls, bool must_find) {
  Oid table = table_.oid;
  for (;;) {
    Level& level = level_of(table);
    Datum key[partition::kMaxKeyColumns];
    bool key_nulls[partition::kMaxKeyColumns];
    level.key->read(*level.descriptor->key, values, nulls, key, key_nulls, scratch_);
    int at = partition::member_for_key(*level.descriptor, key, key_nulls);
    if (at < 0) {
      if (must_find) throw_no_partition(level, key, key_nulls);
      scratch_.reset();
      return kInvalidOid;
    }
    const partition::Member& member = level.descriptor->members[static_cast<std::size_t>(at)];
    if (member.is_leaf) {
      scratch_.reset();
      return member.oid;
    }
    table = member.oid;
  }
}

Oid PartitionRouter::find(const Datum* values, const bool* nulls) { return descend(values, nulls, false); }

Oid PartitionRouter::route(const Datum* values, const bool* nulls) {
  if (own_bounds_ != nullptr) {
    for (int i = 0; i < row_.count; ++i) {
      row_.values[i] = values[i];
      row_.nulls[i] = nulls[i];
    }
    row_.set_virtual();
    own_bounds_->check_partition(row_);
    own_bounds_->end_row();
  }
  return descend(values, nulls, true);
}

void PartitionRouter::throw_no_partition(Level& level, const Datum* key, const bool* key_nulls) {
  const catalog::Relation& table = *level.table;
  SqlError error(sqlstate::check_violation, "no partition of relation \"{}\" found for row", table.name);
  Oid role = catalog::current_role();
  bool may_see = (catalog::relation_privileges(table.oid, role, nodes::kAclSelect) & nodes::kAclSelect) != 0;
  if (!may_see) {
    may_see = true;
    for (const partition::KeyColumn& k : level.descriptor->key->columns) {
      may_see = may_see && k.column != 0 && (catalog::column_privileges(table.oid, k.column, role, nodes::kAclSelect) & nodes::kAclSelect) != 0;
    }
  }
  if (may_see) {
    std::string values;
    for (std::size_t i = 0; i < level.descriptor->key->columns.size(); ++i) {
      if (i != 0) values += ", ";
      std::string text = key_nulls[i] ? "null" : value_text(key[i], level.descriptor->key->columns[i].type, scratch_);
      if (text.size() > kLongestValue) {
        std::size_t cut = kLongestValue;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
        text.resize(cut);
        text += "...";
      }
      values += text;
    }
    error.detail(fmt::format("Partition key of the failing row contains ({}) = ({}).", analyzer::partition_key_definition(table.oid, true, true), values));
  }
  error.schema(table.schema_name).table(table.name);
  throw error;
}

struct PartitionBounds::Level {
  catalog::RelationRef table;
  Oid below = kInvalidOid;
  std::unique_ptr<KeyReader> key;
};

PartitionBounds::PartitionBounds(const catalog::Relation& partition) {
  Oid below = partition.oid;
  for (Oid above : partition::ancestors_of(partition, scratch_)) {
    auto level = std::make_unique<Level>();
    level->table = catalog::open_relation(above, locking::LockMode::none);
    level->below = below;
    level->key = std::make_unique<KeyReader>(*level->table, partition, *partition::descriptor_of(*level->table).key);
    levels_.push_back(std::move(level));
    below = above;
  }
  scratch_.reset();
}

PartitionBounds::~PartitionBounds() = default;

bool PartitionBounds::fit(const Datum* values, const bool* nulls) {
  for (auto& level : levels_) {
    const partition::PartitionDescriptor& d = partition::descriptor_of(*level->table);
    Datum key[partition::kMaxKeyColumns];
    bool key_nulls[partition::kMaxKeyColumns];
    level->key->read(*d.key, values, nulls, key, key_nulls, scratch_);
    int at = partition::member_for_key(d, key, key_nulls);
    scratch_.reset();
    if (at < 0 || d.members[static_cast<std::size_t>(at)].oid != level->below) return false;
  }
  return true;
}

namespace {
void collect_leaves(const catalog::Relation& parent, locking::LockMode mode, std::vector<Oid>& out) {
  const partition::PartitionDescriptor& descriptor = partition::descriptor_of(parent);
  std::vector<partition::Member> members(descriptor.members.begin(), descriptor.members.end());
  for (const partition::Member& m : members) {
    if (m.is_leaf) out.push_back(m.oid);
    else collect_leaves(*catalog::open_relation(m.oid, mode), mode, out);
  }
}
}  // namespace

std::vector<Oid> leaf_partitions(const catalog::Relation& parent, locking::LockMode mode) {
  std::vector<Oid> out;
  collect_leaves(parent, mode, out);
  return out;
}

Oid find_partition_of_row(const catalog::Relation& parent, const Datum* values, const bool* nulls) { return PartitionRouter(parent).find(values, nulls); }

}  // namespace hathi::executor
