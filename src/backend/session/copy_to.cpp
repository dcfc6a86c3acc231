// COPY … TO.

#include <algorithm>

#include "copy.h"
#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/query.h"
#include "hathi/parser/parser.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "plan_cache.h"

namespace hathi::session {

namespace {

// Rows to lines.
class CopyWriter : public executor::RowReceiver {
 public:
  CopyWriter(CopySink& sink, const CopyOptions& options) : sink_(sink), options_(options) {}

  void start(const TupleDescriptor& row) override {
    columns_.resize(static_cast<std::size_t>(row.count()));
    for (std::size_t i = 0; i < columns_.size(); ++i) prepare(columns_[i], row.attributes[i]);
    if (options_.format == CopyFormat::binary) {
      line_.assign("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
      return;
    }
    if (!options_.header) return;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line_ += options_.delimiter;
      put_text(row.attributes[i].name, false);
    }
    send_line();
  }

  bool receive(const Datum* values, const bool* nulls) override {
    check_interrupts();
    if (options_.format == CopyFormat::binary) put16(static_cast<int>(columns_.size()));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (options_.format != CopyFormat::binary && i > 0) line_ += options_.delimiter;
      put_value(columns_[i], values[i], nulls[i]);
    }
    send_line();
    scratch_.reset();
    ++count_;
    return true;
  }

  void finish() override {
    if (options_.format == CopyFormat::binary) {
      put16(-1);
      sink_.write(line_);
      line_.clear();
    }
    sink_.finish();
  }

  std::uint64_t count() const { return count_; }

 private:
  struct Column {
    FunctionSite site;
    FunctionPointer function = nullptr;
    bool force_quote = false;
  };

  void prepare(Column& column, const Attribute& attribute) {
    const catalog::TypeInfo& type = catalog::type_info(attribute.type);
    Oid oid = options_.format == CopyFormat::binary ? type.send : type.output;
    const BuiltinFunction* function = is_valid(oid) ? find_builtin_function(oid) : nullptr;
    if (function == nullptr) throw_not_supported(fmt::format("output of type {}", catalog::format_type(attribute.type)));
    column.function = function->function;
    column.site.function = function->function;
    column.site.oid = oid;
    column.site.argument_count = 1;
    const auto& names = options_.force_quote;
    column.force_quote = options_.force_quote_all || std::find(names.begin(), names.end(), attribute.name) != names.end();
  }

  void put_value(Column& column, Datum value, bool is_null) {
    bool binary = options_.format == CopyFormat::binary;
    if (is_null) {
      if (binary) put32(-1);
      else line_ += options_.null_text;
      return;
    }
    FunctionContext context;
    context.arena = &scratch_;
    NullableDatum argument{value, false};
    FunctionCall call;
    call.site = &column.site;
    call.context = &context;
    call.args = &argument;
    call.state_arena = &scratch_;
    Datum out = column.function(call);
    if (binary) {
      std::string_view bytes = varlena::payload(varlena::readable(out, scratch_));
      put32(static_cast<int>(bytes.size()));
      line_ += bytes;
    } else {
      put_text(out.as_pointer<char>(), column.force_quote);
    }
  }

  void put_text(std::string_view text, bool force_quote) {
    if (options_.format == CopyFormat::csv) put_csv(text, force_quote);
    else put_escaped(text);
  }

  void put_escaped(std::string_view text) {
    for (char c : text) {
      switch (c) {
        case '\b': line_ += "\\b"; break;
        case '\f': line_ += "\\f"; break;
        case '\n': line_ += "\\n"; break;
        case '\r': line_ += "\\r"; break;
        case '\t': line_ += "\\t"; break;
        case '\v': line_ += "\\v"; break;
        case '\\': line_ += "\\\\"; break;
        default:
          if (c == options_.delimiter) line_ += '\\';
          line_ += c;
      }
    }
  }

  void put_csv(std::string_view text, bool force_quote) {
    bool quote = force_quote || text == options_.null_text || (text == "\\." && columns_.size() == 1);
    for (char c : text) quote = quote || c == options_.delimiter || c == options_.quote || c == '\n' || c == '\r';
    if (!quote) {
      line_ += text;
      return;
    }
    line_ += options_.quote;
    for (char c : text) {
      if (c == options_.quote || c == options_.escape) line_ += options_.escape;
      line_ += c;
    }
    line_ += options_.quote;
  }

  void put16(int v) {
    line_ += static_cast<char>(v >> 8);
    line_ += static_cast<char>(v);
  }
  void put32(int v) {
    for (int shift = 24; shift >= 0; shift -= 8) line_ += static_cast<char>(v >> shift);
  }
  void send_line() {
    if (options_.format != CopyFormat::binary) line_ += '\n';
    sink_.write(line_);
    line_.clear();
  }

  CopySink& sink_;
  const CopyOptions& options_;
  std::vector<Column> columns_;
  std::string line_;
  Arena scratch_{2048};
  std::uint64_t count_ = 0;
};

[[noreturn]] void refuse_kind(const catalog::Relation& r) {
  namespace kind = catalog::relation_kind;
  std::string_view what = r.kind == kind::view                ? "view"
                          : r.kind == kind::materialized_view ? "materialized view"
                          : r.kind == kind::sequence          ? "sequence"
                          : r.kind == kind::foreign_table     ? "foreign table"
                          : r.kind == kind::partitioned_table ? "partitioned table"
                                                              : "non-table relation";
  SqlError error(sqlstate::wrong_object_type, "cannot copy from {} \"{}\"", what, r.name);
  if (what != "sequence" && what != "non-table relation") error.hint("Try the COPY (SELECT ...) TO variant.");
  throw error;
}

std::unique_ptr<CopySink> open_sink(Session& session, const parser::CopyStatement& statement, const CopyOptions& options, std::size_t columns) {
  if (statement.filename.empty()) return open_client_sink(session, options.format, columns);
  return statement.is_program ? open_program_sink(statement.filename) : open_file_sink(statement.filename);
}

void check_forced_quotes(const CopyOptions& options, std::string_view relation, const TupleDescriptor& row, std::vector<AttrNumber> columns) {
  if (relation.empty()) {
    for (int i = 0; i < row.count(); ++i) columns.push_back(static_cast<AttrNumber>(i + 1));
  }
  check_named_columns(options.force_quote, "FORCE_QUOTE", relation, row, columns);
}

std::uint64_t copy_query(Session& session, const parser::CopyStatement& statement, std::string_view text, const planner::BoundParameters& parameters) {
  CopyOptions options = read_copy_options(statement);
  const auto* select = parser::node_try<parser::SelectStatement>(statement.query);
  Arena arena;
  analyzer::ParameterTypes types;
  for (const planner::ParameterValue& v : parameters.values) types.types.push_back(v.type);
  nodes::Query* query = analyzer::analyze_node(statement.query, text, arena, types);
  if (select != nullptr && select->into != nullptr) throw SqlError(sqlstate::feature_not_supported, "COPY (SELECT INTO) is not supported");
  if (query->command == nodes::CommandKind::utility) throw SqlError(sqlstate::feature_not_supported, "COPY query must have a RETURNING clause");
  if (returned_targets(*query) == nullptr) throw SqlError(sqlstate::feature_not_supported, "COPY query must have a RETURNING clause");
  const planner::PlannedStatement* plan = planner::plan(query, parameters, 0, arena);
  transaction::advance_command();
  executor::Execution execution(*plan, parameters);
  execution.lock_partitions();
  execution.start(transaction::statement_snapshot());
  check_forced_quotes(options, {}, execution.row(), {});
  std::unique_ptr<CopySink> sink = open_sink(session, statement, options, static_cast<std::size_t>(execution.row().count()));
  CopyWriter writer(*sink, options);
  writer.start(execution.row());
  execution.run(writer, executor::Direction::forward, 0);
  execution.finish();
  writer.finish();
  return writer.count();
}

void check_privileges(const catalog::Relation& r, const std::vector<AttrNumber>& columns) {
  Oid role = catalog::current_role();
  if (catalog::relation_privileges(r.oid, role, nodes::kAclSelect) & nodes::kAclSelect) return;
  for (AttrNumber c : columns) {
    if ((catalog::column_privileges(r.oid, c, role, nodes::kAclSelect) & nodes::kAclSelect) == 0) catalog::throw_permission_denied("table", r.name);
  }
}

std::uint64_t copy_table(Session& session, const parser::CopyStatement& statement) {
  catalog::RelationRef relation = analyzer::open_by_name(statement.relation, locking::LockMode::access_share);
  check_can_be_copied(*relation);
  std::vector<AttrNumber> columns = copy_columns(*relation, statement, false);
  check_privileges(*relation, columns);
  if (relation->kind != catalog::relation_kind::table) refuse_kind(*relation);
  CopyOptions options = read_copy_options(statement);
  check_forced_quotes(options, relation->name, *relation->descriptor, columns);
  Arena arena(2048);
  TupleDescriptor* row = make_descriptor(arena, static_cast<int>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) row->attributes[i] = (*relation->descriptor)[columns[i] - 1];
  finish_descriptor(*row);
  std::unique_ptr<CopySink> sink = open_sink(session, statement, options, columns.size());
  CopyWriter writer(*sink, options);
  writer.start(*row);
  transaction::SnapshotRef snapshot = transaction::statement_snapshot();
  heap::Scan scan(relation->heap, *snapshot);
  int count = relation->descriptor->count();
  std::vector<Datum> all(static_cast<std::size_t>(count) + 1), values(columns.size() + 1);
  auto all_nulls = std::make_unique<bool[]>(static_cast<std::size_t>(count) + 1), nulls = std::make_unique<bool[]>(columns.size() + 1);
  HeapTuple tuple;
  while (scan.next(tuple)) {
    deform_tuple(tuple, *relation->descriptor, count, all.data(), all_nulls.get());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      values[i] = all[static_cast<std::size_t>(columns[i] - 1)];
      nulls[i] = all_nulls[static_cast<std::size_t>(columns[i] - 1)];
    }
    writer.receive(values.data(), nulls.get());
  }
  writer.finish();
  return writer.count();
}

}  // namespace

std::uint64_t copy_to(Session& session, const parser::CopyStatement& statement, std::string_view text, const planner::BoundParameters& parameters) {
  return statement.query != nullptr ? copy_query(session, statement, text, parameters) : copy_table(session, statement);
}

}  // namespace hathi::session
