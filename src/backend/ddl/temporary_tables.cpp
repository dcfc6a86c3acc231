// Temporary tables at the end of transactions (ON COMMIT) and of the session.

#include <algorithm>
#include <vector>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/catalog/startup.h"
#include "hathi/ddl/session_objects.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "relation_store.h"
#include "statements.h"
#include "temporary_tables.h"

namespace hathi::ddl {

namespace {

// level: of the (sub)transaction that made the table and has not committed; 0 once it has.
struct Action {
  Oid table;
  bool drop;
  int level;
};
std::vector<Action> actions;

bool is_emptied(Oid table) {
  return std::any_of(actions.begin(), actions.end(), [&](const Action& a) { return a.table == table && !a.drop; });
}

void require_same_action(const catalog::Relation& r) {
  for (const catalog::ForeignKey& key : r.referenced_by) {
    if (is_emptied(key.referencing)) continue;
    catalog::RelationRef other = catalog::open_relation(key.referencing, locking::LockMode::access_share);
    throw SqlError(sqlstate::feature_not_supported, "unsupported ON COMMIT and foreign key combination")
        .detail(fmt::format("Table \"{}\" references \"{}\", but they do not have the same ON COMMIT setting.", other->name, r.name));
  }
}

// New, empty storage, unless the table was not written to.
void empty_table(Oid table) {
  {
    catalog::RelationRef r = catalog::try_open_relation(table, locking::LockMode::access_exclusive);
    if (!r) return;
    require_same_action(*r);
    if (buffer::block_count(r->file, Fork::main).value() == 0) return;
  }
  replace_storage(table, 't');
  transaction::advance_command();
}

void before_commit() {
  std::vector<catalog::ObjectAddress> gone;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (!actions[i].drop) empty_table(actions[i].table);
    else if (catalog::try_open_relation(actions[i].table, locking::LockMode::access_exclusive)) gone.push_back({catalog_oid::pg_class, actions[i].table, 0});
  }
  if (gone.empty()) return;
  catalog::perform_deletion(gone, true, true);
  transaction::advance_command();
}

void on_event(transaction::Event event) {
  if (actions.empty()) return;
  switch (event) {
    case transaction::Event::pre_commit: before_commit(); return;
    case transaction::Event::commit:
      std::erase_if(actions, [](const Action& a) { return a.drop; });
      for (Action& a : actions) a.level = 0;
      return;
    case transaction::Event::abort: std::erase_if(actions, [](const Action& a) { return a.level != 0; }); return;
  }
}

void on_subtransaction_event(transaction::Event event, int level) {
  for (Action& a : actions) {
    if (a.level == level && event == transaction::Event::commit) a.level = level - 1;
  }
  if (event == transaction::Event::abort) std::erase_if(actions, [&](const Action& a) { return a.level >= level; });
}

}  // namespace

void remember_on_commit(Oid table, parser::OnCommit action) {
  if (action == parser::OnCommit::none || action == parser::OnCommit::preserve_rows) return;
  actions.push_back({table, action == parser::OnCommit::drop, transaction::nesting_level()});
}

void register_temporary_table_hooks() {
  transaction::register_hook(on_event);
  transaction::register_subtransaction_hook(on_subtransaction_event);
}

void drop_temporary_objects() { catalog::drop_temporary_objects(); }

void drop_temporary_objects_at_exit() {
  if (!is_valid(catalog::temporary_schema_if_any())) return;
  actions.clear();
  try {
    transaction::start();
    catalog::set_current_role(catalog::authenticated_role());
    catalog::drop_temporary_objects();
    transaction::commit();
  } catch (const std::exception& e) {
    log_message("could not drop this session's temporary objects: {}", e.what());
    if (transaction::is_running()) transaction::abort();
  }
}

}  // namespace hathi::ddl
