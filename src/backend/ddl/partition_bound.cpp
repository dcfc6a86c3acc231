// FOR VALUES …: from syntax to a checked bound.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/analyzer/deparse.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/parser/ast_expression.h"
#include "partition_bound.h"

namespace hathi::ddl {

namespace {

using partition::Bound;
using partition::PartitionDescriptor;
using partition::PartitionKey;
using partition::RangeDatum;
using partition::Strategy;
using parser::PartitionBoundKind;

class Reader {
 public:
  Reader(const catalog::Relation& parent, const PartitionKey& key, std::string_view text, Arena& arena)
      : parent_(parent), key_(key), text_(text), arena_(arena) {}

  Bound read(const parser::PartitionBound& s) {
    Bound b;
    b.strategy = key_.strategy;
    if (s.type == PartitionBoundKind::default_partition) {
      if (key_.strategy == Strategy::hash) throw SqlError(sqlstate::invalid_table_definition, "a hash-partitioned table may not have a default partition");
      b.is_default = true;
      return b;
    }
    switch (key_.strategy) {
      case Strategy::hash: hash(s, b); break;
      case Strategy::list: list(s, b); break;
      case Strategy::range: range(s, b); break;
    }
    return b;
  }

 private:
  static void require(bool right, std::string_view kind, const parser::PartitionBound& s) {
    if (!right) throw SqlError(sqlstate::invalid_table_definition, "invalid bound specification for a {} partition", kind).at(s.location);
  }

  void hash(const parser::PartitionBound& s, Bound& b) {
    require(s.type == PartitionBoundKind::hash, "hash", s);
    if (s.modulus <= 0) throw SqlError(sqlstate::invalid_table_definition, "modulus for hash partition must be an integer value greater than zero");
    if (s.remainder < 0) {
      throw SqlError(sqlstate::invalid_table_definition, "remainder for hash partition must be an integer value greater than or equal to zero");
    }
    if (s.remainder >= s.modulus) throw SqlError(sqlstate::invalid_table_definition, "remainder for hash partition must be less than modulus");
    b.modulus = s.modulus;
    b.remainder = s.remainder;
  }

  std::string column_name(std::size_t i) {
    const partition::KeyColumn& c = key_.columns[i];
    if (c.expr == nullptr) return std::string((*parent_.descriptor)[c.column - 1].name);
    analyzer::ExpressionScope scope = analyzer::scope_of(parent_);
    return analyzer::deparse_expression(c.expr, &scope, false);
  }
  NullableDatum value(const parser::Expr* e, std::size_t i) {
    const partition::KeyColumn& c = key_.columns[i];
    const nodes::Expr* done = analyzer::analyze_partition_value(e, text_, arena_, column_name(i), c.type, c.typmod, c.collation);
    if (nodes::is<nodes::Constant>(done)) return {nodes::as<nodes::Constant>(done)->value, nodes::as<nodes::Constant>(done)->is_null};
    return executor::evaluate(done, {}, arena_);
  }

  // Each value once.
  void list(const parser::PartitionBound& s, Bound& b) {
    require(s.type == PartitionBoundKind::list, "list", s);
    auto* values = arena_.make_array<NullableDatum>(s.values.size());
    std::size_t count = 0;
    for (const parser::Expr* e : s.values) {
      NullableDatum k = value(e, 0);
      bool seen = std::any_of(values, values + count, [&](const NullableDatum& other) {
        return k.is_null ? other.is_null : !other.is_null && partition::compare_values(key_.columns[0], k.value, other.value) == 0;
      });
      if (!seen) values[count++] = k;
    }
    b.values = {values, count};
  }

  // MINVALUE and MAXVALUE arrive as column names.
  static bool is_infinite(const parser::Expr* e, RangeDatum::Kind& kind) {
    const auto* c = parser::node_try<parser::ColumnRef>(e);
    if (c == nullptr || c->names.size() != 1 || c->star) return false;
    if (c->names[0] == "minvalue") kind = RangeDatum::Kind::minimum;
    else if (c->names[0] == "maxvalue") kind = RangeDatum::Kind::maximum;
    else return false;
    return true;
  }

  std::span<const RangeDatum> end(const List<parser::Expr*>& list) {
    auto* out = arena_.make_array<RangeDatum>(list.size());
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      if (is_infinite(list[i], out[i].kind)) continue;
      NullableDatum k = value(list[i], i);
      if (k.is_null) throw SqlError(sqlstate::invalid_object_definition, "cannot specify NULL in range bound");
      out[i].value = k.value;
    }
    for (std::uint32_t i = 1; i < list.size(); ++i) {
      RangeDatum::Kind before = out[i - 1].kind;
      if (before == RangeDatum::Kind::value || out[i].kind == before) continue;
      throw SqlError(sqlstate::datatype_mismatch, "every bound following {} must also be {}", word(before), word(before)).at(list[i]->location);
    }
    return {out, list.size()};
  }
  static std::string_view word(RangeDatum::Kind kind) { return kind == RangeDatum::Kind::minimum ? "MINVALUE" : "MAXVALUE"; }

  void range(const parser::PartitionBound& s, Bound& b) {
    require(s.type == PartitionBoundKind::range, "range", s);
    if (s.lower.size() != key_.columns.size()) {
      throw SqlError(sqlstate::invalid_table_definition, "FROM must specify exactly one value per partitioning column");
    }
    if (s.upper.size() != key_.columns.size()) {
      throw SqlError(sqlstate::invalid_table_definition, "TO must specify exactly one value per partitioning column");
    }
    b.lower = end(s.lower);
    b.upper = end(s.upper);
  }

  const catalog::Relation& parent_;
  const PartitionKey& key_;
  std::string_view text_;
  Arena& arena_;
};

std::string name_of(Oid relation) {
  catalog::RelationRef r = catalog::try_open_relation(relation, locking::LockMode::none);
  return r ? std::string(r->name) : std::string();
}

// Moduli form a chain of divisors.
void check_modulus(const PartitionDescriptor& d, const Bound& b) {
  // The member with the greatest modulus not above the new one, and the next.
  const Bound* below = nullptr;
  const Bound* above = nullptr;
  Oid below_oid = kInvalidOid, above_oid = kInvalidOid;
  auto next = std::partition_point(d.bounds.begin(), d.bounds.end(), [&](const Bound* other) {
    return other->modulus != b.modulus ? other->modulus < b.modulus : other->remainder <= b.remainder;
  });
  auto at = static_cast<std::size_t>(next - d.bounds.begin());
  if (at > 0) {
    below = d.bounds[at - 1];
    below_oid = d.members[at - 1].oid;
  }
  if (at < d.bounds.size()) {
    above = d.bounds[at];
    above_oid = d.members[at].oid;
  }
  constexpr std::string_view kMessage = "every hash partition modulus must be a factor of the next larger modulus";
  if (below == nullptr && above != nullptr && above->modulus % b.modulus != 0) {
    throw SqlError(sqlstate::invalid_object_definition, "{}", kMessage)
        .detail(fmt::format("The new modulus {} is not a factor of {}, the modulus of existing partition \"{}\".", b.modulus, above->modulus,
                            name_of(above_oid)));
  }
  if (below == nullptr) return;
  if (b.modulus % below->modulus != 0) {
    throw SqlError(sqlstate::invalid_object_definition, "{}", kMessage)
        .detail(fmt::format("The new modulus {} is not divisible by {}, the modulus of existing partition \"{}\".", b.modulus, below->modulus,
                            name_of(below_oid)));
  }
  if (above != nullptr && above->modulus % b.modulus != 0) {
    throw SqlError(sqlstate::invalid_object_definition, "{}", kMessage)
        .detail(fmt::format("The new modulus {} is not a factor of {}, the modulus of existing partition \"{}\".", b.modulus, above->modulus,
                            name_of(above_oid)));
  }
}

int location_of(const parser::PartitionBound& s, const Bound& b, const partition::Overlap& overlap) {
  auto i = static_cast<std::uint32_t>(overlap.index);
  if (b.is_default || b.strategy == Strategy::hash) return s.location;
  if (b.strategy == Strategy::list) {
    // (Repeated values were left out of the bound; the overlapping one is the first of its kind.)
    return i < s.values.size() ? s.values[i]->location : s.location;
  }
  return overlap.at_upper ? s.upper[i]->location : s.lower[i]->location;
}

}  // namespace

Bound read_bound(const catalog::Relation& parent, const parser::PartitionBound& s, std::string_view text, Arena& arena) {
  return Reader(parent, partition::key_of(parent), text, arena).read(s);
}

void check_bound(const catalog::Relation& parent, std::string_view name, const parser::PartitionBound& s, const Bound& b) {
  const PartitionDescriptor& d = partition::full_descriptor_of(parent);
  if (b.strategy == Strategy::hash) check_modulus(d, b);
  int column = 0;
  if (b.strategy == Strategy::range && !b.is_default && partition::compare_bounds(*d.key, b.lower, b.upper, &column) >= 0) {
    throw SqlError(sqlstate::invalid_object_definition, "empty range bound specified for partition \"{}\"", name)
        .detail(fmt::format("Specified lower bound {} is greater than or equal to upper bound {}.", partition::range_end_to_sql(b.lower, *d.key),
                            partition::range_end_to_sql(b.upper, *d.key)))
        .at(s.lower[static_cast<std::uint32_t>(column)]->location);
  }
  partition::Overlap overlap = partition::find_overlap(d, b);
  if (overlap.member < 0) return;
  std::string other = name_of(d.members[static_cast<std::size_t>(overlap.member)].oid);
  if (b.is_default) {
    throw SqlError(sqlstate::invalid_object_definition, "partition \"{}\" conflicts with existing default partition \"{}\"", name, other).at(s.location);
  }
  throw SqlError(sqlstate::invalid_object_definition, "partition \"{}\" would overlap partition \"{}\"", name, other).at(location_of(s, b, overlap));
}

}  // namespace hathi::ddl
