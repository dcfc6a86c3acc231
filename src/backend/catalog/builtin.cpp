#include "src/backend/catalog/builtin.h"

#include <functional>

#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"
#include "src/backend/catalog/builtin_tables.h"
#include "src/backend/catalog/data.h"

namespace hathi::catalog::builtin {

Tables& tables() {
  static Tables* instance = new Tables;  // lives as long as the process
  return *instance;
}

void HashIndex::reserve(std::size_t n) {
  std::size_t size = 16;
  while (size < n * 2) size *= 2;
  slots_.assign(size, Slot{});
  mask_ = size - 1;
}

void HashIndex::add(std::uint64_t hash, std::uint32_t row) {
  std::size_t i = hash & mask_;
  while (slots_[i].row_plus_1 != 0) i = (i + 1) & mask_;
  slots_[i] = {static_cast<std::uint32_t>(hash >> 32), row + 1};
}

std::uint64_t hash_text(std::string_view text) { return std::hash<std::string_view>()(text); }

std::uint64_t hash_oids(Oid a, Oid b, Oid c, std::uint32_t d) {
  auto mix = [](std::uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 29;
    h *= 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
  };
  std::uint64_t h = mix((static_cast<std::uint64_t>(raw(a)) << 32) | raw(b));
  return mix(h ^ ((static_cast<std::uint64_t>(raw(c)) << 32) | d));
}

namespace {

std::span<const Oid> copy_oids(Arena& arena, std::string_view text, char separator) {
  std::vector<std::string_view> parts = data::split(text, separator);
  Oid* oids = arena.make_array<Oid>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) oids[i] = Oid{data::parse_number(parts[i])};
  return {oids, parts.size()};
}

void read_function(data::Reader& in, Tables& t) {
  static const std::size_t c_oid = in.position("oid"), c_name = in.position("proname"), c_cost = in.position("procost"), c_rows = in.position("prorows"),
                           c_variadic = in.position("provariadic"), c_support = in.position("prosupport"), c_kind = in.position("prokind"),
                           c_leak = in.position("proleakproof"), c_strict = in.position("proisstrict"), c_set = in.position("proretset"),
                           c_volatile = in.position("provolatile"), c_parallel = in.position("proparallel"), c_result = in.position("prorettype"),
                           c_args = in.position("proargtypes"), c_all = in.position("proallargtypes"), c_modes = in.position("proargmodes"),
                           c_names = in.position("proargnames"), c_defaults = in.position("defaults"), c_source = in.position("prosrc"),
                           c_public = in.position("public_execute"), c_granted = in.position("granted");
  FunctionInfo f;
  f.oid = in.oid(c_oid);
  f.name = in.text(c_name);
  f.schema = kPgCatalogNamespace;
  f.owner = kBootstrapSuperuser;
  f.language = Oid{12};
  f.result = in.oid(c_result);
  f.variadic = in.oid(c_variadic);
  f.support = in.oid(c_support);
  f.kind = in.letter(c_kind);
  f.strict = in.flag(c_strict);
  f.returns_set = in.flag(c_set);
  f.leakproof = in.flag(c_leak);
  f.volatility = in.letter(c_volatile);
  f.parallel = in.letter(c_parallel);
  f.cost = in.real(c_cost);
  f.rows = in.real(c_rows);
  f.arguments = copy_oids(t.arena, in.text(c_args), ' ');
  if (!in.is_null(c_all)) {
    std::string_view text = in.text(c_all);
    f.all_arguments = copy_oids(t.arena, text.substr(1, text.size() - 2), ',');
  }
  if (!in.is_null(c_modes)) f.modes = in.text(c_modes);
  if (!in.is_null(c_names)) {
    std::vector<std::string_view> names = data::array_elements(in.text(c_names));
    auto* copy = t.arena.make_array<std::string_view>(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) copy[i] = names[i];
    f.names = {copy, names.size()};
  }
  FunctionExtra extra{};
  if (!in.is_null(c_defaults)) {
    extra.defaults = in.text(c_defaults);
    f.defaults = static_cast<int>(data::split(extra.defaults, '|').size());
  }
  f.source = in.is_null(c_source) ? f.name : in.text(c_source);
  extra.public_execute = in.flag(c_public);
  if (!in.is_null(c_granted)) extra.granted_roles = in.text(c_granted);
  t.functions.push_back(f);
  t.function_extras.push_back(extra);
}

void load_functions(Tables& t) {
  data::Reader in(data::pg_proc);
  t.functions.reserve(3300);
  t.function_extras.reserve(3300);
  while (in.next()) read_function(in, t);
  t.function_names.reserve(t.functions.size());
  for (std::uint32_t i = 0; i < t.functions.size(); ++i) {
    t.function_rows.set(t.functions[i].oid, i);
    t.function_names.add(hash_text(t.functions[i].name), i);
  }
}

void load_operators(Tables& t) {
  data::Reader in(data::pg_operator);
  auto c = [&](const char* name) { return in.position(name); };
  std::size_t oid = c("oid"), name = c("oprname"), kind = c("oprkind"), merge = c("oprcanmerge"), hash = c("oprcanhash"), left = c("oprleft"),
              right = c("oprright"), result = c("oprresult"), com = c("oprcom"), negate = c("oprnegate"), code = c("oprcode"), rest = c("oprrest"),
              join = c("oprjoin");
  while (in.next()) {
    OperatorInfo o;
    o.oid = in.oid(oid);
    o.name = in.text(name);
    o.schema = kPgCatalogNamespace;
    o.kind = in.letter(kind);
    o.left = in.oid(left);
    o.right = in.oid(right);
    o.result = in.oid(result);
    o.commutator = in.oid(com);
    o.negator = in.oid(negate);
    o.function = in.oid(code);
    o.restriction = in.oid(rest);
    o.join = in.oid(join);
    o.can_merge = in.flag(merge);
    o.can_hash = in.flag(hash);
    t.operators.push_back(o);
  }
  t.operator_names.reserve(t.operators.size());
  t.operator_signatures.reserve(t.operators.size());
  for (std::uint32_t i = 0; i < t.operators.size(); ++i) {
    const OperatorInfo& o = t.operators[i];
    t.operator_rows.set(o.oid, i);
    t.operator_names.add(hash_text(o.name), i);
    t.operator_signatures.add(hash_text(o.name) ^ hash_oids(o.left, o.right), i);
  }
}

void load_casts_and_aggregates(Tables& t) {
  data::Reader in(data::pg_cast);
  while (in.next()) t.casts.push_back({in.oid(0), in.oid(1), in.oid(2), in.oid(3), in.letter(4), in.letter(5)});
  t.cast_pairs.reserve(t.casts.size());
  for (std::uint32_t i = 0; i < t.casts.size(); ++i) t.cast_pairs.add(hash_oids(t.casts[i].source, t.casts[i].target), i);

  data::Reader aggregates(data::pg_aggregate);
  auto c = [&](const char* name) { return aggregates.position(name); };
  while (aggregates.next()) {
    AggregateInfo a;
    auto oid = [&](const char* name) { return aggregates.oid(c(name)); };
    a.function = oid("aggfnoid");
    a.kind = aggregates.letter(c("aggkind"));
    a.direct_args = static_cast<int>(aggregates.number(c("aggnumdirectargs")));
    a.transition = oid("aggtransfn");
    a.final = oid("aggfinalfn");
    a.combine = oid("aggcombinefn");
    a.serialize = oid("aggserialfn");
    a.deserialize = oid("aggdeserialfn");
    a.moving_transition = oid("aggmtransfn");
    a.moving_inverse = oid("aggminvtransfn");
    a.moving_final = oid("aggmfinalfn");
    a.sort_operator = oid("aggsortop");
    a.transition_type = oid("aggtranstype");
    a.moving_type = oid("aggmtranstype");
    a.final_extra = aggregates.flag(c("aggfinalextra"));
    a.moving_final_extra = aggregates.flag(c("aggmfinalextra"));
    a.final_modify = aggregates.letter(c("aggfinalmodify"));
    if (!aggregates.is_null(c("agginitval"))) a.initial = aggregates.text(c("agginitval"));
    if (!aggregates.is_null(c("aggminitval"))) a.moving_initial = aggregates.text(c("aggminitval"));
    t.aggregates.push_back(a);
    t.aggregate_spaces.push_back(static_cast<std::int32_t>(aggregates.signed_number(c("aggtransspace"))));
    t.aggregate_spaces.push_back(static_cast<std::int32_t>(aggregates.signed_number(c("aggmtransspace"))));
  }
  t.aggregate_functions.reserve(t.aggregates.size());
  for (std::uint32_t i = 0; i < t.aggregates.size(); ++i) t.aggregate_functions.add(hash_oids(t.aggregates[i].function), i);
}

void load_families(Tables& t) {
  data::Reader families(data::pg_opfamily);
  while (families.next()) t.operator_families.push_back({families.oid(0), families.oid(1), families.text(2)});
  data::Reader classes(data::pg_opclass);
  while (classes.next()) {
    t.operator_classes.push_back({classes.oid(0), classes.oid(1), classes.oid(3), classes.oid(4), classes.oid(6), classes.text(2), kPgCatalogNamespace,
                                  classes.flag(5)});
  }
  data::Reader amop(data::pg_amop);
  while (amop.next()) {
    t.family_operators.push_back({amop.oid(0), amop.oid(1), amop.oid(2), amop.oid(3), static_cast<int>(amop.number(4)), amop.letter(5), amop.oid(6),
                                  amop.oid(7), amop.oid(8)});
  }
  data::Reader amproc(data::pg_amproc);
  while (amproc.next()) {
    t.family_functions.push_back({amproc.oid(0), amproc.oid(1), amproc.oid(2), amproc.oid(3), static_cast<int>(amproc.number(4)), amproc.oid(5)});
  }
  t.family_rows.reserve(t.operator_families.size());
  for (std::uint32_t i = 0; i < t.operator_families.size(); ++i) t.family_rows.add(hash_oids(t.operator_families[i].oid), i);
  t.class_rows.reserve(t.operator_classes.size());
  t.class_names.reserve(t.operator_classes.size());
  for (std::uint32_t i = 0; i < t.operator_classes.size(); ++i) {
    t.class_rows.add(hash_oids(t.operator_classes[i].oid), i);
    t.class_names.add(hash_text(t.operator_classes[i].name), i);
  }
  t.family_operator_keys.reserve(t.family_operators.size());
  for (std::uint32_t i = 0; i < t.family_operators.size(); ++i) {
    const FamilyOperator& o = t.family_operators[i];
    t.family_operator_keys.add(hash_oids(o.family, o.left, o.right, static_cast<std::uint32_t>(o.strategy)), i);
  }
  t.family_function_keys.reserve(t.family_functions.size());
  for (std::uint32_t i = 0; i < t.family_functions.size(); ++i) {
    const FamilyFunction& f = t.family_functions[i];
    t.family_function_keys.add(hash_oids(f.family, f.left, f.right, static_cast<std::uint32_t>(f.number)), i);
  }
}

// Groups the b-tree and hash memberships of each operator.
void load_memberships(Tables& t) {
  t.members.reserve(t.family_operators.size());
  t.member_ranges.assign(t.operators.size(), {0, 0});
  for (std::uint32_t i = 0; i < t.operators.size(); ++i) {
    auto first = static_cast<std::uint32_t>(t.members.size());
    for (const FamilyOperator& m : t.family_operators) {
      if (m.op == t.operators[i].oid && m.purpose == 's' && (m.method == kBTreeAccessMethod || m.method == kHashAccessMethod)) {
        t.members.push_back({m.family, m.method, m.left, m.right, m.strategy});
      }
    }
    t.member_ranges[i] = {first, static_cast<std::uint32_t>(t.members.size()) - first};
  }
}

void load_small(Tables& t) {
  data::Reader collations(data::pg_collation);
  while (collations.next()) {
    auto text = [&](std::size_t i) { return collations.is_null(i) ? std::string_view() : collations.text(i); };
    t.collations.push_back({collations.oid(0), collations.text(1), kPgCatalogNamespace, collations.letter(2), collations.flag(3),
                            static_cast<int>(collations.signed_number(4)), text(5), text(6), text(7)});
  }
  t.collation_names.reserve(t.collations.size());
  for (std::uint32_t i = 0; i < t.collations.size(); ++i) t.collation_names.add(hash_text(t.collations[i].name), i);
  data::Reader methods(data::pg_am);
  while (methods.next()) t.access_methods.push_back({methods.oid(0), methods.text(1), methods.oid(2), methods.letter(3)});
  data::Reader languages(data::pg_language);
  while (languages.next()) t.languages.push_back({languages.oid(0), languages.text(1), languages.flag(2), languages.oid(3)});
  data::Reader ranges(data::pg_range);
  while (ranges.next()) {
    t.ranges.push_back({ranges.oid(0), ranges.oid(1), ranges.oid(2), ranges.oid(3), ranges.oid(4), ranges.oid(5), ranges.oid(6)});
  }
  data::Reader roles(data::pg_authid);
  while (roles.next()) t.roles.push_back({roles.oid(0), roles.text(1)});
  data::Reader members(data::pg_auth_members);
  while (members.next()) t.memberships.push_back({members.oid(0), members.oid(1)});
}

}  // namespace

void load() {
  Tables& t = tables();
  if (t.loaded) return;
  load_functions(t);
  load_operators(t);
  load_casts_and_aggregates(t);
  load_families(t);
  load_memberships(t);
  load_small(t);
  load_types(t);
  t.loaded = true;
  derive_type_operators(t);
}

bool is_loaded() { return tables().loaded; }

}  // namespace hathi::catalog::builtin
