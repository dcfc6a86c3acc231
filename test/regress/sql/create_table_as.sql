-- CREATE TABLE … AS
create table numbers as select n, n * n as square, 'n' || n as label from generate_series(1, 5) as g(n);
select * from numbers order by n;
\d numbers
create table evens (even, half) as select n, n / 2 from numbers where n % 2 = 0;
select * from evens order by 1;
create table if not exists evens as select 1 as x;
create table evens as select 1 as x;
create table many (a, b) as select 1;
create table empty as select * from numbers with no data;
select count(*) from empty;
create temp table short_lived as values (1, 'one'), (2, 'two');
select * from short_lived order by 1;
create table same as table numbers;
select count(*) from same;
create table long_text as select repeat(md5(n::text), 400) as body from generate_series(1, 3) n;
select length(body), md5(body) from long_text order by 2;
create table from_with as with w as (select n from numbers where n > 2) select max(n) as top, count(*) as c from w;
table from_with;
create table literal as select 'text' as t, null as nothing, 1.5 as num, now() is not null as b;
\d literal
create table failed as select 1 / (n - 3) as x from numbers;
select * from failed;
create table dup as select 1 as a, 2 as a;
begin;
create table undone as select 1 as x;
rollback;
select * from undone;
drop table numbers, evens, empty, short_lived, same, long_text, from_with, literal;
