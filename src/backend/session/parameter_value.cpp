#include "parameter_value.h"

#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/types/binary.h"

namespace hathi::session {

namespace {

// A value that goes through a receive function, which must use all its bytes.
Datum receive_value(std::string_view bytes, const catalog::TypeInfo& info, Datum element, std::string_view place, Arena& arena) {
  if (!is_valid(info.receive)) throw SqlError(sqlstate::undefined_function, "no binary input function available for type {}", catalog::format_type(info.oid));
  types::BinaryReader reader{bytes.data(), bytes.data() + bytes.size()};
  Datum value = call_function(info.receive, arena, {Datum::of(static_cast<const void*>(&reader)), element, Datum::of(std::int32_t{-1})});
  if (reader.left() != 0) throw SqlError(sqlstate::invalid_binary_representation, "incorrect binary data format in {}", place);
  return value;
}

}  // namespace

void require_parameter_text(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) throw SqlError(sqlstate::character_not_in_repertoire, "invalid byte sequence for encoding \"UTF8\": 0x00");
  require_valid_utf8(text);
}

planner::ParameterValue read_parameter(std::span<const char> bytes, bool is_null, bool binary, Oid type, std::string_view place, Arena& arena) {
  planner::ParameterValue out;
  out.type = type;
  out.value.is_null = is_null;
  if (is_null) return out;
  const catalog::TypeInfo& info = catalog::type_info(type);
  std::string_view text = arena.copy({bytes.data(), bytes.size()});
  Datum element = Datum::of(is_valid(info.element) ? info.element : type);
  if (binary) {
    out.value.value = receive_value(text, info, element, place, arena);
  } else if (type == type_oid::text || type == type_oid::varchar) {
    out.value.value = varlena::make(arena, text);
  } else {
    out.value.value = call_function(info.input, arena, {Datum::of(static_cast<const void*>(text.data())), element, Datum::of(std::int32_t{-1})});
  }
  return out;
}

}  // namespace hathi::session
