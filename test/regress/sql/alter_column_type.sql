-- ALTER COLUMN … TYPE of columns that indexes, keys, checks and foreign keys use.
create table t (id int primary key, a int unique, b int check (b > 0), c text, d int default 5, constraint ab check (a < b + 100));
create index t_b on t (b);
create index t_expr on t ((b + 1), c) where a > 0;
create unique index t_c on t (c collate "C" desc nulls last, id) include (d) with (fillfactor = 50);
create table f (x int references t (id) on delete cascade, y int references t (a) deferrable);
comment on index t_b is 'of t_b'; comment on constraint ab on t is 'of ab'; comment on constraint t_pkey on t is 'of the key'; comment on index t_pkey is 'of its index';
alter table t cluster on t_b;
alter table t replica identity using index t_pkey;
insert into t select i, i, i + 1, 'c' || i from generate_series(1, 10) i;
insert into f select i, i from generate_series(1, 10) i;
create temp table before as select oid, relname, relfilenode from pg_class where relname in ('t', 'f', 't_pkey', 't_a_key', 't_b', 't_expr', 't_c');
create temp table keys_before as select oid, conname from pg_constraint where conrelid in ('t'::regclass, 'f'::regclass);
create view which as
  select 1 as part, relname as name, c.oid = b.oid as same_oid, c.relfilenode = b.relfilenode as same_file from before b left join pg_class c using (relname)
  union all select 2, conname, c.oid = b.oid, null from keys_before b left join pg_constraint c using (conname) order by 1, 2;
alter table t alter column a type bigint;
\d t
\d f
select * from which;
alter table t alter column id type numeric;
select * from which;
alter table f alter column x type bigint;
alter table t alter column b type bigint;
alter table t alter column c type varchar(20);
\d t
\d f
select * from which;
select relname, obj_description(oid, 'pg_class') from pg_class where relname in ('t_b', 't_pkey') order by 1;
select conname, obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 't'::regclass order by 1;
-- what no longer makes sense
alter table t alter column a type boolean using a > 3;
alter table t alter column b type text;
alter table t alter c type int using length(c), alter b type smallint, add column z int default 4, add unique (z, id), drop column d;
alter table t alter b type int, drop constraint ab;
alter table t alter b type bigint, drop column b;
\d t
-- all still at work
insert into t values (1);
insert into t values (11, 11, 0);
insert into f values (100);
delete from t where id = 3;
set enable_seqscan = off;
explain (costs off) select * from t where a = 5;
select id, a, b, c, z from t where a = 5;
select id from t where b + 1 > 10 and a > 0 order by id;
reset enable_seqscan;
-- no storage changes hands without need
create table w (a varchar(10), b numeric(8, 2), c text); create index w_a on w (a); create index w_b on w (b); create index w_c on w (c);
create unique index w_low on w (lower(a)); create index w_many on w (c, a desc) include (b);
insert into w select i, i / 7.0, repeat('x', 3000) || i from generate_series(1, 300) i;
create temp table files as select relname, relfilenode from pg_class where relname ~ '^w(_|$)';
create view moved as select relname, c.relfilenode = f.relfilenode as same_file from files f join pg_class c using (relname) order by 1;
alter table w alter a type varchar(20);
select * from moved;
alter table w alter a type text, alter c type varchar;
select * from moved;
alter table w alter b type numeric(10, 2);
select * from moved;
alter table w alter b type numeric(10, 3);
select * from moved where relname in ('w', 'w_b');
select count(*), sum(length(c)), min(a), max(b) from w;
set enable_seqscan = off;
select count(*) from w where a = '77'; select count(*) from w where b = 11; select count(*) from w where c = repeat('x', 3000) || 7;
reset enable_seqscan;
insert into w values ('1', 1, '1');
drop table w cascade;
-- errors
drop view which; drop table f;
create table g (a int, b int generated always as (a * 2) stored, c int, id int generated always as identity, s serial, ar int[]);
create view v as select c from g;
alter table g alter a type bigint;
alter table g alter b type bigint using b + 1;
alter table g alter b type bigint;
alter table g alter c type bigint;
alter table g alter id type smallint;
alter table g alter id type text;
alter table g alter s type bigint;
\d g
\d g_id_seq
alter table g alter ctid type bigint;
alter table g alter nope type bigint;
alter table g alter s drop default, alter s type text;
alter table g alter s type int using 1, alter s type text;
alter table g alter ar type text[];
alter table g alter ar type text[] using ar::text[];
drop table g cascade;
create table w (a int, b text); create table x (y w); insert into x values ((1, 'a'));
alter table w alter a type bigint;
drop table x, w;
-- values as they were: all expressions see the old row
drop table t;
create table t (a int, b text, c varchar(10) default 'abc', d int default 7);
insert into t values (1, '5'), (null, '7');
alter table t alter a type int using b::int, alter b type int using a;
select * from t;
alter table t alter c type varchar(2);
alter table t alter c set default 'xy', alter c type varchar(20);
alter table t alter d type text;
alter table t alter d type boolean using d::int::bool;
alter table t alter a set not null, alter a type int using nullif(a, 5);
alter table t add constraint k check (a > 6) not valid;
alter table t alter a type bigint;
\d t
alter table t add constraint k2 check (a < 50);
alter table t alter a type bigint using a + 100;
alter table t drop constraint k2, alter a type bigint using a + 100;
create unique index ti on t (a);
alter table t alter a type int using 1;
alter table t alter a type int using 'x'::text;
alter table t alter a type text, drop column a;
alter table t alter a type numeric(5, 2), drop constraint k;
alter table t alter a type int collate "C";
alter table t alter b type text collate "C";
alter table t alter b type serial;
alter table t alter b type nothing(3);
alter table t alter b type varchar(0);
alter table t alter b type text collate nowhere;
alter table t add column later int default 42;
alter table t alter later type bigint;
select later from t;
\d t
create domain positive as int check (value > 0);
alter table t alter b type positive using b::int;
alter table t alter b type positive using -1;
drop domain positive;
alter table t alter b type text;
drop domain positive;
drop table t;
