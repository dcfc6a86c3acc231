// CREATE SEQUENCE, ALTER SEQUENCE, and the sequences of serial and identity columns.

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/nodes/expression.h"
#include "hathi/transaction/transaction.h"
#include "relation_store.h"
#include "sequence_options.h"
#include "sequence_state.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace c = catalog::pg_sequence;
namespace kind = catalog::relation_kind;

void fill_row(catalog::CatalogRow& row, Oid sequence, const SequenceParameters& p) {
  row.set(c::seqrelid, Datum::of(sequence));
  row.set(c::seqtypid, Datum::of(p.type));
  row.set(c::seqstart, Datum::of(p.start));
  row.set(c::seqincrement, Datum::of(p.increment));
  row.set(c::seqmax, Datum::of(p.max));
  row.set(c::seqmin, Datum::of(p.min));
  row.set(c::seqcache, Datum::of(p.cache));
  row.set(c::seqcycle, Datum::of(p.cycle));
}

Oid make_sequence(std::string_view name, Oid schema, char persistence, Oid owner, const SequenceParameters& p, const SequenceChange& change) {
  NewRelation r;
  r.name = name;
  r.schema = schema;
  r.kind = kind::sequence;
  r.persistence = persistence;
  r.owner = owner;
  r.has_row_type = false;
  NewColumn last, log, called;
  last.name = "last_value";
  last.type = log.type = type_oid::int8;
  log.name = "log_cnt";
  called.name = "is_called";
  called.type = type_oid::bool_;
  last.not_null = log.not_null = called.not_null = true;
  r.columns = {last, log, called};
  Oid oid = create_relation(r);
  create_sequence_state(oid, {change.restart.value_or(p.start), 0, false});
  {
    catalog::CatalogTable table(catalog_oid::pg_sequence, locking::LockMode::row_exclusive);
    catalog::CatalogRow row = table.new_row();
    fill_row(row, oid, p);
    table.insert(row);
  }
  transaction::advance_command();
  return oid;
}

// OWNED BY table.column or NONE.
void set_owner_column(Oid sequence, const parser::NameList& owned_by) {
  Arena arena(512);
  catalog::RelationRef r = catalog::open_relation(sequence, locking::LockMode::none);
  if (owned_by.names.size() == 1) {
    if (owned_by.names[0] != "none") {
      throw SqlError(sqlstate::syntax_error, "invalid OWNED BY option").hint("Specify OWNED BY table.column or OWNED BY NONE.");
    }
    remove_owner_dependency(sequence);
    return;
  }
  parser::RangeVar name;
  std::size_t n = owned_by.names.size();
  name.name = owned_by.names[n - 2];
  if (n > 2) name.schema = owned_by.names[n - 3];
  catalog::RelationRef table = analyzer::open_by_name(&name, locking::LockMode::access_share);
  if (table->kind != kind::table && table->kind != kind::view && table->kind != kind::foreign_table && table->kind != kind::partitioned_table) {
    throw SqlError(sqlstate::wrong_object_type, "sequence cannot be owned by relation \"{}\"", table->name);
  }
  if (table->owner != r->owner) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "sequence must have same owner as table it is linked to");
  }
  if (table->schema != r->schema) throw SqlError(sqlstate::object_not_in_prerequisite_state, "sequence must be in same schema as table it is linked to");
  AttrNumber column = 0;
  for (int i = 0; i < table->descriptor->count(); ++i) {
    if ((*table->descriptor)[i].name == owned_by.names.back() && !(*table->descriptor)[i].dropped) column = static_cast<AttrNumber>(i + 1);
  }
  if (column == 0) throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", owned_by.names.back(), table->name);
  remove_owner_dependency(sequence);
  own_sequence(sequence, table->oid, column, false);
}

}  // namespace

void remove_owner_dependency(Oid sequence) {
  namespace d = catalog::pg_depend;
  Arena arena(1024);
  catalog::CatalogTable table(catalog_oid::pg_depend, locking::LockMode::row_exclusive);
  std::vector<TupleId> found;
  catalog::CatalogKey keys[] = {{d::classid, Datum::of(catalog_oid::pg_class)}, {d::objid, Datum::of(sequence)}};
  table.scan(keys, arena, [&](catalog::CatalogRow& row) {
    char type = row.get(d::deptype).as_char();
    if (row.get(d::refclassid).as_oid() == catalog_oid::pg_class && (type == 'a' || type == 'i')) found.push_back(row.tid);
    return true;
  });
  for (TupleId tid : found) table.remove(tid);
}

void create_sequence(const parser::CreateSequenceStatement& s, std::string_view text) {
  char persistence = relation_persistence(*s.relation);
  Oid schema = schema_for_new(*s.relation, persistence);
  if (is_valid(catalog::find_relation(s.relation->name, schema))) {
    if (!s.if_not_exists) throw SqlError(sqlstate::duplicate_table, "relation \"{}\" already exists", s.relation->name);
    report_notice(sqlstate::duplicate_table, "relation \"{}\" already exists, skipping", s.relation->name);
    return;
  }
  SequenceParameters p;
  SequenceChange change = apply_sequence_options(p, s.options, true, false, 0, kInvalidOid, text);
  Oid oid = make_sequence(s.relation->name, schema, persistence, catalog::current_role(), p, change);
  if (change.owned_by != nullptr) set_owner_column(oid, *change.owned_by);
}

SequenceParameters sequence_parameters_of(Oid sequence) {
  Arena arena(512);
  catalog::CatalogTable table(catalog_oid::pg_sequence, locking::LockMode::access_share);
  auto row = table.find({{c::seqrelid, Datum::of(sequence)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for sequence {}", raw(sequence));
  SequenceParameters p;
  p.type = row->get(c::seqtypid).as_oid();
  p.start = row->get(c::seqstart).as_int64();
  p.increment = row->get(c::seqincrement).as_int64();
  p.max = row->get(c::seqmax).as_int64();
  p.min = row->get(c::seqmin).as_int64();
  p.cache = row->get(c::seqcache).as_int64();
  p.cycle = row->get(c::seqcycle).as_bool();
  return p;
}

// Options of an existing sequence (ALTER SEQUENCE, ALTER COLUMN … SET identity options).
void change_sequence(Oid sequence, const parser::OptionList& options, bool for_identity, std::string_view text) {
  catalog::RelationRef r = catalog::open_relation(sequence, locking::LockMode::share_row_exclusive);
  SequenceParameters p = sequence_parameters_of(sequence);
  SequenceState state = read_sequence_state(*r);
  SequenceChange change = apply_sequence_options(p, options, false, for_identity, state.last_value, kInvalidOid, text);
  if (change.state_changes) {
    // New storage, so that the change is undone with the transaction.
    SequenceState next = state;
    next.log_count = 0;
    if (change.restart) {
      next.last_value = *change.restart;
      next.is_called = false;
    }
    replace_storage(sequence, r->persistence);
    create_sequence_state(sequence, next);
  }
  {
    Arena arena(512);
    catalog::CatalogTable table(catalog_oid::pg_sequence, locking::LockMode::row_exclusive);
    auto row = table.find({{c::seqrelid, Datum::of(sequence)}}, arena);
    fill_row(*row, sequence, p);
    table.update(*row);
  }
  transaction::advance_command();
  if (change.owned_by != nullptr) set_owner_column(sequence, *change.owned_by);
}

void alter_sequence(const parser::AlterSequenceStatement& s, std::string_view text) {
  catalog::RelationRef r = analyzer::open_by_name(s.relation, locking::LockMode::share_row_exclusive, s.missing_ok);
  if (!r) {
    report_notice(sqlstate::successful_completion, "relation \"{}\" does not exist, skipping", s.relation->name);
    return;
  }
  if (r->kind != kind::sequence) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a sequence", r->name);
  if (!catalog::is_owner(catalog_oid::pg_class, r->oid, catalog::current_role())) catalog::throw_not_owner("sequence", r->name);
  change_sequence(r->oid, s.options, false, text);
}

// RESTART IDENTITY: back to the start value, undone with the transaction.
void restart_sequence(Oid sequence) {
  catalog::RelationRef r = catalog::open_relation(sequence, locking::LockMode::access_exclusive);
  SequenceParameters p = sequence_parameters_of(sequence);
  replace_storage(sequence, r->persistence);
  create_sequence_state(sequence, {p.start, 0, false});
}

Oid create_owned_sequence(std::string_view table, Oid schema, char persistence, Oid owner, std::string_view column, Oid type, const PendingSequence& pending) {
  SequenceParameters p;
  SequenceChange change;
  std::string name;
  static const parser::OptionList none{};
  const parser::OptionList& options = pending.options != nullptr ? *pending.options : none;
  for (const parser::Option* o : options) {
    if (o->name == "sequence_name") name = parser::node_cast<parser::NameList>(o->value)->names.back();
  }
  change = apply_sequence_options(p, options, true, pending.identity != '\0', 0, type, "");
  if (name.empty()) name = choose_relation_name(table, column, "seq", schema);
  return make_sequence(name, schema, persistence, owner, p, change);
}

void own_sequence(Oid sequence, Oid table, AttrNumber column, bool identity) {
  catalog::record_dependency({catalog_oid::pg_class, sequence, 0}, {catalog_oid::pg_class, table, column},
                             identity ? catalog::DependencyKind::internal : catalog::DependencyKind::automatic);
}

nodes::Expr* nextval_expression(Oid sequence, Oid type, Arena& arena) {
  constexpr Oid kNextval{1574};
  auto* name = nodes::make<nodes::Constant>(arena);
  name->type = type_oid::regclass;
  name->layout = {4, true, 'i'};
  name->value = Datum::of(sequence);
  auto* call = nodes::make<nodes::FunctionExpr>(arena);
  call->function = kNextval;
  call->type = type_oid::int8;
  call->args.push_back(arena, name);
  if (type == type_oid::int8) return call;
  return analyzer::coerce_to_type(call, type, -1, analyzer::CoercionContext::assignment, nodes::CallForm::implicit_cast, -1, arena);
}

}  // namespace hathi::ddl
