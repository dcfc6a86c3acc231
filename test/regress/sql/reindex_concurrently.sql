-- REINDEX CONCURRENTLY, DROP INDEX CONCURRENTLY.
create table rp (a int, b text) partition by range (a);
create table rp1 partition of rp for values from (0) to (10);
create table rp2 partition of rp for values from (10) to (20) partition by range (a);
create table rp21 partition of rp2 for values from (10) to (15);
create index rpi on rp (b);
create table rt (a int primary key, b int unique deferrable, c text);
create index rti on rt (c) where a > 3;
create index rte on rt (lower(c) desc nulls last, a) include (b) with (fillfactor = 70);
alter table rt cluster on rt_pkey;
alter table rt replica identity using index rt_pkey;
alter index rte alter column 1 set statistics 55;
comment on index rti is 'part of it';
create table ref (x int references rt);
create table noidx (a int);
insert into rt select i, i, 'row ' || i from generate_series(1, 1000) i;
insert into rp select i % 15, 'r' || i from generate_series(1, 200) i;
delete from rt where a % 3 = 0;
analyze rt;
create temp table before as select oid, relname from pg_class where relname ~ '^(rt|rp)';
begin; reindex table rp; rollback;
begin; reindex index rpi; rollback;
begin; reindex table concurrently rt; rollback;
begin; reindex index concurrently rti; rollback;
begin; reindex schema concurrently public; rollback;
reindex index concurrently rti;
select relname, c.oid <> b.oid as changed from pg_class c join before b using (relname) where c.relkind = 'i' order by 1;
reindex table concurrently rt;
reindex table concurrently rp;
select relname, c.oid <> b.oid as changed from pg_class c join before b using (relname) where c.relkind = 'i' order by 1;
select relname from pg_class where relname ~ '_cc(new|old)';
\d rt
\d rte
\d rp1
select obj_description('rti'::regclass), (select attstattarget from pg_attribute where attrelid = 'rte'::regclass and attnum = 1);
select inhrelid::regclass, inhparent::regclass from pg_inherits where inhparent in ('rpi'::regclass, 'rp2_b_idx'::regclass) order by 1;
select conname, conindid::regclass from pg_constraint where conrelid in ('rt'::regclass, 'ref'::regclass) order by 1;
select indexrelid::regclass, indisunique, indisprimary, indimmediate, indisvalid, indisready, indislive, indisclustered, indisreplident from pg_index where indrelid = 'rt'::regclass order by 1;
set enable_seqscan = off;
select * from rt where a = 500;
select a from rt where lower(c) = 'row 77';
select count(*) from rt where c >= 'row 5' and a > 3;
select * from rp where b = 'r77';
reset enable_seqscan;
insert into rt values (500, 5000, 'again');
insert into rt values (5000, 500, 'again');
begin; insert into rt values (5000, 500, 'again'); rollback;
insert into ref values (500);
insert into ref values (501);
delete from rt where a = 500;
drop index rti;
drop index rpi;
create index rpi on rp (b);
reindex index concurrently rpi;
reindex index concurrently rp21_b_idx;
drop index rp21_b_idx;
alter table rt drop constraint rt_pkey;
alter table ref drop constraint ref_x_fkey;
alter table rt drop constraint rt_pkey;
-- Nothing to do, and what cannot be.
reindex table concurrently noidx;
reindex table concurrently pg_class;
reindex index concurrently pg_class_oid_index;
reindex index concurrently rt;
reindex table concurrently rte;
reindex table concurrently nope;
reindex index concurrently nope;
reindex system concurrently nope;
reindex schema concurrently pg_catalog;
reindex schema concurrently nope;
reindex database concurrently nope;
reindex (concurrently false) table noidx;
reindex (concurrently) table noidx;
reindex (concurrently, tablespace nope) table noidx;
create view vv as select 1; reindex table concurrently vv;
create temp table tmp (a int primary key); reindex table concurrently tmp; reindex index concurrently tmp_pkey;
create unlogged table unl (a int primary key); insert into unl values (1); reindex table concurrently unl; select * from unl where a = 1;
create schema sc; create table sc.t (a int primary key); insert into sc.t values (1); reindex schema concurrently sc; select * from sc.t where a = 1; drop schema sc cascade;
-- Long values.
create table wide (a int primary key, b text);
alter table wide alter column b set storage external;
insert into wide select i, repeat(i::text, 3000) from generate_series(1, 5) i;
reindex table concurrently wide;
insert into wide select i, repeat(i::text, 3000) from generate_series(6, 8) i;
select a, length(b), b = repeat(a::text, 3000) from wide order by a;
update wide set b = repeat('x', 4000) where a = 3; delete from wide where a = 4;
select a, length(b) from wide order by a;
-- A failure leaves the copy behind.
insert into noidx values (1), (1);
create unique index concurrently bad on noidx (a);
reindex index concurrently bad;
\d noidx
reindex table concurrently noidx;
reindex index bad;
delete from noidx where ctid = (select min(ctid) from noidx);
reindex index bad_ccnew;
\d noidx
reindex index concurrently bad;
\d noidx
drop index bad_ccnew;
insert into noidx values (1);
-- Privileges.
create role rx;
set role rx;
reindex table concurrently rt; reindex index concurrently rte; drop index concurrently rte; reindex table concurrently rp; reindex index rpi; reindex schema concurrently public;
reset role; drop role rx;
-- DROP INDEX CONCURRENTLY.
drop index concurrently rpi;
drop index concurrently rt_b_key;
drop index concurrently rp1_b_idx;
drop index concurrently nope;
drop index concurrently if exists nope;
drop index concurrently rt;
drop index concurrently rte, bad;
drop index concurrently rte cascade;
begin; drop index concurrently rte; rollback;
drop index concurrently rte;
\d rt
create index ti on tmp (a); drop index concurrently ti;
drop table rp, rt, ref, noidx, unl, wide; drop view vv;
