-- ADD COLUMN: what rows that exist get; errors of ALTER TABLE, which mostly carry no position; keys and lists.
create domain no_null as int not null;
create domain seven as int default 7;
create domain above_five as int check (value > 5);
create domain plain as int;
create domain over_no_null as no_null;
create table grown (a int);
insert into grown values (1), (2);
alter table grown add b no_null;
alter table grown add b over_no_null;
alter table grown add b no_null default 5;
alter table grown add c seven;
alter table grown add d above_five;
alter table grown add e above_five default 1;
alter table grown add e above_five default 9;
alter table grown add f plain;
select * from grown;
create table grown_parts (a int) partition by list (a);
create table grown_parts_1 partition of grown_parts for values in (1);
insert into grown_parts values (1);
alter table grown_parts add b no_null;
alter table grown_parts add b no_null default 3, add c seven, add d above_five;
select * from grown_parts_1;

-- names of columns
alter table grown add ctid int;
alter table grown add tableoid int;
drop table grown, grown_parts;

-- positions
create table spots (a int);
alter table spots add f int default 'x';
alter table spots add f int check (nosuch > 1);
alter table spots add f nosuch;
alter table spots add f int default nosuch;
alter table spots add f int generated always as (nosuch) stored;
alter table spots add f int collate "C";
alter table spots alter a type nosuch;
alter table spots alter a type int using nosuch;
alter table spots alter a set default 'x';
alter table spots add check (nosuch > 0);
alter table spots add check (sum(a) > 0);
alter table spots add check (a);
create table spots2 (f int default 'x');
create table spots2 (f int check (nosuch > 1));
insert into spots values (1) on conflict (nosuch) do nothing;
insert into spots values (1) on conflict (a desc) do nothing;
insert into spots values (1) on conflict (a) where nosuch do nothing;
select 'ä', '01:02'::time(7), '01:02+00'::timetz(9), now()::timestamp(8) is null, '1 s'::interval(9), interval '1' second(9);
comment on column spots.nosuch is 'x';
comment on column public.spots.nosuch is 'x';
vacuum pg_class_oid_index;
analyze pg_class_oid_index;

-- keys are checked in the order in which they were made
create table two_keys (a int unique, b int unique, c int primary key deferrable);
create table refers (x int constraint zz references two_keys (a), y int constraint aa references two_keys (b));
insert into refers values (5, 5);
insert into two_keys values (1, 1, 1);
insert into refers values (1, 1);
update two_keys set a = 2, b = 2;
delete from two_keys;
alter table refers add foreign key (x) references two_keys;
alter table refers add foreign key (x) references two_keys (c);
create table self (a int primary key deferrable, b int references self);

-- rows in lists
select 1 where (1, 2) in ((1, 1), (2, 3), (1, 2));
create view listed as select oid from pg_class where (oid, relpages) in ((1, 2), (3, 4), (5, 6));
select pg_get_viewdef('listed');
drop table spots, refers, two_keys;
drop view listed;
drop domain no_null, seven, above_five, plain cascade;
-- catalogs show what they hold
select relpartbound from pg_class where relname = 'pg_class';
select * from pg_statistic_ext_data;
