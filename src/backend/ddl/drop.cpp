// DROP of everything that has a catalog row of its own.

#include <vector>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "concurrent_index.h"
#include "object_names.h"
#include "partitions.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::ObjectAddress;
using locking::LockMode;

void missing(const parser::DropStatement& s, char wanted, const parser::RangeVar& name) {
  std::string_view noun = relation_words(wanted).noun;
  if (!name.schema.empty() && !is_valid(catalog::find_schema(name.schema))) {
    if (!s.missing_ok) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name.schema);
    report_notice(sqlstate::successful_completion, "schema \"{}\" does not exist, skipping", name.schema);
    return;
  }
  std::string shown = name.schema.empty() ? std::string(name.name) : fmt::format("{}.{}", name.schema, name.name);
  SqlState code = wanted == kind::index ? sqlstate::undefined_object : sqlstate::undefined_table;
  if (!s.missing_ok) throw SqlError(code, "{} \"{}\" does not exist", noun, wanted == kind::table ? std::string_view(name.name) : std::string_view(name.name));
  report_notice(sqlstate::successful_completion, "{} \"{}\" does not exist, skipping", noun, name.name);
  (void)shown;
}

void check_may_drop(const catalog::Relation& r, char wanted) {
  if (!is_of_kind(wanted, r.kind)) {
    throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not {}", r.name, relation_words(wanted).article).hint(std::string(relation_words(r.kind).hint));
  }
  Oid role = catalog::current_role();
  if (!catalog::is_owner(catalog_oid::pg_class, r.oid, role) && !catalog::is_owner(catalog_oid::pg_namespace, r.schema, role)) {
    catalog::throw_not_owner(relation_words(r.kind).noun, r.name);
  }
  if (r.schema == kPgCatalogNamespace) {
    throw SqlError(sqlstate::insufficient_privilege, "permission denied: \"{}\" is a system catalog", r.name);
  }
}

// Locks the relation (an index's table first) and checks it again under the lock.
bool add_relation(const parser::DropStatement& s, const parser::RangeVar& name, char wanted, std::vector<ObjectAddress>& out) {
  Oid oid = analyzer::find_by_name(&name, true);
  if (!is_valid(oid)) {
    missing(s, wanted, name);
    return false;
  }
  LockMode mode = LockMode::access_exclusive;
  if (wanted == kind::index) {
    catalog::RelationRef index = catalog::try_open_relation(oid, LockMode::access_share);
    if (index && s.concurrently && index->persistence != 't') mode = LockMode::share_update_exclusive;
    if (index && index->index != nullptr) catalog::try_open_relation(index->index->table, mode);
  }
  if (wanted == kind::table) {
    catalog::RelationRef peek = catalog::try_open_relation(oid, LockMode::access_share);
    // The default partition's implicit constraint changes with its siblings.
    if (peek && is_valid(peek->parent) && catalog::try_open_relation(peek->parent, LockMode::access_exclusive)) {
      Oid default_partition = default_partition_of(peek->parent);
      if (is_valid(default_partition) && default_partition != oid) catalog::try_open_relation(default_partition, LockMode::access_exclusive);
    }
  }
  catalog::RelationRef r = catalog::try_open_relation(oid, mode);
  if (!r) {
    missing(s, wanted, name);
    return false;
  }
  check_may_drop(*r, wanted);
  out.push_back({catalog_oid::pg_class, oid, 0});
  return true;
}

}  // namespace

void drop_objects(const parser::DropStatement& s, std::string_view text) {
  char wanted = relation_kind_of(s.type_of_object);
  if (s.concurrently && s.behavior == parser::DropBehavior::cascade) {
    throw SqlError(sqlstate::feature_not_supported, "DROP INDEX CONCURRENTLY does not support CASCADE");
  }
  if (s.concurrently && s.objects.size() > 1) {
    throw SqlError(sqlstate::feature_not_supported, "DROP INDEX CONCURRENTLY does not support dropping multiple objects");
  }
  std::vector<ObjectAddress> addresses;
  for (const parser::ObjectRef* object : s.objects) {
    if (wanted != '\0') {
      parser::RangeVar name = range_var_of(object->name);
      add_relation(s, name, wanted, addresses);
      continue;
    }
    // Errors, or notices with missing_ok, come from the look-up.
    if (auto address = find_object(s.type_of_object, *object, text, s.missing_ok)) {
      require_owner(s.type_of_object, *address);
      addresses.push_back(*address);
    }
  }
  if (addresses.empty()) return;
  if (s.concurrently) {
    catalog::RelationRef index = catalog::open_relation(addresses[0].object, LockMode::none);
    bool permanent = index->persistence != 't';
    if (permanent && index->kind == kind::partitioned_index) {
      throw SqlError(sqlstate::feature_not_supported, "cannot drop partitioned index \"{}\" concurrently", index->name);
    }
    require_not_in_use(*index, "DROP INDEX");
    index.reset();
    if (permanent) return drop_index_concurrently(addresses[0].object);
  }
  catalog::perform_deletion(addresses, s.behavior == parser::DropBehavior::cascade);
}

}  // namespace hathi::ddl
