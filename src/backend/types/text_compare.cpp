// Comparison and hashing of text, varchar, bpchar and name, by collation and (pattern operators) by bytes.

#include "hathi/base/builtin_oids.h"
#include "hathi/types/collation.h"
#include "hathi/types/hash.h"
#include "adapter.h"
#include "tables.h"

namespace hathi::types {

namespace {

// How an argument's text is found.
struct TextArgument {
  static std::string_view get(FunctionCall& call, int i) { return call.text(i); }
};
struct BlankPadded {  // trailing blanks do not count
  static std::string_view get(FunctionCall& call, int i) {
    std::string_view text = call.text(i);
    std::size_t last = text.find_last_not_of(' ');
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }
};
struct NameArgument {
  static std::string_view get(FunctionCall& call, int i) { return name_text(call.arg(i)); }
};

template <class A, class B> int order(FunctionCall& call) { return compare_text(A::get(call, 0), B::get(call, 1), call.collation()); }
// Equal but different values: bpchar's keep the first.
template <class A> Datum larger_or_first(FunctionCall& call) { return order<A, A>(call) >= 0 ? call.arg(0) : call.arg(1); }
template <class A> Datum smaller_or_first(FunctionCall& call) { return order<A, A>(call) <= 0 ? call.arg(0) : call.arg(1); }
template <class A, class B> bool same(FunctionCall& call) {
  Oid collation = call.collation();
  require_collation(collation, "string comparison");
  std::string_view a = A::get(call, 0);
  std::string_view b = B::get(call, 1);
  if (collation_is_deterministic(collation)) return a == b;
  return compare_text(a, b, collation) == 0;
}
template <class A, class B = A> Datum equal(FunctionCall& call) { return Datum::of(same<A, B>(call)); }
template <class A, class B = A> Datum not_equal(FunctionCall& call) { return Datum::of(!same<A, B>(call)); }
template <class A, class B = A> Datum less(FunctionCall& call) { return Datum::of(order<A, B>(call) < 0); }
template <class A, class B = A> Datum less_equal(FunctionCall& call) { return Datum::of(order<A, B>(call) <= 0); }
template <class A, class B = A> Datum greater(FunctionCall& call) { return Datum::of(order<A, B>(call) > 0); }
template <class A, class B = A> Datum greater_equal(FunctionCall& call) { return Datum::of(order<A, B>(call) >= 0); }
template <class A, class B = A> Datum compare(FunctionCall& call) {
  return Datum::of(static_cast<std::int32_t>(order<A, B>(call)));
}
template <class A> Datum larger(FunctionCall& call) { return order<A, A>(call) > 0 ? call.arg(0) : call.arg(1); }
template <class A> Datum smaller(FunctionCall& call) { return order<A, A>(call) < 0 ? call.arg(0) : call.arg(1); }

template <class A> int byte_order(FunctionCall& call) { return compare_text(A::get(call, 0), A::get(call, 1), kCCollation); }
template <class A> Datum pattern_less(FunctionCall& call) { return Datum::of(byte_order<A>(call) < 0); }
template <class A> Datum pattern_less_equal(FunctionCall& call) { return Datum::of(byte_order<A>(call) <= 0); }
template <class A> Datum pattern_greater(FunctionCall& call) { return Datum::of(byte_order<A>(call) > 0); }
template <class A> Datum pattern_greater_equal(FunctionCall& call) { return Datum::of(byte_order<A>(call) >= 0); }
template <class A> Datum pattern_compare(FunctionCall& call) {
  return Datum::of(static_cast<std::int32_t>(byte_order<A>(call)));
}

template <class A> Datum hash(FunctionCall& call) {
  return Datum::of(static_cast<std::int32_t>(hash_bytes(A::get(call, 0))));
}
template <class A> Datum hash_extended(FunctionCall& call) {
  return Datum::of(static_cast<std::int64_t>(hash_bytes_extended(A::get(call, 0), call.arg(1).as_uint64())));
}
template <class A> Datum checked_hash(FunctionCall& call) {
  require_collation(call.collation(), "string hashing");
  return hash<A>(call);
}
template <class A> Datum checked_hash_extended(FunctionCall& call) {
  require_collation(call.collation(), "string hashing");
  return hash_extended<A>(call);
}

// May a b-tree treat values with the same bytes as equal and nothing else?
Datum btvarstrequalimage(FunctionCall& call) { return Datum::of(collation_is_deterministic(call.collation())); }
Datum btequalimage(FunctionCall&) { return Datum::of(true); }

constexpr BuiltinFunction kTable[] = {
    {Oid{67}, fn<equal<TextArgument>>},
    {Oid{157}, fn<not_equal<TextArgument>>},
    {Oid{740}, fn<less<TextArgument>>},
    {Oid{741}, fn<less_equal<TextArgument>>},
    {Oid{742}, fn<greater<TextArgument>>},
    {Oid{743}, fn<greater_equal<TextArgument>>},
    {Oid{360}, fn<compare<TextArgument>>},
    {Oid{458}, fn<larger<TextArgument>>},
    {Oid{459}, fn<smaller<TextArgument>>},
    {Oid{2160}, fn<pattern_less<TextArgument>>},
    {Oid{2161}, fn<pattern_less_equal<TextArgument>>},
    {Oid{2164}, fn<pattern_greater<TextArgument>>},
    {Oid{2163}, fn<pattern_greater_equal<TextArgument>>},
    {Oid{2166}, fn<pattern_compare<TextArgument>>},
    {Oid{400}, fn<checked_hash<TextArgument>>},
    {Oid{448}, fn<checked_hash_extended<TextArgument>>},
    {Oid{456}, fn<hash<TextArgument>>},
    {Oid{772}, fn<hash_extended<TextArgument>>},
    {Oid{1048}, fn<equal<BlankPadded>>},
    {Oid{1053}, fn<not_equal<BlankPadded>>},
    {Oid{1049}, fn<less<BlankPadded>>},
    {Oid{1050}, fn<less_equal<BlankPadded>>},
    {Oid{1051}, fn<greater<BlankPadded>>},
    {Oid{1052}, fn<greater_equal<BlankPadded>>},
    {Oid{1078}, fn<compare<BlankPadded>>},
    {Oid{1063}, fn<larger_or_first<BlankPadded>>},
    {Oid{1064}, fn<smaller_or_first<BlankPadded>>},
    {Oid{2174}, fn<pattern_less<BlankPadded>>},
    {Oid{2175}, fn<pattern_less_equal<BlankPadded>>},
    {Oid{2178}, fn<pattern_greater<BlankPadded>>},
    {Oid{2177}, fn<pattern_greater_equal<BlankPadded>>},
    {Oid{2180}, fn<pattern_compare<BlankPadded>>},
    {Oid{1080}, fn<checked_hash<BlankPadded>>},
    {Oid{972}, fn<checked_hash_extended<BlankPadded>>},
    {Oid{62}, fn<equal<NameArgument>>},
    {Oid{659}, fn<not_equal<NameArgument>>},
    {Oid{655}, fn<less<NameArgument>>},
    {Oid{656}, fn<less_equal<NameArgument>>},
    {Oid{657}, fn<greater<NameArgument>>},
    {Oid{658}, fn<greater_equal<NameArgument>>},
    {Oid{359}, fn<compare<NameArgument>>},
    {Oid{455}, fn<hash<NameArgument>>},
    {Oid{447}, fn<hash_extended<NameArgument>>},
    {Oid{240}, fn<equal<NameArgument, TextArgument>>},
    {Oid{245}, fn<not_equal<NameArgument, TextArgument>>},
    {Oid{241}, fn<less<NameArgument, TextArgument>>},
    {Oid{242}, fn<less_equal<NameArgument, TextArgument>>},
    {Oid{244}, fn<greater<NameArgument, TextArgument>>},
    {Oid{243}, fn<greater_equal<NameArgument, TextArgument>>},
    {Oid{246}, fn<compare<NameArgument, TextArgument>>},
    {Oid{247}, fn<equal<TextArgument, NameArgument>>},
    {Oid{252}, fn<not_equal<TextArgument, NameArgument>>},
    {Oid{248}, fn<less<TextArgument, NameArgument>>},
    {Oid{249}, fn<less_equal<TextArgument, NameArgument>>},
    {Oid{251}, fn<greater<TextArgument, NameArgument>>},
    {Oid{250}, fn<greater_equal<TextArgument, NameArgument>>},
    {Oid{253}, fn<compare<TextArgument, NameArgument>>},
    {Oid{5050}, fn<btvarstrequalimage>},
    {Oid{5051}, fn<btequalimage>},
};

}  // namespace

std::span<const BuiltinFunction> text_compare_functions() { return kTable; }

}  // namespace hathi::types
