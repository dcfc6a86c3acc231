// pg_get_expr, pg_get_viewdef and their kin as SQL functions.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/quote.h"
#include "hathi/datum/function.h"
#include "hathi/parser/parser.h"
#include "hathi/partition/partition.h"
#include "hathi/types/array.h"
#include "deparser.h"

namespace hathi::analyzer {
namespace {

Datum text_or_null(FunctionCall& call, const std::string& text) { return text.empty() ? call.null() : varlena::make(call.arena(), text); }

std::string and_list(const List<Expr*>& list, const ExpressionScope& scope, bool pretty) {
  std::string text;
  for (const Expr* e : list) {
    if (!text.empty()) text += ", ";
    text += deparse_expression(e, &scope, pretty);
  }
  return text;
}

// relpartbound as the clause of CREATE TABLE.
Datum partition_bound(FunctionCall& call, std::string_view text, const catalog::RelationRef& partition) {
  if (!partition || !is_valid(partition->parent)) return call.null();
  catalog::RelationRef parent = catalog::try_open_relation(partition->parent, locking::LockMode::none);
  if (!parent || parent->kind != catalog::relation_kind::partitioned_table) return call.null();
  const partition::PartitionKey& key = partition::key_of(*parent);
  return varlena::make(call.arena(), partition::bound_to_sql(partition::bound_from_text(text, key, call.arena()), key));
}

Datum partition_constraint_definition(FunctionCall& call) {
  catalog::RelationRef r = catalog::try_open_relation(call.arg(0).as_oid(), locking::LockMode::none);
  if (!r || !r->is_partition || r->index != nullptr) return call.null();
  const Expr* e = partition::partition_constraint(*r, call.arena());
  if (e == nullptr) return call.null();
  ExpressionScope scope = scope_of(*r);
  return text_or_null(call, deparse_expression(e, &scope, false));
}

Datum get_expr(FunctionCall& call, bool pretty) {
  std::string_view text = call.text(0);
  Oid relation = call.arg(1).as_oid();
  ExpressionScope scope;
  catalog::RelationRef opened;
  if (is_valid(relation)) {
    opened = catalog::try_open_relation(relation, locking::LockMode::none);
    if (!opened) return call.null();
    scope = scope_of(*opened);
  }
  Arena arena;
  if (partition::is_bound_text(text)) return partition_bound(call, text, opened);
  if (text.starts_with("[")) return text_or_null(call, and_list(list_from_text(text, arena), scope, pretty));
  return text_or_null(call, deparse_expression(expr_from_text(text, arena), &scope, pretty));
}
Datum pg_get_expr(FunctionCall& call) { return get_expr(call, false); }
Datum pg_get_expr_pretty(FunctionCall& call) { return get_expr(call, call.arg(2).as_bool()); }

DeparseOptions view_options(bool pretty, int wrap) {
  DeparseOptions options;
  options.pretty = pretty;
  options.indent = true;
  options.wrap_column = wrap;
  return options;
}
Oid view_by_name(FunctionCall& call) {
  ast::QualifiedName name = ast::parse_qualified_name(call.text(0), call.arena());
  ast::RangeVar relation;
  if (name.size() > 1) relation.schema = name[name.size() - 2];
  if (name.size() > 2) relation.catalog = name[name.size() - 3];
  relation.name = name.back();
  return find_by_name(&relation);
}
Datum viewdef(FunctionCall& call) { return text_or_null(call, view_definition(call.arg(0).as_oid(), view_options(false, 0))); }
Datum viewdef_pretty(FunctionCall& call) { return text_or_null(call, view_definition(call.arg(0).as_oid(), view_options(call.arg(1).as_bool(), 0))); }
Datum viewdef_wrap(FunctionCall& call) { return text_or_null(call, view_definition(call.arg(0).as_oid(), view_options(true, call.arg(1).as_int32()))); }
Datum viewdef_name(FunctionCall& call) { return text_or_null(call, view_definition(view_by_name(call), view_options(false, 0))); }
Datum viewdef_name_pretty(FunctionCall& call) { return text_or_null(call, view_definition(view_by_name(call), view_options(call.arg(1).as_bool(), 0))); }

Datum indexdef(FunctionCall& call) { return text_or_null(call, index_definition(call.arg(0).as_oid(), 0, false)); }
Datum indexdef_column(FunctionCall& call) {
  return text_or_null(call, index_definition(call.arg(0).as_oid(), call.arg(1).as_int32(), call.arg(2).as_bool()));
}
Datum constraintdef(FunctionCall& call) { return text_or_null(call, constraint_definition(call.arg(0).as_oid(), false)); }
Datum constraintdef_pretty(FunctionCall& call) { return text_or_null(call, constraint_definition(call.arg(0).as_oid(), call.arg(1).as_bool())); }
Datum partkeydef(FunctionCall& call) { return text_or_null(call, partition_key_definition(call.arg(0).as_oid(), false)); }

// --- functions -----------------------------------------------------------------------------------------------------------------

char mode_of(const FunctionInfo& f, std::size_t i) { return f.modes.empty() ? 'i' : f.modes[i]; }
bool is_input(char mode) { return mode == 'i' || mode == 'b' || mode == 'v'; }

// The parameters, or with table: the columns of RETURNS TABLE.
std::string arguments_text(const FunctionInfo& f, bool table, bool defaults, Arena& arena) {
  std::span<const Oid> types = f.all_arguments.empty() ? f.arguments : f.all_arguments;
  List<Expr*> values;
  if (defaults && f.defaults > 0) values = catalog::default_arguments(f, arena);
  std::size_t inputs = f.arguments.size(), input = 0;
  const catalog::AggregateInfo* aggregate = f.kind == 'a' ? catalog::find_aggregate(f.oid) : nullptr;
  int order_at = aggregate != nullptr && aggregate->kind != 'n' ? aggregate->direct_args : -1;
  bool repeat_variadic = order_at >= 0 && order_at == static_cast<int>(types.size());
  std::string text;
  int printed = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    char mode = mode_of(f, i);
    std::size_t position = input;
    if (is_input(mode)) ++input;
    if ((mode == 't') != table) continue;
    if (printed == order_at) {
      if (printed > 0) text += ' ';
      text += "ORDER BY ";
    } else if (printed > 0) {
      text += ", ";
    }
    switch (mode) {
      case 'i': if (f.kind == 'p') text += "IN "; break;
      case 'b': text += "INOUT "; break;
      case 'o': text += "OUT "; break;
      case 'v': text += "VARIADIC "; break;
      default: break;
    }
    if (i < f.names.size() && !f.names[i].empty()) text += catalog::quote_identifier(f.names[i]) + " ";
    text += catalog::format_type(types[i]);
    std::size_t first = inputs - values.size();
    if (defaults && is_input(mode) && position >= first && position < inputs && !values.empty())
      text += " DEFAULT " + deparse_expression(values[position - first], nullptr, false);
    ++printed;
    if (repeat_variadic && i + 1 == types.size()) {   // the variadic part is both direct and ordering
      text += " ORDER BY ";
      if (mode == 'v') text += "VARIADIC ";
      if (i < f.names.size() && !f.names[i].empty()) text += catalog::quote_identifier(f.names[i]) + " ";
      text += catalog::format_type(types[i]);
    }
  }
  return text;
}

std::string result_text(const FunctionInfo& f, Arena& arena) {
  if (f.kind == 'p') return {};
  bool table = false;
  for (char mode : f.modes) table = table || mode == 't';
  if (table) return "TABLE(" + arguments_text(f, true, false, arena) + ")";
  return (f.returns_set ? "SETOF " : "") + catalog::format_type(f.result);
}

Datum function_arguments(FunctionCall& call) {
  const FunctionInfo* f = catalog::find_function(call.arg(0).as_oid());
  return f == nullptr ? call.null() : varlena::make(call.arena(), arguments_text(*f, false, true, call.arena()));
}
Datum function_identity_arguments(FunctionCall& call) {
  const FunctionInfo* f = catalog::find_function(call.arg(0).as_oid());
  return f == nullptr ? call.null() : varlena::make(call.arena(), arguments_text(*f, false, false, call.arena()));
}
Datum function_result(FunctionCall& call) {
  const FunctionInfo* f = catalog::find_function(call.arg(0).as_oid());
  return f == nullptr ? call.null() : text_or_null(call, result_text(*f, call.arena()));
}
Datum function_arg_default(FunctionCall& call) {
  const FunctionInfo* f = catalog::find_function(call.arg(0).as_oid());
  int wanted = call.arg(1).as_int32();
  std::size_t all = f == nullptr ? 0 : (f->all_arguments.empty() ? f->arguments.size() : f->all_arguments.size());
  if (f == nullptr || wanted < 1 || static_cast<std::size_t>(wanted) > all || !is_input(mode_of(*f, static_cast<std::size_t>(wanted - 1)))) return call.null();
  std::size_t input = 0;
  for (int i = 0; i < wanted; ++i) if (is_input(mode_of(*f, static_cast<std::size_t>(i)))) ++input;
  List<Expr*> values = f->defaults > 0 ? catalog::default_arguments(*f, call.arena()) : List<Expr*>();
  std::size_t first = f->arguments.size() - values.size();
  if (input - 1 < first || values.empty()) return call.null();
  return text_or_null(call, deparse_expression(values[input - 1 - first], nullptr, false));
}

std::string language_name(Oid language, Arena& arena) {
  namespace pgl = catalog::pg_language;
  catalog::CatalogTable table(catalog_oid::pg_language, locking::LockMode::access_share);
  std::optional<catalog::CatalogRow> row = table.find({{pgl::oid, Datum::of(language)}}, arena);
  return row ? std::string(name_text(row->get(pgl::lanname))) : std::string("internal");
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  return text;
}

Datum functiondef(FunctionCall& call) {
  const FunctionInfo* f = catalog::find_function(call.arg(0).as_oid());
  if (f == nullptr) return call.null();
  if (f->kind == 'a') throw SqlError(sqlstate::wrong_object_type, "\"{}\" is an aggregate function", f->name);
  Arena& arena = call.arena();
  std::string text = std::string("CREATE OR REPLACE ") + (f->kind == 'p' ? "PROCEDURE " : "FUNCTION ") +
                     catalog::quote_qualified(catalog::schema_name(f->schema), f->name) + "(" + arguments_text(*f, false, true, arena) + ")\n";
  if (f->kind != 'p') text += " RETURNS " + result_text(*f, arena) + "\n";
  std::string language = language_name(f->language, arena);
  text += " LANGUAGE " + catalog::quote_identifier(language) + "\n";
  std::string line;
  if (f->kind == 'w') line += " WINDOW";
  if (f->volatility == 'i') line += " IMMUTABLE";
  if (f->volatility == 's') line += " STABLE";
  if (f->kind != 'p') {
    if (f->parallel == 's') line += " PARALLEL SAFE";
    if (f->parallel == 'r') line += " PARALLEL RESTRICTED";
  }
  if (f->strict) line += " STRICT";
  if (f->security_definer) line += " SECURITY DEFINER";
  if (f->leakproof) line += " LEAKPROOF";
  double usual = language == "internal" || language == "c" ? 1 : 100;
  if (f->cost != usual) line += " COST " + number_text(f->cost);
  if (f->rows > 0 && f->rows != 1000) line += " ROWS " + number_text(f->rows);
  if (!line.empty()) text += line + "\n";
  if (!f->binary.empty()) {
    text += "AS " + catalog::quote_literal(f->binary) + ", ";
  } else {
    text += "AS ";
  }
  std::string quote = f->kind == 'p' ? "$procedure" : "$function";
  while (f->source.find(quote) != std::string_view::npos) quote += 'x';
  quote += '$';
  text += quote;
  text += f->source;
  text += quote + "\n";
  return varlena::make(arena, text);
}

Datum serial_sequence(FunctionCall& call) {
  ast::QualifiedName name = ast::parse_qualified_name(call.text(0), call.arena());
  ast::RangeVar relation_name;
  if (name.size() > 1) relation_name.schema = name[name.size() - 2];
  relation_name.name = name.back();
  Oid table = find_by_name(&relation_name);
  std::string_view column = call.text(1);
  catalog::RelationRef relation = catalog::open_relation(table, locking::LockMode::none);
  AttrNumber number = 0;
  for (int i = 0; i < relation->descriptor->count(); ++i)
    if (!(*relation->descriptor)[i].dropped && (*relation->descriptor)[i].name == column) number = static_cast<AttrNumber>(i + 1);
  if (number == 0) throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", column, relation->name);
  for (const catalog::Dependency& d : catalog::dependents_of({catalog_oid::pg_class, table, number})) {
    if (d.object.class_id != catalog_oid::pg_class || d.object.sub != 0) continue;
    if (d.kind != catalog::DependencyKind::automatic && d.kind != catalog::DependencyKind::internal) continue;
    catalog::RelationRef sequence = catalog::try_open_relation(d.object.object, locking::LockMode::none);
    if (!sequence || sequence->kind != catalog::relation_kind::sequence) continue;
    return varlena::make(call.arena(), catalog::quote_qualified(sequence->schema_name, sequence->name));
  }
  return call.null();
}

// Views' only rule.
Datum rule_text(FunctionCall& call, bool pretty) {
  namespace pgr = catalog::pg_rewrite;
  catalog::CatalogTable table(catalog_oid::pg_rewrite, locking::LockMode::access_share);
  std::optional<catalog::CatalogRow> row = table.find({{pgr::oid, call.arg(0)}}, call.arena());
  if (!row) return call.null();
  catalog::RelationRef view = catalog::open_relation(row->get(pgr::ev_class).as_oid(), locking::LockMode::none);
  if (view->view_query == nullptr) return call.null();
  std::string text = "CREATE RULE " + catalog::quote_identifier(name_text(row->get(pgr::rulename))) + " AS";
  text += "\n    ON SELECT TO ";
  bool qualify = !pretty || !catalog::relation_is_visible(view->oid);
  text += catalog::quote_qualified(qualify ? view->schema_name : std::string_view(), view->name) + " DO INSTEAD ";
  text += view_definition(view->oid, view_options(pretty, 0));
  return varlena::make(call.arena(), text);
}
Datum ruledef(FunctionCall& call) { return rule_text(call, false); }
Datum ruledef_pretty(FunctionCall& call) { return rule_text(call, call.arg(1).as_bool()); }

// Extended statistics, partition constraints and SQL bodies: no such object can be made yet, so there is nothing to print.
Datum nothing_to_print(FunctionCall& call) { return call.null(); }

// CREATE TRIGGER of an ordinary trigger.
std::string trigger_text(Oid oid, bool pretty, Arena& arena) {
  namespace pgt = catalog::pg_trigger;
  catalog::CatalogTable table(catalog_oid::pg_trigger, locking::LockMode::access_share);
  std::optional<catalog::CatalogRow> row = table.find({{pgt::oid, Datum::of(oid)}}, arena);
  if (!row) return {};
  catalog::RelationRef relation = catalog::open_relation(row->get(pgt::tgrelid).as_oid(), locking::LockMode::none);
  const FunctionInfo& function = catalog::function_info(row->get(pgt::tgfoid).as_oid());
  int type = row->get(pgt::tgtype).as_int16();
  bool constraint = is_valid(row->get(pgt::tgconstraint).as_oid());
  std::string text =
      std::string("CREATE ") + (constraint ? "CONSTRAINT " : "") + "TRIGGER " + catalog::quote_identifier(name_text(row->get(pgt::tgname))) + " ";
  text += (type & 2) != 0 ? "BEFORE" : (type & 64) != 0 ? "INSTEAD OF" : "AFTER";
  std::string_view separator = " ";
  auto event = [&](int bit, std::string_view word) {
    if ((type & bit) == 0) return;
    text += separator;
    text += word;
    separator = " OR ";
  };
  event(4, "INSERT");
  event(8, "DELETE");
  event(16, "UPDATE");
  event(32, "TRUNCATE");
  bool qualify = !pretty || !catalog::relation_is_visible(relation->oid);
  text += " ON " + catalog::quote_qualified(qualify ? relation->schema_name : std::string_view(), relation->name) + " ";
  if (constraint) {
    Oid other = row->get(pgt::tgconstrrelid).as_oid();
    if (is_valid(other)) {
      catalog::RelationRef r = catalog::open_relation(other, locking::LockMode::none);
      text += "FROM " + catalog::quote_qualified(catalog::relation_is_visible(other) ? std::string_view() : r->schema_name, r->name) + " ";
    }
    if (!row->get(pgt::tgdeferrable).as_bool()) text += "NOT ";
    text += "DEFERRABLE INITIALLY ";
    text += row->get(pgt::tginitdeferred).as_bool() ? "DEFERRED " : "IMMEDIATE ";
  }
  text += (type & 1) != 0 ? "FOR EACH ROW " : "FOR EACH STATEMENT ";
  text +=
      "EXECUTE FUNCTION " +
      catalog::quote_qualified(catalog::function_is_visible(function.oid) ? std::string() : catalog::schema_name(function.schema), function.name) +
      "(";
  // Arguments are stored one after another, each ended by a NUL.
  std::string_view args = varlena::text(row->get(pgt::tgargs), arena);
  for (int i = 0; i < row->get(pgt::tgnargs).as_int16(); ++i) {
    if (i > 0) text += ", ";
    std::string_view arg = args.substr(0, args.find('\0'));
    text += catalog::quote_literal(arg);
    args.remove_prefix(std::min(arg.size() + 1, args.size()));
  }
  return text + ")";
}
Datum triggerdef(FunctionCall& call) { return text_or_null(call, trigger_text(call.arg(0).as_oid(), false, call.arena())); }
Datum triggerdef_pretty(FunctionCall& call) { return text_or_null(call, trigger_text(call.arg(0).as_oid(), call.arg(1).as_bool(), call.arena())); }

constexpr BuiltinFunction kFunctions[] = {
    {Oid{1387}, constraintdef},
    {Oid{1573}, ruledef},
    {Oid{1640}, viewdef_name},
    {Oid{1641}, viewdef},
    {Oid{1643}, indexdef},
    {Oid{1665}, serial_sequence},
    {Oid{1716}, pg_get_expr},
    {Oid{2098}, functiondef},
    {Oid{2162}, function_arguments},
    {Oid{2165}, function_result},
    {Oid{2232}, function_identity_arguments},
    {Oid{2504}, ruledef_pretty},
    {Oid{2505}, viewdef_name_pretty},
    {Oid{2506}, viewdef_pretty},
    {Oid{2507}, indexdef_column},
    {Oid{2508}, constraintdef_pretty},
    {Oid{2509}, pg_get_expr_pretty},
    {Oid{3159}, viewdef_wrap},
    {Oid{3352}, partkeydef},
    {Oid{3808}, function_arg_default},
    {Oid{1662}, triggerdef},
    {Oid{2730}, triggerdef_pretty},
    {Oid{3408}, partition_constraint_definition},
    {Oid{3415}, nothing_to_print},
    {Oid{6173}, nothing_to_print},
    {Oid{6174}, nothing_to_print},
    {Oid{6197}, nothing_to_print},
};

}  // namespace

void register_functions() { hathi::register_functions(kFunctions); }

}  // namespace hathi::analyzer
