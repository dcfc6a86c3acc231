-- Rows found through pruning.
create schema partition_prune;
set search_path = partition_prune;
create table t (a int, b int, c text) partition by range (a, b);
create table t1 partition of t for values from (minvalue, minvalue) to (10, 5);
create table t2 partition of t for values from (10, 5) to (10, 20);
create table t3 partition of t for values from (10, 20) to (30, minvalue);
create table t4 partition of t for values from (30, minvalue) to (maxvalue, maxvalue);
create table td partition of t default;
insert into t select i % 40, i % 23, 'r' || i from generate_series(1, 400) i;
insert into t values (null, 1, 'n1'), (1, null, 'n2'), (null, null, 'n3');
select tableoid::regclass, count(*) from t group by 1 order by 1;
select count(*) from t where a = 10;
select count(*) from t where a = 10 and b = 5;
select count(*) from t where a = 10 and b < 5;
select count(*) from t where a = 10 and b <= 5;
select count(*) from t where a >= 10 and b > 19;
select count(*) from t where a > 29;
select count(*) from t where a > 30;
select count(*) from t where a is null;
select count(*) from t where b is null;
select count(*) from t where a < 3 or a > 38;
select count(*) from t where a = 5 and b = 5::bigint;
select count(*) from t where a in (1, 10, 35);
select count(*) from t where a = any (array[1, null, 35]);
select count(*) from t where a <> 10;
select count(*) from t where not (a = 10);
select count(*) from t where a = 10 and a = 11;

-- An expression as key.
create table e (x text, v int) partition by list (lower(x));
create table e_a partition of e for values in ('a');
create table e_b partition of e for values in ('b');
insert into e values ('A', 1), ('a', 2), ('B', 3);
select tableoid::regclass, * from e order by v;
explain (costs off) select * from e where lower(x) = 'a';
select * from e where lower(x) = 'a' order by v;

-- Values known only while running.
create table outer_rows (x int);
insert into outer_rows values (1), (10), (35), (null), (99);
create index t_a on t (a);
select x, (select count(*) from t where t.a = x) from outer_rows order by x;
select x, count(t.a) from outer_rows left join t on t.a = x group by x order by x;
select count(*) from t where a = (select max(x) from outer_rows where x < 20);
select count(*) from t where a < (select min(x) from outer_rows) or a = (select max(x) from outer_rows where x < 40);
set enable_hashjoin = off;
set enable_mergejoin = off;
select x, t.c from outer_rows join t on t.a = x and t.b = 4 order by 1, 2;
reset enable_hashjoin;
reset enable_mergejoin;
set plan_cache_mode = force_generic_plan;
prepare p(int) as select count(*) from t where a = $1;
execute p(10);
execute p(35);
execute p(null);
prepare p2(int[]) as select count(*) from t where a = any ($1);
execute p2('{1,10}');
execute p2('{}');
execute p2(null);
prepare p3(int, int) as select count(*) from t where a = $1 or (a > $2 and b = 3);
execute p3(3, 20);
deallocate all;
reset plan_cache_mode;

-- Order.
select a, b, c from t order by a, b, c limit 5;
select a, b, c from t order by a desc nulls last, b desc, c limit 5;
select a from t where a < 12 order by a limit 3 offset 100;
create table o (k int primary key, v int) partition by range (k);
create table o1 partition of o for values from (0) to (100);
create table o2 partition of o for values from (100) to (200);
create table o3 partition of o for values from (200) to (300);
insert into o select i, i * 2 from generate_series(0, 299) i;
select * from o order by k limit 3;
select * from o order by k desc limit 3;
select * from o where k > 98 order by k limit 4;
select max(k), min(k), count(*) from o;

-- A cursor over partitions.
begin;
declare c scroll cursor for select k from o where k % 50 = 0 order by k;
fetch 3 from c;
fetch backward 1 from c;
fetch last from c;
move first in c;
fetch next from c;
commit;

-- Statistics of the tree.
analyze o;
select relname, reltuples from pg_class where relname in ('o', 'o1') order by 1;
select attname, inherited, n_distinct from pg_stats where tablename = 'o' order by 1;

drop table t, e, outer_rows, o;
reset search_path;
drop schema partition_prune;
