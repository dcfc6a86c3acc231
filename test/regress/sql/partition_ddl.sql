-- CREATE TABLE … PARTITION BY and PARTITION OF: bounds, what is refused, what a partition takes from its parent.
create schema partition_ddl;
set search_path = partition_ddl;

-- range
create table r (a int, b text) partition by range (a, b);
create table r1 partition of r for values from (1, 'a') to (-5, 'b');
create table r1 partition of r for values from (-5, 'a') to (1, maxvalue);
create table r2 partition of r for values from (0, 'a') to (3, 'a');
create table r2 partition of r for values from (-10, 'a') to (0, 'a');
create table r2 partition of r for values from (1) to (3, 'a');
create table r2 partition of r for values from (1, 'x') to (3);
create table r2 partition of r for values from (minvalue, 'x') to (3, 'a');
create table r2 partition of r for values from (maxvalue, 'x') to (3, 'a');
create table r2 partition of r for values from (null, 'x') to (3, 'a');
create table r2 partition of r for values in (1);
create table r2 partition of r for values with (modulus 3, remainder 1);
create table r2 partition of r for values from (1, maxvalue) to (maxvalue, maxvalue);
create table r3 partition of r default;
create table r4 partition of r default;

-- list
create table l (a int) partition by list (a);
create table l1 partition of l for values in (1, 2, null, 1, -3);
create table l2 partition of l for values in (5, 2);
create table l2 partition of l for values in (5, null);
create table l2 partition of l for values in ('x');
create table l2 partition of l for values in (a);
create table l2 partition of l for values in (sum(1));
create table l2 partition of l for values in ((select 1));
create table l2 partition of l for values in (2 + 4);
create table l3 partition of l default;
create table l4 partition of l default;
create table l4 partition of l for values from (1) to (2);

-- hash
create table h (a int, b bigint) partition by hash (a, b);
create table h1 partition of h for values with (modulus 0, remainder 0);
create table h1 partition of h for values with (modulus 3, remainder 3);
create table h1 partition of h for values with (modulus 4, remainder 3);
create table h2 partition of h for values with (modulus 6, remainder 3);
create table h2 partition of h for values with (modulus 3, remainder 1);
create table h2 partition of h for values with (modulus 8, remainder 7);
create table h2 partition of h for values with (modulus 16, remainder 1);
create table h3 partition of h for values with (modulus 10, remainder 1);
create table h3 partition of h for values with (modulus 24, remainder 1);
create table hd partition of h default;
create table h4 partition of h for values in (1);

-- keys
create table p (a int) partition by foo (a);
create table p (a int, b int) partition by list (a, b);
create table p (a int) partition by list (x);
create table p (a int) partition by list (ctid);
create table p (a int, g int generated always as (a) stored) partition by list (g);
create table p (a int) partition by list ((random()));
create table p (a int) partition by list ((1));
create table p (a int) partition by list (a collate "C");
create table p (a int) partition by list (a nosuch_ops);
create table p (a int) partition by list ((sum(a)));
create table q2 (a int) inherits (l) partition by list (a);
select 'create table p (' || string_agg('c' || i || ' int', ', ') || ') partition by range (' || string_agg('c' || i, ', ') || ')' as too_many
  from generate_series(1, 33) i \gset
:too_many;
create table p (a text) partition by range (lower(a) collate "C" text_pattern_ops, (a || 'x'));
select pg_get_partkeydef('p'::regclass);
select partstrat, partnatts, partattrs from pg_partitioned_table where partrelid = 'p'::regclass;

-- parents
create table nt (a int);
create table n1 partition of nt for values in (1);
create table n1 partition of nosuch for values in (1);
create temp table tq partition of l for values in (77);

-- what is inherited
create table pp (a int not null default 3, b text collate "C", c int check (c > 0), d int generated always as (a + 1) stored, constraint foo check (a > 0))
  partition by list (a);
create table pp1 partition of pp (a default 5, b not null, check (a < 100), constraint foo check (a > 0)) for values in (1);
create table pp2 partition of pp (zz not null) for values in (1);
create table pp2 partition of pp (a, a) for values in (2);
create table pp2 partition of pp (d default 4) for values in (2);
create table pp2 partition of pp (constraint foo check (a > 1)) for values in (2);
create table pp9 partition of pp (a generated always as identity) for values in (2);
select conname, contype, conislocal, coninhcount, connoinherit, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'pp1'::regclass order by 1;
select attname, attislocal, attinhcount, attnotnull, attgenerated, pg_get_expr(adbin, adrelid)
  from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum where attrelid = 'pp1'::regclass and attnum > 0 order by attnum;
create table q (a int check (a > 0) no inherit) partition by list (a);

-- trees
create table q3 partition of l for values in (88) partition by range (a);
create table q4 partition of q3 for values from (1) to (99);
select relname, relkind, relhassubclass, relispartition, pg_get_expr(relpartbound, oid) from pg_class where relnamespace = 'partition_ddl'::regnamespace and relkind in ('r', 'p') order by 1;
select inhrelid::regclass, inhparent::regclass, inhseqno, inhdetachpending from pg_inherits where inhparent in ('l'::regclass, 'q3'::regclass) order by 1;
select pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype
  from pg_depend where objid = 'l1'::regclass order by 2;
drop table l1;
drop table l3;
select partdefid from pg_partitioned_table where partrelid = 'l'::regclass;
create table l1 partition of l default;
drop table q3;
drop table l;
select relname from pg_class where relname ~ '^[lq]' and relnamespace = 'partition_ddl'::regnamespace;
drop type if exists l;
begin;
drop table r;
rollback;
drop table r, h, p, nt, pp;
select count(*) from pg_inherits i where not exists (select from pg_class where oid = inhrelid);
drop schema partition_ddl;
