#!/usr/bin/env python3
"""Records what a stock PostgreSQL 15 answers to calls of built-in functions, for test/unit/types.

  record_type_answers.py [--limit N] [--seed N] -o OUT.expected (--table SOURCE.cpp ... | --cases FILE.cases ...)
  record_type_answers.py --types -o types.tsv

--table calls every function registered in the given sources (lines with Oid{N}) with combinations of telling values.
A line of a .cases file is tab-separated: pg_proc.prosrc or proname or #oid, then `type:value` for each argument (`type` alone = NULL).
`set NAME VALUE` lines change a setting for what follows.
Output lines, tab-separated with \\t \\n \\\\ escapes:
  oid strict result_type nargs (type value)... status text      status: = value, N null, or a SQLSTATE with its message
With --aggregates each line of a file is `aggregate<TAB>type…<TAB>row<TAB>row…`, a row being values separated by `;` (N = NULL); output:
  aggregate transition final transition_type initial strict nargs type… nrows value… status text
A NULL argument's value is \\N. Rows of set-returning functions are joined by |.
"""
import argparse
import itertools
import random
import re
import subprocess
import sys

PSQL = ["psql", "-h", "/tmp", "-p", "5433", "-U", "postgres", "-XAtq"]

VALUES = {
    "bool": ["t", "f"],
    "int2": ["0", "1", "-1", "7", "32767", "-32768"],
    "int4": ["0", "1", "-1", "3", "42", "-7", "2147483647", "-2147483648"],
    "int8": ["0", "1", "-1", "12345", "-7", "4294967296", "9223372036854775807", "-9223372036854775808"],
    "float4": ["0", "1", "-1.5", "0.1", "3.14159", "1e30", "-1e-30", "NaN", "Infinity", "-Infinity"],
    "float8": ["0", "-0", "1", "0.5", "-1.5", "0.1", "30", "45", "-90", "2.71828", "12345678.9", "1e300", "-1e-300", "NaN", "Infinity", "-Infinity"],
    "numeric": ["0", "1", "-1", "0.5", "2", "-2.50", "123.456", "99999999999999999999.9999", "1e-10", "1234567890123456789012345678", "NaN", "Infinity", "-Infinity"],
    "text": ["", "a", "abc", "Hello World", "äöüß€", " pad  ", "xyxxyy", "O'Reilly \\ \"q\"", "日本語", "abcabcabc"],
    "varchar": ["", "abc", "Hello", "äö "],
    "bpchar": ["", "abc", "abc  ", "Hello", "äö"],
    "char": ["", "a", "Z", "~"],
    "name": ["abc", "pg_class", "Some Name"],
    "bytea": ["", "\\x00", "\\x616263", "\\xdeadbeef", "\\x01020304050607080910", "\\xff00"],
    "oid": ["0", "1", "25", "4294967295"],
    "xid": ["0", "3", "100", "4294967295"],
    "xid8": ["0", "3", "100", "18446744073709551615"],
    "cid": ["0", "5", "4294967295"],
    "tid": ["(0,1)", "(5,7)", "(4294967295,65535)"],
    "uuid": ["00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "date": ["2000-01-01", "2024-02-29", "1999-12-31", "0044-03-15 BC", "infinity", "-infinity", "5874897-12-31"],
    "time": ["00:00:00", "12:34:56.789", "23:59:59.999999", "24:00:00"],
    "timetz": ["00:00:00+00", "12:34:56.789+02", "23:59:59-08:30"],
    "timestamp": ["2000-01-01 00:00:00", "2024-02-29 12:34:56.789", "1969-07-20 20:17:40", "0044-03-15 00:00:00 BC", "infinity", "-infinity", "294276-12-31 23:59:59.999999"],
    "timestamptz": ["2000-01-01 00:00:00+00", "2024-02-29 12:34:56.789+02", "1969-07-20 20:17:40-05", "infinity", "-infinity"],
    "interval": ["0", "1 day", "1 year 2 months 3 days 04:05:06.789", "-1 month 15 days", "36:00:00", "-100 years", "00:00:00.000001"],
    "bit": ["", "0", "1", "10110", "00001111"],
    "varbit": ["", "1", "10110", "000011110"],
    "cstring": ["", "0", "1", " 42 ", "-17", "abc", "1.5", "1e10", "99999999999999999999", "NaN", "t", "yes", "infinity"],
    "_int4": ["{}", "{1,2,3}", "{3,1,NULL}", "{{1,2},{3,4}}", "[2:3]={5,6}"],
    "_text": ["{}", "{a,b,c}", "{\"x y\",NULL}", "{{a,b},{c,d}}"],
    "int2vector": ["", "1", "1 2 3"],
    "oidvector": ["", "25", "23 25"],
    "pg_lsn": ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"],
    "pg_snapshot": ["10:20:10,14,15", "1:1:"],
    "jsonb": ["{}", "[]", "null", "{\"a\": 1, \"b\": [1, 2, {\"c\": null}]}", "[1, \"x\", true]", "\"s\"", "12.50"],
    "json": ["{}", "[1, 2]", "{\"a\" : 1, \"b\":[true,null]}", "\"s\""],
    "money": ["0", "12.34", "-1000.50"],
    "inet": ["192.168.0.1/24", "10.0.0.1", "::1", "2001:db8::/32"],
    "cidr": ["192.168.0.0/24", "10.0.0.0/8", "2001:db8::/32"],
    "macaddr": ["08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"],
    "macaddr8": ["08:00:2b:01:02:03:04:05"],
    "point": ["(0,0)", "(1.5,-2)"],
}

# Answers that depend on the day or the process, or on undefined behaviour.
NOT_REPEATABLE = {1386, 2059}
UNDEFINED_AT_EXTREMES = {"make_date", "make_interval"}

SETUP = r"""
create or replace function pg_temp.answer(query text) returns table(status text, answer text, type oid) language plpgsql as $$
declare r record;
begin
  execute query into r;
  type := r.t;
  if r.v is null then status := 'N'; answer := ''; else status := '='; answer := r.v; end if;
  return next;
exception when others then
  get stacked diagnostics answer = message_text;
  status := sqlstate;
  return next;
end $$;
"""


def psql(sql):
    result = subprocess.run(PSQL + ["-F", "\t"], input=sql, capture_output=True, text=True)
    return result.stdout, result.stderr


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def literal(value):
    return "E'" + value.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + "'"


def load_catalog():
    out, _ = psql("select oid, prosrc, proname, proargtypes::text, prorettype, proisstrict, proretset, provolatile, provariadic "
                  "from pg_proc where oid < 16384 and prokind = 'f' and prosrc !~ E'\\n' and proname !~ '^(pg_stat|ts_)'")
    functions = []
    for row in out.strip().split("\n"):
        f = row.split("\t")
        functions.append(dict(oid=int(f[0]), source=f[1], name=f[2], args=[int(a) for a in f[3].split()], result=int(f[4]),
                              strict=f[5] == "t", set=f[6] == "t", volatile=f[7] == "v", variadic=f[8] != "0"))
    out, _ = psql("select oid, typname, format_type(oid, null) from pg_type where oid < 16384")
    types, names = {}, {}
    for row in out.strip().split("\n"):
        oid, name, sql = row.split("\t")
        types[name] = (int(oid), sql)
        names[int(oid)] = name
    return functions, types, names


def split_argument(text):
    name, colon, value = text.partition(":")
    return (name, value if colon else None)


def accepts(function, arguments, types, names):
    """Could these argument types be meant for the function (polymorphic ones included)?"""
    declared = function["args"]
    if function["variadic"] and names[declared[-1]] == "any":
        if len(arguments) < len(declared) - 1:
            return False
        declared = declared[:-1] + [declared[-1]] * (len(arguments) - len(declared) + 1)
    if len(declared) != len(arguments):
        return False
    for oid, (name, _) in zip(declared, arguments):
        wanted = names[oid]
        if oid == types[name][0] or wanted in ("any", "anyelement", "anycompatible"):
            continue
        if wanted in ("anyarray", "anycompatiblearray") and name.startswith("_"):
            continue
        if wanted in ("anynonarray", "anycompatiblenonarray") and not name.startswith("_"):
            continue
        return False
    return True


def make_call(function, arguments, types):
    parts = []
    for i, (name, value) in enumerate(arguments):
        text = "NULL" if value is None else literal(value)
        part = f"{text}::{types[name][1] if name != 'bit' else 'varbit::bit(' + str(len(value or '0') or 1) + ')'}" if name != "bpchar" else f"{text}::bpchar"
        if name == "bit":
            part = f"{text}::varbit::bit({len(value)})" if value else f"{text}::varbit"
        if name == "char":
            part = f"{text}::\"char\""
        if function["variadic"] and i == len(arguments) - 1 and name.startswith("_"):
            part = "variadic " + part
        parts.append(part)
    call = f"pg_catalog.\"{function['name']}\"({', '.join(parts)})"
    if function["set"]:
        return f"select string_agg(case when x is null then '\\N' else format('%s', x) end, '|') as v, min(pg_typeof(x)::oid) as t from {call} x"
    return f"select case when x is null and x::text is null then null else format('%s', x) end as v, pg_typeof(x)::oid as t from {call} x"


def generate(paths, functions, names, limit, seed):
    wanted = []
    for path in paths:
        with open(path) as file:
            wanted += [int(n) for n in re.findall(r"\{Oid\{(\d+)\}, fn<", file.read())]
    by_oid = {f["oid"]: f for f in functions}
    for oid in wanted:
        function = by_oid.get(oid)
        if function is None or function["volatile"] or function["set"] or oid in NOT_REPEATABLE:
            continue
        arguments = [names[a] for a in function["args"]]
        if any(a not in VALUES for a in arguments):
            continue
        choices = [[(a, v) for v in VALUES[a]] for a in arguments]
        count = 1
        for c in choices:
            count *= len(c)
        if count <= limit:
            combinations = itertools.product(*choices)
        else:
            source = random.Random(f"{seed}/{oid}")
            combinations = (tuple(source.choice(c) for c in choices) for _ in range(limit))
        for combination in dict.fromkeys(combinations):
            if function["source"] in UNDEFINED_AT_EXTREMES and any(v in ("-2147483648", "1e300") for _, v in combination):
                continue
            yield function, list(combination)


def read_cases(paths, functions, types, names):
    for path in paths:
        with open(path) as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n")
                if not line or line.startswith("--"):
                    continue
                if line.startswith("set "):
                    yield "set", line.split(None, 2)[1:]
                    continue
                fields = [re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m.group(1), m.group(1)), f) for f in line.split("\t")]
                arguments = [split_argument(f) for f in fields[1:]]
                found = [f for f in functions if (fields[0] == f"#{f['oid']}" or fields[0] in (f["source"], f["name"])) and
                         accepts(f, arguments, types, names)]
                if not found:
                    print(f"{path}:{number}: no such function: {line}", file=sys.stderr)
                    continue
                yield found[0], arguments


def record(cases, types, out):
    settings = ["set datestyle = 'ISO, MDY'", "set timezone = 'UTC'", "set intervalstyle = 'postgres'", "set bytea_output = 'hex'"]
    batches = []
    for function, arguments in cases:
        batches.append((function, arguments))
    sql = [SETUP] + [s + ";" for s in settings]
    for function, arguments in batches:
        if function == "set":
            sql.append(f"set {arguments[0]} = '{arguments[1]}';")
        else:
            sql.append(f"select status, coalesce(type, 0), replace(replace(replace(replace(answer, E'\\\\', E'\\\\\\\\'), E'\\t', E'\\\\t'), E'\\n', E'\\\\n'), E'\\r', E'\\\\r') from pg_temp.answer({literal(make_call(function, arguments, types))});")
    output, errors = psql("\n".join(sql))
    if errors:
        print(errors[:2000], file=sys.stderr)
    answers = output.split("\n")
    at = 0
    with open(out, "w") as file:
        for function, arguments in batches:
            if function == "set":
                file.write(f"set\t{arguments[0]}\t{arguments[1]}\n")
                continue
            status, type_oid, text = answers[at].split("\t", 2)
            at += 1
            if "has unsupported return type" in text or status == "XX000" or function["result"] == 2281 or function["name"] == "btvarstrequalimage":
                continue
            if len(text) > 4000:
                continue
            fields = [str(function["oid"]), "t" if function["strict"] else "f", type_oid if type_oid != "0" else str(function["result"]), str(len(arguments))]
            for name, value in arguments:
                fields += [str(types[name][0]), "\\N" if value is None else escape(value)]
            file.write("\t".join(fields + [status, text]) + "\n")


def record_aggregates(paths, types, out):
    known, _ = psql("select p.proname, p.proargtypes::text, a.aggtransfn::oid, a.aggfinalfn::oid, a.aggtranstype, coalesce(a.agginitval, '\\N'), t.proisstrict, p.prorettype "
                    "from pg_aggregate a join pg_proc p on p.oid = a.aggfnoid join pg_proc t on t.oid = a.aggtransfn where a.aggkind = 'n'")
    facts = {}
    polymorphic = {"2776": "any", "2277": "array"}
    for row in known.strip().split("\n"):
        f = row.split("\t")
        facts[(f[0], f[1])] = f[2:]
    lines, sql = [], [SETUP]
    for path in paths:
        for line in open(path):
            line = line.rstrip("\n")
            if not line or line.startswith("--"):
                continue
            name, argument_types, *rows = line.split("\t")
            argument_types = argument_types.split(",")
            oids = " ".join(str(types[t][0]) for t in argument_types)
            fact = facts.get((name, oids)) or facts.get((name, "2776" if not argument_types[0].startswith("_") else "2277"))
            if fact is None:
                print(f"{path}: no such aggregate: {line}", file=sys.stderr)
                continue
            values = []
            for row in rows:
                cells = row.split(";")
                values.append([None if c == "N" else c for c in cells])
            columns = ", ".join(f"c{i}" for i in range(len(argument_types)))
            body = ", ".join("(" + str(k) + ", " + ", ".join(("NULL" if c is None else literal(c)) + "::" + types[t][1] for c, t in zip(v, argument_types)) + ")" for k, v in enumerate(values))
            source = f"(select * from (values {body}) v(k, {columns}) order by k) v" if values else \
                "(select " + ", ".join(f"null::{types[t][1]} c{i}" for i, t in enumerate(argument_types)) + " limit 0) v"
            query = f"select format('%s', x) as v, pg_typeof(x)::oid as t from (select {name}({columns}) x from {source}) s where x is not null union all select null, 0 limit 1"
            sql.append(f"select status, coalesce(type, 0), replace(replace(answer, E'\\\\', E'\\\\\\\\'), E'\\n', E'\\\\n') from pg_temp.answer({literal(query)});")
            fields = ["aggregate", *fact[:5], str(len(argument_types))] + [str(types[t][0]) for t in argument_types] + [str(len(values))]
            for v in values:
                fields += ["\\N" if c is None else escape(c) for c in v]
            lines.append((fields, fact[5]))
    output, errors = psql("\n".join(sql))
    if errors:
        print(errors[:2000], file=sys.stderr)
    with open(out, "w") as file:
        for (fields, result), answer in zip(lines, output.split("\n")):
            status, type_oid, text = answer.split("\t", 2)
            file.write("\t".join(fields + [type_oid if type_oid != "0" else result, status, text]) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", required=True)
    parser.add_argument("--types", action="store_true")
    parser.add_argument("--table", nargs="*", default=[])
    parser.add_argument("--cases", nargs="*", default=[])
    parser.add_argument("--aggregates", nargs="*", default=[])
    parser.add_argument("--limit", type=int, default=12)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    if options.types:
        out, _ = psql("select oid, typname, typinput::oid, typoutput::oid, typlen, typbyval, typalign, typelem, typarray, typsend::oid, "
                      "typreceive::oid, typdelim from pg_type where oid < 10000 and typinput <> 0 order by oid")
        with open(options.o, "w") as file:
            file.write(out)
        return
    functions, types, names = load_catalog()
    if options.aggregates:
        record_aggregates(options.aggregates, types, options.o)
        return
    cases = list(generate(options.table, functions, names, options.limit, options.seed)) + list(read_cases(options.cases, functions, types, names))
    record(cases, types, options.o)


if __name__ == "__main__":
    main()
