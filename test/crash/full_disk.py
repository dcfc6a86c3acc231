#!/usr/bin/env python3
"""Full disks: pg_wal, then base/, on small file systems of their own. Needs the right to mount a tmpfs; else prints "skipped".
The last lines are "ok NAME" or "failed NAME"."""
import collections, os, subprocess, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import Client, Cluster, Lost, SqlError

faults = collections.Counter()


def fault(name, text):
    faults[name] += 1
    print(f"FAULT {name}: {text}", flush=True)


class Small:
    """A directory of the cluster on a small tmpfs, with a ballast file whose removal makes room."""
    def __init__(self, cluster, name, megabytes, ballast):
        self.place = f"{cluster.data}/{name}"
        saved = f"{cluster.directory}/saved-{name}"
        subprocess.run(["cp", "-a", self.place, saved], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "tmpfs", self.place], check=True)
        subprocess.run(["chown", "--reference", saved, self.place], check=True)
        subprocess.run(["cp", "-a", saved + "/.", self.place], check=True)
        self.ballast = self.place + "/ballast"
        with open(self.ballast, "wb") as f:
            f.write(b"\0" * (ballast << 20))

    def make_room(self):
        os.unlink(self.ballast)

    def remove(self):
        subprocess.run(["umount", "-l", self.place])


def full_log(cluster):
    """Sessions wait when the log finds no room, and go on within 5 s after there is some; nothing acknowledged is lost."""
    small = Small(cluster, "pg_wal", 64, 20)
    try:
        cluster.start()
        client = Client(cluster)
        client.query("create table filled (n int primary key, t text)")
        acknowledged, last, killed = set(), [time.monotonic()], []

        def fill():
            try:
                c = Client(cluster, timeout=120)
                for n in range(1, 2000):
                    c.query(f"insert into filled select {n}, string_agg(md5((g * {n})::text), '') from generate_series(1, 2000) g")
                    acknowledged.add(n)
                    last[0] = time.monotonic()
            except (Lost, SqlError) as e:
                if not killed:
                    fault("log", f"a writer got {e}")
        writer = threading.Thread(target=fill, daemon=True)
        writer.start()
        begin = time.monotonic()
        while time.monotonic() - last[0] < 2.0 and writer.is_alive() and time.monotonic() - begin < 60:
            time.sleep(0.1)
        stalled_at = len(acknowledged)
        if not writer.is_alive():
            return fault("log", "the log never filled the disk")
        if client.value("select count(*) from pg_class") is None:
            fault("log", "a reader is not served")
        small.make_room()
        freed = time.monotonic()
        while len(acknowledged) == stalled_at and time.monotonic() - freed < 30:
            time.sleep(0.02)
        took = time.monotonic() - freed
        print(f"log full after {stalled_at} rows; went on {took:.2f} s after there was room")
        if took > 5:
            fault("log", f"went on after {took:.1f} s only")
        time.sleep(0.3)
        killed.append(True)
        cluster.kill_tree()
        writer.join(5)
        cluster.start()
        client = Client(cluster)
        there = {int(r[0]) for r in client.query("select n from filled")}
        if acknowledged - there:
            fault("log", f"{len(acknowledged - there)} acknowledged rows are gone")
        client.close()
    finally:
        cluster.stop("immediate")
        subprocess.run(["cp", "-a", small.place, cluster.directory + "/wal-copy"], check=True)
        small.remove()
        subprocess.run(f"cp -a {cluster.directory}/wal-copy/. {cluster.data}/pg_wal/", shell=True, check=True)


def full_data(cluster):
    """53100 for who needs room, nothing for the others; with room again all goes on."""
    small = Small(cluster, "base", 96, 30)
    try:
        cluster.start()
        client = Client(cluster)
        client.query("drop table if exists filled; create table eaten (n int, t text)")
        code = None
        for n in range(200):
            try:
                client.query(f"insert into eaten select g, repeat('x', 500) from generate_series(1, 4000) g")
            except SqlError as e:
                code = e.code
                break
        print(f"data directory full: {code} after {n} inserts of 2 MB")
        if code != "53100":
            fault("data", f"{code} instead of 53100")
        other = Client(cluster)
        if int(other.value("select count(*) from eaten")) != n * 4000:
            fault("data", "rows of the failed statement are there, or others are not")
        small.make_room()
        client.query("insert into eaten values (0, 'room again'); checkpoint")
        if int(client.value("select count(*) from eaten")) != n * 4000 + 1:
            fault("data", "wrong number of rows after there was room again")
        log = open(cluster.log, errors="replace").read()
        if "terminated by signal" in log.split("database system is ready")[-1]:
            fault("data", "a process died")
    except Lost as e:
        fault("data", f"{e}\n{cluster.log_tail()}")
    finally:
        cluster.stop("immediate")
        small.remove()


def main():
    cluster = Cluster(["max_wal_size=1GB", "shared_buffers=16MB"])
    if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", cluster.directory + "/bin"], capture_output=True).returncode != 0:
        print("full disks: skipped, mounting is not permitted")
        return
    subprocess.run(["umount", cluster.directory + "/bin"], check=True)
    try:
        cluster.initdb()
        full_log(cluster)
        full_data(cluster)
    except (RuntimeError, Lost, SqlError) as e:
        fault("restart", str(e))
    cluster.kill_tree()
    cluster.remove()
    for name in ("log", "data", "restart"):
        print(("failed" if faults[name] else "ok") + f" full-disk-{name}")


main()
