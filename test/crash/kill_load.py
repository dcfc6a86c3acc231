"""What runs while a server is killed: workers that remember what was acknowledged."""
import threading, time

from cluster import Client, Lost, SqlError
from kill_oracle import fault


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
            sql = f"create table made_{n} (a int primary key, b text); insert into made_{n} select g, repeat('x', 100) from generate_series(1, 200) g"
            effect = ("table", n)
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
