#include "row_values.h"

#include "compiler.h"
#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/datum/record_types.h"

namespace hathi::executor {

Datum make_tid(TupleId tid, Arena& arena) {
  auto* p = static_cast<std::uint16_t*>(arena.allocate(6, 2));
  p[0] = static_cast<std::uint16_t>(tid.block.value() >> 16);
  p[1] = static_cast<std::uint16_t>(tid.block.value());
  p[2] = tid.offset.value();
  return Datum::of(static_cast<const void*>(p));
}

TupleId read_tid(Datum value) {
  std::uint16_t p[3];
  std::memcpy(p, value.as_pointer(), 6);
  return {BlockNumber{(static_cast<std::uint32_t>(p[0]) << 16) | p[1]}, OffsetNumber{p[2]}};
}

NullableDatum system_column(const Row& row, AttrNumber column, Arena& arena) {
  const HeapTuple& t = row.tuple;
  if (t.header == nullptr) {
    if (column == -6 && is_valid(t.table)) return {Datum::of(t.table), false};
    if (column == -1 && t.tid.is_valid()) return {make_tid(t.tid, arena), false};
    return {};
  }
  switch (column) {
    case -1: return {make_tid(t.tid, arena), false};
    case -2: return {Datum::of(static_cast<std::uint32_t>(t.xmin.value())), false};
    case -4: return {Datum::of(t.multi.value() != 0 ? t.multi.value() : static_cast<std::uint32_t>(t.xmax.value())), false};
    case -3: case -5: return {Datum::of(t.header->command), false};
    case -6: return {Datum::of(t.table), false};
    default: throw SqlError(sqlstate::internal_error, "invalid system column {}", column);
  }
}

const TupleDescriptor* describe_row_type(Oid type, std::int32_t typmod, Arena& arena) {
  if (type == type_oid::record) {
    const TupleDescriptor* d = find_record_type(typmod);
    if (d == nullptr) throw SqlError(sqlstate::wrong_object_type, "record type has not been registered");
    return d;
  }
  const catalog::TypeInfo& info = catalog::type_info(catalog::base_type(type));
  if (!is_valid(info.relation)) throw SqlError(sqlstate::wrong_object_type, "type {} is not composite", catalog::format_type(type));
  catalog::RelationRef relation = catalog::open_relation(info.relation, locking::LockMode::access_share);
  return copy_descriptor(*relation->descriptor, arena);
}

const TupleDescriptor& RowTypeCache::of(Datum record) {
  Oid t = record_type(record);
  std::int32_t m = record_typmod(record);
  if (descriptor == nullptr || t != type || m != typmod) {
    descriptor = describe_row_type(t, m, *arena);
    type = t;
    typmod = m;
  }
  return *descriptor;
}

bool all_fields_null(Datum record, bool wanted, Arena& arena) {
  HeapTuple tuple = open_record(record, arena);
  Datum plain = Datum::of(static_cast<const void*>(tuple.header));
  RowTypeCache cache;
  cache.arena = &arena;
  const TupleDescriptor& d = cache.of(plain);
  for (int i = 0; i < d.count(); ++i) {
    if (d[i].dropped) continue;
    bool is_null;
    get_attribute(tuple, d, static_cast<AttrNumber>(i + 1), is_null);
    if (is_null != wanted) return false;
  }
  return true;
}

namespace {

struct WholeRowData {
  int source;                     // 0 outer, 1 inner, 2 scan
  Oid type;
  const TupleDescriptor* own;     // the value's row type
};

// A row of the source's columns as a value of the wanted row type. Rows of a partition may have other columns: those that the
// caller mapped before stand in `values` in the order of the type.
void run_whole_row(const Step& step, EvalContext& c) {
  auto& data = *static_cast<WholeRowData*>(step.slow.data);
  Row& row = *(data.source == 0 ? c.outer : data.source == 1 ? c.inner : c.scan);
  Arena& arena = *c.function.arena;
  const TupleDescriptor* d = data.own != nullptr ? data.own : row.descriptor;
  if (d == nullptr) throw SqlError(sqlstate::internal_error, "whole-row reference to a row without description");
  if (row.tuple.header == nullptr && row.valid == row.count) {
    bool all_null = true;
    for (int i = 0; i < row.count; ++i) all_null = all_null && row.nulls[i];
    if (all_null && data.source != 2) {   // the NULL-extended side of an outer join
      *step.result = {};
      return;
    }
  }
  int n = d->count();
  row.need(std::min(n, row.count));
  if (n > row.count) {
    auto* values = arena.make_array<Datum>(static_cast<std::size_t>(n));
    auto* nulls = arena.make_array<bool>(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      nulls[i] = i >= row.count || row.nulls[i];
      if (!nulls[i]) values[i] = row.values[i];
    }
    *step.result = {make_record(*d, values, nulls, arena), false};
    return;
  }
  *step.result = {make_record(*d, row.values, row.nulls, arena), false};
}

}  // namespace

void Compiler::emit_whole_row(const nodes::Variable& v, NullableDatum* result) {
  auto* data = arena_.make<WholeRowData>();
  data->source = v.rte == options_.sources.outer_rte ? 0 : v.rte == options_.sources.inner_rte ? 1 : 2;
  data->type = v.type;
  if (v.type == type_oid::record) {
    if (options_.scan_descriptor != nullptr) {
      TupleDescriptor* d = copy_descriptor(*options_.scan_descriptor, arena_);
      d->row_type = type_oid::record;
      d->record_typmod = register_record_type(*d);
      data->own = d;
    }
  } else {
    data->own = options_.scan_descriptor != nullptr && options_.scan_descriptor->row_type == v.type
                    ? options_.scan_descriptor
                    : describe_row_type(v.type, -1, arena_);
  }
  Step& step = add(StepOp::whole_row, result);
  step.slow.run = run_whole_row;
  step.slow.data = data;
}

namespace {

struct RowData {
  NullableDatum* args;
  Datum* values;
  bool* nulls;
  const TupleDescriptor* descriptor;
};

void run_row(const Step& step, EvalContext& c) {
  auto& data = *static_cast<RowData*>(step.slow.data);
  for (int i = 0; i < data.descriptor->count(); ++i) {
    data.values[i] = data.args[i].value;
    data.nulls[i] = data.args[i].is_null;
  }
  *step.result = {make_record(*data.descriptor, data.values, data.nulls, *c.function.arena), false};
}

struct FieldSelectData {
  AttrNumber field;
  Oid type;
  RowTypeCache cache;
};

void run_field_select(const Step& step, EvalContext& c) {
  auto& data = *static_cast<FieldSelectData*>(step.slow.data);
  if (step.result->is_null) return;
  HeapTuple tuple = open_record(step.result->value, *c.function.arena);
  const TupleDescriptor& d = data.cache.of(Datum::of(static_cast<const void*>(tuple.header)));
  if (data.field > d.count()) throw SqlError(sqlstate::internal_error, "attribute number {} exceeds number of columns {}", data.field, d.count());
  const Attribute& a = d[data.field - 1];
  if (a.dropped) {
    *step.result = {};
    return;
  }
  if (a.type != data.type) {
    throw SqlError(sqlstate::datatype_mismatch, "attribute {} has wrong type", data.field)
        .detail(fmt::format("Table has type {}, but query expects {}.", catalog::format_type(a.type), catalog::format_type(data.type)));
  }
  bool is_null;
  Datum v = get_attribute(tuple, d, data.field, is_null);
  *step.result = {v, is_null};
}

struct FieldStoreData {
  const TupleDescriptor* descriptor;
  NullableDatum* source;
  NullableDatum* new_values;
  NullableDatum* old_values;
  List<AttrNumber> fields;
};

// The old values of the fields, which nested assignments see as CaseTest.
void run_field_fetch(const Step& step, EvalContext& c) {
  auto& data = *static_cast<FieldStoreData*>(step.slow.data);
  Arena& arena = *c.function.arena;
  auto n = static_cast<std::size_t>(data.descriptor->count());
  for (std::size_t i = 0; i < n; ++i) data.old_values[i] = {};
  if (data.source->is_null) return;
  HeapTuple tuple = open_record(data.source->value, arena);
  for (std::size_t i = 0; i < n; ++i) {
    data.old_values[i].value = get_attribute(tuple, *data.descriptor, static_cast<AttrNumber>(i + 1), data.old_values[i].is_null);
  }
}

void run_field_store(const Step& step, EvalContext& c) {
  auto& data = *static_cast<FieldStoreData*>(step.slow.data);
  Arena& arena = *c.function.arena;
  auto n = static_cast<std::size_t>(data.descriptor->count());
  auto* values = arena.make_array<Datum>(n);
  auto* nulls = arena.make_array<bool>(n);
  if (data.source->is_null) {
    for (std::size_t i = 0; i < n; ++i) nulls[i] = true;
  } else {
    deform_tuple(open_record(data.source->value, arena), *data.descriptor, static_cast<int>(n), values, nulls);
  }
  for (std::size_t i = 0; i < data.fields.size(); ++i) {
    auto at = static_cast<std::size_t>(data.fields[i] - 1);
    values[at] = data.new_values[i].value;
    nulls[at] = data.new_values[i].is_null;
  }
  *step.result = {make_record(*data.descriptor, values, nulls, arena), false};
}

struct RowCoerceData {
  const TupleDescriptor* target;
  RowTypeCache cache;
};

// Columns are matched by name (a child table's row as its parent's).
void run_row_coerce(const Step& step, EvalContext& c) {
  auto& data = *static_cast<RowCoerceData*>(step.slow.data);
  if (step.result->is_null) return;
  Arena& arena = *c.function.arena;
  HeapTuple tuple = open_record(step.result->value, arena);
  const TupleDescriptor& from = data.cache.of(Datum::of(static_cast<const void*>(tuple.header)));
  auto n = static_cast<std::size_t>(data.target->count());
  auto* values = arena.make_array<Datum>(n);
  auto* nulls = arena.make_array<bool>(n);
  for (std::size_t i = 0; i < n; ++i) {
    nulls[i] = true;
    if (data.target->attributes[i].dropped) continue;
    for (int j = 0; j < from.count(); ++j) {
      if (from[j].dropped || from[j].name != data.target->attributes[i].name) continue;
      values[i] = get_attribute(tuple, from, static_cast<AttrNumber>(j + 1), nulls[i]);
      break;
    }
  }
  *step.result = {make_record(*data.target, values, nulls, arena), false};
}

}  // namespace

void Compiler::emit_row(const nodes::RowExpr& e, NullableDatum* result) {
  auto* data = arena_.make<RowData>();
  std::size_t n = e.args.size();
  if (e.type == type_oid::record || !is_valid(e.type)) {
    TupleDescriptor* d = make_descriptor(arena_, static_cast<int>(n));
    for (std::size_t i = 0; i < n; ++i) {
      Attribute& a = d->attributes[i];
      a.type = nodes::type_of(e.args[i]);
      a.typmod = nodes::typmod_of(e.args[i]);
      a.collation = nodes::collation_of(e.args[i]);
      const catalog::TypeInfo& info = catalog::type_info(a.type);
      a.layout = info.layout;
      a.storage = info.storage;
      a.name = i < e.names.size() && !e.names[i].empty() ? e.names[i] : arena_.copy(fmt::format("f{}", i + 1));
    }
    d->row_type = type_oid::record;
    finish_descriptor(*d);
    d->record_typmod = register_record_type(*d);
    data->descriptor = d;
  } else {
    data->descriptor = describe_row_type(e.type, -1, arena_);
  }
  auto columns = static_cast<std::size_t>(data->descriptor->count());
  data->args = arena_.make_array<NullableDatum>(std::max(columns, n));
  for (std::size_t i = 0; i < n; ++i) emit_argument(e.args[i], data->args + i);
  data->values = arena_.make_array<Datum>(columns);
  data->nulls = arena_.make_array<bool>(columns);
  add_slow(run_row, data, result);
}

void Compiler::emit_field_select(const nodes::FieldSelect& e, NullableDatum* result) {
  emit(e.arg, result);
  auto* data = arena_.make<FieldSelectData>();
  data->field = e.field;
  data->type = e.type;
  data->cache.arena = &arena_;
  add_slow(run_field_select, data, result);
}

void Compiler::emit_field_store(const nodes::FieldStore& e, NullableDatum* result) {
  auto* data = arena_.make<FieldStoreData>();
  data->descriptor = describe_row_type(e.type, -1, arena_);
  data->source = new_slot();
  emit_argument(e.arg, data->source);
  NullableDatum* saved = case_slot_;
  data->new_values = arena_.make_array<NullableDatum>(e.new_values.size());
  data->old_values = arena_.make_array<NullableDatum>(static_cast<std::size_t>(data->descriptor->count()));
  add_slow(run_field_fetch, data, nullptr);
  for (std::size_t i = 0; i < e.new_values.size(); ++i) {
    case_slot_ = data->old_values + e.fields_set[i] - 1;
    emit_argument(e.new_values[i], data->new_values + i);
  }
  case_slot_ = saved;
  data->fields = e.fields_set;
  add_slow(run_field_store, data, result);
}

void Compiler::emit_row_coerce(const nodes::RowCoerce& e, NullableDatum* result) {
  emit(e.arg, result);
  auto* data = arena_.make<RowCoerceData>();
  data->target = describe_row_type(e.type, -1, arena_);
  data->cache.arena = &arena_;
  add_slow(run_row_coerce, data, result);
}

}  // namespace hathi::executor
