-- What psql's \d commands show of a schema of many kinds of objects.
create role psql_reader nologin;
create role psql_member login connection limit 3 valid until '2030-01-01';
grant psql_reader to psql_member;
comment on role psql_reader is 'a role';
create schema psql_s;
comment on schema psql_s is 'the schema';
grant usage on schema psql_s to psql_reader;
set search_path = psql_s;
create table t (a int primary key, b text collate "C" not null default 'x', c numeric(10,2), d timestamptz default now(), e int generated always as identity,
  f int generated always as (a * 2) stored, g serial, h varchar(5)[], check (c > 0), unique (b, c));
comment on table t is 'table t';
comment on column t.a is 'column a';
create index t_d on t (d desc nulls last) include (c);
create index t_expr on t ((a + 1)) where b <> 'z';
comment on index t_d is 'index d';
create table r (x int references t on delete cascade, y int, z text);
alter table r alter z set storage external, alter y set statistics 200, alter z set (n_distinct = 5);
create unlogged table u (a int) with (fillfactor = 50);
create view v as select a, b from t where a > 1;
create view v2 with (security_barrier) as select 1 as one;
comment on view v is 'view v';
create sequence sq as smallint increment 3 minvalue -5 maxvalue 100 start 7 cache 2 cycle;
create sequence owned_by owned by t.a;
create domain dm as int not null default 5 check (value > 0);
comment on domain dm is 'dom';
create table p (a int, b text) partition by range (a);
create table p1 partition of p for values from (0) to (10);
create table p2 partition of p for values from (10) to (maxvalue) partition by list (b);
create table p2a partition of p2 for values in ('a', null);
create table pd partition of p default;
create index p_i on p (a);
create table h (a int primary key) partition by hash (a);
create table h0 partition of h for values with (modulus 2, remainder 0);
create table h1 partition of h for values with (modulus 2, remainder 1);
create table "Weird name" ("Col 1" int);
grant select, insert on t to psql_reader;
grant update (b) on t to psql_reader with grant option;
grant select on v to public;
grant usage on sequence sq to psql_reader;
alter default privileges in schema psql_s grant select on tables to psql_reader;
alter role psql_reader set work_mem = '5MB';
\d
\d t
\d+ t
\d+ r
\d u
\d+ u
\d v
\d+ v
\d+ v2
\d sq
\d+ owned_by
\d t_d
\d+ t_d
\d t_expr
\d t_pkey
\d p
\d+ p
\d+ p2
\d+ p2a
\d pd
\d+ p_i
\d+ h
\d h0
\d psql_s.u
\d *.u
\d "Weird name"
\d Weird*
\d t|r
\d (u)
\dt [tr]
\dt ?
\dt $
\dt u$
\d nope
\d nope.nope
\d a.b.c.d
\d pg_am
\d pg_class_oid_index
\dt psql_s.*
\dt other.psql_s.t
\di
\di t*
\ds
\dv
\dv *2
\dtvis t*
\dE
\dm
\dp
\dp t
\z v
\dn psql*
\dn+ psql*
\dD
\dD+
\dT
\dT+
\dT dm
\dT _dm
\dP
\dP+
\dPi
\dPt
\dPn
\dPtn+
\dP h
\dg psql*
\dg+ psql*
\du psql*
\drds psql*
\ddp
\dd
\df
\da
\do
\dc
\dO
\dy
\dX
\dRp
\dRs
\dRp+
\dRs+
\des
\det
\deu
\dew
\dconfig work_mem
\dconfig+ *stack_depth
\dconfig max_stack_depth
select name, source from pg_settings where name in ('max_stack_depth', 'data_directory_mode', 'shared_memory_size', 'shared_memory_size_in_huge_pages');
\dA
\dAc btree int*
\dAf btree bool*
\dAo btree integer_ops
\dAp hash integer_ops
\dAp+ hash bool_ops
\dC oid
\dfS abs
\dfS abs int*
\dfn row_number
\dfw lag
\dfw ntile
\dfa count
\dfaS sum nume*
\dfS pg_size_pretty
\dTS _int4
\sv v
\sv+ v
\sf nope
\sv nope
\lo_list
\dfxx
set search_path = public;
\d t
\d psql_s.t_pkey
drop schema psql_s cascade;
drop owned by psql_reader;
drop role psql_member, psql_reader;
