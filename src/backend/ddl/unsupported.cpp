// Statements and parts that are refused so far, each by its name.

#include "hathi/ddl/session_objects.h"
#include "hathi/catalog/startup.h"
#include "hathi/error/sql_error.h"
#include "object_names.h"
#include "partitions.h"
#include "statements.h"
#include "temporary_tables.h"

namespace hathi::ddl {

void refresh_materialized_view(const UtilityCall&, const parser::RefreshStatement&, std::string&) { throw_not_supported("REFRESH MATERIALIZED VIEW"); }
void alter_system(const parser::AlterSystemStatement&) { throw_not_supported("ALTER SYSTEM"); }
void alter_domain(const parser::AlterDomainStatement&, std::string_view) { throw_not_supported("ALTER DOMAIN"); }
void create_enum(const parser::CreateEnumStatement&) { throw_not_supported("CREATE TYPE AS ENUM"); }
void alter_enum(const parser::AlterEnumStatement&) { throw_not_supported("ALTER TYPE"); }
void create_composite_type(const parser::CreateCompositeTypeStatement&, std::string_view) { throw_not_supported("CREATE TYPE"); }
Oid adopt_index_as_constraint(Oid, const parser::Constraint&) { throw_not_supported("ADD CONSTRAINT USING INDEX"); }

void set_not_null(Oid table, AttrNumber column) {
  update_attribute_row(table, column, [](catalog::CatalogRow& row, Arena&) { row.set(14 /* attnotnull */, Datum::of(true)); });
}

void inherit_columns(const parser::CreateTableStatement& s, Arena&, TableDefinition&) { if (!s.inherits.empty()) throw_not_supported("INHERITS"); }
void record_inheritance(Oid, const parser::CreateTableStatement&) {}
void copy_like(const parser::TableLikeClause&, std::string_view, Arena&, TableDefinition&) { throw_not_supported("LIKE"); }
void finish_like(Oid, const parser::CreateTableStatement&, std::string_view) {}

void register_session_hooks() {
  register_drops();
  register_temporary_table_hooks();
  void register_sequence_functions();
  register_sequence_functions();
  void register_verify_functions();
  register_verify_functions();
}

}  // namespace hathi::ddl
