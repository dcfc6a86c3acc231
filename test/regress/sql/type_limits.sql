-- Sums at the ends of integer types: errors, or what wraps in PostgreSQL too.

-- to_date, to_timestamp: absurd fields, fields without text
select to_date('9999999,999', 'Y,YYY');
select to_date('2147484,000', 'Y,YYY');
select to_date('2020 400000000', 'YYYY WW');
select to_date('2020 2147483647', 'IYYY IW');
select to_date('2020 400000000', 'YYYY W');
select to_date('99999999', 'CC');
select to_date('42949693', 'CC');
select to_date('2147483647 20', 'CC YY');
select to_date('-2147483648 BC', 'YYYY BC');
select to_date('-2147483648 BC', 'CC BC');
select to_date('2020 1 2147483647', 'IYYY IW ID');
set time zone 'UTC';
select to_timestamp('   ', 'TZH');
select to_timestamp('   ', '-');
select to_timestamp('   ', 'YYYY');
select to_timestamp('2020 ', 'YYYY TZH');

-- intervals
select '9223372036854.775807 s'::interval::interval(0), '-9223372036854.775808 s'::interval::interval(0), '-9223372036854.775808 s'::interval::interval(3);
select interval_accum(array['1 s'::interval, '9223372036854.775807 s'], '1 s');
select timestamp '2000-01-01' at time zone interval '1000000 hours', timestamp '2000-01-01' at time zone interval '2562047788 hours';
select timestamptz '2000-01-01 00:00:00+00' at time zone interval '2562047788 hours';
select timezone(interval '1000000 hours', timetz '12:00:00-05'), timezone(interval '-100:30:05', timetz '12:00:00-05');

-- arrays
select * from generate_subscripts('[2147483645:2147483646]={1,2}'::int[], 1);
select * from generate_subscripts('[-2147483648:-2147483647]={1,2}'::int[], 1);
select trim_array('[-2147483648:-2147483648]={1}'::int[], 1), trim_array('[-2147483648:-2147483647]={1,2}'::int[], 1);
select array_prepend(3, '[-2147483648:-2147483647]={1,2}'::int[]);
select '['::int[];
select '[1:'::int[];
select '[+1:+2]={1,2}'::int[], '[-1:0]={1,2}'::int[];
create table type_limits (a int[], b int[]);
insert into type_limits values (null, '[-2147483648:-2147483647]={1,2}');
update type_limits set a[-2147483648:2147483647] = '{1,2}';
update type_limits set a[1:2147483647] = '{1,2}';
update type_limits set a[1:2147483647][1:2147483647][1:2147483647] = '{1,2}';
update type_limits set a[2147483647:2147483647] = '{1}';
update type_limits set b[-2147483648:2147483647] = '{1,2}';
update type_limits set b[:2147483647] = '{1}';
update type_limits set b[5:4] = '{1}';
update type_limits set b[-2147483648:-2147483648] = '{7}' returning b;
update type_limits set b[-2147483647:-2147483648] = '{7}' returning b;
drop table type_limits;

-- transition functions called by hand
select int4_sum(9223372036854775807, 1), int2_sum(-9223372036854775808, -1::int2);
select int4_avg_accum('{9223372036854775807,9223372036854775807}', 1), int4_avg_accum_inv('{-9223372036854775808,-9223372036854775808}', 1);

-- days beyond all timestamps
select timestamp '2000-01-01' + interval '213503983 days';
select timestamptz '2000-01-01 00:00:00+00' + interval '213503983 days';
select date '2000-01-01' + interval '213503983 days', date '2000-01-01' - interval '213503983 days';
select timestamp '2000-01-01' - interval '2147483647 days';

-- long ago
select pg_sleep_until('-infinity');
