#!/usr/bin/env python3
"""Kills a server, or parts of it, in every way, under pgbench's TPC-B and workers that remember what was acknowledged, and looks at
everything after each restart.   kill.py [--kills N] [--seed N] [--kinds a,b]
The last lines are "ok NAME" or "failed NAME"; before them one line a fault found."""
import argparse, collections, os, random, signal, statistics, subprocess, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import Client, Cluster, Lost, SqlError, await_end, is_alive, note_progress, send, shared_memory_segments, time_is_over
from kill_load import Definitions, Numbers, State
from kill_oracle import check, fault, faults
from kill_scenes import SCENES

arguments = argparse.ArgumentParser()
arguments.add_argument("--kills", type=int, default=40)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--kinds", default="")
arguments.add_argument("--keep", action="store_true")
options = arguments.parse_args()
chance = random.Random(options.seed)
BIG_ROWS = 40000


def crowded():
    """With many times more to do than the machine can, times say nothing of the server."""
    return os.getloadavg()[0] > 4 * os.cpu_count()


class SceneThread(threading.Thread):
    """Runs a scene's statements until the connection is lost."""
    def __init__(self, cluster, scene):
        super().__init__(daemon=True)
        self.scene, self.client = scene, Client(cluster)

    def run(self):
        try:
            self.scene.run(self.client)
        except Lost:
            pass
        except SqlError as e:
            fault("statement", f"{type(self.scene).__name__}: {e}")


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
        client.query("create table numbered (worker int, n int primary key); create table ddl_log (n int);"
                     "create table emptied (n int); insert into emptied values (0);"
                     "create unlogged table fleeting (n int primary key, t text);"
                     f"create table big (a int primary key, b text); insert into big select g, md5(g::text) from generate_series(1, {BIG_ROWS}) g")
        client.close()
        self.environment = environment

    def load(self):
        c = self.cluster
        self.bench = subprocess.Popen(["pgbench", "-n", "-T", "300", "-c", "3", "-j", "1", "postgres"], env=self.environment,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        scene, at_most = SCENES.get(kind, (None, 0))
        if scene:
            client = Client(self.cluster)
            scene.begin(client)
            client.close()
        self.load()
        time.sleep(0.25 + chance.random() * 0.6)
        if scene:
            self.kill_during(scene, at_most)
        else:
            getattr(self, "kill_" + kind.replace("-", "_"))()
        self.end_load()
        if self.cluster.postmaster() is None:
            self.restarts.append(self.cluster.start())
        else:
            begin = time.monotonic()
            self.cluster.await_ready()
            self.restarts.append(time.monotonic() - begin)
        check(self.cluster, self.state)
        if scene:
            client = Client(self.cluster)
            scene.check(client)
            scene.tidy(client)
            client.close()

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

    def kill_during(self, scene, at_most):
        """In the middle of the scene's statements: mostly everything, else the session that runs them, or the postmaster."""
        thread = SceneThread(self.cluster, scene)
        thread.start()
        time.sleep(chance.random() * at_most)
        match chance.randrange(8):
            case 0: self.kill_postmaster()
            case 1 | 2: self.kill_one([thread.client.pid], signal.SIGKILL)
            case _: self.kill_tree()
        thread.join(20)
        if thread.is_alive():
            fault("hang", "a killed session's client does not hear of it")


def start_rules(cluster):
    """A second start is refused; a stale postmaster.pid with a pid that is in use by somebody else is no obstacle."""
    second = cluster.program("postgres", "-D", cluster.data, "-p", "1", "-k", cluster.directory, timeout=30)
    if second.returncode == 0 or "lock file" not in second.stderr:
        fault("start-refused", second.stderr[-200:])
    # A child that hangs on (stopped) after its postmaster died: a start is refused while it lives.
    client = Client(cluster)
    child = int(client.value("select pg_backend_pid()"))
    parent, children = cluster.postmaster(), list(cluster.children())
    send(child, signal.SIGSTOP)
    send(parent, signal.SIGKILL)
    await_end([p for p in children if p != child], 3)
    third = None
    if is_alive(child):
        third = cluster.program("postgres", "-D", cluster.data, "-p", str(cluster.port), "-k", cluster.directory, timeout=60)
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


KINDS = ["tree", "backend-kill", "in-recovery", "postmaster", "backend-segv", "in-checkpoint", "checkpointer", "in-create-index", "wal-writer",
         "in-truncate", "backend-abrt", "in-drop-table", "background-writer", "in-commit-with-ddl", "in-create-database", "in-reindex-concurrently",
         "in-detach-concurrently", "in-partition-bulk", "in-set-logged", "in-vacuum"]


def main():
    driver = Driver()
    kills = collections.Counter()
    try:
        driver.set_up()
        kinds = options.kinds.split(",") if options.kinds else KINDS
        for n in range(options.kills):
            if time_is_over():
                break
            kind = kinds[n % len(kinds)]
            kills[kind] += 1
            found = sum(faults.values())
            try:
                driver.one(kind)
            except (Lost, SqlError) as e:
                fault("error-after-kill", f"{e}\n{driver.cluster.log_tail(8)}")
                driver.cluster.await_ready()
            note_progress()
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
        print("restart times: " + " ".join(f"{t:.2f}" for t in times))
        print(f"restart: median {statistics.median(times):.2f} s, longest {times[-1]:.2f} s; orphans gone after at most "
              f"{max(driver.orphan_times, default=0):.2f} s")
    if times and statistics.median(times) > 1.0 and not crowded():
        fault("restart-time", f"median {statistics.median(times):.2f} s")
    for name in ("lost-commit", "never-sent", "ddl-all-or-nothing", "sums", "index-and-heap", "heap", "orphan", "lost-file", "unlogged", "set-logged",
                 "concurrently", "vacuum", "restart", "restart-time", "orphans-live", "start-refused", "shared-memory", "error-after-kill"):
        print(("failed" if faults.pop(name, 0) else "ok") + f" kill-{name}")
    for name in faults:
        print(f"failed kill-{name}")


main()
