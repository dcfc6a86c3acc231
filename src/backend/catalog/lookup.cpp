// Types, functions, operators, casts, operator classes and collations: built-in tables first, then the users' objects.

#include "hathi/catalog/lookup.h"

#include <algorithm>

#include "hathi/catalog/quote.h"
#include "hathi/catalog/user_objects.h"
#include "hathi/error/sql_error.h"
#include "src/backend/catalog/builtin.h"

namespace hathi::catalog {

namespace {

UserObjects readers;

std::span<const NamedObject> user_named(Oid catalog, std::string_view name) {
  return readers.named == nullptr ? std::span<const NamedObject>() : readers.named(catalog, name);
}

}  // namespace

const UserObjects& user_objects() { return readers; }
void set_user_objects(const UserObjects& r) { readers = r; }

void load_builtin_objects() { builtin::load(); }

// --- types ----------------------------------------------------------------------------------------------------------------
const TypeInfo* find_type(Oid oid) {
  if (const TypeInfo* type = builtin::type(oid)) return type;
  return readers.type == nullptr || !is_valid(oid) ? nullptr : readers.type(oid);
}

const TypeInfo& type_info(Oid oid) {
  const TypeInfo* type = find_type(oid);
  if (type == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for type {}", raw(oid));
  return *type;
}

const TypeInfo* find_type_by_name(std::string_view name, Oid schema) {
  if (schema == kPgCatalogNamespace) {
    if (const TypeInfo* type = builtin::type(name)) return type;
  }
  for (const NamedObject& object : user_named(catalog_oid::pg_type, name)) {
    if (object.schema == schema) return find_type(object.oid);
  }
  return nullptr;
}

const TypeInfo* find_type_in_path(std::string_view name) {
  for (Oid schema : search_path()) {
    if (const TypeInfo* type = find_type_by_name(name, schema)) return type;
  }
  return nullptr;
}

Oid base_type(Oid type, std::int32_t* typmod) {
  while (true) {
    const TypeInfo& info = type_info(type);
    if (info.kind != 'd') return type;
    if (typmod != nullptr && info.base_typmod != -1) *typmod = info.base_typmod;
    type = info.base;
  }
}

bool type_is_visible(Oid oid) {
  const TypeInfo* type = find_type(oid);
  if (type == nullptr) return false;
  const TypeInfo* found = find_type_in_path(type->name);
  return found != nullptr && found->oid == oid;
}

// --- functions ------------------------------------------------------------------------------------------------------------
const FunctionInfo* find_function(Oid oid) {
  if (const FunctionInfo* function = builtin::function(oid)) return function;
  return readers.function == nullptr || !is_valid(oid) ? nullptr : readers.function(oid);
}

const FunctionInfo& function_info(Oid oid) {
  const FunctionInfo* function = find_function(oid);
  if (function == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for function {}", raw(oid));
  return *function;
}

void find_functions(std::string_view name, Oid schema, std::vector<const FunctionInfo*>& out) {
  std::span<const NamedObject> user = user_named(catalog_oid::pg_proc, name);
  if (is_valid(schema)) {
    if (schema == kPgCatalogNamespace) builtin::functions_named(name, out);
    for (const NamedObject& object : user) {
      if (object.schema != schema) continue;
      if (const FunctionInfo* function = find_function(object.oid)) out.push_back(function);
    }
    return;
  }
  if (user.empty()) {
    builtin::functions_named(name, out);  // pg_catalog is always in the path
    return;
  }
  for (Oid place : search_path()) {
    if (is_temporary_schema(place)) continue;  // functions there are reached by qualified names only
    std::size_t before = out.size();
    if (place == kPgCatalogNamespace) builtin::functions_named(name, out);
    for (const NamedObject& object : user) {
      if (object.schema != place) continue;
      if (const FunctionInfo* function = find_function(object.oid)) out.push_back(function);
    }
    // An earlier schema's function hides one with the same arguments.
    for (std::size_t i = before; i < out.size();) {
      bool hidden = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before),
                                [&](const FunctionInfo* f) { return std::ranges::equal(f->arguments, out[i]->arguments); });
      if (hidden) out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
      else ++i;
    }
  }
}

bool function_is_visible(Oid oid) {
  const FunctionInfo* function = find_function(oid);
  if (function == nullptr) return false;
  std::vector<const FunctionInfo*> candidates;
  find_functions(function->name, kInvalidOid, candidates);
  return std::any_of(candidates.begin(), candidates.end(), [&](const FunctionInfo* f) { return f->oid == oid; });
}

const AggregateInfo* find_aggregate(Oid function) {
  if (const AggregateInfo* aggregate = builtin::aggregate(function)) return aggregate;
  return readers.aggregate == nullptr || builtin::function(function) != nullptr ? nullptr : readers.aggregate(function);
}

// --- operators ------------------------------------------------------------------------------------------------------------
const OperatorInfo* find_operator(Oid oid) {
  if (const OperatorInfo* op = builtin::op(oid)) return op;
  return readers.op == nullptr || !is_valid(oid) ? nullptr : readers.op(oid);
}

const OperatorInfo& operator_info(Oid oid) {
  const OperatorInfo* op = find_operator(oid);
  if (op == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for operator {}", raw(oid));
  return *op;
}

const OperatorInfo* find_operator(std::string_view name, Oid left, Oid right, Oid schema) {
  std::span<const NamedObject> user = user_named(catalog_oid::pg_operator, name);
  auto in_schema = [&](Oid place) -> const OperatorInfo* {
    if (place == kPgCatalogNamespace) {
      if (const OperatorInfo* op = builtin::op(name, left, right)) return op;
    }
    for (const NamedObject& object : user) {
      if (object.schema != place) continue;
      const OperatorInfo* op = find_operator(object.oid);
      if (op != nullptr && op->left == left && op->right == right) return op;
    }
    return nullptr;
  };
  if (is_valid(schema)) return in_schema(schema);
  if (user.empty()) return builtin::op(name, left, right);
  for (Oid place : search_path()) {
    if (is_temporary_schema(place)) continue;
    if (const OperatorInfo* op = in_schema(place)) return op;
  }
  return nullptr;
}

void find_operators(std::string_view name, char kind, Oid schema, std::vector<const OperatorInfo*>& out) {
  std::span<const NamedObject> user = user_named(catalog_oid::pg_operator, name);
  auto add = [&](Oid place) {
    std::size_t before = out.size();
    if (place == kPgCatalogNamespace) builtin::operators_named(name, kind, out);
    for (const NamedObject& object : user) {
      if (object.schema != place) continue;
      const OperatorInfo* op = find_operator(object.oid);
      if (op == nullptr || op->kind != kind) continue;
      bool hidden = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before),
                                [&](const OperatorInfo* o) { return o->left == op->left && o->right == op->right; });
      if (!hidden) out.push_back(op);
    }
  };
  if (is_valid(schema)) {
    add(schema);
  } else if (user.empty()) {
    builtin::operators_named(name, kind, out);
  } else {
    for (Oid place : search_path()) {
      if (!is_temporary_schema(place)) add(place);
    }
  }
}

bool operator_is_visible(Oid oid) {
  const OperatorInfo* op = find_operator(oid);
  if (op == nullptr) return false;
  const OperatorInfo* found = find_operator(op->name, op->left, op->right, kInvalidOid);
  return found != nullptr && found->oid == oid;
}

// --- casts, classes, families ---------------------------------------------------------------------------------------------
const CastInfo* find_cast(Oid source, Oid target) {
  if (const CastInfo* cast = builtin::cast(source, target)) return cast;
  return readers.cast == nullptr ? nullptr : readers.cast(source, target);
}

const OperatorClassInfo* find_operator_class(Oid oid) {
  if (const OperatorClassInfo* c = builtin::operator_class(oid)) return c;
  return readers.operator_class == nullptr || !is_valid(oid) ? nullptr : readers.operator_class(oid);
}

const OperatorClassInfo* find_operator_class(std::string_view name, Oid method, Oid schema) {
  std::span<const NamedObject> user = user_named(catalog_oid::pg_opclass, name);
  auto in_schema = [&](Oid place) -> const OperatorClassInfo* {
    if (place == kPgCatalogNamespace) {
      if (const OperatorClassInfo* c = builtin::operator_class(name, method)) return c;
    }
    for (const NamedObject& object : user) {
      if (object.schema != place) continue;
      const OperatorClassInfo* c = find_operator_class(object.oid);
      if (c != nullptr && c->method == method) return c;
    }
    return nullptr;
  };
  if (is_valid(schema)) return in_schema(schema);
  for (Oid place : search_path()) {
    if (const OperatorClassInfo* c = in_schema(place)) return c;
  }
  return nullptr;
}

Oid family_operator(Oid family, Oid left, Oid right, int strategy) {
  Oid found = builtin::family_operator(family, left, right, strategy);
  if (is_valid(found) || readers.family_operator == nullptr || !is_valid(family)) return found;
  return readers.family_operator(family, left, right, strategy);
}

Oid family_function(Oid family, Oid left, Oid right, int number) {
  Oid found = builtin::family_function(family, left, right, number);
  if (is_valid(found) || readers.family_function == nullptr || !is_valid(family)) return found;
  return readers.family_function(family, left, right, number);
}

std::span<const FamilyMember> operator_families(Oid op) {
  std::span<const FamilyMember> found = builtin::families_of(op);
  if (!found.empty() || readers.operator_families == nullptr || builtin::op(op) != nullptr) return found;
  return readers.operator_families(op);
}

const CollationInfo* find_collation(Oid oid) {
  if (const CollationInfo* c = builtin::collation(oid)) return c;
  return readers.collation == nullptr || !is_valid(oid) ? nullptr : readers.collation(oid);
}

const CollationInfo* find_collation_by_name(std::string_view name, Oid schema) {
  std::span<const NamedObject> user = user_named(catalog_oid::pg_collation, name);
  auto in_schema = [&](Oid place) -> const CollationInfo* {
    if (place == kPgCatalogNamespace) {
      if (const CollationInfo* c = builtin::collation(name)) return c;
    }
    for (const NamedObject& object : user) {
      if (object.schema == place) return find_collation(object.oid);
    }
    return nullptr;
  };
  if (is_valid(schema)) return in_schema(schema);
  for (Oid place : search_path()) {
    if (const CollationInfo* c = in_schema(place)) return c;
  }
  return nullptr;
}

}  // namespace hathi::catalog
