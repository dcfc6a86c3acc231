// INSERT and UPDATE completed: columns in table order, DEFAULT replaced, identity and generated columns protected.
// Columns that get no value at all are left out; the planner gives them NULL, the executor computes generated ones.

#include <map>

#include "hathi/analyzer/column_default.h"
#include "hathi/catalog/catalog_table.h"
#include "rewrite.h"

namespace hathi::analyzer {
namespace {

// The sequence behind an identity column. Looked up once for each version of a table.
Oid identity_sequence(const catalog::Relation& relation, AttrNumber column) {
  struct Entry { std::uint64_t version = 0; Oid sequence = kInvalidOid; };
  static std::map<std::pair<std::uint32_t, int>, Entry> cache;
  Entry& entry = cache[{raw(relation.oid), column}];
  if (is_valid(entry.sequence) && entry.version == relation.version) return entry.sequence;
  if (cache.size() > 1000) {
    cache.clear();
    return identity_sequence(relation, column);
  }
  for (const catalog::Dependency& d : catalog::dependents_of({catalog_oid::pg_class, relation.oid, column})) {
    if (d.kind != catalog::DependencyKind::internal || d.object.class_id != catalog_oid::pg_class) continue;
    catalog::RelationRef sequence = catalog::try_open_relation(d.object.object, locking::LockMode::none);
    if (!sequence || sequence->kind != catalog::relation_kind::sequence) continue;
    entry = {relation.version, d.object.object};
    return entry.sequence;
  }
  throw SqlError(sqlstate::internal_error, "no owned sequence found");
}

// What is known of one INSERT or UPDATE while its targets are completed.
struct Completion {
  Rewriter& r;
  Query* query;
  const catalog::Relation& target;
  bool view_follows;
  RangeTableEntry* values = nullptr;      // the VALUES entry of a multi-row INSERT
  int values_number = 0;
  std::vector<bool> unused_values;        // VALUES columns whose target was replaced
};

bool all_default(const Completion& c, int column) {
  for (const List<Expr*>& row : c.values->values)
    if (!is<SetToDefault>(row[static_cast<std::size_t>(column - 1)])) return false;
  return true;
}

int values_column(const Completion& c, const TargetEntry* target) {
  if (target == nullptr || c.values == nullptr || !is<Variable>(target->expr)) return 0;
  const auto* v = as<Variable>(target->expr);
  return v->rte == c.values_number && v->levels_up == 0 ? v->column : 0;
}

// Several SET items for parts of one column are nested into one expression.
Expr** innermost_source(Expr* e) {
  if (is<CoerceDomain>(e)) return innermost_source(as<CoerceDomain>(e)->arg);
  if (is<FieldStore>(e)) return &as<FieldStore>(e)->arg;
  if (is<Subscript>(e) && as<Subscript>(e)->assigned != nullptr) return &as<Subscript>(e)->container;
  return nullptr;
}

TargetEntry* combine(TargetEntry* first, TargetEntry* second) {
  if (first == nullptr) return second;
  Expr** place = innermost_source(second->expr);
  bool parts = place != nullptr && innermost_source(first->expr) != nullptr;
  if (!parts) throw SqlError(sqlstate::syntax_error, "multiple assignments to same column \"{}\"", second->name);
  // The second part is stored into the result of the first.
  Expr* inner = second->expr;
  while (true) {
    Expr** source = innermost_source(inner);
    if (source == nullptr || *source == nullptr || innermost_source(*source) == nullptr) { if (source != nullptr) *source = first->expr; break; }
    inner = *source;
  }
  return second;
}

void check_insert_column(Completion& c, const Attribute& column, int values, bool& apply_default) {
  if (apply_default) return;
  char overriding = c.query->overriding;
  bool only_defaults = values != 0 && all_default(c, values);
  if (column.identity == 'a') {
    if (overriding == 'u') apply_default = true;
    else if (overriding != 's') {
      if (only_defaults) apply_default = true;
      else
        throw SqlError(sqlstate::generated_always, "cannot insert a non-DEFAULT value into column \"{}\"", column.name)
            .detail(fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.name))
            .hint("Use OVERRIDING SYSTEM VALUE to override.");
    }
  } else if (column.identity == 'd' && overriding == 'u') {
    apply_default = true;
  }
  if (column.generated != '\0' && !apply_default) {
    if (only_defaults) apply_default = true;
    else
      throw SqlError(sqlstate::generated_always, "cannot insert a non-DEFAULT value into column \"{}\"", column.name)
          .detail(fmt::format("Column \"{}\" is a generated column.", column.name));
  }
  if (apply_default && values != 0) c.unused_values[static_cast<std::size_t>(values)] = true;
}

void check_update_column(const Attribute& column, const TargetEntry* entry, bool apply_default) {
  if (entry == nullptr || apply_default) return;
  if (column.identity == 'a')
    throw SqlError(sqlstate::generated_always, "column \"{}\" can only be updated to DEFAULT", column.name)
        .detail(fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.name));
  if (column.generated != '\0')
    throw SqlError(sqlstate::generated_always, "column \"{}\" can only be updated to DEFAULT", column.name)
        .detail(fmt::format("Column \"{}\" is a generated column.", column.name));
}

Expr* null_of(Completion& c, const Attribute& column) {
  std::int32_t typmod = column.typmod;
  Oid base = base_and_typmod(column.type, &typmod);
  Expr* e = make_null(c.r.arena, base, typmod, column.collation);
  if (base == column.type) return e;
  Root root{c.r.arena, {}};
  return coerce_to_domain(root, e, base, typmod, column.type, CoercionContext::implicit, CallForm::implicit_cast, -1, false);
}

List<TargetEntry*> complete(Completion& c, const List<TargetEntry*>& old, bool insert) {
  Arena& arena = c.r.arena;
  const TupleDescriptor& row = *c.target.descriptor;
  std::vector<TargetEntry*> by_column(static_cast<std::size_t>(row.count()) + 1);
  List<TargetEntry*> junk, result;
  for (TargetEntry* t : old) {
    if (t->junk) { junk.push_back(arena, t); continue; }
    if (t->number < 1 || t->number > row.count()) throw SqlError(sqlstate::internal_error, "bogus resno {} in targetlist", t->number);
    TargetEntry*& place = by_column[static_cast<std::size_t>(t->number)];
    place = combine(place, t);
  }
  for (int i = 0; i < row.count(); ++i) {
    auto n = static_cast<AttrNumber>(i + 1);
    const Attribute& column = row[i];
    if (column.dropped) continue;
    TargetEntry* entry = by_column[static_cast<std::size_t>(n)];
    int values = values_column(c, entry);
    bool apply_default = (entry == nullptr && insert) || (entry != nullptr && is<SetToDefault>(entry->expr));
    if (insert) check_insert_column(c, column, values, apply_default);
    else check_update_column(column, entry, apply_default);
    if (column.generated != '\0') continue;
    if (apply_default) {
      Expr* value = column_default(c.r, c.target, n);
      if (value == nullptr && (!insert || entry != nullptr) && !c.view_follows) value = null_of(c, column);
      if (value == nullptr) {
        // Left for the table below a view, or NULL.
        if (c.view_follows && entry != nullptr) result.push_back(arena, entry);
        continue;
      }
      entry = make_target(arena, value, n, arena.copy(column.name), false);
    }
    if (entry != nullptr) result.push_back(arena, entry);
  }
  AttrNumber next = static_cast<AttrNumber>(row.count() + 1);
  for (TargetEntry* t : junk) {
    t->number = next++;
    result.push_back(arena, t);
  }
  return result;
}

// DEFAULT inside multi-row VALUES.
void complete_values(Completion& c) {
  std::vector<AttrNumber> column_of(c.values->types.size() + 1);
  for (const TargetEntry* t : c.query->targets)
    if (int v = values_column(c, t); v > 0) column_of[static_cast<std::size_t>(v)] = t->number;
  for (List<Expr*>& row : c.values->values) {
    for (std::uint32_t i = 0; i < row.size(); ++i) {
      if (!is<SetToDefault>(row[i])) continue;
      AttrNumber n = column_of[i + 1];
      const auto* wanted = as<SetToDefault>(row[i]);
      if (n == 0) {   // not used any more
        row[i] = make_null(c.r.arena, is_valid(wanted->type) ? wanted->type : type_oid::int4, wanted->typmod, wanted->collation);
        continue;
      }
      Expr* value = column_default(c.r, c.target, n);
      if (value == nullptr) {
        if (c.view_follows) continue;
        value = null_of(c, (*c.target.descriptor)[n - 1]);
      }
      row[i] = value;
    }
  }
}

}  // namespace

Expr* column_default(Rewriter& r, const catalog::Relation& relation, AttrNumber number) {
  const Attribute& column = (*relation.descriptor)[number - 1];
  if (column.identity != '\0') {
    auto* next = make<NextValue>(r.arena);
    next->sequence = identity_sequence(relation, number);
    next->type = column.type;
    return next;
  }
  Expr* e = nullptr;
  if (!relation.defaults.empty() && relation.defaults[static_cast<std::size_t>(number - 1)] != nullptr) {
    e = copy(relation.defaults[static_cast<std::size_t>(number - 1)], r.arena);
  } else {
    const TypeInfo* type = &type_info(column.type);
    while (type->kind == 'd' && type->default_node.empty()) type = &type_info(type->base);
    if (!type->default_node.empty()) e = expr_from_text(type->default_node, r.arena);
  }
  if (e == nullptr) return nullptr;
  Root root{r.arena, {}};
  Oid from = type_of(e);
  Expr* done = coerce_to_target(root, e, from, column.type, column.typmod, CoercionContext::assignment, CallForm::implicit_cast, -1);
  if (done == nullptr)
    throw SqlError(sqlstate::datatype_mismatch, "column \"{}\" is of type {} but default expression is of type {}", column.name,
                   catalog::format_type(column.type), catalog::format_type(from))
        .hint("You will need to rewrite or cast the expression.");
  return done;
}

Expr* column_default(const catalog::Relation& relation, AttrNumber column, Arena& arena) {
  Rewriter r{arena, {}, {}};
  return column_default(r, relation, column);
}

void complete_targets(Rewriter& r, Query* query, const catalog::Relation& target, bool view_follows) {
  if (query->command != CommandKind::insert && query->command != CommandKind::update) return;
  Completion c{r, query, target, view_follows, nullptr, 0, {}};
  if (query->command == CommandKind::insert) {
    for (std::uint32_t i = 0; i < query->range_table.size(); ++i) {
      RangeTableEntry* rte = query->range_table[i];
      if (rte->kind != RteKind::values || query->from->items.empty()) continue;
      c.values = rte;
      c.values_number = static_cast<int>(i + 1);
      c.unused_values.assign(rte->types.size() + 1, false);
    }
  }
  query->targets = complete(c, query->targets, query->command == CommandKind::insert);
  if (c.values != nullptr) complete_values(c);
  if (query->on_conflict != nullptr && query->on_conflict->do_update) {
    Completion update{r, query, target, view_follows, nullptr, 0, {}};
    query->on_conflict->set = complete(update, query->on_conflict->set, false);
  }
}

}  // namespace hathi::analyzer
