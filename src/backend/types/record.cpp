// Composite values: input and output, comparison, hashing.

#include <algorithm>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/datum/record_types.h"
#include "hathi/types/binary.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "record_fields.h"
#include "tables.h"
#include "type_compare.h"
#include "type_io.h"

namespace hathi::types {

RowType::RowType(Oid type, std::int32_t typmod) {
  if (type == type_oid::record || !is_valid(type)) {
    descriptor_ = find_record_type(typmod);
    if (descriptor_ == nullptr) throw SqlError(sqlstate::wrong_object_type, "record type has not been registered");
    return;
  }
  const catalog::TypeInfo& info = catalog::type_info(catalog::base_type(type));
  if (!is_valid(info.relation)) throw SqlError(sqlstate::wrong_object_type, "type {} is not composite", catalog::format_type(type));
  relation_ = catalog::open_relation(info.relation, locking::LockMode::access_share);
  descriptor_ = relation_->descriptor;
}

RowFields row_fields(Datum record, const TupleDescriptor& descriptor, Arena& arena) {
  auto n = static_cast<std::size_t>(descriptor.count());
  RowFields fields{arena.make_array<Datum>(n), arena.make_array<bool>(n)};
  deform_tuple(open_record(record, arena), descriptor, descriptor.count(), fields.values, fields.nulls);
  return fields;
}

namespace {

// --- text -----------------------------------------------------------------------------------------------------------------------
// (field,field,…): an empty field is NULL, quotes and backslashes protect characters.
class RecordParser {
 public:
  RecordParser(std::string_view text, const TupleDescriptor& descriptor, Arena& arena) : text_(text), descriptor_(descriptor), arena_(arena) {}

  Datum run() {
    auto n = static_cast<std::size_t>(descriptor_.count());
    auto* values = arena_.make_array<Datum>(n);
    auto* nulls = arena_.make_array<bool>(n);
    skip_space();
    if (at_ >= text_.size() || text_[at_++] != '(') malformed("Missing left parenthesis.");
    bool first = true;
    for (std::size_t i = 0; i < n; ++i) {
      const Attribute& a = descriptor_[static_cast<int>(i)];
      if (a.dropped) {
        nulls[i] = true;
        continue;
      }
      if (!first) {
        if (at_ >= text_.size()) malformed("Unexpected end of input.");
        if (text_[at_] != ',') malformed("Too few columns.");
        ++at_;
      }
      first = false;
      std::string field;
      nulls[i] = !next_field(field);
      if (!nulls[i]) values[i] = InputFunction(a.type)(arena_.copy(field), a.typmod, arena_);
    }
    if (at_ >= text_.size()) malformed("Unexpected end of input.");
    if (text_[at_++] != ')') malformed("Too many columns.");
    skip_space();
    if (at_ < text_.size()) malformed("Junk after right parenthesis.");
    return make_record(descriptor_, values, nulls, arena_);
  }

 private:
  [[noreturn]] void malformed(std::string_view detail) const {
    throw SqlError(sqlstate::invalid_text_representation, "malformed record literal: \"{}\"", text_).detail(std::string(detail));
  }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  // false = NULL.
  bool next_field(std::string& field) {
    if (at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ')')) return false;
    bool quoted = false;
    for (; quoted || at_ >= text_.size() || (text_[at_] != ',' && text_[at_] != ')');) {
      if (at_ >= text_.size()) malformed("Unexpected end of input.");
      char c = text_[at_++];
      if (c == '\\') {
        if (at_ >= text_.size()) malformed("Unexpected end of input.");
        field += text_[at_++];
      } else if (c == '"') {
        if (quoted && at_ < text_.size() && text_[at_] == '"') field += text_[at_++];
        else quoted = !quoted;
      } else {
        field += c;
      }
    }
    return true;
  }

  std::string_view text_;
  const TupleDescriptor& descriptor_;
  Arena& arena_;
  std::size_t at_ = 0;
};

[[noreturn]] void throw_anonymous_input() {
  throw SqlError(sqlstate::feature_not_supported, "input of anonymous composite types is not implemented");
}

Datum record_in(FunctionCall& call) {
  check_stack_depth();
  Oid type = call.arg(1).as_oid();
  std::int32_t typmod = call.site->argument_count > 2 ? call.arg(2).as_int32() : -1;
  if (type == type_oid::record && typmod < 0) throw_anonymous_input();
  if (!is_valid(type)) throw SqlError(sqlstate::undefined_object, "type with OID {} does not exist", raw(type));
  RowType row(type, typmod);
  return RecordParser(call.arg(0).as_pointer<char>(), *row, call.arena()).run();
}

bool needs_quotes(std::string_view text) {
  return text.empty() || std::any_of(text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || c == '(' || c == ')' || c == ',' || is_space(c); });
}
CString record_out(FunctionCall& call, Datum record) {
  check_stack_depth();
  RowType row = RowType::of(record);
  RowFields fields = row_fields(record, *row, call.arena());
  std::string text = "(";
  bool first = true;
  for (int i = 0; i < row->count(); ++i) {
    if ((*row)[i].dropped) continue;
    if (!first) text += ',';
    first = false;
    if (fields.nulls[i]) continue;
    std::string_view value = output_text(fields.values[i], (*row)[i].type, call.arena());
    bool quote = needs_quotes(value);
    if (quote) text += '"';
    for (char c : value) {
      if (quote && (c == '"' || c == '\\')) text += c;
      text += c;
    }
    if (quote) text += '"';
  }
  return make_cstring(call, text + ')');
}

// --- binary: column count, then type, length (-1 = NULL) and bytes of each ----------------------------------------------------------
Datum record_send(FunctionCall& call) {
  check_stack_depth();
  RowType row = RowType::of(call.arg(0));
  RowFields fields = row_fields(call.arg(0), *row, call.arena());
  std::string bytes;
  auto put = [&](std::uint32_t v) {
    char b[4];
    put_big_endian(b, v);
    bytes.append(b, 4);
  };
  std::uint32_t count = 0;
  for (int i = 0; i < row->count(); ++i) count += (*row)[i].dropped ? 0 : 1;
  put(count);
  for (int i = 0; i < row->count(); ++i) {
    const Attribute& a = (*row)[i];
    if (a.dropped) continue;
    put(raw(a.type));
    if (fields.nulls[i]) {
      put(0xFFFFFFFFu);
      continue;
    }
    const catalog::TypeInfo& info = catalog::type_info(a.type);
    if (!is_valid(info.send)) throw SqlError(sqlstate::undefined_function, "no binary output function available for type {}", catalog::format_type(a.type));
    std::string_view value = varlena::text(call_function(info.send, call.arena(), {fields.values[i]}), call.arena());
    put(static_cast<std::uint32_t>(value.size()));
    bytes += value;
  }
  return varlena::make(call.arena(), bytes);
}
Datum record_recv(FunctionCall& call) {
  check_stack_depth();
  auto& reader = *const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>());
  Oid type = call.arg(1).as_oid();
  std::int32_t typmod = call.site->argument_count > 2 ? call.arg(2).as_int32() : -1;
  if (type == type_oid::record && typmod < 0) throw_anonymous_input();
  RowType row(type, typmod);
  auto n = static_cast<std::size_t>(row->count());
  auto* values = call.arena().make_array<Datum>(n);
  auto* nulls = call.arena().make_array<bool>(n);
  int wanted = 0;
  for (const Attribute& a : row->attributes) wanted += a.dropped ? 0 : 1;
  auto given = reader.integer<std::int32_t>();
  if (given != wanted) throw SqlError(sqlstate::datatype_mismatch, "wrong number of columns: {}, expected {}", given, wanted);
  for (std::size_t i = 0; i < n; ++i) {
    const Attribute& a = (*row)[static_cast<int>(i)];
    nulls[i] = a.dropped;
    if (a.dropped) continue;
    Oid column_type{reader.integer<std::uint32_t>()};
    if (column_type != a.type) {
      throw SqlError(sqlstate::datatype_mismatch, "binary data has type {} ({}) instead of expected {} ({}) in record column {}", raw(column_type),
                     catalog::format_type(column_type), raw(a.type), catalog::format_type(a.type), i + 1);
    }
    auto size = reader.integer<std::int32_t>();
    if (size == -1) {
      nulls[i] = true;
      continue;
    }
    if (size < -1) throw SqlError(sqlstate::invalid_binary_representation, "insufficient data left in message");
    std::string_view bytes = reader.bytes(static_cast<std::size_t>(size));
    const catalog::TypeInfo& info = catalog::type_info(a.type);
    BinaryReader part{bytes.data(), bytes.data() + bytes.size()};
    values[i] = call_function(info.receive, call.arena(), {Datum::of(static_cast<const void*>(&part)), Datum::of(io_parameter(info)), Datum::of(a.typmod)});
    if (part.left() != 0) throw SqlError(sqlstate::invalid_binary_representation, "improper binary format in record column {}", i + 1);
  }
  return make_record(*row, values, nulls, call.arena());
}

// --- comparison -------------------------------------------------------------------------------------------------------------------
// Two rows side by side, dropped columns left out.
class RowPair {
 public:
  explicit RowPair(FunctionCall& call)
      : call_(call), a_(RowType::of(call.arg(0))), b_(RowType::of(call.arg(1))), x_(row_fields(call.arg(0), *a_, call.arena())),
        y_(row_fields(call.arg(1), *b_, call.arena())) {}

  // Calls visit(attribute, collation, left, right) for each pair of columns until it returns true.
  template <class Visit> void each(Visit visit) {
    int i = 0;
    int j = 0;
    int column = 0;
    for (;;) {
      while (i < a_->count() && (*a_)[i].dropped) ++i;
      while (j < b_->count() && (*b_)[j].dropped) ++j;
      if (i >= a_->count() || j >= b_->count()) break;
      const Attribute& p = (*a_)[i];
      const Attribute& q = (*b_)[j];
      ++column;
      if (p.type != q.type) {
        throw SqlError(sqlstate::datatype_mismatch, "cannot compare dissimilar column types {} and {} at record column {}", catalog::format_type(p.type),
                       catalog::format_type(q.type), column);
      }
      if (visit(p, p.collation == q.collation ? p.collation : kInvalidOid, NullableDatum{x_.values[i], x_.nulls[i]},
                NullableDatum{y_.values[j], y_.nulls[j]}))
        return;
      ++i;
      ++j;
    }
    if (i < a_->count() || j < b_->count()) {
      throw SqlError(sqlstate::datatype_mismatch, "cannot compare record types with different numbers of columns");
    }
  }
  Arena& arena() { return call_.arena(); }

 private:
  FunctionCall& call_;
  RowType a_, b_;
  RowFields x_, y_;
};

int compare_records(FunctionCall& call) {
  check_stack_depth();
  RowPair pair(call);
  int result = 0;
  pair.each([&](const Attribute& a, Oid collation, NullableDatum x, NullableDatum y) {
    if (x.is_null && y.is_null) return false;
    if (x.is_null || y.is_null) result = x.is_null ? 1 : -1;
    else result = TypeOrder(a.type, collation)(x.value, y.value, pair.arena());
    return result != 0;
  });
  return result < 0 ? -1 : result > 0;
}
bool records_equal(FunctionCall& call) {
  check_stack_depth();
  RowPair pair(call);
  bool equal = true;
  pair.each([&](const Attribute& a, Oid collation, NullableDatum x, NullableDatum y) {
    if (x.is_null && y.is_null) return false;
    equal = !x.is_null && !y.is_null && TypeEquality(a.type, collation)(x.value, y.value, pair.arena());
    return !equal;
  });
  return equal;
}
Datum record_eq(FunctionCall& call) { return Datum::of(records_equal(call)); }
Datum record_ne(FunctionCall& call) { return Datum::of(!records_equal(call)); }
Datum record_lt(FunctionCall& call) { return Datum::of(compare_records(call) < 0); }
Datum record_le(FunctionCall& call) { return Datum::of(compare_records(call) <= 0); }
Datum record_gt(FunctionCall& call) { return Datum::of(compare_records(call) > 0); }
Datum record_ge(FunctionCall& call) { return Datum::of(compare_records(call) >= 0); }
Datum btrecordcmp(FunctionCall& call) { return Datum::of(std::int32_t{compare_records(call)}); }

// The order of the stored bytes, whatever the types mean by them.
int compare_images(FunctionCall& call) {
  check_stack_depth();
  RowPair pair(call);
  int result = 0;
  pair.each([&](const Attribute& a, Oid, NullableDatum x, NullableDatum y) {
    if (x.is_null && y.is_null) return false;
    if (x.is_null || y.is_null) {
      result = x.is_null ? 1 : -1;
    } else if (a.layout.by_value) {
      result = x.value.bits() < y.value.bits() ? -1 : x.value.bits() > y.value.bits();
    } else {
      auto image = [&](Datum v) {
        if (a.layout.length == -1) return varlena::text(v, pair.arena());
        return std::string_view(v.as_pointer<char>(), datum_size(v, a.layout));
      };
      std::string_view u = image(x.value);
      std::string_view v = image(y.value);
      result = std::memcmp(u.data(), v.data(), std::min(u.size(), v.size()));
      if (result == 0) result = (u.size() > v.size()) - (u.size() < v.size());
    }
    return result != 0;
  });
  return result < 0 ? -1 : result > 0;
}
Datum record_image_eq(FunctionCall& call) { return Datum::of(compare_images(call) == 0); }
Datum record_image_ne(FunctionCall& call) { return Datum::of(compare_images(call) != 0); }
Datum record_image_lt(FunctionCall& call) { return Datum::of(compare_images(call) < 0); }
Datum record_image_le(FunctionCall& call) { return Datum::of(compare_images(call) <= 0); }
Datum record_image_gt(FunctionCall& call) { return Datum::of(compare_images(call) > 0); }
Datum record_image_ge(FunctionCall& call) { return Datum::of(compare_images(call) >= 0); }
Datum btrecordimagecmp(FunctionCall& call) { return Datum::of(std::int32_t{compare_images(call)}); }

// --- hashing --------------------------------------------------------------------------------------------------------------------------
Datum hash_record(FunctionCall& call) {
  check_stack_depth();
  RowType row = RowType::of(call.arg(0));
  RowFields fields = row_fields(call.arg(0), *row, call.arena());
  std::uint32_t result = 0;
  for (int i = 0; i < row->count(); ++i) {
    const Attribute& a = (*row)[i];
    if (a.dropped) continue;
    result = result * 31 + (fields.nulls[i] ? 0 : TypeHash(a.type, a.collation, false)(fields.values[i], call.arena()));
  }
  return Datum::of(static_cast<std::int32_t>(result));
}
Datum hash_record_extended(FunctionCall& call) {
  check_stack_depth();
  RowType row = RowType::of(call.arg(0));
  RowFields fields = row_fields(call.arg(0), *row, call.arena());
  std::uint64_t result = 0;
  for (int i = 0; i < row->count(); ++i) {
    const Attribute& a = (*row)[i];
    if (a.dropped) continue;
    result = result * 31 + (fields.nulls[i] ? 0 : TypeHash(a.type, a.collation, true)(fields.values[i], call.arg(1).as_uint64(), call.arena()));
  }
  return Datum::of(static_cast<std::int64_t>(result));
}

constexpr BuiltinFunction kTable[] = {
    {Oid{2290}, fn<record_in>},
    {Oid{2291}, fn<record_out>},
    {Oid{2402}, fn<record_recv>},
    {Oid{2403}, fn<record_send>},
    {Oid{2981}, fn<record_eq>},
    {Oid{2982}, fn<record_ne>},
    {Oid{2983}, fn<record_lt>},
    {Oid{2985}, fn<record_le>},
    {Oid{2984}, fn<record_gt>},
    {Oid{2986}, fn<record_ge>},
    {Oid{2987}, fn<btrecordcmp>},
    {Oid{3181}, fn<record_image_eq>},
    {Oid{3182}, fn<record_image_ne>},
    {Oid{3183}, fn<record_image_lt>},
    {Oid{3185}, fn<record_image_le>},
    {Oid{3184}, fn<record_image_gt>},
    {Oid{3186}, fn<record_image_ge>},
    {Oid{3187}, fn<btrecordimagecmp>},
    {Oid{6192}, fn<hash_record>},
    {Oid{6193}, fn<hash_record_extended>},
};

}  // namespace

std::span<const BuiltinFunction> record_functions() { return kTable; }

}  // namespace hathi::types
