#include "domains.h"

#include <algorithm>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"

namespace hathi::executor {

std::vector<DomainConstraint> domain_constraints(Oid domain, Arena& arena) {
  std::vector<DomainConstraint> all;
  std::vector<Oid> chain;
  for (Oid type = domain; catalog::type_info(type).kind == 'd'; type = catalog::type_info(type).base) chain.push_back(type);
  std::reverse(chain.begin(), chain.end());
  if (chain.empty()) return all;
  catalog::CatalogTable constraints(catalog_oid::pg_constraint, locking::LockMode::access_share);
  for (Oid type : chain) {
    if (catalog::type_info(type).not_null) all.push_back({type, {}, nullptr});
    std::size_t first = all.size();
    catalog::CatalogKey key{catalog::pg_constraint::contypid, Datum::of(type)};
    constraints.scan({&key, 1}, arena, [&](catalog::CatalogRow& row) {
      if (row.get(catalog::pg_constraint::contype).as_char() != 'c') return true;
      const nodes::Expr* check = nodes::expr_from_text(varlena::text(row.get(catalog::pg_constraint::conbin), arena), arena);
      all.push_back({type, arena.copy(name_text(row.get(catalog::pg_constraint::conname))), check});
      return true;
    });
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  return all;
}

void throw_domain_not_null(Oid domain, std::string_view name) {
  throw SqlError(sqlstate::not_null_violation, "domain {} does not allow null values", name)
      .schema(catalog::schema_name(catalog::type_info(domain).schema))
      .datatype(catalog::type_info(domain).name);
}

void throw_domain_check(Oid domain, std::string_view name, std::string_view constraint) {
  throw SqlError(sqlstate::check_violation, "value for domain {} violates check constraint \"{}\"", name, constraint)
      .schema(catalog::schema_name(catalog::type_info(domain).schema))
      .datatype(catalog::type_info(domain).name)
      .constraint(constraint);
}

}  // namespace hathi::executor
