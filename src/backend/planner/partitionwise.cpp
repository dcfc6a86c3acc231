// Joins and groups partition by partition (enable_partitionwise_join, enable_partitionwise_aggregate): tables with the same bounds that are
// joined by their partition keys are joined pair by pair, groups that have the key are made in each partition. Each partition's part is planned
// as a query of its own, so this planning is O(partitions).

#include <algorithm>

#include "column_mover.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/partition/prune.h"
#include "hathi/partition/subtree_locks.h"
#include "paths.h"

namespace hathi::planner {

namespace values = config::values;
using nodes::ExprKind;
using nodes::JoinType;

// What a relation that could be made partition by partition consists of. In the statement's arena.
struct PartitionPieces {
  const partition::PartitionDescriptor* bounds = nullptr;
  List<List<Expr*>> keys;                  // by key column: expressions that have its value in every row
  int rte = 0;                             // a table; 0: the join of left and right
  const PartitionPieces* left = nullptr;
  const PartitionPieces* right = nullptr;
  JoinType type = JoinType::inner;
  List<Expr*> conditions;                  // of the table or the join
  List<Expr*> filters;                     // on what an outer join gives
};

namespace {

const Expr* bare(const Expr* e) {
  while (e->kind == ExprKind::relabel) e = nodes::as<nodes::Relabel>(e)->arg;
  return e;
}

bool is_among(const List<Expr*>& keys, const Expr* e) {
  return std::any_of(keys.begin(), keys.end(), [&](const Expr* k) { return nodes::equal(bare(k), bare(e)); });
}

bool same_key_column(const partition::KeyColumn& a, const partition::KeyColumn& b) {
  return a.type == b.type && a.collation == b.collation && a.operator_family == b.operator_family && a.operator_input_type == b.operator_input_type;
}

// The same bounds, one for one. (PostgreSQL also matches bounds that only partly agree.)
bool same_bounds(const partition::PartitionDescriptor& a, const partition::PartitionDescriptor& b) {
  bool alike = a.key->strategy == b.key->strategy && a.key->columns.size() == b.key->columns.size() && a.members.size() == b.members.size() &&
               a.default_member == b.default_member;
  if (!alike || !std::equal(a.key->columns.begin(), a.key->columns.end(), b.key->columns.begin(), same_key_column)) return false;
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    if (&a != &b && partition::bound_to_text(*a.bounds[i], *a.key) != partition::bound_to_text(*b.bounds[i], *b.key)) return false;
  }
  return true;
}

// Does the condition make the two keys equal, as the partitioning compares them?
bool equates(const nodes::OpExpr& op, const partition::PartitionKey& key, std::size_t column, const List<Expr*>& left, const List<Expr*>& right) {
  const partition::KeyColumn& k = key.columns[column];
  if (op.args.size() != 2 || (is_valid(k.collation) && op.input_collation != k.collation)) return false;
  bool connects = (is_among(left, op.args[0]) && is_among(right, op.args[1])) || (is_among(left, op.args[1]) && is_among(right, op.args[0]));
  if (!connects) return false;
  int equal = key.strategy == partition::Strategy::hash ? 1 : 3;
  for (const catalog::FamilyMember& m : catalog::operator_families(op.op)) if (m.family == k.operator_family && m.strategy == equal) return true;
  return false;
}

// Which members constants leave.
std::vector<bool> surviving(const partition::PartitionDescriptor& d, const std::vector<Expr*>& conditions, int rte, Arena& arena) {
  if (!values::enable_partition_pruning || conditions.empty()) return std::vector<bool>(d.members.size(), true);
  partition::PruneSteps steps = partition::compile_prune(*d.key, conditions, rte, arena);
  Arena scratch(512);
  std::vector<int> members;
  partition::prune(d, steps, [](int, NullableDatum&) { return false; }, scratch, members);
  std::vector<bool> out(d.members.size());
  for (int m : members) out[static_cast<std::size_t>(m)] = true;
  return out;
}

}  // namespace

// Queries of single partitions.
class JoinPlanner::PieceQueries {
 public:
  PieceQueries(JoinPlanner& joins, const PartitionPieces& pieces) : j_(joins), s_(joins.s_), pieces_(pieces) { note(pieces); }

  std::size_t count() const { return pieces_.bounds->members.size(); }

  // Locks what will be planned: the snapshot comes later.
  void lock() {
    for (Table& t : tables_) {
      std::vector<Oid> leaves;
      for (std::size_t i = 0; i < t.alive.size(); ++i) if (t.alive[i]) leaves.push_back(t.bounds->members[i].oid);
      partition::lock_partitions(*t.table, leaves, {}, locking::LockMode::access_share);
    }
    s_.reads_partitions = true;
  }

  // Did pruning leave nothing of the nth part?
  bool is_empty(std::size_t nth) const { return is_empty(pieces_, nth); }

  // The query for the nth partition of each table, without targets.
  Query* query(std::size_t nth) {
    auto* q = s_.arena.make<Query>();
    movers_.clear();
    for (std::size_t i = 0; i < j_.p_.q_->range_table.size(); ++i) {
      auto* entry = s_.arena.make<nodes::RangeTableEntry>();
      entry->kind = nodes::RteKind::result;
      entry->in_from = false;
      q->range_table.push_back(s_.arena, entry);
    }
    leaves_.clear();
    for (const Table& t : tables_) {
      leaves_.push_back(catalog::open_relation(t.bounds->members[nth].oid, locking::LockMode::none));
      q->range_table[static_cast<std::size_t>(t.rte - 1)] = entry_of(t, *leaves_.back());
      movers_.emplace_back(*t.table, *leaves_.back(), t.rte, t.rte, s_.arena);
    }
    q->from = s_.arena.make<nodes::FromExpr>();
    q->from->kind = nodes::JoinNodeKind::from;
    q->from->items.push_back(s_.arena, tree(pieces_, nth));
    return q;
  }

  Expr* move(Expr* e) {
    for (ColumnMover& m : movers_) e = m.move(e);
    return e;
  }

  // Its plan, as a node of this level with as many columns; nullptr when it gives no rows.
  Plan* plan(Query* q) {
    double saved = s_.tuple_fraction;
    s_.tuple_fraction = 0;
    QueryPlanner child(s_, q, &j_.p_);
    child.is_union_member_ = true;
    Plan* made = child.plan();
    s_.tuple_fraction = saved;
    if (is_nothing(made)) return nullptr;
    auto* scan = make_plan<SubqueryScan>(s_.arena, PlanKind::subquery_scan);
    scan->rte = tables_[0].rte;
    scan->subplan = made;
    scan->rows = made->rows;
    scan->width = made->width;
    scan->startup_cost = made->startup_cost;
    scan->total_cost = made->total_cost;
    for (const TargetEntry* t : made->targets) {
      auto* v = nodes::make<nodes::Variable>(s_.arena);
      v->rte = scan->rte;
      v->column = t->number;
      v->type = nodes::type_of(t->expr);
      v->typmod = nodes::typmod_of(t->expr);
      v->collation = nodes::collation_of(t->expr);
      scan->targets.push_back(s_.arena, make_target(s_.arena, v, t->number, t->name));
    }
    return scan;
  }

 private:
  struct Table {
    int rte;
    const catalog::Relation* table;
    const partition::PartitionDescriptor* bounds;
    std::vector<bool> alive;
  };

  void note(const PartitionPieces& p) {
    if (p.rte == 0) {
      note(*p.left);
      note(*p.right);
      return;
    }
    std::vector<Expr*> conditions(p.conditions.begin(), p.conditions.end());
    tables_.push_back({p.rte, j_.p_.relations_[static_cast<std::size_t>(p.rte - 1)].get(), p.bounds, surviving(*p.bounds, conditions, p.rte, s_.arena)});
  }

  const Table& table_of(int rte) const {
    return *std::find_if(tables_.begin(), tables_.end(), [&](const Table& t) { return t.rte == rte; });
  }

  bool is_empty(const PartitionPieces& p, std::size_t nth) const {
    if (p.rte != 0) return !table_of(p.rte).alive[nth];
    bool left = is_empty(*p.left, nth), right = is_empty(*p.right, nth);
    if (p.type == JoinType::full) return left && right;
    return left || (right && (p.type == JoinType::inner || p.type == JoinType::semi));
  }

  // The partition under the table's name; the statement's privileges are those on the table.
  nodes::RangeTableEntry* entry_of(const Table& t, const catalog::Relation& leaf) {
    const nodes::RangeTableEntry& from = *j_.p_.q_->range_table[static_cast<std::size_t>(t.rte - 1)];
    auto* entry = s_.arena.make<nodes::RangeTableEntry>();
    entry->name = from.name;
    entry->has_alias = from.has_alias;
    entry->relation = leaf.oid;
    entry->relation_kind = leaf.kind;
    entry->lock_mode = from.lock_mode;
    for (int i = 0; i < leaf.descriptor->count(); ++i) {
      const Attribute& a = (*leaf.descriptor)[i];
      entry->column_names.push_back(s_.arena, a.dropped ? std::string_view() : s_.arena.copy(a.name));
    }
    return entry;
  }

  Expr* moved_all(const List<Expr*>& list) {
    std::vector<Expr*> out;
    for (Expr* e : list) out.push_back(move(e));
    return make_and(s_.arena, out);
  }

  nodes::FromExpr* from_of(nodes::JoinNode* item, Expr* where) {
    auto* from = s_.arena.make<nodes::FromExpr>();
    from->kind = nodes::JoinNodeKind::from;
    from->items.push_back(s_.arena, item);
    from->where = where;
    return from;
  }

  nodes::JoinNode* tree(const PartitionPieces& p, std::size_t nth) {
    if (p.rte != 0) {
      auto* reference = s_.arena.make<nodes::RangeReference>();
      reference->kind = nodes::JoinNodeKind::reference;
      reference->rte = p.rte;
      return from_of(reference, table_of(p.rte).alive[nth] ? moved_all(p.conditions) : make_bool(s_.arena, false));
    }
    nodes::JoinNode *left = tree(*p.left, nth), *right = tree(*p.right, nth);
    if (p.type == JoinType::inner) {
      nodes::FromExpr* from = from_of(left, moved_all(p.conditions));
      from->items.push_back(s_.arena, right);
      return from;
    }
    auto* join = s_.arena.make<nodes::JoinExpr>();
    join->kind = nodes::JoinNodeKind::join;
    join->type = p.type;
    join->left = left;
    join->right = right;
    join->condition = moved_all(p.conditions);
    if (p.filters.empty()) return join;
    return from_of(join, moved_all(p.filters));
  }

  JoinPlanner& j_;
  StatementContext& s_;
  const PartitionPieces& pieces_;
  std::vector<Table> tables_;
  std::vector<catalog::RelationRef> leaves_;
  std::vector<ColumnMover> movers_;
};

// --- which relations ----------------------------------------------------------------------------------------------------------------------
// A partitioned table that is read; nothing for other relations. Only one level of partitions.
void JoinPlanner::note_pieces(JoinRelation& r) {
  if (!values::enable_partitionwise_join && !values::enable_partitionwise_aggregate) return;
  const nodes::RangeTableEntry& entry = *p_.q_->range_table[static_cast<std::size_t>(r.rte - 1)];
  bool readable = entry.kind == nodes::RteKind::relation && entry.relation_kind == catalog::relation_kind::partitioned_table && entry.inherit &&
                  entry.sample == nullptr && !r.is_dummy && p_.q_->command == nodes::CommandKind::select && p_.q_->row_marks.empty();
  if (!readable) return;
  const catalog::Relation& table = *p_.relations_[static_cast<std::size_t>(r.rte - 1)];
  const partition::PartitionDescriptor& d = partition::descriptor_of(table);
  if (!d.all_leaves || d.members.empty()) return;
  if (std::any_of(d.members.begin(), d.members.end(), [](const partition::Member& m) { return m.detach_pending; })) return;
  for (AttrNumber c : p_.used_[static_cast<std::size_t>(r.rte)]) if (c <= 0) return;   // (whole rows and tableoid stay with the table)
  auto* out = s_.arena.make<PartitionPieces>();
  out->bounds = &d;
  out->rte = r.rte;
  for (Clause* c : r.restrictions) {
    if (contains_sub_plan(c->expr)) return;
    out->conditions.push_back(s_.arena, c->expr);
  }
  for (const partition::KeyColumn& k : d.key->columns) {
    List<Expr*> one;
    one.push_back(s_.arena, k.column != 0 ? p_.make_variable(r.rte, k.column) : p_.stored_for(const_cast<Expr*>(k.expr), r.rte));
    out->keys.push_back(s_.arena, one);
  }
  r.pieces = out;
}

const PartitionPieces* JoinPlanner::joined_pieces(const JoinRelation& a, const JoinRelation& b, JoinType type, const std::vector<Clause*>& clauses) {
  if (a.pieces == nullptr || b.pieces == nullptr || !same_bounds(*a.pieces->bounds, *b.pieces->bounds)) return nullptr;
  auto* out = s_.arena.make<PartitionPieces>();
  out->bounds = a.pieces->bounds;
  out->left = a.pieces;
  out->right = b.pieces;
  out->type = type;
  bool outer = type == JoinType::left || type == JoinType::full || type == JoinType::anti;
  for (Clause* c : clauses) {
    if (contains_sub_plan(c->expr) || contains_volatile(c->expr)) return nullptr;
    (outer && c->is_filter ? out->filters : out->conditions).push_back(s_.arena, c->expr);
  }
  const partition::PartitionKey& key = *out->bounds->key;
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    const List<Expr*>&left = a.pieces->keys[i], &right = b.pieces->keys[i];
    bool equated = std::any_of(out->conditions.begin(), out->conditions.end(), [&](const Expr* e) {
      return e->kind == ExprKind::op && equates(*nodes::as<nodes::OpExpr>(e), key, i, left, right);
    });
    if (!equated) return nullptr;
    List<Expr*> both;
    if (type != JoinType::full) both.append(s_.arena, left);   // (NULL beside rows without a partner, whatever their partition)
    if (type == JoinType::inner) both.append(s_.arena, right);
    out->keys.push_back(s_.arena, both);
  }
  return out;
}

// --- joins ------------------------------------------------------------------------------------------------------------------------------
void JoinPlanner::add_partitionwise_join(JoinRelation& r, const JoinRelation& a, const JoinRelation& b, JoinType type, const std::vector<Clause*>& clauses) {
  if (!values::enable_partitionwise_join || r.pieces != nullptr || !r.needs.empty()) return;
  const PartitionPieces* pieces = joined_pieces(a, b, type, clauses);
  if (pieces == nullptr) return;
  r.pieces = pieces;
  PieceQueries queries(*this, *pieces);
  queries.lock();
  // The columns that are wanted above; one at least.
  auto* append = make_plan<Append>(s_.arena, PlanKind::append);
  set_dummy_targets(r, *append);
  if (append->targets.empty()) append->targets.push_back(s_.arena, make_target(s_.arena, pieces->left->keys[0][0], 1));
  for (std::size_t i = 0; i < queries.count(); ++i) {
    if (queries.is_empty(i)) continue;
    Query* q = queries.query(i);
    for (const TargetEntry* t : append->targets) q->targets.push_back(s_.arena, make_target(s_.arena, queries.move(t->expr), t->number));
    if (Plan* plan = queries.plan(q)) append->inputs.push_back(s_.arena, plan);
  }
  if (append->inputs.empty()) return;
  finish_append(*append);
  append->width = r.width;
  Path* p = make_path(PathKind::plan, &r);
  p->plan = append;
  p->startup = append->startup_cost;
  p->total = append->total_cost;
  p->rows = append->rows;
  add_path(r, p);
}

void JoinPlanner::finish_append(Append& append) {
  append.startup_cost = append.inputs[0]->startup_cost;
  for (const Plan* input : append.inputs) {
    append.rows += input->rows;
    append.total_cost += input->total_cost;
  }
  append.total_cost += 0.5 * values::cpu_tuple_cost * append.rows;
}

// --- groups -----------------------------------------------------------------------------------------------------------------------------
// All groups of the query, when each lies in one partition; nullptr otherwise. What comes out are the query's targets.
Plan* JoinPlanner::group_by_partitions(const JoinRelation& top) {
  const Query& q = *p_.q_;
  bool possible = values::enable_partitionwise_aggregate && top.pieces != nullptr && !q.group_by.empty() && q.grouping_sets.empty() && !q.has_windows &&
                  !q.has_target_srfs && constant_conditions.empty() && !contains_sub_plan(q.having) && q.set_operations == nullptr;
  if (!possible) return nullptr;
  for (const TargetEntry* t : q.targets) if (contains_sub_plan(t->expr)) return nullptr;
  for (const List<Expr*>& key : top.pieces->keys) {
    bool grouped = std::any_of(q.group_by.begin(), q.group_by.end(), [&](const nodes::SortClause* c) {
      return is_among(key, find_target(q.targets, c->ref)->expr);
    });
    if (!grouped) return nullptr;
  }
  PieceQueries queries(*this, *top.pieces);
  queries.lock();
  auto* append = make_plan<Append>(s_.arena, PlanKind::append);
  for (std::size_t i = 0; i < queries.count(); ++i) {
    if (queries.is_empty(i)) continue;
    Query* part = queries.query(i);
    for (const TargetEntry* t : q.targets) {
      auto* own = s_.arena.make<TargetEntry>(*t);
      own->expr = queries.move(t->expr);
      own->junk = false;
      part->targets.push_back(s_.arena, own);
    }
    for (const nodes::SortClause* c : q.group_by) part->group_by.push_back(s_.arena, s_.arena.make<nodes::SortClause>(*c));
    part->having = queries.move(q.having);
    part->has_aggregates = q.has_aggregates;
    if (Plan* plan = queries.plan(part)) append->inputs.push_back(s_.arena, plan);
  }
  if (append->inputs.empty()) return nullptr;
  // (Names for EXPLAIN come from the partitions: no table stands above them.)
  for (const TargetEntry* t : q.targets) {
    auto* own = s_.arena.make<TargetEntry>(*t);
    if (t->expr->kind == ExprKind::variable) {
      auto* v = s_.arena.make<nodes::Variable>(*nodes::as<nodes::Variable>(t->expr));
      v->source_rte = kFromInput;
      own->expr = v;
    }
    append->targets.push_back(s_.arena, own);
  }
  finish_append(*append);
  append->width = append->inputs[0]->width;
  return append;
}

}  // namespace hathi::planner
