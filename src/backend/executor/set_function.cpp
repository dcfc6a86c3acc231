#include "set_function.h"

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "row_values.h"

namespace hathi::executor {

using nodes::Expr;
using nodes::FunctionExpr;
using nodes::FunctionRte;
using nodes::OpExpr;

namespace {

bool returns_set(const Expr* e) {
  if (nodes::is<FunctionExpr>(e)) return nodes::as<FunctionExpr>(e)->returns_set;
  return e->kind == nodes::ExprKind::op && nodes::as<OpExpr>(e)->returns_set;
}

class StoreSink final : public RowSink {
 public:
  explicit StoreSink(RowStore& store) : store_(store) {}
  void put(const Datum* values, const bool* nulls) override { store_.put(values, nulls); }
 private:
  RowStore& store_;
};

void describe_column(Attribute& a, Oid type, std::int32_t typmod, Oid collation, std::string_view name) {
  const catalog::TypeInfo& info = catalog::type_info(type);
  a.type = type;
  a.typmod = typmod;
  a.collation = collation;
  a.name = name;
  a.layout = info.layout;
  a.storage = info.storage;
}

// OUT, INOUT and TABLE parameters as columns; null when there are fewer than two.
TupleDescriptor* out_parameters(const catalog::FunctionInfo& info, Arena& arena) {
  std::size_t n = 0;
  auto is_out = [](char mode) { return mode == 'o' || mode == 'b' || mode == 't'; };
  for (char mode : info.modes) n += is_out(mode) ? 1 : 0;
  if (n < 2) return nullptr;
  TupleDescriptor* d = make_descriptor(arena, static_cast<int>(n));
  std::size_t at = 0;
  for (std::size_t i = 0; i < info.modes.size(); ++i) {
    if (!is_out(info.modes[i])) continue;
    std::string_view name = i < info.names.size() ? info.names[i] : std::string_view();
    if (name.empty()) name = arena.copy(fmt::format("column{}", at + 1));
    describe_column(d->attributes[at++], info.all_arguments[i], -1, catalog::type_info(info.all_arguments[i]).collation, name);
  }
  d->row_type = type_oid::record;
  finish_descriptor(*d);
  return d;
}

}  // namespace

const TupleDescriptor* function_row(const Expr* call, const FunctionRte* rte, bool& composite, Arena& arena) {
  Oid type = nodes::type_of(call);
  composite = true;
  if (rte != nullptr && (rte->has_definition || rte->types.size() > 1)) {
    TupleDescriptor* d = make_descriptor(arena, static_cast<int>(rte->types.size()));
    for (std::size_t i = 0; i < rte->types.size(); ++i) {
      describe_column(d->attributes[i], rte->types[i], i < rte->typmods.size() ? rte->typmods[i] : -1,
                      i < rte->collations.size() ? rte->collations[i] : kInvalidOid, i < rte->names.size() ? rte->names[i] : std::string_view());
    }
    d->row_type = type_oid::record;
    finish_descriptor(*d);
    composite = rte->has_definition || rte->returns_composite || type == type_oid::record || catalog::type_info(catalog::base_type(type)).kind == 'c';
    return d;
  }
  if (type == type_oid::record) {
    if (nodes::is<FunctionExpr>(call)) {
      if (TupleDescriptor* d = out_parameters(catalog::function_info(nodes::as<FunctionExpr>(call)->function), arena)) return d;
    }
  } else if (is_valid(type) && catalog::type_info(catalog::base_type(type)).kind == 'c') {
    return describe_row_type(type, -1, arena);
  }
  composite = false;
  TupleDescriptor* d = make_descriptor(arena, 1);
  describe_column(d->attributes[0], type, nodes::typmod_of(call), nodes::collation_of(call), "");
  finish_descriptor(*d);
  return d;
}

SetFunction::SetFunction(const Expr* call, const TupleDescriptor* row, bool composite, NodeState& node) : node_(node), row_(row), composite_(composite) {
  Arena& arena = node.statement->arena;
  set_ = returns_set(call);
  const List<Expr*>* args = nullptr;
  if (nodes::is<FunctionExpr>(call)) {
    auto& f = *nodes::as<FunctionExpr>(call);
    args = &f.args;
    call_ = make_call(f.function, static_cast<int>(f.args.size()), f.input_collation, f.type, &f.args, f.variadic, node.eval, arena);
  } else if (set_) {
    auto& f = *nodes::as<OpExpr>(call);
    args = &f.args;
    call_ = make_call(f.function, static_cast<int>(f.args.size()), f.input_collation, f.type, &f.args, false, node.eval, arena);
  } else {
    plain_ = compile_expression(call, node.eval, arena);
  }
  if (call_ != nullptr) {
    volatile_ = catalog::function_info(call_->site->oid).volatility == 'v';
    if (const BuiltinFunction* builtin = find_builtin_function(call_->site->oid)) kind_ = builtin->kind;
    else if (set_) kind_ = FunctionKind::set_materialize;
    auto* programs = arena.make_array<Program*>(args->size());
    for (std::size_t i = 0; i < args->size(); ++i) programs[i] = compile_expression((*args)[i], node.eval, arena);
    args_ = {programs, args->size()};
    call_->state_arena = &state_arena_;
    call_->result_row = row;
  }
  make_row(stored_, row->count(), row, arena);
}

void SetFunction::start() {
  running_ = true;
  position_ = 0;
  if (plain_ != nullptr) return;
  argument_arena_.reset();
  state_arena_.reset();
  *call_->state = nullptr;
  call_->done = false;
  FunctionContext saved = node_.eval.function;
  node_.eval.function.arena = &argument_arena_;
  bool any_null = false;
  for (std::size_t i = 0; i < args_.size(); ++i) {
    call_->args[i] = evaluate(*args_[i]);
    any_null = any_null || call_->args[i].is_null;
  }
  node_.eval.function = saved;
  if (any_null && call_->site->strict && set_) {
    running_ = false;
    return;
  }
  if (kind_ == FunctionKind::set_materialize) fill_store();
}

void SetFunction::fill_store() {
  store_ = std::make_unique<RowStore>(*row_, node_.statement->work_memory());
  reader_.reset();
  StoreSink sink(*store_);
  call_->sink = &sink;
  FunctionContext saved = node_.eval.function;
  node_.eval.function.arena = &state_arena_;
  call_->result_is_null = false;
  call_->site->function(*call_);
  node_.eval.function = saved;
  call_->sink = nullptr;
}

bool SetFunction::next_value(NullableDatum& out) {
  if (!running_) return false;
  if (kind_ == FunctionKind::set_materialize) {
    if (!reader_.read(*store_, position_, stored_)) {
      running_ = false;
      return false;
    }
    ++position_;
    stored_.need_all();
    if (composite_) {
      out = {make_record(*row_, stored_.values, stored_.nulls, *node_.eval.function.arena), false};
    } else {
      out = {stored_.values[0], stored_.nulls[0]};
    }
    return true;
  }
  if (plain_ != nullptr || !set_) {
    running_ = false;
    out = plain_ != nullptr ? evaluate(*plain_) : invoke(*call_);
    return true;
  }
  call_->result_is_null = false;
  call_->done = false;
  Datum v = call_->site->function(*call_);
  if (call_->done) {
    running_ = false;
    return false;
  }
  out = {v, call_->result_is_null};
  return true;
}

void SetFunction::expand(NullableDatum record, Row& out) {
  if (record.is_null) return out.set_all_null();
  HeapTuple tuple = open_record(record.value, *node_.eval.function.arena);
  int stored = tuple.header->attribute_count();
  if (stored > out.count) {
    throw SqlError(sqlstate::datatype_mismatch, "function return row and query-specified return row do not match")
        .detail(fmt::format("Returned row contains {} attributes, but query expects {}.", stored, out.count));
  }
  deform_tuple(tuple, *row_, row_->count(), out.values, out.nulls);
  out.tuple = HeapTuple();
  out.set_virtual();
}

bool SetFunction::next_row(Row& out) {
  if (running_ && kind_ == FunctionKind::set_materialize) {
    if (!reader_.read(*store_, position_, stored_)) {
      running_ = false;
      return false;
    }
    ++position_;
    stored_.need_all();
    for (int i = 0; i < out.count; ++i) {
      out.values[i] = stored_.values[i];
      out.nulls[i] = stored_.nulls[i];
    }
    out.set_virtual();
    return true;
  }
  NullableDatum v;
  if (!next_value(v)) return false;
  if (composite_) {
    expand(v, out);
  } else {
    out.values[0] = v.value;
    out.nulls[0] = v.is_null;
    out.set_virtual();
  }
  return true;
}

void SetFunction::close() {
  running_ = false;
  store_.reset();
  reader_.reset();
  argument_arena_.reset();
  state_arena_.reset();
}

}  // namespace hathi::executor
