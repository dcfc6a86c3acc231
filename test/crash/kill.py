#!/usr/bin/env python3
"""Kills a server, or parts of it, in every way, under pgbench's TPC-B and workers that remember what was acknowledged, and looks at
everything after each restart.   kill.py [--kills N] [--seed N] [--kinds a,b]
The last lines are "ok NAME" or "failed NAME"; before them one line a fault found."""
import argparse, collections, os, random, re, signal, statistics, subprocess, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import Client, Cluster, Lost, SqlError, await_end, is_alive, send, shared_memory_segments

arguments = argparse.ArgumentParser()
arguments.add_argument("--kills", type=int, default=34)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--kinds", default="")
arguments.add_argument("--keep", action="store_true")
options = arguments.parse_args()
chance = random.Random(options.seed)
faults = collections.Counter()
until = float(os.environ.get("CRASH_UNTIL", "inf"))
BIG_ROWS = 40000


def fault(name, text):
    faults[name] += 1
    print(f"FAULT {name}: {text}", flush=True)


def crowded():
    """With many times more to do than the machine can, times say nothing of the server."""
    return os.getloadavg()[0] > 4 * os.cpu_count()


class Worker(threading.Thread):
    """Runs step() over and over on a connection of its own until the server is gone."""
    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.stopping = cluster, False

    def run(self):
        try:
            client = Client(self.cluster)
            while not self.stopping:
                self.step(client)
            client.close()
        except Lost:
            pass


class Numbers(Worker):
    """Inserts rising numbers; acknowledged ones, and the one that may be there."""
    def __init__(self, cluster, state, number):
        super().__init__(cluster)
        self.state, self.number = state, number

    def step(self, client):
        n = self.state.next_number()
        self.state.maybe.add(n)
        client.query(f"insert into numbered values ({self.number}, {n})")
        self.state.acknowledged.add(n)
        self.state.maybe.discard(n)


class Definitions(Worker):
    """Transactions with DDL; each writes its number into ddl_log."""
    def __init__(self, cluster, state):
        super().__init__(cluster)
        self.state = state

    def step(self, client):
        s = self.state
        n = s.next_number()
        kind = n % 4
        if kind == 0 or not s.tables:
            sql, effect = f"create table made_{n} (a int primary key, b text); insert into made_{n} select g, repeat('x', 100) from generate_series(1, 200) g", ("table", n)
        elif kind == 1:
            sql, effect = f"create index made_index_{n} on big (b, a)", ("index", n)
        elif kind == 2:
            sql, effect = f"truncate emptied; insert into emptied values ({n})", ("truncate", n)
        else:
            gone = s.tables[0]
            sql, effect = f"drop table made_{gone}", ("drop", gone)
        if effect[0] == "index" and s.indexes:
            sql = f"drop index made_index_{s.indexes[0]}; " + sql
        s.pending = (n, effect)
        try:
            client.query(f"begin; {sql}; insert into ddl_log values ({n}); commit")
        except SqlError as e:
            fault("ddl", f"{sql}: {e}")
            try:
                client.query("rollback")
            except SqlError:
                pass
            s.pending = None
            time.sleep(0.05)
            return
        s.apply(effect)
        s.log.add(n)
        s.pending = None
        time.sleep(0.02)


class State:
    def __init__(self):
        self.lock, self.number = threading.Lock(), 0
        self.acknowledged, self.maybe = set(), set()
        self.tables, self.indexes, self.log, self.pending, self.truncated = [], [], set(), None, 0

    def next_number(self):
        with self.lock:
            self.number += 1
            return self.number

    def apply(self, effect):
        kind, n = effect
        if kind == "table":
            self.tables.append(n)
        elif kind == "drop":
            self.tables.remove(n)
        elif kind == "truncate":
            self.truncated = n
        else:
            self.indexes[:] = [n]


def check(cluster, state):
    client = Client(cluster)
    # Acknowledged rows there, nothing else but what was under way.
    there = {int(r[0]) for r in client.query("select n from numbered")}
    lost = state.acknowledged - there
    if lost:
        fault("lost-commit", f"{len(lost)} acknowledged rows are gone, {min(lost)} first")
    surplus = there - state.acknowledged - state.maybe
    if surplus:
        fault("never-sent", f"rows that nobody inserted: {sorted(surplus)[:5]}")
    state.acknowledged |= there
    state.acknowledged -= lost
    state.maybe = set()
    # Transactions with DDL: all or nothing.
    log = {int(r[0]) for r in client.query("select n from ddl_log")}
    if state.log - log:
        fault("lost-commit", f"acknowledged DDL transactions are gone: {sorted(state.log - log)[:5]}")
    if state.pending:
        n, effect = state.pending
        if n in log:
            state.apply(effect)
        state.pending = None
    state.log = log
    made = {int(r[0][5:]) for r in client.query("select relname from pg_class where relname ~ '^made_[0-9]+$'")}
    if made != set(state.tables):
        fault("ddl-all-or-nothing", f"tables {sorted(made ^ set(state.tables))[:5]}")
        state.tables = sorted(made)
    for n in state.tables[-3:]:
        counts = client.query(f"select count(*), sum(length(b)) from made_{n}")[0]
        if counts != ["200", "20000"]:
            fault("ddl-all-or-nothing", f"table made_{n} has {counts}")
    truncated = client.value("select coalesce(sum(n), 0) from emptied")
    if int(truncated) != state.truncated:
        fault("ddl-all-or-nothing", f"emptied holds {truncated}, not {state.truncated}")
        state.truncated = int(truncated)
    indexes = sorted(int(r[0][11:]) for r in client.query("select relname from pg_class where relname ~ '^made_index_'"))
    if indexes != state.indexes:
        fault("ddl-all-or-nothing", f"indexes {indexes}, not {state.indexes}")
        state.indexes = indexes
    sums = client.query("select (select sum(abalance) from pgbench_accounts), (select sum(bbalance) from pgbench_branches), "
                        "(select sum(tbalance) from pgbench_tellers), (select coalesce(sum(delta), 0) from pgbench_history)")[0]
    if len(set(sums)) != 1:
        fault("sums", str(sums))
    fleeting = client.value("select count(*) from fleeting")
    if fleeting != "0":
        fault("unlogged", f"{fleeting} rows survived")
    check_indexes(client)
    check_files(client, cluster)
    client.close()


def check_indexes(client):
    for table, key in (("pgbench_accounts", "aid"), ("numbered", "n"), ("big", "a")):
        by_heap = client.query(f"set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off; select count(*), sum({key}) from {table}")[-1]
        by_index = client.query(f"reset enable_indexscan; reset enable_indexonlyscan; set enable_seqscan = off; select count(*), sum({key}) from {table} where {key} > -1")[-1]
        client.query("reset enable_seqscan; reset enable_bitmapscan")
        if by_heap != by_index:
            fault("index-and-heap", f"{table}: {by_heap} in the heap, {by_index} in the index")
    try:
        client.query("select bt_index_check(c.oid, true) from pg_class c where c.relkind = 'i' and c.oid >= 16384")
    except SqlError as e:
        if e.code != "42883":
            fault("index-and-heap", str(e))


def check_files(client, cluster):
    database = client.value("select oid from pg_database where datname = 'postgres'")
    owned = {r[0] for r in client.query("select pg_relation_filenode(oid) from pg_class where relkind in ('r', 'i', 't', 'S', 'm')")}
    for name in os.listdir(f"{cluster.data}/base/{database}"):
        m = re.match(r"(t\d+_)?(\d+)(_fsm|_vm|_init)?(\.\d+)?$", name)
        if m and (m[1] or m[2] not in owned):
            fault("orphan", f"base/{database}/{name}")
    databases = {r[0] for r in client.query("select oid from pg_database")}
    for name in os.listdir(f"{cluster.data}/base"):
        if name.isdigit() and name not in databases:
            fault("orphan", f"base/{name}")


def run_sql(cluster, sql):
    """In a thread, whatever comes of it."""
    def work():
        try:
            client = Client(cluster)
            for statement in sql:
                client.query(statement)
        except (Lost, SqlError):
            pass
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


class Driver:
    def __init__(self):
        self.cluster = Cluster(["max_wal_size=64MB", "checkpoint_timeout=30s", "shared_buffers=16MB"])
        self.state = State()
        self.restarts = []
        self.orphan_times = []

    def set_up(self):
        c = self.cluster
        c.initdb()
        c.start()
        environment = dict(os.environ, PGHOST=c.directory, PGPORT=str(c.port), PGUSER="postgres")
        done = subprocess.run(["pgbench", "-i", "-q", "-s", "1", "postgres"], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("pgbench -i: " + done.stderr)
        client = Client(c)
        client.query("create table numbered (worker int, n int primary key); create table ddl_log (n int); create table emptied (n int); insert into emptied values (0);"
                     "create unlogged table fleeting (n int primary key, t text);"
                     f"create table big (a int primary key, b text); insert into big select g, md5(g::text) from generate_series(1, {BIG_ROWS}) g")
        self.can_create_database = True
        try:
            client.query("create database probe")
            client.query("drop database probe")
        except SqlError as e:
            self.can_create_database = False
            print(f"CREATE DATABASE: {e}", flush=True)
        client.close()
        self.environment = environment

    def load(self):
        c = self.cluster
        self.bench = subprocess.Popen(["pgbench", "-n", "-T", "300", "-c", "3", "-j", "1", "postgres"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.workers = [Numbers(c, self.state, 1), Numbers(c, self.state, 2), Definitions(c, self.state)]
        try:
            client = Client(c)
            client.query("insert into fleeting select g, repeat('u', 300) from generate_series(1, 300) g")
            client.close()
        except SqlError as e:
            fault("unlogged", str(e))
        for w in self.workers:
            w.start()

    def end_load(self):
        for w in self.workers:
            w.stopping = True
        self.bench.terminate()
        self.bench.wait()
        for w in self.workers:
            w.join(30)
            if w.is_alive():
                fault("hang", "a worker does not end")

    def one(self, kind):
        self.load()
        time.sleep(0.25 + chance.random() * 0.6)
        getattr(self, "kill_" + kind.replace("-", "_"))()
        self.end_load()
        if self.cluster.postmaster() is None:
            self.restarts.append(self.cluster.start())
        else:
            begin = time.monotonic()
            self.cluster.await_ready()
            self.restarts.append(time.monotonic() - begin)
        check(self.cluster, self.state)

    # --- kinds ---
    def kill_tree(self):
        self.cluster.kill_tree()

    def kill_postmaster(self):
        parent, children = self.cluster.postmaster(), list(self.cluster.children())
        send(parent, signal.SIGKILL)
        took = await_end(children, 10)
        if took is None or took > (3 if crowded() else 0.5):
            fault("orphans-live", f"children of a killed postmaster left after {took} s")
        self.orphan_times.append(took or 99)

    def kill_one(self, pids, number):
        if not pids:
            return self.cluster.kill_tree()
        # The server ends all its children, then recovers by itself. On a crowded machine it may take a while to hear of it; and a session that was
        # ending by itself is no loss: then another one.
        for _ in range(4):
            others = list(self.cluster.children())
            send(chance.choice([p for p in pids if p in others] or others), number)
            if await_end(others, 15) is not None:
                return
        fault("hang", "the server does not hear of killed children")

    def sessions(self):
        return self.cluster.child("[local]")

    def kill_backend_segv(self): self.kill_one(self.sessions(), signal.SIGSEGV)
    def kill_backend_abrt(self): self.kill_one(self.sessions(), signal.SIGABRT)
    def kill_backend_kill(self): self.kill_one(self.sessions(), signal.SIGKILL)
    def kill_checkpointer(self): self.kill_one(self.cluster.child("checkpointer"), signal.SIGKILL)
    def kill_wal_writer(self): self.kill_one(self.cluster.child("walwriter") or self.cluster.child("WAL writer"), signal.SIGKILL)
    def kill_background_writer(self): self.kill_one(self.cluster.child("background writer"), signal.SIGKILL)

    def kill_in_recovery(self):
        self.cluster.kill_tree()
        for _ in range(2):
            self.cluster.start(wait=False)
            begin = time.monotonic()
            while self.cluster.postmaster() is None and time.monotonic() - begin < 30:
                time.sleep(0.005)
            time.sleep(chance.random() * 0.25)
            self.cluster.kill_tree()

    def kill_during(self, statements, at_most):
        thread = run_sql(self.cluster, statements)
        time.sleep(chance.random() * at_most)
        self.cluster.kill_tree()
        thread.join(10)

    def kill_in_checkpoint(self): self.kill_during(["checkpoint", "checkpoint"], 0.1)
    def kill_in_create_index(self): self.kill_during(["create index doomed on big (b)", "drop index doomed"] * 5, 0.4)
    def kill_in_truncate(self):
        self.kill_during(["create table doomed as select * from big", "truncate doomed", "insert into doomed select * from big limit 1000", "truncate doomed", "drop table doomed"] * 4, 0.5)
        self.doomed = True
    def kill_in_drop_table(self): self.kill_during(["create table doomed as select * from big limit 3000", "drop table doomed"] * 20, 0.5)
    def kill_in_commit_with_ddl(self):
        self.kill_during(["begin; create table doomed (a int primary key); insert into doomed select g from generate_series(1, 500) g; create index on doomed (a); commit",
                          "drop table doomed"] * 20, 0.5)
    def kill_in_create_database(self):
        self.kill_during(["create database doomed", "drop database doomed"] * 5, 1.0)

    def after(self):
        """What an interrupted statement may rightly have left behind."""
        client = Client(self.cluster)
        # "doomed" may be a table or an index: DROP TABLE IF EXISTS of an index is an error.
        for kind in client.query("select relkind from pg_class where relname = 'doomed'"):
            client.query("drop index doomed" if kind[0] == "i" else "drop table doomed")
        if self.can_create_database:
            client.query("drop database if exists doomed")
        client.close()


def start_rules(cluster):
    """A second start is refused; a stale postmaster.pid with a pid that is in use by somebody else is no obstacle."""
    second = subprocess.run(cluster.prefix + [f"{cluster.directory}/bin/postgres", "-D", cluster.data, "-p", "1", "-k", cluster.directory], capture_output=True, text=True, timeout=30)
    if second.returncode == 0 or "lock file" not in second.stderr:
        fault("start-refused", second.stderr[-200:])
    # A child that hangs on (stopped) after its postmaster died: a start is refused while it lives.
    client = Client(cluster)
    child = int(client.value("select pg_backend_pid()"))
    parent, children = cluster.postmaster(), list(cluster.children())
    send(child, signal.SIGSTOP)
    send(parent, signal.SIGKILL)
    await_end([p for p in children if p != child], 3)
    third = subprocess.run(cluster.prefix + [f"{cluster.directory}/bin/postgres", "-D", cluster.data, "-p", str(cluster.port), "-k", cluster.directory], capture_output=True, text=True, timeout=60)         if is_alive(child) else None
    if third is not None and (third.returncode == 0 or "still in use" not in third.stderr):
        fault("start-refused", "with an orphan alive: " + third.stderr[-200:])
    send(child, signal.SIGCONT)
    send(child, signal.SIGKILL)
    await_end([child])
    lines = open(cluster.data + "/postmaster.pid").read().splitlines()
    lines[0] = str(os.getpid())
    with open(cluster.data + "/postmaster.pid", "w") as f:
        f.write("\n".join(lines) + "\n")
    cluster.start()


KINDS = ["tree", "backend-kill", "in-recovery", "postmaster", "backend-segv", "in-checkpoint", "checkpointer", "in-create-index", "wal-writer", "in-truncate", "backend-abrt",
         "in-drop-table", "background-writer", "in-commit-with-ddl", "in-create-database"]


def main():
    driver = Driver()
    kills = collections.Counter()
    try:
        driver.set_up()
        kinds = options.kinds.split(",") if options.kinds else KINDS
        if not driver.can_create_database:
            kinds = [k for k in kinds if k != "in-create-database"]
        for n in range(options.kills):
            if time.time() > until:
                break
            kind = kinds[n % len(kinds)]
            kills[kind] += 1
            found = sum(faults.values())
            try:
                driver.one(kind)
                driver.after()
            except (Lost, SqlError) as e:
                fault("error-after-kill", f"{e}\n{driver.cluster.log_tail(8)}")
                driver.cluster.await_ready()
            if sum(faults.values()) > found:
                print(f"(after kill {n + 1}, {kind})", flush=True)
        start_rules(driver.cluster)
        check(driver.cluster, driver.state)
        if not driver.cluster.stop():
            fault("stop", driver.cluster.log_tail())
    except RuntimeError as e:
        fault("restart", str(e))
    driver.cluster.kill_tree()
    if left := shared_memory_segments(driver.cluster.postmasters):
        fault("shared-memory", f"left: {left}")
    if not options.keep:
        driver.cluster.remove()
    report(driver, kills)


def report(driver, kills):
    total = sum(kills.values())
    times = sorted(driver.restarts)
    print(f"{total} kills ({', '.join(f'{k} {n}' for k, n in kills.items())}), {len(driver.state.acknowledged)} acknowledged rows, "
          f"{len(driver.state.log)} DDL transactions")
    if times:
        print(f"restart: median {statistics.median(times):.2f} s, longest {times[-1]:.2f} s; orphans gone after at most {max(driver.orphan_times, default=0):.2f} s")
    if times and statistics.median(times) > 1.0 and not crowded():
        fault("restart-time", f"median {statistics.median(times):.2f} s")
    for name in ("lost-commit", "never-sent", "ddl-all-or-nothing", "sums", "index-and-heap", "orphan", "unlogged", "restart", "restart-time", "orphans-live", "start-refused",
                 "shared-memory", "error-after-kill"):
        print(("failed" if faults.pop(name, 0) else "ok") + f" kill-{name}")
    for name in faults:
        print(f"failed kill-{name}")


main()
