#pragma once
// Objects as statements name them.

#include <optional>
#include <string_view>

#include "hathi/catalog/catalog_table.h"
#include "hathi/parser/ast_ddl.h"
#include "hathi/parser/ast_statement.h"

namespace hathi::ddl {

// The object a DROP, COMMENT, ALTER … OWNER names, locked against concurrent DROP. missing_ok: nullopt with PostgreSQL's NOTICE.
std::optional<catalog::ObjectAddress> find_object(parser::ObjectType type, const parser::ObjectRef& object, std::string_view text, bool missing_ok);
// 42501 must be owner of … . (Roles, databases, … ask for what PostgreSQL asks.)
void require_owner(parser::ObjectType type, const catalog::ObjectAddress& object);
// 55006 cannot DROP TABLE "t" because it is being used by active queries in this session, or because it has pending trigger events.
void require_not_in_use(const catalog::Relation& relation, std::string_view statement);

// What messages call a kind of relation.
struct RelationWords {
  std::string_view noun;       // "table"
  std::string_view article;    // "a table"
  std::string_view plural;     // "tables"
  std::string_view hint;       // the DROP that takes it
};
RelationWords relation_words(char relation_kind);
// The kind of relation an object type stands for; '\0' when it is no relation.
char relation_kind_of(parser::ObjectType type);
// Does TABLE (a kind) stand for this kind too? Partitioned tables and indexes count as tables and indexes.
bool is_of_kind(char wanted, char actual);
// 42809 "x" is not a view.
void require_kind(const catalog::Relation& relation, parser::ObjectType type);
// The column of that name; 0 when there is none.
AttrNumber find_column(const catalog::Relation& relation, std::string_view name);
// ctid, xmin, …
bool is_system_column(std::string_view name);
parser::RangeVar range_var_of(const parser::QualifiedName& names);

}  // namespace hathi::ddl
