// Users' operators, casts, operator classes and families.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "src/backend/catalog/change_notes.h"
#include "src/backend/catalog/object_cache.h"
#include "src/backend/catalog/user_readers.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

bool load_operator(std::uint64_t key, Arena& arena, OperatorInfo& o) {
  using namespace pg_operator;
  Arena scratch(1024);
  auto row = CatalogTable(catalog_oid::pg_operator, kRead).find({{pg_operator::oid, Datum(key)}}, scratch);
  if (!row) return false;
  auto oid_of = [&](AttrNumber column) { return row->get(column).as_oid(); };
  o.oid = oid_of(pg_operator::oid);
  o.name = arena.copy(name_text(row->get(oprname)));
  o.schema = oid_of(oprnamespace);
  o.kind = row->get(oprkind).as_char();
  o.left = oid_of(oprleft);
  o.right = oid_of(oprright);
  o.result = oid_of(oprresult);
  o.commutator = oid_of(oprcom);
  o.negator = oid_of(oprnegate);
  o.function = oid_of(oprcode);
  o.restriction = oid_of(oprrest);
  o.join = oid_of(oprjoin);
  o.can_merge = row->get(oprcanmerge).as_bool();
  o.can_hash = row->get(oprcanhash).as_bool();
  return true;
}

bool load_cast(std::uint64_t key, Arena&, CastInfo& c) {
  using namespace pg_cast;
  Arena scratch(512);
  auto row = CatalogTable(catalog_oid::pg_cast, kRead).find({{castsource, Datum(key >> 32)}, {casttarget, Datum(key & 0xFFFFFFFFu)}}, scratch);
  if (!row) return false;
  c = {row->get(pg_cast::oid).as_oid(), row->get(castsource).as_oid(), row->get(casttarget).as_oid(), row->get(castfunc).as_oid(),
       row->get(castcontext).as_char(), row->get(castmethod).as_char()};
  return true;
}

// Are there casts besides the built-in ones? Asked all the time when types are resolved, and nearly always answered no: processes
// tell each other by the memory of absent names.
struct AnyCast { bool exists; };
bool load_any_cast(std::uint64_t, Arena&, AnyCast& any) {
  std::uint32_t slot = versions::slot_of_name(catalog_oid::pg_cast, kWholeCatalog);
  versions::Stamp stamp = versions::stamp(slot);
  any.exists = false;
  versions::NamedOids told;
  if (versions::recall_name(slot, current_database(), catalog_oid::pg_cast, kWholeCatalog, stamp, told) && !is_valid(told.object)) return true;
  Arena scratch(16384);
  CatalogTable(catalog_oid::pg_cast, kRead).scan({}, scratch, [&](CatalogRow& row) {
    any.exists = raw(row.get(pg_cast::oid).as_oid()) >= raw(kFirstNormalOid);
    return !any.exists;
  });
  if (!any.exists) versions::remember_name(slot, current_database(), catalog_oid::pg_cast, kWholeCatalog, stamp, {});
  return true;
}

bool load_operator_class(std::uint64_t key, Arena& arena, OperatorClassInfo& c) {
  using namespace pg_opclass;
  Arena scratch(512);
  auto row = CatalogTable(catalog_oid::pg_opclass, kRead).find({{pg_opclass::oid, Datum(key)}}, scratch);
  if (!row) return false;
  c = {row->get(pg_opclass::oid).as_oid(), row->get(opcmethod).as_oid(), row->get(opcfamily).as_oid(), row->get(opcintype).as_oid(),
       row->get(opckeytype).as_oid(), arena.copy(name_text(row->get(opcname))), row->get(opcnamespace).as_oid(), row->get(opcdefault).as_bool()};
  return true;
}

struct DefaultClass { Oid oid; };
bool load_default_class(std::uint64_t key, Arena&, DefaultClass& c) {
  using namespace pg_opclass;
  Arena scratch(2048);
  Oid type{static_cast<std::uint32_t>(key & 0xFFFFFFFFu)};
  bool found = false;
  CatalogTable(catalog_oid::pg_opclass, kRead).scan(std::vector<CatalogKey>{{opcmethod, Datum(key >> 32)}}, scratch, [&](CatalogRow& row) {
    if (row.get(opcintype).as_oid() != type || !row.get(opcdefault).as_bool()) return true;
    c.oid = row.get(pg_opclass::oid).as_oid();
    found = true;
    return false;
  });
  return found;
}

// All operators and functions of a family.
struct Family {
  struct Operator { Oid left, right; int strategy; Oid op; };
  struct Function { Oid left, right; int number; Oid function; };
  std::span<const Operator> operators;
  std::span<const Function> functions;
};
bool load_family(std::uint64_t key, Arena& arena, Family& family) {
  Arena scratch(4096);
  std::vector<Family::Operator> operators;
  std::vector<Family::Function> functions;
  CatalogTable(catalog_oid::pg_amop, kRead).scan(std::vector<CatalogKey>{{pg_amop::amopfamily, Datum(key)}}, scratch, [&](CatalogRow& row) {
    using namespace pg_amop;
    if (row.get(amoppurpose).as_char() == 's') {
      operators.push_back({row.get(amoplefttype).as_oid(), row.get(amoprighttype).as_oid(), row.get(amopstrategy).as_int16(), row.get(amopopr).as_oid()});
    }
    return true;
  });
  CatalogTable(catalog_oid::pg_amproc, kRead).scan(std::vector<CatalogKey>{{pg_amproc::amprocfamily, Datum(key)}}, scratch, [&](CatalogRow& row) {
    using namespace pg_amproc;
    functions.push_back({row.get(amproclefttype).as_oid(), row.get(amprocrighttype).as_oid(), row.get(amprocnum).as_int16(), row.get(amproc).as_oid()});
    return true;
  });
  auto* ops = arena.make_array<Family::Operator>(operators.size());
  std::copy(operators.begin(), operators.end(), ops);
  auto* procs = arena.make_array<Family::Function>(functions.size());
  std::copy(functions.begin(), functions.end(), procs);
  family = {{ops, operators.size()}, {procs, functions.size()}};
  return true;
}

struct Memberships { std::span<const FamilyMember> members; };
bool load_memberships(std::uint64_t key, Arena& arena, Memberships& out) {
  Arena scratch(1024);
  std::vector<FamilyMember> found;
  CatalogTable(catalog_oid::pg_amop, kRead).scan(std::vector<CatalogKey>{{pg_amop::amopopr, Datum(key)}}, scratch, [&](CatalogRow& row) {
    using namespace pg_amop;
    Oid method = row.get(amopmethod).as_oid();
    if (row.get(amoppurpose).as_char() == 's' && (method == kBTreeAccessMethod || method == kHashAccessMethod)) {
      found.push_back({row.get(amopfamily).as_oid(), method, row.get(amoplefttype).as_oid(), row.get(amoprighttype).as_oid(),
                       row.get(amopstrategy).as_int16()});
    }
    return true;
  });
  auto* copy = arena.make_array<FamilyMember>(found.size());
  std::copy(found.begin(), found.end(), copy);
  out.members = {copy, found.size()};
  return true;
}

ObjectCache<OperatorInfo> operators(load_operator);
ObjectCache<CastInfo> casts(load_cast);
ObjectCache<AnyCast> any_cast(load_any_cast);
ObjectCache<OperatorClassInfo> classes(load_operator_class);
ObjectCache<DefaultClass> default_classes(load_default_class);
ObjectCache<Family> families(load_family);
ObjectCache<Memberships> memberships(load_memberships);

std::uint64_t pair(Oid a, Oid b) { return static_cast<std::uint64_t>(raw(a)) << 32 | raw(b); }
const Family& family_of(Oid oid) { return *families.find(raw(oid), versions::slot_of(catalog_oid::pg_opfamily, oid)); }

bool is_builtin_oid(Oid oid) { return raw(oid) < 12000; }

}  // namespace

void add_operator_readers(UserObjects& readers) {
  readers.op = [](Oid oid) { return operators.find(raw(oid), versions::slot_of(catalog_oid::pg_operator, oid)); };
  readers.cast = [](Oid source, Oid target) -> const CastInfo* {
    static const std::uint32_t any_slot = versions::slot_of_name(catalog_oid::pg_cast, kWholeCatalog);
    if (!any_cast.find(0, any_slot)->exists) return nullptr;
    return casts.find(pair(source, target), cast_slot(source, target));
  };
  readers.operator_class = [](Oid oid) { return classes.find(raw(oid), versions::slot_of(catalog_oid::pg_opclass, oid)); };
  readers.default_operator_class = [](Oid type, Oid method) {
    if (is_builtin_oid(type)) return kInvalidOid;  // built-in types keep to built-in classes
    const DefaultClass* found = default_classes.find(pair(method, type), versions::slot_of(catalog_oid::pg_opclass, kInvalidOid));
    return found == nullptr ? kInvalidOid : found->oid;
  };
  readers.family_operator = [](Oid family, Oid left, Oid right, int strategy) {
    if (is_builtin_oid(family) && is_builtin_oid(left) && is_builtin_oid(right)) return kInvalidOid;
    for (const Family::Operator& o : family_of(family).operators) {
      if (o.left == left && o.right == right && o.strategy == strategy) return o.op;
    }
    return kInvalidOid;
  };
  readers.family_function = [](Oid family, Oid left, Oid right, int number) {
    if (is_builtin_oid(family) && is_builtin_oid(left) && is_builtin_oid(right)) return kInvalidOid;
    for (const Family::Function& f : family_of(family).functions) {
      if (f.left == left && f.right == right && f.number == number) return f.function;
    }
    return kInvalidOid;
  };
  readers.operator_families = [](Oid op) { return memberships.find(raw(op), versions::slot_of(catalog_oid::pg_operator, op))->members; };
}

void end_operator_caches() {
  operators.end_of_transaction();
  casts.end_of_transaction();
  any_cast.end_of_transaction();
  classes.end_of_transaction();
  default_classes.end_of_transaction();
  families.end_of_transaction();
  memberships.end_of_transaction();
}

}  // namespace hathi::catalog
