-- Plans of typical queries on analyzed tables: what PostgreSQL plans, in its words.
create table region(r_regionkey int primary key, r_name text not null);
insert into region select i, 'region ' || i from generate_series(0, 4) i;
create table nation(n_nationkey int primary key, n_name text not null, n_regionkey int not null);
insert into nation select i, 'nation ' || i, i % 5 from generate_series(0, 24) i;
create table supplier(s_suppkey int primary key, s_name text not null, s_nationkey int not null, s_acctbal numeric(12,2) not null);
insert into supplier select i, 'supplier ' || i, i % 25, (i * 7919 % 100000) / 10.0 from generate_series(1, 200) i;
create table part(p_partkey int primary key, p_name text not null, p_brand char(10) not null, p_size int not null, p_retailprice numeric(12,2) not null);
insert into part select i, 'part ' || i, 'brand ' || i % 25, i % 50 + 1, 900 + i % 1000 from generate_series(1, 2000) i;
create table customer(c_custkey int primary key, c_name text not null, c_nationkey int not null, c_acctbal int not null, c_segment char(10) not null);
insert into customer select i, 'customer ' || i, i * 7 % 25, i * 7919 % 11000 - 1000, (array['BUILDING','AUTOMOBILE','MACHINERY','HOUSEHOLD','FURNITURE'])[i % 5 + 1]
  from generate_series(1, 3000) i;
create table orders(o_orderkey int primary key, o_custkey int not null, o_status char(1) not null, o_total int not null, o_date date not null, o_clerk int);
insert into orders select i, i * 37 % 3000 + 1, (array['F','O','P'])[i * i % 3 + 1], i * 7919 % 50000, date '1992-01-01' + i % 2400, nullif(i % 100, 0)
  from generate_series(1, 12000) i;
create table lineitem(l_orderkey int not null, l_linenumber int not null, l_partkey int not null, l_suppkey int not null, l_quantity int not null,
  l_price int not null, l_flag char(1) not null, l_shipdate date not null, primary key (l_orderkey, l_linenumber));
insert into lineitem select i / 2 + 1, i % 2 + 1, i * 31 % 2000 + 1, i * 17 % 200 + 1, i % 50 + 1, i * 7919 % 90000, (array['A','N','R'])[i % 3 + 1],
  date '1992-01-01' + (i / 2 + 1) % 2400 + i % 90 from generate_series(0, 23999) i;
create index orders_custkey on orders(o_custkey);
create index orders_date on orders(o_date);
create index lineitem_partkey on lineitem(l_partkey);
create index lineitem_shipdate on lineitem(l_shipdate);
create index customer_nation on customer(c_nationkey, c_acctbal desc);
create table pgbench_branches(bid int primary key, bbalance int, filler char(88));
create table pgbench_tellers(tid int primary key, bid int, tbalance int, filler char(84));
create table pgbench_accounts(aid int primary key, bid int, abalance int, filler char(84));
insert into pgbench_branches select i, 0 from generate_series(1, 2) i;
insert into pgbench_tellers select i, (i - 1) / 10 + 1, 0 from generate_series(1, 20) i;
insert into pgbench_accounts select i, (i - 1) / 10000 + 1, 0, '' from generate_series(1, 20000) i;
vacuum analyze region; vacuum analyze nation; vacuum analyze supplier; vacuum analyze part; vacuum analyze customer; vacuum analyze orders;
vacuum analyze lineitem; vacuum analyze pgbench_branches; vacuum analyze pgbench_tellers; vacuum analyze pgbench_accounts;
set max_parallel_workers_per_gather = 0;
\set ex 'explain (costs off)'
-- pgbench
:ex select abalance from pgbench_accounts where aid = 5;
:ex update pgbench_accounts set abalance = abalance + 1 where aid = 5;
:ex update pgbench_tellers set tbalance = tbalance + 1 where tid = 5;
:ex update pgbench_branches set bbalance = bbalance + 1 where bid = 1;
:ex select count(*) from pgbench_accounts;
:ex select bid, sum(abalance) from pgbench_accounts group by bid;
:ex select bid, sum(abalance) from pgbench_accounts group by bid order by bid;
:ex select * from pgbench_accounts order by aid limit 10;
:ex select * from pgbench_accounts order by aid desc limit 10;
:ex select * from pgbench_accounts where aid in (1, 5, 9);
:ex select * from pgbench_accounts where aid = 5 or aid = 6;
-- orders of indexes
:ex select * from orders order by o_orderkey;
:ex select * from orders order by o_orderkey desc;
:ex select o_custkey from orders order by o_custkey;
:ex select o_custkey, count(*) from orders group by o_custkey order by o_custkey limit 5;
:ex select * from orders where o_date = '1992-03-01' order by o_date, o_orderkey;
:ex select * from customer where c_nationkey = 3 order by c_acctbal desc;
:ex select * from customer where c_nationkey = 3 order by c_acctbal desc limit 3;
:ex select * from customer order by c_nationkey, c_acctbal desc, c_name limit 5;
:ex select * from lineitem order by l_orderkey, l_linenumber limit 5;
:ex select * from lineitem order by l_orderkey desc, l_linenumber desc limit 5;
:ex select distinct l_orderkey from lineitem;
:ex select distinct o_custkey from orders order by o_custkey;
:ex select distinct on (o_custkey) o_custkey, o_orderkey from orders order by o_custkey, o_orderkey limit 3;
:ex select l_orderkey, row_number() over (partition by l_orderkey order by l_linenumber) from lineitem;
:ex select o_orderkey, rank() over (order by o_orderkey) from orders limit 10;
-- selections
:ex select * from orders where o_date between '1992-02-01' and '1992-02-10';
:ex select * from orders where o_custkey = 10;
:ex select * from orders where o_custkey = 10 and o_date < '1992-06-01';
:ex select * from orders where o_custkey = 10 or o_date = '1992-02-01';
:ex select * from orders where o_custkey in (10, 20, 30);
:ex select * from orders where o_status = 'F';
:ex select * from orders where o_clerk is null;
:ex select * from orders where o_total > 49900;
:ex select count(*) from lineitem where l_shipdate < '1992-02-01';
:ex select count(*) from lineitem where l_shipdate < '1996-02-01';
:ex select * from lineitem where l_partkey = 7 and l_shipdate between '1992-01-01' and '1992-12-31';
:ex select max(o_orderkey) from orders;
:ex select min(o_date), max(o_date) from orders;
:ex select max(o_total) from orders;
-- joins
:ex select * from nation join region on n_regionkey = r_regionkey;
:ex select * from orders join customer on o_custkey = c_custkey;
:ex select * from orders join customer on o_custkey = c_custkey where c_custkey = 5;
:ex select * from orders join customer on o_custkey = c_custkey where c_name = 'customer 5';
:ex select * from orders join lineitem on o_orderkey = l_orderkey;
:ex select * from orders join lineitem on o_orderkey = l_orderkey where o_orderkey < 10;
:ex select * from orders join lineitem on o_orderkey = l_orderkey order by o_orderkey;
:ex select * from orders join lineitem on o_orderkey = l_orderkey order by o_orderkey limit 10;
:ex select * from orders join lineitem on o_orderkey = l_orderkey where o_date = '1992-03-01';
:ex select * from customer left join orders on o_custkey = c_custkey;
:ex select count(*) from customer, orders, lineitem where c_custkey = o_custkey and o_orderkey = l_orderkey;
:ex select * from customer left join orders on o_custkey = c_custkey where c_custkey = 7;
:ex select * from customer right join orders on o_custkey = c_custkey;
:ex select * from customer full join orders on o_custkey = c_custkey;
:ex select * from nation n full join supplier s on n.n_nationkey = s.s_nationkey and n.n_name = s.s_name;
:ex select * from nation a join nation b on a.n_nationkey < b.n_nationkey;
:ex select * from region cross join nation;
:ex select * from customer where not exists (select 1 from orders where o_custkey = c_custkey);
:ex select * from customer where c_custkey in (select o_custkey from orders where o_total > 49900);
:ex select * from orders where o_custkey in (select c_custkey from customer where c_name = 'customer 3');
:ex select * from part where p_partkey in (select l_partkey from lineitem where l_quantity = 50) and p_size = 3;
:ex select * from customer c, lateral (select * from orders o where o.o_custkey = c.c_custkey order by o_date desc limit 1) l where c_custkey < 10;
-- as TPC-H has them
:ex select l_flag, sum(l_quantity), avg(l_price), count(*) from lineitem where l_shipdate <= '1998-09-01' group by l_flag order by l_flag;
:ex select l_orderkey, sum(l_price) as revenue, o_date from customer, orders, lineitem where c_segment = 'BUILDING' and c_custkey = o_custkey
  and l_orderkey = o_orderkey and o_date < '1995-03-15' and l_shipdate > '1995-03-15' group by l_orderkey, o_date order by revenue desc, o_date limit 10;
:ex select o_status, count(*) from orders where o_date >= '1993-07-01' and o_date < '1993-10-01'
  and exists (select * from lineitem where l_orderkey = o_orderkey and l_quantity < 10) group by o_status order by o_status;
:ex select sum(l_price * l_quantity) from lineitem where l_shipdate >= '1994-01-01' and l_shipdate < '1995-01-01' and l_quantity < 24;
:ex select c_custkey, c_name, sum(l_price) from customer, orders, lineitem, nation where c_custkey = o_custkey and l_orderkey = o_orderkey
  and o_date >= '1993-10-01' and o_date < '1994-01-01' and l_flag = 'R' and c_nationkey = n_nationkey group by c_custkey, c_name order by 3 desc limit 20;
:ex select c_custkey, count(o_orderkey) from customer left join orders on c_custkey = o_custkey and o_status <> 'F' group by c_custkey;
:ex select sum(l_price) from lineitem, part where p_partkey = l_partkey and p_brand = 'brand 3' and l_quantity < 5;
-- settings
set enable_seqscan = off;
:ex select * from nation where n_nationkey = 3;
reset enable_seqscan;
set enable_hashjoin = off;
:ex select * from orders join customer on o_custkey = c_custkey;
:ex select * from nation join region on n_regionkey = r_regionkey;
set enable_mergejoin = off;
:ex select * from orders join customer on o_custkey = c_custkey;
reset enable_hashjoin; reset enable_mergejoin;
set enable_hashagg = off;
:ex select o_status, count(*) from orders group by o_status;
reset enable_hashagg;
set join_collapse_limit = 1;
:ex select count(*) from region join nation on r_regionkey = n_regionkey join supplier on s_nationkey = n_nationkey;
reset join_collapse_limit;
drop table region, nation, supplier, part, customer, orders, lineitem, pgbench_branches, pgbench_tellers, pgbench_accounts;
