insert into t values (1, 'a'), (2, default)
insert into t (a, b.c, d[1]) values (1, 2, 3)
insert into t select 1
insert into t (select 1)
insert into t ((select 1))
insert into t (values (1))
insert into t (a) (select 1)
insert into t (table s)
insert into t (with x as (select 1) select * from x)
insert into t with x as (select 1) select * from x
insert into t default values
insert into t (a) default values
insert into t default
insert into s.t as x values (1)
insert into t x values (1)
insert into t
insert t values (1)
insert into t ()
insert into t () values (1)
insert into t (a,) values (1)
insert into t (a b) values (1)
insert into t (values) values (1)
insert into t (a) overriding user value values (1)
insert into t overriding system value select 1
insert into t overriding value select 1
insert into t (a.*) values (1)
insert into t values (1) on conflict do nothing
insert into t values (1) on conflict (a, (b + 1), f(c) collate "C" text_ops) where d do update set e = excluded.e, (f, g) = (1, 2) where h returning *
insert into t values (1) on conflict on constraint c do update set a = default
insert into t values (1) on conflict (a) do nothing
insert into t values (1) on conflict do update
insert into t values (1) on conflict () do nothing
insert into t values (1) on conflict do
insert into t values (1) on conflict a do nothing
insert into t values (1) on conflict (a) do update set a = 1 from b
insert into t values (1) returning a, b as c, *
insert into t values (1) returning
insert into t values (1) returning a b
insert into only t values (1)
insert into t values (1) limit 1 returning a
insert into t select 1 union select 2 order by 1 on conflict do nothing
insert into t values 1
insert into t values (1),
insert into t values (default, default + 1)
insert into a.b.c values (1)
insert into a.b.c.d values (1)
update t set a = 1
update t set a = 1, b = default, c[1] = 2, d.e = 3 where f
update t set (a, b) = (1, 2), (c) = row(3), (d, e) = (select 1, 2)
update t set (a, b) = 1
update t set () = (1)
update t set a
update t set a = 
update t set
update t set a = 1 b = 2
update t a = 1
update t x set a = 1
update t as x set a = 1
update t set set a = 1
update t as set set a = 1
update only t set a = 1
update only (t) x set a = 1
update t * set a = 1
update t set a = 1 from b, c join d on e where f returning g
update t set a = 1 where current of c
update t set a = 1 where current
update t set a = 1 where current = 2
update t set a = 1 where current of c and b
update t set t.a = 1, a.b[2].c = 3
update t set a = b = c
update t set a = 1 order by b
update t set a = 1 returning *
update t set a.* = 1
update t set *
update (t) set a = 1
delete from t
delete from t where a
delete from only t as x using a, b where c returning d
delete t
delete from t set
delete from t as set where a
delete from t using
delete from t where current of c
delete from t where
delete from t returning t.*
delete from t x y
delete from t, s
merge into t using s on t.a = s.a when matched then update set b = s.b when not matched then insert (a, b) values (s.a, default)
merge into only t as x using (select 1) as y on true when matched and x.a > 1 then delete when matched then do nothing when not matched and false then insert default values
merge into t using s on a when not matched then insert values (1)
merge into t using s on a when not matched then insert overriding user value values (1)
merge into t using s on a when not matched then insert (a) overriding system value values (1)
merge into t using s on a
merge into t using s
merge into t using s on a when matched then
merge into t using s on a when matched then insert values (1)
merge into t using s on a when not matched then update set a = 1
merge into t using s on a when not matched then delete
merge into t using s on a when not matched then insert values (1), (2)
merge into t using s on a when not matched then insert select 1
merge into t using s join u on b on a when matched then delete
merge into t using s on a when matched then delete returning *
merge t using s on a when matched then delete
merge into t using s on a when matched then update set a = 1 where b
copy t from stdin
copy t to stdout
copy t (a, b) from '/tmp/x' with (format csv, header true, delimiter ',', null '', quote '"', escape '\', force_quote (a, b), force_not_null (a), encoding 'utf8', freeze)
copy t to '/tmp/x' csv header quote as '"' force quote a, b
copy t to stdout force quote *
copy t to stdout with (force_quote *)
copy t from stdin with delimiter as ',' null as 'x' csv escape 'y' force not null a, b force null c encoding 'utf8' freeze
copy binary t from stdin
copy t from stdin binary
copy t from stdin using delimiters '|'
copy t from stdin delimiters '|' with null 'x'
copy t from program 'cat' where a > 1
copy t from program stdin
copy t to program stdout
copy t to stdout where a
copy t from stdin where a
copy (select 1) to stdout
copy (insert into t values (1) returning a) to '/tmp/x' (format 'binary')
copy (select 1) from stdin
copy (select 1) to program stdout
copy (select 1) to stdout with csv
copy (values (1)) to stdout
copy ((select 1)) to stdout
copy (truncate t) to stdout
copy t
copy t in stdin
copy t from
copy t from x
copy t from stdin with
copy t from stdin with ()
copy t from stdin (format)
copy t from stdin (header match, x 1, y -2.5, z on, w true)
copy t from stdin csv,
copy t from stdin csv header force
copy t from stdin with (format csv) where a = 1
copy select from stdin
copy t () from stdin
truncate t
truncate table a, only b, c * restart identity cascade
truncate t continue identity restrict
truncate t restart
truncate
truncate only
lock t
lock table a, only b in access share mode
lock a in row share mode nowait
lock a in row exclusive mode
lock a in share update exclusive mode
lock a in share mode
lock a in share row exclusive mode
lock a in exclusive mode
lock a in access exclusive mode nowait
lock a in mode
lock a in shared mode
lock a nowait
lock a in access mode
vacuum
vacuum t
vacuum full freeze verbose analyze a (b, c), d
vacuum analyze verbose t
vacuum verbose full
vacuum (full, verbose off, parallel 4, index_cleanup auto, analyze true) t, s (a)
vacuum ()
vacuum (analyze) t
vacuum t (a,)
vacuum full full
analyze
analyse t
analyze verbose t (a, b), s.u
analyze (verbose, skip_locked) t
analyze t.*
cluster
cluster t
cluster verbose
cluster verbose t using i
cluster t using i
cluster i on t
cluster (verbose) t
cluster (verbose) t using i
cluster (verbose)
cluster verbose i on t
reindex table t
reindex index i
reindex table concurrently t
reindex (verbose, tablespace x) index concurrently i
reindex schema s
reindex database d
reindex system s
reindex system concurrently d
reindex t
reindex database
reindex schema a.b
checkpoint
checkpoint now
