-- ALTER COLUMN … TYPE in trees of partitions with indexes, keys, checks and foreign keys both ways.
create table p (a int, b int, c text) partition by range (a);
create table p1 partition of p for values from (1) to (10);
create table p2 (c text, gone int, b int, a int); alter table p2 drop column gone; alter table p attach partition p2 for values from (10) to (20);
create table p3 partition of p for values from (20) to (40) partition by list (a);
create table p3_rest partition of p3 default;
create index pb on p (b); create unique index pab on p (a, b);
alter table p add constraint ck check (b < 100), add unique (b, a);
create index p1_own on p1 (b) where c > 'a';
alter table p1 add constraint own check (b > 0);
comment on index pb is 'of pb'; comment on index p1_own is 'of p1_own';
insert into p select i, i, i from generate_series(1, 39) i;
alter table p alter a type bigint;
alter table p1 alter a type bigint;
alter table p1 alter b type bigint;
alter table only p alter b type bigint;
alter table p alter b type bigint;
\d p
\d p1
\d p2
\d p3_rest
select relname, obj_description(oid, 'pg_class') from pg_class where relname in ('pb', 'p1_own') order by 1;
select indexrelid::regclass as index, indrelid::regclass as of, (select inhparent::regclass from pg_inherits where inhrelid = indexrelid) as part_of, indisvalid
  from pg_index where indrelid in (select relid from pg_partition_tree('p')) order by indrelid::regclass::text, indexrelid::regclass::text;
alter table p alter b type numeric using p.b + 0.5;
alter table p alter b type text using p::text;
alter table p alter b type int using 200;
alter table p alter c type int using length(c), alter b type text;
alter table p alter c type varchar(30);
select tableoid::regclass, * from p where a in (1, 10, 20, 39) order by a;
insert into p values (5, 100, 'x');
insert into p values (5, 5, 'x');
set enable_seqscan = off;
select * from p where b = 7;
reset enable_seqscan;
-- keys that refer to the tree and that the tree has
create table other (x int primary key);
insert into other select generate_series(1, 100);
alter table p add foreign key (b) references other;
create table refers (a int, b bigint, foreign key (b, a) references p (b, a)) partition by hash (a);
create table refers_0 partition of refers for values with (modulus 2, remainder 0);
create table refers_1 partition of refers for values with (modulus 2, remainder 1);
insert into refers select i, i from generate_series(1, 30) i;
alter table p alter b type int;
alter table other alter x type numeric;
alter table other alter x type bigint;
alter table refers alter b type int;
\d p
\d refers
\d refers_0
select conname, conrelid::regclass, confrelid::regclass, contype, conislocal, coninhcount, (select conname from pg_constraint q where q.oid = c.conparentid) as parent
  from pg_constraint c where contype = 'f' and (conrelid in (select relid from pg_partition_tree('p')) or conrelid in (select relid from pg_partition_tree('refers')))
  order by conrelid::regclass::text, conname, confrelid::regclass::text;
insert into refers values (5, 6);
insert into p values (6, 1000, 'y');
delete from p where a = 3;
delete from other where x = 12;
select count(*) from p join refers using (a, b);
drop table refers; alter table p drop constraint p_b_fkey; drop table other;
-- a change of a partition's own after it left
alter table p detach partition p1;
alter table p1 alter a type bigint, alter b type bigint;
\d p1
drop table p1, p;
