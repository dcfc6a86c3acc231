#include "hathi/catalog/object_classes.h"

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/columns.h"

namespace hathi::catalog {

namespace {

constexpr ObjectClass kClasses[] = {
    {catalog_oid::pg_class, pg_class::relname, pg_class::relnamespace, pg_class::relowner, pg_class::relacl, 'r', "table"},
    {catalog_oid::pg_proc, pg_proc::proname, pg_proc::pronamespace, pg_proc::proowner, pg_proc::proacl, 'f', "function"},
    {catalog_oid::pg_type, pg_type::typname, pg_type::typnamespace, pg_type::typowner, pg_type::typacl, 'T', "type"},
    {catalog_oid::pg_namespace, pg_namespace::nspname, 0, pg_namespace::nspowner, pg_namespace::nspacl, 'n', "schema"},
    {catalog_oid::pg_database, pg_database::datname, 0, pg_database::datdba, pg_database::datacl, 'd', "database"},
    {catalog_oid::pg_tablespace, pg_tablespace::spcname, 0, pg_tablespace::spcowner, pg_tablespace::spcacl, 't', "tablespace"},
    {catalog_oid::pg_language, pg_language::lanname, 0, pg_language::lanowner, pg_language::lanacl, 'l', "language"},
    {catalog_oid::pg_foreign_data_wrapper, pg_foreign_data_wrapper::fdwname, 0, pg_foreign_data_wrapper::fdwowner, pg_foreign_data_wrapper::fdwacl, 'F',
     "foreign-data wrapper"},
    {catalog_oid::pg_foreign_server, pg_foreign_server::srvname, 0, pg_foreign_server::srvowner, pg_foreign_server::srvacl, 'S', "foreign server"},
    {catalog_oid::pg_largeobject_metadata, 0, 0, pg_largeobject_metadata::lomowner, pg_largeobject_metadata::lomacl, 'L', "large object"},
    {catalog_oid::pg_operator, pg_operator::oprname, pg_operator::oprnamespace, pg_operator::oprowner, 0, '\0', "operator"},
    {catalog_oid::pg_opclass, pg_opclass::opcname, pg_opclass::opcnamespace, pg_opclass::opcowner, 0, '\0', "operator class"},
    {catalog_oid::pg_opfamily, pg_opfamily::opfname, pg_opfamily::opfnamespace, pg_opfamily::opfowner, 0, '\0', "operator family"},
    {catalog_oid::pg_collation, pg_collation::collname, pg_collation::collnamespace, pg_collation::collowner, 0, '\0', "collation"},
    {catalog_oid::pg_conversion, pg_conversion::conname, pg_conversion::connamespace, pg_conversion::conowner, 0, '\0', "conversion"},
    {catalog_oid::pg_statistic_ext, pg_statistic_ext::stxname, pg_statistic_ext::stxnamespace, pg_statistic_ext::stxowner, 0, '\0', "statistics object"},
    {catalog_oid::pg_event_trigger, pg_event_trigger::evtname, 0, pg_event_trigger::evtowner, 0, '\0', "event trigger"},
    {catalog_oid::pg_extension, pg_extension::extname, 0, pg_extension::extowner, 0, '\0', "extension"},
    {catalog_oid::pg_publication, pg_publication::pubname, 0, pg_publication::pubowner, 0, '\0', "publication"},
    {catalog_oid::pg_subscription, pg_subscription::subname, 0, pg_subscription::subowner, 0, '\0', "subscription"},
    {catalog_oid::pg_ts_dict, pg_ts_dict::dictname, pg_ts_dict::dictnamespace, pg_ts_dict::dictowner, 0, '\0', "text search dictionary"},
    {catalog_oid::pg_ts_config, pg_ts_config::cfgname, pg_ts_config::cfgnamespace, pg_ts_config::cfgowner, 0, '\0', "text search configuration"},
    {catalog_oid::pg_ts_parser, pg_ts_parser::prsname, pg_ts_parser::prsnamespace, 0, 0, '\0', "text search parser"},
    {catalog_oid::pg_ts_template, pg_ts_template::tmplname, pg_ts_template::tmplnamespace, 0, 0, '\0', "text search template"},
    {catalog_oid::pg_authid, pg_authid::rolname, 0, 0, 0, '\0', "role"},
    {catalog_oid::pg_am, pg_am::amname, 0, 0, 0, '\0', "access method"},
    {catalog_oid::pg_constraint, pg_constraint::conname, pg_constraint::connamespace, 0, 0, '\0', "constraint"},
    {catalog_oid::pg_trigger, pg_trigger::tgname, 0, 0, 0, '\0', "trigger"},
    {catalog_oid::pg_rewrite, pg_rewrite::rulename, 0, 0, 0, '\0', "rule"},
    {catalog_oid::pg_policy, pg_policy::polname, 0, 0, 0, '\0', "policy"},
    {catalog_oid::pg_parameter_acl, 0, 0, 0, pg_parameter_acl::paracl, 'p', "parameter"},
};

}  // namespace

const ObjectClass* object_class(Oid catalog) {
  for (const ObjectClass& c : kClasses) {
    if (c.catalog == catalog) return &c;
  }
  return nullptr;
}

}  // namespace hathi::catalog
