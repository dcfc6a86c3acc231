// Names in a query: which FROM entry, which column; and the errors that say what may have been meant.

#include <algorithm>

#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr int kMaxFuzzyDistance = 3;

constexpr SystemColumn kSystemColumns[] = {
    {"ctid", type_oid::tid}, {"xmin", type_oid::xid}, {"cmin", type_oid::cid}, {"xmax", type_oid::xid}, {"cmax", type_oid::cid}, {"tableoid", type_oid::oid}};

void check_lateral(const ParseState& ps, const NamespaceItem* item, int location) {
  if (!item->lateral_only || item->lateral_ok) return;
  SqlError error(sqlstate::invalid_column_reference, "invalid reference to FROM-clause entry for table \"{}\"", item->name);
  error.at(location);
  if (ps.target == item)
    error.hint(fmt::format("There is an entry for table \"{}\", but it cannot be referenced from this part of the query.", item->name));
  else
    error.detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.");
  throw error;
}

bool is_relation_entry(const RangeTableEntry* rte) { return is_valid(rte->relation) && (rte->kind == RteKind::relation || rte->kind == RteKind::subquery); }

NamespaceItem* find_by_name(ParseState& ps, std::string_view name, int location) {
  NamespaceItem* result = nullptr;
  for (NamespaceItem* item : ps.name_space) {
    if (!item->relation_visible || (item->lateral_only && !ps.lateral_active) || item->name != name) continue;
    if (result != nullptr) throw SqlError(sqlstate::ambiguous_alias, "table reference \"{}\" is ambiguous", name).at(location);
    check_lateral(ps, item, location);
    result = item;
  }
  return result;
}

NamespaceItem* find_by_oid(ParseState& ps, Oid relation, int location) {
  NamespaceItem* result = nullptr;
  for (NamespaceItem* item : ps.name_space) {
    if (!item->relation_visible || (item->lateral_only && !ps.lateral_active)) continue;
    if (!is_relation_entry(item->rte) || item->rte->relation != relation || item->rte->has_alias) continue;
    if (result != nullptr) throw SqlError(sqlstate::ambiguous_alias, "table reference {} is ambiguous", raw(relation)).at(location);
    check_lateral(ps, item, location);
    result = item;
  }
  return result;
}

int column_index(const NamespaceItem* item, std::string_view name, int location) {
  int found = -1;
  for (int i = 0; i < item->count; ++i) {
    if (item->columns[i].name != name) continue;
    if (found >= 0) throw SqlError(sqlstate::ambiguous_column, "column reference \"{}\" is ambiguous", name).at(location);
    found = i;
  }
  return found;
}

Expr* system_variable(ParseState& ps, NamespaceItem* item, AttrNumber number, int levels_up, int location) {
  auto* v = make<Variable>(ps.arena, location);
  v->rte = v->source_rte = item->index;
  v->column = v->source_column = number;
  v->type = system_column(number)->type;
  v->levels_up = levels_up;
  mark_selected(ps, item->index, number, levels_up);
  return v;
}

bool has_system_columns(const NamespaceItem* item) {
  return item->rte->kind == RteKind::relation && item->rte->relation_kind != catalog::relation_kind::composite &&
         item->rte->relation_kind != catalog::relation_kind::view;
}

// The characters of UTF-8 text, as numbers that are equal when the characters are.
std::u32string characters(std::string_view text) {
  std::u32string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80 && !out.empty()) out.back() = (out.back() << 8) | byte;
    else out += byte;
  }
  return out;
}

// Edits that turn one word into the other, by characters; bound: stop when there are more.
int edit_distance(const std::u32string& a, const std::u32string& b, int bound) {
  if (static_cast<int>(a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) > bound) return bound + 1;
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    int smallest = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      int replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      smallest = std::min(smallest, row[j]);
    }
    if (smallest > bound) return bound + 1;
  }
  return row[b.size()];
}

// The best one or two near misses for a column name.
struct NearMisses {
  int distance = kMaxFuzzyDistance + 1;
  const RangeTableEntry *first = nullptr, *second = nullptr;
  std::string_view first_column, second_column;
  bool exact = false;
};

void consider(NearMisses& best, const RangeTableEntry* rte, std::string_view actual, std::string_view wanted, int penalty) {
  if (penalty > best.distance || actual.empty()) return;
  int distance = edit_distance(characters(actual), characters(wanted), best.distance + 1 - penalty);
  if (distance > static_cast<int>(wanted.size()) / 2) return;   // more than half is different
  distance += penalty;
  if (distance < best.distance) {
    best.distance = distance;
    best.first = rte;
    best.first_column = actual;
    best.second = nullptr;
  } else if (distance == best.distance) {
    if (best.second != nullptr) {   // too many alike: only something closer helps
      best.first = best.second = nullptr;
      best.distance = distance - 1;
    } else if (best.first != nullptr) {
      best.second = rte;
      best.second_column = actual;
    } else if (best.distance <= kMaxFuzzyDistance) {
      best.first = rte;
      best.first_column = actual;
    }
  }
}

NearMisses near_misses(ParseState& start, std::string_view relation, std::string_view name) {
  NearMisses best;
  for (ParseState* ps = &start; ps != nullptr; ps = ps->parent) {
    for (std::uint32_t i = 0; i < ps->range_table.size(); ++i) {
      const RangeTableEntry* rte = ps->range_table[i];
      if (rte->kind == RteKind::join) continue;
      int penalty = 0;
      if (!relation.empty()) penalty = edit_distance(characters(relation), characters(rte->name), kMaxFuzzyDistance + 1);
      if (penalty == 0 && rte->kind == RteKind::relation && rte->relation_kind != catalog::relation_kind::view && system_column_number(name) != 0) {
        best.first = rte;
        best.exact = true;
        return best;
      }
      for (std::string_view column : rte->column_names) {
        if (penalty == 0 && !column.empty() && column == name) {
          best.first = rte;
          best.first_column = column;
          best.second = nullptr;
          best.exact = true;
          return best;
        }
        consider(best, rte, column, name, penalty);
      }
    }
  }
  return best;
}

}  // namespace

AttrNumber system_column_number(std::string_view name) {
  for (int i = 0; i < 6; ++i) if (kSystemColumns[i].name == name) return static_cast<AttrNumber>(-(i + 1));
  return 0;
}
const SystemColumn* system_column(AttrNumber number) { return number < 0 && number >= -6 ? &kSystemColumns[-number - 1] : nullptr; }

NamespaceItem* item_of(ParseState& ps, int rte, int levels_up) {
  ParseState* state = &ps;
  for (; levels_up > 0 && state != nullptr; --levels_up) state = state->parent;
  if (state == nullptr || rte < 1 || rte > static_cast<int>(state->items.size())) return nullptr;
  return state->items[static_cast<std::size_t>(rte - 1)];
}

NamespaceItem* find_item_for_name(ParseState& start, std::string_view schema, std::string_view name, int location, int* levels_up) {
  Oid relation = kInvalidOid;
  *levels_up = 0;
  if (!schema.empty()) {
    Oid where = catalog::find_schema(schema);
    if (!is_valid(where)) return nullptr;
    relation = catalog::find_relation(name, where);
    if (!is_valid(relation)) return nullptr;
  }
  for (ParseState* ps = &start; ps != nullptr; ps = ps->parent) {
    NamespaceItem* item = is_valid(relation) ? find_by_oid(*ps, relation, location) : find_by_name(*ps, name, location);
    if (item != nullptr) return item;
    ++*levels_up;
  }
  return nullptr;
}

Expr* make_column_variable(ParseState& ps, NamespaceItem* item, int index, int levels_up, int location) {
  const NamespaceColumn& column = item->columns[index];
  auto* v = make<Variable>(ps.arena, location);
  v->rte = column.rte;
  v->column = column.column;
  v->type = column.type;
  v->typmod = column.typmod;
  v->collation = column.collation;
  v->levels_up = levels_up;
  v->source_rte = column.source_rte;
  v->source_column = column.source_column;
  return v;
}

Expr* find_column(ParseState& ps, NamespaceItem* item, std::string_view name, int levels_up, int location) {
  int index = column_index(item, name, location);
  if (index >= 0) {
    Expr* v = make_column_variable(ps, item, index, levels_up, location);
    mark_selected(ps, as<Variable>(v)->rte, as<Variable>(v)->column, levels_up);
    return v;
  }
  if (!has_system_columns(item)) return nullptr;
  AttrNumber system = system_column_number(name);
  if (system == 0) return nullptr;
  if (ps.clause == Clause::check_constraint && system != -6)
    throw SqlError(sqlstate::invalid_column_reference, "system column \"{}\" reference in check constraint is invalid", name).at(location);
  if (ps.clause == Clause::generated_column && system != -6)
    throw SqlError(sqlstate::invalid_column_reference, "cannot use system column \"{}\" in column generation expression", name).at(location);
  if (ps.clause == Clause::merge_when && system != -6)
    throw SqlError(sqlstate::invalid_column_reference, "cannot use system column \"{}\" in MERGE WHEN condition", name).at(location);
  return system_variable(ps, item, system, levels_up, location);
}

Expr* find_unqualified_column(ParseState& start, std::string_view name, bool local_only, int location) {
  int levels_up = 0;
  for (ParseState* ps = &start; ps != nullptr; ps = ps->parent, ++levels_up) {
    Expr* result = nullptr;
    for (NamespaceItem* item : ps->name_space) {
      if (!item->columns_visible || (item->lateral_only && !ps->lateral_active)) continue;
      Expr* found = find_column(start, item, name, levels_up, location);
      if (found == nullptr) continue;
      if (result != nullptr) throw SqlError(sqlstate::ambiguous_column, "column reference \"{}\" is ambiguous", name).at(location);
      check_lateral(*ps, item, location);
      result = found;
    }
    if (result != nullptr || local_only) return result;
  }
  return nullptr;
}

void mark_selected(ParseState& ps, int rte_number, AttrNumber column, int levels_up) {
  ParseState* state = &ps;
  for (; levels_up > 0 && state->parent != nullptr; --levels_up) state = state->parent;
  if (rte_number < 1) return;
  RangeTableEntry* rte = state->range_table[static_cast<std::size_t>(rte_number - 1)];
  if (rte->kind == RteKind::join) {
    // A merged column: what it is made from.
    if (column < 1 || column > static_cast<int>(rte->join_columns.size())) return;
    struct Context { ParseState* state; } context{state};
    walk_deep(rte->join_columns[static_cast<std::size_t>(column - 1)], 0, [](Expr* e, int, void* c) {
      if (is<Variable>(e) && as<Variable>(e)->levels_up == 0) mark_selected(*static_cast<Context*>(c)->state, as<Variable>(e)->rte, as<Variable>(e)->column, 0);
      return false;
    }, &context);
    return;
  }
  if (rte->kind != RteKind::relation && !is_valid(rte->relation)) return;
  rte->required |= kAclSelect;
  List<AttrNumber>& list = rte->selected;
  if (!list.empty() && list.back() == column) return;
  if (list.empty() || list.back() < column) {
    list.push_back(ps.arena, column);
    return;
  }
  // Kept sorted.
  std::uint32_t at = list.size();
  while (at > 0 && list[at - 1] > column) --at;
  if (at > 0 && list[at - 1] == column) return;
  list.push_back(ps.arena, column);
  for (std::uint32_t i = list.size() - 1; i > at; --i) list[i] = list[i - 1];
  list[at] = column;
}

void throw_missing_column(ParseState& ps, std::string_view relation, std::string_view name, int location) {
  SqlError error = relation.empty() ? SqlError(sqlstate::undefined_column, "column \"{}\" does not exist", name)
                                    : SqlError(sqlstate::undefined_column, "column {}.{} does not exist", relation, name);
  error.at(location);
  NearMisses near = near_misses(ps, relation, name);
  if (near.exact) {
    error.hint(fmt::format("There is a column named \"{}\" in table \"{}\", but it cannot be referenced from this part of the query.", name, near.first->name));
  } else if (near.second != nullptr && near.first != nullptr) {
    error.hint(fmt::format("Perhaps you meant to reference the column \"{}.{}\" or the column \"{}.{}\".", near.first->name, near.first_column,
                           near.second->name, near.second_column));
  } else if (near.first != nullptr) {
    error.hint(fmt::format("Perhaps you meant to reference the column \"{}.{}\".", near.first->name, near.first_column));
  }
  throw error;
}

void throw_missing_entry(ParseState& start, std::string_view schema, std::string_view name, int location) {
  // An entry of that name which is not visible here, or whose table has the name but goes by an alias.
  Oid relation = kInvalidOid;
  if (schema.empty()) relation = catalog::find_relation(name, kInvalidOid);
  else if (Oid where = catalog::find_schema(schema); is_valid(where)) relation = catalog::find_relation(name, where);
  const RangeTableEntry* hidden = nullptr;
  CommonTableExpr* cte = nullptr;
  int cte_levels = 0;
  if (schema.empty()) cte = find_cte(start, name, &cte_levels);
  int level = 0;
  for (ParseState* ps = &start; ps != nullptr && hidden == nullptr; ps = ps->parent, ++level) {
    for (const RangeTableEntry* rte : ps->range_table) {
      bool match = (rte->kind == RteKind::relation && is_valid(relation) && rte->relation == relation) ||
                   (rte->kind == RteKind::cte && cte != nullptr && rte->cte_levels_up + level == cte_levels && rte->cte_name == name) ||
                   (rte->name == name && rte->kind != RteKind::join);
      if (match) { hidden = rte; break; }
    }
  }
  if (hidden == nullptr) throw SqlError(sqlstate::undefined_table, "missing FROM-clause entry for table \"{}\"", name).at(location);
  SqlError error(sqlstate::undefined_table, "invalid reference to FROM-clause entry for table \"{}\"", name);
  error.at(location);
  int levels_up = 0;
  if (hidden->has_alias && hidden->name != name && find_item_for_name(start, {}, hidden->name, location, &levels_up) != nullptr)
    error.hint(fmt::format("Perhaps you meant to reference the table alias \"{}\".", hidden->name));
  else
    error.hint(fmt::format("There is an entry for table \"{}\", but it cannot be referenced from this part of the query.", hidden->name));
  throw error;
}

void expand_item(ParseState& ps, NamespaceItem* item, int levels_up, int location, bool mark, List<Expr*>& out, List<std::string_view>* names) {
  for (int i = 0; i < item->count; ++i) {
    if (item->columns[i].name.empty()) continue;
    Expr* e = make_column_variable(ps, item, i, levels_up, location);
    if (mark) mark_selected(ps, as<Variable>(e)->rte, as<Variable>(e)->column, levels_up);
    out.push_back(ps.arena, e);
    if (names != nullptr) names->push_back(ps.arena, item->columns[i].name);
  }
}

}  // namespace hathi::analyzer
