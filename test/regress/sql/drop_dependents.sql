-- What hangs on columns that are dropped.
create table used (a int, b int, c int generated always as (b * 2) stored, d int generated always as (a + b) stored, e int default 5, check (a < b), check (b > 0));
alter table used drop column b;
create view used_view as select b, e from used;
alter table used drop column b;
alter table used drop column e;
alter table used drop column c;
begin;
alter table used drop column a cascade;
\d used
rollback;
alter table used drop column b cascade;
\d used
-- the generated column goes first, or is no longer generated
create table used2 (a int, b int generated always as (a + 1) stored, c int generated always as (a + 2) stored);
alter table used2 drop column a, drop column b;
alter table used2 drop column b;
alter table used2 alter c drop expression;
alter table used2 drop column a;
\d used2
-- indexes, checks, keys
create table indexed (a int, b int, c int, d int, e int);
create index indexed_where on indexed (a) where b > 0;
create index indexed_two on indexed (a, b);
create index indexed_expression on indexed ((a + b));
create index indexed_include on indexed (a) include (b);
alter table indexed add unique (a, b), add check (b > a), add check (b > 3);
create table refers (x int, y int, foreign key (x, y) references indexed (a, b));
alter table indexed drop column b;
alter table indexed drop column b cascade;
\d indexed
\d refers
alter table refers add check (x > y);
alter table refers drop column y;
\d refers
-- views
create view seen1 as select d from indexed;
create view seen2 as select d from seen1;
create view seen3 as select a from indexed where e > 0;
alter table indexed drop column d;
alter table indexed drop column e;
alter table indexed drop column d cascade, drop column e cascade;
\d indexed
-- sequences
create sequence counted;
create table counts (a int default nextval('counted'), b serial, c int generated always as identity);
create table counts2 (a int default nextval('counts_b_seq'));
alter sequence counted owned by counts.a;
alter table counts drop column a;
alter table counts drop column b;
alter table counts drop column b cascade;
alter table counts drop column c;
\d counts2
-- partitions
create table whole (a int, b int, c int generated always as (b + 1) stored) partition by list (a);
create table part partition of whole for values in (1);
alter table whole drop column b;
alter table whole drop column b cascade;
\d part
drop table used, used2, indexed, refers, counts, counts2, whole;
-- Tables have 1600 columns at most; those that were dropped count, in each partition too.
\set ECHO none
select format('create table wide (%s)', string_agg('c' || i || ' int', ', ')) from generate_series(1, 1599) i \gexec
select format('create table wide_part (x int, %s)', string_agg('c' || i || ' int', ', ')) from generate_series(1, 1599) i \gexec
select format('create table wide_whole (%s) partition by list (c1)', string_agg('c' || i || ' int', ', ')) from generate_series(1, 1599) i \gexec
\set ECHO all
alter table wide drop column c1, drop column c2;
alter table wide add column d int;
alter table wide add column e int;
alter table wide drop column d, add column e int;
alter table wide_part drop column x;
alter table wide_whole attach partition wide_part for values in (1);
alter table wide_whole add column y int;
select relname, relnatts from pg_class where relname in ('wide', 'wide_part', 'wide_whole') order by 1;
drop table wide, wide_whole;
-- Chains of any length are dropped.
create table chain0 (a int);
\set ECHO none
select format('create view chain%s as select * from chain%s', i, i - 1) from generate_series(1, 1500) i \gexec
\set ECHO all
drop view chain1490;
drop view chain1 cascade;
select count(*) from pg_class where relname like 'chain%';
drop table chain0;
-- Sub-commands of ALTER TABLE run in passes, whatever their order.
create table passes (z int, w int);
alter table passes alter z set default 9, alter z drop default;
\d passes
alter table passes alter z set not null, alter z drop not null;
alter table passes alter z set default 1, alter z set default 2, alter w set default 3;
alter table passes alter w set not null, add primary key (w), alter w drop not null, alter w drop default;
\d passes
drop table passes;
-- SET CONSTRAINTS outside a block
set constraints all immediate;
set constraints all deferred;
set constraints missing immediate;
begin;
set constraints all deferred;
commit;
