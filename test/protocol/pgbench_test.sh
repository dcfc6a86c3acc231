#!/usr/bin/env bash
# What stock pgbench makes and runs: every letter of -I, every option of -i, the builtin scripts in all protocol modes. Prints what is there afterwards; `run` compares with
# expected/pgbench.txt, which holds PostgreSQL 15's. PGHOST, PGPORT, PGUSER, PGDATABASE say where.
show() {
  psql -XAtqF ' ' <<'SQL'
select c.relname, c.relkind, c.relpersistence, coalesce(c.reloptions::text, ''), coalesce(pg_get_expr(c.relpartbound, c.oid), ''), coalesce(pg_get_partkeydef(c.oid), '')
from pg_class c where c.relname like 'pgbench%' and c.relkind in ('r', 'p') order by 1;
select conrelid::regclass::text collate "C", conname, contype, pg_get_constraintdef(oid) from pg_constraint where conrelid::regclass::text like 'pgbench%' order by 1, 2;
select 'rows', (select count(*) from pgbench_accounts), (select count(*) from pgbench_branches), (select count(*) from pgbench_tellers), (select count(*) from pgbench_history);
SQL
}
init() {
  echo "== pgbench -i $*"
  pgbench -i -q "$@" 2>&1 | grep -E "error|ERROR|FATAL|fatal"
  show 2>&1
}
init
init -s 2 -F 50 -I dtGvp
init --foreign-keys -I dtGvpf
init --unlogged-tables -I dtGvp
init --partitions=3 -I dtpgv
init --partitions=3 --partition-method=hash --foreign-keys --fillfactor=70 --unlogged-tables -I dtGvpf
init --partitions=3 --partition-method=range --foreign-keys -I dtGpf
init --no-vacuum --tablespace=pg_default --index-tablespace=pg_default -I dtGvp
init -I dt
init -I d
init -I "dt G p"
init -I x
init --partition-method=hash
init --partitions=2 --partition-method=list
echo "== runs"
pgbench -i -q 2>/dev/null
for mode in simple extended prepared; do
  for script in tpcb-like simple-update select-only; do
    pgbench -n -M $mode -b $script -c 4 -t 25 2>&1 | grep -E "^transaction type|^query mode|actually processed|failed|rror"
  done
done
script=$(mktemp /tmp/hathi-pgbench.XXXXXX)
cat >"$script" <<'SQL'
\set a random(1, 100000)
\startpipeline
select abalance from pgbench_accounts where aid = :a;
select :a + 1;
\endpipeline
select bid as branch from pgbench_accounts where aid = :a \gset
update pgbench_branches set filler = 'x' where bid = :branch;
SQL
pgbench -n -M prepared -f "$script" -c 4 -t 25 2>&1 | grep -E "actually processed|failed|rror"
pgbench -n -C -S -c 4 -t 10 2>&1 | grep -E "actually processed|failed|rror"
rm -f "$script"
psql -XAtqc "select (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history)" \
  -c "select (select sum(tbalance) from pgbench_tellers) = (select sum(bbalance) from pgbench_branches)"
