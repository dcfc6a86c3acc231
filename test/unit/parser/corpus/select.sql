select * from t
select * from
select from t
select from
select where true
select a from t where
select a from t where b group by c having d window w as (order by e) order by f limit 1 offset 2 for update
select all a from t
select distinct a from t
select distinct on (a, b) a, b, c from t order by a, b
select distinct
select distinct from t
select distinct on a from t
select distinct on () a from t
select all
select all from t
select a, from t
select a b c from t
select a as from t
select a as "from" from t
select a year from t
select a as year, b as day from t
select a name, b value, c type, d text, e key, f action, g path from t
select a offset from t
select 1 as table, 2 as order
select into t
select a into b from c
select a into temp b from c
select a into temporary table b from c
select a into local temp b from c
select a into global temporary table b from c
select a into unlogged b from c
select a into table s.b from c
select a into temp from c
select a into temp.x from c
select a into
select a from b into c
select a into b, c from d
table t
table s.t
table only t
table t order by 1 limit 2
table
table t where true
values (1), (2, 3), (default)
values
values ()
values (1) order by 1 desc limit 1 offset 1
values (1),
values 1
select * from t a, s b, u as c
select * from t as a (x, y), s b(z)
select * from t as (x, y)
select * from t as
select * from t select
select * from t a b
select * from only t, only (s), t *, only t as x
select * from only only t
select * from (t)
select * from a.b.c, a.b.c.d
select * from a.*
select * from a[1]
select * from t.
select * from "T" as "Alias"
select * from t left
select * from t user
select * from t set, u value
select * from a join b on c, d
select * from a join b using (c), a join b using (c, d) as x
select * from a join b
select * from a join b where c
select * from a inner join b on true left join c on true right outer join d on true full join e on true full outer join f using (g)
select * from a cross join b cross join c
select * from a cross join b on true
select * from a natural join b natural left join c natural inner join d
select * from a natural b
select * from a natural cross join b
select * from a left b on c
select * from a join b join c on d on e
select * from a join b cross join c on d
select * from a join b natural join c on d
select * from (a join b on c)
select * from (a join b on c) as j, (a cross join b) k (x, y)
select * from ((a join b on c))
select * from ((a join b on c) as j join d on e)
select * from ((a join b on c) as j)
select * from (a, b)
select * from (a join b on c
select * from a join b using c
select * from a join b using ()
select * from a join b using (c) as x (y)
select * from a join b on c as d
select * from (select 1) x, (select 2) as y (a, b), (values (1, 2)) v (c, d), (table t) z
select * from (select 1)
select * from (values (1))
select * from (select 1) join b on true
select * from ((select 1) union (select 2)) x
select * from ((select 1)) x
select * from ((select 1) x)
select * from ((select 1) x join t on true)
select * from ((select 1) x cross join ((select 2) y cross join z))
select * from ((values (1)))
select * from (select 1 union select 2 order by 1 limit 1) x
select * from (with a as (select 1) select * from a) x
select * from ((select 1) limit 1) x, ((select 1) order by 1) y, ((select 1) for update) z
select * from lateral (select 1) x, lateral f(a) y, lateral rows from (f(a)) z
select * from lateral t
select * from lateral (select 1)
select * from t, lateral (select t.a) x
select * from a left join lateral (select 1) b on true
select * from f(), f(1) x, f(1) as x (a, b), f(1) as (a int, b text), f(1) as x (a int, b text collate "C"), f(1) x (a int)
select * from f(1) with ordinality, f(1) with ordinality as x (a, n), s.f(1)
select * from f(1) as x (a, b int)
select * from f(1) as x (a int, b)
select * from f(1) as x ()
select * from f(1) as ()
select * from f(1) with x
select * from f(1) over (order by a)
select * from f(1) filter (where a)
select * from rows from (f(1), g(2) as (a int)) with ordinality as x
select * from rows from ()
select * from rows from f(1)
select * from rows, rows r
select * from current_date, current_schema, current_time(1), current_user x
select * from coalesce(1, 2) x, cast(1 as int), extract(year from a)
select * from json_each('x') as j (k, v)
select * from generate_series(1, 10) g
select * from t tablesample system (10), s as x tablesample bernoulli (5.5) repeatable (42), only t tablesample my.m (1, 2)
select * from t tablesample system
select * from t tablesample system (10) as x
select * from t tablesample system () 
select * from t tablesample system (1) repeatable
select * from f(1) tablesample system (10)
select * from xmltable('/r' passing d columns a int path 'x', b text, n for ordinality) x
select * from xmltable(xmlnamespaces('u' as n, default 'd'), '/r' passing by ref d columns a int path 'x' default 5 not null, b int null) as x (c)
select * from xmltable('/r' passing d columns a int foo 'x')
select * from xmltable('/r' passing d columns a int path 'x' path 'y')
select * from xmltable('/r' passing d columns a int default 1 default 2)
select * from xmltable('/r' passing d columns a int null not null)
select * from xmltable('/r' passing d)
select * from xmltable('/r' columns a int)
select * from lateral xmltable('/r' passing d columns a int) x
select * from xmltable
select a from t group by a, b + c, (d, e), ()
select a from t group by rollup (a, b), cube (a, (b, c)), grouping sets (a, (b), (), rollup (c), grouping sets (d))
select a from t group by all a, b
select a from t group by distinct rollup (a), rollup (b)
select a from t group by
select a from t group a
select a from t group by rollup
select a from t group by rollup ()
select a from t group by rollup (a) + 1
select a from t group by cube, rollup
select a from t group by grouping sets
select a from t group by grouping sets ()
select a from t group by grouping sets (())
select a from t having count(*) > 1
select a from t having
select a from t window w as (), w2 as (w order by b), w3 as (partition by a)
select a from t window w
select a from t window w as x
select a from t window as (order by a)
select a from t order by a, b desc, c asc nulls first, d nulls last, e using <, f using operator(pg_catalog.>) nulls first
select a from t order by
select a from t order a
select a from t order by a asc desc
select a from t order by a nulls
select a from t order by a nulls middle
select a from t order by nulls
select a from t order by a using
select a from t limit 1
select a from t limit all offset 3
select a from t limit 1 + 2 offset f(x)
select a from t limit
select a from t limit 1, 2
select a from t limit 1 limit 2
select a from t offset 1 limit 2
select a from t offset 1 offset 2
select a from t offset 1 rows fetch first 2 rows only
select a from t offset 1 row fetch next row only
select a from t offset a + 1 rows
select a from t offset (a + 1) rows
select a from t offset -1 rows
select a from t offset -1
select a from t fetch first rows only
select a from t order by a fetch first 3 rows with ties
select a from t fetch first 3 rows with ties
select a from t order by a fetch first 3 rows with ties for update skip locked
select a from t fetch first
select a from t fetch 3 rows only
select a from t fetch first 3 only
select a from t fetch first 3 + 1 rows only
select a from t fetch first (3 + 1) rows only
select a from t fetch first +3 rows only
select a from t fetch first $1 rows only
select a from t fetch first 3 rows
select a from t fetch first row only limit 1
select a from t for update, for share
select a from t for update for share nowait for no key update of a, b skip locked for key share
select a from t for update of s.t
select a from t for
select a from t for read only
select a from t for read only for update
select a from t for update limit 1
select a from t limit 1 for update
select a from t for update limit 1 for share
select a from t for update skip
select a from t for no update
select a from t for key update
select 1 union select 2
select 1 union all select 2 intersect select 3 except distinct select 4
select 1 union
select 1 union all
select 1 union 2
select 1 union select 2 union select 3 order by 1
(select 1) union (select 2)
(select 1 order by 1 limit 1) union all (select 2)
select 1 order by 1 union select 2
select 1 limit 1 union select 2
select 1 union values (2) union table t
(select 1)
((select 1))
((select 1) union select 2) order by 1
(select 1 order by 1) order by 2
(select 1 limit 1) limit 2
(select 1 offset 1) offset 2
(select 1 limit 1) offset 2
(select 1 for update) for share
(select 1 order by 1 fetch first row with ties) fetch first row with ties
with a as (select 1) (with b as (select 2) select 3)
(with a as (select 1) select 2) union select 3
(select 1
(select 1))
()
(values (1))
(table t)
(1)
with a as (select 1) select * from a
with a as (select 1), b (x, y) as (values (1, 2)) table a
with recursive r as (select 1 union all select n + 1 from r) select * from r
with recursive as (select 1) select 2
with recursive (a) as (select 1) select 2
with recursive recursive as (select 1) select 2
with a as materialized (select 1), b as not materialized (select 2) select 3
with a as not (select 1) select 2
with a as (insert into t values (1) returning *), b as (update t set a = 1), c as (delete from t), d as (merge into t using s on a = b when matched then delete) select 1
with a as select 1 select 2
with a (select 1) select 2
with a as (truncate t) select 1
with a as () select 1
with a as (select 1)
with a as (select 1), select 2
with
with time as (select 1) select 2
with ordinality as (select 1) select * from ordinality
with recursive a as (select 1) search depth first by x, y set z select 2
with recursive a as (select 1) search breadth first by x set z cycle x set y using p select 2
with recursive a as (select 1) cycle x, y set c to 'a' default 'b' using p select 2
with recursive a as (select 1) cycle x set c to true default false using p select 2
with recursive a as (select 1) cycle x set c to int '1' default null using p select 2
with recursive a as (select 1) cycle x set c to 1 + 1 default 2 using p select 2
with recursive a as (select 1) search first by x set z select 2
with recursive a as (select 1) cycle x using p select 2
with a as (select 1) insert into t select * from a
with a as (select 1) update t set b = 1
with a as (select 1) delete from t
with a as (select 1) merge into t using a on true when matched then do nothing
with a as (select 1) values (1)
with a as (select 1) create table t (a int)
with a as (select 1) (select 2)
select a from b where c order by d limit e offset f; select g
select 1; select; select 2 from
select 1 as a where 2 = 3 having 4 = 5
select a from t where (b, c) = (select 1, 2)
select a.b from c.d as a
select 'x' from t where a = 'b' and c in (select d from e where f like 'g%') or h between 1 and 2
select count(*) from pgbench_accounts a join pgbench_branches b on a.bid = b.bid where b.bbalance > 100 group by a.bid having count(*) > 1 order by 1
