-- Writing to partitioned tables.
create schema partition_dml;
set search_path = partition_dml;
create table p (a int, b text, c int default 7) partition by list (a);
create table p1 partition of p for values in (1, 2);
create table p3 partition of p for values in (3);
insert into p values (1, 'x'), (3, 'y'), (2, 'z') returning tableoid::regclass, *;
insert into p values (4, 'none');
insert into p values (null, 'none');
insert into p1 values (3, 'wrong');
insert into p1 (a, b) values (2, 'direct') returning *;
select tableoid::regclass, * from p order by a, b;

-- Rows that move.
update p set a = 3 where b = 'x' returning tableoid::regclass, *;
update p set a = 9 where b = 'y';
update p1 set a = 3 where a = 2;
update p set c = c + 1 where a = 3 returning tableoid::regclass, *;
select tableoid::regclass, * from p order by a, b;
delete from p where a = 3 returning tableoid::regclass, *;
select count(*) from p3;

-- A default partition.
create table pd partition of p default;
insert into p values (100, 'default'), (null, 'null') returning tableoid::regclass, *;
update p set a = 1 where a = 100 returning tableoid::regclass, *;

-- Partitions of partitions, and errors at each level.
create table s (a int, b int, c int) partition by range (a);
create table s1 partition of s for values from (0) to (10) partition by list (b);
create table s1_1 partition of s1 for values in (1);
create table s1_2 partition of s1 for values in (2);
create table s2 partition of s for values from (10) to (20);
insert into s values (1, 1, 1), (2, 2, 2), (12, 5, 3) returning tableoid::regclass, *;
insert into s values (1, 9, 1);
insert into s values (50, 1, 1);
insert into s1 values (15, 1, 1);
insert into s1 values (5, 3, 1);
update s set b = 2 where a = 1 returning tableoid::regclass, *;
update s set a = 13 where a = 2 returning tableoid::regclass, *;
update s1 set a = 14;

-- Constraints, defaults, generated columns.
create table k (id int primary key, v int not null, twice int generated always as (v * 2) stored, check (v < 100)) partition by hash (id);
create table k0 partition of k for values with (modulus 2, remainder 0);
create table k1 partition of k for values with (modulus 2, remainder 1);
insert into k (id, v) select i, i from generate_series(1, 8) i;
select id, v, twice from k order by id;
insert into k (id, v) values (3, 1);
insert into k (id, v) values (30, null);
insert into k (id, v) values (30, 200);
insert into k (id, v) values (3, 50) on conflict (id) do update set v = excluded.v + k.v returning id, v, twice;
insert into k (id, v) values (4, 50), (40, 41) on conflict do nothing returning id;
insert into k (id, v) values (5, 1) on conflict (id) do nothing;
update k set v = v + 1 where id in (1, 2, 3) returning id, v, twice;

-- From elsewhere.
insert into k (id, v) select i, i from generate_series(60, 90) i;
select count(*), sum(v) from k;
with moved as (delete from k where id > 80 returning id, v) insert into k (id, v) select id + 100, v from moved;
select count(*), max(id) from k;
update k set v = x.n from (values (1, 11), (2, 12)) x(i, n) where k.id = x.i returning k.*;
with gone as (delete from k using p where k.id = p.a returning k.id) select * from gone order by 1;

-- COPY.
copy p from stdin;
1	copied	1
3	copied	2
77	copied	3
\.
select tableoid::regclass, * from p where b = 'copied' order by a;
copy s from stdin;
1	1	1
99	1	1
\.
copy (select a, b from p where b = 'copied' order by a) to stdout;

-- Rows locked.
begin;
select * from k where id = 1 for update;
select tableoid::regclass, ctid is not null from k where id = 1;
declare c cursor for select * from k where id < 4 order by id;
fetch 1 from c;
rollback;

-- The whole row, and truncation.
select k from k where id = 1;
truncate k;
select count(*) from k;
truncate s1;
select count(*) from s;
drop table p, s, k;
reset search_path;
drop schema partition_dml;
