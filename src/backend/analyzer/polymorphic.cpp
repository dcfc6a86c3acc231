// Polymorphic arguments: what anyelement, anyarray, anycompatible and their kin stand for in a call.
//
// Two families. "any…" arguments must agree exactly; "anycompatible…" arguments agree on a common type. Within a family the
// element type ties array, range and multirange arguments together.

#include "state.h"

namespace hathi::analyzer {
namespace {

using namespace type_oid;   // NOLINT

Oid range_subtype(Oid range) {
  switch (raw(range)) {
    case raw(int4range): return int4;
    case raw(numrange): return numeric;
    case raw(tsrange): return timestamp;
    case raw(tstzrange): return timestamptz;
    case raw(daterange): return date;
    case raw(int8range): return int8;
    default: return kInvalidOid;
  }
}
Oid multirange_range(Oid multirange) {
  switch (raw(multirange)) {
    case raw(int4multirange): return int4range;
    case raw(nummultirange): return numrange;
    case raw(tsmultirange): return tsrange;
    case raw(tstzmultirange): return tstzrange;
    case raw(datemultirange): return daterange;
    case raw(int8multirange): return int8range;
    default: return kInvalidOid;
  }
}
Oid range_multirange(Oid range) {
  switch (raw(range)) {
    case raw(int4range): return int4multirange;
    case raw(numrange): return nummultirange;
    case raw(tsrange): return tsmultirange;
    case raw(tstzrange): return tstzmultirange;
    case raw(daterange): return datemultirange;
    case raw(int8range): return int8multirange;
    default: return kInvalidOid;
  }
}

bool is_simple_family(Oid t) {
  return t == anyelement || t == anyarray || t == anynonarray || t == anyenum || t == anyrange || t == anymultirange;
}
bool is_compatible_family(Oid t) {
  return t == anycompatible || t == anycompatiblearray || t == anycompatiblenonarray || t == anycompatiblerange || t == anycompatiblemultirange;
}

// What is known of the two families while the arguments are read.
struct Family {
  Oid element = kInvalidOid, array = kInvalidOid, range = kInvalidOid, multirange = kInvalidOid;
  bool nonarray = false, enumeration = false, seen = false, unknown = false;
  std::vector<Oid> compatible;       // actual types of anycompatible arguments
};

std::string type_text(Oid t) { return catalog::format_type(t); }

[[noreturn]] void not_alike(std::string_view what, Oid a, Oid b) {
  throw SqlError(sqlstate::datatype_mismatch, "arguments declared \"{}\" are not all alike", what).detail(type_text(a) + " versus " + type_text(b));
}
[[noreturn]] void not_consistent(std::string_view one, std::string_view other, Oid a, Oid b) {
  throw SqlError(sqlstate::datatype_mismatch, "argument declared {} is not consistent with argument declared {}", one, other)
      .detail(type_text(a) + " versus " + type_text(b));
}

// Notes an actual type; strict: disagreement is an error, else false.
bool note(Oid& place, Oid actual, std::string_view what, bool strict) {
  if (is_valid(place) && place != actual) {
    if (strict) not_alike(what, place, actual);
    return false;
  }
  place = actual;
  return true;
}

struct Families {
  Family plain, compatible;

  bool read(std::span<const Oid> actual, std::span<const Oid> declared, bool strict) {
    for (std::size_t i = 0; i < declared.size(); ++i) {
      Oid to = declared[i], from = actual[i];
      if (is_simple_family(to)) { if (!read_plain(to, from, strict)) return false; }
      else if (is_compatible_family(to)) { if (!read_compatible(to, from, strict)) return false; }
    }
    return true;
  }

 private:
  bool read_plain(Oid to, Oid from, bool strict) {
    plain.seen = true;
    if (from == type_oid::unknown) {
      plain.unknown = true;
      if (to == anynonarray) plain.nonarray = true;
      if (to == anyenum) plain.enumeration = true;
      return true;
    }
    if (to == anyelement || to == anynonarray || to == anyenum) {
      if (to == anynonarray) plain.nonarray = true;
      if (to == anyenum) plain.enumeration = true;
      return note(plain.element, from, "anyelement", strict);
    }
    Oid base = catalog::base_type(from);
    if (to == anyarray) return note(plain.array, base, "anyarray", strict);
    if (to == anyrange) return note(plain.range, base, "anyrange", strict);
    return note(plain.multirange, base, "anymultirange", strict);
  }
  bool read_compatible(Oid to, Oid from, bool strict) {
    compatible.seen = true;
    if (from == type_oid::unknown) { compatible.unknown = true; if (to == anycompatiblenonarray) compatible.nonarray = true; return true; }
    if (to == anycompatible || to == anycompatiblenonarray) {
      if (to == anycompatiblenonarray) compatible.nonarray = true;
      compatible.compatible.push_back(from);
      return true;
    }
    Oid base = catalog::base_type(from);
    if (to == anycompatiblearray) {
      Oid element = element_type_of(base);
      if (!is_valid(element)) {
        if (strict) throw SqlError(sqlstate::datatype_mismatch, "argument declared {} is not an array but type {}", "anycompatiblearray", type_text(base));
        return false;
      }
      compatible.compatible.push_back(element);
      return true;
    }
    if (to == anycompatiblerange) {
      if (!note(compatible.range, base, "anycompatiblerange", strict)) return false;
      if (!is_valid(range_subtype(base))) {
        if (strict) throw SqlError(sqlstate::datatype_mismatch, "argument declared {} is not a range type but type {}", "anycompatiblerange", type_text(base));
        return false;
      }
      return true;
    }
    if (!note(compatible.multirange, base, "anycompatiblemultirange", strict)) return false;
    if (!is_valid(multirange_range(base))) {
      if (strict)
        throw SqlError(sqlstate::datatype_mismatch, "argument declared {} is not a multirange type but type {}", "anycompatiblemultirange", type_text(base));
      return false;
    }
    return true;
  }
};

// The element type implied by an array, range or multirange argument must be the one already known.
bool tie(Family& f, Oid implied, std::string_view one, std::string_view other, Oid container, bool strict) {
  if (!is_valid(f.element) ) { f.element = implied; return true; }
  if (f.element == implied) return true;
  if (strict) not_consistent(one, other, container, f.element);
  return false;
}

bool settle_plain(Family& f, bool strict) {
  if (is_valid(f.array)) {
    if (f.array == anyarray) {
      // Only statistics columns have such a type; it matches anyarray alone.
      if (is_valid(f.element) || is_valid(f.range)) return false;
      return true;
    }
    Oid element = element_type_of(f.array);
    if (!is_valid(element)) {
      if (strict) throw SqlError(sqlstate::datatype_mismatch, "argument declared {} is not an array but type {}", "anyarray", type_text(f.array));
      return false;
    }
    if (!tie(f, element, "anyarray", "anyelement", f.array, strict)) return false;
  }
  if (is_valid(f.multirange)) {
    Oid range = multirange_range(f.multirange);
    if (!is_valid(range)) {
      if (strict)
        throw SqlError(sqlstate::datatype_mismatch, "argument declared {} is not a multirange type but type {}", "anymultirange",
                       type_text(f.multirange));
      return false;
    }
    if (!is_valid(f.range)) f.range = range;
    else if (f.range != range) {
      if (strict) not_consistent("anymultirange", "anyrange", f.multirange, f.range);
      return false;
    }
  }
  if (is_valid(f.range)) {
    Oid subtype = range_subtype(f.range);
    if (!is_valid(subtype)) {
      if (strict) throw SqlError(sqlstate::datatype_mismatch, "argument declared {} is not a range type but type {}", "anyrange", type_text(f.range));
      return false;
    }
    if (!tie(f, subtype, "anyrange", "anyelement", f.range, strict)) return false;
    if (!is_valid(f.multirange)) f.multirange = range_multirange(f.range);
  }
  if (f.nonarray && is_valid(f.element) && is_valid(base_element_type_of(f.element))) {
    if (strict) throw SqlError(sqlstate::datatype_mismatch, "type matched to anynonarray is an array type: {}", type_text(f.element));
    return false;
  }
  if (f.enumeration && is_valid(f.element) && type_info(f.element).kind != 'e') {
    if (strict) throw SqlError(sqlstate::datatype_mismatch, "type matched to anyenum is not an enum type: {}", type_text(f.element));
    return false;
  }
  return true;
}

bool settle_compatible(Family& f, bool strict) {
  if (is_valid(f.multirange)) {
    Oid range = multirange_range(f.multirange);
    if (is_valid(f.range) && f.range != range) {
      if (strict) not_consistent("anycompatiblemultirange", "anycompatiblerange", f.multirange, f.range);
      return false;
    }
    f.range = range;
  }
  if (is_valid(f.range)) {
    // A range cannot be converted, so its subtype is the common type.
    f.element = range_subtype(f.range);
    f.multirange = range_multirange(f.range);
    for (Oid t : f.compatible) {
      if (t != f.element && !can_coerce(t, f.element, CoercionContext::implicit)) {
        if (strict) not_consistent("anycompatiblerange", "anycompatible", f.range, t);
        return false;
      }
    }
  } else if (!f.compatible.empty()) {
    f.element = select_common_type_of(f.compatible);
    if (!is_valid(f.element)) {
      if (strict) {
        for (Oid t : f.compatible)
          if (category_of(t) != category_of(f.compatible[0]))
            throw SqlError(sqlstate::datatype_mismatch, "arguments of anycompatible family cannot be cast to a common type");
        throw SqlError(sqlstate::datatype_mismatch, "arguments of anycompatible family cannot be cast to a common type");
      }
      return false;
    }
    for (Oid t : f.compatible) {
      if (t != f.element && !can_coerce(t, f.element, CoercionContext::implicit)) {
        if (strict) throw SqlError(sqlstate::datatype_mismatch, "arguments of anycompatible family cannot be cast to a common type");
        return false;
      }
    }
  }
  if (f.nonarray && is_valid(f.element) && is_valid(base_element_type_of(f.element))) {
    if (strict) throw SqlError(sqlstate::datatype_mismatch, "type matched to anycompatiblenonarray is an array type: {}", type_text(f.element));
    return false;
  }
  return true;
}

Oid array_or_throw(Oid element) {
  Oid array = array_type_of(element);
  if (!is_valid(array)) throw SqlError(sqlstate::undefined_object, "could not find array type for data type {}", type_text(element));
  return array;
}

// The concrete type for a polymorphic one; 0 when it is not determined.
Oid concrete(Oid declared, const Family& f) {
  if (declared == anyelement || declared == anynonarray || declared == anyenum || declared == anycompatible || declared == anycompatiblenonarray)
    return f.element;
  if (declared == anyarray || declared == anycompatiblearray) {
    if (is_valid(f.array)) return f.array;
    return is_valid(f.element) ? array_or_throw(f.element) : kInvalidOid;
  }
  if (declared == anyrange || declared == anycompatiblerange) return f.range;
  return f.multirange;
}

}  // namespace

bool is_polymorphic(Oid type) { return is_simple_family(type) || is_compatible_family(type); }

bool check_generic_types(std::span<const Oid> actual, std::span<const Oid> declared) {
  Families families;
  if (!families.read(actual, declared, false)) return false;
  return settle_plain(families.plain, false) && settle_compatible(families.compatible, false);
}

Oid enforce_generic_types(std::span<const Oid> actual, std::span<Oid> declared, Oid result, bool allow_poly) {
  bool any = is_polymorphic(result);
  for (Oid t : declared) any = any || is_polymorphic(t);
  if (!any) return result;
  Families families;
  families.read(actual, declared, true);
  Family& plain = families.plain;
  Family& compatible = families.compatible;
  settle_plain(plain, true);
  settle_compatible(compatible, true);
  if (compatible.seen && !is_valid(compatible.element)) compatible.element = type_oid::text;   // only literals of unknown type
  if (plain.seen && !is_valid(plain.element) && !is_valid(plain.array)) {
    if (allow_poly) return result;
    throw SqlError(sqlstate::datatype_mismatch, "could not determine polymorphic type because input has type {}", "unknown");
  }
  for (std::size_t i = 0; i < declared.size(); ++i) {
    Oid t = declared[i];
    if (is_simple_family(t)) {
      Oid found = concrete(t, plain);
      if ((t == anyrange || t == anymultirange) && !is_valid(found))
        throw SqlError(sqlstate::undefined_object, "could not determine polymorphic type {} because input has type {}", catalog::format_type(t), "unknown");
      // An argument keeps the type it has, a literal takes the one found.
      declared[i] = actual[i] == type_oid::unknown || t == anyarray || t == anyrange || t == anymultirange ? found : actual[i];
    } else if (is_compatible_family(t)) {
      Oid found = concrete(t, compatible);
      if (!is_valid(found))
        throw SqlError(sqlstate::undefined_object, "could not determine polymorphic type {} because input has type {}", catalog::format_type(t), "unknown");
      declared[i] = found;
    }
  }
  if (!is_polymorphic(result)) return result;
  Oid found = concrete(result, is_simple_family(result) ? plain : compatible);
  if (!is_valid(found))
    throw SqlError(sqlstate::undefined_object, "could not determine polymorphic type {} because input has type {}", catalog::format_type(result), "unknown");
  return found;
}

}  // namespace hathi::analyzer
