#include "column_dependents.h"

#include <algorithm>

#include "hathi/analyzer/deparse.h"
#include "hathi/catalog/columns.h"
#include "hathi/executor/executor.h"
#include "hathi/parser/parser.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "alter_steps.h"
#include "alter_table.h"
#include "inheritance.h"
#include "partition_indexes.h"
#include "partitions.h"
#include "relation_store.h"
#include "statements.h"
#include "table_definition.h"
#include "unfilled_indexes.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::CatalogTable;
using catalog::ObjectAddress;
using catalog::RelationRef;
using locking::LockMode;

std::string comment_of(const ObjectAddress& object) {
  namespace d = catalog::pg_description;
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_description, LockMode::access_share);
  auto row = table.find({{d::objoid, Datum::of(object.object)}, {d::classoid, Datum::of(object.class_id)}, {d::objsubid, Datum::of(object.sub)}}, arena);
  return row ? std::string(varlena::text(row->get(d::description), arena)) : std::string();
}

// What decides how entries look and in which order they are; empty for indexes that are built anew in any case.
std::string shape_of(const catalog::IndexDescriptor& index, const catalog::Relation& table) {
  if (!index.expressions.empty() || !index.predicate.empty() || !index.valid || is_valid(index.parent)) return {};
  std::string out = fmt::format("{} {}", index.unique, index.nulls_not_distinct);
  for (std::size_t i = 0; i < index.columns.size(); ++i) {
    out += fmt::format(" {}", index.columns[i]);
    if (static_cast<int>(i) >= index.key_count) {
      out += fmt::format("({})", raw((*table.descriptor)[index.columns[i] - 1].type));
      continue;
    }
    out += fmt::format("({},{},{})", raw(index.operator_classes[i]), raw(index.collations[i]), index.options[i]);
  }
  return out;
}

[[noreturn]] void refuse(std::string_view what, std::string detail) {
  throw SqlError(sqlstate::feature_not_supported, "cannot alter type of a column {}", what).detail(std::move(detail));
}

// The default of a column is its own affair, a generation expression that uses another column is not.
void check_default(Oid attrdef, const catalog::Relation& table, AttrNumber column) {
  namespace d = catalog::pg_attrdef;
  Arena arena(1024);
  CatalogTable defaults(catalog_oid::pg_attrdef, LockMode::access_share);
  auto row = defaults.find({{d::oid, Datum::of(attrdef)}}, arena);
  if (!row || row->get(d::adrelid).as_oid() != table.oid) return;
  AttrNumber other = row->get(d::adnum).as_int16();
  if (other == column) return;
  refuse("used by a generated column",
         fmt::format("Column \"{}\" is used by generated column \"{}\".", (*table.descriptor)[column - 1].name, (*table.descriptor)[other - 1].name));
}

// New storage for the index, so that the old one outlives the index.
RelationFile take_contents(Oid index) {
  RelationRef r = catalog::open_relation(index, LockMode::none);
  RelationFile old = r->file, empty = old;
  empty.relation = catalog::new_relfilenode(old.tablespace, old.database);
  storage::create_storage(empty, static_cast<storage::Persistence>(r->persistence));
  update_class_row(index, [&](catalog::CatalogRow& row, Arena&) { row.set(catalog::pg_class::relfilenode, Datum::of(empty.relation)); });
  return old;
}

void give_contents(Oid index, const RelationFile& file, double rows) {
  RelationRef r = catalog::open_relation(index, LockMode::none);
  storage::drop_storage_at_commit(r->file);
  update_class_row(index, [&](catalog::CatalogRow& row, Arena&) { row.set(catalog::pg_class::relfilenode, Datum::of(file.relation)); });
  transaction::advance_command();
  store_relation_size(index, rows);
}

// The one command of the text.
const parser::AlterTableCommand& command_of(std::string_view text, Arena& arena) {
  auto statements = parser::parse(text, arena);
  return *parser::node_cast<parser::AlterTableStatement>(statements[0].node)->commands[0];
}

}  // namespace

// --- before the change ------------------------------------------------------------------------------------------------------------
void ColumnDependents::remember(const catalog::Relation& table, AttrNumber column) {
  std::string_view name = (*table.descriptor)[column - 1].name;
  for (const catalog::Dependency& d : catalog::dependents_of({catalog_oid::pg_class, table.oid, column})) {
    const ObjectAddress& o = d.object;
    auto depends = [&] { return fmt::format("{} depends on column \"{}\"", catalog::describe_object(o), name); };
    if (o.class_id == catalog_oid::pg_class) {
      RelationRef r = catalog::open_relation(o.object, LockMode::none);
      if (r->index != nullptr) remember_index(o.object);
    } else if (o.class_id == catalog_oid::pg_constraint) {
      remember_constraint(o.object);
    } else if (o.class_id == catalog_oid::pg_rewrite) {
      refuse("used by a view or rule", depends());
    } else if (o.class_id == catalog_oid::pg_trigger) {
      refuse("used in a trigger definition", depends());
    } else if (o.class_id == catalog_oid::pg_attrdef) {
      check_default(o.object, table, column);
    }
  }
}

void ColumnDependents::remember_index(Oid oid) {
  Oid constraint = kInvalidOid;
  {
    RelationRef r = catalog::open_relation(oid, LockMode::access_exclusive);
    constraint = constraint_of_index(oid, r->index->table);
  }
  if (is_valid(constraint)) return remember_constraint(constraint);
  if (std::any_of(items_.begin(), items_.end(), [&](const Item& i) { return i.type == '\0' && i.oid == oid; })) return;
  RelationRef r = catalog::open_relation(oid, LockMode::none);
  if (r->is_partition) return;   // goes with the index it is a part of, and comes with it
  Item item;
  item.oid = item.index = oid;
  item.table = r->index->table;
  item.name = r->name;
  item.text = analyzer::index_definition(oid, 0, false);
  note_index(item);
  items_.push_back(item);
}

void ColumnDependents::remember_constraint(Oid oid) {
  namespace c = catalog::pg_constraint;
  if (std::any_of(items_.begin(), items_.end(), [&](const Item& i) { return i.type != '\0' && i.oid == oid; })) return;
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_constraint, LockMode::access_share);
  auto row = table.find({{c::oid, Datum::of(oid)}}, arena);
  if (!row || is_valid(row->get(c::conparentid).as_oid())) return;   // parts go and come with the whole
  Item item;
  item.oid = oid;
  item.table = row->get(c::conrelid).as_oid();
  item.type = row->get(c::contype).as_char();
  item.again = row->get(c::conislocal).as_bool();
  item.name = name_text(row->get(c::conname));
  item.text = analyzer::constraint_definition(oid, false, true);
  item.comment = comment_of({catalog_oid::pg_constraint, oid, 0});
  if (item.type == 'f') catalog::lock_relation(item.table, LockMode::access_exclusive);
  if (item.type == 'p' || item.type == 'u') {
    item.index = row->get(c::conindid).as_oid();
    note_index(item);
  }
  items_.push_back(item);
}

void ColumnDependents::note_index(Item& item) {
  RelationRef r = catalog::open_relation(item.index, LockMode::access_exclusive);
  RelationRef table = catalog::open_relation(item.table, LockMode::none);
  item.index_comment = comment_of({catalog_oid::pg_class, item.index, 0});
  item.clustered = r->index->clustered;
  item.replica_identity = r->index->replica_identity;
  if (r->kind == kind::index) item.shape = shape_of(*r->index, *table);
}

void ColumnDependents::drop() {
  if (items_.empty()) return;
  std::vector<ObjectAddress> objects;
  for (Item& item : items_) {
    if (!item.shape.empty()) {
      item.kept = take_contents(item.index);
      item.has_kept = true;
    }
    objects.push_back({item.type == '\0' ? catalog_oid::pg_class : catalog_oid::pg_constraint, item.oid, 0});
  }
  transaction::advance_command();
  catalog::perform_deletion(objects, false, true);
  transaction::advance_command();
}

// --- after the change -------------------------------------------------------------------------------------------------------------
void ColumnDependents::create() {
  auto is_key = [](const Item& i) { return i.type == 'p' || i.type == 'u'; };
  // Foreign keys lean on keys.
  for (Item& item : items_) if (item.again && is_key(item)) create_constraint_again(item);
  for (Item& item : items_) if (item.again && item.type == '\0') create_index_again(item);
  for (Item& item : items_) if (item.again && item.type != '\0' && !is_key(item)) create_constraint_again(item);
  for (const Item& item : items_) if (item.again) restore_marks(item);
}

void ColumnDependents::create_index_again(Item& item) {
  Arena arena(4096);
  auto statements = parser::parse(item.text, arena);
  RelationRef table = catalog::open_relation(item.table, LockMode::none);
  NewIndex n = define_index(*parser::node_cast<parser::CreateIndexStatement>(statements[0].node), *table, item.text, arena);
  n.skip_build = true;
  item.made = table->kind == kind::partitioned_table ? create_partitioned_index(std::move(n), *table, item.text, true) : create_index(n);
  item.index = item.made;
}

void ColumnDependents::create_constraint_again(Item& item) {
  Arena arena(4096);
  const parser::AlterTableCommand& command = command_of(item.text, arena);
  PendingConstraint p{command.constraint, {}, false};
  for (std::string_view name : command.constraint->columns) p.columns.push_back(name);
  std::vector<std::string> taken;
  switch (item.type) {
    case 'p':
    case 'u':
      item.index = create_unfilled_key(item.table, p, item.text);
      item.made = constraint_of_index(item.index, item.table);
      break;
    case 'f': item.made = create_foreign_key(item.table, p, false, true); break;
    default: item.made = create_check(item.table, p, item.text, false, true, taken); break;
  }
}

void ColumnDependents::restore_marks(const Item& item) {
  if (!item.comment.empty()) catalog::set_comment({catalog_oid::pg_constraint, item.made, 0}, item.comment);
  if (!item.index_comment.empty()) catalog::set_comment({catalog_oid::pg_class, item.index, 0}, item.index_comment);
  parser::AlterTableCommand command;
  command.name = item.name;
  if (item.clustered) {
    command.action = parser::AlterTableAction::cluster_on;
    run_table_step(item.table, command);
  }
  if (item.replica_identity) {
    command.action = parser::AlterTableAction::replica_identity;
    command.text = "index";
    run_table_step(item.table, command);
  }
  transaction::advance_command();
}

void ColumnDependents::complete(const std::set<Oid>& rewritten) {
  for (const Item& item : items_) if (item.type == 'c') check(item);
  for (Oid table : rewritten) fill_indexes(table);
  for (const Item& item : items_) if (item.again && item.type != 'c' && item.type != 'f') build(item, rewritten);
  // (What is not valid yet stays so.)
  for (const Item& item : items_) {
    if (item.again && item.type == 'f' && !item.text.ends_with(" NOT VALID")) executor::validate_foreign_key(item.made);
  }
}

void ColumnDependents::build(const Item& item, const std::set<Oid>& rewritten) {
  std::vector<Oid> indexes = all_descendants(item.index, LockMode::none);
  indexes.push_back(item.index);
  bool kept = false;
  for (Oid oid : indexes) {
    RelationRef r = catalog::open_relation(oid, LockMode::none);
    if (r->kind != kind::index || rewritten.contains(r->index->table)) continue;
    RelationRef table = catalog::open_relation(r->index->table, LockMode::none);
    if (item.has_kept && shape_of(*r->index, *table) == item.shape) {
      give_contents(oid, item.kept, table->row_count);
      kept = true;
    } else {
      fill_index(oid);
    }
  }
  if (item.has_kept && !kept) storage::drop_storage_at_commit(item.kept);
}

void ColumnDependents::check(const Item& item) {
  RelationRef table = catalog::open_relation(item.table, LockMode::none);
  if (table->kind != kind::table) return;
  for (const catalog::CheckConstraint& c : table->checks) if (c.name == item.name && c.validated) executor::validate_check(item.table, c.expr, c.name);
}

}  // namespace hathi::ddl
