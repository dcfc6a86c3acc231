#pragma once
// The columns of the catalogs by number, as PostgreSQL 15 has them. Written by tools/developer/dump_catalog_data.py.

#include "hathi/base/ids.h"

namespace hathi::catalog {

namespace pg_aggregate {
inline constexpr AttrNumber aggfnoid = 1, aggkind = 2, aggnumdirectargs = 3, aggtransfn = 4, aggfinalfn = 5, aggcombinefn = 6,
    aggserialfn = 7, aggdeserialfn = 8, aggmtransfn = 9, aggminvtransfn = 10, aggmfinalfn = 11, aggfinalextra = 12, aggmfinalextra = 13,
    aggfinalmodify = 14, aggmfinalmodify = 15, aggsortop = 16, aggtranstype = 17, aggtransspace = 18, aggmtranstype = 19, aggmtransspace
    = 20, agginitval = 21, aggminitval = 22;
inline constexpr int column_count = 22;
}  // namespace pg_aggregate

namespace pg_am {
inline constexpr AttrNumber oid = 1, amname = 2, amhandler = 3, amtype = 4;
inline constexpr int column_count = 4;
}  // namespace pg_am

namespace pg_amop {
inline constexpr AttrNumber oid = 1, amopfamily = 2, amoplefttype = 3, amoprighttype = 4, amopstrategy = 5, amoppurpose = 6, amopopr = 7,
    amopmethod = 8, amopsortfamily = 9;
inline constexpr int column_count = 9;
}  // namespace pg_amop

namespace pg_amproc {
inline constexpr AttrNumber oid = 1, amprocfamily = 2, amproclefttype = 3, amprocrighttype = 4, amprocnum = 5, amproc = 6;
inline constexpr int column_count = 6;
}  // namespace pg_amproc

namespace pg_attrdef {
inline constexpr AttrNumber oid = 1, adrelid = 2, adnum = 3, adbin = 4;
inline constexpr int column_count = 4;
}  // namespace pg_attrdef

namespace pg_attribute {
inline constexpr AttrNumber attrelid = 1, attname = 2, atttypid = 3, attstattarget = 4, attlen = 5, attnum = 6, attndims = 7, attcacheoff
    = 8, atttypmod = 9, attbyval = 10, attalign = 11, attstorage = 12, attcompression = 13, attnotnull = 14, atthasdef = 15,
    atthasmissing = 16, attidentity = 17, attgenerated = 18, attisdropped = 19, attislocal = 20, attinhcount = 21, attcollation = 22,
    attacl = 23, attoptions = 24, attfdwoptions = 25, attmissingval = 26;
inline constexpr int column_count = 26;
}  // namespace pg_attribute

namespace pg_auth_members {
inline constexpr AttrNumber roleid = 1, member = 2, grantor = 3, admin_option = 4;
inline constexpr int column_count = 4;
}  // namespace pg_auth_members

namespace pg_authid {
inline constexpr AttrNumber oid = 1, rolname = 2, rolsuper = 3, rolinherit = 4, rolcreaterole = 5, rolcreatedb = 6, rolcanlogin = 7,
    rolreplication = 8, rolbypassrls = 9, rolconnlimit = 10, rolpassword = 11, rolvaliduntil = 12;
inline constexpr int column_count = 12;
}  // namespace pg_authid

namespace pg_cast {
inline constexpr AttrNumber oid = 1, castsource = 2, casttarget = 3, castfunc = 4, castcontext = 5, castmethod = 6;
inline constexpr int column_count = 6;
}  // namespace pg_cast

namespace pg_class {
inline constexpr AttrNumber oid = 1, relname = 2, relnamespace = 3, reltype = 4, reloftype = 5, relowner = 6, relam = 7, relfilenode = 8,
    reltablespace = 9, relpages = 10, reltuples = 11, relallvisible = 12, reltoastrelid = 13, relhasindex = 14, relisshared = 15,
    relpersistence = 16, relkind = 17, relnatts = 18, relchecks = 19, relhasrules = 20, relhastriggers = 21, relhassubclass = 22,
    relrowsecurity = 23, relforcerowsecurity = 24, relispopulated = 25, relreplident = 26, relispartition = 27, relrewrite = 28,
    relfrozenxid = 29, relminmxid = 30, relacl = 31, reloptions = 32, relpartbound = 33;
inline constexpr int column_count = 33;
}  // namespace pg_class

namespace pg_collation {
inline constexpr AttrNumber oid = 1, collname = 2, collnamespace = 3, collowner = 4, collprovider = 5, collisdeterministic = 6,
    collencoding = 7, collcollate = 8, collctype = 9, colliculocale = 10, collversion = 11;
inline constexpr int column_count = 11;
}  // namespace pg_collation

namespace pg_constraint {
inline constexpr AttrNumber oid = 1, conname = 2, connamespace = 3, contype = 4, condeferrable = 5, condeferred = 6, convalidated = 7,
    conrelid = 8, contypid = 9, conindid = 10, conparentid = 11, confrelid = 12, confupdtype = 13, confdeltype = 14, confmatchtype = 15,
    conislocal = 16, coninhcount = 17, connoinherit = 18, conkey = 19, confkey = 20, conpfeqop = 21, conppeqop = 22, conffeqop = 23,
    confdelsetcols = 24, conexclop = 25, conbin = 26;
inline constexpr int column_count = 26;
}  // namespace pg_constraint

namespace pg_conversion {
inline constexpr AttrNumber oid = 1, conname = 2, connamespace = 3, conowner = 4, conforencoding = 5, contoencoding = 6, conproc = 7,
    condefault = 8;
inline constexpr int column_count = 8;
}  // namespace pg_conversion

namespace pg_database {
inline constexpr AttrNumber oid = 1, datname = 2, datdba = 3, encoding = 4, datlocprovider = 5, datistemplate = 6, datallowconn = 7,
    datconnlimit = 8, datfrozenxid = 9, datminmxid = 10, dattablespace = 11, datcollate = 12, datctype = 13, daticulocale = 14,
    datcollversion = 15, datacl = 16;
inline constexpr int column_count = 16;
}  // namespace pg_database

namespace pg_db_role_setting {
inline constexpr AttrNumber setdatabase = 1, setrole = 2, setconfig = 3;
inline constexpr int column_count = 3;
}  // namespace pg_db_role_setting

namespace pg_default_acl {
inline constexpr AttrNumber oid = 1, defaclrole = 2, defaclnamespace = 3, defaclobjtype = 4, defaclacl = 5;
inline constexpr int column_count = 5;
}  // namespace pg_default_acl

namespace pg_depend {
inline constexpr AttrNumber classid = 1, objid = 2, objsubid = 3, refclassid = 4, refobjid = 5, refobjsubid = 6, deptype = 7;
inline constexpr int column_count = 7;
}  // namespace pg_depend

namespace pg_description {
inline constexpr AttrNumber objoid = 1, classoid = 2, objsubid = 3, description = 4;
inline constexpr int column_count = 4;
}  // namespace pg_description

namespace pg_enum {
inline constexpr AttrNumber oid = 1, enumtypid = 2, enumsortorder = 3, enumlabel = 4;
inline constexpr int column_count = 4;
}  // namespace pg_enum

namespace pg_event_trigger {
inline constexpr AttrNumber oid = 1, evtname = 2, evtevent = 3, evtowner = 4, evtfoid = 5, evtenabled = 6, evttags = 7;
inline constexpr int column_count = 7;
}  // namespace pg_event_trigger

namespace pg_extension {
inline constexpr AttrNumber oid = 1, extname = 2, extowner = 3, extnamespace = 4, extrelocatable = 5, extversion = 6, extconfig = 7,
    extcondition = 8;
inline constexpr int column_count = 8;
}  // namespace pg_extension

namespace pg_foreign_data_wrapper {
inline constexpr AttrNumber oid = 1, fdwname = 2, fdwowner = 3, fdwhandler = 4, fdwvalidator = 5, fdwacl = 6, fdwoptions = 7;
inline constexpr int column_count = 7;
}  // namespace pg_foreign_data_wrapper

namespace pg_foreign_server {
inline constexpr AttrNumber oid = 1, srvname = 2, srvowner = 3, srvfdw = 4, srvtype = 5, srvversion = 6, srvacl = 7, srvoptions = 8;
inline constexpr int column_count = 8;
}  // namespace pg_foreign_server

namespace pg_foreign_table {
inline constexpr AttrNumber ftrelid = 1, ftserver = 2, ftoptions = 3;
inline constexpr int column_count = 3;
}  // namespace pg_foreign_table

namespace pg_index {
inline constexpr AttrNumber indexrelid = 1, indrelid = 2, indnatts = 3, indnkeyatts = 4, indisunique = 5, indnullsnotdistinct = 6,
    indisprimary = 7, indisexclusion = 8, indimmediate = 9, indisclustered = 10, indisvalid = 11, indcheckxmin = 12, indisready = 13,
    indislive = 14, indisreplident = 15, indkey = 16, indcollation = 17, indclass = 18, indoption = 19, indexprs = 20, indpred = 21;
inline constexpr int column_count = 21;
}  // namespace pg_index

namespace pg_inherits {
inline constexpr AttrNumber inhrelid = 1, inhparent = 2, inhseqno = 3, inhdetachpending = 4;
inline constexpr int column_count = 4;
}  // namespace pg_inherits

namespace pg_init_privs {
inline constexpr AttrNumber objoid = 1, classoid = 2, objsubid = 3, privtype = 4, initprivs = 5;
inline constexpr int column_count = 5;
}  // namespace pg_init_privs

namespace pg_language {
inline constexpr AttrNumber oid = 1, lanname = 2, lanowner = 3, lanispl = 4, lanpltrusted = 5, lanplcallfoid = 6, laninline = 7,
    lanvalidator = 8, lanacl = 9;
inline constexpr int column_count = 9;
}  // namespace pg_language

namespace pg_largeobject {
inline constexpr AttrNumber loid = 1, pageno = 2, data = 3;
inline constexpr int column_count = 3;
}  // namespace pg_largeobject

namespace pg_largeobject_metadata {
inline constexpr AttrNumber oid = 1, lomowner = 2, lomacl = 3;
inline constexpr int column_count = 3;
}  // namespace pg_largeobject_metadata

namespace pg_namespace {
inline constexpr AttrNumber oid = 1, nspname = 2, nspowner = 3, nspacl = 4;
inline constexpr int column_count = 4;
}  // namespace pg_namespace

namespace pg_opclass {
inline constexpr AttrNumber oid = 1, opcmethod = 2, opcname = 3, opcnamespace = 4, opcowner = 5, opcfamily = 6, opcintype = 7, opcdefault
    = 8, opckeytype = 9;
inline constexpr int column_count = 9;
}  // namespace pg_opclass

namespace pg_operator {
inline constexpr AttrNumber oid = 1, oprname = 2, oprnamespace = 3, oprowner = 4, oprkind = 5, oprcanmerge = 6, oprcanhash = 7, oprleft =
    8, oprright = 9, oprresult = 10, oprcom = 11, oprnegate = 12, oprcode = 13, oprrest = 14, oprjoin = 15;
inline constexpr int column_count = 15;
}  // namespace pg_operator

namespace pg_opfamily {
inline constexpr AttrNumber oid = 1, opfmethod = 2, opfname = 3, opfnamespace = 4, opfowner = 5;
inline constexpr int column_count = 5;
}  // namespace pg_opfamily

namespace pg_parameter_acl {
inline constexpr AttrNumber oid = 1, parname = 2, paracl = 3;
inline constexpr int column_count = 3;
}  // namespace pg_parameter_acl

namespace pg_partitioned_table {
inline constexpr AttrNumber partrelid = 1, partstrat = 2, partnatts = 3, partdefid = 4, partattrs = 5, partclass = 6, partcollation = 7,
    partexprs = 8;
inline constexpr int column_count = 8;
}  // namespace pg_partitioned_table

namespace pg_policy {
inline constexpr AttrNumber oid = 1, polname = 2, polrelid = 3, polcmd = 4, polpermissive = 5, polroles = 6, polqual = 7, polwithcheck =
    8;
inline constexpr int column_count = 8;
}  // namespace pg_policy

namespace pg_proc {
inline constexpr AttrNumber oid = 1, proname = 2, pronamespace = 3, proowner = 4, prolang = 5, procost = 6, prorows = 7, provariadic = 8,
    prosupport = 9, prokind = 10, prosecdef = 11, proleakproof = 12, proisstrict = 13, proretset = 14, provolatile = 15, proparallel =
    16, pronargs = 17, pronargdefaults = 18, prorettype = 19, proargtypes = 20, proallargtypes = 21, proargmodes = 22, proargnames = 23,
    proargdefaults = 24, protrftypes = 25, prosrc = 26, probin = 27, prosqlbody = 28, proconfig = 29, proacl = 30;
inline constexpr int column_count = 30;
}  // namespace pg_proc

namespace pg_publication {
inline constexpr AttrNumber oid = 1, pubname = 2, pubowner = 3, puballtables = 4, pubinsert = 5, pubupdate = 6, pubdelete = 7,
    pubtruncate = 8, pubviaroot = 9;
inline constexpr int column_count = 9;
}  // namespace pg_publication

namespace pg_publication_namespace {
inline constexpr AttrNumber oid = 1, pnpubid = 2, pnnspid = 3;
inline constexpr int column_count = 3;
}  // namespace pg_publication_namespace

namespace pg_publication_rel {
inline constexpr AttrNumber oid = 1, prpubid = 2, prrelid = 3, prqual = 4, prattrs = 5;
inline constexpr int column_count = 5;
}  // namespace pg_publication_rel

namespace pg_range {
inline constexpr AttrNumber rngtypid = 1, rngsubtype = 2, rngmultitypid = 3, rngcollation = 4, rngsubopc = 5, rngcanonical = 6,
    rngsubdiff = 7;
inline constexpr int column_count = 7;
}  // namespace pg_range

namespace pg_replication_origin {
inline constexpr AttrNumber roident = 1, roname = 2;
inline constexpr int column_count = 2;
}  // namespace pg_replication_origin

namespace pg_rewrite {
inline constexpr AttrNumber oid = 1, rulename = 2, ev_class = 3, ev_type = 4, ev_enabled = 5, is_instead = 6, ev_qual = 7, ev_action = 8;
inline constexpr int column_count = 8;
}  // namespace pg_rewrite

namespace pg_seclabel {
inline constexpr AttrNumber objoid = 1, classoid = 2, objsubid = 3, provider = 4, label = 5;
inline constexpr int column_count = 5;
}  // namespace pg_seclabel

namespace pg_sequence {
inline constexpr AttrNumber seqrelid = 1, seqtypid = 2, seqstart = 3, seqincrement = 4, seqmax = 5, seqmin = 6, seqcache = 7, seqcycle =
    8;
inline constexpr int column_count = 8;
}  // namespace pg_sequence

namespace pg_shdepend {
inline constexpr AttrNumber dbid = 1, classid = 2, objid = 3, objsubid = 4, refclassid = 5, refobjid = 6, deptype = 7;
inline constexpr int column_count = 7;
}  // namespace pg_shdepend

namespace pg_shdescription {
inline constexpr AttrNumber objoid = 1, classoid = 2, description = 3;
inline constexpr int column_count = 3;
}  // namespace pg_shdescription

namespace pg_shseclabel {
inline constexpr AttrNumber objoid = 1, classoid = 2, provider = 3, label = 4;
inline constexpr int column_count = 4;
}  // namespace pg_shseclabel

namespace pg_statistic {
inline constexpr AttrNumber starelid = 1, staattnum = 2, stainherit = 3, stanullfrac = 4, stawidth = 5, stadistinct = 6, stakind1 = 7,
    stakind2 = 8, stakind3 = 9, stakind4 = 10, stakind5 = 11, staop1 = 12, staop2 = 13, staop3 = 14, staop4 = 15, staop5 = 16, stacoll1 =
    17, stacoll2 = 18, stacoll3 = 19, stacoll4 = 20, stacoll5 = 21, stanumbers1 = 22, stanumbers2 = 23, stanumbers3 = 24, stanumbers4 =
    25, stanumbers5 = 26, stavalues1 = 27, stavalues2 = 28, stavalues3 = 29, stavalues4 = 30, stavalues5 = 31;
inline constexpr int column_count = 31;
}  // namespace pg_statistic

namespace pg_statistic_ext {
inline constexpr AttrNumber oid = 1, stxrelid = 2, stxname = 3, stxnamespace = 4, stxowner = 5, stxstattarget = 6, stxkeys = 7, stxkind =
    8, stxexprs = 9;
inline constexpr int column_count = 9;
}  // namespace pg_statistic_ext

namespace pg_statistic_ext_data {
inline constexpr AttrNumber stxoid = 1, stxdinherit = 2, stxdndistinct = 3, stxddependencies = 4, stxdmcv = 5, stxdexpr = 6;
inline constexpr int column_count = 6;
}  // namespace pg_statistic_ext_data

namespace pg_subscription {
inline constexpr AttrNumber oid = 1, subdbid = 2, subskiplsn = 3, subname = 4, subowner = 5, subenabled = 6, subbinary = 7, substream =
    8, subtwophasestate = 9, subdisableonerr = 10, subconninfo = 11, subslotname = 12, subsynccommit = 13, subpublications = 14;
inline constexpr int column_count = 14;
}  // namespace pg_subscription

namespace pg_subscription_rel {
inline constexpr AttrNumber srsubid = 1, srrelid = 2, srsubstate = 3, srsublsn = 4;
inline constexpr int column_count = 4;
}  // namespace pg_subscription_rel

namespace pg_tablespace {
inline constexpr AttrNumber oid = 1, spcname = 2, spcowner = 3, spcacl = 4, spcoptions = 5;
inline constexpr int column_count = 5;
}  // namespace pg_tablespace

namespace pg_transform {
inline constexpr AttrNumber oid = 1, trftype = 2, trflang = 3, trffromsql = 4, trftosql = 5;
inline constexpr int column_count = 5;
}  // namespace pg_transform

namespace pg_trigger {
inline constexpr AttrNumber oid = 1, tgrelid = 2, tgparentid = 3, tgname = 4, tgfoid = 5, tgtype = 6, tgenabled = 7, tgisinternal = 8,
    tgconstrrelid = 9, tgconstrindid = 10, tgconstraint = 11, tgdeferrable = 12, tginitdeferred = 13, tgnargs = 14, tgattr = 15, tgargs =
    16, tgqual = 17, tgoldtable = 18, tgnewtable = 19;
inline constexpr int column_count = 19;
}  // namespace pg_trigger

namespace pg_ts_config {
inline constexpr AttrNumber oid = 1, cfgname = 2, cfgnamespace = 3, cfgowner = 4, cfgparser = 5;
inline constexpr int column_count = 5;
}  // namespace pg_ts_config

namespace pg_ts_config_map {
inline constexpr AttrNumber mapcfg = 1, maptokentype = 2, mapseqno = 3, mapdict = 4;
inline constexpr int column_count = 4;
}  // namespace pg_ts_config_map

namespace pg_ts_dict {
inline constexpr AttrNumber oid = 1, dictname = 2, dictnamespace = 3, dictowner = 4, dicttemplate = 5, dictinitoption = 6;
inline constexpr int column_count = 6;
}  // namespace pg_ts_dict

namespace pg_ts_parser {
inline constexpr AttrNumber oid = 1, prsname = 2, prsnamespace = 3, prsstart = 4, prstoken = 5, prsend = 6, prsheadline = 7, prslextype =
    8;
inline constexpr int column_count = 8;
}  // namespace pg_ts_parser

namespace pg_ts_template {
inline constexpr AttrNumber oid = 1, tmplname = 2, tmplnamespace = 3, tmplinit = 4, tmpllexize = 5;
inline constexpr int column_count = 5;
}  // namespace pg_ts_template

namespace pg_type {
inline constexpr AttrNumber oid = 1, typname = 2, typnamespace = 3, typowner = 4, typlen = 5, typbyval = 6, typtype = 7, typcategory = 8,
    typispreferred = 9, typisdefined = 10, typdelim = 11, typrelid = 12, typsubscript = 13, typelem = 14, typarray = 15, typinput = 16,
    typoutput = 17, typreceive = 18, typsend = 19, typmodin = 20, typmodout = 21, typanalyze = 22, typalign = 23, typstorage = 24,
    typnotnull = 25, typbasetype = 26, typtypmod = 27, typndims = 28, typcollation = 29, typdefaultbin = 30, typdefault = 31, typacl = 32;
inline constexpr int column_count = 32;
}  // namespace pg_type

namespace pg_user_mapping {
inline constexpr AttrNumber oid = 1, umuser = 2, umserver = 3, umoptions = 4;
inline constexpr int column_count = 4;
}  // namespace pg_user_mapping

}  // namespace hathi::catalog
