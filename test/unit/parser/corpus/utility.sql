begin
begin work
begin transaction isolation level serializable, read only, not deferrable
begin isolation level read committed read write deferrable
begin isolation level repeatable read
begin isolation level read uncommitted
begin isolation
begin isolation level snapshot
begin read
begin read only,
begin transaction work
begin a
start transaction
start transaction read only
start
start transaction isolation level
commit
commit work
commit and chain
commit transaction and no chain
commit and
commit chain
end
end work and chain
end transaction
abort
abort and chain
rollback
rollback work
rollback and no chain
rollback to a
rollback to savepoint a
rollback to savepoint
rollback transaction to savepoint a
rollback to
rollback to a and chain
savepoint a
savepoint
savepoint select
savepoint "A b"
release a
release savepoint a
release savepoint
release
prepare transaction 'x'
commit prepared 'x'
rollback prepared 'x'
commit prepared x
prepare transaction x
set a = 1
set a to 1
set a to b, 'c', 3.5, -1, true, on, default
set a = default
set a to default
set a.b.c = 'x'
set a from current
set local a = 1
set session a = 1
set session = 1
set local = 2
set local session = 1
set time zone 'UTC'
set time zone local
set time zone default
set time zone -7.5
set time zone utc
set time zone interval '1' hour
set time zone interval '1' hour to minute
set time zone interval '1' day
set time zone interval(3) '1'
set time zone interval
set time zone
set time = 1
set names 'utf8'
set names
set names default
set names utf8
set names = 'x'
set schema 'x'
set schema x
set catalog 'x'
set role none
set role 'a'
set role a
set role
set role to a
set role default
set session authorization a
set session authorization default
set session authorization 'x'
set local session authorization a
set session session authorization a
set session authorization = a
set xml option document
set xml option content
set xml option x
set transaction isolation level serializable
set transaction read only
set transaction snapshot 'x'
set transaction
set transaction = 1
set local transaction read write
set session characteristics as transaction isolation level repeatable read
set session characteristics as transaction
set session characteristics = 1
set constraints all deferred
set constraints a, b.c immediate
set constraints all
set constraints = 1
set a
set a =
set a = b c
set a = select
set a = 1 + 1
set
set a b
set select = 1
set a = "B", c
reset a
reset all
reset a.b
reset time zone
reset transaction isolation level
reset session authorization
reset session
reset
reset role
show a
show all
show a.b.c
show time zone
show transaction isolation level
show session authorization
show
show a b
show time
show tables
prepare p as select 1
prepare p (int, text, numeric(10,2)) as insert into t values ($1, $2, $3)
prepare p as values (1)
prepare p () as select 1
prepare p (a b) as select 1
prepare p as truncate t
prepare p select 1
prepare transaction as select 1
prepare p as with a as (select 1) update t set b = 1
execute p
execute p (1, 'a', b + 1)
execute p ()
execute p 1
execute
deallocate p
deallocate prepare p
deallocate all
deallocate prepare all
deallocate prepare
deallocate
declare c cursor for select 1
declare c binary insensitive no scroll cursor with hold for select 1
declare c scroll asensitive cursor without hold for table t
declare c cursor select 1
declare c cursor for insert into t values (1)
declare c cursor with for select 1
declare c no cursor for select 1
declare c cursor for (select 1)
declare c cursor for values (1) order by 1
fetch c
fetch from c
fetch in c
fetch next c
fetch next from c
fetch prior from c
fetch first in c
fetch last c
fetch absolute 5 from c
fetch absolute -5 c
fetch relative 0 from c
fetch 5 c
fetch -5 from c
fetch all c
fetch all from c
fetch forward c
fetch forward 5 from c
fetch forward all in c
fetch backward from c
fetch backward 2 c
fetch backward all from c
fetch next
fetch first
fetch forward
fetch absolute
fetch absolute c
fetch
fetch 5
fetch 1.5 from c
fetch c d
move c
move forward 10 from c
move next from c
move 0 c
close c
close all
close
close c, d
explain select 1
explain analyze select 1
explain analyse verbose select 1
explain verbose insert into t values (1)
explain (analyze, buffers off, format json, costs true, timing 0) select 1
explain (select 1)
explain ((select 1) union select 2)
explain (values (1))
explain () select 1
explain (analyze)
explain (analyze) (select 1)
explain analyze
explain
explain explain select 1
explain update t set a = 1
explain delete from t
explain merge into t using s on a when matched then delete
explain execute p (1)
explain declare c cursor for select 1
explain create table t as select 1
explain create temp table if not exists t (a, b) with (x = 1) as select 1 with no data
explain create materialized view v as select 1
explain create unlogged materialized view v as select 1
explain refresh materialized view v
explain create table t (a int)
explain create view v as select 1
explain truncate t
explain table t
explain with a as (select 1) select 2
explain (format text, analyze) update t set a = 1
explain verbose analyze select 1
listen a
listen 'a'
listen
unlisten a
unlisten *
unlisten
notify a
notify a, 'payload'
notify a, b
notify a,
notify
discard all
discard plans
discard sequences
discard temp
discard temporary
discard
discard x
do 'x'
do $$ begin end $$
do language plpgsql 'x'
do 'x' language 'sql'
do
do language x
do x
call f()
call s.f(1, a => 2, variadic b)
call f
call f(*)
call f(distinct a)
call
call f() over ()
load 'x'
load x
load
refresh materialized view v
refresh materialized view concurrently s.v with no data
refresh materialized view v with data
refresh view v
refresh materialized view v with no
reassign owned by a, b to c
reassign owned by a to current_user
reassign owned by a
drop owned by a, current_user cascade
drop owned by a restrict
drop owned
comment on table t is 'x'
comment on column a.b.c is null
comment on database d is 'x'
comment on function f(int, out text) is 'x'
comment on function f is 'x'
comment on aggregate a(*) is 'x'
comment on aggregate a(int order by text) is 'x'
comment on operator + (int, none) is 'x'
comment on operator - (none, int) is 'x'
comment on operator s.@@ (a, b) is 'x'
comment on operator + (int) is 'x'
comment on operator class c using btree is 'x'
comment on operator family c using btree is 'x'
comment on constraint c on t is 'x'
comment on constraint c on domain d is 'x'
comment on constraint c on domain is 'x'
comment on trigger a on b is 'x'
comment on rule a on b is null
comment on policy a on b is 'x'
comment on type t is 'x'
comment on type int[] is 'x'
comment on domain s.d is 'x'
comment on cast (a as b) is 'x'
comment on transform for a language b is 'x'
comment on large object 123 is 'x'
comment on large object -5 is 'x'
comment on event trigger a is 'x'
comment on access method a is 'x'
comment on foreign data wrapper a is 'x'
comment on foreign table a.b is 'x'
comment on server a is 'x'
comment on schema a is 'x'
comment on role a is 'x'
comment on tablespace a is 'x'
comment on extension a is 'x'
comment on language a is 'x'
comment on procedural language a is 'x'
comment on publication a is 'x'
comment on subscription a is 'x'
comment on index a.b is 'x'
comment on sequence a is 'x'
comment on view a is 'x'
comment on materialized view a is 'x'
comment on collation "C" is 'x'
comment on conversion a is 'x'
comment on statistics a.b is 'x'
comment on text search parser a is 'x'
comment on text search dictionary a is 'x'
comment on text search template a is 'x'
comment on text search configuration a is 'x'
comment on text search x a is 'x'
comment on procedure p() is 'x'
comment on routine p is 'x'
comment on table t is x
comment on table t
comment on t is 'x'
comment on table is 'x'
comment on user a is 'x'
comment table t is 'x'
security label on table t is 'x'
security label for p on column a.b is null
security label for 'p' on function f(int) is 'x'
security label on trigger a on b is 'x'
security label on large object 1 is 'x'
security label on operator + (int, int) is 'x'
security label on type t is 'x'
security label for on table t is 'x'
security label table t is 'x'
grant select on t to a
grant select, insert (a, b), update on table s.t, u to a, public, group b with grant option granted by c
grant all on t to a
grant all privileges (a, b) on t to current_user
grant all (a) on t to session_user
grant usage on schema s, t to a
grant usage on sequence q to a
grant execute on function f(int), g, s.h(text) to a
grant execute on procedure p to a
grant execute on routine p() to a
grant create, connect, temp on database d to a
grant usage on language l to a
grant usage on domain d to a
grant usage on type t to a
grant usage on foreign data wrapper w to a
grant usage on foreign server w to a
grant select on large object 1, 2 to a
grant set, alter system on parameter a.b, c to a
grant create on tablespace x to a
grant select on all tables in schema s, t to a
grant usage on all sequences in schema s to a
grant execute on all functions in schema s to a
grant execute on all procedures in schema s to a
grant execute on all routines in schema s to a
grant all on all views in schema s to a
grant a to b
grant a, b to c, d with admin option granted by e
grant a to b with grant option
grant select to b
grant a
grant select on t
grant on t to a
grant select on t from a
grant all to a
grant select on sequence to a
grant select on schema, type to a
grant select t to a
grant select on table to a
grant select () on t to a
grant drop on t to a
revoke select on t from a
revoke grant option for select on t from a cascade
revoke admin option for a from b
revoke admin option for a, b from c granted by d restrict
revoke a from b cascade
revoke all on t from public granted by x
revoke select on t to a
revoke grant option for a from b
revoke
revoke admin from b
grant none to a
grant a to none
grant a to public
alter default privileges grant select on tables to a
alter default privileges in schema s, t for role a, b revoke all on functions from c cascade
alter default privileges for user a grant usage on types to b with grant option
alter default privileges revoke grant option for select on tables from a
alter default privileges grant usage on schemas to a
alter default privileges grant select on views to a
alter default privileges grant a to b
alter default privileges
select 1; begin; commit; select 2
not a statement
foo
1
'x'
"select"
$1
create
alter
drop
