-- psql's own commands that lean on the server: \copy, \gexec, \gset, \gdesc, \crosstabview, \watch, \timing, \if.
create temp table c (a int, b text);
\copy c from stdin
1	one
2	two
\.
\copy c (b) from stdin with (format csv, header)
b
"three, or so"
\.
\copy c to stdout
\copy c (b) to stdout csv header
\copy (select count(*) from c) to stdout
\copy missing from stdin
\copy c from stdin
x	one
\.
select format('create temp table made_%s (x int)', g) from generate_series(1, 3) g
union all select 'select count(*) from made_2'
union all select null order by 1
\gexec
select 'select ' || a || ' / ' || (a - 1) from c where a is not null \gexec
select a as low, b as name from c where a = 1 \gset got_
\echo :got_low :'got_name'
select 1 as x where false \gset
select 1 as x union all select 2 \gset
select a, b, a + 1.5 as n, now() as t, array[a] as l, null as u from c \gdesc
select from c \gdesc
select nothing from c \gdesc
select a, b, a * 10 as value from c where a is not null \crosstabview
select 1 as "A", null as b \g (format=csv)
select b from c \gx
\timing on
\timing off
create temp sequence turns;
\t on
select 10 / (3 - nextval('turns')) \watch 0.01
\t off
select last_value from turns;
select 1 / 0;
\if true
select 'yes';
\else
select 'no';
\endif
\set AUTOCOMMIT off
insert into c values (9, 'nine');
rollback;
\set AUTOCOMMIT on
\set ON_ERROR_ROLLBACK on
begin;
insert into c values (8, 'eight');
select nothing;
commit;
select * from c order by a;
\set ON_ERROR_ROLLBACK off
\set FETCH_COUNT 2
select g from generate_series(1, 5) g;
select 1 / (4 - g) from generate_series(1, 5) g;
\set FETCH_COUNT 0
select 1\; select 2;
select 1 as a, 2 as a, n.oid, n.* from pg_am n where amname = 'btree';
-- a table of that name hides the catalog's only where its schema is searched first
create table public.pg_type (typname text);
insert into public.pg_type values ('mine');
select count(*) > 50 from pg_type;
\d pg_type
select count(*) from public.pg_type;
drop table public.pg_type;
create temp table pg_am (amname text);
select count(*) from pg_am;
select count(*) > 0 from pg_catalog.pg_am;
drop table pg_am;
\encoding
\encoding nonsense
