#include "row_sender.h"

#include <charconv>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"

namespace hathi::session {

namespace {

std::int16_t format_at(std::span<const std::int16_t> formats, std::size_t column) {
  if (formats.empty()) return 0;
  return formats.size() == 1 ? formats[0] : formats[column];
}

template <class T>
void put_number(protocol::Connection& connection, T value) {
  constexpr std::size_t kLongest = 24;
  char* p = connection.reserve(kLongest + 4) + 4;
  auto end = std::to_chars(p, p + kLongest, value).ptr;
  std::size_t at = connection.position();
  connection.advance(4 + static_cast<std::size_t>(end - p));
  connection.patch_int32(at, static_cast<std::int32_t>(end - p));
}

void put_field(protocol::Connection& connection, std::string_view bytes) {
  connection.put_int32(static_cast<std::int32_t>(bytes.size()));
  connection.put_bytes(bytes.data(), bytes.size());
}

}  // namespace

void send_row_description(protocol::Connection& connection, const TupleDescriptor& row, const List<nodes::TargetEntry*>* targets,
                          std::span<const std::int16_t> formats) {
  connection.begin('T');
  connection.put_int16(static_cast<std::int16_t>(row.count()));
  std::size_t target = 0;
  for (int i = 0; i < row.count(); ++i) {
    const nodes::TargetEntry* entry = nullptr;
    if (targets != nullptr) {
      while (target < targets->size() && (*targets)[target]->junk) ++target;
      if (target < targets->size()) entry = (*targets)[target++];
    }
    const Attribute& a = row[i];
    std::int32_t typmod = a.typmod;
    Oid type = catalog::base_type(a.type, &typmod);
    connection.put_string(a.name);
    connection.put_int32(entry == nullptr ? 0 : static_cast<std::int32_t>(raw(entry->origin_table)));
    connection.put_int16(entry == nullptr ? 0 : entry->origin_column);
    connection.put_int32(static_cast<std::int32_t>(raw(type)));
    connection.put_int16(catalog::type_info(type).layout.length);
    connection.put_int32(typmod);
    connection.put_int16(format_at(formats, static_cast<std::size_t>(i)));
  }
  connection.end();
}

void RowSender::start(const TupleDescriptor& row) {
  if (describes_ && !described_) send_row_description(connection_, row, targets_, formats_);
  described_ = true;
  columns_.assign(static_cast<std::size_t>(row.count()), {});
  for (std::size_t i = 0; i < columns_.size(); ++i) prepare_column(columns_[i], row.attributes[i], format_at(formats_, i));
}

void RowSender::prepare_column(Column& column, const Attribute& attribute, std::int16_t format) {
  const catalog::TypeInfo& type = catalog::type_info(attribute.type);
  if (format != 0 && format != 1) throw SqlError(sqlstate::invalid_parameter_value, "unsupported format code: {}", format);
  bool is_text = format == 0;
  if (attribute.type == type_oid::int2 && is_text) column.encoding = Encoding::int2_text;
  else if (attribute.type == type_oid::int4 && is_text) column.encoding = Encoding::int4_text;
  else if (attribute.type == type_oid::int8 && is_text) column.encoding = Encoding::int8_text;
  else if (attribute.type == type_oid::oid && is_text) column.encoding = Encoding::oid_text;
  else if (attribute.type == type_oid::bool_ && is_text) column.encoding = Encoding::bool_text;
  else if (attribute.type == type_oid::name) column.encoding = Encoding::name_text;
  else if (attribute.type == type_oid::text || attribute.type == type_oid::varchar || attribute.type == type_oid::bpchar) column.encoding = Encoding::bytes;
  else {
    column.encoding = is_text ? Encoding::output_function : Encoding::send_function;
    Oid oid = is_text ? type.output : type.send;
    if (!is_valid(oid)) {
      throw SqlError(sqlstate::undefined_function, "no {} function available for type {}", is_text ? "output" : "binary output",
                     catalog::format_type(attribute.type));
    }
    const BuiltinFunction* function = find_builtin_function(oid);
    if (function == nullptr) throw_not_supported(fmt::format("output of type {}", catalog::format_type(attribute.type)));
    column.function = function->function;
    column.site.function = function->function;
    column.site.oid = oid;
    column.site.argument_count = 1;
    column.site.collation = attribute.collation;
  }
}

bool RowSender::receive(const Datum* values, const bool* nulls) {
  connection_.begin('D');
  connection_.put_int16(static_cast<std::int16_t>(columns_.size()));
  try {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (nulls[i]) connection_.put_int32(-1);
      else put(columns_[i], values[i]);
    }
  } catch (...) {
    connection_.abandon_message();
    throw;
  }
  connection_.end();
  return true;
}

void RowSender::put(Column& column, Datum value) {
  switch (column.encoding) {
    case Encoding::int2_text: put_number(connection_, static_cast<int>(value.as_int16())); return;
    case Encoding::int4_text: put_number(connection_, value.as_int32()); return;
    case Encoding::int8_text: put_number(connection_, value.as_int64()); return;
    case Encoding::oid_text: put_number(connection_, value.as_uint32()); return;
    case Encoding::bool_text: put_field(connection_, value.as_bool() ? "t" : "f"); return;
    case Encoding::name_text: put_field(connection_, name_text(value)); return;
    case Encoding::bytes: {
      const std::byte* p = value.as_pointer();
      if (!varlena::is_readable(p)) {
        p = varlena::readable(value, scratch_);
        put_field(connection_, varlena::payload(p));
        scratch_.reset();
        return;
      }
      put_field(connection_, varlena::payload(p));
      return;
    }
    case Encoding::output_function:
    case Encoding::send_function: put_called(column, value); return;
  }
}

void RowSender::put_called(Column& column, Datum value) {
  FunctionContext context;
  context.arena = &scratch_;
  NullableDatum argument{value, false};
  FunctionCall call;
  call.site = &column.site;
  call.context = &context;
  call.args = &argument;
  call.state_arena = &scratch_;
  Datum out = column.function(call);
  if (column.encoding == Encoding::output_function) put_field(connection_, out.as_pointer<char>());
  else put_field(connection_, varlena::payload(varlena::readable(out, scratch_)));
  scratch_.reset();
}

}  // namespace hathi::session
