-- CREATE DOMAIN
create domain positive as int check (value > 0);
create domain short_text as varchar(5) default 'none' not null;
create domain even_positive as positive constraint is_even check (value % 2 = 0);
create table dt (a positive, b short_text, c even_positive);
insert into dt (a, c) values (1, 2);
insert into dt values (0, 'x', 2);
insert into dt values (1, null, 2);
insert into dt values (1, 'x', 3);
insert into dt values (1, 'x', -2);
insert into dt values (1, 'too long', 2);
select * from dt;
update dt set a = a - 1;
select 5::positive + 1, pg_typeof(5::positive), 'x'::short_text;
select (-5)::positive;
select null::short_text;
\dD
create domain bad as nothing;
create domain bad as int default 'x';
create domain bad as int null not null;
create domain positive as int;
create domain listed as int[] check (cardinality(value) < 3);
select '{1,2}'::listed;
select '{1,2,3}'::listed;
drop domain positive;
drop domain listed;
drop domain positive cascade;
\d dt
drop table dt;
drop domain short_text;
select column_name, data_type, is_nullable from information_schema.columns where table_schema = 'information_schema' and table_name = 'schemata' order by ordinal_position;
create table iso (a int primary key, b text not null default 'q');
select column_name, ordinal_position, column_default, is_nullable, data_type from information_schema.columns where table_name = 'iso' order by 2;
select constraint_type from information_schema.table_constraints where table_name = 'iso' and constraint_type <> 'CHECK';
drop table iso;
