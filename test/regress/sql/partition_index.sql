-- Indexes and keys of partitioned tables.
create schema partition_index;
set search_path = partition_index;
create table p (a int, b int, c text) partition by range (a);
create table p1 partition of p for values from (1) to (10);
create table p2 partition of p (b primary key) for values from (10) to (20);
create table p3 (c text, b int, x int, a int);
alter table p3 drop column x;
create index p3i on p3 (b);
alter table p attach partition p3 for values from (20) to (30);
alter table p add primary key (b);
alter table p add primary key (a, b);
create unique index on p (b);
create index on p (b);
create index pe on p ((b + 1), lower(c)) where a > 3;
create unique index pu on p (a) include (c);
create index concurrently on p (a);
create index on only p (c);
select c.relname, c.relkind, c.relispartition, c.relhassubclass, i.indisvalid, i.indisprimary, inhparent::regclass, inhseqno
  from pg_class c join pg_index i on i.indexrelid = c.oid left join pg_inherits h on h.inhrelid = c.oid
  where relnamespace = 'partition_index'::regnamespace order by 1;
drop index p1_b_idx;
drop index p_b_idx;
drop table p2;
alter table p add constraint ppk primary key (b, a);
alter table p add constraint pun unique (a, c);
alter table p1 drop constraint p1_pkey;
select conname, contype, conislocal, coninhcount, connoinherit, conparentid <> 0 as has_parent, conrelid::regclass, conindid::regclass
  from pg_constraint where connamespace = 'partition_index'::regnamespace order by 1;
select classid::regclass, pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype
  from pg_depend where objid in (select oid from pg_class where relnamespace = 'partition_index'::regnamespace and relname ~ '^p1_')
    or objid in (select oid from pg_constraint where connamespace = 'partition_index'::regnamespace and conname ~ '^p1') order by 2, 3, 4;
\d p
\d p1
\d p3
select indexdef from pg_indexes where schemaname = 'partition_index' order by indexname;
-- a new partition has them all
create table p4 partition of p for values from (40) to (50);
\d p4
create table p5 partition of p (primary key (b)) for values from (50) to (60);
-- expressions in the key
create table k (a int) partition by range ((a + 1));
create unique index on k (a);
alter table k add primary key (a);
-- ATTACH PARTITION of indexes
create table s (a int, b int) partition by list (a);
create table s1 partition of s for values in (1) partition by list (b);
create table s11 partition of s1 for values in (1);
create index si on s (b);
create index s2i on only s (a);
create table s2 partition of s for values in (2);
create index on s1 (a);
create index on s2 (a);
select indexrelid::regclass, indisvalid from pg_index where indexrelid = 's2i'::regclass;
alter index s2i attach partition s2_a_idx;
alter index s2i attach partition s1_a_idx;
alter index s2i attach partition s1_a_idx;
alter index s2i attach partition s2_b_idx;
alter index s2i attach partition nosuch;
alter index si attach partition s2_a_idx;
create table alone (a int, b int);
create index alone_b on alone (b);
alter index s2i attach partition alone_b;
alter index alone_b attach partition s2i;
\d+ s2i
\d s
select c.relname, i.indisvalid, c.relispartition, inhparent::regclass
  from pg_class c join pg_index i on i.indexrelid = c.oid left join pg_inherits h on h.inhrelid = c.oid
  where relname ~ '^s' and relnamespace = 'partition_index'::regnamespace order by 1;
-- keys in CREATE TABLE
create table t (a int, b int, primary key (b)) partition by list (a);
create table t (a int primary key, b int unique) partition by list (a);
create table t (a int primary key, b int) partition by list (a);
create table t1 partition of t for values in (1);
create table t2 partition of t (primary key (b)) for values in (2);
create table t3 (a int not null unique, b int);
alter table t attach partition t3 for values in (3);
\d t3
create table t4 (a int unique, b int);
alter table t attach partition t4 for values in (4);
create table u (a int, b int) partition by hash (a);
create table u0 partition of u for values with (modulus 1, remainder 0);
alter table only u add primary key (a);
alter table u0 add primary key (a);
alter table only u add primary key (a);
select indexrelid::regclass, indisvalid from pg_index where indrelid = 'u'::regclass;
alter index u_pkey attach partition u0_pkey;
select indexrelid::regclass, indisvalid from pg_index where indrelid = 'u'::regclass;
alter table u drop constraint u_pkey;
\d u0
\d u
-- detached tables keep their indexes
alter table t detach partition t1;
\d t1
drop table t;
\d t1
set client_min_messages = warning;
drop schema partition_index cascade;
