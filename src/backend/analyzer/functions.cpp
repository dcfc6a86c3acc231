// Functions: which one a name and arguments mean.

#include "state.h"

namespace hathi::analyzer {
namespace {

// A function seen with the arguments of one call: variadic arguments spread out, named ones in place, defaults counted.
struct Candidate {
  const FunctionInfo* function = nullptr;
  std::vector<Oid> types;            // effective argument types, in parameter order
  std::vector<int> order;            // named notation: call argument of each parameter, -1 = default
  int variadic_count = 0;
  int default_count = 0;
  int path_position = 0;
  bool ambiguous = false;
};

int path_position_of(Oid schema) {
  const std::vector<Oid>& path = catalog::search_path();
  for (std::size_t i = 0; i < path.size(); ++i) if (path[i] == schema) return static_cast<int>(i);
  return static_cast<int>(path.size());
}

// Assigns a call in named notation to parameters; false when it does not fit.
bool match_names(const FunctionInfo& f, std::size_t count, std::span<const std::string_view> names, bool expand_defaults, Candidate& candidate) {
  std::size_t parameters = f.arguments.size();
  std::size_t positional = count - names.size();
  if (f.names.empty() || count > parameters || positional > parameters) return false;
  if (!expand_defaults && count != parameters) return false;
  if (expand_defaults && count + static_cast<std::size_t>(f.defaults) < parameters) return false;
  candidate.order.assign(parameters, -1);
  for (std::size_t i = 0; i < positional; ++i) candidate.order[i] = static_cast<int>(i);
  for (std::size_t n = 0; n < names.size(); ++n) {
    std::size_t input = 0;
    bool found = false;
    for (std::size_t i = 0; i < f.names.size(); ++i) {
      char mode = f.modes.empty() ? 'i' : f.modes[i];
      bool is_input = mode == 'i' || mode == 'b' || mode == 'v';
      if (is_input && f.names[i] == names[n]) {
        if (candidate.order[input] >= 0) return false;   // given by position already
        candidate.order[input] = static_cast<int>(positional + n);
        found = true;
        break;
      }
      if (is_input) ++input;
    }
    if (!found) return false;
  }
  std::size_t first_default = parameters - static_cast<std::size_t>(f.defaults);
  for (std::size_t i = 0; i < parameters; ++i) {
    if (candidate.order[i] < 0) {
      if (i < first_default) return false;
      ++candidate.default_count;
    }
  }
  candidate.types.assign(f.arguments.begin(), f.arguments.end());
  return true;
}

bool match_positions(const FunctionInfo& f, std::span<const Oid> parameter_types, std::size_t count, bool expand_variadic, bool expand_defaults,
                     Candidate& candidate) {
  std::size_t parameters = parameter_types.size();
  if (expand_variadic && is_valid(f.variadic) && parameters >= 1 && parameters <= count) {
    candidate.types.assign(parameter_types.begin(), parameter_types.end());
    candidate.types.resize(count, f.variadic);
    for (std::size_t i = parameters - 1; i < count; ++i) candidate.types[i] = f.variadic;
    candidate.variadic_count = static_cast<int>(count - parameters + 1);
    return true;
  }
  if (count == parameters || (expand_defaults && count < parameters && count + static_cast<std::size_t>(f.defaults) >= parameters)) {
    candidate.types.assign(parameter_types.begin(), parameter_types.end());
    candidate.default_count = static_cast<int>(parameters - count);
    return true;
  }
  return false;
}

// Of two candidates with the same argument types one hides the other, or the call is ambiguous.
void add_candidate(std::vector<Candidate>& list, Candidate&& candidate, std::size_t count) {
  for (Candidate& old : list) {
    if (old.types.size() < count || candidate.types.size() < count) continue;
    if (!std::equal(old.types.begin(), old.types.begin() + static_cast<std::ptrdiff_t>(count), candidate.types.begin())) continue;
    if (old.path_position != candidate.path_position) {
      if (candidate.path_position < old.path_position) old = std::move(candidate);
    } else if (old.variadic_count == 0 && candidate.variadic_count > 0) {
      return;
    } else if (old.variadic_count > 0 && candidate.variadic_count == 0) {
      old = std::move(candidate);
    } else {
      old.ambiguous = true;
    }
    return;
  }
  list.push_back(std::move(candidate));
}

// May the function's name be a type's, to convert the one argument without a function?
bool is_type_coercion(Root& root, const ast::QualifiedName& name, const List<Expr*>* args, Oid source, Oid& target) {
  if (args == nullptr) return false;
  ast::TypeName type_name;
  type_name.names = name;
  const TypeInfo* type = nullptr;
  if (name.size() == 1) {
    type = catalog::find_type_in_path(name[0]);
  } else {
    std::string_view schema, object;
    split_name(name, schema, object);
    Oid where = lookup_schema(schema, true);
    if (is_valid(where)) type = catalog::find_type_by_name(object, where);
  }
  if (type == nullptr || !type->is_defined || is_valid(row_relation_of(type->oid))) return false;
  target = type->oid;
  if (source == type_oid::unknown) return true;
  Oid function;
  switch (find_pathway(target, source, CoercionContext::explicit_, &function)) {
    case Pathway::relabel: return true;
    case Pathway::io: return !(category_of(target) == 'S' && is_row_type(source));
    default: return false;
  }
}

void read_defaults(Root& root, const Candidate& best, std::size_t given, FunctionChoice& choice) {
  if (best.default_count == 0) return;
  const FunctionInfo& f = *best.function;
  List<Expr*> all = catalog::default_arguments(f, root.arena);
  std::size_t parameters = f.arguments.size();
  std::size_t first = parameters - all.size();
  for (std::size_t i = 0; i < parameters; ++i) {
    bool missing = best.order.empty() ? i >= given : best.order[i] < 0;
    if (missing) {
      if (i < first || i - first >= all.size()) throw SqlError(sqlstate::internal_error, "not enough default arguments");
      choice.defaults.push_back(root.arena, all[i - first]);
    }
  }
}

FunctionMatch kind_of(const FunctionInfo& f) {
  switch (f.kind) {
    case 'a': return FunctionMatch::aggregate;
    case 'p': return FunctionMatch::procedure;
    case 'w': return FunctionMatch::window;
    default: return FunctionMatch::normal;
  }
}

}  // namespace

std::string function_signature(const ast::QualifiedName& name, std::span<const Oid> types, std::span<const std::string_view> arg_names) {
  std::string text = name_text(name) + "(";
  std::size_t positional = types.size() - arg_names.size();
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += ", ";
    if (i >= positional) {
      text += arg_names[i - positional];
      text += " => ";
    }
    text += catalog::format_type(types[i]);
  }
  return text + ")";
}
std::string signature_text(std::string_view name, std::span<const Oid> types) {
  std::string text = std::string(name) + "(";
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += ", ";
    text += catalog::format_type(types[i]);
  }
  return text + ")";
}

FunctionChoice choose_function(Root& root, const ast::QualifiedName& name, const List<Expr*>* args, std::span<const Oid> types,
                               std::span<const std::string_view> arg_names, bool expand_variadic, bool expand_defaults, bool include_out) {
  FunctionChoice choice;
  std::string_view schema_name, object;
  split_name(name, schema_name, object);
  Oid schema = kInvalidOid;
  if (schema_name == "pg_catalog") schema = kPgCatalogNamespace;
  else if (!schema_name.empty()) {
    schema = lookup_schema(schema_name);
  }
  std::vector<const FunctionInfo*>& found = root.function_scratch;
  found.clear();
  catalog::find_functions(object, schema, found);
  std::vector<Candidate> candidates;
  for (const FunctionInfo* f : found) {
    Candidate candidate;
    candidate.function = f;
    // CALL gives arguments for OUT parameters too.
    std::span<const Oid> parameters = include_out && f->kind == 'p' && !f->all_arguments.empty() ? f->all_arguments : f->arguments;
    bool fits = arg_names.empty() ? match_positions(*f, parameters, types.size(), expand_variadic, expand_defaults, candidate)
                                  : match_names(*f, types.size(), arg_names, expand_defaults, candidate);
    if (!fits) continue;
    candidate.path_position = is_valid(schema) ? 0 : path_position_of(f->schema);
    if (!candidate.order.empty()) {
      // Compared and matched in the order of the call.
      std::vector<Oid> in_call_order(types.size());
      for (std::size_t i = 0; i < candidate.order.size(); ++i)
        if (candidate.order[i] >= 0) in_call_order[static_cast<std::size_t>(candidate.order[i])] = candidate.types[i];
      candidate.types = std::move(in_call_order);
    }
    add_candidate(candidates, std::move(candidate), types.size());
  }

  const Candidate* best = nullptr;
  for (const Candidate& c : candidates)
    if (std::equal(types.begin(), types.end(), c.types.begin())) { best = &c; break; }
  if (best == nullptr) {
    if (types.size() == 1 && arg_names.empty()) {
      Oid target;
      if (is_type_coercion(root, name, args, types[0], target)) {
        choice.match = FunctionMatch::coercion;
        choice.result = target;
        return choice;
      }
    }
    std::vector<const Candidate*> usable;
    for (const Candidate& c : candidates)
      if (can_coerce_list(types, std::span<const Oid>(c.types).first(types.size()), CoercionContext::implicit)) usable.push_back(&c);
    if (usable.size() == 1) {
      best = usable[0];
    } else if (usable.size() > 1) {
      std::vector<std::span<const Oid>> type_lists;
      type_lists.reserve(usable.size());
      for (const Candidate* c : usable) type_lists.push_back(std::span<const Oid>(c->types).first(types.size()));
      int n = select_candidate(types, type_lists);
      if (n < 0) {
        choice.match = FunctionMatch::multiple;
        return choice;
      }
      best = usable[static_cast<std::size_t>(n)];
    }
  }
  if (best == nullptr) return choice;
  if (best->ambiguous) {
    choice.match = FunctionMatch::multiple;
    return choice;
  }
  const FunctionInfo& f = *best->function;
  choice.match = kind_of(f);
  choice.function = &f;
  choice.result = f.result;
  choice.variadic_count = best->variadic_count;
  choice.variadic_type = f.variadic;
  choice.argument_order = best->order;
  if (best->order.empty()) choice.declared = best->types;
  else choice.declared.assign(f.arguments.begin(), f.arguments.end());
  read_defaults(root, *best, types.size(), choice);
  return choice;
}

namespace {

// Keeps the candidates with the highest score.
template <class Score>
void keep_best(std::vector<int>& alive, Score score) {
  int best = 0;
  std::vector<int> kept;
  for (int c : alive) {
    int n = score(c);
    if (n > best || kept.empty()) {
      best = n;
      kept.assign(1, c);
    } else if (n == best) {
      kept.push_back(c);
    }
  }
  alive = std::move(kept);
}

// For a literal argument: the type category all candidates agree on, string winning over others.
struct Slot { char category = '\0'; bool has_preferred = false; };

bool literal_slots(std::span<const Oid> base, std::span<const std::span<const Oid>> candidates, const std::vector<int>& alive, std::vector<Slot>& slots) {
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (base[i] != type_oid::unknown) continue;
    Slot& slot = slots[i];
    bool conflict = false;
    for (int c : alive) {
      const TypeInfo& type = type_info(candidates[static_cast<std::size_t>(c)][i]);
      if (slot.category == '\0') slot = {type.category, type.preferred};
      else if (type.category == slot.category) slot.has_preferred = slot.has_preferred || type.preferred;
      else if (type.category == 'S') slot = {'S', type.preferred};
      else conflict = true;
    }
    if (conflict && slot.category != 'S') return false;
  }
  return true;
}

}  // namespace

int select_candidate(std::span<const Oid> input, std::span<const std::span<const Oid>> candidates) {
  std::size_t count = input.size();
  std::vector<Oid> base(count);
  std::size_t unknowns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (input[i] == type_oid::unknown) { base[i] = type_oid::unknown; ++unknowns; }
    else base[i] = catalog::base_type(input[i]);
  }
  std::vector<int> alive(candidates.size());
  for (std::size_t i = 0; i < alive.size(); ++i) alive[i] = static_cast<int>(i);
  auto types_of = [&](int c) { return candidates[static_cast<std::size_t>(c)]; };

  keep_best(alive, [&](int c) {
    int n = 0;
    for (std::size_t i = 0; i < count; ++i) if (base[i] != type_oid::unknown && types_of(c)[i] == base[i]) ++n;
    return n;
  });
  if (alive.size() == 1) return alive[0];

  keep_best(alive, [&](int c) {
    int n = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (base[i] == type_oid::unknown) continue;
      Oid t = types_of(c)[i];
      if (t == base[i]) { ++n; continue; }
      const TypeInfo& info = type_info(t);
      if (info.preferred && info.category == category_of(base[i])) ++n;
    }
    return n;
  });
  if (alive.size() == 1) return alive[0];
  if (unknowns == 0) return -1;

  std::vector<Slot> slots(count);
  if (literal_slots(base, candidates, alive, slots)) {
    std::vector<int> kept;
    for (int c : alive) {
      bool keep = true;
      for (std::size_t i = 0; i < count && keep; ++i) {
        if (base[i] != type_oid::unknown) continue;
        const TypeInfo& info = type_info(types_of(c)[i]);
        keep = info.category == slots[i].category && (!slots[i].has_preferred || info.preferred);
      }
      if (keep) kept.push_back(c);
    }
    if (!kept.empty()) alive = std::move(kept);
    if (alive.size() == 1) return alive[0];
  }

  // Last: if all known arguments have one type, take the literals to be of it too.
  if (unknowns < count) {
    Oid known = type_oid::unknown;
    for (Oid t : base) {
      if (t == type_oid::unknown) continue;
      if (known == type_oid::unknown) known = t;
      else if (known != t) return -1;
    }
    std::vector<Oid> assumed(count, known);
    int only = -1;
    for (int c : alive) {
      if (!can_coerce_list(assumed, types_of(c), CoercionContext::implicit)) continue;
      if (only >= 0) return -1;
      only = c;
    }
    return only;
  }
  return -1;
}

}  // namespace hathi::analyzer
