#pragma once
// One function a utility statement; each in the file of its name. Shared steps are in relation_store.h, index_store.h,
// table_definition.h, partitions.h.

#include <string>
#include <string_view>

#include "hathi/ddl/utility.h"
#include "hathi/parser/ast_ddl.h"
#include "hathi/parser/ast_statement.h"

namespace hathi::ddl {

void create_table(const parser::CreateTableStatement& s, std::string_view text);
void create_table_as(const UtilityCall& call, const parser::CreateTableAsStatement& s, std::string& tag);
void alter_table(const UtilityCall& call, const parser::AlterTableStatement& s);
void create_index_statement(const UtilityCall& call, const parser::CreateIndexStatement& s);
void reindex(const UtilityCall& call, const parser::ReindexStatement& s);
bool is_concurrent(const parser::ReindexStatement& s);             // CONCURRENTLY, one way or the other
void create_sequence(const parser::CreateSequenceStatement& s, std::string_view text);
void alter_sequence(const parser::AlterSequenceStatement& s, std::string_view text);
void create_view(const UtilityCall& call, const parser::CreateViewStatement& s);
void refresh_materialized_view(const UtilityCall& call, const parser::RefreshStatement& s, std::string& tag);
void create_schema(const UtilityCall& call, const parser::CreateSchemaStatement& s);
void drop_objects(const parser::DropStatement& s, std::string_view text);
void rename_object(const parser::RenameStatement& s, std::string_view text);
void alter_owner(const parser::AlterOwnerStatement& s, std::string_view text);
void alter_object_schema(const parser::AlterSchemaStatement& s, std::string_view text);
void comment_on(const parser::CommentStatement& s, std::string_view text);
void truncate(const parser::TruncateStatement& s);
void lock_tables(const parser::LockStatement& s);
void vacuum(const UtilityCall& call, const parser::VacuumStatement& s, std::string& tag);
void set_constraints_statement(const parser::ConstraintsSetStatement& s);

void create_role(const parser::CreateRoleStatement& s);
void alter_role(const parser::AlterRoleStatement& s);
void drop_role(const parser::DropRoleStatement& s);
void store_setting(const parser::SettingOfStatement& s);          // ALTER ROLE/DATABASE … SET
void alter_system(const parser::AlterSystemStatement& s);
void grant(const parser::GrantStatement& s, std::string_view text, std::string& tag);
void grant_role(const parser::GrantRoleStatement& s);
void alter_default_privileges(const parser::AlterDefaultPrivilegesStatement& s, std::string_view text);
void reassign_owned(const parser::ReassignOwnedStatement& s);
void drop_owned(const parser::DropOwnedStatement& s);

void create_database(const parser::CreateDatabaseStatement& s, std::string_view text);
void alter_database(const parser::AlterDatabaseStatement& s);
void drop_database(const parser::DropDatabaseStatement& s);

void create_domain(const parser::CreateDomainStatement& s, std::string_view text);
void alter_domain(const parser::AlterDomainStatement& s, std::string_view text);
void create_enum(const parser::CreateEnumStatement& s);
void alter_enum(const parser::AlterEnumStatement& s);
void create_composite_type(const parser::CreateCompositeTypeStatement& s, std::string_view text);

// TEMP or UNLOGGED as written; 't' too when the schema is the temporary one.
char relation_persistence(const parser::RangeVar& name);
void check_no_nulls(Oid table, AttrNumber column);                // 23502 column "a" of relation "t" contains null values
void set_not_null(Oid table, AttrNumber column);                  // pg_attribute only
Oid adopt_index_as_constraint(Oid table, const parser::Constraint& c);   // ADD CONSTRAINT … USING INDEX
nodes::Expr* nextval_expression(Oid sequence, Oid type, Arena& arena);
// Sequences of columns (sequences.cpp).
void change_sequence(Oid sequence, const parser::OptionList& options, bool for_identity, std::string_view text);
void restart_sequence(Oid sequence);
void remove_owner_dependency(Oid sequence);
void remember_on_commit(Oid table, parser::OnCommit action);

}  // namespace hathi::ddl
