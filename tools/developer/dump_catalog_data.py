#!/usr/bin/env python3
"""Reads the built-in objects of a stock PostgreSQL 15 (libpq environment: PGHOST, PGPORT, PGUSER) as facts and writes
src/backend/catalog/data/*.dat and src/include/hathi/catalog/columns.h. Run it in a database nobody has changed.

A .dat file: the first line names the columns, every other line is a row in COPY text format.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, 'src/backend/catalog/data')
HEADER = os.path.join(ROOT, 'src/include/hathi/catalog/columns.h')


def copy(sql):
    result = subprocess.run(['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', f'COPY ({sql}) TO STDOUT'], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f'{sql}\n{result.stderr}')
    return result.stdout


def write(name, columns, source):
    """columns: parts separated by semicolons, each a list of column names or one name=expression."""
    items = [c.strip() for c in columns.replace('\n', ' ').split(';') if c.strip()]
    names, expressions = [], []
    for item in items:
        if '=' in item and not item.startswith('='):
            n, e = item.split('=', 1)
        else:
            n, e = item, item
        for part in (n.split() if e == item else [n]):
            names.append(part)
        expressions += e.split() if e == item else [e]
    rows = copy(f"SELECT {', '.join(expressions)} {source}")
    with open(os.path.join(DATA, name + '.dat'), 'w') as f:
        f.write('\t'.join(names) + '\n')
        f.write(rows)
    print(f'{name}: {rows.count(chr(10))} rows, {len(rows)} bytes')


BUILTIN_TYPES = """(SELECT t.oid FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid LEFT JOIN pg_type e ON e.oid = t.typelem
  LEFT JOIN pg_class ec ON ec.oid = e.typrelid
  WHERE t.typnamespace = 11 AND t.oid < 12000 AND coalesce(c.relkind, 'r') <> 'v' AND coalesce(ec.relkind, 'r') <> 'v')"""

CATALOGS = "relnamespace = 11 AND relkind = 'r' AND c.oid < 12000"


def dump_catalogs():
    write('catalogs', """oid=c.oid; relname; reltype; relisshared; reltoastrelid;
      toastindex=coalesce((SELECT indexrelid FROM pg_index WHERE indrelid = c.reltoastrelid), 0);
      mapped=relfilenode = 0;
      public_read=relacl IS NULL OR relacl::text LIKE '%,=r/%';
      columns=(SELECT string_agg(attname || ' ' || atttypid || ' ' || attnotnull::int || ' ' || attstorage::text || ' ' || attcollation || ' ' || attndims, ','
         ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0)""",
          f'FROM pg_class c WHERE {CATALOGS} ORDER BY c.oid')
    write('indexes', """oid=c.oid; relname; indrelid; indisunique; indisprimary; indkey; indclass; indcollation; indoption;
      constraint=coalesce((SELECT oid FROM pg_constraint WHERE conindid = c.oid), 0);
      constrainttype=(SELECT contype FROM pg_constraint WHERE conindid = c.oid)""",
          f"""FROM pg_index i JOIN pg_class c ON c.oid = indexrelid
          WHERE indrelid IN (SELECT oid FROM pg_class c WHERE {CATALOGS}) ORDER BY c.oid""")
    # Column-level grants of public on catalogs whose whole row is not readable.
    write('column_grants', 'attrelid attname', f"""FROM pg_attribute WHERE attacl IS NOT NULL
          AND attrelid IN (SELECT oid FROM pg_class c WHERE {CATALOGS}) ORDER BY attrelid, attnum""")


def dump_objects():
    write('pg_type', """oid typname typlen typbyval typtype typcategory typispreferred typisdefined typdelim typrelid;
      typsubscript=typsubscript::oid; typelem typarray; typinput=typinput::oid; typoutput=typoutput::oid; typreceive=typreceive::oid;
      typsend=typsend::oid; typmodin=typmodin::oid; typmodout=typmodout::oid; typanalyze=typanalyze::oid; typalign typstorage
      typcollation; typdefault""", f'FROM pg_type WHERE oid IN {BUILTIN_TYPES} ORDER BY oid')
    write('pg_proc', """oid proname procost prorows provariadic; prosupport=prosupport::oid; prokind prosecdef proleakproof proisstrict
      proretset provolatile proparallel prorettype proargtypes proallargtypes;
      proargmodes=array_to_string(proargmodes, ''); proargnames;
      defaults=(SELECT string_agg(format('%s %s', format_type(coalesce(p.proallargtypes[n], proargtypes[n-1]), null)::regtype::oid,
          coalesce(trim('''' from regexp_replace(pg_get_function_arg_default(p.oid, n), '::.*$', '')), '')), '|' ORDER BY n)
          FROM generate_series(1, coalesce(array_length(proallargtypes, 1), pronargs)) n WHERE pg_get_function_arg_default(p.oid, n) IS NOT NULL);
      prosrc=CASE WHEN prolang = 12 THEN nullif(prosrc, proname::text) END;
      public_execute=proacl IS NULL OR proacl::text LIKE '{=X/%' OR proacl::text LIKE '%,=X/%';
      granted=(SELECT string_agg(a.grantee::text, ' ') FROM aclexplode(proacl) a WHERE grantee NOT IN (0, 10))""",
          "FROM pg_proc p WHERE pronamespace = 11 AND oid < 12000 AND prolang <> 13 ORDER BY oid")
    write('pg_operator', """oid oprname oprkind oprcanmerge oprcanhash oprleft oprright oprresult oprcom oprnegate; oprcode=oprcode::oid;
      oprrest=oprrest::oid; oprjoin=oprjoin::oid""", 'FROM pg_operator WHERE oid < 12000 ORDER BY oid')
    write('pg_cast', 'oid castsource casttarget castfunc castcontext castmethod', 'FROM pg_cast WHERE oid < 12000 ORDER BY oid')
    write('pg_aggregate', """aggfnoid=aggfnoid::oid; aggkind aggnumdirectargs;
      aggtransfn=aggtransfn::oid; aggfinalfn=aggfinalfn::oid; aggcombinefn=aggcombinefn::oid;
      aggserialfn=aggserialfn::oid; aggdeserialfn=aggdeserialfn::oid; aggmtransfn=aggmtransfn::oid;
      aggminvtransfn=aggminvtransfn::oid; aggmfinalfn=aggmfinalfn::oid;
      aggfinalextra aggmfinalextra aggfinalmodify aggmfinalmodify aggsortop aggtranstype aggtransspace
      aggmtranstype aggmtransspace agginitval aggminitval""", 'FROM pg_aggregate ORDER BY aggfnoid::oid')
    write('pg_am', 'oid amname; amhandler=amhandler::oid; amtype', 'FROM pg_am WHERE oid < 12000 ORDER BY oid')
    write('pg_opfamily', 'oid opfmethod opfname', 'FROM pg_opfamily WHERE oid < 12000 ORDER BY oid')
    write('pg_opclass', 'oid opcmethod opcname opcfamily opcintype opcdefault opckeytype', 'FROM pg_opclass WHERE oid < 12000 ORDER BY oid')
    write('pg_amop', 'oid amopfamily amoplefttype amoprighttype amopstrategy amoppurpose amopopr amopmethod amopsortfamily',
          'FROM pg_amop WHERE oid < 12000 ORDER BY oid')
    write('pg_amproc', 'oid amprocfamily amproclefttype amprocrighttype amprocnum; amproc=amproc::oid', 'FROM pg_amproc WHERE oid < 12000 ORDER BY oid')
    write('pg_collation', 'oid collname collprovider collisdeterministic collencoding collcollate collctype colliculocale',
          "FROM pg_collation WHERE oid < 13000 AND collname NOT LIKE 'C.%' ORDER BY oid")
    write('pg_language', 'oid lanname lanpltrusted lanvalidator', 'FROM pg_language WHERE oid < 12000 ORDER BY oid')
    write('pg_range', 'rngtypid rngsubtype rngmultitypid rngcollation rngsubopc; rngcanonical=rngcanonical::oid; rngsubdiff=rngsubdiff::oid',
          'FROM pg_range ORDER BY rngtypid')
    write('pg_authid', 'oid rolname rolsuper rolinherit rolcreaterole rolcreatedb rolcanlogin rolreplication rolbypassrls rolconnlimit',
          'FROM pg_authid WHERE oid < 12000 AND oid <> 10 ORDER BY oid')
    write('pg_auth_members', 'roleid member', 'FROM pg_auth_members WHERE roleid < 12000 AND member < 12000 ORDER BY 1, 2')


def write_header():
    rows = copy(f"""SELECT relname, string_agg(attname, ',' ORDER BY attnum) FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid
                    WHERE {CATALOGS} AND attnum > 0 GROUP BY relname ORDER BY relname""")
    reserved = {'oid': 'oid'}
    with open(HEADER, 'w') as f:
        f.write('#pragma once\n// The columns of the catalogs by number, as PostgreSQL 15 has them. Written by tools/developer/dump_catalog_data.py.\n\n'
                '#include "hathi/base/ids.h"\n\nnamespace hathi::catalog {\n\n')
        for line in rows.splitlines():
            name, columns = line.split('\t')
            f.write(f'namespace {name} {{\n')
            columns = columns.split(',')
            text = 'inline constexpr AttrNumber ' + ', '.join(f'{reserved.get(c, c)} = {i}' for i, c in enumerate(columns, 1)) + ';'
            while text:
                cut = len(text) if len(text) <= 138 else text.rfind(' ', 0, 138)
                f.write(text[:cut].rstrip() + '\n')
                text = text[cut:].strip()
                if text:
                    text = '    ' + text
            f.write(f'inline constexpr int column_count = {len(columns)};\n}}  // namespace {name}\n\n')
        f.write('}  // namespace hathi::catalog\n')


dump_catalogs()
dump_objects()
write_header()
