// Subqueries in expressions, and comparisons of rows.

#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr int kNotEqual = 6;   // beyond btree's strategies 1 … 5

struct Interpretation { Oid family; int strategy; };

// As what the operator may be read in btree families; <> is read through its negator.
std::vector<Interpretation> interpretations(Oid op) {
  std::vector<Interpretation> result;
  for (const catalog::FamilyMember& m : catalog::operator_families(op))
    if (m.method == kBTreeAccessMethod) result.push_back({m.family, m.strategy});
  if (!result.empty()) return result;
  Oid negator = catalog::operator_info(op).negator;
  if (!is_valid(negator)) return result;
  for (const catalog::FamilyMember& m : catalog::operator_families(negator))
    if (m.method == kBTreeAccessMethod && m.strategy == 3) result.push_back({m.family, kNotEqual});
  return result;
}

// The one meaning all columns' operators share; the smallest strategy number that fits.
int common_strategy(std::string_view op, const std::vector<std::vector<Interpretation>>& columns, int location) {
  unsigned common = ~0u;
  for (const auto& column : columns) {
    unsigned mask = 0;
    for (const Interpretation& i : column) mask |= 1u << i.strategy;
    common &= mask;
  }
  common &= 0x7Eu;
  if (common == 0)
    throw SqlError(sqlstate::feature_not_supported, "could not determine interpretation of row comparison operator {}", op)
        .hint("Row comparison operators must be associated with btree operator families.")
        .at(location);
  int strategy = 1;
  while ((common & (1u << strategy)) == 0) ++strategy;
  return strategy;
}

int visible_columns(const Query* query) {
  int n = 0;
  for (const TargetEntry* t : query->targets) if (!t->junk) ++n;
  return n;
}

void set_scalar_result(SubLink* link) {
  const Expr* first = nullptr;
  for (const TargetEntry* t : link->query->targets) if (!t->junk) { first = t->expr; break; }
  if (first == nullptr) return;
  Oid type = type_of(first);
  link->result_typmod = typmod_of(first);
  link->collation = collation_of(first);
  link->result_type = type;
  if (link->type == SubLink::Type::array) {
    link->result_type = is_valid(element_type_of(type)) ? type : array_type_of(type);
    if (!is_valid(link->result_type))
      throw SqlError(sqlstate::undefined_object, "could not find array type for data type {}", catalog::format_type(type)).at(link->location);
  }
}

// left op (columns of the subquery).
Expr* transform_test(ParseState& ps, const ast::SubqueryExpr* node, Query* query) {
  List<Expr*> left, right;
  Expr* test = transform_inner(ps, node->test);
  if (is<RowExpr>(test)) left = as<RowExpr>(test)->args;
  else left.push_back(ps.arena, test);
  for (const TargetEntry* t : query->targets) {
    if (t->junk) continue;
    auto* column = make<Parameter>(ps.arena);
    column->source = Parameter::Source::sub_link;
    column->number = t->number;
    column->type = type_of(t->expr);
    column->typmod = typmod_of(t->expr);
    column->collation = collation_of(t->expr);
    right.push_back(ps.arena, column);
  }
  if (left.size() < right.size()) throw SqlError(sqlstate::syntax_error, "subquery has too many columns").at(node->location);
  if (left.size() > right.size()) throw SqlError(sqlstate::syntax_error, "subquery has too few columns").at(node->location);
  return transform_row_operator(ps, node->op.empty() ? "=" : node->op, node->op_qualifier, left, right, node->location);
}

}  // namespace

Expr* transform_row_operator(ParseState& ps, std::string_view op, const ast::QualifiedName& qualifier, const List<Expr*>& left, const List<Expr*>& right,
                             int location) {
  if (left.size() != right.size()) throw SqlError(sqlstate::syntax_error, "unequal number of entries in row expressions").at(location);
  if (left.empty()) throw SqlError(sqlstate::feature_not_supported, "cannot compare rows of zero length").at(location);
  List<Expr*> pairs;
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    Expr* pair = make_op(ps, op, qualifier, left[i], right[i], ps.last_srf, location);
    if (type_of(pair) != type_oid::bool_)
      throw SqlError(sqlstate::datatype_mismatch, "row comparison operator must yield type boolean, not type {}", catalog::format_type(type_of(pair)))
          .at(location);
    if (contains_set_function(pair)) throw SqlError(sqlstate::datatype_mismatch, "row comparison operator must not return a set").at(location);
    pairs.push_back(ps.arena, pair);
  }
  if (pairs.size() == 1) return pairs[0];
  std::vector<std::vector<Interpretation>> columns;
  for (Expr* pair : pairs) columns.push_back(interpretations(as<OpExpr>(pair)->op));
  int strategy = common_strategy(op, columns, location);
  if (strategy == 3) return make_boolean(ps.arena, BooleanExpr::Op::and_op, pairs, location);
  if (strategy == kNotEqual) return make_boolean(ps.arena, BooleanExpr::Op::or_op, pairs, location);
  auto* compare = make<RowCompare>(ps.arena, location);
  compare->strategy = strategy;
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    auto* pair = as<OpExpr>(pairs[i]);
    Oid family = kInvalidOid;
    for (const Interpretation& meaning : columns[i]) if (meaning.strategy == strategy) { family = meaning.family; break; }
    compare->operators.push_back(ps.arena, pair->op);
    compare->families.push_back(ps.arena, family);
    compare->collations.push_back(ps.arena, kInvalidOid);
    compare->left.push_back(ps.arena, pair->args[0]);
    compare->right.push_back(ps.arena, pair->args[1]);
  }
  return compare;
}

Expr* transform_sub_link(ParseState& ps, const ast::SubqueryExpr* node) {
  check_sub_link_allowed(ps.clause, node->location);
  ps.has_sub_links = true;
  auto* link = make<SubLink>(ps.arena, node->location);
  link->query = transform_sub_statement(ps, node->query, nullptr, false, true);
  switch (node->type) {
    case ast::SubqueryKind::exists: link->type = SubLink::Type::exists; break;
    case ast::SubqueryKind::scalar:
      if (node->test != nullptr) {
        link->type = SubLink::Type::row_compare;
        link->test = transform_test(ps, node, link->query);
        link->op_name = ps.arena.copy(node->op);
        break;
      }
      link->type = SubLink::Type::scalar;
      if (visible_columns(link->query) != 1) throw SqlError(sqlstate::syntax_error, "subquery must return only one column").at(node->location);
      set_scalar_result(link);
      ps.root.sub_queries.emplace_back(node, link->query);
      break;
    case ast::SubqueryKind::array:
      link->type = SubLink::Type::array;
      if (visible_columns(link->query) != 1) throw SqlError(sqlstate::syntax_error, "subquery must return only one column").at(node->location);
      set_scalar_result(link);
      break;
    case ast::SubqueryKind::any:
    case ast::SubqueryKind::all:
      link->type = node->type == ast::SubqueryKind::any ? SubLink::Type::any : SubLink::Type::all;
      link->test = transform_test(ps, node, link->query);
      link->op_name = node->in_syntax ? std::string_view() : ps.arena.copy(node->op);
      break;
  }
  return link;
}

}  // namespace hathi::analyzer
