// Pseudo-types: no values of them are read or shown, apart from void's; the functions say so.

#include "hathi/types/binary.h"
#include "adapter.h"
#include "tables.h"

namespace hathi::types {

namespace {

template <std::size_t N> struct TypeName {
  char text[N];
  consteval TypeName(const char (&name)[N]) { for (std::size_t i = 0; i < N; ++i) text[i] = name[i]; }
};

template <TypeName Type> Datum refuse_input(FunctionCall&) {
  throw SqlError(sqlstate::feature_not_supported, "cannot accept a value of type {}", Type.text);
}
template <TypeName Type> Datum refuse_output(FunctionCall&) {
  throw SqlError(sqlstate::feature_not_supported, "cannot display a value of type {}", Type.text);
}
Datum shell_in(FunctionCall&) { throw SqlError(sqlstate::feature_not_supported, "cannot accept a value of a shell type"); }
Datum shell_out(FunctionCall&) { throw SqlError(sqlstate::feature_not_supported, "cannot display a value of a shell type"); }

// Called by the server itself only: access methods and subscripting are compiled in, these names stand for them in the catalogs.
Datum internal_only(FunctionCall& call) {
  throw SqlError(sqlstate::feature_not_supported, "function {} cannot be called from SQL", raw(call.site->oid));
}

void void_in(CString) {}
CString void_out(Datum) { return {""}; }
void void_recv(Datum) {}
std::string_view void_send(Datum) { return {}; }

constexpr BuiltinFunction kTable[] = {
    {Oid{3}, fn<internal_only>},
    {Oid{330}, fn<internal_only>},
    {Oid{331}, fn<internal_only>},
    {Oid{332}, fn<internal_only>},
    {Oid{333}, fn<internal_only>},
    {Oid{334}, fn<internal_only>},
    {Oid{335}, fn<internal_only>},
    {Oid{6179}, fn<internal_only>},
    {Oid{6180}, fn<internal_only>},
    {Oid{6098}, fn<internal_only>},
    {Oid{2246}, fn<internal_only>},
    {Oid{2247}, fn<internal_only>},
    {Oid{2248}, fn<internal_only>},
    {Oid{2298}, fn<void_in>},
    {Oid{2299}, fn<void_out>},
    {Oid{3120}, fn<void_recv>},
    {Oid{3121}, fn<void_send>},
    {Oid{2398}, fn<shell_in>},
    {Oid{2399}, fn<shell_out>},
    {Oid{2294}, fn<refuse_input<"any">>},
    {Oid{2295}, fn<refuse_output<"any">>},
    {Oid{2296}, fn<refuse_input<"anyarray">>},
    {Oid{2777}, fn<refuse_input<"anynonarray">>},
    {Oid{2778}, fn<refuse_output<"anynonarray">>},
    {Oid{2312}, fn<refuse_input<"anyelement">>},
    {Oid{2313}, fn<refuse_output<"anyelement">>},
    {Oid{3504}, fn<refuse_input<"anyenum">>},
    {Oid{3832}, fn<refuse_input<"anyrange">>},
    {Oid{4229}, fn<refuse_input<"anymultirange">>},
    {Oid{5086}, fn<refuse_input<"anycompatible">>},
    {Oid{5087}, fn<refuse_output<"anycompatible">>},
    {Oid{5088}, fn<refuse_input<"anycompatiblearray">>},
    {Oid{5092}, fn<refuse_input<"anycompatiblenonarray">>},
    {Oid{5093}, fn<refuse_output<"anycompatiblenonarray">>},
    {Oid{5094}, fn<refuse_input<"anycompatiblerange">>},
    {Oid{4226}, fn<refuse_input<"anycompatiblemultirange">>},
    {Oid{2300}, fn<refuse_input<"trigger">>},
    {Oid{2301}, fn<refuse_output<"trigger">>},
    {Oid{3594}, fn<refuse_input<"event_trigger">>},
    {Oid{3595}, fn<refuse_output<"event_trigger">>},
    {Oid{2302}, fn<refuse_input<"language_handler">>},
    {Oid{2303}, fn<refuse_output<"language_handler">>},
    {Oid{3116}, fn<refuse_input<"fdw_handler">>},
    {Oid{3117}, fn<refuse_output<"fdw_handler">>},
    {Oid{326}, fn<refuse_input<"index_am_handler">>},
    {Oid{327}, fn<refuse_output<"index_am_handler">>},
    {Oid{267}, fn<refuse_input<"table_am_handler">>},
    {Oid{268}, fn<refuse_output<"table_am_handler">>},
    {Oid{3311}, fn<refuse_input<"tsm_handler">>},
    {Oid{3312}, fn<refuse_output<"tsm_handler">>},
    {Oid{2304}, fn<refuse_input<"internal">>},
    {Oid{2305}, fn<refuse_output<"internal">>},
    {Oid{86}, fn<refuse_input<"pg_ddl_command">>},
    {Oid{87}, fn<refuse_output<"pg_ddl_command">>},
    {Oid{195}, fn<refuse_input<"pg_node_tree">>},
    {Oid{197}, fn<refuse_input<"pg_node_tree">>},
    {Oid{3355}, fn<refuse_input<"pg_ndistinct">>},
    {Oid{3357}, fn<refuse_input<"pg_ndistinct">>},
    {Oid{3404}, fn<refuse_input<"pg_dependencies">>},
    {Oid{3406}, fn<refuse_input<"pg_dependencies">>},
    {Oid{5018}, fn<refuse_input<"pg_mcv_list">>},
    {Oid{5020}, fn<refuse_input<"pg_mcv_list">>},
    {Oid{2502}, fn<refuse_input<"anyarray">>},
    {Oid{5090}, fn<refuse_input<"anycompatiblearray">>},
    {Oid{88}, fn<refuse_input<"pg_ddl_command">>},
    {Oid{90}, fn<refuse_output<"pg_ddl_command">>},
};

}  // namespace

std::span<const BuiltinFunction> pseudo_type_functions() { return kTable; }

}  // namespace hathi::types
