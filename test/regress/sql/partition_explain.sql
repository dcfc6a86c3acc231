-- Plans of partitioned tables.
create schema partition_explain;
set search_path = partition_explain;
create table pr (a int, b text) partition by range (a);
create table pr1 partition of pr for values from (0) to (10);
create table pr2 partition of pr for values from (10) to (20);
create table pr3 partition of pr for values from (20) to (30);
insert into pr select i, 'x' || i from generate_series(0, 29) i;

explain (costs off) select * from pr;
explain (costs off) select * from pr where a = 5;
explain (costs off) select * from pr where a < 15;
explain (costs off) select * from pr where a >= 10 and a < 20;
explain (costs off) select * from pr where a = 99;
explain (costs off) select * from pr where a = 5 or a = 25;
explain (costs off) select * from pr where a in (5, 6, 25);
explain (costs off) select * from pr where a between 8 and 12;
explain (costs off) select * from pr where a is null;
explain (costs off) select * from pr where a is not null;
explain (costs off) select * from pr where 12 < a;
explain (costs off) select * from pr where a = 5 and a = 15;
explain (costs off) select * from pr where a = null;
explain (costs off) select * from pr x where x.a < 15 order by x.b;
explain (costs off) select count(*) from pr where a < 15;

-- Lists, with NULLs and a default.
create table pl (a text, b int) partition by list (a);
create table pl_ab partition of pl for values in ('a', 'b');
create table pl_c partition of pl for values in ('c', null);
create table pl_default partition of pl default;
explain (costs off) select * from pl where a = 'a';
explain (costs off) select * from pl where a = 'zz';
explain (costs off) select * from pl where a is null;
explain (costs off) select * from pl where a is not null;
explain (costs off) select * from pl where a <> 'c';
explain (costs off) select * from pl where a not in ('a', 'b');
explain (costs off) select * from pl where a > 'b';
explain (costs off) select * from pl where a in ('b', 'c');
explain (costs off) select * from pl where b = 1;
explain (costs off) select * from pl where a = 'a' and b = 1;

-- Hashes.
create table ph (a int, b int) partition by hash (a, b);
create table ph0 partition of ph for values with (modulus 3, remainder 0);
create table ph1 partition of ph for values with (modulus 3, remainder 1);
create table ph2 partition of ph for values with (modulus 3, remainder 2);
explain (costs off) select * from ph where a = 1;
explain (costs off) select * from ph where a = 1 and b = 2;
explain (costs off) select * from ph where b is null and a = 1;
explain (costs off) select * from ph where a < 1 and b = 2;

-- Booleans.
create table pb (f bool) partition by list (f);
create table pb_true partition of pb for values in (true);
create table pb_false partition of pb for values in (false);
create table pb_null partition of pb for values in (null);
explain (costs off) select * from pb where f;
explain (costs off) select * from pb where not f;
explain (costs off) select * from pb where f is true;
explain (costs off) select * from pb where f is false;

-- Partitions of partitions.
create table pp (a int, b int) partition by range (a);
create table pp1 partition of pp for values from (0) to (10) partition by list (b);
create table pp1_1 partition of pp1 for values in (1);
create table pp1_2 partition of pp1 for values in (2);
create table pp2 partition of pp for values from (10) to (20);
explain (costs off) select * from pp;
explain (costs off) select * from pp where b = 1;
explain (costs off) select * from pp where a = 3;
explain (costs off) select * from pp where a = 3 and b = 2;
explain (costs off) select * from pp where a = 13 and b = 7;

-- Values that come later.
set plan_cache_mode = force_generic_plan;
prepare q1(int) as select * from pr where a = $1;
explain (costs off) execute q1(5);
explain (costs off) execute q1(99);
prepare q2(int, int) as select * from pr where a >= $1 and a < $2;
explain (costs off) execute q2(5, 15);
explain (analyze, costs off, timing off, summary off) execute q2(5, 10);
deallocate q1;
deallocate q2;
reset plan_cache_mode;

-- Data-modifying statements.
explain (costs off) update pr set b = 'y' where a < 15;
explain (costs off) update pr set b = 'y' where a = 5;
explain (costs off) delete from pr where a > 12;
explain (costs off) update pr set b = 'y' where a = 99;
explain (costs off) insert into pr values (1, 'a');

-- Pruning switched off.
set enable_partition_pruning = off;
explain (costs off) select * from pr where a = 5;
reset enable_partition_pruning;

-- Indexes.
create index pr_a on pr (a);
set enable_seqscan = off;
set enable_bitmapscan = off;
explain (costs off) select * from pr where a = 5;
explain (costs off) select * from pr where a < 12;
explain (costs off) select a from pr order by a limit 3;
explain (costs off) select a from pr order by a desc limit 3;
create table hs (a int, b int) partition by hash (b);
create table hs0 partition of hs for values with (modulus 2, remainder 0);
create table hs1 partition of hs for values with (modulus 2, remainder 1);
create index hs_a on hs (a);
explain (costs off) select * from hs order by a limit 3;
reset enable_seqscan;
reset enable_bitmapscan;

drop table pr, pl, ph, pb, pp, hs;
reset search_path;
drop schema partition_explain;
-- the names of what is left when others are removed
create table hp (a int, b int) partition by hash (a);
create table hp0 partition of hp for values with (modulus 3, remainder 0); create table hp1 partition of hp for values with (modulus 3, remainder 1);
create table hp2 partition of hp for values with (modulus 3, remainder 2);
set plan_cache_mode = force_generic_plan;
prepare left_over as select * from hp where a = $1;
explain (costs off) execute left_over(1);
explain (costs off) execute left_over(2);
explain (costs off) execute left_over(3);
explain (costs off) execute left_over(5);
set enable_nestloop = off;
prepare left_two as select x.a, y.b from hp x join hp y on x.a = y.b where x.a in ($1, $2) and y.a = $1;
explain (costs off) execute left_two(1, 5);
reset enable_nestloop;
deallocate all;
reset plan_cache_mode;
drop table hp;
