// Stand-ins for datum/ until it exists.
#include <unordered_map>

#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"

namespace hathi {
namespace varlena {
std::byte* allocate(Arena& arena, std::size_t size) {
  auto* p = static_cast<std::byte*>(arena.allocate(size + 4, 8));
  std::uint32_t w = static_cast<std::uint32_t>(size + 4) << 2;
  std::memcpy(p, &w, 4);
  return p;
}
Datum make(Arena& arena, std::string_view payload) {
  std::byte* p = allocate(arena, payload.size());
  if (!payload.empty()) std::memcpy(p + 4, payload.data(), payload.size());
  return Datum::of(static_cast<const void*>(p));
}
const std::byte* readable(Datum value, Arena&) { return value.as_pointer(); }
const std::byte* aligned(Datum value, Arena& arena) {
  const std::byte* p = value.as_pointer();
  if (is_plain(p)) return p;
  return make(arena, payload(p)).as_pointer();
}
}  // namespace varlena

std::string_view name_text(Datum name) {
  const char* p = name.as_pointer<char>();
  return {p, strnlen(p, kNameLength)};
}
Datum make_name(Arena& arena, std::string_view text) {
  char* p = static_cast<char*>(arena.allocate(kNameLength, 1));
  std::memset(p, 0, kNameLength);
  std::size_t n = text.size();
  if (n > 63) {
    n = 63;
    while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) --n;
  }
  std::memcpy(p, text.data(), n);
  return Datum::of(static_cast<const void*>(p));
}
Datum copy_datum(Datum value, TypeLayout layout, Arena& arena) {
  if (layout.by_value) return value;
  std::size_t size = datum_size(value, layout);
  void* p = arena.allocate(size, 8);
  std::memcpy(p, value.as_pointer(), size);
  return Datum::of(static_cast<const void*>(p));
}
std::size_t datum_size(Datum value, TypeLayout layout) {
  if (layout.length > 0) return static_cast<std::size_t>(layout.length);
  if (layout.length == -1) return varlena::total_size(value.as_pointer());
  return std::strlen(value.as_pointer<char>()) + 1;
}
bool datum_image_equal(Datum a, Datum b, TypeLayout layout) {
  if (layout.by_value) return a == b;
  std::size_t size = datum_size(a, layout);
  return size == datum_size(b, layout) && std::memcmp(a.as_pointer(), b.as_pointer(), size) == 0;
}

static std::unordered_map<std::uint32_t, const BuiltinFunction*>& registry() {
  static std::unordered_map<std::uint32_t, const BuiltinFunction*> map;
  return map;
}
void register_functions(std::span<const BuiltinFunction> table) {
  for (const BuiltinFunction& f : table) registry()[raw(f.oid)] = &f;
}
const BuiltinFunction* find_builtin_function(Oid oid) {
  auto it = registry().find(raw(oid));
  return it == registry().end() ? nullptr : it->second;
}
Datum call_function(Oid function, Arena& arena, std::span<const Datum> args, Oid collation) {
  const BuiltinFunction* f = find_builtin_function(function);
  if (f == nullptr) throw SqlError(sqlstate::internal_error, "no function {}", raw(function));
  FunctionSite site;
  site.function = f->function;
  site.oid = function;
  site.collation = collation;
  site.argument_count = static_cast<std::int16_t>(args.size());
  FunctionContext context;
  context.arena = &arena;
  NullableDatum values[16];
  for (std::size_t i = 0; i < args.size(); ++i) values[i] = {args[i], false};
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = values;
  Datum result = site.function(call);
  if (call.result_is_null) throw SqlError(sqlstate::internal_error, "function {} returned NULL", raw(function));
  return result;
}
}  // namespace hathi
