#!/usr/bin/env python3
"""Checkpoints as the settings ask: by time, by volume, spread over the time there is, files of the log reused and bounded; and what a killed server
leaves of shared memory.   checkpoints.py
The last lines are "ok NAME" or "failed NAME"."""
import collections, os, re, subprocess, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import Client, Cluster, Lost, SqlError, shared_memory_segments

faults = collections.Counter()


def fault(name, text):
    faults[name] += 1
    print(f"FAULT {name}: {text}", flush=True)


def completed(cluster):
    """[(kind, buffers, seconds, distance in kB)] of the checkpoints that the log tells of."""
    found, kind = [], ""
    for line in open(cluster.log, errors="replace"):
        if m := re.search(r"checkpoint starting:(.*)", line):
            kind = m[1].strip()
        if m := re.search(r"checkpoint complete: wrote (\d+) buffers.*total=([\d.]+) s; distance=(\d+) kB", line):
            found.append((kind, int(m[1]), float(m[2]), int(m[3])))
    return found


def await_checkpoint(cluster, known, patience):
    end = time.monotonic() + patience
    while len(completed(cluster)) <= known and time.monotonic() < end:
        time.sleep(0.1)
    return completed(cluster)[known:]


def wait_until_idle(client):
    """The last checkpoint that was asked for is over."""
    client.query("checkpoint")


def by_time(cluster):
    """checkpoint_timeout = 30 s, the smallest: one comes by itself, and its writes take a good part of the time, not an instant; with nothing to do
    there is none."""
    client = Client(cluster)
    client.query("create table spread (n int, t text); insert into spread select g, repeat('x', 500) from generate_series(1, 8000) g")
    wait_until_idle(client)
    client.query("update spread set n = n + 1")
    known, begin = len(completed(cluster)), time.monotonic()
    found = await_checkpoint(cluster, known, 75)
    if not found or found[0][0] != "time":
        return fault("timeout", f"no checkpoint by time: {found}")
    kind, buffers, seconds, _ = found[0]
    print(f"checkpoint by time after {time.monotonic() - begin:.1f} s: {buffers} buffers over {seconds:.1f} s")
    if buffers < 500:
        fault("timeout", f"only {buffers} buffers were written")
    if not 5 <= seconds <= 40:
        fault("spread", f"{buffers} buffers took {seconds} s of a target of 15 s")
    # In a hurry: CHECKPOINT does not wait for the schedule.
    client.query("update spread set n = n + 1")
    begin = time.monotonic()
    client.query("checkpoint")
    if time.monotonic() - begin > 10:
        fault("spread", f"CHECKPOINT took {time.monotonic() - begin:.1f} s")
    client.close()


def by_volume(cluster):
    """max_wal_size = 64 MB: checkpoints come by volume, the files of the log stay within it (and a little), old ones are used again."""
    client = Client(cluster)
    wait_until_idle(client)
    known = len(completed(cluster))
    largest, inodes, names = 0, collections.Counter(), set()
    for n in range(30):
        client.query(f"insert into spread select g, repeat(md5(g::text), 16) from generate_series(1, 12000) g; delete from spread where n > {n}")
        files = [f for f in os.scandir(cluster.data + "/pg_wal") if re.fullmatch("[0-9A-F]{24}", f.name)]
        largest = max(largest, len(files))
        for f in files:
            if f.name not in names:
                names.add(f.name)
                inodes[f.inode()] += 1
    found = completed(cluster)[known:]
    reused = sum(n - 1 for n in inodes.values())
    print(f"{len(found)} checkpoints by volume, at most {largest} files of the log, {len(names)} names, {reused} files used again")
    if not [f for f in found if f[0] != "time"]:
        fault("volume", f"none came: {found}")
    # The volume is what checkpoints aim at: while one is being written more may come, as in PostgreSQL.
    if largest * 16 > 64 * 2.5:
        fault("volume", f"{largest} files of 16 MB")
    if reused == 0:
        fault("recycling", "no file of the log was used again")
    client.close()


def control_is_whole(cluster):
    """pg_control is replaced, never rewritten in place."""
    path = cluster.data + "/global/pg_control"
    before = os.stat(path).st_ino
    held = open(path, "rb")
    old = held.read()
    client = Client(cluster)
    client.query("checkpoint")
    client.close()
    held.seek(0)
    if os.stat(path).st_ino == before or held.read() != old:
        fault("control", "pg_control was written in place")
    held.close()


def shared_memory(directory):
    """System V segments do not outlive the server, however it ends."""
    cluster = Cluster(["shared_memory_type=sysv", "shared_buffers=16MB"])
    cluster.initdb()
    for end in ("kill", "immediate", "fast"):
        cluster.start()
        alive = shared_memory_segments(cluster.postmasters)
        if not alive:
            fault("shared-memory", "the test sees no segment of a running server")
        cluster.kill_tree() if end == "kill" else cluster.stop(end)
        # The last process to end takes them along.
        begin = time.monotonic()
        while shared_memory_segments(cluster.postmasters) and time.monotonic() - begin < 10:
            time.sleep(0.05)
        if left := shared_memory_segments(cluster.postmasters):
            fault("shared-memory", f"left after {end}: {left}")
    cluster.remove()


def main():
    cluster = Cluster(["checkpoint_timeout=30s", "checkpoint_completion_target=0.5", "max_wal_size=64MB", "min_wal_size=32MB", "log_checkpoints=on", "autovacuum=off",
                       "bgwriter_lru_maxpages=0", "shared_buffers=64MB"])
    try:
        cluster.initdb()
        cluster.start()
        by_time(cluster)
        by_volume(cluster)
        control_is_whole(cluster)
        if not cluster.stop():
            fault("restart", cluster.log_tail())
        shared_memory(cluster)
    except (RuntimeError, Lost, SqlError) as e:
        fault("restart", str(e))
    cluster.kill_tree()
    cluster.remove()
    for name in ("timeout", "spread", "volume", "recycling", "control", "shared-memory", "restart"):
        print(("failed" if faults[name] else "ok") + f" checkpoints-{name}")


main()
