#!/usr/bin/env python3
"""How a server ends and begins again: the postmaster dies while sessions do all sorts of things, the log's tail is damaged, a sync fails.   endings.py
The last lines are "ok NAME" or "failed NAME"."""
import collections, os, signal, socket, struct, subprocess, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import BUILD, Client, Cluster, Lost, SqlError, await_end, is_alive, send

faults = collections.Counter()


def fault(name, text):
    faults[name] += 1
    print(f"FAULT {name}: {text}", flush=True)


class Session(threading.Thread):
    """Runs statements, of which the last does not end."""
    def __init__(self, cluster, *statements):
        super().__init__(daemon=True)
        self.client, self.statements, self.ended_well = Client(cluster), statements, False
        self.start()

    def run(self):
        try:
            for statement in self.statements:
                self.client.query(statement)
            self.ended_well = True
        except (Lost, SqlError):
            pass


def raw_connection(cluster, message):
    s = socket.socket(socket.AF_UNIX)
    s.connect(f"{cluster.directory}/.s.PGSQL.{cluster.port}")
    s.sendall(message)
    return s


def orphans(cluster):
    """Whatever a child is doing, it leaves within half a second of the postmaster's death."""
    sessions = [Session(cluster, "select count(*) from generate_series(1, 2000000000) a"), Session(cluster, "select count(*) from t a, t b, t c, t d"),
                Session(cluster, "select pg_sleep(100)"), Session(cluster, "begin", "lock table t in access exclusive mode", "select pg_sleep(100)")]
    time.sleep(0.3)
    sessions.append(Session(cluster, "select * from t"))             # waits for the lock
    idle = [Client(cluster), Client(cluster)]
    idle[1].query("begin")
    # One that does not read its answer, one that is in the middle of saying who it is.
    startup = struct.pack("!I", 196608) + b"user\0postgres\0database\0postgres\0\0"
    query = b"select repeat('x', 1000) from generate_series(1, 1000000)\0"
    raw = [raw_connection(cluster, struct.pack("!I", len(startup) + 4) + startup + b"Q" + struct.pack("!I", len(query) + 4) + query),
           raw_connection(cluster, b"\0\0")]
    time.sleep(1)
    children = list(cluster.children())
    if any(s.ended_well or not s.is_alive() for s in sessions) or len(children) < 10:
        fault("orphans", f"the sessions do not last; {len(children)} children")
    send(cluster.postmaster(), signal.SIGKILL)
    took = await_end(children, 10)
    crowded = os.getloadavg()[0] > 4 * os.cpu_count()
    print(f"{len(children)} children gone after {took} s")
    if took is None or took > (3 if crowded else 0.5):
        fault("orphans", f"still there after {took} s: {[p for p in children if is_alive(p)]}")
    for s in raw:
        s.close()
    cluster.start()


def last_record(client, cluster):
    """Inserts a row; the path of the log's file and the place in it where the commit ends."""
    client.query("insert into t select max(n) + 1 from t")
    high, low = (int(part, 16) for part in client.value("select pg_current_wal_flush_lsn()").split("/"))
    return f"{cluster.data}/pg_wal/{1:08X}{high:08X}{low >> 24:08X}", low & 0xFFFFFF


def flip(file, end):
    file.seek(end - 10)
    byte = file.read(1)
    file.seek(end - 10)
    file.write(bytes([byte[0] ^ 4]))


def overwrite(file, end, bytes):
    file.seek(end - 10)
    file.write(bytes)


def damaged_tail(cluster):
    """The log ends before a record that is damaged: everything before it is there, the server goes on."""
    damages = {"a flipped bit": flip, "cut off": lambda f, end: f.truncate(end - 10), "zeroes": lambda f, end: overwrite(f, end, b"\0" * 500),
               "noise": lambda f, end: overwrite(f, end, os.urandom(5000))}
    for name, damage in damages.items():
        client = Client(cluster)
        client.query("insert into t select max(n) + g from t, generate_series(1, 100) g group by g")
        before = int(client.value("select count(*) from t"))
        path, end = last_record(client, cluster)
        client.close()
        cluster.kill_tree()
        with open(path, "r+b") as f:
            damage(f, end)
        cluster.start()
        client = Client(cluster)
        after = int(client.value("select count(*) from t"))
        if after != before:
            fault("log-tail", f"{name}: {after} rows instead of {before}: the last one's commit is damaged, those before it are not")
        client.query("select bt_index_parent_check('t_pkey', true); insert into t select max(n) + 1 from t; checkpoint")
        client.close()


def failed_sync(cluster):
    """A sync that fails once is a PANIC and recovery, of the log as of a table's file; what was acknowledged before is there afterwards."""
    if b"libasan" in subprocess.run(["ldd", cluster.directory + "/bin/postgres"], capture_output=True).stdout:
        return print("failed syncs: skipped, a sanitizer wants to be preloaded itself")
    order = cluster.directory + "/fail-sync"
    cluster.stop()
    cluster.prefix = cluster.prefix + ["env", f"LD_PRELOAD={BUILD}/test/crash/libfail_sync.so", f"FAIL_SYNC={order}"]
    cluster.start()
    for part, statement in (("pg_wal/", "insert into t select max(n) + 1 from t"), ("base/", "checkpoint")):
        client = Client(cluster)
        client.query("insert into t select max(n) + 1 from t")
        acknowledged, parent = int(client.value("select count(*) from t")), cluster.postmaster()
        with open(order + ".new", "w") as f:
            f.write(part)
        os.chmod(cluster.directory, 0o777)
        os.rename(order + ".new", order)
        try:
            client.query(statement)
            fault("failed-sync", f"{part}: acknowledged")
        except Lost:
            pass
        except SqlError as e:
            fault("failed-sync", f"{part}: an error is all: {e}")
        if os.path.exists(order):
            fault("failed-sync", f"{part}: nothing was synced")
            os.unlink(order)
        client = wait_for_recovery(cluster)
        there = int(client.value("select count(*) from t"))
        if there not in (acknowledged, acknowledged + 1) or cluster.postmaster() != parent:
            fault("failed-sync", f"{part}: {there} rows, {acknowledged} acknowledged")
        if not any("PANIC" in line and "could not fsync" in line and part in line for line in open(cluster.log, errors="replace")):
            fault("failed-sync", f"{part}: no PANIC in the log")
        client.close()


def wait_for_recovery(cluster):
    """Connections that were made before the postmaster heard of the death are lost; then it recovers."""
    end = time.monotonic() + 60
    while True:
        try:
            client = Client(cluster)
            client.query("select pg_sleep(0.2)")
            return client
        except (Lost, SqlError):
            if time.monotonic() > end:
                raise RuntimeError("no recovery: " + cluster.log_tail())
            time.sleep(0.05)


def main():
    cluster = Cluster(["shared_buffers=16MB", "fsync=on", "autovacuum=off"])
    try:
        cluster.initdb()
        cluster.start()
        client = Client(cluster)
        client.query("create table t (n int primary key); insert into t select g from generate_series(1, 1000) g")
        client.close()
        orphans(cluster)
        damaged_tail(cluster)
        failed_sync(cluster)
        if not cluster.stop():
            fault("restart", cluster.log_tail())
    except (RuntimeError, Lost, SqlError) as e:
        fault("restart", str(e))
    cluster.kill_tree()
    cluster.remove()
    for name in ("orphans", "log-tail", "failed-sync", "restart"):
        print(("failed" if faults[name] else "ok") + f" endings-{name}")


main()
