// CREATE TABLE … AS query.

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"
#include "relation_store.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

// Writes the rows of the query to the new table.
class TableReceiver final : public executor::RowReceiver {
 public:
  explicit TableReceiver(Oid table) : writer_(table, {}) {}
  bool receive(const Datum* values, const bool* nulls) override {
    writer_.write(values, nulls);
    return true;
  }
  void finish() override { writer_.flush(); }

 private:
  executor::TableWriter writer_;
};

std::vector<NewColumn> query_columns(const nodes::Query& query, const parser::IntoClause& into) {
  std::vector<NewColumn> out;
  for (const analyzer::OutputColumn& c : analyzer::output_columns(&query)) {
    NewColumn n;
    n.name = out.size() < into.columns.size() ? std::string_view(into.columns[out.size()]) : c.name;
    n.type = c.type;
    n.typmod = c.typmod;
    n.collation = c.collation;
    if (is_valid(catalog::type_info(c.type).collation) && !is_valid(c.collation)) {
      throw SqlError(sqlstate::indeterminate_collation, "no collation was derived for column \"{}\" with collatable type {}", n.name,
                     catalog::format_type(c.type))
          .hint("Use the COLLATE clause to set the collation explicitly.");
    }
    out.push_back(n);
  }
  if (into.columns.size() > out.size()) throw SqlError(sqlstate::syntax_error, "too many column names were specified");
  return out;
}

std::uint64_t fill(Oid table, nodes::Query* query, const planner::BoundParameters& parameters, Arena& arena) {
  const planner::PlannedStatement* plan = planner::plan(query, parameters, 0, arena);
  executor::Execution execution(*plan, parameters);
  execution.lock_partitions();
  execution.start(transaction::statement_snapshot());
  TableReceiver receiver(table);
  execution.run(receiver, executor::Direction::forward, 0);
  receiver.finish();
  std::uint64_t rows = execution.processed();
  execution.finish();
  return rows;
}

}  // namespace

void create_table_as(const UtilityCall& call, const parser::CreateTableAsStatement& s, std::string& tag) {
  if (s.materialized_view) throw_not_supported("CREATE MATERIALIZED VIEW");
  if (s.query->kind == parser::NodeKind::execute_statement) throw_not_supported("CREATE TABLE AS EXECUTE");
  const parser::IntoClause& into = *s.into;
  Arena arena;
  analyzer::ParameterTypes types;
  nodes::Query* query = analyzer::analyze_node(s.query, call.text, arena, types, false);
  char persistence = relation_persistence(*into.relation);
  if (into.on_commit != parser::OnCommit::none && persistence != 't') {
    throw SqlError(sqlstate::invalid_table_definition, "ON COMMIT can only be used on temporary tables");
  }
  NewRelation relation;
  relation.schema = schema_for_new(*into.relation, persistence);
  if (is_valid(catalog::find_relation(into.relation->name, relation.schema))) {
    if (!s.if_not_exists) throw SqlError(sqlstate::duplicate_table, "relation \"{}\" already exists", into.relation->name);
    report_notice(sqlstate::duplicate_table, "relation \"{}\" already exists, skipping", into.relation->name);
    return;
  }
  if (!into.access_method.empty() && into.access_method != "heap") {
    throw SqlError(sqlstate::undefined_object, "access method \"{}\" does not exist", into.access_method);
  }
  relation.name = into.relation->name;
  relation.persistence = persistence;
  relation.owner = catalog::current_role();
  relation.access_method = kHeapAccessMethod;
  relation.tablespace = resolve_tablespace(into.tablespace, persistence);
  std::vector<std::string_view> toast_options;
  relation.options = relation_options(into.options, relation.kind, toast_options, arena);
  relation.columns = query_columns(*query, into);
  Oid table = create_relation(relation);
  create_toast_table_if_needed(table);
  if (into.on_commit != parser::OnCommit::none) remember_on_commit(table, into.on_commit);
  if (!into.with_data) return;
  planner::BoundParameters none;
  tag = fmt::format("SELECT {}", fill(table, query, call.parameters == nullptr ? none : *call.parameters, arena));
}

}  // namespace hathi::ddl
