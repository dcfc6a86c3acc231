-- CREATE, ALTER, DROP DATABASE: options, errors, what copies hold.
select current_database() as home \gset
create database regress_db x=1;
create database regress_db template = template0 template = template1;
create database regress_db connection limit = -2;
create database regress_db connection limit = 'x';
create database regress_db encoding = 'foo';
create database regress_db encoding = 99;
create database regress_db encoding = 'latin1';
create database regress_db lc_collate 'nonsense';
create database regress_db icu_locale 'en';
create database regress_db locale_provider 'foo';
create database regress_db locale_provider 'icu';
create database regress_db strategy 'foo';
create database regress_db template nonesuch;
create database regress_db owner nonesuch;
create database regress_db tablespace nonesuch;
create database regress_db tablespace pg_global;
create database regress_db is_template maybe;
create database regress_db oid 5;
create database template1;
begin; create database regress_db; rollback;
create database regress_db location = default connection limit 7 allow_connections true is_template false encoding utf8 strategy wal_log;
create database regress_db;
select datname, encoding, datistemplate, datallowconn, datconnlimit, datcollate, datacl, datlocprovider from pg_database where datname = 'regress_db';
select pg_get_userbyid(datdba) = current_user as mine from pg_database where datname = 'regress_db';

-- what a template holds is copied: tables, indexes, unlogged tables, sequences, settings of the search path's objects
\c regress_db
create table t (a int primary key, b text);
insert into t select g, 'row ' || g from generate_series(1, 1000) g;
create unlogged table u (a int);
insert into u values (1), (2);
create sequence s;
select nextval('s'), nextval('s');
create view v as select count(*) from t;
create temporary table gone (a int);
comment on table t is 'copied';
create database regress_copy template regress_db;
\c regress_copy
select count(*), max(b) from t;
select a from t where a = 500;
select * from u order by a;
select nextval('s');
select * from v;
select relname from pg_class where relname = 'gone';
select obj_description('t'::regclass);
insert into t values (1);
insert into t values (2000, 'only here');
create table only_here (a int);
\c regress_db
select count(*) from t;
select * from only_here;
\c :home
-- settings kept for a database
alter database regress_copy set work_mem = '5MB';
alter database regress_copy set search_path = pg_catalog, "Odd Name";
alter database regress_copy set work_mem to '6MB';
alter database regress_copy set datestyle from current;
alter database regress_copy set no_such_setting = 1;
alter database regress_copy set shared_buffers = '1GB';
alter database regress_copy set work_mem = 'x';
alter database regress_copy set work_mem = 1, 2;
alter database nonesuch set work_mem = 1;
select setconfig from pg_db_role_setting s join pg_database d on d.oid = setdatabase where datname = 'regress_copy';
\drds % regress%
\c regress_copy
show work_mem;
show search_path;
\c :home
alter database regress_copy reset search_path;
alter database regress_copy reset no_such_setting;
alter database regress_copy set work_mem to default;
select setconfig from pg_db_role_setting s join pg_database d on d.oid = setdatabase where datname = 'regress_copy';
alter database regress_copy reset all;
select count(*) from pg_db_role_setting s join pg_database d on d.oid = setdatabase where datname = 'regress_copy';
alter database regress_copy set work_mem = '7MB';

-- changes
alter database regress_copy foo 3;
alter database regress_copy connection limit -3;
alter database regress_copy tablespace pg_default connection limit 3;
alter database regress_copy set tablespace pg_default;
alter database regress_copy set tablespace nonesuch;
alter database nonesuch connection limit 4;
alter database regress_copy connection limit 4 is_template true;
select datistemplate, datallowconn, datconnlimit from pg_database where datname = 'regress_copy';
drop database regress_copy;
alter database regress_copy is_template = false allow_connections = false;
\set VERBOSITY terse
alter database nonesuch rename to x;
alter database regress_copy rename to regress_db;
alter database nonesuch owner to nonesuch;
alter database regress_copy owner to nonesuch;
alter database regress_copy owner to current_user;
alter database regress_copy rename to regress_renamed;
select datname from pg_database where datname like 'regress%' order by 1;
begin; alter database regress_renamed set work_mem = '8MB'; alter database regress_renamed connection limit 9; rollback;
select datconnlimit from pg_database where datname = 'regress_renamed';
alter database regress_renamed refresh collation version;

comment on database nonesuch is 'x';
comment on database regress_renamed is 'a comment';
select description from pg_shdescription s join pg_database d on d.oid = s.objoid where datname like 'regress%';
begin; drop database regress_renamed; rollback;
drop database nonesuch;
drop database if exists nonesuch;
drop database regress_renamed with (force);
drop database regress_db with (force, force);
select count(*) from pg_shdescription where description = 'a comment';
select datname from pg_database where datname like 'regress%';
