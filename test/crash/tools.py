#!/usr/bin/env python3
"""The programs that look at a data directory, and amcheck's functions: quiet about a sound cluster, and they see damage.   tools.py
The last lines are "ok NAME" or "failed NAME"."""
import collections, os, shutil, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import BUILD, Client, Cluster, Lost, SqlError

faults = collections.Counter()


def fault(name, text):
    faults[name] += 1
    print(f"FAULT {name}: {text}", flush=True)


def program(cluster, *arguments):
    """A program of the build, as the server's user: (status, output and errors)."""
    done = subprocess.run(cluster.prefix + [cluster.directory + "/bin/" + arguments[0], *arguments[1:]], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(name, cluster, arguments, status, *words):
    got, text = program(cluster, *arguments)
    if (got == 0) != (status == 0) or any(w not in text for w in words):
        fault(name, f"{' '.join(arguments)}: status {got}, {text[-400:]!r} lacks one of {words}")
    return text


def file_of(client, relation):
    return client.value(f"select pg_relation_filepath('{relation}')"), client.value(f"select pg_relation_filenode('{relation}')")


def damage(cluster, path, node, block, kind, seed):
    line = f"{cluster.data}/{path} {node} 0 {block} {kind} {seed}\n"
    subprocess.run([BUILD + "/test/crash/crash_damage"], input=line, capture_output=True, text=True, check=True)


def waldump(cluster, xid, begin, end, table):
    """The records of one transaction, by position and by xid."""
    text = expect("waldump", cluster, ["pg_waldump", "-p", cluster.data, "-s", begin, "-e", end], 0, "Heap", "Btree", "COMMIT", table)
    mine = expect("waldump", cluster, ["pg_waldump", "-p", cluster.data, "-s", begin, "-x", xid], 0, "COMMIT")
    if not mine or any(f"tx: {xid.rjust(10)}" not in line for line in mine.splitlines() if line.startswith("rmgr:")):
        fault("waldump", f"records of other transactions for -x {xid}: {mine[:300]}")
    if text.count("rmgr:") < 3:
        fault("waldump", f"too few records: {text}")
    expect("waldump", cluster, ["pg_waldump", "-p", cluster.data, "-z", "-s", begin, "-e", end], 0, "Heap", "Total")
    expect("waldump", cluster, ["pg_waldump", "-p", "/nowhere"], 1, "pg_waldump: error")


def controldata(cluster, state, redo):
    expect("controldata", cluster, ["pg_controldata", cluster.data], 0, state, f"REDO location:    {redo}", "Data page checksum version:           1")


def broken_control(cluster):
    """A damaged pg_control is said to be so, by the program and by the server."""
    path = cluster.data + "/global/pg_control"
    shutil.copy(path, cluster.directory + "/control.saved")
    with open(path, "r+b") as f:
        f.seek(40)
        byte = f.read(1)
        f.seek(40)
        f.write(bytes([byte[0] ^ 1]))
    expect("controldata", cluster, ["pg_controldata", cluster.data], 1, "checksum")
    expect("controldata", cluster, ["postgres", "-D", cluster.data, "-p", str(cluster.port), "-k", cluster.directory], 1, "incorrect checksum in control file")
    shutil.copy(cluster.directory + "/control.saved", path)
    subprocess.run(["chown", "--reference", cluster.data, path], check=True)


def checksums(cluster, path, node):
    expect("checksums", cluster, ["pg_checksums", "-c", "-D", cluster.data], 0, "Bad checksums:  0")
    shutil.copy(f"{cluster.data}/{path}", cluster.directory + "/page.saved")
    damage(cluster, path, node, 3, "bits", 4)
    expect("checksums", cluster, ["pg_checksums", "-c", "-D", cluster.data], 1, path, "block 3", "Bad checksums:  1")
    # The same page as the file has it elsewhere: right contents in the wrong place.
    shutil.copy(cluster.directory + "/page.saved", f"{cluster.data}/{path}")
    with open(f"{cluster.data}/{path}", "r+b") as f:
        page = f.read(8192)
        f.seek(8192)
        f.write(page)
    expect("checksums", cluster, ["pg_checksums", "-c", "-D", cluster.data], 1, path, "block 1", "Bad checksums:  1")
    shutil.copy(cluster.directory + "/page.saved", f"{cluster.data}/{path}")


def seen(cluster, sql):
    """Did amcheck report something?"""
    client = Client(cluster)
    try:
        return len(client.query(sql)) > 0
    except SqlError as e:
        return e.code in ("XX001", "XX002") or fault("amcheck", f"{sql}: {e}")
    finally:
        client.close()


def amcheck(cluster, heap, index):
    """Rows and entries damaged behind right checksums, and an index that lacks what was inserted last."""
    saved = [(path, cluster.directory + f"/saved.{n}") for n, (path, _) in enumerate((heap, index))]
    for path, copy in saved:
        shutil.copy(f"{cluster.data}/{path}", copy)
    found = collections.Counter()
    kinds = [(heap, "row-header", "select * from verify_heapam('t')"), (heap, "line-pointer", "select * from verify_heapam('t')"),
             (index, "entry", "select 1 where bt_index_check('t_pkey', true) is null"),
             (index, "link", "select 1 where bt_index_parent_check('t_pkey', true) is null")]
    for (path, node), kind, sql in kinds:
        for seed in range(6):
            damage(cluster, path, node, 2 + seed, kind, seed)
            cluster.start()
            found[kind] += 1 if seen(cluster, sql) else 0
            cluster.kill_tree()
            for p, copy in saved:
                shutil.copy(copy, f"{cluster.data}/{p}")
    print("amcheck saw, of 6 each: " + ", ".join(f"{kind} {n}" for kind, n in found.items()))
    # Much damage is none: another ctid of a row that was never updated, the xmin of another transaction that committed, an xmax marked invalid.
    for (_, _), kind, _ in kinds:
        if found[kind] == 0:
            fault("amcheck", f"{kind}: none of 6 was seen")
    cluster.start()
    client = Client(cluster)
    client.query("insert into t select g, 'late' from generate_series(100001, 100100) g; checkpoint")
    client.query("select bt_index_check('t_pkey', true)")
    client.close()
    cluster.stop()
    shutil.copy(saved[1][1], f"{cluster.data}/{index[0]}")
    cluster.start()
    client = Client(cluster)
    try:
        client.query("select bt_index_check('t_pkey', true)")
        fault("amcheck", "an index without the last rows passes")
    except SqlError as e:
        if e.code not in ("XX001", "XX002") or "lacks matching index tuple" not in e.message:
            fault("amcheck", str(e))
    client.close()


def main():
    cluster = Cluster(["autovacuum=off"])
    for name in ("pg_waldump", "pg_checksums", "pg_controldata"):
        shutil.copy(f"{BUILD}/src/bin/{name}", cluster.directory + "/bin/")
    try:
        cluster.initdb()
        cluster.start()
        client = Client(cluster)
        client.query("create table t (n int primary key, s text); insert into t select g, repeat('r', 90) from generate_series(1, 5000) g; checkpoint")
        begin = client.value("select pg_current_wal_insert_lsn()")
        xid = client.query("begin; insert into t values (6000, 'one'); select pg_current_xact_id()::text; commit")[0][0]
        end = client.value("select pg_current_wal_insert_lsn()")
        heap, index = file_of(client, "t"), file_of(client, "t_pkey")
        if seen(cluster, "select * from verify_heapam('t')") or client.query("select bt_index_parent_check('t_pkey', true)") != [[""]]:
            fault("amcheck", "a sound table is called damaged")
        redo = client.value("select redo_lsn from pg_control_checkpoint()")
        controldata(cluster, "in production", redo)
        waldump(cluster, xid, begin, end, heap[1])
        client.close()
        cluster.stop()
        controldata(cluster, "shut down", "")
        broken_control(cluster)
        checksums(cluster, *heap)
        amcheck(cluster, heap, index)
    except (RuntimeError, Lost, SqlError) as e:
        fault("restart", str(e))
    cluster.kill_tree()
    cluster.remove()
    for name in ("waldump", "controldata", "checksums", "amcheck", "restart"):
        print(("failed" if faults[name] else "ok") + f" tools-{name}")


main()
