// Coercions: whether one type can stand for another, and the nodes that convert.

#include "hathi/datum/function.h"
#include "state.h"

namespace hathi::analyzer {
namespace {

bool is_row_array(Oid type) {
  Oid element = element_type_of(type);
  return is_valid(element) && is_complex(element);
}

// May a row of the one composite type be used as the other: same typed table, or a table and its inheritance parent?
bool row_type_inherits(Oid from, Oid to) {
  Oid from_relation = row_relation_of(from);
  const TypeInfo* target = catalog::find_type(to);
  if (!is_valid(from_relation) || target == nullptr || !is_valid(target->relation)) return false;
  catalog::RelationRef relation = catalog::try_open_relation(from_relation, locking::LockMode::none);
  for (int depth = 0; relation && depth < 1000; ++depth) {
    if (relation->row_type == to || relation->of_type == to) return true;
    if (!is_valid(relation->parent)) return false;
    relation = catalog::try_open_relation(relation->parent, locking::LockMode::none);
  }
  return false;
}

// Marks a cast as not written by the user when a coercion that stands outside it is.
Expr* hide_cast(Expr* e) {
  switch (e->kind) {
    case ExprKind::function: if (as<FunctionExpr>(e)->form == CallForm::explicit_cast) as<FunctionExpr>(e)->form = CallForm::implicit_cast; break;
    case ExprKind::relabel: as<Relabel>(e)->form = CallForm::implicit_cast; break;
    case ExprKind::coerce_io: as<CoerceIo>(e)->form = CallForm::implicit_cast; break;
    case ExprKind::array_coerce: as<ArrayCoerce>(e)->form = CallForm::implicit_cast; break;
    case ExprKind::row_coerce: as<RowCoerce>(e)->form = CallForm::implicit_cast; break;
    case ExprKind::row: as<RowExpr>(e)->form = CallForm::implicit_cast; break;
    case ExprKind::coerce_domain: as<CoerceDomain>(e)->form = CallForm::implicit_cast; break;
    default: break;
  }
  return e;
}

// The function that applies a type modifier; element: it works on an array's elements.
Oid typmod_function(Oid type, bool& element) {
  const TypeInfo& info = type_info(type);
  element = info.is_true_array();
  Oid scalar = element ? info.element : type;
  const catalog::CastInfo* cast = catalog::find_cast(scalar, scalar);
  return cast == nullptr ? kInvalidOid : cast->function;
}

Expr* build_coercion(Root& root, Expr* e, Pathway path, Oid function, Oid target, std::int32_t typmod, CoercionContext context, CallForm form,
                     int location);

// Array coercion: the element's conversion is written once over CaseTest.
Expr* build_array_coercion(Root& root, Expr* e, Oid target, std::int32_t typmod, Oid function, CoercionContext context, CallForm form, int location) {
  Oid source = catalog::base_type(type_of(e));
  auto* placeholder = make<CaseTest>(root.arena);
  placeholder->type = element_type_of(source);
  placeholder->typmod = type_of(e) == source ? typmod_of(e) : -1;
  placeholder->collation = collation_of(e);
  Oid element = element_type_of(target);
  Expr* converted;
  if (is_valid(function)) {   // a length coercion of the elements
    converted = build_coercion(root, placeholder, Pathway::function, function, element, typmod, context, form, location);
  } else {
    converted = coerce_to_target(root, placeholder, placeholder->type, element, typmod, context, form, location);
    if (converted == nullptr)
      throw SqlError(sqlstate::internal_error, "failed to coerce array element type as expected").at(location);
  }
  auto* node = make<ArrayCoerce>(root.arena, location);
  node->arg = e;
  node->element = converted;
  node->type = target;
  node->typmod = typmod;
  node->form = form;
  return node;
}

Expr* build_coercion(Root& root, Expr* e, Pathway path, Oid function, Oid target, std::int32_t typmod, CoercionContext context, CallForm form,
                     int location) {
  Arena& arena = root.arena;
  switch (path) {
    case Pathway::function: {
      const FunctionInfo& info = catalog::function_info(function);
      auto* call = make<FunctionExpr>(arena, location);
      call->function = function;
      call->type = target;
      call->form = form;
      call->args.push_back(arena, e);
      std::size_t count = info.arguments.size();
      if (count >= 2) {
        call->typmod = typmod;
        call->args.push_back(arena, make_constant(arena, type_oid::int4, -1, kInvalidOid, {4, true, 'i'}, Datum::of(typmod), false));
      }
      if (count >= 3) call->args.push_back(arena, make_bool(arena, context == CoercionContext::explicit_));
      return call;
    }
    case Pathway::array: return build_array_coercion(root, e, target, typmod, function, context, form, location);
    case Pathway::io: {
      auto* node = make<CoerceIo>(arena, location);
      node->arg = e;
      node->type = target;
      node->form = form;
      return node;
    }
    default: throw SqlError(sqlstate::internal_error, "unsupported pathway in coercion").at(location);
  }
}

// A string literal becomes a constant of the target type through the type's input function.
Expr* literal_to_type(Root& root, const Constant* literal, Oid target, std::int32_t typmod, CoercionContext context, CallForm form, int location) {
  std::int32_t base_typmod = typmod;
  Oid base = base_and_typmod(target, &base_typmod);
  // Interval's input needs its modifier; for the others the modifier is applied afterwards, so that an explicit cast may truncate.
  std::int32_t input_typmod = base == type_oid::interval ? base_typmod : -1;
  const TypeInfo& info = type_info(base);
  auto* constant = make<Constant>(root.arena, literal->location);
  constant->type = base;
  constant->typmod = input_typmod;
  constant->collation = info.collation;
  constant->layout = info.layout;
  constant->is_null = literal->is_null;
  if (!literal->is_null) {
    try {
      if (find_builtin_function(info.input) == nullptr) throw_not_supported(fmt::format("type {}", catalog::format_type(base)));
      Oid element = is_valid(info.element) ? info.element : base;
      constant->value = call_function(info.input, root.arena, {literal->value, Datum::of(element), Datum::of(input_typmod)});
    } catch (SqlError& error) {
      rethrow_at(error, literal->location);
    }
  } else if (info.kind != 'd') {
    constant->value = Datum();
  }
  if (base == target) return constant;
  return coerce_to_domain(root, constant, base, base_typmod, target, context, form, location, false);
}

// A row whose type is not known by name (ROW(…), whole row of a subquery) to a named composite type, column by column.
Expr* record_to_complex(Root& root, Expr* e, Oid target, CoercionContext context, CallForm form, int location) {
  List<Expr*> args;
  auto cannot = [&](std::string_view detail) {
    SqlError error(sqlstate::cannot_coerce, "cannot cast type {} to {}", catalog::format_type(type_oid::record), catalog::format_type(target));
    error.at(location >= 0 ? location : location_of(e));
    if (!detail.empty()) error.detail(std::string(detail));
    return error;
  };
  if (is<RowExpr>(e)) {
    args = as<RowExpr>(e)->args;
  } else if (is<Variable>(e) && as<Variable>(e)->column == 0 && root.state != nullptr) {
    const auto* whole = as<Variable>(e);
    expand_item(*root.state, item_of(*root.state, whole->rte, whole->levels_up), whole->levels_up, whole->location, true, args, nullptr);
  } else {
    throw cannot("");
  }
  Oid base = catalog::base_type(target);
  const TupleDescriptor* row = row_descriptor_of_type(root, base);
  List<Expr*> converted;
  std::uint32_t next = 0;
  for (int i = 0; i < row->count(); ++i) {
    const Attribute& column = (*row)[i];
    if (column.dropped) {
      converted.push_back(root.arena, make_null(root.arena, type_oid::int4, -1, kInvalidOid));
      continue;
    }
    if (next >= args.size()) throw cannot("Input has too few columns.");
    Expr* arg = args[next++];
    Oid from = type_of(arg);
    Expr* value = coerce_to_target(root, arg, from, column.type, column.typmod, context, CallForm::implicit_cast, -1);
    if (value == nullptr)
      throw cannot(fmt::format("Cannot cast type {} to {} in column {}.", catalog::format_type(from), catalog::format_type(column.type), next))
          .at(location_of(arg) >= 0 ? location_of(arg) : location);
    converted.push_back(root.arena, value);
  }
  if (next < args.size()) throw cannot("Input has too many columns.");
  auto* node = make<RowExpr>(root.arena, location);
  node->args = converted;
  node->type = base;
  node->form = form;
  if (base == target) return node;
  node->form = CallForm::implicit_cast;
  return coerce_to_domain(root, node, base, -1, target, context, form, location, false);
}

}  // namespace

Oid element_type_of(Oid type) {
  const TypeInfo* info = catalog::find_type(type);
  return info != nullptr && info->is_true_array() ? info->element : kInvalidOid;
}
Oid base_element_type_of(Oid type) { return element_type_of(catalog::base_type(type)); }
Oid array_type_of(Oid element) {
  const TypeInfo* info = catalog::find_type(element);
  return info == nullptr ? kInvalidOid : info->array;
}
Oid row_relation_of(Oid type) {
  if (raw(type) < 10000 && type != type_oid::record && (type == type_oid::int4 || type == type_oid::text || type == type_oid::bool_)) return kInvalidOid;
  const TypeInfo* info = catalog::find_type(type);
  while (info != nullptr && info->kind == 'd') info = catalog::find_type(info->base);
  return info == nullptr ? kInvalidOid : info->relation;
}
Oid type_collation(Oid type) {
  const TypeInfo* info = catalog::find_type(type);
  return info == nullptr ? kInvalidOid : info->collation;
}

Expr* relabel_to(Arena& arena, Expr* e, Oid type, std::int32_t typmod, CallForm form, int location) {
  // Relabelings do not stack: only the outermost counts.
  while (is<Relabel>(e)) {
    auto* inner = as<Relabel>(e);
    if (form == CallForm::implicit_cast && inner->form == CallForm::explicit_cast) form = CallForm::explicit_cast;
    e = inner->arg;
  }
  auto* node = make<Relabel>(arena, location);
  node->arg = e;
  node->type = type;
  node->typmod = typmod;
  node->form = form;
  return node;
}

bool is_binary_coercible(Oid from, Oid to) {
  if (from == to || to == type_oid::any || to == type_oid::anyelement || to == type_oid::anycompatible) return true;
  if (is_valid(from)) from = catalog::base_type(from);
  if (from == to) return true;
  const TypeInfo* source = catalog::find_type(from);
  if (source == nullptr) return false;
  if (to == type_oid::anyarray || to == type_oid::anycompatiblearray) return source->is_true_array();
  if (to == type_oid::anynonarray || to == type_oid::anycompatiblenonarray) return !source->is_true_array();
  if (to == type_oid::anyenum) return source->kind == 'e';
  if (to == type_oid::anyrange || to == type_oid::anycompatiblerange) return source->kind == 'r';
  if (to == type_oid::anymultirange || to == type_oid::anycompatiblemultirange) return source->kind == 'm';
  if (to == type_oid::record) return is_complex(from);
  if (to == type_oid::record_array) return is_row_array(from);
  const catalog::CastInfo* cast = catalog::find_cast(from, to);
  return cast != nullptr && cast->method == 'b' && cast->context == 'i';
}

Pathway find_pathway(Oid target, Oid source, CoercionContext context, Oid* function) {
  *function = kInvalidOid;
  if (is_valid(source)) source = catalog::base_type(source);
  if (is_valid(target)) target = catalog::base_type(target);
  if (source == target) return Pathway::relabel;
  if (const catalog::CastInfo* cast = catalog::find_cast(source, target)) {
    CoercionContext needed = cast->context == 'i' ? CoercionContext::implicit : cast->context == 'a' ? CoercionContext::assignment : CoercionContext::explicit_;
    if (context < needed) return Pathway::none;
    if (cast->method == 'f') { *function = cast->function; return Pathway::function; }
    return cast->method == 'i' ? Pathway::io : Pathway::relabel;
  }
  if (target != type_oid::oidvector && target != type_oid::int2vector) {
    Oid target_element = element_type_of(target), source_element = is_valid(target_element) ? element_type_of(source) : kInvalidOid;
    if (is_valid(target_element) && is_valid(source_element)) {
      Oid ignored;
      if (find_pathway(target_element, source_element, context, &ignored) != Pathway::none) return Pathway::array;
    }
  }
  // Every type converts to and from text-like types through its text.
  if (context >= CoercionContext::assignment && category_of(target) == 'S') return Pathway::io;
  if (context >= CoercionContext::explicit_ && category_of(source) == 'S') return Pathway::io;
  return Pathway::none;
}

bool can_coerce_list(std::span<const Oid> input, std::span<const Oid> target, CoercionContext context) {
  bool generic = false;
  for (std::size_t i = 0; i < input.size(); ++i) {
    Oid from = input[i], to = target[i];
    if (from == to || to == type_oid::any) continue;
    if (is_polymorphic(to)) { generic = true; continue; }
    // Nobody has a value for the server's own structures to give.
    if (from == type_oid::unknown && to != type_oid::internal) continue;
    Oid function;
    if (find_pathway(to, from, context, &function) != Pathway::none) continue;
    if (from == type_oid::record && is_complex(to)) continue;
    if (to == type_oid::record && is_complex(from)) continue;
    if (to == type_oid::record_array && is_row_array(from)) continue;
    if (is_complex(from) && is_complex(to) && row_type_inherits(from, catalog::base_type(to))) continue;
    return false;
  }
  return !generic || check_generic_types(input, target);
}
bool can_coerce(Oid from, Oid to, CoercionContext context) { return can_coerce_list({&from, 1}, {&to, 1}, context); }

Expr* coerce_type(Root& root, Expr* e, Oid input, Oid target, std::int32_t typmod, CoercionContext context, CallForm form, int location) {
  if (target == input) return e;
  if (target == type_oid::any || target == type_oid::anyelement || target == type_oid::anynonarray || target == type_oid::anycompatible ||
      target == type_oid::anycompatiblenonarray)
    return e;
  if (target == type_oid::anyarray || target == type_oid::anyenum || target == type_oid::anyrange || target == type_oid::anymultirange ||
      target == type_oid::anycompatiblearray || target == type_oid::anycompatiblerange || target == type_oid::anycompatiblemultirange) {
    if (input != type_oid::unknown) {
      // The function sees the base type of a domain, never the domain.
      Oid base = catalog::base_type(input);
      return base == input ? e : relabel_to(root.arena, e, base, -1, CallForm::implicit_cast, location);
    }
  }
  if (input == type_oid::unknown && is<Constant>(e)) return literal_to_type(root, as<Constant>(e), target, typmod, context, form, location);
  if (is<Parameter>(e) && root.parameters != nullptr) {
    if (Expr* done = coerce_parameter(root, as<Parameter>(e), target, typmod, location)) return done;
  }
  if (is<Collate>(e)) {
    auto* collate = as<Collate>(e);
    Expr* arg = coerce_type(root, collate->arg, input, target, typmod, context, form, location);
    if (!is_valid(type_collation(type_of(arg)))) return arg;
    auto* node = make<Collate>(root.arena, collate->location);
    node->arg = arg;
    node->collation = collate->collation;
    return node;
  }
  Oid function;
  Pathway path = find_pathway(target, input, context, &function);
  if (path != Pathway::none) {
    if (path != Pathway::relabel) {
      std::int32_t base_typmod = typmod;
      Oid base = base_and_typmod(target, &base_typmod);
      Expr* result = build_coercion(root, e, path, function, base, base_typmod, context, form, location);
      if (base != target) result = coerce_to_domain(root, result, base, base_typmod, target, context, form, location, true);
      return result;
    }
    Expr* result = coerce_to_domain(root, e, kInvalidOid, -1, target, context, form, location, false);
    return result != e ? result : relabel_to(root.arena, e, target, -1, form, location);
  }
  if (input == type_oid::record && is_complex(target)) return record_to_complex(root, e, target, context, form, location);
  if (target == type_oid::record && is_complex(input)) return e;
  if (target == type_oid::record_array && is_row_array(input)) return e;
  Oid target_base = catalog::base_type(target);
  if (row_type_inherits(input, target_base)) {
    Oid source_base = catalog::base_type(input);
    if (source_base != input) e = relabel_to(root.arena, e, source_base, -1, CallForm::implicit_cast, location);
    auto* node = make<RowCoerce>(root.arena, location);
    node->arg = e;
    node->type = target_base;
    node->form = form;
    if (target_base == target) return node;
    return coerce_to_domain(root, node, target_base, -1, target, context, form, location, true);
  }
  throw SqlError(sqlstate::internal_error, "failed to find conversion function from {} to {}", catalog::format_type(input), catalog::format_type(target))
      .at(location);
}

Expr* coerce_to_target(Root& root, Expr* e, Oid input, Oid target, std::int32_t typmod, CoercionContext context, CallForm form, int location) {
  if (input == target && typmod < 0 && target != type_oid::unknown && typmod_of(e) < 0) return e;   // the common case, cheaply
  if (!can_coerce(input, target, context)) return nullptr;
  // COLLATE stays outermost.
  Expr* original = e;
  while (is<Collate>(e)) e = as<Collate>(e)->arg;
  Expr* result = coerce_type(root, e, input, target, typmod, context, form, location);
  result = coerce_typmod(root, result, target, typmod, context, form, location, result != e && !is<Constant>(result));
  if (e != original && is_valid(type_collation(target))) {
    auto* node = make<Collate>(root.arena, as<Collate>(original)->location);
    node->arg = result;
    node->collation = as<Collate>(original)->collation;
    result = node;
  }
  return result;
}

Expr* coerce_to_domain(Root& root, Expr* e, Oid base, std::int32_t base_typmod, Oid domain, CoercionContext context, CallForm form, int location,
                       bool hide_input) {
  if (!is_valid(base)) {
    base_typmod = -1;
    base = base_and_typmod(domain, &base_typmod);
  }
  if (base == domain) return e;
  if (hide_input) hide_cast(e);
  e = coerce_typmod(root, e, base, base_typmod, context, CallForm::implicit_cast, location, false);
  auto* node = make<CoerceDomain>(root.arena, location);
  node->arg = e;
  node->type = domain;
  node->form = form;
  return node;
}

Expr* coerce_typmod(Root& root, Expr* e, Oid target, std::int32_t typmod, CoercionContext context, CallForm form, int location, bool hide_input) {
  if (typmod == typmod_of(e)) return e;
  if (hide_input) hide_cast(e);
  if (typmod < 0) return relabel_to(root.arena, e, target, typmod, form, location);
  bool element = false;
  Oid function = typmod_function(target, element);
  if (!is_valid(function)) return e;
  return build_coercion(root, e, element ? Pathway::array : Pathway::function, function, target, typmod, context, form, location);
}

Expr* coerce_to_boolean(ParseState& ps, Expr* e, std::string_view construct) {
  Oid type = type_of(e);
  if (type != type_oid::bool_) {
    Expr* done = coerce_to_target(ps.root, e, type, type_oid::bool_, -1, CoercionContext::assignment, CallForm::implicit_cast, -1);
    if (done == nullptr)
      throw SqlError(sqlstate::datatype_mismatch, "argument of {} must be type {}, not type {}", construct, "boolean", catalog::format_type(type))
          .at(location_of(e));
    e = done;
  }
  if (ps.last_srf != nullptr && contains_set_function(e))
    throw SqlError(sqlstate::datatype_mismatch, "argument of {} must not return a set", construct).at(location_of(e));
  return e;
}

Expr* coerce_to_specific(ParseState& ps, Expr* e, Oid type, std::string_view construct) {
  Oid own = type_of(e);
  if (own != type) {
    Expr* done = coerce_to_target(ps.root, e, own, type, -1, CoercionContext::assignment, CallForm::implicit_cast, -1);
    if (done == nullptr)
      throw SqlError(sqlstate::datatype_mismatch, "argument of {} must be type {}, not type {}", construct, catalog::format_type(type),
                     catalog::format_type(own))
          .at(location_of(e));
    e = done;
  }
  if (ps.last_srf != nullptr && contains_set_function(e))
    throw SqlError(sqlstate::datatype_mismatch, "argument of {} must not return a set", construct).at(location_of(e));
  return e;
}

Expr* coerce_to_common(ParseState& ps, Expr* e, Oid type, std::string_view context) {
  Oid own = type_of(e);
  if (own == type) return e;
  if (!can_coerce(own, type, CoercionContext::implicit))
    throw SqlError(sqlstate::cannot_coerce, "{} could not convert type {} to {}", context, catalog::format_type(own), catalog::format_type(type))
        .at(location_of(e));
  return coerce_type(ps.root, e, own, type, -1, CoercionContext::implicit, CallForm::implicit_cast, -1);
}

namespace {

// One step of choosing a common type: whether the next type replaces the present choice. false in ok: different categories.
struct CommonType {
  Oid type = kInvalidOid;
  char category = 'U';
  bool preferred = false;
  void start(Oid t) { set(catalog::base_type(t)); }
  bool next(Oid t, bool& replaced) {
    replaced = false;
    t = catalog::base_type(t);
    if (t == type_oid::unknown || t == type) return true;
    const TypeInfo& info = type_info(t);
    if (type == type_oid::unknown) { set(t); replaced = true; return true; }
    if (info.category != category) return false;
    if (!preferred && can_coerce(type, t, CoercionContext::implicit) && !can_coerce(t, type, CoercionContext::implicit)) {
      set(t);
      replaced = true;
    }
    return true;
  }

 private:
  void set(Oid t) {
    type = t;
    const TypeInfo& info = type_info(t);
    category = info.category;
    preferred = info.preferred;
  }
};

}  // namespace

Oid select_common_type(const List<Expr*>& list, std::string_view construct, Expr** which) {
  Expr* chosen = list[0];
  Oid first = type_of(chosen);
  if (which != nullptr) *which = chosen;
  if (first != type_oid::unknown) {
    bool same = true;
    for (const Expr* e : list) same = same && type_of(e) == first;
    if (same) return first;
  }
  CommonType common;
  common.start(first);
  for (std::uint32_t i = 1; i < list.size(); ++i) {
    bool replaced;
    Oid before = common.type;
    if (!common.next(type_of(list[i]), replaced)) {
      if (construct.empty()) return kInvalidOid;
      throw SqlError(sqlstate::datatype_mismatch, "{} types {} and {} cannot be matched", construct, catalog::format_type(before),
                     catalog::format_type(catalog::base_type(type_of(list[i]))))
          .at(location_of(list[i]));
    }
    if (replaced) chosen = list[i];
  }
  if (which != nullptr) *which = chosen;
  return common.type == type_oid::unknown ? type_oid::text : common.type;
}

Oid select_common_type_of(std::span<const Oid> types) {
  Oid first = types[0];
  if (first != type_oid::unknown) {
    bool same = true;
    for (Oid t : types) same = same && t == first;
    if (same) return first;
  }
  CommonType common;
  common.start(first);
  for (Oid t : types.subspan(1)) {
    bool replaced;
    if (!common.next(t, replaced)) return kInvalidOid;
  }
  return common.type == type_oid::unknown ? type_oid::text : common.type;
}

bool verify_common_type(Oid type, const List<Expr*>& list) {
  for (const Expr* e : list) if (!can_coerce(type_of(e), type, CoercionContext::implicit)) return false;
  return true;
}

std::int32_t select_common_typmod(const List<Expr*>& list, Oid type) {
  std::int32_t result = -1;
  bool first = true;
  for (const Expr* e : list) {
    if (type_of(e) != type) return -1;
    if (first) result = typmod_of(e);
    else if (typmod_of(e) != result) return -1;
    first = false;
  }
  return result;
}

void coerce_arguments(Root& root, List<Expr*>& args, std::span<const Oid> actual, std::span<const Oid> declared) {
  for (std::uint32_t i = 0; i < args.size(); ++i) {
    if (actual[i] == declared[i]) continue;
    args[i] = coerce_type(root, args[i], actual[i], declared[i], -1, CoercionContext::implicit, CallForm::implicit_cast, -1);
  }
}

Expr* coerce_to_type(Expr* e, Oid type, std::int32_t typmod, CoercionContext context, CallForm form, int location, Arena& arena) {
  Root root{arena, {}};
  return coerce_to_target(root, e, type_of(e), type, typmod, context, form, location);
}

}  // namespace hathi::analyzer
