-- ON COMMIT, temporary objects at a session's end; SET SCHEMA.
create temp table d1 (a int primary key, b text) on commit delete rows;
insert into d1 values (1, 'x');
select * from d1;
begin; insert into d1 values (1, 'x'), (2, 'y'); select * from d1 order by a; update d1 set b = 'z' where a = 2; commit;
select * from d1;
begin; insert into d1 values (1, 'x'); rollback; select * from d1;
begin; insert into d1 values (5, repeat('long', 5000)); select length(b) from d1; commit; select * from d1;
create temp table d2 (a int) on commit drop;
select * from d2;
begin; create temp table d2 (a int) on commit drop; insert into d2 values (1); select * from d2; commit;
select * from d2;
begin; create temp table d2 (a int) on commit drop; rollback; 
begin; savepoint s; create temp table d2 (a int) on commit drop; rollback to s; create temp table d2 (a text); commit; select * from d2; drop table d2;
begin; create temp table d3 on commit drop as select 1 a; select * from d3; commit; select * from d3;
create temp table d4 on commit preserve rows as select 1 a; select * from d4;
create temp table d5 (a int references d1) on commit delete rows;
begin; insert into d1 values (1); insert into d5 values (1); commit;
select count(*) from d5;
create temp table d6 (a int references d1);
begin; insert into d1 values (1); insert into d6 values (1); commit;
create table perm (a int) on commit delete rows;
drop table d1 cascade;
insert into d4 values (2);
create schema sa; create schema sb;
create table sa.t (a serial primary key, b int check (b > 0), unique (b)); create view sa.v as select * from sa.t; create sequence sa.sq; create domain sa.dom as int check (value > 0); create index ti on sa.t (b);
alter table sa.t set schema sb; 
\d sb.t
select * from sa.v;
\d+ sa.v
select conname, connamespace::regnamespace from pg_constraint where conrelid = 'sb.t'::regclass order by 1;
select typname, typnamespace::regnamespace from pg_type where typname in ('t', '_t') and typnamespace in ('sa'::regnamespace, 'sb'::regnamespace) order by 1;
alter view sa.v set schema sb; alter sequence sa.sq set schema sb; alter domain sa.dom set schema sb; alter sequence sb.t_a_seq set schema sa; alter index sb.ti set schema sa; alter table sb.t set schema sb; alter table nope set schema sa; alter table if exists nope set schema sa; alter table sb.t set schema nope; alter table sb.t set schema pg_toast; alter view sb.t set schema sa; alter table d4 set schema sb; alter type sb.t set schema sa; alter domain sb.dom set schema pg_temp;
create table sa.t (a int); alter table sb.t set schema sa; create domain sa.dom as text; alter domain sb.dom set schema sa;
insert into sb.t (b) values (1), (2); select nextval('sb.sq'), 1::sb.dom; select * from sb.v;
drop schema sa; 
drop schema sb cascade; drop schema sa cascade;
\c
select pg_sleep(1);
select count(*) from pg_class where relpersistence = 't';
