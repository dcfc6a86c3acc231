// COPY … FROM.

#include <algorithm>

#include "copy.h"
#include "hathi/analyzer/analyze.h"
#include "hathi/analyzer/column_default.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/query.h"
#include "hathi/parser/parser.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/binary.h"

namespace hathi::session {

namespace {

// How one column's text becomes a value.
struct Column {
  AttrNumber number = 0;
  const Attribute* attribute = nullptr;
  FunctionSite site;             // input or receive function
  FunctionPointer function = nullptr;
  Oid element = kInvalidOid;
  std::int32_t typmod = -1;
  std::unique_ptr<executor::RowExpression> domain;   // of a domain's value: checks the constraints of what the base type's input made
  bool is_text = false;          // text and unlimited varchar: the bytes are the value
  bool force_not_null = false, force_null = false;
};

struct Default {
  AttrNumber number = 0;
  std::unique_ptr<executor::RowExpression> expression;
};

Column prepare_column(const catalog::Relation& relation, AttrNumber number, const CopyOptions& options, Arena& arena) {
  Column c;
  c.number = number;
  c.attribute = &(*relation.descriptor)[number - 1];
  c.typmod = c.attribute->typmod;
  Oid base = c.attribute->type;
  if (catalog::type_info(base).kind == 'd') {
    base = catalog::base_type(base, &c.typmod);
    auto* value = nodes::make<nodes::Variable>(arena);
    value->rte = 1;
    value->column = number;
    value->type = base;
    value->typmod = c.typmod;
    auto* checked = nodes::make<nodes::CoerceDomain>(arena);
    checked->arg = value;
    checked->type = c.attribute->type;
    c.domain = std::make_unique<executor::RowExpression>(checked, *relation.descriptor, arena);
  }
  const catalog::TypeInfo& type = catalog::type_info(base);
  bool binary = options.format == CopyFormat::binary;
  Oid oid = binary ? type.receive : type.input;
  const BuiltinFunction* function = find_builtin_function(oid);
  if (function == nullptr) throw_not_supported(fmt::format("input of type {}", catalog::format_type(c.attribute->type)));
  c.function = function->function;
  c.site.function = c.function;
  c.site.oid = oid;
  c.site.argument_count = 3;
  c.element = is_valid(type.element) ? type.element : base;
  c.is_text = !binary && (base == type_oid::text || (base == type_oid::varchar && c.typmod < 0));
  auto named = [&](const std::vector<std::string_view>& names) { return std::find(names.begin(), names.end(), c.attribute->name) != names.end(); };
  c.force_not_null = named(options.force_not_null);
  c.force_null = named(options.force_null);
  return c;
}

void check_target(const catalog::Relation& r) {
  namespace kind = catalog::relation_kind;
  if (r.kind == kind::table || r.kind == kind::partitioned_table) return;
  std::string_view what = r.kind == kind::view                ? "view"
                          : r.kind == kind::materialized_view ? "materialized view"
                          : r.kind == kind::sequence          ? "sequence"
                          : r.kind == kind::foreign_table     ? "foreign table"
                                                              : "non-table relation";
  SqlError error(sqlstate::wrong_object_type, "cannot copy to {} \"{}\"", what, r.name);
  if (r.kind == kind::view) error.hint("To enable copying to a view, provide an INSTEAD OF INSERT trigger.");
  throw error;
}

void check_privileges(const catalog::Relation& r, const std::vector<AttrNumber>& columns) {
  Oid role = catalog::current_role();
  if (catalog::relation_privileges(r.oid, role, nodes::kAclInsert) & nodes::kAclInsert) return;
  for (AttrNumber c : columns) {
    if ((catalog::column_privileges(r.oid, c, role, nodes::kAclInsert) & nodes::kAclInsert) == 0) catalog::throw_permission_denied("table", r.name);
  }
}

class CopyFrom {
 public:
  CopyFrom(const catalog::Relation& relation, const std::vector<AttrNumber>& columns, const CopyOptions& options, CopySource& source,
           std::unique_ptr<executor::RowExpression> where)
      : relation_(relation), options_(options), source_(source), reader_(make_copy_reader(source, options, columns.size())), where_(std::move(where)) {
    for (AttrNumber n : columns) columns_.push_back(prepare_column(relation, n, options, arena_));
    prepare_defaults(columns);
    auto count = static_cast<std::size_t>(relation.descriptor->count());
    values_.resize(count);
    nulls_ = std::make_unique<bool[]>(count + 1);
  }

  std::uint64_t run() {
    check_target(relation_);
    if (options_.freeze && relation_.kind == catalog::relation_kind::partitioned_table) {
      throw SqlError(sqlstate::feature_not_supported, "cannot perform COPY FREEZE on a partitioned table");
    }
    if (options_.freeze && !storage::created_in_this_transaction(relation_.file)) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state,
                     "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction");
    }
    executor::TableWriter::Options options;
    options.frozen = options_.freeze;
    executor::TableWriter writer(relation_.oid, options);
    std::vector<CopyReader::Field> fields;
    std::uint64_t count = 0;
    try {
      if (options_.header && options_.format != CopyFormat::binary && reader_->next(fields) && options_.header_must_match) match_header(fields);
      while (reader_->next(fields)) {
        convert(fields);
        if (!wanted()) continue;
        current_column_ = nullptr;
        writer.write(values_.data(), nulls_.get());
        ++count;
        row_arena_.reset();
      }
      at_line_ = false;
      writer.flush();
      source_.finish();
    } catch (SqlError& e) {
      if (at_line_ && e.report().severity < Severity::fatal && reader_->line_number() > 0) e.context(place());
      throw;
    }
    return count;
  }

 private:
  void prepare_defaults(const std::vector<AttrNumber>& columns) {
    const TupleDescriptor& row = *relation_.descriptor;
    for (int i = 0; i < row.count(); ++i) {
      auto number = static_cast<AttrNumber>(i + 1);
      if (row[i].dropped || row[i].generated != '\0' || std::find(columns.begin(), columns.end(), number) != columns.end()) continue;
      Default d;
      d.number = number;
      const nodes::Expr* e = analyzer::column_default(relation_, number, arena_);
      if (e != nullptr) d.expression = std::make_unique<executor::RowExpression>(e, row, arena_);
      defaults_.push_back(std::move(d));
    }
  }

  void match_header(const std::vector<CopyReader::Field>& fields) {
    if (fields.size() != columns_.size()) {
      throw SqlError(sqlstate::bad_copy_file_format, "wrong number of fields in header line: got {}, expected {}", fields.size(), columns_.size());
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].is_null) {
        throw SqlError(sqlstate::bad_copy_file_format, "column name mismatch in header line field {}: got null value (\"{}\"), expected \"{}\"", i + 1,
                       options_.null_text, columns_[i].attribute->name);
      }
      if (fields[i].text != columns_[i].attribute->name) {
        throw SqlError(sqlstate::bad_copy_file_format, "column name mismatch in header line field {}: got \"{}\", expected \"{}\"", i + 1, fields[i].text,
                       columns_[i].attribute->name);
      }
    }
  }

  // Fields to values_, defaults for the rest.
  void convert(const std::vector<CopyReader::Field>& fields) {
    current_column_ = nullptr;
    if (fields.size() > columns_.size()) throw SqlError(sqlstate::bad_copy_file_format, "extra data after last expected column");
    std::fill_n(nulls_.get(), values_.size(), true);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      if (i >= fields.size()) {
        current_column_ = reader_->damage() ? &column : nullptr;
        if (reader_->damage()) throw SqlError(*reader_->damage());
        throw SqlError(sqlstate::bad_copy_file_format, "missing data for column \"{}\"", column.attribute->name);
      }
      convert_field(column, fields[i]);
    }
    current_column_ = nullptr;
    for (Default& d : defaults_) {
      if (d.expression == nullptr) continue;
      NullableDatum v = d.expression->evaluate(values_.data(), nulls_.get(), relation_.oid, {}, row_arena_);
      set(d.number, v);
    }
  }

  void set(AttrNumber number, NullableDatum v) {
    values_[static_cast<std::size_t>(number - 1)] = v.value;
    nulls_[static_cast<std::size_t>(number - 1)] = v.is_null;
  }

  void convert_field(Column& column, CopyReader::Field field) {
    current_column_ = &column;
    current_text_ = field;
    if (options_.format == CopyFormat::csv) {
      if (field.is_null && column.force_not_null) field = {options_.null_text, false};
      else if (!field.is_null && column.force_null && field.text == options_.null_text) field.is_null = true;
    }
    set(column.number, field.is_null ? NullableDatum{} : input(column, field));
    if (column.domain != nullptr) set(column.number, column.domain->evaluate(values_.data(), nulls_.get(), relation_.oid, {}, row_arena_));
  }

  NullableDatum input(Column& column, const CopyReader::Field& field) {
    if (column.is_text) {
      require_valid_utf8(field.text);
      return {varlena::make(row_arena_, field.text), false};
    }
    bool binary = options_.format == CopyFormat::binary;
    if (!binary) require_valid_utf8(field.text);
    types::BinaryReader reader{field.text.data(), field.text.data() + field.text.size()};
    Datum text = binary ? Datum::of(static_cast<const void*>(&reader)) : Datum::of(static_cast<const void*>(row_arena_.copy(field.text).data()));
    NullableDatum args[3] = {{text, false}, {Datum::of(column.element), false}, {Datum::of(column.typmod), false}};
    FunctionContext context;
    context.arena = &row_arena_;
    FunctionCall call;
    call.site = &column.site;
    call.context = &context;
    call.args = args;
    call.state_arena = &arena_;
    Datum value = column.function(call);
    if (binary && reader.left() != 0) throw SqlError(sqlstate::invalid_binary_representation, "incorrect binary data format");
    return {value, call.result_is_null};
  }

  bool wanted() {
    if (where_ == nullptr) return true;
    NullableDatum v = where_->evaluate(values_.data(), nulls_.get(), relation_.oid, {}, row_arena_);
    bool keep = !v.is_null && v.value.as_bool();
    if (!keep) row_arena_.reset();
    return keep;
  }

  // "COPY t, line 3, column a: "x"" and its shorter forms.
  std::string place() const {
    std::string out = fmt::format("COPY {}, line {}", relation_.name, reader_->line_number());
    constexpr std::size_t kShown = 100;
    auto shorten = [](std::string_view text) { return text.size() <= kShown ? std::string(text) : std::string(text.substr(0, kShown)) + "..."; };
    if (options_.format == CopyFormat::binary) {
      if (current_column_ != nullptr) out += fmt::format(", column {}", current_column_->attribute->name);
    } else if (current_column_ != nullptr) {
      out += fmt::format(", column {}: ", current_column_->attribute->name);
      out += current_text_.is_null ? "null input" : fmt::format("\"{}\"", shorten(current_text_.text));
    } else if (reader_->line().data() != nullptr) {
      out += fmt::format(": \"{}\"", shorten(reader_->line()));
    }
    return out;
  }

  const catalog::Relation& relation_;
  const CopyOptions& options_;
  CopySource& source_;
  std::unique_ptr<CopyReader> reader_;
  std::unique_ptr<executor::RowExpression> where_;
  std::vector<Column> columns_;
  std::vector<Default> defaults_;
  std::vector<Datum> values_;
  std::unique_ptr<bool[]> nulls_;
  Arena arena_{2048}, row_arena_{4096};
  const Column* current_column_ = nullptr;
  CopyReader::Field current_text_;
  bool at_line_ = true;
};

}  // namespace

std::uint64_t copy_from(Session& session, const parser::CopyStatement& statement, std::string_view text) {
  catalog::RelationRef relation = analyzer::open_by_name(statement.relation, locking::LockMode::row_exclusive);
  check_can_be_copied(*relation);
  if (relation->persistence != 't') transaction::require_writable("COPY FROM");
  std::vector<AttrNumber> columns = copy_columns(*relation, statement, true);
  check_privileges(*relation, columns);
  Arena arena(1024);
  std::unique_ptr<executor::RowExpression> where;
  if (statement.where != nullptr) {
    analyzer::ExpressionScope scope = analyzer::scope_of(*relation);
    nodes::Expr* condition = analyzer::analyze_condition(statement.where, text, arena, &scope, analyzer::Clause::copy_where, "WHERE");
    where = std::make_unique<executor::RowExpression>(condition, *relation->descriptor, arena);
  }
  CopyOptions options = read_copy_options(statement);
  check_named_columns(options.force_not_null, "FORCE_NOT_NULL", relation->name, *relation->descriptor, columns);
  check_named_columns(options.force_null, "FORCE_NULL", relation->name, *relation->descriptor, columns);
  std::unique_ptr<CopySource> source = statement.filename.empty() ? open_client_source(session, options.format, columns.size())
                                       : statement.is_program     ? open_program_source(statement.filename)
                                                                  : open_file_source(statement.filename);
  return CopyFrom(*relation, columns, options, *source, std::move(where)).run();
}

}  // namespace hathi::session
