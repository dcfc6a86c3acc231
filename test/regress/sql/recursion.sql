-- CTEs: recursive, shared, data-modifying.
with recursive t(n) as (values (1) union all select n + 1 from t where n < 10) select sum(n), count(*) from t;
with recursive t(n) as (values (1) union select (n * 2) % 7 from t) select n from t order by n;
with recursive t(a, b) as (values (0, 1) union all select b, a + b from t where b < 1000) select array_agg(a) from t;
with recursive t(n) as (values (1) union all select n + 1 from t) select n from t limit 5;
create table cg (a int, b int);
insert into cg values (1, 2), (2, 3), (3, 4), (4, 2), (5, 6);
with recursive r(x) as (select 1 union select cg.b from cg join r on cg.a = r.x) select x from r order by x;
with recursive r(x, path) as (select a, array[a] from cg where a = 1 union all select cg.b, path || cg.b from cg join r on cg.a = r.x where cg.b <> all (path)) select * from r order by path;
with x as (select g from generate_series(1, 5) g), y as (select sum(g) s from x) select x.g, y.s, (select count(*) from x) from x, y where x.g > (select min(g) + 1 from x) order by 1;
with x as materialized (select random() r) select a.r = b.r from x a, x b;
-- All parts of a statement see the same snapshot.
create table cm (id int primary key, v int);
insert into cm select g, g from generate_series(1, 5) g;
with i as (insert into cm values (6, 6) returning id) select id, (select count(*) from cm) from i;
with u as (update cm set v = v + 100 where id <= 2 returning id, v) select u.id, u.v, cm.v from u join cm using (id) order by 1;
with d as (delete from cm where id > 4 returning *) insert into cm select id + 10, v from d returning *;
with u as (update cm set v = 0 where id = 1) select count(*) from cm where v = 0;
select * from cm order by id;
with a as (delete from cm where id = 1 returning v), b as (delete from cm where id = 2 returning v) select (select v from a), (select v from b);
with u as (update cm set v = 1 where id = 3 returning id) update cm set v = 2 where id in (select id from u) returning *;
select * from cm order by id;
drop table cg, cm;
