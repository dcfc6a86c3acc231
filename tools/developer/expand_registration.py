#!/usr/bin/env python3
"""Fills in registration tables of src/backend/types.

A table entry `@int4pl` (or `@int48eq=eq<std::int32_t, std::int64_t>`, `@generate_series_int4:set_per_call`, `@#879=lpad_blank`) is
replaced by one line `{Oid{177}, fn<int4pl>},` for every pg_proc row of a stock PostgreSQL whose implementation has that name (after
'#': whose OID is that). Usage: expand_registration.py [psql options --] FILE...; options default to `-h /tmp -p 5433 -U postgres`.
"""
import re
import subprocess
import sys


def load(options):
    query = "select oid, prosrc, proname from pg_proc where oid < 16384 and prolang in (12, 14) order by oid"
    rows = subprocess.run(["psql", *options, "-XAtF", "\t", "-c", query], check=True, capture_output=True, text=True).stdout
    table = {}
    for row in rows.split("\n"):
        if re.match(r"^\d+\t\w+\t", row):
            oid, source, _ = row.split("\t")
            table.setdefault(source, []).append(int(oid))
    return table


def expand(path, table):
    missing = []
    with open(path) as file:
        text = file.read()

    def replace(match):
        indent, name, kind, function = match.group(1), match.group(2), match.group(3), match.group(4)
        if name.startswith("#"):
            oids = [int(name[1:])]
        else:
            oids = table.get(name, [])
            if not oids:
                missing.append(name)
        function = (function or name).strip()
        suffix = f", FunctionKind::{kind}" if kind else ""
        return "".join(f"{indent}{{Oid{{{oid}}}, fn<{function}>{suffix}}},\n" for oid in oids)

    result = re.sub(r"^( *)@(#?\w+)(?::(\w+))?(?:=(.*?))?,?\n", replace, text, flags=re.M)
    if missing:
        print(f"{path}: not in pg_proc: {' '.join(missing)}", file=sys.stderr)
    if result != text:
        with open(path, "w") as file:
            file.write(result)


def main():
    arguments = sys.argv[1:]
    options = ["-h", "/tmp", "-p", "5433", "-U", "postgres"]
    if "--" in arguments:
        options, arguments = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    table = load(options)
    for path in arguments:
        expand(path, table)


if __name__ == "__main__":
    main()
