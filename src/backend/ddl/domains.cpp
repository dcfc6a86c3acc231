// CREATE DOMAIN.

#include "hathi/analyzer/analyze.h"
#include "hathi/analyzer/deparse.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/query.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "index_store.h"
#include "object_names.h"
#include "relation_store.h"
#include "row_types.h"
#include "grant.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace t = catalog::pg_type;
using catalog::CatalogTable;
using parser::ConstraintKind;

constexpr Oid kDomainIn{2597}, kDomainReceive{2598};

// What the constraints of a definition say, before the type exists.
struct Definition {
  std::string name;
  Oid schema = kInvalidOid, base = kInvalidOid, collation = kInvalidOid;
  std::int32_t typmod = -1;
  int dimensions = 0;
  bool not_null = false;
  const nodes::Expr* default_value = nullptr;
  std::vector<const parser::Constraint*> checks;
};

void read_constraints(Definition& d, const parser::CreateDomainStatement& s, std::string_view text, Arena& arena) {
  bool saw_default = false, saw_null = false, saw_not_null = false;
  for (const parser::Constraint* c : s.constraints) {
    switch (c->type) {
      case ConstraintKind::default_value:
        if (saw_default) throw SqlError(sqlstate::syntax_error, "multiple default expressions");
        saw_default = true;
        d.default_value = analyzer::analyze_value(c->expr, text, arena, analyzer::Clause::column_default, d.name, d.base, d.typmod);
        break;
      case ConstraintKind::not_null:
      case ConstraintKind::null: {
        bool& other = c->type == ConstraintKind::null ? saw_not_null : saw_null;
        if (other) throw SqlError(sqlstate::syntax_error, "conflicting NULL/NOT NULL constraints");
        (c->type == ConstraintKind::null ? saw_null : saw_not_null) = true;
        d.not_null = saw_not_null;
        break;
      }
      case ConstraintKind::check:
        if (c->no_inherit) throw SqlError(sqlstate::invalid_object_definition, "check constraints for domains cannot be marked NO INHERIT");
        d.checks.push_back(c);
        break;
      case ConstraintKind::unique: throw SqlError(sqlstate::syntax_error, "unique constraints not possible for domains");
      case ConstraintKind::primary_key: throw SqlError(sqlstate::syntax_error, "primary key constraints not possible for domains");
      case ConstraintKind::exclusion: throw SqlError(sqlstate::syntax_error, "exclusion constraints not possible for domains");
      case ConstraintKind::foreign_key: throw SqlError(sqlstate::syntax_error, "foreign key constraints not possible for domains");
      default: throw_not_supported("this constraint of a domain", c->location);
    }
  }
}

// The domain's row is its base type's in all that says how values are stored.
Oid insert_domain(const Definition& d, Oid owner) {
  Arena arena;
  Oid oid = catalog::new_oid(catalog_oid::pg_type), array = catalog::new_oid(catalog_oid::pg_type);
  {
    CatalogTable table(catalog_oid::pg_type, locking::LockMode::row_exclusive);
    auto row = table.find({{t::oid, Datum::of(d.base)}}, arena);
    if (!row) throw SqlError(sqlstate::undefined_object, "type \"{}\" does not exist", raw(d.base));
    row->set(t::oid, Datum::of(oid));
    row->set(t::typname, name_value(arena, d.name));
    row->set(t::typnamespace, Datum::of(d.schema));
    row->set(t::typowner, Datum::of(owner));
    row->set(t::typtype, Datum::of('d'));
    row->set(t::typispreferred, Datum::of(false));
    row->set(t::typrelid, Datum::of(kInvalidOid));
    row->set(t::typelem, Datum::of(kInvalidOid));
    row->set(t::typsubscript, Datum::of(kInvalidOid));
    row->set(t::typarray, Datum::of(array));
    row->set(t::typinput, Datum::of(kDomainIn));
    row->set(t::typreceive, Datum::of(kDomainReceive));
    row->set(t::typmodin, Datum::of(kInvalidOid));
    row->set(t::typmodout, Datum::of(kInvalidOid));
    row->set(t::typnotnull, Datum::of(d.not_null));
    row->set(t::typbasetype, Datum::of(d.base));
    row->set(t::typtypmod, Datum::of(d.typmod));
    row->set(t::typndims, Datum::of(static_cast<std::int32_t>(d.dimensions)));
    row->set(t::typcollation, Datum::of(d.collation));
    row->set_null(t::typdefaultbin);
    row->set_null(t::typdefault);
    row->set_null(t::typacl);
    if (d.default_value != nullptr) {
      row->set(t::typdefaultbin, text_value(arena, nodes::to_text(d.default_value)));
      row->set(t::typdefault, text_value(arena, analyzer::deparse_expression(d.default_value, nullptr, false)));
    }
    table.insert(*row);
  }
  catalog::note_change(catalog_oid::pg_type, oid);
  catalog::ObjectAddress self{catalog_oid::pg_type, oid, 0};
  catalog::record_dependency(self, {catalog_oid::pg_namespace, d.schema, 0}, catalog::DependencyKind::normal);
  catalog::record_dependency(self, {catalog_oid::pg_type, d.base, 0}, catalog::DependencyKind::normal);
  if (is_valid(d.collation) && d.collation != catalog::type_info(d.base).collation) {
    catalog::record_dependency(self, {catalog_oid::pg_collation, d.collation, 0}, catalog::DependencyKind::normal);
  }
  if (d.default_value != nullptr) catalog::record_dependencies_on(self, d.default_value, kInvalidOid, catalog::DependencyKind::normal);
  catalog::record_owner(self, owner);
  apply_default_privileges(self, 'T', owner, d.schema);
  create_array_type(d.name, d.schema, oid, owner, catalog::type_info(d.base).layout.align, d.collation, array);
  return oid;
}

void create_check(const Definition& d, Oid domain, const parser::Constraint& c, std::string_view text, std::vector<std::string>& taken, Arena& arena) {
  NewConstraint n;
  if (!c.name.empty()) {
    n.name = c.name;
    if (constraint_name_is_used(kInvalidOid, domain, n.name)) {
      throw SqlError(sqlstate::duplicate_object, "constraint \"{}\" for domain \"{}\" already exists", n.name, d.name);
    }
  } else {
    n.name = choose_constraint_name(d.name, "", "check", d.schema, taken);
  }
  taken.push_back(n.name);
  n.schema = d.schema;
  n.domain = domain;
  n.check = analyzer::analyze_domain_check(c.expr, text, arena, d.base, d.typmod, d.collation);
  insert_constraint(n);
}

}  // namespace

static void define_domain(const parser::CreateDomainStatement& s, std::string_view text) {
  Arena arena;
  Definition d;
  parser::RangeVar name = range_var_of(s.name);
  char persistence = 'p';
  d.schema = schema_for_new(name, persistence);
  d.name = std::string(name.name);
  if (const catalog::TypeInfo* taken = catalog::find_type_by_name(d.name, d.schema); taken != nullptr && !taken->is_true_array()) {
    throw SqlError(sqlstate::duplicate_object, "type \"{}\" already exists", d.name);
  }
  make_room_for_type_name(d.name, d.schema);
  auto found = analyzer::find_type(s.type, text, arena);
  if (!is_valid(found.type)) throw SqlError(sqlstate::undefined_object, "type \"{}\" does not exist", analyzer::type_name_text(s.type));
  d.base = found.type;
  d.typmod = found.typmod;
  const catalog::TypeInfo& base = catalog::type_info(d.base);
  if (base.kind != 'b' && base.kind != 'c' && base.kind != 'd' && base.kind != 'e' && base.kind != 'r' && base.kind != 'm') {
    throw SqlError(sqlstate::datatype_mismatch, "\"{}\" is not a valid base type for a domain", analyzer::type_name_text(s.type));
  }
  d.collation = base.collation;
  if (!s.collation.empty()) {
    d.collation = analyzer::resolve_collation(s.collation, s.collation_location);
    if (!is_valid(base.collation)) {
      throw SqlError(sqlstate::datatype_mismatch, "collations are not supported by type {}", catalog::format_type(d.base));
    }
  }
  read_constraints(d, s, text, arena);
  Oid domain = insert_domain(d, catalog::current_role());
  transaction::advance_command();
  std::vector<std::string> taken;
  for (const parser::Constraint* c : d.checks) create_check(d, domain, *c, text, taken, arena);
  transaction::advance_command();
}

void create_domain(const parser::CreateDomainStatement& s, std::string_view text) {
  try {
    define_domain(s, text);
  } catch (SqlError& e) {
    e.at(-1);   // PostgreSQL's errors in this statement have no position
    throw;
  }
}

}  // namespace hathi::ddl
