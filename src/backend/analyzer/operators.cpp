// Operators: resolution by name and operand types, and the nodes that apply them.

#include "state.h"

namespace hathi::analyzer {
namespace {

std::string operator_text(std::string_view name, const ast::QualifiedName& qualifier) {
  return qualifier.empty() ? std::string(name) : name_text(qualifier) + "." + std::string(name);
}

std::string operator_signature(std::string_view name, const ast::QualifiedName& qualifier, Oid left, Oid right) {
  std::string text;
  if (is_valid(left)) text = catalog::format_type(left) + " ";
  text += operator_text(name, qualifier);
  text += ' ';
  return text + catalog::format_type(right);
}

[[noreturn]] void throw_no_operator(std::string_view name, const ast::QualifiedName& qualifier, Oid left, Oid right, bool ambiguous, int location) {
  std::string signature = operator_signature(name, qualifier, left, right);
  if (ambiguous)
    throw SqlError(sqlstate::ambiguous_function, "operator is not unique: {}", signature)
        .hint("Could not choose a best candidate operator. You might need to add explicit type casts.")
        .at(location);
  throw SqlError(sqlstate::undefined_function, "operator does not exist: {}", signature)
      .hint(is_valid(left) && is_valid(right) ? "No operator matches the given name and argument types. You might need to add explicit type casts."
                                              : "No operator matches the given name and argument type. You might need to add an explicit type cast.")
      .at(location);
}

Oid qualifier_schema(const ast::QualifiedName& qualifier) {
  if (qualifier.empty()) return kInvalidOid;
  if (qualifier.size() == 1 && qualifier[0] == "pg_catalog") return kPgCatalogNamespace;
  return lookup_schema(qualifier.back());
}

// The operand types exactly; a literal takes the other side's type.
const OperatorInfo* exact_operator(std::string_view name, Oid schema, Oid left, Oid right) {
  if (left == type_oid::unknown || right == type_oid::unknown) {
    if (left == right) return catalog::find_operator(name, left, right, schema);
    Oid known = left == type_oid::unknown ? right : left;
    if (const OperatorInfo* op = catalog::find_operator(name, known, known, schema)) return op;
    Oid base = catalog::base_type(known);
    return base == known ? nullptr : catalog::find_operator(name, base, base, schema);
  }
  return catalog::find_operator(name, left, right, schema);
}

const OperatorInfo* candidate_operator(Root& root, std::string_view name, Oid schema, Oid left, Oid right, bool& ambiguous) {
  ambiguous = false;
  std::vector<const OperatorInfo*>& found = root.operator_scratch;
  found.clear();
  bool prefix = !is_valid(left);
  catalog::find_operators(name, prefix ? 'l' : 'b', schema, found);
  std::vector<std::span<const Oid>> types;
  std::vector<const OperatorInfo*> usable;
  Oid input[2] = {left, right};
  std::span<const Oid> operands = prefix ? std::span<const Oid>(input + 1, 1) : std::span<const Oid>(input, 2);
  // In a binary operator one literal beside a typed operand is first assumed to be of that operand's type.
  for (const OperatorInfo* op : found) {
    Oid target[2] = {op->left, op->right};
    std::span<const Oid> declared = prefix ? std::span<const Oid>(target + 1, 1) : std::span<const Oid>(target, 2);
    if (can_coerce_list(operands, declared, CoercionContext::implicit)) usable.push_back(op);
  }
  if (usable.size() == 1) return usable[0];
  if (usable.empty()) return nullptr;
  types.reserve(usable.size());
  static_assert(sizeof(Oid) * 2 == sizeof(Oid[2]));
  std::vector<std::array<Oid, 2>> pairs(usable.size());
  for (std::size_t i = 0; i < usable.size(); ++i) {
    pairs[i] = {usable[i]->left, usable[i]->right};
    types.push_back(prefix ? std::span<const Oid>(&pairs[i][1], 1) : std::span<const Oid>(pairs[i]));
  }
  int best = select_candidate(operands, types);
  if (best >= 0) return usable[static_cast<std::size_t>(best)];
  ambiguous = true;
  return nullptr;
}

}  // namespace

const OperatorInfo* choose_operator(Root& root, std::string_view name, const ast::QualifiedName& qualifier, Oid left, Oid right, bool missing_ok,
                                    int location) {
  Oid schema;
  try {
    schema = qualifier_schema(qualifier);
  } catch (SqlError& error) {
    rethrow_at(error, location);
  }
  const OperatorInfo* op = is_valid(left) ? exact_operator(name, schema, left, right) : catalog::find_operator(name, kInvalidOid, right, schema);
  bool ambiguous = false;
  if (op == nullptr) op = candidate_operator(root, name, schema, left, right, ambiguous);
  if (op == nullptr && !missing_ok) throw_no_operator(name, qualifier, left, right, ambiguous, location);
  return op;
}

const OperatorInfo* compatible_operator(Root& root, std::string_view name, Oid left, Oid right, int location) {
  const OperatorInfo* op = choose_operator(root, name, {}, left, right, true, location);
  if (op != nullptr && is_binary_coercible(left, op->left) && is_binary_coercible(right, op->right)) return op;
  throw SqlError(sqlstate::undefined_function, "operator requires run-time type coercion: {}", operator_signature(name, {}, left, right)).at(location);
}

Oid find_operator_by_types(const ast::QualifiedName& name, Oid left, Oid right, bool missing_ok, int location) {
  std::string_view schema_name, object;
  split_name(name, schema_name, object);
  Oid schema = schema_name.empty() ? kInvalidOid : lookup_schema(schema_name, missing_ok);
  if (!schema_name.empty() && !is_valid(schema)) return kInvalidOid;
  const OperatorInfo* op = catalog::find_operator(object, left, right, schema);
  if (op != nullptr) return op->oid;
  if (missing_ok) return kInvalidOid;
  ast::QualifiedName none;
  if (!is_valid(right)) throw SqlError(sqlstate::syntax_error, "postfix operators are not supported").at(location);
  throw SqlError(sqlstate::undefined_function, "operator does not exist: {}", operator_signature(name_text(name), none, left, right)).at(location);
}

Expr* make_op(ParseState& ps, std::string_view name, const ast::QualifiedName& qualifier, Expr* left, Expr* right, Expr* last_srf, int location) {
  Oid actual[2] = {left == nullptr ? kInvalidOid : type_of(left), type_of(right)};
  const OperatorInfo* op = choose_operator(ps.root, name, qualifier, actual[0], actual[1], false, location);
  if (!is_valid(op->function))
    throw SqlError(sqlstate::undefined_function, "operator is only a shell: {}", operator_signature(name, qualifier, op->left, op->right)).at(location);
  Oid declared[2] = {op->left, op->right};
  std::size_t skip = left == nullptr ? 1 : 0;
  std::span<const Oid> actual_types(actual + skip, 2 - skip);
  std::span<Oid> declared_types(declared + skip, 2 - skip);
  auto* node = make<OpExpr>(ps.arena, location);
  node->type = enforce_generic_types(actual_types, declared_types, op->result, false);
  if (left != nullptr) node->args.push_back(ps.arena, left);
  node->args.push_back(ps.arena, right);
  coerce_arguments(ps.root, node->args, actual_types, declared_types);
  node->op = op->oid;
  node->function = op->function;
  node->returns_set = catalog::function_info(op->function).returns_set;
  if (node->returns_set) {
    check_srf_allowed(ps, last_srf, location);
    ps.last_srf = node;
  }
  return node;
}

Expr* make_array_op(ParseState& ps, std::string_view name, const ast::QualifiedName& qualifier, bool use_or, Expr* left, Expr* right, int location) {
  Oid left_type = type_of(left), array_type = type_of(right);
  Oid element = type_oid::unknown;
  if (array_type != type_oid::unknown) {
    element = base_element_type_of(array_type);
    if (!is_valid(element)) throw SqlError(sqlstate::wrong_object_type, "op ANY/ALL (array) requires array on right side").at(location);
  }
  const OperatorInfo* op = choose_operator(ps.root, name, qualifier, left_type, element, false, location);
  if (!is_valid(op->function))
    throw SqlError(sqlstate::undefined_function, "operator is only a shell: {}", operator_signature(name, qualifier, op->left, op->right)).at(location);
  Oid actual[2] = {left_type, element};
  Oid declared[2] = {op->left, op->right};
  Oid result = enforce_generic_types(actual, declared, op->result, false);
  if (result != type_oid::bool_) throw SqlError(sqlstate::wrong_object_type, "op ANY/ALL (array) requires operator to yield boolean").at(location);
  if (catalog::function_info(op->function).returns_set)
    throw SqlError(sqlstate::wrong_object_type, "op ANY/ALL (array) requires operator not to return a set").at(location);
  Oid wanted_array = declared[1];
  if (!is_polymorphic(wanted_array)) {
    wanted_array = array_type_of(declared[1]);
    if (!is_valid(wanted_array))
      throw SqlError(sqlstate::undefined_object, "could not find array type for data type {}", catalog::format_type(declared[1])).at(location);
  }
  List<Expr*> args;
  args.push_back(ps.arena, left);
  args.push_back(ps.arena, right);
  actual[1] = array_type;
  declared[1] = wanted_array;
  coerce_arguments(ps.root, args, actual, declared);
  auto* node = make<ArrayOp>(ps.arena, location);
  node->op = op->oid;
  node->function = op->function;
  node->use_or = use_or;
  node->scalar = args[0];
  node->array = args[1];
  return node;
}

namespace {

struct FoundOperators { Oid less, equal, greater; bool hashable; };

bool rows_are_hashable(Oid type);

// Arrays and rows are as sortable and hashable as what they consist of; the operators are those of anyarray and record.
FoundOperators find_sort_operators(Oid type, int depth) {
  const TypeInfo& info = type_info(catalog::base_type(type));
  FoundOperators found{info.less_operator, info.equal_operator, info.greater_operator, is_valid(info.hash_class)};
  if (info.is_true_array() && depth < 8) {
    FoundOperators element = find_sort_operators(info.element, depth + 1);
    if (!is_valid(element.less)) found.less = found.greater = kInvalidOid;
    if (!is_valid(element.equal)) found.equal = kInvalidOid;
    found.hashable = element.hashable;
  } else if (info.kind == 'c' && is_valid(info.relation)) {
    found.hashable = rows_are_hashable(info.oid);
  } else if (info.oid == type_oid::record) {
    found.hashable = true;
  }
  return found;
}

bool rows_are_hashable(Oid type) {
  catalog::RelationRef relation = catalog::try_open_relation(type_info(type).relation, locking::LockMode::none);
  if (!relation) return false;
  for (const Attribute& column : relation->descriptor->attributes) {
    if (!column.dropped && !find_sort_operators(column.type, 1).hashable) return false;
  }
  return true;
}

}  // namespace

SortOperators sort_operators(Oid type, bool need_less, bool need_equal, bool need_greater) {
  FoundOperators found = find_sort_operators(type, 0);
  if ((need_less && !is_valid(found.less)) || (need_greater && !is_valid(found.greater)))
    throw SqlError(sqlstate::undefined_function, "could not identify an ordering operator for type {}", catalog::format_type(type))
        .hint("Use an explicit ordering operator or modify the query.");
  if (need_equal && !is_valid(found.equal))
    throw SqlError(sqlstate::undefined_function, "could not identify an equality operator for type {}", catalog::format_type(type));
  return {found.less, found.equal, found.greater, found.hashable};
}

}  // namespace hathi::analyzer
