-- Joins and groups partition by partition
create table pw_r (a int, b int, c text) partition by range (a);
create table pw_r1 partition of pw_r for values from (0) to (100);
create table pw_r2 (c text, b int, a int);
alter table pw_r attach partition pw_r2 for values from (100) to (200);
create table pw_r3 partition of pw_r for values from (200) to (300);
create table pw_s (a int, b int, c text) partition by range (b);
create table pw_s1 partition of pw_s for values from (0) to (100);
create table pw_s2 partition of pw_s for values from (100) to (200);
create table pw_s3 partition of pw_s for values from (200) to (300);
create table pw_other (a int, b int) partition by range (a);
create table pw_other1 partition of pw_other for values from (0) to (150);
create table pw_other2 partition of pw_other for values from (150) to (300);
insert into pw_r select i, i % 25, 'c' || i % 10 from generate_series(0, 299) i;
insert into pw_s select i % 25, i, 'c' || i % 10 from generate_series(0, 299, 3) i;
insert into pw_other select i, i from generate_series(0, 299, 7) i;
analyze pw_r; analyze pw_s; analyze pw_other;
show enable_partitionwise_join;
show enable_partitionwise_aggregate;
create table pw_results (n int, x text);
-- without
insert into pw_results select 1, t::text from (select t1.*, t2.* from pw_r t1 join pw_s t2 on t1.a = t2.b where t1.b = 0) t;
insert into pw_results select 2, t::text from (select t1.a, t2.b from pw_r t1 left join pw_s t2 on t1.a = t2.b and t2.a > 3 where t1.c <> 'c1') t;
insert into pw_results select 3, t::text from (select t1.a, t2.b from (select * from pw_r where a < 250) t1 full join pw_s t2 on t1.a = t2.b) t;
insert into pw_results select 4, t::text from (select * from pw_r t1 where t1.a in (select b from pw_s t2 where t2.a = 0)) t;
insert into pw_results select 5, t::text from (select * from pw_r t1 where not exists (select 1 from pw_s t2 where t2.b = t1.a)) t;
insert into pw_results select 6, t::text from (select * from pw_r t1 join pw_s t2 on t1.a = t2.b join pw_r t3 on t3.a = t1.a where t3.b < 20) t;
insert into pw_results select 7, t::text from (select a, count(*), sum(b), max(c) from pw_r group by a having count(*) > 0) t;
insert into pw_results select 8, t::text from (select t1.a, t1.b + 1, count(t2.a) from pw_r t1 left join pw_s t2 on t1.a = t2.b group by t1.a, t1.b) t;
set enable_partitionwise_join = on;
set enable_partitionwise_aggregate = on;
-- with: the same rows
create view pw_views as
  select 1 as n, t::text as x from (select t1.*, t2.* from pw_r t1 join pw_s t2 on t1.a = t2.b where t1.b = 0) t
  union all select 2, t::text from (select t1.a, t2.b from pw_r t1 left join pw_s t2 on t1.a = t2.b and t2.a > 3 where t1.c <> 'c1') t
  union all select 3, t::text from (select t1.a, t2.b from (select * from pw_r where a < 250) t1 full join pw_s t2 on t1.a = t2.b) t
  union all select 4, t::text from (select * from pw_r t1 where t1.a in (select b from pw_s t2 where t2.a = 0)) t
  union all select 5, t::text from (select * from pw_r t1 where not exists (select 1 from pw_s t2 where t2.b = t1.a)) t
  union all select 6, t::text from (select * from pw_r t1 join pw_s t2 on t1.a = t2.b join pw_r t3 on t3.a = t1.a where t3.b < 20) t
  union all select 7, t::text from (select a, count(*), sum(b), max(c) from pw_r group by a having count(*) > 0) t
  union all select 8, t::text from (select t1.a, t1.b + 1, count(t2.a) from pw_r t1 left join pw_s t2 on t1.a = t2.b group by t1.a, t1.b) t;
select n, count(*) from pw_results group by n order by n;
select * from pw_views except all select * from pw_results;
select * from pw_results except all select * from pw_views;
-- plans
explain (costs off) select t1.a, t1.c, t2.b, t2.c from pw_r t1 join pw_s t2 on t1.a = t2.b where t1.b = 0;
explain (costs off) select t2.c, t1.a from pw_r t1 join pw_s t2 on t1.a = t2.b where t1.b = 0 order by t1.a;
explain (costs off) select t1.a, t2.b from pw_r t1 left join pw_s t2 on t1.a = t2.b;
explain (costs off) select t1.a, t2.b from pw_r t1 full join pw_s t2 on t1.a = t2.b;
explain (costs off) select * from pw_r t1 join pw_s t2 on t1.a = t2.b join pw_r t3 on t3.a = t1.a;
explain (costs off) select * from pw_r t1 join pw_s t2 on t1.a = t2.b where t1.a < 150;
explain (costs off) select * from pw_r t1 join pw_s t2 on t1.a = t2.b where t1.a < 50;
explain (costs off) select * from pw_r t1, pw_s t2 where t1.b = t2.a;
explain (costs off) select * from pw_r t1, pw_other t2 where t1.a = t2.a;
set enable_partitionwise_aggregate = off;
explain (costs off) select count(*) from pw_r t1, pw_s t2 where t1.a = t2.b;
set enable_partitionwise_aggregate = on;
select count(*), sum(t1.b) from pw_r t1, pw_s t2 where t1.a = t2.b;
explain (costs off) select a, count(*), sum(b) from pw_r group by a;
explain (costs off) select a, b, count(*), sum(b) from pw_r group by a, b having count(*) > 1 order by a, b;
explain (costs off) select a, count(*) from pw_r where a >= 200 group by a;
explain (costs off) select b, count(*) from pw_r group by b;
explain (costs off) select t1.a, count(*) from pw_r t1, pw_s t2 where t1.a = t2.b group by t1.a;
select a, count(*) from pw_r group by a order by a desc limit 3;
-- prepared: planned anew when partitions come and go
prepare pw (int) as select count(*), max(t1.a) from pw_r t1 join pw_s t2 on t1.a = t2.b where t1.b >= $1;
set plan_cache_mode = force_generic_plan;
execute pw (0);
create table pw_r4 partition of pw_r for values from (300) to (400);
create table pw_s4 partition of pw_s for values from (300) to (400);
insert into pw_r values (333, 3, 'x');
insert into pw_s values (3, 333, 'x');
execute pw (0);
alter table pw_r detach partition pw_r2;
alter table pw_s detach partition pw_s2;
execute pw (0);
reset plan_cache_mode;
-- list and hash; the default partition
create table pw_l (a int, b text) partition by list (b);
create table pw_l1 partition of pw_l for values in ('a', 'b');
create table pw_l2 partition of pw_l default;
create table pw_m (a int, b text) partition by list (b);
create table pw_m1 partition of pw_m for values in ('a', 'b');
create table pw_m2 partition of pw_m default;
insert into pw_l select i, chr(97 + i % 5) from generate_series(1, 50) i;
insert into pw_m select i, chr(97 + i % 7) from generate_series(1, 50) i;
analyze pw_l; analyze pw_m;
explain (costs off) select * from pw_l x join pw_m y on x.b = y.b and x.a = y.a;
select count(*) from pw_l x join pw_m y on x.b = y.b;
create table pw_h (a int, b int) partition by hash (a);
create table pw_h1 partition of pw_h for values with (modulus 2, remainder 0);
create table pw_h2 partition of pw_h for values with (modulus 2, remainder 1);
insert into pw_h select i % 40, i from generate_series(1, 100) i;
analyze pw_h;
explain (costs off) select * from pw_h x join pw_h y on x.a = y.a and x.b = y.b;
select count(*) from pw_h x join pw_h y on x.a = y.a;
drop view pw_views;
drop table pw_results, pw_r, pw_r2, pw_s, pw_s2, pw_other, pw_l, pw_m, pw_h;
