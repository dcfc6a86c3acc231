"""Statements in whose middle a server is killed, and what may be found afterwards. A scene's begin() makes what it needs, run() goes on until the
connection is lost and remembers what was acknowledged, check() looks at what recovery left, tidy() removes it."""
import itertools

from cluster import SqlError
from kill_oracle import fault


class Scene:
    def begin(self, client):
        pass

    def run(self, client):
        for statement in itertools.cycle(self.statements):
            client.query(statement)

    def check(self, client):
        pass

    def tidy(self, client):
        pass


class Statements(Scene):
    """All of it is in the general oracle: files, catalogs, rows and indexes. What is called "doomed" may be there or not."""
    def __init__(self, *statements):
        self.statements = statements

    def tidy(self, client):
        # "doomed" may be a table or an index: DROP TABLE IF EXISTS of an index is an error.
        for kind in client.query("select relkind from pg_class where relname = 'doomed'"):
            client.query("drop index doomed" if kind[0] == "i" else "drop table doomed")
        client.query("drop database if exists doomed")


class IndexesConcurrently(Scene):
    """REINDEX, CREATE INDEX and DROP INDEX CONCURRENTLY of tables that others write: each key is there and valid; what was half built is invalid."""
    statements = ["reindex index concurrently numbered_pkey", "create index concurrently doomed on numbered (worker, n)",
                  "reindex table concurrently pgbench_tellers", "drop index concurrently doomed", "reindex table concurrently pgbench_accounts"]

    def check(self, client):
        keys = client.value("select count(*) from pg_index where indisprimary and indisvalid and indisready and indislive "
                            "and indrelid in ('numbered'::regclass, 'pgbench_tellers'::regclass, 'pgbench_accounts'::regclass)")
        if keys != "3":
            fault("concurrently", f"{keys} valid primary keys of 3")

    def tidy(self, client):
        for name in client.query("select indexrelid::regclass from pg_index where not indisvalid or indexrelid::regclass::text = 'doomed'"):
            client.query(f"drop index {name[0]}")


class DetachConcurrently(Scene):
    """A partition is attached, detached or pending, and its rows are there; FINALIZE ends what was pending."""
    statements = ["alter table parted detach partition parted_1 concurrently",
                  "alter table parted attach partition parted_1 for values from (100) to (200)"]
    BOUNDS = {0: (0, 100), 1: (100, 200), 2: (200, 300)}

    def begin(self, client):
        client.query("create table if not exists parted (a int primary key, t text) partition by range (a)")
        for n, (low, high) in self.BOUNDS.items():
            client.query(f"create table if not exists parted_{n} partition of parted for values from ({low}) to ({high})")
        client.query("truncate parted; insert into parted select g, repeat('p', g) from generate_series(0, 299) g")

    def check(self, client):
        state = client.query("select inhdetachpending from pg_inherits where inhrelid = 'parted_1'::regclass and inhparent = 'parted'::regclass")
        attached = state == [["f"]]
        seen, own = client.value("select count(*) from parted"), client.value("select count(*) from parted_1")
        if own != "100" or seen != ("300" if attached else "200"):
            fault("concurrently", f"detach: {state}, {seen} rows seen by the parent, {own} in the partition")
        if state == [["t"]]:
            client.query("alter table parted detach partition parted_1 finalize")
            attached = False
        if not attached:
            client.query(self.statements[1])
        if client.value("select sum(a) from parted where a >= 0") != "44850":
            fault("concurrently", "detach: other rows after attaching again")


class PartitionsInBulk(Scene):
    """Forty partitions with a row each in one transaction: all or none."""
    COUNT = 40

    def begin(self, client):
        self.acknowledged = 0
        client.query("create table bulk (a int primary key, t text) partition by range (a)")

    def run(self, client):
        for batch in itertools.count():
            first = batch * self.COUNT
            made = "".join(f"create table bulk_{n} partition of bulk for values from ({n}) to ({n + 1}); " for n in range(first, first + self.COUNT))
            client.query(f"begin; {made} insert into bulk select g, 'row' from generate_series({first}, {first + self.COUNT - 1}) g; commit")
            self.acknowledged = first + self.COUNT

    def check(self, client):
        made = int(client.value("select count(*) from pg_inherits where inhparent = 'bulk'::regclass"))
        named = int(client.value("select count(*) from pg_class where relname ~ '^bulk_[0-9]+$'"))
        rows = int(client.value("select count(*) from bulk"))
        if made not in (self.acknowledged, self.acknowledged + self.COUNT) or rows != made or named != made:
            fault("ddl-all-or-nothing", f"{self.acknowledged} partitions acknowledged, {made} there, {named} tables, {rows} rows")

    def tidy(self, client):
        client.query("drop table bulk")


class SetLogged(Scene):
    """A logged table keeps its rows, whatever it was before; an unlogged one is empty after the crash."""
    statements = ["alter table switched set unlogged", "alter table switched set logged"]
    ROWS = 3000

    def begin(self, client):
        client.query("create table switched (a int primary key, t text);"
                     f"insert into switched select g, repeat('s', 100) from generate_series(1, {self.ROWS}) g")

    def check(self, client):
        kind, rows, keys = client.query("select relpersistence, (select count(*) from switched), (select count(*) from switched where a > 0) "
                                        "from pg_class where relname = 'switched'")[0]
        if [rows, keys] != ([str(self.ROWS)] * 2 if kind == "p" else ["0", "0"]):
            fault("set-logged", f"persistence {kind}: {rows} rows, {keys} keys")
        client.query("insert into switched values (-1, 'new')")
        if client.query("alter table switched set logged; select t from switched where a = -1") != [["new"]]:
            fault("set-logged", "a new row is not found")

    def tidy(self, client):
        client.query("drop table switched")


class VacuumTruncates(Scene):
    """VACUUM gives pages at the end back while rows come and go: the first hundred rows stay, the others are all there or none."""
    MANY = 8000

    def begin(self, client):
        self.low, self.high = 0, 0     # rows behind the hundred, by what was acknowledged
        client.query("create table shrinking (a int primary key, t text);"
                     "insert into shrinking select g, repeat('v', 100) from generate_series(1, 100) g")

    def run(self, client):
        while True:
            self.high = self.MANY
            client.query(f"insert into shrinking select g, repeat('v', 100) from generate_series(101, {100 + self.MANY}) g")
            self.low, self.high = self.MANY, self.MANY
            client.query("vacuum shrinking")
            self.low = 0
            client.query("delete from shrinking where a > 100")
            self.high = 0
            client.query("vacuum shrinking")

    def check(self, client):
        kept = int(client.value("select count(*) from shrinking where a <= 100"))
        more = int(client.value("select count(*) from shrinking where a > 100"))
        keys = int(client.query("set enable_seqscan = off; select count(*) from shrinking where a > 0; reset enable_seqscan")[0][0])
        if kept != 100 or more not in (self.low, self.high) or keys != kept + more:
            fault("vacuum", f"{kept} rows of 100, {more} others (of {self.low} or {self.high}), {keys} through the key")

    def tidy(self, client):
        client.query("drop table shrinking")


SCENES = {
    "in-checkpoint": (Statements("checkpoint"), 0.1),
    "in-create-index": (Statements("create index doomed on big (b)", "drop index doomed"), 0.4),
    "in-truncate": (Statements("create table doomed as select * from big", "truncate doomed", "insert into doomed select * from big limit 1000",
                               "truncate doomed", "drop table doomed"), 0.5),
    "in-drop-table": (Statements("create table doomed as select * from big limit 3000", "drop table doomed"), 0.5),
    "in-commit-with-ddl": (Statements("begin; create table doomed (a int primary key); insert into doomed select g from generate_series(1, 500) g; "
                                      "create index on doomed (a); commit", "drop table doomed"), 0.5),
    "in-create-database": (Statements("create database doomed", "drop database doomed"), 1.0),
    "in-reindex-concurrently": (IndexesConcurrently(), 0.8),
    "in-detach-concurrently": (DetachConcurrently(), 0.4),
    "in-partition-bulk": (PartitionsInBulk(), 0.6),
    "in-set-logged": (SetLogged(), 0.4),
    "in-vacuum": (VacuumTruncates(), 0.5),
}
