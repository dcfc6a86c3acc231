"""Random partition trees and statements about them, for compare-partitions.

A tree is p(id, a, b, c, d, e) with its partitions, in a strategy and a key by chance, and pp, partitioned by the same key with bounds that agree
wholly, partly or not at all. Statements name their tables {T} (p or its unpartitioned copy flat) and {U} (pp or flat2)."""

COLUMNS = {"id": "int", "a": "int", "b": "int", "c": "text", "d": "bool", "e": "date"}
ALL = ", ".join(COLUMNS)


class Tree:
    """One partitioned table with its partitions, as CREATE statements in `ddl`."""

    def __init__(self, r, name, shape=None, attach=True):
        self.r = r
        self.root = name
        self.attach = attach
        self.names = 0
        self.leaves = []   # partitions of the first level: (name, bound)
        self.ddl = []
        self.shape = shape or r.choice(self.kinds())
        strategy, key, maker = self.shape
        columns = ", ".join(f"{c} {t}" for c, t in COLUMNS.items())
        self.ddl.append(f"create table {name} ({columns}) partition by {strategy} ({key});")
        getattr(self, maker)(name, 0)

    def indexes(self, flat):
        r = self.r
        if r.random() < 0.6:
            columns = r.choice(["a", "b", "a, b", "id", "c", "b, a", "e", "d, a", "(a + b)", "a desc", "c, a desc nulls last"])
            self.both(f"create index on {{}} ({columns});", flat)
        if r.random() < 0.3:
            self.both("create index on {} (id);", flat)
        if r.random() < 0.2:
            self.both("create index on {} (b) where a > 3;", flat)
        if r.random() < 0.5:   # (not where a key is an expression: both servers say so)
            self.both(f"create unique index on {{}} ({ALL});", flat)

    def both(self, sql, flat):
        self.ddl += [sql.format(self.root), sql.format(flat)]

    def kinds(self):
        return [("hash", "a", "hash"), ("hash", "a, b", "hash"), ("hash", "c", "hash"), ("hash", "(a + b), c", "hash"), ("hash", "e", "hash"),
                ("list", "a", "list_a"), ("list", "c", "list_c"), ("list", "d", "list_d"), ("list", "(a % 5)", "list_mod"), ("list", "(a > 5)", "list_d"),
                ("list", "e", "list_e"), ("range", "a", "range_a"), ("range", "a, b", "range_ab"), ("range", "b", "range_a"), ("range", "(a + b)", "range_a"),
                ("range", "e", "range_e"), ("range", "c", "range_c"), ("range", "a, (a + b)", "range_ab"), ("range", "d, a", "range_da")]

    def part(self, parent, bound, depth):
        r = self.r
        self.names += 1
        name = f"{self.root}{self.names}"
        if depth == 0:
            self.leaves.append((name, bound))
        if depth < 2 and r.random() < 0.25:
            strategy, key, maker = r.choice(self.kinds())
            self.ddl.append(f"create table {name} partition of {parent} {bound} partition by {strategy} ({key});")
            getattr(self, maker)(name, depth + 1)
        elif self.attach and r.random() < 0.3:
            columns = [f"{c} {t}" for c, t in COLUMNS.items()]
            r.shuffle(columns)
            dropped = r.random() < 0.5
            if dropped:
                columns.insert(r.randrange(len(columns)), "gone int")
            self.ddl.append(f"create table {name} ({', '.join(columns)});")
            if dropped:
                self.ddl.append(f"alter table {name} drop column gone;")
            self.ddl.append(f"alter table {parent} attach partition {name} {bound};")
        else:
            self.ddl.append(f"create table {name} partition of {parent} {bound};")

    def default(self, parent, depth):
        if self.r.random() < 0.6:
            self.part(parent, "default", depth)

    def hash(self, parent, depth):
        modulus = self.r.choice([1, 2, 3, 4, 7])
        for i in range(modulus):
            if i + 1 < modulus and self.r.random() < 0.15:   # one partition in two halves
                self.part(parent, f"for values with (modulus {2 * modulus}, remainder {i})", depth)
                self.part(parent, f"for values with (modulus {2 * modulus}, remainder {i + modulus})", depth)
            else:
                self.part(parent, f"for values with (modulus {modulus}, remainder {i})", depth)

    def lists(self, parent, depth, values):
        self.r.shuffle(values)
        used = values[: self.r.randrange(2, len(values) + 1)]
        while used:
            n = self.r.randrange(1, 4)
            self.part(parent, f"for values in ({', '.join(used[:n])})", depth)
            used = used[n:]
        self.default(parent, depth)

    def list_a(self, parent, depth):
        self.lists(parent, depth, [str(i) for i in range(-2, 15)] + ["null"])

    def list_mod(self, parent, depth):
        self.lists(parent, depth, [str(i) for i in range(-4, 5)] + ["null"])

    def list_c(self, parent, depth):
        self.lists(parent, depth, [f"'{x}'" for x in "abcdefgh"] + ["null"])

    def list_d(self, parent, depth):
        self.lists(parent, depth, ["true", "false", "null"])

    def list_e(self, parent, depth):
        self.lists(parent, depth, [f"'2024-01-{i:02}'" for i in range(1, 17)] + ["null"])

    def ranges(self, parent, depth, cuts):
        """cuts: tuples of bounds in their order."""
        cuts = [list(c) for c in cuts]
        if self.r.random() < 0.5:
            cuts[0] = ["minvalue"] * len(cuts[0])
        if self.r.random() < 0.5:
            cuts[-1] = ["maxvalue"] * len(cuts[-1])
        for low, high in zip(cuts, cuts[1:]):
            if self.r.random() < 0.85:
                self.part(parent, f"for values from ({', '.join(low)}) to ({', '.join(high)})", depth)
        self.default(parent, depth)

    def range_a(self, parent, depth):
        self.ranges(parent, depth, [(str(c),) for c in sorted(self.r.sample(range(-4, 34), self.r.randrange(2, 7)))])

    def range_c(self, parent, depth):
        self.ranges(parent, depth, [(f"'{c}'",) for c in sorted(self.r.sample("abcdefghz", self.r.randrange(2, 6)))])

    def range_e(self, parent, depth):
        self.ranges(parent, depth, [(f"'2024-01-{c:02}'",) for c in sorted(self.r.sample(range(1, 25), self.r.randrange(2, 7)))])

    def range_da(self, parent, depth):
        cuts = sorted({(self.r.random() < 0.5, self.r.randrange(-2, 14)) for _ in range(self.r.randrange(2, 6))} | {(False, -2), (True, 12)})
        self.ranges(parent, depth, [(str(d).lower(), str(a)) for d, a in cuts])

    def range_ab(self, parent, depth):
        cuts = sorted({(self.r.randrange(-2, 14), self.r.randrange(-2, 14)) for _ in range(self.r.randrange(3, 8))} | {(-2, -2), (13, 13)})
        cuts = [(str(a), str(b)) for a, b in cuts]
        if self.r.random() < 0.3:   # a bound without an end in its second column, where the first differs from its neighbours'
            i = self.r.randrange(len(cuts))
            if all(c[0] != cuts[i][0] for j, c in enumerate(cuts) if j != i):
                cuts[i] = (cuts[i][0], self.r.choice(["minvalue", "maxvalue"]))
        self.ranges(parent, depth, cuts)


class Statements:
    """Statements by chance; `one` gives a list of (text, kind): kind "select", "write" or "other" (nothing to compare with the unpartitioned copy)."""

    def __init__(self, r, leaves):
        self.r = r
        self.leaves = leaves
        self.next_id = 1

    def number(self):
        return self.r.randrange(-3, 17)

    def text(self):
        return self.r.choice(["'a'", "'b'", "'c'", "'d'", "'h'", "'zz'", "null"])

    def day(self):
        return f"'2024-01-{self.r.randrange(1, 27):02}'"

    def value(self, column):
        if column == "c":
            return self.text()
        if column == "d":
            return self.r.choice(["true", "false", "null"])
        if column == "e":
            return "null" if self.r.random() < 0.1 else self.day()
        return "null" if self.r.random() < 0.06 else str(self.number())

    def row(self):
        self.next_id += 1
        return f"({self.next_id}, " + ", ".join(self.value(c) for c in "abcde") + ")"

    def atom_text(self):
        if self.r.random() < 0.3:
            return f"c {self.r.choice(['in', 'not in'])} ({self.text()}, {self.text()})"
        return f"c {self.r.choice(['=', '<', '>', '<=', '>=', '<>'])} {self.text()}"

    def atom_bool(self):
        return self.r.choice(["d", "not d", "d is true", "d is not true", "d is false", "d is not false", "d is unknown", "d is null", "d is not null",
                              "d = true", "d <> true", "d in (true, null)", "(a > 5)", "not (a > 5)", "(a > 5) is true", "(a > 5) is null", "(a > 5) is not false"])

    def atom_day(self):
        r = self.r
        dice = r.random()
        if dice < 0.2:
            return f"e {r.choice(['in', 'not in'])} ({self.day()}, {self.day()})"
        if dice < 0.35:
            return f"e between {self.day()} and {self.day()}"
        cast = r.choice(["", "::date", "::timestamp", "::timestamptz", "::date + 1"]) if dice < 0.8 else ""
        if dice < 0.45:
            return f"e < {self.day()}::date + (select max(x) from s where x < {self.number()})"
        return f"e {r.choice(['=', '<', '>', '<=', '>=', '<>'])} {self.day()}{cast}"

    def atom_number(self, column, parameters):
        r = self.r
        n = self.number
        dice = r.random()
        shapes = [(0.15, lambda: f"{column} {r.choice(['in', 'not in'])} ({', '.join(str(n()) for _ in range(r.randrange(1, 4)))})"),
                  (0.20, lambda: f"{column} = any (array[{n()}, {n()}, null]::int[])"),
                  (0.23, lambda: f"{column} {r.choice(['<', '>='])} {r.choice(['any', 'all'])} (array[{n()}, {n()}])"),
                  (0.30, lambda: f"{column} between {n()} and {n()}"),
                  (0.36, lambda: f"{column} % 5 = {r.randrange(-4, 5)}"),
                  (0.40, lambda: f"a + b {r.choice(['=', '<', '>='])} {n()}"),
                  (0.45, lambda: f"{column} = (select {r.choice(['max', 'min'])}(x) from s where x < {n()})"),
                  (0.48, lambda: f"{column} {r.choice(['=', '<', '>'])} {n()}::{r.choice(['bigint', 'smallint', 'numeric'])}"),
                  (0.50, lambda: f"{column} = a"),
                  (0.53, lambda: f"({'a, b'}) {r.choice(['=', '<', '>='])} ({n()}, {n()})"),
                  (0.55, lambda: f"{column} {r.choice(['is distinct from', 'is not distinct from'])} {n()}"),
                  (0.58, lambda: f"{column} in (select x from s where y {r.choice(['<', '>'])} {n()})")]
        for limit, make in shapes:
            if dice < limit:
                return make()
        argument = str(n())
        if parameters is not None and r.random() < 0.6:
            parameters.append(1)
            argument = r.choice(["$1", "$1", "$2"])
        operator = r.choice(["=", "=", "=", "<", ">", "<=", ">=", "<>"])
        return f"{column} {operator} {argument}" if r.random() < 0.85 else f"{argument} {operator} {column}"

    def atom(self, parameters=None):
        column = self.r.choice("aaaabbcde")
        if self.r.random() < 0.1:
            return f"{column} is {self.r.choice(['', 'not '])}null"
        if column == "c":
            return self.atom_text()
        if column == "d":
            return self.atom_bool()
        return self.atom_day() if column == "e" else self.atom_number(column, parameters)

    def condition(self, parameters=None, depth=0):
        dice = self.r.random()
        if depth > 2 or dice < 0.45:
            return ("not " if dice < 0.04 else "") + "(" + self.atom(parameters) + ")"
        word = " and " if dice < 0.75 else " or "
        return "(" + word.join(self.condition(parameters, depth + 1) for _ in range(self.r.randrange(2, 4))) + ")"

    def order(self):
        return self.r.choice(["a, id", "b, id", "a desc, id", "a, b, id", "c, id", "a desc nulls last, id", "b desc, a, id", "e, id", "e desc, id", "d, a, id",
                              "c desc, a, id", "id", "id desc", "a + b, id"])

    def joins(self, where, parameters):
        r = self.r
        key = r.choice(["a", "a", "b", "c", "e", "id"])
        both = r.choice([f"t.{key} = u.{key}", f"t.{key} = u.{key}", "t.a = u.a and t.b = u.b", "t.a = u.b", "t.a + t.b = u.a + u.b", "t.d = u.d and t.a = u.a"])
        kind = r.choice(["join", "left join", "right join", "full join"])
        inside = where if kind == "join" else self.atom(parameters)
        return r.choice([
            f"select x, t.id from s join {{T}} t on t.{r.choice(['a', 'b', 'id'])} = s.x where {where} order by 1, 2",
            f"select x, t.id from s left join {{T}} t on t.a = s.x and t.b > s.y order by 1, 2",
            f"select x, (select count(*) from {{T}} where a = s.x and {self.atom(parameters)}) from s order by 1, y",
            f"select x, z.id from s, lateral (select id from {{T}} where a = s.x and b {r.choice(['<', '>', '<>'])} s.y order by id limit 2) z order by 1, 2",
            f"select x, y from s where {r.choice(['', 'not '])}exists (select from {{T}} where a = s.x and {where}) order by 1, 2",
            f"select t.id, u.id from {{T}} t join {{T}} u on t.a = u.b and t.id < u.id where t.{r.choice(['a', 'b'])} = {self.number()} order by 1, 2",
            f"select t.id, u.id from (select * from {{T}} where {inside}) t {kind} {{U}} u on {both} order by 1, 2",
            f"select t.{key}, count(*), sum(u.b), min(t.id) from (select * from {{T}} where {inside}) t {kind} {{U}} u on {both} group by t.{key} order by 1",
            f"select t.id from {{T}} t where {where} and {r.choice(['', 'not '])}exists (select from {{U}} u where {both} and u.id % 2 = 0) order by 1",
            f"select t.id, u.id from {{T}} t join {{U}} u using ({key}) join s on s.x = t.a where s.y > {self.number()} order by 1, 2 limit {r.randrange(1, 40)}"])

    def groups(self, where):
        r = self.r
        key = r.choice(["a", "b", "c", "d", "e", "a, b", "d, c", "a % 5"])
        return r.choice([
            f"select {key}, count(*), sum(b), min(id), max(c), avg(a)::numeric(12, 4) from {{T}} where {where} group by {key} order by {key}",
            f"select {key}, count(distinct b) from {{T}} where {where} group by {key} having count(*) > 1 order by {key}",
            f"select count(*), sum(a), min(b), max(c), bool_or(d), min(e) from {{T}} where {where}",
            f"select {r.choice(['min', 'max'])}({r.choice('abce')}) from {{T}} where {where}",
            f"select {r.choice(['min', 'max'])}({r.choice(['a', 'b', 'id'])}) from {{T}}",
            f"select distinct {key} from {{T}} where {where} order by {key}",
            f"select distinct on (a) a, id from {{T}} where {where} order by a, id desc",
            f"select a, d, count(*), grouping(a, d) from {{T}} where {where} group by rollup (a, d) order by 1, 2, 4",
            f"select id, row_number() over (partition by a order by id), sum(b) over (partition by d order by id) from {{T}} where {where} order by id"])

    def select(self, parameters=None):
        r = self.r
        where = self.condition(parameters)
        dice = r.random()
        if dice < 0.3:
            return f"select * from {{T}} where {where} order by id"
        if dice < 0.5:
            limit = r.choice([f"limit {r.randrange(1, 20)}", f"limit {r.randrange(1, 20)} offset {r.randrange(0, 4)}", f"limit {r.randrange(1, 4)}"])
            return f"select * from {{T}} where {where} order by {self.order()} {limit}"
        if dice < 0.72:
            return self.joins(where, parameters)
        if dice < 0.9:
            return self.groups(where)
        if dice < 0.95:
            return f"select id, 1 from {{T}} where {where} union {r.choice(['', 'all '])}select id, 2 from {{U}} where {self.condition(parameters)} order by 1, 2"
        return f"select * from (select * from {{T}} where {self.atom(parameters)}) t where {where} order by id for {r.choice(['update', 'share', 'key share'])}"

    def prepared(self):
        parameters = []
        text = self.select(parameters)
        if not parameters:
            return [(text, "select")]
        mode = self.r.choice(["auto", "auto", "force_generic_plan", "force_custom_plan"])
        runs = [(f"execute q{{N}}({self.value('a')}, {self.value('b')})", "select") for _ in range(8 if mode == "auto" else 3)]
        return [(f"set plan_cache_mode = {mode}", "once"), (f"prepare q{{N}}(int, int) as {text}", "same")] + runs + [("deallocate q{N}", "same"), ("reset plan_cache_mode", "once")]

    def write(self):
        r = self.r
        dice = r.random()
        if dice < 0.15:
            action = r.choice(["nothing", "update set b = excluded.b + 1", "update set c = 'e' where {T}.a > 3", "update set d = not {T}.d, a = {T}.a"])
            chosen = f"select {ALL} from {{T}} where {self.atom()} and id % 5 = {r.randrange(5)} and (a, b, c, d, e) is not null"
            return f"insert into {{T}} {chosen} on conflict ({ALL}) do {action} returning id, a, b, c, d, e"
        if dice < 0.4:
            return f"insert into {{T}} values {', '.join(self.row() for _ in range(r.randrange(1, 6)))} returning {ALL}"
        if dice < 0.5:
            base = self.next_id   # (ids are unique, so that each ORDER BY that ends with one is an order)
            self.next_id += 200
            return f"insert into {{T}} select id + {base}, b, a, c, not d, e + 1 from {{U}} where {self.condition()} and id % 5 = 1 returning {ALL}"
        if dice < 0.7:
            column = r.choice("abcde")
            new = r.choice([self.value(column), f"{column} + 1", f"{column} - 2"]) if column in "ab" else self.value(column)
            return f"update {{T}} set {column} = {new} where {self.condition()} and id % 7 = {r.randrange(7)} returning {ALL}"
        if dice < 0.8:
            return f"delete from {{T}} where {self.condition()} and id % 11 = {r.randrange(11)} returning id"
        if dice < 0.87:
            return f"delete from {{T}} using s where {{T}}.a = s.x and s.y = {self.number()} and {{T}}.id % 3 = 0 and {self.condition()} returning id, x"
        one = "s.x in (select min(x) from s group by x having count(*) = 1)"
        if dice < 0.94:
            return f"update {{T}} set a = s.y from s where {{T}}.a = s.x and {{T}}.id % 5 = {r.randrange(5)} and {one} returning id, a, x"
        return (f"update {{T}} t set b = u.m from (select a, min(b) as m from {{U}} where {self.condition()} group by a) u"
                f" where t.a = u.a and t.id % 3 = {r.randrange(3)} returning t.id, t.b")

    def tree_change(self):
        """Statements that only the partitioned table takes; the copy is filled anew after them."""
        r = self.r
        if not self.leaves:
            return ["analyze p"]
        name, bound = r.choice(self.leaves)
        return r.choice([
            [f"truncate {name}"], [f"alter table p detach partition {name}", f"delete from {name} where id % 3 = 0", f"alter table p attach partition {name} {bound}"],
            [f"vacuum {name}"], ["analyze p"], [f"analyze {name}"], ["vacuum analyze p"], ["create index extra on p (b)", "analyze p"], ["drop index if exists extra"],
            ["select tableoid::regclass, * from p order by id", f"select count(*) from only {name}", f"select * from {name} where {self.condition()} order by id"],
            [f"begin; declare cur cursor for select * from p where {self.condition()} order by {self.order()}; fetch 3 from cur; move 2 in cur; fetch all from cur; commit"]])

    def setting(self):
        name = self.r.choice(["enable_partitionwise_join", "enable_partitionwise_aggregate", "enable_partitionwise_join", "enable_partitionwise_aggregate", "enable_partition_pruning",
                              "enable_hashjoin", "enable_mergejoin", "enable_nestloop", "enable_sort", "enable_seqscan", "enable_hashagg", "enable_memoize", "enable_material",
                              "enable_bitmapscan", "enable_indexscan"])
        return f"set {name} = {self.r.choice(['on', 'off'])}"

    def one(self):
        dice = self.r.random()
        if dice < 0.52:
            return [(self.select(), "select")]
        if dice < 0.66:
            return self.prepared()
        if dice < 0.71:
            return [(self.setting(), "once")]
        if dice < 0.73:
            return [("reset all; set synchronous_commit = off", "once")]
        if dice < 0.76:
            return [(text, "tree") for text in self.tree_change()]
        return [(self.write(), "write")]
