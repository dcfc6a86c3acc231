// Column references, whole rows, and what follows a value: .field, [subscript].

#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr int kMaxDimensions = 6;

// A parameter of an SQL function by name.
Expr* named_parameter(ParseState& ps, const ast::ColumnRef* ref) {
  const ParameterTypes* known = ps.root.parameters;
  if (known == nullptr || known->names.empty() || ref->star) return nullptr;
  const ast::QualifiedName& n = ref->names;
  auto find = [&](std::string_view name) -> Expr* {
    for (std::size_t i = 0; i < known->names.size(); ++i) {
      if (known->names[i].empty() || known->names[i] != name) continue;
      ast::ParamRef parameter;
      parameter.number = static_cast<int>(i + 1);
      parameter.location = ref->location;
      return transform_parameter(ps, &parameter);
    }
    return nullptr;
  };
  auto field_of = [&](Expr* row, std::string_view field) -> Expr* {
    if (row == nullptr) return nullptr;
    List<Expr*> args;
    args.push_back(ps.arena, row);
    ast::QualifiedName name;
    name.push_back(ps.arena, field);
    return parse_function(ps, name, args, {}, ps.last_srf, nullptr, false, ref->location);
  };
  switch (n.size()) {
    case 1: return find(n[0]);
    case 2: {
      if (n[0] == known->function_name)
        if (Expr* e = find(n[1])) return e;
      return field_of(find(n[0]), n[1]);
    }
    case 3: return n[0] == known->function_name ? field_of(find(n[1]), n[2]) : nullptr;
    default: return nullptr;
  }
}

Expr* unqualified(ParseState& ps, const ast::ColumnRef* ref) {
  std::string_view name = ref->names[0];
  if (ps.domain_value != nullptr && name == "value") {
    Expr* value = copy(ps.domain_value, ps.arena);
    value->location = ref->location;
    return value;
  }
  if (Expr* column = find_unqualified_column(ps, name, false, ref->location)) return column;
  // A table's name alone is its whole row.
  int levels_up = 0;
  NamespaceItem* item = find_item_for_name(ps, {}, name, ref->location, &levels_up);
  return item == nullptr ? nullptr : transform_whole_row(ps, item, levels_up, ref->location);
}

Expr* qualified(ParseState& ps, const ast::ColumnRef* ref, std::string_view schema, std::string_view table, std::string_view column, bool& no_entry) {
  int levels_up = 0;
  NamespaceItem* item = find_item_for_name(ps, schema, table, ref->location, &levels_up);
  if (item == nullptr) {
    no_entry = true;
    return nullptr;
  }
  if (ref->star) return transform_whole_row(ps, item, levels_up, ref->location);
  if (Expr* e = find_column(ps, item, column, levels_up, ref->location)) return e;
  // table.function in place of function(table)
  List<Expr*> args;
  args.push_back(ps.arena, transform_whole_row(ps, item, levels_up, ref->location));
  ast::QualifiedName name;
  name.push_back(ps.arena, column);
  return parse_function(ps, name, args, {}, ps.last_srf, nullptr, false, ref->location);
}

[[noreturn]] void throw_unknown_attribute(ParseState& ps, Expr* row, std::string_view name, int location) {
  Oid type = type_of(row);
  if (is<Variable>(row) && as<Variable>(row)->column == 0) {
    NamespaceItem* item = item_of(ps, as<Variable>(row)->rte, as<Variable>(row)->levels_up);
    throw SqlError(sqlstate::undefined_column, "column {}.{} does not exist", item->name, name).at(location);
  }
  if (is_complex(type))
    throw SqlError(sqlstate::undefined_column, "column \"{}\" not found in data type {}", name, catalog::format_type(type)).at(location);
  if (type == type_oid::record)
    throw SqlError(sqlstate::undefined_column, "could not identify column \"{}\" in record data type", name).at(location);
  throw SqlError(sqlstate::wrong_object_type, "column notation .{} applied to type {}, which is not a composite type", name, catalog::format_type(type))
      .at(location);
}

Expr* transform_bound(ParseState& ps, const ast::Node* node) {
  Expr* e = transform_inner(ps, node);
  Expr* done = coerce_to_target(ps.root, e, type_of(e), type_oid::int4, -1, CoercionContext::assignment, CallForm::implicit_cast, -1);
  if (done == nullptr) throw SqlError(sqlstate::datatype_mismatch, "array subscript must have type integer").at(location_of(e));
  return done;
}

}  // namespace

Expr* transform_whole_row(ParseState& ps, NamespaceItem* item, int levels_up, int location) {
  RangeTableEntry* rte = item->rte;
  // USING's alias and joins have no row of their own: the columns are put together.
  if (rte->kind == RteKind::join) {
    auto* row = make<RowExpr>(ps.arena, location);
    row->type = type_oid::record;
    expand_item(ps, item, levels_up, location, true, row->args, &row->names);
    return row;
  }
  auto* v = make<Variable>(ps.arena, location);
  v->rte = v->source_rte = item->index;
  v->levels_up = levels_up;
  v->type = type_oid::record;
  if (rte->kind == RteKind::relation) {
    v->type = item->relation->row_type;
    if (!is_valid(v->type)) throw SqlError(sqlstate::wrong_object_type, "relation \"{}\" does not have a composite type", item->relation->name).at(location);
  } else if (rte->kind == RteKind::function && rte->functions.size() == 1 && !rte->ordinality) {
    Oid type = type_of(rte->functions[0]->call);
    if (is_complex(type)) v->type = type;
    else if (!rte->functions[0]->returns_composite && type != type_oid::record) {
      // A function that returns a simple value: its name means the value.
      v->column = v->source_column = 1;
      v->type = type;
      v->collation = collation_of(rte->functions[0]->call);
    }
  } else if (rte->kind == RteKind::subquery && is_valid(rte->relation) && item->relation != nullptr && is_valid(item->relation->row_type)) {
    v->type = item->relation->row_type;   // a view's
  }
  mark_selected(ps, item->index, v->column, levels_up);
  return v;
}

Expr* transform_column_ref(ParseState& ps, const ast::ColumnRef* ref) {
  check_column_reference_allowed(ps.clause, ref->location);
  const ast::QualifiedName& n = ref->names;
  // With a star, the names before it are those of the table.
  std::size_t table_parts = ref->star ? n.size() : n.size() - 1;
  std::string_view column = ref->star ? std::string_view() : n.back();
  Expr* result = nullptr;
  bool no_entry = false;
  std::string_view schema, table;
  switch (table_parts) {
    case 0:
      if (ref->star) throw SqlError(sqlstate::syntax_error, "invalid use of *").at(ref->location);
      result = unqualified(ps, ref);
      break;
    case 1: table = n[0]; break;
    case 2: schema = n[0]; table = n[1]; break;
    case 3:
      if (n[0] != catalog::current_database_name()) {
        if (Expr* parameter = named_parameter(ps, ref)) return parameter;
        throw SqlError(sqlstate::feature_not_supported, "cross-database references are not implemented: {}", name_text(n)).at(ref->location);
      }
      schema = n[1];
      table = n[2];
      break;
    default:
      throw SqlError(sqlstate::syntax_error, "improper qualified name (too many dotted names): {}", name_text(n)).at(ref->location);
  }
  if (table_parts > 0) result = qualified(ps, ref, schema, table, column, no_entry);
  if (result == nullptr) result = named_parameter(ps, ref);
  if (result != nullptr) return result;
  if (no_entry) throw_missing_entry(ps, schema, table, ref->location);
  throw_missing_column(ps, table, column, ref->location);
}

void resolve_container(ParseState& ps, Oid& type, std::int32_t& typmod, Oid& element, int location) {
  Oid written = type;
  type = base_and_typmod(type, &typmod);
  if (type == type_oid::int2vector) type = type_oid::int2_array;
  else if (type == type_oid::oidvector) type = type_oid::oid_array;
  element = element_type_of(type);
  if (is_valid(element)) return;
  const TypeInfo& info = type_info(type);
  if (is_valid(info.element) && is_valid(info.subscript)) {   // fixed-length array types such as name, point
    element = info.element;
    return;
  }
  throw SqlError(sqlstate::datatype_mismatch, "cannot subscript type {} because it does not support subscripting", catalog::format_type(written))
      .at(location);
}

void transform_subscript_bounds(ParseState& ps, Subscript* node, const ast::IndirectionStep* steps, int count) {
  for (int i = 0; i < count; ++i) node->is_slice = node->is_slice || steps[i].kind == ast::IndirectionKind::slice;
  if (count > kMaxDimensions)
    throw SqlError(sqlstate::program_limit_exceeded, "number of array dimensions ({}) exceeds the maximum allowed ({})", count, kMaxDimensions)
        .at(location_of(node->container));
  for (int i = 0; i < count; ++i) {
    const ast::IndirectionStep& step = steps[i];
    if (node->is_slice) {
      Expr* lower = nullptr;
      if (step.kind == ast::IndirectionKind::subscript)   // [5] among slices means [1:5]
        lower = make_constant(ps.arena, type_oid::int4, -1, kInvalidOid, {4, true, 'i'}, Datum::of(std::int32_t{1}), false);
      else if (step.lower != nullptr) lower = transform_bound(ps, step.lower);
      node->lower.push_back(ps.arena, lower);
    }
    node->upper.push_back(ps.arena, step.upper == nullptr ? nullptr : transform_bound(ps, step.upper));
  }
}

Expr* transform_subscripts(ParseState& ps, Expr* container, const ast::IndirectionStep* steps, int count, int location) {
  Oid written = type_of(container), type = written, element = kInvalidOid;
  std::int32_t typmod = typmod_of(container);
  auto* node = make<Subscript>(ps.arena, location);
  node->container = container;
  resolve_container(ps, type, typmod, element, location_of(container));
  node->container_type = type;
  node->element_type = element;
  node->typmod = typmod;
  transform_subscript_bounds(ps, node, steps, count);
  node->type = node->is_slice ? type : element;
  return node;
}

Expr* transform_indirection(ParseState& ps, const ast::Indirection* node) {
  Expr* last_srf = ps.last_srf;
  Expr* result = transform_inner(ps, node->arg);
  int location = location_of(result);
  std::uint32_t i = 0;
  while (i < node->steps.size()) {
    const ast::IndirectionStep& step = node->steps[i];
    if (step.kind == ast::IndirectionKind::star)
      throw SqlError(sqlstate::feature_not_supported, "row expansion via \"*\" is not supported here").at(location);
    if (step.kind == ast::IndirectionKind::field) {
      List<Expr*> args;
      args.push_back(ps.arena, result);
      ast::QualifiedName name;
      name.push_back(ps.arena, step.field);
      Expr* field = parse_function(ps, name, args, {}, last_srf, nullptr, false, location);
      if (field == nullptr) throw_unknown_attribute(ps, result, step.field, location);
      result = field;
      ++i;
      continue;
    }
    std::uint32_t first = i;
    while (i < node->steps.size() && (node->steps[i].kind == ast::IndirectionKind::subscript || node->steps[i].kind == ast::IndirectionKind::slice)) ++i;
    result = transform_subscripts(ps, result, &node->steps[first], static_cast<int>(i - first), location);
  }
  return result;
}

}  // namespace hathi::analyzer
