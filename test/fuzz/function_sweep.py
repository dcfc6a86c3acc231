#!/usr/bin/env python3
"""Every built-in function, aggregate, window function, operator, cast and input function with odd values; then statements made by rule.
function_sweep.py [--seconds N] [--seed N] [--calls N] [--statements N] [--only WORD]   PGHOST, PGPORT, PGUSER, PGDATABASE say where.
Any answer will do, but there must be one: status 1 when a backend ended, or gave no answer to a cancel."""
import argparse, os, random, re, struct, sys, time
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../protocol"))
import grammar, wire
from sweep_values import PSEUDO, STRANGE, VALUES

# They end sessions, wait, or change what all others see.
LEFT_OUT = re.compile(r"^(pg_(terminate|cancel)_backend|pg_sleep|pg_reload_conf|pg_rotate_logfile|pg_promote|pg_switch_wal|pg_create_restore_point|pg_(start|stop)_backup|pg_backup_.*|lo_(im|ex)port|pg_wal_replay.*|"
                      r"pg_advisory_(xact_)?lock(_shared)?|pg_log_backend_memory_contexts|setseed|set_config|pg_isolation_test.*)$")
SETUP = ("create table sweep_table (a int4 primary key, b int4, c text default 'x', d numeric, e date, check (b > 0 or b is null))",
    "create index sweep_table_b_idx on sweep_table (b, lower(c))",
         "insert into sweep_table select g, nullif(g % 5, 0) + 1, repeat('y', g), g / 3.0, date '2000-01-01' + g from generate_series(1, 20) g",
         "create view sweep_view as select a, sum(b) over (order by a) from sweep_table",
         "create sequence sweep_seq", "create table sweep_parts (a int4, b text) partition by hash (a)",
         "create table sweep_part_1 partition of sweep_parts for values with (modulus 2, remainder 0)",
         "create domain sweep_domain as int4 check (value > 0)", "analyze sweep_table")
RESET = ("rollback", "reset all", "select pg_advisory_unlock_all()")
PATIENCE = 120
FRAMES = ("", "rows between unbounded preceding and unbounded following", "rows 9223372036854775807 preceding",
    "rows between 1 preceding and 9223372036854775807 following exclude ties",
          "groups between 1 following and 9223372036854775807 following", "range between 1 preceding and 2147483647 following exclude current row",
          "rows between 0 preceding and 0 following exclude group")


def literal(text, type_name):
    if text.startswith("="):
        return "(" + text[1:] + ")"
    quoted = text.replace("'", "''")
    return ("'" + quoted + "'" if "\\" not in text else "e'" + quoted.replace("\\", "\\\\") + "'") + "::" + type_name


class Sweep:
    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.session_options = b"-c statement_timeout=%ds -c lock_timeout=500" % options.timeout
        self.count, self.codes, self.failed, self.slow = 0, {}, False, []
        self.connection = None
        self.log_in()
        for statement in SETUP:
            self.ask(statement)

    def log_in(self):
        self.connection = wire.Connection()
        self.connection.send(wire.startup_packet(3, 0, [(b"user", wire.USER.encode()), (b"database", wire.DATABASE.encode()),
            (b"options", self.session_options)]))
        return self.until_ready()

    def until_ready(self, keep=False):
        """The rows, or the SQLSTATE of the error; None when the session is gone."""
        rows, code = [], None
        while True:
            kind, body = self.connection.next(PATIENCE)
            if kind == "Z":
                return code if code is not None else rows
            if kind in ("closed", "silence"):
                return None
            if kind == "E":
                code = body.split(b"\0C", 1)[1][:5].decode()
            elif kind == "D" and keep:
                rows.append(body)
            elif kind == "G":
                self.connection.message("f", b"no\0")

    def ask(self, sql, keep=False):
        self.connection.message("Q", sql.encode(errors="surrogatepass") + b"\0")
        return self.until_ready(keep)

    def table(self, sql):
        out = []
        self.ask("set statement_timeout = 0")
        answer = self.ask(sql, keep=True)
        self.ask("reset statement_timeout")
        for body in answer if isinstance(answer, list) else []:
            reader = wire.Reader(body)
            out.append([None if n < 0 else reader.take(n).decode() for n in (reader.int32() for _ in range(reader.int16()))])
        return out

    def attempt(self, sql, send=None):
        self.count += 1
        began = time.monotonic()
        if send is None:
            answer = self.ask(sql)
        else:
            send()
            answer = self.until_ready()
        took = time.monotonic() - began
        if took > 10:
            self.slow.append((took, sql[:300]))
        if isinstance(answer, str):
            self.codes[answer] = self.codes.get(answer, 0) + 1
        if answer in ("XX001", "XX002") or answer == "XX000" and self.options.internal:
            print(f"internal error {answer}: {sql[:400]}", flush=True)
        if answer is None:
            self.failed = True
            print(f"the session was lost after {took:.1f} s: {sql[:1000]}", flush=True)
            for _ in range(100):
                time.sleep(0.3)
                try:
                    if self.log_in() is not None:
                        return False
                except OSError:
                    pass
            sys.exit(1)
        return True

    def out_of_time(self):
        return time.monotonic() > self.options.deadline

    def expression(self, type_name):
        r = self.random
        if type_name in PSEUDO:
            return r.choice(PSEUDO[type_name])
        if r.random() < 0.12:
            return "null::" + type_name
        if type_name.endswith("[]"):
            element = VALUES.get(type_name[:-2])
            choice = r.randrange(5)
            if element and choice < 2:
                return "array[" + ", ".join(self.expression(type_name[:-2]) for _ in range(r.randrange(1, 4))) + "]"
            return r.choice(("'{}'", "'{NULL}'", "'{NULL,NULL}'", "'{{NULL},{NULL}}'", "'[2147483646:2147483646]={NULL}'",
                "array_fill(null::%s, array[100])" % type_name[:-2])) + "::" + type_name
        values = VALUES.get(type_name)
        return literal(r.choice(values), type_name) if values else "null::" + type_name

    def calls(self, name, types, kind, returns_set):
        """Statements that call the function."""
        r = self.random
        function = f'pg_catalog."{name}"'
        for n in range(self.options.calls * max(1, len(types)) if types else 1):
            arguments = ["null::" + t if n == 0 and t not in PSEUDO else ("null" if n == 0 else self.expression(t)) for t in types]
            call = function + "(" + ", ".join(arguments) + ")"
            if kind == "f":
                yield f"select {call}" if not returns_set or r.random() < 0.5 else f"select * from {call} as s limit 20"
                continue
            shape = r.randrange(6)
            rows = "(values " + ", ".join("(" + ", ".join([str(k)] + [self.expression(t) for t in types]) + ")" for k in range(r.choice((0, 1, 3,
                5)) or 1)) + ") v (k" + "".join(f", a{i}" for i in range(len(types))) + ")"
            names = ", ".join(f"a{i}" for i in range(len(types))) or ("*" if kind == "a" else "")
            where = "" if shape != 1 else " where k < 0"
            window = f"over (order by k {r.choice(FRAMES)})"
            if kind == "w" or shape == 2:
                yield f"select {function}({names}) {window} from {rows}{where}"
            elif kind == "o":
                direct = types[:-1] if len(types) > 1 else []
                yield f"select {function}({', '.join(self.expression(t) for t in direct)}) within group (order by a{len(types) - 1} desc) from {rows}{where}" if types else f"select {function}() within group (order by k) from {rows}"
            else:
                inside = names if shape != 3 or names == "*" else "distinct " + names
                yield f"select {function}({inside}{' order by k desc' if shape == 4 and names != '*' else ''}) {'filter (where k > 1)' if shape == 5 else ''} from {rows}{where}" + (" group by grouping sets ((), (k), (k, k))" if r.random() < 0.2 else "")

    def functions(self):
        rows = self.table("select p.oid, p.proname, p.prokind, p.proretset, coalesce((select string_agg(format_type(t, null), '|' order by n) from unnest(p.proargtypes::oid[]) with ordinality u (t, n)), ''), coalesce(a.aggkind::text, ''), "
                          "p.provariadic from pg_proc p left join pg_aggregate a on a.aggfnoid = p.oid where pronamespace = 'pg_catalog'::regnamespace order by p.oid")
        print(len(rows), "functions", flush=True)
        self.random.shuffle(rows)
        for _, name, kind, returns_set, types, aggregate_kind, _ in rows:
            if LEFT_OUT.match(name) or self.out_of_time():
                continue
            for sql in self.calls(name, types.split("|") if types else [], "o" if aggregate_kind in ("o", "h") else kind, returns_set == "t"):
                if not self.attempt(sql):
                    break   # it would only go on like this
            if self.random.random() < 0.05:
                for statement in RESET:
                    self.ask(statement)

    def operators(self):
        rows = self.table("select oprname, case when oprleft = 0 then '' else format_type(oprleft, null) end, format_type(oprright, null) from pg_operator order by oid")
        print(len(rows), "operators", flush=True)
        for name, left, right in rows:
            if self.out_of_time():
                return
            for _ in range(self.options.calls):
                a = self.expression(left) if left else ""
                self.attempt(f"select {a} operator(pg_catalog.{name}) {self.expression(right)}")
                if left and self.random.random() < 0.1:
                    self.attempt(f"select {a} operator(pg_catalog.{name}) {self.random.choice(('any', 'all'))} (array[{self.expression(right)}, {self.expression(right)}, null])")

    def types(self):
        """Strange texts and binary values for every type's input, and every value cast to every other type."""
        rows = self.table("select oid, format_type(oid, null) from pg_type where typtype in ('b', 'p', 'r', 'd') and typnamespace = 'pg_catalog'::regnamespace order by oid")
        rows += self.table("select oid, format_type(oid, null) from pg_type where typname in ('sweep_table', '_sweep_table', 'sweep_domain', '_sweep_domain', 'pg_class')")
        print(len(rows), "types", flush=True)
        self.random.shuffle(rows)
        names = [name for _, name in rows]
        for oid, name in rows:
            if self.out_of_time():
                return
            texts = STRANGE if self.options.calls > 2 else self.random.sample(STRANGE, 40)
            for text in texts:
                self.attempt(f"select {literal(text, name) if not text.startswith('=') else repr(text)}")
            for _ in range(30):
                self.binary_value(int(oid))
            for other in self.random.sample(names, min(len(names), self.options.calls * 8)):
                self.attempt(f"select ({self.expression(name)})::{other}")
            for typmod in ("(0)", "(1)", "(-1)", "(2147483647)", "(1000,1000)", "(5,-2)", "(1,2,3)"):
                head, space, tail = name.partition(" with")
                self.attempt(f"select ({self.expression(name)})::{head}{typmod}{space}{tail}")

    def binary_value(self, oid):
        r = self.random
        length = r.choice((0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 40))
        data = bytes(r.choice((0, 0, 1, 127, 128, 255, r.randrange(256))) for _ in range(length))
        if r.random() < 0.4:   # an array's or a record's head
            data = struct.pack("!iiI", r.choice((0, 1, 2, 6, 7, -1)), r.choice((0, 1)), r.choice((23, 25, 1700, oid))) + struct.pack("!ii",
                r.choice((0, 1, 2, 2 ** 31 - 1, -1)), r.choice((1, 2 ** 31 - 1, -2 ** 31))) + data
        message = lambda kind, body: kind + struct.pack("!i", len(body) + 4) + body
        packet = message(b"P", b"\0select $1\0" + struct.pack("!hI", 1, oid)) + message(b"B",
            b"\0\0" + struct.pack("!hhhi", 1, 1, 1, len(data)) + data + struct.pack("!hh", 1, r.choice((0, 1)))) + message(b"E",
                b"\0\0\0\0\0") + message(b"S", b"")
        self.attempt(f"binary value of type {oid}: {data.hex()}", lambda: self.connection.send(packet))

    def statements(self):
        """Statements made by rule, one after the other in one session: what breaks it is the last one."""
        made = grammar.Grammar(self.random)
        for statement in grammar.SETUP:
            self.ask(statement)
        for _ in range(self.options.statements):
            if self.out_of_time():
                return
            failed_before = self.codes.get("25P02", 0)
            self.attempt(made.statement())
            if self.codes.get("25P02", 0) > failed_before:
                self.ask("rollback")

    def run(self):
        for part in (self.functions, self.operators, self.types, self.statements):
            if self.options.only in ("", part.__name__):
                part()
        common = ", ".join(f"{code} {n}" for code, n in sorted(self.codes.items(), key=lambda e: -e[1])[:12])
        print(f"{self.count} statements; errors: {common}")
        for took, sql in self.slow:
            print(f"took {took:.1f} s: {sql}")
        return not self.failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=4, help="calls of a function for each of its parameters")
    parser.add_argument("--timeout", type=int, default=3, help="each statement's, in seconds")
    parser.add_argument("--only", default="", help="functions, operators, types or statements")
    parser.add_argument("--statements", type=int, default=5000, help="statements made by rule")
    parser.add_argument("--internal", action="store_true", help="show internal errors (many are PostgreSQL's too)")
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.seconds
    sys.exit(0 if Sweep(options).run() else 1)
