"""What must hold after every restart, and the count of what did not."""
import collections, os, re

from cluster import Client, SqlError

faults = collections.Counter()


def fault(name, text):
    faults[name] += 1
    print(f"FAULT {name}: {text}", flush=True)


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
    counts = "select count(*), sum({1}) from {0}"
    for table, key in (("pgbench_accounts", "aid"), ("numbered", "n"), ("big", "a")):
        only_heap = "set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off; "
        by_heap = client.query(only_heap + counts.format(table, key))[-1]
        only_index = "reset enable_indexscan; reset enable_indexonlyscan; set enable_seqscan = off; "
        by_index = client.query(only_index + counts.format(table, key) + f" where {key} > -1")[-1]
        client.query("reset enable_seqscan; reset enable_bitmapscan")
        if by_heap != by_index:
            fault("index-and-heap", f"{table}: {by_heap} in the heap, {by_index} in the index")
    # All indexes, the catalogs' too. What a killed REINDEX CONCURRENTLY left behind is invalid: nobody reads it.
    try:
        client.query("select bt_index_parent_check(indexrelid, true) from pg_index where indisvalid and indexrelid in "
                     "(select oid from pg_class where relkind = 'i' and relpersistence <> 't')")
    except SqlError as e:
        fault("index-and-heap", str(e))
    for row in client.query("select c.relname, v.blkno, v.offnum, v.msg from pg_class c, verify_heapam(c.oid, check_toast => true) v "
                            "where c.relkind in ('r', 't') and c.relpersistence <> 't'")[:5]:
        fault("heap", str(row))


def check_files(client, cluster):
    database = client.value("select oid from pg_database where datname = 'postgres'")
    owned = {r[0]: r[1] for r in client.query("select pg_relation_filenode(oid), relpersistence from pg_class "
                                              "where relkind in ('r', 'i', 't', 'S', 'm')")}
    seen, initial = set(), set()
    for name in os.listdir(f"{cluster.data}/base/{database}"):
        m = re.match(r"(t\d+_)?(\d+)(_fsm|_vm|_init)?(\.\d+)?$", name)
        if m and (m[1] or m[2] not in owned or (m[3] == "_init" and owned[m[2]] != "u")):
            fault("orphan", f"base/{database}/{name}")
        if m and not m[3]:
            seen.add(m[2])
        if m and m[3] == "_init":
            initial.add(m[2])
    if gone := {node for node in owned if node is not None and int(node) >= 16384} - seen:
        fault("lost-file", f"base/{database}: {sorted(gone)[:5]}")
    if bare := {node for node, kind in owned.items() if kind == "u"} - initial:
        fault("unlogged", f"no _init file: {sorted(bare)[:5]}")
    databases = {r[0] for r in client.query("select oid from pg_database")}
    for name in os.listdir(f"{cluster.data}/base"):
        if name.isdigit() and name not in databases:
            fault("orphan", f"base/{name}")
