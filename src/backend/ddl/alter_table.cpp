// ALTER TABLE.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "alter_steps.h"
#include "inheritance.h"
#include "object_names.h"
#include "owners.h"
#include "partitions.h"
#include "hathi/nodes/visit.h"
#include "hathi/parser/ast_expression.h"
#include "roles.h"
#include "row_types.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace a = catalog::pg_attribute;
using catalog::CatalogRow;
using parser::AlterTableAction;
using parser::AlterTableCommand;

locking::LockMode lock_for(const parser::AlterTableStatement& s) {
  auto needed = locking::LockMode::share_update_exclusive;
  for (const AlterTableCommand* c : s.commands) {
    auto mode = locking::LockMode::access_exclusive;
    switch (c->action) {
      case AlterTableAction::set_statistics:
      case AlterTableAction::cluster_on:
      case AlterTableAction::set_without_cluster:
      case AlterTableAction::set_options:
      case AlterTableAction::reset_options:
      case AlterTableAction::validate_constraint:
      case AlterTableAction::attach_partition: mode = locking::LockMode::share_update_exclusive; break;
      case AlterTableAction::add_constraint:
        if (c->constraint->type == parser::ConstraintKind::foreign_key) mode = locking::LockMode::share_row_exclusive;
        break;
      default: break;
    }
    needed = std::max(needed, mode);
  }
  return needed;
}

AttrNumber column_number(const catalog::Relation& r, std::string_view name) {
  for (int i = 0; i < r.descriptor->count(); ++i) {
    if (!(*r.descriptor)[i].dropped && (*r.descriptor)[i].name == name) return static_cast<AttrNumber>(i + 1);
  }
  throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, r.name);
}

bool has_column(const catalog::Relation& r, std::string_view name) {
  for (int i = 0; i < r.descriptor->count(); ++i) {
    if (!(*r.descriptor)[i].dropped && (*r.descriptor)[i].name == name) return true;
  }
  return false;
}

// Every row goes into new storage with the descriptor of now; `fill` makes the values of a row from the old one.
class Rewrite {
 public:
  explicit Rewrite(Oid table) : table_(table) {}

  // column: recomputed from expression (over the old row); 0 with null: values carry over.
  void run(const TupleDescriptor& old_row, const heap::HeapTable& old_heap, AttrNumber column, const nodes::Expr* expression, char persistence) {
    Arena arena;
    std::vector<std::vector<Datum>> unused;
    auto value = expression == nullptr ? nullptr : std::make_unique<executor::RowExpression>(expression, old_row, arena);
    // The old storage stays readable until the transaction ends.
    heap::HeapTable source = old_heap;
    source.descriptor = copy_descriptor(old_row, arena);
    replace_storage(table_, persistence);
    executor::TableWriter::Options options;
    options.check_foreign_keys = false;
    executor::TableWriter writer(table_, options);
    catalog::RelationRef now = catalog::open_relation(table_, locking::LockMode::none);
    auto n = static_cast<std::size_t>(std::max(now->descriptor->count(), old_row.count()));
    std::vector<Datum> values(n + 1);
    auto nulls = std::make_unique<bool[]>(n + 1);
    transaction::SnapshotRef snapshot = transaction::latest_snapshot();
    heap::Scan scan(source, *snapshot);
    HeapTuple row;
    Arena row_arena(4096);
    while (scan.next(row)) {
      std::fill_n(nulls.get(), n, true);
      deform_tuple(row, *source.descriptor, old_row.count(), values.data(), nulls.get());
      for (int i = 0; i < now->descriptor->count(); ++i) if ((*now->descriptor)[i].dropped) nulls[static_cast<std::size_t>(i)] = true;
      if (value != nullptr) {
        NullableDatum v = value->evaluate(values.data(), nulls.get(), table_, row.tid, row_arena);
        values[static_cast<std::size_t>(column - 1)] = v.value;
        nulls[static_cast<std::size_t>(column - 1)] = v.is_null;
      }
      writer.write(values.data(), nulls.get());
      row_arena.reset();
    }
    writer.flush();
  }

 private:
  Oid table_;
};

void store_missing_value(Oid table, AttrNumber number, const Attribute& attribute, NullableDatum v) {
  if (v.is_null) return;
  update_attribute_row(table, number, [&](CatalogRow& row, Arena& arena) {
    row.set(a::atthasmissing, Datum::of(true));
    row.set(a::attmissingval, types::make_array(arena, attribute.type, attribute.layout, std::span<const Datum>(&v.value, 1)));
  });
}

void add_column(Oid table, const AlterTableCommand& c, std::string_view text) {
  Arena arena;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  if (has_column(*r, c.column->name)) {
    if (!c.missing_ok) throw SqlError(sqlstate::duplicate_column, "column \"{}\" of relation \"{}\" already exists", c.column->name, r->name);
    report_notice(sqlstate::duplicate_column, "column \"{}\" of relation \"{}\" already exists, skipping", c.column->name, r->name);
    return;
  }
  TableDefinition d;
  add_column_definition(d, *c.column, r->name, text, arena);
  NewColumn& column = d.columns[0];
  check_column_type(column.name, column.type, column.collation, r->kind);
  auto number = static_cast<AttrNumber>(r->descriptor->count() + 1);
  bool wants_not_null = column.not_null;
  std::vector<Oid> sequences;
  for (const PendingSequence& p : d.sequences) {
    sequences.push_back(create_owned_sequence(r->name, r->schema, r->persistence, r->owner, column.name, column.type, p));
  }
  {
    catalog::CatalogTable attributes(catalog_oid::pg_attribute, locking::LockMode::row_exclusive);
    insert_column(attributes, table, column, number, arena);
  }
  update_class_row(table, [&](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relnatts, Datum::of(number)); });
  transaction::advance_command();
  catalog::RelationRef now = catalog::open_relation(table, locking::LockMode::none);
  nodes::Expr* value = nullptr;
  if (d.defaults[0] != nullptr) {
    analyzer::ExpressionScope scope = analyzer::scope_of(*now);
    value = analyzer::analyze_default(d.defaults[0]->expr, text, arena, &scope, column.name, column.type, column.typmod, column.generated);
    if (value != nullptr) store_default(table, number, value, column.generated);
  }
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    nodes::Expr* next = nextval_expression(sequences[i], column.type, arena);
    if (d.sequences[i].identity == '\0') store_default(table, number, next, '\0');
    own_sequence(sequences[i], table, number, d.sequences[i].identity != '\0');
    value = next;
  }
  transaction::advance_command();
  bool is_domain = catalog::type_info(column.type).kind == 'd';
  if (value != nullptr && r->kind != kind::partitioned_table) {
    bool constant = column.generated == '\0' && sequences.empty() && analyzer::volatility_of(value) != 'v' && !is_domain;
    if (constant) {
      store_missing_value(table, number, (*now->descriptor)[number - 1], executor::evaluate(value, {}, arena));
    } else {
      TupleDescriptor* old_row = copy_descriptor(*now->descriptor, arena);
      Rewrite(table).run(*old_row, now->heap, number, value, r->persistence);
    }
    transaction::advance_command();
  } else if (wants_not_null && r->kind == kind::table) {
    check_no_nulls(table, number);
  }
  create_toast_table_if_needed(table);
  create_constraints(table, d.constraints, text, true);
}

void drop_column(Oid table, const AlterTableCommand& c) {
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  if (c.missing_ok && !has_column(*r, c.name)) {
    report_notice(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist, skipping", c.name, r->name);
    return;
  }
  catalog::ObjectAddress object{catalog_oid::pg_class, table, column_number(*r, c.name)};
  r.reset();
  catalog::perform_deletion({&object, 1}, c.behavior == parser::DropBehavior::cascade);
}

Oid find_constraint(const catalog::Relation& r, std::string_view name, bool missing_ok) {
  namespace k = catalog::pg_constraint;
  Arena arena(512);
  catalog::CatalogTable table(catalog_oid::pg_constraint, locking::LockMode::access_share);
  auto row = table.find({{k::conrelid, Datum::of(r.oid)}, {k::contypid, Datum::of(kInvalidOid)}, {k::conname, name_value(arena, name)}}, arena);
  if (row) return row->get(k::oid).as_oid();
  if (!missing_ok) throw SqlError(sqlstate::undefined_object, "constraint \"{}\" of relation \"{}\" does not exist", name, r.name);
  report_notice(sqlstate::undefined_object, "constraint \"{}\" of relation \"{}\" does not exist, skipping", name, r.name);
  return kInvalidOid;
}

void add_constraint(Oid table, const AlterTableCommand& c, std::string_view text) {
  PendingConstraint p{c.constraint, {}, false};
  for (std::string_view name : c.constraint->columns) p.columns.push_back(name);
  create_constraints(table, {p}, text, true);
}

void change_default(Oid table, const AlterTableCommand& c, std::string_view text) {
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  AttrNumber number = column_number(*r, c.name);
  const Attribute& attribute = (*r->descriptor)[number - 1];
  if (attribute.identity != '\0') {
    throw SqlError(sqlstate::syntax_error, "column \"{}\" of relation \"{}\" is an identity column", c.name, r->name)
        .hint(c.expr != nullptr ? "" : "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.");
  }
  if (attribute.generated != '\0') {
    throw SqlError(sqlstate::syntax_error, "column \"{}\" of relation \"{}\" is a generated column", c.name, r->name)
        .hint(c.expr != nullptr ? "" : "Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.");
  }
  remove_default(table, number, false);
  transaction::advance_command();
  if (c.expr == nullptr) return;
  Arena arena(2048);
  nodes::Expr* e = analyzer::analyze_default(c.expr, text, arena, nullptr, c.name, attribute.type, attribute.typmod, '\0');
  if (e != nullptr) store_default(table, number, e, '\0');
}

void change_not_null(Oid table, const AlterTableCommand& c, bool not_null) {
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  AttrNumber number = column_number(*r, c.name);
  const Attribute& attribute = (*r->descriptor)[number - 1];
  if (attribute.not_null == not_null) return;
  if (!not_null) {
    if (attribute.identity != '\0') throw SqlError(sqlstate::syntax_error, "column \"{}\" of relation \"{}\" is an identity column", c.name, r->name);
    for (const catalog::IndexDescriptor* i : r->indexes) {
      if (i->primary && std::find(i->columns.begin(), i->columns.begin() + i->key_count, number) != i->columns.begin() + i->key_count) {
        throw SqlError(sqlstate::invalid_table_definition, "column \"{}\" is in a primary key", c.name);
      }
    }
  } else if (r->kind == kind::table) {
    check_no_nulls(table, number);
  }
  update_attribute_row(table, number, [&](CatalogRow& row, Arena&) { row.set(a::attnotnull, Datum::of(not_null)); });
}

// Can the new type read the old one's bytes as they are?
bool same_bytes(const Attribute& from, Oid type, std::int32_t typmod, const nodes::Expr* e) {
  while (nodes::is<nodes::Relabel>(e)) e = nodes::as<nodes::Relabel>(e)->arg;
  bool plain = nodes::is<nodes::Variable>(e);
  return plain && catalog::type_info(type).layout.length == from.layout.length && (typmod == from.typmod || typmod < 0 || from.type != type);
}

void change_type(Oid table, const AlterTableCommand& c, std::string_view text) {
  Arena arena;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  AttrNumber number = column_number(*r, c.name);
  const Attribute& old = (*r->descriptor)[number - 1];
  analyzer::ResolvedType type = analyzer::resolve_type(c.column->type, text, arena);
  Oid collation = analyzer::resolve_column_collation(c.column->collation, c.column->collation_location, type.type);
  check_column_type(c.name, type.type, collation, r->kind);
  nodes::Expr* e = nullptr;
  analyzer::ExpressionScope scope = analyzer::scope_of(*r);
  if (c.expr != nullptr) {
    e = analyzer::analyze_expression(c.expr, text, arena, &scope, analyzer::Clause::alter_column_transform);
  } else {
    auto* v = nodes::make<nodes::Variable>(arena);
    v->rte = 1;
    v->column = number;
    v->type = old.type;
    v->typmod = old.typmod;
    v->collation = old.collation;
    e = v;
  }
  nodes::Expr* coerced = analyzer::coerce_to_type(e, type.type, type.typmod, analyzer::CoercionContext::assignment, nodes::CallForm::implicit_cast, -1, arena);
  if (coerced == nullptr) {
    if (c.expr != nullptr) {
      throw SqlError(sqlstate::datatype_mismatch, "result of USING clause for column \"{}\" cannot be cast automatically to type {}", c.name, catalog::format_type(type.type, type.typmod))
          .hint("You might need to add an explicit cast.");
    }
    throw SqlError(sqlstate::datatype_mismatch, "column \"{}\" cannot be cast automatically to type {}", c.name, catalog::format_type(type.type, type.typmod))
        .hint(fmt::format("You might need to specify \"USING {}::{}\".", parser::quote_identifier(c.name), catalog::format_type(type.type, type.typmod)));
  }
  analyzer::assign_collations(coerced);
  bool keeps_bytes = same_bytes(old, type.type, type.typmod, coerced);
  TupleDescriptor* old_row = copy_descriptor(*r->descriptor, arena);
  heap::HeapTable old_heap = r->heap;
  char persistence = r->persistence, k = r->kind;
  bool indexed = std::any_of(r->indexes.begin(), r->indexes.end(), [&](const catalog::IndexDescriptor* i) {
    return std::find(i->columns.begin(), i->columns.end(), number) != i->columns.end() || !i->expressions.empty();
  });
  if (indexed && old.type != type.type) throw_not_supported("ALTER COLUMN TYPE of an indexed column");
  const nodes::Expr* default_value = static_cast<std::size_t>(number) <= r->defaults.size() ? r->defaults[static_cast<std::size_t>(number - 1)] : nullptr;
  nodes::Expr* new_default = nullptr;
  if (default_value != nullptr) {
    new_default = analyzer::coerce_to_type(nodes::copy(default_value, arena), type.type, type.typmod, analyzer::CoercionContext::assignment,
                                           nodes::CallForm::implicit_cast, -1, arena);
    if (new_default == nullptr) {
      throw SqlError(sqlstate::datatype_mismatch, "default for column \"{}\" cannot be cast automatically to type {}", c.name, catalog::format_type(type.type));
    }
  }
  r.reset();
  update_attribute_row(table, number, [&](CatalogRow& row, Arena&) {
    const catalog::TypeInfo& info = catalog::type_info(type.type);
    row.set(a::atttypid, Datum::of(type.type));
    row.set(a::atttypmod, Datum::of(type.typmod));
    row.set(a::attcollation, Datum::of(collation));
    row.set(a::attlen, Datum::of(info.layout.length));
    row.set(a::attbyval, Datum::of(info.layout.by_value));
    row.set(a::attalign, Datum::of(info.layout.align));
    row.set(a::attstorage, Datum::of(info.storage));
    row.set(a::attndims, Datum::of(static_cast<std::int32_t>(c.column->type->array_bounds.size())));
    row.set(a::atthasmissing, Datum::of(false));
    row.set_null(a::attmissingval);
  });
  transaction::advance_command();
  if (new_default != nullptr) {
    remove_default(table, number, false);
    transaction::advance_command();
    store_default(table, number, new_default, '\0');
    transaction::advance_command();
  }
  if (!keeps_bytes && k == kind::table) Rewrite(table).run(*old_row, old_heap, number, coerced, persistence);
  remove_statistics(table, number);
  create_toast_table_if_needed(table);
}

void change_persistence(Oid table, char persistence) {
  Arena arena;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  if (r->persistence == 't') throw SqlError(sqlstate::invalid_table_definition, "cannot change logged status of table \"{}\" because it is temporary", r->name);
  if (r->persistence == persistence) return;
  for (const catalog::ForeignKey& key : persistence == 'p' ? r->foreign_keys : r->referenced_by) {
    Oid other = persistence == 'p' ? key.referenced : key.referencing;
    if (other == table) continue;
    catalog::RelationRef o = catalog::open_relation(other, locking::LockMode::access_share);
    if (persistence == 'p' && o->persistence != 'p') {
      throw SqlError(sqlstate::invalid_table_definition, "could not change table \"{}\" to logged because it references unlogged table \"{}\"", r->name, o->name);
    }
    if (persistence == 'u' && o->persistence == 'p') {
      throw SqlError(sqlstate::invalid_table_definition, "could not change table \"{}\" to unlogged because it references logged table \"{}\"", o->name, r->name);
    }
  }
  TupleDescriptor* row = copy_descriptor(*r->descriptor, arena);
  heap::HeapTable heap = r->heap;
  r.reset();
  Rewrite(table).run(*row, heap, 0, nullptr, persistence);
  for (Oid sequence : owned_sequences(table)) update_class_row(sequence, [&](CatalogRow&, Arena&) {});
}

void change_options(Oid table, const AlterTableCommand& c, bool reset) {
  Arena arena(2048);
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  std::vector<std::string_view> toast, options;
  if (!reset) options = relation_options(c.options, r->kind, toast, arena);
  for (std::string_view old : r->options) {
    std::string_view name = old.substr(0, old.find('='));
    bool replaced = std::any_of(c.options.begin(), c.options.end(), [&](const parser::Option* o) { return o->name == name; });
    if (!replaced) options.push_back(arena.copy(old));
  }
  update_class_row(table, [&](CatalogRow& row, Arena& values) {
    if (options.empty()) row.set_null(catalog::pg_class::reloptions);
    else row.set(catalog::pg_class::reloptions, text_array(values, options));
  });
}

void run_command(Oid table, const AlterTableCommand& c, std::string_view text) {
  switch (c.action) {
    case AlterTableAction::add_column: add_column(table, c, text); return;
    case AlterTableAction::drop_column: drop_column(table, c); return;
    case AlterTableAction::add_constraint: add_constraint(table, c, text); return;
    case AlterTableAction::drop_constraint: {
      catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
      catalog::ObjectAddress object{catalog_oid::pg_constraint, find_constraint(*r, c.name, c.missing_ok), 0};
      r.reset();
      if (is_valid(object.object)) catalog::perform_deletion({&object, 1}, c.behavior == parser::DropBehavior::cascade);
      return;
    }
    case AlterTableAction::column_default: change_default(table, c, text); return;
    case AlterTableAction::set_not_null: change_not_null(table, c, true); return;
    case AlterTableAction::drop_not_null: change_not_null(table, c, false); return;
    case AlterTableAction::column_type: change_type(table, c, text); return;
    case AlterTableAction::set_logged: change_persistence(table, 'p'); return;
    case AlterTableAction::set_unlogged: change_persistence(table, 'u'); return;
    case AlterTableAction::set_options: change_options(table, c, false); return;
    case AlterTableAction::reset_options: change_options(table, c, true); return;
    case AlterTableAction::change_owner: change_relation_owner(table, resolve_role(*c.role)); return;
    default:
      if (!run_column_step(table, c, text) && !run_table_step(table, c)) throw_not_supported("this form of ALTER TABLE");
  }
}

}  // namespace

void check_no_nulls(Oid table, AttrNumber column) {
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  heap::Scan scan(r->heap, *snapshot);
  HeapTuple row;
  while (scan.next(row)) {
    bool is_null = false;
    get_attribute(row, *r->descriptor, column, is_null);
    if (!is_null) continue;
    std::string_view name = (*r->descriptor)[column - 1].name;
    throw SqlError(sqlstate::not_null_violation, "column \"{}\" of relation \"{}\" contains null values", name, r->name)
        .schema(r->schema_name).table(r->name).column(name);
  }
}

void alter_table(const UtilityCall& call, const parser::AlterTableStatement& s) {
  if (!s.all_in_tablespace.empty()) throw_not_supported("ALTER … ALL IN TABLESPACE");
  catalog::RelationRef r = analyzer::open_by_name(s.relation, lock_for(s), s.missing_ok);
  if (!r) {
    report_notice(sqlstate::undefined_table, "relation \"{}\" does not exist, skipping", s.relation->name);
    return;
  }
  require_statement_kind(*r, s);
  for (const AlterTableCommand* c : s.commands) require_action_allowed(*r, *c);
  std::string_view noun = r->kind == kind::view ? "view" : r->kind == kind::index ? "index" : r->kind == kind::sequence ? "sequence" : "table";
  if (!catalog::is_owner(catalog_oid::pg_class, r->oid, catalog::current_role())) catalog::throw_not_owner(noun, r->name);
  if (r->schema == kPgCatalogNamespace) throw SqlError(sqlstate::insufficient_privilege, "permission denied: \"{}\" is a system catalog", r->name);
  require_not_in_use(*r, "ALTER TABLE");
  Oid table = r->oid;
  r.reset();
  for (const AlterTableCommand* c : s.commands) {
    run_command(table, *c, call.text);
    transaction::advance_command();
  }
}

}  // namespace hathi::ddl
