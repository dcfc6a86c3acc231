create function f() returns int as 'x' language sql
create or replace function s.f(a int, in b text, out c int, inout d s.t, in out e int[], variadic f text[] default '{}', g int = 5, int default 1, double precision, h double precision, setof int) returns setof s.t as 'obj', 'sym' language c window immutable strict security definer leakproof cost 5 rows 10 support s.f parallel safe set a = b set c from current transform for type x, for type y
create function f() returns void language sql called on null input stable external security invoker not leakproof returns null on null input volatile reset x as $$ $$
create function f(a int) returns table (b int, c text) language sql as ''
create function f(out a int) returns table (b int) language sql as ''
create function f(a s.t.c%type, b t.c%type) returns t.c%type language sql as ''
create function f(a c%type) returns int as ''
create function f(a setof t.c%type) returns setof t.c%type language sql as ''
create function f() returns int return 1 + 2
create function f() returns int language sql begin atomic select 1; insert into t values (1); return 5; ; end
create function f() returns int begin atomic end
create function f() returns int begin atomic select 1 end
create function f() returns int begin select 1; end
create function f() returns int begin atomic begin; end
create function f() returns null on null input
create function f() returns
create function f() returns table
create function f() returns table ()
create function f returns int
create function f(a) returns int
create function f(a b c) returns int
create function f(a int b int) returns int
create function f(a int,) returns int
create function f(in a int default 1 = 2) returns int as ''
create function f(a int in) returns int as ''
create function f(a in int, b out int, c inout int, d variadic int[]) as ''
create function f(int a) returns int as ''
create function f() as 1
create function f() returns int as 'a', 'b', 'c'
create function f() returns int language
create function f() returns int cost
create function f() returns int foo
create function f() returns int not strict
create function f() returns int security
create function f() returns int set a
create function f() returns int parallel
create function a.b.c.d() returns int as ''
create function int() returns int as ''
create function left() returns int as ''
create function f() returns int transform for x
create function f(a int default) returns int
create procedure p(a int) language sql as ''
create procedure p() returns int as ''
create or replace procedure p(in a int, out b int) begin atomic insert into t values (a); end
create aggregate a (int) (sfunc = f, stype = int, initcond = '0')
create aggregate s.a (*) (sfunc = f, stype = int)
create or replace aggregate a (int, b text, variadic c int[]) (sfunc = f, stype = int, sortop = >, finalfunc_extra, parallel = safe)
create aggregate a (order by int) (sfunc = f, stype = int)
create aggregate a (int order by text) (sfunc = f, stype = int, hypothetical)
create aggregate a (variadic int[] order by variadic int[]) (sfunc = f)
create aggregate a (variadic int[] order by int) (sfunc = f)
create aggregate a (out int) (sfunc = f)
create aggregate a (basetype = int, sfunc = f, stype = int)
create aggregate a (basetype = int, parallel = safe)
create aggregate a ()
create aggregate a () (sfunc = f)
create aggregate a (int)
create operator + (leftarg = int, rightarg = int, procedure = f, commutator = +, negator = operator(s.-), restrict = eqsel, hashes, merges)
create operator s.@#@ (function = f, rightarg = t)
create operator a (function = f)
create operator === ()
create operator ===
create operator class c for type int using btree as operator 1 <, operator 2 <= (int, int), operator 3 = for search, operator 4 > for order by s.f, function 1 f(int, int), function 2 (int, int) g(int), storage text
create operator class s.c default for type int using gist family s.f as storage int
create operator class c for type int using btree as
create operator class c for type int as operator 1 <
create operator class c for type int using btree as operator <
create operator class c for type int using btree as operator 1 < recheck
create operator family f using btree
create operator family f
create type t
create type s.t (input = f, output = g, internallength = variable, like = int, default = 'x', alignment = double, preferred = true, collatable)
create type t as (a int, b text collate "C")
create type t as ()
create type t as enum ('a', 'b')
create type t as enum ()
create type t as enum (a)
create type t as range (subtype = int, subtype_diff = s.f)
create type t as
create type t as table
create type t as (a)
create type t ()
create type t (input)
create domain d as int
create domain s.d int not null default 5 check (value > 0) constraint c check (value < 10) collate "C"
create domain d as
create domain d
create domain d as int collate "C" collate "D"
create domain d as int foo
create cast (a as b) with function f(int) as assignment
create cast (a as b) without function as implicit
create cast (int as s.t) with inout
create cast (a as b) with function f
create cast (a b) with inout
create cast (a as b)
create cast (a as b) with inout as explicit
create transform for int language l (from sql with function f(internal), to sql with function g(internal))
create or replace transform for int language l (to sql with function g(internal), from sql with function f)
create transform for int language l (from sql with function f)
create transform for int language l (from sql with function f, from sql with function g)
create transform for int language l ()
create trigger g before insert or update of a, b or delete on t for each row when (new.a > 0) execute function f('a', 1, 2.5, b, select)
create or replace trigger g after truncate on s.t for each statement execute procedure s.f()
create trigger g instead of update on v for row execute function f()
create trigger g after update on t referencing new table as a old table b for each statement execute function f()
create trigger g after update on t referencing new row as a execute function f()
create constraint trigger g after insert on t from s.u deferrable initially deferred for each row execute function f()
create constraint trigger g after insert on t not deferrable for each row when (a) execute function f()
create constraint trigger g before insert on t for each row execute function f()
create or replace constraint trigger g after insert on t for each row execute function f()
create constraint trigger g after insert on t not valid for each row execute function f()
create constraint trigger g after insert on t execute function f()
create trigger g before insert or insert on t execute function f()
create trigger g before update of a or update of b on t execute function f()
create trigger g before on t execute function f()
create trigger g insert on t execute function f()
create trigger g before insert on t when a execute function f()
create trigger g before insert on t execute f()
create trigger g before insert on t execute function f
create trigger g before insert on t execute function f(1 + 1)
create trigger g before insert on t execute function f(-1)
create event trigger e on ddl_command_end execute function f()
create event trigger e on ddl_command_start when tag in ('a', 'b') and x in ('c') execute procedure f()
create event trigger e on x execute function f(1)
create event trigger e when tag in ('a') execute function f()
create event trigger e on x when tag in () execute function f()
create rule r as on insert to t do instead nothing
create or replace rule r as on select to s.t where a > 0 do also select 1
create rule r as on update to t do (update u set a = 1; delete from u; notify x; )
create rule r as on delete to t do instead (select 1)
create rule r as on delete to t do instead ()
create rule r as on delete to t do
create rule r as on truncate to t do nothing
create rule r as on insert to t do merge into t using s on a when matched then delete
create rule r as on insert to t do (truncate t)
create rule r as on insert to t do insert into u values (new.*) returning *
create policy p on t
create policy p on s.t as permissive for select to a, public, current_user using (b > 0) with check (c)
create policy p on t as restrictive
create policy p on t as foo
create policy p on t for truncate
create policy p on t using a
create policy p on t with check (a) using (b)
create policy p on t to
alter policy p on t to a using (b) with check (c)
alter policy p on t
alter policy p on t rename to q
alter policy if exists p on t rename to q
alter policy if exists p on t to a
create extension e
create extension if not exists e with schema s version '1' cascade
create extension e version v1 schema s
create extension e from '1.0'
create extension e from unpackaged
create extension
create extension e foo
alter extension e update
alter extension e update to '2'
alter extension e set schema s
alter extension e add table t
alter extension e drop function f(int)
alter extension e add cast (a as b)
alter extension e add operator + (int, int)
alter extension e add operator class c using btree
alter extension e drop operator family c using btree
alter extension e add aggregate a(*)
alter extension e add type t
alter extension e add domain d
alter extension e add transform for int language l
alter extension e add schema s
alter extension e add procedural language l
alter extension e add materialized view v
alter extension e add column a
alter extension e foo
create publication p
create publication p for all tables
create publication p for table a, only b, s.c * with (publish = 'insert')
create publication p for table a (b, c) where (d > 0), e, tables in schema s, t, current_schema
create publication p for tables in schema current_schema
create publication p for tables in schema s, table t
create publication p for a
create publication p for table a, current_schema
create publication p for tables in schema s, a.b
create publication p for tables in schema s, t (a)
create publication p for tables in schema s, t where (a)
create publication p for table
create publication p for tables
create publication p for all sequences
create publication p for tables s
alter publication p add table t
alter publication p set table t, tables in schema s
alter publication p drop tables in schema s
alter publication p set (publish = 'insert, update')
alter publication p rename to q
alter publication p owner to a
alter publication p add a
alter publication p
create subscription s connection 'x' publication p, q with (enabled = false, slot_name = none)
create subscription s connection x publication p
create subscription s publication p
create subscription s connection 'x'
alter subscription s connection 'x'
alter subscription s set publication p with (refresh = false)
alter subscription s add publication p
alter subscription s drop publication p, q
alter subscription s refresh publication
alter subscription s refresh publication with (copy_data = false)
alter subscription s enable
alter subscription s disable
alter subscription s set (slot_name = 'x')
alter subscription s skip (lsn = '0/0')
alter subscription s owner to a
alter subscription s rename to t
alter subscription s
alter subscription s refresh
drop subscription s
drop subscription if exists s cascade
drop subscription s, t
create collation c (locale = 'x', provider = icu, deterministic = false)
create collation if not exists s.c from pg_catalog."C"
create collation c
create collation c from
create conversion c for 'a' to 'b' from f
create default conversion s.c for 'a' to 'b' from s.f
create conversion c for a to b from f
create default c for 'a' to 'b' from f
create language l
create or replace trusted procedural language l handler s.h inline i validator v
create language l handler h no validator
create trusted l
create language 'l'
create language l inline i
create access method a type index handler h
create access method a type table handler s.h
create access method a type view handler h
create access method a
create text search parser p (start = f, gettoken = g)
create text search dictionary d (template = simple, stopwords = english)
create text search template t (lexize = f)
create text search configuration c (parser = default)
create text search configuration c (copy = pg_catalog.english)
create text search configuration c
create text search foo c (a = b)
create database d
create database d with owner = a template t encoding 'utf8' connection limit = 5 is_template true allow_connections = default lc_collate 'C' strategy = file_copy oid = 16384 locale_provider icu
create database d owner
create database d foo = bar
create database d = x
create database
create database d encoding = 5 tablespace x
alter database d with connection limit 5
alter database d set tablespace x
alter database d set a = 1
alter database d reset all
alter database d rename to e
alter database d owner to a
alter database d refresh collation version
alter database d
alter database d is_template true allow_connections false
alter database d set tablespace to x
drop database d
drop database if exists d with (force)
drop database d (force, force)
drop database d with force
drop database d cascade
create tablespace t location '/x'
create tablespace t owner a location '/x' with (seq_page_cost = 1)
create tablespace t
alter tablespace t set (a = 1)
alter tablespace t reset (a)
alter tablespace t rename to u
alter tablespace t owner to a
alter tablespace t add x
drop tablespace t
drop tablespace if exists t
drop tablespace t cascade
create role a
create role a with superuser createdb createrole inherit login replication bypassrls connection limit -1 password 'x' valid until 'y' in role b, c in group d role e admin f user g sysid 5
create role a nosuperuser nocreatedb nocreaterole noinherit nologin noreplication nobypassrls password null encrypted password 'x'
create role a unencrypted password 'x'
create role a foo
create role a select
create role none
create role public
create role current_user
create role session_user
create role current_role
create role "none"
create user a password 'x'
create group a user b, c
create role a connection limit
create role a password
create user mapping for a server s options (x 'y')
create user mapping if not exists for current_user server s
create user mapping for user server s
create user mapping for public server s
create user mapping server s
create user mapping
create user mapping_a
alter role a superuser
alter role a with password 'x' login
alter role a
alter role current_user createdb
alter role a rename to b
alter role a rename to public
alter role a set b = c
alter role a in database d set b to default
alter role all set a = b
alter role all in database d reset all
alter role a reset b
alter role a admin b
alter role a set transaction read only
alter user a createdb
alter user current_user set time zone 'utc'
alter user all reset a
alter user mapping for a server s options (set x 'y')
alter user mapping for a server s
alter group a add user b, c
alter group a drop user b
alter group a rename to b
alter group a foo
drop role a, b
drop user if exists a
drop group a
drop role a cascade
drop role public
drop user mapping for a server s
drop user mapping if exists for user server s
create server s foreign data wrapper w
create server if not exists s type 't' version 'v' foreign data wrapper w options (a 'b', c 'd')
create server s version null foreign data wrapper w
create server s
create server s foreign data wrapper w options ()
create server s foreign data wrapper w options (a b)
alter server s version 'x'
alter server s version null options (set a 'b')
alter server s options (drop a)
alter server s rename to t
alter server s owner to a
alter server s
create foreign data wrapper w
create foreign data wrapper w handler h validator s.v options (a 'b')
create foreign data wrapper w no handler no validator
create foreign data w
alter foreign data wrapper w handler h
alter foreign data wrapper w options (a 'b')
alter foreign data wrapper w no validator options (drop a)
alter foreign data wrapper w rename to x
alter foreign data wrapper w owner to a
alter foreign data wrapper w
drop foreign data wrapper w cascade
drop server if exists s
import foreign schema a from server s into b
import foreign schema a limit to (b, c.d) from server s into e options (x 'y')
import foreign schema a except (b) from server s into e
import foreign schema a from s into b
import foreign a from server s into b
alter function f(int) immutable
alter function f strict cost 5 restrict
alter function f(int) rename to g
alter function f(int) owner to a
alter function f(int) set schema s
alter function f(int) set a = 1
alter function f(int) set schema = x
alter function f(int) set schema to x
alter function f(int) reset all
alter function f(int) depends on extension e
alter function f(int) no depends on extension e
alter function f(int)
alter function f(int) as 'x'
alter function f(int) language sql
alter procedure p() security definer
alter routine r(int, text) owner to a
alter function f(int not leakproof
alter function f not leakproof
alter function f(a int, out b text) stable
alter aggregate a(*) rename to b
alter aggregate a(int order by text) owner to c
alter aggregate a(int) set schema s
alter aggregate a owner to b
alter operator + (int, int) owner to a
alter operator s.+ (none, int) set schema s
alter operator + (int, int) set (restrict = none, join = s.f)
alter operator + (int, int) rename to -
alter operator + (int) owner to a
alter operator + (none, none) owner to a
alter operator class c using btree rename to d
alter operator class c using btree owner to a
alter operator class c using btree set schema s
alter operator family f using btree add operator 1 < (int, int), function 1 (int, int) f(int, int)
alter operator family f using btree drop operator 1 (int, int), function 1 (int)
alter operator family f using btree rename to g
alter operator family f using btree add storage int
alter operator family f using btree drop operator 1
alter type t add value 'a'
alter type s.t add value if not exists 'a' before 'b'
alter type t add value 'a' after 'b'
alter type t add value a
alter type t rename value 'a' to 'b'
alter type t rename to u
alter type t rename attribute a to b cascade
alter type t owner to a
alter type t set schema s
alter type t set (send = f, receive = none)
alter type t add attribute a int collate "C" cascade, drop attribute if exists b, alter attribute c type text, alter attribute d set data type int cascade
alter type t add a int
alter type t drop value 'a'
alter type t
alter domain d set default 5
alter domain d drop default
alter domain s.d set not null
alter domain d drop not null
alter domain d add constraint c check (value > 0) not valid
alter domain d add check (value > 0)
alter domain d drop constraint if exists c cascade
alter domain d validate constraint c
alter domain d rename constraint a to b
alter domain d rename to e
alter domain d owner to a
alter domain d set schema s
alter domain d foo
alter domain d add
alter collation c refresh version
alter collation "x" rename to y
alter collation c owner to a
alter collation c set schema s
alter conversion c rename to d
alter conversion c owner to a
alter conversion c set schema s
alter statistics s set statistics 100
alter statistics if exists a.s set statistics -1
alter statistics s rename to t
alter statistics s owner to a
alter statistics s set schema x
alter text search parser p rename to q
alter text search dictionary d (a = b, c)
alter text search dictionary d owner to a
alter text search template t set schema s
alter text search configuration c add mapping for a, b with d, e
alter text search configuration c alter mapping for a with d
alter text search configuration c alter mapping replace a with b
alter text search configuration c alter mapping for a replace b with s.c
alter text search configuration c drop mapping if exists for a, b
alter text search configuration c drop mapping for a
alter text search configuration c rename to d
alter text search configuration c add mapping a with d
alter text search parser p owner to a
alter event trigger e disable
alter event trigger e enable
alter event trigger e enable replica
alter event trigger e enable always
alter event trigger e owner to a
alter event trigger e rename to f
alter event trigger e
alter trigger g on t rename to h
alter trigger g on t depends on extension e
alter trigger g on t no depends on extension e
alter trigger g on t disable
alter rule r on t rename to s
alter rule r on t
alter schema s rename to t
alter schema s owner to a
alter schema s foo
alter language l rename to m
alter procedural language l owner to a
alter large object 5 owner to a
alter large object 5 rename to b
alter system set a = 1
alter system set a.b to 'x', y
alter system reset a
alter system reset all
alter system set time zone 'x'
alter system a
create assertion a check (b)
create assertion a
drop function f
drop function if exists f(int, out text), s.g cascade
drop procedure p(int)
drop routine r
drop aggregate a(*), b(int, text)
drop aggregate a
drop operator + (int, int), s.- (none, int)
drop operator + (int)
drop operator + (int, none)
drop operator class c using btree
drop operator family if exists s.f using gist cascade
drop operator class c
drop cast (a as b)
drop cast if exists (int as text) cascade
drop cast a as b
drop transform for int language l
drop transform if exists for int language l cascade
drop type a, b.c
drop type if exists int[]
drop domain d cascade
drop trigger g on t
drop trigger if exists g on s.t cascade
drop rule r on t
drop policy p on t
drop trigger g
drop event trigger e
drop access method if exists a, b
drop extension a, b cascade
drop language l
drop procedural language if exists l
drop publication p, q
drop schema a, b cascade
drop schema a.b
drop server s
drop assertion a
drop default
drop function f(int, default 5)
drop function f(a int default 5)
drop text search dictionary d
