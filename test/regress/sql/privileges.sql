-- GRANT and REVOKE on all kinds of object, what they allow, default privileges, ownership.
select current_database() as db \gset
create role ga login; create role gb login; create role gc; create role gd in role gc;
create table t (a int, b text, c int); create sequence s; create view v as select a, b from t; create schema sc; create table sc.x (a int);
create domain dom as int;
grant select on t to ga;
grant select, insert (a, b), update (b) on t to gb with grant option;
grant all on t to gc; grant all privileges (c) on t to ga;
grant select on table t, v to public;
grant usage, select on sequence s to ga; grant select on s to gb; grant insert on s to gb;
grant update on sequence s to ga; grant delete on sequence s to ga;
grant usage on schema sc to ga; grant create on schema sc to ga with grant option; grant select on schema sc to ga;
grant usage on type dom to ga; grant usage on domain dom to gb; grant usage on domain int4 to gb; grant usage on type int4[] to ga; grant usage on type t to ga; grant usage on type nonesuch to ga;
grant connect, temp on database :db to ga; grant select on database :db to ga; grant connect on database nonesuch to ga;
grant execute on function lower(text) to ga; grant select on function lower(text) to ga; grant execute on function nonesuch(int) to ga; grant execute on function lower to ga;
grant usage on language sql to ga; grant usage on language c to ga; grant usage on language nope to ga;
grant create on tablespace pg_default to ga; grant create on tablespace nope to ga;
grant foo on t to ga; grant execute on t to ga; grant select on nonesuch to ga; grant select (nope) on t to ga; grant delete (a) on t to ga; grant select (a) on s to ga;
grant select on t to nonesuch; grant select on t to public with grant option; grant usage (a) on schema sc to ga;
select relname, relacl from pg_class where relname in ('s', 't', 'v') and relnamespace = 'public'::regnamespace order by 1; select attname, attacl from pg_attribute where attrelid = 't'::regclass and attacl is not null order by attnum;
\dp sc.*
\dn+ sc
\dT+ dom
revoke execute on function lower(text) from ga;
set role gb;
select * from t;
select a from t;
grant select on t to gd;
grant delete on t to gd;
grant select, delete on t to gd;
grant all on t to gd;
insert into t (a, b) values (1, 'x'); insert into t (c) values (1); insert into t values (1, 'x', 2);
update t set b = 'y'; update t set a = 3; update t set b = a::text; delete from t; truncate t; lock table t; 
select nextval('s'); select currval('s'); select lastval(); select * from s; select setval('s', 5);
select * from v; select * from sc.x; create table sc.y (a int); create table public.z (a int); create temp table tt (a int);
copy t to stdout; copy t (a, b) from stdin;
1	q
\.
copy t (c) from stdin;
\.
alter table t add d int; drop table t; create index on t (a); comment on table t is 'x'; vacuum t; analyze t; 
alter table t owner to gb; alter schema sc owner to gb; alter domain dom owner to gb; alter table t rename to tx; alter table t rename a to aa; truncate t;
create view vv as select 1; drop view v; drop sequence s; drop schema sc; drop domain dom;
select has_table_privilege('t', 'select'), has_table_privilege('gd', 't', 'select with grant option'), has_column_privilege('gb', 't', 'b', 'update'), has_schema_privilege('sc', 'usage'), has_sequence_privilege('ga', 's', 'usage'), has_database_privilege('ga', :'db', 'connect');
reset role;
revoke select on t from gb;
revoke grant option for select on t from gb;
revoke grant option for select on t from gb cascade;
revoke select on t from gb cascade;
select relname, relacl from pg_class where relname in ('s', 't', 'v') and relnamespace = 'public'::regnamespace order by 1; select attname, attacl from pg_attribute where attrelid = 't'::regclass and attacl is not null order by attnum;
set role gd;
select * from t limit 0;
revoke select on t from ga;
grant select on t to ga;
reset role;
revoke all on t from gc; revoke all on t from public;
set role gd;
select * from t;
select from t;
select count(*) from t;
reset role;
revoke all (b) on t from gb;
select relname, relacl from pg_class where relname in ('s', 't', 'v') and relnamespace = 'public'::regnamespace order by 1; select attname, attacl from pg_attribute where attrelid = 't'::regclass and attacl is not null order by attnum;
grant select on all tables in schema public to gd; grant usage on all sequences in schema public to gd; grant execute on all functions in schema public to gd; grant select on all tables in schema nope to gd; grant usage on all tables in schema public to gd;
select relname, relacl from pg_class where relname in ('s', 't', 'v') and relnamespace = 'public'::regnamespace order by 1; select attname, attacl from pg_attribute where attrelid = 't'::regclass and attacl is not null order by attnum;
revoke all on all tables in schema public from gd, gb, ga, gc;
select relname, relacl from pg_class where relname in ('s', 't', 'v') and relnamespace = 'public'::regnamespace order by 1; select attname, attacl from pg_attribute where attrelid = 't'::regclass and attacl is not null order by attnum;
grant select on t to ga granted by gb; grant select on t to ga granted by current_user;
revoke all on database :db from ga; revoke create on tablespace pg_default from ga; revoke usage on language sql from ga;
drop role ga;
drop role gb;
alter default privileges grant select on tables to ga;
alter default privileges for role gb in schema sc grant insert on tables to gc with grant option;
alter default privileges in schema sc grant usage on sequences to gc;
alter default privileges revoke execute on functions from public;
alter default privileges grant usage on schemas to ga;
alter default privileges in schema sc grant usage on schemas to ga;
alter default privileges revoke usage on types from public;
alter default privileges for role nonesuch grant select on tables to ga;
alter default privileges in schema nope grant select on tables to ga;
alter default privileges grant execute on tables to ga;
\ddp
create table priv_t2 (a int); create table sc.t3 (a int); create sequence sc.s2; create schema sc2; create domain d2 as int;
\dp priv_t2
\dp sc.*
\dn+ sc2
select typacl from pg_type where typname = 'd2';
alter default privileges revoke select on tables from ga; alter default privileges grant execute on functions to public; alter default privileges grant usage on types to public; alter default privileges revoke usage on schemas from ga; alter default privileges in schema sc revoke usage on sequences from gc;
\ddp
set role ga; alter default privileges for role gb grant select on tables to ga; reset role;
alter table t owner to gb; alter schema sc owner to gb; alter domain dom owner to gb; alter view v owner to gc;
\dt t
\dv v
\dn sc
reassign owned by gb to gc;
\dt t
\dn sc
drop role gb;
drop owned by gb;
drop role gb;
set role ga; reassign owned by gc to ga; drop owned by gc; reset role;
reassign owned by gc to nonesuch;
drop owned by ga, gc, gd;
drop owned by gc cascade;
drop role ga, gc, gd;
drop schema sc2; drop table priv_t2; drop sequence s;
drop role ga, gc, gd;
select count(*) from pg_shdepend where refobjid not in (select oid from pg_authid) and refclassid = 'pg_authid'::regclass;
