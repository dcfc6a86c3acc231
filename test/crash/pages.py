#!/usr/bin/env python3
"""Damages pages of heap, TOAST and index files and runs everything over them: XX001 or XX002, never a crash; and with a wrong checksum never
a row.   pages.py [--pages N] [--seed N]
The last lines are "ok NAME" or "failed NAME"."""
import argparse, collections, os, random, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import BUILD, Client, Cluster, Lost, SqlError, note_progress, time_is_over

arguments = argparse.ArgumentParser()
arguments.add_argument("--pages", type=int, default=320)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--keep", action="store_true")
options = arguments.parse_args()
chance = random.Random(options.seed)
faults = collections.Counter()
codes = collections.Counter()
TABLES = 80
# Errors that damaged values may rightly give: corruption, data exceptions (a value that makes no sense), limits, a duplicate that was not one,
# a null where none may be.
ALLOWED = ("XX001", "XX002", "22", "54", "23502", "23505", "21000", "55000")
# Errors as PostgreSQL has them: an array's element type, a row's multixact.
ALLOWED_TEXTS = ("cache lookup failed for type", "has not been created yet", "cannot compare arrays of different element types",
                 "could not open relation with OID")   # of a damaged TOAST pointer


def fault(name, text):
    faults[name] += 1
    print(f"FAULT {name}: {text}", flush=True)


def make_tables(client):
    for t in range(TABLES):
        client.query(f"create table t{t} (id int primary key, a text, b numeric, c int[], d varchar(40), e timestamptz, f text, g bool)")
        client.query(f"""insert into t{t} select g, repeat(chr(97 + g % 26), g % 60), g * 1.5, array[g, g + 1, null], md5(g::text), '2020-01-01'::timestamptz + g * interval '1 hour',
                     case when g % 40 = 0 then (select string_agg(md5((g * 1000 + i)::text), '') from generate_series(1, 120) i) when g % 3 = 0 then null else repeat('w', 200) end, g % 2 = 0
                     from generate_series(1, 400) g""")
        client.query(f"create index t{t}_d on t{t} (d); create index t{t}_a on t{t} (a, b)")
        client.query(f"update t{t} set g = not g where id % 50 = 0; delete from t{t} where id % 97 = 0")
    client.query("checkpoint")


def files_of(client):
    """[table][n] = (path, filenode, kind, blocks)"""
    tables = []
    for t in range(TABLES):
        rows = client.query(f"""select pg_relation_filepath(c.oid), pg_relation_filenode(c.oid), c.relkind, pg_relation_size(c.oid) / 8192 from pg_class c
            where c.oid = 't{t}'::regclass or c.oid in (select indexrelid from pg_index where indrelid = 't{t}'::regclass)
               or c.oid = (select reltoastrelid from pg_class where oid = 't{t}'::regclass)
               or c.oid in (select indexrelid from pg_index where indrelid = (select reltoastrelid from pg_class where oid = 't{t}'::regclass))""")
        tables.append([(path, node, kind, int(blocks)) for path, node, kind, blocks in rows if int(blocks) > 0])
    return tables


SCANS = ["select count(*) from {t}",
         "select *, length(f) from {t}",
         "select sum(length(a) + length(d)), sum(b), max(e), count(g), max(c[1]) from {t}",
         "set enable_seqscan = off; set enable_bitmapscan = off; select id, f from {t} where id between 1 and 1000",
         "select d, id from {t} where d >= '' order by d",
         "select id from {t} where d >= '' order by d desc",
         "select a, b from {t} where a >= '' order by a, b",
         "select id from {t} order by id desc",
         "reset enable_bitmapscan; select count(*) from {t} where d between '1' and 'e'",
         "reset enable_seqscan; select md5(f) from {t} where id % 40 = 0",
         "select * from {t} where id = 200",
         "select * from {t} where d = md5('77')"]
WRITES = ["insert into {t} select g, 'new', g, null, md5(g::text) from generate_series(1001, 1200) g",
          "update {t} set a = a || 'x', f = f || 'y' where id % 7 = 0",
          "update {t} set g = not g",
          "select * from {t} where id % 13 = 0 for update",
          "delete from {t} where id % 11 = 0",
          "vacuum {t}",
          "vacuum (freeze) {t}",
          "analyze {t}",
          "create index on {t} (e, id)",
          "select count(*) from verify_heapam('{t}', check_toast => true)",
          "select bt_index_check(indexrelid, true) from pg_index where indrelid = '{t}'::regclass",
          "select bt_index_parent_check(indexrelid, true) from pg_index where indrelid = '{t}'::regclass",
          "truncate {t}"]


class Session:
    def __init__(self, cluster):
        self.cluster, self.client = cluster, None

    def query(self, sql):
        if self.client is None:
            self.client = Client(self.cluster, timeout=20)
            self.client.query("set statement_timeout = '10s'")
        return self.client.query(sql)


def treat(session, table, what, damaged):
    kind = what.split()[0]
    seen = False
    for sql in SCANS + WRITES:
        sql = sql.format(t=table)
        try:
            session.query(sql)
        except SqlError as e:
            codes[e.code] += 1
            if e.code == "XX001" and "block" in e.message:
                seen = True
            if e.code == "57014":
                fault("hang", f"{damaged}: {sql}")
            elif not e.code.startswith(ALLOWED) and not any(text in e.message for text in ALLOWED_TEXTS):
                fault("error-code", f"{damaged}: {sql}: {e}")
        except Lost as e:
            session.client = None
            fault("crash", f"{damaged}: {sql}: {e}")
            try:
                session.cluster.await_ready()
            except RuntimeError as r:
                fault("restart", str(r))
                raise
            return
    if kind == "bits" and not seen:
        fault("not-seen", damaged)


def one_round(cluster, files, saved, wanted):
    """Damages one page of each table (up to `wanted`), runs all, puts the files back."""
    lines, labels = [], {}
    for t in range(min(TABLES, wanted)):
        path, node, kind, blocks = chance.choice(files[t])
        # An index's page counts only as far as somebody reads it: leave the free ones alone.
        block = chance.randrange(blocks)
        if kind == "i":
            damage = chance.choice(["bits", "header", "line-pointer", "entry", "entry", "link", "link", "noise"])
        else:
            damage = chance.choice(["bits", "header", "line-pointer", "line-pointer", "row-header", "row-header", "varlena", "varlena", "noise"])
        seed = chance.randrange(1 << 30)
        lines.append(f"{cluster.data}/{path} {node} 0 {block} {damage} {seed}")
        labels[t] = (damage, f"t{t} {kind} {path} block {block} {damage} seed {seed}")
    done = subprocess.run([f"{BUILD}/test/crash/crash_damage"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    cluster.start()
    session = Session(cluster)
    for t, (damage, label) in labels.items():
        treat(session, f"t{t}", damage, label)
        note_progress()
    cluster.kill_tree()
    return len(labels)


def main():
    cluster = Cluster(["shared_buffers=32MB", "autovacuum=off", "full_page_writes=on"])
    pages = 0
    try:
        cluster.initdb()
        cluster.start()
        client = Client(cluster)
        make_tables(client)
        files = files_of(client)
        client.close()
        cluster.stop()
        saved = cluster.directory + "/saved"
        subprocess.run(["cp", "-a", cluster.data, saved], check=True)
        while pages < options.pages and not time_is_over():
            pages += one_round(cluster, files, saved, options.pages - pages)
            subprocess.run(["rm", "-rf", cluster.data], check=True)
            subprocess.run(["cp", "-a", saved, cluster.data], check=True)
    except RuntimeError as e:
        fault("restart", str(e))
    cluster.kill_tree()
    if not options.keep:
        cluster.remove()
    print(f"{pages} damaged pages; errors: {', '.join(f'{c} {n}' for c, n in codes.most_common())}")
    for name in ("crash", "not-seen", "error-code", "hang", "restart"):
        print(("failed" if faults[name] else "ok") + f" pages-{name}")


main()
