select 1
select 1;
;;select 2;;
select
select ;
select 1,
select ,1
select 1 2
select 1 a
select 1 as a
select 1 as select
select 1 select
select 1 as "Mixed Case", 2 "x"
select a, b.c, d.e.f, g.h.i.j from t
select a.b.c.d.e.f
select *
select t.*, s.t.*, *
select t.*.a
select a.*.*
select (a).b, (a).*, (a).b.c[1], (f(x)).y
select (a).*.b
select a[1], a[1:2], a[:2], a[1:], a[:], a[1][2:3], a.b[1].c
select a[]
select a[1
select a[1:2:3]
select $1, $2.a, $1[3], $3::int
select $1a
select 1.5, .5, 1., 1e10, 1.5e-3, 1E+2, 12345678901234567890
select 1.5.2
select 1e
select 1e+
select 0x1F
select 0b11
select 1_000
select 'abc', E'a\tb\\c', B'101', X'1FF', N'nation', U&'d\0061t\+000061', U&'d!0061' uescape '!'
select 'it''s', '', E'\'', E'\101\x41\u0041\U00000041'
select 'a'⏎'b'⏎ 'c'
select 'a' -- note⏎'b'
select 'a' 'b'
select 'abc
select "abc
select ""
select B'12
select x'12
select $$dollar$$, $tag$it's $$ fine$tag$
select $$abc
select $tag$abc$$
select $tag
select E'\u12'
select E'\ud83d\ude00'
select E'\ud83d'
select E'\ude00'
select E'\ud83dx'
select E'\u0000'
select E'\U99999999'
select U&'\12'
select U&'\d83d'
select U&'\d83d\de00'
select U&'\0000'
select U&'abc' uescape 'a'
select U&'abc' uescape '!!'
select U&'abc' uescape 5
select U&"d\0061ta", U&"d!0061ta" uescape '!'
select /* a /* nested */ comment */ 1 -- end
select /* never ends
select 1 -- ⏎, 2
select - 1, + 1, - - 1, -1.5, +a, -a, - (1), -'x'
select 1 + 2 * 3 - 4 / 5 % 6 ^ 7
select a = b, a <> b, a != b, a < b, a > b, a <= b, a >= b
select a = b = c
select a < b < c
select (a < b) = c
select a <= b >= c
select a = b is null
select a is null = b
select a is null is null
select a isnull, b notnull
select a is not null and b is null or not c
select not a, not not a, not a = b
select a and b and c or d and not e
select a or
select and a
select a is true, a is not true, a is false, a is not false, a is unknown, a is not unknown
select a is distinct from b, a is not distinct from b
select a is distinct from b is null
select a is distinct b
select a is document, a is not document
select a is normalized, a is nfc normalized, a is not nfkd normalized
select a is nfc
select a is
select a is 1
select a is not
select a between 1 and 2, a not between 1 and 2, a between symmetric 1 and 2, a not between asymmetric 2 and 1
select a between 1 and 2 and b
select a between 1 and 2 between 3 and 4
select a between 1 or 2
select a between b is null and c
select a between 1 + 2 and 3 + 4
select a in (1, 2), a not in (1), a in (select 1), a not in (select b from c)
select a in ()
select a in 1
select a in (1,)
select a in ((select 1)), a in ((select 1), 2)
select a in ((1, 2), (3, 4))
select a in (values (1), (2))
select a in (table t)
select a in (1) in (2)
select a like 'x', a not like 'x', a ilike 'x', a not ilike 'x', a similar to 'x', a not similar to 'x'
select a like 'x' escape '!', a ilike 'x' escape '!', a similar to 'x' escape '!'
select a like 'x' like 'y'
select a like b || c
select a like
select a similar 'x'
select a not
select a not b
select not in
select a = any (array[1,2]), a = some (b), a <> all (c), a = any (select 1), a > all (values (1))
select a = any
select a = any ()
select a = any (1, 2)
select a = any ((select 1)), a = any (((select 1)))
select a like any (b), a not like all (b), a ilike some (b), a not ilike any (array['x'])
select a operator(pg_catalog.+) b, a operator(=) any (c), operator(pg_catalog.-) a
select a operator(b) c
select a operator + b
select a @> b, a <@ b, a && b, a || b, a -> b ->> c, a #> b, @ a, !! a, a ~ b, a !~* b, |/ 4, ||/ 8
select a <-> b <-> c
select a @ b + c, @ a + b, a + @ b
select a +- b, a *- b, a <=- b, a @- b, a --b
select a =- b, a <> - b, a==b, a => b
select a !
select a ! b
select a :: int, a::text::varchar(3), a::int[], a::int array, a::int array[3], a::int[3][], a::setof int
select a::
select a::int.b
select cast(a as int), cast(a as numeric(10,2)), cast(a as timestamp(3) with time zone)
select cast(a)
select cast(a int)
select cast a as int
select treat(a as int), treat(a as s.t)
select a collate "C", a collate pg_catalog."default", a || b collate "C"
select a collate
select a at time zone 'UTC', a at time zone b at time zone c, a at time zone 'x' + b
select a at time
select a at from t
select a at
select a is from t
select 1 is, 2
select 1 and, 2
select a in, b
select a isnull from t
select a like from t
select a similar from t
select a collate from t
select a operator from t
select a between from t
select int '5', integer '5', smallint '1', bigint '1', real '1.5', float '1', float(10) '1', double precision '1', decimal(5,2) '1.2', numeric '1', dec '3', boolean 't'
select float(0) '1'
select 1::float(54), 2::float(53)
select bit '101', bit(3) '101', bit varying '1', bit varying(5) '101', char 'x', char(3) 'x', character varying 'x', character varying(3) 'x', varchar 'x', varchar(5) 'x', national character 'x', national char varying (3) 'x', nchar 'x', nchar(3) 'x'
select date '2020-01-01', time '10:00', time(3) '10:00', time with time zone '10:00', timestamp '2020-01-01', timestamp(3) without time zone 'x', timestamp with time zone 'x'
select interval '1', interval '1' year, interval '1' month, interval '1' day, interval '1' hour, interval '1' minute, interval '1' second, interval '1' second(3), interval(3) '1'
select interval '1' year to month, interval '1' day to hour, interval '1' day to minute, interval '1' day to second, interval '1' hour to minute, interval '1' hour to second(2), interval '1' minute to second
select interval '1' year to day
select interval '1' month to year
select interval '1' second to minute
select interval(3) '1' day
select interval
select a::interval year to month, a::interval(3), a::interval day to second(4)
select point '(1,2)', my.type 'x', my.type(1,2) 'x', t(a => 1) 'x', t(1 order by 2) 'x'
select t() 'x'
select t(distinct 1) 'x'
select double precision
select double, double precision '1'
select int
select int from t
select int(5)
select int 5
select time, timestamp, interval, bit, char, character, varchar, numeric, real, boolean from t
select national
select national char 'x'
select national text
select row(), row(1), row(1,2), (1,2), (1,2,3), row(t.*, 1)
select ()
select (1,)
select (1,2).a
select row(1,2).a
select (row(1,2)).f1
select row
select array[1,2], array[[1,2],[3,4]], array[]::int[], array[[]], array(select 1)
select array[1,[2]]
select array[[1],2]
select array
select array(1)
select array[1,2][1], (array[1,2])[1]
select case when a then b end, case a when 1 then 2 when 3 then 4 else 5 end
select case end
select case when a end
select case a else 1 end
select case when a then b else
select coalesce(a, b), greatest(1, 2, 3), least(a), nullif(a, b)
select coalesce()
select coalesce, greatest, nullif from t
select nullif(a)
select nullif(a, b, c)
select exists (select 1), exists (values (1)), not exists (select), exists ((select 1))
select exists
select exists (1)
select exists from t
select (select 1), (select 1) + (select 2), ((select 1)), (((select 1)) + 1)
select ((select 1) union select 2), ((select 1) order by 1), ((select 1) limit 1), ((select 1), 2)
select (select 1).a, ((select a)).b, (select 1)::int
select (select 1, )
select (select 1
select (1
select 1)
select ((1)
select unique (select 1)
select default
select f(default), default + 1
select (1,2) overlaps (3,4), row(1,2) overlaps row(3,4)
select (1,2,3) overlaps (3,4)
select (1,2) overlaps (3)
select (1,2) overlaps (3,4,5)
select (1,2) overlaps row(1)
select (1) overlaps (2)
select (1,2) = (3,4), (1,2) < (3,4), (a,b) is null, (a, b) in (select 1, 2), row(1,2) = row(3,4)
select true, false, null, TRUE, Null
select true and false
select current_date, current_time, current_time(3), current_timestamp, current_timestamp(0), localtime, localtime(1), localtimestamp, localtimestamp(2), current_role, current_user, session_user, user, current_catalog, current_schema
select current_date(1)
select current_time()
select current_time(a)
select current_schema()
select current_user()
select current_schema 'x'
select "current_user"(), user()
