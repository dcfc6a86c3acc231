#include "src/backend/catalog/type_operators.h"

#include "hathi/catalog/user_objects.h"
#include "src/backend/catalog/builtin.h"

namespace hathi::catalog {

namespace {

constexpr Oid kArrayEqual{1070}, kArrayLess{1072}, kArrayGreater{1073}, kArrayCompare{382}, kArrayHash{626}, kArrayHashExtended{782};
constexpr Oid kRangeHash{3902}, kRangeHashExtended{3417};

bool is_composite(const TypeInfo& type) { return type.kind == 'c' || (type.kind == 'd' && type_info(base_type(type.oid)).kind == 'c'); }

bool matches_pseudo_type(const TypeInfo& source, Oid target) {
  switch (raw(target)) {
    case raw(type_oid::any): case raw(type_oid::anyelement): case raw(type_oid::anycompatible): return true;
    case raw(type_oid::anyarray): case raw(type_oid::anycompatiblearray): return source.is_true_array();
    case raw(type_oid::anynonarray): case raw(type_oid::anycompatiblenonarray): return !source.is_true_array();
    case raw(type_oid::anyenum): return source.kind == 'e';
    case raw(type_oid::anyrange): case raw(type_oid::anycompatiblerange): return source.kind == 'r';
    case raw(type_oid::anymultirange): case raw(type_oid::anycompatiblemultirange): return source.kind == 'm';
    case raw(type_oid::record): return is_composite(source);
    case raw(type_oid::record_array): return source.is_true_array() && is_composite(type_info(source.element));
    default: return false;
  }
}

// The default class among built-in ones: an exact match, else the only binary-compatible one (preferred input types win).
// Of a type that is not a domain; its own entry may still be in the making, so it is not looked up.
bool coercible(const TypeInfo& type, Oid target) {
  if (type.oid == target || matches_pseudo_type(type, target)) return true;
  const CastInfo* cast = find_cast(type.oid, target);
  return cast != nullptr && cast->method == 'b' && cast->context == 'i';
}

Oid builtin_default_class(const TypeInfo& type, Oid method) {
  Oid compatible = kInvalidOid, preferred = kInvalidOid;
  int compatible_count = 0, preferred_count = 0;
  for (const OperatorClassInfo& c : builtin::operator_classes()) {
    if (c.method != method || !c.is_default) continue;
    if (c.input == type.oid) return c.oid;
    if (!coercible(type, c.input)) continue;
    const TypeInfo* input = find_type(c.input);
    if (input != nullptr && input->preferred && input->category == type.category) {
      ++preferred_count;
      preferred = c.oid;
    } else {
      ++compatible_count;
      compatible = c.oid;
    }
  }
  if (preferred_count == 1) return preferred;
  return preferred_count == 0 && compatible_count == 1 ? compatible : kInvalidOid;
}

// Arrays compare and hash only when their elements do.
void drop_unsupported_by_element(TypeInfo& type) {
  const TypeInfo* element = find_type(type.element);
  auto lacks = [&](Oid TypeInfo::*member) { return element == nullptr || !is_valid(element->*member); };
  if (type.equal_operator == kArrayEqual && lacks(&TypeInfo::equal_operator)) type.equal_operator = kInvalidOid;
  if (type.less_operator == kArrayLess && lacks(&TypeInfo::compare_function)) type.less_operator = kInvalidOid;
  if (type.greater_operator == kArrayGreater && lacks(&TypeInfo::compare_function)) type.greater_operator = kInvalidOid;
  if (type.compare_function == kArrayCompare && lacks(&TypeInfo::compare_function)) type.compare_function = kInvalidOid;
  if (type.hash_function == kArrayHash && lacks(&TypeInfo::hash_function)) type.hash_function = kInvalidOid;
  if (type.extended_hash_function == kArrayHashExtended && lacks(&TypeInfo::extended_hash_function)) type.extended_hash_function = kInvalidOid;
}

void drop_unsupported_by_range(TypeInfo& type) {
  const builtin::Range* range = builtin::range(type.oid);
  const TypeInfo* subtype = range == nullptr ? nullptr : find_type(range->subtype);
  if (subtype == nullptr) return;
  if (type.hash_function == kRangeHash && !is_valid(subtype->hash_function)) type.hash_function = kInvalidOid;
  if (type.extended_hash_function == kRangeHashExtended && !is_valid(subtype->extended_hash_function)) type.extended_hash_function = kInvalidOid;
}

}  // namespace

bool is_binary_coercible(Oid source, Oid target) {
  if (source == target) return true;
  const TypeInfo* type = find_type(source);
  if (type == nullptr) return false;
  if (type->kind == 'd') {
    type = &type_info(base_type(source));
    if (type->oid == target) return true;
  }
  return coercible(*type, target);
}

Oid default_operator_class(Oid type, Oid method) {
  const TypeInfo& info = type_info(base_type(type));
  if (builtin::type(info.oid) != nullptr && builtin::is_loaded()) {
    // The loader has computed the two common methods already.
    if (method == kBTreeAccessMethod && is_valid(info.btree_class)) return info.btree_class;
    if (method == kHashAccessMethod && is_valid(info.hash_class)) return info.hash_class;
  }
  if (user_objects().default_operator_class != nullptr) {
    Oid user = user_objects().default_operator_class(info.oid, method);
    if (is_valid(user)) return user;
  }
  return builtin_default_class(info, method);
}

void fill_type_operators(TypeInfo& type) {
  if (type.kind == 'd') {
    const TypeInfo& base = type_info(base_type(type.oid));
    for (Oid TypeInfo::*member : {&TypeInfo::btree_class, &TypeInfo::hash_class, &TypeInfo::equal_operator, &TypeInfo::less_operator,
                                  &TypeInfo::greater_operator, &TypeInfo::compare_function, &TypeInfo::hash_function,
                                  &TypeInfo::extended_hash_function}) {
      type.*member = base.*member;
    }
    return;
  }
  auto class_of = [&](Oid method) {
    Oid user = user_objects().default_operator_class == nullptr ? kInvalidOid : user_objects().default_operator_class(type.oid, method);
    return is_valid(user) ? user : builtin_default_class(type, method);
  };
  type.btree_class = class_of(kBTreeAccessMethod);
  type.hash_class = class_of(kHashAccessMethod);
  if (const OperatorClassInfo* c = find_operator_class(type.btree_class)) {
    type.equal_operator = family_operator(c->family, c->input, c->input, 3);
    type.less_operator = family_operator(c->family, c->input, c->input, 1);
    type.greater_operator = family_operator(c->family, c->input, c->input, 5);
    type.compare_function = family_function(c->family, c->input, c->input, 1);
  }
  if (const OperatorClassInfo* c = find_operator_class(type.hash_class)) {
    Oid equal = family_operator(c->family, c->input, c->input, 1);
    if (!is_valid(type.equal_operator)) type.equal_operator = equal;
    if (equal == type.equal_operator) {
      type.hash_function = family_function(c->family, c->input, c->input, 1);
      type.extended_hash_function = family_function(c->family, c->input, c->input, 2);
    }
  }
  if (type.is_true_array()) drop_unsupported_by_element(type);
  if (type.kind == 'r') drop_unsupported_by_range(type);
}

}  // namespace hathi::catalog
