// Values for columns of a target table: INSERT's columns, UPDATE's SET, with fields and subscripts.

#include "state.h"

namespace hathi::analyzer {
namespace {

// What a value is being assigned to while the steps of a target (.field, [subscript]) are followed inwards.
struct Place {
  Expr* base = nullptr;            // its present value; null: a placeholder is made
  std::string_view name;
  bool is_subscript = false;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
};

Expr* assign(ParseState& ps, Place place, const ast::IndirectionStep* steps, std::uint32_t count, Expr* value, int location);

Expr* assign_subscripts(ParseState& ps, const Place& place, const ast::IndirectionStep* subscripts, std::uint32_t subscript_count,
                        const ast::IndirectionStep* rest, std::uint32_t rest_count, Expr* value, int location) {
  std::int32_t typmod = place.typmod;
  Oid type = place.type, element = kInvalidOid;
  auto* node = make<Subscript>(ps.arena, location);
  node->container = place.base;
  resolve_container(ps, type, typmod, element, location_of(place.base));
  node->container_type = node->type = type;
  node->element_type = element;
  node->typmod = typmod;
  node->collation = place.collation;
  transform_subscript_bounds(ps, node, subscripts, static_cast<int>(subscript_count));
  Place inner;
  inner.name = place.name;
  inner.is_subscript = true;
  inner.type = node->is_slice ? type : element;
  inner.typmod = typmod;
  inner.collation = place.collation;
  node->assigned = assign(ps, inner, rest, rest_count, value, location);
  Expr* result = node;
  if (type != place.type && type_info(place.type).kind == 'd')
    result = coerce_to_domain(ps.root, result, type, typmod, place.type, CoercionContext::implicit, CallForm::implicit_cast, location, false);
  return result;
}

Expr* assign_field(ParseState& ps, const Place& place, std::string_view field, const ast::IndirectionStep* rest, std::uint32_t rest_count, Expr* value,
                   int location) {
  std::int32_t typmod = place.typmod;
  Oid base = base_and_typmod(place.type, &typmod);
  const TupleDescriptor* row = row_descriptor_of_type(ps.root, base);
  if (row == nullptr)
    throw SqlError(sqlstate::datatype_mismatch, "cannot assign to field \"{}\" of column \"{}\" because its type {} is not a composite type", field,
                   place.name, catalog::format_type(place.type))
        .at(location);
  AttrNumber number = 0;
  for (int i = 0; i < row->count(); ++i) if (!(*row)[i].dropped && (*row)[i].name == field) number = static_cast<AttrNumber>(i + 1);
  if (number == 0)
    throw SqlError(sqlstate::undefined_column, "cannot assign to field \"{}\" of column \"{}\" because there is no such column in data type {}", field,
                   place.name, catalog::format_type(place.type))
        .at(location);
  const Attribute& attribute = (*row)[number - 1];
  Place inner;
  inner.name = field;
  inner.type = attribute.type;
  inner.typmod = attribute.typmod;
  inner.collation = attribute.collation;
  auto* store = make<FieldStore>(ps.arena);
  store->arg = place.base;
  store->type = base;
  store->new_values.push_back(ps.arena, assign(ps, inner, rest, rest_count, value, location));
  store->fields_set.push_back(ps.arena, number);
  if (base == place.type) return store;
  return coerce_to_domain(ps.root, store, base, typmod, place.type, CoercionContext::implicit, CallForm::implicit_cast, location, false);
}

Expr* assign(ParseState& ps, Place place, const ast::IndirectionStep* steps, std::uint32_t count, Expr* value, int location) {
  check_stack_depth();
  if (count == 0) {
    Oid from = type_of(value);
    Expr* done = coerce_to_target(ps.root, value, from, place.type, place.typmod, CoercionContext::assignment, CallForm::implicit_cast, -1);
    if (done != nullptr) return done;
    SqlError error = place.is_subscript
                         ? SqlError(sqlstate::datatype_mismatch, "subscripted assignment to \"{}\" requires type {} but expression is of type {}", place.name,
                                    catalog::format_type(place.type), catalog::format_type(from))
                         : SqlError(sqlstate::datatype_mismatch, "subfield \"{}\" is of type {} but expression is of type {}", place.name,
                                    catalog::format_type(place.type), catalog::format_type(from));
    throw error.hint("You will need to rewrite or cast the expression.").at(location);
  }
  if (place.base == nullptr) {
    // The executor supplies the present value of the part.
    auto* present = make<CaseTest>(ps.arena);
    present->type = place.type;
    present->typmod = place.typmod;
    present->collation = place.collation;
    place.base = present;
  }
  if (steps[0].kind == ast::IndirectionKind::star)
    throw SqlError(sqlstate::feature_not_supported, "row expansion via \"*\" is not supported here").at(location);
  if (steps[0].kind == ast::IndirectionKind::field) return assign_field(ps, place, steps[0].field, steps + 1, count - 1, value, location);
  std::uint32_t n = 0;
  while (n < count && (steps[n].kind == ast::IndirectionKind::subscript || steps[n].kind == ast::IndirectionKind::slice)) ++n;
  return assign_subscripts(ps, place, steps, n, steps + n, count - n, value, location);
}

}  // namespace

AttrNumber target_column_number(ParseState& ps, std::string_view name) {
  const TupleDescriptor& row = *ps.target->relation->descriptor;
  for (int i = 0; i < row.count(); ++i) if (!row[i].dropped && row[i].name == name) return static_cast<AttrNumber>(i + 1);
  return system_column_number(name);
}

Expr* assign_to_column(ParseState& ps, Expr* value, Clause clause, std::string_view column, AttrNumber number, const List<ast::IndirectionStep>& steps,
                       int location) {
  if (number <= 0) throw SqlError(sqlstate::feature_not_supported, "cannot assign to system column \"{}\"", column).at(location);
  const Attribute& attribute = (*ps.target->relation->descriptor)[number - 1];
  Restore<Clause> in(ps.clause, clause);
  if (is<SetToDefault>(value)) {
    auto* def = as<SetToDefault>(value);
    def->type = attribute.type;
    def->typmod = attribute.typmod;
    def->collation = attribute.collation;
    if (!steps.empty()) {
      if (steps[0].kind == ast::IndirectionKind::subscript || steps[0].kind == ast::IndirectionKind::slice)
        throw SqlError(sqlstate::feature_not_supported, "cannot set an array element to DEFAULT").at(location);
      throw SqlError(sqlstate::feature_not_supported, "cannot set a subfield to DEFAULT").at(location);
    }
    return value;
  }
  Oid from = type_of(value);
  if (!steps.empty()) {
    Place place;
    place.name = column;
    place.type = attribute.type;
    place.typmod = attribute.typmod;
    place.collation = attribute.collation;
    if (ps.is_insert) {
      place.base = make_null(ps.arena, attribute.type, attribute.typmod, attribute.collation);
    } else {
      place.base = make_column_variable(ps, ps.target, number - 1, 0, location);
    }
    return assign(ps, place, steps.begin(), steps.size(), value, location);
  }
  Expr* done = coerce_to_target(ps.root, value, from, attribute.type, attribute.typmod, CoercionContext::assignment, CallForm::implicit_cast, -1);
  if (done == nullptr)
    throw SqlError(sqlstate::datatype_mismatch, "column \"{}\" is of type {} but expression is of type {}", column, catalog::format_type(attribute.type),
                   catalog::format_type(from))
        .hint("You will need to rewrite or cast the expression.")
        .at(location_of(value));
  return done;
}

List<InsertColumn> insert_columns(ParseState& ps, const List<ast::Target*>& columns) {
  List<InsertColumn> result;
  const TupleDescriptor& row = *ps.target->relation->descriptor;
  if (columns.empty()) {
    result.reserve(ps.arena, static_cast<std::uint32_t>(row.count()));
    for (int i = 0; i < row.count(); ++i) {
      if (row[i].dropped) continue;
      auto* target = ps.arena.make<ast::Target>();
      target->name = row[i].name;
      target->location = -1;
      result.push_back(ps.arena, {static_cast<AttrNumber>(i + 1), target});
    }
    return result;
  }
  std::vector<char> whole(static_cast<std::size_t>(row.count()) + 1), part(static_cast<std::size_t>(row.count()) + 1);
  for (const ast::Target* target : columns) {
    AttrNumber number = target_column_number(ps, target->name);
    if (number == 0)
      throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", target->name, ps.target->relation->name)
          .at(target->location);
    if (number > 0) {
      auto n = static_cast<std::size_t>(number);
      bool partial = !target->steps.empty();
      if (whole[n] || (!partial && part[n]))
        throw SqlError(sqlstate::duplicate_column, "column \"{}\" specified more than once", target->name).at(target->location);
      (partial ? part : whole)[n] = 1;
    }
    result.push_back(ps.arena, {number, target});
  }
  return result;
}

}  // namespace hathi::analyzer
