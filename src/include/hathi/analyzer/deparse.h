#pragma once
// Expressions, queries and definitions as SQL text, in the form in which PostgreSQL prints them.

#include <string>
#include <string_view>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/relation.h"
#include "hathi/nodes/query.h"

namespace hathi::analyzer {

struct DeparseOptions {
  bool pretty = false;          // parentheses only where they are needed (the functions' pretty_bool)
  bool indent = false;          // line breaks and indentation: view definitions
  int wrap_column = 0;          // with indent: lines of output columns longer than this are broken; 0 = one column a line, -1 = never
};

// Names what only a plan knows: variables (kOuterVar …), exec parameters, subplans. Appends the text and returns true, or returns
// false to let the general form be printed.
struct PlanNames {
  bool (*name)(const nodes::Expr* e, std::string& out, void* context) = nullptr;
  void* context = nullptr;
};

// An expression over one table's columns (rte 1), or over none (columns null). prefix: columns are printed as table.column.
std::string deparse_expression(const nodes::Expr* e, const ExpressionScope* scope, bool pretty, bool prefix = false);
// For EXPLAIN: no pretty parentheses. show_implicit: implicit casts too.
std::string deparse_plan_expression(const nodes::Expr* e, const PlanNames& names, bool show_implicit = false);
std::string deparse_query(const nodes::Query* query, const DeparseOptions& options);

// pg_get_viewdef … of catalog objects; empty (SQL NULL) when there is no such object.
std::string view_definition(Oid view, const DeparseOptions& options);
std::string index_definition(Oid index, int column, bool pretty);          // column 0: the whole CREATE INDEX
std::string constraint_definition(Oid constraint, bool pretty, bool full_command = false);
std::string partition_key_definition(Oid relation, bool pretty, bool columns_only = false);

// The SQL functions pg_get_expr, pg_get_viewdef, …; called once before the first fork.
void register_functions();

}  // namespace hathi::analyzer
