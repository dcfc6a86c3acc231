// Built-in objects as rows.

#include "src/backend/catalog/bootstrap_rows.h"

#include <algorithm>
#include <unordered_set>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "hathi/nodes/visit.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/data.h"

namespace hathi::catalog {

namespace {

constexpr Datum kOwner = Datum::of(kBootstrapSuperuser), kSchema = Datum::of(kPgCatalogNamespace);

void add_types(Loaders& loaders) {
  using namespace pg_type;
  CatalogLoader& out = loaders.of(catalog_oid::pg_type);
  std::span<const builtin::TypeExtra> extras = builtin::type_extras();
  std::size_t i = 0;
  for (const TypeInfo& t : builtin::types()) {
    CatalogRow& row = out.row();
    auto set_oid = [&](AttrNumber column, Oid value) { row.set(column, Datum::of(value)); };
    set_oid(pg_type::oid, t.oid);
    row.set(typname, out.name(t.name));
    row.set(typnamespace, kSchema);
    row.set(typowner, kOwner);
    row.set(typlen, Datum::of(t.layout.length));
    row.set(typbyval, Datum::of(t.layout.by_value));
    row.set(typtype, Datum::of(t.kind));
    row.set(typcategory, Datum::of(t.category));
    row.set(typispreferred, Datum::of(t.preferred));
    row.set(typisdefined, Datum::of(t.is_defined));
    row.set(typdelim, Datum::of(t.delimiter));
    set_oid(typrelid, t.relation);
    set_oid(typsubscript, t.subscript);
    set_oid(typelem, t.element);
    set_oid(typarray, t.array);
    set_oid(typinput, t.input);
    set_oid(typoutput, t.output);
    set_oid(typreceive, t.receive);
    set_oid(typsend, t.send);
    set_oid(typmodin, t.typmod_in);
    set_oid(typmodout, t.typmod_out);
    set_oid(typanalyze, extras[i++].analyze);
    row.set(typalign, Datum::of(t.layout.align));
    row.set(typstorage, Datum::of(t.storage));
    row.set(typnotnull, Datum::of(false));
    set_oid(typbasetype, kInvalidOid);
    row.set(typtypmod, Datum::of(std::int32_t{-1}));
    row.set(typndims, Datum::of(std::int32_t{0}));
    set_oid(typcollation, t.collation);
    if (!t.default_text.empty()) row.set(typdefault, out.text(t.default_text));
    out.add(row);
  }
}

bool exists(Oid function) { return find_builtin_function(function) != nullptr; }

// Functions that can be called: implemented ones, window functions (the executor has them), and aggregates whose parts are.
bool is_usable(const FunctionInfo& f) {
  if (exists(f.oid) || f.kind == 'w') return true;
  const AggregateInfo* a = f.kind == 'a' ? builtin::aggregate(f.oid) : nullptr;
  return a != nullptr && exists(a->transition) && (!is_valid(a->final) || exists(a->final));
}

void set_function_acl(Loaders& loaders, CatalogLoader& out, CatalogRow& row, const FunctionInfo& f, const builtin::FunctionExtra& extra) {
  if (extra.public_execute && extra.granted_roles.empty()) return;
  std::vector<AclItem> items;
  if (extra.public_execute) items.push_back({kInvalidOid, kBootstrapSuperuser, nodes::kAclExecute});
  items.push_back({kBootstrapSuperuser, kBootstrapSuperuser, nodes::kAclExecute});
  for (std::string_view role : data::split(extra.granted_roles, ' ')) {
    items.push_back({Oid{data::parse_number(role)}, kBootstrapSuperuser, nodes::kAclExecute});
  }
  row.set(pg_proc::proacl, out.acl(items));
  add_initial_privileges(loaders, catalog_oid::pg_proc, f.oid, 0, items);
}

void add_functions(Loaders& loaders) {
  using namespace pg_proc;
  CatalogLoader& out = loaders.of(catalog_oid::pg_proc);
  std::span<const builtin::FunctionExtra> extras = builtin::function_extras();
  std::size_t i = 0;
  for (const FunctionInfo& f : builtin::functions()) {
    const builtin::FunctionExtra& extra = extras[i++];
    if (!is_usable(f)) continue;
    CatalogRow& row = out.row();
    auto set_oid = [&](AttrNumber column, Oid value) { row.set(column, Datum::of(value)); };
    set_oid(pg_proc::oid, f.oid);
    row.set(proname, out.name(f.name));
    row.set(pronamespace, kSchema);
    row.set(proowner, kOwner);
    set_oid(prolang, f.language);
    row.set(procost, Datum::of(static_cast<float>(f.cost)));
    row.set(prorows, Datum::of(static_cast<float>(f.rows)));
    set_oid(provariadic, f.variadic);
    set_oid(prosupport, f.support);
    row.set(prokind, Datum::of(f.kind));
    row.set(prosecdef, Datum::of(false));
    row.set(proleakproof, Datum::of(f.leakproof));
    row.set(proisstrict, Datum::of(f.strict));
    row.set(proretset, Datum::of(f.returns_set));
    row.set(provolatile, Datum::of(f.volatility));
    row.set(proparallel, Datum::of(f.parallel));
    row.set(pronargs, Datum::of(static_cast<std::int16_t>(f.arguments.size())));
    row.set(pronargdefaults, Datum::of(static_cast<std::int16_t>(f.defaults)));
    set_oid(prorettype, f.result);
    row.set(proargtypes, make_oidvector(f.arguments, out.arena()));
    if (!f.all_arguments.empty()) row.set(proallargtypes, make_oid_array(f.all_arguments, out.arena()));
    if (!f.modes.empty()) row.set(proargmodes, make_char_array(f.modes, out.arena()));
    if (!f.names.empty()) row.set(proargnames, make_text_array(f.names, out.arena()));
    if (f.defaults > 0) row.set(proargdefaults, out.text(nodes::to_text(default_arguments(f, out.arena()))));
    row.set(prosrc, out.text(f.source));
    set_function_acl(loaders, out, row, f, extra);
    out.add(row);
  }
}

void add_aggregates(Loaders& loaders) {
  using namespace pg_aggregate;
  CatalogLoader& out = loaders.of(catalog_oid::pg_aggregate);
  std::span<const std::int32_t> spaces = builtin::aggregate_spaces();
  std::size_t i = 0;
  for (const AggregateInfo& a : builtin::aggregates()) {
    std::int32_t space = spaces[i++], moving_space = spaces[i++];
    if (!is_usable(function_info(a.function))) continue;
    CatalogRow& row = out.row();
    auto set_oid = [&](AttrNumber column, Oid value) { row.set(column, Datum::of(value)); };
    set_oid(aggfnoid, a.function);
    row.set(aggkind, Datum::of(a.kind));
    row.set(aggnumdirectargs, Datum::of(static_cast<std::int16_t>(a.direct_args)));
    set_oid(aggtransfn, a.transition);
    set_oid(aggfinalfn, a.final);
    set_oid(aggcombinefn, a.combine);
    set_oid(aggserialfn, a.serialize);
    set_oid(aggdeserialfn, a.deserialize);
    set_oid(aggmtransfn, a.moving_transition);
    set_oid(aggminvtransfn, a.moving_inverse);
    set_oid(aggmfinalfn, a.moving_final);
    row.set(aggfinalextra, Datum::of(a.final_extra));
    row.set(aggmfinalextra, Datum::of(a.moving_final_extra));
    row.set(aggfinalmodify, Datum::of(a.final_modify));
    row.set(aggmfinalmodify, Datum::of('r'));
    set_oid(aggsortop, a.sort_operator);
    set_oid(aggtranstype, a.transition_type);
    row.set(aggtransspace, Datum::of(space));
    set_oid(aggmtranstype, a.moving_type);
    row.set(aggmtransspace, Datum::of(moving_space));
    if (a.initial) row.set(agginitval, out.text(*a.initial));
    if (a.moving_initial) row.set(aggminitval, out.text(*a.moving_initial));
    out.add(row);
  }
}

void add_operators(Loaders& loaders) {
  using namespace pg_operator;
  CatalogLoader& out = loaders.of(catalog_oid::pg_operator);
  for (const OperatorInfo& o : builtin::operators()) {
    if (!exists(o.function)) continue;
    CatalogRow& row = out.row();
    auto set_oid = [&](AttrNumber column, Oid value) { row.set(column, Datum::of(value)); };
    set_oid(pg_operator::oid, o.oid);
    row.set(oprname, out.name(o.name));
    row.set(oprnamespace, kSchema);
    row.set(oprowner, kOwner);
    row.set(oprkind, Datum::of(o.kind));
    row.set(oprcanmerge, Datum::of(o.can_merge));
    row.set(oprcanhash, Datum::of(o.can_hash));
    set_oid(oprleft, o.left);
    set_oid(oprright, o.right);
    set_oid(oprresult, o.result);
    set_oid(oprcom, o.commutator);
    set_oid(oprnegate, o.negator);
    set_oid(oprcode, o.function);
    set_oid(oprrest, o.restriction);
    set_oid(oprjoin, o.join);
    out.add(row);
  }
  CatalogLoader& casts = loaders.of(catalog_oid::pg_cast);
  for (const CastInfo& c : builtin::casts()) {
    if (is_valid(c.function) && !exists(c.function)) continue;
    CatalogRow& row = casts.row();
    row.set(pg_cast::oid, Datum::of(c.oid));
    row.set(pg_cast::castsource, Datum::of(c.source));
    row.set(pg_cast::casttarget, Datum::of(c.target));
    row.set(pg_cast::castfunc, Datum::of(c.function));
    row.set(pg_cast::castcontext, Datum::of(c.context));
    row.set(pg_cast::castmethod, Datum::of(c.method));
    casts.add(row);
  }
}

void add_family_members(Loaders& loaders, const std::unordered_set<std::uint32_t>& families) {
  CatalogLoader& operators = loaders.of(catalog_oid::pg_amop);
  for (const builtin::FamilyOperator& o : builtin::family_operators()) {
    if (!families.contains(raw(o.family)) || !exists(operator_info(o.op).function)) continue;
    using namespace pg_amop;
    CatalogRow& row = operators.row();
    row.set(pg_amop::oid, Datum::of(o.oid));
    row.set(amopfamily, Datum::of(o.family));
    row.set(amoplefttype, Datum::of(o.left));
    row.set(amoprighttype, Datum::of(o.right));
    row.set(amopstrategy, Datum::of(static_cast<std::int16_t>(o.strategy)));
    row.set(amoppurpose, Datum::of(o.purpose));
    row.set(amopopr, Datum::of(o.op));
    row.set(amopmethod, Datum::of(o.method));
    row.set(amopsortfamily, Datum::of(o.sort_family));
    operators.add(row);
  }
  CatalogLoader& functions = loaders.of(catalog_oid::pg_amproc);
  for (const builtin::FamilyFunction& f : builtin::family_functions()) {
    if (!families.contains(raw(f.family)) || !exists(f.function)) continue;
    using namespace pg_amproc;
    CatalogRow& row = functions.row();
    row.set(pg_amproc::oid, Datum::of(f.oid));
    row.set(amprocfamily, Datum::of(f.family));
    row.set(amproclefttype, Datum::of(f.left));
    row.set(amprocrighttype, Datum::of(f.right));
    row.set(amprocnum, Datum::of(static_cast<std::int16_t>(f.number)));
    row.set(pg_amproc::amproc, Datum::of(f.function));
    functions.add(row);
  }
}

void add_operator_classes(Loaders& loaders) {
  std::unordered_set<std::uint32_t> families;
  CatalogLoader& classes = loaders.of(catalog_oid::pg_opclass);
  for (const OperatorClassInfo& c : builtin::operator_classes()) {
    bool known_method = c.method == kBTreeAccessMethod || c.method == kHashAccessMethod;
    if (!known_method || !exists(builtin::family_function(c.family, c.input, c.input, 1))) continue;
    families.insert(raw(c.family));
    using namespace pg_opclass;
    CatalogRow& row = classes.row();
    row.set(pg_opclass::oid, Datum::of(c.oid));
    row.set(opcmethod, Datum::of(c.method));
    row.set(opcname, classes.name(c.name));
    row.set(opcnamespace, kSchema);
    row.set(opcowner, kOwner);
    row.set(opcfamily, Datum::of(c.family));
    row.set(opcintype, Datum::of(c.input));
    row.set(opcdefault, Datum::of(c.is_default));
    row.set(opckeytype, Datum::of(c.key));
    classes.add(row);
  }
  CatalogLoader& out = loaders.of(catalog_oid::pg_opfamily);
  for (const builtin::OperatorFamily& f : builtin::operator_families()) {
    if (!families.contains(raw(f.oid))) continue;
    CatalogRow& row = out.row();
    row.set(pg_opfamily::oid, Datum::of(f.oid));
    row.set(pg_opfamily::opfmethod, Datum::of(f.method));
    row.set(pg_opfamily::opfname, out.name(f.name));
    row.set(pg_opfamily::opfnamespace, kSchema);
    row.set(pg_opfamily::opfowner, kOwner);
    out.add(row);
  }
  add_family_members(loaders, families);
}

void add_collations(Loaders& loaders) {
  using namespace pg_collation;
  CatalogLoader& out = loaders.of(catalog_oid::pg_collation);
  for (const CollationInfo& c : builtin::collations()) {
    CatalogRow& row = out.row();
    row.set(pg_collation::oid, Datum::of(c.oid));
    row.set(collname, out.name(c.name));
    row.set(collnamespace, kSchema);
    row.set(collowner, kOwner);
    row.set(collprovider, Datum::of(c.provider));
    row.set(collisdeterministic, Datum::of(c.deterministic));
    row.set(collencoding, Datum::of(static_cast<std::int32_t>(c.encoding)));
    if (!c.collate.empty()) row.set(collcollate, out.text(c.collate));
    if (!c.ctype.empty()) row.set(collctype, out.text(c.ctype));
    if (!c.icu_locale.empty()) row.set(colliculocale, out.text(c.icu_locale));
    out.add(row);
  }
}

void add_small(Loaders& loaders) {
  CatalogLoader& methods = loaders.of(catalog_oid::pg_am);
  for (const builtin::AccessMethod& m : builtin::access_methods()) {
    CatalogRow& row = methods.row();
    row.set(pg_am::oid, Datum::of(m.oid));
    row.set(pg_am::amname, methods.name(m.name));
    row.set(pg_am::amhandler, Datum::of(m.handler));
    row.set(pg_am::amtype, Datum::of(m.type));
    methods.add(row);
  }
  CatalogLoader& languages = loaders.of(catalog_oid::pg_language);
  for (const builtin::Language& l : builtin::languages()) {
    using namespace pg_language;
    CatalogRow& row = languages.row();
    row.set(pg_language::oid, Datum::of(l.oid));
    row.set(lanname, languages.name(l.name));
    row.set(lanowner, kOwner);
    row.set(lanispl, Datum::of(false));
    row.set(lanpltrusted, Datum::of(l.trusted));
    row.set(lanplcallfoid, Datum::of(kInvalidOid));
    row.set(laninline, Datum::of(kInvalidOid));
    row.set(lanvalidator, Datum::of(l.validator));
    languages.add(row);
  }
  CatalogLoader& ranges = loaders.of(catalog_oid::pg_range);
  for (const builtin::Range& r : builtin::ranges()) {
    using namespace pg_range;
    CatalogRow& row = ranges.row();
    row.set(rngtypid, Datum::of(r.range));
    row.set(rngsubtype, Datum::of(r.subtype));
    row.set(rngmultitypid, Datum::of(r.multirange));
    row.set(rngcollation, Datum::of(r.collation));
    row.set(rngsubopc, Datum::of(r.subtype_class));
    row.set(rngcanonical, Datum::of(r.canonical));
    row.set(rngsubdiff, Datum::of(r.subtype_diff));
    ranges.add(row);
  }
}

}  // namespace

void add_builtin_rows(Loaders& loaders) {
  add_types(loaders);
  add_functions(loaders);
  add_aggregates(loaders);
  add_operators(loaders);
  add_operator_classes(loaders);
  add_collations(loaders);
  add_small(loaders);
}

void add_initial_privileges(Loaders& loaders, Oid class_id, Oid object, int sub, std::span<const AclItem> items) {
  using namespace pg_init_privs;
  CatalogLoader& out = loaders.of(catalog_oid::pg_init_privs);
  CatalogRow& row = out.row();
  row.set(objoid, Datum::of(object));
  row.set(classoid, Datum::of(class_id));
  row.set(objsubid, Datum::of(static_cast<std::int32_t>(sub)));
  row.set(privtype, Datum::of('i'));
  row.set(initprivs, out.acl(items));
  out.add(row);
}

}  // namespace hathi::catalog
