// verify_heapam, bt_index_check and bt_index_parent_check. In PostgreSQL they come with the extension amcheck; as long as there are no
// extensions they are built in, for superusers, under the same names and with the same results.

#include "hathi/base/builtin_oids.h"
#include "hathi/btree/verify.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"
#include "hathi/executor/verify_index.h"
#include "hathi/heap/verify.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using locking::LockMode;

// The table first, as everybody else who locks both.
void check_index(FunctionCall& call, bool parents) {
  Oid index_oid = call.arg(0).as_oid();
  bool all_rows = call.site->argument_count > 1 && call.arg(1).as_bool();
  LockMode mode = parents ? LockMode::share : LockMode::access_share;
  Oid table_oid = kInvalidOid;
  {
    catalog::RelationRef index = catalog::try_open_relation(index_oid, LockMode::none);
    if (!index) throw SqlError(sqlstate::undefined_table, "could not open relation with OID {}", raw(index_oid));
    if (index->kind != kind::index || index->index == nullptr || index->index->access_method != kBTreeAccessMethod) {
      throw SqlError(sqlstate::feature_not_supported, "only B-Tree indexes are supported as targets for verification")
          .detail(fmt::format("Relation \"{}\" is not a B-Tree index.", index->name));
    }
    table_oid = index->index->table;
  }
  catalog::RelationRef table = catalog::open_relation(table_oid, mode);
  catalog::RelationRef index = catalog::open_relation(index_oid, mode);
  const catalog::IndexDescriptor& d = *index->index;
  if (index->persistence == 't' && !storage::is_temporary(d.btree.file)) {
    throw SqlError(sqlstate::feature_not_supported, "cannot access temporary tables of other sessions")
        .detail(fmt::format("Index \"{}\" is associated with temporary relation.", index->name));
  }
  if (!d.valid) throw SqlError(sqlstate::feature_not_supported, "cannot check index \"{}\"", index->name).detail("Index is not valid.");
  if (!buffer::fork_exists(d.btree.file, Fork::main)) throw SqlError(sqlstate::index_corrupted, "index \"{}\" lacks a main relation fork", index->name);
  btree::verify(d.btree, parents);
  if (all_rows) executor::verify_rows_are_indexed(table_oid, index_oid);
}

Datum bt_index_check(FunctionCall& call) {
  check_index(call, false);
  return Datum();
}
// rootdescend is given for checking what parents says already: every entry lies within its parents' bounds.
Datum bt_index_parent_check(FunctionCall& call) {
  check_index(call, true);
  return Datum();
}

BlockNumber block_argument(FunctionCall& call, int n, const char* which, BlockNumber blocks, BlockNumber otherwise) {
  if (call.arg_null(n)) return otherwise;
  std::int64_t value = call.arg(n).as_int64();
  if (value < 0 || value >= blocks.value())
    throw SqlError(sqlstate::invalid_parameter_value, "{} block number must be between 0 and {}", which, blocks.value() == 0 ? 0u : blocks.value() - 1);
  return BlockNumber{static_cast<std::uint32_t>(value)};
}

void require_arguments(FunctionCall& call) {
  const char* const names[] = {"relation", "on_error_stop", "check_toast", "skip"};
  for (int i = 0; i < 4; ++i)
    if (call.arg_null(i)) throw SqlError(sqlstate::invalid_parameter_value, "{} cannot be null", names[i]);
  std::string_view skip = call.text(3);
  // Skipping is a matter of speed; all pages are looked at.
  if (skip != "all-visible" && skip != "all-frozen" && skip != "none")
    throw SqlError(sqlstate::invalid_parameter_value, "invalid skip option").hint("Valid skip options are \"all-visible\", \"all-frozen\", and \"none\".");
}

Datum verify_heapam(FunctionCall& call) {
  require_arguments(call);
  catalog::RelationRef r = catalog::open_relation(call.arg(0).as_oid(), LockMode::access_share);
  if (r->kind != kind::table && r->kind != kind::toast && r->kind != kind::materialized_view)
    throw SqlError(sqlstate::wrong_object_type, "cannot check relation \"{}\"", r->name)
        .detail("This operation is only supported for tables, materialized views, and TOAST tables.");
  BlockNumber blocks = buffer::block_count(r->file, Fork::main);
  heap::VerifyOptions options;
  options.stop_at_error = call.arg(1).as_bool();
  options.check_toast = call.arg(2).as_bool();
  options.first = block_argument(call, 4, "starting", blocks, BlockNumber{0});
  options.last = block_argument(call, 5, "ending", blocks, kInvalidBlock);
  if (blocks.value() == 0) return Datum();
  heap::verify(r->heap, options, [&](const heap::Defect& d) {
    Datum values[4] = {Datum::of(static_cast<std::int64_t>(d.block.value())), Datum::of(static_cast<std::int32_t>(d.offset)), Datum::of(d.attribute),
                       varlena::make(call.arena(), d.message)};
    bool nulls[4] = {false, d.offset == 0, d.attribute == 0, false};
    call.sink->put(values, nulls);
  });
  return Datum();
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{9901}, bt_index_check},        {Oid{9902}, bt_index_check},        {Oid{9903}, bt_index_parent_check},
    {Oid{9904}, bt_index_parent_check}, {Oid{9905}, bt_index_parent_check}, {Oid{9906}, verify_heapam, FunctionKind::set_materialize},
};

}  // namespace

void register_verify_functions() { register_functions(kFunctions); }

}  // namespace hathi::ddl
