// Columns, constraints and partitions of tables.

#include "parser_impl.h"

namespace hathi::parser {

Node* Parser::table_element() {
  if (at(Tok::kw_like)) return table_like();
  if (at(Tok::kw_exclude) ? next_is(Tok::kw_using) || next_is('(') : begins_table_constraint()) return table_constraint();
  return column_definition();
}

// column [WITH OPTIONS] constraints | table constraint
Node* Parser::typed_table_element() {
  if (at(Tok::kw_exclude) ? next_is(Tok::kw_using) || next_is('(') : begins_table_constraint()) return table_constraint();
  ColumnDef* c = make<ColumnDef>();
  c->name = col_id();
  if (accept(Tok::kw_with)) expect(Tok::kw_options);
  column_constraints(c, false);
  return c;
}

TableLikeClause* Parser::table_like() {
  TableLikeClause* like = make<TableLikeClause>();
  advance();
  like->relation = qualified_name();
  while (at_any(Tok::kw_including, Tok::kw_excluding)) {
    const bool include = at(Tok::kw_including);
    advance();
    unsigned bit = 0;
    switch (tok()) {
      case Tok::kw_comments: bit = kLikeComments; break;
      case Tok::kw_compression: bit = kLikeCompression; break;
      case Tok::kw_constraints: bit = kLikeConstraints; break;
      case Tok::kw_defaults: bit = kLikeDefaults; break;
      case Tok::kw_identity: bit = kLikeIdentity; break;
      case Tok::kw_generated: bit = kLikeGenerated; break;
      case Tok::kw_indexes: bit = kLikeIndexes; break;
      case Tok::kw_statistics: bit = kLikeStatistics; break;
      case Tok::kw_storage: bit = kLikeStorage; break;
      case Tok::kw_all: bit = kLikeAll; break;
      default: syntax_error();
    }
    advance();
    like->options = include ? like->options | bit : like->options & ~bit;
  }
  return like;
}

ColumnDef* Parser::column_definition() {
  ColumnDef* c = make<ColumnDef>();
  c->name = col_id();
  c->type = type_name();
  if (accept(Tok::kw_compression)) c->compression = at(Tok::kw_default) ? take_text() : col_id();
  c->fdw_options = optional_generic_options();
  column_constraints(c, false);
  return c;
}

void Parser::collation_of_column(QualifiedName& collation, int& location) {
  location = loc();
  expect(Tok::kw_collate);
  collation = any_name();
}

bool Parser::begins_column_constraint() {
  return at_any(Tok::kw_constraint, Tok::kw_not, Tok::kw_null, Tok::kw_unique, Tok::kw_primary, Tok::kw_check, Tok::kw_default,
                Tok::kw_generated, Tok::kw_references, Tok::kw_deferrable, Tok::kw_initially, Tok::kw_collate);
}

// Constraints, COLLATE, and attributes ([NOT] DEFERRABLE, INITIALLY …) that belong to the constraint before them.
void Parser::column_constraints(ColumnDef* column, bool domain) {
  Constraint* last = nullptr;
  bool saw_deferrability = false, saw_initially = false;
  auto fail = [](const char* message, int location) { throw SqlError(sqlstate::syntax_error, "{}", message).at(location); };
  auto attribute = [&](const char* word, int location) {
    if (domain)
      throw SqlError(sqlstate::feature_not_supported, "specifying constraint deferrability not supported for domains").at(location);
    const bool takes = last != nullptr && (last->type == ConstraintKind::primary_key || last->type == ConstraintKind::unique ||
                                           last->type == ConstraintKind::exclusion || last->type == ConstraintKind::foreign_key);
    if (!takes) throw SqlError(sqlstate::syntax_error, "misplaced {} clause", word).at(location);
  };
  while (begins_column_constraint()) {
    const int location = loc();
    if (at(Tok::kw_collate)) {
      QualifiedName collation;
      int l;
      collation_of_column(collation, l);
      need_token();
      if (!column->collation.empty()) fail("multiple COLLATE clauses not allowed", location);
      column->collation = collation;
      column->collation_location = l;
    } else if (at(Tok::kw_deferrable) || (at(Tok::kw_not) && next_is(Tok::kw_deferrable))) {
      const bool not_deferrable = accept(Tok::kw_not);
      advance();
      attribute(not_deferrable ? "NOT DEFERRABLE" : "DEFERRABLE", location);
      if (saw_deferrability) fail("multiple DEFERRABLE/NOT DEFERRABLE clauses not allowed", location);
      saw_deferrability = last->deferrable_given = true;
      last->deferrable = !not_deferrable;
      if (not_deferrable && saw_initially && last->initially_deferred)
        fail("constraint declared INITIALLY DEFERRED must be DEFERRABLE", location);
    } else if (accept(Tok::kw_initially)) {
      const bool deferred = at(Tok::kw_deferred);
      if (!accept(Tok::kw_deferred)) expect(Tok::kw_immediate);
      attribute(deferred ? "INITIALLY DEFERRED" : "INITIALLY IMMEDIATE", location);
      if (saw_initially) fail("multiple INITIALLY IMMEDIATE/DEFERRED clauses not allowed", location);
      saw_initially = true;
      last->initially_deferred = deferred;
      if (deferred && !saw_deferrability) {
        last->deferrable = true;
      } else if (deferred && !last->deferrable) {
        fail("constraint declared INITIALLY DEFERRED must be DEFERRABLE", location);
      }
    } else {
      last = column_constraint(column);
      saw_deferrability = saw_initially = false;
      push(column->constraints, last);
    }
  }
}

Constraint* Parser::column_constraint(ColumnDef*) {
  Constraint* c = make<Constraint>();
  if (accept(Tok::kw_constraint)) c->name = col_id();
  switch (tok()) {
    case Tok::kw_not:
      advance();
      expect(Tok::kw_null);
      c->type = ConstraintKind::not_null;
      return c;
    case Tok::kw_null:
      advance();
      c->type = ConstraintKind::null;
      return c;
    case Tok::kw_unique:
      advance();
      c->type = ConstraintKind::unique;
      c->nulls_not_distinct = nulls_distinct_clause();
      index_parameters(c);
      return c;
    case Tok::kw_primary:
      advance();
      expect(Tok::kw_key);
      c->type = ConstraintKind::primary_key;
      index_parameters(c);
      return c;
    case Tok::kw_check:
      advance();
      c->type = ConstraintKind::check;
      expect('(');
      c->expr = expression();
      expect(')');
      if (accept(Tok::kw_no)) {
        expect(Tok::kw_inherit);
        c->no_inherit = true;
      }
      return c;
    case Tok::kw_default:
      advance();
      c->type = ConstraintKind::default_value;
      c->expr = b_expression();
      return c;
    case Tok::kw_references:
      c->type = ConstraintKind::foreign_key;
      foreign_key(c);
      return c;
    case Tok::kw_generated: break;
    default: syntax_error();
  }
  advance();
  const int when = loc();
  c->generated_always = accept(Tok::kw_always);
  if (!c->generated_always) expect_all(Tok::kw_by, Tok::kw_default);
  expect(Tok::kw_as);
  if (accept(Tok::kw_identity)) {
    c->type = ConstraintKind::identity;
    if (accept('(')) {
      c->sequence_options = sequence_options(true);
      expect(')');
    }
    return c;
  }
  c->type = ConstraintKind::generated;
  expect('(');
  c->expr = expression();
  expect(')');
  expect(Tok::kw_stored);
  if (!c->generated_always) throw SqlError(sqlstate::syntax_error, "for a generated column, GENERATED ALWAYS must be specified").at(when);
  return c;
}

// [NULLS [NOT] DISTINCT]
bool Parser::nulls_distinct_clause() {
  if (!accept(Tok::kw_nulls)) return false;
  const bool not_distinct = accept(Tok::kw_not);
  expect(Tok::kw_distinct);
  return not_distinct;
}

// [WITH (…)] [USING INDEX TABLESPACE t]
void Parser::index_parameters(Constraint* c) {
  c->options = optional_with_definition();
  if (accept(Tok::kw_using)) {
    expect_all(Tok::kw_index, Tok::kw_tablespace);
    c->tablespace = col_id();
  }
}

List<Name> Parser::including_names() { return accept(Tok::kw_include) ? parenthesized_names() : List<Name>(); }

// ---- table constraints ----

Parser::Deferral Parser::constraint_attributes() {
  Deferral d;
  auto mark = [&](bool& flag, int location) {
    flag = true;
    if (d.not_deferrable && d.deferred)
      throw SqlError(sqlstate::syntax_error, "constraint declared INITIALLY DEFERRED must be DEFERRABLE").at(location);
    if ((d.deferrable && d.not_deferrable) || (d.immediate && d.deferred))
      throw SqlError(sqlstate::syntax_error, "conflicting constraint properties").at(location);
  };
  for (;;) {
    const int location = loc();
    if (accept(Tok::kw_deferrable)) {
      mark(d.deferrable, location);
    } else if (accept(Tok::kw_initially)) {
      const bool deferred = at(Tok::kw_deferred);
      if (!accept(Tok::kw_deferred)) expect(Tok::kw_immediate);
      mark(deferred ? d.deferred : d.immediate, location);
    } else if (accept(Tok::kw_not)) {
      const bool valid = at(Tok::kw_valid);
      if (!accept(Tok::kw_valid)) expect(Tok::kw_deferrable);
      mark(valid ? d.not_valid : d.not_deferrable, location);
    } else if (accept(Tok::kw_no)) {
      expect(Tok::kw_inherit);
      mark(d.no_inherit, location);
    } else {
      return d;
    }
  }
}

void Parser::apply_attributes(Constraint* c, const Deferral& d, const char* kind, bool deferrable, bool not_valid, bool no_inherit) {
  auto reject = [&](const char* word) {
    need_token();
    throw SqlError(sqlstate::feature_not_supported, "{} constraints cannot be marked {}", kind, word);
  };
  if ((d.deferrable || d.deferred) && !deferrable) reject("DEFERRABLE");
  if (d.not_valid && !not_valid) reject("NOT VALID");
  if (d.no_inherit && !no_inherit) reject("NO INHERIT");
  c->deferrable = d.deferrable || d.deferred;
  c->deferrable_given = d.deferrable || d.not_deferrable;
  c->initially_deferred = d.deferred;
  c->not_valid = d.not_valid;
  c->no_inherit = d.no_inherit;
}

Constraint* Parser::table_constraint() {
  const int location = loc();
  Name name;
  if (accept(Tok::kw_constraint)) {
    name = col_id();
    if (at(Tok::kw_constraint)) syntax_error();
  }
  return table_constraint_body(name, location);
}

Constraint* Parser::table_constraint_body(Name name, int location) {
  Constraint* c = make<Constraint>(location);
  c->name = name;
  switch (tok()) {
    case Tok::kw_check:
      advance();
      c->type = ConstraintKind::check;
      expect('(');
      c->expr = expression();
      expect(')');
      apply_attributes(c, constraint_attributes(), "CHECK", false, true, true);
      return c;
    case Tok::kw_unique:
      advance();
      c->type = ConstraintKind::unique;
      if (at(Tok::kw_nulls)) {
        c->nulls_not_distinct = nulls_distinct_clause();
        if (!at('(')) syntax_error();
      }
      key_constraint(c);
      apply_attributes(c, constraint_attributes(), "UNIQUE", true, false, false);
      return c;
    case Tok::kw_primary:
      advance();
      expect(Tok::kw_key);
      c->type = ConstraintKind::primary_key;
      key_constraint(c);
      apply_attributes(c, constraint_attributes(), "PRIMARY KEY", true, false, false);
      return c;
    case Tok::kw_exclude: exclusion_constraint(c); return c;
    case Tok::kw_foreign:
      advance();
      expect(Tok::kw_key);
      c->type = ConstraintKind::foreign_key;
      c->columns = parenthesized_names();
      if (!at(Tok::kw_references)) syntax_error();
      foreign_key(c);
      apply_attributes(c, constraint_attributes(), "FOREIGN KEY", true, true, false);
      return c;
    default: syntax_error();
  }
}

// (columns) [INCLUDE (…)] parameters | USING INDEX name
void Parser::key_constraint(Constraint* c) {
  if (accept(Tok::kw_using)) {
    expect(Tok::kw_index);
    c->index = col_id();
    return;
  }
  c->columns = parenthesized_names();
  c->including = including_names();
  index_parameters(c);
}

void Parser::exclusion_constraint(Constraint* c) {
  c->type = ConstraintKind::exclusion;
  advance();
  c->access_method = optional_access_method();
  expect('(');
  do {
    ExclusionElement e;
    e.element = index_element();
    expect(Tok::kw_with);
    if (at(Tok::kw_operator) && next_is('(')) {
      operator_name(e.op, e.op_qualifier);
    } else {
      any_operator(e.op, e.op_qualifier);
    }
    push(c->exclusions, e);
  } while (accept(','));
  expect(')');
  c->including = including_names();
  index_parameters(c);
  if (accept(Tok::kw_where)) {
    expect('(');
    c->where = expression();
    expect(')');
  }
  apply_attributes(c, constraint_attributes(), "EXCLUDE", true, false, false);
}

// REFERENCES table [(columns)] [MATCH …] [ON UPDATE …] [ON DELETE …]
void Parser::foreign_key(Constraint* c) {
  advance();
  c->referenced = qualified_name();
  c->referenced_columns = optional_column_list();
  c->match = foreign_key_match();
  foreign_key_actions(c);
}

ForeignKeyMatch Parser::foreign_key_match() {
  const int location = loc();
  if (!accept(Tok::kw_match)) return ForeignKeyMatch::simple;
  if (accept(Tok::kw_full)) return ForeignKeyMatch::full;
  if (accept(Tok::kw_partial)) throw SqlError(sqlstate::feature_not_supported, "MATCH PARTIAL not yet implemented").at(location);
  expect(Tok::kw_simple);
  return ForeignKeyMatch::simple;
}

void Parser::foreign_key_actions(Constraint* c) {
  bool update = false, remove = false;
  while (at(Tok::kw_on)) {
    const int location = loc();
    advance();
    if (!update && accept(Tok::kw_update)) {
      update = true;
      List<Name> columns;
      c->on_update = foreign_key_action(&columns);
      if (!columns.empty()) {
        throw SqlError(sqlstate::feature_not_supported, "a column list with {} is only supported for ON DELETE actions",
                       c->on_update == ForeignKeyAction::set_null ? "SET NULL" : "SET DEFAULT")
            .at(location);
      }
    } else if (!remove && accept(Tok::kw_delete)) {
      remove = true;
      c->on_delete = foreign_key_action(&c->on_delete_columns);
    } else {
      syntax_error();
    }
    if (update && remove) return;
  }
}

ForeignKeyAction Parser::foreign_key_action(List<Name>* columns) {
  if (accept(Tok::kw_no)) {
    expect(Tok::kw_action);
    return ForeignKeyAction::no_action;
  }
  if (accept(Tok::kw_restrict)) return ForeignKeyAction::restrict;
  if (accept(Tok::kw_cascade)) return ForeignKeyAction::cascade;
  expect(Tok::kw_set);
  const bool null = at(Tok::kw_null);
  if (!accept(Tok::kw_null)) expect(Tok::kw_default);
  *columns = optional_column_list();
  return null ? ForeignKeyAction::set_null : ForeignKeyAction::set_default;
}

// ---- partitions ----

PartitionSpec* Parser::partition_spec() {
  PartitionSpec* p = make<PartitionSpec>();
  advance();
  expect(Tok::kw_by);
  p->strategy_name = col_id();
  p->strategy = p->strategy_name == "list"    ? PartitionStrategy::list
                : p->strategy_name == "range" ? PartitionStrategy::range
                : p->strategy_name == "hash"  ? PartitionStrategy::hash
                                              : PartitionStrategy::unrecognized;
  expect('(');
  p->elements = comma_list<PartitionElement*>([&] { return partition_element(); });
  expect(')');
  return p;
}

PartitionElement* Parser::partition_element() {
  PartitionElement* e = make<PartitionElement>();
  if (accept('(')) {
    e->expr = expression();
    expect(')');
  } else if (at_flag(kMayBeColumn) && !next_is('(') && !next_is('.') && !next_is('[')) {
    e->column = take_text();
  } else {
    e->expr = function_without_window();
  }
  if (accept(Tok::kw_collate)) e->collation = any_name();
  if (at_flag(kMayBeColumn)) e->operator_class = any_name();
  return e;
}

PartitionBound* Parser::partition_bound() {
  PartitionBound* b = make<PartitionBound>();
  if (accept(Tok::kw_default)) return b;
  expect(Tok::kw_for);
  expect(Tok::kw_values);
  b->location = loc();
  if (accept(Tok::kw_in)) {
    b->type = PartitionBoundKind::list;
    expect('(');
    b->values = expression_list();
    expect(')');
  } else if (accept(Tok::kw_from)) {
    b->type = PartitionBoundKind::range;
    expect('(');
    b->lower = expression_list();
    expect(')');
    expect(Tok::kw_to);
    expect('(');
    b->upper = expression_list();
    expect(')');
  } else {
    expect(Tok::kw_with);
    hash_partition_bound(b);
  }
  return b;
}

void Parser::hash_partition_bound(PartitionBound* b) {
  b->type = PartitionBoundKind::hash;
  struct Item {
    Name name;
    int value;
    int location;
  };
  expect('(');
  List<Item> items = comma_list<Item>([&] {
    const int l = loc();
    const Name name = non_reserved_word();
    return Item{name, integer_constant(), l};
  });
  expect(')');
  for (const Item& i : items) {
    int* slot = i.name == "modulus" ? &b->modulus : i.name == "remainder" ? &b->remainder : nullptr;
    if (slot == nullptr)
      throw SqlError(sqlstate::syntax_error, "unrecognized hash partition bound specification \"{}\"", i.name).at(i.location);
    if (*slot != -1) throw SqlError(sqlstate::duplicate_object, "{} for hash partition provided more than once", i.name).at(i.location);
    *slot = i.value;
  }
  if (b->modulus == -1) throw SqlError(sqlstate::syntax_error, "modulus for hash partition must be specified");
  if (b->remainder == -1) throw SqlError(sqlstate::syntax_error, "remainder for hash partition must be specified");
}

}  // namespace hathi::parser
