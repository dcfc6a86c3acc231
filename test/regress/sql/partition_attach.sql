-- ATTACH, DETACH, ALTER TABLE of partitioned tables and their partitions.
create schema partition_attach;
set search_path = partition_attach;
create table p (a int, b int, c text, constraint ck check (b > 0)) partition by range (a);
create table p1 partition of p for values from (1) to (10);
create table p2 (c text, x int, b int, a int);
alter table p2 drop column x;
alter table p attach partition p2 for values from (10) to (20);
alter table p2 add constraint ck check (b > 1);
alter table p attach partition p2 for values from (10) to (20);
alter table p2 drop constraint ck, add constraint ck check (b > 0) not valid;
alter table p attach partition p2 for values from (10) to (20);
alter table p2 drop constraint ck, add constraint ck check (b > 0) no inherit;
alter table p attach partition p2 for values from (10) to (20);
alter table p2 drop constraint ck, add constraint ck check (b > 0);
insert into p2 (a, b) values (25, 1);
alter table p attach partition p2 for values from (10) to (20);
alter table p attach partition p2 for values from (5) to (20);
alter table p attach partition p2 for values in (5);
delete from p2;
insert into p2 (a, b) values (null, 1);
alter table p attach partition p2 for values from (10) to (20);
delete from p2;
insert into p2 (a, b) values (15, 1);
alter table p attach partition p2 for values from (10) to (20);
alter table p attach partition p2 for values from (20) to (30);
alter table p attach partition p for values from (20) to (30);
alter table p attach partition nosuch for values from (20) to (30);
create view vv as select 1 as a;
alter table p attach partition vv for values from (20) to (30);
create table m1 (a int, b int);
alter table p attach partition m1 for values from (20) to (30);
create table m2 (a int, b int, c text, d int);
alter table p attach partition m2 for values from (20) to (30);
create table m3 (a bigint, b int, c text);
alter table p attach partition m3 for values from (20) to (30);
create table m4 (a int, b int, c text collate "C");
alter table p attach partition m4 for values from (20) to (30);
create temp table m5 (a int, b int, c text);
alter table p attach partition m5 for values from (20) to (30);
alter table m1 attach partition m2 for values from (20) to (30);
alter table m1 detach partition m2;
alter table p detach partition m2;

-- columns and constraints
alter table p1 add column z int;
alter table only p add column z int;
alter table p add column z int default 5 check (z > 0);
alter table p1 drop column b;
alter table only p drop column b;
alter table p drop column a;
alter table p1 alter column b type bigint;
alter table only p alter column b type bigint;
alter table p alter column a type bigint;
alter table only p alter column b set not null;
alter table p1 alter column b set not null;
alter table p alter column b set not null;
alter table p1 alter column b drop not null;
alter table only p alter column b drop not null;
alter table p alter column b set default 7;
alter table p1 alter column b set default 8;
alter table p alter column a set default 3;
alter table only p add constraint c2 check (b < 100);
alter table p add constraint c2 check (b < 100);
alter table p1 drop constraint c2;
alter table only p drop constraint c2;
alter table p1 rename column b to bb;
alter table only p rename column b to bb;
alter table p rename column b to bb;
alter table p1 rename constraint c2 to c3;
alter table only p rename constraint c2 to c3;
alter table p rename constraint c2 to c3;
alter table p set (fillfactor = 50);
alter table p1 inherit p2;
alter table p inherit m2;
alter table p1 no inherit p;
alter table p1 add constraint own check (bb <> 5);
alter table p add constraint own check (bb <> 6);
alter table p add constraint own check (bb <> 5);
\d p1
\d p2
select conrelid::regclass, conname, conislocal, coninhcount from pg_constraint where conrelid in ('p'::regclass, 'p1'::regclass, 'p2'::regclass) order by 1, 2;
select attrelid::regclass, attname, attislocal, attinhcount, attnum from pg_attribute
  where attnum > 0 and attrelid in ('p'::regclass, 'p1'::regclass, 'p2'::regclass) order by 1, 5;
alter table p drop constraint c3;
alter table p drop constraint own;
alter table p drop column bb cascade;
alter table p drop column bb;
alter table p drop column z;
alter table p detach partition p1;
\d p1
select attrelid::regclass, attname, attislocal, attinhcount, attnum from pg_attribute
  where attnum > 0 and attrelid in ('p'::regclass, 'p1'::regclass, 'p2'::regclass) order by 1, 5;
begin;
alter table p detach partition p2 concurrently;
rollback;
alter table p detach partition p2 finalize;
alter table p detach partition p2 concurrently;
\d p2
select * from p2;

-- the CHECK that DETACH CONCURRENTLY left spares the scan; a default partition must not hold rows of the new one
create table pd (a int, c text);
insert into pd values (50), (null);
alter table p attach partition pd default;
alter table p attach partition p2 for values from (10) to (60);
alter table p attach partition p2 for values from (10) to (20);
alter table p detach partition p2 concurrently;
select inhrelid::regclass from pg_inherits where inhparent = 'p'::regclass order by 1;
alter table p detach partition pd;
select partdefid from pg_partitioned_table where partrelid = 'p'::regclass;

-- key columns in expressions
create table e (a int, b int) partition by range (lower(a::text), b);
alter table e drop column a;
alter table e drop column b;
alter table e alter column a type bigint;
truncate only e;
alter table e set unlogged;

-- trees of other column orders
create table t (a int, b int, c int) partition by list (a);
create table t1 (c int, a int, b int) partition by list (b);
create table t11 (drop_me int, b int, c int, a int);
alter table t11 drop column drop_me;
insert into t11 (a, b, c) values (1, 2, 3);
alter table t1 attach partition t11 for values in (2);
alter table t attach partition t1 for values in (2);
alter table t attach partition t1 for values in (1);
alter table t add column d int default 9;
alter table t drop column b;
alter table t drop column c;
select * from t11;
alter table t add check (d > 0);
alter table t rename a to k;
select pg_get_partition_constraintdef('t11'::regclass);
\d t11
alter table t attach partition t for values in (5);
alter table t1 attach partition t for values in (5);
alter table t detach partition t1;
select pg_get_partition_constraintdef('t11'::regclass);
set client_min_messages = warning;
drop schema partition_attach cascade;
