"""Statements made by rule: nearly all of them are accepted, so they come further than mutated ones. A Grammar's tables are made by SETUP."""
from sweep_values import VALUES

SETUP = (
    "create table g_plain (a int4 primary key, b int4, c text, d numeric, e date, f timestamptz, g int4[], h text[], i interval, j float8, k bool, l int8)",
    "create index g_plain_b on g_plain (b desc, c) where b > 0", "create index g_plain_low on g_plain (lower(c)) include (d)",
    "insert into g_plain select n, nullif(n % 7, 3), nullif(repeat(chr(97 + n % 26), n % 5), ''), n / 3.0, date '2000-01-01' + n, timestamptz '2000-01-01' + n * interval '7 hours', array[n, n % 3, null], array[c::text, 'x'],"
    " n * interval '1 day', case when n % 9 = 0 then 'nan'::float8 else n / 7.0 end, n % 2 = 0, n::int8 << 20 from generate_series(1, 60) n, lateral (select n % 4) x (c)",
    "create table g_range (a int4, b int4, c text, d numeric, e date) partition by range (a, b)",
    "create table g_range_1 partition of g_range for values from (minvalue, minvalue) to (10, 0)",
    "create table g_range_2 partition of g_range for values from (10, 0) to (100, maxvalue) partition by list (c)",
    "create table g_range_2a partition of g_range_2 for values in ('a', null)", "create table g_range_2d partition of g_range_2 default",
    "create table g_range_d partition of g_range default", "create index on g_range (b)",
    "create table g_hash (a int4 primary key, b int4, c text, d numeric, e date) partition by hash (a)",
    "create table g_hash_0 partition of g_hash for values with (modulus 3, remainder 0)",
    "create table g_hash_1 partition of g_hash for values with (modulus 3, remainder 1)",
    "create table g_hash_2 partition of g_hash for values with (modulus 3, remainder 2)",
    "insert into g_range select n, n % 5, chr(96 + n % 4), n, date '2001-01-01' + n from generate_series(-5, 120, 3) n",
    "insert into g_hash select n, n % 5, 'h' || n, n / 2.0, date '2002-01-01' + n from generate_series(1, 40) n",
    "create view g_view as select a, b, c, d, e from g_plain where b is not null", "create sequence g_sequence",
    "create domain g_domain as int4 check (value <> 13)", "analyze")
COLUMNS = {"int": "a b".split(), "text": ["c"], "numeric": ["d"], "date": ["e"]}
MORE_COLUMNS = {"timestamptz": ["f"], "int[]": ["g"], "text[]": ["h"], "interval": ["i"], "float8": ["j"], "bool": ["k"], "bigint": ["l"]}
TABLES = ("g_plain", "g_range", "g_hash", "g_view", "g_plain", "g_range_2")
TYPES = ("int", "int", "int", "bigint", "numeric", "text", "text", "bool", "date", "timestamptz", "interval", "float8", "int[]", "text[]")
CONSTANTS = {"int": "integer", "bigint": "bigint", "numeric": "numeric", "text": "text", "bool": "boolean", "date": "date",
    "timestamptz": "timestamp with time zone", "interval": "interval", "float8": "double precision"}
CATALOG = ("pg_class", "pg_attribute", "pg_type", "pg_stats", "pg_locks", "pg_stat_activity", "pg_settings", "pg_views", "pg_indexes", "pg_tables",
    "pg_stat_user_tables", "pg_constraint", "pg_index", "information_schema.columns",
           "information_schema.tables", "pg_roles", "pg_cursors", "pg_prepared_statements", "pg_sequences", "pg_depend", "pg_statistic",
           "pg_partitioned_table", "pg_timezone_names", "information_schema.table_constraints")
AGGREGATES = {"int": ("count({})", "min({i})", "max({i})", "(sum({i}))::int", "count(distinct {})", "bit_or({i})", "bit_xor({i})"),
    "numeric": ("sum({n})", "avg({n})", "stddev({n})", "var_pop({i})", "percentile_disc(0.5) within group (order by {n})"),
              "text": ("string_agg({t}, {t})", "min({t})", "string_agg(distinct {t}, ',' order by {t})", "max({t})"),
              "bool": ("bool_and({b})", "every({b})", "bool_or({b})"), "int[]": ("array_agg({i})", "array_agg({i} order by {i} desc nulls last)"),
              "text[]": ("array_agg({t})", "array_agg(distinct {t})"),
              "float8": ("corr({f}, {f})", "regr_slope({f}, {f})", "percentile_cont(0.3) within group (order by {f})", "avg({f})"),
              "bigint": ("count(*)", "sum({i})", "count({})"),
              "interval": ("sum({v})", "avg({v})"), "date": ("min({d})", "max({d})"), "timestamptz": ("max({s})",)}
SHORT = {"i": "int", "n": "numeric", "t": "text", "b": "bool", "f": "float8", "v": "interval", "d": "date", "s": "timestamptz", "l": "bigint",
    "A": "int[]", "T": "text[]", "": None}
FUNCTIONS = {
    "int": ("{i} + {i}", "{i} - {i}", "{i} * {i}", "{i} / {i}", "{i} % {i}", "-{i}", "abs({i})", "length({t})", "{A}[{i}]",
    "array_length({A}, {i})", "strpos({t}, {t})", "extract(year from {d})::int", "({n})::int", "({b})::int", "coalesce({i}, {i})",
            "nullif({i}, {i})", "greatest({i}, {i}, {i})", "case when {b} then {i} else {i} end", "case {i} when {i} then {i} end", "{d} - {d}",
            "{i} & {i}", "{i} << {i}", "array_position({A}, {i})", "cardinality({T})", "({A})[{i}:{i}][1]", "ascii({t})", "gcd({i}, {i})",
            "({f})::int", "{i}::g_domain"),
    "bigint": ("{i}::bigint * {i}", "{l} + {i}", "{l} / {l}", "({n})::bigint", "{l} # {l}", "factorial({i} % 20)::bigint",
    "width_bucket({n}, {n}, {n}, {i})", "hashtext({t})::bigint"),
    "numeric": ("{n} + {n}", "{n} * {n}", "{n} / {n}", "{n} % {n}", "round({n}, {i})", "trunc({n}, {i})", "power({n}, {n})", "sqrt({n})",
    "ln({n})", "{i}::numeric(10,2)", "{t}::numeric", "div({n}, {n})", "scale({n})", "to_number({t}, {t})", "{n} ^ {i}", "log({n}, {n})",
    "exp({n})"),
    "text": ("{t} || {t}", "upper({t})", "substr({t}, {i}, {i})", "substring({t} from {t})", "lpad({t}, {i} % 1000, {t})", "repeat({t}, {i} % 50)",
    "replace({t}, {t}, {t})", "{i}::text", "{n}::text", "{s}::text", "{A}::text", "to_char({n}, {t})", "to_char({s}, {t})", "to_char({v}, {t})",
    "format('%s %I %10$L', {t}, {t})",
             "regexp_replace({t}, {t}, {t}, 'g')", "split_part({t}, {t}, {i})", "translate({t}, {t}, {t})",
             "overlay({t} placing {t} from {i} for {i})", "array_to_string({A}, {t}, {t})", "({T})[{i}]", "md5({t})", "trim({t} from {t})",
             "reverse({t})", "left({t}, {i})", "quote_literal({t})", "coalesce({t}, {t})", "initcap({t})",
             "concat_ws({t}, {t}, {i}, null, {b})", "encode({t}::bytea, 'escape')", "({t})::char(5)", "({t})::varchar(3)", "pg_typeof({})::text",
             "{d}::text", "row({i}, {t})::text", "chr(({i} & 127) + 1)", "format({t}, {i})", "{t} collate \"C\""),
    "bool": ("{i} = {i}", "{i} < {i}", "{n} >= {n}", "{t} like {t}", "{t} ~ {t}", "{t} < {t}", "{b} and {b}", "{b} or {b}", "not {b}",
    "{t} is null", "{d} between {d} and {d}", "{i} in ({i}, {i}, null)", "{i} = any({A})", "{i} > all({A})", "{A} @> {A}", "{A} && {A}",
    "row({i}, {t}) < row({i}, {t})", "({i}, {i}) in (select a, b from g_hash)",
             "exists ({q})", "{i} in (select b from g_plain)", "{i} not in (select b from g_range)", "{i} < any (select a from g_hash)",
             "{s} < {d}", "({d}, {v}) overlaps ({d}, {v})", "{b} is distinct from {b}", "{i} is not distinct from {i}",
             "row({i}, null, {t}) is null", "{T} = {T}", "{t} similar to {t}", "{f} = {f}", "{n} <> {f}", "starts_with({t}, {t})",
             "{t} ilike {t} escape '!'"),
    "date": ("{d} + {i}", "{d} - {i}", "({s})::date", "({d} + {v})::date", "make_date({i}, {i}, {i})", "to_date({t}, {t})", "greatest({d}, {d})",
    "coalesce({d}, {d})"),
    "timestamptz": ("{s} + {v}", "{s} - {v}", "date_trunc('month', {s})", "{d}::timestamptz", "to_timestamp({f})", "date_bin({v}, {s}, {s})",
    "{s} at time zone 'Europe/Paris' at time zone {v}", "to_timestamp({t}, {t})", "current_timestamp"),
    "interval": ("{v} + {v}", "{v} * {f}", "{v} / {f}", "{s} - {s}", "-{v}", "justify_interval({v})",
    "make_interval({i}, {i}, {i}, {i}, {i}, {i}, {f})", "age({s}, {s})", "{i} * interval '1 hour'", "{v}::interval day to second(2)"),
    "float8": ("{f} + {f}", "{f} * {f}", "{f} / {f}", "sqrt({f})", "{i}::float8", "{n}::float8", "power({f}, {f})", "sin({f})",
    "extract(epoch from {v})::float8", "ln({f})", "atan2({f}, {f})", "round({f})", "cbrt({f})", "{t}::float8"),
    "int[]": ("{A} || {A}", "array[{i}, {i}]", "{A} || {i}", "array_remove({A}, {i})", "{A}[{i}:{i}]", "array_fill({i}, array[{i} % 10 + 1])",
    "array(select b from g_plain where {b})", "{T}::int[]", "array_cat({A}, {A})", "array_replace({A}, {i}, {i})",
    "string_to_array({t}, {t})::int[]", "array[[{i}, {i}], [{i}, null]]"),
    "text[]": ("array[{t}, {t}]", "{T} || {t}", "string_to_array({t}, {t})", "{A}::text[]", "array_append({T}, {t})",
    "regexp_split_to_array({t}, {t})", "regexp_match({t}, {t})", "({T})[{i}:]", "trim_array({T}, {i})", "array_prepend({t}, {T})"),
}
SETS = ("generate_series(1, {i} % 20) s (x)", "unnest({A}) s (x)", "unnest({A}, {T}) with ordinality s (x, y, z)",
    "regexp_matches({t}, {t}, 'g') s (x)", "generate_subscripts({A}, 1) s (x)", "(values ({i}), ({i}), (null)) s (x)",
    "string_to_table({t}, {t}) s (x)",
        "generate_series({n}, {n} + 10, 3) s (x)", "generate_series({s}, {s} + interval '3 days', interval '1 day') s (x)",
        "rows from (unnest({A}), generate_series(1, 3)) s (x, y)", "pg_partition_tree('g_range') s", "aclexplode('{{=r/postgres}}'::aclitem[]) s",
        "pg_options_to_table('{{a=b}}') s")
UTILITY = ("declare {name} scroll cursor with hold for {q}", "fetch {move} from {name}", "move {move} in {name}", "close {name}", "close all",
    "prepare {name} (int, text) as {prepared}", "execute {name}({i}, {t})", "deallocate {name}", "deallocate all", "begin",
    "begin isolation level repeatable read", "commit", "rollback",
           "savepoint {name}", "rollback to {name}", "release {name}", "explain {q}", "explain (analyze, verbose, costs off, timing off) {q}",
           "explain (format json) {q}", "explain (analyze, format yaml, buffers) {dml}", "create temp table {name} as {q}",
           "create temp view {name} as {q}", "drop table if exists {name}", "drop view if exists {name}",
           "create index on g_plain (({i}))",
           "create temp table {name} (a int4 default {C}, check (a > 0), exclude_me text) on commit delete rows",
           "alter table if exists {name} add x {type} default {C}", "alter table if exists {name} alter a type {type} using null",
           "alter table if exists {name} drop column a cascade", "truncate {name}",
           "analyze g_plain", "set plan_cache_mode = force_generic_plan", "set plan_cache_mode = force_custom_plan",
           "set enable_hashagg = {onoff}", "set enable_hashjoin = {onoff}", "set enable_mergejoin = {onoff}", "set enable_nestloop = {onoff}",
           "set enable_seqscan = {onoff}", "set enable_sort = {onoff}", "set enable_indexscan = {onoff}",
           "set enable_partitionwise_join = {onoff}", "set enable_partitionwise_aggregate = {onoff}", "set work_mem = '{mem}kB'", "reset all",
           "copy (select 1, {t}) to stdout (format csv, force_quote *)", "copy ({q}) to stdout (format binary)", "copy g_plain to stdout",
           "lock table g_hash in share mode", "discard temp", "discard plans",
           "update g_plain set b = {i} where current of {name}",
           "create table if not exists g_extra partition of g_range for values from (1000, 1) to (2000, 5)",
           "alter table g_range detach partition g_range_d", "alter table g_range attach partition g_range_d default",
           "comment on column g_plain.a is {tc}", "select nextval('g_sequence'), setval('g_sequence', 5)",
           "listen {name}", "notify {name}",
           "select pg_get_viewdef('g_view'), pg_get_constraintdef(oid) from pg_constraint where conrelid = 'g_plain'::regclass", "vacuum g_plain")


class Grammar:
    def __init__(self, random):
        self.random, self.depth, self.columns = random, 0, []

    def constant(self, kind):
        r = self.random
        if r.random() < 0.08:
            return r.choice(("null", "null::" + kind))
        if kind in ("int[]", "text[]"):
            return r.choice(("'{}'", "'{1,2,NULL}'", "'{{1,2},{3,4}}'", "'[-1:1]={5,6,7}'", "'[2147483646:2147483646]={1}'")).join(("(",
                "::" + kind + ")"))
        if kind == "int" and r.random() < 0.6:
            return str(r.randrange(-3, 20))
        value = r.choice(VALUES[CONSTANTS[kind]])
        if value.startswith("="):
            value = "xyz"
        return "'" + value.replace("'", "''") + "'::" + CONSTANTS[kind]

    def fill(self, template):
        """Replaces {i} and its kind by expressions, {q} and its kind by other parts."""
        r, out, at = self.random, "", 0
        while (start := template.find("{", at)) >= 0:
            if template[start + 1:start + 2] == "{":
                out, at = out + template[at:start] + "{", start + 2
                continue
            end = template.index("}", start)
            word = template[start + 1:end]
            out += template[at:start]
            if word in SHORT:
                out += self.expression(SHORT[word] or r.choice(TYPES))
            elif word == "C":
                out += self.constant("int")
            elif word == "tc":
                out += "'x'"
            elif word == "q":
                out += self.query()
            elif word == "dml":
                out += self.change()
            elif word == "prepared":
                out += r.choice((self.query(), self.change())).replace("'abc'::text", "$2").replace("7", "$1")
            else:
                out += {"name": r.choice(("g1", "g2", "g3")), "move": r.choice(("next", "prior", "last", "first", "all", "-1", "absolute -2",
                    "relative 3", "backward all", "0", "forward 100", "absolute 2147483647")), "onoff": r.choice(("on", "off")),
                        "mem": r.choice(("64", "100", "4096")), "type": r.choice(TYPES)}[word]
            at = end + 1
        return out + template[at:].replace("}}", "}")

    def expression(self, kind):
        r = self.random
        self.depth += 1
        try:
            here = [c for c, k in self.columns if k == kind]
            roll = r.random()
            if self.depth > 4 or roll < 0.25 + 0.08 * self.depth:
                return r.choice(here) if here and r.random() < 0.75 else self.constant(kind)
            if roll > 0.96 and self.depth < 4:
                return f"(select {self.aggregate(kind)} from {self.source(single=True)} where {self.expression('bool')})"
            return "(" + self.fill(r.choice(FUNCTIONS[kind])) + ")"
        finally:
            self.depth -= 1

    def aggregate(self, kind):
        text = self.fill(self.random.choice(AGGREGATES[kind]))
        return text + (f" filter (where {self.expression('bool')})" if self.random.random() < 0.2 and "::" not in text[-6:] else "")

    def window(self, kind):
        r = self.random
        call = r.choice(("row_number()", "rank()", "ntile({i})", "lag({i}, {i})", "lead({t})", "first_value({i})", "nth_value({i}, {i})",
            "last_value({t})", "percent_rank()", "cume_dist()", "dense_rank()", "sum({i})", "count({t})", "avg({n})", "string_agg({t}, ',')",
            "array_agg({i})", "min({d})", "sum({v})", "bool_and({b})"))
        frame = r.choice(("", "", "rows between {C} preceding and {C} following", "rows unbounded preceding",
            "groups between current row and {C} following exclude ties", "range between {C} preceding and {C} following exclude current row",
            "range between unbounded preceding and current row", "rows between {C} following and unbounded following"))
        order = "" if r.random() < 0.2 and not frame.startswith(("range", "groups")) else "order by " + self.expression("int") + r.choice(("",
            " desc", " nulls first"))
        return self.fill(call) + " over (" + ("partition by " + self.expression(r.choice(TYPES)) + " " if r.random() < 0.5 else "") + order + " " + self.fill(frame) + ")"

    def source(self, single=False):
        r = self.random
        alias = r.choice("tuvw") + str(r.randrange(9))
        if not single and r.random() < 0.5:
            left, right = self.source(True), None
            before = list(self.columns)
            join = r.choice(("join", "left join", "right join", "full join", "cross join", "left join lateral", "natural join", "join using"))
            right = self.source(True)
            if join in ("cross join", "natural join"):
                return f"{left} {join} {right}"
            if join == "join using":
                return f"{left} left join {right} using (a)"
            condition = self.expression("bool") if r.random() < 0.4 or not before else " = ".join(r.choice([c for c,
                k in columns if k == "int"] or ["1"]) for columns in (before, self.columns[len(before):] or before))
            return f"{left} {join} {right} on {condition}"
        if r.random() < 0.12:
            return self.fill(r.choice(SETS))
        if r.random() < 0.12 and self.depth < 3:
            self.depth += 1
            outer, self.columns = self.columns, []
            inner = self.query(kinds=("int", "text"))
            self.columns = outer + [(f"{alias}.x1", "int"), (f"{alias}.x2", "text")]
            self.depth -= 1
            return f"({inner}) {alias} (x1, x2)"
        if r.random() < 0.05:
            return r.choice(CATALOG) + " " + alias
        table = r.choice(TABLES)
        for kind, names in list(COLUMNS.items()) + (list(MORE_COLUMNS.items()) if table == "g_plain" else []):
            self.columns += [(f"{alias}.{n}", kind) for n in names]
        return f"{'only ' if r.random() < 0.05 else ''}{table} {alias}"

    def query(self, kinds=None):
        r = self.random
        outer = list(self.columns)
        self.depth += 1
        try:
            if self.depth < 3 and r.random() < 0.12:
                wanted = kinds or [r.choice(TYPES) for _ in range(r.randrange(1, 3))]
                return f"({self.query(wanted)}) {r.choice(('union', 'union all', 'intersect', 'except', 'except all', 'intersect all'))} ({self.query(wanted)})" + r.choice(("", " order by 1 limit 5", " limit 3 offset 1"))
            if self.depth < 3 and r.random() < 0.1:
                wanted = kinds or ("int", "text")
                recursive = r.random() < 0.3
                if recursive:
                    return f"with recursive w (x1, x2) as (select 1, 'a'::text union {r.choice(('', 'all'))} select x1 + 1, x2 || 'b' from w where x1 < {r.randrange(9)}) select {', '.join(self.expression(k) for k in wanted)} from w, {self.source()} limit 20"
                body = r.choice((self.query(("int", "text")),
                    "insert into g_hash values (7, 7, 'seven') on conflict (a) do update set b = excluded.b + 1 returning a, c",
                    "delete from g_range where b = 77 returning a, c"))
                return f"with w (x1, x2) as {r.choice(('', 'materialized ', 'not materialized ')) if body.startswith(('select', '(')) else ''}({body}) select {', '.join(self.expression(k) for k in wanted)} from w, {self.source()}"
            source = self.source()
            where = f" where {self.expression('bool')}" if r.random() < 0.7 else ""
            wanted = kinds or [r.choice(TYPES) for _ in range(r.randrange(1, 4))]
            shape = r.random()
            if shape < 0.3:
                keys = [self.expression(r.choice(TYPES)) for _ in range(r.randrange(0, 3))]
                grouping = "" if not keys else " group by " + (", ".join(keys) if r.random() < 0.7 else r.choice(("rollup", "cube",
                    "grouping sets")) + " (" + ", ".join(keys) + ")")
                return f"select {', '.join(self.aggregate(k) for k in wanted)} from {source}{where}{grouping}" + (f" having {self.fill('count(*) > {C}')}" if r.random() < 0.2 else "") + (" order by 1" if r.random() < 0.3 else "")
            targets = [self.expression(k) for k in wanted]
            if kinds is None and shape < 0.5:
                targets.append(self.window("int"))
            if kinds is None and shape > 0.95:
                targets.append(self.fill(r.choice(("generate_series(1, {C})", "unnest({A})", "{A}", "g_sequence", "(select row(1, 2)).*"))))
            distinct = r.choice(("distinct ", f"distinct on ({targets[0]}) ")) if r.random() < 0.12 else ""
            order = "" if r.random() < 0.5 else " order by 1" if distinct else " order by " + ", ".join(self.expression(r.choice(TYPES)) + r.choice(("", " desc", " nulls first", " desc nulls last")) for _ in range(r.randrange(1, 3)))
            limit = r.choice(("", "", " limit 5", " limit 0", " offset 3", " limit {C}", " fetch first 3 rows with ties" if order else ""))
            lock = r.choice((" for update", " for share of " + source.split(" ")[-1] if " " in source else "",
                " for no key update skip locked")) if r.random() < 0.06 else ""
            return f"select {distinct}{', '.join(targets)} from {source}{where}{order}{self.fill(limit)}{lock}"
        finally:
            self.columns = outer
            self.depth -= 1

    def change(self):
        r = self.random
        table = r.choice(("g_plain", "g_range", "g_hash", "g_view"))
        self.columns = [(n, k) for k, names in COLUMNS.items() for n in names]
        roll = r.randrange(3)
        returning = r.choice(("", " returning *", " returning " + self.expression("text")))
        if roll == 0:
            conflict = r.choice(("", "", " on conflict do nothing",
                f" on conflict (a) do update set b = {self.expression('int').replace('(a)', '(excluded.a)')} where g_hash.b > 0" if table == "g_hash" else ""))
            self.columns = []
            rows = r.choice((f"values ({self.expression('int')}, {self.expression('int')}, {self.expression('text')}), (default, 1, null)",
                self.query(("int", "int", "text")), "default values"))
            return f"insert into {table}{' (a, b, c)' if rows != 'default values' else ''} {rows}{conflict}{'' if 'g_view' == table else ' returning a'}"
        if roll == 1:
            sets = r.choice((f"b = {self.expression('int')}", f"c = {self.expression('text')}, d = {self.expression('numeric')}",
                f"(b, c) = (select {self.expression('int')}, {self.expression('text')})", f"a = {self.expression('int')}", "b = default"))
            return f"update {table} set {sets}{' from g_hash x' if r.random() < 0.2 else ''} where {self.expression('bool') if r.random() < 0.6 else table + '.a = 5'}{returning}"
        return f"delete from {table}{' using g_hash x' if r.random() < 0.2 else ''} where {table}.b = 4 and {self.expression('bool')}{returning}"

    def statement(self):
        self.depth, self.columns = 0, []
        roll = self.random.random()
        if roll < 0.6:
            return self.query()
        if roll < 0.75:
            return self.change()
        return self.fill(self.random.choice(UTILITY))
