-- TABLESAMPLE: which rows come is chance, so all, none, bounds, repetition, plans and errors are looked at
set max_parallel_workers_per_gather = 0;
create table sampled (a int, b text);
insert into sampled select g, 'x' || g from generate_series(1, 5000) g;
analyze sampled;
select count(*), sum(a) from sampled tablesample bernoulli (100);
select count(*), sum(a) from sampled tablesample system (100);
select count(*) from sampled tablesample bernoulli (0);
select count(*) from sampled tablesample system (0);
select count(*) between 1500 and 3500 as about_half from sampled tablesample bernoulli (50);
select count(*) as all_of_them from sampled tablesample bernoulli (100) where a <= 10;
select count(*) < 5000 and count(*) > 0 as some from sampled tablesample system (50) repeatable (7);
-- the same seed, the same rows
select array(select a from sampled tablesample bernoulli (20) repeatable (3)) = array(select a from sampled tablesample bernoulli (20) repeatable (3)) as same;
select array(select a from sampled tablesample system (20) repeatable (3)) = array(select a from sampled tablesample system (20) repeatable (3)) as same;
select array(select a from sampled tablesample bernoulli (20) repeatable (3)) = array(select a from sampled tablesample bernoulli (20) repeatable (4)) as same;
-- a larger part has the rows of a smaller one with the same seed
select count(*) from (select a from sampled tablesample bernoulli (20) repeatable (3)) x
  where a not in (select a from sampled tablesample bernoulli (40) repeatable (3));
begin;
delete from sampled where a > 4000;
select count(*) from sampled tablesample bernoulli (100);
rollback;
-- plans
explain select * from sampled tablesample bernoulli (100);
explain select * from sampled tablesample bernoulli (50);
explain select * from sampled tablesample system (1.5);
explain select * from sampled tablesample bernoulli (null);
explain (costs off) select * from sampled tablesample system (50) repeatable (3) where a < 100;
explain (costs off, verbose) select a from sampled x tablesample system (0.5 + 1) where a = 5;
explain (costs off, format json) select * from sampled tablesample system (50) repeatable (3) where a < 100;
explain (costs off) select * from sampled tablesample bernoulli (random() * 100);
explain (costs off) select x.a from sampled x tablesample bernoulli (20) join sampled y on x.a = y.a;
explain (costs off) select * from generate_series(0, 1) g join sampled tablesample bernoulli (20) on true;
explain (costs off) select * from sampled tablesample bernoulli (100) for update;
explain (costs off) delete from sampled using sampled x tablesample bernoulli (50) where x.a = sampled.a;
explain (costs off) select (select count(*) from sampled tablesample bernoulli (o.a)) from sampled o;
create index sampled_a on sampled (a);
explain (costs off) select * from sampled tablesample bernoulli (100) where a = 5;
explain (costs off) select max(a) from sampled tablesample bernoulli (100);
-- arguments from outside
select c, n from (values (0), (100)) x (c), lateral (select count(*) as n from sampled tablesample bernoulli (x.c)) q;
select c, n from (values (100), (0), (100)) x (c), lateral (select count(*) as n from sampled tablesample system (x.c) repeatable (x.c)) q;
select p, count(*) from (values (0.0), (100.0)) v (p) left join lateral (select * from sampled tablesample system (p)) s on true group by p order by p;
explain (costs off) select * from (values (0), (100)) x (c), lateral (select count(*) from sampled tablesample bernoulli (x.c)) q;
prepare sample (float) as select count(*) from sampled tablesample bernoulli ($1);
execute sample (0);
execute sample (100);
execute sample (null);
execute sample (101);
explain (costs off) execute sample (40);
set plan_cache_mode = force_generic_plan;
execute sample (100);
execute sample (0);
explain (costs off) execute sample (40);
reset plan_cache_mode;
-- partitions are sampled each
create table sampled_parts (k int, v int) partition by range (k);
create table sampled_parts1 partition of sampled_parts for values from (0) to (100);
create table sampled_parts2 (v int, k int);
alter table sampled_parts attach partition sampled_parts2 for values from (100) to (200);
create table sampled_parts3 partition of sampled_parts for values from (200) to (300);
insert into sampled_parts select g % 300, g from generate_series(1, 3000) g;
analyze sampled_parts;
explain select * from sampled_parts tablesample bernoulli (30);
explain (costs off) select * from sampled_parts tablesample system (30) where k < 50;
explain (costs off) select * from sampled_parts tablesample system (30) order by k;
select count(*), sum(v) from sampled_parts tablesample bernoulli (100);
select count(*) from sampled_parts tablesample bernoulli (0);
select count(distinct k / 100) from sampled_parts tablesample bernoulli (60);
select array(select v from sampled_parts tablesample bernoulli (20) repeatable (3) order by v)
     = array(select v from sampled_parts tablesample bernoulli (20) repeatable (3) order by v) as same;
select c, n from (values (0), (100)) x (c), lateral (select count(*) as n from sampled_parts tablesample system (x.c)) q;
explain (costs off) select * from (values (0), (100)) x (c), lateral (select count(*) from sampled_parts tablesample system (x.c) repeatable (x.c)) q;
select tableoid::regclass, count(*) from sampled_parts tablesample bernoulli (100) where k % 100 = 7 group by 1 order by 1;
-- views
create view sampled_view as select * from sampled tablesample bernoulli (10) repeatable (200) where b <> 'x';
select pg_get_viewdef('sampled_view'::regclass);
create view sampled_view2 as select x.a from sampled as x tablesample pg_catalog.system (10 * 2.0);
select pg_get_viewdef('sampled_view2'::regclass);
select count(*) < 5000 as part from sampled_view;
update sampled_view set a = 1;
select * from sampled_view tablesample bernoulli (10);
-- errors
select * from sampled tablesample bernoulli (null);
select * from sampled tablesample bernoulli (-1);
select * from sampled tablesample system (200);
select * from sampled tablesample bernoulli ('nan');
select * from sampled tablesample bernoulli (10) repeatable (null);
select * from sampled tablesample foo (10);
select * from sampled tablesample public.bernoulli (10);
select * from sampled tablesample "BERNOULLI" (10);
select * from sampled tablesample bernoulli (10, 20);
select * from sampled tablesample bernoulli ('x');
select * from sampled tablesample bernoulli (true);
select * from sampled tablesample bernoulli (10) repeatable ('y');
select * from sampled tablesample bernoulli (10) repeatable (true);
select * from sampled tablesample bernoulli (a);
select * from sampled tablesample bernoulli (count(*));
select * from sampled tablesample bernoulli (generate_series(1, 2));
select * from nowhere tablesample bernoulli (10);
with c as (select 1) select * from c tablesample bernoulli (10);
select * from (select 1) q tablesample bernoulli (10);
drop table sampled_parts;
drop view sampled_view, sampled_view2;
drop table sampled;
