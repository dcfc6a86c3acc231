-- What functions and psql say of partitions.
create schema partition_info;
set search_path = partition_info;
create table v (a varchar(10)) partition by list (a);
create table v1 partition of v for values in ('x');
create table v2 partition of v for values in ('y', 'z');
create table v3 partition of v for values in (null);
create table vd partition of v default;
create table w (a int) partition by list (a);
create table wd partition of w default;
select pg_get_partition_constraintdef('wd'::regclass);
create table w1 partition of w for values in (1, 2);
create table rr (a int, b varchar, c numeric) partition by range (a, lower(b), c);
create table rr1 partition of rr for values from (1, 'a', 1) to (1, 'b', 2);
create table rr2 partition of rr for values from (2, 'a', 1.5) to (3, minvalue, minvalue);
create table rr3 partition of rr for values from (minvalue, minvalue, minvalue) to (0, minvalue, minvalue);
create table rr4 partition of rr for values from (5, minvalue, minvalue) to (maxvalue, maxvalue, maxvalue);
create table rr5 partition of rr for values from (1, 'b', 2) to (1, 'b', 3);
create table rrd partition of rr default;
create table r1 (a int) partition by range (a);
create table r1a partition of r1 for values from (minvalue) to (maxvalue);
create table r1d partition of r1 default;
create table r2 (a int) partition by range (a);
create table r2d partition of r2 default;
create table r2a partition of r2 for values from (1) to (10);
create table ar (a int[]) partition by list (a);
create table ar1 partition of ar for values in ('{1}', '{2,3}');
create table bo (a bool) partition by list (a);
create table bo1 partition of bo for values in (true);
create table dt (a date, t timestamp) partition by range (a, t);
create table dt1 partition of dt for values from ('2020-01-01', '2020-01-01') to ('2021-01-01', '2021-01-01 01:00');
create table he (a int, b text) partition by hash ((a + 1), b);
create table he1 partition of he for values with (modulus 2, remainder 0);
create domain dd as int;
create table dom (a dd) partition by list (a);
create table dom1 partition of dom for values in (1, -2);
create table nn (a numeric, b bigint, c real) partition by range (a, b, c);
create table nn1 partition of nn for values from (1.5, 10, 1.5) to (100, -10, 'infinity');
create table nn2 partition of nn for values from (-100, 10, 1.5) to (1, -10, -2);
select relname, pg_get_expr(relpartbound, oid), regexp_replace(pg_get_partition_constraintdef(oid), '''\d+''::oid', 'OID') as definition
  from pg_class where relispartition and relnamespace = 'partition_info'::regnamespace order by relname;
select relname, pg_get_partkeydef(oid) from pg_class where relkind = 'p' and relnamespace = 'partition_info'::regnamespace order by relname;
\d+ rr
\d+ rr1

create table s (a int primary key, b int) partition by list (a);
create table s1 partition of s for values in (1, 2) partition by range (a);
create table s11 partition of s1 for values from (1) to (2);
create table s12 partition of s1 default;
create table s2 partition of s for values in (3);
create table plain (a int primary key);
select * from pg_partition_tree('s');
select * from pg_partition_tree('s1');
select * from pg_partition_tree('s2');
select * from pg_partition_tree('s_pkey');
select * from pg_partition_tree('plain');
select * from pg_partition_tree(null);
select pg_partition_root('s11'), pg_partition_root('s'), pg_partition_root('plain'), pg_partition_root('s11_pkey'), pg_partition_root(0);
select * from pg_partition_ancestors('s11');
select * from pg_partition_ancestors('s11_pkey');
select * from pg_partition_ancestors('plain');
select pg_get_partkeydef('plain'::regclass), pg_get_partition_constraintdef('plain'::regclass), pg_get_partition_constraintdef('s'::regclass);
select pg_get_indexdef('s_pkey'::regclass), pg_get_indexdef('s11_pkey'::regclass);
\d s
\d+ s1
\d s_pkey
\d+ s1_pkey
\dP partition_info.s*
\dPt partition_info.*
\dPi partition_info.s*
\dPn partition_info.s*
\dt partition_info.s*

-- where rows of hash partitions go: PostgreSQL's places
create table h (i int, l bigint, t text, n numeric, d date, b bool) partition by hash (i, t);
select i, (select min(r) from generate_series(0, 6) r where satisfies_hash_partition('h'::regclass, 7, r, i, 'x' || i)) as place from generate_series(1, 10) i;
create table hl (l bigint) partition by hash (l);
create table hn (n numeric) partition by hash (n);
create table hd (d date) partition by hash (d);
select i, (select min(r) from generate_series(0, 6) r where satisfies_hash_partition('hl'::regclass, 7, r, i::bigint)) as l,
  (select min(r) from generate_series(0, 6) r where satisfies_hash_partition('hn'::regclass, 7, r, i::numeric / 3)) as n,
  (select min(r) from generate_series(0, 6) r where satisfies_hash_partition('hd'::regclass, 7, r, '2024-01-01'::date + i)) as d
  from generate_series(1, 10) i;
select satisfies_hash_partition('h'::regclass, 4, 0, null, null), satisfies_hash_partition('h'::regclass, null, 0, 1, 'x');
select satisfies_hash_partition('h'::regclass, 0, 0, 1, 'x');
select satisfies_hash_partition('h'::regclass, 2, -1, 1, 'x');
select satisfies_hash_partition('h'::regclass, 2, 2, 1, 'x');
select satisfies_hash_partition('s'::regclass, 2, 0, 1);
select satisfies_hash_partition('h'::regclass, 2, 0, 1);
select satisfies_hash_partition('h'::regclass, 2, 0, 1, 2);
select satisfies_hash_partition('hl'::regclass, 2, 0, variadic array[1::bigint]);
select satisfies_hash_partition(0, 4, 0, 1);
set client_min_messages = warning;
drop schema partition_info cascade;
